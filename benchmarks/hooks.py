"""What each hook costs: the median of whole processes, against `python3 -c pass` in the same run.

    python -m benchmarks.hooks [--notes 1000] [--runs 25]

Everything happens in a scratch home. Processes of both kinds alternate, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memory_skill import Memory
from memory_skill.hosts.base import registered

TOPICS = "deploy billing tabs release review parser cache token queue schema invoice retry latency"
SYLLABLES = "ba ce di fo gu ka le mi no pu ra se ti vo xu"


class Case(NamedTuple):
    """One hook: the payload of the n-th run, and the prompt before it that is not measured."""

    host: str
    name: str
    kind: str
    payload: Callable[[int], dict[str, object]]
    before: Callable[[int], dict[str, object]] | None = None
    every_turns: int = 1000


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
    told = fill(home / ".memory-skill", env, notes)
    for case in cases(home, project, told):
        own, bare = [], []
        around = env | variables(case, project)
        for run in range(-2, runs):  # the first ones warm the file cache
            if case.before:
                spend(registered(sys.executable, case.host, "prompt"), case.before(run), around, project)
            words = registered(sys.executable, case.host, case.kind)
            taken = spend(words, case.payload(run), around, project)
            empty = spend([sys.executable, "-c", "pass"], {}, env, project)
            if run >= 0:
                own.append(taken)
                bare.append(empty)
        yield case.host, case.name, statistics.median(own), statistics.median(bare)


def fill(tree: Path, env: dict[str, str], notes: int) -> list[str]:
    """A tree of *notes* short notes, indexed: a few topics among words that are mostly rare, as in prose.

    Returns: what each of them says.
    """
    memory = Memory.open(tree, env=env, cwd=tree.parent)
    memory.init()
    dice = random.Random(1)
    rare = ["".join(dice.choices(SYLLABLES.split(), k=3)) for _ in range(3000)]
    told = []
    lines = tree.parent / "notes.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        for n in range(notes):
            said = " ".join(dice.sample(TOPICS.split(), 1) + dice.choices(rare, k=14))
            told.append(said)
            note = {"name": f"note-{n}", "description": f"About {said[:40]}", "type": "reference"}
            file.write(json.dumps(note | {"body": f"Note {n}: {said}.", "source": "user-said"}) + "\n")
    memory.import_file(lines)
    return told


def variables(case: Case, project: Path) -> dict[str, str]:
    found = {"MEMORY_SKILL_DISTIL_EVERY_TURNS": str(case.every_turns)}
    if case.host == "claude-code":
        found |= {"CLAUDE_PROJECT_DIR": str(project), "CLAUDE_CODE_SESSION_ATTENDED": "1"}
    return found


def spend(argv: list[str], payload: dict[str, object], env: dict[str, str], cwd: Path) -> float:
    """Milliseconds of one whole process. Raises: CalledProcessError if it does not end with 0 (or 2)."""
    data = json.dumps(payload).encode()
    began = time.perf_counter()
    ran = subprocess.run(argv, input=data, env=env, cwd=cwd, capture_output=True)
    taken = (time.perf_counter() - began) * 1000
    if ran.returncode not in (0, 2):
        raise subprocess.CalledProcessError(ran.returncode, argv, ran.stdout, ran.stderr)
    return taken


def cases(home: Path, project: Path, told: list[str]) -> list[Case]:
    def about(n: int) -> str:
        """A question that the n-th note answers, so that each prompt finds something new."""
        return "What do we know of {}, {} and {}?".format(*told[n % len(told)].split()[-3:])

    def claude(event: str, session: str = "", **more: object) -> Callable[[int], dict[str, object]]:
        base = {"transcript_path": str(home / "none.jsonl"), "cwd": str(project), "hook_event_name": event}
        return lambda n: {"session_id": session or f"s{n}", "prompt_id": f"p{n}", **base, **at(n, more)}

    def kimi(event: str, session: str = "", **more: object) -> Callable[[int], dict[str, object]]:
        base = {"cwd": str(project), "client_type": "kimi_code_cli", "hook_event_name": event}
        return lambda n: {"session_id": session or f"session_{n}", **base, **at(n, more)}

    def at(n: int, more: dict[str, object]) -> dict[str, object]:
        return {key: value(n) if callable(value) else value for key, value in more.items()}

    def parts(n: int) -> list[dict[str, str]]:
        return [{"type": "text", "text": about(n)}]

    asked = claude("UserPromptSubmit", "long", prompt=about)
    replied = claude("Stop", "long", last_assistant_message="Because the parser gives up too early.")
    elsewhere = claude("PostToolUse", "long", tool_input={"file_path": str(project / "main.py")})

    return [
        Case("claude-code", "session-start", "session-start", claude("SessionStart", source="startup")),
        Case("claude-code", "prompt, first", "prompt", claude("UserPromptSubmit", prompt=about)),
        Case("claude-code", "prompt, later", "prompt", asked),
        Case(
            "claude-code",
            "prompt, chatter",
            "prompt",
            claude("UserPromptSubmit", "long", prompt="ok, thanks, go on"),
        ),
        Case("claude-code", "edited, elsewhere", "edited", elsewhere),
        Case("claude-code", "stop", "stop", replied, before=asked),
        Case("claude-code", "stop, held", "stop", replied, before=asked, every_turns=1),
        Case("claude-code", "compact", "compact", claude("PreCompact", "long", trigger="auto")),
        Case("claude-code", "session-end", "session-end", claude("SessionEnd", "long", reason="other")),
        Case("kimi-code", "session-start", "session-start", kimi("SessionStart", source="startup")),
        Case("kimi-code", "prompt, later", "prompt", kimi("UserPromptSubmit", "session_long", prompt=parts)),
        Case("kimi-code", "stop, no wire", "stop", kimi("Stop", "session_long")),
    ]


if __name__ == "__main__":
    main()
