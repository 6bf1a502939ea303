"""Taking back a commit, a session or an entry, and keeping what was edited since."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_skill.errors import NotFound
from memory_skill.memory import Memory
from memory_skill.note import entry_id

from .trees import by_tool, git, in_session, note, project, put, read, subjects


@pytest.fixture
def outside(memory: Memory, home: Path) -> Memory:
    return Memory.open(cwd=home)


def recalled(memory: Memory, query: str) -> list[str]:
    return [hit.address for hit in memory.recall(query, scope="all").hits]


def test_last_commit_is_taken_back(outside: Memory) -> None:
    """Undo without a name takes back the last verb, in one commit that says which."""
    outside.save("Ada likes tea.", type="user")
    saved = outside.save("The flamingo logo is pink.", type="user")

    undone = outside.undo()

    assert (undone.commits, undone.kept) == ((saved.commit,), ())
    assert not (outside.tree.home / (saved.address or "")).exists()
    assert "flamingo" not in read(outside, "MEMORY.md")
    assert recalled(outside, "flamingo logo") == []
    assert subjects(outside)[0] == f"undo save {saved.address}"
    assert undone.commit == git(outside.tree.home, "rev-parse", "--short=10", "HEAD").strip()
    assert [i.name for i in outside.list(type="user")] == ["ada-likes-tea"]


def test_older_commit_is_taken_back_alone(outside: Memory) -> None:
    """A commit by its name; what came after it stays."""
    first = outside.edit("knowledge/user.md", "", "Name: Ada")
    second = outside.edit("knowledge/tech.md", "", "Python")
    outside.edit("knowledge/user.md", "", "Lives in Bern")

    outside.undo(second.commit)

    assert first.commit
    assert not (outside.tree.home / "knowledge/tech.md").exists()
    assert read(outside, "knowledge/user.md") == "- Name: Ada\n- Lives in Bern\n"


def test_undo_of_an_undo_brings_it_back(outside: Memory) -> None:
    """An undo is a commit like any other, and can itself be taken back."""
    saved = outside.save("Ada likes tea.", type="user")
    before = read(outside, saved.address or "")

    outside.undo()
    outside.undo()

    assert read(outside, saved.address or "") == before
    assert recalled(outside, "ada tea") == [saved.address]
    assert "ada-likes-tea" in read(outside, "MEMORY.md")


def test_edit_is_taken_back_out_of_a_note_that_changed_elsewhere(outside: Memory) -> None:
    """Where both changes can stand, only the undone one goes."""
    body = "".join(f"- item {n}\n" for n in range(9))
    put(outside, "knowledge/list.md", body)
    outside.settle()
    edited = outside.edit("knowledge/list.md", "item 1", "ITEM 1")
    put(outside, "knowledge/list.md", read(outside, "knowledge/list.md").replace("item 8", "by hand"))

    undone = outside.undo(edited.commit)

    assert undone.kept == ()
    assert read(outside, "knowledge/list.md") == body.replace("item 8", "by hand")


def test_edit_of_the_same_line_is_kept(outside: Memory) -> None:
    """Where a person changed the very line, it stays, and the path comes back for decision."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    edited = outside.edit("knowledge/user.md", "Ada", "Eda")
    put(outside, "knowledge/user.md", "- Name: Ida\n")

    undone = outside.undo(edited.commit)

    assert (undone.kept, undone.commit) == (("knowledge/user.md",), None)
    assert read(outside, "knowledge/user.md") == "- Name: Ida\n"


def test_forget_is_taken_back_with_its_tombstone(outside: Memory) -> None:
    """The text is there again and may be saved again; other tombstones stay."""
    first = outside.save("Ada likes tea.", type="user").address or ""
    second = outside.save("Ada likes rum.", type="user").address or ""
    gone = outside.forget(first)
    outside.forget(second)

    outside.undo(gone.commit)

    assert (outside.tree.home / first).exists()
    assert [line[:8] for line in read(outside, "tombstones").splitlines()] == [entry_id("Ada likes rum.")]
    assert outside.save("Ada likes tea.", type="user").outcome == "unchanged"


def test_session_is_undone_but_for_what_a_person_edited(memory: Memory, tmp_path: Path) -> None:
    """A session wrote 20 notes, a person edited 5: 15 are gone, 5 come back for decision (L16)."""
    agent = in_session(memory, "s-1", tmp_path / "work")
    for number in range(15):
        agent.save(f"The flamingo number {number} is pink.", type="user", name=f"f{number}")
    for number in range(15, 20):
        by_tool(
            memory, "s-1", f"f{number}.md", note("user", f"The flamingo {number} is pink.", session="s-1")
        )
    memory.settle()
    in_session(memory, "s-2").save("Ada likes tea.", type="user")
    edited = [f"knowledge/user/f{number}.md" for number in (0, 7, 14, 16, 19)]
    for path in edited:
        put(memory, path, read(memory, path).replace("pink", "green"))
    memory.settle()

    undone = memory.undo(session="s-1")

    assert (len(undone.commits), sorted(undone.kept)) == (16, sorted(edited))
    left = sorted(item.address for item in memory.list(type="user"))
    assert left == sorted([*edited, "knowledge/user/ada-likes-tea.md"])
    index = read(memory, "MEMORY.md")
    assert [path for path in left if path not in index] == []
    assert index.count("](knowledge/user/") == 6
    assert set(recalled(memory, "flamingo pink green")) <= set(edited)
    assert git(memory.tree.home, "status", "--porcelain") == ""


def test_session_that_changed_its_own_note_is_undone_whole(memory: Memory) -> None:
    """Save, edit and forget of one session leave nothing behind; what was there before is there again."""
    memory.edit("knowledge/user.md", "", "Name: Ada")
    agent = in_session(memory, "s-1")
    agent.edit("knowledge/user.md", "", "Lives in Bern")
    agent.edit("knowledge/user.md", "Bern", "Basel")
    saved = agent.save("The logo is pink.", type="user")
    agent.edit(saved.address or "", "pink", "green")
    agent.forget(saved.address or "")

    undone = memory.undo(session="s-1")

    assert undone.kept == ()
    assert read(memory, "knowledge/user.md") == "- Name: Ada\n"
    assert [i.address for i in memory.list(type="user")] == ["knowledge/user.md"]
    assert not (memory.tree.home / "tombstones").exists()


def test_last_change_of_an_entry_is_taken_back(outside: Memory) -> None:
    """`undo --entry` finds the commit that touched the note last."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    outside.edit("knowledge/user.md", "", "Lives in Bern")
    outside.save("Ada likes tea.", type="user")

    outside.undo(entry=f"knowledge/user.md#{entry_id('Lives in Bern')}")

    assert read(outside, "knowledge/user.md") == "- Name: Ada\n"
    assert len(outside.list(type="user")) == 2


def test_first_note_of_a_project_can_be_taken_back(memory: Memory, tmp_path: Path) -> None:
    """Its commit also holds the project's identity, which no verb may write by path."""
    billing = Memory.open(cwd=project(tmp_path / "billing", "git@github.com:acme/billing.git"))
    saved = billing.save("Cents are integers.", type="project")

    undone = billing.undo()

    assert undone.commits == (saved.commit,)
    assert not (memory.tree.home / (saved.address or "")).exists()
    assert "acme-billing" not in read(memory, "MEMORY.md")
    assert git(memory.tree.home, "status", "--porcelain") == ""
    billing.undo()
    assert (memory.tree.home / (saved.address or "")).exists()


def test_import_is_taken_back_as_one(outside: Memory, tmp_path: Path) -> None:
    """One commit of many notes is one undo."""
    lines = tmp_path / "n.jsonl"
    lines.write_text("".join(f'{{"type": "user", "name": "n{n}", "body": "Body {n}."}}\n' for n in range(5)))
    outside.import_file(lines)

    outside.undo()

    assert outside.list(type="user") == []


@pytest.mark.parametrize("given", ["nonsense", "--all", "HEAD~99", ".*"])
def test_unknown_commit_is_not_found(outside: Memory, given: str) -> None:
    """What is no commit is said to be none, and nothing is undone."""
    outside.save("Ada likes tea.", type="user")

    with pytest.raises(NotFound):
        outside.undo(given)
    with pytest.raises(NotFound):
        outside.undo(session=given)
    with pytest.raises(NotFound):
        outside.undo(entry="knowledge/none.md")
    assert len(outside.list(type="user")) == 1


def test_first_commit_stays(outside: Memory) -> None:
    """The tree itself cannot be undone."""
    with pytest.raises(NotFound, match="first commit"):
        outside.undo()


def test_undo_of_what_is_gone_already_changes_nothing(outside: Memory) -> None:
    """Undoing the same commit twice is no second change."""
    saved = outside.save("Ada likes tea.", type="user")
    outside.undo(saved.commit)

    again = outside.undo(saved.commit)

    assert (again.kept, again.commit) == ((), None)
    assert len(subjects(outside)) == 2


def test_unsettled_hand_edit_of_the_note_is_kept(outside: Memory) -> None:
    """A note that a person is just writing in, not yet settled, is not removed."""
    saved = outside.save("Ada likes tea.", type="user")
    put(outside, saved.address or "", read(outside, saved.address or "") + "\nAnd rum.\n")

    undone = outside.undo()

    assert undone.kept == (saved.address,)
    assert read(outside, saved.address or "").endswith("And rum.\n")
