"""Every knob, its unit and its default; the only reader of the environment and of the config files.

Three places, later ones win: the tree's `config.toml`, the user's own
`$XDG_CONFIG_HOME/memory-skill/config.toml`, and `MEMORY_SKILL_<GROUP>_<KEY>` in the environment.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from . import secrets
from .errors import ConfigError

FORMAT = 1  # of the tree; a newer one is read and never written
PREFIX = "MEMORY_SKILL_"
_HASH = re.compile(r"[0-9a-fA-F]{8,64}")


def _choice(default: str, *others: str) -> Any:
    return field(default=default, metadata={"choices": (default, *others)})


def _number(default: int, least: int, most: int) -> Any:
    return field(default=default, metadata={"least": least, "most": most})


def _hashes() -> Any:
    return field(default=(), metadata={"hashes": True, "own": True})


@dataclass(frozen=True)
class HistoryKnobs:
    commit: str = _choice("auto", "manual")  # auto: one commit per verb; manual: `git diff` is the review


@dataclass(frozen=True)
class DistilKnobs:
    every_turns: int = _number(3, 1, 1000)  # turns between two briefs, before it adapts
    when_unattended: str = _choice("wait", "block", "off")  # Claude Code's -p
    kimi: str = _choice("block", "wait")  # Kimi Code cannot tell -p from its screen


@dataclass(frozen=True)
class RecallKnobs:
    limit: int = _number(5, 1, 100)  # entries
    max_chars: int = _number(4000, 200, 100_000)  # characters of a rendered block
    prompt_chars: int = _number(1500, 200, 9000)  # characters put before one prompt
    note_chars: int = _number(1200, 200, 20_000)  # a longer entry is shown as its best paragraphs
    pinned_chars: int = _number(2000, 0, 9000)  # characters of pinned entries at session start


@dataclass(frozen=True)
class IndexKnobs:
    max_lines: int = _number(200, 20, 200)  # what Claude Code loads of MEMORY.md
    max_bytes: int = _number(25_000, 1000, 25_000)  # the same
    max_line_chars: int = _number(150, 40, 400)  # characters


@dataclass(frozen=True)
class GateKnobs:
    max_chars: int = _number(20_000, 100, 1_000_000)  # characters of one note
    min_chars: int = _number(10, 1, 1000)  # characters of one entry; a Chinese character counts as two
    min_turn_chars: int = _number(50, 1, 10_000)  # the same of a turn
    duplicate: int = _number(85, 50, 100)  # percent alike; above, an entry with nothing new is refused
    max_footnotes: int = _number(70, 1, 100)  # percent of an assistant's text
    max_code: int = _number(80, 1, 100)  # the same
    allow: tuple[str, ...] = _hashes()  # sha256 of what looks like a secret and is none


@dataclass(frozen=True)
class ReviewKnobs:
    gate: str = _choice("off", "ask", "strict")  # whether recall waits for the inbox to be decided


@dataclass(frozen=True)
class JournalKnobs:
    keep_days: int = _number(0, 0, 36_500)  # days; 0 keeps everything


@dataclass(frozen=True)
class ClaudeKnobs:
    mode: str = _choice("adopt", "beside")  # adopt: its auto-memory lives in this tree


@dataclass(frozen=True)
class Config:
    """All settings of one tree. *local*: the tree is a folder of a code repository; there we never commit."""

    home: Path
    local: bool = False
    format: int = FORMAT
    history: HistoryKnobs = HistoryKnobs()
    distil: DistilKnobs = DistilKnobs()
    recall: RecallKnobs = RecallKnobs()
    index: IndexKnobs = IndexKnobs()
    gate: GateKnobs = GateKnobs()
    review: ReviewKnobs = ReviewKnobs()
    journal: JournalKnobs = JournalKnobs()
    claude: ClaudeKnobs = ClaudeKnobs()

    @property
    def writable(self) -> bool:
        """False for a tree of a newer format, which is read and never written."""
        return self.format <= FORMAT

    @property
    def commits(self) -> bool:
        return self.history.commit == "auto" and not self.local


GROUPS: dict[str, type] = {
    "history": HistoryKnobs,
    "distil": DistilKnobs,
    "recall": RecallKnobs,
    "index": IndexKnobs,
    "gate": GateKnobs,
    "review": ReviewKnobs,
    "journal": JournalKnobs,
    "claude": ClaudeKnobs,
}


def home_of(env: Mapping[str, str], cwd: Path | None = None) -> tuple[Path, bool]:
    """Where the tree is, and whether it is a folder of a code repository (`MEMORY_SKILL_LOCAL`)."""
    if env.get(PREFIX + "HOME"):
        return Path(env[PREFIX + "HOME"]).expanduser().absolute(), False
    if env.get(PREFIX + "LOCAL", "0") not in ("", "0"):
        start = (cwd or Path.cwd()).absolute()
        root = next((p for p in (start, *start.parents) if (p / ".git").exists()), start)
        return root / ".memory-skill", True
    return Path(env.get("HOME") or Path.home()) / ".memory-skill", False


def user_file(env: Mapping[str, str]) -> Path:
    """The user's own config file, outside every tree."""
    base = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or Path.home()) / ".config")
    return Path(base) / "memory-skill" / "config.toml"


def load(env: Mapping[str, str], home: Path | None = None, cwd: Path | None = None) -> Config:
    """Read the settings of the tree at *home*, or of the one that *env* names.

    Raises: ConfigError with the key, what was expected and what was found.
    """
    place, local = (home.absolute(), False) if home else home_of(env, cwd)
    config = _from_files(Config(home=place, local=local), env)
    return _with_allowed(_merge(config, _from_env(env), "the environment"))


def _with_allowed(config: Config) -> Config:
    """*config*, its allowed hashes made known to the masking of this process."""
    secrets.allow(config.gate.allow)
    return config


def _from_files(config: Config, env: Mapping[str, str]) -> Config:
    ours, users = config.home / "config.toml", user_file(env)
    config = _merge(config, _without_own(_read_toml(ours), str(ours)), str(ours), tree=True)
    return _merge(config, _read_toml(users), str(users))


def load_for_hook(env: Mapping[str, str]) -> tuple[Config, str | None]:
    """The settings for a hook, and what is wrong with them, if anything: never raises.

    Reads `.state/config.json`, compiled from the TOML and checked by its mtime; a config that cannot be read
    leaves the last valid one in force.
    """
    place, local = home_of(env, Path(env["PWD"]) if env.get("PWD") else None)
    stamps = [_stamp(path) for path in (place / "config.toml", user_file(env))]
    compiled = _read_compiled(place)
    if compiled and compiled.get("stamps") == stamps:
        return _with_env(_from_dict(place, local, compiled["config"]), env)
    try:
        config = _from_files(Config(place, local), env)
    except ConfigError as error:
        last = _from_dict(place, local, compiled["config"]) if compiled else Config(place, local)
        return last, str(error)
    _write_compiled(place, stamps, config)
    return _with_env(config, env)


def _with_env(config: Config, env: Mapping[str, str]) -> tuple[Config, str | None]:
    try:
        return _with_allowed(_merge(config, _from_env(env), "the environment")), None
    except ConfigError as error:
        return config, str(error)


def _stamp(path: Path) -> list[int]:
    try:
        stat = path.stat()
    except OSError:
        return []
    return [stat.st_mtime_ns, stat.st_size]


def _read_compiled(home: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((home / ".state" / "config.json").read_bytes())
        return found if isinstance(found["config"], dict) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write_compiled(home: Path, stamps: list[list[int]], config: Config) -> None:
    """Best effort: on a read-only disk the TOML is simply read each time."""
    values = {name: asdict(getattr(config, name)) for name in GROUPS} | {"format": config.format}
    target = home / ".state" / "config.json"
    scratch = target.with_name(f"config.json.{os.getpid()}")
    try:
        if target.parent.is_dir():
            scratch.write_text(json.dumps({"stamps": stamps, "config": values}), encoding="utf-8")
            scratch.replace(target)
    except OSError:
        return


def _from_dict(home: Path, local: bool, values: dict[str, Any]) -> Config:
    try:
        return _merge(Config(home, local), values, "config.json", tree=True)
    except ConfigError:
        return Config(home, local)


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(path)) from error
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not TOML: {error}", where=str(path), hint=f"mend {path}") from error


def _without_own(values: dict[str, Any], where: str) -> dict[str, Any]:
    """*values* of a tree's file. Raises: ConfigError for a key that only the user may set."""
    for group, kind in GROUPS.items():
        for knob in fields(kind):
            given = values.get(group)
            if knob.metadata.get("own") and isinstance(given, dict) and knob.name in given:
                raise ConfigError(
                    f"{group}.{knob.name}: a tree cannot set it",
                    where=where,
                    hint="write it into ~/.config/memory-skill/config.toml",
                )
    return values


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, dict[str, Any]] = {}
    for group, kind in GROUPS.items():
        for knob in fields(kind):
            given = env.get(f"{PREFIX}{group}_{knob.name}".upper())
            if given:
                number = knob.type == "int" and re.fullmatch(r"-?[0-9]+", given)
                value = given.replace(",", " ").split() if knob.metadata.get("hashes") else given
                values.setdefault(group, {})[knob.name] = int(given) if number else value
    return values


def _merge(config: Config, values: dict[str, Any], where: str, *, tree: bool = False) -> Config:
    """*config* with *values* set; the *tree*'s own file also says its format."""
    if tree:
        found = values.get("format", FORMAT)
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            raise _wrong(where, "format", "a whole number from 1", found)
        config = replace(config, format=found)
        values = {key: value for key, value in values.items() if key != "format"}
        values = values if config.writable else _understood(config, values)
    for key, value in values.items():
        if key not in GROUPS or not isinstance(value, dict):
            raise _unknown(where, key, ["format", *GROUPS] if tree else [*GROUPS])
        config = replace(config, **{key: _merge_group(getattr(config, key), value, key, where)})
    return config


def _understood(config: Config, values: dict[str, Any]) -> dict[str, Any]:
    """What we can read of a newer format's keys: such a tree is still read."""
    found: dict[str, Any] = {}
    for group, knobs in values.items():
        for key, value in knobs.items() if isinstance(knobs, dict) else ():
            with contextlib.suppress(ConfigError):
                _merge(config, {group: {key: value}}, "")
                found.setdefault(group, {})[key] = value
    return found


def _merge_group(group: Any, values: dict[str, Any], name: str, where: str) -> Any:
    knobs = {knob.name: knob for knob in fields(group)}
    for key, value in values.items():
        if key not in knobs:
            raise _unknown(where, f"{name}.{key}", [f"{name}.{k}" for k in knobs])
        _check(where, f"{name}.{key}", knobs[key].metadata, value)
    return replace(group, **{key: tuple(v) if isinstance(v, list) else v for key, v in values.items()})


def _check(where: str, key: str, allowed: Mapping[str, Any], value: object) -> None:
    if "choices" in allowed:
        if value not in allowed["choices"]:
            raise _wrong(where, key, " or ".join(map(repr, allowed["choices"])), value)
    elif "hashes" in allowed:
        if not isinstance(value, list) or not all(_HASH.fullmatch(str(one)) for one in value):
            raise _wrong(where, key, "a list of 8 to 64 hex digits each", value)
    elif isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(where, key, "a whole number", value)
    elif not allowed["least"] <= value <= allowed["most"]:
        raise _wrong(where, key, f"{allowed['least']} to {allowed['most']}", value)


def _wrong(where: str, key: str, expected: str, found: object) -> ConfigError:
    what = f"{key}: expected {expected}, found {found!r}"
    return ConfigError(what, where=where, hint=f"mend {key} in {where}")


def _unknown(where: str, key: str, known: list[str]) -> ConfigError:
    return ConfigError(f"{key}: no such key", where=where, hint="the keys are " + ", ".join(known))
