"""A pseudo-terminal with a person at it: types, and reads what the program draws."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROWS, COLUMNS = 50, 160
PATIENCE = 30.0  # seconds to wait for something to appear

ESCAPES = re.compile(
    r"\x1b\[[0-9;?>=<]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b[=>78cDEHMNOZ]"
)
PASTE, PASTED = "\x1b[200~", "\x1b[201~"


class Terminal:
    """Runs *argv* in a pty until `close`; a thread drains it, since a full pty stops the program."""

    def __init__(self, argv: list[str], *, cwd: Path, env: dict[str, str]) -> None:
        self._drawn = threading.Condition()
        self._bytes = b""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *argv], cwd=cwd, env=env, stdin=slave, stdout=slave, stderr=slave
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _drain(self) -> None:
        while True:
            try:
                chunk = os.read(self._master, 65536)
            except OSError:
                chunk = b""
            with self._drawn:
                self._bytes += chunk
                self._drawn.notify_all()
            if not chunk:
                return

    @property
    def mark(self) -> int:
        """Where the drawing stands now; give it to `wait` to look only at what follows."""
        with self._drawn:
            return len(self._bytes)

    def shown(self, since: int = 0) -> str:
        """The text drawn since a mark, without escapes and white space: a redraw moves the cursor instead."""
        with self._drawn:
            text = self._bytes[since:].decode("utf-8", "replace")
        return re.sub(r"\s+", "", ESCAPES.sub("", text))

    def wait(self, text: str, since: int = 0) -> None:
        """Block until *text* has been drawn, white space aside."""
        wanted = re.sub(r"\s+", "", text)
        self.wait_for(lambda: wanted in self.shown(since), repr(text))

    def wait_for(self, reached: Callable[[], bool], goal: str) -> None:
        """Block until *reached*; looked at after each drawing, and twice a second."""
        deadline = time.monotonic() + PATIENCE
        while not reached():
            with self._drawn:
                alive = self._drawn.wait(0.5) or self._process.poll() is None
            if not alive or time.monotonic() > deadline:
                raise AssertionError(f"no {goal}; the screen ends:\n{self.shown()[-3000:]}")

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def close(self) -> None:
        """Hang up, as closing the window does, and wait for the end."""
        for number in (signal.SIGHUP, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
                self._process.wait(5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue
        self._process.wait()
        self._reader.join(5)
        os.close(self._master)


class Screen:
    """A person at a host's interactive screen.

    The end of a turn is read from the host's own records, all `.jsonl` files below *records*: on the screen,
    a redraw can show an old end again. *turn* and *compaction* are the words of the record that ends one.
    """

    def __init__(self, terminal: Terminal, records: Path, *, turn: str, compaction: str) -> None:
        self.terminal, self._records = terminal, records
        self._turn, self._compaction = turn, compaction

    def say(self, prompt: str) -> None:
        """One turn, up to the end of its stop hooks."""
        self._enter(prompt, self._turn)

    def compact(self) -> None:
        """`/compact`, up to the end of its hooks."""
        self._enter("/compact", self._compaction)

    def _enter(self, line: str, end: str) -> None:
        mark, count = self.terminal.mark, self._count(end)
        self.terminal.type(f"{PASTE}{line}{PASTED}")
        self.terminal.wait(line, mark)
        self.terminal.type("\r")  # a return that closely follows typed text is taken for a pasted new line
        self.terminal.wait_for(lambda: self._count(end) > count, f"{end} after {line!r}")

    def _count(self, word: str) -> int:
        return sum(path.read_text(encoding="utf-8").count(word) for path in self._records.rglob("*.jsonl"))
