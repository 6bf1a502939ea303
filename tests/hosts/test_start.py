"""What is in a session's first request, before anybody invoked anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.hosts.claude import Claude
from tests.hosts.clients import require
from tests.hosts.conftest import Host
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Request
from tests.hosts.script import LAW, TABLE_ROW

LINE = "(knowledge/user/name.md)"


@dataclass(frozen=True)
class Opened:
    """A session of one turn on a machine with one note, and its second turn in a new process."""

    host: str
    first: tuple[Request, ...]
    second: Request


@pytest.fixture(scope="module", params=[Claude, Kimi])
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """Made once for each host; the tests only read."""
    require("claude" if request.param is Claude else "kimi")
    machine = Machine(tmp_path_factory.mktemp("opened"))
    project = machine.project("billing")
    with Model() as model:
        host: Host = request.param(machine, model)
        machine.memory("install", "--yes")
        machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")
        session = host.say("What is two and two?", cwd=project).session
        first = tuple(model.requests)
        host.say("And three and three?", cwd=project, session=session)
        yield Opened(host.name, first, model.last)
    machine.end()


def test_first_request_holds_the_law_and_the_table(opened: Opened) -> None:
    """The law and the short table of when to save are there once, and the skill was not invoked."""
    (first,) = opened.first

    assert first.said.count(LAW) == 1
    assert first.said.count(TABLE_ROW) == 1


def test_index_stands_once_in_the_first_request(opened: Opened) -> None:
    """Claude Code loads MEMORY.md itself, Kimi Code through the session skill; no hook adds a second copy."""
    assert opened.first[0].said.count(LINE) == 1


def test_standing_text_is_not_repeated_in_a_resumed_turn(opened: Opened) -> None:
    """It is the same bytes, so the host does not send it again."""
    assert opened.second.said.count(LAW) == 1
    assert opened.second.said.count(LINE) == 1
    assert LAW not in opened.second.fresh


def test_host_lists_the_skill_and_the_starter_skills(opened: Opened) -> None:
    """The skill of the pack and those of the tree stand in the host's own listing.

    In Claude Code the tree's are listed under the plugin: a bare `code-review` is the client's own.
    """
    prefix = "memory-skill:" if opened.host == "claude-code" else ""
    for name in ("memory-skill", f"{prefix}task-planning", f"{prefix}code-review"):
        assert f"- {name}: " in opened.first[0].said
