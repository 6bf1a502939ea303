"""Laws of the note format, over generated text."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from memory_skill.errors import NoMatch, NoteError, SeveralMatches
from memory_skill.note import (
    TYPES,
    Note,
    append,
    entry_id,
    format_note,
    parse,
    remove_entry,
    replace_once,
    set_meta,
    skim,
    split,
)
from memory_skill.text import one_line

PATH = "knowledge/x.md"

# Signs that mean something to YAML, to Markdown or to a terminal, beside all others.
SIGNS = st.sampled_from(
    [*"-:#'\"{}[]&*!|>%@`\\\n\r\t ?,~<", "---", "\n---\n", "\u2028", "\x85", "\x0c", "é", "漢"]
)
TEXT = st.lists(SIGNS | st.text(max_size=6), max_size=20).map("".join)
LINE = TEXT.map(one_line)
NAME = st.from_regex(r"[\w][\w.-]{0,20}", fullmatch=True)
KEY = LINE.filter(lambda key: key and key not in ("name", "description", "metadata", "type"))
META = st.dictionaries(KEY, LINE.filter(bool), max_size=4)
BODY = TEXT.map(lambda text: text.replace("\x00", "").encode("utf-8", "ignore").decode().strip("\n") + "\n")
ITEM = LINE.filter(lambda line: line and entry_id(line))


def canonical(name: str, description: str, kind: str, meta: dict[str, str], body: str) -> str:
    return format_note(name, description, body, {"type": kind, **meta})


NOTES = st.builds(canonical, NAME, LINE, st.sampled_from(TYPES), META, BODY)


@given(NAME, LINE, st.sampled_from(TYPES), META, BODY)
def test_what_is_written_is_read_back(
    name: str, description: str, kind: str, meta: dict[str, str], body: str
) -> None:
    """parse(format(n)) == n, whatever stands in title, description, keys, values and body."""
    found = parse(canonical(name, description, kind, meta, body), PATH)

    assert (found.name, found.description, found.type) == (name, description, kind)
    assert (found.meta, found.body) == (meta, body)


@given(NOTES)
def test_what_was_read_is_written_back(raw: str) -> None:
    """format(parse(raw)) == raw for every canonical note."""
    found = parse(raw, PATH)

    assert canonical(found.name, found.description, found.type, found.meta, found.body) == raw


@given(NOTES, st.sampled_from(["", "\ufeff"]), st.booleans())
def test_skim_reads_canonical_headers_as_parse_does(raw: str, mark: str, windows: bool) -> None:
    """The hook's reader and the full one give the same note, mark and line ends aside."""
    assume("\r" not in raw)
    data = (mark + (raw.replace("\n", "\r\n") if windows else raw)).encode()

    assert skim(data, PATH) == parse(data, PATH)


@given(
    st.binary(max_size=200) | TEXT.map(lambda text: f"---\n{text}\n---\nbody\n".encode("utf-8", "replace"))
)
def test_any_bytes_are_a_note_or_one_error(data: bytes) -> None:
    """Whatever a file holds, parse gives a note or a NoteError, and skim always a note."""
    assert isinstance(skim(data, PATH), Note)
    try:
        found = parse(data, PATH)
    except NoteError as error:
        assert error.where == PATH
    else:
        assert found.raw.endswith(found.body)


@given(TEXT)
def test_split_loses_nothing(text: str) -> None:
    """Header and body are a part of the text, the body its end."""
    header, body = split(text)

    assert text.endswith(body)
    assert header is None or text.startswith("---")
    assert header is not None or body == text


@given(TEXT, TEXT, TEXT, TEXT)
def test_edit_leaves_every_other_byte_alone(before: str, old: str, after: str, new: str) -> None:
    """Where the old text stands once, exactly it is replaced; else nothing is."""
    assume(old)
    raw = before + old + after
    try:
        changed = replace_once(raw, old, new, PATH)
    except SeveralMatches:
        assert any(raw.startswith(old, at) for at in range(len(raw)) if at != len(before))
    else:
        plain = changed.replace("\r\n", "\n")
        assert changed.startswith(before)
        assert changed.endswith(after)
        assert plain == (before + new + after).replace("\r\n", "\n") or "\r" in new


@given(TEXT, TEXT)
def test_edit_never_guesses(raw: str, old: str) -> None:
    """A text that is nowhere is an error, in either form of its line ends."""
    assume(old and old not in raw and old.replace("\n", "\r\n") not in raw)
    try:
        replace_once(raw, old, "new", PATH)
    except NoMatch:
        return
    raise AssertionError("it replaced something else")


@given(NOTES, NAME, LINE.filter(bool))
def test_set_meta_touches_one_line(raw: str, key: str, value: str) -> None:
    """Setting a key changes or adds its line; all others and the body stay byte for byte."""
    assume(key not in ("type", "name", "description"))
    after = set_meta(raw, {key: value})

    old, new = raw.split("\n"), after.split("\n")
    assert len(new) - len(old) in (0, 1)
    gone = [line for line in old if line not in new]
    assert len(gone) <= 1
    assert split(after)[1] == split(raw)[1]
    assert parse(after, PATH).meta == parse(raw, PATH).meta | {key: value}


@given(BODY, NAME, LINE.filter(bool))
def test_set_meta_gives_one_header_at_most(body: str, key: str, value: str) -> None:
    """A note without a header gets one, and keeps its whole text below it."""
    assume(split(body)[0] is None and key != "type" and "\r" not in body)
    once = set_meta(body, {key: value})

    assert split(once)[1] == body
    assert set_meta(once, {key: value}) == once


@given(st.lists(ITEM, min_size=1, max_size=6, unique_by=entry_id), st.randoms(use_true_random=False))
def test_ids_survive_re_ordering(items: list[str], random: object) -> None:
    """An entry keeps its id wherever it stands in the list, and whoever stands beside it."""
    raw = "".join(f"- {item}\n" for item in items)
    mixed = list(items)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    again = "# A heading\n\n" + "\n".join(f"* {item}" for item in mixed) + "\n"

    ids = {entry.id for entry in parse(raw, PATH).entries}

    assert {entry.id for entry in parse(again, PATH).entries} == ids


@given(st.lists(ITEM, min_size=1, max_size=5), LINE.filter(bool), st.sampled_from(["\n", "\r\n"]))
def test_appended_item_leaves_the_others(items: list[str], new: str, newline: str) -> None:
    """What was there is the beginning of what is there; a list of n items has n + 1 entries."""
    raw = "".join(f"- {item}{newline}" for item in items)
    assume(len(parse(raw, PATH).entries) == len(items))

    after = append(raw, new)

    assert after.startswith(raw)
    assert "\n" not in after.replace(newline, "")
    assert [e.id for e in parse(after, PATH).entries][: len(items)] == [
        e.id for e in parse(raw, PATH).entries
    ]


@given(TEXT, LINE.filter(bool))
def test_append_keeps_what_was_there(raw: str, new: str) -> None:
    """Whatever the note holds, its text stays the beginning of the longer one."""
    assert append(raw, new).startswith(raw.rstrip("\r\n") if raw.strip() else "")


ITEMS = st.lists(
    st.tuples(ITEM, st.sampled_from(["", "  more\n", "\n  a paragraph\n", "\n"])), min_size=1, max_size=5
)


@given(st.just("") | NOTES.map(lambda raw: raw[: len(raw) - len(split(raw)[1])]), ITEMS, st.data())
def test_removed_entry_takes_its_lines_and_no_other(
    header: str, items: list[tuple[str, str]], data: st.DataObject
) -> None:
    """Every other entry keeps its text, the header its bytes."""
    raw = header + "".join(f"- {item}\n{more}" for item, more in items)
    entries = parse(raw, PATH).entries
    assume(len(entries) == len(items))
    gone = data.draw(st.sampled_from(range(len(entries))))

    after = remove_entry(raw, entries[gone])

    left = [entry.text for number, entry in enumerate(entries) if number != gone]
    assert after.startswith(header)
    assert [entry.text for entry in parse(after, PATH).entries if left] == left
    assert len(after) < len(raw)
