"""A new statement beside what is remembered of its subject: which entry it meets, how it takes its place.

What stood there stays in git; the header says which entry was replaced, and since when the new one holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from . import note
from .comparing import Relation, compare, statement
from .editing import read
from .errors import NotFound
from .gate import Beside
from .note import Entry, Note, entry_id, list_items, parted
from .text import one_line, shorten, words

LIKENESS = 0.34  # share of the words of the shorter text by which a name that is taken means that note
_REASON = re.compile(r"(?m)^\*\*(Why|How to apply):\*\*.*(?:\n(?!\*\*).*)*")


class Match(NamedTuple):
    """The entry that a new text meets, what it says, and how the two stand to each other."""

    address: str
    text: str
    relation: Relation

    @property
    def quoted(self) -> str:
        return f'{self.address} ("{shorten(one_line(statement(self.text)), 120)}")'


class Update(NamedTuple):
    """What takes the place of an entry: *described* says that the caller wrote the description."""

    body: str
    description: str
    described: bool
    source: str
    changed: bool  # another value holds from today; else the same is told in more detail


def nearest(body: str, near: Sequence[Beside]) -> Match | None:
    """The first of *near* that *body* contradicts, else the first that it refines; None for a new subject."""
    if list_items(body) is not None:
        return None
    found = [Match(one.address, one.text, compare(body, one.text)) for one in near]
    for wanted in ("contradicts", "refined"):
        match = next((one for one in found if one.relation == wanted), None)
        if match:
            return match
    return None


def is_about(body: str, old: str) -> bool:
    """Whether both are about the same: a name that is taken by another subject is only a name."""
    if compare(body, old) != "other":
        return True
    said, had = (set(words(statement(text))) for text in (body, old))
    return bool(said and had) and len(said & had) >= LIKENESS * min(len(said), len(had))


def replaced(before: bytes, path: str, address: str, update: Update) -> str:
    """The text of the note at *path* with the entry at *address* replaced. Raises: NotFound if it is gone."""
    found = read(before, path)
    ident = parted(address)[1]
    entries = [e for e in found.entries if not ident or e.id == ident]
    if len(entries) != 1:
        raise NotFound("the entry has changed meanwhile", where=address, hint="save it again")
    if list_items(found.body) is not None:
        return _item_replaced(found.raw, entries[0], update.body)
    head = found.raw[: len(found.raw) - len(found.body)]
    body = _with_reasons(update.body, found.body)
    told = found.description
    if told and (update.described or told == note.describe(found.body)):
        head = _described(head, told, update.description)
    raw = f"{head}{body.strip()}\n"
    return note.set_meta(raw, _dates(found, entries[0].id, update)) if found.headed else raw


def _item_replaced(raw: str, entry: Entry, text: str) -> str:
    lines = note.lines_of(raw)
    start = sum(map(len, lines[: entry.line - 1]))
    end = start + len(raw) - len(note.remove_entry(raw, entry))
    mark = re.match(r"(?:[-*+]|\d{1,9}[.)])[ \t]+", raw[start:])
    item = note.as_item(text).removeprefix("- ")
    return f"{raw[:start]}{mark.group() if mark else '- '}{item}\n{raw[end:]}"


def _with_reasons(new: str, old: str) -> str:
    """*new*, and of *old* the reasons that it does not give itself."""
    given = {match.group(1) for match in _REASON.finditer(new)}
    kept = [match.group().strip() for match in _REASON.finditer(old) if match.group(1) not in given]
    return "\n\n".join([new.strip(), *(["\n".join(kept)] if kept else [])])


def _described(head: str, told: str, description: str) -> str:
    """*head* with another description, where that stands on one line."""
    line = re.search(r"(?m)^description:[ \t]*(.*?)[ \t]*\r?$", head)
    if line is None or line.group(1).strip("\"'") not in (told, note.quote(told).strip('"')):
        return head
    return f"{head[: line.start(1)]}{note.quote(description)}{head[line.end(1) :]}"


def _dates(found: Note, old: str, update: Update) -> dict[str, str]:
    """A refinement holds as long as what it refines; another value holds from today."""
    today = date.today().isoformat()
    others = [one.strip() for one in found.meta.get("supersedes", "").split(",")]
    others = [one for one in others if one and not one.startswith(f"{found.path}#")]
    since = today if update.changed else found.meta.get("valid_from") or found.meta.get("created", "")[:10]
    values = {
        "source": update.source,
        "modified": today,
        "valid_from": since or today,
        "supersedes": ", ".join([*others, f"{found.path}#{old}"]),
    }
    if found.meta.get("valid_to", "9999") < today:
        values["valid_to"] = ""  # it was said anew, so it has not ended
    return {key: value for key, value in values.items() if value or key == "valid_to"}


def differs(old: str, new: str) -> bool:
    """Whether *new* says another thing than *old*, not only more of it."""
    return entry_id(old) != entry_id(new) and compare(new, old) != "refined"
