"""SKILL.md and the skills and notes of the templates are what hosts, validators and our own reader accept."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memory_skill import note, pack

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
