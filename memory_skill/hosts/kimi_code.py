"""Kimi Code: its folders, its payloads, its transcript (`wire.jsonl`). Observed on 2.1.0."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

from ..journal import now
from ..text import fence
from ..tree import write_atomic
from .base import Event, Heard, Hook, Reply, checked, mapping, records, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

NAME = "kimi-code"
TITLE = "Kimi Code"
PROMPT_CHARS: int | None = 1500  # the host shows every prompt block to the user
CONTEXT_UNITS: int | None = None
SPEAKS_AT_START = False  # the output of SessionStart is dropped
HOOKS: tuple[Hook, ...] = (
    Hook("session-start", "SessionStart", 15),
    Hook("prompt", "UserPromptSubmit", 5),
    Hook("edited", "PostToolUse", 5, "^(Write|Edit)"),
    Hook("stop", "Stop", 15),
    Hook("compact", "PreCompact", 10),
    Hook("interrupt", "Interrupt", 5),
    Hook("session-end", "SessionEnd", 5),
)
_EVENTS = {hook.kind: hook.event for hook in HOOKS}

PLUGIN = "memory-skill"  # id of the plugin that carries the session skill
SESSION_SKILL = "memory-skill-session"
_WANTED = rb'"type":\s*"(?:turn\.(?:prompt|steer|ended)|context\.append_(?:message|loop_event))"'

_WRITES = rb'"type":\s*"tool\.call".*"name":\s*"(?:Write|Edit)"'


def home(env: Mapping[str, str]) -> Path:
    if env.get("KIMI_CODE_HOME"):
        return Path(env["KIMI_CODE_HOME"])
    return Path(env.get("HOME") or Path.home()) / ".kimi-code"


def registry(env: Mapping[str, str]) -> Path:
    return home(env) / "config.toml"


def skills(env: Mapping[str, str]) -> Path:
    """`~/.agents/skills`, which stays there when KIMI_CODE_HOME moves the rest."""
    return Path(env.get("HOME") or Path.home()) / ".agents" / "skills"


def session_skill_file(env: Mapping[str, str]) -> Path:
    """Where the plugin keeps the skill that the host puts before a session's first turn."""
    return home(env) / "plugins" / "managed" / PLUGIN / "skills" / SESSION_SKILL / "SKILL.md"


def session_skill(law: str, agents: str, index: str) -> str:
    """The text of that file. It depends on the tree alone: *law* and what AGENTS.md and MEMORY.md hold."""
    header = (
        f'---\nname: {SESSION_SKILL}\ndescription: "What memory-skill puts before every session: '
        'when to save, and the index of what is remembered."\ndisableModelInvocation: true\n---\n'
    )
    body = "\n\n".join(part.strip() for part in (agents, index) if part.strip())
    return header + law.strip() + "\n" + (f"\n{fence(body, what='memory')}\n" if body else "")


def parse(payload: Mapping[str, Any], kind: str, env: Mapping[str, str]) -> Event:
    """Raises: UsageError."""
    session = checked(payload, _EVENTS.get(kind, kind), "transcript_path", TITLE)
    cwd = word(payload.get("cwd"))
    arguments = mapping(payload.get("tool_input"))
    return Event(
        kind=kind,
        host=NAME,
        session=session,
        cwd=cwd,
        root=cwd,  # the session's own folder, also after a cd
        prompt=_text(payload.get("prompt")),
        edited=word(arguments.get("path")) or word(arguments.get("file_path")),
        source=word(payload.get("source")),
        attended=None,
        again=payload.get("is_steer") is True,
    )


def context(kind: str, text: str) -> Reply:
    """Plain text: the host would put Claude's JSON before the model letter for letter."""
    return Reply(stdout=text) if text and kind == "prompt" else Reply()


def hold(text: str) -> Reply:
    return Reply(stderr=text, code=2)


def reads_index(env: Mapping[str, str], root: str, tree: Path) -> bool:
    """The session skill carries it, if it is installed."""
    return session_skill_file(env).is_file()


def refresh(env: Mapping[str, str], standing: Callable[[], tuple[str, str, str]]) -> str:
    """Write the session skill anew if it is installed and the tree has changed.

    The host reads it before its start hook runs.
    """
    path = session_skill_file(env)
    if not path.is_file():
        return ""
    text, old = session_skill(*standing()), path.read_text(encoding="utf-8", errors="replace")
    if text == old:
        return ""
    write_atomic(path, text.encode("utf-8", "replace"))
    known = set(old.splitlines())
    return "\n".join(line for line in text.splitlines() if line.startswith("- ") and line not in known)


def transcript(event: Event, env: Mapping[str, str]) -> Path | None:
    """`sessions/<folder>/<session>/agents/main/wire.jsonl`; the payload does not tell the folder."""
    if not re.fullmatch(r"[\w.-]+", event.session):
        return None
    found = (home(env) / "sessions").glob(f"*/{event.session}/agents/main/wire.jsonl")
    return next(found, None)


def turns(path: Path, offset: int = 0) -> tuple[list[Heard], int]:
    """See `Host.turns`. A turn has a reply only once its last step ended without a tool call.

    While a sub-agent runs, the main turn stands at an open tool call: that is how its Stop is told apart.
    """
    reader = _Reader()
    mark = offset
    for place, line in records(path, offset):
        if re.search(_WANTED, line) and reader.take(line):
            mark = place
    return reader.heard, mark


def written(path: Path, offset: int) -> list[str]:
    """See `Host.written`. The host kills the edited hook where a turn ends within 0.2 s of the write."""
    found: list[str] = []
    for _, line in records(path, offset):
        if re.search(rb'"type":\s*"turn\.prompt"', line):
            found = []
        elif re.search(_WRITES, line):
            with contextlib.suppress(ValueError):
                event = mapping(mapping(json.loads(line)).get("event"))
                found.append(word(mapping(event.get("args")).get("path")))
    return [name for name in found if name]


class _Reader:
    """Follows the wire: `turn.prompt` opens a turn, the text of its last step is the reply."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.parts: list[str] = []
        self.held = False

    def take(self, line: bytes) -> bool:
        """True if the line opens a turn."""
        try:
            record = mapping(json.loads(line))
        except ValueError:
            return False
        kind = record.get("type")
        if record.get("agentId", "main") != "main":
            return False
        if kind == "turn.prompt":
            self._open(record)
            return True
        if self.heard:
            self._follow(word(kind), record)
        return False

    def _open(self, record: Mapping[str, Any]) -> None:
        origin = mapping(record.get("origin"))
        user = _text(record.get("input"))
        if origin.get("kind") == "skill_activation":
            user = f"/skill:{word(origin.get('skillName'))} {word(origin.get('skillArgs'))}".strip()
        elif origin.get("kind") not in ("user", "plugin_command"):
            user = ""  # a task or a timer spoke, not a person
        stamp = record.get("time")
        seconds = stamp / 1000 if isinstance(stamp, int | float) and 0 < stamp < 1e14 else None
        ident = word(record.get("promptId")) or f"{record.get('turnId')}@{stamp}"
        self.heard.append(Heard(ident, now(seconds), user, ""))
        self.parts, self.held = [], False

    def _follow(self, kind: str, record: Mapping[str, Any]) -> None:
        turn = self.heard[-1]
        if kind == "turn.steer":
            self._change(user=f"{turn.user}\n{_text(record.get('input'))}")
        elif kind == "context.append_message":
            origin = mapping(mapping(record.get("message")).get("origin"))
            self.held = self.held or origin.get("name") == "stop_hook"
        elif kind == "turn.ended":
            self._change(ended=word(record.get("reason")) or "completed")
        else:
            self._loop(mapping(record.get("event")))

    def _loop(self, event: Mapping[str, Any]) -> None:
        if event.get("type") == "step.begin":
            self.parts = []
        elif event.get("type") == "content.part" and mapping(event.get("part")).get("type") == "text":
            self.parts.append(word(mapping(event.get("part")).get("text")))
        elif event.get("type") == "step.end" and event.get("finishReason") != "tool_use":
            if self.held:
                self._change(answered=True)
            else:
                self._change(assistant="".join(self.parts))

    def _change(self, **changes: Any) -> None:
        self.heard[-1] = self.heard[-1]._replace(**changes)


def _text(parts: object) -> str:
    if isinstance(parts, str):
        return word(parts)
    items = parts if isinstance(parts, list) else []
    return "\n".join(word(mapping(p).get("text")) for p in items if mapping(p).get("type") == "text")
