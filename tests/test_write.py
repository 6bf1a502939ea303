"""The one write path: what is acknowledged stands on disk, whatever git or another process does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from memory_skill import saving
from memory_skill import tree as tree_module
from memory_skill.errors import Conflict, Locked, MemorySkillError, NotFound
from memory_skill.history import Origin
from memory_skill.memory import Memory
from memory_skill.write import Written, group_of, message

from .trees import KEY, git, in_history, put, read, subjects


@pytest.fixture
def outside(memory: Memory, home: Path) -> Memory:
    return Memory.open(cwd=home)


def recalled(memory: Memory, query: str) -> list[str]:
    return [hit.address for hit in memory.recall(query, scope="all").hits]


def dirty(memory: Memory) -> str:
    return git(memory.tree.home, "status", "--porcelain")


# --- git in the way


def conflicted(memory: Memory) -> None:
    """Leave the tree's repository in the middle of a merge, with a conflict in `knowledge/c.md`."""
    home = memory.tree.home
    for branch, text in (("main", "ours\n"), ("other", "theirs\n")):
        git(home, "checkout", "-q", *([] if branch == "main" else ["-b", branch, "HEAD^"]))
        put(memory, "knowledge/c.md", text)
        git(home, "add", "knowledge/c.md")
        git(home, "commit", "-qm", branch)
    git(home, "checkout", "-q", "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(home, "merge", "-q", "other")


def test_save_in_a_half_done_merge_is_kept_and_committed_later(outside: Memory) -> None:
    """The text is saved, indexed, recalled; the reply says that the commit waits, settle makes it (G52)."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    conflicted(outside)

    saved = outside.save("The flamingo is pink.", type="user")

    assert (saved.outcome, saved.commit) == ("saved", None)
    assert "merge" in (saved.hint or "")
    assert "settle" in (saved.hint or "")
    assert recalled(outside, "flamingo") == [saved.address]
    assert saved.address in read(outside, "MEMORY.md")
    assert "UU knowledge/c.md" in dirty(outside) or "AA knowledge/c.md" in dirty(outside)

    git(outside.tree.home, "merge", "--abort")
    settled = outside.settle()

    assert settled.warning is None
    assert git(outside.tree.home, "ls-files", saved.address).strip() == saved.address
    assert dirty(outside) == ""


def test_conflict_markers_are_no_second_truth(outside: Memory) -> None:
    """A settle in a half-done merge changes no file of it, and says why nothing is committed."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    conflicted(outside)
    before = read(outside, "knowledge/c.md")

    settled = outside.settle()

    assert read(outside, "knowledge/c.md") == before
    assert "merge" in (settled.warning or "")
    assert settled.commits == ()


def test_verbs_without_git_save_the_text(memory: Memory, home: Path, tmp_path: Path) -> None:
    """On a machine whose git is gone every verb writes and says that the commit waits (L05)."""
    code = (
        "from pathlib import Path; from memory_skill.memory import Memory\n"
        "memory = Memory.open(cwd=Path.home())\n"
        "saved = memory.save('The flamingo is pink.', type='user')\n"
        "edited = memory.edit('knowledge/user.md', '', 'Name: Ada')\n"
        "gone = memory.forget(memory.save('Forget me.', type='user').address)\n"
        "settled = memory.settle()\n"
        "memory.status()\n"
        "print(saved.outcome, saved.commit, '|', saved.hint)\n"
        "print(edited.outcome, edited.commit, '|', edited.hint)\n"
        "print(gone.outcome, gone.commit, '|', settled.warning)\n"
    )
    environment = {"PATH": os.fspath(tmp_path), "HOME": os.fspath(home)}

    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    lines = ran.stdout.splitlines()
    assert [line.split(" |")[0] for line in lines] == ["saved None", "created None", "forgotten None"], (
        ran.stderr
    )
    assert all("not committed (git" in line for line in lines)
    outside = Memory.open(cwd=home)
    assert recalled(outside, "flamingo") == ["knowledge/user/the-flamingo-is-pink.md"]
    outside.settle()
    assert dirty(outside) == ""
    assert git(outside.tree.home, "ls-files", "knowledge").split() == [
        "knowledge/user.md",
        "knowledge/user/the-flamingo-is-pink.md",
    ]


def test_hostile_settings_of_the_user_do_not_stop_a_save(outside: Memory, home: Path, tmp_path: Path) -> None:
    """Signing without a key, hooks that refuse, no name: the save is committed (G49-G51)."""
    hook = tmp_path / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (home / ".gitconfig").write_text(
        f"[commit]\n\tgpgSign = true\n[core]\n\thooksPath = {hook.parent}\n[user]\n\tuseConfigOnly = true\n"
    )

    saved = outside.save("The flamingo is pink.", type="user")

    assert saved.commit
    assert dirty(outside) == ""


def test_environment_of_a_git_hook_is_ignored(
    outside: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verb that runs inside the user's own `git commit` changes the memory's repository only."""
    other = tmp_path / "code"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", os.fspath(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", os.fspath(other / ".git" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", os.fspath(other))

    saved = outside.save("The flamingo is pink.", type="user")

    monkeypatch.undo()
    monkeypatch.setenv("HOME", os.fspath(outside.tree.home.parent))
    assert saved.commit
    assert subjects(outside) == [f"save {saved.address}"]
    assert git(other, "ls-files") == ""


def test_foreign_changes_are_not_swept_into_a_verb(outside: Memory) -> None:
    """One commit of exactly the verb's paths; what a person has staged or edited stays as it is."""
    put(outside, "knowledge/by-hand.md", "mine\n")
    put(outside, "AGENTS.md", "# Agent\n\nmine\n")
    git(outside.tree.home, "add", "AGENTS.md")

    saved = outside.save("The flamingo is pink.", type="user")

    paths = git(outside.tree.home, "show", "--name-only", "--format=", "HEAD").split()
    assert paths == ["MEMORY.md", saved.address]
    assert dirty(outside).splitlines() == ["M  AGENTS.md", "?? knowledge/by-hand.md"]


# --- the search index in the way


@pytest.mark.parametrize("damage", ["missing", "garbage", "empty", "folder"])
def test_damaged_search_index_is_built_anew(outside: Memory, damage: str) -> None:
    """The derived index never stops a save; the next recall is whole, and settle still sees hand edits."""
    outside.save("The pelican is grey.", type="user")
    put(outside, "knowledge/by-hand.md", "The heron is blue.\n")
    path = outside.tree.state / "search.sqlite"
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "missing":
        path.write_bytes(b"" if damage == "empty" else b"no database at all" * 100)
    again = Memory.open(cwd=outside.cwd)

    saved = again.save("The flamingo is pink.", type="user")

    assert saved.outcome == "saved"
    for bird in ("pelican", "flamingo", "heron"):
        assert len(recalled(again, bird)) == 1
    again.settle()
    assert dirty(again) == ""


@pytest.mark.parametrize("name", ["settled.json", "index/root.json"])
@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"notes": {"knowledge/user.md": [1]}}', '{"notes": 5, "last": 5}']
)
def test_torn_derived_files_are_rebuilt(outside: Memory, name: str, text: str) -> None:
    """What stands in .state can be lost or torn at any time; the files say all."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    put(outside, f".state/{name}", text)

    outside.save("The flamingo is pink.", type="user")
    outside.settle()

    index = read(outside, "MEMORY.md")
    assert "knowledge/user.md" in index
    assert "the-flamingo-is-pink" in index
    assert dirty(outside) == ""


def test_all_derived_files_can_be_deleted(outside: Memory) -> None:
    """Without .state the next verb has the same index and the same recall (G59)."""
    import shutil

    outside.save("The flamingo is pink.", type="user")
    index = read(outside, "MEMORY.md")
    shutil.rmtree(outside.tree.state)
    again = Memory.open(cwd=outside.cwd)

    assert recalled(again, "flamingo") == ["knowledge/user/the-flamingo-is-pink.md"]
    again.settle()
    assert read(again, "MEMORY.md") == index
    assert not again.status().unsettled


# --- others in the way


def test_busy_tree_is_told_after_its_time(outside: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process holds the tree: the verb waits, then says so, and has written nothing; exit code 6."""
    real = outside.tree.lock
    monkeypatch.setattr(outside.tree, "lock", lambda timeout=0.05: real(0.05))

    with (
        tree_module.flock(outside.tree.state / "lock"),
        pytest.raises(Locked) as caught,
    ):
        outside.save("The flamingo is pink.", type="user")

    assert caught.value.exit == 6
    assert outside.list(type="user") == []


@pytest.mark.parametrize("verb", ["edit", "forget", "undo"])
def test_note_that_changes_under_a_verb_is_a_conflict(
    outside: Memory, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """An editor that saves between our reading and our writing keeps its text (G02)."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    path = outside.tree.home / "knowledge/user.md"
    real = outside.writer.change

    def late(*args: Any, **named: Any) -> Written:
        path.write_text("- Name: Eva\n")
        return real(*args, **named)

    monkeypatch.setattr(outside.writer, "change", late)
    with pytest.raises(Conflict) as caught:
        {
            "edit": lambda: outside.edit("knowledge/user.md", "Ada", "Bob"),
            "forget": lambda: outside.forget("knowledge/user.md"),
            "undo": outside.undo,
        }[verb]()

    assert caught.value.exit == 6
    assert path.read_text() == "- Name: Eva\n"


def test_file_that_appears_under_a_save_is_kept(outside: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the same name that an editor makes while we save is not replaced (G03)."""
    path = outside.tree.home / "knowledge/user/the-flamingo-is-pink.md"
    real = saving.unused

    def slow(stem: str, taken: Iterable[str]) -> str:
        found = real(stem, taken)
        put(outside, f"knowledge/user/{found}.md", "by hand\n")
        return found

    monkeypatch.setattr(saving, "unused", slow)
    with pytest.raises(Conflict):
        outside.save("The flamingo is pink.", type="user")

    assert path.read_text() == "by hand\n"
    monkeypatch.undo()
    monkeypatch.setenv("HOME", os.fspath(outside.tree.home.parent))
    saved = outside.save("The flamingo is pink.", type="user")
    assert saved.address == "knowledge/user/the-flamingo-is-pink-2.md"


def test_parallel_saves_lose_nothing(outside: Memory) -> None:
    """Four processes save at once: every text has its file, its index line and its commit (G01)."""
    code = (
        "import sys; from pathlib import Path; from memory_skill.memory import Memory\n"
        "memory = Memory.open(cwd=Path.home())\n"
        "for n in range(3): assert memory.save(f'Token {sys.argv[1]}-{n}.', type='user').commit"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, f"p{p}"]) for p in range(4)]

    assert [process.wait() for process in running] == [0] * 4

    wanted = {f"knowledge/user/token-p{p}-{n}.md" for p in range(4) for n in range(3)}
    assert {item.address for item in outside.list(type="user")} == wanted
    index = read(outside, "MEMORY.md")
    assert [path for path in wanted if path not in index] == []
    assert len(subjects(outside)) == 12
    assert dirty(outside) == ""


def test_threads_share_one_memory(outside: Memory) -> None:
    """The server's threads save through one object, and each finds its project's environment whole."""
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            Memory.open(cwd=outside.cwd).save(f"Thread {number} was here.", type="user")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert errors == []
    assert len(outside.list(type="user")) == 4


# --- links


@pytest.mark.parametrize("name", ["MEMORY.md", "knowledge", "tombstones", "AGENTS.md"])
def test_link_in_the_tree_lets_nothing_out(outside: Memory, tmp_path: Path, name: str) -> None:
    """A file or folder of the tree became a link: nothing outside changes, and it is said (G68)."""
    saved = outside.save("The flamingo is pink.", type="user")
    target = tmp_path / "target"
    if name == "knowledge":
        (outside.tree.home / name).rename(target)
    else:
        target.write_text("private\n")
        (outside.tree.home / name).unlink(missing_ok=True)
    (outside.tree.home / name).symlink_to(target)
    before = sorted((p, p.read_bytes()) for p in [target, *target.rglob("*")] if p.is_file())
    said = []

    for verb in (
        lambda: outside.save("The pelican is grey.", type="user").hint,
        lambda: outside.edit("knowledge/birds.md", "", "The heron is blue.").hint,
        lambda: outside.edit("AGENTS.md", "", "More.").hint,
        lambda: outside.forget(saved.address or "").hint,
        lambda: str(outside.settle()),
    ):
        try:
            said.append(verb())
        except MemorySkillError as error:
            said.append(str(error))

    assert sorted((p, p.read_bytes()) for p in [target, *target.rglob("*")] if p.is_file()) == before
    assert any("link" in (line or "") for line in said)
    assert not in_history(outside, "private\n")


# --- small parts


def test_message_is_masked_and_one_line() -> None:
    """The subject is one line without a secret; trailers that say nothing are left out."""
    said = message("edit", f"knowledge/{KEY}\nx.md", f"was: {KEY}", Origin("kimi-code", "s"), "hand")

    assert said.subject == "edit knowledge/[secret: anthropic] x.md"
    assert said.body == "was: [secret: anthropic]"
    assert dict(said.trailers) == {
        "Memory-Verb": "edit",
        "Memory-Host": "kimi-code",
        "Memory-Session": "s",
        "Memory-Source": "hand",
    }


@pytest.mark.parametrize(
    ("path", "group"),
    [
        ("knowledge/user/x.md", ""),
        ("AGENTS.md", ""),
        ("knowledge/projects/acme/x.md", "knowledge/projects/acme"),
        ("knowledge/projects/acme.md", "knowledge/projects/acme"),
        ("knowledge/agents/tester/x.md", "knowledge/agents/tester"),
        ("skills/x/SKILL.md", ""),
    ],
)
def test_group_is_the_folder_whose_index_shows_the_note(path: str, group: str) -> None:
    """Global notes stand in the root index, the others in that of their scope."""
    assert group_of(path) == group


def test_unchanged_notes_are_not_read_again(outside: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of a large folder is made from what is known; only the new note is parsed."""
    for number in range(3):
        outside.save(f"The note {number}.", type="user")
    seen: list[str] = []
    real = outside.writer.note
    monkeypatch.setattr(outside.writer, "note", lambda path: seen.append(path) or real(path))

    outside.save("The note 3.", type="user")

    assert set(seen) == {"knowledge/user/the-note-3.md"}


def test_reindex_mends_a_lost_index(outside: Memory) -> None:
    """`index` writes every index anew where its bytes differ, in one commit, and then none."""
    outside.save("The flamingo is pink.", type="user")
    (outside.tree.home / "MEMORY.md").unlink()

    assert outside.reindex() == ["MEMORY.md"]
    assert subjects(outside)[0] == "index MEMORY.md" or dirty(outside) == ""
    assert outside.reindex() == []


def test_missing_repository_is_said_and_nothing_is_lost(outside: Memory) -> None:
    """Somebody removed .git: texts are saved, the reply says that nothing is committed."""
    import shutil

    shutil.rmtree(outside.tree.home / ".git")

    saved = outside.save("The flamingo is pink.", type="user")

    assert (saved.outcome, saved.commit) == ("saved", None)
    assert "no git repository" in (saved.hint or "")
    with pytest.raises(NotFound):
        outside.undo()
    assert json.dumps(outside.status().unreviewed) == "0"
