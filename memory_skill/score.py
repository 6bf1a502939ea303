"""How well an entry answers a question: BM25F over stems and 4-grams, and how much evidence that is. Pure.

Rows come from `search` or from a file just read; nothing here reads or writes anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import log, sqrt

from .glossary import MEANINGS
from .search import FIRST_CODE, WEIGHTS, Row, Totals, counts_of
from .text import GRAM, fold, grams, is_cjk, is_han, stem, words
from .vocabulary import COMMON, GENERAL, ORDERS, ORDERS_BEGIN, ORDERS_END

K1, B = 0.6, 0.3  # BM25: short texts want low saturation and little length normalisation
STEM_WEIGHT, GRAM_WEIGHT = 1.0, 0.25  # measured on memset dev; grams carry typos, compounds, other languages
MEANING_WEIGHT = 0.7  # of a word that means the same, against the word itself
# What share of a word counts as covered by one term of the same meaning, and by all of its pieces; a word of
# which less than LEAST_HELD is there is not. An entry that covers none of the question keeps LEAST_COVER.
MEANT, PIECED, LEAST_HELD, LEAST_COVER = 0.6, 0.8, 0.4, 0.1
CODE_WEIGHT = 0.4  # of a word that stands only in a fenced block of the query
MAX_QUERY = 8_000  # characters taken from each end of a longer query
MAX_RELATED = 60  # terms of one meaning
MAX_WORDS = 40  # words of a query that are scored, the rarest
MAX_GRAM_WORDS = 16  # words of a query whose grams are scored

COMMON_SHARE, GENERAL_SHARE = (
    0.15,
    0.4,
)  # what a word of everyday prompts, of programming at large, is evidence
PAIR_SHARE, SOUND_SHARE = 0.6, 0.3  # of a pair of Chinese signs, of kana or hangul: a word has several
LIKE_SHARE = 0.9  # of a word that is only like one of the entry's
MEANING_SHARE = 0.8  # of a word found by another that means the same
LIKENESS = 0.65  # shared letter pairs (Dice) from which two words may be one word misspelt or inflected
IMAGINARY = 50  # entries that a tree has at least, or more than it has, where rarity is told
ENOUGH, ENOUGH_FOR_TASK = 0.2, 1.0  # evidence that a question, and that an order to the agent, must find
# What makes sure that there is anything to recall; fitted on memset dev, LoCoMo dev and prompts of our own.
AHEAD, COVERED, UNHEARD = 2.5, 1.2, -1.9
SURE = -2.6  # of their sum with the logarithm of what the best entry holds; the benchmark prints the curve
SAME = 0.8  # share of words from which two entries are wordings of one
RIVALS = 10  # best entries among which a newer one may overtake
RIVAL_SCORE, RIVAL_FOUND, RIVAL_ALIKE = 0.45, 0.7, 0.5  # of the older one's score, found words, and all words
RIVAL_LACKS = 0.3  # worth of a word of the question that only the older one holds: it tells the two apart
MANY_WORDS = 6.0  # weight of a query's words from which more of them must be found


# Plain classes here: a dataclass takes half a millisecond to make, which each prompt would wait for.


class Question:
    """The content words of a query with their weights, and the index terms that they weigh."""

    def __init__(
        self, words: dict[str, float], *, is_task: bool = False, names: frozenset[str] = frozenset()
    ) -> None:
        self.words = words
        self.is_task = is_task
        self.names = names

    @classmethod
    def of(cls, query: str) -> Question:
        """Read *query*: function words go, words of code blocks count less, a long one's ends suffice."""
        if len(query) > 2 * MAX_QUERY:
            query = f"{query[:MAX_QUERY]}\n{query[-MAX_QUERY:]}"
        prose, code = _apart(query)
        found = dict.fromkeys(words(prose, query=True), 1.0)
        for word in words(code, query=True):
            found.setdefault(word, CODE_WEIGHT)
        return cls(found, is_task=_orders(prose), names=_names(prose))

    def terms(self) -> dict[str, float]:
        """Index terms to weights, stems first."""
        found: dict[str, float] = {}
        for word, weight in self.words.items():
            root = stem(word)
            found[root] = max(found.get(root, 0.0), STEM_WEIGHT * weight)
        for word, weight in list(self.words.items())[:MAX_GRAM_WORDS]:
            for gram in grams(word):
                found[gram] = max(found.get(gram, 0.0), GRAM_WEIGHT * weight)
            for other, share in self.related.get(word, {}).items():
                found.setdefault(other, MEANING_WEIGHT * weight * share)
        return found

    @cached_property
    def related(self) -> dict[str, dict[str, float]]:
        """For each word the terms that mean the same, in any language, with what each is worth."""
        asked = set(self.words)
        first = list(self.words)[:MAX_GRAM_WORDS]
        return {word: found for word in first if (found := _same_meaning(word, asked))}

    @property
    def says(self) -> float:
        """How much its words say about a subject before one knows the tree; small talk stays below 1."""
        return sum(weight * _prior(word) for word, weight in self.words.items())

    def narrowed(self, frequency: Mapping[str, int]) -> Question:
        """The MAX_WORDS rarest words, known ones first, in their order."""
        if len(self.words) <= MAX_GRAM_WORDS:
            return self

        def rarity(word: str) -> tuple[bool, float, int]:
            known = frequency.get(stem(word), 0)
            return (not known, -self.words[word], known)

        kept = sorted(self.words, key=rarity)[:MAX_WORDS]
        return Question({word: self.words[word] for word in kept}, is_task=self.is_task, names=self.names)


def _orders(prose: str) -> bool:
    """Whether *prose* tells the agent to do something rather than asks or states."""
    plain = fold(prose[:300]).strip(" \t\n.!?。！？")
    first = [word.strip(",.!:") for word in plain.split(maxsplit=4)[:4]]
    while first and first[0] in (
        "please",
        "bitte",
        "now",
        "then",
        "can",
        "could",
        "you",
        "ok",
        "so",
        "und",
        "and",
    ):
        first.pop(0)
    return bool(first and first[0] in ORDERS) or plain.startswith(ORDERS_BEGIN) or plain.endswith(ORDERS_END)


def _names(prose: str) -> frozenset[str]:
    """The words with a capital inside a sentence; none where most words have one, as in a title."""
    found: set[str] = set()
    begins = True
    parts = prose.split()
    for part in parts:
        if not begins and part.lstrip("\"'(„“«")[:1].isupper():
            found.add(fold(part.strip("\"'().,:;!?„“”«»")).removesuffix("'s"))
        begins = part[-1] in ".:!?-*#"
    return frozenset(found) if 2 * len(found) <= len(parts) else frozenset()


def _same_meaning(word: str, asked: set[str]) -> dict[str, float]:
    """The terms of the glossary's lines that hold *word*; of a CJK word all pairs must be *asked* for."""
    found: dict[str, float] = {}
    root = word if is_cjk(word) else stem(word)
    at = MEANINGS.find(root)
    while at >= 0 and len(found) < MAX_RELATED:
        start = max(MEANINGS.rfind(" ", 0, at), MEANINGS.rfind("\n", 0, at)) + 1
        listed = MEANINGS[start : min(_end(" ", at), _end("\n", at))]
        if set(words(listed)) <= asked if is_cjk(word) else start == at and stem(listed) == root:
            line = MEANINGS[MEANINGS.rfind("\n", 0, at) + 1 : _end("\n", at)]
            for other in line.split():
                if other != listed:
                    terms = [stem(term) for term in words(other)]
                    found.update(dict.fromkeys(terms, 1 / max(1, len(terms))))
            at = _end("\n", at)
        at = MEANINGS.find(root, at + 1)
    found.pop(root, None)
    return found


def _end(mark: str, at: int) -> int:
    """Where *mark* next stands in the glossary, or its end."""
    found = MEANINGS.find(mark, at)
    return found if found >= 0 else len(MEANINGS)


def _apart(query: str) -> tuple[str, str]:
    """The prose and the fenced code of *query*."""
    pieces = query.split("```")
    return "\n".join(pieces[::2]), "\n".join(pieces[1::2])


class Scale:
    """What turns counts into scores: how rare each term is, average lengths, the greatest score."""

    def __init__(self, question: Question, frequency: Mapping[str, int], totals: Totals) -> None:
        self.question, self.frequency = question, frequency
        self.terms = terms = question.terms()
        count = max(1, totals.entries)
        self.entries = max(count, IMAGINARY)  # among three notes every word looks either unique or everywhere
        self.average = max(1.0, totals.length / count)
        self.gram_average = max(1.0, totals.gram_length / count)
        self.rarity = {term: self._idf(frequency[term]) for term in terms if frequency.get(term)}
        self.values = [
            (term, weight * self.rarity[term]) for term, weight in terms.items() if term in self.rarity
        ]
        self._stand_for = self._owners()
        self._shares = self._shares_of_words()
        self._keys = [
            (f"\n{term}\t", value, term[0] == GRAM, self._stand_for[term]) for term, value in self.values
        ]
        self._found: dict[str, dict[str, float]] = {}
        self.most = (K1 + 1) * self._most() or 1.0

    def _most(self) -> float:
        """The weights of the words and, of all that mean the same as one of them, of the rarest."""
        unknown = self._idf(0)
        others = {term for found in self.question.related.values() for term in found}
        own = sum(w * self.rarity.get(term, unknown) for term, w in self.terms.items() if term not in others)
        return own + sum(
            max((self.terms.get(term, 0.0) * self.rarity.get(term, 0.0) for term in found), default=0.0)
            for found in self.question.related.values()
        )

    def _owners(self) -> dict[str, list[tuple[int, float]]]:
        """For each term the words, by number, that it stands for, and how much of each."""
        found: dict[str, list[tuple[int, float]]] = {term: [] for term in self.rarity}
        for number, word in enumerate(self.question.words):
            pieces = grams(word) if number < MAX_GRAM_WORDS else []
            held = [(stem(word), 1.0), *((gram, PIECED / len(pieces)) for gram in pieces)]
            held += [(term, MEANT) for term in self.question.related.get(word, ())]
            for term, share in held:
                if term in found:
                    found[term].append((number, share))
        return found

    def _shares_of_words(self) -> list[float]:
        """What each word is of the question, more if it is rare and says something: their sum is 1."""
        weights = [
            weight * self._idf(self.frequency.get(stem(word), 0)) * sqrt(_prior(word))
            for word, weight in self.question.words.items()
        ]
        whole = sum(weights) or 1.0
        return [weight / whole for weight in weights]

    def _cover(self, held: list[float]) -> float:
        """What the score is multiplied by for the part of the question that is *held*, word by word."""
        cover = LEAST_COVER
        for share, part in zip(self._shares, held, strict=True):
            if part >= LEAST_HELD:
                cover += share * part if part < 1 else share
        return cover / (1 + LEAST_COVER)

    def _idf(self, entries: int) -> float:
        return log(1 + (self.entries - entries + 0.5) / (entries + 0.5))

    def evidence(self, row: Row) -> float:
        """How surely *row* is about the question: the sum of its found words, a rare one being worth about 1.

        Independent of the score, which only compares: it knows of each word how much it says at all.
        """
        whole = sum(self._worth(word) for word in self.question.words)
        return sum(self.found(row).values()) / sqrt(max(1.0, whole / MANY_WORDS))

    def found(self, row: Row) -> dict[str, float]:
        """The words of the question that *row* holds, as such, misspelt or reworded, and their worth."""
        if row.address not in self._found:
            plain = _plain_stems(row.terms)
            amounts = {word: self._amount(word, row, plain) for word in self.question.words}
            self._found[row.address] = {word: amount for word, amount in amounts.items() if amount}
        return self._found[row.address]

    def _amount(self, word: str, row: Row, plain: list[str]) -> float:
        """What of *word* is in *row*, whose Latin stems are *plain*."""
        root = stem(word)
        if counts_of(row.terms, root):
            return self._worth(word)
        amount = self._worth(word) * MEANING_SHARE if self._means(word, row) else 0.0
        if not is_cjk(word):
            like, other = _likest(root, plain)
            if like:
                its = _prior(other) * self._rarity(self.frequency.get(other, 1))
                amount = max(amount, min(self._worth(word), its) * like * LIKE_SHARE)
        return amount

    def _worth(self, word: str) -> float:
        rarity = self._rarity(self.frequency.get(stem(word), 0))
        return self.question.words[word] * _prior(word) * rarity

    def _means(self, word: str, row: Row) -> bool:
        return any(counts_of(row.terms, term) for term in self.question.related.get(word, ()))

    def _rarity(self, entries: int) -> float:
        """1 for a term that stands nowhere, falling to 0 for one that stands everywhere."""
        all_entries = self.entries + IMAGINARY
        most = log(1 + (all_entries + 0.5) / 0.5)
        rarity: float = log(1 + (all_entries - entries + 0.5) / (entries + 0.5)) / most
        return rarity

    def convinces(self, best: Sequence[Scored]) -> bool:
        """Whether the *best* few entries are evidence enough that there is something to recall at all.

        Evidence says whether anything was found that says something, `sureness` whether it is the answer.
        """
        evidence = max((self.evidence(scored.row) for scored in best), default=0.0)
        if evidence < (ENOUGH_FOR_TASK if self.question.is_task else ENOUGH):
            return any(self._has_all(scored.row) for scored in best)
        return sum(self.sureness(best).values()) >= SURE or any(self._has_all(s.row) for s in best)

    def sureness(self, best: Sequence[Scored]) -> dict[str, float]:
        """What speaks for there being an answer among the *best* few entries, by name: the sum counts.

        amount: how much of what the question says the first holds; ahead: how far it stands above the next
        one that is not its like, since a topic that nobody noted resembles several notes a little; covered:
        the share of the question that it holds; unheard: a name in the question that no entry knows.
        """
        first = best[0]
        whole = sum(self._worth(word) for word in self.question.words) or 1.0
        held = sum(self.found(first.row).values()) / whole
        others = (s.score for s in best[1:] if _alike(first.row, s.row) < SAME)
        ahead = 1 - next(others, 0.0) / first.score if first.score else 0.0
        return {
            "amount": log(first.score * whole / sqrt(max(1.0, whole / MANY_WORDS)) + 0.05),
            "ahead": AHEAD * ahead,
            "covered": COVERED * held,
            "unheard": UNHEARD if self._has_unheard(best) else 0.0,
        }

    def _has_unheard(self, best: Sequence[Scored]) -> bool:
        """Whether a name stands in the question that no entry holds, nor misspelt or reworded."""
        return any(
            word in self.question.names
            and not self.frequency.get(stem(word))
            and not any(word in self.found(scored.row) for scored in best)
            for word in self.question.words
        )

    def _has_all(self, row: Row) -> bool:
        """Whether *row* holds every word of a question of at least two, however common they are."""
        asked = list(self.question.words)
        if len(asked) < 2 or self.question.is_task:
            return False
        return all(counts_of(row.terms, stem(word)) for word in asked)

    def parts(self, row: Row) -> list[tuple[str, float, tuple[float, ...]]]:
        """What each query term adds to the score of *row*, and its weighted counts by field."""
        found = []
        held = [0.0] * len(self._shares)
        slow = K1 * (1 - B + B * row.length / self.average)
        slow_gram = K1 * (1 - B + B * row.gram_length / self.gram_average)
        for term, value in self.values:
            counts = counts_of(row.terms, term)
            if counts:
                weighted = tuple(n * w for n, w in zip(counts, WEIGHTS, strict=True))
                total = sum(weighted)
                slowed = slow_gram if term[0] == GRAM else slow
                found.append((term, value * total * (K1 + 1) / (total + slowed) / self.most, weighted))
                for number, share in self._stand_for[term]:
                    held[number] += share
        cover = self._cover(held)
        return [(term, value * cover, weighted) for term, value, weighted in found]

    def score(self, row: Row) -> float:
        """The same sum as `parts`, for many rows."""
        title, description, body = WEIGHTS
        packed = row.terms
        held = [0.0] * len(self._shares)
        slow = K1 * (1 - B + B * row.length / self.average)
        slow_gram = K1 * (1 - B + B * row.gram_length / self.gram_average)
        score = 0.0
        find = packed.find
        for key, value, is_gram, owners in self._keys:
            at = find(key)
            if at >= 0:
                code = ord(packed[at + len(key)]) - FIRST_CODE
                total = title * (code & 15) + description * (code >> 4 & 15) + body * (code >> 8)
                score += value * total / (total + (slow_gram if is_gram else slow))
                for number, share in owners:
                    held[number] += share
        return score * (K1 + 1) / self.most * self._cover(held)


def _prior(word: str) -> float:
    """What *word* says about a subject before one knows the tree."""
    share = COMMON_SHARE if word in COMMON else GENERAL_SHARE if word in GENERAL else 1.0
    if not is_cjk(word):
        return share
    return share * (PAIR_SHARE if is_han(word) else SOUND_SHARE)


def _plain_stems(packed: str) -> list[str]:
    terms = (part[:-2] for part in packed.split("\n")[1:])
    return [term for term in terms if term[0] != GRAM and not is_cjk(term)]


def _likest(word: str, others: Iterable[str]) -> tuple[float, str]:
    """Which of *others* could be *word* misspelt, inflected or compounded, and how surely; (0, "") for none.

    Likeness is the share of common letter pairs (Dice); words that begin differently must hold one another.
    """
    best = (0.0, "")
    if len(word) < 3:
        return best
    mine = _letter_pairs(word)
    for other in others:
        if len(other) < 3:
            continue
        if min(len(word), len(other)) >= 4 and (word in other or other in word):
            like = max(LIKENESS, min(len(word), len(other)) / max(len(word), len(other)))
        elif word[0] == other[0]:
            its = _letter_pairs(other)
            like = 2 * len(mine & its) / (len(mine) + len(its))
        else:
            continue
        if like >= LIKENESS:
            best = max(best, (like, other))
    return best


def _letter_pairs(word: str) -> set[str]:
    marked = f"_{word}_"
    return {marked[i : i + 2] for i in range(len(marked) - 1)}


class Scored:
    """A row with its score and what was added to it for another reason than its words."""

    def __init__(self, row: Row, score: float) -> None:
        self.row = row
        self.score = score
        self.boosts: dict[str, float] = {}


def rank(rows: Iterable[Row], scale: Scale) -> list[Scored]:
    """Score *rows*, best first; equal scores by address, so that the order is the same each time."""
    scored = [Scored(row, scale.score(row)) for row in rows]
    return sorted((s for s in scored if s.score > 0), key=lambda s: (-s.score, s.row.address))


def newest_first(ordered: list[Scored], scale: Scale) -> list[Scored]:
    """*ordered* with a newer entry before an older one where the question cannot tell the two apart.

    Two such entries are two values of one fact as far as anybody can see, and the later one is right.
    """
    head, tail = list(ordered[:RIVALS]), ordered[RIVALS:]
    for at in range(1, len(head)):
        newer = head[at]
        for to in range(at):
            older = head[to]
            if newer.row.date > older.row.date > "" and _rivals(older, newer, scale):
                gain = older.score - newer.score
                newer.boosts[f"newer than {older.row.address}"] = gain
                newer.score += gain
                head.insert(to, head.pop(at))
                break
    return head + tail


def _rivals(older: Scored, newer: Scored, scale: Scale) -> bool:
    """Whether *newer* answers the same question nearly as well, in much the same words."""
    if newer.score < RIVAL_SCORE * older.score or _alike(older.row, newer.row) < RIVAL_ALIKE:
        return False
    mine, its = scale.found(older.row), scale.found(newer.row)
    if any(worth - its.get(word, 0.0) > RIVAL_LACKS for word, worth in mine.items()):
        return False
    shared = sum(min(worth, its.get(word, 0.0)) for word, worth in mine.items())
    return shared >= RIVAL_FOUND * sum(mine.values())


def _alike(one: Row, other: Row) -> float:
    """The share of the shorter entry's words that the other has too."""
    mine, its = _content(one.terms), _content(other.terms)
    return len(mine & its) / (min(len(mine), len(its)) or 1)


@lru_cache(maxsize=32)  # of one question's best entries, each is compared with each
def _content(packed: str) -> set[str]:
    terms = (part[:-2] for part in packed.split("\n")[1:])
    return {term for term in terms if term[0] != GRAM and term not in COMMON}
