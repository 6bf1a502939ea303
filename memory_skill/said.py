"""What was said: the messages of the journal that fit a query, for `journal search`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from .journal import Turn
from .talk import Spoken, Talk
from .text import fold, words

ROLES = ("user", "assistant")
MAX_HITS = 50
HIT_CHARS = 500  # of one message that are shown
IN_CONTEXT = "the latest turns of a session are in its context already: search for what was said before them"


class Said(NamedTuple):
    """One message that fits. *text*: at most HIT_CHARS characters of it, around the words asked for."""

    turn: str
    time: str
    role: str
    host: str
    session: str
    project: str
    text: str
    score: float


def search(turns: Iterable[Turn], query: str, *, role: str = "", limit: int = 10) -> list[Said]:
    """The messages of *turns* that fit *query*, best first; with *role* those of one side only."""
    sides = [(turn, side) for turn in turns for side in ROLES]
    talk = Talk([_spoken(turn, side) for turn, side in sides])
    found = []
    for at, score in talk.rank(query, len(sides)):
        turn, side = sides[at]
        if role in ("", side):
            text = excerpt(getattr(turn, side), query)
            place = (turn.host, turn.session, turn.project)
            found.append(Said(turn.id, turn.time, side, *place, text, round(score, 3)))
        if len(found) == limit:
            break
    return found


def visible(turns: Iterable[Turn], scope: str) -> list[Turn]:
    """The turns that a reader of *scope* sees: a project's own and those outside any project."""
    owner = scope.removeprefix("project:") if scope.startswith("project:") else ""
    return [turn for turn in turns if scope == "all" or turn.project in ("", owner)]


def excerpt(text: str, query: str) -> str:
    """At most HIT_CHARS characters of *text*, where most of the words of *query* stand together."""
    if len(text) <= HIT_CHARS:
        return text
    folded = fold(text)
    places = sorted(
        at
        for word in set(words(query, query=True))
        for at in _places(folded, word)
        if len(folded) == len(text)
    )
    around = [sum(at <= other < at + HIT_CHARS - 80 for other in places) for at in places]
    start = max(0, places[around.index(max(around))] - 60) if places else 0
    start = min(start, len(text) - HIT_CHARS + 2)
    head, tail = "…" if start else "", "…" if start + HIT_CHARS - 2 < len(text) else ""
    return f"{head}{text[start : start + HIT_CHARS - 2]}{tail}"


def _places(text: str, word: str) -> list[int]:
    found: list[int] = []
    at = text.find(word)
    while at >= 0 and len(found) < 50:
        found.append(at)
        at = text.find(word, at + 1)
    return found


def _spoken(turn: Turn, side: str) -> Spoken:
    return Spoken(turn.session, side, getattr(turn, side), turn.time[:10])
