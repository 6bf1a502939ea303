"""Notes that weigh as much as a note may: read or refused within a second and 64 MB (D6)."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memory_skill import gate, note
from memory_skill.damage import damage_of
from memory_skill.errors import MemorySkillError
from memory_skill.index import line_of
from memory_skill.search import rows_of
from memory_skill.tree import MAX_FILE

ROOT = Path(__file__).parents[2]
MAX_SECONDS, MAX_MB = 1.0, 64.0
PARTS = (
    "[", "{", "- ", "* - ", "  ", "\t", "\n", "\r", "> ", "#", "`", "```\n", "~~~\n", "---\n",
    "--- ", "<", "<!--", "](x)", "[a](b) ", "[[x]] ", "|", "**", "_", "\\", "&a ", "*a ",
    "!!python/x ", "a: b\n", "a:\n", ": ", "'", '"', "a: [", "a", "a ", "ab12", "A1b2C3", "sk-",
    "password=", "token: ", "eyJ.", "-----BEGIN ", "://a:b@", "==", ".", "é", "漢", "漢字 ", "🐍",
    "\u202e", "\U000e0041", "\u0301", "\u200d", "\x1b[", "\0", "<<<<<<< HEAD\n", "=======\n",
    "1. one\n", "- item\n", "- item\n  more\n\n", "# Heading\n\ntext\n", "key: |\n  text\n",
    "camelCaseWord ", "a.b.c/",
)  # fmt: skip
"""Each is repeated to the full size."""


class Weighed(NamedTuple):
    """One input: seconds of processor time and MB above what the process used before."""

    name: str
    seconds: float
    mb: float


def inputs() -> Iterator[tuple[str, bytes]]:
    """Every part alone, as a body below a header, inside the header, and after words."""
    for part in PARTS:
        text = part * (MAX_FILE // len(part.encode("utf-8", "surrogatepass")) - 40)
        yield f"{part!r}", text.encode()
        yield f"body of {part!r}", f"---\nname: x\n---\n{text}".encode()[:MAX_FILE]
        yield (
            f"header of {part!r}",
            f"---\nname: x\nk: {text[: MAX_FILE // 2]}\n---\nbody\n".encode()[:MAX_FILE],
        )


READERS: tuple[Callable[[bytes], object], ...] = (
    lambda raw: note.parse(raw, "knowledge/x.md"),
    lambda raw: damage_of(raw, "knowledge/x.md"),
    lambda raw: line_of(note.skim(raw, "knowledge/x.md")),
    lambda raw: rows_of(note.skim(raw, "knowledge/x.md")),
    lambda raw: gate.redact(raw.decode("utf-8", "replace")),
)


def weigh(name: str, raw: bytes) -> Weighed:
    """Read it in every way that a settle or a recall does; the slowest and the hungriest of them count."""
    slowest = most = 0.0
    for read in READERS:
        before, began = _memory("VmRSS", reset=True), time.process_time()
        try:
            read(raw)
        except MemorySkillError:
            pass
        slowest = max(slowest, time.process_time() - began)
        most = max(most, _memory("VmHWM") - before)
    return Weighed(name, round(slowest, 3), round(most, 1))


def _memory(key: str, reset: bool = False) -> float:
    """MB of this process; with *reset* its peak is forgotten."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key))


def campaign(seed: int, times: int | None) -> list[Weighed]:
    """Weigh *times* of the inputs, None: all, in a process of its own that may not run for ever.

    Raises: AssertionError when it dies.
    """
    argv = [sys.executable, "-m", "tests.faults.heavy", str(seed), str(times or 0)]
    ran = subprocess.run(argv, cwd=ROOT, capture_output=True, preexec_fn=_limited)
    assert ran.returncode == 0, ran.stderr.decode("utf-8", "replace")[-2000:]
    return [Weighed(*json.loads(line)) for line in ran.stdout.splitlines()]


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (600, 600))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


if __name__ == "__main__":
    chosen, most = list(inputs()), int(sys.argv[2])
    if most:
        chosen = random.Random(int(sys.argv[1])).sample(chosen, most)
    for name, raw in chosen:
        print(json.dumps(weigh(name, raw)), flush=True)
