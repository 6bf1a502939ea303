"""The last good text of a damaged note, and the one command that brings it back."""

from __future__ import annotations

import shlex

from .damage import damage_of, is_conflict_copy
from .history import History

VERSIONS = 20  # of one note, the newest first, that are looked at


def last_good(history: History, path: str) -> tuple[str, bytes] | None:
    """The newest commit that holds *path* whole, and its bytes. Raises: GitTrouble, NotFound."""
    for commit in history.log(limit=VERSIONS, path=path):
        data = history.content(commit.id, path)
        if data is not None and damage_of(data, path) is None:
            return commit.id, data
    return None


def advice(history: History, path: str) -> str:
    """What to do about a damaged note, to stand after the reason. Raises: GitTrouble, NotFound."""
    if is_conflict_copy(path):
        return "take over what is missing in the note itself, then delete the copy"
    found = last_good(history, path)
    if not found:
        return "git holds no good version of it; mend or delete it"
    command = f"git -C {shlex.quote(str(history.home))} restore --source={found[0]} -- {shlex.quote(path)}"
    return f"its last good text comes back with: {command}"
