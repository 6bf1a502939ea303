"""The given faults of the kinds hook, watcher, log, recall and resource, by number."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from memory_skill import answers, watch
from memory_skill.events import Events
from memory_skill.journal import Journal, Turn, now
from memory_skill.memory import Memory
from tests.drivers import Claude, Said
from tests.test_watch import PATIENCE, Watcher, eventually
from tests.trees import put, read

from .trees import sentence


@pytest.fixture
def claude(memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Claude:
    """An attended session whose project is an empty folder."""
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    return Claude(tmp_path / "billing", capfd)


def log_of(memory: Memory) -> list[str]:
    return [line["what"] for line in Events(memory.tree.state).tail(200)]


def is_valid(said: Said) -> bool:
    """An answer that Claude Code takes: nothing, or its own object and nothing else."""
    return said.code == 0 and (said.out == "" or bool(said.context))


# --- hook


def test_g32_a_stop_that_is_already_held_is_never_held_again(claude: Claude) -> None:
    """Fifty stops with the active flag, past N: each is let go."""
    claude.turns(2)
    for _ in range(50):
        claude.prompt()
        assert claude.stop(again=True).out == ""


def test_g33_a_condition_that_never_comes_true_holds_one_turn_in_n(claude: Claude) -> None:
    """Thirty stops, half of them without the flag, and nothing is ever saved: never two in a row."""
    held = []
    for n in range(30):
        if n % 2 == 0:
            claude.prompt()
        held.append(bool(claude.stop(again=n % 4 == 1).out))
    assert not any(one and other for one, other in pairwise(held))
    assert 1 <= sum(held) <= 15 // 3


@pytest.mark.parametrize("broken", ["index", "git", "tree"])
def test_g34_a_broken_memory_lets_every_stop_go(memory: Memory, claude: Claude, broken: str) -> None:
    """Index rubbish, git's HEAD gone, a folder in the place of the notes' file: twenty stops end with 0."""
    memory.save("Ada indents with tabs", type="user")
    if broken == "index":
        (memory.tree.state / "search.sqlite").write_bytes(b"rubbish" * 100)
    elif broken == "git":
        (memory.tree.home / ".git" / "HEAD").unlink()
        put(memory, "knowledge/user/loose.md", "Bob likes blanks\n")
    else:
        shutil.rmtree(memory.tree.state / "sessions", ignore_errors=True)
        (memory.tree.state / "sessions").write_text("no folder")

    for _ in range(20):
        claude.prompt("How does Ada indent?")
        assert is_valid(claude.stop())


def test_g35_g36_a_lock_that_is_never_released_costs_the_hooks_own_time(
    memory: Memory, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process holds the tree for good: prompt and stop end by their own clock, the turn is logged."""
    monkeypatch.setattr(answers, "SETTLE_SECONDS", 0.2)
    put(memory, "knowledge/user/loose.md", "Bob likes blanks\n")
    with memory.tree.lock():
        assert is_valid(claude.prompt("hello there"))
        assert is_valid(claude.stop())

    assert [turn.user for turn in Journal(memory.tree).turns()] == ["hello there"]
    assert any("settle" in line for line in log_of(memory))


def test_g37_g38_no_console_and_no_payload_makes_free_text(memory: Memory) -> None:
    """With the console's code page an emoji arrives as UTF-8, and the block is one JSON object."""
    memory.save("Ada indents with tabs 🐍 everywhere", type="user")
    prompt = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt_id": "p"}
    asked = json.dumps(prompt | {"transcript_path": "", "prompt": "How does Ada indent?"}).encode()
    env = dict(os.environ) | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}

    words = [sys.executable, "-m", "memory_skill", "hook", "claude-code", "prompt"]
    ran = subprocess.run(words, input=asked, env=env, capture_output=True, timeout=30)

    assert ran.returncode == 0 and ran.stderr == b""
    assert "🐍" in json.loads(ran.stdout.decode("utf-8"))["hookSpecificOutput"]["additionalContext"]


def test_g38_verbs_work_in_a_locale_of_another_encoding(memory: Memory) -> None:
    """Words and names that ASCII cannot hold are saved, found and shown letter for letter."""
    env = dict(os.environ) | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    verbs = (["save", "Zoë fährt nach 日本", "--type", "user", "--name", "zoë-日本"], ["recall", "日本"])
    for words in verbs:
        argv = [sys.executable, "-m", "memory_skill", *words]
        ran = subprocess.run(argv, env=env, capture_output=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
    assert "Zoë fährt nach 日本" in ran.stdout.decode("utf-8")
    assert (memory.tree.home / "knowledge" / "user" / "zoë-日本.md").is_file()


def test_g39_sub_agents_neither_count_nor_hold(memory: Memory, claude: Claude) -> None:
    """Ten stops of the main agent among forty of sub-agents, by id or by event: as if those had not been."""
    held = 0
    for _ in range(10):
        claude.prompt()
        for k in range(4):
            event, more = ("Stop", {"agent_id": f"a{k}"}) if k % 2 else ("SubagentStop", {})
            said = claude.fire("stop", event, last_assistant_message="x", stop_hook_active=k > 1, **more)
            assert said.out == ""
        said = claude.stop()
        held += bool(said.out)
        if said.out:
            claude.stop("Nothing to keep.", again=True)
    assert len(Journal(memory.tree).turns()) == 10
    assert 1 <= held <= 3


def test_g40_only_the_named_transcript_is_read(memory: Memory, claude: Claude, tmp_path: Path) -> None:
    """Three other transcripts lie beside it: none of their words is in the memory."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    for name in ("one", "two", "three", "mine"):
        line = {"type": "user", "promptId": name, "message": {"content": f"words of {name}"}}
        (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    mine = {"transcript_path": str(folder / "mine.jsonl")}

    claude.prompt("hello", **mine)
    claude.stop("Hi.", **mine)
    claude.fire("session-end", "SessionEnd", reason="exit", **mine)

    everything = b"".join(path.read_bytes() for path in memory.tree.home.rglob("*") if path.is_file())
    assert not [name for name in ("one", "two", "three") if f"words of {name}".encode() in everything]


def test_g41_g42_a_failing_step_is_named_with_its_count(
    memory: Memory, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that raises: 0 to the host, one line that names it, and the next start says so."""

    def broken(*_: object) -> str:
        raise RuntimeError("the index has gone")

    with monkeypatch.context() as patch:
        patch.setattr(answers, "recalled", broken)
        for _ in range(3):
            assert claude.prompt("How does Ada indent?").code == 0

    assert log_of(memory) == ["recall: RuntimeError: the index has gone"] * 3
    assert [beat.failures for beat in Events(memory.tree.state).heartbeats() if beat.event == "prompt"] == [3]


# --- watcher


def test_g27_g28_edits_that_nobody_watched_are_found_and_counted(memory: Memory) -> None:
    """No watcher runs: `status` says unsettled, recall reads the ten files, the next settle takes them up."""
    for n in range(10):
        put(memory, f"knowledge/reference/late-{n}.md", sentence(f"late{n}x") + "\n")

    assert memory.status().unsettled
    assert memory.recall("what does token late7x mean?").hits[0].address == "knowledge/reference/late-7.md"
    assert len([path for path in memory.settle().changed if "late-" in path]) == 10
    assert not memory.status().unsettled


def test_g29_files_of_before_the_start_are_taken_up(memory: Memory) -> None:
    """Twenty files, then the watcher; a note within its last moment; a second watcher takes up that too."""
    for n in range(20):
        put(memory, f"knowledge/reference/early-{n}.md", sentence(f"early{n}x") + "\n")
    for path in ("early-19.md", "last.md"):
        watcher = Watcher()
        watcher.said("Watching")
        eventually(lambda path=path: path in read(memory, "MEMORY.md"))  # type: ignore[misc]
        put(memory, "knowledge/reference/last.md", sentence("lastx") + "\n")
        assert watcher.end() == 0

    assert memory.recall("what does token early3x mean?").outcome == "hits"


def test_g30_a_watcher_that_is_started_again_hears(memory: Memory) -> None:
    """Start, stop, start in one process: the second hears a change like the first."""
    for n in range(2):
        with watch._observed(memory, print) as events:
            put(memory, f"knowledge/note-{n}.md", "x\n")
            assert f"note-{n}.md" in events.get(timeout=PATIENCE) or "knowledge" in events.get(
                timeout=PATIENCE
            )


# --- log


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    yield monkeypatch
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("zone_name", "utc", "day"),
    [
        ("Asia/Shanghai", 1796154780, "2026-12-02"),  # 19:53 UTC on the 1st, 03:53 there
        ("America/Los_Angeles", 1796175000, "2026-12-01"),  # 01:30 UTC on the 2nd, 17:30 there
        ("Europe/Vienna", 1792886400, "2026-10-25"),  # the hour that comes twice
    ],
)
def test_g60_a_day_is_the_local_day(zone: pytest.MonkeyPatch, zone_name: str, utc: int, day: str) -> None:
    """Whatever the day in Greenwich is; the time says its offset."""
    zone.setenv("TZ", zone_name)
    time.tzset()

    assert now(utc)[:10] == day
    assert now(utc)[-6] in "+-"


def test_g61_g62_two_sessions_of_a_day_keep_every_turn_once(memory: Memory) -> None:
    """Two threads log sixty turns each, every one delivered twice: 120 whole turns, each session in order."""

    def log(session: str) -> None:
        for n in range(60):
            turn = Turn(
                f"{session}{n}", "2026-11-30T21:03:15+01:00", "claude-code", session, f"### user {n}", "x"
            )
            for _ in range(2):
                Journal(memory.tree).append(turn)

    workers = [threading.Thread(target=log, args=(session,)) for session in "ab"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    turns = Journal(memory.tree).turns()
    for session in "ab":
        assert [turn.id for turn in turns if turn.session == session] == [f"{session}{n}" for n in range(60)]


# --- recall


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ticket POL-358 is about the parser", "POL-358"),
        ("The C++ build takes an hour", "C++"),
        ("用户喜欢在终端里使用深色模式", "深色"),
        ("Die Straße ist gesperrt", "strasse"),
        ("Das macht Ärger im Büro", "arger"),
    ],
)
def test_g57_g58_words_of_any_form_are_found(memory: Memory, text: str, query: str) -> None:
    """What a search syntax or an alphabet makes odd is found literally."""
    saved = memory.save(text, type="reference")
    assert [hit.address for hit in memory.recall(query).hits] == [saved.address]


@pytest.mark.parametrize(
    "query", ["don't", "a AND", '"', "col:x", "NEAR(", "*", "", "x" * 10_000, "\0", "🐍"]
)
def test_g57_l09_no_query_is_an_error(memory: Memory, query: str) -> None:
    """Syntax, nothing, ten thousand characters, NUL, an emoji: an answer without a hit that is none."""
    memory.save("Ada indents with tabs", type="user")
    assert memory.recall(query).outcome == "no_match"


# --- resource


def test_g79_a_growing_transcript_adds_turns_and_nothing_else(
    memory: Memory, claude: Claude, tmp_path: Path
) -> None:
    """A megabyte more with each of twenty turns: the tree grows by the turns' own words."""
    transcript = tmp_path / "long.jsonl"
    filler = json.dumps({"type": "progress", "x": "a" * 1_000_000}) + "\n"
    claude.prompt("hello", transcript_path=str(transcript))
    before = _size(memory)
    for _ in range(20):
        with transcript.open("a") as file:
            file.write(filler)
        claude.prompt("hello", transcript_path=str(transcript))
        claude.stop("Hi.", transcript_path=str(transcript))

    assert _size(memory) - before < 60_000


def _size(memory: Memory) -> int:
    return sum(path.stat().st_size for path in memory.tree.home.rglob("*") if path.is_file())
