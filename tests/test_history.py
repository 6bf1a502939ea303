"""The tree's git: exactly the paths asked for, whatever the user's own git is set to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_skill import history as module
from memory_skill.errors import GitTrouble, NotFound
from memory_skill.history import REVIEWED, History

from .trees import git


@pytest.fixture
def history(tmp_path: Path) -> History:
    """A repository with one commit of `a.md`."""
    history = History(tmp_path / "memory")
    history.home.mkdir()
    history.init()
    write(history, "a.md", "one\n")
    history.commit(["a.md"], "first")
    return history


def write(history: History, rel: str, text: str) -> None:
    (history.home / rel).parent.mkdir(parents=True, exist_ok=True)
    (history.home / rel).write_text(text)


def committed(history: History) -> list[str]:
    """The paths of the newest commit."""
    return git(history.home, "show", "--name-only", "--format=", "-z", "HEAD").split("\0")[:-1]


def test_only_the_named_paths_are_committed(history: History) -> None:
    """What somebody staged or changed beside them is neither committed nor unstaged."""
    write(history, "a.md", "two\n")
    write(history, "mine.md", "staged by hand\n")
    git(history.home, "add", "mine.md")
    write(history, "other.md", "not staged\n")

    made = history.commit(["a.md"], "save a.md")

    assert made == git(history.home, "rev-parse", "--short=10", "HEAD").strip()
    assert committed(history) == ["a.md"]
    assert git(history.home, "status", "--porcelain").splitlines() == ["A  mine.md", "?? other.md"]


def test_message_has_subject_body_and_trailers(history: History) -> None:
    """People read the subject and the body, machines the trailers; `#` lines stay."""
    write(history, "a.md", "two\n")
    history.commit(
        ["a.md"], "save a.md", "# told\n\nScope: global.", {"Memory-Verb": "save", "Memory-Host": ""}
    )

    [commit, _] = history.log()

    assert git(history.home, "log", "-1", "--format=%B").strip() == (
        "save a.md\n\n# told\n\nScope: global.\n\nMemory-Verb: save"
    )
    assert (commit.subject, commit.body) == ("save a.md", "# told\n\nScope: global.")
    assert (commit.trailers, commit.paths) == ({"Memory-Verb": "save"}, ("a.md",))
    assert git(history.home, "log", "-1", "--format=%(trailers:key=Memory-Verb,valueonly)").strip() == "save"


def test_nothing_changed_is_no_commit(history: History) -> None:
    """Committing what is committed already, or nothing, makes no empty commit."""
    assert history.commit(["a.md"], "again") is None
    assert history.commit([], "nothing") is None
    assert history.commit(["never-there.md"], "nothing") is None
    assert len(history.log()) == 1


def test_removed_and_unknown_paths_do_not_hinder(history: History) -> None:
    """A deleted file is committed as such, also beside a path that never was in git."""
    (history.home / "a.md").unlink()
    write(history, "b.md", "b\n")

    assert history.commit(["a.md", "gone-again.md", "b.md"], "move")

    assert git(history.home, "ls-files").split() == ["b.md"]


@pytest.mark.parametrize(
    "name",
    ["[draft].md", "-rf.md", "*.md", "ünï 漢字.md", 'quo"te.md', "a b\tc.md", ":(top)x.md", "line\nend.md"],
)
def test_odd_names_are_names(history: History, name: str) -> None:
    """A file name is never an option or a pattern, and comes back as it is (L08)."""
    write(history, name, "x\n")
    write(history, "other.md", "x\n")

    assert sorted(history.dirty()) == sorted([name, "other.md"])
    history.commit([name], "odd")

    assert committed(history) == [name]
    assert history.content("HEAD", name) == b"x\n"


def test_environment_of_a_git_hook_is_ignored(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside the user's own `git commit` nothing lands in that repository; the variables come back."""
    write(history, "a.md", "two\n")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, os.fspath(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Mallory")

    assert history.commit(["a.md"], "save")

    assert not (tmp_path / "elsewhere").exists()
    assert os.environ["GIT_DIR"] == os.fspath(tmp_path / "elsewhere")
    assert history.log(limit=1)[0].paths == ("a.md",)
    monkeypatch.undo()
    assert git(history.home, "log", "-1", "--format=%an").strip() != "Mallory"


def test_nameless_user_gets_a_name_of_ours(history: History, home: Path) -> None:
    """Without `user.name` the commit is made in our name, also when git may not guess (L05)."""
    (home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    write(history, "a.md", "two\n")

    assert history.commit(["a.md"], "save")

    assert (
        git(history.home, "log", "-1", "--format=%an <%ae>").strip()
        == "memory-skill <memory-skill@localhost>"
    )


def test_users_name_is_used(history: History, home: Path) -> None:
    """Who has told git a name is the author."""
    (home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
    write(history, "a.md", "two\n")

    history.commit(["a.md"], "save")

    assert git(history.home, "log", "-1", "--format=%an").strip() == "Ada"


def test_signing_and_hooks_of_the_user_do_not_run(history: History, home: Path, tmp_path: Path) -> None:
    """Signing without a key, refusing hooks, templates and an fsmonitor that runs code are off (G49-G51)."""
    proof = tmp_path / "ran"
    script = tmp_path / "hooks" / "pre-commit"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\ntouch {proof}\nexit 1\n")
    script.chmod(0o755)
    for name in ("commit-msg", "post-commit", "reference-transaction"):
        (script.parent / name).symlink_to(script)
    (history.home / ".git" / "hooks").mkdir()
    (history.home / ".git" / "hooks" / "pre-commit").symlink_to(script)
    (home / ".gitconfig").write_text(
        f"[commit]\n\tgpgSign = true\n\ttemplate = /nowhere\n[gpg]\n\tprogram = {script}\n"
        f"[core]\n\thooksPath = {script.parent}\n\tfsmonitor = {script}\n\teditor = {script}\n"
        f"[user]\n\tsigningKey = none\n[init]\n\ttemplateDir = {script.parent}\n"
    )
    write(history, "a.md", "two\n")

    assert history.commit(["a.md"], "save")
    history.dirty()
    fresh = History(tmp_path / "fresh")
    fresh.home.mkdir()
    fresh.init()

    assert not proof.exists()
    assert not (fresh.home / ".git" / "pre-commit").exists()


def test_line_ends_are_committed_as_they_are(history: History, home: Path) -> None:
    """Whatever `core.autocrlf` the user has, the bytes in git are the bytes on disk."""
    (home / ".gitconfig").write_text("[core]\n\tautocrlf = true\n\tsafecrlf = true\n")
    (history.home / "b.md").write_bytes(b"a\r\nb\n")

    history.commit(["b.md"], "save")

    assert history.content("HEAD", "b.md") == b"a\r\nb\n"


def half_merged(history: History) -> None:
    """Leave the repository in the middle of a merge with a conflict in `c.md`."""
    write(history, "c.md", "base\n")
    history.commit(["c.md"], "base")
    git(history.home, "checkout", "-q", "-b", "other")
    write(history, "c.md", "theirs\n")
    git(history.home, "commit", "-qam", "theirs")
    git(history.home, "checkout", "-q", "main")
    write(history, "c.md", "ours\n")
    git(history.home, "commit", "-qam", "ours")
    with pytest.raises(subprocess.CalledProcessError):
        git(history.home, "merge", "other")


def test_nothing_is_committed_or_staged_inside_a_merge(history: History) -> None:
    """A half-done merge is the person's: the conflict stays one, and the trouble says what goes on (G52)."""
    half_merged(history)
    write(history, "a.md", "two\n")
    before = git(history.home, "status", "--porcelain=v2")

    with pytest.raises(GitTrouble, match="merge") as caught:
        history.commit(["a.md", "c.md"], "save")

    assert caught.value.exit == 7
    assert git(history.home, "status", "--porcelain=v2") == before


def test_nothing_is_committed_inside_a_rebase(history: History) -> None:
    """The same in a rebase that waits; a leftover REBASE_HEAD alone is none (G53)."""
    (history.home / ".git" / "REBASE_HEAD").write_text("0" * 40 + "\n")
    write(history, "a.md", "two\n")
    assert history.commit(["a.md"], "save")

    write(history, "a.md", "three\n")
    (history.home / ".git" / "rebase-merge").mkdir()
    with pytest.raises(GitTrouble, match="rebase"):
        history.commit(["a.md"], "save")


def test_foreign_lock_is_trouble_and_stays(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that another git holds is not stolen: the commit is said to be pending (G45)."""
    write(history, "a.md", "two\n")
    lock = history.home / ".git" / "index.lock"

    with lock.open("w") as file, subprocess.Popen(["sleep", "60"], stdout=file) as holder:
        with monkeypatch.context() as patch, pytest.raises(GitTrouble, match=r"index\.lock"):
            patch.setattr(module, "LOCK_PATIENCE", 0.2)
            history.commit(["a.md"], "save")
        assert lock.exists()
        holder.kill()
    assert history.commit(["a.md"], "save")
    assert not lock.exists()


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_lock_of_a_dead_git_is_taken_away(history: History, lock: str) -> None:
    """A lock that no live process can own stops nobody: the commit is made, without a person (G45, G12)."""
    write(history, "a.md", "two\n")
    (history.home / ".git" / lock).touch()

    assert history.commit(["a.md"], "save")

    assert not (history.home / ".git" / lock).exists()


def test_detached_head_is_not_committed_to(history: History) -> None:
    """A commit on no branch would go with the next switch, and the file with it: it waits (L03)."""
    git(history.home, "checkout", "-q", "--detach")
    write(history, "a.md", "two\n")

    with pytest.raises(GitTrouble, match="no branch"):
        history.commit(["a.md"], "save")

    git(history.home, "switch", "-q", "main")
    assert history.commit(["a.md"], "save")


def test_git_that_hangs_is_ended(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that never returns costs the time limit, not the save; the next commit is made (G51)."""
    write(history, "a.md", "two\n")
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setattr(module, "TIME_LIMIT", 0.1)

    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
        with pytest.raises(GitTrouble, match="did not complete"):
            history.commit(["a.md"], "save")

    monkeypatch.undo()
    assert history.commit(["a.md"], "save")


@pytest.mark.parametrize("name", ["HEAD", "config", "index"])
def test_damage_inside_git_is_trouble_and_no_bug(history: History, name: str) -> None:
    """Whatever is wrong in `.git`, a caller gets the one error that it knows to be repairable."""
    (history.home / ".git" / name).write_bytes(b"\x00\xff[broken")
    write(history, "a.md", "two\n")

    with pytest.raises(GitTrouble):
        history.commit(["a.md"], "save")


def test_half_made_repository_is_completed(tmp_path: Path) -> None:
    """A `git init` that was killed leaves a folder that is no repository; the next one makes it one."""
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    history = History(tmp_path)

    assert not history.exists()
    assert history.init()
    assert history.exists()


def test_missing_git_is_trouble_with_a_hint(history: History, tmp_path: Path) -> None:
    """On a machine without git every call says so, in a process that has never seen it."""
    code = (
        "from pathlib import Path; from memory_skill.history import History\n"
        "from memory_skill.errors import GitTrouble\n"
        f"try: History(Path({os.fspath(history.home)!r})).commit(['a.md'], 's')\n"
        "except GitTrouble as error: print(error.what, '|', error.hint)"
    )

    said = subprocess.run(
        [sys.executable, "-c", code], env={"PATH": os.fspath(tmp_path)}, capture_output=True, text=True
    )

    assert said.stdout.startswith("git is not installed | install git"), said.stderr


def test_folder_without_a_repository_is_not_found(tmp_path: Path) -> None:
    """A folder inside somebody else's repository is not taken for ours."""
    git(tmp_path, "init", "-q")
    (tmp_path / "memory").mkdir()

    with pytest.raises(NotFound, match="no git repository"):
        History(tmp_path / "memory").commit(["a.md"], "save")


def test_log_finds_by_path_session_and_verb(history: History) -> None:
    """The trailers and the paths are the audit tool."""
    for number, session in enumerate(["s1", "s2", "s1"]):
        write(history, f"n{number}.md", "x\n")
        history.commit(
            [f"n{number}.md"], f"save n{number}.md", "", {"Memory-Verb": "save", "Memory-Session": session}
        )

    assert [c.subject for c in history.log(session="s1")] == ["save n2.md", "save n0.md"]
    assert [c.subject for c in history.log(path="n1.md")] == ["save n1.md"]
    assert len(history.log(verb="save", limit=2)) == 2
    assert history.log(verb="edit") == []
    assert [history.log(path=path) for path in ("../x.md", "/etc/passwd", "none.md")] == [[], [], []]


@pytest.mark.parametrize("given", [".*", "s.", "S1", "1", "s1\\|s2", "s1$"])
def test_session_is_a_name_and_no_pattern(history: History, given: str) -> None:
    """Asking for one session never finds another's commits: undo stands on this."""
    write(history, "n.md", "x\n")
    history.commit(["n.md"], "save n.md", "", {"Memory-Session": "s1"})

    assert history.log(session=given) == []


def test_trailer_in_a_body_is_no_trailer(history: History) -> None:
    """A remembered text that looks like a trailer does not put a commit into another session."""
    write(history, "n.md", "x\n")
    history.commit(["n.md"], "save n.md", "told\n\nMemory-Session: s9", {"Memory-Session": "s1"})

    assert history.log(session="s9") == []
    assert history.log(session="s1")[0].body == "told\n\nMemory-Session: s9"


def test_control_characters_in_a_message_do_not_break_the_log(history: History) -> None:
    """Whatever a message holds, the log reads it back as one commit."""
    write(history, "n.md", "x\n")

    assert history.commit(["n.md"], "save\x1e\x1f n", "a\x00b\x1ec\x1fd", {"Memory-Session": "s\n\x1e1"})

    [commit, _] = history.log()
    assert (commit.subject, commit.body, commit.trailers) == ("save n", "abcd", {"Memory-Session": "s 1"})


def test_show_knows_no_options(history: History) -> None:
    """A revision that is an option, a path or nothing is not found."""
    for given in ("--all", "-p", "HEAD:a.md", "nonsense", "HEAD~99", "", "a b"):
        with pytest.raises(NotFound):
            history.show(given)
    assert history.show("HEAD").subject == "first"


def test_content_of_an_old_version(history: History) -> None:
    """The bytes as they were, None where there was no file."""
    (history.home / "a.md").write_bytes(b"two\n\n\xff\n")
    history.commit(["a.md"], "second")

    assert history.content("HEAD", "a.md") == b"two\n\n\xff\n"
    assert history.content("HEAD^", "a.md") == b"one\n"
    assert history.content("HEAD", "b.md") is None
    assert history.content("HEAD~5", "a.md") is None


def test_merge_keeps_both_changes_or_says_no(history: History) -> None:
    """Changes of different lines stand together; of the same line neither wins."""
    base, ours, theirs = b"1\n2\n3\n4\n5\n", b"one\n2\n3\n4\n5\n", b"1\n2\n3\n4\nfive\n"

    assert history.merge(base, ours, theirs) == b"one\n2\n3\n4\nfive\n"
    assert history.merge(base, ours, b"eins\n2\n3\n4\n5\n") is None
    assert [p.name for p in (history.home / ".git").glob("memory-skill*")] == []


def test_reviewed_counts_what_waits(history: History) -> None:
    """Commits since the reviewed mark wait for a person; the mark is a ref that git diff takes."""
    history.mark_reviewed()
    assert history.waiting() == 0
    write(history, "a.md", "two\n")
    history.commit(["a.md"], "save")

    assert history.waiting() == 1
    assert "+two" in git(history.home, "diff", REVIEWED)


def test_damaged_repository_is_named(history: History) -> None:
    """`git fsck` finds a broken object, and a clean repository has no complaint."""
    assert history.healthy() is None
    for path in (history.home / ".git" / "objects").glob("??/*"):
        path.chmod(0o644)
        path.write_bytes(b"broken")

    assert history.healthy()
