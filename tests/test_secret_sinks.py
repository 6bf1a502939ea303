"""The whole corpus of secrets goes into one tree by every entrance, and comes out of none (D9)."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_skill import doctor
from memory_skill.errors import MemorySkillError
from memory_skill.memory import Memory
from memory_skill.review.page import page

from . import secrets_corpus as corpus
from .drivers import Claude
from .test_gate_faults import everything_below
from .test_secrets import leaks
from .trees import by_tool, git, put

CHUNK = 15_000  # characters of one note; a longer one is refused by its size
LEAST = 8  # characters of a value that stands nowhere by chance


def chunks(texts: list[str]) -> Iterator[str]:
    """The texts, several in one, each a paragraph of its own."""
    held: list[str] = []
    for text in texts:
        if held and sum(map(len, held)) + len(text) > CHUNK:
            yield "\n\n".join(held)
            held = []
        held.append(text)
    yield "\n\n".join(held)


def entrances(memory: Memory, text: str, n: int, tmp_path: Path) -> Iterator[object]:
    """*text* by hand and by one of the verbs in turn; what that answered."""
    put(memory, f"knowledge/reference/hand-{n}.md", f"# By hand\n\n{text}\n")
    if n % 4 == 0:
        yield memory.save(f"Paragraphs of number {n} follow.\n\n{text}", type="reference", name=f"saved-{n}")
    elif n % 4 == 1:
        yield memory.save(text, type="reference", source="tool-output", name=f"held-{n}")
        by_tool(memory, "s1", f"tool-{n}.md", f"---\nmetadata:\n  type: user\n---\n{text}\n")
    elif n % 4 == 2:
        yield memory.edit(f"knowledge/reference/edited-{n}.md", "", f"Written by an edit.\n\n{text}")
    else:
        lines = tmp_path / f"{n}.jsonl"
        line = {"name": f"import-{n}", "description": text[:300], "type": "user", "body": text}
        lines.write_text(json.dumps(line), encoding="utf-8")
        yield memory.import_file(lines)
        yield memory.settle()


def errors(memory: Memory, secrets: list[corpus.Secret]) -> Iterator[str]:
    """What is said when a secret is the name, the address or the quotation of something."""
    for one in secrets[::330]:
        calls = (
            lambda text=one.text: memory.edit("knowledge/reference/hand-0.md", text, "x"),
            lambda text=one.text: memory.edit(text, "a", "b"),
            lambda text=one.text: memory.save("The heron is grey.", type="user", name=text),
        )
        for call in calls:
            with contextlib.suppress(MemorySkillError):
                yield repr(call())


def test_no_sink_holds_a_secret_that_is_known_as_one(
    memory: Memory, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """1,200 secrets saved, edited, imported, heard and written by hand: no plain value in files, git objects
    (packed too), search index, journal, queue, records, replies, errors, page and context."""
    outside = Memory.open(cwd=home)
    every = list(corpus.secrets())
    missed = {one.value for one in every if leaks(one)}
    values = {one.value for one in every if len(one.value) >= LEAST} - missed
    claude = Claude(tmp_path, capfd)
    told: list[object] = [claude.start().out]

    for n, text in enumerate(chunks([one.text for one in every if one.value in values])):
        told += entrances(outside, text, n, tmp_path)
        told += [claude.prompt(text[:2000]).out, claude.stop(text).out]
    told += errors(outside, every)
    told += [outside.log(limit=0), outside.status(), outside.list(), outside.inbox(), outside.review()]
    told += [page(outside), outside.context().text, doctor.examine(os.environ, outside.tree.home)]
    told += [outside.recall(word, scope="all") for word in ("staging server", "Testserver", "client timeout")]
    git(outside.tree.home, "gc", "-q", "--prune=now")

    held = everything_below(outside.tree.home) + repr(told).encode()
    assert len(every) >= 1200
    assert len(values) >= 1000
    assert sorted(value for value in values if value.encode() in held) == []
    assert held.count(b"[secret: ") > 3000
