"""How well a new statement is told from those that it repeats, refines or contradicts, on labelled pairs.

    python -m benchmarks.reconcile        precision and recall of each relation; --wrong lists the misjudged

The pairs (`data/pairs.jsonl`, English, German, Chinese) were written for this repository; the last 45 after
the rules were: at first sight 37 of them were judged rightly, contradictions with precision .93, recall .65.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from memory_skill.comparing import compare

DATA = Path(__file__).parent / "data" / "pairs.jsonl"
RELATIONS = ("same", "refined", "contradicts", "other")


def judged() -> list[tuple[str, str, dict[str, str]]]:
    """(label, judgement, pair) of every pair."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    return [(row["is"], compare(row["new"], row["old"]), row) for row in rows]


def share(counts: Counter[tuple[str, str]], name: str, place: int) -> float:
    """Precision (*place* 1) or recall (*place* 0) of one relation."""
    whole = sum(n for pair, n in counts.items() if pair[place] == name)
    return counts[name, name] / whole if whole else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--wrong", action="store_true", help="list what was judged wrongly")
    given = parser.parse_args()
    found = judged()
    counts = Counter((label, judgement) for label, judgement, _ in found)
    print(f"{len(found)} pairs\n\n{'relation':<14}{'n':>5}{'precision':>11}{'recall':>8}")
    for name in RELATIONS:
        total = sum(n for (label, _), n in counts.items() if label == name)
        print(f"{name:<14}{total:>5}{share(counts, name, 1):>11.3f}{share(counts, name, 0):>8.3f}")
    others = [judgement for label, judgement, _ in found if label == "other"]
    print(f"\n{sum(one == 'contradicts' for one in others)} of {len(others)} other statements held back")
    for label, judgement, row in found if given.wrong else ():
        if label != judgement:
            print(f"{label} -> {judgement}: {row['old']!r} / {row['new']!r}")


if __name__ == "__main__":
    main()
