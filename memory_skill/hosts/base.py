"""What every host module offers (`Host`), and the few values that pass between a host and the hooks.

A host is a *module* that satisfies `Host`; `hosts.HOSTS` lists them. A new host is one module, one line
there and one recorded transcript under `tests/fixtures/transcripts/`.
"""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False  # typing costs 3 ms of every prompt; mypy knows the name
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any, Protocol

# Our events; `compact` comes before the host compacts its context.
KINDS = ("session-start", "prompt", "edited", "stop", "compact", "interrupt", "session-end")


@dataclass(frozen=True, slots=True)
class Event:
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
    attended: bool = True  # False only where the host is known to run without a person
    subagent: bool = False
    again: bool = False  # the host says that a stop hook already held this turn


@dataclass(frozen=True, slots=True)
class Reply:
    """What the hook process answers. `stdout` is written once, as UTF-8."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


@dataclass(frozen=True, slots=True)
class Heard:
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


@dataclass(frozen=True, slots=True)
class Hook:
    """One registration: the host calls `<python> -m memory_skill hook <host> <kind>` on `event`."""

    kind: str
    event: str  # the host's own name
    timeout: int  # seconds
    matcher: str = ""


if TYPE_CHECKING:

    class Host(Protocol):
        """One agent program. Everything that depends on it and on nothing else."""

        NAME: str  # as in `memory-skill hook NAME EVENT`
        TITLE: str  # as people call it
        HOOKS: tuple[Hook, ...]  # what `install` registers, in this order
        PROMPT_CHARS: int | None  # most characters of one prompt block; None: what the config says
        SPEAKS_AT_START: bool  # session start reaches the model (else the project part rides on the first prompt)

        def home(self, env: Mapping[str, str]) -> Path:
            """The host's own config folder (it need not exist)."""

        def registry(self, env: Mapping[str, str]) -> Path:
            """The file in which hooks are registered."""

        def skills(self, env: Mapping[str, str]) -> Path:
            """The folder in which the host looks for a user's skills."""

        def command(self, python: str, kind: str) -> str:
            """The shell command of one registration; *python* is absolute."""

        def parse(self, payload: Mapping[str, Any], kind: str, env: Mapping[str, str]) -> Event:
            """Raises: UsageError if the payload is another host's or another event's."""

        def context(self, kind: str, text: str) -> Reply:
            """Put *text* before the model; '' says nothing."""

        def hold(self, text: str) -> Reply:
            """End no turn yet: show *text* (the brief) to the model first."""

        def reads_index(self, env: Mapping[str, str], root: str, tree: Path) -> bool:
            """Whether the host loads the root MEMORY.md of *tree* by itself."""

        def transcript(self, event: Event, env: Mapping[str, str]) -> Path | None:
            """The session's transcript, if it can be found."""

        def turns(self, path: Path, offset: int = 0) -> tuple[list[Heard], int]:
            """Turns from byte *offset* on, and the offset from which to read next time.

            The last turn of the file is always read again, since it may go on. Streams; a torn last line is
            left for the next call.
            """
