"""One file of the machine, before and after: shown as a diff, applied whole or not at all, taken back.

A path that is a link is written through, so that a linked settings file stays a link. Knows no host.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import shutil
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import Conflict, Refused
from ..tree import write_atomic

Item = dict[str, Any]
"""One thing put into settings: `op` and what is needed to take it out, as JSON."""


@dataclass(frozen=True)
class Change:
    """What one path becomes. None is absence; with *link* the path is, or was, a symbolic link to it.

    *why* is one line for a person. *kind*: `settings` are the user's, and *items* names what exactly was
    put into them; a `file` is ours alone; `generated` is ours and changes with the tree; or a `link`.
    """

    path: Path
    before: bytes | None
    after: bytes | None
    why: str
    kind: str = "file"
    link: Path | None = None
    items: tuple[Item, ...] = ()


@dataclass
class Record:
    """What the manifest keeps of one applied change; *backup* is relative to the folder of backups."""

    path: str
    host: str = ""
    kind: str = "file"
    before: str | None = None
    after: str | None = None
    backup: str | None = None
    link: str | None = None
    items: list[Item] = field(default_factory=list)


def digest(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def read(path: Path) -> bytes | None:
    """The bytes at *path*, None where nothing is. Raises: Refused for what cannot be read as a file."""
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        what = f"cannot be read: {error.strerror}; nothing was written"
        raise Refused(what, rule="unreadable", where=str(path), hint=f"ls -ld {path}") from error


def diff(change: Change) -> str:
    """The unified diff of one change; a line of words for a link or for bytes that are no text."""
    if change.link is not None:
        verb = "link" if change.after is not None else "unlink"
        return f"{verb} {change.path} -> {change.link}\n"
    try:
        old, new = (
            [] if data is None else data.decode("utf-8").splitlines(keepends=True)
            for data in (change.before, change.after)
        )
    except UnicodeDecodeError:
        return f"change {change.path} (no text)\n"
    name = str(change.path)
    names = (
        name if change.before is not None else "/dev/null",
        name if change.after is not None else "/dev/null",
    )
    lines = difflib.unified_diff(old, new, names[0], names[1])
    text = "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    return text or f"change {change.path} (empty file)\n"


def missing_folders(changes: Iterable[Change]) -> list[Path]:
    """The folders that the changes have to make, outermost first."""
    found: set[Path] = set()
    for change in changes:
        if change.after is not None:
            found.update(folder for folder in change.path.parents if not folder.exists())
    return sorted(found)


def back_up(change: Change, kept: Path) -> bool:
    """Copy what is about to change to *kept*, readable by its owner only. False if there is nothing."""
    if change.before is None or change.link is not None:
        return False
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    kept.touch(mode=0o600)
    write_atomic(kept, change.before)
    return True


def apply(changes: Sequence[Change]) -> None:
    """Make all changes, or none: what was written is put back when one fails.

    Raises: Conflict when a file is not the one that was read; Refused when it cannot be written.
    """
    for change in changes:
        if change.link is None and read(change.path) != change.before:
            hint = "run it again"
            raise Conflict("changed meanwhile; nothing was written", where=str(change.path), hint=hint)
    done: list[Change] = []
    try:
        for change in changes:
            done.append(change)
            _set(change, change.after)
    except OSError as error:
        for change in reversed(done):
            _put_back(change)
        where = str(done[-1].path)
        what = f"cannot be written: {error.strerror}; nothing was changed"
        raise Refused(what, rule="unwritable", where=where, hint=f"ls -ld {Path(where).parent}") from error


def _put_back(change: Change) -> None:
    try:
        _set(change, change.before)
    except OSError:
        return  # the one that failed was not written


def _set(change: Change, data: bytes | None) -> None:
    path = change.path
    if change.link is not None:
        if path.is_symlink():
            path.unlink()
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(change.link, target_is_directory=True)
        return
    real = path.resolve()
    if data is None:
        real.unlink(missing_ok=True)
        return
    real.parent.mkdir(parents=True, exist_ok=True)
    owner = real.stat() if real.exists() else None
    write_atomic(real, data)
    if owner and hasattr(os, "chown") and real.stat().st_uid != owner.st_uid:
        shutil.chown(real, owner.st_uid, owner.st_gid)  # `sudo memory-skill install` must not take it away
    if owner is None and path.suffix in (".json", ".toml"):
        real.chmod(stat.S_IRUSR | stat.S_IWUSR)  # settings may come to hold keys


def remove_empty(folders: Iterable[Path]) -> None:
    """Take away those of *folders*, innermost first, that hold nothing any more."""
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        try:
            folder.rmdir()
        except OSError:
            continue  # somebody else's files are in it, or it is gone
