"""Commits that are due: noted before a file is written, struck out when git has taken them.

A process that is killed, or a git that refuses, leaves the note behind; a later verb makes the commit in the
name of who asked for it. Losing these notes loses names, never text. Standard library only.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from .light import NamedTuple
from .tree import Tree, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_DUE = 1000  # beyond that the oldest are let go; settle commits their files as edits by hand


class Due(NamedTuple):
    """One commit: what it says, and each path with the digest that its file then has (or ABSENT)."""

    file: Path
    subject: str
    body: str
    trailers: dict[str, str]
    paths: dict[str, str]


class Pending:
    """The due commits of one tree; for use under its lock."""

    def __init__(self, tree: Tree) -> None:
        self.folder = tree.state / "pending"

    def note(self, subject: str, body: str, trailers: Mapping[str, str], paths: Mapping[str, str]) -> Due:
        """Keep what the commit of *paths* shall say. Raises: OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / f"{time.time_ns():020d}-{os.getpid()}.json"
        due = Due(file, subject, body, dict(trailers), dict(paths))
        kept = {key: value for key, value in due._asdict().items() if key != "file"}
        write_atomic(file, json.dumps(kept).encode("utf-8", "replace"), durable=False)
        return due

    def strike(self, due: Due) -> None:
        with contextlib.suppress(OSError):
            due.file.unlink()

    def all(self) -> list[Due]:
        """The oldest first. What cannot be read, or is left of a killed process, is dropped."""
        try:
            files = sorted(self.folder.iterdir())
        except OSError:
            return []
        found: list[Due] = []
        for file in files:
            due = _read(file) if file.suffix == ".json" else None
            if due is None or len(files) - len(found) > MAX_DUE:
                with contextlib.suppress(OSError):
                    file.unlink()
            else:
                found.append(due)
        return found

    def count(self) -> int:
        return sum(1 for _ in self.folder.glob("*.json"))


def _read(file: Path) -> Due | None:
    try:
        found: Any = json.loads(file.read_bytes())
        pairs = [*found["trailers"].items(), *found["paths"].items()]
        texts = [found["subject"], found["body"], *(part for pair in pairs for part in pair)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return Due(file, **found) if len(found) == 4 and all(isinstance(text, str) for text in texts) else None
