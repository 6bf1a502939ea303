"""The tree that the operations change, the operations, and what must hold of a tree whatever befell it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from memory_skill.index import BEGIN, END
from memory_skill.journal import Journal, Turn
from memory_skill.memory import Memory
from memory_skill.tree import Tree
from memory_skill.write import group_of

TABS = "knowledge/feedback/ada-indents-with-tabs.md"
LIST = "knowledge/user.md"
FLAT = "loose-note.md"
MAX_SECONDS = 5.0


class Operation(NamedTuple):
    """*do* changes the tree; *touches* are the files that it may change; *holds* says whether it is done."""

    name: str
    do: Callable[[Memory], object]
    touches: tuple[str, ...]
    holds: Callable[[Tree], bool]
    prepare: Callable[[Tree], object] = lambda tree: None


def opened(home: Path) -> Memory:
    env = {"HOME": os.fspath(home.parent), "PATH": os.environ["PATH"], "CLAUDE_CODE_SESSION_ID": "s1"}
    return Memory.open(home, env=env, cwd=home.parent)


def template(home: Path) -> Path:
    """A small tree with notes of every kind, all committed."""
    memory = opened(home)
    memory.init()
    memory.save("Ada indents with tabs", type="feedback", why="her screen reader announces them as levels")
    memory.save("The wiki is at wiki.example.com", type="reference")
    memory.edit(LIST, "", "- Ada writes Rust and Python\n- Ada lives in Graz\n- Ada likes short replies\n")
    memory.save("Invoices are rounded up", type="project", scope="project:acme-billing")
    memory.save("Deploys fail after noon", type="lesson", scope="project:acme-billing", why="cold cache")
    memory.settle()
    return home


def copied(source: Path, target: Path) -> Path:
    shutil.copytree(source, target, symlinks=True)
    return target


def _by_hand(tree: Tree) -> None:
    (tree.home / TABS).write_bytes(tree.read(TABS).replace(b"levels", b"levels of the code"))
    header = "---\nname: loose-note\ndescription: Ada codes at night\nmetadata:\n  type: user\n---\n"
    note = header + "Ada codes at night.\n"
    (tree.home / FLAT).write_text(note)


def _lines(tree: Tree) -> Path:
    path = tree.home.parent / "notes.jsonl"
    notes = [{"name": f"fact-{n}", "type": "reference", "body": f"Fact number {n} holds"} for n in range(3)]
    path.write_text("".join(json.dumps(note) + "\n" for note in notes))
    return path


def _has(path: str, text: bytes) -> Callable[[Tree], bool]:
    return lambda tree: text in (tree.read_or_none(path) or b"")


def _lacks(path: str, text: bytes) -> Callable[[Tree], bool]:
    return lambda tree: text not in (tree.read_or_none(path) or b"")


def _logged(tree: Tree) -> bool:
    return [turn.id for turn in Journal(tree).turns()] == ["t1"]


NEW = "knowledge/user/bob-likes-blanks.md"
FIRST = "knowledge/projects/other-shop/the-shop-closes-at-six.md"
FACTS = tuple(f"knowledge/reference/fact-{n}.md" for n in range(3))
TURN = Turn(
    "t1", "2026-11-30T21:03:15+01:00", "claude-code", "s1", "I prefer tabs.", "Noted.\n\n### user\n", "x"
)

OPERATIONS = (
    Operation(
        "new", lambda m: m.save("Bob likes blanks", type="user"), (NEW,), _has(NEW, b"Bob likes blanks")
    ),
    Operation(
        "new-project",
        lambda m: m.save("The shop closes at six", type="project", scope="project:other-shop"),
        (FIRST,),
        _has(FIRST, b"closes at six"),
    ),
    Operation("edit", lambda m: m.edit(LIST, "Graz", "Vienna"), (LIST,), _has(LIST, b"Vienna")),
    Operation(
        "forget",
        lambda m: m.forget(
            TABS,
        ),
        (TABS, "tombstones"),
        lambda t: not (t.home / TABS).exists(),
    ),
    Operation(
        "settle",
        lambda m: m.settle(),
        (TABS, FLAT, "knowledge/user/loose-note.md"),
        _has("knowledge/user/loose-note.md", b"codes at night"),
        _by_hand,
    ),
    Operation(
        "index",
        lambda m: m.reindex(),
        (),
        _has("MEMORY.md", b"ada-indents-with-tabs"),
        lambda tree: (tree.home / "MEMORY.md").write_text("# Memory\n"),
    ),
    Operation("search", lambda m: m.rebuild_search(), (), lambda tree: True),
    Operation("journal", lambda m: Journal(m.tree).append(TURN), (), _logged),
    Operation(
        "session",
        lambda m: m.sessions.saved("claude-code", "s1"),
        (),
        lambda tree: b'"saves": ' in (tree.state / "sessions/claude-code/s1.json").read_bytes(),
    ),
    Operation(
        "undo",
        lambda m: m.undo(),
        (LIST, "knowledge/projects/acme-billing/deploys-fail-after-noon.md"),
        lambda tree: True,
    ),
    Operation("import", lambda m: m.import_file(_lines(m.tree)), FACTS, _has(FACTS[2], b"Fact number 2")),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}


def sentence(token: str) -> str:
    """A text that holds *token* and is like no other: the gate refuses what is nearly there already."""
    letters = hashlib.sha256(token.encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    return f"Token {token} means " + " ".join(letters[n : n + 7] for n in range(0, 56, 7))


# --- what must hold


def snapshot(home: Path) -> dict[str, bytes]:
    """The bytes of every file that is somebody's text."""
    found = {}
    for path in home.rglob("*"):
        rel = path.relative_to(home).as_posix()
        ours = rel.startswith((".git/", ".state/")) or rel.endswith(("MEMORY.md", ".identity.json"))
        if path.is_file() and not ours:
            found[rel] = path.read_bytes()
    return found


def check_texts(
    before: dict[str, bytes],
    home: Path,
    operation: Operation,
    after: dict[str, bytes],
    others: tuple[str, ...] = (),
) -> None:
    """Every file is whole: as it was before the operation or as it is after it, and others are untouched.

    *after* is what an undisturbed run left; a journal may lack the turn but not hold half of it.
    """
    now = snapshot(home)
    for rel in before.keys() | now.keys():
        if rel.startswith("journal/") or rel in others:
            continue
        allowed = {before.get(rel), after.get(rel)}
        assert now.get(rel) in allowed, f"{operation.name}: {rel} is half: {now.get(rel)!r}"
        if rel not in operation.touches:
            assert now.get(rel) == before.get(rel), f"{operation.name}: {rel} was not its to change"


def check_recovery(home: Path, *, order: bool = True, deep: bool = True) -> float:
    """The next verbs work without a person and, with *order*, leave all in order. Returns: seconds."""
    began = time.monotonic()
    memory = opened(home)
    saved = memory.save("Carla reads this afterwards", type="user")
    took = time.monotonic() - began
    assert saved.outcome == "saved" and saved.commit, f"the next save: {saved}"
    assert took <= MAX_SECONDS, f"recovery took {took:.1f} s"
    if order:
        memory.settle()
        check_order(memory, deep=deep)
    return took


def check_order(memory: Memory, *, deep: bool = True) -> None:
    """Notes, index files, search index and history agree; nothing is left over."""
    tree, history = memory.tree, memory.writer.history
    paths = {stat.path for stat in tree.walk()}
    assert history.dirty() == [], f"not committed: {history.dirty()}"
    assert not memory.status().unsettled, "settled, and yet it says that something is not"
    manifest = memory.writer.search.manifest()
    assert manifest.keys() == paths, f"search index: {manifest.keys() ^ paths}"
    for group in {group_of(path) for path in paths} | {""}:
        check_index(tree, group, {path for path in paths if group_of(path) == group})
    assert list(litter(tree.home)) == [], f"litter: {list(litter(tree.home))}"
    if deep:
        assert history.healthy() is None, f"git fsck: {history.healthy()}"


def check_index(tree: Tree, group: str, paths: set[str]) -> None:
    """An index file is whole, within its bounds, and shows every note of its folder."""
    raw = tree.read(f"{group}/MEMORY.md" if group else "MEMORY.md")
    text = raw.decode()
    assert BEGIN in text and END in text and text.endswith("\n")
    assert text.count("\n") <= 200 and len(raw) <= 25_000
    shown = [path for path in paths if f"({path.removeprefix(group).lstrip('/')})" in text]
    indexed = [path for path in paths if not path.startswith("summaries/")]
    assert len(shown) == len(indexed), f"{group or 'root'} index lacks {set(indexed) - set(shown)}"


def litter(home: Path) -> Iterator[str]:
    """What a killed process left that nobody will ever read."""
    for path in home.rglob("*"):
        rel = path.relative_to(home).as_posix()
        if rel.startswith(".git/"):
            if path.name.endswith(".lock") or path.name.startswith("memory-skill-"):
                yield rel
        elif path.name.endswith((".tmp", ".new")) or rel.startswith((".state/pending/", ".state/tmp/")):
            yield rel
