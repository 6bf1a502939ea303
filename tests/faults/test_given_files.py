"""The given faults of the kinds concurrency, crash, disk, frontmatter, index, names and edit, by number."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memory_skill import note, search
from memory_skill.errors import Conflict, DiskTrouble, MemorySkillError, NoMatch, NoteError, SeveralMatches
from memory_skill.memory import Memory
from memory_skill.search import IndexTrouble, Search
from memory_skill.sessions import Sessions
from memory_skill.tree import ABSENT, digest
from tests.trees import git, put, read

from . import kills
from .children import Killer
from .injected import Breaker, attempt
from .kills import Case
from .shim import Shim
from .trees import BY_NAME, check_order, litter, opened, sentence

USER = "knowledge/user.md"


def spawned(work: object) -> int:
    """A forked child that does *work*; its exit code says whether it came to its end."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()  # type: ignore[operator]
            code = 0
        finally:
            os._exit(code)
    return child


def knowledge(memory: Memory) -> list[str]:
    """The notes but for the skills that `init` brings."""
    return [item.address for item in memory.list() if item.address.startswith("knowledge/")]


def ended_well(*children: int) -> bool:
    return all(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0 for child in children)


# --- concurrency


def test_g02_stale_whole_file_save_is_refused(memory: Memory) -> None:
    """B's line comes after A has read: A's old text plus a line is refused, an edit of one place is not."""
    memory.edit(USER, "", "- Ada writes Rust\n- Ada lives in Graz\n")
    seen = memory.tree.read(USER)
    opened(memory.tree.home).edit(USER, "", "- Ada likes tea")

    with pytest.raises(Conflict, match="changed since it was read"):
        memory.tree.write(USER, seen + b"- Ada likes coffee\n", digest(seen))
    memory.edit(USER, "Graz", "Vienna")

    assert read(memory, USER) == "- Ada writes Rust\n- Ada lives in Vienna\n- Ada likes tea\n"
    with pytest.raises(NoMatch):
        memory.edit(USER, "Graz", "Linz")


def test_g03_file_that_nobody_has_seen_yet_is_not_replaced(memory: Memory) -> None:
    """An editor made the path a moment ago: the new note takes another name, a named path is a conflict."""
    mine = put(memory, "knowledge/user/ada-likes-tea.md", "by hand\n")

    saved = memory.save("Ada likes tea", type="user")

    assert saved.address == "knowledge/user/ada-likes-tea-2.md"
    with pytest.raises(Conflict):
        memory.tree.write("knowledge/user/ada-likes-tea.md", b"mine", ABSENT)
    assert mine.read_text() == "by hand\n"


def test_g04_g05_g06_readers_are_answered_while_others_rebuild(memory: Memory) -> None:
    """Two processes swap the index in a loop: each of twenty queries finds, none is locked out."""
    wanted = memory.save("Ada indents with tabs", type="user").address
    rebuilders = [
        spawned(lambda: [opened(memory.tree.home).rebuild_search() for _ in range(5)]) for _ in range(2)
    ]

    found = [memory.recall("how does Ada indent?") for _ in range(20)]
    (memory.tree.state / "search.sqlite-journal").unlink(missing_ok=True)

    assert ended_well(*rebuilders)
    found.append(memory.recall("how does Ada indent?"))
    assert [[hit.address for hit in one.hits] for one in found] == [[wanted]] * 21
    assert found[-1].outcome == "hits"


@pytest.mark.parametrize("change", ["rebuild", "update"])
def test_g05_index_that_changes_under_a_query_loses_no_hit(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Somebody swaps or changes the index between two reads of one query: it is answered from one state."""
    wanted = memory.save("Ada indents with tabs", type="user").address or ""
    memory.save("Bob likes blanks", type="feedback")
    other, ask = Search(memory.tree.state / "search.sqlite"), Search.candidates

    def disturbed(mine: Search, *args: Any) -> list[int]:
        found = ask(mine, *args)
        with contextlib.suppress(IndexTrouble):  # a writer who must wait for us has changed nothing
            other.rebuild(memory.tree) if change == "rebuild" else other.update(memory.tree, [wanted])
        return found

    monkeypatch.setattr(Search, "candidates", disturbed)
    monkeypatch.setattr(search, "_connect", lambda path: sqlite3.connect(path, 0, isolation_level=None))

    found = memory.recall("how does Ada indent?")

    assert (found.outcome, [hit.address for hit in found.hits]) == ("hits", [wanted])


# --- crash


@pytest.mark.parametrize("cut", [0, 1, 20])
def test_g07_state_that_is_cut_off_never_replaces_what_is_good(memory: Memory, cut: int) -> None:
    """Every state file cut short: the next verbs work and mend them, no backup of rubbish is made."""
    with memory.sessions.change("claude-code", "s1") as record:
        record.saves = 1
    memory.save("Ada indents with tabs", type="user")
    before = {path.name for path in memory.tree.state.rglob("*")}
    for path in memory.tree.state.rglob("*.json"):
        path.write_bytes(path.read_bytes()[:cut])

    again = opened(memory.tree.home)
    again.save("Bob likes blanks", type="user")
    Sessions(memory.tree.state).saved("claude-code", "s1")

    again.settle()
    check_order(again)
    assert len(knowledge(again)) == 2
    assert {path.name for path in memory.tree.state.rglob("*")} <= before | {"tmp", "pending"}
    assert all(json.loads(path.read_bytes()) for path in memory.tree.state.rglob("s1.json"))


def test_g10_rebuild_that_dies_leaves_the_old_index(source: Path, place: Path) -> None:
    """Killed at a quarter, at half, at three quarters: the index that was there still answers."""
    case = Case(BY_NAME["search"], source, place)
    total = case.points()
    for part in (1, 2, 3):
        home, _ = case.disturbed(Shim(Killer(total * part // 4)))
        found = opened(home).recall("when do deploys fail?", scope="all")
        assert (found.outcome, len(found.hits)) == ("hits", 1)


# --- disk


@pytest.fixture
def small_disk(place: Path) -> Iterator[Path]:
    """A disk of 1,200 KB, or none where this user may not mount one."""
    folder = place / "disk"
    folder.mkdir()
    asked = ["mount", "-t", "tmpfs", "-o", "size=1200k", "none", str(folder)]
    if subprocess.run(asked, capture_output=True).returncode:
        pytest.skip("may not mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_g11_full_disk_refuses_in_one_line_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    """Save until the disk is full: the bytes that were there stay, no litter, and room is enough to go on."""
    memory = opened(small_disk / "memory")
    memory.init()
    first = memory.save("Ada indents with tabs", type="user")
    whole = read(memory, first.address or "")
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"x" * 4096)

    with pytest.raises(DiskTrouble) as caught:
        for n in range(50):
            memory.save(sentence(f"g11x{n}x"), type="reference")

    assert "\n" not in str(caught.value) and "No space" in str(caught.value)
    assert read(memory, first.address or "") == whole
    ballast.unlink()
    again = memory.save("Bob likes blanks", type="user")
    assert again.outcome == "saved" and again.commit
    memory.settle()
    assert list(litter(memory.tree.home)) == []


# --- frontmatter


def test_g13_title_with_a_colon_is_quoted_or_said(memory: Memory) -> None:
    """Our own writer quotes it; written by hand without quotes, the note is found and keeps its bytes."""
    title = "Governance: part two (Split: Core)"
    saved = memory.save("The board meets in May", type="project", description=title)
    raw = f"---\ntitle: {title}\n---\nThe council meets in June.\n"
    put(memory, "knowledge/project/council.md", raw)

    memory.settle()

    assert note.parse((memory.tree.home / (saved.address or "")).read_bytes(), "x.md").description == title
    assert read(memory, "knowledge/project/council.md") == raw
    assert [hit.address for hit in memory.recall("when does the council meet?").hits][:1] == [
        "knowledge/project/council.md"
    ]
    assert "(knowledge/project/council.md)" in read(memory, "MEMORY.md")


def test_g14_g15_g17_g20_odd_headers_are_kept_and_named(memory: Memory) -> None:
    """`title: Re: October`, a foreign header, a placeholder: one header each, and its bytes."""
    headers = {
        "october": "---\ntitle: Re: October\n---\n",
        "citekey": "---\ncitekey: doe2020\nrelated:\n  - a: [1, 2]\n---\n",
        "template": "---\ncreated: {{date}}\n---\n",
    }
    for name, header in headers.items():
        put(memory, f"knowledge/reference/{name}.md", header + f"The {name} body says old.\n")
    for n in range(20):
        put(memory, f"knowledge/reference/plain-{n}.md", f"{sentence(f'plain{n}')}\n")
    memory.settle()

    for name, header in headers.items():
        path = f"knowledge/reference/{name}.md"
        memory.edit(path, "says old", "says new")
        assert read(memory, path) == header + f"The {name} body says new.\n"
    assert len(knowledge(memory)) == 23
    index = read(memory, "MEMORY.md")
    assert all(f"{name}.md" in index for name in [*headers, *(f"plain-{n}" for n in range(20))])
    with pytest.raises(NoteError) as caught:
        note.parse(headers["october"].encode(), "knowledge/reference/october.md")
    assert "october.md" in str(caught.value) and "\n" not in str(caught.value)


def test_g16_dates_stay_text(memory: Memory) -> None:
    """Unquoted dates, nested ones too, come out of `list --json` as they stand in the file."""
    dates = "  created: 2026-04-05\n  at: 2026-04-05T10:00:00+02:00\n"
    raw = f"---\nname: dated\nmetadata:\n  type: user\n{dates}---\nx y z\n"
    put(memory, "knowledge/user/dated.md", raw)

    asked = [sys.executable, "-m", "memory_skill", "--home", str(memory.tree.home), "list", "--json"]
    said = subprocess.run(asked, capture_output=True, check=True).stdout

    assert json.loads(said)["notes"][0]["date"] == "2026-04-05"
    assert note.parse(raw.encode(), "knowledge/user/dated.md").meta["at"] == "2026-04-05T10:00:00+02:00"
    assert read(memory, "knowledge/user/dated.md") == raw


def test_g18_windows_file_keeps_its_marks(memory: Memory) -> None:
    """BOM and CRLF: the header is read, and after an edit only that line differs."""
    raw = b"\xef\xbb\xbf---\r\nname: win\r\nmetadata:\r\n  type: lesson\r\n---\r\none line\r\nold line\r\n"
    put(memory, "knowledge/lesson/win.md", raw)

    memory.edit("knowledge/lesson/win.md", "old line", "new line")

    assert memory.tree.read("knowledge/lesson/win.md") == raw.replace(b"old", b"new")
    assert [item.type for item in memory.list() if item.address.endswith("win.md")] == ["lesson"]


def test_g19_windows_copy_of_a_note_is_the_same_note(memory: Memory) -> None:
    """A saved note turned to CRLF and saved again: one file, unchanged."""
    saved = memory.save("Ada indents with tabs", type="user")
    put(memory, saved.address or "", memory.tree.read(saved.address or "").replace(b"\n", b"\r\n"))

    again = memory.save("Ada indents with tabs", type="user")

    assert (again.outcome, again.address) == ("unchanged", saved.address)
    assert knowledge(memory) == [saved.address]


@pytest.mark.parametrize(
    ("tags", "wanted"), [("tags:", ""), ("tags: ops", "ops"), ("tags: [1, no, null]", "[1, no, null]")]
)
def test_g21_tags_of_any_form_are_words(memory: Memory, tags: str, wanted: str) -> None:
    """Nothing, one word or a list: no crash, and no word is split into letters."""
    put(memory, "knowledge/reference/tagged.md", f"---\n{tags}\n---\nThe wiki has moved.\n")
    memory.settle()

    found = note.skim(memory.tree.read("knowledge/reference/tagged.md"), "knowledge/reference/tagged.md")
    assert found.meta.get("tags", "") == wanted


def test_l01_l02_headers_that_bite_are_refused_at_once(memory: Memory) -> None:
    """Rules in bodies stay bodies; alias bombs, endless brackets, doubles, Python tags: a reason each."""
    assert note.parse(b"---\nname: x\n---\na\n---\nb\n", "x.md").body == "a\n---\nb\n"
    assert note.parse(b"---\n\nfirst\n\n---\nlast\n", "x.md").body.startswith("---")
    bomb = "a: &a [x, x]\n" + "".join(f"{c}: &{c} [*{b}, *{b}]\n" for b, c in pairwise("abcdefghi"))
    assert note.parse(b"---\n" + b"[" * 2000 + b"\n---\nbody\n", "x.md").body.startswith("---")
    for header in (bomb, "a: &a [*a]", "name: x\nname: y", "x: !!python/object:os.system id", "a: \0"):
        began = time.process_time()
        with pytest.raises(MemorySkillError):
            note.parse(f"---\n{header}\n---\nbody\n".encode(), "x.md")
        assert time.process_time() - began < 0.5


# --- index


def test_g22_g23_g24_g25_full_index_keeps_its_bounds_and_says_so(memory: Memory) -> None:
    """260 notes with long titles of four-byte characters: the bounds hold, the newest are in, all counted."""
    long = "\U00020000" * 150
    lines = [
        {"name": f"n{n:03}", "type": "reference", "description": f"{n:03} {long}", "body": sentence(f"n{n}"),
         "created": f"2026-{1 + n // 28:02}-{1 + n % 28:02}"}
        for n in range(260)
    ]  # fmt: skip
    path = memory.tree.home.parent / "notes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    memory.import_file(path)

    raw = memory.tree.read("MEMORY.md")
    text = raw.decode()
    assert len(raw) <= 25_000 and text.count("\n") <= 200 and text.endswith("\n")
    assert max(map(len, text.splitlines())) <= 150
    assert "n259.md" in text and "n000.md" not in text
    assert "of 262" in text  # with the two skills that `init` brings
    fill = memory.status().index
    assert fill["bytes"] <= fill["max_bytes"]
    token = lines[0]["body"].split()[1]
    assert [hit.address for hit in memory.recall(token).hits] == ["knowledge/reference/n000.md"]


def test_g26_what_a_person_added_to_the_index_stays(memory: Memory) -> None:
    """A heading, a comment and a sub-list: after a save every line of theirs is there, in order."""
    memory.save("Ada indents with tabs", type="user")
    own = "\n## Mine\n\n<!-- keep -->\n- one\n  - two\n"
    put(memory, "MEMORY.md", read(memory, "MEMORY.md") + own)

    memory.save("Bob likes blanks", type="user")

    assert read(memory, "MEMORY.md").endswith(own)


# --- names, edits, files


def test_g54_g55_g56_like_names_lose_no_text(memory: Memory) -> None:
    """Composed and decomposed, the same opening, case and punctuation: each text has a file of its own."""
    titles = [
        "Café",
        "Cafe\u0301",
        "Q3 Report",
        "Q3-Report",
        "q3 report!",
        *("x" * 60 + end for end in "abc"),
    ]

    saved = [memory.save(sentence(f"t{n}x"), type="project", name=name) for n, name in enumerate(titles)]

    assert {one.outcome for one in saved} == {"saved"}
    stems = {note.entry_id((one.address or "").casefold()) for one in saved}
    assert len(stems) == len(titles)
    for n, one in enumerate(saved):
        assert sentence(f"t{n}x") in read(memory, one.address or "")


def test_l08_odd_names_of_files_are_listed_on_one_line(memory: Memory) -> None:
    """A new line, a colon, a dash, a trailing dot, bytes that are no UTF-8: an index of whole lines."""
    folder = memory.tree.home / "knowledge" / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    names = [b"a\nb.md", b"c:d.md", b"-rf.md", b"dot..md", b"x" * 240 + b".md", b"\xff\xfe.md"]
    for n, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text(sentence(f"odd{n}") + "\n")

    memory.settle()

    lines = read(memory, "MEMORY.md").splitlines()
    assert all(line.startswith(("#", "-", "<!--", "Shown")) or not line for line in lines)
    assert any("-rf.md" in line for line in lines)
    assert memory.recall("whatever there is").outcome in ("hits", "no_match")


def test_l10_what_is_no_regular_file_is_passed_over(memory: Memory, tmp_path: Path) -> None:
    """FIFO, link, folder and a file of 500 MB under a note's name: the rest is indexed, none is read."""
    folder = memory.tree.home / "knowledge" / "reference"
    folder.mkdir(parents=True, exist_ok=True)
    os.mkfifo(folder / "fifo.md")
    (folder / "folder.md").mkdir()
    (folder / "link.md").symlink_to("/etc/hostname")
    with (folder / "huge.md").open("wb") as file:
        file.truncate(500_000_000)
    saved = memory.save("Ada indents with tabs", type="user")

    memory.settle()

    assert [hit.address for hit in memory.recall("how does Ada indent?").hits] == [saved.address]
    assert "fifo" not in read(memory, "MEMORY.md") and "link.md" not in read(memory, "MEMORY.md")


@pytest.mark.parametrize(
    ("old", "refused"), [("one", SeveralMatches), ("absent words", NoMatch), ("t.o", NoMatch)]
)
def test_l13_edit_finds_exactly_one_place_or_none(memory: Memory, old: str, refused: type[Exception]) -> None:
    """Twice, nowhere, or as a pattern: refused, and no byte changes."""
    put(memory, USER, "- one\n- two\n- one\n")
    with pytest.raises(refused):
        memory.edit(USER, old, "x")
    assert read(memory, USER) == "- one\n- two\n- one\n"
    assert memory.edit(USER, "two", r"\1 two").outcome == "edited"
    assert read(memory, USER) == "- one\n- \\1 two\n- one\n"


def test_l07_read_only_tree_costs_one_line(source: Path, place: Path) -> None:
    """A disk that has become read-only: one line of reason, recall works, and mended it goes on."""
    case = Case(BY_NAME["edit"], source, place)
    home = case.copy()
    breaker = Breaker(1, "EROFS")
    ended = kills.run(lambda: attempt(case.operation, home, breaker), Shim(breaker, reads=True))

    assert ended.acknowledged and "\n" not in ended.said
    assert [hit.address for hit in opened(home).recall("how does Ada indent?").hits]


def test_l16_undo_of_a_session_keeps_what_a_person_changed(memory: Memory) -> None:
    """Twenty notes of one session, five edited since: fifteen go, five are shown, index and search agree."""
    env = dict(os.environ) | {"CLAUDE_CODE_SESSION_ID": "x"}
    mine = Memory.open(memory.tree.home, env=env, cwd=memory.cwd)
    saved = [mine.save(sentence(f"u{n}x"), type="reference").address or "" for n in range(20)]
    for path in saved[:5]:
        put(memory, path, read(memory, path) + "\nA person's word.\n")
    memory.settle()

    undone = memory.undo(session="x")

    assert sorted(undone.kept) == sorted(saved[:5])
    assert knowledge(memory) == sorted(saved[:5])
    check_order(memory)
    assert git(memory.tree.home, "status", "--porcelain") == ""
