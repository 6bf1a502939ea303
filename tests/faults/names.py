"""Hostile names and links at every entrance (D12): nothing outside is touched, nothing gets into `.git`."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memory_skill.errors import MemorySkillError
from memory_skill.memory import Memory

from .trees import opened

SECRET = "the outside stays outside"
PATHS = (
    "../outside.md",
    "knowledge/../../outside.md",
    "/etc/outside.md",
    "~/outside.md",
    "C:/outside.md",
    "..\\outside.md",
    "knowledge\\..\\..\\outside.md",
    "knowledge//x.md",
    "./x.md",
    "",
    ".",
    "..",
    ".git/x.md",
    ".git/hooks/post-commit.md",
    ".GIT/x.md",
    "knowledge/.git/x.md",
    ".state/lock.md",
    "knowledge/.x.md",
    "knowledge/a\nb.md",
    "knowledge/a\0b.md",
    "knowledge/a:b.md",
    "knowledge/\udcff.md",
    "-x.md",
    "knowledge/" + "x" * 300 + ".md",
    "/".join("a" * 20) + ".md",
    "MEMORY.md",
    "config.toml",
    "inbox/x.md",
    "knowledge/linked.md",
    "knowledge/linked-folder/outside.md",
    "knowledge/dangling.md",
    "knowledge/to-git/x.md",
    "knowledge/fifo.md",
    "knowledge/folder.md",
    "skills/linked/SKILL.md",
    "knowledge/index-link.md",
)
ENTRANCES: dict[str, Callable[[Memory, str], object]] = {
    "save --to": lambda m, path: m.save("some text of mine", type="user", to=path),
    "save --name": lambda m, path: m.save("some text of mine", type="user", name=path),
    "edit": lambda m, path: m.edit(path, "", "some text of mine"),
    "edit old": lambda m, path: m.edit(path, SECRET, "some text of mine"),
    "forget": lambda m, path: m.forget(path),
    "edited hook": lambda m, path: _edited(m, path),
    "undo": lambda m, path: m.undo(path),
    "log": lambda m, path: m.log(path=path),
}


def _edited(memory: Memory, path: str) -> None:
    memory.sessions.edited(path, memory.sessions.read("claude-code", "s1"))
    memory.settle()


class Tried(NamedTuple):
    """One name at one entrance, and the error's code or "done"."""

    entrance: str
    path: str
    said: str


def hostile(home: Path) -> Path:
    """Put links, a FIFO and a folder with a note's name into the tree. Returns: the folder outside."""
    outside = home.parent / "outside"
    outside.mkdir()
    (outside / "outside.md").write_text(SECRET)
    (outside / "SKILL.md").write_text(SECRET)
    (home.parent / "outside.md").write_text(SECRET)
    knowledge = home / "knowledge"
    (knowledge / "linked.md").symlink_to(outside / "outside.md")
    (knowledge / "linked-folder").symlink_to(outside)
    (knowledge / "dangling.md").symlink_to(outside / "new.md")
    (knowledge / "to-git").symlink_to(home / ".git")
    (knowledge / "index-link.md").symlink_to(home / "MEMORY.md")
    (home / "skills" / "linked").symlink_to(outside)
    os.mkfifo(knowledge / "fifo.md")
    (knowledge / "folder.md").mkdir()
    return outside


def campaign(home: Path) -> Iterator[Tried]:
    """Every name at every entrance. Raises: AssertionError when anything outside was read or changed."""
    outside = hostile(home)
    before = _everything(outside, home)
    for entrance, call in ENTRANCES.items():
        for path in PATHS:
            memory = opened(home)
            try:
                call(memory, path)
                said = "done"
            except (MemorySkillError, ValueError) as error:
                said = getattr(error, "code", "value")
            assert _everything(outside, home) == before, f"{entrance} {path!r} changed something outside"
            yield Tried(entrance, path, said)
    _nothing_read(opened(home))


def _everything(outside: Path, home: Path) -> dict[str, bytes]:
    git = [path for path in (home / ".git").iterdir() if path.suffix == ".md" or path.name == "config"]
    hooks = list((home / ".git" / "hooks").glob("*"))
    files = [*outside.iterdir(), home.parent / "outside.md", *git, *hooks]
    return {str(path): path.read_bytes() for path in files}


def _nothing_read(memory: Memory) -> None:
    memory.settle()
    memory.rebuild_search()
    assert memory.recall(SECRET, scope="all").hits == ()
    assert SECRET not in memory.context().text
    inside = [path for path in memory.tree.home.rglob("*") if path.is_file() and not path.is_symlink()]
    held = [path for path in inside if SECRET.encode() in path.read_bytes() and "outside" not in path.parts]
    assert not held, f"read from outside: {held}"


def races(home: Path, times: int) -> int:
    """Swap a folder for a link to outside while it is in use. Returns: how often that was refused."""
    outside = hostile(home)
    memory, refused = opened(home), 0
    real, away = home / "knowledge" / "user", home / "knowledge" / "user.away"
    memory.save("the first of its folder", type="user")
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError):
                real.rename(away)
                real.symlink_to(outside)
            with contextlib.suppress(OSError):
                real.unlink()
                away.rename(real)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for n in range(times):
            try:
                if n % 2:
                    memory.tree.write(f"knowledge/user/race-{n}.md", b"mine")
                else:
                    data = memory.tree.read("knowledge/user/outside.md")
                    assert SECRET.encode() not in data, "read outside"
            except MemorySkillError:
                refused += 1
    finally:
        stop.set()
        swapper.join()
    assert sorted(path.name for path in outside.iterdir()) == ["SKILL.md", "outside.md"], "written outside"
    return refused
