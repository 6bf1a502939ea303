"""How well and how fast recall answers, beside what one would have without it, in one run.

    python -m benchmarks.recall [--data DIR] [--tasks memset,xquad-de] [--split dev] [--json FILE]

Tuning used memset's `dev` questions, LoCoMo's conversations 26, 30 and 41, and our own prompts; all else
is for measuring. nDCG@10, R@k (share of the gold units among the first k) and MRR are means over the
questions that have an answer; AUROC says how well the best score tells these from the ones that have none.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .engines import Bm25s, Engine, FieldOverlap, Found, Fts5, Grep, Product, Turns
from .tasks import NO_ANSWER, TASKS, Asked, Task, files_of, fingerprint, load

DEPTH = 10
APART = (*NO_ANSWER, "adversarial")  # kinds that are not part of "all"
COLUMNS = ("nDCG", "R@1", "R@5", "MRR")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("/work/shared/data"), help="where LoCoMo and XQuAD lie"
    )
    parser.add_argument("--tasks", default=",".join(TASKS), help="of " + ", ".join(TASKS))
    parser.add_argument("--split", choices=("all", "dev", "test"), default="all")
    parser.add_argument("--json", type=Path, help="write all of it there")
    given = parser.parse_args(argv)
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "tasks": {},
    }
    for name in given.tasks.split(","):
        try:
            task = load(name, given.data)
        except FileNotFoundError as error:
            print(f"\n{name}: skipped, no {error.filename}", file=sys.stderr)
            continue
        results = [measure(make, task, given.split) for make in engines(task)]
        hashes = {path.name: fingerprint(path) for path in files_of(name, given.data)}
        report["tasks"][name] = {"data": hashes, "engines": results}
        show(name, results, hashes)
    if given.json:
        given.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    return 0


def engines(task: Task) -> list[Callable[[], Engine]]:
    own: list[Callable[[], Engine]] = [Turns] if task.turns else [
        lambda: Product(abstain=False), lambda: Product(abstain=True)
    ]  # fmt: skip
    return [*own, Grep, FieldOverlap, Fts5, *([Bm25s] if find_spec("bm25s") else [])]


def measure(make: Callable[[], Engine], task: Task, split: str) -> dict[str, Any]:
    """Everything about one engine on one task, as plain values; times in milliseconds."""
    rows: list[tuple[Asked, Found, float]] = []
    filled = 0.0
    for corpus in task.corpora:
        engine = make()
        start = time.perf_counter()
        engine.fill(corpus.units)
        filled += time.perf_counter() - start
        for asked in corpus.asked:
            if split in ("all", asked.split):
                start = time.perf_counter()
                found = engine.ask(asked.text, DEPTH)
                rows.append((asked, found, (time.perf_counter() - start) * 1000))
        engine.close()
    return {"engine": engine.name, "fill_s": round(filled, 2), **summary(rows, task)}


def summary(rows: list[tuple[Asked, Found, float]], task: Task) -> dict[str, Any]:
    """Means by kind, what was shown to questions without an answer, and latency, as plain values."""
    kinds: dict[str, list[dict[str, float]]] = defaultdict(list)
    shown: dict[str, list[bool]] = defaultdict(list)
    answerable, others = [], []
    for asked, found, _ in rows:
        best = found[0][1] if found else 0.0
        if not asked.gold:
            shown[asked.kind].append(bool(found))
            others.append(best)
            continue
        scores = score([name for name, _ in found], asked.gold)
        answerable.append(best)
        kinds[asked.kind].append(scores)
        if asked.kind not in APART:
            kinds["all"].append(scores)
            kinds[f"split {asked.split}"].append(scores)
    told: dict[str, Any] = {"kinds": {kind: _mean(found) for kind, found in sorted(kinds.items())}}
    if others:
        told["shown"] = {kind: round(sum(found) / len(found), 3) for kind, found in shown.items()}
        told["auroc"] = round(auroc(answerable, others), 3)
    if task.name == "conflicts":
        told = {"stale_first": round(sum(map(_stale_first, rows)) / len(rows), 3)}
    times = sorted(spent for _, _, spent in rows)
    p50, p95 = (round(times[int(len(times) * share)], 2) for share in (0.5, 0.95))
    return {**told, "questions": len(rows), "p50_ms": p50, "p95_ms": p95}


def score(ranked: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    """nDCG@10, recall at 1 and 5, and the reciprocal rank of the first gold unit."""
    gains = [1 / math.log2(at + 2) for at, name in enumerate(ranked[:DEPTH]) if name in gold]
    ideal = sum(1 / math.log2(at + 2) for at in range(min(DEPTH, len(gold))))
    first = next((at for at, name in enumerate(ranked[:DEPTH]) if name in gold), None)
    recalls = {f"R@{k}": len(gold.intersection(ranked[:k])) / len(gold) for k in (1, 5)}
    return {"nDCG": sum(gains) / ideal, **recalls, "MRR": 0.0 if first is None else 1 / (first + 1)}


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def _mean(found: list[dict[str, float]]) -> dict[str, float]:
    return {"n": len(found), **{key: round(sum(f[key] for f in found) / len(found), 3) for key in COLUMNS}}


def _stale_first(row: tuple[Asked, Found, float]) -> bool:
    """Of a pair, the kind names the older unit: is it before the right one, or there alone?"""
    asked, found, _ = row
    names = [name for name, _ in found]
    new, old = next(iter(asked.gold)), asked.kind
    return old in names and (new not in names or names.index(old) < names.index(new))


def show(name: str, results: list[dict[str, Any]], hashes: dict[str, str]) -> None:
    """The table of one task on stdout."""
    print(
        f"\n{name}  ({results[0]['questions']} questions; "
        + ", ".join(f"{k} {v}" for k, v in hashes.items())
        + ")"
    )
    for result in results:
        line = f"  {result['engine']:32s} "
        if "stale_first" in result:
            line += f"stale value first {result['stale_first']:.2f}"
        else:
            line += "  ".join(f"{column} {result['kinds']['all'][column]:.3f}" for column in COLUMNS)
        line += f"  p50 {result['p50_ms']:.1f} ms, p95 {result['p95_ms']:.1f} ms"
        line += f", filled in {result['fill_s']:.1f} s"
        print(line)
        if "shown" in result:
            told = "  ".join(f"{kind} {share:.2f}" for kind, share in result["shown"].items())
            print(f"{'':35s}something shown: {told}  AUROC {result['auroc']:.3f}")
    kinds = [kind for kind in results[0].get("kinds", {}) if kind != "all"]
    if len(kinds) > 2:
        print("  R@5 by kind:  " + "  ".join(f"{k} {results[0]['kinds'][k]['R@5']:.2f}" for k in kinds))


if __name__ == "__main__":
    raise SystemExit(main())
