"""What one installation is about, and how its own hooks are told from everybody else's."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import NotFound
from ..hosts.base import registered

MODULE = "memory_skill"
VERBS = ("save", "edit", "recall")  # may run without a question; never erase, uninstall, serve


@dataclass(frozen=True)
class Setup:
    """The tree, the interpreter that the hooks run, and the environment in which the hosts are looked for.

    *mode* is Claude Code's: `adopt` points its auto-memory at the tree, `beside` leaves it alone.
    """

    tree: Path
    python: str
    env: Mapping[str, str]
    mode: str = "adopt"

    @property
    def user_home(self) -> Path:
        return Path(self.env.get("HOME") or Path.home())

    @property
    def moved(self) -> bool:
        """The tree is not where every process finds it by itself."""
        return self.tree != self.user_home / ".memory-skill"

    def argv(self, host: str, kind: str) -> list[str]:
        """The words of one hook; they name the tree if it is not where every process finds it by itself."""
        words = registered(self.python, host, kind)
        place = words.index("hook")
        return [*words[:place], "--home", str(self.tree), *words[place:]] if self.moved else words

    @property
    def commands(self) -> tuple[str, ...]:
        """How `memory-skill` may be called from a host's shell: its name if that is on PATH, and its path."""
        beside = Path(self.python).with_name("memory-skill")
        names = ["memory-skill"] if on_path("memory-skill", self.env) else []
        names += [str(beside)] if os.access(beside, os.X_OK) else []
        return tuple(names or [f"{self.python} -m {MODULE}"])

    def shown(self, path: Path) -> str:
        """A path as people write it."""
        home = self.user_home
        return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def interpreter() -> str:
    """The interpreter that runs this; a virtual environment's own link to it stays as it is."""
    if not sys.executable:
        raise NotFound(
            "this Python does not know its own path", hint="run it as PYTHON -m memory_skill install"
        )
    return os.path.abspath(sys.executable)  # noqa: PTH100  (Path.absolute keeps '..')


def on_path(name: str, env: Mapping[str, str]) -> Path | None:
    """The executable *name* on the PATH of *env*."""
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        found = Path(folder or ".") / name
        if folder and found.is_file() and os.access(found, os.X_OK):
            return found
    return None


def is_ours(words: Sequence[object], host: str = "") -> bool:
    """Whether a hook's words call our hook, by whatever interpreter."""
    said = [word for word in words if isinstance(word, str)]
    for place in range(len(said) - 1):
        if said[place : place + 2] == ["-m", MODULE] and "hook" in said[place + 2 :]:
            return not host or host in said[place + 2 :]
    return False


def interpreters(hooks: Iterable[Sequence[str]]) -> list[str]:
    """The interpreters that our hooks among *hooks* name, each once."""
    return list(dict.fromkeys(words[0] for words in hooks if words and is_ours(words)))
