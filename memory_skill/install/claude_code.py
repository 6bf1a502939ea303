"""What Claude Code gets: hooks, its memory folder and allow rules in settings.json, and a skill folder.

The skill folder loads as a plugin `memory-skill@skills-dir`: SKILL.md, commands, and the tree's own skills
behind one link. They are listed as `memory-skill:<name>`; a folder of their own beside it would put our
`code-review` before the client's built-in skill of that name (2.1.332).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .. import pack
from ..errors import ConfigError
from ..hosts import claude_code as host
from ..hosts.base import Hook
from . import jsonfile
from .change import Change, Item, read
from .jsonfile import Keys
from .manifests import claude_plugin
from .setup import VERBS, Setup, is_ours

MEMORY: Keys = ("autoMemoryDirectory",)
HOME_VARIABLE: Keys = ("env", "MEMORY_SKILL_HOME")
ALLOW: Keys = ("permissions", "allow")


def plan(setup: Setup, notes: list[str]) -> list[Change]:
    """The changes that Claude Code needs, the settings last; *notes* gets what a person should know."""
    return [*_skill_folder(setup, notes), *repair(setup, notes)]


def repair(setup: Setup, notes: list[str]) -> list[Change]:
    """The change of settings.json alone."""
    path = host.registry(setup.env)
    before = read(path)
    start = jsonfile.decode(before or b"", str(path))
    try:
        text, items = _settings(start, setup, notes)
    except ConfigError as error:
        error.where = str(path)
        raise
    if text == start:
        return []
    why = "hooks, allow rules for save, edit and recall" + (", auto-memory" if setup.mode == "adopt" else "")
    return [Change(path, before, text.encode("utf-8"), why, "settings", items=tuple(items))]


def _settings(text: str, setup: Setup, notes: list[str]) -> tuple[str, list[Item]]:
    items: list[Item] = []
    for hook in host.HOOKS:
        items += _made(text, ("hooks", hook.event))
        text = _register(text, hook, setup)
        items.append({"op": "hooks", "path": ["hooks", hook.event]})
    for rule in rules(setup):
        if rule not in (jsonfile.get(text, ALLOW) or []):
            items += _made(text, ALLOW)
            text = jsonfile.append(text, ALLOW, rule)
            items.append({"op": "item", "path": list(ALLOW), "value": rule})
    if setup.mode == "adopt":
        text = _set(text, MEMORY, str(setup.tree), items)
    elif jsonfile.get(text, MEMORY) == str(setup.tree):
        text = jsonfile.drop(text, MEMORY)
    if setup.moved:
        text = _set(text, HOME_VARIABLE, str(setup.tree), items)
    notes += _warnings(jsonfile.load(text))
    return text, items


def _warnings(settings: dict[str, Any]) -> list[str]:
    found = []
    if settings.get("disableAllHooks"):
        found.append("Claude Code: disableAllHooks is set in settings.json, so no hook will run")
    if settings.get("autoMemoryEnabled") is False:
        found.append(
            "Claude Code: auto-memory is off (autoMemoryEnabled); the start hook gives the index instead"
        )
    return found


def rules(setup: Setup) -> list[str]:
    """The allow rules. A compound command does not match them (2.1.332)."""
    return [f"Bash({command} {verb} *)" for command in setup.commands for verb in VERBS]


def _set(text: str, path: Keys, value: str, items: list[Item]) -> str:
    previous = jsonfile.get(text, path)
    if previous == value:
        return text
    items += _made(text, path[:-1])
    items.append({"op": "set", "path": list(path), "value": value, "previous": previous})
    return jsonfile.put(text, path, value)


def _made(text: str, path: Keys) -> list[Item]:
    """The containers along *path* that are not there yet."""
    there = [jsonfile.get(text, path[:length]) for length in range(1, len(path) + 1)]
    return [{"op": "made", "path": list(path[: n + 1])} for n, value in enumerate(there) if value is None]


def entry(hook: Hook, setup: Setup) -> dict[str, Any]:
    """One registration, in exec form: no shell reads the path of the interpreter."""
    python, *args = setup.argv(host.NAME, hook.kind)
    command = {"type": "command", "command": python, "args": args, "timeout": hook.timeout}
    return ({"matcher": hook.matcher} if hook.matcher else {}) | {"hooks": [command]}


def words(command: object) -> list[str]:
    """The words of one command hook, in exec form or as a line for the shell."""
    if not isinstance(command, dict) or not isinstance(command.get("command"), str):
        return []
    args = command.get("args")
    return [command["command"], *args] if isinstance(args, list) else command["command"].split()


def registered(settings: dict[str, Any]) -> dict[str, list[list[str]]]:
    """Our hooks in settings, by the host's event: the words of each."""
    found: dict[str, list[list[str]]] = {}
    events = settings.get("hooks")
    for event, groups in (events if isinstance(events, dict) else {}).items():
        for group in groups if isinstance(groups, list) else []:
            commands = group.get("hooks") if isinstance(group, dict) else None
            ours = [words(command) for command in commands or [] if is_ours(words(command))]
            if ours:
                found.setdefault(event, []).extend(ours)
    return found


def _register(text: str, hook: Hook, setup: Setup) -> str:
    path, wanted = ("hooks", hook.event), entry(hook, setup)
    groups = jsonfile.get(text, path) or []
    if not isinstance(groups, list):
        raise ConfigError(f"hooks.{hook.event}: expected a list; nothing was written")
    mine = [group for group in groups if _without_ours(group) != group]
    if mine == [wanted]:
        return text
    alone = [place for place, group in enumerate(groups) if group in mine and _without_ours(group) is None]
    if len(mine) == len(alone) == 1:
        return jsonfile.replace_item(text, path, alone[0], wanted)
    return jsonfile.append(_unregister(text, path), path, wanted)


def _unregister(text: str, path: Keys) -> str:
    """Take our hooks out of the groups of one event, and the groups that then hold none."""
    groups = jsonfile.get(text, path)
    for place, group in reversed(list(enumerate(groups if isinstance(groups, list) else []))):
        rest = _without_ours(group)
        if rest is not None and rest != group:
            text = jsonfile.replace_item(text, path, place, rest)
    return jsonfile.drop_items(text, path, lambda group: _without_ours(group) is None)


def _without_ours(group: Any) -> Any:
    """*group* without our hooks; None if no other hook is in it."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return group
    kept = [command for command in group["hooks"] if not is_ours(words(command))]
    if kept == group["hooks"]:
        return group
    return {**group, "hooks": kept} if kept else None


def restore(raw: bytes, items: list[Item], where: str) -> bytes:
    """*raw* without *items*, and without the containers that they needed. Raises: ConfigError."""
    text = jsonfile.decode(raw, where)
    for item in reversed(items):
        path = tuple(item["path"])
        if item["op"] == "hooks":
            text = _unregister(text, path)
        elif item["op"] == "item":
            text = jsonfile.drop_items(text, path, lambda value, ours=item["value"]: bool(value == ours))  # type: ignore[misc]
        elif item["op"] == "set" and jsonfile.get(text, path) == item["value"]:
            previous = item.get("previous")
            text = jsonfile.drop(text, path) if previous is None else jsonfile.put(text, path, previous)
    for item in reversed(items):
        if item["op"] == "made" and jsonfile.get(text, tuple(item["path"])) in ({}, []):
            text = jsonfile.drop(text, tuple(item["path"]))
    return text.encode("utf-8")


def guess(raw: bytes, setup: Setup, where: str) -> list[Item]:
    """What in these settings is ours, where no manifest tells."""
    settings = jsonfile.load(jsonfile.decode(raw, where))
    items: list[Item] = [{"op": "made", "path": ["hooks"]}, {"op": "made", "path": ["permissions"]}]
    items.append({"op": "made", "path": list(ALLOW)})
    for event in registered(settings):
        items += [{"op": "made", "path": ["hooks", event]}, {"op": "hooks", "path": ["hooks", event]}]
    items += [{"op": "item", "path": list(ALLOW), "value": rule} for rule in rules(setup)]
    for path in (MEMORY, HOME_VARIABLE):
        items.append({"op": "set", "path": list(path), "value": str(setup.tree), "previous": None})
    items.append({"op": "made", "path": ["env"]})
    return items


def folder(setup: Setup) -> Path:
    return host.skills(setup.env) / "memory-skill"


def is_copy(path: Path) -> bool:
    """Whether a skill folder is the whole repository: cloned, or copied by `npx skills add`."""
    return (path / ".git").exists() or (path / "pyproject.toml").is_file()


def files(setup: Setup) -> dict[Path, bytes]:
    """The files of our skill folder."""
    base = folder(setup)
    plugin = json.dumps(claude_plugin(), indent=2, ensure_ascii=False) + "\n"
    found = {
        base / "SKILL.md": pack.read("SKILL.md").encode("utf-8"),
        base / ".claude-plugin" / "plugin.json": plugin.encode("utf-8"),
    }
    for name, data in commands().items():
        found[base / "templates" / "commands" / name] = data
    return found


def commands() -> dict[str, bytes]:
    """The user commands of the pack, by file name."""
    folder = pack.root() / "templates" / "commands"
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.md"))}


def _skill_folder(setup: Setup, notes: list[str]) -> list[Change]:
    base, changes = folder(setup), []
    if is_copy(base):
        notes.append(f"{setup.shown(base)} is a copy of the repository: its files stay as they are")
    else:
        for path, data in files(setup).items():
            before = read(path)
            if before != data:
                changes.append(Change(path, before, data, "the skill and its commands"))
    return changes + link(base / "skills", setup.tree / "skills", "the tree's own skills", notes)


def link(path: Path, target: Path, why: str, notes: list[str]) -> list[Change]:
    """The change that makes *path* a link to *target*; what somebody else put there stays."""
    if path.is_symlink():
        if path.readlink() == target:
            return []
        if path.exists():
            notes.append(f"{path} leads elsewhere and stays as it is")
            return []
        return [Change(path, bytes(path.readlink()), bytes(target), why, "link", target)]
    if path.exists():
        notes.append(f"{path} is there already and stays as it is")
        return []
    return [Change(path, None, bytes(target), why, "link", target)]
