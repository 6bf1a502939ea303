"""What waits for a person: one form for every way in. Put, list, take; not what accepting does.

An item is a file of `inbox/`: a comment that says why it waits and where it came from, and below it the held
text as it came, byte for byte but for its secrets. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .errors import NotFound
from .light import NamedTuple
from .note import decode
from .text import normalise, one_line, shorten
from .tree import Tree

FOLDER = "inbox"
MAX_VALUE = 1000  # characters of one line of the head; evidence is a quotation, not a document
_HEAD = r"<!-- held\n((?:[a-z]+: [^\n]*\n)*)-->\n"
_LINES = (
    "reason",
    "evidence",
    "against",
    "proposed",
    "found",
    "to",
    "type",
    "scope",
    "host",
    "session",
    "day",
)
BY_HAND = "somebody put it there"


class Item(NamedTuple):
    """One held text. Unknown values are "".

    *reason* says why it waits, *evidence* quotes what speaks for that; *against* is the entry that it
    contradicts; *found* is where it was; *to*, *type* and *scope* say where it would go; *host* and *session*
    wrote it, *day* is ISO; *proposed* is what a session would answer.
    """

    id: str
    path: str
    reason: str
    text: str
    evidence: str = ""
    found: str = ""
    to: str = ""
    type: str = ""
    scope: str = ""
    host: str = ""
    session: str = ""
    day: str = ""
    against: str = ""
    proposed: str = ""


def held(tree: Tree, stem: str, reason: str, text: str, *, own: str = "", **told: str) -> Item:
    """A new item under a free name; *own* is a path that counts as free. Nothing is written.

    *told* are the other lines of the head. Secrets are masked, in the head too.
    """
    from . import gate  # the prompt hook only counts what waits

    path = free(tree, FOLDER, stem, own)
    lines = {key: _line(value) for key, value in ({"reason": reason} | told).items()}
    return Item(id=_id(path), path=path, text=gate.redact(text).text, **lines)


def form(item: Item) -> str:
    """The whole text of the item's file."""
    told = [(key, getattr(item, key)) for key in _LINES]
    head = "".join(f"{key}: {_line(value)}\n" for key, value in told if value)
    return f"<!-- held\n{head}-->\n{item.text}"


def parse(raw: bytes, path: str) -> Item:
    """The item in a file of the inbox; one without our head was put there by hand. Raises: NoteError."""
    text = decode(raw, path)
    match = re.match(_HEAD, text)
    if not match:
        return Item(id=_id(path), path=path, reason=BY_HAND, text=text)
    pairs = (line.partition(": ") for line in match.group(1).splitlines())
    told = {key: value for key, _, value in pairs if key in _LINES}
    return Item(**{"id": _id(path), "path": path, "reason": BY_HAND, "text": text[match.end() :]} | told)


def items(tree: Tree) -> Iterator[Item]:
    """All that waits, by path. One that cannot be read says so as its reason, with no text."""
    from .errors import MemorySkillError

    for stat in waiting(tree):
        try:
            yield parse(tree.read(stat), stat)
        except MemorySkillError as error:
            yield Item(id=_id(stat), path=stat, reason=error.what, text="")


def waiting(tree: Tree) -> list[str]:
    """The paths of all that waits: what status, the session's start and `review.gate` count."""
    return [stat.path for stat in tree.walk(FOLDER) if stat.path != f"{FOLDER}/README.md"]


def barrier(tree: Tree, gate: str, *, acknowledged: bool = False) -> str:
    """Why nothing may be recalled while items wait, "" if it may; *gate* is the value of `review.gate`."""
    if gate == "off" or (gate == "ask" and acknowledged):
        return ""
    count = len(waiting(tree))
    if not count:
        return ""
    way = "memory-skill inbox list" + (", or recall --acknowledge" if gate == "ask" else "")
    return (
        f"{count} {'item waits' if count == 1 else 'items wait'} in the inbox (review.gate = {gate}): {way}"
    )


def take(tree: Tree, ident: str) -> Item:
    """The item of that id; its path will do as well. Raises: NotFound, NoteError."""
    wanted = ident.removeprefix(f"{FOLDER}/").removesuffix(".md")
    for path in waiting(tree):
        if _id(path) == wanted:
            return parse(tree.read(path), path)
    raise NotFound("nothing of that name waits", where=ident, hint="memory-skill inbox list")


def free(tree: Tree, folder: str, stem: str, own: str = "") -> str:
    """A path in *folder* that no file has, case and Unicode form aside: *stem*, else with a number."""
    place = tree.home / folder
    taken = {normalise(path.name) for path in place.glob("*")} if place.is_dir() else set()
    names = (f"{stem}.md" if n == 1 else f"{stem}-{n}.md" for n in range(1, 1_000_000))
    return next(
        f"{folder}/{name}" for name in names if f"{folder}/{name}" == own or normalise(name) not in taken
    )


def _id(path: str) -> str:
    return path.removeprefix(f"{FOLDER}/").removesuffix(".md")


def _line(value: str) -> str:
    """One line of the head; it cannot close the comment."""
    from . import gate

    return shorten(gate.redact(one_line(value)).text.replace("--", "- -"), MAX_VALUE)
