"""Bad input (D6): one bad note among a thousand, and notes as heavy as a note may be."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_skill.memory import Memory
from memory_skill.tree import MAX_FILE
from tests.trees import put, read

from . import heavy
from .trees import opened, sentence

BAD = "knowledge/reference/bad.md"
BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_FILE + 1)


KINDS: dict[str, bytes | Callable[[Path], None]] = {
    "empty": b"",
    "NUL bytes": b"\0" * 300,
    "no UTF-8": b"---\nname: x\n---\n\xff\xfe\n",
    "bomb": f"---\n{BOMB}---\nbody\n".encode(),
    "Python tag": b"---\nx: !!python/object/apply:os.system [id]\n---\nbody\n",
    "conflict": b"<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n",
    "one line": b"x" * MAX_FILE,
    "FIFO": _fifo,
    "folder": _folder,
    "too large": _huge,
}


@pytest.fixture(scope="module")
def thousand(work: Path) -> Memory:
    """A tree of 999 notes, settled."""
    memory = opened(work / "thousand" / "memory")
    memory.init()
    for n in range(999):
        put(memory, f"knowledge/reference/n{n:03}.md", sentence(f"n{n}x") + "\n")
    memory.settle()
    return memory


@pytest.mark.parametrize("kind", KINDS)
def test_one_bad_note_of_a_thousand_leaves_999(thousand: Memory, kind: str) -> None:
    """Whatever it is, the others are in the search index, counted in MEMORY.md, and found."""
    bad, path = KINDS[kind], thousand.tree.home / BAD
    if isinstance(bad, bytes):
        path.write_bytes(bad)
    else:
        bad(path)
    try:
        thousand.settle()
        others = [one for one in thousand.writer.search.manifest() if one.startswith("knowledge/reference/n")]
        found = thousand.recall("what does token n500x mean?")
        index = read(thousand, "MEMORY.md")
    finally:
        path.rmdir() if path.is_dir() else path.unlink()

    assert len(others) == 999
    assert found.hits[0].address == "knowledge/reference/n500.md"
    shown = int(index.rpartition("Shown ")[2].partition(" of ")[2].partition(";")[0])
    assert shown in (1001, 1002)  # with the two skills that `init` brings, and the bad one if it is a note


def test_heaviest_notes_take_little_memory() -> None:
    """Two megabytes of what a parser may stumble over: read or refused within 64 MB."""
    found = heavy.campaign(seed=1, times=8)

    assert len(found) == 8
    assert max(one.mb for one in found) <= heavy.MAX_MB
