"""What a person thinks of an entry moves its confidence; what is wrong too often leaves the memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from . import inbox
from .errors import NotFound
from .history import Origin
from .note import Note, encode, remove_entry, scope_of, set_meta
from .write import Edit, Writer, message

LEVELS = ("low", "medium", "high")
UNSAID = "medium"  # the confidence of a note that names none


@dataclass(frozen=True)
class Judged:
    """*outcome*: raised, lowered, unchanged, or held: too often wrong, it waits in the inbox."""

    address: str
    outcome: str
    confidence: str | None = None
    inbox: str | None = None
    commit: str | None = None
    hint: str | None = None


def judge(writer: Writer, note: Note, ident: str, verdict: str, origin: Origin) -> Judged:
    """Move the confidence of a note one level, `useful` up or `wrong` down; for use inside `hold`.

    Below low it leaves the memory for the inbox. An item of a list holds no confidence: `wrong` holds it back
    at once, `useful` changes nothing. Raises: NotFound for an item that is not there.
    """
    address = f"{note.path}#{ident}" if ident else note.path
    if ident and len(note.entries) > 1:
        return _judge_item(writer, note, ident, verdict, origin)
    now = note.meta.get("confidence", UNSAID)
    place = LEVELS.index(now if now in LEVELS else UNSAID) + (1 if verdict == "useful" else -1)
    if place < 0:
        return hold_back(writer, note, address, note.raw, {note.path: lambda _: None}, origin)
    level = LEVELS[min(place, len(LEVELS) - 1)]
    if level == now:
        return Judged(address, "unchanged", level)
    raw = set_meta(note.raw, {"confidence": level, "verified": date.today().isoformat()})
    said = message("feedback", address, f"{verdict}: confidence {now} -> {level}", origin)
    done = writer.change({note.path: lambda before: encode(raw, before)}, said)
    outcome = "raised" if verdict == "useful" else "lowered"
    return Judged(address, outcome, level, None, done.commit, done.warning)


def _judge_item(writer: Writer, note: Note, ident: str, verdict: str, origin: Origin) -> Judged:
    entry = next((entry for entry in note.entries if entry.id == ident), None)
    address = f"{note.path}#{ident}"
    if entry is None:
        raise NotFound("no such entry", where=address, hint=f"read {note.path}: its text has changed")
    if verdict == "useful":
        return Judged(address, "unchanged", hint="an item of a list holds no confidence")
    raw = remove_entry(note.raw, entry)
    edits: dict[str, Edit] = {note.path: lambda before: encode(raw, before)}
    return hold_back(writer, note, address, entry.text + "\n", edits, origin)


def hold_back(
    writer: Writer,
    note: Note,
    address: str,
    text: str,
    edits: dict[str, Edit],
    origin: Origin,
    reason: str = "said to be wrong",
) -> Judged:
    """Move what *edits* take out of the memory, *text*, to the inbox."""
    item = inbox.held(
        writer.tree,
        note.name,
        reason,
        text,
        found=address,
        to=note.path,
        type=note.type,
        scope=scope_of(note.path),
        host=origin.host or "",
        session=origin.session or "",
        day=date.today().isoformat(),
    )
    edits = {item.path: lambda _: inbox.form(item).encode("utf-8"), **edits}
    done = writer.change(edits, message("feedback", address, f"{reason}: held back", origin))
    return Judged(address, "held", None, item.path, done.commit, done.warning)
