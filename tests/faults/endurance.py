"""Hours of work in short (D17): four writers, a watcher, and every few seconds a writer is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from .kills import writer
from .trees import litter, opened, template

KILL_SECONDS = 5.0
MOST_FILES, MOST_GROWTH = 5, 1.5  # more open files than at the start; memory beside that of half-time


class Sample(NamedTuple):
    """The watcher's open files and MB of memory, notes in the tree, and KB of it without its history."""

    files: int
    mb: float
    notes: int
    kb: int


class Endured(NamedTuple):
    """What a run counted. *samples*: at the start, at half-time and at the end."""

    seconds: float
    kills: int
    acknowledged: int
    samples: tuple[Sample, Sample, Sample]


def campaign(work: Path, seed: int, seconds: float) -> Endured:
    """Let them work for *seconds*. Raises: AssertionError when anything is lost or grows without need."""
    chance, home = random.Random(seed), template(work / "memory")
    env = dict(os.environ) | {"MEMORY_SKILL_HOME": str(home)}
    watcher = subprocess.Popen(
        [sys.executable, "-m", "memory_skill", "watch"], env=env, stderr=subprocess.PIPE
    )
    assert watcher.stderr and watcher.stderr.readline()
    children = [writer(home, who) for who in range(4)]
    began, samples = time.monotonic(), [_sample(watcher.pid, home)]
    kills = 0
    while time.monotonic() - began < seconds:
        time.sleep(min(KILL_SECONDS, seconds / 8))
        victim = chance.randrange(4)
        _kill(children[victim])
        kills += 1
        children[victim] = writer(home, 4 + kills)
        if len(samples) == 1 and time.monotonic() - began > seconds / 2:
            samples.append(_sample(watcher.pid, home))
    for child in children:
        _kill(child)
    samples.append(_sample(watcher.pid, home))
    watcher.send_signal(signal.SIGTERM)
    watcher.communicate(timeout=60)
    assert watcher.returncode == 0, "the watcher did not end well"
    return Endured(round(seconds, 1), kills, _judge(work, home), _flat(samples))


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _sample(pid: int, home: Path) -> Sample:
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    mb = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))
    files = [path for path in home.rglob("*") if ".git" not in path.parts and path.suffix != ".tmp"]
    kb = sum(_size(path) for path in files) // 1024
    notes = sum(path.suffix == ".md" for path in files)
    return Sample(len(list(Path(f"/proc/{pid}/fd").iterdir())), round(mb, 1), notes, kb)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # gone meanwhile


def _judge(work: Path, home: Path) -> int:
    """Everything acknowledged is there and in order. Returns: how many saves that were."""
    memory = opened(home)
    memory.settle()
    text = "".join(path.read_text() for path in (home / "knowledge").rglob("*.md"))
    acknowledged = [line for path in work.glob("acks-*") for line in path.read_text().split() if line]
    lost = [token for token in acknowledged if token not in text]
    assert not lost, f"acknowledged and lost: {lost}"
    history = memory.writer.history
    assert history.dirty() == [] and history.healthy() is None and not memory.status().unsettled
    assert list(litter(home)) == []
    return len(acknowledged)


def _flat(samples: list[Sample]) -> tuple[Sample, Sample, Sample]:
    """The watcher keeps its files and memory; at the end a note costs the tree what it cost at half-time."""
    first, half, last = samples
    assert last.files <= first.files + MOST_FILES, f"open files grow: {samples}"
    assert last.mb <= half.mb * MOST_GROWTH, f"memory grows: {samples}"
    assert last.kb / last.notes <= half.kb / half.notes * MOST_GROWTH, f"the tree grows: {samples}"
    return first, half, last
