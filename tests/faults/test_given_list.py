"""The list of given faults is whole, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    line.strip("| ").split(" | ", 2)
    for line in (ROOT / "docs" / "faults.md").read_text(encoding="utf-8").splitlines()
    if re.match(r"\| [GL]\d\d", line)
]
GIVEN = [f"G{n:02}" for n in range(1, 80)] + [f"L{n:02}" for n in range(1, 17)]


def test_no_given_fault_is_left_out() -> None:
    """Each number of the list stands in exactly one row."""
    assert sorted(name for row in ROWS for name in row[0].split(", ")) == GIVEN


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_fault_names_a_test_or_a_reason(row: list[str]) -> None:
    """Every file and test in the row exists, and there is one, or the row says why it cannot happen."""
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", row[2])
    assert named or row[2].startswith("cannot happen: ")
    for path, test in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert f"def {test}(" in source if test else source
