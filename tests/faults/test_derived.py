"""Derived files may be damaged at any time (D5): the CI slice of `python -m benchmarks.campaign derived`."""

from __future__ import annotations

from pathlib import Path

from . import derived


def test_g59_damaged_derived_file_changes_no_answer(source: Path, place: Path) -> None:
    """Cut, flipped, zeroed, swapped or gone under an open process: all is answered, and answered as afresh.

    The index keeps its bytes, the next save is committed, and every query finds with the same scores what it
    finds after a rebuild (G04, G05, G07).
    """
    done = list(derived.campaign(source, place, seed=5, times=48))

    assert len({(found.target, found.kind) for found in done}) == 48
