"""Drives the real Claude Code against a scripted model, in `-p` and in its interactive screen."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.terminal import Screen, Terminal

VERSION = "2.1.332"

ASKING = ("--permission-mode", "default")  # the screen's own default judges each tool with a model


@dataclass(frozen=True)
class Answer:
    """What `-p --output-format json` printed."""

    text: str
    session: str
    denials: tuple[str, ...]
    stderr: str


class Claude:
    """Claude Code of one machine, talking to one model."""

    name = "claude-code"

    def __init__(self, machine: Machine, model: Model) -> None:
        self.machine, self.model = machine, model
        machine.put("claude")

    @property
    def env(self) -> dict[str, str]:
        return {
            **self.machine.env,
            "CLAUDE_CODE_TMPDIR": self.machine.env["TMPDIR"],
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "dummy",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def say(
        self, prompt: str, *, cwd: Path, session: str | None = None, options: tuple[str, ...] = ()
    ) -> Answer:
        """One turn in a new process; *session* resumes an earlier one."""
        resume = ("--resume", session) if session else ()
        argv = ("claude", "-p", prompt, "--output-format", "json", *resume, *options)
        ran = self.machine.run(*argv, cwd=cwd, env=self.env)
        told: dict[str, Any] = json.loads(ran.stdout)
        denials = tuple(denial["tool_name"] for denial in told["permission_denials"])
        return Answer(told["result"], told["session_id"], denials, ran.stderr)

    @contextmanager
    def screen(self, cwd: Path, options: tuple[str, ...] = ASKING) -> Iterator[Screen]:
        """The interactive screen, past the questions of a first start."""
        self._answer_first_start(cwd)
        records = self.machine.home / ".claude" / "projects"
        with Terminal(["claude", *options], cwd=cwd, env=self.env) as terminal:
            terminal.wait("← for agents")  # the last thing drawn under the empty prompt
            yield Screen(terminal, records, turn='"turn_duration"', compaction='"compact_boundary"')

    def _answer_first_start(self, cwd: Path) -> None:
        """The user's answers to theme, key and trust, which an installer must never give."""
        path = self.machine.home / ".claude.json"
        state = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        state |= {"hasCompletedOnboarding": True, "lastOnboardingVersion": VERSION, "theme": "dark"}
        state["customApiKeyResponses"] = {"approved": ["dummy"], "rejected": []}
        state.setdefault("projects", {}).setdefault(os.fspath(cwd), {}).update(trusted)
        path.write_text(json.dumps(state), encoding="utf-8")
