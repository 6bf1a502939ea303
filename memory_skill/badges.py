"""What a person should look at twice in a changed note, as far as it is cheaply known.."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import gate
from .errors import NoteError
from .note import Note, parse, scope_of, skim
from .rules import is_imperative, takeover
from .text import nearest_lines, one_line, safe
from .write import Writer

TWIN = 0.85  # likeness from which a note is called the duplicate of another
COMMANDING = ("feedback", "lesson", "skill")  # types that honestly tell an agent what to do
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATIONS = re.compile(r"\b(not|no|never|nicht|kein\w*|nie|ne|pas|jamais)\b|n't\b|不|没|無|ない|안|않", re.I)


@dataclass(frozen=True)
class Badge:
    """One thing to look at twice.

    *kind*: secret, hidden, instruction, tool, duplicate, contradicts or damaged.
    """

    kind: str
    text: str


def badges_of(
    path: str, before: str, after: str, sources: Iterable[str], known: Mapping[str, str]
) -> Iterator[Badge]:
    """The badges of one changed note; *sources* are those of its commits, *known* its possible twins."""
    note = skim(after, path)
    masked = gate.redact(after).masked
    if masked:
        yield Badge("secret", f"possible secret: {', '.join(masked)}")
    if safe(after) != after.replace("\r\n", "\n"):
        yield Badge("hidden", "hidden characters")
    try:
        parse(after, path)
    except NoteError as error:
        yield Badge("damaged", error.what)
    fresh = _added(before, after)
    if takeover(fresh) or (note.type not in COMMANDING and is_imperative(fresh)):
        yield Badge("instruction", "reads like an instruction")
    if "tool-output" in {*sources, note.meta.get("source", "")}:
        yield Badge("tool", "from tool output")
    yield from _twin(note, known)


def _added(before: str, after: str) -> str:
    old = set(before.splitlines())
    return "\n".join(line for line in after.splitlines() if line not in old)


def summaries(writer: Writer, paths: Sequence[str]) -> dict[str, str]:
    """The one-line summary of every note in the scopes of *paths*: where a duplicate could be."""
    scopes = {scope_of(path) for path in paths} | {"global"}
    return {path: one_line(item.line.description) for path, item in writer.known(scopes).items()}


def _twin(note: Note, known: Mapping[str, str]) -> Iterator[Badge]:
    others = {path: text for path, text in known.items() if path != note.path and text}
    if not others or not note.summary:
        return
    paths = list(others)
    near = nearest_lines("\n".join(others.values()), one_line(note.summary), 1)
    if near and near[0][2] >= TWIN:
        number, line, like = near[0]
        differs = _facts(line) != _facts(note.summary)
        if differs and not _one_fact_apart(line, note.summary):
            return  # service 1 on port 7001, service 2 on port 7002: siblings
        kind, word = ("contradicts", "may contradict") if differs else ("duplicate", "duplicate of")
        yield Badge(kind, f"{word} {paths[number - 1]} ({like:.0%} alike)")


def _facts(text: str) -> tuple[list[str], bool]:
    """What makes of nearly the same words another statement: its numbers, and whether it denies."""
    return sorted(_NUMBERS.findall(text)), bool(_NEGATIONS.search(text))


def _one_fact_apart(one: str, other: str) -> bool:
    """Whether two statements differ in exactly one number, or in whether they deny."""
    (numbers, denies), (others, denied) = _facts(one), _facts(other)
    apart = len(numbers) - len([n for n in numbers if n in others])
    return (apart == 1 and len(numbers) == len(others)) or (apart == 0 and denies != denied)
