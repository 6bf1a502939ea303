"""What each event of a host makes us do, and what we answer. Knows events of ours, no host's field.

Standard library only, until something that was found makes more necessary.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from . import config as configuration
from . import distil, opening
from .events import Events
from .gate import redact
from .hosts import HOSTS
from .hosts.base import Event, Reply, units
from .journal import Journal, Turn, now
from .sessions import Session, Sessions, client
from .text import one_line, shorten
from .tree import Tree, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hosts.base import Heard, Host
    from .search import Search

MAX_TRANSCRIPT = 4_000_000  # bytes read of a transcript at once; what lies further back is let go
MAX_MESSAGE = 20_000  # characters of one message in the journal
SECOND_CHARS = 2500  # of the second block, where the host sets no limit
RECALL_SHARE = 700  # characters of a host's limit that the second block leaves to recall
MIN_RECALL = 200  # characters; less room holds no entry
DEAD_AFTER = 3  # prompts without a stop, starts without a prompt
MAX_PROMPTS = 4  # of a session, kept until their stop
NEAREST = 5  # notes named in the brief


class Call:
    """One call of a hook: what was asked, in which tree, and what went wrong on the way."""

    def __init__(self, host: Host, event: Event, env: Mapping[str, str]) -> None:
        self.host, self.event, self.env = host, event, env
        place = {**env, "PWD": event.root or event.cwd}
        self.config, self.config_trouble = configuration.load_for_hook(place)
        self.tree = Tree(self.config.home)
        self.sessions = Sessions(self.tree.state)
        self.events = Events(self.tree.state)
        self.troubles: list[str] = []
        self.after: list[Callable[[], None]] = []  # done once the answer is out

    @contextlib.contextmanager
    def attempt(self, what: str) -> Iterator[None]:
        """A part without which the rest still serves: its error is noted, and the call goes on."""
        try:
            yield
        except Exception as error:
            self.troubles.append(f"{what}: {type(error).__name__}: {error}")

    def session(self) -> contextlib.AbstractContextManager[Session]:
        return self.sessions.change(self.event.host, self.event.session)


# --- events


def session_start(call: Call) -> Reply:
    """Settle, then the first block: the law and the standing part of the tree."""
    if call.event.subagent:
        return Reply()
    with call.attempt("settle"):
        settle(call)
    with call.session() as record:
        _meet(call, record)
        record.started, record.in_turn = True, False
        if call.event.source != "resume":  # a resumed session still has before it what it was shown
            record.opened = False
            record.shown.clear()
        _take_answer(call, record)
        _step(record, distil.Moment("start"))
        text = _first(call, record) if call.host.SPEAKS_AT_START else ""
        record.news = _refresh_hosts(call)
    with call.attempt("prune"):
        call.sessions.prune()
        Journal(call.tree).prune(call.config.journal.keep_days, now()[:10])
    return call.host.context("session-start", text)


def _first(call: Call, record: Session) -> str:
    """The first block; a part that cannot be had is left out."""
    pins, limit = "", call.host.CONTEXT_UNITS
    with call.attempt("pinned"):
        pins = _pinned(call, record)
    return opening.first(
        call.tree,
        call.env,
        record.project,
        pins,
        with_index=not call.host.reads_index(call.env, record.root, call.tree.home),
        fits=lambda text: limit is None or units(text) <= limit,
    )


def prompt(call: Call) -> Reply:
    """What the tree knows about the prompt, each entry once a session; before it, once, the second block."""
    if call.event.subagent:
        return Reply()
    with call.session() as record:
        _meet(call, record)
        if not call.event.prompt.strip():  # a task's end, a picture: nothing to recall by
            _step(record, distil.Moment("prompt"))
            return Reply()
        if not call.event.again:
            _take_answer(call, record)
            _step(record, distil.Moment("prompt"))
        _keep_prompt(call, record)
        parts = []
        if not record.opened:
            with call.attempt("opening"):
                parts.append(_second(call, record))
            record.opened = True
        with call.attempt("recall"):
            parts.append(_recalled(call, record, _room(call, parts)))
    return call.host.context("prompt", "\n\n".join(filter(None, parts)))


def edited(call: Call) -> Reply:
    """Mark a file of the tree that the host's own tool wrote, with the session that wrote it."""
    path = os.path.realpath(Path(call.event.cwd) / call.event.edited) if call.event.edited else ""
    home = os.path.realpath(call.tree.home)
    if not path.startswith(home + os.sep):
        return Reply()
    rel = path[len(home) + 1 :].replace(os.sep, "/")
    with call.session() as record:
        _meet(call, record)
        record.saves += rel != "MEMORY.md" and rel.endswith(".md")
    call.sessions.edited(rel, record)
    return Reply()


def stop(call: Call) -> Reply:
    """Settle, journal the turn, and when a distillation is due hold the turn with the brief."""
    if call.event.subagent:
        return Reply()
    changed = False
    with call.attempt("settle"):
        changed = settle(call)
    with call.session() as record:
        _meet(call, record)
        record.saves += changed and not call.host.SPEAKS_AT_START  # Kimi's edited hook may have been killed
        turn = _finished(call, record)
        moment = _stop_moment(call, turn)
        decision = _step(record, moment)
        _refresh_hosts(call)
        if turn:  # else it may be a sub-agent's stop, and the turn goes on
            record.in_turn = decision.block
        if decision.counts and turn:
            with call.attempt("journal"):
                Journal(call.tree).append(turn)
            _release_offered(call, record)
        if not decision.block:
            return Reply()
        call.sessions.write(record)  # the latch is on disk before a word is said
        text, shown = _brief(call, record)
    if not text:
        return Reply()
    call.after.append(lambda: _deliver(call, moment.turn, shown))
    return call.host.hold(text)


def compact(call: Call) -> Reply:
    """Before the host compacts: what was shown will be gone, and turns that no hook saw are caught up."""
    with call.session() as record:
        _meet(call, record)
        record.shown.clear()
        record.opened = False
        _step(record, distil.Moment("compact"))
        with call.attempt("catch up"):
            _log_missed(call, record, _hear(call, record))
    return Reply()


def interrupt(call: Call) -> Reply:
    with call.session() as record:
        record.in_turn = False
        _step(record, distil.Moment("interrupt"))
    return Reply()


def session_end(call: Call) -> Reply:
    with call.session() as record:
        _meet(call, record)
        record.in_turn = False
        with call.attempt("catch up"):
            _log_missed(call, record, _hear(call, record))
        _step(record, distil.Moment("end"))
    with call.attempt("settle"):
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


# --- the record of the session


def _meet(call: Call, record: Session) -> None:
    """Fill in what the first call of a session tells for good."""
    if not record.root:
        from .projects import Projects

        record.root = call.event.root or call.event.cwd
        record.project = Projects(call.tree).slug(Path(record.root)) if record.root else ""
    record.attended = call.event.attended is not False
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


def _step(record: Session, moment: distil.Moment) -> distil.Decision:
    """One transition of the session's state, with the saves that were made since the last."""
    seen = record.distil.get("saves", 0)
    moment = moment._replace(saved=moment.saved or record.saves > seen)
    state, decision = distil.step(_state(record), moment)
    _keep_state(record, state)
    return decision


def _keep_state(record: Session, state: distil.State) -> None:
    record.distil = {**state.keep(), "saves": record.saves}
    record.waiting = len(state.pending) if state.waiting else 0


def _state(record: Session) -> distil.State:
    return distil.State.load(record.distil)


def _stop_moment(call: Call, turn: Turn | None) -> distil.Moment:
    knobs = call.config.distil
    mode = {True: "block", False: knobs.when_unattended, None: knobs.kimi}[call.event.attended]
    return distil.Moment(
        "stop",
        turn.id if turn else call.event.turn,
        whole=turn is not None,
        again=call.event.again,
        mode=mode,
        every=knobs.every_turns,
    )


# --- turns


def _finished(call: Call, record: Session) -> Turn | None:
    """The turn that this stop ends: from the payload if it tells the reply, else from the transcript."""
    said = record.prompts.get(call.event.turn)
    if said and call.event.reply:
        return _turn(record, call.event.turn, said[1], said[0], call.event.reply)
    heard = _hear(call, record)
    _log_missed(call, record, heard[:-1])
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


def _hear(call: Call, record: Session) -> list[Heard]:
    """New turns of the transcript and its last one again; the place to go on from is kept in the record."""
    path = call.host.transcript(call.event, call.env)
    if path is None:
        return []
    size, known = path.stat().st_size, record.offset >= 0
    start = record.offset if known and record.offset <= size else 0  # truncated: another file by now
    heard, record.offset = call.host.turns(path, max(start, size - MAX_TRANSCRIPT))
    return heard if known else heard[-1:]  # turns of before our first sight are not ours to log


def _take_answer(call: Call, record: Session) -> None:
    """If a brief is out and the transcript shows a reply to it, the pass is over."""
    state = _state(record)
    if not state.delivered:
        return
    with call.attempt("transcript"):
        if any(turn.answered and turn.id == state.blocked for turn in _hear(call, record)):
            _step(record, distil.Moment("answered", every=call.config.distil.every_turns))


def _log_missed(call: Call, record: Session, missed: Iterable[Heard]) -> None:
    """Log the turns of the transcript whose stop no hook saw; they are nobody's reason to be held."""
    known = {*_state(record).counted, *_state(record).pending}
    for heard in missed:
        if heard.id in known or heard.ended != "completed":
            continue
        turn = _turn(record, heard.id, heard.time, heard.user, heard.assistant)
        if turn and Journal(call.tree).append(turn):
            _step(record, distil.Moment("stop", turn.id, mode="off", every=call.config.distil.every_turns))


# --- the tree


def settle(call: Call) -> bool:
    """Take up what was edited outside the verbs. True if anything was; loads nothing heavy otherwise."""
    from .settle import unsettled

    if not call.config.writable or not unsettled(call.tree, call.sessions):
        return False
    from .memory import Memory

    place = Path(call.event.root or call.event.cwd or call.tree.home)
    return bool(Memory.open(call.tree.home, env=call.env, cwd=place).settle().changed)


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


def _pinned(call: Call, record: Session, most: int | None = None) -> str:
    """What is pinned, without its age: the bytes change with the tree alone. Recall need not repeat it."""
    from .recall import pinned

    scope = _scope(record)
    found = pinned(scope, tree=call.tree, search=_search(call), config=call.config, max_chars=most)
    for hit in found.hits:
        record.show(hit.address, digest(hit.text.encode()))
    return "\n\n".join(f"## {hit.address}\n{hit.text.strip()}" for hit in found.hits)


def _scope(record: Session) -> str:
    return f"project:{record.project}" if record.project else "global"


def _search(call: Call) -> Search:
    from .search import INDEX_FILE, Search

    return Search(call.tree.state / INDEX_FILE)


def _room(call: Call, parts: list[str]) -> int:
    """Characters that recall may fill."""
    most = call.config.recall.prompt_chars
    if call.host.PROMPT_CHARS is None:
        return most
    taken = sum(len(part) + 2 for part in parts if part)
    return min(most, call.host.PROMPT_CHARS - taken)


def _recalled(call: Call, record: Session, room: int) -> str:
    """The rendered entries that fit the prompt and that this session has not seen in this wording."""
    from .recall import Recalled, recall, render

    if room < MIN_RECALL:
        return ""
    found = recall(
        call.event.prompt,
        _scope(record),
        tree=call.tree,
        search=_search(call),
        config=call.config,
        limit=call.config.recall.limit,
        max_chars=room,
        shown=record.shown,
    )
    seen = {hit.address: digest(hit.text.encode()) for hit in found.hits}
    hits = tuple(hit for hit in found.hits if record.shown.get(hit.address) != seen[hit.address])
    for hit in hits:
        record.show(hit.address, seen[hit.address])
    return render(Recalled(found.outcome, hits=hits, omitted=found.omitted), room) if hits else ""


def _brief(call: Call, record: Session) -> tuple[str, tuple[str, ...]]:
    """The brief over the turns past the mark, and which of them it shows; ("", ()) if it cannot be made."""
    with call.attempt("brief"):
        turns, near = Journal(call.tree).find(_state(record).pending), list[dict[str, str]]()
        with call.attempt("nearest"):
            near = _nearest(call, record, turns)
        return distil.brief(
            turns,
            near,
            home=Path(opening.shown(call.tree.home, call.env)),
            command=opening.command(call.env),
            scope=_scope(record),
        )
    return "", ()


def _nearest(call: Call, record: Session, turns: list[Turn]) -> list[dict[str, str]]:
    """Existing notes that lie next to these turns, so that the agent mends them instead of adding twins."""
    from .recall import recall

    said = "\n".join(f"{turn.user}\n{turn.assistant}" for turn in turns)
    found = recall(
        said, _scope(record), tree=call.tree, search=_search(call), config=call.config, limit=NEAREST
    )
    return [{"address": hit.address, "description": shorten(one_line(hit.text), 120)} for hit in found.hits]


def _deliver(call: Call, turn: str, shown: tuple[str, ...]) -> None:
    with call.session() as record:
        _step(record, distil.Moment("delivered", turn, turns=shown))


# --- the second block


def _second(call: Call, record: Session) -> str:
    """Notices, turns that wait, and the project part where the host cannot speak at its start."""
    limit = call.host.PROMPT_CHARS
    room = SECOND_CHARS if limit is None else limit - RECALL_SHARE
    parts = [opening.notices(_notices(call, record))]
    if record.news:
        parts.append(opening.news(record.news))
        record.news = ""
    if not call.host.SPEAKS_AT_START:
        rest = room - sum(len(part) + 2 for part in parts)
        parts.append(opening.project_part(call.tree, record.project, _pinned(call, record, rest // 2), rest))
    rest = room - sum(len(part) + 2 for part in parts)
    if call.event.attended is not False:
        parts.append(_waiting(call, record, rest))
    return "\n\n".join(filter(None, parts))


def _notices(call: Call, record: Session) -> list[str]:
    lines = [f"config: {call.config_trouble}; the last valid one is in force"] if call.config_trouble else []
    lines += dead_hooks(call.events, call.event.host)
    if not record.started:
        lines.append("the session-start hook did not run (memory-skill doctor)")
    if call.event.attended is not False:
        lines += call.events.take_notices()
    inbox = sum(1 for path in (call.tree.home / "inbox").glob("*.md") if path.name != "README.md")
    if inbox:
        lines.append(f"{inbox} {'entry waits' if inbox == 1 else 'entries wait'} in the inbox")
    return lines


def dead_hooks(events: Events, host: str) -> list[str]:
    """One line for each hook of *host* that fails, or that no longer runs though its neighbour does."""
    lines = []
    for beat in events.heartbeats():
        if beat.host != host:
            continue
        if beat.failures:
            since = f"since {beat.failed} ({beat.failures}x)"
            lines.append(f"the {beat.event} hook fails {since}: {beat.trouble}")
        silent = {"prompt": "stop", "session-start": "prompt"}.get(beat.event)
        if silent and beat.alone >= DEAD_AFTER:
            lines.append(f"the {silent} hook has not run for {beat.alone} times (memory-skill doctor)")
    return lines


def _waiting(call: Call, record: Session, room: int) -> str:
    """Turns of this project that earlier sessions left undistilled because nobody attended."""
    owners: dict[str, str] = {}
    for other in call.sessions.waiting():
        apart = (other.host, other.session) != (record.host, record.session)
        if apart and other.project == record.project and not other.in_turn:
            owners |= dict.fromkeys(_state(other).pending, f"{other.host}/{other.session}")
    text, ids = opening.waiting(Journal(call.tree).find(owners), room)
    for ident in ids:
        record.offered.setdefault(owners[ident], []).append(ident)
    return text


def _release_offered(call: Call, record: Session) -> None:
    """This turn had the waiting turns before it and came to its end: they wait no longer."""
    for owner, ids in record.offered.items():
        host, _, session = owner.partition("/")
        with call.attempt("waiting"), call.sessions.change(host, session) as other:
            _keep_state(other, distil.release(_state(other), ids))
    record.offered = {}
