"""What the documents show is what the code reads, writes and offers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_skill import journal, note

ROOT = Path(__file__).resolve().parent.parent


def fenced(name: str, language: str, number: int = 0) -> str:
    """The text of one fenced block of a document."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[number]


def test_note_in_the_format_is_canonical() -> None:
    """The note that docs/format.md shows is, byte for byte, what the code writes."""
    text = fenced("docs/format.md", "markdown")
    read = note.parse(text, "knowledge/feedback/prefers-tabs.md")

    assert note.format_note(read.name, read.description, read.body, {"type": read.type, **read.meta}) == text


def test_journal_in_the_format_is_read_and_written_alike() -> None:
    """The day that docs/format.md shows is one turn, and writing that turn gives the same text."""
    text = fenced("docs/format.md", "markdown", 2)
    (turn,) = journal.parse(text)

    assert text == f"# {turn.time[:10]}\n\n{journal.format_turn(turn)}"


@pytest.mark.parametrize("value", [*note.TYPES, *note.SOURCES])
def test_format_names_every_type_and_source(value: str) -> None:
    """No type and no source exists that docs/format.md does not name."""
    assert f"`{value}`" in (ROOT / "docs/format.md").read_text(encoding="utf-8")


def test_readme_commands_stand_as_they_are_run() -> None:
    """CI runs the two lines of the README that it finds by their ends."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    install = "python3 -m venv .venv && .venv/bin/pip install -q"

    assert f"{install} . && .venv/bin/memory-skill demo" in lines
    assert f"{install} -e '.[test]' && .venv/bin/python -m pytest -q" in lines


def test_links_between_documents_lead_somewhere() -> None:
    """A relative link in a document of the repository names a file that is there."""
    broken = []
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", document.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
            if not (document.parent / target).exists():
                broken.append(f"{document.name}: {target}")

    assert broken == []
