"""How full the tree is: figures with a level each, and which of them is news.

Standard library only: the prompt hook looks at it now and then. A figure is measured from the files' sizes.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path

from .config import IndexKnobs
from .errors import MemorySkillError
from .events import Events
from .inbox import FOLDER as INBOX
from .inbox import waiting
from .journal import FOLDER as JOURNAL
from .light import NamedTuple
from .search import INDEX_FILE
from .tree import INDEX, Tree, write_atomic

OK, WARN, CRITICAL = "ok", "warn", "critical"
RANK = {OK: 0, WARN: 1, CRITICAL: 2}
DEAD_AFTER = 3  # prompts without a stop, starts without a prompt
ANNOUNCED = "announced.json"  # in `.state`: host -> subject -> the level that was announced last
# From where on a figure is a warning, and from where on it is critical.
LIMITS = {
    "index": (80, 95),  # percent of what hosts load of MEMORY.md; the rest of the notes would be unlisted
    "inbox": (7, 30),  # days that the oldest item has waited
    "journal": (50_000_000, 200_000_000),  # bytes; `journal.keep_days` bounds it
    "search": (200_000_000, 1_000_000_000),  # bytes; 100,000 notes need 190 MB
}
UNITS = {"index": "percent", "inbox": "days", "journal": "bytes", "search": "bytes"}
HELP = {
    "index": "the index is {} % full: forget or merge notes, or move some to a project",
    "inbox": "the oldest item has waited {} days: memory-skill inbox list",
    "journal": "the journal holds {} bytes: set journal.keep_days in config.toml",
    "search": "the search index holds {} bytes: memory-skill search-index rebuild",
}


class Figure(NamedTuple):
    """One measured value. *unit*: percent, days or bytes; *level*: ok, warn or critical."""

    name: str
    value: int
    unit: str
    level: str

    @property
    def told(self) -> str:
        return HELP[self.name].format(f"{self.value:,}")


def figures(tree: Tree, knobs: IndexKnobs) -> tuple[Figure, ...]:
    """Index fill, inbox age, journal size and search index size, in this order."""
    values = {
        "index": _index_fill(tree, knobs),
        "inbox": _inbox_days(tree),
        "journal": sum(_size(path) for path in (tree.home / JOURNAL).glob("*.md")),
        "search": _size(tree.state / INDEX_FILE),
    }
    return tuple(Figure(name, value, UNITS[name], _level(name, value)) for name, value in values.items())


def _level(name: str, value: int) -> str:
    warn, critical = LIMITS[name]
    return CRITICAL if value >= critical else WARN if value >= warn else OK


def _index_fill(tree: Tree, knobs: IndexKnobs) -> int:
    """Percent of the lines or of the bytes, whichever is more."""
    try:
        raw = tree.read_or_none(INDEX) or b""
    except MemorySkillError:
        return 0
    return max(raw.count(b"\n") * 100 // knobs.max_lines, len(raw) * 100 // knobs.max_bytes)


def _inbox_days(tree: Tree) -> int:
    """Since the oldest item was held: by its own head, else by the file's time."""
    moments = [_held(tree.home / path) for path in waiting(tree) if path.startswith(INBOX + "/")]
    return max(0, int((time.time() - min(moments)) // 86_400)) if moments else 0


def _held(path: Path) -> float:
    try:
        with path.open("rb") as file:
            head = file.read(600)
        day = re.search(rb"(?m)^day: (\d{4}-\d\d-\d\d)$", head) if head.startswith(b"<!-- held") else None
        if day:
            return time.mktime(time.strptime(day[1].decode(), "%Y-%m-%d"))
        return path.stat().st_mtime
    except (OSError, ValueError, OverflowError):
        return time.time()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def levels(found: tuple[Figure, ...]) -> dict[str, tuple[str, str]]:
    """The figures as `news` takes them: name to level and what to say."""
    return {figure.name: (figure.level, figure.told) for figure in found}


def news(state: Path, who: str, found: Mapping[str, tuple[str, str]]) -> list[str]:
    """What of *found*, subject to (level, text), is to be said to *who*: the same level not twice in a row.

    Of ok, warn and critical only what is worse than it was. Another level is any other word, such as a count.
    What is no longer found has no level any more.
    """
    kept = _announced(state)
    before = kept.get(who, {})
    said = [text for subject, (level, text) in found.items() if _is_news(level, before.get(subject))]
    after = {subject: level for subject, (level, _) in found.items()}
    if after != before:
        data = json.dumps({**kept, who: after}).encode()
        write_atomic(state / ANNOUNCED, data, durable=False)
    return said


def worse(state: Path, who: str, found: Mapping[str, tuple[str, str]]) -> list[str]:
    """`news` of these subjects alone; what was announced of others stays announced."""
    others = {subject: (level, "") for subject, level in _announced(state).get(who, {}).items()}
    return [text for text in news(state, who, {**others, **found}) if text]


def _is_news(level: str, before: str | None) -> bool:
    if level in RANK:
        return RANK[level] > RANK.get(before or OK, 0)
    return level != before


def _announced(state: Path) -> dict[str, dict[str, str]]:
    try:
        found = json.loads((state / ANNOUNCED).read_bytes())
    except (OSError, ValueError):
        return {}
    whole = isinstance(found, dict) and all(isinstance(value, dict) for value in found.values())
    return found if whole else {}


def dead_hooks(events: Events, host: str = "") -> dict[str, tuple[str, str]]:
    """Each hook (of *host*) that fails, or is silent though its neighbour runs: since when, and a line."""
    lines = {}
    for beat in events.heartbeats():
        name = beat.event if host else f"{beat.host} {beat.event}"
        if host not in ("", beat.host):
            continue
        if beat.failures:
            since = f"since {beat.failed} ({beat.failures}x)"
            lines[f"{name} fails"] = (beat.failed, f"the {name} hook fails {since}: {beat.trouble}")
        silent = {"prompt": "stop", "session-start": "prompt"}.get(beat.event)
        if silent and beat.alone >= DEAD_AFTER:
            told = f"the {silent} hook has not run for {beat.alone} times (memory-skill doctor)"
            lines[f"{name} is alone"] = ("silent", told)
    return lines
