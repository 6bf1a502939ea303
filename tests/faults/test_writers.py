"""Many writers at once (D3): the CI slice of `python -m benchmarks.campaign writers`."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import writers


@pytest.mark.parametrize("seed", [1, 2])
def test_g01_nothing_of_eight_writers_and_a_person_is_lost(place: Path, seed: int) -> None:
    """Eight processes save 25 notes each and add to one list, one settles, a person edits with four editors.

    Every token is in a file, every note in the index or counted by it, and whoever looks at the index
    meanwhile sees a whole one.
    """
    found = writers.contest(place / "memory", writers=8, saves=25, seed=seed)

    assert found.saves == 200
    assert found.samples > 100
