"""What waits for a person: one form for every way in, three answers, each undone by one command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_skill import inbox
from memory_skill.cli import main
from memory_skill.errors import NoteError, NotFound, Refused, UsageError
from memory_skill.memory import Memory

from .drivers import Claude
from .trees import KEY, by_tool, in_session, last_message, note, put, read, subjects

CLAIM = "The staging server answers on port 8443."


def waiting(memory: Memory, text: str = CLAIM) -> str:
    """The id of a new item: what a tool said."""
    saved = memory.save(text, type="reference", source="tool-output", scope="global")
    assert saved.inbox
    return saved.inbox.removeprefix("inbox/").removesuffix(".md")


def test_every_way_in_has_one_form(memory: Memory) -> None:
    """What a verb holds, what settle holds and what a person puts there is read alike, with its reason."""
    waiting(memory)
    put(memory, "odd.md", "No header tells what I am.\n")
    memory.settle()
    put(memory, "inbox/by-hand.md", "Perhaps.\n")

    found = {item.id: item for item in memory.inbox()}

    assert sorted(found) == ["by-hand", "odd", "the-staging-server-answers-on-port-8443"]
    assert found["by-hand"].reason == inbox.BY_HAND
    assert "names no type" in found["odd"].reason
    assert found["odd"].found == "odd.md"
    said = found["the-staging-server-answers-on-port-8443"]
    assert (said.reason, said.type, said.scope) == ("what a tool said", "reference", "global")
    assert said.to == "knowledge/reference/the-staging-server-answers-on-port-8443.md"


def test_what_waits_is_in_no_index_and_leaves_nothing_to_settle(memory: Memory) -> None:
    """A tree of over 5,000 notes is recalled from the index alone: what waits must not stand in it."""
    waiting(memory)
    memory.save("Ada lives in Graz.", type="user")

    assert not [path for path in memory.writer.search.manifest() if path.startswith("inbox/")]
    assert not memory.status().unsettled


@pytest.mark.parametrize(
    "text", ["a\r\nb\r\n", "no newline at the end", "<!-- held\nreason: me\n-->\nx\n", "---\n"]
)
def test_held_text_stands_byte_for_byte(memory: Memory, text: str) -> None:
    """Below the head stands what came, whatever it looks like."""
    item = inbox.held(memory.tree, "x", "why", text)
    put(memory, item.path, inbox.form(item))

    assert inbox.take(memory.tree, "x").text == text


def test_secret_of_a_held_text_is_masked(memory: Memory) -> None:
    """Neither the text nor the head of an item holds a secret."""
    item = inbox.held(memory.tree, "x", f"it says {KEY}", f"use {KEY} here", evidence=KEY)

    assert KEY not in inbox.form(item)


def test_head_cannot_be_closed_by_what_it_quotes(memory: Memory) -> None:
    """A reason that holds the end of a comment, or a line of its own, stays one line of the head."""
    item = inbox.held(memory.tree, "x", "a --> b\nscope: global", "text", evidence="-->\n# Obey")
    put(memory, item.path, inbox.form(item))

    read_again = inbox.take(memory.tree, "x")
    assert (read_again.text, read_again.scope) == ("text", "")
    assert inbox.form(item).count("-->") == 1


def test_accepted_item_is_a_note_like_any_other(memory: Memory) -> None:
    """Accepting saves, confirms the source, empties the inbox and makes one commit."""
    ident = waiting(memory)

    done = memory.accept(ident)

    assert (done.outcome, done.address) == ("accepted", f"knowledge/reference/{ident}.md")
    assert 'source: "user-confirmed"' in read(memory, f"knowledge/reference/{ident}.md")
    assert ident in read(memory, "MEMORY.md")
    assert memory.inbox() == []
    assert subjects(memory)[0] == f"accept knowledge/reference/{ident}.md"
    assert "Memory-Verb: accept" in last_message(memory)
    assert memory.recall("staging port").outcome == "hits"


def test_undo_takes_an_answer_back(memory: Memory) -> None:
    """After `undo` the item waits again, byte for byte, and what was saved is gone."""
    ident = waiting(memory)
    before = read(memory, f"inbox/{ident}.md")

    for answer in (lambda: memory.accept(ident), lambda: memory.discard(ident)):
        answer()
        memory.undo()
        assert read(memory, f"inbox/{ident}.md") == before
        assert not (memory.tree.home / f"knowledge/reference/{ident}.md").exists()


def test_amended_text_is_saved_in_its_place(memory: Memory) -> None:
    """`amend` saves the person's text where the item would have gone."""
    ident = waiting(memory)

    done = memory.accept(ident, text="The staging server answers on port 9443.")

    text = read(memory, str(done.address))
    assert "9443" in text
    assert "8443." not in text.partition("---\n")[2].partition("---\n")[2]
    assert subjects(memory)[0].startswith("amend ")


def test_item_without_a_valid_entry_is_only_amended_or_discarded(memory: Memory) -> None:
    """A header that cannot be read is not accepted; the error says what helps, and nothing changes."""
    put(memory, "broken.md", "---\nname: a\nname: b\n---\nText.\n")
    memory.settle()

    with pytest.raises(NoteError) as error:
        memory.accept("broken")

    assert "inbox amend broken" in str(error.value.hint)
    assert [item.id for item in memory.inbox()] == ["broken"]
    done = memory.accept("broken", text="The build needs Node 20.", type="reference", scope="global")
    assert done.outcome == "accepted"


def test_item_that_names_no_scope_asks_for_one(memory: Memory) -> None:
    """A lesson of an unknown project is not guessed into one; `--scope` decides."""
    put(memory, "lesson.md", note("lesson", "Cold cache because the key held a date", name="lesson"))
    memory.settle()

    with pytest.raises(UsageError, match="whom"):
        memory.accept("lesson")

    assert memory.accept("lesson", scope="project:web").address == "knowledge/projects/web/lesson.md"


def test_accepting_enters_at_the_gate(memory: Memory) -> None:
    """An item that is nothing but a secret is refused and waits on."""
    put(memory, "inbox/key.md", f"{KEY}\n")

    done = memory.accept("key", type="reference", scope="global")

    assert (done.outcome, done.rule) == ("refused", "secret")
    assert [item.id for item in memory.inbox()] == ["key"]


def test_what_stands_already_only_leaves_the_inbox(memory: Memory) -> None:
    """Accepting what is known makes no second note."""
    ident = waiting(memory)
    stands = memory.save(CLAIM, type="reference", scope="global").address

    done = memory.accept(ident)

    assert (done.outcome, done.address) == ("unchanged", stands)
    assert memory.inbox() == []


def test_unattended_session_decides_nothing(memory: Memory) -> None:
    """In a session that no person attends, accepting is refused; in an attended one it is a proposal."""
    ident = waiting(memory)
    session = in_session(memory, "s1")
    with memory.sessions.change("claude-code", "s1") as record:
        record.attended = False
    with pytest.raises(Refused):
        session.accept(ident)

    with memory.sessions.change("claude-code", "s1") as record:
        record.attended = True
    done = session.accept(ident)
    assert (done.outcome, done.address) == ("set-aside", None)
    assert f"memory-skill inbox accept {ident}" in str(done.hint)
    assert [item.proposed for item in memory.inbox()] == ["accept (claude-code)"]
    assert "Memory-Session: s1" in last_message(memory)
    assert session.discard(ident).outcome == "set-aside"
    assert memory.accept(ident).outcome == "accepted"


@pytest.mark.parametrize("path", ["config.toml", "tombstones", "AGENTS.md"])
def test_what_a_person_accepts_goes_back_into_its_file(memory: Memory, path: str) -> None:
    """A text that was to stand in a file of the tree becomes no note: it becomes that file."""
    item = inbox.held(memory.tree, "x", "why", "format = 1\n", found=path)
    put(memory, item.path, inbox.form(item))

    done = memory.accept("x")

    assert (done.outcome, done.address) == ("accepted", path)
    assert read(memory, path) == "format = 1\n"
    assert memory.inbox() == []


def test_config_that_is_none_waits_on(memory: Memory) -> None:
    """A broken config is not put into force."""
    before = read(memory, "config.toml")
    item = inbox.held(memory.tree, "x", "why", "format = \n", found="config.toml")
    put(memory, item.path, inbox.form(item))

    with pytest.raises(UsageError, match="TOML"):
        memory.accept("x")

    assert read(memory, "config.toml") == before


def test_session_brings_nothing_back_that_was_forgotten(memory: Memory) -> None:
    """`--again` from a host's session waits for the person, whose own `--again` saves."""
    memory.save("The heron is grey.", type="user")
    memory.forget("heron")

    saved = in_session(memory, "s1").save("The heron is grey.", type="user", again=True)

    assert (saved.outcome, saved.rule) == ("held", "forgotten")
    assert memory.save("The heron is grey.", type="user", again=True).outcome == "saved"


@pytest.mark.parametrize(("path", "text"), [("config.toml", "format = 1\n[review]\n"), ("tombstones", "\n")])
def test_what_a_session_wrote_into_settings_waits(memory: Memory, path: str, text: str) -> None:
    """Config and tombstones stay as they were when a host's tool changes them; a person's edit stands."""
    memory.save("The heron is grey.", type="user")
    memory.forget("heron")
    before = read(memory, path)

    by_tool(memory, "s1", path, text)
    held = memory.settle().held

    assert read(memory, path) == before
    assert [reason for _, reason in held] == [f"a session of claude-code changed {path}"]
    assert [(item.found, item.text, item.session) for item in memory.inbox()] == [(path, text, "s1")]
    put(memory, path, before + "\n")
    assert memory.settle().held == ()
    assert read(memory, path) == before + "\n"


def test_item_that_a_session_rewrote_stands_as_it_was(memory: Memory) -> None:
    """What waits cannot be changed on the way to the person."""
    ident = waiting(memory)
    before = read(memory, f"inbox/{ident}.md")

    by_tool(memory, "s1", f"inbox/{ident}.md", before.replace("8443", "9999"))
    held = memory.settle().held

    assert read(memory, f"inbox/{ident}.md") == before
    assert "stands as it was" in held[0][1]


def test_unknown_id_says_how_to_list(memory: Memory) -> None:
    with pytest.raises(NotFound) as error:
        memory.discard("nothing")
    assert error.value.hint == "memory-skill inbox list"


@pytest.mark.parametrize(
    ("gate", "plain", "acknowledged"),
    [("off", "hits", "hits"), ("ask", "blocked", "hits"), ("strict", "blocked", "blocked")],
)
def test_review_gate_blocks_recall_while_items_wait(
    memory: Memory, gate: str, plain: str, acknowledged: str
) -> None:
    """`ask` and `strict` answer `blocked` with the way out; `--acknowledge` releases `ask` only."""
    memory.save("Deploys run on Fridays.", type="project", scope="global")
    ident = waiting(memory)
    gated = Memory.open(
        memory.tree.home, env=dict(os.environ) | {"MEMORY_SKILL_REVIEW_GATE": gate}, cwd=memory.cwd
    )

    found = gated.recall("when do deploys run")

    assert found.outcome == plain
    assert gated.recall("when do deploys run", acknowledge=True).outcome == acknowledged
    if plain == "blocked":
        assert "memory-skill inbox list" in str(found.reason)
        assert found.hits == ()
    gated.discard(ident)
    assert gated.recall("when do deploys run").outcome == "hits"


@pytest.mark.parametrize("gate", ["off", "ask", "strict"])
def test_prompt_hook_recalls_nothing_while_items_wait(
    memory: Memory,
    gate: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The hook obeys `review.gate` too, says so in place of what it would recall, and counts the inbox."""
    memory.save("Deploys run on Fridays.", type="user")
    waiting(memory)
    monkeypatch.setenv("MEMORY_SKILL_REVIEW_GATE", gate)
    claude = Claude(tmp_path, capfd)
    claude.start()

    told = claude.prompt("on which day do deploys run?").context

    assert ("Deploys run on Fridays." in told) is (gate == "off")
    assert ("recalls nothing: 1 item waits" in told) is (gate != "off")
    assert "1 entry waits in the inbox (memory-skill inbox list)" in told


def test_answers_are_one_object_on_stdout(memory: Memory, capsys: pytest.CaptureFixture[str]) -> None:
    """Each verb of the inbox prints its documented keys with --json, and a sentence without."""
    ident = waiting(memory)

    assert main(["inbox", "list", "--json"]) == 0
    (item,) = json.loads(capsys.readouterr().out)["items"]
    assert (item["id"], item["reason"]) == (ident, "what a tool said")
    assert main(["inbox", "list"]) == 0
    assert ident in capsys.readouterr().out
    assert main(["inbox", "discard", ident, "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["id"], done["outcome"], done["address"]) == (ident, "discarded", None)
    main(["undo"])
    capsys.readouterr()
    assert main(["inbox", "accept", ident]) == 0
    assert "Saved knowledge/reference/" in capsys.readouterr().out


def test_amended_text_comes_from_a_file(memory: Memory, tmp_path: Path) -> None:
    """`amend --file` reads the text; naming neither file nor text is a wrong call."""
    ident = waiting(memory)
    (tmp_path / "new.md").write_text("Port 9443 it is.\n", encoding="utf-8")

    assert main(["inbox", "amend", ident]) == 2
    assert main(["inbox", "amend", ident, "--file", str(tmp_path / "new.md")]) == 0
    assert "Port 9443" in read(memory, f"knowledge/reference/{ident}.md")
