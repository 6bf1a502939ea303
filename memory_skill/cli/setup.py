"""The set-up verbs: init, install, uninstall, doctor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError
from .common import Face, confirmed, dry_run_option, json_option, print_json, result, say, yes_option

if TYPE_CHECKING:
    from ..install import Installed, Plan, Removal
    from ..install.change import Change
    from ..install.fire import Fired

host_option = click.option(
    "--host",
    "hosts",
    multiple=True,
    type=click.Choice(["claude-code", "kimi-code"]),
    help="Only this host; may be given twice.",
)


@click.command("init")
@json_option
@click.pass_obj
def init_verb(face: Face, /, as_json: bool) -> None:
    """Make the memory's folder, a git repository of its own; complete it if it is there.

    \b
    Example: memory-skill init
    """
    done = face.memory().init()
    if as_json:
        print_json(done)
        return
    said = f"Made {len(done.created)} files" if done.created else "Nothing to do"
    result(f"{said} in {done.home}{f' (commit {done.commit})' if done.commit else ''}.")


@click.command("install")
@host_option
@click.option(
    "--claude",
    type=click.Choice(["adopt", "beside"]),
    help="adopt: Claude Code's own memory moves into the tree (default). beside: it stays as it is.",
)
@click.option("--repair", is_flag=True, help="Only mend hooks that are registered, say after Python moved.")
@click.option("--watch", is_flag=True, help="Also start `memory-skill watch` in the background.")
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def install_verb(
    face: Face,
    /,
    hosts: Sequence[str],
    claude: str | None,
    repair: bool,
    watch: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Put the memory into Claude Code and Kimi Code: hooks, skill, commands. Shows every change first.

    \b
    Example: memory-skill install --dry-run
             memory-skill install --yes
    """
    from .. import install

    plan = install.plan(os.environ, home=face.home, hosts=hosts, mode=claude, repair=repair)
    if not as_json:
        _show_plan(plan, whole=dry_run or not yes)
    if dry_run:
        _end_plan(plan, as_json=as_json)
        return 0
    if not plan.empty and not _agreed(yes=yes, verb="install"):
        return 0
    done = install.install(plan)
    fired = install.fire_hooks(plan)
    if watch:
        _start_watch(plan)
    if as_json:
        print_json(_installed(plan, done, fired))
    else:
        _show_installed(plan, done, fired)
    return 0 if all(one.ok for one in fired) else 1


def _show_plan(plan: Plan, *, whole: bool) -> None:
    from ..install import diff
    from ..install.survey import title

    shown = plan.setup.shown
    for name in plan.hosts:
        say(f"Found {title(name, plan.setup.env)}.")
    if plan.new_tree:
        say(f"Will make {shown(plan.setup.tree)}, the memory, a git repository of its own.")
    for target, count in _targets(plan):
        say(f"Will copy {count} of Claude Code's own notes to {target}; they stay where they are, too.")
    for name, changes in plan.changes.items():
        for why, some in groupby(changes, key=lambda change: change.why):
            say(f"Will {_told(list(some), shown)} ({name}): {why}.")
    if any("allow rules" in one.why for some in plan.changes.values() for one in some):
        say("Claude Code may then run memory-skill save, edit and recall without asking you; no other verb.")
    for line in plan.notes:
        say(f"Note: {line}.")
    if whole:
        for change in [one for some in plan.changes.values() for one in some]:
            result(diff(change).rstrip("\n"))


def _told(changes: Sequence[Change], shown: Callable[[Path], str]) -> str:
    """What happens to one file, or to some of one purpose."""
    verbs = {_verb(change) for change in changes}
    if len(changes) == 1 or len(verbs) > 1:
        return ", ".join(f"{_verb(change)} {shown(change.path)}" for change in changes)
    folder = os.path.commonpath([change.path.parent for change in changes])
    return f"{verbs.pop()} {len(changes)} files in {shown(Path(folder))}"


def _verb(change: Change) -> str:
    if change.link is not None:
        return "link" if change.after is not None else "unlink"
    return "make" if change.before is None else "remove" if change.after is None else "change"


def _targets(plan: Plan) -> list[tuple[str, int]]:
    from collections import Counter

    return sorted(Counter(one.target for one in plan.native).items())


def _end_plan(plan: Plan, *, as_json: bool) -> None:
    if as_json:
        print_json(_planned(plan) | {"applied": False, "hooks": [], "copied": None, "backups": None})
    elif plan.empty:
        say("Nothing to change.")
    else:
        say("Nothing was written. Next: memory-skill install")


def _agreed(*, yes: bool, verb: str) -> bool:
    """Whether to go on. Raises: UsageError where nobody can be asked."""
    if not yes and not sys.stdin.isatty():
        raise UsageError("nobody is at a terminal to agree", hint=f"memory-skill {verb} --yes")
    agreed = confirmed("Make these changes?", yes=yes)
    if not agreed:
        say("Nothing was written.")
    return agreed


def _start_watch(plan: Plan) -> None:
    words = [plan.setup.python, "-P", "-m", "memory_skill", "--home", str(plan.setup.tree), "watch"]
    nowhere = subprocess.DEVNULL
    subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True)
    say("Started memory-skill watch; it ends with the machine, and `memory-skill status` shows it.")


def _planned(plan: Plan) -> dict[str, Any]:
    changes = [
        {"host": name, "path": str(change.path), "what": _verb(change), "why": change.why}
        for name, some in plan.changes.items()
        for change in some
    ]
    native = [{"to": target, "notes": count} for target, count in _targets(plan)]
    shared = {"home": str(plan.setup.tree), "command": plan.setup.commands[0]}
    return shared | {
        "hosts": list(plan.hosts),
        "changes": changes,
        "native": native,
        "notes": list(plan.notes),
    }


def _installed(plan: Plan, done: Installed, fired: Sequence[Fired]) -> dict[str, Any]:
    more = {"hooks": [asdict(one) for one in fired], "copied": asdict(done.copied)}
    return _planned(plan) | {"applied": True, "backups": done.backups} | more


def _show_installed(plan: Plan, done: Installed, fired: Sequence[Fired]) -> None:
    if plan.empty:
        result("Everything is in place already.")
    else:
        kept = f"; copies of what was there: {plan.setup.shown(Path(done.backups))}" if done.backups else ""
        result(f"Made {len(done.changed)} changes{kept}.")
    _show_fired(plan, fired)
    copied = done.copied
    if copied.added or copied.held or copied.refused:
        result(f"Copied {copied.added} native notes; {copied.held} wait in the inbox.")
    for line in copied.refused:
        say(f"Not copied: {line}")
    if all(one.ok for one in fired):
        result("Next: open Claude Code or Kimi Code and say: my name is Ada and I prefer tabs")
    else:
        result("Next: memory-skill doctor")


def _show_fired(plan: Plan, fired: Sequence[Fired]) -> None:
    for name in plan.hosts:
        ran = [one for one in fired if one.host == name]
        well = [f"{one.event} {one.ms} ms" for one in ran if one.ok]
        if well:
            result(f"{name}: {len(well)} of {len(ran)} hooks ran well ({', '.join(well)}).")
        for one in ran:
            if not one.ok:
                say(f"error: {name} {one.event}: {one.said}")


@click.command("uninstall")
@host_option
@dry_run_option
@yes_option
@json_option
@click.pass_obj
def uninstall_verb(face: Face, /, hosts: Sequence[str], dry_run: bool, yes: bool, as_json: bool) -> None:
    """Take the memory out of the hosts again. Their files become as they were; your memory stays.

    \b
    Example: memory-skill uninstall --dry-run
    """
    from .. import install

    removal = install.plan_removal(os.environ, home=face.home, hosts=hosts)
    if not as_json:
        _show_removal(removal, whole=dry_run or not yes)
    if removal.changes and not dry_run and not _agreed(yes=yes, verb="uninstall"):
        return
    if not dry_run:
        install.uninstall(removal)
    if as_json:
        changes = [{"path": str(one.path), "what": _verb(one)} for one in removal.changes]
        print_json({"changes": changes, "left": list(removal.left), "applied": not dry_run})
        return
    if not dry_run:
        result(f"Undid {len(removal.changes)} changes." if removal.changes else "Nothing of ours was found.")
    for line in removal.left:
        result(f"Left: {line}")
    if dry_run:
        say("Nothing was written. Next: memory-skill uninstall")


def _show_removal(removal: Removal, *, whole: bool) -> None:
    from ..install import diff

    for change in removal.changes:
        say(f"Will {_verb(change)} {removal.setup.shown(change.path)}.")
    if whole:
        for change in removal.changes:
            result(diff(change).rstrip("\n"))


@click.command("doctor")
@json_option
@click.pass_obj
def doctor_verb(face: Face, /, as_json: bool) -> int:
    """Check the tree, the hooks and the machine; exit 1 if something is broken.

    \b
    Example: memory-skill doctor
    """
    from .. import doctor

    checks = doctor.examine(os.environ, face.home)
    broken = any(check.level == "error" for check in checks)
    if as_json:
        found = [asdict(check) for check in checks]
        problems = [check for check in found if check["level"] != "ok"]
        print_json({"ok": not broken, "problems": problems, "checks": found})
        return int(broken)
    for check in checks:
        mark = {"ok": "ok     ", "warning": "warning", "error": "ERROR  "}[check.level]
        result(f"{mark}  {check.name}: {check.what}")
        if check.fix:
            result(f"         fix: {check.fix}")
    return int(broken)
