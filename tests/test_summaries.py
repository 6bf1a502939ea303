"""Summaries of sessions: a file of their own, recalled, in no index."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from memory_skill import note
from memory_skill.errors import UsageError
from memory_skill.memory import Memory
from tests.trees import KEY, in_session, read, subjects

TEXT = "# Invoice parser\n\nRewrote the invoice parser to Decimal; the VAT rounding tests still fail."


def test_a_summary_is_a_file_of_its_day(memory: Memory) -> None:
    """It lies in the folder of its year, named by day and title, and is one commit."""
    saved = memory.save(TEXT, type="summary", name="invoice parser")

    assert saved.address == f"summaries/{date.today():%Y/%m-%d}-invoice-parser.md"
    assert subjects(memory) == [f"save {saved.address}"]
    assert note.parse(read(memory, saved.address), saved.address).type == "summary"


def test_a_summary_is_recalled_and_listed_in_no_index(memory: Memory) -> None:
    """`recall` finds it, `list --type summary` names it, MEMORY.md does not."""
    saved = memory.save(TEXT, type="summary")

    assert [hit.address for hit in memory.recall("invoice parser rounding").hits] == [saved.address]
    assert [item.address for item in memory.list(type="summary")] == [saved.address]
    assert "nvoice" not in read(memory, "MEMORY.md")


def test_a_session_has_one_summary(memory: Memory, tmp_path: Path) -> None:
    """A later summary of a session takes the place of the earlier; another session's stands beside it."""
    mine = in_session(memory, "s1", tmp_path / "billing")
    first = mine.save(TEXT, type="summary")
    second = mine.save("# Done\n\nThe VAT rounding tests pass now.", type="summary")
    other = in_session(memory, "s2").save("# Done\n\nLooked at the logs.", type="summary")

    assert first.address == second.address != other.address
    text = read(memory, str(first.address))
    assert "pass now" in text and "still fail" not in text
    assert note.parse(text, "a.md").meta["project"] == mine.project


def test_a_summary_holds_no_secret_and_nothing_forgotten(memory: Memory) -> None:
    """A key is masked; what was forgotten on request does not come back; no words are no summary."""
    assert KEY not in read(memory, str(memory.save(f"{TEXT} Key {KEY}.", type="summary").address))

    saved = memory.save("# Lunch\n\nAda eats at noon.", type="summary")
    memory.forget(str(saved.address))
    assert memory.save("# Lunch\n\nAda eats at noon.", type="summary").rule == "forgotten"
    with pytest.raises(UsageError):
        memory.save("  ", type="summary")


def test_a_summary_comes_from_stdin(memory: Memory) -> None:
    """`save - --type summary` reads its text from stdin; the reply names the file."""
    done = subprocess.run(
        [sys.executable, "-m", "memory_skill", "save", "-", "--type", "summary", "--name", "parser"],
        input=TEXT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert f"Saved summaries/{date.today():%Y/%m-%d}-parser.md" in done.stdout
