"""Checks of the tree: its repository, its notes, its indexes, and what lies on its disk."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from .. import gate, index, note
from ..errors import Locked, MemorySkillError
from ..history import History
from ..note import scope_of, stem_of
from ..sessions import Sessions
from ..settle import unsettled
from ..text import normalise
from ..tree import INDEX, MAX_FILE, NOTE_FOLDERS, flock
from .check import Case, Check, error, ok, some, warning

AGENTS_CHARS = 2_500  # what of AGENTS.md is loaded in every session
STALE_LOCK = 60  # seconds; none of our commits takes as long
LITTLE_DISK = 200_000_000  # bytes
NO_DISK = 5_000_000  # bytes

# Keys of a git config that make git run a program.
_RUNS = re.compile(
    r"(filter\..+|include\.path|includeif\..+|diff\..+\.(command|textconv)|merge\..+\.driver"
    r"|core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass)|credential\..*helper|gpg\..*program)"
)
_CALLS = re.compile(rb"(?m)^[^#\n]*\sfilter=\S")
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
_CONFLICT = re.compile(r"(?m)^(<{7} |>{7} )")


def config(case: Case) -> Check:
    """The settings can be read."""
    if case.trouble:
        return error("config", case.trouble, "mend the key; until then the last valid settings are in force")
    if not case.config.writable:
        what = f"the tree has format {case.config.format}, which this version only reads"
        return warning("config", what, "pip install -U memory-skill-pack")
    return ok("config", "is valid")


def speaks(case: Case) -> Check:
    """The user has not switched the memory off."""
    if case.config.privacy.memory == "off":
        return warning(
            "privacy", "the memory is off: nothing is journalled, saved or recalled", "memory-skill on"
        )
    ignored = case.config.privacy.ignore
    return ok("privacy", f"quiet in {some(ignored)}" if ignored else "the memory is on")


def exists(case: Case) -> Check:
    """The tree is there, and a repository of its own."""
    if not case.tree.exists():
        return error("tree", f"there is no memory at {case.home}", "memory-skill init")
    if case.config.local:
        return ok("tree", f"{case.home}, inside a code repository: nothing is committed")
    if not History(case.home).exists():
        return error("tree", f"{case.home} is no git repository: no history, no undo", "memory-skill init")
    return ok("tree", str(case.home))


def repository(case: Case) -> Check:
    """`git fsck` is content."""
    if case.config.local or not History(case.home).exists():
        return ok("git fsck", "no repository to check")
    try:
        trouble = History(case.home).healthy()
    except MemorySkillError as found:
        trouble = found.what
    if trouble:
        return error("git fsck", trouble, f"git -C {case.home} fsck, or clone it anew from a copy")
    return ok("git fsck", "clean")


def programs(case: Case) -> Check:
    """Nothing in the tree's repository makes git run a program: a tree may come from somebody else."""
    if case.config.local:
        return ok("git config", "the code repository's own")
    found = [key for key, value in _git_config(case.home) if _RUNS.fullmatch(key) and value != "false"]
    for path in (case.home / ".gitattributes", case.home / ".git" / "info" / "attributes"):
        with contextlib.suppress(OSError):
            if _CALLS.search(path.read_bytes()):
                found.append(str(path.relative_to(case.home)))
    if found:
        fix = f"git config --file {case.home}/.git/config --edit, and take them out unless you put them there"
        return error("git config", f"git would run a program for: {some(found)}", fix)
    return ok("git config", "runs no program")


def _git_config(home: Path) -> Iterator[tuple[str, str]]:
    """Keys and values of the repository's own file; nothing it includes is read."""
    words = ["git", "config", "--file", str(home / ".git" / "config"), "--no-includes", "--null", "--list"]
    try:
        ran = subprocess.run(words, capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return
    for item in ran.stdout.decode("utf-8", "replace").split("\0"):
        key, _, value = item.partition("\n")
        if key:
            yield key.lower(), value


def merge(case: Case) -> Check:
    """No merge waits to be ended: git refuses every commit until then."""
    found = [name for name in _UNFINISHED if (case.home / ".git" / name).exists()]
    if found:
        fix = f"end it: git -C {case.home} status"
        return error("merge", f"a merge or rebase is unfinished ({found[0]}); nothing is committed", fix)
    return ok("merge", "none is unfinished")


def lock(case: Case) -> Check:
    """No lock is left over."""
    left = case.home / ".git" / "index.lock"
    with contextlib.suppress(OSError):
        age = time.time() - left.stat().st_mtime
        if age > STALE_LOCK:
            what = f"{left} is {age / 60:.0f} minutes old: a killed git left it, and no commit works"
            return error("lock", what, f"rm {left}")
    if (case.tree.state / "lock").exists():
        try:
            with flock(case.tree.state / "lock", 0.0):
                pass
        except Locked:
            return warning("lock", "another process is changing the tree just now", "run doctor again")
        except OSError as found:
            return error("lock", f"{case.tree.state / 'lock'}: {found.strerror}", "see: permissions")
    return ok("lock", "free")


def permissions(case: Case) -> Check:
    """The tree can be written by its owner, and by nobody else."""
    if not case.home.is_dir():
        return ok("permissions", "no folder to check")
    folders = [case.home, case.tree.state, *(case.home / name for name in NOTE_FOLDERS)]
    there = [folder for folder in folders if folder.is_dir()]
    shut = [str(folder) for folder in there if not os.access(folder, os.W_OK | os.X_OK)]
    if shut:
        return error("permissions", f"cannot be written: {some(shut)}", f"chmod -R u+rwX {case.home}")
    if os.name == "posix" and any(folder.stat().st_mode & stat.S_IWOTH for folder in there):
        what = "every user of this machine can write into the tree"
        return error("permissions", what, f"chmod -R o-w {case.home}")
    return ok("permissions", "yours to write")


def disk(case: Case) -> Check:
    """There is room to write."""
    place = next(path for path in (case.home, *case.home.parents) if path.exists())
    free = shutil.disk_usage(place).free
    said = f"{free / 1e9:.1f} GB free"
    if free < NO_DISK:
        return error(
            "disk", f"the disk is full ({free / 1e6:.1f} MB free): nothing can be saved", "make room"
        )
    return warning("disk", said, "make room") if free < LITTLE_DISK else ok("disk", said)


def links(case: Case) -> Check:
    """No link in the tree: what it leads to would be read and written as if it were a note."""
    found = [
        str(path.relative_to(case.home))
        for folder in (*NOTE_FOLDERS, "inbox", "archive")
        for path in _entries(case.home / folder)
        if path.is_symlink()
    ]
    if (case.home / INDEX).is_symlink():
        found.append(INDEX)
    if found:
        return warning("links", f"links are not read: {some(found)}", "replace each by the file it leads to")
    return ok("links", "none")


def _entries(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield Path(place, name)


def notes(case: Case) -> Check:
    """Every note can be read."""
    found = []
    for entry in case.tree.walk():
        trouble = _unreadable(case, entry.path, entry.size)
        if trouble:
            found.append(f"{entry.path} ({trouble})")
    if found:
        return warning("notes", f"not readable: {some(found)}", "mend each with an editor; nothing is lost")
    return ok("notes", f"{sum(1 for _ in case.tree.walk())} notes, all readable")


def _unreadable(case: Case, path: str, size: int) -> str:
    if size > MAX_FILE:
        return f"over {MAX_FILE} bytes"
    try:
        raw = case.tree.read(path)
        found = note.parse(raw, path)
    except MemorySkillError as trouble:
        return trouble.what
    if b"\0" in raw or "\ufffd" in raw.decode("utf-8", "replace"):
        return "no UTF-8 text"
    return "a merge conflict stands in it" if _CONFLICT.search(found.raw) else ""


def secrets(case: Case) -> Check:
    """No note holds a key: one that was planted by hand, or before there was a rule for it."""
    found = []
    for path in ["AGENTS.md", INDEX, *(entry.path for entry in case.tree.walk())]:
        with contextlib.suppress(MemorySkillError):
            text = (case.tree.read_or_none(path) or b"").decode("utf-8", "replace")
            masked = gate.redact(text).masked
            if masked:
                found.append(f"{path} ({masked[0]})")
    if found:
        return warning("secrets", f"a key stands in: {some(found)}", "take it out, and make the key invalid")
    return ok("secrets", "none of a known form")


def names(case: Case) -> Check:
    """No two notes of a scope share a name, and no two paths differ in case alone."""
    paths = [entry.path for entry in case.tree.walk()]
    folded = Counter(normalise(path) for path in paths)
    same = [path for path in paths if folded[normalise(path)] > 1]
    if same:
        what = f"differ in case or Unicode form alone, which not every disk can tell: {some(same)}"
        return warning("names", what, "rename one of them")
    twins = Counter((scope_of(path), _name(path)) for path in paths)
    shared = [path for path in paths if twins[scope_of(path), _name(path)] > 1]
    if shared:
        return warning("names", f"share a name, so [[name]] is unclear: {some(shared)}", "rename one of them")
    return ok("names", "all different")


def _name(path: str) -> str:
    folder, _, _ = path.rpartition("/")
    return normalise(folder if path.endswith("/SKILL.md") else stem_of(path))


def bounds(case: Case) -> Check:
    """The root index is within what a host loads, and each of its lines leads to a note."""
    try:
        raw = case.tree.read_or_none(INDEX)
    except MemorySkillError as found:
        return error("index", f"{INDEX}: {found.what}", "memory-skill index")
    if raw is None:
        return warning("index", f"there is no {INDEX}", "memory-skill index")
    text, knobs = raw.decode("utf-8", "replace"), case.config.index
    lines = len(text.splitlines())
    if lines > knobs.max_lines or len(raw) > knobs.max_bytes:
        what = f"{lines} lines, {len(raw)} bytes; a host loads {knobs.max_lines} and {knobs.max_bytes}"
        return error("index", what, f"shorten your own lines in {INDEX}, then: memory-skill index")
    dead = [path for path in index.targets(text) if not (case.home / path).exists()]
    if dead:
        return warning("index", f"leads to what is gone: {some(dead)}", "memory-skill index")
    return ok("index", f"{lines} of {knobs.max_lines} lines, {len(raw)} of {knobs.max_bytes} bytes")


def agents(case: Case) -> Check:
    """AGENTS.md is short enough to be loaded whole."""
    try:
        length = len((case.tree.read_or_none("AGENTS.md") or b"").decode("utf-8", "replace"))
    except MemorySkillError as found:
        return warning("AGENTS.md", found.what, "make it a regular file")
    if length > AGENTS_CHARS:
        what = f"{length} characters; only {AGENTS_CHARS} are loaded"
        return warning("AGENTS.md", what, "move what does not always hold into notes")
    return ok("AGENTS.md", f"{length} of {AGENTS_CHARS} characters")


def settled(case: Case) -> Check:
    """What was edited outside the verbs has been taken up."""
    if unsettled(case.tree, Sessions(case.tree.state)):
        return warning("edits", "files were changed by hand and not yet taken up", "memory-skill settle")
    return ok("edits", "all taken up")


def search(case: Case) -> Check:
    """The search index is whole."""
    from ..search import Search

    path = case.tree.state / "search.sqlite"
    if not path.exists():
        return warning("search index", "there is none yet", "memory-skill search-index rebuild")
    problems = Search(path).verify()
    if problems:
        return warning("search index", some(problems), "memory-skill search-index rebuild")
    return ok("search index", "sound")


NEED_NO_TREE = (config, speaks, exists, permissions, disk)
NEED_TREE = (
    repository,
    programs,
    merge,
    lock,
    notes,
    links,
    names,
    secrets,
    bounds,
    agents,
    settled,
    search,
)
