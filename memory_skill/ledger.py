"""What the memory costs and what of it is used: tokens, milliseconds and bytes by session, recalls by entry.

Read from `.state/ledger.jsonl`, to which each hook and verb adds a line (`Events.spent`); local, outside git.
Standard library only.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .events import LEDGER
from .tree import flock, write_atomic

MAX_BYTES = 4_000_000  # then the ledger becomes `ledger.1.jsonl`; about 25,000 lines
OLDER = "ledger.1.jsonl"
COUNTS = "recalls.json"  # entry -> recalls of the lines that are gone
MAX_SHOWN = 20  # sessions and entries


@dataclass(frozen=True)
class Ledger:
    """*sessions*, the latest first, and *events* with what they cost; *entries* by recalls; *why* nothing was
    recalled, asked or saved, with how often; *verbs* with their outcomes."""

    since: str | None
    tokens: int
    bytes: int
    ms: int
    sessions: tuple[dict[str, Any], ...]
    events: tuple[dict[str, Any], ...]
    entries: tuple[dict[str, Any], ...]
    verbs: dict[str, int]
    why: dict[str, int]


def read(state: Path) -> Ledger:
    """The whole ledger, summed up; what is torn is left out."""
    lines = list(_lines(state))
    hooks = [line for line in lines if line.get("kind") == "hook"]
    verbs = [line for line in lines if line.get("kind") not in (None, "hook")]
    most = recalls(state).most_common(MAX_SHOWN)
    return Ledger(
        since=str(lines[0].get("at", "")) if lines else None,
        tokens=_sum(hooks, "tokens"),
        bytes=_sum(hooks, "bytes"),
        ms=_sum(hooks, "ms"),
        sessions=tuple(_sessions(hooks)),
        events=tuple(_events(hooks)),
        entries=tuple({"address": address, "recalls": count} for address, count in most),
        verbs=_counted(f"{line['kind']} {line.get('outcome', '')}" for line in verbs),
        why=_counted(_reason(line) for line in lines if "why" in line),
    )


def recalls(state: Path) -> Counter[str]:
    """How often each entry was put before a model or a person, by hook and by `recall`."""
    found = _kept(state)
    for line in _lines(state):
        found.update(_entries(line))
    return found


def fold(state: Path, most: int = MAX_BYTES) -> None:
    """Begin a new file when the ledger is over *most* bytes; of the oldest only the recalls are kept."""
    path = state / LEDGER
    if not path.is_file() or path.stat().st_size <= most:
        return
    with flock(state / "ledger.lock", 1.0):
        found = _kept(state)
        for line in _read(state / OLDER):
            found.update(_entries(line))
        write_atomic(state / COUNTS, json.dumps(found).encode(), durable=False)
        path.replace(state / OLDER)


def _reason(line: dict[str, Any]) -> str:
    return f"{line.get('event') or line.get('kind')}: {line['why']}"


def _entries(line: dict[str, Any]) -> list[str]:
    found = line.get("entries")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _kept(state: Path) -> Counter[str]:
    try:
        found = json.loads((state / COUNTS).read_bytes())
    except (OSError, ValueError):
        return Counter()
    whole = found if isinstance(found, dict) else {}
    return Counter({address: count for address, count in whole.items() if isinstance(count, int)})


def _lines(state: Path) -> Iterator[dict[str, Any]]:
    yield from _read(state / OLDER)
    yield from _read(state / LEDGER)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    try:
        raw = path.read_bytes()
    except OSError:
        return
    for line in raw.splitlines():
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def _number(line: dict[str, Any], key: str) -> int:
    found = line.get(key)
    return found if isinstance(found, int) else 0


def _sum(lines: Iterable[dict[str, Any]], key: str) -> int:
    return sum(_number(line, key) for line in lines)


def _by(lines: Iterable[dict[str, Any]], *keys: str) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for line in lines:
        found.setdefault(tuple(str(line.get(key, "")) for key in keys), []).append(line)
    return found


def _sessions(hooks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    groups = sorted(_by(hooks, "host", "session").items(), key=lambda one: str(one[1][-1].get("at", "")))
    for (host, session), lines in reversed(groups[-MAX_SHOWN:]):
        last, entries = str(lines[-1].get("at", "")), sum(len(_entries(line)) for line in lines)
        costs = {key: _sum(lines, key) for key in ("tokens", "bytes", "ms")}
        yield {
            "host": host,
            "session": session,
            "last": last,
            "hooks": len(lines),
            "recalls": entries,
            **costs,
        }


def _events(hooks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for (event,), lines in sorted(_by(hooks, "event").items()):
        times = sorted(_number(line, "ms") for line in lines)
        spread = {"median_ms": times[len(times) // 2], "max_ms": times[-1]}
        yield {"event": event, "hooks": len(lines), "tokens": _sum(lines, "tokens"), **spread}


def _counted(found: Iterable[str]) -> dict[str, int]:
    return dict(Counter(found).most_common(MAX_SHOWN))
