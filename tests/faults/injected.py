"""Let the n-th call fail: a full, read-only or failing disk, no descriptors, interruptions, short writes."""

from __future__ import annotations

import errno
import os
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memory_skill.errors import MemorySkillError
from memory_skill.memory import Memory

from .children import Killer, run
from .kills import Case, spread
from .shim import REAL, Shim
from .trees import BY_NAME, Operation, opened

CODES = ("ENOSPC", "EIO", "EROFS", "EACCES", "EMFILE", "EINTR", "short")
WRITES_ON = ("ENOSPC", "EROFS")  # from the n-th call on, every one fails
RAW = ("journal", "session")  # their callers are hooks, which take the system's own errors


class Injected(NamedTuple):
    """One fault; *said* is the operation's answer: done, or its one line of reason."""

    operation: str
    point: int
    code: str
    said: str


class Breaker(Killer):
    """Fails at the n-th call, and from then on if *code* is a state of the disk; `off` mends it."""

    def __init__(self, n: int, code: str) -> None:
        super().__init__(n)
        self.code, self.broken = code, True

    def off(self) -> None:
        self.broken = False

    def __call__(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        if name in ("git-started", "git-ended", "unlink") or not self.broken:
            return None  # a full disk still deletes
        self.seen += 1
        if self.seen < self.n or (self.seen > self.n and self.code not in WRITES_ON):
            return None
        if self.code == "short":
            return self._short(name, args)
        if name.startswith("sqlite"):
            raise sqlite3.OperationalError("database or disk is full")
        if name == "git" and self.code in WRITES_ON:
            return None  # git itself fails in its own way
        number = getattr(errno, self.code)
        raise OSError(number, os.strerror(number), str(args[0]) if args else None)

    def _short(self, name: str, args: tuple[Any, ...]) -> int | None:
        if name != "write" or len(args[1]) < 2:
            return None
        return int(REAL["write"](args[0], bytes(args[1])[: len(args[1]) // 2]))


def attempt(operation: Operation, home: Path, breaker: Breaker) -> str:
    """Do it under the fault, then mend the fault and go on in the same process. Returns: the answer."""
    memory: Memory | None = None
    try:
        memory = opened(home)
        damaged = getattr(operation.do(memory), "damaged", ())
        said = f"left for the next settle: {damaged[0][1]}" if damaged else "done"
    except MemorySkillError as error:
        said = f"{error.code}: {error}"
    except OSError as error:
        if operation.name not in RAW:
            raise
        said = f"system: {error}"
    breaker.off()
    assert "\n" not in said
    again = (memory or opened(home)).save("Dora goes on at once", type="user")
    assert again.outcome == "saved" and again.commit, f"after the fault: {again}"
    return said


def count(operation: Operation, home: Path) -> int:
    breaker = Breaker(0, "EIO")
    breaker.n = 10**9
    work = run(lambda: (operation.do(opened(home)), breaker.seen)[1], Shim(breaker, reads=True))
    return int(work.said.split()[1])


def campaign(
    source: Path, work: Path, names: tuple[str, ...], seed: int, most: int | None
) -> Iterator[Injected]:
    """Faults at *most* points of each operation, each of another kind; None: every point, seven kinds."""
    chance = random.Random(seed)
    for name in names:
        case = Case(BY_NAME[name], source, work)
        for point in spread(count(case.operation, case.copy()), most):
            for code in CODES if most is None else (chance.choice(CODES),):
                yield _one(case, point, code)


def _one(case: Case, point: int, code: str) -> Injected:
    breaker, home = Breaker(point, code), case.copy()
    ended = run(lambda: attempt(case.operation, home, breaker), Shim(breaker, reads=True))
    where = f"{case.operation.name}, call {point}, {code}"
    assert ended.acknowledged, f"{where}: {ended.said}"
    said = ended.said.removeprefix("ok ")
    try:
        case.check(home, said == "done", others=("knowledge/user/dora-goes-on-at-once.md",))
    except AssertionError as error:
        raise AssertionError(f"{where} ({said}): {error}") from error
    return Injected(case.operation.name, point, code, said)
