"""The folder: what may be touched in it, writes that are whole, the lock, the walk."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memory_skill import tree as module
from memory_skill.errors import Conflict, DiskTrouble, Locked, NotFound, PathRefused
from memory_skill.tree import ABSENT, MAX_FILE, Tree, digest, flock, write_atomic

HOSTILE = [
    "../outside.md",
    "knowledge/../../outside.md",
    "/etc/passwd",
    "~/x.md",
    "C:/x.md",
    "..\\x.md",
    "knowledge\\..\\..\\x.md",
    "knowledge//x.md",
    "knowledge/./x.md",
    "",
    ".",
    "..",
    "knowledge/",
    ".git/config",
    ".git/hooks/post-commit.md",
    "knowledge/.git/x.md",
    ".state/lock",
    "knowledge/.hidden.md",
    ".GIT/config",
    "knowledge/a\nb.md",
    "knowledge/a\x00b.md",
    "knowledge/a:b.md",
    "knowledge/a|b.md",
    "knowledge/\udcff.md",
    "knowledge/" + "x" * 300 + ".md",
    "/".join("a" * 20) + ".md",
]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("rel", HOSTILE)
def test_path_that_leads_out_or_into_the_machinery_is_refused(tree: Tree, rel: str) -> None:
    """Absolute, dotted, hidden, endless and unspeakable paths are refused by every call, with exit code 5."""
    calls = (tree.path, tree.read, tree.remove, lambda p: tree.write(p, b"x"), lambda p: tree.move(p, "a.md"))
    for call in calls:
        with pytest.raises(PathRefused) as caught:
            call(rel)
        assert (caught.value.exit, caught.value.rule) == (5, "path")
    assert list(tree.home.iterdir()) == []


def test_link_is_not_read_and_not_written(tree: Tree, tmp_path: Path) -> None:
    """A link that is the note, beside a guarded file or to outside, is refused; its target stays (G68)."""
    target = tmp_path / "secret.md"
    target.write_text("outside")
    (tree.home / "knowledge").mkdir()
    (tree.home / "knowledge" / "x.md").symlink_to(target)

    for call in (tree.read, tree.remove, lambda p: tree.write(p, b"x")):
        with pytest.raises(PathRefused, match="is a link"):
            call("knowledge/x.md")
    assert target.read_text() == "outside"


def test_folder_that_is_a_link_is_not_entered(tree: Tree, tmp_path: Path) -> None:
    """A folder on the way that leads out stops reads, writes and the walk (G69)."""
    (tmp_path / "x.md").write_text("outside")
    (tree.home / "knowledge").symlink_to(tmp_path)

    with pytest.raises(PathRefused):
        tree.read("knowledge/x.md")
    with pytest.raises(PathRefused):
        tree.write("knowledge/new/y.md", b"x")
    assert list(tree.walk()) == []
    assert [p.name for p in tmp_path.iterdir()] == ["x.md"]


def test_home_below_a_link_is_a_rightful_root(tmp_path: Path) -> None:
    """A tree whose own way leads through a link works like any other (G70)."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    tree = Tree(tmp_path / "link" / "memory")

    tree.write("knowledge/x.md", b"text")

    assert tree.read("knowledge/x.md") == b"text"
    assert [s.path for s in tree.walk()] == ["knowledge/x.md"]


def test_what_is_no_regular_file_is_refused_at_once(tree: Tree) -> None:
    """A FIFO, a socket, a folder called x.md and a file used as a folder are refused without a wait (L10)."""
    folder = tree.home / "knowledge"
    folder.mkdir()
    os.mkfifo(folder / "fifo.md")
    (folder / "folder.md").mkdir()
    (folder / "file.md").write_text("x")
    os.chdir(folder)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.md")

        for name in ("fifo.md", "folder.md", "socket.md", "file.md/x.md"):
            with pytest.raises(PathRefused):
                tree.read(f"knowledge/{name}")
            with pytest.raises(PathRefused):
                tree.write(f"knowledge/{name}", b"x")
        assert [s.path for s in tree.walk()] == ["knowledge/file.md"]


def test_huge_file_is_never_read_whole(tree: Tree) -> None:
    """A file over the limit is refused after reading at most that much (L10)."""
    (tree.home / "big.md").write_bytes(b"x" * MAX_FILE)
    assert len(tree.read("big.md")) == MAX_FILE
    os.truncate(tree.home / "big.md", 500_000_000)  # sparse: it takes no room

    with pytest.raises(PathRefused, match="is over"):
        tree.read("big.md")


def test_missing_file_is_not_found(tree: Tree) -> None:
    """Reading what is not there has its own error, and its own quiet form."""
    with pytest.raises(NotFound):
        tree.read("knowledge/x.md")
    assert tree.read_or_none("knowledge/x.md") is None


def test_write_replaces_the_whole_file(tree: Tree) -> None:
    """The bytes are exactly those given, the mode is kept, and nothing is left beside the file."""
    tree.write("knowledge/x.md", b"one two three\r\n")
    (tree.home / "knowledge" / "x.md").chmod(0o600)

    tree.write("knowledge/x.md", b"four")

    assert tree.read("knowledge/x.md") == b"four"
    assert (tree.home / "knowledge" / "x.md").stat().st_mode & 0o777 == 0o600
    assert names(tree.home / "knowledge") == ["x.md"]


def test_stale_write_is_refused(tree: Tree) -> None:
    """A writer that read another version, or expects no file, does not overwrite what is there (G02, G03)."""
    tree.write("a.md", b"one", ABSENT)
    seen = digest(tree.read("a.md"))
    (tree.home / "a.md").write_bytes(b"by hand")

    for expected in (seen, ABSENT):
        with pytest.raises(Conflict) as caught:
            tree.write("a.md", b"two", expected)
        assert caught.value.exit == 6
    with pytest.raises(Conflict):
        tree.write("b.md", b"two", seen)
    assert tree.read("a.md") == b"by hand"


def test_failed_write_leaves_the_old_file_and_no_litter(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk or a failing sync: existing bytes stay, the temporary file goes (G11)."""
    tree.write("a.md", b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module.os, "fsync", full)
    with pytest.raises(DiskTrouble, match="No space left"):
        tree.write("a.md", b"new")

    assert (tree.home / "a.md").read_bytes() == b"old"
    assert names(tree.home) == [".state", "a.md"]
    assert names(tree.state / "tmp") == []


def test_longest_name_can_be_written(tree: Tree) -> None:
    """A name at the limit of bytes still leaves room for the temporary file beside it (L08)."""
    name = "漢" * 79 + ".md"

    tree.write(f"knowledge/{name}", b"x")

    assert names(tree.home / "knowledge") == [name]


def test_remove_takes_empty_folders_along(tree: Tree) -> None:
    """The folders that a removal leaves empty go, the tree's own stay; a missing file is no error."""
    tree.write("knowledge/projects/acme/x.md", b"x")
    tree.write("knowledge/user.md", b"x")

    tree.remove("knowledge/projects/acme/x.md")
    tree.remove("knowledge/user.md")
    tree.remove("knowledge/user.md")

    assert names(tree.home) == [".state", "knowledge"]
    assert names(tree.home / "knowledge") == []


def test_move_does_not_overwrite(tree: Tree) -> None:
    """A move to a taken name is a conflict; to a free one the bytes go along."""
    tree.write("a.md", b"a")
    tree.write("knowledge/b.md", b"b")

    with pytest.raises(Conflict):
        tree.move("a.md", "knowledge/b.md")
    tree.move("a.md", "knowledge/feedback/a.md")

    assert tree.read("knowledge/feedback/a.md") == b"a"
    assert tree.read_or_none("a.md") is None


def test_walk_yields_notes_and_no_litter(tree: Tree) -> None:
    """Swap files, backups, hidden files, index files and nested repositories are no notes (L12)."""
    notes = [
        "knowledge/user.md",
        "knowledge/projects/a/x.md",
        "skills/s/SKILL.md",
        "summaries/2026/11-30-a.md",
    ]
    litter = [
        "knowledge/.user.md.swp",
        "knowledge/user.md~",
        "knowledge/4913",
        "knowledge/.#user.md",
        "knowledge/#user.md#",
        "knowledge/.hidden/x.md",
        "knowledge/x.txt",
        "knowledge/projects/a/MEMORY.md",
        "knowledge/.user.md.123.abc.tmp",
        "skills/s/reference.md",
        "skills/README.md",
        "inbox/x.md",
        "archive/x.md",
        "AGENTS.md",
        "loose.md",
        "knowledge/sub/.git/HEAD",
        "knowledge/sub/x.md",
        "knowledge/linked/.git",
        "knowledge/linked/x.md",
    ]
    for rel in [*notes, *litter]:
        path = tree.home / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")

    assert sorted(s.path for s in tree.walk()) == sorted(notes)
    assert [s.path for s in tree.loose()] == ["loose.md"]
    assert [s.path for s in tree.walk("inbox")] == ["inbox/x.md"]


def test_walk_skips_folders_when_told(tree: Tree) -> None:
    """A caller can leave out whole folders."""
    tree.write("knowledge/projects/a/x.md", b"x")
    tree.write("knowledge/y.md", b"y")

    found = tree.walk("knowledge", skip=frozenset({"knowledge/projects"}))

    assert [s.path for s in found] == ["knowledge/y.md"]


def test_lock_is_for_one(tree: Tree) -> None:
    """A second process is told after its time that another holds the lock, with exit code 6."""
    code = "import sys; from pathlib import Path; from memory_skill.tree import Tree\n"
    code += f"with Tree(Path({str(tree.home)!r})).lock(): print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(Locked) as caught, tree.lock(timeout=0.01):
            raise AssertionError("two hold the lock")
        assert caught.value.exit == 6
        other.kill()
    with tree.lock(timeout=5):
        """The kernel dropped the lock with the process: none is ever stale."""


def test_lock_does_not_pass_to_children(tmp_path: Path) -> None:
    """A program started while the lock is held does not keep it (git, an editor)."""
    with flock(tmp_path / "lock"):
        child = subprocess.Popen(["sleep", "60"], close_fds=False)
    try:
        with flock(tmp_path / "lock", timeout=0.5):
            pass
    finally:
        child.kill()
        child.wait()


def test_write_atomic_makes_a_new_file_readable(tmp_path: Path) -> None:
    """A new file may be read by everybody who may read the folder, and written by its owner."""
    write_atomic(tmp_path / "x", b"data")

    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "x").read_bytes() == b"data"
