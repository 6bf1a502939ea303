"""Puts the memory into the hosts of this machine, and takes it out again.

A plan first: reading only, a list of `Change`s that can be shown as diffs. Then all of it or nothing, with
copies of what was there and a manifest of what was added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from .. import config as settings
from .. import opening
from ..errors import NotFound, UsageError
from ..hosts import HOSTS
from ..tree import Tree
from . import claude_code, fire, kimi_code, manifest, native
from .change import Change, apply, diff
from .manifest import Manifest
from .removal import Removal, plan_removal, uninstall
from .setup import Setup, interpreter
from .survey import found_hosts, registrations

__all__ = [
    "Installed",
    "Plan",
    "Removal",
    "diff",
    "fire_hooks",
    "install",
    "plan",
    "plan_removal",
    "uninstall",
]

PLANNERS: dict[str, ModuleType] = {"claude-code": claude_code, "kimi-code": kimi_code}


@dataclass(frozen=True)
class Plan:
    """What `install` would do. *changes* are per host; *notes* is what a person should know."""

    setup: Setup
    hosts: tuple[str, ...]
    new_tree: bool
    changes: dict[str, list[Change]]
    native: tuple[native.Native, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.new_tree or self.native or any(self.changes.values()))


@dataclass(frozen=True)
class Installed:
    """What was done: the files, and the native notes."""

    changed: tuple[str, ...]
    copied: native.Copied
    backups: str | None


def plan(
    env: Mapping[str, str],
    *,
    home: Path | None = None,
    hosts: Sequence[str] = (),
    mode: str | None = None,
    repair: bool = False,
) -> Plan:
    """Look, and say what has to change; writes nothing.

    *hosts* limits it to some; *repair* to the registrations of hosts that have ours already.
    Raises: ConfigError for settings that cannot be read as what they are; Refused for unreadable ones;
    NotFound without a host, or when this interpreter does not hold the package; UsageError.
    """
    config = settings.load(env, home)
    if config.local:
        raise UsageError(
            "a memory inside a code repository is not installed into hosts", hint="unset MEMORY_SKILL_LOCAL"
        )
    known = manifest.read(config.home) or Manifest()
    setup = Setup(config.home, interpreter(), env, mode or known.mode or config.claude.mode)
    fire.check_interpreter(setup)
    chosen = [name for name in hosts or found_hosts(env) if not repair or registrations(name, env)]
    if not chosen:
        raise _no_host(repair)
    notes: list[str] = _cautions(setup)
    changes = {name: _planned(name, setup, repair, notes) for name in chosen}
    natives: list[native.Native] = []
    if "claude-code" in chosen and setup.mode == "adopt" and not repair:
        natives = native.find(env, known.native)
    return Plan(setup, tuple(chosen), not Tree(config.home).exists(), changes, tuple(natives), tuple(notes))


def _planned(name: str, setup: Setup, repair: bool, notes: list[str]) -> list[Change]:
    planner = PLANNERS[name]
    changes: list[Change] = planner.repair(setup, notes) if repair else planner.plan(setup, notes)
    return changes


def _no_host(repair: bool) -> NotFound:
    if repair:
        return NotFound("no host has hooks of ours", hint="memory-skill install")
    hint = "install Claude Code or Kimi Code, or name one: memory-skill install --host claude-code"
    return NotFound("neither Claude Code nor Kimi Code was found", hint=hint)


def _cautions(setup: Setup) -> list[str]:
    parts = Path(setup.python).parts
    if "uv" in parts and any(part.startswith(("archive-", "environments-")) for part in parts):
        return [f"{setup.python} lies in uv's cache, which uv may empty: uv tool install memory-skill-pack"]
    if setup.moved:
        return [f"put `export MEMORY_SKILL_HOME={setup.tree}` where your shell starts, for your own calls"]
    return []


def install(plan: Plan) -> Installed:
    """Carry the plan out: tree, native notes, files.

    Raises: Conflict or Refused with nothing changed in the hosts; GitTrouble without git.
    """
    from ..memory import Memory

    setup = plan.setup
    Memory.open(setup.tree, env=setup.env, cwd=setup.tree.parent).init()
    kept = manifest.read(setup.tree) or Manifest()
    copied = native.copy(plan.native, setup.tree, setup.env)
    kept.native = sorted({*kept.native, *(one.digest for one in plan.native)})
    changes = [change for some in plan.changes.values() for change in some]
    if changes or plan.native:
        manifest.extend(kept, plan.changes, setup)
        manifest.write(setup.tree, kept)  # before the first change: a crash in between can be taken back
    apply(changes)
    for name in plan.hosts:
        HOSTS[name].refresh(setup.env, lambda: opening.standing(Tree(setup.tree), setup.env))
    backups = str(manifest.backups_of(setup.tree)) if any(one.before is not None for one in changes) else None
    return Installed(tuple(str(change.path) for change in changes), copied, backups)


def fire_hooks(plan: Plan) -> tuple[fire.Fired, ...]:
    """Run each registered hook once as its host will, and tell how it went."""
    return tuple(fire.fire(plan.setup, list(plan.hosts)))
