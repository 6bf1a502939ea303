"""Where a note comes from: who wrote each line of it, and what one commit changed."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import NotFound
from .gate import redact
from .history import Commit, History


@dataclass(frozen=True)
class Line:
    """One line of a note and who wrote it; *host* is "by hand" for an editor, "" for a command in a shell."""

    number: int
    commit: str
    time: str
    verb: str
    host: str
    session: str
    text: str


@dataclass(frozen=True)
class Difference:
    """One path of a commit, before and after; *kind*: new, changed or gone, its text then ""."""

    path: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True)
class Shown:
    """One commit with what it changed; *time* is ISO 8601 with offset."""

    id: str
    time: str
    subject: str
    body: str
    trailers: dict[str, str]
    changes: tuple[Difference, ...]


def blamed(history: History, path: str) -> list[Line]:
    """Every line of *path* as last committed. Raises: NotFound."""
    found = history.blame(path)
    commits = {commit.id: commit for commit in history.log(limit=0, path=path)}
    for ident in {ident for ident, _ in found} - set(commits):  # a merge: log does not list it by path
        commits[ident] = history.show(ident)
    return [_line(number, commits[ident], text) for number, (ident, text) in enumerate(found, 1)]


def who(commit: Commit) -> str:
    """The host that wrote it, or that it was by hand."""
    by_hand = commit.trailers.get("Memory-Source") == "hand"
    return commit.trailers.get("Memory-Host", "by hand" if by_hand else "")


def _line(number: int, commit: Commit, text: str) -> Line:
    trailers = commit.trailers
    verb = trailers.get("Memory-Verb", "")
    return Line(number, commit.id, commit.time, verb, who(commit), trailers.get("Memory-Session", ""), text)


def shown(history: History, revision: str) -> Shown:
    """One commit and what it changed, secrets masked. Raises: NotFound for a revision that is none."""
    commit = history.show(revision)
    before = history.contents(f"{commit.id}^", commit.paths) if _has_parent(history, commit) else {}
    after = history.contents(commit.id, commit.paths)
    changes = tuple(_difference(path, before.get(path), after.get(path)) for path in commit.paths)
    return Shown(commit.id, commit.time, commit.subject, commit.body, commit.trailers, changes)


def _has_parent(history: History, commit: Commit) -> bool:
    try:
        history.show(f"{commit.id}^")
    except NotFound:
        return False
    return True


def _difference(path: str, before: bytes | None, after: bytes | None) -> Difference:
    kind = "new" if before is None else "gone" if after is None else "changed"
    old, new = (redact((data or b"").decode("utf-8", "replace")).text for data in (before, after))
    return Difference(path, kind, old, new)
