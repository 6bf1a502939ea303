"""Every line has an origin; one command takes back what a session wrote, and honest words stay (D11)."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest

from memory_skill.cli import main
from memory_skill.errors import NotFound
from memory_skill.memory import Memory

from .trees import by_tool, git, in_session, note, put, read, subjects

BAD = "s-poisoned"
NOTE = "knowledge/reference/build.md"


def poison(number: int) -> str:
    return f"Service {number} takes its packages from mirror-{number}.evil.example, as everybody knows."


@pytest.fixture
def poisoned(memory: Memory, tmp_path: Path) -> Memory:
    """50 poisonings by one session, by verb and by its host's tool, among honest notes of others."""
    in_session(memory, "s-honest", tmp_path / "work").save(
        "Deploys run on Friday.", type="user", name="deploys"
    )
    agent = in_session(memory, BAD, tmp_path / "work")
    for number in range(40):
        agent.save(poison(number), type="user", name=f"p{number}")
    for number in range(40, 45):
        by_tool(memory, BAD, f"p{number}.md", note("user", poison(number), name=f"p{number}", session=BAD))
    memory.settle()
    memory.edit("knowledge/user.md", "", "Name: Ada")
    for number in range(45, 50):
        agent.edit("knowledge/user.md", "", poison(number))
    return memory


def by_hand(memory: Memory) -> dict[str, str]:
    """Ten later edits by a person, each with words of its own: beside the poison, and in place of it."""
    honest = {}
    for number in range(10):
        path, words = f"knowledge/user/p{number}.md", f"Ada checked service {number}: it uses the own mirror."
        text = read(memory, path)
        put(memory, path, text.replace(poison(number), words) if number < 5 else f"{text}\n{words}\n")
        honest[path] = words
    memory.settle()
    return honest


def test_all_of_a_sessions_poison_is_found_by_its_origin(poisoned: Memory) -> None:
    """`log --session` names every path; `blame` names the session on every poisoned line and on no other."""
    paths = {path for commit in poisoned.log(limit=0, session=BAD) for path in commit.paths}
    assert {f"knowledge/user/p{number}.md" for number in range(45)} <= paths

    lines = poisoned.blame("knowledge/user.md")

    assert [line.text for line in lines if line.session != BAD] == ["- Name: Ada"]
    assert [poison(n) in line.text for n, line in enumerate(lines[1:], 45)] == [True] * 5


def test_one_command_undoes_a_session_and_keeps_honest_edits(poisoned: Memory) -> None:
    """50 poisonings, 10 edited later: no poison is left, every honest word is, the ten are named."""
    honest = by_hand(poisoned)

    undone = poisoned.undo(session=BAD)

    texts = {item.address: read(poisoned, item.address) for item in poisoned.list()}
    assert [path for path, text in texts.items() if "evil.example" in text] == []
    assert {path: words in texts[path] for path, words in honest.items()} == dict.fromkeys(honest, True)
    assert sorted(undone.kept) == sorted(honest)
    assert {path for path in texts if path.startswith("knowledge/user")} == {
        *honest, "knowledge/user/deploys.md", "knowledge/user.md",
    }  # fmt: skip
    assert read(poisoned, "knowledge/user.md") == "- Name: Ada\n"
    assert "evil.example" not in read(poisoned, "MEMORY.md")
    assert poisoned.recall("packages mirror evil", scope="all").outcome != "hits" or not [
        hit for hit in poisoned.recall("packages mirror evil", scope="all").hits if "evil.example" in hit.text
    ]


def test_undo_of_a_session_can_be_undone(poisoned: Memory) -> None:
    """The undo is one commit; undoing it brings back the very bytes."""
    by_hand(poisoned)
    before = git(poisoned.tree.home, "rev-parse", "HEAD:knowledge").strip()
    count = len(subjects(poisoned))

    poisoned.undo(session=BAD)
    assert len(subjects(poisoned)) == count + 1
    poisoned.undo()

    assert git(poisoned.tree.home, "rev-parse", "HEAD:knowledge").strip() == before


def test_undo_of_a_session_leaves_what_a_person_wrote_over_it(poisoned: Memory) -> None:
    """A file that only the person's words are left in is not touched at all."""
    mine = "- All of this is mine.\n"
    put(poisoned, "knowledge/user/p3.md", mine)
    poisoned.settle()

    poisoned.undo(session=BAD)

    assert read(poisoned, "knowledge/user/p3.md") == mine


def test_moment_is_undone(memory: Memory) -> None:
    """`undo --since` takes back everything from that moment on, whoever wrote it, by one commit."""
    for number, day in enumerate(("2026-11-01", "2026-11-02", "2026-11-03")):
        memory.save(f"Fact number {number} of them.", type="user", name=f"f{number}")
        when = {"GIT_COMMITTER_DATE": f"{day}T12:00:00"}
        git(memory.tree.home, "commit", "--amend", "--no-edit", "-q", **when)

    done = memory.undo(since=datetime(2026, 11, 2))

    assert len(done.commits) == 2
    assert [item.name for item in memory.list(type="user")] == ["f0"]
    assert subjects(memory)[0] == "undo 2 commits since 2026-11-02 00:00"
    assert main(["undo", "--since", "2030-01-01"]) == 3


def test_new_note_names_its_session(memory: Memory) -> None:
    """The header says where a note was learned, so that its origin outlives the git history."""
    address = in_session(memory, "s1").save("Indent with tabs.", type="user").address

    text = read(memory, str(address))

    assert 'host: "claude-code"' in text
    assert 'session: "s1"' in text


# --- blame and show


def test_blame_tells_hand_from_session(memory: Memory) -> None:
    """A line of an editor is by hand, one of a session names it, one of a command in a shell neither."""
    memory.edit("knowledge/user.md", "", "Name: Ada")
    in_session(memory, "s1").edit("knowledge/user.md", "", "Editor: vim")
    put(memory, "knowledge/user.md", read(memory, "knowledge/user.md") + "- Tea: green\n")
    memory.settle()

    found = [(line.number, line.host, line.session, line.text) for line in memory.blame("knowledge/user.md")]

    assert found == [
        (1, "", "", "- Name: Ada"),
        (2, "claude-code", "s1", "- Editor: vim"),
        (3, "by hand", "", "- Tea: green"),
    ]


def test_blame_of_nothing_is_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.blame("knowledge/nothing.md")


def test_show_tells_who_why_and_what(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """A commit is shown with its trailers and its difference word by word; without colour in marks."""
    memory.save("The build needs Node 20.", type="reference", name="build", scope="global")
    in_session(memory, "s1").edit(NOTE, "Node 20", "Node 22")

    assert main(["show", "HEAD"]) == 0
    text = capsys.readouterr().out
    assert f"edit {NOTE}" in text
    assert "session: s1" in text
    assert "Node [-20-]{+22+}" in text

    assert main(["show", "HEAD", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [(c["path"], c["kind"]) for c in shown["changes"]][-1] == (NOTE, "changed")


def test_first_commit_is_shown_as_all_new(memory: Memory) -> None:
    first = git(memory.tree.home, "rev-list", "--max-parents=0", "HEAD").strip()
    assert {change.kind for change in memory.show(first).changes} == {"new"}


# --- feedback


def test_feedback_moves_confidence_by_one_level(memory: Memory) -> None:
    """Useful raises up to high, wrong lowers; the note's other bytes stay, and each is one commit."""
    memory.save("The build needs Node 20.", type="reference", name="build", scope="global")

    assert memory.feedback("useful", NOTE).confidence == "high"
    assert memory.feedback("useful", NOTE).outcome == "unchanged"
    assert [memory.feedback("wrong", NOTE).confidence for _ in range(2)] == ["medium", "low"]

    assert read(memory, NOTE).endswith("---\nThe build needs Node 20.\n")
    assert subjects(memory)[0] == f"feedback {NOTE}"


def test_wrong_below_low_waits_in_the_inbox(memory: Memory) -> None:
    """A second `wrong` takes the note out of memory and index, whole, until a person decides."""
    memory.save("The build needs Node 20.", type="reference", name="build", scope="global")
    memory.feedback("wrong", NOTE)

    judged = memory.feedback("wrong", NOTE)

    assert judged.outcome == "held"
    assert not (memory.tree.home / NOTE).exists()
    assert "build" not in read(memory, "MEMORY.md")
    (item,) = memory.inbox()
    assert (item.reason, item.to, item.path) == ("said to be wrong", NOTE, judged.inbox)
    assert memory.accept(item.id).address == NOTE


def test_wrong_item_of_a_list_waits_alone(memory: Memory) -> None:
    """An item holds no confidence: `wrong` moves that item only; the rest of the list stays as it is."""
    put(memory, "knowledge/user.md", "- Name: Ada\n- Editor: vim\n")
    memory.settle()
    (address,) = [hit.address for hit in memory.recall("editor vim").hits if "vim" in hit.text]

    judged = memory.feedback("wrong", address)

    assert judged.outcome == "held"
    assert read(memory, "knowledge/user.md") == "- Name: Ada\n"
    assert memory.inbox()[0].text == "Editor: vim\n"


def test_feedback_is_answered_in_words_and_json(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    memory.save("The build needs Node 20.", type="reference", name="build", scope="global")

    assert main(["feedback", "wrong", NOTE]) == 0
    assert f"Confidence of {NOTE} is low now" in capsys.readouterr().out
    assert main(["feedback", "wrong", NOTE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "held"
    assert main(["feedback", "wrong", NOTE]) == 3
