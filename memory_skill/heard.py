"""The turns that a call learns of: from its payload, the session's record, and the host's transcript."""

from __future__ import annotations

from collections.abc import Iterable

from . import distil
from .calls import Call, state_of, step
from .hosts.cursor import Cursor, digest, place
from .journal import Journal, Turn
from .secrets import redact
from .sessions import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hosts.base import Heard

MAX_TRANSCRIPT = 4_000_000  # bytes read of a transcript at once; what lies further back is let go
MAX_MESSAGE = 20_000  # characters of one message in the journal


def finished(call: Call, record: Session) -> Turn | None:
    """The turn that this stop ends: from the payload if it tells the reply, else from the transcript."""
    said = record.prompts.get(call.event.turn)
    if said and call.event.reply:
        return _turn(record, call.event.turn, said[1], said[0], call.event.reply)
    heard = hear(call, record)
    log_missed(call, record, heard[:-1])
    last = heard[-1] if heard else None
    if last is None or (call.event.turn and last.id != call.event.turn):
        return None  # nobody typed anything: a shell command in Claude Code's screen ends with a stop too
    return _turn(record, last.id, last.time, last.user, call.event.reply or last.assistant)


def _turn(record: Session, ident: str, when: str, user: str, reply: str) -> Turn | None:
    user, reply = (redact(_bounded(text)).text for text in (user, reply))
    if not (ident and user.strip() and reply.strip()):
        return None
    return Turn(ident, when, record.host, record.session, user, reply, record.project)


def _bounded(text: str) -> str:
    gone = len(text) - MAX_MESSAGE
    return text if gone <= 0 else f"{text[:MAX_MESSAGE]}\n[{gone:,} characters left out]"


def hear(call: Call, record: Session) -> list[Heard]:
    """New turns of the transcript and its last one again; the place to go on from is kept in the record."""
    path = call.host.transcript(call.event, call.env)
    if path is None:
        return []
    size, known = path.stat().st_size, record.offset >= 0
    start = record.offset if known and record.offset <= size else 0  # truncated: another file by now
    if record.mark:
        start = place(path, Cursor(start, record.mark))
    heard, record.offset = call.host.turns(path, max(start, size - MAX_TRANSCRIPT))
    record.mark = digest(path, record.offset) if heard else 0
    return heard if known else heard[-1:]  # turns of before our first sight are not ours to log


def take_answer(call: Call, record: Session) -> None:
    """If a brief is out and the transcript shows a reply to it, the pass is over."""
    state = state_of(record)
    if not state.delivered:
        return
    with call.attempt("transcript"):
        if any(turn.answered and turn.id == state.blocked for turn in hear(call, record)):
            step(record, distil.Moment("answered", every=call.config.distil.every_turns))


def log_missed(call: Call, record: Session, missed: Iterable[Heard]) -> None:
    """Log the turns of the transcript whose stop no hook saw; they are nobody's reason to be held."""
    known = {*state_of(record).counted, *state_of(record).pending}
    for heard in missed:
        if heard.id in known or heard.ended != "completed":
            continue
        turn = _turn(record, heard.id, heard.time, heard.user, heard.assistant)
        if turn and Journal(call.tree).append(turn):
            moment = distil.Moment("stop", turn.id, mode="off", every=call.config.distil.every_turns)
            step(record, weighed(call, moment, turn))


def weighed(call: Call, moment: distil.Moment, turn: Turn) -> distil.Moment:
    """*moment* with what its turn holds; only what the user said asks to be kept early."""
    from .worth import of_turn

    level, sign = of_turn(turn.user, turn.assistant, call.config.gate)
    return moment._replace(level=level, sign="" if sign == "cause" else sign)
