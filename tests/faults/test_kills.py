"""Kill -9 at every call that changes state (D1): the CI slice of `python -m benchmarks.campaign kills`."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import endurance, gitkills, kills
from .trees import BY_NAME

POINTS = {"new": 40, "new-project": 30, "edit": 40, "forget": 40, "settle": 40, "undo": 30, "import": 30}
OTHERS = 25  # index, search, journal, session: all or nearly all of their points


@pytest.mark.parametrize("name", BY_NAME)
def test_killed_operation_loses_nothing(name: str, source: Path, place: Path) -> None:
    """Wherever an operation dies, each file is whole, what was acknowledged is there, and work goes on.

    The next save commits within five seconds, the next settle leaves notes, index files, search index and
    history in order, without a person, and `git fsck --strict` is content.
    """
    done = list(kills.campaign(source, place, (name,), POINTS.get(name, OTHERS)))

    assert done
    assert not any(found.acknowledged for found in done)  # each of them died before its end


def test_killed_git_stops_nobody(source: Path, place: Path) -> None:
    """A git that is killed leaves locks behind (G45, G12); the next verbs clear them and commit."""
    done = list(kills.git_campaign(source, place, seed=1, times=20))

    assert len(done) == 20


@pytest.mark.skipif(not gitkills.is_possible(), reason="needs strace")
def test_git_killed_at_a_call_loses_no_save(source: Path, place: Path) -> None:
    """Wherever `update-index` or `commit` dies: the save stands, and the next one commits both by itself."""
    done = list(gitkills.campaign(source, place, ("new",), 5))

    assert len(done) == 10


def test_d17_writers_that_are_killed_for_a_while_leave_all_in_order(place: Path) -> None:
    """A few seconds of the endurance run: nothing acknowledged is lost, the watcher keeps its files."""
    found = endurance.campaign(place, seed=1, seconds=4.0)

    assert found.kills >= 5 and found.acknowledged > 0
