"""Run a peer, in its own environment, on the tasks of `benchmarks.recall`. See README.md beside this file.

python -m benchmarks.peers.run PYTHON ADAPTER [--tasks memset] [--data DIR] [--json FILE --as "txtai 9"]
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from datetime import date
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..recall import DEPTH, show, summary
from ..tasks import Asked, Corpus, files_of, fingerprint, load

Rows = list[tuple[Asked, list[tuple[str, float]], float]]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("python", help="the interpreter of the peer's environment")
    parser.add_argument("adapter", type=Path)
    parser.add_argument("--tasks", default="memset")
    parser.add_argument("--data", type=Path, default=Path("/work/shared/data"))
    parser.add_argument("--json", type=Path, help="file of results, in which this peer's are put or replaced")
    parser.add_argument("--as", dest="name", help="name and version of the peer; the adapter's by default")
    given = parser.parse_args(argv)
    for name in given.tasks.split(","):
        task = load(name, given.data)
        rows: Rows = []
        filled = 0.0
        for corpus in task.corpora:
            seconds, answered = ask(given.python, given.adapter, corpus)
            filled += seconds
            rows += answered
        engine = given.name or given.adapter.stem
        result = {"engine": engine, "fill_s": round(filled, 2), **summary(rows, task)}
        hashes = {path.name: fingerprint(path) for path in files_of(name, given.data)}
        show(name, [result], hashes)
        if given.json:
            keep(given.json, name, result, hashes)
    return 0


def keep(file: Path, task: str, result: dict[str, Any], hashes: dict[str, str]) -> None:
    """Put *result* into the file, by task and engine, in the order of their names."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    others = [one for one in kept.get(task, []) if one["engine"] != result["engine"]]
    told = {**result, "data": hashes, "day": date.today().isoformat()}
    kept[task] = sorted([*others, told], key=itemgetter("engine"))
    file.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def ask(python: str, adapter: Path, corpus: Corpus) -> tuple[float, Rows]:
    """Seconds to fill, and the answers. Raises: CalledProcessError when the peer fails."""
    units = [
        {"id": u.id, "title": u.title, "description": u.description, "body": f"{u.speaker} {u.body}".strip()}
        for u in corpus.units
    ]
    wanted = {"units": units, "queries": [asked.text for asked in corpus.asked], "limit": DEPTH}
    ran = subprocess.run(
        [python, str(adapter)], input=json.dumps(wanted), text=True, stdout=subprocess.PIPE, check=True
    )
    answer = json.loads(ran.stdout)
    found = [[(name, float(score)) for name, score in one] for one in answer["found"]]
    return answer["fill_s"], list(zip(corpus.asked, found, answer["query_ms"], strict=True))


if __name__ == "__main__":
    raise SystemExit(main())
