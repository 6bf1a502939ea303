"""`memory-skill watch`: settle what changes, by itself. A convenience; nothing depends on it.

Events are only hints: after a quiet 300 ms the tree is settled, which looks for itself at what changed.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Locked, MemorySkillError
from .settle import summary, unsettled
from .tree import INDEX, flock, write_atomic

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

    from .memory import Memory

    Events = queue.SimpleQueue[str | None]  # the paths that changed; None: end

QUIET_SECONDS = 0.3  # without a further event, then the batch is settled
LONGEST_SECONDS = 2.0  # an editor that never stops saving is settled all the same
POLL_SECONDS = 1.0  # between two looks where the system sends no events
# watchdog on Linux reports plain reads too; acting on them, the watcher would wake itself for ever.
_TELLING = frozenset({"created", "modified", "moved", "deleted", "closed"})
_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs", "davfs", "vboxsf"})


def watch(memory: Memory, *, say: Callable[[str], None]) -> None:
    """Watch the tree until SIGINT or SIGTERM. Raises: Locked if another `watch` runs on it, NotFound."""
    with memory.tree.lock():
        pass  # there is a tree, and we may write to it
    with _alone(memory), _observed(memory, say) as events, _ended_by_signal(events):
        say(f"Watching {memory.tree.home} (Ctrl-C ends it).")
        _settle(memory, say)
        while _is_to_go_on(events):
            _settle(memory, say)


@contextlib.contextmanager
def _alone(memory: Memory) -> Iterator[None]:
    """One watcher a tree; its pid is shown in `status`."""
    sign = memory.tree.state / "watch.json"
    try:
        with flock(memory.tree.state / "watch.lock", 0.2):
            write_atomic(sign, json.dumps({"pid": os.getpid()}).encode(), durable=False)
            yield
            sign.unlink(missing_ok=True)
    except Locked as error:
        raise Locked(
            "another watch runs on this tree", where=str(memory.tree.home), hint="memory-skill status"
        ) from error


@contextlib.contextmanager
def _ended_by_signal(events: Events) -> Iterator[None]:
    """End well on Ctrl-C and on `kill`, after the settling that runs; a second one has its usual effect.

    An exception raised by the handler was swallowed where a child process of git was being waited for, and
    the watcher went on for ever.
    """
    before: dict[int, Any] = {}

    def stop(number: int, _: object) -> None:
        events.put(None)
        signal.signal(number, before[number])

    with contextlib.suppress(ValueError):  # not in the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.getsignal(number)
            signal.signal(number, stop)
    yield


@contextlib.contextmanager
def _observed(memory: Memory, say: Callable[[str], None]) -> Iterator[Events]:
    """The paths that change, as they change."""
    from watchdog.events import FileSystemEvent, FileSystemEventHandler

    events: Events = queue.SimpleQueue()
    home = memory.tree.home

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: FileSystemEvent) -> None:
            for path in (event.src_path, event.dest_path):
                if event.event_type in _TELLING and path and _concerns(home, os.fsdecode(path)):
                    events.put(os.fsdecode(path))

    observer = _start(home, Handler(), say)
    try:
        yield events
    finally:
        observer.stop()
        observer.join()


def _concerns(home: Path, path: str) -> bool:
    """Whether a change of *path* can matter: not git's, not ours, not an index that we write ourselves."""
    try:
        parts = Path(path).relative_to(home).parts
    except ValueError:
        return False
    if not parts or any(part.startswith(".") for part in parts):
        return False
    return parts[0] != "journal" and (parts[-1] == INDEX or not parts[-1].endswith("~"))


def _start(home: Path, handler: object, say: Callable[[str], None]) -> BaseObserver:
    """An observer of the system's events; one that polls on a network drive, or when watches run out."""
    from watchdog.observers import Observer
    from watchdog.observers.polling import PollingObserver

    kind = _file_system(home)
    if kind not in _REMOTE:
        observer = Observer()
        observer.schedule(handler, str(home), recursive=True)  # type: ignore[arg-type]
        try:
            observer.start()
            return observer
        except OSError as error:
            say(f"The system has no more file watches ({error.strerror}); looking every {POLL_SECONDS:g} s.")
    else:
        say(f"{kind} sends no file events; looking every {POLL_SECONDS:g} s.")
    polling = PollingObserver(timeout=POLL_SECONDS)
    polling.schedule(handler, str(home), recursive=True)  # type: ignore[arg-type]
    polling.start()
    return polling


def _file_system(home: Path) -> str:
    """The type of the file system that *home* lies on, "" where the system does not tell."""
    try:
        mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return ""
    inside = [(m[1], m[2]) for m in mounts if len(m) > 2 and home.is_relative_to(m[1].replace("\\040", " "))]
    return max(inside, key=lambda item: len(item[0]), default=("", ""))[1]


def _is_to_go_on(events: Events) -> bool:
    """Wait for a change, then for quiet. False when the watcher shall end."""
    if events.get() is None:
        return False
    end = time.monotonic() + LONGEST_SECONDS
    with contextlib.suppress(queue.Empty):
        while time.monotonic() < end:
            if events.get(timeout=QUIET_SECONDS) is None:
                return False
    return True


def _settle(memory: Memory, say: Callable[[str], None]) -> None:
    """Settle if anything changed; a fault is said, and the watching goes on."""
    try:
        if unsettled(memory.tree, memory.sessions):
            for line in summary(memory.settle()):
                say(line)
            memory.refresh_hosts()
    except MemorySkillError as error:
        say(f"error: {error}")
    except OSError as error:
        say(f"error: {error.strerror or error}")
