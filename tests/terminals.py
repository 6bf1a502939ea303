"""A person at a terminal: a command under a pty, and a key each time it asks."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

SECONDS = 30  # without a word from the command


def at_a_terminal(
    args: Sequence[str], keys: Sequence[str], *, prompt: str = "· ?]", **env: str
) -> tuple[int, str]:
    """Run `memory-skill ARGS` and send the next of *keys* at each prompt. Returns: exit code and screen."""
    command = [sys.executable, "-m", "memory_skill", *args]
    wanted = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", **env}
    wanted["PYTHONPATH"] = str(Path(__file__).resolve().parent.parent)
    child, screen = pty.fork()
    if not child:
        # A runner that was started in the background leaves SIGINT ignored to all its children, and then
        # Ctrl-C does nothing; at a terminal it never is.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execve(sys.executable, command, wanted)
    left, seen, told = list(keys), 0, b""
    while select.select([screen], [], [], SECONDS)[0]:
        try:
            told += os.read(screen, 65_536)
        except OSError:  # the other end is closed
            break
        if left and told.count(prompt.encode()) > seen:
            seen += 1
            os.write(screen, left.pop(0).encode())
    else:
        os.kill(child, 9)
    status = os.waitpid(child, 0)[1]
    os.close(screen)
    return os.waitstatus_to_exitcode(status), told.decode("utf-8", "replace").replace("\r\n", "\n")
