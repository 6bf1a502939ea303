"""Claude Code's own memory: what it held before, and the two ways to live with it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Reply, Request, call
from tests.hosts.script import LAW, note

ASKED = "Which sequence numbers the invoices? Is it called marigold?"
LINE = "(knowledge/user/name.md)"
FIRST = note(
    "numbering", "How we number", "Invoices are numbered by the sequence called marigold.", "project"
)
SECOND = note("prefers-tabs", "How Ada indents", "With tabs, in every language.", "user")


def own_folder(request: Request) -> str:
    """Where the client tells the model to write its memories."""
    found = re.search(r"file-based memory at `(.+?)/?`", request.said)
    assert found, "the client has no memory of its own in this session"
    return found[1]


def write_natively(name: str, content: str) -> Callable[[Request], Reply]:
    def line(request: Request) -> Reply:
        return call("Write", file_path=f"{own_folder(request)}/{name}.md", content=content)

    return line


def test_earlier_memories_are_adopted_each_to_its_project(
    claude: Claude, machine: Machine, model: Model
) -> None:
    """What the client remembered before `install` is recalled after it; the project's part only there."""
    billing, shipping = machine.project("billing"), machine.project("shipping")
    model.script(write_natively("numbering", FIRST), write_natively("prefers-tabs", SECOND), "Saved.")
    assert claude.say("Remember both.", cwd=billing).denials == ()
    native = Path(own_folder(model.requests[0]))
    before = {path.name: path.read_bytes() for path in native.iterdir()}

    machine.memory("install", "--yes")

    assert {path.name: path.read_bytes() for path in native.iterdir()} == before
    claude.say(ASKED, cwd=billing)
    assert own_folder(model.last) == str(machine.tree)
    assert "marigold" in model.last.said.replace(ASKED, "")
    claude.say(ASKED, cwd=shipping)
    assert "marigold" not in model.last.said.replace(ASKED, "")
    claude.say("Should this file be indented with tabs or spaces?", cwd=shipping)
    assert "in every language" in model.last.said


def test_beside_leaves_the_clients_own_memory_alone(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The client goes on writing where it did; our index comes through the hook, once."""
    machine.memory("install", "--yes", "--claude", "beside")
    machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")

    claude.say("What is two and two?", cwd=project)

    assert own_folder(model.last).startswith(str(machine.home / ".claude/projects"))
    assert model.last.said.count(LINE) == 1
    assert model.last.said.count(LAW) == 1


def test_hook_gives_the_index_where_auto_memory_is_off(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The user switched auto-memory off in this shell: the client loads no index, so the hook does."""
    machine.memory("install", "--yes")
    machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")
    machine.knobs["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"

    claude.say("What is two and two?", cwd=project)

    assert "file-based memory" not in model.last.said
    assert model.last.said.count(LINE) == 1
