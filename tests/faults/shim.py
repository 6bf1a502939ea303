"""Stands between this process and the system: sees every call that changes state and may spoil it.

Patches `os`, `open`, `sqlite3.connect` and `subprocess.Popen` for good, so it belongs into a forked child.
Calls of SQLite and git themselves are seen from outside: one point a statement, one before each git.
"""

from __future__ import annotations

import builtins
import io
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
BY_PATH = ("replace", "rename", "link", "unlink", "remove", "mkdir", "rmdir", "chmod", "truncate", "symlink")
BY_HANDLE = ("write", "fsync", "ftruncate")
REAL = {name: getattr(os, name) for name in (*BY_PATH, *BY_HANDLE, "open", "close")}

Tell = Callable[[str, tuple[Any, ...], dict[str, Any]], Any]


class Shim:
    """Calls *tell* with (name, arguments) before each change; what it raises, the caller gets.

    A value other than None is answered instead of doing the call.
    """

    def __init__(self, tell: Tell, after: Tell | None = None, *, reads: bool = False) -> None:
        self.tell, self.after, self.reads = tell, after, reads

    def install(self) -> None:
        for name in (*BY_PATH, *BY_HANDLE):
            setattr(os, name, self._around(name, REAL[name]))
        os.open = self._opening
        if self.reads:
            os.scandir = self._around("scandir", os.scandir)  # type: ignore[assignment]
        io.open = builtins.open = self._file  # type: ignore[assignment]
        self._patch_sqlite()
        self._patch_popen()

    def _around(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **more: Any) -> Any:
            answer = self.tell(name, args, more)
            done = real(*args, **more) if answer is None else answer
            if self.after:
                self.after(name, args, more | {"done": done})
            return done

        return call

    def _opening(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if not (flags & WRITING or self.reads):
            return int(REAL["open"](path, flags, mode, dir_fd=dir_fd))
        return int(self._around("open", REAL["open"])(path, flags, mode, dir_fd=dir_fd))

    def _file(self, file: Any, mode: str = "r", buffering: int = -1, *args: Any, **more: Any) -> Any:
        if isinstance(file, int) or not set(mode) & set("wax+"):
            if self.reads and not isinstance(file, int):
                self.tell("open", (file, 0), {})
            return _real_open(file, mode, buffering, *args, **more)
        raw = self._raw(file, mode.replace("b", "").replace("t", ""))
        if "b" in mode and buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *args[:1], **more)

    def _raw(self, file: Any, mode: str) -> io.FileIO:
        shim = self

        class Raw(io.FileIO):
            def write(self, data: Any) -> int:
                return int(shim._around("write", lambda _, d: io.FileIO.write(self, d))(self.fileno(), data))

            def truncate(self, size: int | None = None) -> int:
                cut = shim._around("ftruncate", lambda _, s: io.FileIO.truncate(self, s))
                return int(cut(self.fileno(), size))

        return Raw(file, mode, opener=lambda path, flags: self._opening(path, flags, 0o666))

    def _patch_sqlite(self) -> None:
        shim, real = self, sqlite3.connect

        class Connection(sqlite3.Connection):
            pass

        for name in ("execute", "executemany", "executescript", "__exit__"):
            inner = getattr(sqlite3.Connection, name)
            setattr(Connection, name, shim._statement(name, inner))

        def connect(path: Any, *args: Any, **more: Any) -> sqlite3.Connection:
            if "mode=ro" in str(path):
                return real(path, *args, **more)
            return real(path, *args, factory=Connection, **more)

        sqlite3.connect = connect  # type: ignore[assignment]

    def _statement(self, name: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        def call(connection: Any, *args: Any) -> Any:
            text = str(args[0]).lstrip()[:6].upper() if args else ""
            if name == "execute" and text in ("SELECT", "PRAGMA"):
                return inner(connection, *args)
            return self._around(f"sqlite-{name.strip('_')}", lambda *_: inner(connection, *args))(text)

        return call

    def _patch_popen(self) -> None:
        shim, real = self, subprocess.Popen.__init__
        wait = subprocess.Popen.communicate

        def start(process: Any, args: Any, *rest: Any, **more: Any) -> None:
            shim.tell("git", (args,), more)
            real(process, args, *rest, **more)
            shim.tell("git-started", (process,), more)

        def communicate(process: Any, *args: Any, **more: Any) -> Any:
            done = wait(process, *args, **more)
            shim.tell("git-ended", (process,), more)
            return done

        subprocess.Popen.__init__ = start  # type: ignore[method-assign,assignment]
        subprocess.Popen.communicate = communicate  # type: ignore[method-assign]


_real_open = builtins.open


def place_of(name: str, args: tuple[Any, ...], more: dict[str, Any]) -> Path | None:
    """The absolute path that a call is about, reached through its descriptor if need be."""
    if name in BY_HANDLE:
        return Path(f"/proc/self/fd/{args[0]}").readlink()
    key = "dst_dir_fd" if name in ("replace", "rename", "link") else "dir_fd"
    path = args[1] if name in ("replace", "rename", "link") else args[0]
    folder = more.get(key)
    if isinstance(path, int) or not isinstance(path, str | os.PathLike):
        return None
    base = Path(f"/proc/self/fd/{folder}").readlink() if folder is not None else Path()
    return base / os.fspath(path)
