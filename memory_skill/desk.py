"""The verbs of working memory: write, read, clear, close; see `working` for what it is.

Nothing of it is in git: it is gone with the task, and what of it lasts is distilled into notes.
"""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from . import gate, working
from .distil import OVERDUE, State
from .errors import Refused, UsageError
from .here import Here
from .journal import now
from .text import normalise
from .working import Todo, Working

MAX_CHARS = 20_000  # of one working memory; more is a document
PRIVATE = 0o600  # like the journal


class Closed(NamedTuple):
    """*archived*: where it lies now, None if there was none; *due*: whether the next stop asks to distil."""

    archived: str | None
    due: bool


def write(here: Here, wanted: Working, scope: str | None = None) -> Working:
    """Put *wanted* in the place of this session's working memory; secrets are masked.

    The first of a session takes over what was open in the one that an earlier session left, and archives it.
    Raises: UsageError for an empty or an overlong one, NotFound without a tree.
    """
    here.must_speak()
    where, (host, session) = _where(here, scope)
    if wanted.empty:
        raise UsageError("there is nothing in it", hint="memory-skill working clear takes it away")
    record = here.sessions.read(host, session)
    path = working.path_of(where, host, session)
    with here.writer.hold():
        fresh = not (here.tree.home / path).exists()
        left = working.others(here.tree, where, host, session)[:1] if fresh else []
        whole = _carrying(wanted, left)._replace(
            host=host, session=session, turn_watermark=working.watermark(record), written=now()
        )
        text = gate.redact(working.form(whole, where)).text
        if len(text) > MAX_CHARS:
            raise UsageError(f"{len(text):,} characters, at most {MAX_CHARS:,}", hint="keep what is open")
        here.tree.write(path, text.encode("utf-8", "replace"))
        (here.tree.home / path).chmod(PRIVATE)
        for one in left:
            here.tree.move(one.path, working.archive_path(here.tree, one, date.today().isoformat()))
    return working.parse(text, path)


def _carrying(wanted: Working, left: list[Working]) -> Working:
    known = {normalise(todo.text) for todo in wanted.todos}
    more = [Todo(text) for one in left for text in one.open if normalise(text) not in known]
    return wanted._replace(todos=(*wanted.todos, *more))


def read(here: Here, scope: str | None = None) -> tuple[str, Working | None]:
    """The scope, and its working memory: this session's, else the newest that was left."""
    here.must_exist()
    where, (host, session) = _where(here, scope)
    return where, working.current(here.tree, where, host, session)


def clear(here: Here, scope: str | None = None) -> bool:
    """Take away this session's working memory. False if there was none; that is no error."""
    where, (host, session) = _where(here, scope)
    path = working.path_of(where, host, session)
    with here.writer.hold():
        there = (here.tree.home / path).exists()
        here.tree.remove(path)
    return there


def close(here: Here, scope: str | None = None, *, force: bool = False) -> Closed:
    """The task is done: archive its working memory, and let the next stop ask what of it lasts.

    Raises: Refused while a todo is open, unless *force*.
    """
    where, found = read(here, scope)
    if found is None:
        return Closed(None, False)
    if found.open and not force:
        count = len(found.open)
        what = "1 todo is open" if count == 1 else f"{count} todos are open"
        hint = f"finish it first ({found.open[0][:60]}), or: memory-skill working close --force"
        raise Refused(what, rule="open-todos", where=where, hint=hint)
    with here.writer.hold():
        archived = working.archive_path(here.tree, found, date.today().isoformat())
        here.tree.move(found.path, archived)
        (here.tree.home / archived).chmod(PRIVATE)
    return Closed(archived, _make_due(here))


def _make_due(here: Here) -> bool:
    """Let the session's next stop hold the turn with a brief. False outside a session."""
    host, session = here.origin.host, here.origin.session
    if not (host and session):
        return False
    with here.sessions.change(host, session) as record:
        record.distil = {**record.distil, **State.load(record.distil)._replace(since=OVERDUE).keep()}
    return True


def _where(here: Here, scope: str | None) -> tuple[str, tuple[str, str]]:
    where = here.one_scope(scope) if scope else here.reading
    return where, (here.origin.host or "", here.origin.session or "")
