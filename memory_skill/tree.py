"""The folder on disk: what may be touched in it, its lock, and writes that are whole or not at all.

Knows no headers and no git. Standard library only: the hooks stand on it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .errors import Conflict, Locked, NotFound, PathRefused

ABSENT = "absent"  # what `expect` says of a file that must not be there yet
NOTE_FOLDERS = ("knowledge", "skills", "summaries")
HOST_FOLDERS = ("inbox", "archive", "journal", "working", ".state")  # ours; a host's own tool may write there
MAX_FILE = 2_000_000  # bytes; a longer file is no note
MAX_DEPTH = 8  # folders
INDEX = "MEMORY.md"
LOCK_SECONDS = 10.0


class FileStat(NamedTuple):
    """One regular Markdown file of the tree: its path from the root, bytes, and mtime in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


def digest(data: bytes) -> str:
    """What two versions of a file are compared by: 16 hex digits of its SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


class Tree:
    """The memory's folder. Paths are relative to it, with forward slashes."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.state = home / ".state"

    def exists(self) -> bool:
        return (self.home / "config.toml").is_file() or (self.home / "knowledge").is_dir()

    def path(self, rel: str) -> Path:
        """The absolute path of *rel*.

        Raises: PathRefused for one that leaves the tree, passes through a link, or touches its machinery.
        """
        return self.home / self._checked(rel)

    def _checked(self, rel: str) -> str:
        parts = rel.replace("\\", "/").split("/")
        hint = "give a path inside the tree, such as knowledge/user.md"
        if rel.startswith(("/", "~")) or (len(rel) > 1 and rel[1] == ":"):
            raise PathRefused("is not a path inside the tree", where=rel, hint=hint)
        if any(part in ("", ".", "..") for part in parts):
            raise PathRefused("has an empty or dotted part", where=rel, hint=hint)
        if any(part.startswith(".") for part in parts):
            raise PathRefused("has a hidden part", where=rel, hint=hint)
        if any(len(part.encode("utf-8", "surrogatepass")) > 240 for part in parts) or len(parts) > MAX_DEPTH:
            raise PathRefused("is too long", where=rel[:80], hint=hint)
        if any(ord(c) < 32 or c in '<>:"|?*\x7f' or 0xD800 <= ord(c) < 0xE000 for c in rel):
            raise PathRefused("has a character that not every disk can name", where=repr(rel), hint=hint)
        self._refuse_links(parts)
        return "/".join(parts)

    def _refuse_links(self, parts: list[str]) -> None:
        """A link beside or above the file would lead reads and writes out of the tree, or around a guard."""
        place = self.home
        for part in parts:
            place = place / part
            try:
                mode = os.lstat(place).st_mode
            except FileNotFoundError:
                return
            except OSError as error:
                raise PathRefused(str(error.strerror), where=str(place)) from error
            if stat.S_ISLNK(mode):
                raise PathRefused(
                    "is a link", where="/".join(parts), hint=f"replace the link {place} by a file"
                )
        if not stat.S_ISREG(mode):
            raise PathRefused("is not a regular file", where="/".join(parts))

    def read(self, rel: str) -> bytes:
        """The bytes of a file. Raises: NotFound, PathRefused (also for one over MAX_FILE bytes)."""
        path = self.path(rel)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            handle = os.open(path, flags)
        except FileNotFoundError:
            raise NotFound("no such note", where=rel, hint="memory-skill list") from None
        except OSError as error:
            raise PathRefused(f"cannot be read: {error.strerror}", where=rel) from error
        with open(handle, "rb") as file:
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_FILE:
            raise PathRefused(
                f"is over {MAX_FILE} bytes", where=rel, hint="split it, or move it out of the tree"
            )
        return data

    def read_or_none(self, rel: str) -> bytes | None:
        try:
            return self.read(rel)
        except NotFound:
            return None

    def write(self, rel: str, data: bytes, expect: str | None = None) -> None:
        """Put *data* at *rel*: whole or not at all, on disk when this returns.

        *expect* is the digest that the caller read, or ABSENT. Raises: Conflict if the file is another now.
        """
        path = self.path(rel)
        path.parent.mkdir(parents=True, exist_ok=True)
        if expect is not None:
            found = self.read_or_none(rel)
            if (ABSENT if found is None else digest(found)) != expect:
                raise Conflict("changed since it was read", where=rel, hint=f"read {rel} again, then repeat")
        write_atomic(path, data)

    def remove(self, rel: str) -> None:
        """Take the file away, and the folders that this leaves empty, but not the tree's own."""
        path = self.path(rel)
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == self.home or folder.parent == self.home or any(folder.iterdir()):
                break
            folder.rmdir()
        _sync_folder(path.parent if path.parent.is_dir() else self.home)

    def move(self, rel: str, to: str) -> None:
        """Rename a file within the tree; *to* must not be there."""
        source, target = self.path(rel), self.path(to)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            raise Conflict("is there already", where=to)
        source.replace(target)
        _sync_folder(target.parent)
        _sync_folder(source.parent)

    def walk(self, *folders: str, skip: frozenset[str] = frozenset()) -> Iterator[FileStat]:
        """The notes under *folders* (default: all) but those under *skip*, by path.

        Of a skill only SKILL.md; no links, nothing hidden, no other repository.
        """
        for folder in folders or NOTE_FOLDERS:
            if self._through_link(folder):
                continue
            for entry in _walk(str(self.home / folder), folder, 1, skip):
                if folder != "skills" or entry.path.endswith("/SKILL.md"):
                    yield entry

    def _through_link(self, folder: str) -> bool:
        parts = folder.split("/")
        return any((self.home / "/".join(parts[: n + 1])).is_symlink() for n in range(len(parts)))

    def loose(self) -> Iterator[FileStat]:
        """The Markdown files at the tree's root that are neither the index nor AGENTS.md."""
        for entry in _walk(str(self.home), "", MAX_DEPTH):
            if "/" not in entry.path and entry.path not in (INDEX, "AGENTS.md"):
                yield entry

    @contextlib.contextmanager
    def lock(self, timeout: float = LOCK_SECONDS) -> Iterator[None]:
        """Hold the tree for one change. Raises: Locked when another holds it for *timeout* seconds."""
        self.state.mkdir(parents=True, exist_ok=True)
        with flock(self.state / "lock", timeout):
            yield


def _walk(folder: str, rel: str, depth: int, skip: frozenset[str] = frozenset()) -> Iterator[FileStat]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = entry.name
        if name[0] == "." or name.endswith("~"):
            continue
        path = f"{rel}/{name}" if rel else name
        if entry.is_dir(follow_symlinks=False):
            if depth < MAX_DEPTH and path not in skip and not os.path.lexists(f"{entry.path}/.git"):
                yield from _walk(entry.path, path, depth + 1, skip)
        elif name.endswith(".md") and name != INDEX and entry.is_file(follow_symlinks=False):
            found = entry.stat(follow_symlinks=False)
            yield FileStat(path, found.st_size, found.st_mtime_ns)


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write beside, sync, rename over, sync the folder. On failure the old file stays, without litter."""
    scratch = path.with_name(f".{path.name[:24]}.{os.getpid()}.{time.monotonic_ns():x}.tmp")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if path.exists():
            scratch.chmod(stat.S_IMODE(path.stat().st_mode))
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # a folder cannot be opened elsewhere
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def flock(path: Path, timeout: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold an advisory lock on *path*; the kernel drops it with the process, so none is ever stale.

    Raises: Locked when another process holds it for *timeout* seconds.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o644)
    try:
        deadline = time.monotonic() + timeout
        pause = 0.002
        while not _try_lock(handle):
            if time.monotonic() > deadline:
                hint = "try again; memory-skill doctor names who holds it"
                what = f"another process holds the lock for over {timeout:g} s"
                raise Locked(what, where=str(path), hint=hint)
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        yield
    finally:
        os.close(handle)


if sys.platform != "win32":
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

else:
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
