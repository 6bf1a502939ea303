"""A scratch machine: one home, one PATH, and the processes that run there. Nothing outlives it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hosts.clients import client

TIME_LIMIT = 60  # seconds for one process; a turn takes about half a second


class Machine:
    """A home in which a user installs the package, with projects beside it."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.home = self.root / "home"
        self.bin = self.root / "bin"
        self.knobs: dict[str, str] = {}  # more environment, for every process from now on
        for folder in (self.home, self.bin, self.root / "tmp"):
            folder.mkdir(parents=True)

    @property
    def tree(self) -> Path:
        return self.home / ".memory-skill"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of every process: never the caller's."""
        path = [self.bin, Path(sys.executable).parent, *map(Path, ("/usr/local/bin", "/usr/bin", "/bin"))]
        return {
            "PATH": os.pathsep.join(map(os.fspath, path)),
            "HOME": os.fspath(self.home),
            "TMPDIR": os.fspath(self.root / "tmp"),
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            "LANG": "C.UTF-8",
            "NO_PROXY": "127.0.0.1",
            **self.knobs,
        }

    def put(self, *names: str) -> None:
        """Put clients on the PATH, as their installers do."""
        for name in names:
            (self.bin / name).symlink_to(client(name))

    def project(self, name: str) -> Path:
        """A folder with a git repository of its own; made at the first call."""
        folder = self.root / "work" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            self.run("git", "init", "-q", cwd=folder)
        return folder

    def run(
        self,
        *argv: str | Path,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        check: bool = True,
    ) -> subprocess.CompletedProcess[str]:
        """Run *argv* to its end in a session of its own; a failure shows what it said."""
        ran = subprocess.run(
            [os.fspath(word) for word in argv],
            cwd=cwd or self.home,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIME_LIMIT,
            start_new_session=True,
        )
        if check:
            assert ran.returncode == 0, f"{argv} exits {ran.returncode}\n{ran.stdout}\n{ran.stderr}"
        return ran

    def memory(
        self, *verb: str, cwd: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """`memory-skill VERB`, as installed in the interpreter of the test."""
        return self.run(sys.executable, "-m", "memory_skill", *verb, cwd=cwd, check=check)

    def report(self, *verb: str, cwd: Path | None = None) -> Any:
        """What `memory-skill VERB --json` answers."""
        return json.loads(self.memory(*verb, "--json", cwd=cwd).stdout)

    def git(self, *argv: str | Path) -> str:
        """The answer of git in the memory tree."""
        return self.run("git", "-C", self.tree, *argv).stdout

    @property
    def index(self) -> str:
        """The root MEMORY.md."""
        return (self.tree / "MEMORY.md").read_text(encoding="utf-8")

    def note(self, name: str) -> Path:
        """The one note of this name, wherever it was filed."""
        found = [path for path in self.tree.rglob(f"{name}.md") if ".state" not in path.parts]
        assert len(found) == 1, f"{name}.md: {found}"
        return found[0]

    def trailers(self, path: Path) -> dict[str, str]:
        """The trailers of the last commit that touched *path*."""
        told = self.git("log", "-1", "--format=%(trailers:only,unfold)", "--", path)
        return dict(line.split(": ", 1) for line in told.splitlines() if line)

    def wait_for(self, reached: Callable[[], bool]) -> None:
        """Block until a process of this machine has done what *reached* looks for."""
        deadline = time.monotonic() + TIME_LIMIT
        while not reached():
            assert time.monotonic() < deadline, f"not within {TIME_LIMIT} s"
            time.sleep(0.01)

    def processes(self) -> list[int]:
        """Every process that runs with this home, detached children of hooks included."""
        mine, found = f"HOME={self.home}".encode(), []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mine in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # ended meanwhile, or another user's
        return found

    def end(self) -> None:
        """End them, and wait until they have."""
        for process in self.processes():
            try:
                handle = os.pidfd_open(process)
            except ProcessLookupError:
                continue
            with os.fdopen(handle):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                select.select([handle], [], [], TIME_LIMIT)
