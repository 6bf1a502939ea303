"""The derived index: it follows the tree, survives damage, and never hides that it is broken."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_skill.search import IndexTrouble, Search, counts_of, pack_terms, terms_in
from memory_skill.tree import Tree

Write = Callable[..., str]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "tree" / ".state").mkdir(parents=True)
    return Tree(tmp_path / "tree")


@pytest.fixture
def search(tree: Tree) -> Search:
    return Search(tree.state / "search.sqlite")


@pytest.fixture
def write(tree: Tree) -> Write:
    def put(path: str, body: str, description: str = "", **meta: str) -> str:
        lines = "".join(f'  {key}: "{value}"\n' for key, value in meta.items())
        file = tree.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        head = f'name: {file.stem}\ndescription: "{description}"\nmetadata:\n  type: project\n{lines}'
        text = f"---\n{head}---\n{body}\n"
        file.write_text(text, encoding="utf-8")
        return path

    return put


def found(search: Search, *terms: str, scopes: list[str] | None = None) -> list[str]:
    search.close()
    rows = search.rows(search.candidates(dict.fromkeys(terms, 1.0), scopes, 50))
    return sorted(row.address for row in rows)


def test_packed_terms_give_back_the_count_of_each_field() -> None:
    """Three counts in one character: what was put in comes out, and an absent term is None."""
    packed, length, _ = pack_terms(("redis cache", "redis", "redis redis slow"))
    assert counts_of(packed, "redi" if "redi" in terms_in(packed) else "redis") == (1, 1, 2)
    assert counts_of(packed, "kafka") is None
    assert length == 2 * 2.0 + 1.5 + 3


def test_refresh_takes_up_new_changed_and_gone_files(tree: Tree, search: Search, write: Write) -> None:
    """The index becomes the tree, and says what that took."""
    write("knowledge/project/one.md", "redis")
    write("knowledge/project/two.md", "kafka")
    assert search.refresh(tree)[:3] == (2, 0, 0)
    write("knowledge/project/one.md", "rabbit instead")
    (tree.home / "knowledge/project/two.md").unlink()
    write("knowledge/project/three.md", "vault")
    assert search.refresh(tree) == (1, 1, 1, "")
    assert found(search, "redis", "kafka") == []
    assert found(search, "rabbit") == ["knowledge/project/one.md"]
    assert found(search, "vault") == ["knowledge/project/three.md"]
    assert search.verify() == []


def test_update_of_one_note_leaves_no_trace_of_its_old_words(
    tree: Tree, search: Search, write: Write
) -> None:
    """SQLite 3.40 forgets a contentless row only when told its old terms; none are left behind."""
    path = write("knowledge/project/one.md", "start")
    search.refresh(tree)
    for number in range(100):
        write(path, f"word{number}")
        search.update(tree, [path])
    assert found(search, *[f"word{n}" for n in range(99)]) == []
    assert [path] == found(search, "word99")
    assert search.totals().entries == 1
    assert search.verify() == []


def test_update_of_a_missing_file_removes_it(tree: Tree, search: Search, write: Write) -> None:
    """Forgetting is an update like another."""
    path = write("knowledge/project/one.md", "secret handshake")
    search.refresh(tree)
    (tree.home / path).unlink()
    search.update(tree, [path])
    assert found(search, "secret", "handshak") == []
    assert search.manifest() == {}


def test_candidates_stay_within_their_scopes(tree: Tree, search: Search, write: Write) -> None:
    """A project's rows are never read for another's question."""
    write("knowledge/project/a.md", "redis")
    write("knowledge/projects/x/b.md", "redis")
    write("knowledge/projects/y/c.md", "redis")
    search.refresh(tree)
    assert found(search, "redi", "redis", scopes=["global", "project:x"]) == [
        "knowledge/project/a.md",
        "knowledge/projects/x/b.md",
    ]
    assert len(found(search, "redi", "redis")) == 3


def test_list_note_has_one_row_an_item_and_skill_has_only_its_trigger(tree: Tree, search: Search) -> None:
    """Items are addressed by id; a skill's body is not recalled."""
    (tree.home / "knowledge").mkdir()
    (tree.home / "knowledge/user.md").write_text("- Name: Ada\n- City: London\n", encoding="utf-8")
    (tree.home / "skills/ship").mkdir(parents=True)
    skill = '---\nname: ship\ndescription: "Use when releasing"\n---\nzebra steps\n'
    (tree.home / "skills/ship/SKILL.md").write_text(skill, encoding="utf-8")
    search.refresh(tree)
    assert len([a for a in found(search, stem_of("london")) if a.startswith("knowledge/user.md#")]) == 1
    assert found(search, stem_of("releasing")) == ["skills/ship/SKILL.md"]
    assert found(search, stem_of("zebra")) == []


def names(tree: Tree) -> list[str]:
    return sorted(file.name for file in tree.state.iterdir())


def stem_of(word: str) -> str:
    from memory_skill.text import stem

    return stem(word)


def damaged(kind: str, path: Path) -> None:
    if kind == "missing":
        path.unlink()
    elif kind == "empty":
        path.write_bytes(b"")
    elif kind == "garbage":
        path.write_bytes(b"not a database at all" * 500)
    elif kind == "truncated":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif kind == "foreign":
        path.unlink()
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE meta(key TEXT, value TEXT)")
    elif kind == "newer":
        with sqlite3.connect(path) as own:
            own.execute("UPDATE meta SET value = '999' WHERE key = 'schema'")
    elif kind == "analyser":
        with sqlite3.connect(path) as own:
            own.execute("UPDATE meta SET value = 'other' WHERE key = 'analyser'")
    elif kind == "folder":
        path.unlink()
        path.mkdir()


BROKEN = ["missing", "empty", "garbage", "truncated", "foreign", "newer", "analyser"]


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_index_says_so_and_refresh_builds_it_anew(
    tree: Tree, search: Search, write: Write, kind: str
) -> None:
    """Whatever happened to the file: a reader gets IndexTrouble, the next refresh heals it, once."""
    for number in range(40):
        write(f"knowledge/project/n{number}.md", f"redis number{number} " + "filler words " * 50)
    search.refresh(tree)
    search.close()
    damaged(kind, search.path)
    with pytest.raises(IndexTrouble):
        search.rows(search.candidates({"redis": 1.0, "fill": 1.0}, None, 50))
        search.manifest()
        raise IndexTrouble("verify") if Search(search.path).verify() else AssertionError("looks healthy")
    assert Search(search.path).verify()
    if kind == "truncated":
        search.rebuild(tree)
    else:
        assert search.refresh(tree).rebuilt
    assert search.verify() == []
    assert search.note_count() == 40


def test_locked_index_is_trouble_within_the_time(tree: Tree, search: Search, write: Write) -> None:
    """A writer that holds the file does not hold the reader."""
    write("knowledge/project/one.md", "redis")
    search.refresh(tree)
    search.close()
    with sqlite3.connect(search.path, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(IndexTrouble, match="locked"):
            search.totals()
    assert search.totals().entries == 1


def test_rebuild_removes_the_journal_of_a_killed_writer(tree: Tree, search: Search, write: Write) -> None:
    """An old journal would be played into the new file."""
    write("knowledge/project/one.md", "redis")
    search.refresh(tree)
    journal = search.path.with_name("search.sqlite-journal")
    journal.write_bytes(b"stale")
    search.rebuild(tree)
    assert not journal.exists() or not journal.stat().st_size
    assert search.verify() == []


def test_reading_leaves_no_file_and_changes_none(tree: Tree, search: Search, write: Write) -> None:
    """A recall on a read-only disk works: no -wal, no -shm, not a byte written."""
    write("knowledge/project/one.md", "redis")
    search.refresh(tree)
    search.close()
    before = {name: (tree.state / name).read_bytes() for name in names(tree)}
    found(search, "redis")
    search.close()
    assert before == {name: (tree.state / name).read_bytes() for name in names(tree)}


@pytest.mark.parametrize("odd", ['"', "AND", "a OR b", "NEAR(", "*", "x:y", "\x00", "c++", "-"])
def test_syntax_of_the_query_language_is_only_text(
    tree: Tree, search: Search, write: Write, odd: str
) -> None:
    """No term can be read as an operator."""
    write("knowledge/project/one.md", "redis")
    search.refresh(tree)
    assert found(search, odd) == []


def test_number_of_notes_follows_every_change(tree: Tree, search: Search, write: Write) -> None:
    """It is kept, not counted: after a build, a new note, a changed one and one that is gone."""
    first = write("knowledge/reference/a.md", "The ledger listens on port 8443.")
    search.rebuild(tree)
    assert (search.note_count(), search.verify()) == (1, [])

    write(first, "The ledger listens on port 9443.")
    second = write("knowledge/reference/b.md", "- one thing about queues\n- another about caches")
    search.update(tree, [first, second])
    assert (search.note_count(), search.verify()) == (2, [])

    (tree.home / first).unlink()
    search.update(tree, [first, "knowledge/reference/never.md"])
    assert (search.note_count(), search.verify()) == (1, [])
