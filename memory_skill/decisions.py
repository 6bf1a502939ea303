"""The three answers to what waits in the inbox: accept, amend, discard. Each is one commit.

What is accepted enters like any other note, through the gate; the person's yes stands for the rules of
quality, never for those of safety.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from . import fields, gate, note
from .errors import NoteError, NotFound, Refused, UsageError
from .history import Origin
from .inbox import Item, form, free
from .note import TYPES, entry_id, scope_of
from .reconcile import Update, replaced
from .text import shorten, slug
from .write import Writer, group_of_scope, message


@dataclass(frozen=True)
class Decided:
    """*outcome*: accepted, unchanged (it stands at *address* already), discarded, refused by *rule*, or
    set-aside: a session's answer, which a person has to repeat."""

    id: str
    outcome: str
    address: str | None = None
    scope: str | None = None
    rule: str | None = None
    hint: str | None = None
    commit: str | None = None


@dataclass(frozen=True)
class Entry:
    """What an item holds as a note that could be saved."""

    stem: str
    description: str
    body: str
    scope: str
    meta: dict[str, str]


# What a host's session does not change: it waits, whole, and a person's yes puts it into its place.
SET_ASIDE = ("config.toml", "tombstones", "AGENTS.md")


def propose(writer: Writer, item: Item, answer: str, origin: Origin) -> Decided:
    """Put a session's *answer* on the item, for the person to see; for use inside `hold`."""
    raw = form(item._replace(proposed=f"{answer} ({origin.host})")).encode("utf-8")
    said = message("propose", item.path, answer, origin)
    done = writer.change({item.path: lambda _: raw}, said)
    hint = f"the user decides, in a terminal of their own: memory-skill inbox {answer.split()[0]} {item.id}"
    return Decided(item.id, "set-aside", None, item.scope or None, None, done.warning or hint, done.commit)


def accept(
    writer: Writer,
    item: Item,
    origin: Origin,
    *,
    type: str | None = None,
    scope: str | None = None,
    text: str | None = None,
    both: bool = False,
) -> Decided:
    """Save the held text, or *text* in its place, and take the item away; for use inside `hold`.

    One that contradicts an entry takes its place, unless *both* hold.

    Raises: UsageError when neither item nor caller tells type and scope, NoteError when its header cannot be
    read: such an item can only be amended or discarded.
    """
    if item.found in SET_ASIDE:
        return _put_back(writer, item, item.text if text is None else text, origin)
    entry = _entry(item, item.text if text is None else text, type, scope)
    try:
        passed = gate.check(entry.body, writer.config.gate)
    except Refused as error:
        return Decided(item.id, "refused", None, entry.scope, error.rule, error.hint)
    away = {item.path: _gone}
    verb = "accept" if text is None else "amend"
    known = writer.known([entry.scope])
    same = next((path for path, seen in known.items() if entry_id(passed.text) in seen.ids), None)
    if same:
        done = writer.change(away, message(verb, item.path, f"It stands in {same} already.", origin))
        return Decided(item.id, "unchanged", same, entry.scope, None, done.warning, done.commit)
    instead = None if both else _instead(writer, item, entry, passed.text)
    path = instead[0] if instead else _place(writer, item, entry, moved=bool(type or scope))
    line = gate.redact(entry.description).text
    raw = instead[1] if instead else note.format_note(note.stem_of(path), line, passed.text, entry.meta)
    body = f"{entry.description}\n\nWaited because: {item.reason}. Scope: {entry.scope}."
    said = message(verb, path, body, origin, entry.meta["source"])
    done = writer.change({path: lambda _: raw.encode("utf-8"), **away}, said)
    hint = done.warning or ("a secret in it was masked" if passed.masked else None)
    return Decided(item.id, "accepted", path, entry.scope, None, hint, done.commit)


def _instead(writer: Writer, item: Item, entry: Entry, body: str) -> tuple[str, str] | None:
    """The path of the note that the item contradicts and its new text; None if what it said is gone."""
    path = item.against.partition("#")[0]
    before = writer.tree.read_or_none(path) if path.endswith(".md") else None
    if before is None:
        return None
    described = entry.description != note.describe(entry.body)
    update = Update(body, entry.description, described, entry.meta["source"], changed=True)
    try:
        return path, replaced(before, path, item.against, update)
    except NotFound:
        return None


def _put_back(writer: Writer, item: Item, text: str, origin: Origin) -> Decided:
    """Give the file that a session would have changed its new text. Raises: UsageError for no TOML."""
    path = item.found
    if path == "config.toml":
        _check_config(text, item)
    try:
        passed = gate.check(text, writer.config.gate, where=path)
    except Refused as error:
        return Decided(item.id, "refused", None, None, error.rule, error.hint)
    said = message("accept", path, f"It waited because: {item.reason}.", origin)
    done = writer.change({path: lambda _: passed.text.encode("utf-8"), item.path: _gone}, said)
    return Decided(item.id, "accepted", path, "global", None, done.warning, done.commit)


def _check_config(text: str, item: Item) -> None:
    import tomllib

    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        hint = f"memory-skill inbox amend {item.id} --file FILE, or: memory-skill inbox discard {item.id}"
        raise UsageError(f"is not TOML: {error}", where=item.path, hint=hint) from error


def discard(writer: Writer, item: Item, origin: Origin) -> Decided:
    """Take the item away; `undo` brings it back. For use inside `hold`."""
    said = message("discard", item.path, f"It waited because: {item.reason}.", origin)
    done = writer.change({item.path: _gone}, said)
    return Decided(item.id, "discarded", None, None, None, done.warning, done.commit)


def _gone(_: bytes | None) -> None:
    return None


def _entry(item: Item, text: str, kind: str | None, scope: str | None) -> Entry:
    try:
        found = note.parse(text, f"{slug(item.id) or 'item'}.md")
    except NoteError as error:
        hint = f"memory-skill inbox amend {item.id} --text TEXT, or: memory-skill inbox discard {item.id}"
        raise NoteError(error.what, where=item.path, hint=hint) from error
    kind = kind or (found.type if found.typed else item.type)
    if kind not in TYPES:
        hint = f"memory-skill inbox accept {item.id} --type TYPE, one of {', '.join(TYPES)}"
        raise UsageError("does not say which type of note it is", where=item.path, hint=hint)
    where = scope or item.scope or ("global" if kind in ("user", "feedback") else "")
    if not where:
        hint = f"memory-skill inbox accept {item.id} --scope SCOPE: global, project, project:<slug>"
        raise UsageError("does not say whom it is for", where=item.path, hint=hint)
    told = found.description or note.describe(found.body)
    given = fields.normalised(found.meta)
    given = {key: value for key, value in given.items() if key not in fields.wrong(given)}
    meta = {"type": kind} | given | {"type": kind, "source": _source(given)}
    meta.setdefault("created", item.day or date.today().isoformat())
    return Entry(slug(found.name, limit=80) or kind, shorten(told, 400), found.body, where, meta)


def _source(meta: Mapping[str, str]) -> str:
    """The person's yes confirms what an agent or a tool said."""
    source = meta.get("source", "")
    return source if source == "user-said" else "user-confirmed"


def _place(writer: Writer, item: Item, entry: Entry, *, moved: bool) -> str:
    """Where the item would have gone, unless the person decided otherwise or something stands there."""
    wanted = item.to
    free_there = wanted.endswith(".md") and not (writer.tree.home / wanted).exists()
    if not moved and free_there and wanted.startswith("knowledge/") and scope_of(wanted) == entry.scope:
        return wanted
    folder = group_of_scope(entry.scope) or f"knowledge/{entry.meta['type']}"
    return free(writer.tree, folder, entry.stem)
