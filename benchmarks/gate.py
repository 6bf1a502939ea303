"""How well the gate's quality rules tell turns and entries apart, on a labelled set in three languages.

    python -m benchmarks.gate        precision and recall of each rule; --wrong lists what was judged wrongly

The set (`data/gate.jsonl`) was written for this repository: one JSON object a line, `rule` null for text that
must pass, `beside` what is remembered already, `instructions` what AGENTS.md says.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from memory_skill import gate
from memory_skill.config import GateKnobs
from memory_skill.errors import Refused

DATA = Path(__file__).parent / "data" / "gate.jsonl"


class Score(NamedTuple):
    """Counts of one rule: rightly named, named for other text, missed."""

    hits: int
    false: int
    missed: int

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false) if self.hits + self.false else 1.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


def rows() -> list[dict[str, Any]]:
    """The labelled set."""
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def judge(row: dict[str, Any]) -> str | None:
    """The rule that does not let the row's text in; None if it passes."""
    fields = {key: row[key] for key in ("text", "kind", "type", "by", "source")}
    fields["confidence"] = row.get("confidence", "")
    given = [gate.Beside(f"AGENTS-{i}.md", text) for i, text in enumerate(row.get("instructions", []))]
    beside = [gate.Beside(f"note-{i}.md", text) for i, text in enumerate(row.get("beside", []))]
    try:
        gate.admit(gate.Candidate(**fields), knobs=GateKnobs(), beside=beside, instructions=given)
    except Refused as refusal:
        return refusal.rule
    return None


def scores(judged: list[tuple[dict[str, Any], str | None]]) -> dict[str, Score]:
    """The counts of each rule that the set or the gate names."""
    pairs = Counter((row["rule"], found) for row, found in judged)
    names = sorted({name for pair in pairs for name in pair if name})
    return {
        name: Score(
            pairs[name, name],
            sum(n for (want, got), n in pairs.items() if got == name != want),
            sum(n for (want, got), n in pairs.items() if want == name != got),
        )
        for name in names
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--wrong", action="store_true", help="list what was judged wrongly")
    given = parser.parse_args()
    judged = [(row, judge(row)) for row in rows()]
    print(f"{len(judged)} turns and entries\n\n{'rule':<14}{'n':>5}{'precision':>11}{'recall':>8}")
    for name, score in scores(judged).items():
        print(f"{name:<14}{score.hits + score.missed:>5}{score.precision:>11.3f}{score.recall:>8.3f}")
    honest = [found for row, found in judged if row["rule"] is None]
    print(f"\n{sum(found is not None for found in honest)} of {len(honest)} honest texts refused")
    for row, found in judged if given.wrong else ():
        if row["rule"] != found:
            print(f"{row['rule']} -> {found}: {row['text'][:100]!r}")


if __name__ == "__main__":
    main()
