"""SKILL.md and the skills and notes of the templates are what hosts, validators and our own reader accept."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_skill import Memory, note, pack

LISTED = 250  # characters of a description that Kimi Code shows
BODY_LINES = 150
SKILLS = (
    "SKILL.md",
    "templates/tree/skills/task-planning/SKILL.md",
    "templates/tree/skills/code-review/SKILL.md",
)
HOST_TOOLS = re.compile(
    r"`(Read|Write|Edit|MultiEdit|Bash|Grep|Glob|Task|TodoWrite|Skill|WebFetch|Shell|ReadFile|WriteFile|StrReplaceFile"
    r"|SetTodoList)`|\b(?:Claude|Kimi)\b"
)


def skill_folder(name: str, tmp_path: Path) -> Path:
    """A copy of the skill in a folder of its own name, as the format wants it."""
    folder = tmp_path / note.parse(pack.read(name), name).name
    folder.mkdir()
    shutil.copy(pack.root() / name, folder / "SKILL.md")
    return folder


def example_note() -> str:
    """The note that SKILL.md shows to an agent without the command."""
    found = re.search(r"```markdown\n(---\n.*?)```", pack.read("SKILL.md"), re.DOTALL)
    assert found
    return found.group(1)


@pytest.mark.parametrize("name", SKILLS)
def test_skill_is_valid_for_the_reference_validator(name: str, tmp_path: Path) -> None:
    """`agentskills validate` accepts our skill and the two that a new tree starts with."""
    folder = skill_folder(name, tmp_path)
    validator = Path(sys.executable).with_name("agentskills")

    done = subprocess.run([validator, "validate", folder], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", SKILLS)
def test_description_is_quoted_and_shown_whole(name: str) -> None:
    """An unquoted colon drops a skill in Kimi Code, and what is past 250 characters is cut there."""
    line = next(line for line in pack.read(name).splitlines() if line.startswith("description:"))

    assert re.fullmatch(r'description: "[^"]+"', line)
    assert len(note.parse(pack.read(name), name).description) <= LISTED


@pytest.mark.parametrize("name", SKILLS)
def test_description_tells_when_and_first(name: str) -> None:
    """The trigger comes first: a list that runs out of room cuts the end."""
    assert note.parse(pack.read(name), name).description.startswith("Use ")


@pytest.mark.parametrize("name", SKILLS)
def test_body_is_short_and_names_no_host(name: str) -> None:
    """Skills name actions, so that they hold in any host, and stay below 150 lines."""
    body = note.parse(pack.read(name), name).body

    assert body.count("\n") < BODY_LINES
    assert HOST_TOOLS.findall(body.replace("CLAUDE.md", "")) == []


@pytest.mark.parametrize("name", SKILLS)
def test_skill_asks_for_no_approval(name: str) -> None:
    """With `allowed-tools` or `hooks` in the header Claude Code asks first, and refuses in `-p`."""
    meta = note.parse(pack.read(name), name).meta

    assert set(meta) <= {"license", "compatibility"}


def test_example_without_the_command_is_canonical() -> None:
    """The note that SKILL.md shows is, byte for byte, what `save` would write."""
    text = example_note()
    read = note.parse(text, "knowledge/feedback/ada-indents-with-tabs.md")

    assert note.format_note(read.name, read.description, read.body, {"type": read.type, **read.meta}) == text
    assert read.name == note.stem_of(read.path)


@pytest.mark.parametrize("kind", note.TYPES)
def test_note_template_is_canonical(kind: str) -> None:
    """The template of each type is read as a note of that type, the same by both readers."""
    name = f"templates/notes/{kind}.md"
    text = pack.read(name)
    read = note.parse(text, f"knowledge/{kind}/{kind}-name.md")

    assert (read.type, read.headed) == (kind, True)
    assert note.format_note(read.name, read.description, read.body, {"type": read.type, **read.meta}) == text
    assert note.skim(text, read.path) == read


@pytest.mark.parametrize("kind", ["feedback", "project"])
def test_template_of_a_rule_asks_for_its_reason(kind: str) -> None:
    """Feedback and project notes carry Why and How to apply."""
    body = note.parse(pack.read(f"templates/notes/{kind}.md"), "x.md").body

    assert "\n**Why:** " in body
    assert "\n**How to apply:** " in body


def test_skill_template_is_a_valid_skill(tmp_path: Path) -> None:
    """The form for a new skill passes the validator as it stands, slots and all."""
    folder = skill_folder("templates/notes/skill.md", tmp_path)
    validator = Path(sys.executable).with_name("agentskills")

    done = subprocess.run([validator, "validate", folder], capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr


def test_calls_that_the_skill_shows_work_as_shown(memory: Memory, tmp_path: Path) -> None:
    """Typed one after another into a shell, the examples of SKILL.md leave the notes that they name."""
    block = re.search(r"```sh\n(.*?)```", pack.read("SKILL.md"), re.DOTALL)
    assert block
    (tmp_path / "draft.md").write_text(pack.read("templates/notes/skill.md").replace("skill-name", "release"))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    done = subprocess.run(
        ["bash", "-euc", block.group(1)],
        cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    home = memory.tree.home
    tabs = (home / "knowledge/feedback/ada-indents-with-tabs.md").read_text()
    assert "Indent with tabs, in every language but YAML." in tabs
    assert "**Why:** her screen reader announces tabs as levels" in tabs
    assert "- Lives in Graz\n" in (home / "knowledge/user.md").read_text()
    assert "## User Preferences\n\n- Answers in German\n" in (home / "AGENTS.md").read_text()
    assert (home / "skills/release/SKILL.md").is_file()


def test_tree_kept_by_hand_is_a_tree(home: Path, tmp_path: Path) -> None:
    """What an agent writes without the command, as SKILL.md says, is found by the command later."""
    tree = home / ".memory-skill"
    shutil.copytree(pack.root() / "templates/tree", tree)
    place = tree / "knowledge/feedback/ada-indents-with-tabs.md"
    place.parent.mkdir(parents=True)
    place.write_text(example_note())
    (tree / "MEMORY.md").write_text(
        "- [Tabs](knowledge/feedback/ada-indents-with-tabs.md) — Ada indents with tabs\n"
    )
    git = ["git", "-c", "user.name=agent", "-c", "user.email=agent@localhost", "-C", str(tree)]
    for call in (["init", "-q"], ["add", "."], ["commit", "-qm", "save"]):
        subprocess.run([*git, *call], check=True)

    memory = Memory.open(cwd=tmp_path)
    memory.settle()

    assert place.read_text() == example_note()
    assert memory.recall("tabs or spaces for indents?").hits[0].name == "ada-indents-with-tabs"


@pytest.mark.parametrize("kind", note.TYPES)
def test_scope_table_is_what_save_does(kind: str, memory: Memory, home: Path, tmp_path: Path) -> None:
    """The scopes that SKILL.md promises for a type are those that a save gives it."""
    (row,) = re.findall(
        rf"^\| (?=[^|]*\b{kind}\b)[^|`]*\| ([^|]+) \| ([^|]+) \|$", pack.read("SKILL.md"), re.MULTILINE
    )
    inside = tmp_path / "engine"
    (inside / ".git").mkdir(parents=True)

    saved = [
        Memory.open(cwd=place).save(f"A statement about the engine, number {n}.", type=kind).scope
        for n, place in enumerate((inside, home))
    ]

    assert [scope.split(":")[0] for scope in saved] == [word.split()[-1] for word in row]
