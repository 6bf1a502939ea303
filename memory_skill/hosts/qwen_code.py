"""Qwen Code: its transcript (`projects/<folder>/chats/<session>.jsonl`). Observed on 0.24.4.

A reader only: we register no hooks with it.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from pathlib import Path

from .base import Heard, mapping, records, word
from .claude_code import local_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "qwen-code"
TITLE = "Qwen Code"
_INJECTED = r"(?s)\s*<(qwen:user-prompt-submit-context|system-reminder)>.*</\1>\s*"
_SKILL = r"(?s)Base directory for this skill: .*\n\n(/\S[^\n]*)\n\nYour in"
KEY = 8  # characters of a uuid that tell records of one file apart


def turns(path: Path, offset: int = 0) -> tuple[list[Heard], int]:
    """See `Host.turns`. What a rewind took back is left out: a record names the one before it."""
    reader = _Reader()
    mark = begins = offset
    for place, line in records(path, offset):
        begins = begins if reader.typed else place  # a turn begins with the line that says what was typed
        if reader.take(line):
            mark = begins
    return reader.heard, mark


class _Reader:
    """Follows the lines: a user's record opens a turn, the first answer that calls no tool fills it."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.open = False
        self.typed = ""  # what was typed before a command or an @file was expanded
        self.last: str | None = None
        self.turn_of: dict[str, int] = {}  # record -> number of turns heard when it came

    def take(self, line: bytes) -> bool:
        """True if the line opens a turn."""
        try:
            record = mapping(json.loads(line))
        except ValueError:
            return False
        ident = word(record.get("uuid"))
        if not ident:
            return False
        self._follow(record.get("parentUuid"))
        opened = self._read(record)
        self.last = ident
        self.turn_of[ident[:KEY]] = len(self.heard)
        return opened

    def _follow(self, parent: object) -> None:
        """Drop the turns that came after *parent*, if the record goes on from an earlier place."""
        if self.last is None or parent == self.last:
            return
        kept = self.turn_of.get(word(parent)[:KEY], len(self.heard)) if parent else 0
        if kept < len(self.heard):
            del self.heard[kept:]
            self.open = False

    def _read(self, record: Mapping[str, Any]) -> bool:
        kind = record.get("type")
        if kind == "system":
            self._expanded(record)
        elif kind == "user":
            return self._user(record)
        elif kind == "assistant":
            self._assistant(record)
        return False

    def _expanded(self, record: Mapping[str, Any]) -> None:
        told = mapping(record.get("systemPayload"))
        if record.get("subtype") == "at_command":
            self.typed = word(told.get("userText"))
        elif record.get("subtype") == "slash_command" and told.get("phase") == "invocation":
            self.typed = word(told.get("rawCommand")) if told.get("sentToModel") else ""

    def _user(self, record: Mapping[str, Any]) -> bool:
        odd = record.get("subtype") in ("notification", "cron")
        if odd or record.get("provenance") not in (None, "real_user"):
            self.open = False  # what is answered now, nobody typed
            return False
        text, self.typed = self.typed or _said(record), ""
        if not text.strip():
            self.open = False
            return False
        stamp = local_time(word(record.get("timestamp")))
        self.heard.append(Heard(word(record.get("uuid")), stamp, text.strip(), ""))
        self.open = True
        return True

    def _assistant(self, record: Mapping[str, Any]) -> None:
        parts = _parts(record)
        text = "".join(word(part.get("text")) for part in parts if not part.get("thought"))
        if not self.open or not text or any("functionCall" in part for part in parts):
            return
        turn = self.heard[-1]
        if turn.ended:  # a stop hook held the turn; its own words are not recorded
            self.heard[-1] = turn._replace(answered=True)
        else:
            self.heard[-1] = turn._replace(assistant=text, ended="completed")


def _said(record: Mapping[str, Any]) -> str:
    told = mapping(record.get("systemPayload"))
    if isinstance(told.get("hookContext"), str) and told.get("displayText"):
        return word(told.get("displayText"))
    texts = list(takewhile(_is_typed, (word(part.get("text")) for part in _parts(record))))
    skill = re.match(_SKILL, texts[0]) if texts else None
    if skill:
        return skill.group(1)
    return "".join(text for text in texts if not re.fullmatch(_INJECTED, text))


def _is_typed(text: str) -> bool:
    """Whether *text* is not yet what the host adds of files that were named."""
    return text.strip() != "--- Content from referenced files ---"


def _parts(record: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    parts = mapping(record.get("message")).get("parts")
    return [mapping(part) for part in parts] if isinstance(parts, list) else []
