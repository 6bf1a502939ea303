"""Turns that a brief could not quote are read a page at a time, and none is passed over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_skill.cli import main
from memory_skill.journal import Journal
from memory_skill.memory import Memory
from memory_skill.pages import PAGE_CHARS
from memory_skill.sessions import Sessions
from tests.drivers import Claude

LONG = "The step is described at some length. "


def run(line: str, capfd: pytest.CaptureFixture[str]) -> str:
    capfd.readouterr()
    assert main(line.split()) == 0
    return capfd.readouterr().out


@pytest.fixture
def held(
    memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[Claude, str]:
    """A session whose brief over three turns is out, and the brief; another talks at the same time."""
    claude, other = Claude(tmp_path, capfd), Claude(tmp_path, capfd, "c2")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "c1")
    said = ""
    for n in (1, 2, 3):
        claude.prompt(f"Fact number {n}: port 80{n} belongs to service {n}.")
        said = claude.stop(LONG * 50 + f"end of {n}").context
        other.turn = 100 + n
        other.prompt("Something else altogether is said in here, by somebody.")
        other.stop()
    return claude, said


def test_pages_show_what_the_brief_did_not_quote(
    held: tuple[Claude, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """Together they hold each turn of the session whole and none of another, 4,000 characters each."""
    _, text = held
    texts = [text]
    while match := re.search(r"memory-skill (journal show [^`\]]+)", texts[-1]):
        texts.append(run(match[1], capfd))

    assert len(texts) > 2 and all(len(one) <= PAGE_CHARS for one in texts)
    for n in (1, 2, 3):
        assert any(f"Fact number {n}" in one and f"end of {n}" in one for one in texts)
    assert "Something else" not in "".join(texts)


def test_the_mark_moves_past_what_was_read(
    held: tuple[Claude, str], memory: Memory, capfd: pytest.CaptureFixture[str]
) -> None:
    """Turns of the brief and of the pages that were read are done with its answer; the others wait."""
    claude, text = held
    match = re.search(r"memory-skill (journal show [^`]+)", text)
    assert match
    assert "Fact number 2" in run(match[1], capfd)

    claude.stop("Nothing to keep.", again=True)

    assert Sessions(memory.tree.state).read("claude-code", "c1").distil["pending"] == ["p3"]


def test_a_turn_longer_than_a_page_names_its_file(
    memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """It has a page of its own: the beginning, and where the whole stands."""
    claude = Claude(tmp_path, capfd)
    claude.prompt("Explain it all, please, from the beginning to the end of it.")
    claude.stop(LONG * 200 + "over and out")
    day = Journal(memory.tree).turns()[0].time[:10]

    told = run("journal show --session c1", capfd)

    assert len(told) <= PAGE_CHARS and f"journal/{day}.md" in told
    assert "over and out" not in told


def test_without_a_mark_the_newest_turns_are_shown(
    held: tuple[Claude, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """A person who asks for the journal gets its end, as long as it is."""
    assert run("journal show --limit 2", capfd).count("### user") == 2
    assert run("journal show --since p3 --session c1", capfd) == ""
