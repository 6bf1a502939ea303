"""What stands in every context: the pinned entries, then who the user is, the surest first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from .config import Config
from .errors import MemorySkillError
from .note import Note, skim
from .recall import Hit, entry_text, pinned
from .search import Search, older_names
from .secrets import redact
from .tree import Tree

FOLDER = "knowledge/user"
SURENESS = {"high": 0, "medium": 1, "low": 2}
MAX_NAMED = 10  # addresses of what did not fit


def resident(
    tree: Tree, search: Search, config: Config, scopes: list[str], today: date
) -> tuple[list[Hit], list[str]]:
    """The entries that fit half of `recall.max_chars`, whole, and the addresses of those that do not."""
    half = config.recall.max_chars // 2
    pins = pinned(scopes, tree=tree, search=search, config=config, max_chars=half, today=today)
    hits, omitted = list(pins.hits), list(pins.omitted)
    known = {hit.address for hit in hits} | set(omitted)
    room = half - sum(len(told(hit)) + 2 for hit in hits)
    for hit in _users(tree, today.isoformat()):
        if hit.address in known:
            continue
        size = len(told(hit)) + 2
        if size <= room and len(hit.text) <= config.recall.note_chars:
            hits.append(hit)
            room -= size
        else:
            omitted.append(hit.address)
    return hits, omitted


def _users(tree: Tree, today: str) -> Iterator[Hit]:
    """The entries of the user notes that hold today, by confidence, then the newest first."""
    notes = [note for path in _paths(tree) if (note := _read(tree, path))]
    replaced = {name for note in notes for name in older_names(note)}
    valid = [note for note in notes if _holds(note, today) and not _names(note) & replaced]
    valid.sort(key=lambda note: note.date, reverse=True)
    valid.sort(key=lambda note: SURENESS.get(note.meta.get("confidence", "").lower(), 1))
    for note in valid:
        for entry in note.entries:
            text = redact(entry_text(note, entry)).text
            yield Hit(entry.address, note.name, note.type, note.scope, 0.0, None, text)


def _paths(tree: Tree) -> list[str]:
    return [f"{FOLDER}.md", *(stat.path for stat in tree.walk(FOLDER))]


def _read(tree: Tree, path: str) -> Note | None:
    try:
        return skim(tree.read(path), path)
    except MemorySkillError:
        return None


def _names(note: Note) -> set[str]:
    return {note.path.removesuffix(".md"), note.path.rsplit("/", 1)[-1].removesuffix(".md")}


def _holds(note: Note, today: str) -> bool:
    since, until = note.meta.get("valid_from", ""), note.meta.get("valid_to", "")
    return (not since or since[:10] <= today) and (not until or until[:10] >= today)


def told(hit: Hit) -> str:
    """One entry, without its age: the bytes change with the tree alone."""
    return f"## {hit.address}\n{hit.text.strip()}"


def named(omitted: list[str]) -> str:
    """What did not fit, as one line; "" if all did."""
    if not omitted:
        return ""
    more = len(omitted) - MAX_NAMED
    rest = f" and {more} more (memory-skill list)" if more > 0 else ""
    return f"[not shown: {', '.join(omitted[:MAX_NAMED])}{rest}]"
