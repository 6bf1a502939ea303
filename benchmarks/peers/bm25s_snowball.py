"""bm25s with its own tokeniser, English stop words and the Snowball stemmer, as its README shows it."""

import json
import sys
import time

import bm25s
import Stemmer


def main() -> None:
    wanted = json.load(sys.stdin)
    stemmer = Stemmer.Stemmer("english")
    start = time.perf_counter()
    texts = [f"{u['title']} {u['description']} {u['body']}" for u in wanted["units"]]
    index = bm25s.BM25()
    index.index(
        bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False
    )
    filled = time.perf_counter() - start
    found, spent = [], []
    for query in wanted["queries"]:
        start = time.perf_counter()
        words = bm25s.tokenize([query], stopwords="en", stemmer=stemmer, show_progress=False)
        places, scores = index.retrieve(words, k=min(wanted["limit"], len(texts)), show_progress=False)
        spent.append((time.perf_counter() - start) * 1000)
        pairs = zip(places[0].tolist(), scores[0].tolist(), strict=True)
        found.append([[wanted["units"][i]["id"], score] for i, score in pairs if score > 0])
    json.dump({"found": found, "fill_s": filled, "query_ms": spent}, sys.stdout)


if __name__ == "__main__":
    main()
