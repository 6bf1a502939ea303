"""How long after an editor's change `memory-skill watch` has it in MEMORY.md and committed.

    python -m benchmarks.watch [--rounds N]

A real `watch` process over a scratch tree; each round makes, renames and deletes a note. Beside the seconds
stands the ratio to the quiet time that the watcher waits for on purpose.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memory_skill.memory import Memory
from memory_skill.watch import QUIET_SECONDS

PATIENCE = 30.0  # seconds


def until(what: Callable[[], bool]) -> float:
    """Seconds until *what* holds."""
    began = time.monotonic()
    while not what():
        if time.monotonic() - began > PATIENCE:
            raise SystemExit(f"not within {PATIENCE:g} s")
        time.sleep(0.01)
    return time.monotonic() - began


def rounds(memory: Memory, count: int) -> dict[str, list[float]]:
    """Seconds of each change, by kind."""
    folder = memory.tree.home / "knowledge" / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    index = memory.tree.home / "MEMORY.md"
    head = memory.tree.home / ".git" / "refs" / "heads" / "main"
    found: dict[str, list[float]] = {"made": [], "renamed": [], "deleted": []}

    def settled(before: str, name: str, there: bool) -> Callable[[], bool]:
        return lambda: (f"{name}.md)" in index.read_text()) is there and head.read_text() != before

    for number in range(count):
        old, new = folder / f"wiki{number}.md", folder / f"handbook{number}.md"
        before = head.read_text()
        old.write_text(f"The wiki number {number} is at wiki.example.com\n", encoding="utf-8")
        found["made"].append(until(settled(before, old.stem, True)))
        before = head.read_text()
        old.rename(new)
        found["renamed"].append(until(settled(before, new.stem, True)))
        before = head.read_text()
        new.unlink()
        found["deleted"].append(until(settled(before, new.stem, False)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    count = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as scratch:
        env = {**os.environ, "HOME": scratch, "MEMORY_SKILL_HOME": f"{scratch}/tree"}
        memory = Memory.open(Path(scratch) / "tree", env=env, cwd=Path(scratch))
        memory.init()
        watcher = subprocess.Popen(
            [sys.executable, "-m", "memory_skill", "watch"], env=env, stderr=subprocess.PIPE, text=True
        )
        try:
            assert watcher.stderr
            watcher.stderr.readline()  # it watches
            found = rounds(memory, count)
        finally:
            watcher.send_signal(signal.SIGTERM)
            watcher.wait(PATIENCE)
    print(f"{'change':8} {'median s':>9} {'slowest s':>9} {'median / quiet time':>20}")
    for kind, times in found.items():
        middle = statistics.median(times)
        print(f"{kind:8} {middle:9.2f} {max(times):9.2f} {middle / QUIET_SECONDS:20.1f}")


if __name__ == "__main__":
    main()
