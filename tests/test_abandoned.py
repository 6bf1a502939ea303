"""What was said in a turn whose Stop never came is in the journal when the next session starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_skill.abandoned import NO_REPLY
from memory_skill.journal import Journal
from memory_skill.memory import Memory
from memory_skill.sessions import Sessions
from tests.drivers import Claude, Kimi

RECORDED = Path(__file__).parent / "fixtures" / "transcripts"


def said(memory: Memory) -> list[tuple[str, str]]:
    return [(turn.user, turn.assistant) for turn in Journal(memory.tree).turns()]


def old(path: Path) -> None:
    """As if nobody had written there for a while."""
    os.utime(path, (1, 1))


KILLED = [("first words", "Before."), ("wait for me", NO_REPLY), ("go on", "After all.")]


def killed_claude(claude: Claude, transcript: Path) -> None:
    """A session whose every Stop was lost; its transcript is the recording of a real killed client."""
    transcript.write_bytes(b"")
    claude.fire("prompt", "UserPromptSubmit", prompt="first words", transcript_path=str(transcript))
    transcript.write_bytes((RECORDED / "claude-killed.jsonl").read_bytes())
    old(transcript)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "billing"
    (folder / ".git").mkdir(parents=True)
    return folder


def test_killed_claude_is_caught_up_by_the_next_session(
    memory: Memory, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each turn once, also when two sessions start after it; a turn without a reply says so."""
    killed_claude(Claude(project, capfd), tmp_path / "t.jsonl")

    for session in ("c2", "c3"):
        Claude(project, capfd, session).start()

    assert said(memory) == KILLED
    assert not Sessions(memory.tree.state).read("claude-code", "c1").in_turn


def test_resumed_session_catches_itself_up(
    memory: Memory, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What it said before it was killed is there when it is resumed, and its later turns come once."""
    claude = Claude(project, capfd)
    killed_claude(claude, tmp_path / "t.jsonl")

    claude.fire("session-start", "SessionStart", source="resume", transcript_path=str(tmp_path / "t.jsonl"))
    claude.fire("session-end", "SessionEnd", reason="other", transcript_path=str(tmp_path / "t.jsonl"))

    assert said(memory) == KILLED


def test_session_that_may_still_run_is_left_alone(
    memory: Memory, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its transcript was written just now, so its own Stop may be on the way."""
    killed_claude(Claude(project, capfd), tmp_path / "t.jsonl")
    (tmp_path / "t.jsonl").touch()

    Claude(project, capfd, "c2").start()

    assert said(memory) == []


def test_incognito_session_is_not_caught_up(
    memory: Memory, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it is kept, whoever starts later."""
    killed_claude(Claude(project, capfd), tmp_path / "t.jsonl")
    with Sessions(memory.tree.state).change("claude-code", "c1") as record:
        record.incognito = True

    Claude(project, capfd, "c2").start()

    assert said(memory) == []


def test_killed_kimi_is_caught_up_by_the_next_session(
    memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its wire is found by the session's id; secrets are masked before they are written."""
    kimi = Kimi(project, capfd, "session_a")
    kimi.start()
    kimi.prompt("first")
    kimi.replies("One.")
    kimi.end_turn()
    kimi.prompt("my key is ghp_0123456789abcdefghijABCDEFGHIJ012345")
    kimi.record("turn.ended", reason="cancelled")
    old(kimi.wire)

    Kimi(project, capfd, "session_b").start()

    assert [reply for _, reply in said(memory)] == ["One.", NO_REPLY]
    assert "ghp_0123456789" not in said(memory)[1][0]


def test_kimi_write_whose_hook_was_killed_keeps_its_origin(
    memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The wire names the files of the last turn; the commit is the session's, not a hand's."""
    kimi = Kimi(project, capfd, "session_a")
    kimi.start()
    kimi.prompt("I prefer tabs")
    note = memory.tree.home / "knowledge" / "user" / "tabs.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(
        '---\nname: tabs\ndescription: "Ada indents with tabs"\nmetadata:\n  type: user\n---\nTabs.\n'
    )
    kimi.record(
        "context.append_loop_event", event={"type": "tool.call", "name": "Write", "args": {"path": str(note)}}
    )

    kimi.stop()

    (commit,) = memory.log(path="knowledge/user/tabs.md", limit=1)
    assert commit.trailers["Memory-Session"] == "session_a"
    assert not Sessions(memory.tree.state).writers()
