"""Calls that fail (D4): the CI slice of `python -m benchmarks.campaign injected`."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import injected
from .trees import BY_NAME


@pytest.mark.parametrize("name", BY_NAME)
def test_failing_call_costs_one_line_and_no_byte(name: str, source: Path, place: Path) -> None:
    """On a full, read-only or failing disk, out of descriptors, interrupted, written short: bytes stay whole.

    The operation is done or says in one line why not; the same process saves again at once when the fault is
    gone, without litter (G11, G12, L07).
    """
    done = list(injected.campaign(source, place, (name,), seed=3, most=12))

    assert len(done) >= 5


def test_short_write_is_completed(source: Path, place: Path) -> None:
    """A system that takes only half of what it is given is given the rest."""
    found = [one for one in injected.campaign(source, place, ("session",), 0, None) if one.code == "short"]

    assert {one.said for one in found} == {"done"}
