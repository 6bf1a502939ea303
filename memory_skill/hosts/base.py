"""What every host module offers (`Host`), and the few values that pass between a host and the hooks.

A host is a *module* that satisfies `Host`; `hosts.HOSTS` lists them. A new host is one module, one line
there and one recorded transcript under `tests/fixtures/transcripts/`.

No dataclasses here nor in anything else that the prompt hook imports: the module and each class cost 9 and
0.7 ms of every prompt, a NamedTuple costs 0.1.
"""

from __future__ import annotations

from ..errors import UsageError
from ..light import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any, BinaryIO, Protocol

MAX_LINE = 8_000_000  # bytes of one transcript line that is looked at

# Our events; `compact` comes before the host compacts its context.
KINDS = ("session-start", "prompt", "edited", "stop", "compact", "interrupt", "session-end")


class Event(NamedTuple):
    """One hook call in our own words; a field the host does not send is empty."""

    kind: str
    host: str
    session: str
    cwd: str  # where the host's shell stands now; follows a `cd`
    root: str  # the session's start folder; '' if the host does not say
    turn: str = ""  # the host's own key of the turn
    prompt: str = ""
    reply: str = ""
    edited: str = ""  # absolute path of the file that a tool wrote
    source: str = ""  # session-start: startup, resume, clear, compact, fork
    transcript: str = ""
    attended: bool | None = True  # whether a person is there; None where the host cannot tell
    subagent: bool = False
    again: bool = False  # a stop hook already held this turn; or the prompt joins a turn that runs


class Reply(NamedTuple):
    """What the hook process answers. `stdout` is written once, as UTF-8."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


class Heard(NamedTuple):
    """One turn as the host's transcript tells it.

    `time` is ISO 8601 with an offset. `ended` is '' while the turn runs, else 'completed', 'cancelled' or
    'failed'. `answered` is true when a stop hook held the turn and the model has replied to it; that later
    reply is not part of `assistant`.
    """

    id: str
    time: str
    user: str
    assistant: str
    ended: str = ""
    answered: bool = False


class Hook(NamedTuple):
    """One registration: the host runs `registered(python, host, kind)` on `event`."""

    kind: str
    event: str  # the host's own name
    timeout: int  # seconds
    matcher: str = ""


def registered(python: str, host: str, kind: str) -> list[str]:
    """The words of a registration, never a script path: a script that is gone exits 2, which blocks a host.

    `-P`: without it a file of the user's project, say `json.py`, would be imported by the hook.
    `-X utf8`: in a locale of another encoding the names of notes could not be read.
    """
    return [python, "-P", "-X", "utf8", "-m", "memory_skill", "hook", host, kind]


def units(text: str) -> int:
    """Length as JavaScript counts it."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def mapping(value: object) -> Mapping[str, Any]:
    """*value* if it is an object of a payload, else an empty one."""
    return value if isinstance(value, dict) else {}


def word(value: object) -> str:
    """*value* if it is text, made writable; else ''."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def checked(payload: Mapping[str, Any], expected: str, foreign: str, title: str) -> str:
    """The session id of a payload. Raises: UsageError if it is another event's or another host's."""
    found, session = word(payload.get("hook_event_name")), word(payload.get("session_id"))
    if found != expected:
        raise UsageError(f"expected the payload of {expected}, found {found[:40]!r}", where=title)
    if foreign in payload or not session:
        raise UsageError("the payload is another host's", where=title, hint="memory-skill install --repair")
    return session


def records(path: Path, offset: int) -> Iterator[tuple[int, bytes]]:
    """The whole lines of a JSONL file from byte *offset* on, each with where it starts.

    A line over MAX_LINE bytes (an image, a prompt snapshot) is passed over; a torn last line is not given.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        place = file.seek(offset if 0 <= offset <= size else 0)
        while line := file.readline(MAX_LINE):
            if not line.endswith(b"\n"):
                place = _skip_line(file, place + len(line))
                continue
            yield place, line
            place += len(line)


def _skip_line(file: BinaryIO, place: int) -> int:
    while rest := file.readline(MAX_LINE):
        place += len(rest)
        if rest.endswith(b"\n"):
            break
    return place


if TYPE_CHECKING:

    class Host(Protocol):
        """One agent program. Everything that depends on it and on nothing else."""

        NAME: str  # as in `memory-skill hook NAME EVENT`
        TITLE: str  # as people call it
        HOOKS: tuple[Hook, ...]  # what `install` registers, in this order
        PROMPT_CHARS: int | None  # most characters of all that a prompt hook says; None: what the config says
        CONTEXT_UNITS: int | None  # most UTF-16 units of one block; a longer one does not arrive
        SPEAKS_AT_START: bool  # else the project part rides on the first prompt

        def home(self, env: Mapping[str, str]) -> Path:
            """The host's own config folder (it need not exist)."""

        def registry(self, env: Mapping[str, str]) -> Path:
            """The file in which hooks are registered."""

        def skills(self, env: Mapping[str, str]) -> Path:
            """The folder in which the host looks for a user's skills."""

        def parse(self, payload: Mapping[str, Any], kind: str, env: Mapping[str, str]) -> Event:
            """Raises: UsageError if the payload is another host's or another event's."""

        def context(self, kind: str, text: str) -> Reply:
            """Put *text* before the model; '' says nothing."""

        def hold(self, text: str) -> Reply:
            """End no turn yet: show *text* (the brief) to the model first."""

        def reads_index(self, env: Mapping[str, str], root: str, tree: Path) -> bool:
            """Whether the host loads the root MEMORY.md of *tree* by itself."""

        def refresh(self, env: Mapping[str, str], standing: Callable[[], tuple[str, str, str]]) -> str:
            """Bring the file from which the host takes its start text up to date, if it has one.

            *standing* gives the law, AGENTS.md and the root index of the tree. Returns: the lines that are
            new in the file, which a session that has just begun has not read.
            """

        def transcript(self, event: Event, env: Mapping[str, str]) -> Path | None:
            """The session's transcript, if the host tells where it is or it can be found."""

        def turns(self, path: Path, offset: int = 0) -> tuple[list[Heard], int]:
            """Turns from byte *offset* on, and the offset from which to read next time.

            The last turn of the file is always read again, since it may go on. Streams; a torn last line is
            left for the next call.
            """

        def written(self, path: Path, offset: int) -> list[str]:
            """The files that tools wrote in the last turn, as far as the edited hook may not have told."""
