"""The mutants of `python -m benchmarks.campaign mutants`: one change each, only of what runs."""

from __future__ import annotations

from benchmarks.mutants import mutants

SOURCE = '''"""Prose."""
from x import y


def f(a: "int") -> "int":
    """More prose."""
    if a < 3 and not y("some words"):
        y(a)
    return a + 1
'''


def test_each_mutant_changes_one_place_and_no_prose() -> None:
    """Comparison, boolean, number, call, return: each once; no docstring, annotation, import or sentence."""
    made = [(one.line, one.after) for one in mutants(SOURCE)]

    assert (7, "a <= 3") in made and (7, "a < 4") not in made
    assert (7, "a < 3 or not y('some words')") in made
    assert (7, "4") in made and (7, "y('some words')") in made
    assert (8, "pass") in made and (9, "return None") in made and (9, "a - 1") in made
    assert len({one.source for one in mutants(SOURCE)}) == len(made)
    assert all("Prose." in one.source and "some words'" in one.source for one in mutants(SOURCE))
