"""MEMORY.md: bounded, whole lines, true to the notes, careful with what people wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_skill import index
from memory_skill.config import IndexKnobs
from memory_skill.index import Line

KNOBS = IndexKnobs()


def note(name: str, type: str = "user", description: str = "", **more: object) -> Line:
    return Line(f"knowledge/{type}/{name}.md", name, description or f"about {name}", type, **more)  # type: ignore[arg-type]


def pack(lines: list[Line], current: str = "", last: str = "", **more: object) -> str:
    return index.pack(lines, current, last, KNOBS, **more).text  # type: ignore[arg-type]


def test_an_index_is_the_same_bytes_when_packed_again() -> None:
    """Packing what was just packed changes no byte."""
    lines = [note("ada"), note("tabs", "feedback"), note("plan", "skill"), note("billing", "projects")]
    once = pack(lines)

    assert pack(lines, once, once) == once


def test_lines_stand_pinned_first_then_by_declared_priority() -> None:
    """A pinned reference stands before a user note, which stands before feedback."""
    lines = [note("tabs", "feedback"), note("ada"), note("api", "reference", pinned=True)]

    assert index.targets(pack(lines)) == [
        "knowledge/reference/api.md",
        "knowledge/user/ada.md",
        "knowledge/feedback/tabs.md",
    ]


def test_newer_notes_stand_before_older_ones_of_their_type() -> None:
    """Of two notes of one type the one with the later date comes first."""
    lines = [note("old", date="2025-01-01", state="1"), note("new", date="2026-01-01", state="2")]

    assert index.targets(pack(lines)) == ["knowledge/user/new.md", "knowledge/user/old.md"]


@given(
    st.lists(st.text(min_size=1, max_size=300), max_size=60),
    st.integers(20, 200),
    st.integers(1000, 9000),
)
def test_no_bound_is_ever_exceeded(texts: list[str], max_lines: int, max_bytes: int) -> None:
    """Whatever the descriptions hold, lines, bytes and characters stay inside, and no line is cut in two."""
    knobs = IndexKnobs(max_lines=max_lines, max_bytes=max_bytes)
    lines = [note(f"n{i}", "reference", text) for i, text in enumerate(texts)]

    packed = index.pack(lines, "", "", knobs)

    assert len(packed.text.encode()) <= max_bytes
    assert packed.text.count("\n") <= max_lines
    assert all(len(row) <= 150 for row in packed.text.splitlines() if row.startswith("- ["))
    assert len(index.targets(packed.text)) == packed.shown <= packed.total == len(lines)
    assert f"Shown {packed.shown} of {packed.total}" in packed.text


def test_what_does_not_fit_is_said() -> None:
    """500 notes do not fit; the index says how many it shows, in whole lines of the first in order."""
    lines = [note(f"n{i:03}", "reference", "x" * 200) for i in range(500)]

    packed = index.pack(lines, "", "", KNOBS)

    assert 100 < packed.shown < 200
    assert f"Shown {packed.shown} of 500; the others: `memory-skill list`" in packed.text
    assert index.targets(packed.text) == [f"knowledge/reference/n{i:03}.md" for i in range(packed.shown)]


def test_a_persons_own_lines_stay_byte_for_byte() -> None:
    """Lines above and below the block that are no pointers to notes survive, blank lines included."""
    once = pack([note("ada")])
    mine = (
        once.replace("# Memory\n", "# Memory\n\nAsk before you deploy.  \n")
        + "\n- [wiki](https://x.org/a.md)\n"
    )

    again = pack([note("ada"), note("tabs", "feedback")], mine, once)

    assert again.startswith("# Memory\n\nAsk before you deploy.  \n")
    assert again.endswith("\n- [wiki](https://x.org/a.md)\n")
    assert "tabs.md" in again


def test_a_pointer_that_a_host_appended_is_absorbed() -> None:
    """Claude Code writes its pointer below the end mark, to the flat file that was filed meanwhile."""
    once = pack([])
    theirs = once + "- [Ada](ada.md) — the user\n"

    again = pack([note("ada")], theirs, once)

    assert index.targets(again) == ["knowledge/user/ada.md"]
    assert again.endswith(index.END + "\n")


def test_a_pointer_to_what_never_was_a_note_stays() -> None:
    """A person's link to another Markdown file is no pointer of ours; one to a forgotten note is."""
    mine = "# Memory\n\n- [todo](todo.md)\n- [gone](knowledge/user/gone.md)\n"

    again = pack([], mine, was_note=lambda path: path == "knowledge/user/gone.md")

    assert "- [todo](todo.md)\n" in again
    assert "gone" not in again


def test_a_whole_file_rewrite_without_marks_is_rebuilt() -> None:
    """A host that writes MEMORY.md anew drops both marks: its pointers are absorbed, its prose stays."""
    once = pack([note("ada"), note("tabs", "feedback")])
    theirs = "# Memory Index\n\nRead these.\n\n- [Ada](knowledge/user/ada.md) — the user\n"

    again = pack([note("ada"), note("tabs", "feedback")], theirs, once)

    assert again.startswith("# Memory Index\n\nRead these.\n")
    assert index.targets(again) == ["knowledge/user/ada.md", "knowledge/feedback/tabs.md"]


@pytest.mark.parametrize("mark", [index.END, "begin"])
def test_a_broken_mark_is_mended(mark: str) -> None:
    """With one of the two marks gone, the block stands once and whole again."""
    lines = [note("ada"), note("plan", "skill")]
    once = pack(lines)
    broken = "\n".join(
        row for row in once.split("\n") if row != mark and (mark != "begin" or "generated" not in row)
    )

    assert pack(lines, broken, once) == once


def test_a_deleted_line_unlists_its_note_until_it_changes() -> None:
    """The note stays un-listed through later packings, and comes back with its next text."""
    lines = [note("ada", state="aaaaaaaa"), note("tabs", "feedback", state="bbbbbbbb")]
    once = pack(lines)
    mine = "".join(row for row in once.splitlines(keepends=True) if "tabs.md)" not in row)

    without = pack(lines, mine, once)
    still = pack(lines, without, without)
    back = pack([lines[0], lines[1]._replace(state="cccccccc")], still, still)

    assert index.targets(without) == index.targets(still) == ["knowledge/user/ada.md"]
    assert without == still
    assert "knowledge/feedback/tabs.md" in index.targets(back)
    assert back == pack([lines[0], lines[1]._replace(state="cccccccc")])


def test_an_unlisted_note_survives_a_rewrite_of_the_file() -> None:
    """The mark that a host threw away is read from the text that was generated last."""
    lines = [note("ada", state="aaaaaaaa"), note("tabs", "feedback", state="bbbbbbbb")]
    once = pack(lines)
    mine = "".join(row for row in once.splitlines(keepends=True) if "tabs.md)" not in row)
    without = pack(lines, mine, once)

    again = pack(lines, "# Memory\n\n- [Ada](knowledge/user/ada.md)\n", without)

    assert index.targets(again) == ["knowledge/user/ada.md"]


def test_an_index_of_a_project_links_from_its_own_folder() -> None:
    """A project's index lies beside its notes; a list note of the project lies one folder up."""
    folder = "knowledge/projects/acme"
    lines = [
        Line(f"{folder}/deploy.md", "deploy", "on Fridays", "project"),
        Line("knowledge/projects/acme.md", "acme", "facts", "project"),
    ]

    text = pack(lines, folder=folder, title="Memory of acme")

    assert "- [deploy](deploy.md) — on Fridays" in text
    assert "- [acme](../acme.md) — facts" in text
    assert index.targets(text, folder) == ["knowledge/projects/acme.md", f"{folder}/deploy.md"]


def test_titles_and_paths_cannot_break_a_line() -> None:
    """Brackets, newlines, spaces and parentheses in names stay inside one working pointer."""
    line = Line("knowledge/user/a (b) ü日.md", "x](evil) [y\nz", "two\nlines <!-- -->", "user")

    text = pack([line])

    assert index.targets(text) == ["knowledge/user/a (b) ü日.md"]
    assert "a%20%28b%29%20ü日.md" in text
    assert sum(row.startswith("- [") for row in text.splitlines()) == 1


def test_a_persons_flood_shrinks_the_block_to_its_count() -> None:
    """If a person's own lines exceed the bounds alone, they stay and the block shows only its count."""
    mine = "# Memory\n" + "my own line\n" * 300

    packed = index.pack([note("ada")], mine, "", KNOBS)

    assert packed.text.count("my own line\n") == 300
    assert packed.shown == 0
    assert "Shown 0 of 1" in packed.text
