"""`python -m memory_skill`: a hook is answered before the command line is even loaded."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Entry of the `memory-skill` command."""
    _start_in_utf_8()
    words = sys.argv[1:]
    home = words[1] if words[:1] == ["--home"] and len(words) > 1 else None
    verb = words[2:] if home else words
    if verb[:1] == ["hook"] and not {"-h", "--help"} & set(verb):
        _hook(verb[1:], home)
    from .cli import main as command_line

    sys.exit(command_line())


def _start_in_utf_8() -> None:
    """Begin anew where the locale has another encoding: words would arrive broken, names not be written."""
    if os.name == "posix" and sys.executable and sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])


def _hook(words: list[str], home: str | None) -> None:
    """End the process with the host's code. A word that is missing or unknown is logged, never an exit 2."""
    code = 0
    gc.set_threshold(100_000)  # a prompt lives for 50 ms; to look for its garbage cost 4 of them
    try:
        from . import hooks

        env = {**os.environ, "MEMORY_SKILL_HOME": home} if home else os.environ
        host, kind = (*words, "", "")[:2]
        payload = sys.stdin.buffer.read(hooks.MAX_PAYLOAD + 1) if sys.stdin else b""
        code = hooks.run(host, kind, payload, env)
    finally:
        os._exit(code)  # nothing is left to flush, and the interpreter's own farewell costs 5 ms


if __name__ == "__main__":
    main()
