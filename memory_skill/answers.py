"""What each event of a host makes us do, and what we answer. Knows events of ours, no host's field.

Standard library only, until something that was found makes more necessary.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from . import distil, opening
from .abandoned import others_turns, own_turns
from .blocks import after_compaction, brief, first, health, recalled, second
from .calls import Call, keep_state, note_decision, state_of, step
from .heard import MAX_MESSAGE, MAX_TRANSCRIPT, finished, hear, log_missed, take_answer, weighed
from .hosts import HOSTS
from .hosts.base import Reply
from .journal import Journal, Turn, now
from .secrets import redact
from .sessions import Session, client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .settle import Settled

MAX_PROMPTS = 4  # of a session, kept until their stop
SETTLE_SECONDS = 5.0  # of a stop; what is not settled by then is at the next one


# --- events


def session_start(call: Call) -> Reply:
    """Settle, then the first block: the law and the standing part of the tree."""
    if call.event.subagent:
        return Reply()
    with call.attempt("settle", SETTLE_SECONDS):
        settle(call)
    with call.session() as record:
        _meet(call, record)
        record.started, record.in_turn = True, False
        if call.event.source != "resume":  # a resumed session still has before it what it was shown
            record.opened, record.task = False, ""
            record.shown.clear()
        if call.event.source in ("startup", "resume"):
            with call.attempt("catch up"):
                own_turns(call, record)
        take_answer(call, record)
        step(record, distil.Moment("start"))
        block = first(call, record) if call.host.SPEAKS_AT_START else ""
        if block and call.event.source == "compact":
            block = after_compaction(call, record, block)
        record.news = _refresh_hosts(call)
    with call.attempt("catch up"):
        others_turns(call)
    with call.attempt("prune"):
        call.sessions.prune()
        Journal(call.tree).prune(call.config.journal.keep_days, now()[:10])
        from . import ledger, working

        working.prune(call.tree, call.config.journal.keep_days)
        ledger.fold(call.tree.state)
    call.said = block
    return call.host.context("session-start", block)


def prompt(call: Call) -> Reply:
    """What the tree knows about the prompt, each entry once a session; before it, once, the second block."""
    if call.event.subagent:
        return Reply()
    with call.session() as record:
        _meet(call, record)
        if not call.event.prompt.strip():  # a task's end, a picture: nothing to recall by
            step(record, distil.Moment("prompt"))
            return Reply()
        if not call.event.again:
            take_answer(call, record)
            step(record, distil.Moment("prompt"))
        _keep_prompt(call, record)
        parts = []
        if not record.opened:
            with call.attempt("opening"):
                parts.append(second(call, record))
            record.opened = True
        with call.attempt("health"):
            parts.append(health(call, record))
        with call.attempt("recall"):
            parts.append(recalled(call, record, parts))
    call.said = "\n\n".join(filter(None, parts))
    return call.host.context("prompt", call.said)


def edited(call: Call) -> Reply:
    """Mark a file of the tree that the host's own tool wrote, with the session that wrote it."""
    rel = _in_tree(call, call.event.edited)
    if not rel:
        return Reply()
    with call.session() as record:
        _meet(call, record)
        record.saves += rel != "MEMORY.md" and rel.endswith(".md")
    call.sessions.edited(rel, record)
    return Reply()


def _in_tree(call: Call, name: str) -> str:
    """The path in the tree of the file *name*, or ''."""
    path = os.path.realpath(Path(call.event.cwd) / name) if name else ""
    home = os.path.realpath(call.tree.home)
    return path[len(home) + 1 :].replace(os.sep, "/") if path.startswith(home + os.sep) else ""


def stop(call: Call) -> Reply:
    """Settle, journal the turn, and when a distillation is due hold the turn with the brief."""
    if call.event.subagent:
        return Reply()
    changed = False
    with call.attempt("settle", SETTLE_SECONDS):
        changed = settle(call)
    with call.session() as record:
        _meet(call, record)
        record.saves += changed and not call.host.SPEAKS_AT_START  # Kimi's edited hook may have been killed
        turn = finished(call, record)
        moment = _stop_moment(call, turn)
        decision = step(record, moment)
        note_decision(call, decision)
        _refresh_hosts(call)
        if turn:  # else it may be a sub-agent's stop, and the turn goes on
            record.in_turn = decision.block
        if decision.counts and turn:
            with call.attempt("journal"):
                Journal(call.tree).append(turn)
            _release_offered(call, record)
        call.why = _why(moment, decision, state_of(record))
        if not decision.block:
            return Reply()
        call.sessions.write(record)  # the latch is on disk before a word is said
        text, shown = brief(call, record)
    if not text:
        return Reply()
    call.after.append(lambda: _deliver(call, moment.turn, shown))
    call.said = text
    return call.host.hold(text)


def compact(call: Call) -> Reply:
    """Before the host compacts: what was shown will be gone, and turns that no hook saw are caught up."""
    with call.session() as record:
        _meet(call, record)
        record.shown.clear()
        record.opened, record.task = False, ""
        step(record, distil.Moment("compact"))
        with call.attempt("catch up"):
            log_missed(call, record, hear(call, record))
    return Reply()


def interrupt(call: Call) -> Reply:
    with call.session() as record:
        record.in_turn = False
        step(record, distil.Moment("interrupt"))
    return Reply()


def session_end(call: Call) -> Reply:
    with call.session() as record:
        _meet(call, record)
        record.in_turn = False
        with call.attempt("catch up"):
            own_turns(call, record)
        step(record, distil.Moment("end", mode=_mode(call)))
    with call.attempt("settle", SETTLE_SECONDS):
        settle(call)
    return Reply()


ANSWERS: dict[str, Callable[[Call], Reply]] = {
    "session-start": session_start,
    "prompt": prompt,
    "edited": edited,
    "stop": stop,
    "compact": compact,
    "interrupt": interrupt,
    "session-end": session_end,
}


def answer(call: Call) -> Reply:
    """What the event of *call* makes us say: nothing where the user wants nothing kept."""
    if call.quiet:
        if not call.event.subagent:
            _pass_over(call)
        return Reply()
    return ANSWERS[call.event.kind](call)


def _pass_over(call: Call) -> None:
    """Keep only what tells whose commands these are, and go past the transcript: no later hook reads it."""
    with call.session() as record:
        _meet(call, record)
        record.prompts.clear()
        path = call.host.transcript(call.event, call.env)
        record.offset = path.stat().st_size if path else record.offset
        if call.event.kind == "prompt":
            record.turn, record.in_turn = call.event.turn, True
            record.client = client() if not call.event.turn else []
        elif call.event.kind in ("stop", "interrupt", "session-end"):
            record.in_turn = False


# --- the record of the session


def _meet(call: Call, record: Session) -> None:
    """Fill in what the first call of a session tells for good."""
    if not record.root:
        from .projects import Projects

        record.root = call.event.root or call.event.cwd
        home = Path(call.env.get("HOME") or Path.home())
        around = Projects(call.tree).around(Path(record.root), home) if record.root else []
        record.project, record.parents = (around[0], around[1:]) if around else ("", [])
    record.attended = call.event.attended is not False
    record.transcript = call.event.transcript or record.transcript
    if record.offset < 0 and call.event.kind in ("session-start", "prompt"):
        path = call.host.transcript(call.event, call.env)
        record.offset = path.stat().st_size if path else 0  # turns of before are not ours to log


def _keep_prompt(call: Call, record: Session) -> None:
    text = redact(call.event.prompt[:MAX_MESSAGE]).text
    record.prompts[call.event.turn] = [text, now()]
    while len(record.prompts) > MAX_PROMPTS:  # one may be queued while another runs
        del record.prompts[next(iter(record.prompts))]
    record.turn, record.in_turn = call.event.turn, True
    record.client = client() if not call.event.turn else []  # else the environment names the session


def _stop_moment(call: Call, turn: Turn | None) -> distil.Moment:
    moment = distil.Moment(
        "stop",
        turn.id if turn else call.event.turn,
        whole=turn is not None,
        again=call.event.again,
        mode=_mode(call),
        every=call.config.distil.every_turns,
    )
    return weighed(call, moment, turn) if turn else moment


def _mode(call: Call) -> str:
    """What is to be done when a pass is due."""
    knobs = call.config.distil
    return {True: "block", False: knobs.when_unattended, None: knobs.kimi}[call.event.attended]


def _why(moment: distil.Moment, decision: distil.Decision, state: distil.State) -> str:
    """Why this stop asks for no distillation; "" when it does."""
    if decision.block:
        return ""
    if not moment.whole or not decision.counts:
        return "no new turn"
    if state.waiting:
        return "nobody attends"
    if moment.mode == "off":
        return "off"
    return "not due" if state.since else "saved already"


# --- the tree


def settle(call: Call) -> bool:
    """Take up what was edited outside the verbs. True if anything was; loads nothing heavy otherwise."""
    from .settle import unsettled

    if not call.config.writable or not unsettled(call.tree, call.sessions):
        return False
    if call.event.kind == "stop":
        with call.attempt("writes"):
            _mark_writes(call)
    from .memory import Memory

    place = Path(call.event.root or call.event.cwd or call.tree.home)
    memory = Memory.open(env=call.env, cwd=place)
    memory.writer.by_meaning = False  # the next verb embeds; a host does not wait for a model to load
    found = memory.settle()
    for line in _aloud(found):
        call.events.notice(line)
    return bool(found.changed)


def _mark_writes(call: Call) -> None:
    """Tell whose the new files are, from the transcript, where the edited hook may have been killed."""
    path = call.host.transcript(call.event, call.env)
    if path is None:
        return
    record = call.sessions.read(call.event.host, call.event.session)
    start = max(record.offset, path.stat().st_size - MAX_TRANSCRIPT, 0)
    for rel in filter(None, (_in_tree(call, name) for name in call.host.written(path, start))):
        call.sessions.edited(rel, record)


def _aloud(found: Settled) -> Iterator[str]:
    """What a person must hear of a settle: it stands in the next session's second block."""
    yield from (f"{path}: {reason}" for path, reason in found.damaged)
    yield from (f"{path}: a secret was masked ({rules})" for path, rules in found.masked)
    yield from (f"{path} waits for you: {reason}" for path, reason in found.held)
    if "AGENTS.md" in found.changed:
        yield "AGENTS.md was changed; it is loaded in every session (memory-skill log AGENTS.md)"
    if found.warning:
        yield f"not committed: {found.warning}"


def _refresh_hosts(call: Call) -> str:
    """A host that takes its start text from a file gets the tree as it is now, whichever host changed it.

    Returns: what is new in the file of the calling host.
    """
    news = ""
    with call.attempt("refresh"):
        for host in HOSTS.values():
            new = host.refresh(call.env, lambda: opening.standing(call.tree, call.env))
            news = new if host.NAME == call.host.NAME else news
    return news


def _deliver(call: Call, turn: str, shown: tuple[str, ...]) -> None:
    with call.session() as record:
        step(record, distil.Moment("delivered", turn, turns=shown))


def _release_offered(call: Call, record: Session) -> None:
    """This turn had the waiting turns before it and came to its end: they wait no longer."""
    for owner, ids in record.offered.items():
        host, _, session = owner.partition("/")
        with call.attempt("waiting"), call.sessions.change(host, session) as other:
            keep_state(other, distil.release(state_of(other), ids))
    record.offered = {}
