"""The state machine (D7): the CI slice of `python -m benchmarks.campaign machine`."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from .machine import Model


def test_random_verbs_and_hand_edits_leave_what_the_model_says(source: Path, place: Path) -> None:
    """Save, edit, forget, undo, hand edits, rebuilds and restarts in any order: no difference."""

    class Here(Model):
        pass

    Here.source, Here.work = source, place
    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=30,
            stateful_step_count=20,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
