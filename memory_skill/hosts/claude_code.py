"""Claude Code: its folders, its payloads, its transcript. Observed on 2.1.332 and 2.1.197."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ..journal import now
from .base import Event, Heard, Hook, Reply, checked, mapping, records, word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

NAME = "claude-code"
TITLE = "Claude Code"
PROMPT_CHARS: int | None = None
CONTEXT_UNITS: int | None = 10_000  # above it the model gets a preview of 2 KB and a file name
SPEAKS_AT_START = True
HOOKS: tuple[Hook, ...] = (
    Hook("session-start", "SessionStart", 15),
    Hook("prompt", "UserPromptSubmit", 5),
    Hook("edited", "PostToolUse", 5, "Write|Edit"),
    Hook("stop", "Stop", 15),
    Hook("compact", "PreCompact", 10),
    Hook("session-end", "SessionEnd", 5),
)
_EVENTS = {hook.kind: hook.event for hook in HOOKS}

# Lines of kind "user" that nobody typed and that are answered all the same: `! cmd` in the screen, and the
# end of a task in the background, which even comes with its own prompt event. Compiled when first used.
_NOT_TYPED = r"\s*<(?:bash-(?:input|stdout|stderr)|task-notification)\b"
_WRAPPED = r"\s*<(?:command-name|command-message|command-args|local-command-\w+|user-memory-input)\b"
_COMMAND = r"(?s)<command-name>(.*?)</command-name>"
_ARGUMENTS = r"(?s)<command-args>(.*?)</command-args>"
_REMINDER = r"(?s)<system-reminder>.*?</system-reminder>\s*"
_WANTED = rb'"type":\s*"(?:user|assistant|attachment)"'


def home(env: Mapping[str, str]) -> Path:
    if env.get("CLAUDE_CONFIG_DIR"):
        return Path(env["CLAUDE_CONFIG_DIR"])
    return Path(env.get("HOME") or Path.home()) / ".claude"


def registry(env: Mapping[str, str]) -> Path:
    return home(env) / "settings.json"


def skills(env: Mapping[str, str]) -> Path:
    return home(env) / "skills"


def parse(payload: Mapping[str, Any], kind: str, env: Mapping[str, str]) -> Event:
    """Raises: UsageError."""
    expected = _EVENTS.get(kind, kind)
    if kind == "stop" and payload.get("hook_event_name") == "SubagentStop":
        expected = "SubagentStop"
    session = checked(payload, expected, "client_type", TITLE)
    cwd = word(payload.get("cwd"))
    return Event(
        kind=kind,
        host=NAME,
        session=session,
        cwd=cwd,
        root=env.get("CLAUDE_PROJECT_DIR") or cwd,  # `cwd` follows the model's cd
        turn=word(payload.get("prompt_id")),
        prompt=_typed(word(payload.get("prompt"))),
        reply=word(payload.get("last_assistant_message")),
        edited=word(mapping(payload.get("tool_input")).get("file_path")),
        source=word(payload.get("source")),
        transcript=word(payload.get("transcript_path")),
        attended=_attended(env),
        subagent=expected == "SubagentStop" or bool(payload.get("agent_id")),
        again=payload.get("stop_hook_active") is True,
    )


def _attended(env: Mapping[str, str]) -> bool:
    said = env.get("CLAUDE_CODE_SESSION_ATTENDED")
    return said != "0" if said else env.get("CLAUDE_CODE_ENTRYPOINT") != "sdk-cli"


def context(kind: str, text: str) -> Reply:
    return _say(_EVENTS[kind], text) if text and kind in ("session-start", "prompt") else Reply()


def hold(text: str) -> Reply:
    """As additional context, which continues the turn and is not shown as an error."""
    return _say("Stop", text)


def _say(event: str, text: str) -> Reply:
    inner = {"hookEventName": event, "additionalContext": text}
    return Reply(stdout=json.dumps({"hookSpecificOutput": inner}, ensure_ascii=False))


def reads_index(env: Mapping[str, str], root: str, tree: Path) -> bool:
    """Whether auto-memory is on and lives in *tree*; later settings files win."""
    if env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "") not in ("", "0", "false"):
        return False
    local = Path(root) / ".claude"
    enabled, folder = True, ""
    for path in (registry(env), local / "settings.json", local / "settings.local.json"):
        settings = _settings(path)
        enabled = settings.get("autoMemoryEnabled", enabled) is not False
        folder = word(settings.get("autoMemoryDirectory")) or folder
    if folder.startswith("~/"):
        folder = str(Path(env.get("HOME") or Path.home()) / folder[2:])
    return enabled and bool(folder) and Path(folder).resolve() == tree.resolve()


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return {}


def refresh(env: Mapping[str, str], standing: Callable[[], tuple[str, str, str]]) -> str:
    """Nothing: the start hook speaks, and auto-memory reads the tree."""
    return ""


def transcript(event: Event, env: Mapping[str, str]) -> Path | None:
    path = Path(event.transcript) if event.transcript else None
    return path if path and path.is_file() else None


def turns(path: Path, offset: int = 0) -> tuple[list[Heard], int]:
    """See `Host.turns`. Only lines of a type that counts are parsed: most are prompt snapshots."""
    reader = _Reader()
    mark = offset
    for place, line in records(path, offset):
        if re.search(_WANTED, line) and reader.take(line):
            mark = place
    return reader.heard, mark


def written(path: Path, offset: int) -> list[str]:
    """None: the edited hook tells, and this host lets it finish."""
    return []


class _Reader:
    """Follows the lines of a transcript: a user's line opens a turn, texts that end one fill it."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.open = False
        self.held = False  # a stop hook spoke in this turn
        self.message = ""  # id of the API message whose text was taken last

    def take(self, line: bytes) -> bool:
        """True if the line opens a turn."""
        try:
            record = mapping(json.loads(line))
        except ValueError:
            return False
        if record.get("isSidechain"):
            return False
        if record.get("type") == "user":
            return self._user(record)
        if record.get("type") == "assistant":
            self._assistant(record)
        elif mapping(record.get("attachment")).get("hookEvent") == "Stop":
            self.held = bool(self.open and self.heard[-1].assistant)
        return False

    def _user(self, record: Mapping[str, Any]) -> bool:
        content = mapping(record.get("message")).get("content")
        text = _text(content)
        if record.get("isMeta"):
            if record.get("hookText") and text.startswith("Stop hook"):
                self.held = True
            return False
        if _machine(record, content):
            return False
        if re.match(_NOT_TYPED, text):
            self.open = False
            return False
        text = _typed(text)
        if not text:
            return False
        ident = word(record.get("promptId")) or word(record.get("uuid"))
        self.heard.append(Heard(ident, local_time(word(record.get("timestamp"))), text, ""))
        self.open, self.held, self.message = True, False, ""
        return True

    def _assistant(self, record: Mapping[str, Any]) -> None:
        message = mapping(record.get("message"))
        text = _text(message.get("content"))
        made_up = record.get("isApiErrorMessage") or message.get("model") == "<synthetic>"
        if not self.open or not text or made_up:
            return
        if message.get("stop_reason") == "tool_use":
            return  # talk before a tool call is not the reply
        turn = self.heard[-1]
        if self.held:
            self.heard[-1] = turn._replace(answered=True)
            return
        same = self.message == message.get("id")
        joined = turn.assistant + ("\n" if same else "\n\n") + text if turn.assistant else text
        self.message = word(message.get("id"))
        self.heard[-1] = turn._replace(assistant=joined, ended="completed")


def _machine(record: Mapping[str, Any], content: object) -> bool:
    if record.get("isCompactSummary") or record.get("isVisibleInTranscriptOnly") or "toolUseResult" in record:
        return True
    parts = content if isinstance(content, list) else []
    return any(mapping(part).get("type") == "tool_result" for part in parts)


def _text(content: object) -> str:
    if isinstance(content, str):
        return word(content)
    parts = content if isinstance(content, list) else []
    return "\n".join(word(mapping(p).get("text")) for p in parts if mapping(p).get("type") == "text")


def _typed(text: str) -> str:
    """What the user typed: a slash command as typed, reminders taken out; '' if nothing was."""
    if "<" not in text:
        return text.strip()
    if re.match(_NOT_TYPED, text):
        return ""
    if not re.match(_WRAPPED, text):
        return re.sub(_REMINDER, "", text).strip()
    name, arguments = re.search(_COMMAND, text), re.search(_ARGUMENTS, text)
    if not name or "<local-command-" in text[:40]:
        return ""
    return f"{name.group(1).strip()} {arguments.group(1).strip() if arguments else ''}".strip()


def local_time(stamp: str) -> str:
    """A transcript's `2026-11-30T20:04:05.123Z` as local time with its offset; now, if it is none."""
    from datetime import datetime

    try:
        return now(datetime.fromisoformat(stamp).timestamp())
    except ValueError:
        return now()
