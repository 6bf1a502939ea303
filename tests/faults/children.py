"""Operations of the memory in a forked child that may be killed at any call; the parent looks on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any, NamedTuple

from .shim import Shim


class Ended(NamedTuple):
    """How the child ended: *acknowledged* what it was asked for, or said an error, or was killed."""

    acknowledged: bool
    killed: bool
    said: str


def run(work: Callable[[], object], shim: Shim | None = None) -> Ended:
    """Do *work* in a child behind *shim*."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        os.setsid()
        _child(work, shim, writer)
    os.close(writer)
    with open(reader, "rb") as stream:
        said = stream.read().decode("utf-8", "replace")
    _, status = os.waitpid(child, 0)
    return Ended(said.startswith("ok"), os.WIFSIGNALED(status), said)


def _child(work: Callable[[], object], shim: Shim | None, writer: int) -> None:
    import _posixsubprocess  # noqa: F401 - loaded before anything is counted

    say = os.write
    try:
        if shim:
            shim.install()
        done = work()
        say(writer, f"ok {done}".encode())
    except BaseException as error:
        say(writer, f"{type(error).__name__}: {error}".encode("utf-8", "replace"))
    finally:
        os._exit(0)


class Killer:
    """Kills its own process at the n-th call that changes state; with n = 0 it only counts."""

    def __init__(self, n: int, git: str = "") -> None:
        self.n, self.git, self.seen = n, git, 0

    def __call__(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> None:
        if name == "git-ended":
            return
        self.seen += 1
        if self.seen == self.n:
            os.kill(os.getpid(), signal.SIGKILL)


def count(work: Callable[[], object]) -> int:
    """How many calls of *work* change state."""
    killer = Killer(0)
    ended = run(lambda: (work(), killer.seen)[1], Shim(killer))
    if not ended.acknowledged:
        raise AssertionError(f"the operation fails by itself: {ended.said}")
    return int(ended.said.split()[1])
