"""The benchmarks count what they say, and a peer is asked by the written protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import distil
from benchmarks.peers import run as peers
from benchmarks.recall import auroc, score
from benchmarks.tasks import Asked, Corpus, Unit, memset, own

PEER = """
import json, sys
wanted = json.load(sys.stdin)
found = [[[u["id"], 1.0] for u in wanted["units"] if q in u["body"]] for q in wanted["queries"]]
json.dump({"found": found, "fill_s": 0.1, "query_ms": [1.0] * len(found)}, sys.stdout)
"""


def test_scores_of_a_ranking_are_those_of_the_textbook() -> None:
    """One of two gold units, found second: half of the recall, a reciprocal rank of a half."""
    found = score(["x", "a", "y"], frozenset("ab"))
    assert (found["R@1"], found["R@5"], found["MRR"]) == (0.0, 0.5, 0.5)
    assert found["nDCG"] == pytest.approx(0.6309 / 1.6309, abs=1e-3)
    assert auroc([0.9, 0.5], [0.1, 0.5]) == 0.875


def test_own_data_is_whole() -> None:
    """Every gold id exists; 40 prompts of conversation and 60 without an answer are there."""
    corpus = memset()
    ids = {unit.id for unit in corpus.units}
    assert all(asked.gold <= ids for asked in [*corpus.asked, *own()])
    kinds = [asked.kind for asked in corpus.asked]
    assert (kinds.count("chatter"), kinds.count("general") + kinds.count("near-miss")) == (40, 60)


def test_peer_is_asked_in_its_own_process(tmp_path: Path) -> None:
    """Units and queries go in as JSON, ids with scores come out."""
    adapter = tmp_path / "peer.py"
    adapter.write_text(PEER, encoding="utf-8")
    asked = [Asked("walrus", frozenset(["b"]), "own")]
    corpus = Corpus("c", [Unit("a", "a seal"), Unit("b", "a walrus")], asked)

    assert peers.ask(sys.executable, adapter, corpus) == (0.1, [(asked[0], [("b", 1.0)], 1.0)])


def test_results_of_a_peer_replace_its_own_of_before(tmp_path: Path) -> None:
    """One result a task and peer, in the order of their names, with the hashes of the data."""
    file = tmp_path / "peers.json"
    for engine, value in (("b 1", 1), ("a 2", 2), ("b 1", 3)):
        peers.keep(file, "memset", {"engine": engine, "p50_ms": value}, {"queries.jsonl": "ab"})

    kept = json.loads(file.read_text(encoding="utf-8"))["memset"]

    assert [(one["engine"], one["p50_ms"]) for one in kept] == [("a 2", 2), ("b 1", 3)]
    assert kept[0]["data"] == {"queries.jsonl": "ab"}


def test_a_slice_of_the_distillation_corpus_loses_no_fact() -> None:
    """Six sessions, two a language: half the interruptions of a fixed pause, each fact shown or waiting."""
    found = distil.measure(list(distil.corpus(6)))

    assert (found["facts"], found["facts_lost"]) == (30, 0)
    assert found["facts_shown_before_they_left_the_context"] >= 25
    assert found["ratio"] <= 0.5
    assert max(found["longest_brief"], found["longest_page"]) <= 4000
    assert list(distil.corpus(6)) == list(distil.corpus(6))
