"""Nasty notes (D6): the CI slice of `python -m benchmarks.campaign formats`."""

from __future__ import annotations

from . import formats


def test_ten_thousand_nasty_notes_are_read_or_refused() -> None:
    """Every one is read and could be written back byte for byte, or is refused in one line."""
    found = formats.campaign(seed=1, times=10_000)

    assert found.read + found.refused == 10_000
    assert min(found.read, found.refused, found.damaged) > 1_000
