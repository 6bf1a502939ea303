"""Power-cut states: what a disk may hold when the power goes in the middle of an operation (D2, after ALICE).

An operation is recorded: every file made, written, synced, renamed, linked and removed. From each moment of
the record states are drawn in which each change that no sync has covered yet may be there or not, in any
order, and each unsynced file may be whole, empty, cut or full of NUL bytes. Git syncs its own files
(`core.fsync=all`); its folder is taken as it stood after the last git that had ended.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .children import run
from .injected import RAW
from .kills import Case
from .shim import Shim, place_of
from .trees import BY_NAME, opened

Files = dict[str, bytes]


class State(NamedTuple):
    """One state that was checked."""

    operation: str
    moment: int
    acknowledged: bool


class File:
    """One inode: its bytes now, and those that a sync has put on the disk (None: not even its size)."""

    def __init__(self, data: bytes = b"", synced: bytes | None = None) -> None:
        self.data, self.synced = data, synced

    def after_cut(self, chance: random.Random) -> bytes:
        if self.synced == self.data:
            return self.data
        half = self.data[: len(self.data) // 2]
        return chance.choice([self.data, self.synced or b"", b"\0" * len(self.data), half])


class Disk:
    """Names as everybody sees them, and as the disk has them; between them lies what waits for a sync."""

    def __init__(self, files: Files) -> None:
        self.seen = {rel: File(data, data) for rel, data in files.items()}
        self.kept = dict(self.seen)
        self.waiting: list[tuple[str, File | None]] = []

    def name(self, rel: str, file: File | None) -> None:
        if file is None:
            self.seen.pop(rel, None)
        else:
            self.seen[rel] = file
        self.waiting.append((rel, file))

    def sync_folder(self, folder: str) -> None:
        here = [(rel, file) for rel, file in self.waiting if rel.rpartition("/")[0] == folder]
        self._keep(here)
        self.waiting = [one for one in self.waiting if one not in here]

    def _keep(self, changes: list[tuple[str, File | None]], names: dict[str, File] | None = None) -> None:
        names = self.kept if names is None else names
        for rel, file in changes:
            if file is None:
                names.pop(rel, None)
            else:
                names[rel] = file

    def cut(self, chance: random.Random) -> Files:
        """The files of one possible state."""
        names = dict(self.kept)
        some = [change for change in self.waiting if chance.random() < 0.5]
        chance.shuffle(some)
        self._keep(some, names)
        return {rel: file.after_cut(chance) for rel, file in names.items()}


class Recorder:
    """Writes down what the operation does; the database and git's folder are read when they have changed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.events: list[tuple[str, str, Any]] = []

    def rel(self, path: Path | None) -> str:
        return path.relative_to(self.home).as_posix() if path and path.is_relative_to(self.home) else ""

    def tell(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> None:
        if name == "git-ended":
            self.events.append(("git", "", read(self.home / ".git")))

    def after(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> None:
        done = more.pop("done", None)
        if name.startswith("sqlite"):
            self._database()
            return
        rel = self.rel(place_of(name, args, more))
        if not rel or rel.startswith(".git/"):
            return
        if name == "write":
            self.events.append(("write", rel, bytes(args[1])[:done]))
        elif name in ("replace", "rename", "link"):
            source = self.rel(Path(os.fspath(args[0])))
            self.events.append((name, rel, source))
        elif name == "open":
            self.events.append(("open", rel, (args[1], rel)))
        elif name == "fsync":
            folder = (self.home / rel).is_dir()
            self.events.append(("sync-folder" if folder else "sync", rel, None))
        elif name in ("unlink", "remove"):
            self.events.append(("unlink", rel, None))

    def _database(self) -> None:
        for path in self.home.glob(".state/search.sqlite*"):
            rel = self.rel(path)
            if not rel.endswith("-journal"):
                self.events.append(("database", rel, path.read_bytes()))


def read(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def replay(files: Files, events: list[tuple[str, str, Any]]) -> tuple[Disk, Files | None]:
    """The disk after *events*, and git's folder after its last call."""
    disk, git = Disk(files), None
    for kind, rel, more in events:
        if kind == "git":
            git = more
        elif kind == "open":
            if rel not in disk.seen:
                disk.name(rel, File())
            elif more[0] & os.O_TRUNC:
                disk.seen[rel].data = b""
        elif kind == "write":
            disk.seen[rel].data += more
        elif kind == "database":
            if rel not in disk.seen:
                disk.name(rel, File())
            disk.seen[rel].data = more
        elif kind == "sync":
            disk.seen[rel].synced = disk.seen[rel].data
        elif kind == "sync-folder":
            disk.sync_folder("" if rel == "." else rel)
        elif kind == "unlink":
            disk.name(rel, None)
        else:
            _renamed(disk, kind, rel, more)
    return disk, git


def _renamed(disk: Disk, kind: str, rel: str, source: str) -> None:
    disk.name(rel, disk.seen[source])
    if kind != "link":
        disk.name(source, None)


def record(case: Case) -> tuple[Files, list[tuple[str, str, Any]]]:
    """The files before the operation and what it did to them."""
    home = case.copy()
    files = {rel: data for rel, data in read(home).items() if not rel.startswith(".git/")}
    recorder = Recorder(home)

    def work() -> str:
        import pickle

        case.operation.do(opened(home))
        (home.parent / "events").write_bytes(pickle.dumps(recorder.events))
        return "done"

    ended = run(work, Shim(recorder.tell, recorder.after))
    assert ended.acknowledged, ended.said
    import pickle

    events: list[tuple[str, str, Any]] = pickle.loads((home.parent / "events").read_bytes())
    return files, [event for event in events if event[1] != "events"]


def campaign(
    source: Path, work: Path, names: tuple[str, ...], seed: int, each: int, *, deep: bool = False
) -> Iterator[State]:
    """*each* states of each operation: at random moments, every fourth at the end, when it is acknowledged.

    A turn of the journal and a session's counter need not outlive a power cut; half a turn is none.
    """
    chance = random.Random(seed)
    for name in names:
        case = Case(BY_NAME[name], source, work)
        files, events = record(case)
        git = read(case.ready / ".git")
        for n in range(each):
            moment = len(events) if n % 4 == 0 else chance.randrange(len(events) + 1)
            disk, later = replay(files, events[:moment])
            home = lay(work / name, disk.cut(chance), later or git)
            try:
                promised = moment == len(events) and name not in RAW
                case.check(home, promised, order=deep or n % 6 == 0, deep=deep)
            except AssertionError as error:
                where = f"{name}, after {moment} of {len(events)} events, draw {n}"
                raise AssertionError(f"{where}: {error}") from error
            yield State(name, moment, moment == len(events))


def lay(folder: Path, files: Files, git: Files) -> Path:
    """The state as a tree on disk."""
    if folder.exists():
        shutil.rmtree(folder)
    home = folder / "memory"
    for rel, data in [*files.items(), *((f".git/{rel}", data) for rel, data in git.items())]:
        path = home / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    _date(home / ".state" / "search.sqlite")
    for rel in (".git/refs/heads", ".git/refs/tags", ".git/objects/info", ".git/objects/pack", "inbox"):
        (home / rel).mkdir(parents=True, exist_ok=True)
    return home


def _date(database: Path) -> None:
    """Give the database the time that its stamp knows, if it has the size, else a time long ago."""
    stamp = database.with_suffix(".stamp")
    size, _, when = (stamp.read_bytes() if stamp.exists() else b"").partition(b" ")
    if database.exists():
        known = size == str(database.stat().st_size).encode() and when.isdigit()
        os.utime(database, ns=(int(when), int(when)) if known else (0, 0))
