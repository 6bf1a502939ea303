"""The difference of two texts as a person reads it: word by word where a sentence was touched, whole where it
was rewritten. Pure; knows neither terminal nor page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from ..note import describe, skim
from ..text import safe

LEAST_SURVIVED = 0.5  # of a sentence; below that old and new are easier to read whole than shredded
CONTEXT = 2  # lines shown around a change
MAX_TOKENS = 4000  # of two sentences; longer ones are not compared word by word
NOISE = frozenset({"modified", "node_type", "originSessionId"})  # stamps that hosts write by themselves
# Of a new note: what its path, and the line of facts above it, tell already.
PLAIN = frozenset({"name", "type", "created", "source", "host", "session"})

_CJK = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|\s+|[^\w\s]")
_SENTENCE = re.compile(r"[^\n.!?。！？]*(?:[.!?](?=\s|$)|[.!?](?!\s)|[。！？])*(?:[ \t]+|$)?")


class Span(NamedTuple):
    """A piece of one line. *mark*: "=" stays, "-" was there, "+" is new."""

    mark: str
    text: str


class Row(NamedTuple):
    """One line to show. *mark*: "=" unchanged, "-" gone, "+" new, "~" changed within, "…" left out."""

    mark: str
    spans: tuple[Span, ...]


class Property(NamedTuple):
    """One value of the header: as it was and as it is; "" where it was not."""

    key: str
    old: str
    new: str

    @property
    def noise(self) -> bool:
        return self.key in NOISE


def properties(before: str, after: str, path: str) -> list[Property]:
    """The header's values, those that differ first; stamps of hosts last."""
    old, new = _header(before, path), _header(after, path)
    found = [Property(key, old.get(key, ""), new.get(key, "")) for key in {**old, **new}]
    return sorted(found, key=lambda item: (item.noise, item.old == item.new))


def telling(before: str, after: str, path: str) -> list[Property]:
    """The values that a reader has to see: those that differ, but no stamp, and no echo of the body."""
    echoes = {describe(skim(text, path).body) for text in (before, after) if text}
    found = [item for item in properties(before, after, path) if item.old != item.new and not item.noise]
    if not (before and after):
        found = [item for item in found if item.key not in PLAIN]
    return [
        item
        for item in found
        if item.key != "description" or not {value for value in item[1:] if value} <= echoes
    ]


def _header(text: str, path: str) -> dict[str, str]:
    note = skim(text, path)
    if not note.headed:
        return {}
    told = {"name": note.name, "description": note.description, "type": note.type if note.typed else ""}
    return {safe(key): safe(value) for key, value in {**told, **note.meta}.items() if value}


def rows(before: str, after: str, path: str) -> list[Row]:
    """The bodies of two versions compared, made safe to show; long unchanged stretches are left out."""
    old, new = (
        safe(skim(text, path).body).strip("\n").split("\n") if text else [] for text in (before, after)
    )
    return list(_with_context(list(_lines(old, new))))


def _lines(old: list[str], new: list[str]) -> Iterator[Row]:
    for op, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if op == "equal":
            yield from (Row("=", (Span("=", line),)) for line in old[a:b])
        elif op == "replace":
            yield from _replaced(old[a:b], new[c:d])
        else:
            yield from (Row("-", (Span("-", line),)) for line in old[a:b])
            yield from (Row("+", (Span("+", line),)) for line in new[c:d])


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Lines in place of others: pairwise where they are alike, else the old ones and then the new."""
    gone, come = list[Row](), list[Row]()
    for was, now in zip_longest(old, new):
        spans = tuple(words(was, now)) if was is not None and now is not None else ()
        if any(span.mark == "=" and span.text.strip() for span in spans):
            yield from gone + come
            gone, come = [], []
            yield Row("~", spans)
            continue
        gone += [Row("-", (Span("-", was),))] if was is not None else []
        come += [Row("+", (Span("+", now),))] if now is not None else []
    yield from gone + come


def words(old: str, new: str) -> Iterator[Span]:
    """One line compared with another, sentence by sentence."""
    before, after = sentences(old), sentences(new)
    for op, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if op == "equal":
            yield Span("=", "".join(before[a:b]))
        elif op == "replace" and b - a == d - c:
            for was, now in zip(before[a:b], after[c:d], strict=True):
                yield from _sentence(was, now)
        elif op == "replace":
            yield from _sentence("".join(before[a:b]), "".join(after[c:d]))
        else:
            yield from _spans([("-", "".join(before[a:b])), ("+", "".join(after[c:d]))])


def sentences(line: str) -> list[str]:
    """*line* cut after each sentence; joined again they are the line."""
    return [part for part in _SENTENCE.findall(line) if part]


def _sentence(old: str, new: str) -> Iterator[Span]:
    """Word by word if at least half of it survived, else whole."""
    was, now = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(was) + len(now) > MAX_TOKENS:
        return _spans([("-", old), ("+", new)])
    found = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    kept = sum(len("".join(was[a:b]).replace(" ", "")) for op, a, b, _, _ in found if op == "equal")
    if kept < LEAST_SURVIVED * max(len(re.sub(r"\s", "", text)) for text in (old, new)):
        return _spans([("-", old), ("+", new)])
    pairs: list[tuple[str, str]] = []
    for op, a, b, c, d in found:
        same = op == "equal"
        pairs += [("=", "".join(was[a:b]))] if same else [("-", "".join(was[a:b])), ("+", "".join(now[c:d]))]
    return _spans(pairs)


def _spans(pairs: Iterable[tuple[str, str]]) -> Iterator[Span]:
    return (Span(mark, text) for mark, text in pairs if text)


def _with_context(found: list[Row]) -> Iterator[Row]:
    """Only the lines near a change; where there is none, all of them."""
    touched = [i for i, row in enumerate(found) if row.mark != "="]
    if not touched:
        yield from found
        return
    near = {j for i in touched for j in range(i - CONTEXT, i + CONTEXT + 1)}
    left_out = 0
    for i, row in enumerate(found):
        if i in near or (i - 1 in near and i + 1 in near):
            if left_out:
                yield _gap(left_out)
            left_out = 0
            yield row
        else:
            left_out += 1
    if left_out:
        yield _gap(left_out)


def _gap(lines: int) -> Row:
    return Row("…", (Span("=", f"{lines} unchanged {'line' if lines == 1 else 'lines'}"),))
