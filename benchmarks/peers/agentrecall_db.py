"""agentrecall-db in its keyword mode, its default without the extra for vectors. Runs in its environment."""

import json
import sys
import tempfile
import time
from pathlib import Path

from agentrecall import Memory


def main() -> None:
    wanted = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        memory = Memory(str(Path(folder) / "memory.db"))
        records = memory.add_many(
            [" ".join(filter(None, (u["title"], u["description"], u["body"]))) for u in wanted["units"]]
        )
        names = {record.id: unit["id"] for record, unit in zip(records, wanted["units"], strict=True)}
        filled = time.perf_counter() - start
        found, spent = [], []
        for query in wanted["queries"]:
            start = time.perf_counter()
            hits = memory.search(query, k=wanted["limit"])
            spent.append((time.perf_counter() - start) * 1000)
            found.append([[names[hit.id], hit.score] for hit in hits])
    json.dump({"found": found, "fill_s": filled, "query_ms": spent}, sys.stdout)


if __name__ == "__main__":
    main()
