"""Turns of any text, at any time, in two sessions at once: what the journal is given it gives back."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import NamedTuple

from memory_skill.journal import Journal, Turn, format_turn, parse
from memory_skill.tree import Tree

HEADER = "## 2026-11-30T10:00:00+00:00 kimi-code session=s turn=t project=p"
LINES = (
    "### user",
    "### assistant",
    "\\### user",
    "\\\\### assistant",
    "",
    "\\",
    "## x",
    HEADER,
    "\\" + HEADER,
)
LINES += (
    "# 2026-11-30",
    "---",
    "```",
    "\t",
    " ### user",
    "### user ",
    "\r",
    "%20",
    "日本語",
    "\u2028",
    "e\u0301",
    "\x00",
)
WORDS = ("", "-", "%2d", "%", "a b", "c1", "ünï", "turn=x", "\n", "%41;", "s\u00a0t", "🙂")
EDGES = ("23:59:59", "00:00:00", "00:00:01", "12:30:00", "02:59:59")  # midnight on both sides
OFFSETS = ("+00:00", "+01:00", "-11:00", "+05:45", "+14:00")


class Logged(NamedTuple):
    """What was tried: *turns* through text, *kept* through files of *days* days in *backwards* jumps."""

    turns: int
    kept: int
    days: int
    backwards: int
    repeated: int


def campaign(home: Path, seed: int, times: int) -> Logged:
    """*times* turns through text, a twentieth through files. Raises: AssertionError on a loss."""
    chance = random.Random(seed)
    for _ in range(times // 4):
        four = [_turn(chance, str(n)) for n in range(4)]
        read = parse("# 2026-11-30\n\n" + "".join(map(format_turn, four)))
        assert read == four, (read, four)
    return _kept(home, chance, times // 20)._replace(turns=times // 4 * 4)


def _kept(home: Path, chance: random.Random, times: int) -> Logged:
    """Two sessions take turns, with clocks of their own that jump back."""
    (home / ".state").mkdir(parents=True, exist_ok=True)
    logs = [Journal(Tree(home)), Journal(Tree(home))]
    given: dict[str, Turn] = {}
    clocks, backwards, repeated = [1_796_000_000, 1_796_000_000], 0, 0
    for number in range(times):
        one = chance.randrange(2)
        step = chance.choice((1, 60, 3600, -3600, -90_000, 40_000))
        clocks[one] += step
        backwards += step < 0
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(clocks[one]))
        turn = _turn(chance, f"{number} x")._replace(time=stamp, session=f"s{one}")
        given[turn.id] = turn
        assert logs[one].append(turn)
        if number % 10 == 0:
            repeated += 1
            assert not logs[1 - one].append(turn), "a turn was stored twice"
    found = logs[0].turns()
    assert {turn.id: turn for turn in found} == given and len(found) == len(given)
    assert all(path.stem == turn.time[:10] for path in logs[0].files() for turn in parse(_text(path)))
    return Logged(0, len(found), len(logs[0].files()), backwards, repeated)


def _text(path: Path) -> str:
    return path.read_bytes().decode()


def _turn(chance: random.Random, ident: str) -> Turn:
    stamp = f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T{chance.choice(EDGES)}"
    word, body = (lambda: chance.choice(WORDS)), (lambda: _body(chance))
    return Turn(ident + word(), stamp + chance.choice(OFFSETS), word(), word(), body(), body(), word())


def _body(chance: random.Random) -> str:
    return "\n".join(chance.choice(LINES) for _ in range(chance.randrange(7)))
