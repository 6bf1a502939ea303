"""Power-cut states (D2): the CI slice of `python -m benchmarks.campaign power`."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_skill import tree

from . import power
from .trees import BY_NAME


@pytest.mark.parametrize("name", BY_NAME)
def test_power_cut_loses_nothing_acknowledged(name: str, source: Path, place: Path) -> None:
    """Whatever the disk kept of what no sync has covered, each note is whole, old or new, and work goes on.

    What was acknowledged is there; derived files that are empty, cut or zeroed are seen for what they are.
    """
    states = list(power.campaign(source, place, (name,), seed=11, each=46))

    assert len(states) == 46
    assert sum(state.acknowledged for state in states) >= 11


def test_write_path_that_forgets_a_sync_is_found_out(
    source: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The states are harsh enough: without a folder's sync an acknowledged note is lost in one."""
    monkeypatch.setattr(tree, "_sync", lambda folder: None)

    with pytest.raises(AssertionError, match="acknowledged and is lost"):
        list(power.campaign(source, place, ("new",), seed=1, each=40))
