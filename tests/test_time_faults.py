"""The given fault of the kind time: clocks that lie, and files that another text hides behind."""

from __future__ import annotations

import os
from datetime import date, timedelta

import pytest

from memory_skill.memory import Memory

from .trees import put, read

PATH = "knowledge/reference/heron.md"


@pytest.mark.parametrize(
    "when", [0, 159_500_000_000, 1_774_746_000], ids=["1970", "7024", "the night of DST"]
)
def test_l06_odd_times_of_files_change_nothing(memory: Memory, when: int) -> None:
    """A file from 1970, from the far future or from the hour that comes twice is taken up and found."""
    place = put(memory, PATH, "The heron is grey.\n")
    os.utime(place, (when, when))

    assert memory.settle().changed == (PATH,)
    assert [hit.address for hit in memory.recall("heron", scope="all").hits] == [PATH]
    assert memory.settle().changed == ()


def test_l06_other_text_of_the_same_size_and_time_is_seen(memory: Memory) -> None:
    """An edit that keeps size and mtime is found by its content when it is settled."""
    place = put(memory, PATH, "The heron is grey.\n")
    memory.settle()
    before = place.stat()

    place.write_text("The heron is blue.\n")
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    settled = memory.settle()

    assert settled.changed == (PATH,)
    assert "blue" in memory.recall("heron", scope="all").hits[0].text


def test_l06_clock_that_went_back_does_not_reorder(memory: Memory) -> None:
    """What is newer is told by the header's date, not by the file's time."""
    old, new = (date.today() - timedelta(days=days) for days in (400, 1))
    for name, day in (("old", old), ("new", new)):
        put(
            memory,
            f"knowledge/reference/{name}.md",
            f"---\nname: {name}\nmetadata:\n  type: reference\n  created: {day}\n---\nThe {name} one.\n",
        )
    os.utime(memory.tree.home / "knowledge/reference/new.md", (0, 0))

    memory.settle()

    index = read(memory, "MEMORY.md")
    assert index.index("reference/new.md") < index.index("reference/old.md")
