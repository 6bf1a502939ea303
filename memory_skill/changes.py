"""What changed since a person looked last, one change a path; and how it is kept or dropped.

What is compared is two states of the tree, so a note that was saved, edited and edited again is one change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from . import gate
from .badges import Badge, badges_of, summaries
from .errors import MemorySkillError, NotFound, Refused, UsageError
from .history import REVIEWED, Commit, Origin
from .journal import Journal
from .note import skim
from .sessions import Sessions
from .text import one_line, shorten
from .tree import INDEX, NOTE_FOLDERS
from .undo import TOMBSTONES
from .write import Edit, Writer, Written, message

MAX_ASKED = 300  # characters of what the user said
MAX_TWINS = 300  # changes; beyond that nobody looks for twins: the page must open


@dataclass(frozen=True)
class Change:
    """One path that differs from what was reviewed. *kind*: new, changed or gone, its text then "".

    *asked* is what the user said in that turn, *why* what the newest commit says; *commits* are newest first.
    """

    path: str
    kind: str
    before: str
    after: str
    asked: str
    why: str
    host: str
    session: str
    commits: tuple[str, ...]
    badges: tuple[Badge, ...]


@dataclass(frozen=True)
class Reviewed:
    """*moved*: paths that changed after they were shown, left to wait; *commits*: the drops; *waiting*: how
    many changes still do.
    """

    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    waiting: int = 0
    hint: str | None = None


def base(writer: Writer) -> str:
    """The revision that was reviewed last. Raises: UsageError where git is not ours."""
    if writer.config.local:
        hint = "review it there: git diff -- .memory-skill"
        raise UsageError("this memory belongs to a code repository", where=str(writer.tree.home), hint=hint)
    if not writer.config.commits:
        return "HEAD"  # history.commit = manual: what is not committed is what waits
    if writer.history.reviewed() is None:
        raise NotFound("nothing was ever reviewed", hint=f"git update-ref {REVIEWED} HEAD")
    return REVIEWED


def waiting(writer: Writer, *, badges: bool = True) -> list[Change]:
    """Every change that waits, by path; index files and what waits in the inbox are not among them."""
    since = base(writer)
    paths = _paths(writer, since)
    if not paths:
        return []
    before = writer.history.contents(since, paths)
    told = _told(writer, since)
    known = summaries(writer, paths) if badges and len(paths) <= MAX_TWINS else {}
    asked = _asked(writer, told)
    return [
        _change(writer, path, before.get(path), told.get(path, []), known, asked.get(path, ""))
        for path in paths
    ]


def _paths(writer: Writer, since: str) -> list[str]:
    found = writer.history.dirty() if since == "HEAD" else writer.history.differing(since)
    return sorted(path for path in found if _shown(path))


def _shown(path: str) -> bool:
    top, _, rest = path.partition("/")
    if not rest:
        return path in ("AGENTS.md", "config.toml")
    return top in (*NOTE_FOLDERS, "archive") and not path.endswith((f"/{INDEX}", ".identity.json"))


def _told(writer: Writer, since: str) -> dict[str, list[Commit]]:
    """The commits that touched each path, newest first."""
    found: dict[str, list[Commit]] = {}
    for commit in writer.history.log(limit=0, since=since) if since != "HEAD" else ():
        for path in commit.paths:
            found.setdefault(path, []).append(commit)
    return found


def _change(
    writer: Writer,
    path: str,
    old: bytes | None,
    told: Sequence[Commit],
    known: Mapping[str, str],
    asked: str,
) -> Change:
    new = _on_disk(writer, path)
    raw = (new or b"").decode("utf-8", "replace")
    # A secret that is in the files already is not shown on yet another screen.
    before, after = (gate.redact(text).text for text in ((old or b"").decode("utf-8", "replace"), raw))
    trailers = told[0].trailers if told else {}
    sources = {commit.trailers.get("Memory-Source", "") for commit in told}
    return Change(
        path=path,
        kind="new" if old is None else "gone" if new is None else "changed",
        before=before,
        after=after,
        asked=asked,
        why=_why(told[0]) if told else "",
        host=trailers.get("Memory-Host", "by hand" if trailers.get("Memory-Source") == "hand" else ""),
        session=trailers.get("Memory-Session", ""),
        commits=tuple(commit.id for commit in told),
        badges=tuple(badges_of(path, before, raw, sources, known)) if new is not None else (),
    )


def _on_disk(writer: Writer, path: str) -> bytes | None:
    try:
        return writer.tree.read_or_none(path)
    except MemorySkillError:
        return None


def _why(commit: Commit) -> str:
    """The sentence of a save; the commits of other verbs only repeat the difference, or name paths."""
    if commit.trailers.get("Memory-Verb") in ("settle", "edit", "forget"):
        return ""
    lines = [line for line in commit.body.splitlines() if line.strip() and not line.startswith("Scope: ")]
    return "\n".join(lines)


def _asked(writer: Writer, told: Mapping[str, Sequence[Commit]]) -> dict[str, str]:
    """What the user said in the turn of each path's newest commit, as far as the journal has it."""
    turns = {path: commits[0].trailers.get("Memory-Turn", "") for path, commits in told.items() if commits}
    said = {turn.id: turn.user for turn in Journal(writer.tree).find(filter(None, turns.values()))}
    return {path: shorten(one_line(said[turn]), MAX_ASKED) for path, turn in turns.items() if turn in said}


# --- deciding


def decide(
    writer: Writer,
    keep: Sequence[str],
    drop: Sequence[str],
    origin: Origin,
    seen: Mapping[str, str] | None = None,
) -> Reviewed:
    """Let *keep* count as reviewed, bring *drop* back to what was; for use inside `hold`.

    *seen* holds the texts as they were shown: another text is not decided by a look at this one.
    Raises: NotFound for a path without a change; Refused in a session that nobody attends.
    """
    _need_a_person(writer, origin)
    there = {change.path: change.after for change in waiting(writer, badges=False)}
    stray = next((path for path in (*keep, *drop) if path not in there), None)
    if stray:
        raise NotFound("no change of it waits", where=stray, hint="memory-skill review --json")
    moved = [path for path in (*keep, *drop) if seen is not None and there[path] != seen.get(path)]
    kept, dropped = ([path for path in paths if path not in moved] for paths in (keep, drop))
    done = [_drop(writer, path, origin) for path in dropped]
    if kept or dropped:
        _keep(writer, kept)
    return Reviewed(
        kept=tuple(kept),
        dropped=tuple(dropped),
        moved=tuple(moved),
        commits=tuple(written.commit for written in done if written.commit),
        waiting=len(_paths(writer, base(writer))),
        hint=next((written.warning for written in done if written.warning), None),
    )


def _need_a_person(writer: Writer, origin: Origin) -> None:
    """An agent alone must not call its own words reviewed; an attended host asks its user first."""
    if not (origin.host and origin.session):
        return
    if not Sessions(writer.tree.state).read(origin.host, origin.session).attended:
        hint = "a person reviews: memory-skill review"
        raise Refused("nobody attends this session", rule="unattended", hint=hint)


def _keep(writer: Writer, paths: Sequence[str]) -> None:
    since = base(writer)
    left = set(_paths(writer, since)) - set(paths)
    if since == "HEAD":
        rest = [] if left else [path for path in writer.history.dirty() if path not in paths]
        said = f"keep {paths[0]}" if len(paths) == 1 else f"keep {len(paths)} notes"
        writer.history.commit([*paths, *rest], said)
    elif not left:
        writer.history.mark_reviewed()  # index files and tombstones with it
    elif paths:
        writer.history.review(paths, since)


def _drop(writer: Writer, path: str, origin: Origin) -> Written:
    """Bring *path* back to what was reviewed; `undo` brings the change back.

    What it newly said leaves a tombstone, as `forget` does, or the next distillation would say it again.
    """
    before = writer.history.contents(base(writer), [path]).get(path)
    old = {entry.id for entry in skim(before or b"", path).entries}
    new = [entry.id for entry in skim(_on_disk(writer, path) or b"", path).entries]
    tombs = "".join(f"{ident} {date.today().isoformat()}\n" for ident in new if ident not in old)
    edits: dict[str, Edit] = {path: lambda _: before}
    if tombs:
        edits[TOMBSTONES] = lambda data: (data or b"") + tombs.encode()
    return writer.change(edits, message("undo", path, "dropped in review", origin))
