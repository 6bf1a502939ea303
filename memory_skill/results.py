"""What the verbs of `Memory` answer: frozen dataclasses with the JSON fields of `docs/cli.md`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Initialised:
    """*created*: the files that `init` wrote; empty when the tree was whole already."""

    home: str
    created: tuple[str, ...]
    commit: str | None


@dataclass(frozen=True)
class Saved:
    """*outcome*: saved, unchanged, held or refused; *commit* is null where nothing was committed."""

    address: str | None
    scope: str
    outcome: str
    rule: str | None = None
    hint: str | None = None
    inbox: str | None = None
    commit: str | None = None
    doubted: tuple[str, ...] = ()  # entries on which somebody should give a verdict


@dataclass(frozen=True)
class Edited:
    """*outcome*: edited, created or unchanged. *hint* says so when the commit is still to come."""

    address: str
    outcome: str
    commit: str | None = None
    hint: str | None = None
    doubted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Forgotten:
    """*outcome*: forgotten, ambiguous (*addresses* to choose from, nothing changed) or not_found."""

    outcome: str
    addresses: tuple[str, ...] = ()
    commit: str | None = None
    hint: str | None = None
    doubted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Undone:
    """*commits* were undone; *kept* are paths that were edited since and stay as they are."""

    commits: tuple[str, ...]
    kept: tuple[str, ...] = ()
    commit: str | None = None


@dataclass(frozen=True)
class Imported:
    """Counts of lines; *reasons* says why lines were refused."""

    added: int
    unchanged: int
    refused: int
    commit: str | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listed:
    """One note of the tree."""

    address: str
    name: str
    type: str
    scope: str
    description: str
    pinned: bool
    date: str
    entries: int


@dataclass(frozen=True)
class Context:
    """What a host puts before the model: *text*, and the *parts* of it, by name, in order."""

    scope: str
    text: str
    parts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    """Counts and fill levels of one tree."""

    home: str
    scope: str
    notes: dict[str, int]
    index: dict[str, int]
    inbox: int
    waiting_turns: int
    unreviewed: int
    unsettled: bool
    commit: str
    pending: int = 0  # commits that git could not make yet
    refused: dict[str, int] = field(default_factory=dict)  # rule of the gate -> how often
    heartbeats: dict[str, dict[str, Any]] = field(default_factory=dict)
    watch: int | None = None
    health: tuple[dict[str, Any], ...] = ()
    doubted: int = 0  # entries that wait for a verdict
    vectors: dict[str, Any] | None = None  # None while they are off
    quiet: str | None = None  # why nothing is kept or recalled here: off, incognito, ignored


@dataclass(frozen=True)
class Hit:
    """One entry that answers. *score* in 0..1; *age_days* None if its header has no date; *text* unfenced."""

    address: str
    name: str
    type: str
    scope: str
    score: float
    age_days: int | None
    text: str


@dataclass(frozen=True)
class LeftOut:
    """An entry that matched and is not shown: `superseded` (by *successor*), `expired` or `not yet valid`."""

    address: str
    why: str
    successor: str | None = None


@dataclass(frozen=True)
class Recalled:
    """The answer to one query. *omitted*: addresses that matched and did not fit the budget."""

    outcome: str  # hits | no_match | degraded | blocked
    reason: str | None = None
    hits: tuple[Hit, ...] = ()
    omitted: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    explain: dict[str, Any] | None = None
