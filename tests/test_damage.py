"""What is left of a note after a power cut, a merge or a sync: set aside, not read, not committed."""

from __future__ import annotations

import subprocess

import pytest

from memory_skill.damage import damage_of
from memory_skill.memory import Memory

from .trees import git, put, read

CONFLICT = "one\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\ntwo\n"
DAMAGED = {
    "holds no text": b"",
    "holds only NUL bytes": b"\0" * 200,
    "holds NUL bytes": b"Ada indents with tabs\n" + b"\0" * 50,
    "holds the marks of a merge conflict": CONFLICT.encode(),
    "is not UTF-8": b"Ada indents with \xff\xfe tabs\n",
}
COPIES = [
    "knowledge/user.sync-conflict-20261130-210315-ABCDEFG.md",
    "knowledge/user (Ada's conflicted copy 2026-11-30).md",
    "knowledge/user (conflicted copy 2026-11-30 210315).md",
    "knowledge/user (Conflict Copy).md",
]
WHOLE = [
    "A note on git:\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> other\n```\n",
    "Conflicts begin with `<<<<<<< HEAD`.\n\n<<<<<<< that is how\n",
    "Title\n=======\n\nText\n",
    "漢字 and ümlauts\n",
]


@pytest.mark.parametrize(("reason", "raw"), DAMAGED.items())
def test_g08_g09_damaged_note_is_named_and_comes_back_by_one_command(
    memory: Memory, reason: str, raw: bytes
) -> None:
    """Its index line stays, git keeps its good text, and the command that the report names restores it."""
    saved = memory.save("Ada indents with tabs", type="user").address or ""
    other = memory.save("Bob likes blanks", type="user").address or ""
    good = read(memory, saved)
    put(memory, saved, raw)

    settled = memory.settle()

    assert [path for path, _ in settled.damaged] == [saved]
    assert settled.damaged[0][1].startswith(reason)
    assert git(memory.tree.home, "show", f"HEAD:{saved}") == good
    assert saved in read(memory, "MEMORY.md")
    assert [hit.address for hit in memory.recall("what does Bob like?").hits] == [other]
    command = settled.damaged[0][1].partition("comes back with: ")[2]
    subprocess.run(command, shell=True, check=True, capture_output=True)
    assert read(memory, saved) == good
    assert memory.settle().damaged == ()
    assert [hit.address for hit in memory.recall("how does Ada indent?").hits] == [saved]


def test_l15_half_of_a_conflict_is_not_recalled(memory: Memory) -> None:
    """Neither side of a conflict is taken for what somebody said, before it is settled and after."""
    saved = memory.save("Ada indents with tabs", type="user").address or ""
    put(memory, saved, f"Ada indents with tabs\n{CONFLICT}")

    assert memory.recall("how does Ada indent?").hits == ()
    memory.settle()
    assert memory.recall("how does Ada indent?").hits == ()


@pytest.mark.parametrize("copy", COPIES)
def test_l15_conflict_copy_is_no_second_memory(memory: Memory, copy: str) -> None:
    """A copy that a sync program left is named, and neither indexed, recalled nor committed."""
    memory.edit("knowledge/user.md", "", "Ada indents with tabs")
    put(memory, copy, "- Ada indents with blanks\n")

    settled = memory.settle()

    assert [path for path, _ in settled.damaged] == [copy]
    assert "delete the copy" in settled.damaged[0][1]
    assert "conflict" not in read(memory, "MEMORY.md").lower()
    hits = memory.recall("how does Ada indent?").hits
    assert [hit.address.partition("#")[0] for hit in hits] == ["knowledge/user.md"]
    assert git(memory.tree.home, "ls-files", "--", copy) == ""


@pytest.mark.parametrize("text", WHOLE)
def test_text_about_conflicts_is_a_note(text: str) -> None:
    """A note that shows conflict marks as code, or underlines a title, is whole."""
    assert damage_of(text.encode(), "knowledge/lesson/git.md") is None
