"""Mutation testing of the modules that saves depend on: change one thing, and some test must fail (D16).

    python -m benchmarks.campaign mutants --module note [--full] [--seed N]

Each mutant is one changed place of the module, in a copy of the repository; its tests run in a fork of this
process, which has loaded pytest already. Without --full only a sample of 60 is tried. What survives is listed
with its line, for a person to say why it may, or to write the test that was missing.
"""

from __future__ import annotations

import ast
import copy
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SAMPLE = 60
TESTS = {
    "tree": "test_tree test_write faults/test_given_files faults/test_names test_settle faults/test_power",
    "note": "test_note laws test_memory test_index test_settle faults/test_formats",
    "gate": "test_gate test_rules test_gate_faults test_memory test_settle",
    "journal": "test_journal test_answers",
    "gitlocks": "test_gitlocks test_history faults/test_given_git",
    "pending": "test_pending faults/test_given_git test_write",
    "distil": "test_distil test_answers",
}
"""Of each module the tests that are to notice, the quickest first."""

_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_BINARY: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


class Mutant(NamedTuple):
    """One change: its line, what stood there, what stands there now, and the whole changed source."""

    line: int
    before: str
    after: str
    source: str


class Tried(NamedTuple):
    """How many there are, were tried and killed, and a line on each that survived."""

    all: int
    tried: int
    killed: int
    survivors: list[str]


# --- making them


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of *source*, one place changed in each."""
    tree = ast.parse(source)
    places = [node for node in _code(tree) if _changes(node)]
    for number, node in enumerate(places):
        for choice in range(len(_changes(node))):
            again = copy.deepcopy(tree)
            place = [found for found in _code(again) if _changes(found)][number]
            before = ast.unparse(place)
            new = _changes(place)[choice]
            changed = _Swap(place, new).visit(again)
            text = ast.unparse(ast.fix_missing_locations(changed))
            yield Mutant(node.lineno, before[:90], ast.unparse(new)[:90] if new else "(gone)", text)


def _code(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """The nodes that are run: no annotations, no docstrings, nothing for type checkers alone."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_for_readers(child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _code(child)


def _is_for_readers(node: ast.AST) -> bool:
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    return text or typing or isinstance(node, ast.Import | ast.ImportFrom)


def _changes(node: ast.AST) -> list[ast.expr | ast.stmt | None]:
    """What may stand in the place of *node*; None: nothing."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _COMPARE:
        return [ast.Compare(node.left, [_COMPARE[type(node.ops[0])]()], node.comparators)]
    if isinstance(node, ast.BoolOp):
        return [ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return [ast.BinOp(node.left, _BINARY[type(node.op)](), node.right)]
    if isinstance(node, ast.Constant):
        return _constants(node.value)
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        changed = copy.copy(node)
        changed.test = ast.UnaryOp(ast.Not(), node.test)
        return [changed]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return [ast.Pass()]
    if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        return [ast.Return(ast.Constant(None))]
    if isinstance(node, ast.Break | ast.Continue):
        return [ast.Continue() if isinstance(node, ast.Break) else ast.Break()]
    return []


def _constants(value: object) -> list[ast.expr | ast.stmt | None]:
    """Prose stays as it is: no test is to hold the wording of an error."""
    if isinstance(value, bool):
        return [ast.Constant(not value)]
    if isinstance(value, int | float):
        return [ast.Constant(value + 1)]
    if isinstance(value, str) and value and " " not in value:
        return [ast.Constant(value + "X")]
    return [ast.Constant(value + b"X")] if isinstance(value, bytes) and b" " not in value else []


class _Swap(ast.NodeTransformer):
    def __init__(self, place: ast.AST, new: ast.AST | None) -> None:
        self.place, self.new = place, new

    def visit(self, node: ast.AST) -> ast.AST | None:
        if node is self.place:
            return self.new
        if isinstance(node, ast.JoinedStr) and self._is_within(node):
            return node  # a changed literal of an f-string is prose, and its format no expression
        return self.generic_visit(node)

    def _is_within(self, node: ast.JoinedStr) -> bool:
        return any(part is self.place for part in node.values)


# --- trying them


def campaign(module: str, folder: Path, seed: int, full: bool) -> Tried:
    """Try the mutants of *module*. Raises: AssertionError when its tests fail without any change."""
    place = folder / "repository"
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", "results")
    shutil.copytree(ROOT, place, ignore=ignored)
    file = place / "memory_skill" / f"{module}.py"
    source = file.read_text(encoding="utf-8")
    tests = [f"tests/{name}" + (".py" if "test_" in name else "") for name in TESTS[module].split()]
    _load()
    began = time.monotonic()
    log = place / "first-run.log"
    assert not _killed(place, tests, 600, str(log)), log.read_text("utf-8", "replace")[-2000:]
    limit = 20 + 4 * (time.monotonic() - began)  # seconds; a mutant that loops without end is killed by that
    plain = ast.unparse(ast.parse(source))
    found = [one for one in mutants(source) if one.source != plain]
    chosen = found if full else random.Random(seed).sample(found, min(SAMPLE, len(found)))
    killed, survivors = 0, []
    for one in chosen:
        file.write_text(one.source, encoding="utf-8")
        if _killed(place, tests, limit):
            killed += 1
        else:
            survivors.append(f"{module}.py:{one.line}: {one.before}  ->  {one.after}")
            print(survivors[-1], file=sys.stderr, flush=True)
    return Tried(len(found), len(chosen), killed, survivors)


def _load() -> None:
    """What every run of the tests needs and no mutant changes."""
    import git  # noqa: F401
    import hypothesis
    import pytest  # noqa: F401
    import yaml  # noqa: F401

    hypothesis.settings.register_profile("quick", max_examples=25, database=None)
    for name in [name for name in sys.modules if name.split(".")[0] in ("memory_skill", "tests")]:
        del sys.modules[name]


def _killed(place: Path, tests: list[str], seconds: float, log: str = os.devnull) -> bool:
    """Whether any of *tests* fails, or none comes to an end."""
    child = os.fork()
    if child == 0:
        _run(place, tests, log)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status) != 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _run(place: Path, tests: list[str], log: str) -> None:
    code = 1
    try:
        os.setsid()
        quiet = os.open(log, os.O_RDWR | os.O_CREAT)
        for number in (0, 1, 2):
            os.dup2(quiet, number)
        os.chdir(place)
        os.environ["PYTHONPATH"] = str(place)
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(place))
        import pytest

        code = int(
            pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--no-header", *tests])
        )
    finally:
        os._exit(code)
