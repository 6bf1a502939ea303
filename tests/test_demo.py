"""`memory-skill demo`: the whole story on a machine without any host, told with the real parts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memory_skill import pack
from memory_skill.cli import main


@pytest.fixture
def told(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What the demo says, run in an empty folder."""
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    return capsys.readouterr().out


def saves() -> list[dict[str, str]]:
    lines = (pack.root() / "examples" / "session.saves.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_save_of_the_recording_is_one_commit(told: str, tmp_path: Path) -> None:
    """Each thing that the agent saves has its commit, then the undo; git finds no fault."""
    log = subprocess.run(
        ["git", "-C", str(tmp_path / "demo-memory"), "log", "--format=%s"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    verbs = [line.split()[0] for line in log]
    assert verbs == ["undo", *(save["verb"] for save in reversed(saves())), "init"]
    subprocess.run(["git", "-C", str(tmp_path / "demo-memory"), "fsck", "--strict"], check=True)


def test_the_brief_is_held_when_nothing_was_saved_and_only_then(told: str) -> None:
    """The hook holds turn 3, where the agent had missed two facts, and turn 12, after three turns without."""
    assert told.count("-- the stop hook holds turn ") == 2
    assert "-- the stop hook holds turn 3 " in told
    assert "-- the stop hook holds turn 12 " in told


def test_a_next_session_recalls_what_fits_and_nothing_else(told: str) -> None:
    """Two questions find their note, a third one finds nothing."""
    answers = told.split("A next session asks")[1].split("$ memory-skill undo")[0]

    assert "money-is-decimal.md" in answers
    assert "due-date-test-fails-before-lunch.md" in answers
    assert answers.rstrip().endswith("(nothing fits, so nothing is put before the prompt)")


def test_it_ends_with_the_next_step_and_touches_no_home(told: str, home: Path, tmp_path: Path) -> None:
    """The last line is the command to go on with; beside ./demo-memory nothing was made."""
    assert told.rstrip().endswith("Next: memory-skill install")
    assert [path.name for path in tmp_path.iterdir()] == ["demo-memory"]
    assert list(home.iterdir()) == []


def test_a_second_demo_replaces_the_first_and_nothing_else(
    told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README's command can be run again; a folder that is no demo is left alone."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.md").write_text("Dear Ada", encoding="utf-8")

    assert main(["demo"]) == 0
    assert main(["demo", "--into", "mine"]) == 2
    assert "hint: memory-skill demo --into DIR" in capsys.readouterr().err
    assert (tmp_path / "mine" / "letter.md").read_text(encoding="utf-8") == "Dear Ada"
