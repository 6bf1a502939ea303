"""The lock files that a killed git leaves behind: waited for while their owner may live, then removed.

Git never clears them itself: of the points at which one can be killed a third leave a lock that stops every
later commit until a person deletes it. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

GRACE_SECONDS = 0.5  # so long a lock must have had no owner: a git that has just started is not visible yet
_PROC = Path("/proc")


def clear(git: Path, deadline: float) -> None:
    """Wait until no lock is in *git*, or *deadline* (on the monotonic clock); take away those of the dead.

    Where the system does not tell who is alive (no /proc), every lock stays.
    """
    since = time.monotonic()
    while (locks := list(found(git))) and time.monotonic() < deadline:
        owned = [lock for lock in locks if is_owned(lock, git.parent)]
        if not owned and time.monotonic() - since > GRACE_SECONDS:
            for lock in locks:
                with contextlib.suppress(OSError):
                    lock.unlink()
            return
        if owned:
            since = time.monotonic()
        time.sleep(0.05)


def found(git: Path) -> Iterator[Path]:
    """The lock files of the repository: of its index, HEAD, settings and refs."""
    yield from git.glob("*.lock")
    yield from (git / "refs").rglob("*.lock")


def is_owned(lock: Path, home: Path) -> bool:
    """Whether a live process may hold *lock*: it has the file open, or it is a git that works in *home*."""
    if not _PROC.is_dir():
        return True
    others = (entry for entry in _PROC.iterdir() if entry.name.isdigit() and entry.name != str(os.getpid()))
    return any(_has_open(process, lock) or _is_git_in(process, home) for process in others)


def _has_open(process: Path, lock: Path) -> bool:
    try:
        wanted = lock.stat()
        return any(_is_same(handle, wanted) for handle in (process / "fd").iterdir())
    except OSError:
        return False  # gone meanwhile, or somebody else's: then `_is_git_in` decides


def _is_same(handle: Path, wanted: os.stat_result) -> bool:
    try:
        return os.path.samestat(handle.stat(), wanted)
    except OSError:
        return False


def _is_git_in(process: Path, home: Path) -> bool:
    """A git may have closed its lock and still hold it; one whose folder we may not see counts as here."""
    try:
        if not (process / "comm").read_text(errors="replace").startswith("git"):
            return False
        place = (process / "cwd").readlink()
    except PermissionError:
        return True
    except OSError:
        return False
    return place.is_relative_to(home.resolve())
