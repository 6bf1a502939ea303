"""Notes from a JSON-lines file: one commit, safety rules on, quality rules off."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

from . import gate
from .config import Config
from .errors import MemorySkillError, NotFound, UsageError
from .here import Here
from .light import NamedTuple
from .note import SOURCES, TYPES, describe, entry_ids, format_note, stem_of
from .results import Imported
from .saving import folder_of, unused
from .text import slug
from .write import Edit, becomes, message

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_LINE = 1_000_000  # characters
_FIELDS = {"name", "description", "type", "scope", "body", "created", "source", "pin"}


class Incoming(NamedTuple):
    """One line, checked: where it shall go, the ids of its entries and the note's text."""

    scope: str
    type: str
    stem: str
    ids: tuple[str, ...]
    raw: str


def run(here: Here, path: Path, *, dry_run: bool) -> Imported:
    """Add the notes of the file at *path* in one commit. Raises: NotFound, UsageError."""
    here.must_speak()
    edits: dict[str, Edit] = {}
    taken: dict[str, dict[str, str]] = {}  # folder -> id -> stem, of what is there and what is coming
    unchanged, reasons = 0, list[str]()
    with here.writer.hold():
        tombs = here.tombs()
        for number, line in enumerate(lines_of(path), 1):
            try:
                one = incoming(line, here.config, here.one_scope)
            except MemorySkillError as error:
                reasons.append(f"line {number}: {error.what}")
                continue
            folder = folder_of(one.scope, one.type)
            there = taken.setdefault(folder, _ids(here, one.scope, folder))
            if all(ident in there for ident in one.ids):
                unchanged += 1
            elif tombs.intersection(one.ids):
                reasons.append(f"line {number}: was forgotten on request")
            else:
                stem = unused(one.stem, there.values())
                there |= dict.fromkeys(one.ids, stem)
                raw = one.raw.replace(f"name: {one.stem}\n", f"name: {stem}\n", 1)
                edits[f"{folder}/{stem}.md"] = becomes(raw.encode("utf-8"), None)
        commit = None
        if edits and not dry_run:
            said = message("import", path.name, f"{len(edits)} notes", here.origin)
            commit = here.writer.change(edits, said).commit
    return Imported(len(edits), unchanged, len(reasons), commit, tuple(reasons))


def _ids(here: Here, scope: str, folder: str) -> dict[str, str]:
    """Entry ids of a scope, and under made-up keys the file names that its folder has taken."""
    known = here.writer.known([scope])
    found = {ident: stem_of(path) for path, item in known.items() for ident in item.ids}
    return found | {f"/{path.stem}": path.stem for path in (here.tree.home / folder).glob("*.md")}


def lines_of(path: Path) -> list[str]:
    """The lines of the file that are not blank. Raises: NotFound, UsageError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound("no such file", where=str(path), hint="memory-skill import --help") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot be read as UTF-8: {error}", where=str(path), hint="save it as UTF-8"
        ) from error
    return [line for line in text.split("\n") if line.strip()]


def incoming(line: str, config: Config, scope_of: Any) -> Incoming:
    """One line as a note. Raises: UsageError or Refused with what is wrong with it."""
    try:
        found = json.loads(line[: MAX_LINE + 1])
    except ValueError as error:
        raise UsageError(f"is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageError("is no JSON object")
    values = {key: str(value) for key, value in found.items() if key in _FIELDS and value is not None}
    kind = values.get("type", "reference")
    if kind not in TYPES:
        raise UsageError(f"unknown type {kind!r}", hint=f"one of {', '.join(TYPES)}")
    source = values.get("source", "user-said")
    if source not in SOURCES:
        source = "agent-inferred"
    passed = gate.check(values.get("body") or values.get("description", ""), config.gate)
    told = gate.redact(values.get("description") or describe(passed.text)).text
    stem = slug(values.get("name", "").removesuffix(".md"), limit=80) or slug(told) or kind
    meta = {"type": kind, "source": source, "created": _day(values.get("created", ""))}
    if values.get("pin", "").lower() in ("true", "1"):
        meta["pin"] = "true"
    raw = format_note(stem, told, passed.text, meta)
    return Incoming(scope_of(values.get("scope") or "global"), kind, stem, entry_ids(passed.text), raw)


def _day(given: str) -> str:
    """The ISO day of *given*, today if there is none. Raises: UsageError."""
    if not given:
        return date.today().isoformat()
    match = re.match(r"\d{4}-\d{2}-\d{2}", given)
    try:
        return date.fromisoformat(match.group() if match else given).isoformat()
    except ValueError:
        raise UsageError(f"created: expected an ISO date, found {given!r}") from None
