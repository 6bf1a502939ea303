"""A host's session that calls the hooks in the test's own process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memory_skill import hooks

STATED = "The rates that we bill by come from the table of that year."  # a nod holds nobody


class Said(NamedTuple):
    """What a hook answered."""

    code: int
    out: str
    err: str

    @property
    def context(self) -> str:
        """The text that reaches the model, in either host's form."""
        if not self.out.startswith("{"):
            return self.out or (self.err if self.code == 2 else "")
        inner = json.loads(self.out)["hookSpecificOutput"]
        return str(inner["additionalContext"])


class Driver:
    """One session of a host, calling the hooks in this process."""

    name = ""

    def __init__(self, project: Path, capfd: pytest.CaptureFixture[str], session: str) -> None:
        self.project, self.capfd, self.session = project, capfd, session
        self.env = dict(os.environ)
        self.turn = 0

    def call(self, kind: str, payload: dict[str, Any]) -> Said:
        self.capfd.readouterr()
        code = hooks.run(self.name, kind, json.dumps(payload).encode(), self.env)
        out, err = self.capfd.readouterr()
        return Said(code, out, err)


class Claude(Driver):
    """Claude Code; attended unless told otherwise."""

    name = "claude-code"

    def __init__(self, project: Path, capfd: pytest.CaptureFixture[str], session: str = "c1") -> None:
        super().__init__(project, capfd, session)
        self.env |= {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CODE_SESSION_ATTENDED": "1"}

    def fire(self, kind: str, event: str, **more: Any) -> Said:
        base = {"session_id": self.session, "transcript_path": "/none", "cwd": str(self.project)}
        return self.call(kind, base | {"hook_event_name": event, "prompt_id": f"p{self.turn}"} | more)

    def start(self, source: str = "startup") -> Said:
        return self.fire("session-start", "SessionStart", source=source)

    def prompt(self, text: str = STATED, **more: Any) -> Said:
        self.turn += 1
        return self.fire("prompt", "UserPromptSubmit", prompt=text, **more)

    def stop(self, reply: str = "Done.", again: bool = False, **more: Any) -> Said:
        return self.fire("stop", "Stop", last_assistant_message=reply, stop_hook_active=again, **more)

    def compact(self) -> Said:
        return self.fire("compact", "PreCompact", trigger="auto")

    def wrote(self, path: Path) -> Said:
        return self.fire("edited", "PostToolUse", tool_name="Write", tool_input={"file_path": str(path)})

    def turns(self, n: int) -> list[Said]:
        """*n* turns; a brief is answered with nothing to keep. The stops' answers."""
        found = []
        for _ in range(n):
            self.prompt()
            found.append(self.stop())
            if found[-1].context:
                self.stop("Nothing to keep.", again=True)
        return found


class Kimi(Driver):
    """Kimi Code, whose turns stand in its wire."""

    name = "kimi-code"

    def __init__(self, project: Path, capfd: pytest.CaptureFixture[str], session: str = "session_k") -> None:
        super().__init__(project, capfd, session)
        place = Path(self.env["HOME"]) / ".kimi-code" / "sessions" / "wd_x_1" / session / "agents" / "main"
        place.mkdir(parents=True)
        self.wire = place / "wire.jsonl"

    def record(self, kind: str, **more: Any) -> None:
        with self.wire.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": kind, "agentId": "main", "time": 1796081503438, **more}) + "\n")

    def fire(self, kind: str, event: str, **more: Any) -> Said:
        base = {"session_id": self.session, "cwd": str(self.project), "client_type": "kimi_code_cli"}
        return self.call(kind, base | {"hook_event_name": event} | more)

    def start(self, source: str = "startup") -> Said:
        return self.fire("session-start", "SessionStart", source=source)

    def prompt(self, text: str = STATED) -> Said:
        parts = [{"type": "text", "text": text}]
        said = self.fire("prompt", "UserPromptSubmit", prompt=parts, is_steer=False)
        self.turn += 1
        self.record("turn.prompt", input=parts, origin={"kind": "user"}, promptId=f"m{self.turn}")
        return said

    def replies(self, text: str) -> None:
        for event in (
            {"type": "step.begin"},
            {"type": "content.part", "part": {"type": "text", "text": text}},
            {"type": "step.end", "finishReason": "end_turn"},
        ):
            self.record("context.append_loop_event", event=event)

    def stop(self, reply: str = "Done.") -> Said:
        if reply:
            self.replies(reply)
        said = self.fire("stop", "Stop", stop_hook_active=False)
        if said.code == 2:
            self.record("context.append_message", message={"role": "user", "origin": {"name": "stop_hook"}})
        return said

    def end_turn(self) -> None:
        self.record("turn.ended", reason="completed")
