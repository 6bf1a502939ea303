"""What an edit makes of a note's text, and what is left of it when entries go. Pure."""

from __future__ import annotations

import re

from . import note
from .errors import NoteError, NotFound, Refused, UsageError
from .note import Entry, Note, format_note
from .text import one_line, shorten

_LISTS = re.compile(r"knowledge/(?:[^/]+|projects/[^/]+)\.md")  # list notes: user.md, projects/<slug>.md
_TRIGGER = re.compile(r"(?i)^\**trigger:?\**:?\s*")


def edited(path: str, ident: str, text: str | None, old: str, new: str) -> str:
    """*text* (None: no such note yet) with *old* replaced by *new*, or *new* added if *old* is empty.

    Raises: NoMatch, SeveralMatches, NotFound, Refused when there is nothing to add.
    """
    if ident:
        return _edit_entry(text or "", path, ident, old, new)
    if old:
        return note.replace_in_note(text or "", old, new, path)
    if not new.strip():
        raise Refused("there is nothing to add", rule="empty", where=path, hint="give --new a text")
    return _new_file(path, new) if text is None else note.append(text, new)


def _edit_entry(text: str, path: str, ident: str, old: str, new: str) -> str:
    """*text* with *old* replaced by *new* within one entry only."""
    entry = next((e for e in note.parse(text, path).entries if e.id == ident), None)
    if entry is None:
        raise NotFound("no such entry", where=f"{path}#{ident}", hint=f"read {path}: its text has changed")
    if not old:
        raise UsageError("an entry is changed by what it says", hint="give --old the text to replace")
    lines = note.lines_of(text)
    rest = note.remove_entry(text, entry)
    start = sum(map(len, lines[: entry.line - 1]))
    end = start + len(text) - len(rest)
    return text[:start] + note.replace_once(text[start:end], old, new, f"{path}#{ident}") + text[end:]


def _new_file(path: str, new: str) -> str:
    """The first text of a file: a list note starts as a list, a skill gets the header that hosts ask for."""
    headed = note.split(new)[0] is not None
    if path.startswith("skills/") and path.endswith("/SKILL.md") and not headed:
        prose = (line for line in new.splitlines() if line.strip() and not line.startswith("#"))
        trigger = _TRIGGER.sub("", next(prose, note.stem_of(path)))
        return format_note(note.stem_of(path), shorten(one_line(trigger), 250), new.strip(), {})
    if _LISTS.fullmatch(path) and not headed and not new.lstrip().startswith("#"):
        return note.as_item(new) + "\n"
    return new.strip() + "\n"


def around(text: str, old: str) -> str:
    """The line or lines of *text* in which *old* stands; "" if it does not."""
    at = text.find(old)
    if at < 0:
        return ""
    end = text.find("\n", at + len(old))
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def told(old: str, new: str) -> str:
    """The body of an edit's commit."""
    said = shorten(one_line(new), 200)
    return f"was: {shorten(one_line(old), 200)}\nnow: {said}" if old else f"added: {said}"


def read(raw: bytes, path: str) -> Note:
    """The note as far as it can be read; a broken header is skimmed."""
    try:
        return note.parse(raw, path)
    except NoteError:
        return note.skim(raw, path)


def without(found: Note, gone: list[Entry], before: bytes) -> bytes | None:
    """The bytes of a note without these entries, None when there is no other."""
    if len(gone) == len(found.entries):
        return None
    note.decode(before, found.path)  # what is no text is not written anew
    text = found.raw
    for entry in reversed(gone):
        text = note.remove_entry(text, entry)
    return note.encode(text, before)
