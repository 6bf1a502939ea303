"""Where the user wants nothing kept, nothing is: off, incognito, ignored folders."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_skill import config, doctor, privacy
from memory_skill.cli import main
from memory_skill.errors import NotFound, Refused
from memory_skill.journal import Journal
from memory_skill.memory import Memory

from .drivers import Claude, Kimi
from .trees import in_session

CapFd = pytest.CaptureFixture[str]


def project_of(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "acme-web"
    folder.mkdir(parents=True)
    return folder


def said(memory: Memory) -> list[str]:
    return [turn.user for turn in Journal(memory.tree).turns()]


def test_off_is_silent_and_on_speaks_again(memory: Memory, tmp_path: Path, capfd: CapFd) -> None:
    """While it is off no hook says or keeps a word; afterwards what was said then stays unknown."""
    memory.save("The flamingo is pink.", type="user")
    claude = Claude(project_of(tmp_path), capfd)
    assert main(["off"]) == 0

    answers = [claude.start(), claude.prompt("what colour is the flamingo?"), claude.stop("Pink.")]
    assert [answer.out + answer.err for answer in answers] == ["", "", ""]
    assert said(memory) == []
    assert main(["on"]) == 0
    claude.prompt("and the flamingo now?")
    claude.stop("Still pink.")

    assert said(memory) == ["and the flamingo now?"]


def test_verbs_are_refused_while_it_is_off(memory: Memory, tmp_path: Path, capfd: CapFd) -> None:
    """save, edit and the like are refused by the rule `off`, recall is blocked; status and doctor say so."""
    privacy.switch(os.environ, "off")
    off = Memory.open(cwd=tmp_path)

    with pytest.raises(Refused) as refused:
        off.save("The flamingo is pink.", type="user")
    assert (refused.value.rule, "memory-skill on" in str(refused.value.hint)) == ("off", True)
    with pytest.raises(Refused):
        off.edit("knowledge/user.md", "", "pink")
    assert off.recall("flamingo").outcome == "blocked"
    assert off.context().text == ""
    assert off.status().quiet == "off"
    checks = {check.name: check for check in doctor.examine(os.environ)}
    assert (checks["privacy"].level, checks["privacy"].fix) == ("warning", "memory-skill on")
    capfd.readouterr()
    main(["status"])
    assert "QUIET (off)" in capfd.readouterr().out


def test_a_tree_says_nothing_about_privacy(memory: Memory) -> None:
    """A tree that comes from elsewhere can neither switch the memory on nor off."""
    (memory.tree.home / "config.toml").write_text('format = 1\n[privacy]\nmemory = "off"\n')

    assert "privacy.memory" in str(config.load_for_hook(os.environ)[1])
    assert config.load_for_hook(os.environ)[0].privacy.memory == "on"


def test_switching_keeps_the_users_other_settings(home: Path) -> None:
    """Comments and keys of the user's own file stay as they are."""
    path = config.user_file(os.environ)
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n[recall]\nlimit = 7  # enough\n")

    assert privacy.switch(os.environ, "off")
    assert not privacy.switch(os.environ, "off")
    privacy.ignore(os.environ, "acme-*")
    privacy.switch(os.environ, "on")

    assert path.read_text().startswith("# mine\n[recall]\nlimit = 7  # enough\n")
    found = config.load(os.environ)
    assert (found.recall.limit, found.privacy.memory, found.privacy.ignore) == (7, "on", ("acme-*",))


def test_incognito_session_leaves_nothing(memory: Memory, tmp_path: Path, capfd: CapFd) -> None:
    """From the verb on nothing of that session is kept or recalled; another session is as ever."""
    memory.save("The flamingo is pink.", type="user")
    folder = project_of(tmp_path)
    claude, other = Claude(folder, capfd), Claude(folder, capfd, session="c2")
    claude.start()
    claude.prompt("keep nothing of this")
    in_session(memory, "c1").incognito()
    claude.stop("As you wish.")
    quiet = [claude.prompt("what colour is the flamingo?"), claude.stop("Pink."), claude.compact()]
    other.prompt("what colour is the flamingo?")
    other.stop("Pink, I think.")

    assert [answer.out for answer in quiet] == ["", "", ""]
    assert [turn.session for turn in Journal(memory.tree).turns()] == ["c2"]
    with pytest.raises(Refused):
        in_session(memory, "c1").save("The heron is grey.", type="user")
    assert "flamingo" not in (memory.tree.state / "sessions/claude-code/c1.json").read_text()
    assert in_session(memory, "c2").save("The heron is grey.", type="user").outcome == "saved"


def test_transcript_of_quiet_turns_is_never_read(memory: Memory, tmp_path: Path, capfd: CapFd) -> None:
    """Kimi Code's turns stand in its wire; those said while the memory was quiet are not caught up."""
    kimi = Kimi(project_of(tmp_path), capfd)
    kimi.start()
    kimi.prompt("my secret plan")
    privacy.switch(os.environ, "off")
    kimi.stop("A fine plan.")
    kimi.end_turn()
    kimi.prompt("more of the plan")
    kimi.stop("Even finer.")
    kimi.end_turn()
    privacy.switch(os.environ, "on")
    kimi.prompt("good morning")
    kimi.stop("Good morning.")
    kimi.end_turn()
    kimi.prompt("bye")
    kimi.stop("Bye.")

    assert [text for text in said(memory) if "plan" in text] == []
    assert "bye" in said(memory)


@pytest.mark.parametrize("glob", ["acme-*", "{work}/acme-*", "{work}/acme-web", "{work}", "{work}/*"])
def test_ignored_folder_is_quiet(memory: Memory, tmp_path: Path, capfd: CapFd, glob: str) -> None:
    """A glob means a folder by its name or its path, and all below; a folder beside it is as ever."""
    folder = project_of(tmp_path)
    privacy.ignore(os.environ, glob.replace("{work}", str(tmp_path / "work")))
    claude, other = Claude(folder / "src", capfd), Claude(tmp_path, capfd, session="c2")

    claude.prompt("what is here?")
    claude.stop("Something.")
    other.prompt("what is there?")
    other.stop("Something else.")

    assert said(memory) == ["what is there?"]
    assert Memory.open(cwd=folder).status().quiet == "ignored"
    assert Memory.open(cwd=tmp_path).status().quiet is None


def test_a_session_cannot_make_it_speak_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """On, --end and --remove are a person's: in a host's session they are refused, and nothing changes."""
    privacy.switch(os.environ, "off")
    privacy.ignore(os.environ, "acme-*")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "c1")

    assert [main(call) for call in (["on"], ["ignore", "--remove", "acme-*"], ["incognito", "--end"])] == [
        5
    ] * 3
    found = config.load(os.environ).privacy
    assert (found.memory, found.ignore) == ("off", ("acme-*",))


def test_the_verbs_answer_json(memory: Memory, capfd: CapFd, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each says in one object what holds now."""
    answers = []
    for call in (["off"], ["on"], ["ignore", "x-*"], ["ignore", "--list"], ["ignore", "x-*", "--remove"]):
        main([*call, "--json"])
        answers.append(json.loads(capfd.readouterr().out))
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "c9")
    main(["incognito", "--json"])

    assert answers[0] == {"version": 1, "memory": "off", "changed": True}
    assert [answer["ignored"] for answer in answers[2:]] == [["x-*"], ["x-*"], []]
    assert json.loads(capfd.readouterr().out) == {"version": 1, "session": "c9", "incognito": True}


def test_what_is_not_there_is_an_error(memory: Memory) -> None:
    """A session that nobody knows, and a glob that is not ignored, are not found."""
    with pytest.raises(NotFound):
        memory.incognito()
    with pytest.raises(NotFound):
        privacy.heed(os.environ, "nowhere")
