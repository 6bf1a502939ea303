"""The daily logs give back what they were given, letter for letter."""

from __future__ import annotations

import itertools
import os
import resource
import threading
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_skill.journal import Journal, Turn, format_turn, now, parse
from memory_skill.tree import Tree

HEADER = "## 2026-11-30T10:00:00+00:00 kimi-code session=s turn=t project=p"
OURS = ("### user", "### assistant", "\\### user", "", "\\", "## x", HEADER, "\\" + HEADER, "# 2026-11-30")

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
bodies = st.lists(st.one_of(st.sampled_from(OURS), words), max_size=8).map("\n".join)
times = st.datetimes().map(lambda when: when.strftime("2026-%m-%dT%H:%M:%S+01:00"))
turns = st.builds(Turn, words, times, words, words, bodies, bodies, words)


@given(st.lists(turns, max_size=4))
def test_what_is_written_is_read(given_turns: list[Turn]) -> None:
    """Any turns come back equal, also when a message holds the exact lines that make up the log."""
    text = "# 2026-11-30\n\n" + "".join(map(format_turn, given_turns))

    assert parse(text) == given_turns


def a_turn(ident: str, day: str = "2026-11-30", **more: str) -> Turn:
    values = {"user": f"ask {ident}", "assistant": f"answer {ident}", "project": "acme-billing"} | more
    return Turn(ident, f"{day}T21:03:15+01:00", "claude-code", "4f-1", **values)


def test_a_day_is_a_file_for_people(tree: Tree) -> None:
    """A turn stands in its day's file under a header that names host, session, turn and project."""
    Journal(tree).append(a_turn("t1"))

    assert (tree.home / "journal" / "2026-11-30.md").read_text(encoding="utf-8") == (
        "# 2026-11-30\n"
        "\n"
        "## 2026-11-30T21:03:15+01:00 claude-code session=4f-1 turn=t1 project=acme-billing\n"
        "\n"
        "### user\n"
        "ask t1\n"
        "\n"
        "### assistant\n"
        "answer t1\n"
        "\n"
    )


def test_a_turn_is_stored_once(tree: Tree) -> None:
    """The same turn twice is one turn, also when an earlier message quotes its header."""
    log = Journal(tree)
    quoting = a_turn("t1", user=format_turn(a_turn("t2")))

    assert [log.append(turn) for turn in (quoting, a_turn("t2"), a_turn("t2"), quoting)] == [
        True,
        True,
        False,
        False,
    ]

    assert log.turns() == [quoting, a_turn("t2")]


def test_turns_since_a_mark(tree: Tree) -> None:
    """Turns after the mark come in the order they were logged, over the days."""
    log = Journal(tree)
    all_turns = [a_turn("a", "2026-11-29"), a_turn("b", "2026-11-29"), a_turn("c"), a_turn("d")]
    for turn in all_turns:
        log.append(turn)

    assert log.turns() == log.turns(since="gone") == all_turns
    assert log.turns(since="b") == all_turns[2:]
    assert log.find(["d", "a"]) == [all_turns[0], all_turns[3]]


def test_a_torn_tail_costs_one_turn(tree: Tree) -> None:
    """A turn that a crash cut short is left out, and the next one is whole."""
    log = Journal(tree)
    log.append(a_turn("t1"))
    log.append(a_turn("t2"))
    path = tree.home / "journal" / "2026-11-30.md"
    path.write_bytes(path.read_bytes()[:-10])

    log.append(a_turn("t3"))

    assert log.turns() == [a_turn("t1"), a_turn("t3")]


def test_a_full_disk_leaves_the_day_as_it_was(tree: Tree) -> None:
    """A write that the disk cuts short is taken back, and said."""
    log = Journal(tree)
    log.append(a_turn("t1"))
    before = log.turns()
    resource.setrlimit(resource.RLIMIT_FSIZE, (400, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        with pytest.raises(OSError):
            log.append(a_turn("t2", user="x" * 1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, resource.getrlimit(resource.RLIMIT_FSIZE)[1:] * 2)

    assert log.turns() == before
    assert (tree.home / "journal" / "2026-11-30.md").read_text(encoding="utf-8").endswith("answer t1\n\n")


def test_parallel_sessions_lose_nothing(tree: Tree) -> None:
    """Four writers of one day, fifty turns each, and all are there."""
    tree.state.mkdir()
    names = [[f"{writer}-{n}" for n in range(50)] for writer in range(4)]
    threads = [
        threading.Thread(target=lambda own=own: [Journal(tree).append(a_turn(name)) for name in own])
        for own in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    found = [turn.id for turn in Journal(tree).turns()]

    assert sorted(found) == sorted(itertools.chain(*names))
    for own in names:
        assert [name for name in found if name in own] == own


def test_a_log_is_private(tree: Tree) -> None:
    """Nobody but its user reads a log, whatever the umask is."""
    before = os.umask(0)
    try:
        Journal(tree).append(a_turn("t1"))
    finally:
        os.umask(before)

    assert (tree.home / "journal" / "2026-11-30.md").stat().st_mode & 0o777 == 0o600


def test_old_days_go_when_asked(tree: Tree) -> None:
    """Days older than the limit are removed; 0 keeps all."""
    log = Journal(tree)
    for day in ("2026-10-01", "2026-11-23", "2026-11-30"):
        log.append(a_turn("t", day))

    assert log.prune(0, "2026-11-30") == []
    assert log.prune(7, "2026-11-30") == ["2026-10-01.md"]
    assert [path.name for path in sorted((tree.home / "journal").iterdir())] == [
        "2026-11-23.md",
        "2026-11-30.md",
    ]


def test_now_has_seconds_and_offset() -> None:
    """The stamp is ISO 8601 in local time with its offset."""
    turn = Turn("t", now(), "h", "s", "u", "a")

    assert parse(format_turn(turn)) == [turn]
    assert datetime.fromisoformat(now(0)).timestamp() == 0


def test_a_time_without_offset_is_refused(tree: Tree) -> None:
    """A turn whose time is not of the log's form is an error, not a day of its own."""
    with pytest.raises(ValueError, match="no ISO time"):
        Journal(tree).append(Turn("t", "../../x", "h", "s", "u", "a"))
    assert not list(tree.home.glob("**/*.md"))
