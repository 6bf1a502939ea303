"""One call of a hook: what was asked, in which tree, in which session, and what went wrong on the way."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping

from . import config as configuration
from . import distil, privacy
from .events import Events
from .hosts.base import Event
from .light import signal
from .sessions import Session, Sessions
from .tree import Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .hosts.base import Host
    from .search import Search


class OutOfTime(BaseException):
    """Our own clock rang. No lower layer may take it for one of its errors."""


@contextlib.contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raise OutOfTime after *seconds*; within another clock, what is left of that one goes on afterwards."""

    def ring(*_: object) -> None:
        raise OutOfTime(f"over {seconds:g} s")

    try:
        old = signal.signal(signal.SIGALRM, ring)
    except (ValueError, AttributeError):  # not the main thread; no such signal on this system
        yield
        return
    left, began = signal.setitimer(signal.ITIMER_REAL, seconds)[0], time.monotonic()
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, old)
        rest = max(left - (time.monotonic() - began), 0.01) if left else 0
        signal.setitimer(signal.ITIMER_REAL, rest)


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
        self.said = ""  # what is put before the model
        self.shown: list[str] = []  # addresses that were recalled
        self.why = ""  # nothing was recalled, or nobody was asked to distil

    @property
    def quiet(self) -> str:
        """Why nothing of this session may be kept; "" as a rule."""
        record = self.sessions.read(self.event.host, self.event.session)
        folder = record.root or self.event.root or self.event.cwd
        return privacy.quiet(self.config, folder, incognito=record.incognito)

    @contextlib.contextmanager
    def attempt(self, what: str, seconds: float = 0) -> Iterator[None]:
        """A part without which the rest still serves: its error is noted, and the call goes on.

        With *seconds* it has a clock of its own, and what it did not do in time is left for later.
        """
        try:
            with clock(seconds) if seconds else contextlib.nullcontext():
                yield
        except Exception as error:
            self.troubles.append(f"{what}: {told(error)}")
        except OutOfTime as error:
            if not seconds:
                raise
            self.troubles.append(f"{what}: {told(error)}")

    def session(self) -> contextlib.AbstractContextManager[Session]:
        return self.sessions.change(self.event.host, self.event.session)


def told(error: BaseException) -> str:
    """An error in one short line, for the log."""
    return f"{type(error).__name__}: {error}"[:300]


def step(record: Session, moment: distil.Moment) -> distil.Decision:
    """One transition of the session's state, with the saves that were made since the last."""
    seen = record.distil.get("saves", 0)
    moment = moment._replace(saved=moment.saved or record.saves > seen)
    state, decision = distil.step(state_of(record), moment)
    keep_state(record, state)
    return decision


def note_decision(call: Call, decision: distil.Decision) -> None:
    """Why a session was asked to distil, or was not though it was due: one line in the events log."""
    if decision.why:
        line = {"host": call.event.host, "event": "distil", "session": call.event.session}
        with call.attempt("events"):
            call.events.log({**line, "why": decision.why})


def keep_state(record: Session, state: distil.State) -> None:
    record.distil = {**state.keep(), "saves": record.saves}
    record.waiting = len(state.pending) if state.waiting else 0
    record.undistilled = len(state.pending) if state.matters else 0


def state_of(record: Session) -> distil.State:
    return distil.State.load(record.distil)


def scope_of(record: Session) -> str:
    return f"project:{record.project}" if record.project else "global"


def scopes_of(record: Session) -> list[str]:
    """What the session reads: its own scope and those of the projects that it lies in."""
    return [scope_of(record), *(f"project:{slug}" for slug in record.parents)]


def search_of(call: Call) -> Search:
    from .search import INDEX_FILE, Search

    return Search(call.tree.state / INDEX_FILE)
