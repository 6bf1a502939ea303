"""The record of each host session, and which session a command belongs to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memory_skill import sessions as module
from memory_skill.history import Origin
from memory_skill.sessions import Session, Sessions, ancestors


@pytest.fixture
def sessions(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)


def test_changes_are_kept(sessions: Sessions) -> None:
    """What is changed inside the block is read afterwards, by any process."""
    with sessions.change("claude-code", "s1") as record:
        record.root, record.shown = "/work", {"a.md": "d1"}

    again = Sessions(sessions.state).read("claude-code", "s1")

    assert (again.root, again.shown) == ("/work", {"a.md": "d1"})
    assert sessions.read("claude-code", "s2") == Session("claude-code", "s2")


def test_a_failed_change_keeps_the_old_record(sessions: Sessions) -> None:
    """An error inside the block leaves the file as it was."""
    with sessions.change("claude-code", "s1") as record:
        record.saves = 1
    with pytest.raises(RuntimeError), sessions.change("claude-code", "s1") as record:
        record.saves = 2
        raise RuntimeError

    assert sessions.read("claude-code", "s1").saves == 1


def test_parallel_changes_lose_nothing(sessions: Sessions) -> None:
    """Forty saves counted by eight threads are forty."""

    def work() -> None:
        for _ in range(5):
            sessions.saved("claude-code", "s1")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sessions.read("claude-code", "s1").saves == 40


@pytest.mark.parametrize("session", ["../../evil", "a/b", "", ".", "x" * 500, "a\x00b", "\ud800", "日本"])
def test_any_session_id_stays_in_its_folder(sessions: Sessions, session: str) -> None:
    """An id that is no file name is kept under a hash of it."""
    with sessions.change("kimi-code", session) as record:
        record.saves = 3

    assert sessions.read("kimi-code", session).saves == 3
    assert {path.parent for path in sessions.state.rglob("*.json")} == {sessions.folder / "kimi-code"}


@pytest.mark.parametrize("damage", [b"", b"[]", b"null", b'{"host": 3}', b"\xff", b'{"saves": "x"}'])
def test_a_damaged_record_starts_anew(sessions: Sessions, damage: bytes) -> None:
    """A record that is torn or of another form is no error."""
    with sessions.change("claude-code", "s1"):
        pass
    (sessions.folder / "claude-code" / "s1.json").write_bytes(damage)

    assert sessions.read("claude-code", "s1").saves == 0
    sessions.saved("claude-code", "s1")
    assert sessions.read("claude-code", "s1").saves == 1


def test_shown_addresses_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest address is forgotten first, one shown again counts as new."""
    monkeypatch.setattr(module, "MAX_SHOWN", 3)
    record = Session("h", "s")

    for address in "abcd":
        record.show(address, "d")

    assert list(record.shown) == ["b", "c", "d"]


def test_claude_names_its_session(sessions: Sessions) -> None:
    """A command that Claude Code runs finds its session in the environment."""
    with sessions.change("claude-code", "s1") as record:
        record.turn = "t9"

    assert sessions.current({"CLAUDE_CODE_SESSION_ID": "s1"}) == Origin("claude-code", "s1", "t9")
    assert sessions.current({}) is None


def test_kimi_session_is_found_by_its_process(sessions: Sessions) -> None:
    """A command below the process that ran the prompt hook belongs to that session while its turn runs."""
    parent = list(ancestors()[0])
    with sessions.change("kimi-code", "idle") as record:
        record.client, record.in_turn = parent, False
    with sessions.change("kimi-code", "other") as record:
        record.client, record.in_turn = [parent[0], parent[1] + 1], True  # the pid was used before
    assert sessions.current({}) is None

    with sessions.change("kimi-code", "mine") as record:
        record.client, record.in_turn = parent, True

    assert sessions.current({}) == Origin("kimi-code", "mine")


def test_a_turn_that_was_killed_runs_no_more(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that never said the end of its turn is taken for gone after a day."""
    with sessions.change("kimi-code", "s1") as record:
        record.in_turn = True
    assert sessions.read("kimi-code", "s1").running

    monkeypatch.setattr(module.time, "time", lambda: record.seen + 100_000)

    assert not sessions.read("kimi-code", "s1").running


def test_the_client_is_the_nearest_ancestor_that_is_no_shell() -> None:
    """A hook runs below a shell that the client started."""
    code = "from memory_skill.sessions import client; print(client()[0])"
    shell = ["sh", "-c", f'"{sys.executable}" -c "{code}"; true']

    found = subprocess.run(shell, capture_output=True, text=True, check=True).stdout

    assert int(found) == os.getpid()


def test_writers_are_known_until_settled(sessions: Sessions) -> None:
    """Who wrote a file with a host's tool is kept until settle takes it up; the last one counts."""
    one = Session("claude-code", "s1", project="acme-billing")
    two = Session("kimi-code", "s2")
    sessions.edited("a.md", one)
    sessions.edited("b.md", one)
    sessions.edited("a.md", two)

    assert sessions.writers() == {
        "b.md": ("claude-code", "s1", "acme-billing"),
        "a.md": ("kimi-code", "s2", ""),
    }
    sessions.settled(["a.md"])
    assert list(sessions.writers()) == ["b.md"]


def test_waiting_turns_are_counted(sessions: Sessions) -> None:
    """Only sessions that wait are read and counted, and no longer once nothing waits."""
    for name, waiting in (("s1", 2), ("s2", 0), ("s3", 3)):
        with sessions.change("claude-code", name) as record:
            record.waiting = waiting

    assert sessions.waiting_turns() == 5
    with sessions.change("claude-code", "s3") as record:
        record.waiting = 0
    assert [record.session for record in sessions.waiting()] == ["s1"]


def test_old_records_are_dropped(sessions: Sessions) -> None:
    """A record that nobody touched for ninety days goes, with its lock."""
    for name in ("old", "new"):
        with sessions.change("claude-code", name):
            pass
    for path in (sessions.folder / "claude-code").glob("old.*"):
        os.utime(path, (1, 1))

    sessions.prune()

    assert [record.session for record in sessions.all()] == ["new"]
    assert not list(sessions.folder.glob("*/old.*"))


def test_records_are_json_for_people(sessions: Sessions) -> None:
    """A record can be read without this package."""
    sessions.saved("claude-code", "s1")

    assert json.loads((sessions.folder / "claude-code" / "s1.json").read_text())["saves"] == 1
