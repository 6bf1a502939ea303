"""Codex: its transcript (`sessions/YYYY/MM/DD/rollout-<time>-<session>.jsonl`). Observed on 0.171.0.

A reader only: we register no hooks with it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from .base import Heard, mapping, records, word
from .claude_code import local_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "codex"
TITLE = "Codex"
_WANTED = (
    rb'"type":\s*"(?:item_completed|task_complete|turn_aborted|function_call|custom_tool_call|compacted)"'
)


def turns(path: Path, offset: int = 0) -> tuple[list[Heard], int]:
    """See `Host.turns`. A turn has a reply once the host says that the task is complete.

    A sub-agent has a file of its own, in which nobody typed.
    """
    reader = _Reader()
    mark = offset
    if _is_subagent(path):
        return [], offset
    for place, line in records(path, offset):
        if re.search(_WANTED, line) and reader.take(line):
            mark = place
    return reader.heard, mark


def _is_subagent(path: Path) -> bool:
    for _, line in records(path, 0):
        try:
            return mapping(mapping(json.loads(line)).get("payload")).get("thread_source") == "subagent"
        except ValueError:
            return False
    return False


class _Reader:
    """Follows the items: the user's message opens a turn, the agent's last one is the reply."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.said = ""  # the agent's last message since the last tool call
        self.held = False  # a stop hook spoke in this turn

    def take(self, line: bytes) -> bool:
        """True if the line opens a turn."""
        try:
            record = mapping(json.loads(line))
        except ValueError:
            return False
        told = mapping(record.get("payload"))
        kind = told.get("type")
        if kind == "item_completed":
            return self._item(told, word(record.get("timestamp")))
        if kind in ("function_call", "custom_tool_call"):
            self.said = ""  # talk before a tool call is not the reply
        elif kind in ("task_complete", "turn_aborted"):
            self._end(told, "completed" if kind == "task_complete" else "cancelled")
        return False

    def _item(self, told: Mapping[str, Any], stamp: str) -> bool:
        item = mapping(told.get("item"))
        kind = item.get("type")
        if kind == "UserMessage":
            return self._user(told, _text(item), stamp)
        if kind == "AgentMessage":
            self.said = _text(item) or self.said
        elif kind == "HookPrompt" and self.heard:
            self._keep("")
            self.held = True
        return False

    def _user(self, told: Mapping[str, Any], text: str, stamp: str) -> bool:
        ident = word(told.get("turn_id"))
        if self.heard and self.heard[-1].id == ident:  # typed while the turn ran
            self.heard[-1] = self.heard[-1]._replace(user=f"{self.heard[-1].user}\n{text}".strip())
            return False
        self.heard.append(Heard(ident, local_time(stamp), text, ""))
        self.said, self.held = "", False
        return True

    def _end(self, told: Mapping[str, Any], how: str) -> None:
        if self.heard and self.heard[-1].id == told.get("turn_id"):
            self._keep(how if how != "completed" or self.said or self.held else "failed")

    def _keep(self, ended: str) -> None:
        turn = self.heard[-1]
        if self.held:
            self.heard[-1] = turn._replace(answered=bool(self.said) or turn.answered, ended=ended)
        else:
            self.heard[-1] = turn._replace(assistant=self.said if ended != "cancelled" else "", ended=ended)
        self.said = ""


def _text(item: Mapping[str, Any]) -> str:
    parts = item.get("content")
    items = [mapping(part) for part in parts] if isinstance(parts, list) else []
    return "\n".join(word(part.get("text")) for part in items if word(part.get("type")).lower() == "text")
