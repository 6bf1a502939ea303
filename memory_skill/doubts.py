"""What a change puts in doubt: notes that depend on what changed, and neighbours that still say what it said.

They are flagged until somebody gives a verdict on each: invalid, revise, or unaffected. A flag is local and
changes no note; one whose note changed or went is no flag any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from . import beside
from .editing import read, without
from .errors import MemorySkillError, NotFound
from .feedback import hold_back
from .history import Origin
from .light import NamedTuple
from .note import parted, scope_of
from .text import one_line, shorten, words
from .tree import write_atomic
from .write import Edit, Writer, becomes, message

VERDICTS = ("invalid", "revise", "unaffected")
MAX_FLAGS = 200
SHARED = 2  # words that a neighbour shares with what changed, beside a word that no longer holds
FORGOTTEN = 0.6  # share of the words of a forgotten text that a neighbour still says


class Flag(NamedTuple):
    """An entry in doubt: since which day, because of what, and the text that it had then."""

    address: str
    day: str
    because: str
    text: str


@dataclass(frozen=True)
class Verdict:
    """*outcome*: removed (*invalid*), held (*revise*: it waits at *inbox*), or kept (*unaffected*)."""

    address: str
    outcome: str
    inbox: str | None = None
    commit: str | None = None
    hint: str | None = None


def flag(writer: Writer, path: str, before: str, after: str | None) -> tuple[str, ...]:
    """Flag what is in doubt since *before*, of the note at *path*, became *after* (None: forgotten).

    Returns: the addresses. For use inside `hold`, when the change is written.
    """
    because = f"{path} {'was forgotten' if after is None else 'changed'}: {shorten(one_line(before), 120)}"
    found = dict.fromkeys([*_dependents(writer, path), *_neighbours(writer, path, before, after or "")])
    day = date.today().isoformat()
    new = [Flag(address, day, because, said(writer, address)) for address in found]
    if new:
        _keep(writer, [*(old for old in flags(writer) if old.address not in found), *new])
    return tuple(found)


def told(addresses: tuple[str, ...]) -> str | None:
    """What an agent is asked to do about them; None without any."""
    if not addresses:
        return None
    shown = ", ".join(addresses[:3]) + (f" and {len(addresses) - 3} more" if len(addresses) > 3 else "")
    return f"may no longer hold: {shown}; for each: memory-skill verdict invalid|revise|unaffected ADDRESS"


def flags(writer: Writer) -> list[Flag]:
    """What is in doubt, the oldest first."""
    try:
        kept = json.loads((writer.tree.state / "doubts.json").read_bytes())
        known = [Flag(*map(str, one)) for one in kept]
    except (OSError, ValueError, TypeError):
        return []
    return [one for one in known if one.text and said(writer, one.address) == one.text]


def judge(writer: Writer, address: str, verdict: str, origin: Origin) -> Verdict:
    """Give a verdict on what is in doubt; for use inside `hold`. Raises: NotFound."""
    known = {one.address: one for one in flags(writer)}
    if address not in known:
        raise NotFound("is not in doubt", where=address, hint="memory-skill verdict")
    done = Verdict(address, "kept")
    if verdict != "unaffected":
        done = _take_away(writer, known[address], verdict, origin)
    _keep(writer, [one for one in known.values() if one.address != address])
    return done


def _take_away(writer: Writer, doubted: Flag, verdict: str, origin: Origin) -> Verdict:
    path, ident = parted(doubted.address)
    before = writer.tree.read(path)
    found = read(before, path)
    gone = [entry for entry in found.entries if not ident or entry.id == ident]
    if verdict == "invalid":
        edits: dict[str, Edit] = {path: becomes(without(found, gone, before), before)}
        commit = message("verdict", doubted.address, f"invalid, since {doubted.because}", origin)
        done = writer.change(edits, commit)
        return Verdict(doubted.address, "removed", None, done.commit, done.warning)
    edits = {path: becomes(without(found, gone, before), before)}
    text = f"{gone[0].text}\n" if ident and len(found.entries) > 1 else found.raw
    held = hold_back(writer, found, doubted.address, text, edits, origin, f"in doubt since {doubted.because}")
    return Verdict(doubted.address, "held", held.inbox, held.commit, held.hint)


def _keep(writer: Writer, kept: list[Flag]) -> None:
    write_atomic(writer.tree.state / "doubts.json", json.dumps(kept[-MAX_FLAGS:]).encode(), durable=False)


def said(writer: Writer, address: str) -> str:
    """What the entry says now; "" if it is gone."""
    path, ident = parted(address)
    try:
        found = writer.note(path)
    except MemorySkillError:
        return ""
    entries = [entry.text for entry in found.entries if not ident or entry.id == ident] if found else []
    return "\n".join(entries)


def _dependents(writer: Writer, path: str) -> Iterator[str]:
    """The notes whose header says that they depend on the note at *path*, by its path or its name."""
    names = {path, path.removesuffix(".md"), path.rsplit("/", 1)[-1].removesuffix(".md")}
    scopes = {scope_of(stat.path) for stat in writer.tree.walk()}
    for other, item in writer.known(scopes).items():
        if other != path and names.intersection(need.partition("#")[0] for need in item.needs):
            yield other


def _neighbours(writer: Writer, path: str, before: str, after: str) -> Iterator[str]:
    """The nearest entries of the scope that still say what no longer holds, of the same subject."""
    had, has = set(words(before)), set(words(after))
    lost, kept = had - has, had & has
    if not lost:
        return
    for one in beside.entries(before, scope_of(path), writer):
        here = set(words(one.text))
        if one.address.partition("#")[0] == path:
            continue
        if (
            len(here & had) >= FORGOTTEN * len(had)
            if not after
            else here & lost and len(here & kept) >= SHARED
        ):
            yield one.address
