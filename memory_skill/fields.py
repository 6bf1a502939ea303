"""The values of a note's header: made canonical first, and only then found right or wrong. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

LEVELS = ("high", "medium", "low")
SOURCES = ("user-said", "user-confirmed", "agent-inferred", "tool-output")
DATES = ("created", "modified", "verified", "valid_from", "valid_to")
# From what share of certainty a number is called high, and medium.
SHARES = ((0.8, "high"), (0.5, "medium"), (0.0, "low"))
_SAID = {
    "high": "h hi certain sure confident very-high strong hoch sicher élevée haute alta 高 확실 высокая",
    "medium": "m med mid moderate middle normal mittel moyenne media 中 보통 средняя",
    "low": "l lo uncertain unsure weak guess very-low niedrig unsicher gering faible baja 低 낮음 низкая",
    "user-said": "user said human stated explicit",
    "user-confirmed": "confirmed approved",
    "agent-inferred": "agent inferred assistant model implied derived",
    "tool-output": "tool output web page file",
}
_WORDS = {word: value for value, words in _SAID.items() for word in words.split()}
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_GERMAN = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_CJK = re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")


def normalised(meta: Mapping[str, str]) -> dict[str, str]:
    """*meta* with confidence, source and dates in their canonical form, as far as one can tell."""
    found = dict(meta)
    for key, made in (("confidence", _confidence), ("source", _source), *((key, _date) for key in DATES)):
        if found.get(key, "").strip():
            found[key] = made(found[key].strip())
    return found


def wrong(meta: Mapping[str, str]) -> dict[str, str]:
    """By key, what is wrong with a value that no form was found for."""
    found = {}
    for key, allowed in (("confidence", LEVELS), ("source", SOURCES)):
        if meta.get(key) and meta[key] not in allowed:
            found[key] = f"{key} {meta[key][:40]!r} is none of {', '.join(allowed)}"
    for key in DATES:
        if meta.get(key) and _day(meta[key]) is None:
            found[key] = f"{key} {meta[key][:40]!r} is no date"
    return found


def _confidence(value: str) -> str:
    low = "-".join(value.casefold().split())
    number = re.fullmatch(r"(\d{1,3}(?:\.\d+)?)(%)?", low.replace(",", "."))
    if number:
        share = float(number.group(1)) / (100 if number.group(2) or float(number.group(1)) > 1 else 1)
        return next(name for least, name in SHARES if share >= least) if share <= 1 else value
    return _WORDS.get(low, low) if low in LEVELS or _WORDS.get(low) in LEVELS else value


def _source(value: str) -> str:
    low = "-".join(value.casefold().replace("_", " ").replace("-", " ").split())
    return low if low in SOURCES else _WORDS.get(low, value) if _WORDS.get(low) in SOURCES else value


def _date(value: str) -> str:
    """ISO; a date-time that is one already keeps its time."""
    if re.match(r"\d{4}-\d{2}-\d{2}(?:$|[T ])", value):
        return value
    for form, order in ((_ISO, (1, 2, 3)), (_CJK, (1, 2, 3)), (_GERMAN, (3, 2, 1))):
        match = form.fullmatch(value)
        if match:
            year, month, day = (int(match.group(i)) for i in order)
            return f"{year:04}-{month:02}-{day:02}"
    return value


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None
