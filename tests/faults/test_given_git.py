"""The given faults of the kinds git and path, by number: the text is saved, its commit made or due."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_skill import history
from memory_skill.errors import PathRefused
from memory_skill.memory import Memory
from tests.trees import git, put, read, subjects

from .trees import check_order, opened


def is_saved(memory: Memory) -> tuple[bool, str]:
    """Save one more note. Returns: whether it was committed, and the hint; it is on disk and recalled."""
    saved = memory.save("Bob likes blanks", type="user")
    assert saved.outcome == "saved"
    assert "Bob likes blanks" in read(memory, saved.address or "")
    assert memory.recall("what does Bob like?").hits[0].address == saved.address
    return saved.commit is not None, saved.hint or ""


def test_g45_lock_of_nobody_is_cleared_and_that_of_a_live_git_is_not(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saved both times; the first is committed, the second due until its owner lets go."""
    lock = memory.tree.home / ".git" / "index.lock"
    lock.write_bytes(b"")
    assert is_saved(memory)[0] and not lock.exists()

    monkeypatch.setattr(history, "LOCK_PATIENCE", 0.3)
    holding = "import sys; held = open(sys.argv[1], 'w'); print(flush=True); input()"
    asked = [sys.executable, "-c", holding, str(lock)]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as owner:
        assert owner.stdout and owner.stdout.readline()
        saved = memory.save("Carla reads novels", type="user")
        owner.kill()
    assert saved.outcome == "saved" and saved.commit is None and "lock" in (saved.hint or "")
    assert lock.exists()
    lock.unlink()
    memory.settle()
    check_order(memory)


def test_g46_looking_never_takes_gits_lock(memory: Memory) -> None:
    """While another git adds and commits in the tree, forty looks at it make none of its calls fail."""
    asked = [sys.executable, "-c", _LOOK, str(memory.tree.home)]
    looker = subprocess.Popen(asked, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    for n in range(15):
        put(memory, "mine.txt", f"{n}\n")
        git(memory.tree.home, "add", "mine.txt")
        git(memory.tree.home, "commit", "-qm", f"mine {n}")
    looker.communicate(timeout=60)
    assert looker.returncode == 0


_LOOK = """
import sys, pathlib
from memory_skill import Memory
for _ in range(10):
    memory = Memory.open(pathlib.Path(sys.argv[1]))
    memory.status(), memory.writer.history.dirty(), memory.log(), memory.recall("what is there?")
"""


@pytest.fixture
def worktree(tmp_path: Path) -> tuple[Path, Path]:
    """A repository and a linked worktree of it."""
    main, linked = tmp_path / "shop", tmp_path / "shop-branch"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", str(linked))
    return main, linked


def test_g47_g48_what_a_worktree_saves_outlives_it(memory: Memory, worktree: tuple[Path, Path]) -> None:
    """Saved from a folder of a worktree that is then removed: found from the main checkout."""
    main, linked = worktree
    (linked / "sub").mkdir()
    saved = Memory.open(cwd=linked / "sub").save("The shop closes at six", type="project")
    assert git(linked, "status", "--porcelain") == git(main, "status", "--porcelain") == ""

    git(main, "worktree", "remove", "--force", str(linked))

    assert Memory.open(cwd=main).recall("when does the shop close?").hits[0].address == saved.address


@pytest.mark.parametrize("hook", ["exit 1", "sleep 60"])
def test_g49_g50_g51_signing_and_hooks_of_the_user_hold_nothing_up(
    memory: Memory, home: Path, tmp_path: Path, hook: str
) -> None:
    """Signing without a key and a hook that fails or hangs: committed, in the memory's repository alone."""
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text(f"#!/bin/sh\n{hook}\n")
    (hooks / "pre-commit").chmod(0o755)
    signing = "[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = /bin/false\n"
    (home / ".gitconfig").write_text(f"{signing}[core]\n\thooksPath = {hooks}\n")

    assert is_saved(memory) == (True, "")


def _rebase(git_folder: Path) -> None:
    (git_folder / "rebase-merge").mkdir()


def _merge(git_folder: Path) -> None:
    (git_folder / "MERGE_HEAD").write_text((git_folder / "refs/heads/main").read_text())


@pytest.mark.parametrize("begin", [_rebase, _merge])
def test_g52_nothing_is_committed_into_a_half_done_merge(
    memory: Memory, begin: Callable[[Path], None]
) -> None:
    """Saves go to disk and say why there is no commit; afterwards it is made under its own name."""
    git_folder = memory.tree.home / ".git"
    begin(git_folder)
    before = git(memory.tree.home, "rev-parse", "HEAD")

    committed, hint = is_saved(memory)

    assert not committed and "in the middle of a" in hint
    assert git(memory.tree.home, "rev-parse", "HEAD") == before
    assert memory.status().pending == 1
    shutil.rmtree(git_folder / "rebase-merge", ignore_errors=True)
    (git_folder / "MERGE_HEAD").unlink(missing_ok=True)
    memory.settle()
    assert "save knowledge/user/bob-likes-blanks.md" in subjects(memory)
    check_order(memory)


def test_g53_a_leftover_is_no_rebase(memory: Memory) -> None:
    """REBASE_HEAD alone: committed."""
    (memory.tree.home / ".git" / "REBASE_HEAD").write_text("0" * 40 + "\n")
    assert is_saved(memory) == (True, "")


def _detached(home: Path) -> None:
    git(home, "checkout", "-q", "--detach")


def _no_branch(home: Path) -> None:
    (home / ".git" / "refs" / "heads" / "main").unlink()


def _bare(home: Path) -> None:
    git(home, "config", "core.bare", "true")


def _foreign(home: Path) -> None:
    if os.getuid():
        pytest.skip("only root may give a folder away")
    for path in [home, home / ".git", *(home / ".git").rglob("*")]:
        os.chown(path, 12345, 12345)


def _shallow(home: Path) -> None:
    git(home, "commit", "-q", "--allow-empty", "-m", "second")
    (home / ".git" / "shallow").write_text(git(home, "rev-parse", "HEAD"))


def _no_git(home: Path) -> None:
    shutil.rmtree(home / ".git")


@pytest.mark.parametrize("spoil", [_detached, _no_branch, _bare, _foreign, _shallow, _no_git])
def test_l03_text_is_saved_in_whatever_state_git_is(memory: Memory, spoil: Callable[[Path], None]) -> None:
    """Detached, without its branch, bare, of another owner, shallow, gone: committed, or said why not."""
    spoil(memory.tree.home)

    committed, hint = is_saved(memory)

    assert committed or "not committed (" in hint
    assert committed == (spoil in (_no_branch, _shallow))
    assert memory.status().pending == (0 if committed else 1)


def test_l04_repositories_inside_and_around_do_not_hinder(memory: Memory, tmp_path: Path) -> None:
    """An empty repository inside is passed over; a tree inside a repository commits to its own."""
    inner = memory.tree.home / "knowledge" / "reference" / "vendored"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    (inner / "x.md").write_text("not ours\n")
    assert is_saved(memory)[0]
    assert memory.settle().warning is None
    assert "vendored" not in git(memory.tree.home, "ls-files")

    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    nested = opened(outer / "memory")
    nested.init()
    assert is_saved(nested)[0]
    assert git(outer, "log", "--oneline", "--all") == ""


def test_l05_nameless_read_only_and_without_git(memory: Memory, home: Path, tmp_path: Path) -> None:
    """No user.name and a home that cannot be written: a name of ours. No git at all: the text is saved."""
    assert is_saved(memory)[0]
    assert git(memory.tree.home, "log", "-1", "--format=%an").strip()
    env = {"HOME": os.fspath(home), "PATH": os.fspath(tmp_path)}
    asked = [sys.executable, "-m", "memory_skill", "save", "Carla reads novels", "--type", "user"]
    ran = subprocess.run(asked, env=env, capture_output=True, text=True)

    assert ran.returncode == 0 and "not committed" in ran.stderr
    assert memory.recall("what does Carla read?").hits


def test_g70_root_through_a_link(home: Path, tmp_path: Path) -> None:
    """A link to a place that is not there is refused; a tree below a linked home works."""
    outside = tmp_path / "outside"
    (tmp_path / "mem").symlink_to(outside)
    with pytest.raises(PathRefused):
        opened(tmp_path / "mem").init()
    assert not outside.exists()

    (tmp_path / "real").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    memory = opened(tmp_path / "linked" / "memory")
    memory.init()
    assert is_saved(memory)[0]


def test_g12_disk_that_is_full_for_git_alone_loses_no_text(memory: Memory, tmp_path: Path) -> None:
    """Git cannot write: the text is saved, no lock is left, the commit comes when there is room."""
    folder = tmp_path / "bin"
    folder.mkdir()
    real = shutil.which("git")
    (folder / "git").write_text(f'#!/bin/sh\nulimit -f 0\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        committed, hint = is_saved(memory)

    assert not committed and "not committed" in hint
    memory.settle()
    assert "save knowledge/user/bob-likes-blanks.md" in subjects(memory)
    check_order(memory)


def test_g48_folder_that_was_deleted_under_a_session_stops_no_verb(memory: Memory, tmp_path: Path) -> None:
    """A worktree is removed while a shell stands in it: the verbs work as anywhere else."""
    gone = tmp_path / "gone"
    gone.mkdir()
    verbs = ("save 'Ada indents with tabs' --type user", "recall 'how does Ada indent?'", "list", "settle")
    script = " && ".join(["rmdir ../gone", *(f'"$0" -m memory_skill {words}' for words in verbs)])

    ran = subprocess.run(["sh", "-c", script, sys.executable], cwd=gone, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    assert "Ada indents with tabs" in ran.stdout
