"""The verbs that put text into the memory and take it out: save, edit, forget, list, import, status."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_skill.errors import (
    ConfigError,
    Conflict,
    NoMatch,
    NoteError,
    NotFound,
    PathRefused,
    Refused,
    SeveralMatches,
    UsageError,
)
from memory_skill.memory import Memory
from memory_skill.note import TYPES, entry_id, parse

from .test_tree import HOSTILE
from .trees import KEY, git, in_history, in_session, last_message, note, project, put, read, subjects

MACHINERY = ["MEMORY.md", "knowledge/projects/x/MEMORY.md", "config.toml", "tombstones", "README.md"]
MACHINERY += ["inbox/x.md", "archive/x.md", "journal/2026-11-30.md", "working/global.md", "knowledge/x.txt"]


@pytest.fixture
def billing(memory: Memory, tmp_path: Path) -> Memory:
    """The same memory as it is seen from inside a project."""
    return Memory.open(cwd=project(tmp_path / "billing", "git@github.com:acme/billing.git"))


@pytest.fixture
def outside(memory: Memory, home: Path) -> Memory:
    """The same memory as it is seen from outside any project."""
    return Memory.open(cwd=home)


def found(memory: Memory, query: str, scope: str = "all") -> list[str]:
    return [hit.address for hit in memory.recall(query, scope=scope).hits]


# --- init


def test_init_makes_the_tree_and_its_first_commit(home: Path) -> None:
    """A new memory is a git repository with one commit, reviewed, nothing left to settle."""
    memory = Memory.open(cwd=home)

    made = memory.init()

    assert made.home == os.fspath(home / ".memory-skill")
    assert "config.toml" in made.created
    assert last_message(memory) == "init memory\n\nMemory-Verb: init"
    assert git(memory.tree.home, "status", "--porcelain") == ""
    assert git(memory.tree.home, "rev-parse", "refs/memory-skill/reviewed") == git(
        memory.tree.home, "rev-parse", "HEAD"
    )
    assert not memory.status().unsettled


def test_init_again_changes_nothing(memory: Memory) -> None:
    """What is there already stays as it is; only what is missing comes back."""
    put(memory, "AGENTS.md", "mine\n")
    (memory.tree.home / ".gitignore").unlink()

    assert memory.init().created == (".gitignore",)

    assert read(memory, "AGENTS.md") == "mine\n"


def test_init_through_a_link_that_leads_nowhere_is_refused(home: Path, tmp_path: Path) -> None:
    """A home that is a dangling link makes nothing at the other end (G70)."""
    (home / ".memory-skill").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(PathRefused):
        Memory.open(cwd=home).init()

    assert not (tmp_path / "elsewhere").exists()


def test_verbs_without_a_tree_name_init(home: Path) -> None:
    """Without a tree each writing verb says which command makes one, and makes nothing itself."""
    memory = Memory.open(cwd=home)
    for verb in (
        lambda: memory.save("text", type="user"),
        lambda: memory.edit("knowledge/user.md", "", "text"),
        memory.settle,
        memory.reindex,
    ):
        with pytest.raises(NotFound) as caught:
            verb()
        assert caught.value.hint == "memory-skill init"
    assert not (home / ".memory-skill").exists()


# --- save


def test_save_writes_the_canonical_note(outside: Memory) -> None:
    """The note is exactly the documented form; the reply has address, scope, outcome and commit."""
    saved = outside.save(
        "Indent with tabs.", type="feedback", why="She uses a screen reader.", how="Everywhere."
    )

    raw = read(outside, "knowledge/feedback/indent-with-tabs.md")
    today = parse(raw, "x.md").meta["created"]
    assert raw == (
        "---\nname: indent-with-tabs\n"
        'description: "Indent with tabs."\n'
        "metadata:\n  type: feedback\n"
        f'  source: "user-said"\n  created: "{today}"\n'
        "---\nIndent with tabs.\n\n**Why:** She uses a screen reader.\n**How to apply:** Everywhere.\n"
    )
    assert (saved.address, saved.scope, saved.outcome, saved.hint) == (
        "knowledge/feedback/indent-with-tabs.md",
        "global",
        "saved",
        None,
    )
    assert saved.commit == git(outside.tree.home, "rev-parse", "--short=10", "HEAD").strip()


def test_save_is_one_commit_that_tells_what_and_who(memory: Memory, tmp_path: Path) -> None:
    """Subject `save <address>`, the statement and its scope for people, trailers for machines."""
    agent = in_session(memory, "s-1", tmp_path / "work")

    agent.save("Indent with tabs.", type="feedback", source="agent-inferred")

    assert last_message(memory) == (
        "save knowledge/feedback/indent-with-tabs.md\n\nIndent with tabs.\n\nScope: global.\n\n"
        "Memory-Verb: save\nMemory-Host: claude-code\nMemory-Session: s-1\nMemory-Source: agent-inferred"
    )
    assert len(subjects(memory)) == 1
    assert git(memory.tree.home, "status", "--porcelain") == ""
    assert memory.sessions.read("claude-code", "s-1").saves == 1


def test_saved_note_is_indexed_and_recalled(outside: Memory) -> None:
    """The very next recall and the index know it."""
    outside.save("Invoices go to Zürich.", type="reference", description="Where invoices go")

    assert "- [invoices go](knowledge/reference/" not in read(outside, "MEMORY.md")
    assert "](knowledge/reference/where-invoices-go.md) — Where invoices go" in read(outside, "MEMORY.md")
    assert found(outside, "invoices zürich") == ["knowledge/reference/where-invoices-go.md"]


@pytest.mark.parametrize("kind", TYPES)
def test_scope_follows_the_type(billing: Memory, outside: Memory, kind: str) -> None:
    """User and feedback are global; the others belong to the current project, outside one they are global."""
    inside = billing.save("The one statement.", type=kind)
    out = outside.save("The other statement.", type=kind)

    wanted = "global" if kind in ("user", "feedback") else "project:acme-billing"
    folder = f"knowledge/{kind}" if wanted == "global" else "knowledge/projects/acme-billing"
    assert (inside.scope, inside.address) == (wanted, f"{folder}/the-one-statement.md")
    assert (out.scope, out.address) == ("global", f"knowledge/{kind}/the-other-statement.md")


@pytest.mark.parametrize(
    ("scope", "kind", "address"),
    [
        ("global", "project", "knowledge/project/a-statement.md"),
        ("project", "user", "knowledge/projects/acme-billing/a-statement.md"),
        ("project:other", "feedback", "knowledge/projects/other/a-statement.md"),
        ("agent:tester", "lesson", "knowledge/agents/tester/a-statement.md"),
    ],
)
def test_scope_can_be_named(billing: Memory, scope: str, kind: str, address: str) -> None:
    """`--scope` decides otherwise, and the reply names the scope."""
    saved = billing.save("A statement.", type=kind, scope=scope)

    assert saved.address == address
    assert saved.scope == scope.replace(
        "project", "project:acme-billing" if scope == "project" else "project"
    )


def test_project_notes_stand_in_the_projects_index_alone(billing: Memory) -> None:
    """The root index holds one pointer to the project; its notes are in the project's own index."""
    billing.save("Amounts are integer cents.", type="project")

    root, own = read(billing, "MEMORY.md"), read(billing, "knowledge/projects/acme-billing/MEMORY.md")
    assert "amounts" not in root.lower()
    assert root.count("acme-billing") == 2  # the pointer's title and its link
    assert "](amounts-are-integer-cents.md)" in own


def test_project_note_does_not_reach_another_project(billing: Memory, tmp_path: Path) -> None:
    """What one project learnt is not recalled in the next; global notes are in both."""
    billing.save("The flamingo build needs make.", type="project")
    billing.save("Ada likes the flamingo logo.", type="user")
    other = Memory.open(cwd=project(tmp_path / "shop", "git@github.com:acme/shop.git"))

    hits = [hit.address for hit in other.recall("flamingo").hits]

    assert hits == ["knowledge/user/ada-likes-the-flamingo-logo.md"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"type": "secret"}, "unknown type"),
        ({"type": "user", "source": "rumour"}, "unknown source"),
        ({"type": "user", "scope": "everyone"}, "unknown scope"),
        ({"type": "user", "scope": "project:"}, "unknown scope"),
        ({"type": "user", "scope": "project:../x"}, "unknown scope"),
        ({"type": "user", "scope": "agent:.git"}, "unknown scope"),
        ({"type": "user", "scope": "all"}, "unknown scope"),
        ({"type": "user", "scope": "project"}, "no project here"),
        ({"type": "user", "name": "\U0001f600"}, "no letter"),
        ({"type": "user", "name": "../.."}, "no letter"),
    ],
)
def test_wrong_call_is_a_usage_error(outside: Memory, call: dict[str, str], said: str) -> None:
    """Unknown words are named, with what is known in the hint; exit code 2 and nothing written."""
    with pytest.raises(UsageError, match=said) as caught:
        outside.save("A statement.", **call)

    assert caught.value.exit == 2
    assert caught.value.hint
    assert subjects(outside) == []


@pytest.mark.parametrize(
    ("text", "rule"), [("", "empty"), (" \n", "empty"), ("x" * 20_001, "size"), (f"key {KEY}", "secret")]
)
def test_refusal_is_an_outcome_with_the_rules_name(outside: Memory, text: str, rule: str) -> None:
    """The gate's answer comes back with a hint; nothing is written."""
    saved = outside.save(text, type="user")

    assert (saved.outcome, saved.rule, saved.address, saved.commit) == ("refused", rule, None, None)
    assert saved.hint
    assert subjects(outside) == []


def test_secret_is_masked_everywhere(outside: Memory) -> None:
    """A key in text, description, why or name is in no file, no commit and no reply."""
    saved = outside.save(
        f"The deploy token is {KEY}; ask Ada to renew it.",
        type="reference",
        description=f"Deploy token {KEY}",
        why=f"{KEY} expires",
    )

    assert saved.outcome == "saved"
    assert "masked" in (saved.hint or "")
    tail = KEY[-12:]
    assert tail not in str(saved)
    assert tail.lower() not in str(saved).lower()
    assert not in_history(outside, tail)
    for path in outside.tree.home.rglob("*"):
        if path.is_file():
            assert tail.encode() not in path.read_bytes(), path


def test_same_statement_twice_is_unchanged(outside: Memory) -> None:
    """The same text, in another form of white space and case, is not stored again."""
    first = outside.save("Ada prefers  Tabs.", type="user")

    again = outside.save("ada prefers tabs.", type="user", name="other")

    assert (again.outcome, again.address, again.commit) == ("unchanged", first.address, None)
    assert len(subjects(outside)) == 1


@pytest.mark.parametrize("text", ["- apples\n- pears", "- one apple", "1. apples\n2. pears\n   and plums"])
def test_same_list_twice_is_unchanged(outside: Memory, tmp_path: Path, text: str) -> None:
    """A statement given as a list is its items: nothing stores it twice, nothing brings it back."""
    first = outside.save(text, type="user")
    lines = write_lines(tmp_path / "n.jsonl", {"type": "user", "body": text})

    assert outside.save(text + "\n", type="user", name="other").outcome == "unchanged"
    assert outside.import_file(lines).unchanged == 1

    outside.forget(first.address or "")
    assert outside.save(text, type="user").rule == "forgotten"
    assert outside.save(text, type="user", to="knowledge/fruit.md").rule == "forgotten"
    assert outside.import_file(lines).refused == 1


@pytest.mark.parametrize("odd", ["caf\udce9 au lait", "a\x00b, and more"])
def test_what_is_no_text_is_no_crash(outside: Memory, odd: str, tmp_path: Path) -> None:
    """Bytes of another encoding are refused as a text, and harmless in a query or a name."""
    outside.edit("knowledge/user.md", "", "Name: Ada")

    assert outside.save(odd, type="user").rule == "text"
    assert outside.save("x y", type="user", why=odd).rule == "text"
    assert outside.save("A name of its own.", type="user", name=odd, description=odd).outcome == "saved"
    with pytest.raises(Refused):
        outside.edit("knowledge/user.md", "", odd)
    with pytest.raises(NoMatch):
        outside.edit("knowledge/user.md", odd, "x")
    assert outside.forget(odd).outcome in ("not_found", "ambiguous", "forgotten")
    assert outside.recall(odd).outcome in ("hits", "no_match")
    for call in (
        lambda: outside.undo(odd),
        lambda: outside.undo(session=odd),
        lambda: outside.undo(entry=odd),
    ):
        with pytest.raises(NotFound):
            call()


def test_taken_name_gets_a_number(outside: Memory) -> None:
    """Titles that are one name keep all texts, and the reply names the path that has the name (G55, G56)."""
    titles = ["Q3 Report", "Q3-Report", "q3 report!"]

    saved = [outside.save(f"The text {n}.", type="project", name=title) for n, title in enumerate(titles)]

    assert [s.address for s in saved] == [
        f"knowledge/project/{name}.md" for name in ("q3-report", "q3-report-2", "q3-report-3")
    ]
    assert "knowledge/project/q3-report.md has that name" in (saved[1].hint or "")
    for number, one in enumerate(saved):
        own = parse(read(outside, one.address or ""), one.address or "")
        assert (own.body, own.name) == (f"The text {number}.\n", (one.address or "").split("/")[-1][:-3])


def test_same_opening_does_not_overwrite(outside: Memory) -> None:
    """Three notes with the same first sixty characters are three files (G55)."""
    opening = "The deployment of the billing service to the staging cluster "

    addresses = {outside.save(opening + end, type="project").address for end in ("one", "two", "three")}

    assert len(addresses) == 3


@pytest.mark.parametrize("form", ["caf\u00e9", "cafe\u0301", "CAF\u00c9"])
def test_name_in_another_form_is_taken(outside: Memory, form: str) -> None:
    """A file whose name differs in Unicode form or case only counts as that name (G54)."""
    put(outside, f"knowledge/reference/{form}.md", "by hand\n")

    saved = outside.save("The café opens at nine.", type="reference", name="Café")

    assert saved.address == "knowledge/reference/caf\u00e9-2.md"
    assert read(outside, f"knowledge/reference/{form}.md") == "by hand\n"


@pytest.mark.parametrize("name", ["漢" * 80, "\U00020000" * 80, "x" * 300])
def test_longest_name_is_cut_to_what_a_disk_takes(outside: Memory, name: str) -> None:
    """A name at the limit is saved, whatever its characters weigh in bytes; a second one too (L08)."""
    for text in ("One of them.", "Two of them."):
        saved = outside.save(text, type="reference", name=name)
        assert saved.outcome == "saved"
        stem = (saved.address or "").split("/")[-1]
        assert len(stem.encode()) <= 255
        assert parse(read(outside, saved.address or ""), stem).name == stem.removesuffix(".md")


def test_odd_titles_are_quoted(outside: Memory) -> None:
    """A title with a colon, quotes, a line end or an escape makes a header that can be read (G13)."""
    told = 'Governance: part two (Split: "Core")\nsecond \x1b[31mline\x1e'

    saved = outside.save("A whole body.", type="reference", description=told)

    own = parse(read(outside, saved.address or ""), saved.address or "")
    assert own.description == 'Governance: part two (Split: "Core") second line'
    assert outside.log()[0].subject == f"save {saved.address}"


def test_pinned_note_says_so(outside: Memory) -> None:
    """`--pin` is a line of the header, and the list shows it."""
    outside.save("Ada is allergic to nuts.", type="user", pin=True)

    assert [item.pinned for item in outside.list(type="user")] == [True]


def test_lesson_without_a_cause_gets_a_hint(outside: Memory) -> None:
    """Symptom and mechanism both: a lesson that names no cause is saved, with advice."""
    bare = outside.save("The build fails on Mondays.", type="lesson")
    whole = outside.save("The build fails because the cache is stale.", type="lesson")

    assert (bare.outcome, whole.outcome) == ("saved", "saved")
    assert "cause" in (bare.hint or "")
    assert whole.hint is None


def test_what_a_tool_said_waits_in_the_inbox(outside: Memory) -> None:
    """Text from a tool's output reaches only the inbox: not the index and no recall."""
    saved = outside.save("The README says to use flamingos.", type="project", source="tool-output")

    assert (saved.outcome, saved.rule, saved.address) == ("held", "tool-output", None)
    assert saved.inbox == "inbox/the-readme-says-to-use-flamingos.md"
    assert "flamingos" not in read(outside, "MEMORY.md")
    assert found(outside, "flamingos readme") == []
    assert outside.status().inbox == 1
    assert subjects(outside) == ["hold inbox/the-readme-says-to-use-flamingos.md"]


def test_save_to_a_path_of_ones_own(billing: Memory) -> None:
    """`--to` names the file; its folder decides the scope, its name the note's."""
    saved = billing.save("Use make for it.", type="reference", to="knowledge/agents/tester/tools.md")

    assert (saved.address, saved.scope) == ("knowledge/agents/tester/tools.md", "agent:tester")
    assert parse(read(billing, saved.address), saved.address).name == "tools"


def test_save_to_a_taken_path_is_a_conflict(outside: Memory) -> None:
    """What is there stays, and the hint says how to change it; the same text is unchanged."""
    put(outside, "knowledge/tools.md", "by hand\n")

    with pytest.raises(Conflict, match="is there already") as caught:
        outside.save("Use make for it.", type="reference", to="knowledge/tools.md")

    assert "memory-skill edit knowledge/tools.md" in (caught.value.hint or "")
    assert read(outside, "knowledge/tools.md") == "by hand\n"
    outside.save_note(note("reference", "a whole text"), to="knowledge/a.md")
    assert outside.save_note(note("reference", "a whole text"), to="knowledge/a.md").outcome in (
        "unchanged",
        "saved",
    )


@pytest.mark.parametrize("path", [*HOSTILE, *MACHINERY])
def test_verbs_write_only_notes(outside: Memory, path: str) -> None:
    """No verb writes outside the tree, into its machinery, or over what is generated; exit code 5."""
    before = git(outside.tree.home, "status", "--porcelain", "--ignored")
    for verb in (
        lambda: outside.save("Text.", type="user", to=path or " "),
        lambda: outside.save_note(note("user", "text"), to=path or " "),
        lambda: outside.edit(path, "", "Text."),
        lambda: outside.edit(path, "format", "x"),
    ):
        with pytest.raises(PathRefused) as caught:
            verb()
        assert caught.value.exit == 5
    assert git(outside.tree.home, "status", "--porcelain", "--ignored") == before


def test_save_to_skills_makes_a_skill(outside: Memory) -> None:
    """A skill gets the header that hosts ask for: name and description, no more."""
    saved = outside.save(
        "Run make, then tag.", type="reference", description="Use to release", to="skills/rel/SKILL.md"
    )

    assert read(outside, "skills/rel/SKILL.md") == (
        '---\nname: rel\ndescription: "Use to release"\n---\nRun make, then tag.\n'
    )
    assert saved.outcome == "saved"
    assert "](skills/rel/SKILL.md) — Use to release" in read(outside, "MEMORY.md")


def test_whole_note_keeps_what_it_says(billing: Memory) -> None:
    """A note on stdin keeps its name, description, foreign keys and body, in canonical form."""
    raw = (
        "---\nname: Prefers Tabs\ndescription: 'tabs: always'\nmetadata:\n  type: feedback\n"
        "  confidence: high\n  created: 2026-01-02\ntags: [a, b]\n---\n\nBody.\n---\nmore\n"
    )

    saved = billing.save_note(raw)

    own = parse(read(billing, saved.address or ""), saved.address or "")
    assert saved.address == "knowledge/feedback/prefers-tabs.md"
    assert (own.description, own.body) == ("tabs: always", "Body.\n---\nmore\n")
    assert own.meta == {"source": "user-said", "created": "2026-01-02", "confidence": "high", "tags": "a, b"}


@pytest.mark.parametrize("key", ["'a: b'", "'#x'", "'- y'", "ünï", "'[z]'"])
def test_whole_note_with_odd_keys_stays_readable(outside: Memory, key: str) -> None:
    """What was read can be read again after it is written."""
    saved = outside.save_note(f"---\nname: x\nmetadata:\n  type: user\n  {key}: v\n---\nA whole body.\n")

    assert parse(read(outside, saved.address or ""), "x.md").meta[key.strip("'")] == "v"


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ("---\ntitle: Re: October\n---\nx\n", NoteError),
        ("Just text.\n", UsageError),
        ("---\nname: x\n---\nno type\n", UsageError),
        ("---\nname: x\ntype: novel\n---\nbody\n", UsageError),
    ],
)
def test_whole_note_must_have_a_header_with_a_type(outside: Memory, raw: str, error: type[Exception]) -> None:
    """A broken header and a missing or unknown type are errors, not guesses."""
    with pytest.raises(error):
        outside.save_note(raw)
    assert subjects(outside) == []


def test_whole_note_from_a_tool_waits_too(outside: Memory) -> None:
    """The header's source counts like the option."""
    raw = "---\nname: x\nmetadata:\n  type: user\n  source: tool-output\n---\nBody.\n"

    assert outside.save_note(raw).outcome == "held"


# --- edit


@pytest.mark.parametrize(
    ("path", "scope", "query"),
    [
        ("knowledge/user.md", "global", "name ada"),
        ("knowledge/tech-stack.md", "global", "name ada"),
        ("knowledge/projects/acme-billing.md", "project:acme-billing", "name ada"),
    ],
)
def test_edit_with_nothing_to_replace_makes_a_list_note(
    outside: Memory, path: str, scope: str, query: str
) -> None:
    """`edit user.md --old "" --new "Name: Ada"` makes a header-less list note, indexed and recalled."""
    edited = outside.edit(path, "", "Name: Ada")

    assert (edited.outcome, edited.address) == ("created", path)
    assert read(outside, path) == "- Name: Ada\n"
    assert path in read(outside, "MEMORY.md")
    assert found(outside, query, scope) == [f"{path}#{entry_id('Name: Ada')}"]
    assert last_message(outside) == f"edit {path}\n\nadded: Name: Ada\n\nMemory-Verb: edit"


def test_edit_with_nothing_to_replace_appends(outside: Memory) -> None:
    """A further statement becomes a further item; the entries that were there keep their addresses."""
    outside.edit("knowledge/user.md", "", "Name: Ada")
    outside.edit("knowledge/user.md", "", "Lives in Bern\nsince 2020")

    assert read(outside, "knowledge/user.md") == "- Name: Ada\n- Lives in Bern\n  since 2020\n"
    assert found(outside, "name ada") == [f"knowledge/user.md#{entry_id('Name: Ada')}"]


def test_edit_makes_a_valid_skill(outside: Memory) -> None:
    """`edit skills/x/SKILL.md` gives a skill its header: the folder's name and the trigger."""
    outside.edit(
        "skills/release/SKILL.md", "", "# Release\n\nTrigger: use when a release is due.\n\n1. Tag it."
    )

    raw = read(outside, "skills/release/SKILL.md")
    own = parse(raw, "skills/release/SKILL.md")
    assert (own.name, own.description, own.type) == ("release", "use when a release is due.", "skill")
    assert raw.startswith("---\nname: release\ndescription: ")
    assert raw.endswith("---\n# Release\n\nTrigger: use when a release is due.\n\n1. Tag it.\n")
    assert "- [release](skills/release/SKILL.md) — use when a release is due." in read(outside, "MEMORY.md")


def test_edit_changes_the_text_and_no_other_byte(outside: Memory) -> None:
    """Mark, line ends, trailing blanks and a foreign header survive an edit."""
    raw = b"\xef\xbb\xbf---\r\nzeta: 1\r\nname: x # mine\r\n---\r\n\r\nold text  \r\n\r\n\r\n"
    put(outside, "knowledge/x.md", raw)

    edited = outside.edit("knowledge/x.md", "old text", "new\ntext")

    assert (outside.tree.home / "knowledge/x.md").read_bytes() == raw.replace(b"old text", b"new\r\ntext")
    assert edited.outcome == "edited"
    assert last_message(outside).startswith("edit knowledge/x.md\n\nwas: old text\nnow: new text")


def test_edit_without_a_match_shows_the_nearest_lines(outside: Memory) -> None:
    """Nothing is guessed: the nearest lines come back with the text to copy; exit code 4."""
    outside.edit("knowledge/user.md", "", "Name: Ada")

    with pytest.raises(NoMatch, match="the nearest") as caught:
        outside.edit("knowledge/user.md", "Name: Eda", "Name: Bob")

    assert "- Name: Ada" in (caught.value.hint or "")
    assert read(outside, "knowledge/user.md") == "- Name: Ada\n"


def test_edit_with_two_matches_is_refused(outside: Memory) -> None:
    """The lines of both are named; nothing changes."""
    put(outside, "knowledge/user.md", "- tea\n- green tea\n")

    with pytest.raises(SeveralMatches, match="lines 1, 2"):
        outside.edit("knowledge/user.md", "tea", "coffee")

    assert read(outside, "knowledge/user.md") == "- tea\n- green tea\n"


def test_edit_of_one_entry(outside: Memory) -> None:
    """An address with an id changes text in that entry only; a stale one fails loudly."""
    put(outside, "knowledge/user.md", "- tea\n- green tea\n  at noon, tea\n")
    address = f"knowledge/user.md#{entry_id('tea')}"

    assert outside.edit(address, "tea", "coffee").outcome == "edited"

    assert read(outside, "knowledge/user.md") == "- coffee\n- green tea\n  at noon, tea\n"
    with pytest.raises(NotFound, match="no such entry"):
        outside.edit(address, "tea", "milk")


def test_edit_that_changes_nothing_commits_nothing(outside: Memory) -> None:
    """Replacing a text by itself is no change (L13)."""
    outside.edit("knowledge/user.md", "", "Name: Ada")

    edited = outside.edit("knowledge/user.md", "Ada", "Ada")

    assert (edited.outcome, edited.commit) == ("unchanged", None)
    assert len(subjects(outside)) == 1


@pytest.mark.parametrize(("old", "new", "error"), [("x", "y", NotFound), ("", " ", Refused)])
def test_edit_of_a_missing_note(outside: Memory, old: str, new: str, error: type[Exception]) -> None:
    """Only an empty --old makes a note, and only of a text."""
    with pytest.raises(error):
        outside.edit("knowledge/nothing.md", old, new)
    assert not (outside.tree.home / "knowledge/nothing.md").exists()


def test_edit_cannot_make_a_note_too_long(outside: Memory) -> None:
    """The limit holds for the whole note; the bytes stay as they were."""
    put(outside, "knowledge/x.md", "x" * 19_000)

    with pytest.raises(Refused) as caught:
        outside.edit("knowledge/x.md", "", "y" * 1500)

    assert caught.value.rule == "size"
    assert read(outside, "knowledge/x.md") == "x" * 19_000


def test_edit_of_a_note_with_a_broken_header_touches_the_body_alone(outside: Memory) -> None:
    """A header that cannot be read stays byte for byte, and no second one is written (G14)."""
    raw = "---\ntitle: Re: October\n---\nold body\n"
    put(outside, "knowledge/x.md", raw)

    outside.edit("knowledge/x.md", "old", "new")

    assert read(outside, "knowledge/x.md") == raw.replace("old", "new")
    assert found(outside, "new body october") == ["knowledge/x.md"]


def test_edit_of_what_is_no_text_is_refused(outside: Memory) -> None:
    """A file in another encoding stays byte for byte."""
    put(outside, "knowledge/x.md", b"caf\xe9\n")

    with pytest.raises(NoteError):
        outside.edit("knowledge/x.md", "", "more")

    assert (outside.tree.home / "knowledge/x.md").read_bytes() == b"caf\xe9\n"


def test_edit_of_agents_md_is_an_edit_like_any_other(outside: Memory) -> None:
    """Who the agent is here can be edited; a secret in it is masked."""
    outside.edit("AGENTS.md", "", f"Ada signs with {KEY} in the evening.")

    assert "[secret: anthropic] in the evening." in read(outside, "AGENTS.md")
    assert not in_history(outside, KEY)


# --- forget


def test_forget_removes_the_note_and_leaves_a_tombstone(outside: Memory) -> None:
    """File, index line and recall are gone; a hash stays, so that nothing brings the text back unasked."""
    saved = outside.save("The flamingo logo is pink.", type="project")

    gone = outside.forget(saved.address or "")

    ident = entry_id("The flamingo logo is pink.")
    assert (gone.outcome, gone.addresses) == ("forgotten", (saved.address,))
    assert not (outside.tree.home / (saved.address or "")).exists()
    assert "flamingo" not in read(outside, "MEMORY.md")
    assert found(outside, "flamingo logo") == []
    assert subjects(outside)[0] == f"forget #{ident}"
    assert read(outside, "tombstones").startswith(ident)
    assert "flamingo" not in read(outside, "tombstones")


def test_forgotten_text_does_not_come_back_unasked(outside: Memory, tmp_path: Path) -> None:
    """Save, --to, a whole note and import refuse it by the rule `forgotten`; --again lets it in."""
    text = "The flamingo logo is pink."
    outside.forget(outside.save(text, type="project").address or "")
    lines = tmp_path / "notes.jsonl"
    lines.write_text(json.dumps({"name": "n", "type": "project", "body": text}))

    for saved in (
        outside.save(text.upper(), type="user"),
        outside.save(text, type="user", to="knowledge/x.md"),
        outside.save_note(note("user", text)),
        outside.save_note(note("user", text), to="knowledge/y.md"),
    ):
        assert (saved.outcome, saved.rule) == ("refused", "forgotten")
    assert outside.import_file(lines).refused == 1
    assert outside.save(text, type="user", again=True).outcome == "saved"


def test_forget_of_one_item_leaves_the_others(outside: Memory) -> None:
    """An entry of a list note goes with its lines; everything else stays byte for byte."""
    put(outside, "knowledge/user.md", b"\xef\xbb\xbf- tea\r\n- milk\r\n  at noon\r\n- rum\r\n")

    outside.forget(f"knowledge/user.md#{entry_id('milk at noon')}")

    assert (outside.tree.home / "knowledge/user.md").read_bytes() == b"\xef\xbb\xbf- tea\r\n- rum\r\n"


def test_forget_takes_every_copy_of_an_item(outside: Memory) -> None:
    """A statement that stands twice in a note is gone from it, not only its first copy."""
    put(outside, "knowledge/user.md", "- tea\n- milk\n- Tea\n")

    outside.forget(f"knowledge/user.md#{entry_id('tea')}")

    assert read(outside, "knowledge/user.md") == "- milk\n"


def test_forget_by_name_id_or_query(outside: Memory) -> None:
    """An address is not needed where one entry alone is meant."""
    outside.save("Ada likes flamingos.", type="user")
    outside.save("Bob has a red bicycle.", type="user")
    outside.save("The tests need Redis.", type="user")

    assert outside.forget("ada-likes-flamingos").outcome == "forgotten"
    assert outside.forget(f"#{entry_id('Bob has a red bicycle.')}").outcome == "forgotten"
    assert outside.forget("tests need redis").outcome == "forgotten"
    assert outside.list(type="user") == []


def test_ambiguous_query_lists_addresses(outside: Memory) -> None:
    """A query that fits two entries forgets neither and lists both."""
    addresses = {outside.save(f"The flamingo {n} is pink.", type="user").address for n in ("left", "right")}

    answer = outside.forget("flamingo pink")

    assert (answer.outcome, set(answer.addresses), answer.commit) == ("ambiguous", addresses, None)
    assert len(outside.list(type="user")) == 2


@pytest.mark.parametrize(
    "query",
    [
        "",
        "zebra crossing",
        "knowledge/none.md",
        "knowledge/user.md#3f9",
        "#00000000",
        "knowledge/user.md#xyz",
        "../x",
    ],
)
def test_query_that_means_nothing_forgets_nothing(outside: Memory, query: str) -> None:
    """An unknown or mistyped address is not taken for words to search with."""
    outside.edit("knowledge/user.md", "", "The user knowledge: md 3f9 xyz")

    assert outside.forget(query).outcome == "not_found"
    assert len(subjects(outside)) == 1


def test_stale_address_fails_loudly(outside: Memory) -> None:
    """An id that no entry of the note has any more is an error, not another entry."""
    outside.edit("knowledge/user.md", "", "Name: Ada")

    with pytest.raises(NotFound, match="no such entry"):
        outside.forget("knowledge/user.md#00000000")


def test_forget_can_be_asked_first(outside: Memory) -> None:
    """Without --yes the address comes back and nothing changes."""
    saved = outside.save("Ada likes tea.", type="user")

    answer = outside.forget(saved.address or "", yes=False)

    assert (answer.outcome, answer.addresses) == ("ambiguous", (saved.address,))
    assert len(outside.list(type="user")) == 1


def test_forget_of_an_item_of_what_is_no_text_is_refused(outside: Memory) -> None:
    """Bytes that cannot be read are not rewritten."""
    put(outside, "knowledge/user.md", b"- caf\xe9\n- tea\n")

    with pytest.raises(NoteError):
        outside.forget(f"knowledge/user.md#{entry_id('tea')}")

    assert (outside.tree.home / "knowledge/user.md").read_bytes() == b"- caf\xe9\n- tea\n"


# --- list, import, status


def test_list_filters_by_type_and_scope(billing: Memory) -> None:
    """Notes of every scope by path; a type or a scope narrows it, an unknown one is an error."""
    billing.save("Ada likes tea.", type="user")
    billing.save("Cents are integers.", type="project")
    billing.edit("knowledge/user.md", "", "Name: Ada")

    assert [i.address for i in billing.list(type="user")] == [
        "knowledge/user.md",
        "knowledge/user/ada-likes-tea.md",
    ]
    assert [i.name for i in billing.list(scope="project")] == ["cents-are-integers"]
    assert {i.type for i in billing.list()} == {"user", "project", "skill"}
    with pytest.raises(UsageError):
        billing.list(type="novel")
    with pytest.raises(UsageError):
        billing.list(scope="here")


def test_list_is_sorted_by_path(outside: Memory) -> None:
    """The order is that of the addresses, folders or not."""
    for path in ("knowledge/user/a.md", "knowledge/user.md", "knowledge/z.md", "knowledge/a/b.md"):
        put(outside, path, "text\n")

    addresses = [item.address for item in outside.list()]
    assert addresses == sorted(addresses)


def write_lines(path: Path, *lines: object) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def test_import_is_one_commit(outside: Memory, tmp_path: Path) -> None:
    """A line a note: file `<name>.md`, a missing scope is global, dates are days."""
    lines = write_lines(
        tmp_path / "notes.jsonl",
        {
            "name": "one",
            "description": "First",
            "type": "user",
            "body": "Body 1.",
            "created": "2026-01-02T03:04:05Z",
        },
        {"name": "two.md", "type": "project", "scope": "project:acme-shop", "body": "Body 2."},
        "",
        {"name": "one", "type": "user", "body": "Body 3."},
    )

    done = outside.import_file(lines)

    assert (done.added, done.unchanged, done.refused, done.reasons) == (3, 0, 0, ())
    assert subjects(outside) == ["import notes.jsonl"]
    own = parse(read(outside, "knowledge/user/one.md"), "knowledge/user/one.md")
    assert (own.description, own.body, own.meta["created"]) == ("First", "Body 1.\n", "2026-01-02")
    assert read(outside, "knowledge/projects/acme-shop/two.md").startswith("---\nname: two\n")
    assert "name: one-2\n" in read(outside, "knowledge/user/one-2.md")
    assert found(outside, "body 3") != []


def test_import_twice_adds_nothing(outside: Memory, tmp_path: Path) -> None:
    """The same file again is unchanged and no commit; the same text twice in it is one note."""
    line = {"name": "one", "type": "user", "body": "Body 1."}
    lines = write_lines(tmp_path / "notes.jsonl", line, line | {"name": "other"})

    assert outside.import_file(lines).added == 1
    again = outside.import_file(lines)

    assert (again.added, again.unchanged, again.commit) == (0, 2, None)


def test_import_says_which_lines_it_refuses_and_takes_the_rest(outside: Memory, tmp_path: Path) -> None:
    """Each bad line is named with its number and reason; safety rules hold."""
    lines = write_lines(
        tmp_path / "notes.jsonl",
        "{not json",
        "[1]",
        {"type": "novel", "body": "x"},
        {"type": "user", "body": "  "},
        {"type": "user", "body": "x" * 20_001},
        {"type": "user", "body": "x", "scope": "project:../../etc"},
        {"type": "user", "body": "x", "created": "yesterday"},
        {"type": "user", "body": "x", "created": "2026-02-30"},
        {"type": "user", "body": "x", "scope": "all"},
        {"type": "user", "name": "../../evil", "body": f"the token {KEY} is Ada's own"},
    )

    done = outside.import_file(lines)

    assert (done.added, done.refused) == (1, 9)
    assert [reason.split(":")[0] for reason in done.reasons] == [f"line {n}" for n in range(1, 10)]
    assert read(outside, "knowledge/user/evil.md").endswith("the token [secret: anthropic] is Ada's own\n")
    assert not in_history(outside, KEY)


def test_import_dry_run_counts_and_writes_nothing(outside: Memory, tmp_path: Path) -> None:
    """What would be added is counted."""
    lines = write_lines(tmp_path / "notes.jsonl", {"name": "one", "type": "user", "body": "Body 1."})

    assert outside.import_file(lines, dry_run=True).added == 1
    assert outside.list(type="user") == []


@pytest.mark.parametrize(("data", "error"), [(None, NotFound), (b"\xff\xfe{}\n", UsageError)])
def test_import_of_what_cannot_be_read(
    outside: Memory, tmp_path: Path, data: bytes | None, error: type[Exception]
) -> None:
    """A missing file and one that is no UTF-8 are told apart."""
    path = tmp_path / "notes.jsonl"
    if data:
        path.write_bytes(data)
    with pytest.raises(error):
        outside.import_file(path)


def test_status_counts(billing: Memory) -> None:
    """Notes by type, the index's fill, what waits, and whether anything is unsettled."""
    billing.save("Ada likes tea.", type="user")
    billing.save("From a tool.", type="user", source="tool-output")
    put(billing, "knowledge/by-hand.md", "text\n")

    status = billing.status()

    assert status.scope == "project:acme-billing"
    assert (status.notes["user"], status.inbox, status.unreviewed, status.unsettled) == (1, 1, 2, True)
    assert status.index["lines"] == read(billing, "MEMORY.md").count("\n")
    assert status.commit == "auto"


def test_context_holds_the_law_and_the_index(outside: Memory) -> None:
    """The standing block is the same bytes until the tree changes."""
    outside.save("Ada likes tea.", type="user")
    first = outside.context()

    assert outside.context() == first
    assert "ada-likes-tea" in first.text
    outside.save("Ada likes rum.", type="user")
    assert outside.context() != first


# --- ways of keeping a tree


def test_manual_tree_leaves_the_commit_to_the_person(memory: Memory, home: Path) -> None:
    """`history.commit = manual`: each verb writes and indexes; plain `git diff` is the review."""
    put(memory, "config.toml", '[history]\ncommit = "manual"\n')
    manual = Memory.open(cwd=home)

    saved = manual.save("Ada likes tea.", type="user")
    manual.edit("knowledge/user.md", "", "Name: Ada")
    manual.settle()

    assert (saved.outcome, saved.commit) == ("saved", None)
    assert subjects(memory) == []
    assert "ada-likes-tea" in read(memory, "MEMORY.md")
    assert "?? knowledge/" in git(memory.tree.home, "status", "--porcelain")
    assert manual.status().commit == "manual"


@pytest.fixture
def local(home: Path, tmp_path: Path) -> Memory:
    """A memory that is a folder of a code repository."""
    git(tmp_path, "init", "-q")
    memory = Memory.open(env=dict(os.environ) | {"MEMORY_SKILL_LOCAL": "1"}, cwd=tmp_path)
    memory.init()
    return memory


def test_local_tree_is_never_committed(local: Memory, tmp_path: Path) -> None:
    """`MEMORY_SKILL_LOCAL` writes into the code repository and leaves its history and index alone."""
    saved = local.save("Ada likes tea.", type="user")
    local.edit("knowledge/user.md", "", "Name: Ada")
    put(local, "knowledge/tech-stack.md", "- Python\n")
    settled = local.settle()
    local.forget(saved.address or "")

    assert (saved.outcome, saved.commit, settled.commits) == ("saved", None, ())
    assert not (tmp_path / ".memory-skill" / ".git").exists()
    assert git(tmp_path, "diff", "--cached", "--name-only") == ""
    assert "tech-stack" in read(local, "MEMORY.md")
    assert local.status().commit == "never (local)"


def test_local_undo_is_the_users_git(local: Memory) -> None:
    """There is no history of ours to take anything back from, and the hint says whose it is."""
    with pytest.raises(UsageError) as caught:
        local.undo()
    assert "git" in (caught.value.hint or "")


def test_local_tree_that_is_a_link_is_refused(home: Path, tmp_path: Path) -> None:
    """A cloned repository cannot lead the memory to another folder of the user."""
    (home / "private").mkdir()
    git(tmp_path, "init", "-q")
    (tmp_path / ".memory-skill").symlink_to(home / "private")
    memory = Memory.open(env=dict(os.environ) | {"MEMORY_SKILL_LOCAL": "1"}, cwd=tmp_path)

    with pytest.raises(PathRefused):
        memory.init()

    assert list((home / "private").iterdir()) == []


def test_newer_tree_is_read_and_never_written(memory: Memory, home: Path, tmp_path: Path) -> None:
    """Format 2: every writing verb is refused with the upgrade as hint; reading works; no byte changes."""
    memory.save("Ada likes tea.", type="user")
    put(memory, "config.toml", "format = 2\n[future]\nkey = 1\n")
    newer = Memory.open(cwd=home)
    before = {p: p.read_bytes() for p in newer.tree.home.rglob("*") if p.is_file() and p.name != "lock"}
    lines = write_lines(tmp_path / "n.jsonl", {"type": "user", "body": "x"})

    for verb in (
        lambda: newer.save("x", type="user"),
        lambda: newer.save("x", type="user", source="tool-output"),
        lambda: newer.edit("knowledge/user.md", "", "x"),
        lambda: newer.forget("ada-likes-tea"),
        lambda: newer.undo(),
        lambda: newer.import_file(lines),
        newer.settle,
        newer.reindex,
        newer.init,
    ):
        with pytest.raises(ConfigError, match="format 2") as caught:
            verb()
        assert "upgrade" in (caught.value.hint or "")

    assert [hit.name for hit in newer.recall("tea", scope="global").hits] == ["ada-likes-tea"]
    assert len(newer.list(type="user")) == 1
    newer.status()
    assert {p: p.read_bytes() for p in before} == before


def test_status_counts_what_the_gate_refused_and_git_owes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal is counted under its rule; a save that git could not commit is owed until settled."""
    memory.save("Is it so?", type="reference")
    (memory.tree.home / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")
    saved = memory.save("Ada drinks green tea.", type="user")

    assert saved.commit is None
    assert memory.status().refused == {"length": 1}
    assert memory.status().pending == 1

    (memory.tree.home / ".git" / "MERGE_HEAD").unlink()
    memory.settle()
    assert memory.status().pending == 0
    assert "save knowledge/user/ada-drinks-green-tea.md" in [item.subject for item in memory.log(limit=3)]


def test_context_holds_what_is_pinned(memory: Memory) -> None:
    """What a person pinned stands in the standing block, whole; what is not pinned only in the index."""
    memory.save("Ask before you deploy to production.", type="feedback", why="an outage", how="x", pin=True)
    memory.save("Review in pairs, never alone.", type="feedback", why="two bugs slipped through", how="x")

    text = memory.context().text

    assert "**Why:** an outage" in text
    assert "two bugs slipped through" not in text
    assert text == memory.context().text
