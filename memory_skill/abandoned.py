"""Turns whose Stop never came (a crash, an interrupt, an API error), logged when a session starts or ends."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from . import privacy
from .calls import Call
from .heard import MAX_MESSAGE, MAX_TRANSCRIPT, hear, log_missed
from .hosts.base import Event
from .journal import Journal, Turn
from .secrets import redact
from .sessions import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hosts.base import Heard

QUIET_SECONDS = 30.0  # a transcript that was written later may have its Stop still to come
NO_REPLY = "[no reply: the turn was broken off]"


def own_turns(call: Call, record: Session) -> None:
    """Of the session that is resumed or ends: no turn of it runs."""
    before = record.offset, record.mark
    if before[0] < 0:
        return
    heard = hear(call, record)
    _log(call, record, heard)
    record.offset, record.mark = before  # whoever looks for the answer to a brief reads these turns again


def others_turns(call: Call) -> None:
    """Of this host's other sessions that ended within a turn: their client was killed."""
    for record in call.sessions.all():
        if record.host != call.host.NAME or record.session == call.event.session or not record.in_turn:
            continue
        path = _transcript(call, record)
        quiet = privacy.quiet(call.config, record.root or "/", incognito=record.incognito)
        if quiet or not path or record.offset < 0 or _age(path) < QUIET_SECONDS:
            continue
        with call.sessions.change(record.host, record.session) as other:
            heard, _ = call.host.turns(path, max(other.offset, path.stat().st_size - MAX_TRANSCRIPT))
            _log(call, other, heard)
            other.in_turn = False


def _transcript(call: Call, record: Session) -> Path | None:
    asked = Event("stop", record.host, record.session, "", "", transcript=record.transcript)
    return call.host.transcript(asked, call.env)


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _log(call: Call, record: Session, heard: Iterable[Heard]) -> None:
    """In the order they were said."""
    for turn in heard:
        log_missed(call, record, [turn])
        _log_unanswered(call, record, turn)


def _log_unanswered(call: Call, record: Session, turn: Heard) -> None:
    """What the user said counts though nobody answered; a command that the host itself answers does not."""
    said = redact(turn.user[:MAX_MESSAGE]).text
    if turn.id and said.strip() and not (turn.assistant or turn.ended == "completed" or said.startswith("/")):
        place = (record.host, record.session, said, NO_REPLY, record.project)
        Journal(call.tree).append(Turn(turn.id, turn.time, *place))
