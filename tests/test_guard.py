"""The guard of `conftest.py` holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import PRIVATE, REAL_HOME, STEERING, RealHomeTouched


@pytest.mark.parametrize("name", sorted(PRIVATE))
def test_private_file_of_the_real_home_cannot_be_opened(name: str) -> None:
    """Reading and writing the settings of the person who runs the tests fail, whether or not they exist."""
    for mode in ("r", "w"):
        with pytest.raises(RealHomeTouched):
            (REAL_HOME / name / "probe").open(mode)


def test_real_home_cannot_be_listed_or_changed() -> None:
    """Folders are guarded like files."""
    for change in (os.listdir, os.mkdir, os.remove):
        with pytest.raises(RealHomeTouched):
            change(REAL_HOME / ".claude")


def test_neighbour_of_a_private_name_stays_open(tmp_path: Path) -> None:
    """Only whole names are guarded; a scratch home may hold the same names."""
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text("{}", encoding="utf-8")

    assert [tmp_path / ".claude" / "settings.json"] == list((tmp_path / ".claude").iterdir())


def test_home_is_a_scratch_folder(home: Path) -> None:
    """`~` of a test, and of the processes that it starts, is empty and its own."""
    seen = subprocess.run(
        [sys.executable, "-c", "import pathlib; print(pathlib.Path.home())"], capture_output=True, text=True
    )

    assert home == Path.home() == Path(seen.stdout.strip())
    assert home != REAL_HOME
    assert list(home.iterdir()) == []


def test_steering_variables_are_gone() -> None:
    """No variable of this package, of git or of a host reaches a test."""
    steering = [name for name in os.environ if name.startswith(STEERING)]

    assert steering in ([], ["MEMORY_SKILL_TEST_CLIENTS"])


def test_other_python_in_a_test_cannot_find_the_home_by_accident(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that falls back on the password file when `HOME` is unset meets the guard."""
    monkeypatch.delenv("HOME")

    with pytest.raises(RealHomeTouched):
        Path("~/.claude/settings.json").expanduser().read_text(encoding="utf-8")
