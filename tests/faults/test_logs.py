"""The journal gives back what it was given: the CI slice of `python -m benchmarks.campaign journal`."""

from __future__ import annotations

from pathlib import Path

from tests.faults.logs import campaign


def test_five_thousand_turns_come_back(tmp_path: Path) -> None:
    """Exact header lines, midnight, clocks that jump back, two sessions: each turn once, to the letter."""
    done = campaign(tmp_path / "memory", 1, 5000)

    assert (done.turns, done.kept, done.repeated) == (5000, 250, 25)
    assert done.backwards > 50
