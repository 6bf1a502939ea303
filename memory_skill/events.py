"""What the hooks leave behind: a heartbeat per host and event, a line per failure, the ledger, notices.

Everything lies in `.state/`. Best effort by nature; a caller in a hook suppresses OSError.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from .journal import now
from .light import NamedTuple
from .tree import flock, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_LOG = 1_000_000  # bytes; then the log becomes `events.1.jsonl`
LEDGER = "ledger.jsonl"  # in `.state`
MAX_TEXT = 300  # characters of one value in a line
MAX_NOTICES = 20


class Heartbeat(NamedTuple):
    """When one hook last ran. Times are ISO 8601; '' is never."""

    host: str
    event: str
    last: str = ""
    ms: int = 0  # of the last run, inside the process
    runs: int = 0
    failures: int = 0  # since it last went well
    failed: str = ""  # the first of them
    trouble: str = ""  # the latest of them
    alone: int = 0  # runs since the last sign of the event that should follow (see `Events.unanswered`)


class Events:
    """The signs of life in one tree's `.state`."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.folder = state / "heartbeats"

    def heartbeat(self, host: str, event: str, ms: int, ok: bool = True, trouble: str = "") -> None:
        """Note that the hook ran for *ms* milliseconds, and how it went."""
        self.folder.mkdir(parents=True, exist_ok=True)
        old = self._beat(self._file(host, event)) or Heartbeat(host, event)
        new = old._replace(last=now(), ms=ms, runs=old.runs + 1, alone=self._alone(old))
        if ok:
            new = new._replace(failures=0, failed="", trouble="")
        else:
            first = old.failed or new.last
            new = new._replace(failures=old.failures + 1, failed=first, trouble=trouble[:MAX_TEXT])
        data = json.dumps(new._asdict()).encode()
        write_atomic(self._file(host, event), data, durable=False)

    def _alone(self, old: Heartbeat) -> int:
        """Prompts since the last stop, session starts since the last prompt."""
        follower = {"prompt": "stop", "session-start": "prompt"}.get(old.event)
        if follower is None:
            return 0
        answer = self._beat(self._file(old.host, follower))
        return 1 if answer and answer.last >= old.last else old.alone + 1

    def heartbeats(self) -> list[Heartbeat]:
        """All of them, sorted by host and event."""
        beats = [self._beat(path) for path in sorted(self.folder.glob("*.json"))]
        return [beat for beat in beats if beat]

    def _file(self, host: str, event: str) -> Path:
        return self.folder / f"{host}-{event}.json"

    def _beat(self, path: Path) -> Heartbeat | None:
        try:
            return Heartbeat(**json.loads(path.read_bytes()))
        except (OSError, ValueError, TypeError):
            return None

    def log(self, line: dict[str, Any]) -> None:
        """Add one line to `events.jsonl`, the failures, its time first; long values are cut."""
        path = self.state / "events.jsonl"
        if self._append(path, line) > MAX_LOG:
            path.replace(path.with_name("events.1.jsonl"))

    def spent(self, kind: str, **told: Any) -> None:
        """Add one line to the ledger: what was injected, recalled, saved or passed over; see `ledger`."""
        self._append(self.state / LEDGER, {"kind": kind, **{key: one for key, one in told.items() if one}})

    def _append(self, path: Path, line: dict[str, Any]) -> int:
        """One line more, its time first. Returns: the size of the file, in bytes."""
        values = {key: value[:MAX_TEXT] if isinstance(value, str) else value for key, value in line.items()}
        data = json.dumps({"at": now(), **values}).encode() + b"\n"
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(handle, data)
            return os.fstat(handle).st_size
        finally:
            os.close(handle)

    def tail(self, n: int) -> list[dict[str, Any]]:
        """The newest *n* lines, oldest first; what is torn is left out."""
        found: list[dict[str, Any]] = []
        for name in ("events.1.jsonl", "events.jsonl"):
            try:
                lines = (self.state / name).read_bytes().splitlines()
            except OSError:
                continue
            found += [line for line in map(_object, lines) if line]
        return found[-n:] if n > 0 else []

    def notice(self, text: str) -> None:
        """Keep one line for the person, shown once with the next session's first prompt."""
        self.state.mkdir(parents=True, exist_ok=True)
        with flock(self.state / "notices.lock", 1.0):
            lines = dict.fromkeys([*self._notices(), text[:MAX_TEXT]])
            self._keep(list(lines)[-MAX_NOTICES:])

    def take_notices(self) -> list[str]:
        """The kept lines, which are then gone."""
        if not self._notices():
            return []
        with flock(self.state / "notices.lock", 1.0):
            found = self._notices()
            self._keep([])
        return found

    def _notices(self) -> list[str]:
        try:
            found = json.loads((self.state / "notices.json").read_bytes())
        except (OSError, ValueError):
            return []
        return [line for line in found if isinstance(line, str)] if isinstance(found, list) else []

    def _keep(self, lines: list[str]) -> None:
        write_atomic(self.state / "notices.json", json.dumps(lines).encode(), durable=False)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
