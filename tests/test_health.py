"""How full the tree is, and that the same level is not said twice in a row."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from memory_skill.cli import main
from memory_skill.health import LIMITS, figures, news
from memory_skill.memory import Memory
from tests.drivers import Claude
from tests.trees import put


@pytest.fixture
def claude(memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Claude]:
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    yield Claude(tmp_path / "billing", capfd)


def level(memory: Memory, name: str) -> str:
    return next(one.level for one in figures(memory.tree, memory.config.index) if one.name == name)


def hold(memory: Memory, days: int) -> None:
    """An item of the inbox that was held so many days ago."""
    day = date.today() - timedelta(days=days)
    put(memory, f"inbox/{days}.md", f"<!-- held\nreason: what a tool said\nday: {day}\n-->\nPerhaps.\n")


def grow(path: Path, size: int) -> None:
    """A file of that many bytes, most of them a hole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        os.truncate(file.fileno(), size)


@pytest.mark.parametrize("place", [0, 1])
def test_each_figure_has_its_levels(memory: Memory, place: int) -> None:
    """One below the limit is the level before, the limit itself is the next."""
    before, after = (("ok", "warn"), ("warn", "critical"))[place]
    paths = {
        "journal": memory.tree.home / "journal/2026-12-01.md",
        "search": memory.tree.state / "search.sqlite",
    }
    for name, path in paths.items():
        grow(path, LIMITS[name][place] - 1)
        assert level(memory, name) == before
        grow(path, LIMITS[name][place])
        assert level(memory, name) == after
    put(memory, "MEMORY.md", "x\n" * (200 * LIMITS["index"][place] // 100 - 1))
    assert level(memory, "index") == before
    put(memory, "MEMORY.md", "x\n" * (200 * LIMITS["index"][place] // 100))
    assert level(memory, "index") == after
    hold(memory, LIMITS["inbox"][place] - 1)
    assert level(memory, "inbox") == before
    hold(memory, LIMITS["inbox"][place])
    assert level(memory, "inbox") == after


def test_an_item_without_a_day_is_as_old_as_its_file(memory: Memory) -> None:
    """What a person put into the inbox by hand is dated by the file's time."""
    path = put(memory, "inbox/one.md", "Perhaps.\n")
    os.utime(path, (0, 0))

    assert level(memory, "inbox") == "critical"


def test_the_same_level_is_not_said_twice_in_a_row(memory: Memory) -> None:
    """Better is silent, worse is said, a count is said when it is another, and what is gone begins anew."""
    state = memory.tree.state

    def said(**found: str) -> list[str]:
        return news(state, "claude-code", {name: (level, name) for name, level in found.items()})

    assert said(index="ok", waiting="1") == ["waiting"]
    assert said(index="warn", waiting="1") == ["index"]
    assert said(index="warn", waiting="2") == ["waiting"]
    assert said(index="ok", waiting="2") == []
    assert said(index="critical") == ["index"]
    assert said(index="critical", waiting="2") == ["waiting"]
    assert news(state, "kimi-code", {"index": ("critical", "index")}) == ["index"]


def test_status_shows_every_figure(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """`status` names value, unit and level of each."""
    hold(memory, 9)

    main(["status", "--json"])
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)["health"]}
    main(["status"])

    assert list(found) == ["index", "inbox", "journal", "search"]
    assert found["inbox"] == {"name": "inbox", "value": 9, "unit": "days", "level": "warn"}
    assert "inbox 9 days (warn)" in capsys.readouterr().out


def test_a_notice_is_told_once_until_it_changes(
    claude: Claude, memory: Memory, capfd: pytest.CaptureFixture[str]
) -> None:
    """The next session does not hear again that one entry waits; it hears of the second."""
    hold(memory, 1)
    claude.start()
    assert "1 entry waits" in claude.prompt("ok").context

    later = Claude(claude.project, capfd, "c2")
    later.start()
    assert later.prompt("ok").out == ""

    hold(memory, 2)
    last = Claude(claude.project, capfd, "c3")
    last.start()
    assert "2 entries wait" in last.prompt("ok").context


def test_a_level_that_got_worse_is_told_every_so_many_turns(claude: Claude, memory: Memory) -> None:
    """With `status.every_turns` = 3 the sixth prompt hears it, once; the turns between do not look."""
    put(memory, "config.toml", "format = 1\n[status]\nevery_turns = 3\n")
    claude.start()
    quiet = [claude.prompt("ok").out for _ in range(4)]
    hold(memory, 40)

    later = [claude.prompt("ok").context for _ in range(8)]

    assert quiet == [""] * 4
    assert [n for n, text in enumerate(later) if "40 days" in text] == [1]
