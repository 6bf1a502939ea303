"""Nasty notes by the thousand (D6): read or refused, never a crash, never another byte."""

from __future__ import annotations

import random
import time
from typing import NamedTuple

from memory_skill import note
from memory_skill.damage import damage_of
from memory_skill.errors import MemorySkillError
from memory_skill.index import line_of
from memory_skill.search import rows_of

PIECES = (
    "---\n",
    "---\r\n",
    "--- \n",
    "----\n",
    "...\n",
    "name: x\n",
    "name: x\nname: y\n",
    "title: Re: October\n",
    'description: "a --- b"\n',
    "description: 'it''s'\n",
    "metadata:\n  type: user\n",
    "metadata: {a: b}\n",
    "  type: lesson\n",
    "tags: [1, no, null]\n",
    "tags:\n",
    "created: {{date}}\n",
    "at: 2026-02-30\n",
    "a: &a [1]\nb: *a\n",
    "x: !!python/object/apply:os.system [id]\n",
    "? complex\n: key\n",
    "- item\n",
    "* other\n",
    "  indented\n",
    "\t- tab\n",
    "1. one\n",
    "# Heading\n",
    "```\ncode\n",
    "<!-- comment -->\n",
    "<<<<<<< HEAD\n",
    "=======\n",
    ">>>>>>> x\n",
    '{"json": 1}\n',
    "[" * 200 + "\n",
    "\ufeff",
    "\0",
    "\x1b]8;;x\x07",
    "\u202e",
    "é",
    "漢字",
    "\U000e0041",
    "a" * 500,
    "\r",
    "\u2028",
    "\n",
    "\n\n",
    "- [x](y.md)\n",
    "key: |\n  text\n",
    'k: "\\ud800"\n',
    ": :\n",
)


class Fuzzed(NamedTuple):
    """How many were read, refused with a reason, and found damaged; the slowest took *slowest* seconds."""

    read: int
    refused: int
    damaged: int
    slowest: float


def campaign(seed: int, times: int) -> Fuzzed:
    """*times* notes of one to twelve pieces. Raises: AssertionError, or what was not caught."""
    chance = random.Random(seed)
    read = refused = damaged = 0
    slowest = 0.0
    for _ in range(times):
        raw = _note(chance)
        began = time.perf_counter()
        try:
            _same(note.parse(raw, "knowledge/x.md"), raw)
            read += 1
        except MemorySkillError as error:
            assert error.what and "\n" not in error.what
            refused += 1
        damaged += damage_of(raw, "knowledge/x.md") is not None
        skimmed = note.skim(raw, "knowledge/x.md")
        line_of(skimmed)
        rows_of(skimmed)
        slowest = max(slowest, time.perf_counter() - began)
    return Fuzzed(read, refused, damaged, slowest)


def _note(chance: random.Random) -> bytes:
    raw = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12))).encode(
        "utf-8", "surrogatepass"
    )
    if chance.random() < 0.5:
        raw = b"---\nname: x\n" + raw
    if chance.random() < 0.1 and raw:
        at = chance.randrange(len(raw))
        raw = raw[:at] + chance.randbytes(2) + raw[at:]
    return raw


def _same(found: note.Note, raw: bytes) -> None:
    """What was read can be written back byte for byte, and the entries are parts of it."""
    assert note.encode(found.raw, raw) == raw
    lines = found.raw.count("\n") + 1
    assert all(1 <= entry.line <= lines for entry in found.entries)
