"""Claude Code's own memory moves in; the memory may lie elsewhere; doctor is content with real sessions."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.conftest import Host
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Reply, Request, call
from tests.hosts.script import LAW, note

BODY = "Amounts are rounded half to even, says the contract with the auditors."


def keep_natively(request: Request) -> Reply:
    """Write a note where the client's own prompt says that its memory is."""
    folder = request.said.split("persistent file-based memory at `")[1].split("`")[0]
    text = note("rounding", "How billing rounds amounts", BODY, type="project")
    return call("Write", file_path=f"{folder}/rounding.md", content=text)


def test_native_notes_are_in_the_next_session(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """What the client kept before is listed in its project's index afterwards, and in no other project."""
    model.script(keep_natively, "Noted.")
    claude.say("We round half to even.", cwd=project)
    (original,) = (machine.home / ".claude/projects").rglob("memory/rounding.md")
    before = original.read_bytes()

    machine.memory("install", "--yes")

    assert BODY in machine.note("rounding").read_text(encoding="utf-8")
    claude.say("What is two and two?", cwd=project)
    assert "How billing rounds amounts" in model.last.said
    claude.say("What is two and two?", cwd=machine.project("other"))
    assert "How billing rounds amounts" not in model.last.said
    assert original.read_bytes() == before


def test_native_memory_is_used_again_after_uninstall(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The client names its own folder in the prompt, as before."""
    machine.memory("install", "--yes")
    machine.memory("uninstall", "--yes")

    claude.say("What is two and two?", cwd=project)

    assert f"persistent file-based memory at `{machine.home}/.claude/projects/" in model.last.said


def test_native_memory_stays_in_use_beside(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """Our index then comes with the start hook."""
    machine.memory("install", "--yes", "--claude", "beside")
    machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")

    claude.say("What is two and two?", cwd=project)

    assert f"persistent file-based memory at `{machine.home}/.claude/projects/" in model.last.said
    assert model.last.said.count("(knowledge/user/name.md)") == 1


def test_memory_elsewhere_serves_the_host(host: Host, machine: Machine, model: Model, project: Path) -> None:
    """A tree that no environment names: the hooks name it."""
    tree = machine.root / "elsewhere"
    machine.memory("--home", str(tree), "install", "--yes")
    machine.memory("--home", str(tree), "save", "Ada answers to Ada.", "--type", "user", "--name", "name")

    host.say("What is two and two?", cwd=project)

    assert model.last.said.count(LAW) == 1
    assert "(knowledge/user/name.md)" in model.last.said
    assert not machine.tree.exists()


def test_doctor_is_content_after_a_session_of_each(
    machine: Machine, model: Model, project: Path, claude: Claude, kimi: Kimi
) -> None:
    """Nothing to complain of: the hooks have run, and Kimi Code itself accepts its config."""
    machine.memory("install", "--yes")
    for host in (claude, kimi):
        host.say("What is two and two?", cwd=project)

    told = machine.report("doctor")

    assert told["problems"] == []
    said = {check["name"]: check["what"] for check in told["checks"]}
    assert said["kimi-code config"] == "accepted by kimi doctor"
    assert said["claude-code version"].startswith("2.") and said["kimi-code version"].startswith("2.")


def test_hook_gives_the_index_where_auto_memory_is_off(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The user switched it off in this shell: the client loads no index, so the hook does."""
    machine.memory("install", "--yes")
    machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")
    machine.knobs["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"

    claude.say("What is two and two?", cwd=project)

    assert "file-based memory" not in model.last.said
    assert model.last.said.count("(knowledge/user/name.md)") == 1
