"""What the files shall hold once some commits are taken back; edits made since are kept."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import NoteError
from .history import Commit, History
from .note import decode, describe, encode, lines_of, quote, skim, split
from .tree import INDEX, Tree

TOMBSTONES = "tombstones"  # one line a forgotten entry, `<id> <day>`, in git


def taken_back(
    history: History, tree: Tree, commits: Sequence[Commit]
) -> tuple[dict[str, tuple[bytes | None, bytes | None]], list[str]]:
    """The bytes of each path now and without *commits* (newest first), and the paths that stay as they are.

    A path that was edited since is merged where both changes can stand. A note that the commits made and
    somebody wrote into later stays, without the lines that are theirs: poison is not kept for the honest line
    beside it. Index files and what is hidden stay.
    """
    now: dict[str, bytes | None] = {}
    found: dict[str, bytes | None] = {}
    kept: list[str] = []
    left: dict[str, bytes] = {}  # of what is kept: the other writer's part alone
    for commit in commits:
        for path in commit.paths:
            if path in kept or _follows(path):
                continue
            if path not in now:
                now[path] = found[path] = _on_disk(tree, path)
            before, after = history.content(f"{commit.id}^", path), history.content(commit.id, path)
            done, data = _without(history, path, now[path], before, after)
            if done:
                now[path] = data
                continue
            kept.append(path)
            part = _others_part(path, now[path], after) if before is None else None
            if part is not None:
                left[path] = part
    done_with = {path: data for path, data in now.items() if path not in kept} | left
    return {path: (found[path], data) for path, data in done_with.items()}, kept


def _follows(path: str) -> bool:
    """Index files are written anew; a project's identity and the tree's own settings stay."""
    return path.rsplit("/", 1)[-1] == INDEX or any(part.startswith(".") for part in path.split("/"))


def _without(
    history: History, path: str, now: bytes | None, before: bytes | None, after: bytes | None
) -> tuple[bool, bytes | None]:
    """Whether the change *before* -> *after* can be taken out of *now*, and what is left then."""
    if now == after:
        return True, before
    if now == before:
        return True, now
    if path == TOMBSTONES:
        return True, _without_lines(now, before, after)
    if now is None or before is None or after is None:
        return False, None
    merged = history.merge(after, now, before)
    return merged is not None, merged


def _without_lines(now: bytes | None, before: bytes | None, after: bytes | None) -> bytes | None:
    """*now* less the lines that the change added, with those that it removed."""
    old, new = (before or b"").splitlines(keepends=True), (after or b"").splitlines(keepends=True)
    left = [line for line in (now or b"").splitlines(keepends=True) if line not in new or line in old]
    return b"".join(left + [line for line in old if line not in new and line not in left]) or None


def _others_part(path: str, now: bytes | None, made: bytes | None) -> bytes | None:
    """*now* less the body's lines of the note as it was *made*, None if that takes nothing, or everything.

    A description that stood in the note as it was made is told anew.
    """
    if now is None or made is None or not path.endswith(".md"):
        return None
    try:
        text, old = decode(now, path), decode(made, path)
    except NoteError:
        return None
    body, gone = split(text)[1], {line.strip() for line in split(old)[1].splitlines()}
    kept = [line for line in lines_of(body) if not line.strip() or line.strip() not in gone]
    rest = "".join(kept).strip("\n")
    if not rest.strip() or rest == body.strip("\n"):
        return None
    head = text[: len(text) - len(body)]
    told = quote(skim(old, path).description)
    return encode(head.replace(told, quote(describe(rest)), 1) + rest + "\n", now)


def _on_disk(tree: Tree, path: str) -> bytes | None:
    try:
        return (tree.home / path).read_bytes()
    except OSError:
        return None
