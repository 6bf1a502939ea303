"""Rank the turns of a conversation for a query; what stands beside a turn, who spoke and when count too.

A turn alone is often "yes, in May": the question it answers stands before it. Used by `journal search`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from math import log

from .light import NamedTuple
from .score import GRAM_WEIGHT, STEM_WEIGHT, Question
from .text import grams, stem, words

K1, B = 0.5, 0.2  # BM25; a turn is short, and saying a thing twice says little more
# Turns beside a turn, and what their words count: the question stands before its answer.
NEIGHBOURS = ((-3, 0.1), (-2, 0.2), (-1, 0.4), (1, 0.2), (2, 0.15))
SPEAKER, DATE = 2.5, 0.7  # what the words of the speaker's name and of the date count
WHEN = 0.4  # gain of a turn that names a time, for a question that asks for one
ASKS = 0.2  # loss of a turn that only asks

_ASKS_WHEN = re.compile(
    r"\s*(?:when|how long|how often|what (?:date|day|time|year)|since when|wann|seit wann|wie lange|quand|"
    r"depuis quand|什么时候|何时|多久|いつ|언제)",
    re.IGNORECASE,
)
_NAMES_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|weeks?|weekend|months?|years?|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|"
    r"saturday|sunday|morning|recently|gestern|heute|morgen|letzten?|woche|monat|jahr|hier|demain|semaine|mois|"
    r"\d{4})\b|昨天|今天|明天|上周|去年|昨日|明日|先週|来週|어제|오늘|내일",
    re.IGNORECASE,
)


class Spoken(NamedTuple):
    """One turn. *session*: what it stands beside others in; *date* in words or ISO."""

    session: str
    speaker: str
    text: str
    date: str = ""


class Talk:
    """Turns made ready to be asked about; keeps a count of terms for each."""

    def __init__(self, turns: Sequence[Spoken]) -> None:
        self.turns = turns
        own = [Counter(_terms(turn.text)) for turn in turns]
        self.counts: list[dict[str, float]] = []
        self.lengths: list[float] = []
        self.holders: dict[str, list[int]] = defaultdict(list)
        for at, turn in enumerate(turns):
            counts: dict[str, float] = dict(own[at])
            length = float(sum(own[at].values()))
            length += _blend(counts, _terms(turn.date), DATE)
            _blend(counts, _terms(turn.speaker), SPEAKER)
            for step, share in NEIGHBOURS:
                beside = at + step
                if 0 <= beside < len(turns) and turns[beside].session == turn.session:
                    length += _blend(counts, own[beside].elements(), share)
            self.counts.append(counts)
            self.lengths.append(length)
            for term in counts:
                self.holders[term].append(at)
        self.average = sum(self.lengths) / max(1, len(turns)) or 1.0

    def rank(self, query: str, limit: int = 10) -> list[tuple[int, float]]:
        """The *limit* best turns for *query*: (number of the turn, score), best first, the earlier first."""
        scores: dict[int, float] = defaultdict(float)
        for term, weight in _weights(Question.of(query)).items():
            holders = self.holders.get(term, [])
            rarity = log(1 + (len(self.turns) - len(holders) + 0.5) / (len(holders) + 0.5))
            for at in holders:
                count = self.counts[at][term]
                slowed = K1 * (1 - B + B * self.lengths[at] / self.average)
                scores[at] += weight * rarity * count * (K1 + 1) / (count + slowed)
        asks_when = _ASKS_WHEN.match(query)
        for at in scores:
            text = self.turns[at].text
            if asks_when and _NAMES_TIME.search(text):
                scores[at] *= 1 + WHEN
            if text.rstrip().endswith(("?", "？")):
                scores[at] *= 1 - ASKS
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:limit]


def _terms(text: str) -> list[str]:
    found = []
    for word in words(text):
        found.append(stem(word))
        found += grams(word)
    return found


def _blend(counts: dict[str, float], terms: Iterable[str], share: float) -> float:
    """Add *terms* to *counts*, each worth *share*; returns what that adds to the length."""
    added = 0.0
    for term in terms:
        counts[term] = counts.get(term, 0.0) + share
        added += share
    return added


def _weights(question: Question) -> dict[str, float]:
    found: dict[str, float] = {}
    for word, weight in question.words.items():
        found[stem(word)] = STEM_WEIGHT * weight
        for gram in grams(word):
            found[gram] = GRAM_WEIGHT * weight
    return found
