"""What is left of a note after a power cut, a half-done merge or a sync: found, and never read as its text.

Pure, standard library only.
"""

from __future__ import annotations

import re

from .light import pattern

# Syncthing: note.sync-conflict-20261130-210315-ABCDEFG.md; Dropbox, Nextcloud, Obsidian Sync and others:
# note (Ada's conflicted copy 2026-11-30).md, note (conflicted copy 2026-11-30 210315).md
_COPY = pattern(
    r"\.sync-conflict-\d{8}-\d{6}|\([^()]*\bconflict(?:ed)? ?copy\b[^()]*\)|\[conflict\]", re.IGNORECASE
)
_FENCE = pattern(rb"^ {0,3}(```+|~~~+)")


def is_conflict_copy(path: str) -> bool:
    """Whether the name is one that a sync program gives to the loser of a conflict."""
    return _COPY.search(path.rsplit("/", 1)[-1]) is not None


def damage_of(raw: bytes, path: str) -> str | None:
    """Why these bytes are not the note at *path*, in a few words; None if they may be."""
    if is_conflict_copy(path):
        return "is the copy that a sync program made of a conflict"
    if not raw.strip():
        return "holds no text"
    if b"\0" in raw:
        return "holds only NUL bytes" if not raw.strip(b"\0") else "holds NUL bytes"
    if has_conflict(raw):
        return "holds the marks of a merge conflict"
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"is not UTF-8 (byte {error.start})"
    return None


def has_conflict(raw: bytes) -> bool:
    """Whether the three marks of git's conflicts stand in order, each at the start of a line, not in code."""
    if b"<<<<<<< " not in raw:
        return False
    wanted = [b"<<<<<<< ", b"=======", b">>>>>>> "]
    fence = b""
    for line in raw.splitlines():
        match = _FENCE.match(line)
        if match:
            mark = match.group(1)[:3]
            fence = b"" if fence == mark else fence or mark
        elif not fence and line.startswith(wanted[0]):
            wanted.pop(0)
            if not wanted:
                return True
    return False
