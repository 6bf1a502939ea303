"""Damage what is derived, under an open process: answers go on, and are those of a fresh tree (D5)."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memory_skill.memory import Memory

from .trees import check_order, copied, opened

HEADS = (
    "Ada",
    "what of",
    "how about",
    "why",
    "the",
    "tell of",
    "who",
    "when",
    "where",
    "is it",
    "any",
    "our",
    "no",
)
WORDS = (
    "tabs",
    "wiki",
    "Rust Python",
    "Graz",
    "short replies",
    "invoices rounded",
    "deploys noon",
    "reader levels",
)
QUERIES = tuple(f"{head} {word}" for head in HEADS for word in WORDS)
TARGETS = (
    "search.sqlite",
    "search.stamp",
    "index/root.json",
    "index/knowledge~projects~acme-billing.json",
    "settled.json",
    "sessions/claude-code/s1.json",
    "config.json",
    "edited.json",
    "heartbeats/claude-code-stop.json",
    "notices.json",
)


class Damaged(NamedTuple):
    """One damage; *warned*: recall said before the repair that it was degraded."""

    target: str
    kind: str
    warned: bool


def _flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes() or b"\0")
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def _cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(max(1, path.stat().st_size)))


def _nul(path: Path, chance: random.Random) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def _noise(path: Path, chance: random.Random) -> None:
    path.write_bytes(chance.randbytes(300))


def _delete(path: Path, chance: random.Random) -> None:
    path.unlink()


def _folder(path: Path, chance: random.Random) -> None:
    path.unlink()
    path.mkdir()


def _junk(path: Path, chance: random.Random) -> None:
    path.write_text(
        chance.choice(["null", "[]", "1", '{"notes": 3}', '{"a": {"b": [1]}}', '"x"', "[[[[]]]]"])
    )


def _other(path: Path, chance: random.Random) -> None:
    """Another file of the folder, in place of this one."""
    others = [other for other in path.parent.iterdir() if other.is_file() and other != path]
    shutil.copyfile(chance.choice(others) if others else __file__, path)


KINDS: dict[str, Callable[[Path, random.Random], None]] = {
    "bit flipped": _flip,
    "cut": _cut,
    "zeroed": _nul,
    "noise": _noise,
    "deleted": _delete,
    "a folder": _folder,
    "foreign JSON": _junk,
    "another file": _other,
}


def campaign(source: Path, work: Path, seed: int, times: int, queries: int = 10) -> Iterator[Damaged]:
    """*times* damages: each kind of each target in turn, from a shuffled list."""
    chance = random.Random(seed)
    every = [(target, kind) for target in TARGETS for kind in KINDS]
    chance.shuffle(every)
    for n in range(times):
        target, kind = every[n % len(every)]
        if (work / "memory").exists():
            shutil.rmtree(work / "memory")
        home = copied(source, work / "memory")
        yield Damaged(target, kind, _one(home, target, kind, chance, queries))


def _one(home: Path, target: str, kind: str, chance: random.Random, queries: int) -> bool:
    memory = opened(home)
    _complete(memory)
    wanted, index = answers(memory, queries), (home / "MEMORY.md").read_bytes()
    KINDS[kind](home / ".state" / target, chance)
    before = answers(memory, queries)
    assert [bool(hits) for hits in before] == [bool(hits) for hits in wanted], (
        f"{target} {kind}: not answered"
    )
    warned = memory.recall(QUERIES[0]).outcome == "degraded"
    memory.reindex()
    assert (home / "MEMORY.md").read_bytes() == index, f"{target} {kind}: another index"
    saved = memory.save("Carla reads this afterwards", type="user")
    assert saved.outcome == "saved" and saved.commit, f"{target} {kind}: {saved}"
    memory.settle()
    check_order(memory, deep=False)
    fresh = opened(home)
    fresh.rebuild_search()
    assert answers(memory, queries) == answers(fresh, queries), (
        f"{target} {kind}: other answers than a fresh rebuild"
    )
    return warned


def _complete(memory: Memory) -> None:
    """Have every derived file there is."""
    from memory_skill.config import load_for_hook
    from memory_skill.events import Events

    load_for_hook({**memory.env, "MEMORY_SKILL_HOME": str(memory.tree.home)})
    events = Events(memory.tree.state)
    events.heartbeat("claude-code", "stop", 5)
    events.notice("something")
    memory.sessions.saved("claude-code", "s1")
    (memory.tree.state / "edited.json").write_text("{}")


def answers(memory: Memory, queries: int) -> list[list[tuple[str, float]]]:
    """Addresses and scores of what each query finds."""
    found = [memory.recall(query, scope="all") for query in QUERIES[:queries]]
    return [[(hit.address, round(hit.score, 6)) for hit in one.hits] for one in found]
