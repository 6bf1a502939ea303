"""txtai's own BM25, without a model. Runs in txtai's environment; standard library otherwise."""

import json
import sys
import time

from txtai.scoring import ScoringFactory


def main() -> None:
    wanted = json.load(sys.stdin)
    start = time.perf_counter()
    scoring = ScoringFactory.create({"method": "bm25", "terms": True, "normalize": False})
    scoring.index(
        (i, f"{u['title']} {u['description']} {u['body']}", None) for i, u in enumerate(wanted["units"])
    )
    filled = time.perf_counter() - start
    found, spent = [], []
    for query in wanted["queries"]:
        start = time.perf_counter()
        hits = scoring.search(query, wanted["limit"])
        spent.append((time.perf_counter() - start) * 1000)
        found.append([[wanted["units"][i]["id"], score] for i, score in hits])
    json.dump({"found": found, "fill_s": filled, "query_ms": spent}, sys.stdout)


if __name__ == "__main__":
    main()
