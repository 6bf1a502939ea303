"""`memory-skill watch`: MEMORY.md follows an editor by itself; nothing depends on it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_skill.memory import Memory

PATIENCE = 20.0  # seconds a slow machine may take; the figure that is promised is in benchmarks/watch.py


class Watcher:
    """A real `watch` process, and the lines that it says."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memory_skill", "watch"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=dict(os.environ),
        )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line.rstrip())
                self._news.notify_all()

    def said(self, what: str) -> str:
        """Wait until a line holds *what*."""

        def found() -> bool:
            return any(what in line for line in self.lines)

        with self._news:
            assert self._news.wait_for(found, PATIENCE), f"{what!r} not in {self.lines}"
            return next(line for line in self.lines if what in line)

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        if self.process.stderr:
            self.process.stderr.close()
        return code


@pytest.fixture
def memory(home: Path) -> Memory:
    found = Memory.open()
    found.init()
    return found


@pytest.fixture
def watcher(memory: Memory) -> Iterator[Watcher]:
    found = Watcher()
    found.said("Watching")
    yield found
    found.end()


def eventually(what: Callable[[], bool]) -> None:
    """Wait for a state that the watcher reaches by itself, after the line in which it says so."""
    ready = threading.Event()
    for _ in range(200):
        if what():
            return
        ready.wait(0.05)
    assert what()


def index(memory: Memory) -> str:
    return (memory.tree.home / "MEMORY.md").read_text(encoding="utf-8")


def test_a_note_made_renamed_and_deleted_by_an_editor_is_followed(memory: Memory, watcher: Watcher) -> None:
    """With no verb and no hook, each change is in MEMORY.md, committed, and in the reviewer's diff."""
    folder = memory.tree.home / "knowledge" / "reference"
    folder.mkdir(parents=True)
    (folder / "wiki.md").write_text("The wiki is at wiki.example.com\n", encoding="utf-8")
    watcher.said("~ knowledge/reference/wiki.md")
    eventually(lambda: "(knowledge/reference/wiki.md)" in index(memory) and not memory.status().unsettled)
    diff = subprocess.run(
        ["git", "-C", str(memory.tree.home), "diff", "--stat", "refs/memory-skill/reviewed"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "knowledge/reference/wiki.md" in diff.stdout

    (folder / "wiki.md").rename(folder / "handbook.md")
    watcher.said("~ knowledge/reference/handbook.md")
    eventually(lambda: "handbook.md)" in index(memory) and "wiki.md)" not in index(memory))

    (folder / "handbook.md").unlink()
    eventually(lambda: "handbook.md)" not in index(memory))
    eventually(lambda: memory.log(limit=1)[0].trailers.get("Memory-Source") == "hand")
    eventually(lambda: not memory.status().unsettled)


def test_the_watcher_does_not_hear_itself(memory: Memory, watcher: Watcher) -> None:
    """One edit gives one commit, though the watcher writes MEMORY.md and files of git for it."""
    before = len(memory.log(limit=100))
    (memory.tree.home / "knowledge" / "user.md").write_text("- Name: Ada\n", encoding="utf-8")
    watcher.said("~ knowledge/user.md")
    (memory.tree.home / "knowledge" / "tech-stack.md").write_text("- Rust\n", encoding="utf-8")
    watcher.said("~ knowledge/tech-stack.md")
    eventually(lambda: len(memory.log(limit=100)) >= before + 2)

    assert len(memory.log(limit=100)) == before + 2


def test_a_second_watcher_is_refused(memory: Memory, watcher: Watcher) -> None:
    """One instance a tree; the second names the first and ends with 6."""
    done = subprocess.run(
        [sys.executable, "-m", "memory_skill", "watch"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 6
    assert "another watch runs on this tree" in done.stderr
    assert memory.status().watch == watcher.process.pid


def test_a_watcher_ends_well(memory: Memory) -> None:
    """Told to stop, it ends with 0 and `status` no longer names it."""
    watcher = Watcher()
    watcher.said("Watching")

    assert watcher.end() == 0
    assert memory.status().watch is None


def test_without_file_watches_it_polls_and_says_so_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the system has no watches left, changes are still found."""
    import errno

    from watchdog.observers import Observer

    from memory_skill import watch

    def exhausted(_: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr(Observer, "start", exhausted)
    monkeypatch.setattr(watch, "POLL_SECONDS", 0.05)
    said: list[str] = []
    with watch._observed(memory, said.append) as events:
        (memory.tree.home / "knowledge" / "user.md").write_text("- Name: Ada\n", encoding="utf-8")
        heard = events.get(timeout=PATIENCE) or ""
        assert "user.md" in heard or "knowledge" in (events.get(timeout=PATIENCE) or "")

    assert len([line for line in said if "no more file watches" in line]) == 1


def test_the_start_text_of_kimi_code_follows_an_edit(memory: Memory, home: Path) -> None:
    """Kimi Code reads its start text from a file before any hook runs; the watcher keeps it true."""
    (home / ".kimi-code").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "memory_skill", "install", "--yes", "--host", "kimi-code"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    started = next((home / ".kimi-code").glob("plugins/managed/*/skills/*-session/SKILL.md"))
    watcher = Watcher()
    watcher.said("Watching")

    (memory.tree.home / "knowledge" / "user.md").write_text("- Name: Ada\n", encoding="utf-8")
    watcher.said("~ knowledge/user.md")
    eventually(lambda: "Name: Ada" in started.read_text(encoding="utf-8"))
    watcher.end()
