"""The daily logs: one Markdown file a day, one section a turn, for people and as the agent's short history.

The header of a turn is one closed line; a line of a message that would read as one of ours is escaped with a
backslash, so that whatever a turn holds comes back letter for letter.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from .light import NamedTuple
from .tree import Tree, flock

FOLDER = "journal"
PRIVATE = 0o600  # what was said is its user's alone; the hosts keep their transcripts so
LOCK_SECONDS = 1.0  # a hook waits for it

# ## 2026-11-30T21:03:15+01:00 claude-code session=4f… turn=a80… project=acme-billing
# Compiled when first used: the prompt hook imports this module for its clock.
_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d"
_HEADER = rf"(?a)## ({_TIME}) (\S+) session=(\S+) turn=(\S+) project=(\S+)"
_USER, _ASSISTANT = "### user", "### assistant"
# A reply that quotes its own log would split a turn in two: such a line is escaped inside a message.
_OURS = rf"(?a)\\*(?:{_HEADER.removeprefix('(?a)')}|{_USER}|{_ASSISTANT})"
_ODD = r"[\s%\x00-\x20\x7f-\xa0]"


class Turn(NamedTuple):
    """One user message and the final reply to it; *time* is ISO 8601 in seconds, with its offset."""

    id: str
    time: str
    host: str
    session: str
    user: str
    assistant: str
    project: str = ""


def now(seconds: float | None = None) -> str:
    """ISO 8601 with the local offset, of *seconds* since the epoch, else of this moment."""
    text = time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(seconds))
    return f"{text[:-2]}:{text[-2:]}"


class Journal:
    """The logs of one tree, in `journal/`."""

    def __init__(self, tree: Tree) -> None:
        self.folder = tree.home / FOLDER
        self.lock = tree.state / "journal.lock"

    def append(self, turn: Turn) -> bool:
        """Add *turn* to its day. False if its id is already there. Raises: Locked, OSError."""
        for folder in (self.folder, self.lock.parent):
            folder.mkdir(exist_ok=True)
        path = self.folder / f"{_checked_time(turn.time)[:10]}.md"
        with flock(self.lock, LOCK_SECONDS):
            before = path.read_bytes() if path.exists() else b""
            if f" turn={_pack(turn.id)} ".encode() in before and _holds(before, turn.id):
                return False
            gap = b"" if not before or before.endswith(b"\n") else b"\n"  # a crash tore the last line
            head = b"" if before else f"# {path.stem}\n\n".encode()
            _append(path, head + gap + format_turn(turn).encode(), len(before))
        return True

    def turns(self, since: str | None = None) -> list[Turn]:
        """All turns in the order they were logged; those after the turn of id *since*, if it is there."""
        found = [turn for path in self.files() for turn in _parse_file(path.read_bytes())]
        place = next((i for i, turn in enumerate(found) if turn.id == since), -1)
        return found[place + 1 :]

    def find(self, ids: Iterable[str], days: int = 30) -> list[Turn]:
        """The turns of these ids within the newest *days* files, oldest first."""
        wanted, found = set(ids), list[Turn]()
        for path in sorted(self.files(), reverse=True)[:days]:
            if not wanted:
                break
            here = [turn for turn in _parse_file(path.read_bytes()) if turn.id in wanted]
            wanted -= {turn.id for turn in here}
            found[:0] = here
        return found

    def prune(self, keep_days: int, today: str) -> list[str]:
        """Remove the days older than *keep_days* before *today* (0 keeps all); returns their names."""
        if keep_days <= 0:
            return []
        limit = time.strftime("%Y-%m-%d", time.gmtime(_day_seconds(today) - keep_days * 86_400))
        old = [path for path in self.files() if path.stem < limit]
        for path in old:
            path.unlink(missing_ok=True)
        return [path.name for path in old]

    def files(self) -> list[Path]:
        """The logs, the oldest day first."""
        return sorted(self.folder.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].md"))


def _append(path: Path, data: bytes, size: int) -> None:
    """Whole or not at all: on a full disk the file is cut back to *size* bytes."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
    with open(handle, "ab", buffering=0) as file:
        try:
            if file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        except OSError:
            file.truncate(size)
            raise


def _day_seconds(day: str) -> float:
    import calendar

    return calendar.timegm(time.strptime(day, "%Y-%m-%d"))


def _checked_time(text: str) -> str:
    if not re.fullmatch(_TIME, text, re.ASCII):
        raise ValueError(f"no ISO time with an offset: {text[:40]!r}")
    return text


def format_turn(turn: Turn) -> str:
    """The section of one turn, with the blank line after it."""
    place = f"session={_pack(turn.session)} turn={_pack(turn.id)} project={_pack(turn.project)}"
    header = f"## {_checked_time(turn.time)} {_pack(turn.host)} {place}"
    return f"{header}\n\n{_USER}\n{_escape(turn.user)}\n\n{_ASSISTANT}\n{_escape(turn.assistant)}\n\n"


def parse(text: str) -> list[Turn]:
    """The whole turns of a day's log; what is torn or foreign is left out."""
    return list(_sections(text.removesuffix("\n").split("\n")))


def _parse_file(raw: bytes) -> list[Turn]:
    return parse(raw.decode("utf-8", "replace"))


def _holds(raw: bytes, ident: str) -> bool:
    return any(turn.id == ident for turn in _parse_file(raw))


def _sections(lines: list[str]) -> Iterator[Turn]:
    starts = [i for i, line in enumerate(lines) if re.fullmatch(_HEADER, line)]
    for start, end in pairwise([*starts, len(lines)]):
        turn = _section(lines[start:end])
        if turn:
            yield turn


def _section(lines: list[str]) -> Turn | None:
    header = re.fullmatch(_HEADER, lines[0])
    if not header or lines[1:3] != ["", _USER] or _ASSISTANT not in lines:
        return None
    split = lines.index(_ASSISTANT)
    if split < 5 or lines[split - 1] or len(lines) < split + 3 or lines[-1]:
        return None  # torn by a crash, or edited by hand beyond recognition
    when, host, session, ident, project = header.groups()
    user, assistant = _unescape(lines[3 : split - 1]), _unescape(lines[split + 1 : -1])
    return Turn(_unpack(ident), when, _unpack(host), _unpack(session), user, assistant, _unpack(project))


def _escape(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()  # a lone surrogate cannot be written
    return "\n".join("\\" + line if re.fullmatch(_OURS, line) else line for line in text.split("\n"))


def _unescape(lines: list[str]) -> str:
    return "\n".join(
        line[1:] if line.startswith("\\") and re.fullmatch(_OURS, line) else line for line in lines
    )


def _pack(word: str) -> str:
    """*word* without blanks, so that it stands in a header; the empty word is a hyphen."""
    if word in ("", "-"):
        return "-" if not word else "%2d"
    word = word.encode("utf-8", "replace").decode()
    return re.sub(_ODD, lambda match: f"%{ord(match.group()):x};", word)


def _unpack(word: str) -> str:
    if word in ("-", "%2d"):
        return "" if word == "-" else "-"
    return re.sub(r"%([0-9a-f]{1,6});", lambda match: chr(int(match.group(1), 16)), word)
