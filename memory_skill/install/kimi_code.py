"""What Kimi Code gets: `[[hooks]]` in config.toml, a plugin that opens each session, and the skill.

The plugin lies in Kimi Code's own folder of plugins, where the hooks keep its session skill up to date; the
client reads that file before its SessionStart hook runs (2.1.0). There is no command that installs a plugin.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from .. import opening, pack
from ..errors import ConfigError
from ..hosts import kimi_code as host
from ..journal import now
from ..tree import Tree
from . import claude_code, jsonfile, tomlfile
from .change import Change, Item, read
from .manifests import kimi_installed
from .setup import Setup, is_ours

PLUGINS: jsonfile.Keys = ("plugins",)


def plan(setup: Setup, notes: list[str]) -> list[Change]:
    """The changes that Kimi Code needs, the config last; *notes* gets what a person should know."""
    return [*_skill(setup, notes), *_plugin(setup, notes), *repair(setup, notes)]


def repair(setup: Setup, notes: list[str]) -> list[Change]:
    """The change of config.toml alone."""
    path = host.registry(setup.env)
    before = read(path)
    start = tomlfile.decode(before or b"", str(path))
    wanted = hooks(setup)
    try:
        if [hook for hook in tomlfile.hooks(start) if mine(hook)] == wanted:
            return []
        text = tomlfile.add(tomlfile.remove(start, mine), wanted)
    except ConfigError as error:
        error.where = str(path)
        raise
    return [Change(path, before, text.encode("utf-8"), "hooks", "settings", items=({"op": "toml"},))]


def hooks(setup: Setup) -> list[dict[str, Any]]:
    """The registrations: only the four keys that the client knows, since a fifth makes it drop them all."""
    found = []
    for hook in host.HOOKS:
        matcher = {"matcher": hook.matcher} if hook.matcher else {}
        command = shlex.join(setup.argv(host.NAME, hook.kind))
        found.append({"event": hook.event, **matcher, "command": command, "timeout": hook.timeout})
    return found


def mine(hook: dict[str, Any]) -> bool:
    return is_ours(words(hook))


def words(hook: dict[str, Any]) -> list[str]:
    try:
        return shlex.split(str(hook.get("command", "")))
    except ValueError:
        return []


def folder(setup: Setup) -> Path:
    """The plugin's folder."""
    return host.session_skill_file(setup.env).parents[2]


def registry(setup: Setup) -> Path:
    """The list of installed plugins."""
    return host.home(setup.env) / "plugins" / "installed.json"


def files(setup: Setup) -> dict[Path, bytes]:
    """The files of the plugin but the session skill, which changes with the tree."""
    manifest = json.dumps(kimi_installed(host.SESSION_SKILL), indent=2, ensure_ascii=False) + "\n"
    found = {folder(setup) / "kimi.plugin.json": manifest.encode("utf-8")}
    for name, data in claude_code.commands().items():
        found[folder(setup) / "commands" / name] = data
    return found


def _skill(setup: Setup, notes: list[str]) -> list[Change]:
    base = host.skills(setup.env) / "memory-skill"
    if claude_code.is_copy(base):
        notes.append(f"{setup.shown(base)} is a copy of the repository: its files stay as they are")
        return []
    data, path = pack.read("SKILL.md").encode("utf-8"), base / "SKILL.md"
    before = read(path)
    return [] if before == data else [Change(path, before, data, "the skill")]


def _plugin(setup: Setup, notes: list[str]) -> list[Change]:
    changes = []
    for path, data in files(setup).items():
        before = read(path)
        if before != data:
            changes.append(Change(path, before, data, "the plugin that opens each session"))
    session = host.session_skill_file(setup.env)
    if read(session) is None:
        text = host.session_skill(*opening.standing(Tree(setup.tree), setup.env))
        changes.append(Change(session, None, text.encode("utf-8"), "the law and the index", "generated"))
    learned = folder(setup) / "skills" / "learned"
    changes += claude_code.link(learned, setup.tree / "skills", "the tree's own skills", notes)
    return [*changes, *_enlist(setup)]


def _enlist(setup: Setup) -> list[Change]:
    path = registry(setup)
    before = read(path)
    text = jsonfile.decode(before, str(path)) if before else '{\n  "version": 1\n}\n'
    plugins = jsonfile.get(text, PLUGINS, [])
    if not isinstance(plugins, list):
        raise ConfigError("plugins: expected a list; nothing was written", where=str(path))
    place = next((n for n, one in enumerate(plugins) if is_plugin(one)), None)
    if place is None:
        text, previous = jsonfile.append(text, PLUGINS, _listing(setup)), None
    elif plugins[place].get("root") == str(folder(setup)):
        return []  # also where the user has switched it off
    else:
        text, previous = jsonfile.replace_item(text, PLUGINS, place, _listing(setup)), plugins[place]
    items: tuple[Item, ...] = ({"op": "plugin", "previous": previous},)
    return [Change(path, before, text.encode("utf-8"), "the plugin's entry", "settings", items=items)]


def is_plugin(one: Any) -> bool:
    return isinstance(one, dict) and one.get("id") == host.PLUGIN


def _listing(setup: Setup) -> dict[str, Any]:
    return {
        "id": host.PLUGIN,
        "root": str(folder(setup)),
        "source": "local-path",
        "enabled": True,
        "installedAt": now(),
        "originalSource": str(folder(setup)),
    }


def restore(raw: bytes, items: list[Item], where: str) -> bytes:
    """*raw* without *items*. Raises: ConfigError."""
    if any(item["op"] == "toml" for item in items):
        return tomlfile.remove(tomlfile.decode(raw, where), mine).encode("utf-8")
    text = jsonfile.decode(raw, where)
    previous = next((item["previous"] for item in items if item.get("previous")), None)
    place = next((n for n, one in enumerate(jsonfile.get(text, PLUGINS, [])) if is_plugin(one)), None)
    if place is not None and previous:
        return jsonfile.replace_item(text, PLUGINS, place, previous).encode("utf-8")
    return jsonfile.drop_items(text, PLUGINS, is_plugin).encode("utf-8")
