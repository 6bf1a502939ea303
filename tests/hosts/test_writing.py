"""What Claude Code's own tools may write in the tree, and how each such write ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hosts.claude import Claude
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Request, call
from tests.hosts.script import note, shell, write

SKILL = """\
---
name: release
description: "Use when a release of billing is due"
---
Tag, build, publish.
"""


@pytest.fixture
def installed(claude: Claude, machine: Machine) -> Claude:
    machine.memory("install", "--yes")
    return claude


def test_own_tool_is_denied_skills_config_and_other_kinds(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """In the default mode the client itself refuses what could run or steer; nothing is left on disk."""
    before = machine.git("ls-files", "-s")
    model.script(
        write(machine, "skills/release/SKILL.md", SKILL),
        write(machine, "config.toml", "format = 1\n"),
        write(machine, "notes.txt", "text"),
        write(machine, ".git/hooks/post-commit", "#!/bin/sh\n"),
        "Denied, all of them.",
    )

    answer = installed.say("Write these.", cwd=project)

    assert answer.denials == ("Write",) * 4
    assert not (machine.tree / "skills/release").exists()
    assert not (machine.tree / "notes.txt").exists()
    assert machine.git("ls-files", "-s") == before


def test_skill_goes_through_the_verb(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """`save - --to skills/…` needs no permission and is listed in the next session."""
    model.script(shell("save", "-", "--to", "skills/release/SKILL.md", stdin=SKILL), "Saved.")

    answer = installed.say("Remember how we release.", cwd=project)

    assert answer.denials == ()
    assert (machine.tree / "skills/release/SKILL.md").read_text(encoding="utf-8") == SKILL
    installed.say("What is two and two?", cwd=project)
    assert "Use when a release of billing is due" in model.last.said


def test_note_in_a_folder_that_is_not_for_notes_waits_for_a_person(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The client allows the writes; settle moves each file to the inbox, and no session recalls it."""
    folders = ("inbox", "archive", "journal", "working", ".state")
    names = [f"odd-{folder.strip('.')}" for folder in folders]
    texts = [note(name, f"Where {name} is", f"The kettle of {name} is in the cellar.") for name in names]
    writes = [write(machine, f"{f}/{n}.md", t) for f, n, t in zip(folders, names, texts, strict=True)]
    model.script(*writes, "Written.")

    answer = installed.say("Put these away.", cwd=project)

    assert answer.denials == ()
    assert [machine.note(name).parent for name in names] == [machine.tree / "inbox"] * 5
    assert "odd-" not in machine.index
    installed.say("Where is the kettle? In the cellar?", cwd=project)
    assert "The kettle of" not in model.last.fresh


def test_edit_of_the_agents_file_is_committed_and_shown(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """AGENTS.md is the model's own to edit; the next start says that it changed."""
    path, heading = str(machine.tree / "AGENTS.md"), "## User Preferences"
    model.script(
        call("Read", file_path=path),
        call("Edit", file_path=path, old_string=heading, new_string=f"{heading}\n\n- Answers in verse"),
        "Edited.",
    )

    answer = installed.say("Always answer in verse.", cwd=project)

    assert answer.denials == ()
    assert machine.git("status", "--porcelain") == ""
    assert machine.trailers(Path(path))["Memory-Session"] == answer.session
    installed.say("What is two and two?", cwd=project)
    assert "- Answers in verse" in model.last.fresh


def test_whole_file_rewrite_of_the_index_loses_nothing(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """Both markers gone, a pointer and a line of its own added: the block is rebuilt around that line."""
    machine.memory("save", "Ada answers to Ada.", "--type", "user", "--name", "name")
    text = note("prefers-tabs", "How Ada indents", "With tabs.")
    rewritten = (
        "# Memory\n\nAda likes short answers.\n\n- [prefers-tabs](prefers-tabs.md) — how she indents\n"
    )
    model.script(write(machine, "prefers-tabs.md", text), write(machine, "MEMORY.md", rewritten), "Saved.")

    answer = installed.say("I indent with tabs.", cwd=project)

    assert answer.denials == ()
    assert "Ada likes short answers.\n" in machine.index
    assert machine.index.count("(knowledge/user/name.md)") == 1
    assert machine.index.count("prefers-tabs.md)") == 1
    assert "(knowledge/feedback/prefers-tabs.md)" in machine.index
    assert machine.index.count("<!--") == 2
    assert machine.git("status", "--porcelain") == ""


def test_second_write_of_a_filed_note_replaces_it(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The client still knows the flat path; the filed note gets the new text, the old one stays in git."""
    first = note("prefers-tabs", "How Ada indents", "With tabs, eight wide.")
    second = note("prefers-tabs", "How Ada indents", "With tabs, four wide.")
    model.script(write(machine, "prefers-tabs.md", first), "Saved.")
    session = installed.say("I indent with tabs, eight wide.", cwd=project).session
    model.script(write(machine, "prefers-tabs.md", second), "Changed.")

    answer = installed.say("Four wide, I mean.", cwd=project, session=session)

    assert answer.denials == ()
    path = machine.note("prefers-tabs")
    assert path == machine.tree / "knowledge/feedback/prefers-tabs.md"
    assert "four wide" in path.read_text(encoding="utf-8")
    assert "+With tabs, eight wide." in machine.git("log", "-p", "--", path)
    assert machine.index.count("prefers-tabs") == 1
    assert not (machine.tree / "prefers-tabs.md").exists()


def test_secret_in_a_note_reaches_neither_git_nor_a_session(
    installed: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The client writes what it likes; settle redacts before it commits, and says so at the next start."""
    secret = "AKIA" + "Q3EGRZ7YPLM2XW5K"
    text = note("deploying", "How billing is deployed", f"Deploy with the key {secret} from the laptop.")
    model.script(write(machine, "deploying.md", text), "Saved.")

    installed.say("This is how we deploy.", cwd=project)

    assert secret not in machine.git("log", "-p", "--all")
    left = [path for path in machine.tree.rglob("*.md") if secret in path.read_text(encoding="utf-8")]
    assert left == []
    installed.say("How is billing deployed? With a key from the laptop?", cwd=project)
    assert secret not in model.last.said


def test_kimis_own_tool_writes_a_note_in_its_place(
    kimi: Kimi, machine: Machine, model: Model, project: Path
) -> None:
    """Kimi Code has no memory of its own; what it writes where SKILL.md says is settled at the stop."""
    machine.memory("install", "--yes")
    path = machine.tree / "knowledge/feedback/prefers-tabs.md"
    text = note("prefers-tabs", "How Ada indents", "With tabs.")
    beat = machine.tree / ".state/heartbeats/kimi-code-edited.json"

    def once_it_is_marked(request: Request) -> str:
        """The client ends this hook with the turn; a real model takes longer than the hook."""
        machine.wait_for(beat.exists)
        return "Saved."

    model.script(call("Write", path=str(path), content=text), once_it_is_marked)

    answer = kimi.say("I indent with tabs.", cwd=project)

    assert machine.index.count("(knowledge/feedback/prefers-tabs.md)") == 1
    assert machine.git("status", "--porcelain") == ""
    trailers = machine.trailers(path)
    assert (trailers["Memory-Host"], trailers["Memory-Session"]) == ("kimi-code", answer.session)
