"""Each hook is run once as a real process, the way its host will, against a tree made for the purpose.

The process gets a scratch home, so that neither the real tree nor a host's folder learns of it.
"""

from __future__ import annotations

import json
import os
import site
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import NotFound
from ..events import Events
from ..hosts import HOSTS
from ..memory import Memory
from .setup import MODULE, Setup

SECONDS = 20  # more than any hook is given by its host
OURS = ("MEMORY_SKILL_", "CLAUDE", "KIMI")


@dataclass(frozen=True)
class Fired:
    """One hook: whether it ran well, how long its whole process took, and what it said if it did not."""

    host: str
    event: str
    ms: int
    ok: bool
    said: str = ""


def check_interpreter(setup: Setup) -> None:
    """Raises: NotFound if the hooks' interpreter cannot import the package from anywhere."""
    said = imports(setup.python, setup.env)
    if said:
        what = f"{setup.python} cannot import {MODULE}: {said}"
        raise NotFound(what, hint=f"{setup.python} -m pip install memory-skill-pack, then run it again")


def imports(python: str, env: Mapping[str, str]) -> str:
    """Why *python* does not hold the package; '' if it does."""
    words = [python, "-P", "-c", f"import {MODULE}.hooks"]
    try:
        ran = subprocess.run(words, env=dict(env), cwd="/", capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return getattr(error, "strerror", None) or str(error)
    lines = ran.stderr.decode("utf-8", "replace").strip().splitlines()
    return "" if ran.returncode == 0 else (lines[-1] if lines else f"it exits {ran.returncode}")


def fire(setup: Setup, hosts: list[str]) -> list[Fired]:
    """Run every hook of *hosts*, in the order of a session."""
    with tempfile.TemporaryDirectory(prefix="memory-skill-") as folder:
        home = Path(folder)
        env = {key: value for key, value in setup.env.items() if not key.startswith(OURS)}
        env |= {"HOME": folder, "PYTHONUSERBASE": site.getuserbase()}
        scratch = replace(setup, tree=home / ".memory-skill", env=env)
        Memory.open(scratch.tree, env=env, cwd=home).init()
        return [_fire(scratch, host, hook.kind, hook.event) for host in hosts for hook in HOSTS[host].HOOKS]


def _fire(setup: Setup, host: str, kind: str, event: str) -> Fired:
    began = time.monotonic()
    said = _run(setup, host, kind, event)
    ms = round((time.monotonic() - began) * 1000)
    beats = {(beat.host, beat.event): beat for beat in Events(setup.tree / ".state").heartbeats()}
    beat = beats.get((host, kind))
    said = said or ("it left no heartbeat" if beat is None else beat.trouble)
    return Fired(host, kind, ms, not said, said)


def _run(setup: Setup, host: str, kind: str, event: str) -> str:
    payload = json.dumps(_payload(setup, host, event)).encode()
    cwd = setup.tree.parent
    try:
        ran = subprocess.run(
            setup.argv(host, kind),
            input=payload,
            env=dict(setup.env),
            cwd=cwd,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if ran.returncode:
        last = ran.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return f"it exits {ran.returncode}: {''.join(last)}"
    return ""


def _payload(setup: Setup, host: str, event: str) -> dict[str, Any]:
    """A payload of a first, empty turn in the host's own form."""
    cwd = os.fspath(setup.tree.parent)
    common = {"session_id": "install", "cwd": cwd, "hook_event_name": event}
    if host == "kimi-code":
        own: dict[str, Any] = {"client_type": "kimi_code_cli", "prompt": [{"type": "text", "text": "hello"}]}
    else:
        own = {"transcript_path": f"{cwd}/none.jsonl", "prompt_id": "first", "prompt": "hello"}
    rest = {"source": "startup", "trigger": "manual", "reason": "other", "tool_name": "Write"}
    return common | own | rest | {"tool_input": {"file_path": f"{cwd}/x", "path": f"{cwd}/x"}}
