"""Looks at everything that can be wrong, changes nothing, and says for each thing what helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from .. import config as settings
from ..errors import ConfigError
from . import hosts, machine, tree
from .check import Case, Check, error

__all__ = ["Case", "Check", "examine"]


def examine(env: Mapping[str, str], home: Path | None = None) -> list[Check]:
    """Every check of the tree at *home*, of the machine and of its hosts. Raises nothing of its own."""
    case = _case(env, home)
    found = [*_run(machine.CHECKS, case), *_run(tree.NEED_NO_TREE, case)]
    if case.tree.exists():
        found += _run(tree.NEED_TREE, case)
    try:
        found += hosts.examine(case)
    except Exception as trouble:
        found.append(_failed("hosts", trouble))
    return found


def _case(env: Mapping[str, str], home: Path | None) -> Case:
    try:
        return Case(env, settings.load(env, home))
    except ConfigError as trouble:
        place, local = (home.absolute(), False) if home else settings.home_of(env)
        return Case(env, settings.Config(place, local), str(trouble))


def _run(checks: tuple[Callable[[Case], Check], ...], case: Case) -> Iterator[Check]:
    for check in checks:
        try:
            yield check(case)
        except Exception as trouble:
            yield _failed(check.__name__, trouble)


def _failed(name: str, trouble: Exception) -> Check:
    """A check that fails is a finding: what it looks at is in no state that anybody thought of."""
    return error(name, f"the check itself failed: {type(trouble).__name__}: {trouble}", "report it as a bug")
