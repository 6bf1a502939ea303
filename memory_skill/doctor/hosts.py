"""Checks of each host: what is registered, whether it is alive, and whether it lets us be."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ..errors import MemorySkillError
from ..events import Events, Heartbeat
from ..hosts import HOSTS, kimi_code
from ..install import claude_code as claude_plan
from ..install import fire, jsonfile, manifest
from ..install import kimi_code as kimi_plan
from ..install.change import read
from ..install.setup import Setup, interpreter, interpreters, on_path
from ..install.survey import found_hosts, registrations, version
from .check import Case, Check, error, ok, some, warning

OLDEST = {"claude-code": (2, 1, 139), "kimi-code": (2, 0)}  # exec form of hooks; the engine of today
MANAGED = Path("/etc/claude-code/managed-settings.json")
DEAD_AFTER = timedelta(minutes=10)  # between the host's last sign of life and our hook's
RECENT = timedelta(days=7)
SECONDS = 20  # kimi doctor takes three
ALONE = 3  # prompts in a row without a stop


def examine(case: Case) -> Iterator[Check]:
    """All checks of every host that is here, or into which we were installed."""
    kept = manifest.read(case.home)
    names = list(dict.fromkeys([*found_hosts(case.env), *(kept.hosts if kept else [])]))
    if not names:
        yield warning(
            "hosts", "neither Claude Code nor Kimi Code was found", "install one, then: memory-skill install"
        )
    for name in names:
        wanted = bool(kept and name in kept.hosts)
        try:
            found = registrations(name, case.env)
        except MemorySkillError as trouble:
            yield error(f"{name} settings", f"{trouble}", trouble.hint or "mend the file")
            continue
        yield present(name, found, wanted=wanted)
        if not found:
            continue
        yield alive(name, found, case)
        yield one_tree(name, found, case)
        yield beating(name, case)
        yield recent_enough(name, case)
        yield from (_claude(case) if name == "claude-code" else _kimi(case))
    yield failures(case)


def present(name: str, found: dict[str, list[list[str]]], *, wanted: bool) -> Check:
    """Every hook is registered, once."""
    title = f"{name} hooks"
    missing = [hook.event for hook in HOSTS[name].HOOKS if hook.event not in found]
    if len(missing) == len(HOSTS[name].HOOKS) and not wanted:
        return warning(title, "none is registered", f"memory-skill install --host {name}")
    if missing:
        return error(title, f"not registered: {some(missing)}", f"memory-skill install --host {name}")
    twice = [event for event, hooks in found.items() if len(hooks) > 1]
    if twice:
        return error(title, f"registered twice: {some(twice)}", f"memory-skill install --host {name}")
    return ok(title, f"{len(found)} registered")


def alive(name: str, found: dict[str, list[list[str]]], case: Case) -> Check:
    """The interpreter that the hooks name is there and holds the package."""
    title = f"{name} interpreter"
    pythons = interpreters(words for hooks in found.values() for words in hooks)
    for python in pythons:
        said = fire.imports(python, case.env)
        if said:
            fix = "memory-skill install --repair"
            return error(title, f"{python} cannot run the hooks: {said}", fix)
    return ok(title, some(pythons))


def one_tree(name: str, found: dict[str, list[list[str]]], case: Case) -> Check:
    """The hooks serve this tree."""
    title = f"{name} tree"
    default = Path(case.env.get("HOME") or Path.home()) / ".memory-skill"
    for words in (words for hooks in found.values() for words in hooks):
        named = words[words.index("--home") + 1] if "--home" in words[:-1] else str(default)
        if Path(named) != case.home:
            return warning(title, f"its hooks serve {named}", f"memory-skill --home {named} doctor")
    return ok(title, str(case.home))


def beating(name: str, case: Case) -> Check:
    """The hooks have run, lately, and well."""
    title = f"{name} heartbeat"
    beats = {beat.event: beat for beat in Events(case.tree.state).heartbeats() if beat.host == name}
    if not beats:
        return warning(title, "no hook has ever run", f"open {HOSTS[name].TITLE} once and say something")
    failing = [beat for beat in beats.values() if beat.failures]
    if failing:
        worst = max(failing, key=lambda beat: beat.failures)
        what = f"{worst.event} has failed {worst.failures} times in a row: {worst.trouble}"
        return error(title, what, f"see the last lines of {case.tree.state / 'events.jsonl'}")
    silent = _silent(name, beats, case)
    if silent:
        return error(title, silent, f"memory-skill install --host {name}, then open {HOSTS[name].TITLE} anew")
    latest = max(beats.values(), key=lambda beat: beat.last)
    return ok(title, f"{latest.event} ran at {latest.last} ({latest.ms} ms)")


def _silent(name: str, beats: dict[str, Heartbeat], case: Case) -> str:
    """Why the hooks count as dead: the host has worked without them; '' if they do not."""
    prompt = beats.get("prompt")
    if prompt and prompt.alone >= ALONE and "stop" not in beats:
        return f"{prompt.alone} prompts, and the stop hook never ran"
    used = _last_used(name, case)
    if used and prompt and prompt.last:
        ran = max(datetime.fromisoformat(beat.last) for beat in beats.values() if beat.last)
        if used - ran > DEAD_AFTER:
            return f"the host was used at {used:%Y-%m-%d %H:%M}, our hooks last ran at {ran:%Y-%m-%d %H:%M}"
    return ""


def _last_used(name: str, case: Case) -> datetime | None:
    """When the newest transcript of the host was written."""
    pattern = "projects/*/*.jsonl" if name == "claude-code" else "sessions/*/*/agents/main/wire.jsonl"
    times = [path.stat().st_mtime for path in HOSTS[name].home(case.env).glob(pattern)]
    return datetime.fromtimestamp(max(times)).astimezone() if times else None


def recent_enough(name: str, case: Case) -> Check:
    """The host is of a version that reads what we registered."""
    title = f"{name} version"
    said = version(name, case.env)
    if said is None:
        return ok(title, "its command is not on PATH, so its version is unknown")
    if not said:
        return warning(title, "its command does not tell its version", "run it with --version")
    numbers = tuple(int(part) for part in said.split(".")[:3])
    if numbers < OLDEST[name]:
        wanted = ".".join(map(str, OLDEST[name]))
        return warning(title, f"{said} is older than {wanted}", f"upgrade {HOSTS[name].TITLE}")
    return ok(title, said)


def _claude(case: Case) -> Iterator[Check]:
    settings = _settings(HOSTS["claude-code"].registry(case.env))
    managed = _settings(MANAGED)
    if settings.get("disableAllHooks") or managed.get("disableAllHooks"):
        yield error(
            "claude-code policy", "disableAllHooks is set: no hook runs", "take it out of settings.json"
        )
    elif managed.get("allowManagedHooksOnly"):
        what = f"{MANAGED} allows managed hooks only: ours do not run"
        yield error("claude-code policy", what, "ask who administers this machine")
    kept = manifest.read(case.home)
    if kept and kept.mode == "adopt" and settings.get("autoMemoryDirectory") != str(case.home):
        what = (
            f"auto-memory is kept in {settings.get('autoMemoryDirectory', 'its own folder')}, not in the tree"
        )
        yield warning("claude-code memory", what, "memory-skill install, or install --claude beside")
    yield from _files("claude-code", list(claude_plan.files(_setup(case))), claude_plan.folder(_setup(case)))


def _kimi(case: Case) -> Iterator[Check]:
    yield _accepted(case)
    setup = _setup(case)
    entry = next(filter(kimi_plan.is_plugin, _settings(kimi_plan.registry(setup)).get("plugins", [])), None)
    if entry is None:
        yield error(
            "kimi-code plugin", "is not in the list of plugins", "memory-skill install --host kimi-code"
        )
    elif entry.get("enabled") is False:
        yield warning("kimi-code plugin", "is switched off", "switch it on in Kimi Code: /plugins")
    session = kimi_code.session_skill_file(case.env)
    yield from _files("kimi-code", [*kimi_plan.files(setup), session], kimi_plan.folder(setup))


def _accepted(case: Case) -> Check:
    """The client accepts its config: of one bad hook, whoever wrote it, it drops all."""
    title, path = "kimi-code config", kimi_code.registry(case.env)
    binary = on_path("kimi", case.env)
    if binary is None:
        return ok(title, "its command is not on PATH, so nobody was asked")
    with tempfile.TemporaryDirectory() as home:
        words = [str(binary), "doctor", "config", str(path)]
        env = {**case.env, "HOME": home, "KIMI_DISABLE_TELEMETRY": "1", "KIMI_CODE_NO_AUTO_UPDATE": "1"}
        try:
            ran = subprocess.run(words, env=env, capture_output=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return ok(title, "its command does not answer")
    if ran.returncode:
        said = (ran.stdout + ran.stderr).decode("utf-8", "replace").strip().splitlines()
        told = said[-1].strip()[:200] if said else "kimi doctor config"
        return error(title, f"the client refuses it, and with it every hook: {told}", f"mend {path}")
    return ok(title, "accepted by kimi doctor")


def _files(name: str, paths: list[Path], folder: Path) -> Iterator[Check]:
    missing = [str(path) for path in paths if not path.is_file()]
    if missing and not claude_plan.is_copy(folder):
        yield error(f"{name} files", f"gone: {some(missing)}", f"memory-skill install --host {name}")
    else:
        yield ok(f"{name} files", "in place")


def failures(case: Case) -> Check:
    """The log of the hooks has no failure of the last days."""
    since = (datetime.now().astimezone() - RECENT).isoformat()
    found = [
        line
        for line in Events(case.tree.state).tail(500)
        if "what" in line and str(line.get("at", "")) > since
    ]
    if not found:
        return ok("events log", "no failure in a week")
    last = found[-1]
    told = f"{last.get('host')} {last.get('event')}: {last.get('what')}"
    what = f"{len(found)} failures in a week, the last: {told}"
    return warning("events log", what, f"less {case.tree.state / 'events.jsonl'}")


def _setup(case: Case) -> Setup:
    return Setup(case.home, interpreter(), case.env)


def _settings(path: Path) -> dict[str, Any]:
    """A JSON file as far as it can be read: who complains about it is `registrations`."""
    try:
        return jsonfile.load(jsonfile.decode(read(path) or b"", str(path)))
    except (MemorySkillError, json.JSONDecodeError):
        return {}
