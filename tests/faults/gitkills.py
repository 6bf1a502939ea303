"""Kill git itself, by strace, at every call of a commit that changes state (D1, G12, G45)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from .children import Ended, run
from .kills import Case, Killed, spread
from .trees import BY_NAME, opened

CALLS = "write,fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,close"
VERBS = ("update-index", "commit")
_WRAPPER = """#!/bin/sh
for word in "$@"; do
    test "$word" = {verb} && exec {strace} -f -qq -o {log} -e trace={calls} {inject} {git} "$@"
done
exec {git} "$@"
"""


def is_possible() -> bool:
    """Whether strace is here and may trace."""
    return shutil.which("strace") is not None and os.system("strace -qq -o /dev/null true 2>/dev/null") == 0


def campaign(source: Path, work: Path, names: tuple[str, ...], most: int | None) -> Iterator[Killed]:
    """Kill the git of each operation at *most* calls of each of its verbs, evenly spread; None: at all."""
    for name in names:
        case = Case(BY_NAME[name], source, work)
        for verb in VERBS:
            for point in spread(_calls(case, verb), most):
                inject = f"-e inject={CALLS}:signal=KILL:when={point}"
                home, ended = _done(case, verb, inject)
                assert ended.acknowledged, f"{name}, {verb} killed at {point}: {ended.said}"
                yield Killed(f"{name}-{verb}", point, True, case.check(home, True))


def _calls(case: Case, verb: str) -> int:
    """How many such calls the verb's own process makes."""
    home, ended = _done(case, verb, "")
    assert ended.acknowledged, ended.said
    lines = (home.parent / "calls.log").read_text(errors="replace").splitlines()
    processes = [line.split()[0] for line in lines]
    return processes.count(processes[0])


def _done(case: Case, verb: str, inject: str) -> tuple[Path, Ended]:
    """Do the operation with a git of which one verb runs under strace."""
    home = case.copy()
    folder = home.parent / "bin"
    folder.mkdir()
    wrapper = folder / "git"
    found = {"strace": shutil.which("strace"), "git": shutil.which("git"), "log": home.parent / "calls.log"}
    wrapper.write_text(_WRAPPER.format(verb=verb, calls=CALLS, inject=inject, **found))
    wrapper.chmod(0o755)

    def work() -> object:
        os.environ["PATH"] = f"{folder}:{os.environ['PATH']}"
        return case.operation.do(opened(home))

    return home, run(work)
