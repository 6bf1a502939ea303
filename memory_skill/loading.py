"""Taking in documents, section by section: a second time only what changed, and what is gone there goes here.

The source is only read. Each note carries where it came from and a digest, so that a note that was edited
here meanwhile is told from one that was not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from . import gate, note
from .documents import Section, files, sections
from .errors import MemorySkillError, UsageError
from .here import Here
from .note import SOURCES, TYPES, Note, format_note
from .saving import folder_of, unused
from .text import shorten, slug
from .tree import digest
from .write import Edit, becomes, message

PLAIN_NAMES = frozenset({"readme", "agents", "claude", "qwen", "gemini", "index", "memory", "notes"})
MAX_STEM = 80  # characters
KINDS = ("added", "updated", "removed", "unchanged", "kept", "refused")
TOLD = 140  # characters of a description


@dataclass(frozen=True)
class Loaded:
    """Counts of notes. *kept*: changed or gone in the document, but edited here, so left as they are."""

    added: int
    updated: int
    removed: int
    unchanged: int
    kept: int
    refused: int
    commit: str | None = None
    reasons: tuple[str, ...] = ()


class _Load:
    """One call: what is there, what shall be written, and what is counted."""

    def __init__(self, here: Here, kind: str | None, scope: str | None, source: str) -> None:
        self.here, self.kind, self.scope, self.source = here, kind, scope, source
        self.tombs = here.tombs()
        self.edits: dict[str, Edit] = {}
        self.taken: dict[str, list[str]] = {}  # folder -> names in use
        self.scopes: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.reasons: list[str] = []

    def take(self, section: Section, there: dict[tuple[str, str], Note]) -> None:
        """Decide on one section; *there* loses its note, so that what is left at the end is orphaned."""
        old = there.pop((section.document, section.key), None)
        try:
            text = gate.check(section.body, self.here.config.gate, where=section.key).text.strip()
        except MemorySkillError as error:
            self._refuse(section, error.what)
            return
        mark = digest(text.encode("utf-8"))
        if old and old.meta.get("digest") == mark:
            self.counts["unchanged"] += 1
        elif old and edited_here(old):
            self._keep(old)
        elif old:
            self._update(old, section, text, mark)
        elif self.tombs.intersection(note.entry_ids(text)):
            self._refuse(section, "was forgotten on request")
        else:
            self._add(section, text, mark)

    def _refuse(self, section: Section, why: str) -> None:
        self.counts["refused"] += 1
        self.reasons.append(f"{section.key}: {why}")

    def _keep(self, old: Note) -> None:
        self.counts["kept"] += 1
        self.reasons.append(f"{old.path} was edited here and stays as it is")

    def _update(self, old: Note, section: Section, text: str, mark: str) -> None:
        meta = {"type": old.type, **old.meta, "digest": mark, "modified": date.today().isoformat()}
        raw = format_note(old.name, _told(section, text), text, meta)
        self.edits[old.path] = becomes(raw.encode("utf-8"), self.here.tree.read(old.path))
        self.counts["updated"] += 1

    def _add(self, section: Section, text: str, mark: str) -> None:
        kind = self.kind or section.type or "reference"
        where = self.here.scope_of_new(self.scope, kind)
        folder = folder_of(where, kind)
        names = [path.stem for path in (self.here.tree.home / folder).glob("*.md")]
        taken = self.taken.setdefault(folder, names)
        stem = unused(_stem(section), taken)
        taken.append(stem)
        self.scopes.add(where)
        today = date.today().isoformat()
        meta = {"type": kind, "source": self.source, "created": today}
        meta |= {"origin": section.document, "section": section.key, "digest": mark}
        raw = format_note(stem, _told(section, text), text, meta)
        self.edits[f"{folder}/{stem}.md"] = becomes(raw.encode("utf-8"), None)
        self.counts["added"] += 1

    def remove(self, orphan: Note) -> None:
        """A note whose section is gone from the document."""
        if edited_here(orphan):
            self._keep(orphan)
            return
        self.edits[orphan.path] = becomes(None, self.here.tree.read(orphan.path))
        self.counts["removed"] += 1


def load(
    here: Here,
    place: Path,
    *,
    type: str | None = None,
    scope: str | None = None,
    source: str = "user-confirmed",
    dry_run: bool = False,
) -> Loaded:
    """Take in the document at *place*, or all of a folder, in one commit; the safety rules hold.

    Raises: NotFound, Refused, UsageError for what is no Markdown, an unknown type or source.
    """
    if (type and type not in TYPES) or source not in SOURCES:
        hint = f"one of {', '.join(TYPES)}; sources: {', '.join(SOURCES)}"
        raise UsageError(f"unknown type {type!r} or source {source!r}", hint=hint)
    here.must_speak()
    place = place.expanduser().resolve()
    if place.is_relative_to(here.tree.home.resolve()):
        raise UsageError("lies in the memory itself", where=str(place), hint="it is a note already")
    name = _name(here, place)
    with here.writer.hold():
        call = _Load(here, type, scope, source)
        there = {(one.meta["origin"], one.meta["section"]): one for one in _loaded(here, name)}
        if place.is_dir():
            for file in files(place):
                _take_one_of(call, file, f"{name}/{file.relative_to(place).as_posix()}", there)
        else:
            for section in [one for file in files(place) for one in sections(file, name)]:
                call.take(section, there)
        for orphan in there.values():
            call.remove(orphan)
        commit = None if dry_run or not call.edits else _write(call, place)
    return Loaded(**{kind: call.counts[kind] for kind in KINDS}, commit=commit, reasons=tuple(call.reasons))


def _take_one_of(call: _Load, file: Path, name: str, there: dict[tuple[str, str], Note]) -> None:
    """One file of a folder; if it cannot be read, what was taken in of it before stays."""
    try:
        found = sections(file, name)
    except MemorySkillError as error:
        call.counts["refused"] += 1
        call.reasons.append(f"{name}: {error.what}")
        for key in [key for key in there if key[0] == name]:
            del there[key]
        return
    for section in found:
        call.take(section, there)


def _write(call: _Load, place: Path) -> str | None:
    told = ", ".join(f"{count} {kind}" for kind, count in call.counts.items())
    said = message("load-doc", place.name, told, call.here.origin, call.source)
    also = [path for where in sorted(call.scopes) for path in call.here.claim(where)]
    return call.here.writer.change(call.edits, said, also=also).commit


def _loaded(here: Here, name: str) -> Iterator[Note]:
    """The notes that came from the document, or from one below that folder."""
    for stat in here.tree.walk("knowledge"):
        raw = here.tree.read(stat.path)
        if b"digest:" not in raw[: note.MAX_HEADER]:
            continue
        found = note.skim(raw, stat.path)
        origin = found.meta.get("origin", "")
        if "section" in found.meta and (origin == name or origin.startswith(name + "/")):
            yield found


def edited_here(found: Note) -> bool:
    """Whether its body is another than the one that was taken in."""
    return digest(found.body.strip().encode("utf-8")) != found.meta.get("digest")


def _name(here: Here, place: Path) -> str:
    """The document's path as people write it: the same on machines whose homes differ."""
    home = Path(here.env.get("HOME") or Path.home()).resolve()
    return f"~/{place.relative_to(home)}" if place.is_relative_to(home) else str(place)


def _stem(section: Section) -> str:
    file = Path(section.document)
    plain = file.stem.lower() in PLAIN_NAMES
    words = [file.parent.name if plain else "", file.stem]
    words += [part for part in section.path[-2:] if part != file.stem]
    if section.type:
        words = [section.path[0]]
    return slug(gate.redact(" ".join(words)).text, limit=MAX_STEM) or "document"


def _told(section: Section, text: str) -> str:
    """The description: the document's own, else its headings and first sentence."""
    body = text.partition("\n")[2] if text.lstrip().startswith("#") else text
    told = section.description or f"{': '.join(section.path)}: {note.describe(body)}"
    return shorten(gate.redact(told).text, TOLD)
