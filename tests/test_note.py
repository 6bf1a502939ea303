"""The note format: read generously, written canonically, changed only where asked."""

from __future__ import annotations

import pytest

from memory_skill.errors import NoMatch, NoteError, SeveralMatches
from memory_skill.note import (
    MAX_HEADER,
    append,
    entry_id,
    format_note,
    list_items,
    parse,
    quote,
    remove_entry,
    replace_in_note,
    replace_once,
    scope_of,
    set_meta,
    skim,
    split,
    type_of,
)

CANONICAL = """\
---
name: prefers-tabs
description: "Ada indents with tabs --- always: \\"everywhere\\""
metadata:
  type: feedback
  source: "user-said"
  created: "2026-11-30"
---
Indent with tabs.

**Why:** her screen reader announces tabs as levels.
"""
PATH = "knowledge/feedback/prefers-tabs.md"


def test_canonical_note_is_read() -> None:
    """Every field of the canonical form comes back as it was written."""
    found = parse(CANONICAL, PATH)

    assert (found.name, found.type, found.scope) == ("prefers-tabs", "feedback", "global")
    assert found.description == 'Ada indents with tabs --- always: "everywhere"'
    assert found.meta == {"source": "user-said", "created": "2026-11-30"}
    assert found.body.startswith("Indent with tabs.")
    assert (found.date, found.pinned, found.headed) == ("2026-11-30", False, True)


def test_canonical_note_is_written_back_byte_for_byte() -> None:
    """Formatting what was parsed gives the same file."""
    found = parse(CANONICAL, PATH)

    meta = {"type": found.type, **found.meta}
    assert format_note(found.name, found.description, found.body, meta) == CANONICAL


@pytest.mark.parametrize(
    "header",
    [
        'name: n\ndescription: "d"\nmetadata:\n  type: user\n  source: "user-said"\n',  # ours
        "name: n\ndescription: d\nmetadata:\n  node_type: memory\n  type: user\n  originSessionId: 1-2\n",
        "name: n\ndescription: d\nmetadata: \n  type: user\n  modified: 2026-11-30T10:00:00.000Z\n",
        "name: n\ndescription: 'it''s d'\ntype: user\n",  # Qwen's top-level type
        'name: "n"\ndescription: "a \\"quoted\\" \\u00e9 one"\ntype: user # a remark\n',
    ],
)
def test_skim_reads_the_headers_of_hosts_as_parse_does(header: str) -> None:
    """The hook's reader and the full one agree on every header that we and the hosts write."""
    raw = f"---\n{header}---\nbody\n"

    assert skim(raw, "knowledge/x.md") == parse(raw, "knowledge/x.md")
    assert parse(raw, "knowledge/x.md").type == "user"


def test_scalars_stay_text() -> None:
    """`no`, 22:22, 1.10, 012 and a date are what a person wrote, not what YAML makes of it (G16)."""
    raw = (
        "---\nname: no\ndescription: 1.10\nmetadata:\n  at: 22:22\n  n: 012\n  created: 2026-02-30\n---\nb\n"
    )

    found = parse(raw, "knowledge/x.md")

    assert (found.name, found.description) == ("no", "1.10")
    assert found.meta == {"at": "22:22", "n": "012", "created": "2026-02-30"}


@pytest.mark.parametrize(
    ("tags", "read"), [("tags:", ""), ("tags: ops", "ops"), ("tags: [1, no, null]", "1, no, null")]
)
def test_tags_are_text_in_every_form(tags: str, read: str) -> None:
    """A null, a word and a list of tags are read without a crash, and not letter by letter (G21)."""
    assert parse(f"---\nname: x\n{tags}\n---\nb\n", "knowledge/x.md").meta["tags"] == read


@pytest.mark.parametrize(
    "raw",
    [
        "No header at all.\n",
        "---\nA first paragraph between two rules.\n---\nThe rest.\n",
        "first\n\n---\nmiddle\n---\nlast\n",
        '{"a": 1}\n\nA body that begins like JSON.\n',
        "---\n- a\n- list\n---\nbody\n",
        "---\n---\nempty header\n",
        "---\nname: never closed\n",
        "----\nname: four dashes\n----\n",
        "",
    ],
)
def test_note_without_a_header_stays_whole(raw: str) -> None:
    """A file that has no header keeps every character as its body, rules at its start too (L01)."""
    found = parse(raw, "knowledge/tech-stack.md")

    assert (found.body, found.headed, found.name) == (raw, False, "tech-stack")
    assert skim(raw, "knowledge/tech-stack.md") == found


def test_header_ends_at_the_first_line_of_three_dashes() -> None:
    """Three dashes inside a value, indented, or later in the body do not split a note (L01)."""
    raw = "---\nname: x\ndescription: |\n  a\n  ---\n  b --- c\n---\nbody\n---\nmore\n"

    found = parse(raw, "knowledge/x.md")

    assert (found.description.strip(), found.body) == ("a\n---\nb --- c", "body\n---\nmore\n")


def test_byte_order_mark_and_windows_lines_keep_their_header() -> None:
    """A file of a Windows editor is read like any other (G18)."""
    raw = b"\xef\xbb\xbf" + CANONICAL.replace("\n", "\r\n").encode()

    found = parse(raw, PATH)

    assert (found.name, found.type, found.meta["created"]) == ("prefers-tabs", "feedback", "2026-11-30")
    assert skim(raw, PATH) == found


BOMB = "\n".join(["a0: &a0 [x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 8)])


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (BOMB, "aliases are not read"),
        ("name: &n x\ndescription: *n", "aliases are not read"),
        ("name: &a [*a]", "aliases are not read"),
        ("name: x\ndeep: " + "[" * 2000 + "]" * 2000, ""),
        ("name: x\nname: y", "stands twice"),
        ("name: x\nmetadata:\n  type: user\n  type: project", "stands twice"),
        ("name: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("title: Re: October", "mapping values are not allowed"),
        ("created: {{date}}", ""),
        ("name: 'open", ""),
        ("name: x\ndescription: \x07", ""),
        ("name: x\n? [a, b]\n: c", ""),
        ("name: " + "x" * MAX_HEADER, "at most"),
    ],
)
def test_header_that_cannot_be_trusted_is_refused(header: str, said: str) -> None:
    """Bombs, aliases, keys written twice, tags and broken YAML raise one error that names the file (L02)."""
    with pytest.raises(NoteError) as caught:
        parse(f"---\n{header}\n---\nbody\n", "knowledge/x.md")

    assert said in caught.value.what
    assert caught.value.where == "knowledge/x.md"
    assert "\n" not in caught.value.what


@pytest.mark.parametrize("header", [BOMB, "title: Re: October", "created: {{date}}", "name: 'open"])
def test_skim_never_raises_and_keeps_the_body(header: str) -> None:
    """The hook's reader takes what it understands of any header, and the body whole (G13, G17)."""
    found = skim(f"---\n{header}\n---\nbody\n", "knowledge/x.md")

    assert found.body == "body\n"
    assert found.entries[0].text == "body"


def test_broken_header_names_its_line() -> None:
    """The message says which line of the file is wrong (G20)."""
    with pytest.raises(NoteError, match="line 3: mapping"):
        parse("---\nname: x\ntitle: Re: October\n---\nb\n", "knowledge/x.md")


@pytest.mark.parametrize("raw", [b"caf\xe9\n", b"a\x00b\n", b"\x00" * 40])
def test_bytes_that_are_no_text_are_refused(raw: bytes) -> None:
    """Another encoding and NUL bytes are an error with the file's name (G08)."""
    with pytest.raises(NoteError) as caught:
        parse(raw, "knowledge/x.md")

    assert caught.value.where == "knowledge/x.md"
    assert skim(raw, "knowledge/x.md").path == "knowledge/x.md"


@pytest.mark.parametrize(
    ("path", "scope", "kind"),
    [
        ("knowledge/user.md", "global", "user"),
        ("knowledge/tech-stack.md", "global", "reference"),
        ("knowledge/feedback/x.md", "global", "feedback"),
        ("knowledge/projects/acme-billing/x.md", "project:acme-billing", "project"),
        ("knowledge/projects/acme-billing.md", "project:acme-billing", "project"),
        ("knowledge/agents/tester/x.md", "agent:tester", "reference"),
        ("skills/review/SKILL.md", "global", "skill"),
        ("summaries/2026/11-30-talk.md", "global", "summary"),
    ],
)
def test_path_tells_scope_and_type(path: str, scope: str, kind: str) -> None:
    """Scope is a folder, never a field; a note whose header names no type has its folder's."""
    assert (scope_of(path), type_of(path)) == (scope, kind)
    assert parse("text\n", path).scope == scope


def test_list_note_holds_one_entry_an_item() -> None:
    """A body that is only a list, under one heading at most, is as many entries as items."""
    raw = "# Tech stack\n\n- Python 3.11\n  with uv\n* PostgreSQL\n\n1. make\n"

    found = parse(raw, "knowledge/tech-stack.md")

    assert [(e.text, e.line) for e in found.entries] == [
        ("Python 3.11\nwith uv", 3),
        ("PostgreSQL", 5),
        ("make", 7),
    ]
    assert found.entries[1].address == f"knowledge/tech-stack.md#{entry_id('PostgreSQL')}"


@pytest.mark.parametrize(
    "body", ["A sentence.\n\n- and a list\n", "- a list\n\nAnd a sentence.\n", "# a\n\n# b\n- x\n"]
)
def test_other_note_is_one_entry(body: str) -> None:
    """Prose, with or without a list in it, is one entry whose address is the path."""
    assert list_items(body) is None
    assert [e.address for e in parse(body, "knowledge/x.md").entries] == ["knowledge/x.md"]


def test_empty_note_has_no_entry() -> None:
    """Blank text is no statement."""
    assert parse(" \n\n", "knowledge/x.md").entries == ()


def test_id_ignores_form_and_not_meaning() -> None:
    """White space, case and Unicode form do not change an id; a word does."""
    assert entry_id("Caf\u00e9  au\nlait") == entry_id("cafe\u0301 AU lait")
    assert entry_id("Café au lait") != entry_id("Café au thé")


def test_line_number_counts_the_header() -> None:
    """An entry's line is a line of the file."""
    raw = '---\nname: x\ndescription: "d"\n---\n\n- a\n- b\n'

    assert [raw.splitlines()[e.line - 1] for e in parse(raw, "knowledge/x.md").entries] == ["- a", "- b"]


# --- replacing


def test_text_that_stands_once_is_replaced() -> None:
    """Exactly the text asked for changes; signs that are special in patterns are plain text (L13)."""
    raw = "a (.*) b\n$1 \\g<0>\n"

    assert replace_once(raw, "(.*)", r"\1\g<0>", "x") == "a \\1\\g<0> b\n$1 \\g<0>\n"


def test_text_that_stands_twice_is_refused_with_its_lines() -> None:
    """A second match changes nothing and names the lines, so that more can be quoted."""
    with pytest.raises(SeveralMatches) as caught:
        replace_once("a b\nc\na b\n", "a b", "x", "knowledge/x.md")

    assert "2 places" in caught.value.what
    assert "lines 1, 3" in caught.value.what
    assert caught.value.exit == 4


def test_matches_that_overlap_are_two() -> None:
    """`aa` stands twice in `aaa`: never a wrong place (L13)."""
    with pytest.raises(SeveralMatches):
        replace_once("aaa\n", "aa", "b", "knowledge/x.md")


def test_text_that_is_nowhere_shows_the_nearest_lines() -> None:
    """No match shows the three nearest lines, with their numbers, and the text to copy."""
    raw = "Ada likes tea.\nBob likes coffee.\nAda like tea\nSomething else\n"

    with pytest.raises(NoMatch) as caught:
        replace_once(raw, "Ada likes tee.", "x", "knowledge/x.md")

    shown = caught.value.what.split("\n")[1:]
    assert [line.split(":", 1)[1].strip() for line in shown] == [
        "Ada likes tea.",
        "Ada like tea",
        "Bob likes coffee.",
    ]
    assert shown[0].startswith("  line 1 (")
    assert "--old 'Ada likes tea.'" in (caught.value.hint or "")
    assert caught.value.exit == 4


@pytest.mark.parametrize("old", ["\U0001f600", "   ", "\n"])
def test_text_without_letters_is_near_nothing(old: str) -> None:
    """An emoji or white space alone is not said to resemble every line (L09)."""
    with pytest.raises(NoMatch):
        replace_once("Ada likes tea.\n", old + old + old, "x", "knowledge/x.md")


def test_plain_newlines_find_text_with_windows_lines() -> None:
    """A pattern typed with plain newlines matches a CRLF file, and what is put in has CRLF too (L13)."""
    raw = "one\r\ntwo\r\nthree\r\n"

    assert replace_once(raw, "one\ntwo", "1\n2\n2b", "x") == "1\r\n2\r\n2b\r\nthree\r\n"


def test_plain_newlines_find_the_plain_part_of_a_mixed_file() -> None:
    """In a file with both kinds of line ends the text is found in either part."""
    assert replace_once("a\r\nb\nc\n", "b\nc", "d", "x") == "a\r\nd\n"


def test_a_description_made_of_the_first_line_follows_its_edit() -> None:
    """A note saved without a description can be edited by its first line, and its index line stays true."""
    raw = format_note("tea", "Ada likes tea", "Ada likes tea\n\nGreen.", {"type": "user"})

    assert replace_in_note(raw, "likes tea", "likes coffee", "x") == format_note(
        "tea", "Ada likes coffee", "Ada likes coffee\n\nGreen.", {"type": "user"}
    )


def test_a_description_in_its_own_words_stays_as_it_is() -> None:
    """Only a description that repeats the first line follows it; another is the writer's."""
    raw = format_note("tea", "What Ada drinks: tea", "Ada likes green tea", {"type": "user"})

    assert replace_in_note(raw, "green tea", "coffee", "x") == raw.replace("green tea", "coffee")
    with pytest.raises(SeveralMatches):
        replace_in_note(raw, "tea", "coffee", "x")


# --- adding and removing


def test_appending_to_a_list_adds_an_item() -> None:
    """One more statement of a list note is one more item, indented when it has several lines."""
    assert append("# User\n\n- Name: Ada\n", "Lives in Bern\nsince 2020") == (
        "# User\n\n- Name: Ada\n- Lives in Bern\n  since 2020\n"
    )
    assert append("- a\n", "- b") == "- a\n- b\n"


def test_appending_to_prose_adds_a_paragraph() -> None:
    """Any other note gets a paragraph of its own."""
    assert append("Some prose.\n", "More.") == "Some prose.\n\nMore.\n"
    assert append("", "First.") == "First.\n"


@pytest.mark.parametrize("raw", ["- a\r\n- b\r\n", "Prose.\r\n", "\r\n- a\r\n\r\n"])
def test_appending_keeps_windows_lines(raw: str) -> None:
    """What is added to a CRLF file has CRLF, and nothing that was there changes."""
    after = append(raw, "c\nd")

    assert "\n" not in after.replace("\r\n", "")
    assert after.startswith(raw.rstrip())


@pytest.mark.parametrize(
    ("raw", "gone", "left"),
    [
        ("- a\n- b\n- c\n", 1, "- a\n- c\n"),
        ("- a\n- b\n  more\n- c\n", 1, "- a\n- c\n"),
        ("- a\n- b\n\n  another paragraph\n- c\n", 1, "- a\n- c\n"),
        ("- a\n- b\n\n- c\n", 1, "- a\n\n- c\n"),
        ("- a\r\n- b\r\n- c\r\n", 0, "- b\r\n- c\r\n"),
        ("- a\n- b", 1, "- a\n"),
        (
            '---\nname: x\ndescription: "a\u2028 b"\n---\n- a\n- b\n',
            0,
            '---\nname: x\ndescription: "a\u2028 b"\n---\n- b\n',
        ),
        ("- a\x0cx\n- b\n", 1, "- a\x0cx\n"),
    ],
)
def test_removing_an_item_takes_its_lines_and_no_other(raw: str, gone: int, left: str) -> None:
    """An item goes with all its indented lines; every other byte stays."""
    assert remove_entry(raw, parse(raw, "knowledge/x.md").entries[gone]) == left


# --- headers


def test_set_meta_changes_one_line() -> None:
    """A key that is there is replaced in place, a new one is added below; foreign keys stay (G15)."""
    raw = "---\nname: x\nmetadata:\n  type: user\n  pin: no # by hand\nother:\n  - 1\n---\nbody\n"

    after = set_meta(raw, {"pin": "true", "verified": "2026-11-30"})

    assert after == (
        "---\nname: x\nmetadata:\n  type: user\n"
        '  pin: "true"\n  verified: "2026-11-30"\nother:\n  - 1\n---\nbody\n'
    )


def test_set_meta_gives_a_header_to_a_note_without() -> None:
    """A header-less note gets exactly one header, and keeps its text and its line ends."""
    after = set_meta("- a\r\n", {"pin": "true"})

    assert parse(after, "knowledge/x.md").pinned
    assert after.endswith("---\r\n- a\r\n")
    assert set_meta(after, {"pin": "false"}).count("---") == 2


def test_set_meta_refuses_a_header_in_one_line() -> None:
    """`metadata: {…}` cannot be changed by line, and is left alone."""
    with pytest.raises(NoteError, match="block form"):
        set_meta("---\nname: x\nmetadata: {type: user}\n---\nb\n", {"pin": "true"})


@pytest.mark.parametrize(
    "value", ["a: b", '"quoted"', "# no comment", "- x", "a\nb", "\x1b[31mred", "{}", "'", "\\"]
)
def test_quoted_value_is_one_yaml_line(value: str) -> None:
    """Whatever a description holds, it is one line that YAML reads back (G13)."""
    from memory_skill.text import one_line

    raw = format_note("x", value, "b", {"type": "user", "source": value})

    assert "\n" not in quote(value)
    found = parse(raw, "knowledge/x.md")
    assert (found.description, found.meta["source"]) == (one_line(value), one_line(value))


def test_split_is_lossless() -> None:
    """Header, marks and body are all there is."""
    header, body = split(CANONICAL)

    assert f"---\n{header}---\n{body}" == CANONICAL
