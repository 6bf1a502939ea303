"""Heartbeats, the log of failures, and notices for a person."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_skill import events as module
from memory_skill.events import Events


@pytest.fixture
def events(tmp_path: Path) -> Events:
    return Events(tmp_path)


def beat(events: Events, event: str = "stop") -> module.Heartbeat:
    return next(found for found in events.heartbeats() if found.event == event)


def test_a_heartbeat_says_when_and_how_long(events: Events) -> None:
    """Each run is counted; the last one's time and milliseconds are kept."""
    events.heartbeat("claude-code", "stop", 12)
    events.heartbeat("claude-code", "stop", 15)

    found = beat(events)

    assert (found.host, found.runs, found.ms, found.failures, found.trouble) == ("claude-code", 2, 15, 0, "")
    assert found.last


def test_failures_are_counted_until_it_goes_well(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first failure's time stays while it fails; a good run ends the story."""
    times = iter(["t1", "t2", "t3", "t4"])
    monkeypatch.setattr(module, "now", lambda: next(times))
    events.heartbeat("claude-code", "stop", 1)
    events.heartbeat("claude-code", "stop", 1, ok=False, trouble="first")
    events.heartbeat("claude-code", "stop", 1, ok=False, trouble="second")

    failing = beat(events)
    events.heartbeat("claude-code", "stop", 1)

    assert (failing.failures, failing.failed, failing.trouble) == (2, "t2", "second")
    assert (beat(events).failures, beat(events).failed) == (0, "")


def test_prompts_without_a_stop_are_counted(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop hook that no longer runs shows in the prompt's heartbeat; one that runs ends the count."""
    times = iter("abcdefg")
    monkeypatch.setattr(module, "now", lambda: next(times))
    for _ in range(4):
        events.heartbeat("kimi-code", "prompt", 1)
    assert beat(events, "prompt").alone == 4

    events.heartbeat("kimi-code", "stop", 1)
    events.heartbeat("kimi-code", "prompt", 1)

    assert beat(events, "prompt").alone == 1


def test_a_damaged_heartbeat_starts_anew(events: Events) -> None:
    """A file that a full disk left empty is no heartbeat, and the next one replaces it."""
    events.heartbeat("claude-code", "stop", 1)
    path = next(events.folder.iterdir())
    path.write_bytes(b"")
    assert events.heartbeats() == []

    events.heartbeat("claude-code", "stop", 1)

    assert beat(events).runs == 1


def test_log_lines_come_back_in_order(events: Events) -> None:
    """The tail is the newest lines, oldest first, without what is torn."""
    for n in range(5):
        events.log({"what": f"line {n}", "long": "x" * 10_000})
    with (events.state / "events.jsonl").open("ab") as file:
        file.write(b'{"torn')

    found = events.tail(3)

    assert [line["what"] for line in found] == ["line 2", "line 3", "line 4"]
    assert all(len(line["long"]) == module.MAX_TEXT for line in found)
    assert events.tail(0) == []


def test_the_log_is_bounded(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full log moves aside once; the one before it is dropped."""
    monkeypatch.setattr(module, "MAX_LOG", 500)

    for n in range(100):
        events.log({"what": f"line {n}"})

    assert sum(path.stat().st_size for path in events.state.iterdir()) < 1500
    assert events.tail(1)[0]["what"] == "line 99"


def test_notices_are_taken_once(events: Events) -> None:
    """What was kept for a person is told one time, the newest twenty."""
    for n in (*range(25), 24):
        events.notice(f"notice {n}")

    assert events.take_notices() == [f"notice {n}" for n in range(5, 25)]
    assert events.take_notices() == []
