"""The state machine (D7): the CI slice of `python -m benchmarks.campaign machine`."""

from __future__ import annotations

from pathlib import Path

from . import machine


def test_random_verbs_and_hand_edits_leave_what_the_model_says(source: Path, place: Path) -> None:
    """Save, edit, forget, undo, hand edits, rebuilds and restarts in any order: no difference."""
    machine.play(source, place, runs=30, steps=20)
