"""The folder on disk: what may be touched in it, its lock, and writes that are whole or not at all.

Knows no headers and no git. Standard library only: the hooks stand on it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from .errors import Conflict, DiskTrouble, Locked, NotFound, PathRefused
from .light import NamedTuple, pattern, sha256

ABSENT = "absent"  # what `expect` says of a file that must not be there yet
NOTE_FOLDERS = ("knowledge", "skills", "summaries")
HOST_FOLDERS = ("inbox", "archive", "journal", "working", ".state")  # ours; a host's own tool may write there
MAX_FILE = 2_000_000  # bytes; a longer file is no note
MAX_DEPTH = 8  # folders
LONG = 2**63 - 1  # a file dated 7024 has more nanoseconds than SQLite can count, and nothing was settled
INDEX = "MEMORY.md"
LOCK_SECONDS = 10.0


class FileStat(NamedTuple):
    """One regular Markdown file of the tree: its path from the root, bytes, and mtime in nanoseconds."""

    path: str
    size: int
    mtime_ns: int


def digest(data: bytes) -> str:
    """What two versions of a file are compared by: 16 hex digits of its SHA-256."""
    return sha256(data).hexdigest()[:16]


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
        if any(part.startswith(".") for part in parts) and not _IDENTITY.fullmatch(rel):
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
        """The bytes of a file. Raises: NotFound, DiskTrouble, PathRefused (also when over MAX_FILE bytes)."""
        *folders, name = self._checked(rel).split("/")
        with _told(rel, "read"), self._folder(folders) as folder:
            data = _read_at(folder, self._in(folder, folders, name))
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

        *expect* is the digest that the caller read, or ABSENT; None takes what is there. It is compared when
        the new bytes are on disk already, just before they take the name.
        Raises: Conflict if the file is another now, DiskTrouble, PathRefused.
        """
        *folders, name = self._checked(rel).split("/")
        with _told(rel, "written"), self._folder(folders, make=True) as folder:
            name = self._in(folder, folders, name)
            scratch = self._scratch(folder, data, _mode_at(folder, name))
            try:
                if expect is not None and expect != _digest_at(folder, name):
                    raise _conflict(rel)
                if expect == ABSENT:
                    _take_free_name(scratch, folder, name, rel)
                else:
                    os.replace(scratch, name, dst_dir_fd=folder)
            finally:
                with contextlib.suppress(OSError):
                    scratch.unlink()
            _sync(folder)

    def _scratch(self, folder: int | None, data: bytes, mode: int | None) -> Path:
        """A file with *data*, in `.state/tmp`; what a killed process leaves there, the next sweeps."""
        self.state.mkdir(exist_ok=True)
        place = self.state / "tmp"
        place.mkdir(exist_ok=True)
        if folder is not None and place.stat().st_dev != os.fstat(folder).st_dev:
            place = Path(f"/proc/self/fd/{folder}")  # .state is a link to another disk
        path = place / f".{os.getpid()}.{time.monotonic_ns():x}.tmp"
        _write_new(path, data, mode)
        return path

    def remove(self, rel: str, expect: str | None = None) -> None:
        """Take the file away, and the folders that this leaves empty, but not the tree's own.

        Raises: Conflict if its digest is not *expect*, DiskTrouble, PathRefused.
        """
        *folders, name = self._checked(rel).split("/")
        with contextlib.suppress(NotFound), _told(rel, "removed"), self._folder(folders) as folder:
            name = self._in(folder, folders, name)
            if expect is not None and expect != _digest_at(folder, name):
                raise _conflict(rel)
            os.unlink(name, dir_fd=folder)
            _sync(folder)
        with contextlib.suppress(OSError, NotFound):  # until one is not empty
            while len(folders) > 1:
                *folders, name = folders
                with self._folder(folders) as folder:
                    os.rmdir(self._in(folder, folders, name), dir_fd=folder)
                    _sync(folder)

    def move(self, rel: str, to: str) -> None:
        """Give a file another name within the tree. Raises: Conflict when *to* is there already."""
        data = self.read(rel)
        self.write(to, data, ABSENT)
        self.remove(rel, digest(data))

    @contextlib.contextmanager
    def _folder(self, parts: list[str], make: bool = False) -> Iterator[int | None]:
        """The descriptor of a folder, reached without passing a link, so that none can be slipped in.

        None on a system without such descriptors; there names are absolute (see `_in`).
        """
        if make:
            self.home.joinpath(*([] if _BY_HANDLE else parts)).mkdir(parents=True, exist_ok=True)
        if not _BY_HANDLE:
            yield None
            return
        handle = os.open(self.home, _FOLDER)
        try:
            for part in parts:
                inner = _enter(handle, part, make)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)

    def _in(self, folder: int | None, parts: list[str], name: str) -> str:
        return str(self.home.joinpath(*parts, name)) if folder is None else name

    def walk(
        self, *folders: str, skip: frozenset[str] = frozenset(), strict: bool = False
    ) -> Iterator[FileStat]:
        """The notes under *folders* (default: all) but those under *skip*, by path.

        Of a skill only SKILL.md; no links, nothing hidden, no other repository. A folder that is closed to us
        is passed over, or with *strict* an error: who writes down what there is must not take it for empty.
        Raises: DiskTrouble.
        """
        for folder in folders or NOTE_FOLDERS:
            if self._through_link(folder):
                continue
            for entry in _walk(str(self.home / folder), folder, 1, skip, strict):
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
        with _told(".state/lock", "written"):
            self.state.mkdir(parents=True, exist_ok=True)
            held = contextlib.ExitStack()
            held.enter_context(flock(self.state / "lock", timeout))
        with held:
            self._sweep()
            yield

    def _sweep(self) -> None:
        """Who holds the lock is the only one who writes: what lies in `.state/tmp` belongs to the dead."""
        for litter in _listed(str(self.state / "tmp"), ".state/tmp"):
            with contextlib.suppress(OSError):
                Path(litter.path).unlink()


def is_note(path: str) -> bool:
    """Whether `walk` would yield a file of that path: what waits in the inbox is none, nor is an index."""
    folder, *rest = path.split("/")
    plain = rest and path.endswith(".md") and rest[-1] != INDEX and not any(p.startswith(".") for p in rest)
    return folder in NOTE_FOLDERS and bool(plain) and (folder != "skills" or rest[-1] == "SKILL.md")


_IDENTITY = pattern(r"knowledge/projects/[^/.][^/]*/\.identity\.json")  # the one hidden file that is ours
_LITTER = pattern(r"\..+\.(\d+)\.[0-9a-f]+\.tmp|.+\.(\d+)\.new(?:-journal)?|config\.json\.(\d+)")
_BY_NAME = attrgetter("name")
_BY_HANDLE = {os.open, os.rename, os.unlink, os.mkdir} <= os.supports_dir_fd
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_NO_NOTE = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.ENODEV, errno.ENAMETOOLONG}


@contextlib.contextmanager
def _told(rel: str, done: str) -> Iterator[None]:
    """The system's errors as ours, with the path and what was to be done with it."""
    try:
        yield
    except FileNotFoundError:
        raise NotFound("no such note", where=rel, hint="memory-skill list") from None
    except OSError as error:
        what = f"cannot be {done}: {error.strerror or error}"
        if error.errno in _NO_NOTE or (done == "read" and error.errno in (errno.EACCES, errno.EPERM)):
            raise PathRefused(what, where=rel) from error
        hint = "nothing was lost; make room or mend the permissions, then repeat"
        raise DiskTrouble(what, where=rel, hint=hint) from error


def _enter(folder: int, name: str, make: bool) -> int:
    """The folder *name* in *folder*, made and synced if it has to be."""
    try:
        return os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, 0o755, dir_fd=folder)
        os.fsync(folder)  # or a power cut takes the folder away, with the note in it
    return os.open(name, _FOLDER | _NO_LINK, dir_fd=folder)


def _read_at(folder: int | None, name: str) -> bytes:
    """Up to MAX_FILE + 1 bytes of a regular file; a FIFO neither waits nor reads as empty."""
    handle = os.open(name, os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0), dir_fd=folder)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.ENODEV, "not a regular file")
        return file.read(MAX_FILE + 1)


def _digest_at(folder: int | None, name: str) -> str:
    try:
        return digest(_read_at(folder, name))
    except FileNotFoundError:
        return ABSENT


def _mode_at(folder: int | None, name: str) -> int | None:
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return None


def _conflict(rel: str) -> Conflict:
    return Conflict("changed since it was read", where=rel, hint=f"read {rel} again, then repeat")


def _take_free_name(scratch: Path, folder: int | None, name: str, rel: str) -> None:
    """Give the file its name unless somebody has it: a link is exclusive, a rename is not."""
    try:
        os.link(scratch, name, dst_dir_fd=folder)
    except FileExistsError:
        raise _conflict(rel) from None
    except OSError:  # a file system without hard links: look, then rename
        if _digest_at(folder, name) != ABSENT:
            raise _conflict(rel) from None
        os.replace(scratch, name, dst_dir_fd=folder)


def _write_new(path: Path, data: bytes, mode: int | None, durable: bool = True) -> None:
    """A file that was not there, with all of *data*; on failure it is gone again."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
            if mode is not None:
                path.chmod(mode)
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)
    except BaseException:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def _sync(folder: int | None) -> None:
    """What was renamed in *folder* outlives a power cut from now on."""
    if folder is not None:
        os.fsync(folder)


def _walk(
    folder: str, rel: str, depth: int, skip: frozenset[str] = frozenset(), strict: bool = False
) -> Iterator[FileStat]:
    stem = f"{rel}/" if rel else ""
    for entry in _listed(folder, rel, strict):
        name = entry.name
        if name[0] == "." or name[-1] == "~" or not (name.isascii() or _is_utf_8(name)):
            continue  # hidden, a backup, or bytes that are no UTF-8
        if name.endswith(".md") and entry.is_file(follow_symlinks=False):
            if name == INDEX:
                continue
            try:
                found = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # an editor has just renamed it away
                continue
            yield _stat_of((stem + name, found.st_size, found.st_mtime_ns & LONG))
        elif entry.is_dir(follow_symlinks=False):
            path = stem + name
            if depth < MAX_DEPTH and path not in skip and not os.path.lexists(f"{entry.path}/.git"):
                yield from _walk(entry.path, path, depth + 1, skip, strict)


_stat_of = FileStat._make  # a prompt makes thousands


def read_met(path: str) -> bytes | None:
    """The bytes of a file that the walk has just met as a regular one, below folders that are no links."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        try:
            size = os.fstat(handle).st_size
            data = os.read(handle, size + 1) if size <= MAX_FILE else b""
        finally:
            os.close(handle)
    except OSError:
        return None
    return data if size <= MAX_FILE else None


def _is_utf_8(name: str) -> bool:
    return not any("\udc80" <= c <= "\udcff" for c in name)


def _listed(folder: str, rel: str, strict: bool = False) -> list[os.DirEntry[str]]:
    """What is in *folder*, by name; nothing if it is gone or, unless *strict*, closed to us.

    Any other error is raised: a process out of descriptors would see an empty tree, and index that.
    """
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=_BY_NAME)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        if isinstance(error, PermissionError) and not strict:
            return []
        raise DiskTrouble(f"cannot be listed: {error.strerror or error}", where=rel or ".") from error


def sweep_litter(state: Path) -> None:
    """Take away what killed processes left half-written in `.state`; for use under the tree's lock."""
    for path in state.rglob("*"):
        match = _LITTER.fullmatch(path.name)
        if match and not _is_alive(int(match[1] or match[2] or match[3])):
            with contextlib.suppress(OSError):
                path.unlink()


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


def write_atomic(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Write beside, sync, rename over, sync the folder. On failure the old file stays, without litter."""
    scratch = path.with_name(f".{path.name[:24]}.{os.getpid()}.{time.monotonic_ns():x}.tmp")
    _write_new(scratch, data, stat.S_IMODE(path.stat().st_mode) if path.exists() else None, durable)
    try:
        if not durable and path.is_dir():
            path.rmdir()  # an empty folder where a derived file belongs
        scratch.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise
    if durable and os.name == "posix":
        handle = os.open(path.parent, _FOLDER)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def flock(path: Path, timeout: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold an advisory lock on *path*; the kernel drops it with the process, so none is ever stale.

    Raises: Locked when another process holds it for *timeout* seconds.
    """
    deadline = time.monotonic() + timeout
    handle = _open_lock(path)
    try:
        while not _try_lock(handle) or not _is_at(handle, path):
            if not _is_at(handle, path):  # `.state` was deleted: the lock is another file now
                os.close(handle)
                handle = _open_lock(path)
                continue
            if time.monotonic() > deadline:
                hint = "try again; memory-skill doctor names who holds it"
                what = f"another process holds the lock for over {timeout:g} s"
                raise Locked(what, where=str(path), hint=hint)
            _queue(handle, deadline - time.monotonic())
        yield
    finally:
        os.close(handle)


def _open_lock(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | _NO_LINK, 0o644)


def _is_at(handle: int, path: Path) -> bool:
    """Whether the open file is the one that has the name now."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


if sys.platform != "win32":
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _queue(handle: int, seconds: float) -> None:
        """Wait in the kernel's queue, where who came first is first: looking again and again, a few of eight
        writers waited for seconds. The thread of one that gives up gets the lock later and drops it at once.
        """
        import threading

        waiter = threading.Thread(target=_wait, args=(os.dup(handle),), daemon=True)
        waiter.start()
        waiter.join(max(0.0, seconds))

    def _wait(handle: int) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError:
            pass
        finally:
            os.close(handle)

else:
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _queue(handle: int, seconds: float) -> None:
        time.sleep(min(0.005, max(0.0, seconds)))
