"""Commits that are due: kept through a kill or a fault of git, made later in the name of who asked."""

from __future__ import annotations

import os
import shutil

from memory_skill.memory import Memory

from .trees import git, last_message, put, subjects


def without_git(memory: Memory) -> None:
    """Make git refuse every commit of the tree."""
    shutil.move(memory.tree.home / ".git" / "HEAD", memory.tree.home / "HEAD.away")


def with_git(memory: Memory) -> None:
    shutil.move(memory.tree.home / "HEAD.away", memory.tree.home / ".git" / "HEAD")


def session(memory: Memory, name: str) -> Memory:
    env = dict(os.environ) | {"CLAUDE_CODE_SESSION_ID": name}
    return Memory.open(memory.tree.home, env=env, cwd=memory.cwd)


def test_commit_that_git_refused_is_made_by_the_next_verb(memory: Memory) -> None:
    """The text is saved at once and says that its commit is due; it comes with its own trailers (G50)."""
    without_git(memory)
    saved = session(memory, "s1").save("Ada indents with tabs", type="user")
    assert (saved.outcome, saved.commit) == ("saved", None)
    assert "not committed" in (saved.hint or "")
    assert memory.tree.read(saved.address or "")
    with_git(memory)

    memory.save("Bob likes blanks", type="user")

    assert subjects(memory)[:2] == [
        "save knowledge/user/bob-likes-blanks.md",
        "save knowledge/user/ada-indents-with-tabs.md",
    ]
    assert "Memory-Session: s1" in git(memory.tree.home, "log", "-1", "--skip=1", "--format=%B")


def test_settle_makes_due_commits_before_it_looks_for_edits(memory: Memory) -> None:
    """What a verb wrote is not said to be edited by hand because its commit came late."""
    without_git(memory)
    session(memory, "s1").save("Ada indents with tabs", type="user")
    with_git(memory)

    settled = memory.settle()

    assert len(settled.commits) == 2  # the save, then the index file that shows it
    assert "save knowledge/user/ada-indents-with-tabs.md" in subjects(memory)[:2]
    assert memory.status().unsettled is False


def test_file_that_a_hand_changed_meanwhile_is_left_to_settle(memory: Memory) -> None:
    """A due commit takes only the bytes that its verb wrote: what came since must pass the gate first."""
    without_git(memory)
    saved = session(memory, "s1").save("Ada indents with tabs", type="user")
    put(memory, saved.address or "", "Ada indents with blanks now\n")
    with_git(memory)

    memory.settle()

    assert "Memory-Source: hand" in last_message(memory)
    assert not any(line.startswith("save") for line in subjects(memory))


def test_damaged_note_of_a_commit_loses_only_its_name(memory: Memory) -> None:
    """What lies in `.state/pending` may be cut, foreign or gone; the text is committed all the same."""
    without_git(memory)
    saved = session(memory, "s1").save("Ada indents with tabs", type="user")
    with_git(memory)
    folder = memory.tree.state / "pending"
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:20])
    (folder / "0.json").write_text('{"subject": 1, "body": [], "trailers": {}, "paths": {"../x": "absent"}}')
    (folder / ".1.2.tmp").write_text("litter")

    memory.settle()

    assert git(memory.tree.home, "show", f"HEAD:{saved.address}")
    assert list(folder.iterdir()) == []


def test_paths_of_a_commit_stay_inside(memory: Memory) -> None:
    """A forged note of a commit reads and commits nothing outside the notes."""
    folder = memory.tree.state / "pending"
    folder.mkdir()
    paths = '{"../x": "absent", ".git/config": "absent", "/etc/passwd": "absent"}'
    (folder / "0.json").write_text('{"subject": "s", "body": "", "trailers": {}, "paths": ' + paths + "}")

    memory.save("Ada indents with tabs", type="user")

    assert len(subjects(memory)) == 1
    assert list(folder.iterdir()) == []
