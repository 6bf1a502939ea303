"""Whose lock it is: that of a live process is waited for, that of a dead one is taken away."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_skill import gitlocks

from .trees import git

HOLDING = "import sys; held = open(sys.argv[1], 'w'); print(flush=True); input()"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A repository with a lock on its index."""
    git(tmp_path, "init", "-q")
    (tmp_path / ".git" / "index.lock").touch()
    return tmp_path


@pytest.fixture
def lock(home: Path) -> Path:
    return home / ".git" / "index.lock"


@pytest.fixture
def owner(lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has the lock open."""
    asked = [sys.executable, "-c", HOLDING, str(lock)]
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline()
        yield process
        process.kill()


def test_who_has_it_open_owns_it(home: Path, lock: Path, owner: subprocess.Popen[bytes]) -> None:
    """While it lives, and no longer; another file of that process is not it."""
    other = lock.with_name("HEAD.lock")
    other.touch()

    assert gitlocks.is_owned(lock, home)
    assert not gitlocks.is_owned(other, home)
    owner.kill()
    owner.wait()
    assert not gitlocks.is_owned(lock, home)


def test_a_git_that_works_here_may_own_it(
    home: Path, lock: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It may have closed the file and hold the lock all the same; a git elsewhere does not."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    asked = ["git", "--git-dir", str(home / ".git"), "cat-file", "--batch-check"]
    for place, owned in ((home, True), (elsewhere, False)):
        with subprocess.Popen(asked, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin and process.stdout
            process.stdin.write(b"HEAD\n")
            process.stdin.flush()
            assert process.stdout.readline()
            assert gitlocks.is_owned(lock, home) is owned
            process.kill()


def test_lock_of_the_dead_goes_and_every_lock_is_found(home: Path, lock: Path) -> None:
    """Of the index, HEAD and a ref: all gone after the grace, well before the deadline."""
    (home / ".git" / "HEAD.lock").touch()
    (home / ".git" / "refs" / "heads" / "main.lock").touch()
    assert len(list(gitlocks.found(home / ".git"))) == 3

    began = time.monotonic()
    gitlocks.clear(home / ".git", began + 20)

    assert list(gitlocks.found(home / ".git")) == []
    assert time.monotonic() - began > gitlocks.GRACE_SECONDS


def test_lock_of_the_living_stays_until_the_deadline(
    home: Path, lock: Path, owner: subprocess.Popen[bytes]
) -> None:
    """Longer than the grace, and it is still theirs."""
    gitlocks.clear(home / ".git", time.monotonic() + gitlocks.GRACE_SECONDS + 0.3)
    assert lock.exists()


def test_where_nobody_tells_who_lives_every_lock_stays(
    home: Path, lock: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A system without /proc."""
    monkeypatch.setattr(gitlocks, "_PROC", tmp_path / "none")
    assert gitlocks.is_owned(lock, home)
