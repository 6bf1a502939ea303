"""Takes the memory out of the hosts: every file as it was, apart from what the user has edited since."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .. import config as settings
from ..errors import MemorySkillError
from ..hosts import HOSTS
from ..hosts import kimi_code as kimi
from ..tree import Tree
from . import claude_code, jsonfile, kimi_code, manifest
from .change import Change, Record, apply, digest, read, remove_empty
from .setup import Setup, interpreter
from .survey import registrations

# What is left of settings that we made.
EMPTY: tuple[dict[str, Any], ...] = ({}, {"version": 1, "plugins": []}, {"version": 1})


@dataclass(frozen=True)
class Removal:
    """What `uninstall` would do. *left* says what stays, and why."""

    setup: Setup
    hosts: tuple[str, ...]
    changes: tuple[Change, ...]
    folders: tuple[Path, ...]
    left: tuple[str, ...]


@dataclass
class _Undoing:
    changes: list[Change] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


_RESTORE = {"claude-code": claude_code.restore, "kimi-code": kimi_code.restore}


def plan_removal(env: Mapping[str, str], *, home: Path | None = None, hosts: Sequence[str] = ()) -> Removal:
    """Look, and say what has to change to take everything out again, also where the tree is gone."""
    tree = home.absolute() if home else _tree(env)
    setup = Setup(tree, interpreter(), env)
    kept = manifest.read(tree)
    records = kept.records if kept else _guessed(setup)
    wanted = [record for record in records if not hosts or record.host in hosts]
    undoing = _Undoing()
    for record in reversed(wanted):
        _undo(record, setup, undoing)
    known = [Path(folder) for folder in (kept.folders if kept else [])] or _own_folders(setup)
    if Tree(tree).exists():
        undoing.left.append(f"{setup.shown(tree)}: your memory; it is yours to keep or to delete")
    watcher = watching(tree)
    if watcher:
        undoing.left.append(f"memory-skill watch, which runs on: kill {watcher}")
    named = tuple(dict.fromkeys(record.host for record in wanted))
    return Removal(setup, named, tuple(undoing.changes), tuple(known), tuple(undoing.left))


def _tree(env: Mapping[str, str]) -> Path:
    """The tree that the environment names; without a manifest there, the one that the hooks name."""
    tree = settings.home_of(env)[0]
    if manifest.path_of(tree).is_file():
        return tree
    for name in HOSTS:
        try:
            found = registrations(name, env)
        except MemorySkillError:
            continue
        for words in (words for hooks in found.values() for words in hooks if "--home" in words[:-1]):
            return Path(words[words.index("--home") + 1])
    return tree


def watching(tree: Path) -> int | None:
    """The process of the `watch` on *tree*, if one runs."""
    try:
        pid = int(json.loads((tree / ".state" / "watch.json").read_bytes())["pid"])
        os.kill(pid, 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid


def uninstall(removal: Removal) -> None:
    """Carry it out. Raises: Conflict or Refused with nothing changed."""
    apply(removal.changes)
    remove_empty(removal.folders)
    kept = manifest.read(removal.setup.tree)
    if kept is None:
        return
    kept.records = [record for record in kept.records if record.host not in removal.hosts]
    if kept.records:
        manifest.write(removal.setup.tree, kept)
    else:
        manifest.path_of(removal.setup.tree).unlink(missing_ok=True)


def _undo(record: Record, setup: Setup, undoing: _Undoing) -> None:
    path = Path(record.path)
    if record.link is not None:
        if path.is_symlink() and str(path.readlink()) == record.link:
            undoing.changes.append(Change(path, b"", None, "our link", "link", Path(record.link)))
        return
    try:
        now = read(path)
        if now is None:
            return
        after = _before(record, now, setup)
    except MemorySkillError as error:
        undoing.left.append(f"{setup.shown(path)}: {error.what}; our part is still in it")
        return
    if after is not None and after == now and record.kind == "file":
        undoing.left.append(f"{setup.shown(path)}: you have edited it")
    elif after != now:
        undoing.changes.append(Change(path, now, after, "as before us", record.kind))


def _before(record: Record, now: bytes, setup: Setup) -> bytes | None:
    """What the file was before us, as far as that goes: an edit of the user's own stays in it."""
    if record.kind == "generated":
        return None
    if digest(now) == record.after:
        if record.before is None:
            return None
        copy = read(manifest.backups_of(setup.tree) / record.backup) if record.backup else None
        if digest(copy) == record.before:
            return copy
    if record.kind == "file":
        return now
    rest: bytes = _RESTORE[record.host](now, record.items, record.path)
    return None if record.before is None and _says_nothing(rest) else rest


def _says_nothing(raw: bytes) -> bool:
    try:
        return not raw.strip() or jsonfile.load(raw.decode("utf-8")) in EMPTY
    except ValueError:
        return False


def _guessed(setup: Setup) -> list[Record]:
    """The records of an installation whose manifest is gone: what can be told to be ours."""
    records: list[Record] = []
    skill = claude_code.folder(setup)
    if not claude_code.is_copy(skill):
        records += [_ours(path, "claude-code") for path in claude_code.files(setup)]
    shared = HOSTS["kimi-code"].skills(setup.env) / "memory-skill"
    if not claude_code.is_copy(shared):
        records.append(_ours(shared / "SKILL.md", "kimi-code"))
    records += [_ours(path, "kimi-code") for path in kimi_code.files(setup)]
    session = kimi.session_skill_file(setup.env)
    records.append(Record(str(session), "kimi-code", "generated"))
    for path, name in ((skill / "skills", "claude-code"), (session.parents[1] / "learned", "kimi-code")):
        if path.is_symlink():
            records.append(Record(str(path), name, "link", link=str(path.readlink())))
    return records + _guessed_settings(setup)


def _guessed_settings(setup: Setup) -> list[Record]:
    """Files that exist count as the user's own; what we put in is known by its form."""
    found = []
    for name, path, items in (
        ("claude-code", HOSTS["claude-code"].registry(setup.env), None),
        ("kimi-code", HOSTS["kimi-code"].registry(setup.env), [{"op": "toml"}]),
        ("kimi-code", kimi_code.registry(setup), [{"op": "plugin", "previous": None}]),
    ):
        raw = read(path)
        if raw is None:
            continue
        try:
            known = claude_code.guess(raw, setup, str(path)) if items is None else items
        except MemorySkillError:
            known = []
        found.append(Record(str(path), name, "settings", digest(raw), items=known))
    return found


def _ours(path: Path, name: str) -> Record:
    return Record(str(path), name, "file", None, digest(read(path)))


def _own_folders(setup: Setup) -> list[Path]:
    roots = (
        claude_code.folder(setup),
        kimi_code.folder(setup),
        HOSTS["kimi-code"].skills(setup.env) / "memory-skill",
    )
    inside = [path for root in roots if root.is_dir() for path in root.rglob("*") if path.is_dir()]
    return [*roots, *inside]
