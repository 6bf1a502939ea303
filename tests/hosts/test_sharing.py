"""One tree, two hosts, two projects: what is shared, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hosts.claude import Claude
from tests.hosts.conftest import Host
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Reply, Request, call
from tests.hosts.script import note, shell, write

BODIES = {
    "project": "Invoices are numbered by the sequence called marigold.",
    "reference": "The sequence called marigold is described in the handbook of invoices.",
}
ASKED = "Which sequence numbers the invoices? Is it called marigold?"


def save(type: str) -> Callable[[Request], Reply]:
    about = f"How we number, as {type}"
    return shell("save", BODIES[type], "--type", type, "--name", type, "--description", about)


@pytest.mark.parametrize("saved_in, recalled_in", [("claude", "kimi"), ("kimi", "claude")])
def test_saved_in_one_host_is_recalled_in_the_other(
    machine: Machine, model: Model, project: Path, claude: Claude, kimi: Kimi, saved_in: str, recalled_in: str
) -> None:
    """Both hosts on one live tree, and in the same project."""
    hosts: dict[str, Host] = {"claude": claude, "kimi": kimi}
    machine.memory("install", "--yes")
    model.script(save("project"), "Saved.")
    hosts[saved_in].say("Remember how we number invoices.", cwd=project)

    hosts[recalled_in].say(ASKED, cwd=project)

    assert BODIES["project"] in model.last.fresh


@pytest.mark.parametrize("way", ["verb", "own tool"])
def test_notes_of_one_project_never_reach_the_other(
    machine: Machine, model: Model, claude: Claude, kimi: Kimi, way: str
) -> None:
    """Written in billing, asked for in shipping by the very words: neither host says a word of it there."""
    machine.memory("install", "--yes")
    billing, shipping = machine.project("billing"), machine.project("shipping")
    for type, body in BODIES.items():
        own = write(machine, f"{type}.md", note(type, f"How we number, as {type}", body, type))
        model.script(save(type) if way == "verb" else own, "Saved.")
        claude.say("Remember how we number invoices.", cwd=billing)

    for host in (claude, kimi):
        host.say(ASKED, cwd=shipping)
        assert not any(said in model.last.said for said in (*BODIES.values(), "How we number"))
        host.say(ASKED, cwd=billing)
        assert all(said in model.last.said for said in BODIES.values())


def test_note_saved_by_kimi_stays_in_its_project(
    machine: Machine, model: Model, claude: Claude, kimi: Kimi
) -> None:
    """The other way round: the verb in Kimi's shell, whose environment names no session."""
    machine.memory("install", "--yes")
    model.script(save("reference"), "Saved.")
    answer = kimi.say("Remember how we number invoices.", cwd=machine.project("billing"))
    assert machine.trailers(machine.note("reference"))["Memory-Session"] == answer.session

    for host in (claude, kimi):
        host.say(ASKED, cwd=machine.project("shipping"))
        assert BODIES["reference"] not in model.last.said


def test_cd_of_the_model_does_not_change_the_project(
    machine: Machine, model: Model, project: Path, kimi: Kimi
) -> None:
    """The session's start folder decides, wherever its shell stands when it saves."""
    machine.memory("install", "--yes")
    elsewhere = machine.project("shipping")

    def line(request: Request) -> Reply:
        made = save("project")(request)
        return call("Bash", command=f"cd {elsewhere} && {made.calls[0].input['command']}")

    model.script(line, "Saved.")
    kimi.say("Remember how we number invoices.", cwd=project)

    kimi.say(ASKED, cwd=elsewhere)
    assert BODIES["project"] not in model.last.said
    kimi.say(ASKED, cwd=project)
    assert BODIES["project"] in model.last.said
