"""What is in a session's first request, before anybody invoked anything."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.conftest import Host
from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.script import LAW, TABLE_ROW


def test_first_request_holds_the_law_and_the_table(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The law and the short table of when to save are there once, and the skill was not invoked."""
    machine.memory("install", "--yes")

    host.say("What is two and two?", cwd=project)

    assert len(model.requests) == 1
    assert model.last.said.count(LAW) == 1
    assert model.last.said.count(TABLE_ROW) == 1


def test_index_stands_once_in_the_first_request(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """Claude Code loads MEMORY.md itself, Kimi Code through the session skill; no hook adds a second copy."""
    machine.memory("install", "--yes")
    machine.memory(
        "save", "Ada answers to Ada.", "--type", "user", "--name", "name", "--description", "Her name"
    )

    host.say("What is two and two?", cwd=project)

    assert model.last.said.count("(knowledge/user/name.md)") == 1
    assert "<!--" not in model.last.said.split("(knowledge/user/name.md)")[0][-500:]


def test_law_is_not_repeated_in_a_resumed_turn(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The standing text is the same bytes, so the host does not send it again."""
    machine.memory("install", "--yes")
    first = host.say("What is two and two?", cwd=project)

    host.say("And three and three?", cwd=project, session=first.session)

    assert model.last.said.count(LAW) == 1


def test_host_lists_the_skill_and_the_starter_skills(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The skill of the pack and those of the tree stand in the host's own listing.

    In Claude Code the tree's are listed under the plugin: a bare `code-review` is the client's own.
    """
    machine.memory("install", "--yes")

    host.say("What is two and two?", cwd=project)

    prefix = "memory-skill:" if host.name == "claude-code" else ""
    for name in ("memory-skill", f"{prefix}task-planning", f"{prefix}code-review"):
        assert f"- {name}: " in model.last.said
