"""Drives the real Kimi Code against a scripted model, in `-p` and in its interactive screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.terminal import Screen, Terminal

CONFIG = """\
# The user's own settings; the comment must survive.
default_model = "mock/mock-model"
telemetry = false

[providers.mock]
type = "openai"
base_url = "{url}/v1"
api_key = "dummy"

[models."mock/mock-model"]
provider = "mock"
model = "mock-model"
max_context_size = 262144
capabilities = ["tool_use"]
"""


@dataclass(frozen=True)
class Answer:
    """What `-p --output-format stream-json` printed: the assistant's lines, hook text among them."""

    texts: tuple[str, ...]
    session: str
    stderr: str

    @property
    def text(self) -> str:
        """The last of them, which is what a reader of the answer takes."""
        return self.texts[-1]


class Kimi:
    """Kimi Code of one machine, talking to one model."""

    name = "kimi-code"

    def __init__(self, machine: Machine, model: Model) -> None:
        self.machine, self.model = machine, model
        self._trusted: set[Path] = set()  # it asks once
        machine.put("kimi", "node")
        folder = machine.home / ".kimi-code"
        folder.mkdir()
        (folder / "config.toml").write_text(CONFIG.format(url=model.url), encoding="utf-8")

    @property
    def env(self) -> dict[str, str]:
        return {**self.machine.env, "KIMI_DISABLE_TELEMETRY": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1"}

    def say(self, prompt: str, *, cwd: Path, session: str | None = None) -> Answer:
        """One turn in a new process; *session* resumes an earlier one."""
        resume = ("-r", session) if session else ()
        argv = ("kimi", "-p", prompt, "--output-format", "stream-json", *resume)
        ran = self.machine.run(*argv, cwd=cwd, env=self.env)
        lines: list[dict[str, Any]] = [json.loads(line) for line in ran.stdout.splitlines()]
        texts = tuple(
            str(line["content"]) for line in lines if line["role"] == "assistant" and line.get("content")
        )
        return Answer(texts, lines[-1]["session_id"], ran.stderr)

    @contextmanager
    def screen(self, cwd: Path) -> Iterator[Screen]:
        """The interactive screen, past the question whether the folder is trusted."""
        with Terminal(["kimi"], cwd=cwd, env=self.env) as terminal:
            if cwd not in self._trusted:
                terminal.wait("Trust this folder?")
                terminal.type("\r")
                self._trusted.add(cwd)
            terminal.wait("No session yet")
            records = self.machine.home / ".kimi-code" / "sessions"
            yield Screen(terminal, records, turn='"turn.ended"', compaction='"full_compaction.complete"')
