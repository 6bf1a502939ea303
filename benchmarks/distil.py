"""How often a session is interrupted to distil, and whether a brief shows each fact in time.

    python -m benchmarks.distil              40 sessions of 50 turns with 200 facts, in three languages
    python -m benchmarks.distil --json FILE  the figures as JSON, beside those of a fixed pause

The sentences (`data/distil/`) were written for this repository, by the author of the signs that `worth`
hears; half of the kinds of facts carry none of them. Sessions are put together by a seed. The agent of the
simulation reads the brief and every page that it names, and saves when a fact stands there.
A session is compacted every 25 turns; what is pending then, or when it ends, waits in the queue.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from memory_skill import pages, worth
from memory_skill.config import GateKnobs
from memory_skill.distil import Moment, State, brief, step
from memory_skill.journal import Turn

DATA = Path(__file__).parent / "data" / "distil"
LANGUAGES = ("en", "de", "zh")
TURNS, FACTS, EVERY, COMPACTED = 50, 5, 3, 25  # of a session; N; turns between two compactions
NEAREST = [
    {"address": f"knowledge/project/note-{n}.md", "description": "what is known " * 8} for n in range(5)
]
KNOBS = GateKnobs()


class Session(NamedTuple):
    """*facts*: the text of each planted fact, by the number of its turn."""

    language: str
    turns: tuple[Turn, ...]
    facts: dict[int, str]


class Played(NamedTuple):
    """What became of one session: the briefs by reason, the longest texts, and each fact's fate."""

    asked: Counter[str]
    brief: int
    page: int
    fates: Counter[str]


def corpus(sessions: int = 40, seed: int = 1) -> Iterator[Session]:
    """Sessions in turn of each language; the same for the same seed."""
    dice = random.Random(seed)
    said = {name: json.loads((DATA / f"{name}.json").read_text("utf-8")) for name in LANGUAGES}
    for number in range(sessions):
        language = LANGUAGES[number % len(LANGUAGES)]
        yield _session(number, language, said[language], dice)


def _session(number: int, language: str, said: dict[str, Any], dice: random.Random) -> Session:
    planted = dict(
        zip(sorted(dice.sample(range(TURNS), FACTS)), dice.sample(said["facts"], FACTS), strict=True)
    )
    turns, facts = [], dict[int, str]()
    for n in range(TURNS):
        kind = dice.choices(["nods", "orders", "talk"], [3, 6, 1])[0]
        user, reply = planted.get(n) or dice.choice(said[kind])
        if n in planted:
            value = f"{number + 1}{n:02}"
            user, reply = (
                text.replace("{thing}", dice.choice(said["things"])).replace("{n}", value)
                for text in (user, reply)
            )
            facts[n] = user if value in user else reply
        ident = f"s{number}-{n}"
        turns.append(Turn(ident, "2026-11-30T10:00:00+00:00", "claude-code", f"s{number}", user, reply, "p"))
    return Session(language, tuple(turns), facts)


def play(session: Session) -> Played:
    """The session from its first stop to its end."""
    state, asked, fates = State(), Counter[str](), Counter[str]()
    longest = page = 0
    unseen = dict(session.facts)  # in no brief and no page yet
    lost_context: set[int] = set()
    for n, turn in enumerate(session.turns):
        level, sign = worth.of_turn(turn.user, turn.assistant, KNOBS)
        sign = "" if sign == "cause" else sign
        state, decision = step(state, Moment("stop", turn.id, every=EVERY, level=level, sign=sign))
        if decision.block:
            asked[_reason(state, decision.why)] += 1
            state, texts = _brief(state, session, turn.id)
            longest, page = max(longest, len(texts[0])), max([page, *map(len, texts[1:])])
            found = [one for one, fact in unseen.items() if any(_holds(text, fact) for text in texts)]
            for one in found:
                fates["after" if one in lost_context else "before"] += 1
                del unseen[one]
            state, _ = step(state, Moment("answered", saved=bool(found), every=EVERY))
        if (n + 1) % COMPACTED == 0 and n + 1 < TURNS:
            lost_context.update(one for one in unseen if one <= n)
            state, _ = step(state, Moment("compact"))
    state, _ = step(state, Moment("end"))
    for one in unseen:
        waits = state.waiting and session.turns[one].id in state.pending
        fates["waits" if waits else "lost"] += 1
    return Played(asked, longest, page, fates)


def _reason(state: State, why: str) -> str:
    if "summary" in why:
        return "summary"
    return "early" if state.said else "due" if state.matters else "talk"


def _brief(state: State, session: Session, turn: str) -> tuple[State, list[str]]:
    """The brief over the pending turns and the pages that it names, all of them shown."""
    pending = [one for one in session.turns if one.id in state.pending]
    text, shown = brief(
        pending,
        NEAREST,
        home=Path("~/.memory-skill"),
        command="memory-skill",
        scope="project:acme-billing",
        session=session.turns[0].session,
        summary=state.total if state.wants_summary else 0,
    )
    state, _ = step(state, Moment("delivered", turn, turns=shown))
    texts, rest = [text], [one for one in pending if one.id not in shown]
    while rest:
        told, seen = pages.page(rest)
        texts.append(told)
        state, _ = step(state, Moment("paged", turns=tuple(one.id for one in seen)))
        rest = rest[len(seen) :]
    return state, texts


def _holds(text: str, fact: str) -> bool:
    return " ".join(fact.split()) in " ".join(re.sub(r"^- user: |^  reply: ", "", text, flags=re.M).split())


def measure(sessions: Sequence[Session]) -> dict[str, Any]:
    """The figures over all sessions. *fixed*: the interruptions of a pause that never changes."""
    played = [play(one) for one in sessions]
    asked = sum((one.asked for one in played), Counter[str]())
    fates = sum((one.fates for one in played), Counter[str]())
    fixed = sum(len(one.turns) // EVERY for one in sessions)
    return {
        "sessions": len(sessions),
        "turns": sum(len(one.turns) for one in sessions),
        "facts": sum(len(one.facts) for one in sessions),
        "fixed": fixed,
        "adaptive": asked.total(),
        "ratio": round(asked.total() / fixed, 3),
        "asked_early": asked["early"],
        "asked_when_due": asked["due"],
        "asked_after_long_small_talk": asked["talk"],
        "asked_for_a_summary": asked["summary"],
        "facts_shown_before_they_left_the_context": fates["before"],
        "facts_shown_after_a_compaction": fates["after"],
        "facts_that_wait_at_the_end": fates["waits"],
        "facts_lost": fates["lost"],
        "longest_brief": max(one.brief for one in played),
        "longest_page": max(one.page for one in played),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = {"seed": given.seed, **measure(list(corpus(given.sessions, given.seed)))}
    for name, value in found.items():
        print(f"{name.replace('_', ' '):42} {value}")
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
