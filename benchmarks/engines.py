"""Who is measured: the product, and what one would have without it. Each takes units, answers with ids."""

from __future__ import annotations

import json
import re
import sqlite3
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from memory_skill.config import Config
from memory_skill.recall import recall
from memory_skill.search import Search
from memory_skill.talk import Spoken, Talk
from memory_skill.text import slug
from memory_skill.tree import Tree
from memory_skill.vocabulary import STOP

from .tasks import Unit

Found = list[tuple[str, float]]


class Engine(Protocol):
    """Anything that can be filled and asked."""

    name: str

    def fill(self, units: Sequence[Unit]) -> None: ...

    def ask(self, query: str, limit: int) -> Found:
        """Ids with scores, best first; "no match" can be told if scores compare between questions."""

    def close(self) -> None: ...


class Product:
    """Real notes in a real tree, asked through `recall`, with or without its right to find nothing."""

    def __init__(self, *, abstain: bool) -> None:
        self.abstain = abstain
        self.name = "memory-skill" if abstain else "memory-skill, never abstaining"

    def fill(self, units: Sequence[Unit]) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="memory-skill-bench-")
        home = Path(self.folder.name) / "tree"
        self.ids = write_tree(home, units)
        self.tree, self.search, self.config = (
            Tree(home),
            Search(home / ".state" / "search.sqlite"),
            Config(home),
        )
        self.search.rebuild(self.tree)

    def ask(self, query: str, limit: int) -> Found:
        found = recall(
            query, "all", tree=self.tree, search=self.search, config=self.config, limit=limit,
            max_chars=1_000_000, abstain=self.abstain,
        )  # fmt: skip
        return [(self.ids[hit.address.split("#")[0]], hit.score) for hit in found.hits]

    def close(self) -> None:
        self.search.close()
        self.folder.cleanup()


def write_tree(home: Path, units: Sequence[Unit]) -> dict[str, str]:
    """Write *units* as notes, in the canonical form; returns path to id."""
    ids: dict[str, str] = {}
    (home / ".state").mkdir(parents=True)
    for unit in units:
        name = f"{slug(unit.title, limit=40)}-{unit.id}".strip("-").replace(":", "-").replace("/", "-")
        path = f"knowledge/{unit.type}/{name}.md"
        lines = ["---", f"name: {name}", f"description: {json.dumps(unit.description, ensure_ascii=False)}"]
        lines += ["metadata:", f"  type: {unit.type}", *([f'  created: "{unit.date}"'] if unit.date else [])]
        title = [f"# {unit.title}", ""] if unit.title else []
        speaker = f"{unit.speaker}: " if unit.speaker else ""
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([*lines, "---", *title, speaker + unit.body, ""]), encoding="utf-8")
        ids[path] = unit.id
    return ids


class Turns:
    """The ranking of `journal search`, for tasks whose units are turns."""

    name = "memory-skill"

    def fill(self, units: Sequence[Unit]) -> None:
        self.units = units
        self.talk = Talk([Spoken(u.session, u.speaker, u.body, u.said) for u in units])

    def ask(self, query: str, limit: int) -> Found:
        return [(self.units[at].id, score) for at, score in self.talk.rank(query, limit)]

    def close(self) -> None:
        pass


class Grep:
    """How many different content words of the query a unit holds, as `grep -i` would tell."""

    name = "grep, distinct words"

    def fill(self, units: Sequence[Unit]) -> None:
        self.texts = [(unit.id, _whole(unit).lower()) for unit in units]

    def ask(self, query: str, limit: int) -> Found:
        wanted = set(_content(query))
        scored = [(name, float(sum(word in text for word in wanted))) for name, text in self.texts]
        return sorted((s for s in scored if s[1]), key=lambda s: (-s[1], s[0]))[:limit]

    def close(self) -> None:
        pass


class FieldOverlap:
    """Tokens of the query found in title (4), description (3) and body (1): what some agents ship."""

    name = "field overlap 4/3/1"

    def fill(self, units: Sequence[Unit]) -> None:
        self.texts = [
            (u.id, u.title.lower(), u.description.lower(), f"{u.speaker} {u.body}".lower()) for u in units
        ]

    def ask(self, query: str, limit: int) -> Found:
        wanted = set(_content(query))
        scored = [
            (name, float(sum(4 * (w in title) + 3 * (w in told) + (w in body) for w in wanted)))
            for name, title, told, body in self.texts
        ]
        return sorted((s for s in scored if s[1]), key=lambda s: (-s[1], s[0]))[:limit]

    def close(self) -> None:
        pass


class Fts5:
    """SQLite FTS5 with the porter stemmer, the words of the query joined by OR."""

    name = "FTS5 porter OR"

    def fill(self, units: Sequence[Unit]) -> None:
        self.database = sqlite3.connect(":memory:")
        self.database.execute(
            "CREATE VIRTUAL TABLE u USING fts5(id UNINDEXED, title, description, body, tokenize=porter)"
        )
        rows = [(u.id, u.title, u.description, f"{u.speaker} {u.body}") for u in units]
        self.database.executemany("INSERT INTO u VALUES (?, ?, ?, ?)", rows)

    def ask(self, query: str, limit: int) -> Found:
        expression = " OR ".join(f'"{word}"' for word in dict.fromkeys(_content(query)))
        if not expression:
            return []
        rows = self.database.execute(
            "SELECT id, -bm25(u) FROM u WHERE u MATCH ? ORDER BY bm25(u), id LIMIT ?", (expression, limit)
        )
        return [(name, score) for name, score in rows]

    def close(self) -> None:
        self.database.close()


class Bm25s:
    """The bm25s library, if it is installed, over plain content words."""

    name = "bm25s"

    def fill(self, units: Sequence[Unit]) -> None:
        import bm25s

        self.ids = [unit.id for unit in units]
        self.model = bm25s.BM25(k1=1.2, b=0.4)
        self.model.index([_content(_whole(unit)) or ["_"] for unit in units], show_progress=False)

    def ask(self, query: str, limit: int) -> Found:
        known = [word for word in _content(query) if word in self.model.vocab_dict]
        if not known:
            return []
        found, scores = self.model.retrieve([known], k=min(limit, len(self.ids)), show_progress=False)
        return [(self.ids[i], float(s)) for i, s in zip(found[0], scores[0], strict=True) if s > 0]

    def close(self) -> None:
        pass


def _whole(unit: Unit) -> str:
    return " ".join((unit.speaker, unit.title, unit.description, unit.body))


def _content(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if word not in STOP]
