"""Reading a transcript by its path: whose it is, its turns, and a cursor from which to read on.

More hosts are read here than are hooked (`hosts.HOSTS`).
"""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from ..errors import NotFound, UsageError
from . import claude_code, codex, kimi_code, qwen_code
from .base import Heard, mapping, records
from .cursor import START, Cursor, digest, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

READERS: dict[str, Callable[[Path, int], tuple[list[Heard], int]]] = {
    "claude-code": claude_code.turns,
    "kimi-code": kimi_code.turns,
    "qwen-code": qwen_code.turns,
    "codex": codex.turns,
}
LOOKED_AT = 50  # lines from which the host is told


def read(path: Path, host: str = "", since: Cursor = START) -> tuple[list[Heard], Cursor]:
    """The turns from *since* on (the last one known again) and the next cursor.

    Raises: NotFound, UsageError.
    """
    if not path.is_file():
        raise NotFound("no such file", where=str(path), hint="the path of a host's transcript, a .jsonl file")
    turns, offset = READERS[host or detect(path)](path, place(path, since))
    return turns, Cursor(offset, digest(path, offset))


def detect(path: Path) -> str:
    """The host that wrote *path*, from what stands in it. Raises: UsageError."""
    for _, line in islice(records(path, 0), LOOKED_AT):
        try:
            host = _host_of(mapping(json.loads(line)))
        except ValueError:
            continue
        if host:
            return host
    raise UsageError("no transcript of a known host", where=str(path), hint="--host " + ", ".join(READERS))


def _host_of(record: Mapping[str, Any]) -> str:
    kind = record.get("type")
    if not isinstance(kind, str):
        return ""
    if "protocol_version" in record or kind.startswith(("turn.", "context.")):
        return kimi_code.NAME
    if isinstance(record.get("payload"), dict) and kind in ("session_meta", "event_msg", "response_item"):
        return codex.NAME
    if "sessionId" not in record:
        return ""
    return qwen_code.NAME if "provenance" in record else claude_code.NAME
