"""`.state/install.json`: exactly what was put where, so that it can be taken away again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..journal import now
from ..tree import write_atomic
from .change import Change, Item, Record, back_up, digest, missing_folders
from .setup import Setup


@dataclass
class Manifest:
    """One installation. *folders* were made by it; *native* has the digests of copied native notes."""

    python: str = ""
    command: str = ""
    mode: str = ""
    at: str = ""
    records: list[Record] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    native: list[str] = field(default_factory=list)

    @property
    def hosts(self) -> list[str]:
        return list(dict.fromkeys(record.host for record in self.records))


def path_of(tree: Path) -> Path:
    return tree / ".state" / "install.json"


def backups_of(tree: Path) -> Path:
    return tree / ".state" / "backups"


def read(tree: Path) -> Manifest | None:
    """The manifest of *tree*; None where there is none that can be read."""
    try:
        found = json.loads(path_of(tree).read_bytes())
        found.pop("version")
        found["records"] = [Record(**record) for record in found["records"]]
        return Manifest(**found)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def write(tree: Path, manifest: Manifest) -> None:
    data = json.dumps({"version": 1} | asdict(manifest), indent=1, ensure_ascii=False) + "\n"
    path_of(tree).parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path_of(tree), data.encode("utf-8", "replace"))


def extend(manifest: Manifest, changes: Mapping[str, list[Change]], setup: Setup) -> None:
    """Enter what is about to change, per host, and keep copies of what is there now."""
    at = now().replace(":", "").replace("+", "Z")[:17]
    folder = backups_of(setup.tree) / at
    for number, (host, change) in enumerate((host, one) for host, some in changes.items() for one in some):
        kept = folder / f"{number:02d}-{change.path.name}"
        backup = f"{at}/{kept.name}" if back_up(change, kept) else None
        _enter(manifest.records, host, change, backup)
    everything = [change for some in changes.values() for change in some]
    made = [str(path) for path in missing_folders(everything)]
    manifest.folders = list(dict.fromkeys([*manifest.folders, *made]))
    manifest.python, manifest.command, manifest.mode = setup.python, setup.commands[0], setup.mode
    manifest.at = now()


def _enter(records: list[Record], host: str, change: Change, backup: str | None) -> None:
    link = None if change.link is None else str(change.link)
    before, after = digest(change.before), digest(change.after)
    old = next((record for record in records if record.path == str(change.path)), None)
    if old is None:
        items = list(change.items)
        records.append(Record(str(change.path), host, change.kind, before, after, backup, link, items))
        return
    if old.kind == "settings" and old.after != before:
        old.backup = None  # the user has edited it since: that copy is not what it was before us
    old.after, old.link, old.items = after, link, _merged(old.items, change.items)


def _merged(old: Iterable[Item], new: Iterable[Item]) -> list[Item]:
    """*old* and *new*; of two that set the same key, the first one's `previous` counts."""
    found: list[Item] = list(old)
    for item in new:
        twin = next((one for one in found if _key(one) == _key(item)), None)
        if twin is None:
            found.append(item)
        elif item["op"] == "set":
            twin["value"] = item["value"]
    return found


def _key(item: Item) -> tuple[Any, ...]:
    return item["op"], tuple(item.get("path", ())), item.get("value") if item["op"] == "item" else None
