"""Kill -9 at every call that changes state, then look at what is left and go on working."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memory_skill.journal import Journal

from .children import Killer, count, run
from .shim import Shim
from .trees import (
    BY_NAME,
    TURN,
    Operation,
    check_recovery,
    check_texts,
    copied,
    opened,
    sentence,
    snapshot,
    template,
)


class Killed(NamedTuple):
    """One point and how long the next save took, in seconds."""

    operation: str
    point: int
    acknowledged: bool
    seconds: float


class Case:
    """One operation on copies of one template."""

    def __init__(self, operation: Operation, source: Path, work: Path) -> None:
        self.operation, self.work = operation, work
        self.ready = copied(source, work / f"{operation.name}-ready")
        operation.prepare(opened(self.ready).tree)
        self.before = snapshot(self.ready)
        done = self.copy()
        operation.do(opened(done))
        self.after = snapshot(done)
        shutil.rmtree(done.parent)

    def copy(self) -> Path:
        """A copy under the same path each time, so that nothing depends on it."""
        folder = self.work / self.operation.name
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        return copied(self.ready, folder / "memory")

    def points(self) -> int:
        home = self.copy()
        return count(lambda: self.operation.do(opened(home)))

    def disturbed(self, shim: Shim) -> tuple[Path, Any]:
        home = self.copy()
        return home, run(lambda: self.operation.do(opened(home)), shim)

    def check(
        self,
        home: Path,
        acknowledged: bool,
        *,
        order: bool = True,
        deep: bool = True,
        others: tuple[str, ...] = (),
    ) -> float:
        """Raises: AssertionError with what does not hold. Returns: seconds that the next save took."""
        check_texts(self.before, home, self.operation, self.after, others)
        tree = opened(home).tree
        assert not acknowledged or self.operation.holds(tree), (
            f"{self.operation.name} was acknowledged and is lost"
        )
        assert Journal(tree).turns() in ([], [TURN]), "half a turn"
        seconds = check_recovery(home, order=order, deep=deep)
        assert not acknowledged or self.operation.holds(tree)
        return seconds


class GitKiller(Killer):
    """Lets the n-th git start, kills it a moment later, and perhaps the process that waits for it."""

    def __init__(self, n: int, seconds: float, both: bool) -> None:
        super().__init__(n)
        self.seconds, self.both = seconds, both

    def __call__(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> None:
        if name != "git-started":
            return
        self.seen += 1
        if self.seen == self.n:
            time.sleep(self.seconds)
            os.kill(args[0].pid, signal.SIGKILL)
            if self.both:
                os.kill(os.getpid(), signal.SIGKILL)


def campaign(source: Path, work: Path, names: tuple[str, ...], most: int | None = None) -> Iterator[Killed]:
    """Kill each operation at *most* of its points, evenly spread; None: at all."""
    for name in names:
        case = Case(BY_NAME[name], source, work)
        total = case.points()
        for point in spread(total, most):
            home, ended = case.disturbed(Shim(Killer(point)))
            deep, order = most is None or point % 4 == 0, most is None or point % 2 == 0
            seconds = case.check(home, ended.acknowledged, order=order, deep=deep)
            yield Killed(name, point, ended.acknowledged, seconds)


def spread(total: int, most: int | None) -> list[int]:
    """*most* of the numbers 1 to *total*, evenly; all of them if there are no more."""
    if most is None or total <= most:
        return list(range(1, total + 1))
    return sorted({1 + round(i * (total - 1) / (most - 1)) for i in range(most)})


def git_campaign(source: Path, work: Path, seed: int, times: int) -> Iterator[Killed]:
    """Kill git itself at a random moment of a random call: it leaves its locks behind."""
    chance = random.Random(seed)
    cases = [Case(BY_NAME[name], source, work) for name in ("new", "edit", "forget")]
    for point in range(times):
        case = chance.choice(cases)
        killer = GitKiller(chance.randint(1, 2), chance.uniform(0, 0.008), chance.random() < 0.5)
        home, ended = case.disturbed(Shim(killer))
        yield Killed(
            f"git-{case.operation.name}", point, ended.acknowledged, case.check(home, ended.acknowledged)
        )


class RandomKills(NamedTuple):
    """How many processes were killed among four that write, and how many of their saves were acknowledged."""

    kills: int
    acknowledged: int
    slowest_recovery_s: float


def random_campaign(work: Path, seed: int, times: int) -> RandomKills:
    """Four processes save without end; one after the other is killed at a random moment and replaced (D1).

    Raises: AssertionError when a save that its process had acknowledged, in a file of its own, is not there.
    """
    chance, home = random.Random(seed), template(work / "memory")
    children = {who: writer(home, who) for who in range(4)}
    slowest = 0.0
    for n in range(times):
        time.sleep(chance.uniform(0, 0.1))
        who = chance.choice(sorted(children))
        os.kill(children[who], signal.SIGKILL)
        os.waitpid(children.pop(who), 0)
        children[4 + n] = writer(home, 4 + n)
        if n % 20 == 19:
            began = time.monotonic()
            assert opened(home).save(sentence(f"between{n}x{seed}x"), type="reference").outcome == "saved"
            slowest = max(slowest, time.monotonic() - began)
    for child in children.values():
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    memory = opened(home)
    memory.settle()
    text = "".join(path.read_text() for path in (home / "knowledge").rglob("*.md"))
    acknowledged = [line for path in work.glob("acks-*") for line in path.read_text().splitlines()]
    lost = [token for token in acknowledged if token and token not in text]
    assert not lost, f"acknowledged and lost: {lost}"
    assert memory.writer.history.dirty() == [] and memory.writer.history.healthy() is None
    return RandomKills(times, len(acknowledged), round(slowest, 2))


def writer(home: Path, who: int) -> int:
    child = os.fork()
    if child:
        return child
    try:
        memory, acks = (
            opened(home),
            os.open(home.parent / f"acks-{who}", os.O_CREAT | os.O_WRONLY | os.O_APPEND),
        )
        for n in range(10**6):
            memory.save(sentence(f"r{who}x{n}x"), type="reference")
            os.write(acks, f"r{who}x{n}x\n".encode())
    finally:
        os._exit(1)
