"""Turns of the journal a page at a time, for an agent whose brief could not quote them all."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from .distil import Moment, State, step
from .here import Here
from .journal import FOLDER, Turn, format_turn

PAGE_CHARS = 4000  # of one page, its last line included
LAST_CHARS = 300  # of it kept for the line that says how to go on


def page(turns: Sequence[Turn], command: str = "memory-skill") -> tuple[str, list[Turn]]:
    """The first of *turns* that fit, whole ones only, and those; the last line is the command for the rest.

    A turn that is longer than a page has one for itself: its beginning, and the file that holds it whole.
    """
    text, kept = "", list[Turn]()
    for turn in turns:
        section = format_turn(turn)
        if kept and len(text) + len(section) > PAGE_CHARS - LAST_CHARS:
            break
        text, kept = text + _bounded(section, turn), [*kept, turn]
    left = len(turns) - len(kept)
    if left:
        told = f"{command} journal show --since {shlex.quote(kept[-1].id)}"
        text += f"[{left} more: {told}{_of_session(turns)}]\n"
    return text, kept


def _bounded(section: str, turn: Turn) -> str:
    room = PAGE_CHARS - LAST_CHARS
    if len(section) <= room:
        return section
    told = f"\n[… {{:,}} characters more in {FOLDER}/{turn.time[:10]}.md]\n\n"
    room -= len(told)
    return section[:room].rstrip() + told.format(len(section) - room)


def _of_session(turns: Sequence[Turn]) -> str:
    sessions = {turn.session for turn in turns}
    return f" --session {shlex.quote(sessions.pop())}" if len(sessions) == 1 else ""


def seen(here: Here, turns: Sequence[Turn]) -> None:
    """The session that is asked to distil has read *turns*: with its answer the mark moves past them."""
    host, session = here.origin.host, here.origin.session
    if not (host and session and State.load(here.sessions.read(host, session).distil).delivered):
        return
    with here.sessions.change(host, session) as record:
        state, _ = step(State.load(record.distil), Moment("paged", turns=tuple(turn.id for turn in turns)))
        record.distil = {**record.distil, **state.keep()}
