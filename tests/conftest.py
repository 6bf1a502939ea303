"""The guard of the whole suite: no test reads or writes the home of the person who runs it.

Each test gets a scratch `HOME`, and an environment without the variables that steer this package, git or
a host. An audit hook makes an open, a listing or a change below the real home's own settings an error, for
the case that code finds the real home without `HOME` (the password file, a constant, an absolute path).
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from memory_skill.memory import Memory
    from memory_skill.tree import Tree

REAL_HOME = Path.home()
"""Resolved at import, before the guard: `tests/hosts/clients.py` needs it to find the cache of clients."""

PRIVATE = frozenset(
    {".memory-skill", ".claude", ".claude.json", ".kimi-code", ".kimi", ".agents", ".gitconfig", ".config"}
)
"""What no test may touch below the real home."""

STEERING = ("MEMORY_SKILL_", "CLAUDE", "KIMI", "ANTHROPIC_", "GIT_", "XDG_")
"""Prefixes of the variables that a test must not inherit; the last sends `~/.config` elsewhere."""

KEPT = ("MEMORY_SKILL_TEST_CLIENTS",)
"""Where a person keeps the clients for `tests/hosts`; the package itself does not read it."""

WATCHED = frozenset(
    {"open", "os.listdir", "os.scandir", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "sqlite3.connect"}
)

_ROOT = os.fspath(REAL_HOME) + os.sep


class RealHomeTouched(AssertionError):
    """A test reached for the settings of the person who runs it."""


def _audit(event: str, args: tuple[object, ...]) -> None:
    if event not in WATCHED or not args or not isinstance(args[0], str | bytes | os.PathLike):
        return
    path = os.fsdecode(args[0])
    if path.startswith(_ROOT) and PRIVATE.intersection(Path(path[len(_ROOT) :]).parts[:1]):
        raise RealHomeTouched(f"{event} {path}: a test must stay in its scratch home")


def pytest_configure(config: pytest.Config) -> None:
    sys.addaudithook(_audit)  # cannot be taken back, so it is set once


def _clean_environment(patch: pytest.MonkeyPatch, home: Path) -> None:
    for name in os.environ:
        if name.startswith(STEERING) and name not in KEPT:
            patch.delenv(name)
    patch.setenv("HOME", os.fspath(home))


@pytest.fixture(scope="session", autouse=True)
def _guarded_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The same for fixtures of a wider scope, which are made before any test's own home."""
    with pytest.MonkeyPatch.context() as patch:
        _clean_environment(patch, tmp_path_factory.mktemp("session-home"))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty scratch home, beside `tmp_path` and not inside it; `HOME` names it."""
    folder = tmp_path_factory.mktemp("home")
    _clean_environment(monkeypatch, folder)
    return folder


@pytest.fixture
def tree(home: Path) -> Tree:
    """The tree of the scratch home: an empty folder, not yet a repository."""
    from memory_skill.tree import Tree

    (home / ".memory-skill").mkdir()
    return Tree(home / ".memory-skill")


@pytest.fixture(scope="session")
def fresh_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree as `init` leaves it, to be copied: a copy takes a tenth of the time."""
    from memory_skill.memory import Memory

    folder = tmp_path_factory.mktemp("fresh")
    Memory.open(folder / "memory", env={"HOME": os.fspath(folder)}, cwd=folder).init()
    return folder / "memory"


@pytest.fixture
def memory(home: Path, tmp_path: Path, fresh_tree: Path) -> Memory:
    """An initialised memory in the scratch home, opened from a folder that is no project."""
    from memory_skill.memory import Memory

    shutil.copytree(fresh_tree, home / ".memory-skill", symlinks=True)
    return Memory.open(cwd=tmp_path)
