"""What finding nothing costs and spares, at each threshold of sureness: the curve that SURE was chosen on.

    python -m benchmarks.abstain [--task memset+10k]

Lost is the R@5 that the same ranking has when it never abstains; `own` are questions of ours, fitted on.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from memory_skill import score

from .engines import Product
from .tasks import Asked, load, own

LEVELS = (-9.0, -3.0, -2.6, -2.4, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5)
DEPTH = 5
KINDS = ("near-miss", "own near-miss", "general", "chatter", "no-answer")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--task", choices=("memset", "memset+10k"), default="memset")
    given = parser.parse_args(argv)
    corpus = load(given.task, Path()).corpora[0]
    asked = [*corpus.asked, *own()]
    engine = Product(abstain=False)
    engine.fill(corpus.units)
    whole = [_recall(engine, question) for question in asked]
    engine.abstain = True
    print("needed  lost dev  lost test  lost own  shown: " + "  ".join(KINDS))
    for level in LEVELS:
        score.SURE = level
        lost, shown = measure(engine, asked, whole)
        told = "  ".join(f"{_mean(shown[kind]):{len(kind)}.2f}" for kind in KINDS)
        print(f"{level:6.1f}  {lost['dev']:8.3f}  {lost['test']:9.3f}  {lost['own']:8.3f}         {told}")
    engine.close()
    return 0


def measure(
    engine: Product, asked: Sequence[Asked], whole: Sequence[float]
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """The R@5 lost by split, and for each kind without an answer whether something was shown."""
    lost: dict[str, list[float]] = defaultdict(list)
    shown: dict[str, list[float]] = defaultdict(list)
    for question, reached in zip(asked, whole, strict=True):
        if question.gold:
            lost[question.split].append(reached - _recall(engine, question))
        else:
            kind = f"own {question.kind}" if question.split == "own" else question.kind
            shown[kind].append(float(bool(engine.ask(question.text, 1))))
    return {split: _mean(found) for split, found in lost.items()}, shown


def _recall(engine: Product, question: Asked) -> float:
    found = {name for name, _ in engine.ask(question.text, DEPTH)}
    return len(question.gold & found) / max(1, len(question.gold))


def _mean(found: Sequence[float]) -> float:
    return sum(found) / max(1, len(found))


if __name__ == "__main__":
    raise SystemExit(main())
