"""Many writers, a settling process and a person with four kinds of editor, all on one tree (D3, G01)."""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from memory_skill.index import END
from memory_skill.memory import Memory
from memory_skill.tree import Tree

from .trees import LIST, litter, opened, sentence, template


class Outcome(NamedTuple):
    """Counts and seconds of one run; *lone* is the median of a save that nobody disturbs."""

    saves: int
    edits: int
    samples: int
    commits: int
    lone: float
    p50: float
    p99: float


def contest(home: Path, writers: int, saves: int, seed: int, edits: int = 20) -> Outcome:
    """Let them all write, then look for every token. Raises: AssertionError with what is lost."""
    template(home)
    lone = statistics.median(_timed(opened(home), sentence(f"lone{n}x{seed}x")) for n in range(5))
    work: list[Callable[[], object]] = [
        lambda who=who: _write(home, who, saves)
        for who in range(writers)  # type: ignore[misc]
    ]
    children = [_spawn(one) for one in [*work, lambda: _edit_by_hand(home, edits, seed)]]
    settler = _spawn(lambda: _settle(home))
    samples = _watch_index(home, children)
    (home / "stop").touch()
    codes = [os.waitstatus_to_exitcode(os.waitpid(settler, 0)[1])]
    (home / "stop").unlink()
    assert codes == [0], "the settling process failed; its error is above"
    opened(home).settle()
    return _judge(home, writers, saves, edits, samples, lone)


def _spawn(work: Callable[[], object]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(code)


def _timed(memory: Memory, text: str) -> float:
    began = time.perf_counter()
    saved = memory.save(text, type="reference")
    taken = time.perf_counter() - began
    assert saved.outcome == "saved" and saved.commit, f"{text}: {saved}"
    return taken


def _write(home: Path, who: int, saves: int) -> None:
    """Saves with a token each; every fifth also adds one to the list that all share."""
    memory, taken = opened(home), []
    for n in range(saves):
        taken.append(_timed(memory, sentence(f"w{who}x{n}x")))
        if n % 5 == 0:
            memory.edit(LIST, "", f"token l{who}x{n}x")
    (home.parent / f"times-{who}.json").write_text(json.dumps(taken))


def _settle(home: Path) -> None:
    memory = opened(home)
    while not (home / "stop").exists():
        memory.settle()
        time.sleep(0.2)


def _edit_by_hand(home: Path, edits: int, seed: int) -> None:
    chance = random.Random(seed)
    for n in range(edits):
        path = home / "knowledge" / "reference" / f"by-hand-{n % 4}.md"
        before = path.read_bytes() if path.exists() else b""
        EDITORS[n % 4](path, before + f"- token h{n}x by hand\n".encode())
        time.sleep(chance.uniform(0, 0.15))


def _in_place(path: Path, data: bytes) -> None:  # nano
    path.write_bytes(data)


def _renamed(path: Path, data: bytes) -> None:  # vim: the old one becomes a backup, the new one is written
    backup = path.with_name(path.name + "~")
    if path.exists():
        path.rename(backup)
    path.write_bytes(data)
    backup.unlink(missing_ok=True)


def _atomic(path: Path, data: bytes) -> None:  # VS Code
    scratch = path.with_name(f"{path.name}.vsctmp")
    scratch.write_bytes(data)
    scratch.replace(path)


def _sed(path: Path, data: bytes) -> None:  # sed -i
    scratch = path.with_name("sedX4f2a")
    scratch.write_bytes(data)
    scratch.replace(path)


EDITORS = (_renamed, _in_place, _atomic, _sed)


def _watch_index(home: Path, children: list[int]) -> int:
    """Read MEMORY.md until all *children* have ended. Returns: how often."""
    samples, left = 0, list(children)
    while left:
        text = (home / "MEMORY.md").read_bytes()
        assert text.count(b"\n") <= 200 and len(text) <= 25_000 and END.encode() in text, "a bad index"
        samples += 1
        done, status = os.waitpid(left[0], os.WNOHANG)
        if done:
            assert os.waitstatus_to_exitcode(status) == 0, "a writer failed; its error is above"
            left.pop(0)
        time.sleep(0.005)
    return samples


def _judge(home: Path, writers: int, saves: int, edits: int, samples: int, lone: float) -> Outcome:
    tree, memory = Tree(home), opened(home)
    text = b"".join(tree.read(stat.path) for stat in tree.walk()).decode()
    wanted = [f"w{who}x{n}x" for who in range(writers) for n in range(saves)]
    wanted += [f"l{who}x{n}x" for who in range(writers) for n in range(0, saves, 5)]
    wanted += [f"h{n}x" for n in range(edits)]
    lost = [token for token in wanted if f" {token}" not in text]
    assert not lost, f"lost: {lost}"
    assert not memory.status().unsettled
    history = memory.writer.history
    assert history.dirty() == [] and history.healthy() is None
    assert list(litter(home)) == []
    shown = re.search(r"^Shown (\d+) of (\d+)", tree.read("MEMORY.md").decode(), re.MULTILINE)
    there = sum(not stat.path.startswith(("knowledge/projects/", "summaries/")) for stat in tree.walk())
    assert shown and int(shown[2]) == there + 1  # and the one project
    times = sorted(t for path in home.parent.glob("times-*.json") for t in json.loads(path.read_text()))
    commits = len(history.log(limit=0))
    p99 = times[int(len(times) * 0.99) - 1]
    return Outcome(writers * saves, edits, samples, commits, lone, statistics.median(times), p99)
