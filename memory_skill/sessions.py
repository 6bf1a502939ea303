"""What is known of each host session: one small record under `.state/sessions/<host>/`, changed under a lock.

Also answers which session a command belongs to, so that what an agent saves carries its origin.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .light import pattern, sha256
from .tree import flock, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .history import Origin

LOCK_SECONDS = 1.0  # a hook waits for a parallel one
KEEP_SECONDS = 90 * 86_400  # a record that nobody touched for longer is dropped
TURN_SECONDS = 86_400  # no turn runs for longer
IDLE_SECONDS = 21_600  # a session whose process we do not know is left when nothing was heard for so long
MAX_SHOWN = 2000  # addresses kept per session
MAX_EDITED = 500  # paths kept in the list of what host tools wrote
_SAFE = pattern(r"[\w-][\w.-]{0,99}", re.ASCII)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "busybox", "env", "timeout"})


class Session:
    """The record of one session; every attribute is kept. *distil*: the transition function's state."""

    root = ""  # the start folder
    project = ""  # its slug
    attended = True
    started = False  # the session-start hook ran
    opened = False  # the second block was given, since start or compaction
    in_turn = False
    turn = ""  # the host's key of the turn that runs, if it has one
    asked = 0  # prompts since the session began, for what is looked at now and then
    tokens = 0  # of what was recalled before its prompts
    task = ""  # digest of the working memory that stands in the context
    news = ""  # lines of the index that the session's start text did not have yet
    waiting = 0  # turns that were due to be distilled while nobody attended, or left at the session's end
    undistilled = 0  # turns past the mark, if any of them could matter
    incognito = False  # the user wants nothing of it kept
    saves = 0  # what this session saved, by verb or by its own tools
    offset = -1  # bytes of the transcript already read; -1: none yet
    mark = 0  # hash of the line there
    transcript = ""  # where it is, if the host tells
    seen = 0.0  # when the record was written last, in seconds since the epoch

    def __init__(self, host: str, session: str, **kept: Any) -> None:
        self.host, self.session = host, session
        self.prompts: dict[str, list[str]] = {}  # turn -> [text, time]
        self.shown: dict[str, str] = {}  # address -> digest of the text shown
        self.client: list[int] = []  # pid and start time of the host's process
        self.offered: dict[str, list[str]] = {}  # waiting session -> turns shown here
        self.distil: dict[str, Any] = {}
        self.parents: list[str] = []  # slugs of the projects that it lies in, nearest first
        for name, value in kept.items():
            if isinstance(value, type(getattr(self, name, None))):  # what is not of its form is left out
                setattr(self, name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Session) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def running(self) -> bool:
        """Whether a turn runs, as far as anybody can tell: a client that was killed never said its end."""
        return self.in_turn and time.time() - self.seen < TURN_SECONDS

    @property
    def queued(self) -> int:
        """Turns that another session should be offered; a client that was killed never said its end."""
        return self.waiting or (self.undistilled if self.gone else 0)

    @property
    def gone(self) -> bool:
        """Whether nobody sits at the session any more, as far as anybody can tell."""
        if len(self.client) == 2:
            return _stat(self.client[0])[1] != self.client[1]
        return not self.running and time.time() - self.seen > IDLE_SECONDS

    def show(self, address: str, digest: str) -> None:
        """Remember that the text of this digest is before the model."""
        self.shown[address] = digest
        while len(self.shown) > MAX_SHOWN:
            del self.shown[next(iter(self.shown))]


class Sessions:
    """The records of one tree."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.folder = state / "sessions"

    @contextlib.contextmanager
    def change(self, host: str, session: str) -> Iterator[Session]:
        """The record, to be changed in place; written when the block ends well. Raises: Locked, OSError."""
        path = self._file(host, session)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # a record holds what was said
        with flock(path.with_suffix(".lock"), LOCK_SECONDS):
            record = _load(path) or Session(host, session)
            yield record
            self.write(record)

    def write(self, record: Session) -> None:
        """Put the record on disk now; for use inside `change`, before what it promises is said aloud."""
        record.seen = time.time()
        path = self._file(record.host, record.session)
        write_atomic(path, json.dumps(vars(record)).encode(), durable=False)
        mark = path.with_suffix(".waiting")  # so that nobody has to read every record to find the few
        if record.waiting or record.undistilled:
            mark.touch()
        else:
            mark.unlink(missing_ok=True)

    def read(self, host: str, session: str) -> Session:
        """The record as it is, a new one if there is none."""
        return _load(self._file(host, session)) or Session(host, session)

    def all(self) -> list[Session]:
        """Every record, the one seen last first."""
        return _newest_first(self.folder.glob("*/*.json"))

    def waiting(self) -> list[Session]:
        """The records of sessions with turns that wait, the one seen last first."""
        marked = _newest_first(path.with_suffix(".json") for path in self.folder.glob("*/*.waiting"))
        return [record for record in marked if record.queued]

    def saved(self, host: str, session: str) -> None:
        """Count one save of the session, so that it is not asked to distil what it has just kept."""
        with self.change(host, session) as record:
            record.saves += 1

    def waiting_turns(self) -> int:
        """Turns that wait to be distilled, over all sessions that are over or that nobody attended."""
        return sum(record.queued for record in self.waiting())

    def prune(self) -> None:
        """Drop the records that nobody touched for KEEP_SECONDS."""
        for path in self.folder.glob("*/*"):
            if _age(path) > KEEP_SECONDS:
                path.unlink(missing_ok=True)

    def _file(self, host: str, session: str) -> Path:
        name = session if _SAFE.fullmatch(session) else "x" + _hash(session)
        return self.folder / host / f"{name}.json"

    def current(self, env: Mapping[str, str], cwd: Path | None = None) -> Origin | None:
        """The session in which this process was started by an agent, or None.

        Claude Code names it in the environment; Kimi Code does not, so its prompt hook left the client's
        process in the record, and ours must descend from it.
        """
        from .history import Origin

        named = env.get("CLAUDE_CODE_SESSION_ID")
        if named:
            return Origin("claude-code", named, self.read("claude-code", named).turn or None)
        mine = set(ancestors())
        recent = (path for path in self.folder.glob("*/*.json") if _age(path) < TURN_SECONDS)
        for record in _newest_first(recent) if mine else []:
            if record.running and len(record.client) == 2 and tuple(record.client) in mine:
                return Origin(record.host, record.session, record.turn or None)
        return None

    def edited(self, path: str, record: Session) -> None:
        """Remember that a tool of this session's host wrote the note at *path*."""
        self.state.mkdir(parents=True, exist_ok=True)
        with flock(self.state / "edited.lock", LOCK_SECONDS):
            found = self.writers()
            found.pop(path, None)
            found[path] = (record.host, record.session, record.project)
            self._keep_writers(dict(list(found.items())[-MAX_EDITED:]))

    def writers(self) -> dict[str, tuple[str, str, str]]:
        """Path in the tree -> (host, session, project) of the session whose tool wrote it, until settled."""
        try:
            found = json.loads((self.state / "edited.json").read_bytes())
            return {str(path): (str(a), str(b), str(c)) for path, (a, b, c) in found.items()}
        except (OSError, ValueError, AttributeError, TypeError):
            return {}

    def settled(self, paths: list[str]) -> None:
        """Forget who wrote *paths*: settle has taken them up."""
        if not paths or not self.writers():
            return
        with flock(self.state / "edited.lock", LOCK_SECONDS):
            self._keep_writers({path: who for path, who in self.writers().items() if path not in paths})

    def _keep_writers(self, found: Mapping[str, tuple[str, str, str]]) -> None:
        write_atomic(self.state / "edited.json", json.dumps(found).encode(), durable=False)


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _age(path: Path) -> float:
    """Seconds since the file was written; none at all if it is gone."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return float("inf")


def _newest_first(paths: Iterable[Path]) -> list[Session]:
    found = [record for path in paths if (record := _load(path))]
    return sorted(found, key=lambda record: record.seen, reverse=True)


def _load(path: Path) -> Session | None:
    """The record at *path*, or None; a torn or foreign file starts anew."""
    try:
        return Session(**json.loads(path.read_bytes()))
    except (OSError, ValueError, AttributeError, TypeError):
        return None


def ancestors(pid: int | None = None) -> list[tuple[int, int]]:
    """(pid, start time in clock ticks) of the parents, nearest first; [] where there is no /proc."""
    found: list[tuple[int, int]] = []
    pid = os.getpid() if pid is None else pid
    while pid > 1 and len(found) < 40:
        parent, _, _ = _stat(pid)
        if parent <= 1:
            break
        found.append((parent, _stat(parent)[1]))
        pid = parent
    return found


def client() -> list[int]:
    """Pid and start time of the host's process: the nearest ancestor that is no shell; [] if unknown."""
    for pid, started in ancestors():
        if _stat(pid)[2] not in _SHELLS:
            return [pid, started]
    return []


def _stat(pid: int) -> tuple[int, int, str]:
    """Parent, start time and name of a process; (0, 0, "") if it cannot be read."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            text = file.read()
        name = text[text.index("(") + 1 : text.rindex(")")]
        rest = text[text.rindex(")") + 2 :].split()
        return int(rest[1]), int(rest[19]), name
    except (OSError, ValueError, IndexError):
        return 0, 0, ""
