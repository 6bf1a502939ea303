"""What each hook costs: the median of whole processes, against `python3 -c pass` in the same run.

    python -m benchmarks.hooks [--notes 1000] [--runs 25]

Everything happens in a scratch home. Processes of both kinds alternate, so that a busy machine slows both.
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
from collections.abc import Callable, Iterator
from pathlib import Path

from memory_skill import Memory
from memory_skill.hosts.base import registered

WORDS = "deploy billing tabs release review parser cache token queue schema invoice retry latency"
Case = tuple[str, str, str, Callable[[int], dict[str, object]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--notes", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=25)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(f"{asked.notes} notes, {asked.runs} runs each, Python {sys.version.split()[0]}\n")
        print(f"{'host':<12} {'hook':<26} {'ms':>6} {'pass':>6} {'ratio':>6}")
        for host, name, ms, bare in measure(Path(folder), asked.notes, asked.runs):
            print(f"{host:<12} {name:<26} {ms:>6.1f} {bare:>6.1f} {ms / bare:>5.1f}x", flush=True)


def measure(home: Path, notes: int, runs: int) -> Iterator[tuple[str, str, float, float]]:
    """(host, hook, median ms, median ms of an empty Python) for each case."""
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    project = home / "billing"
    (project / ".git").mkdir(parents=True)
    fill(home / ".memory-skill", env, notes)
    for host, name, kind, payload in cases(home, project):
        own, bare = [], []
        for run in range(-2, runs):  # the first ones warm the file cache
            taken = spend(command(host, kind), payload(run), env | variables(host, project), project)
            empty = spend([sys.executable, "-c", "pass"], {}, env, project)
            if run >= 0:
                own.append(taken)
                bare.append(empty)
        yield host, name, statistics.median(own), statistics.median(bare)


def fill(tree: Path, env: dict[str, str], notes: int) -> None:
    """A tree of *notes* short notes, indexed."""
    memory = Memory.open(tree, env=env, cwd=tree.parent)
    memory.init()
    words, lines = WORDS.split(), tree.parent / "notes.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for n in range(notes):
            said = " ".join(words[(n * step + step) % len(words)] for step in range(1, 12))
            note = {"name": f"note-{n}", "description": f"About {said}", "type": "reference"}
            file.write(json.dumps(note | {"body": f"Note {n}: {said}.", "source": "user-said"}) + "\n")
    memory.import_file(lines)


def command(host: str, kind: str) -> list[str]:
    return registered(sys.executable, host, kind)


def variables(host: str, project: Path) -> dict[str, str]:
    if host != "claude-code":
        return {}
    return {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CODE_SESSION_ATTENDED": "1"}


def spend(argv: list[str], payload: dict[str, object], env: dict[str, str], cwd: Path) -> float:
    """Milliseconds of one whole process. Raises: CalledProcessError if it does not end with 0 (or 2)."""
    data = json.dumps(payload).encode()
    began = time.perf_counter()
    ran = subprocess.run(argv, input=data, env=env, cwd=cwd, capture_output=True)
    taken = (time.perf_counter() - began) * 1000
    if ran.returncode not in (0, 2):
        raise subprocess.CalledProcessError(ran.returncode, argv, ran.stdout, ran.stderr)
    return taken


def cases(home: Path, project: Path) -> list[Case]:
    """Host, name, event and the payload of the n-th run."""

    def claude(event: str, **more: object) -> Callable[[int], dict[str, object]]:
        return lambda n: {
            "session_id": f"bench-{event}-{more.get('again', n)}",
            "transcript_path": str(home / "none.jsonl"),
            "cwd": str(project),
            "hook_event_name": event,
            "prompt_id": f"p{n}",
            **more,
        }

    def kimi(event: str, **more: object) -> Callable[[int], dict[str, object]]:
        base = {"cwd": str(project), "client_type": "kimi_code_cli", "hook_event_name": event}
        return lambda n: {"session_id": f"session_{event}_{more.get('again', n)}", **base, **more}

    related, chatter = "Why does the invoice parser retry on a deploy?", "ok, thanks, go on"
    text = [{"type": "text", "text": related}]
    return [
        ("claude-code", "session-start", "session-start", claude("SessionStart", source="startup")),
        ("claude-code", "prompt, first", "prompt", claude("UserPromptSubmit", prompt=related)),
        ("claude-code", "prompt, later", "prompt", claude("UserPromptSubmit", prompt=related, again=1)),
        ("claude-code", "prompt, chatter", "prompt", claude("UserPromptSubmit", prompt=chatter, again=2)),
        ("claude-code", "edited, elsewhere", "edited", claude("PostToolUse", tool_input={"file_path": "/x"})),
        ("claude-code", "stop, nothing due", "stop", claude("Stop", last_assistant_message="Done.")),
        ("claude-code", "compact", "compact", claude("PreCompact", trigger="auto")),
        ("claude-code", "session-end", "session-end", claude("SessionEnd", reason="other")),
        ("kimi-code", "session-start", "session-start", kimi("SessionStart", source="startup")),
        ("kimi-code", "prompt, later", "prompt", kimi("UserPromptSubmit", prompt=text, again=1)),
        ("kimi-code", "stop, nothing due", "stop", kimi("Stop", again=1)),
    ]


if __name__ == "__main__":
    main()
