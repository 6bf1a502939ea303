"""What a long session costs: the stop hook over a growing transcript, and one transcript read whole.

    python -m benchmarks.transcripts [--turns 200] [--megabytes 500]

Each turn adds 1 MB of tool output to the transcript, then the stop hook runs as a whole process, as its host
runs it. Memory is the most that the process held. Everything happens in a scratch home.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memory_skill import Memory
from memory_skill.hosts.base import registered

HOSTS = ("claude-code", "kimi-code")
BLOCK = 50_000  # characters of one tool result
PEAK = "import resource as r,subprocess as s,sys; c=s.run(sys.argv[1:]).returncode; "
PEAK += "print(r.getrusage(r.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr); sys.exit(c)"


class Spent(NamedTuple):
    """Of one process: how long it took, the most memory it held, and what it said."""

    ms: float
    mb: float
    said: bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--megabytes", type=int, default=500)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for host in HOSTS:
            spent = list(grow(Path(folder) / host, host, asked.turns))
            print(f"{host}, {asked.turns} turns of 1 MB, stop hook: {_told(spent)}", flush=True)
        for host in HOSTS:
            one = whole(Path(folder) / "whole", host, asked.megabytes)
            print(f"{host}, journal read of {asked.megabytes} MB: {one.ms / 1000:.1f} s, {one.mb:.0f} MB")


def _told(spent: list[Spent]) -> str:
    size = max(1, len(spent) // 10)
    first, last = spent[:size], spent[-size:]
    ms = [statistics.median(one.ms for one in part) for part in (first, last)]
    mb = [statistics.median(one.mb for one in part) for part in (first, last)]
    return (
        f"first {size} {ms[0]:.0f} ms {mb[0]:.1f} MB, last {size} {ms[1]:.0f} ms {mb[1]:.1f} MB, "
        f"ratio {ms[1] / ms[0]:.2f} and {mb[1] / mb[0]:.2f}"
    )


def grow(home: Path, host: str, turns: int) -> Iterator[Spent]:
    """One session of *turns* turns; what each stop spent. Raises: AssertionError if one is not journalled."""
    project, env = home / "billing", {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath)}
    (project / ".git").mkdir(parents=True)
    env |= {"MEMORY_SKILL_DISTIL_EVERY_TURNS": "1000", "CLAUDE_PROJECT_DIR": str(project)}
    memory = Memory.open(home / ".memory-skill", env=env, cwd=project)
    memory.init()
    path = home / ".kimi-code" / "sessions" / "wd" / "session_x" / "agents" / "main" / "wire.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    base = {"session_id": "session_x", "cwd": str(project)}
    base |= {"client_type": "cli"} if host == "kimi-code" else {"transcript_path": str(path)}
    for number in range(turns):
        asked = {
            "hook_event_name": "UserPromptSubmit",
            "prompt": f"Question {number}",
            "prompt_id": f"p{number}",
        }
        _spend(registered(sys.executable, host, "prompt"), base | asked, env)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(turn(host, number))
        yield _spend(registered(sys.executable, host, "stop"), base | {"hook_event_name": "Stop"}, env)
    logged = sum(
        file.read_text().count("\n## ") for file in (home / ".memory-skill" / "journal").glob("*.md")
    )
    assert logged == turns, f"{logged} of {turns} turns are in the journal"


def whole(folder: Path, host: str, megabytes: int) -> Spent:
    """`journal read` of one transcript of that size, as a whole process."""
    folder.mkdir(exist_ok=True)
    path = folder / "t.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(megabytes):
            file.writelines(turn(host, number))
    words = [sys.executable, "-m", "memory_skill", "journal", "read", str(path), "--host", host]
    spent = _spend(words, {}, {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath)})
    path.unlink()
    shown = spent.said.count(b"### user\nQuestion")
    assert shown == megabytes, f"{shown} of {megabytes} turns were read"
    return spent


def turn(host: str, number: int) -> Iterator[str]:
    """The lines of one turn: a question, 1 MB of tool output, the reply."""
    lines = _claude(number) if host == "claude-code" else _kimi(number)
    return (json.dumps(line) + "\n" for line in lines)


def _claude(number: int) -> Iterator[dict[str, object]]:
    base = {"sessionId": "session_x", "timestamp": "2026-12-01T10:00:00.000Z", "promptId": f"p{number}"}
    yield base | {"type": "user", "message": {"content": f"Question {number}"}}
    for _ in range(20):
        part = {"type": "tool_result", "content": "x" * BLOCK}
        yield base | {"type": "user", "toolUseResult": {}, "message": {"content": [part]}}
    said = {
        "id": f"m{number}",
        "stop_reason": "end_turn",
        "content": [{"type": "text", "text": f"Answer {number}"}],
    }
    yield base | {"type": "assistant", "message": said}


def _kimi(number: int) -> Iterator[dict[str, object]]:
    def event(**more: object) -> dict[str, object]:
        return {"type": "context.append_loop_event", "agentId": "main", "event": more}

    asked = [{"type": "text", "text": f"Question {number}"}]
    opening = {"origin": {"kind": "user"}, "promptId": f"p{number}", "time": 1796081503438}
    yield {"type": "turn.prompt", "agentId": "main", "input": asked, **opening}
    for _ in range(20):
        yield event(type="tool.result", result={"output": "x" * BLOCK})
    yield event(type="step.begin")
    yield event(type="content.part", part={"type": "text", "text": f"Answer {number}"})
    yield event(type="step.end", finishReason="end_turn")
    yield {"type": "turn.ended", "agentId": "main", "reason": "completed"}


def _spend(argv: list[str], payload: dict[str, object], env: dict[str, str]) -> Spent:
    """Raises: CalledProcessError if the process does not end with 0."""
    began = time.perf_counter()
    watched = [sys.executable, "-S", "-c", PEAK, *argv]
    ran = subprocess.run(
        watched, input=json.dumps(payload).encode(), env=env, capture_output=True, check=True
    )
    return Spent((time.perf_counter() - began) * 1000, int(ran.stderr.split()[-1]) / 1024, ran.stdout)


if __name__ == "__main__":
    main()
