"""When a session is asked to distil its latest turns, and the brief that asks.

`step` is a pure function over a small frozen `State`: every rule about interruptions stands here and nowhere
else. Hosts are unknown to it; who calls it keeps the state, and keeps it before anything is said aloud.
"""

from __future__ import annotations

from collections.abc import Sequence

from .light import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Literal

    from .journal import Turn

    Kind = Literal["prompt", "stop", "answered", "delivered", "interrupt", "compact", "start", "end"]

MAX_GROWTH = 4  # times N: the longest pause after empty passes
MAX_PENDING = 60  # turns waiting in one session: far more than a brief can show
MAX_COUNTED = 8  # ids of counted turns kept against duplicates
BRIEF_CHARS = 4000
TURN_CHARS = 1000  # of one turn in the brief; a longer message is shown by its two ends


class Moment(NamedTuple):
    """One thing that happened in a session.

    `stop`: the turn *turn* reached its final reply; *whole* if it has a user message and a reply; *again* if
    a stop hook already held it; *mode* is what to do when a pass is due (`block`, `wait` or `off`).
    `delivered`: the brief over *turns* is printed. `answered`: the model replied to it.
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
    waiting: bool = False  # a pass was due while nobody attended

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


class Decision(NamedTuple):
    """What to do now: the turn *counts* (journal it), and *block* over the pending turns."""

    counts: bool = False
    block: bool = False


NOTHING = Decision()


def step(state: State, moment: Moment) -> tuple[State, Decision]:
    """The state after *moment*, and what to do.

    At most one block a turn and one per `every` counted turns; none in sub-agents, none for a session that
    saved since the last. The mark moves only past turns that an answered brief has shown.
    """
    if moment.subagent:
        return state, NOTHING
    if moment.saved:
        state = state._replace(saved=True)
    if moment.kind == "stop":
        return _stop(state, moment)
    if moment.kind == "delivered":
        return _deliver(state, moment), NOTHING
    if moment.kind == "answered":
        return _answer(state, moment.every), NOTHING
    return _drop(state), NOTHING


def _stop(state: State, moment: Moment) -> tuple[State, Decision]:
    if moment.again and moment.turn == state.blocked:
        return _answer(state, moment.every), NOTHING
    if not moment.whole or not moment.turn or moment.turn in state.counted:
        return state, NOTHING
    state = _drop(state)._replace(
        since=state.since + 1,
        counted=(*state.counted, moment.turn)[-MAX_COUNTED:],
        pending=(*state.pending, moment.turn)[-MAX_PENDING:],
    )
    if moment.again or state.since < _every(state, moment.every) or moment.mode == "off":
        return state, Decision(counts=True)
    if state.saved:
        return state._replace(since=0, saved=False, every=moment.every), Decision(counts=True)
    if moment.mode != "block":
        return state._replace(waiting=True), Decision(counts=True)
    held = state._replace(since=0, blocked=moment.turn, shown=state.pending, delivered=False, waiting=False)
    return held, Decision(counts=True, block=True)


def _deliver(state: State, moment: Moment) -> State:
    """The brief went out and held only *turns*; the others stay for a later one."""
    if not state.shown or moment.turn != state.blocked:
        return state
    shown = tuple(turn for turn in state.shown if turn in moment.turns)
    return state._replace(shown=shown, delivered=bool(shown))


def _answer(state: State, base: int) -> State:
    """A pass is over: the mark moves, and the pause grows if nothing was worth keeping."""
    if not state.delivered:
        return state
    every = base if state.saved else min(2 * _every(state, base), MAX_GROWTH * base)
    pending = tuple(turn for turn in state.pending if turn not in state.shown)
    return _drop(state)._replace(every=every, pending=pending, saved=False)


def _drop(state: State) -> State:
    """No brief is out any more; unanswered, it moves no mark."""
    return state._replace(shown=(), delivered=False)


def _every(state: State, base: int) -> int:
    return min(max(state.every, base), MAX_GROWTH * base)


def release(state: State, turns: Sequence[str]) -> State:
    """The mark moved past *turns* elsewhere: another session was shown them and replied."""
    pending = tuple(turn for turn in state.pending if turn not in set(turns))
    return state._replace(pending=pending, waiting=state.waiting and bool(pending))


def brief(
    turns: Sequence[Turn], nearest: Sequence[Any], *, home: Path, command: str, scope: str
) -> tuple[str, tuple[str, ...]]:
    """The text that asks for a distillation, and the ids of the turns that it holds.

    Whole turns only, the newest kept; at most BRIEF_CHARS characters. *nearest* are notes with `.address` and
    `.description`.
    """
    from . import pack

    kept = [_short(turn) for turn in turns]
    near = list(nearest)
    while kept:
        more = len(turns) - len(kept)
        text = pack.render(
            "templates/brief.md",
            turns=kept, nearest=near, more=more, home=str(home), command=command, scope=scope,
        )  # fmt: skip
        if len(text) <= BRIEF_CHARS:
            return text, tuple(turn.id for turn in kept)
        if len(kept) > 1:
            kept = kept[1:]
        elif near:
            near = near[:-1]
        else:
            break
    return "", ()


def _short(turn: Turn) -> Turn:
    half = TURN_CHARS // 2
    return turn._replace(user=_ends(turn.user, half), assistant=_ends(turn.assistant, half))


def _ends(text: str, limit: int) -> str:
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    return f"{text[: limit * 2 // 3].rstrip()} […] {text[-(limit // 3 - 5) :].lstrip()}"
