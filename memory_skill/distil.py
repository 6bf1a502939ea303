"""When a session is asked to distil its latest turns, and the brief that asks.

`step` is a pure function over a small frozen `State`: every rule about interruptions stands here and nowhere
else. Hosts are unknown to it; who calls it keeps the state, and keeps it before anything is said aloud.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .light import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Literal

    from .journal import Turn

    Kind = Literal["prompt", "stop", "answered", "delivered", "paged", "interrupt", "compact", "start", "end"]

MAX_GROWTH = 4  # times N: the longest pause after empty passes
MAX_PENDING = 60  # turns waiting in one session: far more than a brief can show
MAX_COUNTED = 8  # ids of counted turns kept against duplicates
OVERDUE = 1_000_000  # turns since the last brief: more than any pause, so that the next stop asks
SUMMARY_TURNS = (
    20  # counted turns of a session after which a brief asks for a summary, and after as many again
)
LITTLE = 1  # what a turn holds, as `worth` says it: 0 nothing, 1 little, 2 much
BRIEF_CHARS = 4000
TURN_CHARS = 1200  # of a turn that is longer than a brief: it is quoted by the two ends of its messages


class Moment(NamedTuple):
    """One thing that happened in a session.

    `stop`: the turn *turn* reached its final reply; *whole* if it has a user message and a reply; *again* if
    a stop hook already held it; *mode* is what to do when a pass is due (`block`, `wait` or `off`).
    *level* and *sign* are what that turn holds (`worth.Worth`).
    `delivered`: the brief over *turns* is printed; `paged`: a page of the journal showed *turns* since.
    `answered`: the model replied to it.
    `start`: the session starts or resumes. *saved*: the session saved something since the last moment.
    """

    kind: Kind
    turn: str = ""
    whole: bool = True
    subagent: bool = False
    again: bool = False
    saved: bool = False
    mode: str = "block"
    every: int = 3  # N of the config
    level: int = 2
    sign: str = ""
    turns: tuple[str, ...] = ()


class State(NamedTuple):
    """Where a session stands. *pending*: the turns past the mark, which no answered brief has shown."""

    every: int = 0  # turns between two briefs by now; 0: as configured
    since: int = 0  # counted turns since the last brief, or since a pass was not needed
    pending: tuple[str, ...] = ()
    counted: tuple[str, ...] = ()  # newest last
    blocked: str = ""  # the turn that was held last
    shown: tuple[str, ...] = ()  # turns in the brief that is out; () when none is
    delivered: bool = False  # it left the process
    saved: bool = False  # the session saved since the last brief, or since a pass was not needed
    waiting: bool = False  # a pass was due while nobody attended, or the session ended before it
    idle: tuple[str, ...] = ()  # pending turns that hold little, or for which a save stood
    empty: tuple[str, ...] = ()  # pending turns that hold nothing
    said: tuple[str, ...] = ()  # pending turns that ask to be kept, and nothing was saved since
    total: int = 0  # counted turns
    asked: int = 0  # of them when the last summary was asked for

    @classmethod
    def load(cls, kept: dict[str, Any]) -> State:
        """The state from a session record; what is not of its form is left at the default."""
        blank = cls()
        values: dict[str, Any] = {}
        for name, default in blank._asdict().items():
            value = kept.get(name)
            value = tuple(map(str, value)) if isinstance(value, list) else value
            if type(value) is type(default):
                values[name] = value
        return cls(**values)

    def keep(self) -> dict[str, Any]:
        return self._asdict()

    @property
    def matters(self) -> tuple[str, ...]:
        """The pending turns that hold something."""
        light = {*self.idle, *self.empty}
        return tuple(turn for turn in self.pending if turn not in light)

    @property
    def wants_summary(self) -> bool:
        return self.total - self.asked >= SUMMARY_TURNS


class Decision(NamedTuple):
    """What to do now: the turn *counts* (journal it), and *block* over the pending turns; *why* it is so."""

    counts: bool = False
    block: bool = False
    why: str = ""


NOTHING = Decision()


def step(state: State, moment: Moment) -> tuple[State, Decision]:
    """The state after *moment*, and what to do.

    At most one block a turn and one per `every` counted turns, half of N when something was said that asks to
    be kept; none in sub-agents, none for a session that saved since the last, none over turns that hold
    nothing. The mark moves only past turns that an answered brief, or its pages, have shown.
    """
    if moment.subagent:
        return state, NOTHING
    if moment.saved:
        state = state._replace(saved=True)
    if moment.kind == "stop":
        return _stop(state, moment)
    if moment.kind in ("delivered", "paged"):
        return (_deliver if moment.kind == "delivered" else _page)(state, moment), NOTHING
    if moment.kind == "answered":
        return _answer(state, moment.every), NOTHING
    state = _drop(state)
    if moment.kind == "compact":  # these turns leave the context: the next brief shows them, and soon
        return state._replace(said=state.matters), NOTHING
    if moment.kind == "end" and moment.mode != "off":
        return state._replace(waiting=state.waiting or bool(state.matters)), NOTHING
    return state, NOTHING


def _stop(state: State, moment: Moment) -> tuple[State, Decision]:
    if moment.again and moment.turn == state.blocked:
        return _answer(state, moment.every), NOTHING
    if not moment.whole or not moment.turn or moment.turn in state.counted:
        return state, NOTHING
    state = _count(_drop(state), moment)
    why = _due(state, moment.every)
    if not why or moment.again or moment.mode == "off":
        return state, Decision(counts=True)
    if state.saved and why != "summary":
        since = state.since if state.wants_summary else 0  # a summary is asked for all the same
        state = state._replace(since=since, saved=False, every=moment.every, idle=state.pending, said=())
        return state, Decision(counts=True, why="skipped: the session saved")
    if not _worth_it(state, moment.every, why):
        return state, Decision(counts=True, why="skipped: nothing that could matter")
    if moment.mode != "block":
        return state._replace(waiting=True), Decision(counts=True, why="waits: nobody attends")
    held = state._replace(since=0, blocked=moment.turn, shown=state.pending, delivered=False, waiting=False)
    return held, Decision(counts=True, block=True, why=f"asked: {moment.sign or why}")


def _count(state: State, moment: Moment) -> State:
    """The turn is counted; a save of the session stood for what was said before it and in it."""
    turn = (moment.turn,)
    state = state._replace(
        since=state.since + 1,
        total=state.total + 1,
        counted=(*state.counted, *turn)[-MAX_COUNTED:],
        pending=(*state.pending, *turn)[-MAX_PENDING:],
        idle=state.idle + turn * (moment.level == LITTLE),
        empty=state.empty + turn * (moment.level < LITTLE),
        said=() if state.saved else state.said + turn * bool(moment.sign),
    )
    return _among_pending(state)


def _due(state: State, base: int) -> str:
    """Why a pass is due, "" if none is."""
    if state.since >= OVERDUE:
        return "the task is closed"
    # A brief that comes anyway asks for it first; later ones only then.
    if state.total >= SUMMARY_TURNS + base and not state.asked and state.since >= base:
        return "summary"
    if state.said and state.since >= (base + 1) // 2:
        return "said"
    return "due" if state.since >= _every(state, base) else ""


def _worth_it(state: State, base: int, why: str) -> bool:
    """Whether the turns past the mark could hold anything. A single remark, to which no sign draws attention,
    waits for a second one up to twice the pause; small talk is asked about when it is long."""
    if why in ("the task is closed", "summary") or state.said or len(state.matters) > 1:
        return True
    longest = MAX_GROWTH * base
    if state.matters:
        return state.since >= min(2 * _every(state, base), longest)
    return state.since >= longest and set(state.pending) > set(state.empty)


def _deliver(state: State, moment: Moment) -> State:
    """The brief went out and held only *turns*; the others stay for a later one."""
    if not state.shown or moment.turn != state.blocked:
        return state
    shown = tuple(turn for turn in state.shown if turn in moment.turns)
    return state._replace(shown=shown, delivered=bool(shown))


def _page(state: State, moment: Moment) -> State:
    """While the brief is out, its pages show what did not fit into it."""
    if not state.delivered:
        return state
    seen = {*state.shown, *moment.turns}
    return state._replace(shown=tuple(turn for turn in state.pending if turn in seen))


def _answer(state: State, base: int) -> State:
    """A pass is over: the mark moves, and the pause grows if nothing was worth keeping."""
    if not state.delivered:
        return state
    every = base if state.saved else min(2 * _every(state, base), MAX_GROWTH * base)
    pending = tuple(turn for turn in state.pending if turn not in state.shown)
    asked = state.total if state.wants_summary else state.asked
    state = _drop(state)._replace(every=every, pending=pending, saved=False, asked=asked)
    return _among_pending(state)


def _drop(state: State) -> State:
    """No brief is out any more; unanswered, it moves no mark."""
    return state._replace(shown=(), delivered=False)


def _every(state: State, base: int) -> int:
    return min(max(state.every, base), MAX_GROWTH * base)


def _among_pending(state: State) -> State:
    """What is known of turns past the mark only."""
    idle, empty, said = (
        tuple(turn for turn in turns if turn in state.pending)
        for turns in (state.idle, state.empty, state.said)
    )
    return state._replace(idle=idle, empty=empty, said=said)


def release(state: State, turns: Sequence[str]) -> State:
    """The mark moved past *turns* elsewhere: another session was shown them and replied."""
    pending = tuple(turn for turn in state.pending if turn not in set(turns))
    state = _among_pending(state._replace(pending=pending))
    return state._replace(waiting=state.waiting and bool(state.matters or state.pending))


def brief(
    turns: Sequence[Turn],
    nearest: Sequence[Any],
    *,
    home: Path,
    command: str,
    scope: str,
    session: str = "",
    before: str = "",
    summary: int = 0,
) -> tuple[str, tuple[str, ...]]:
    """The text that asks for a distillation, and the ids of the turns that it quotes.

    At most BRIEF_CHARS characters: the first of *turns* that fit, whole ones only, and the command that shows
    the rest. A first turn longer than that is quoted by its ends, and the command shows it whole; *before* is
    the turn before it, *session* theirs. *nearest* are notes with `.address` and `.description`; *summary*:
    the number of turns of a session whose summary is asked for, else 0.
    """
    from . import pack
    from .text import estimate_tokens

    def text_of(kept: Sequence[Turn], near: Sequence[Any], mark: str) -> str:
        more = len(turns) - len(kept) + (mark == before and bool(kept))
        values = {"turns": kept, "nearest": near, "more": more, "rest": _rest(mark, session)}
        told = {"home": str(home), "command": command, "scope": scope, "summary": summary}
        text = pack.render("templates/brief.md", **values, **told, tokens=9999)
        price = max(10, round(estimate_tokens(text), -1))
        return text.replace("9999 tokens", f"{price} tokens")

    for kept, near, mark in _tries(turns, list(nearest), before):
        text = text_of(kept, near, mark)
        if len(text) <= BRIEF_CHARS:
            return text, tuple(turn.id for turn in kept)
    return "", ()


def _rest(mark: str, session: str) -> str:
    """The options that make `journal show` go on after *mark*."""
    import shlex  # the prompt hook loads this module, and asks nobody

    given = (("--since", mark), ("--session", session))
    return "".join(f" {option} {shlex.quote(value)}" for option, value in given if value)


def _tries(
    turns: Sequence[Turn], near: list[Any], before: str
) -> Iterator[tuple[Sequence[Turn], list[Any], str]]:
    """What a brief may quote, the most first: turns, notes, and the mark after which the pages go on."""
    for count in range(len(turns), 0, -1):
        yield turns[:count], near, turns[count - 1].id
    for count in range(len(near) - 1, 0, -1):
        yield turns[:1], near[:count], turns[0].id
    if turns:
        yield [_short(turns[0])], near[:1], before
        yield [_short(turns[0])], [], before


def _short(turn: Turn) -> Turn:
    half = TURN_CHARS // 2
    return turn._replace(user=_ends(turn.user, half), assistant=_ends(turn.assistant, half))


def _ends(text: str, limit: int) -> str:
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    return f"{text[: limit * 2 // 3].rstrip()} […] {text[-(limit // 3 - 5) :].lstrip()}"
