"""The answer of one check, and what every check is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..config import Config
from ..tree import Tree

SHOWN = 5  # of a long list of files


@dataclass(frozen=True)
class Check:
    """*level*: `ok`; `warning`, which a person may leave as it is; `error`, for which `doctor` exits with 1.

    *what* is one line, *fix* the command or the act that helps; '' where there is nothing to do.
    """

    name: str
    level: Literal["ok", "warning", "error"]
    what: str
    fix: str = ""


@dataclass(frozen=True)
class Case:
    """What is examined. *trouble* says why the config could not be read; then *config* holds the defaults."""

    env: Mapping[str, str]
    config: Config
    trouble: str = ""

    @property
    def tree(self) -> Tree:
        return Tree(self.config.home)

    @property
    def home(self) -> Path:
        return self.config.home


def ok(name: str, what: str) -> Check:
    return Check(name, "ok", what)


def warning(name: str, what: str, fix: str) -> Check:
    return Check(name, "warning", what, fix)


def error(name: str, what: str, fix: str) -> Check:
    return Check(name, "error", what, fix)


def some(found: Iterable[str]) -> str:
    """A few of *found*, and how many there are."""
    listed = sorted(found)
    more = len(listed) - SHOWN
    return ", ".join(listed[:SHOWN]) + (f" and {more} more" if more > 0 else "")
