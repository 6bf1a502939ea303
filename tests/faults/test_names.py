"""Hostile names and links (D12): the CI slice of `python -m benchmarks.campaign names`."""

from __future__ import annotations

from pathlib import Path

from . import names
from .trees import copied


def test_g68_g69_no_name_and_no_link_leads_outside(source: Path, place: Path) -> None:
    """36 names at eight entrances: nothing outside the tree is read or written, nothing gets into `.git`."""
    tried = list(names.campaign(copied(source, place / "memory")))

    assert len(tried) == len(names.PATHS) * len(names.ENTRANCES) >= 200


def test_folder_that_turns_into_a_link_is_not_followed(source: Path, place: Path) -> None:
    """A folder that is swapped for a link between check and use leads no byte in or out."""
    assert names.races(copied(source, place / "memory"), times=300) > 0
