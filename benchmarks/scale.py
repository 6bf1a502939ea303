"""What recall costs as a tree grows: building, one save, a warm query, a whole prompt hook, disk and memory.

    python -m benchmarks.scale [--sizes 1000,10000,100000] [--runs 15] [--json FILE]

Times of this machine mean little; the hook is given as a ratio to `python3 -c pass` of the same interpreter,
in alternation with it, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from memory_skill.config import Config
from memory_skill.recall import recall
from memory_skill.search import Search
from memory_skill.tree import Tree

from .engines import write_tree
from .generate import facts

QUERIES = 200
SAVES = 20


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--runs", type=int, default=15, help="hook processes for a median")
    parser.add_argument("--folder", type=Path, help="where to put the trees (default: the temporary folder)")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(argv)
    report = []
    for size in map(int, given.sizes.split(",")):
        with tempfile.TemporaryDirectory(dir=given.folder, prefix="memory-skill-scale-") as folder:
            measured = measure(Path(folder), size, given.runs)
        report.append(measured)
        print(
            f"{size:>7} notes: " + ", ".join(f"{key} {value}" for key, value in measured.items()), flush=True
        )
    if given.json:
        given.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 0


def measure(folder: Path, size: int, runs: int) -> dict[str, Any]:
    """Everything about one size; times in milliseconds unless the key says seconds."""
    home = folder / ".memory-skill"
    pairs = list(facts(size))
    write_tree(home, [unit for unit, _ in pairs])
    tree, config = Tree(home), Config(home)
    search = Search(home / ".state" / "search.sqlite")
    start = time.perf_counter()
    search.rebuild(tree)
    built = time.perf_counter() - start
    step = max(1, size // QUERIES)
    questions = [question for _, question in pairs[::step]][:QUERIES]
    warm = sorted(spend(ask, question, tree, search, config) for question in questions)
    hook, empty = hooks(folder, questions[0], runs)
    return {
        "notes": size,
        "characters": round(statistics.mean(len(u.title + u.description + u.body) for u, _ in pairs)),
        "build_s": round(built, 2),
        "save_ms": round(statistics.median(saves(tree, search)), 2),
        "query_p50_ms": round(warm[len(warm) // 2], 1),
        "query_p95_ms": round(warm[int(len(warm) * 0.95)], 1),
        "hook_ms": round(hook, 1),
        "empty_python_ms": round(empty, 1),
        "hook_ratio": round(hook / empty, 1),
        "index_mb": round(search.path.stat().st_size / 1e6, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }  # fmt: skip


def ask(question: str, tree: Tree, search: Search, config: Config) -> None:
    recall(question, "all", tree=tree, search=search, config=config)


def spend(action: Callable[..., object], *given: Any) -> float:
    start = time.perf_counter()
    action(*given)
    return (time.perf_counter() - start) * 1000


def saves(tree: Tree, search: Search) -> list[float]:
    """The index's part of one save: the note is written before the clock starts."""
    taken = []
    for number in range(SAVES):
        path = f"knowledge/feedback/saved-{number % 10}.md"
        file = tree.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f'---\nname: saved\ndescription: "A saved note {number}"\n---\nUse tabs, not {number} spaces.\n'
        )
        taken.append(spend(search.update, tree, [path]))
    search.close()
    return taken


def hooks(folder: Path, question: str, runs: int) -> tuple[float, float]:
    """Median milliseconds of a whole prompt hook that finds something, and of an empty Python beside it."""
    env = {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "memory_skill", "hook", "claude-code", "prompt"]
    own, bare = [], []
    for run in range(-2, runs):  # the first ones warm the file cache
        event = {
            "session_id": f"scale-{run}", "cwd": str(folder), "hook_event_name": "UserPromptSubmit",
            "transcript_path": str(folder / "none.jsonl"), "prompt_id": f"p{run}", "prompt": question,
        }  # fmt: skip
        data = json.dumps(event).encode()
        taken = spend(run_quietly, command, data, env)
        empty = spend(run_quietly, [sys.executable, "-c", "pass"], b"", env)
        if run >= 0:
            own.append(taken)
            bare.append(empty)
    return statistics.median(own), statistics.median(bare)


def run_quietly(command: list[str], data: bytes, env: dict[str, str]) -> None:
    ran = subprocess.run(command, input=data, env=env, capture_output=True, cwd=Path(__file__).parents[1])
    if ran.returncode:
        raise subprocess.CalledProcessError(ran.returncode, command, ran.stdout, ran.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
