"""File systems that lack what the write path likes: hard links, or names that differ in case."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_skill import tree as module
from memory_skill.errors import Conflict
from memory_skill.memory import Memory
from memory_skill.tree import ABSENT, digest
from tests.trees import put, read

from .kills import Case
from .trees import BY_NAME, check_order, check_texts, opened


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on FAT or some network drives: a hard link is not permitted."""

    def refused(*args: Any, **more: Any) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)


@pytest.fixture
def folding(monkeypatch: pytest.MonkeyPatch, no_links: None) -> Iterator[None]:
    """As on FAT, NTFS and APFS: a name that differs from another in case alone is that other's."""

    def named(path: Any, dir_fd: int | None) -> Any:
        if isinstance(path, int):
            return path
        folder, _, name = os.fspath(path).rpartition("/")
        try:
            there = os.listdir(folder or dir_fd or ".")  # noqa: PTH208
        except OSError:
            return path
        same = next((one for one in there if one.casefold() == name.casefold()), name)
        return f"{folder}/{same}" if folder else same

    def one_path(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda path, *args, **more: real(named(path, more.get("dir_fd")), *args, **more)

    def two_paths(real: Callable[..., Any]) -> Callable[..., Any]:
        return lambda path, to, **more: real(path, named(to, more.get("dst_dir_fd")), **more)

    for name in ("open", "stat", "lstat", "unlink", "mkdir"):
        monkeypatch.setattr(os, name, one_path(getattr(os, name)))
    for name in ("replace", "rename"):
        monkeypatch.setattr(os, name, two_paths(getattr(os, name)))
    yield


@pytest.mark.parametrize("name", BY_NAME)
def test_every_operation_works_without_hard_links(
    name: str, source: Path, place: Path, no_links: None
) -> None:
    """It is done as it is anywhere, and leaves the tree in order."""
    case = Case(BY_NAME[name], source, place)
    home = case.copy()

    case.operation.do(opened(home))

    assert case.operation.holds(opened(home).tree)
    check_texts(case.before, home, case.operation, case.after)
    memory = opened(home)
    memory.settle()
    check_order(memory)


def test_new_note_replaces_nothing_without_hard_links(memory: Memory, no_links: None) -> None:
    """What is there keeps its bytes: the name is looked at before it is taken, no scratch file is left."""
    mine = put(memory, "knowledge/user.md", "by hand\n")

    with pytest.raises(Conflict):
        memory.tree.write("knowledge/user.md", b"mine", ABSENT)

    assert mine.read_text() == "by hand\n"
    assert list((memory.tree.state / "tmp").iterdir()) == []


def test_name_that_appears_at_the_last_moment_is_kept(
    memory: Memory, no_links: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor makes the file after the first look: the second look, just before the rename, sees it."""
    real, looks = module._digest_at, list[str]()

    def late(folder: int | None, name: str) -> str:
        looks.append(name)
        if len(looks) == 2:
            put(memory, "knowledge/user.md", "by hand\n")
        return real(folder, name)

    monkeypatch.setattr(module, "_digest_at", late)

    with pytest.raises(Conflict):
        memory.tree.write("knowledge/user.md", b"mine", ABSENT)

    assert read(memory, "knowledge/user.md") == "by hand\n"


def test_g56_names_that_differ_in_case_lose_no_text_where_they_are_one(memory: Memory, folding: None) -> None:
    """A name in other letters is taken: a title gets a number, a path is a conflict, no text changes."""
    first = memory.save("Ada indents with tabs", type="user", name="Tabs")
    second = memory.save("Bob likes blanks", type="user", name="tabs")
    with pytest.raises(Conflict):
        memory.save("Carla reads novels", type="user", to="knowledge/user/TABS.md")
    with pytest.raises(Conflict):
        memory.tree.write("knowledge/user/Tabs.md", b"mine", ABSENT)
    with pytest.raises(Conflict):
        memory.tree.write("knowledge/user/TABS.md", b"mine", digest(b"something else"))

    assert (first.outcome, second.outcome) == ("saved", "saved")
    names = [path.name for path in (memory.tree.home / "knowledge" / "user").iterdir()]
    assert sorted(name.casefold() for name in names) == ["tabs-2.md", "tabs.md"]
    assert "Ada indents with tabs" in read(memory, first.address or "")
    assert "Bob likes blanks" in read(memory, second.address or "")
