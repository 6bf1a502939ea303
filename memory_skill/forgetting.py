"""Removing an entry so that nothing brings it back unasked: its text goes, a hash of it stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from . import doubts, editing, note
from .errors import NotFound
from .here import Here
from .note import ID, parted, scope_of
from .results import Forgotten
from .text import normalise
from .undo import TOMBSTONES
from .write import Edit, becomes, message

Search = Callable[[str], list[str]]  # a query in, the addresses that it finds out


def forget(here: Here, query: str, search: Search, *, yes: bool) -> Forgotten:
    """Remove the one entry that *query* means; several or none change nothing."""
    addresses = _meant(here, query.strip(), search)
    if len(addresses) != 1:
        return Forgotten("ambiguous" if addresses else "not_found", tuple(addresses))
    if not yes:
        return Forgotten("ambiguous", tuple(addresses), None, "say --yes to forget it")
    address = addresses[0]
    path, ident = parted(address)
    here.writable(path)
    with here.writer.hold():
        before = here.tree.read(path)
        found = editing.read(before, path)
        entries = [entry for entry in found.entries if not ident or entry.id == ident]
        if ident and not entries:
            raise NotFound("no such entry", where=address, hint=f"memory-skill list; read {path}")
        tombs = "".join(f"{one} {date.today().isoformat()}\n" for one in dict.fromkeys(e.id for e in entries))
        edits: dict[str, Edit] = {
            path: becomes(editing.without(found, entries, before), before),
            TOMBSTONES: lambda data: (data or b"") + tombs.encode(),
        }
        who = f"#{ident or entries[0].id}" if ident or len(entries) == 1 else path
        done = here.writer.change(edits, message("forget", who, f"from {path}", here.origin))
        doubted = doubts.flag(here.writer, path, "\n".join(entry.text for entry in entries), None)
    hint = done.warning or doubts.told(doubted)
    return Forgotten("forgotten", (address,), done.commit, hint, doubted)


def _meant(here: Here, query: str, search: Search) -> list[str]:
    """The addresses that *query* means: an address, a name, or what a search finds."""
    path, ident = parted(query)
    every = {stat.path for stat in here.tree.walk(strict=True)}
    if path in every:
        return [query]
    if query.startswith("#") and ID.fullmatch(query[1:]):
        return _by_id(here, query[1:], every)
    named = [p for p in sorted(every) if normalise(note.stem_of(p)) == normalise(query)]
    if named or path.endswith(".md") or ".md#" in query or ident:  # an address is no query
        return named
    return search(query)


def _by_id(here: Here, ident: str, paths: Iterable[str]) -> list[str]:
    known = here.writer.known({scope_of(path) for path in paths})
    return [
        f"{path}#{ident}" if len(item.ids) > 1 else path for path, item in known.items() if ident in item.ids
    ]
