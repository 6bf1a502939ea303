"""Where to read a transcript on: the first byte of its last turn, and a hash of the line there."""

from __future__ import annotations

import zlib
from pathlib import Path

from ..light import NamedTuple

HASHED = 4096  # bytes of a line


class Cursor(NamedTuple):
    """The byte, and the hash of the line that begins there."""

    offset: int = 0
    digest: int = 0


START = Cursor()


def place(path: Path, since: Cursor) -> int:
    """The byte to read from: that of *since*, or 0 where another line stands by now.

    A compaction and a resume only append; a fork and a truncated file hold other lines.
    """
    return since.offset if since.offset and digest(path, since.offset) == since.digest else 0


def digest(path: Path, offset: int) -> int:
    """A hash of the line at *offset*, at most HASHED bytes of it; 0 where no line begins."""
    with path.open("rb") as file:
        file.seek(max(0, offset - 1))
        if offset and file.read(1) != b"\n":
            return 0
        return zlib.crc32(file.readline(HASHED))
