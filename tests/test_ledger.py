"""What the memory costs and what of it is used: counted by each hook and verb, told by `status --ledger`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_skill import privacy
from memory_skill.cli import main
from memory_skill.events import LEDGER, Events
from memory_skill.ledger import fold, read, recalls
from memory_skill.memory import Memory
from memory_skill.text import estimate_tokens
from tests.drivers import Claude
from tests.trees import put

ASKED = "How does Ada indent, tabs or spaces?"


@pytest.fixture
def claude(memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Claude]:
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    yield Claude(tmp_path / "billing", capfd)
    assert Events(memory.tree.state).tail(10) == []  # no failure


def lines(memory: Memory) -> list[dict[str, object]]:
    return [json.loads(line) for line in (memory.tree.state / LEDGER).read_text().splitlines()]


def test_each_hook_accounts_for_what_it_said(claude: Claude, memory: Memory) -> None:
    """Tokens and bytes are those of the text that reached the model; the sums are those of the lines."""
    memory.save("Ada indents with tabs in every language.", type="user")
    texts = [claude.start().context, claude.prompt(ASKED).context]

    found = read(memory.tree.state)

    assert found.tokens == sum(map(estimate_tokens, texts))
    assert found.bytes == sum(len(text.encode()) for text in texts)
    assert [(one["event"], one["hooks"]) for one in found.events] == [("prompt", 1), ("session-start", 1)]
    (session,) = found.sessions
    assert (session["session"], session["recalls"], session["tokens"]) == ("c1", 1, found.tokens)


def test_recalls_are_counted_by_entry(claude: Claude, memory: Memory) -> None:
    """By the hook and by `recall`; not when `forget` looks for what it shall forget."""
    address = str(memory.save("Ada indents with tabs in every language.", type="user").address)
    claude.prompt(ASKED)
    memory.recall(ASKED)
    memory.recall("the weather on Mars")
    assert memory.forget("Ada indents with tabs", yes=False).outcome == "ambiguous"

    assert recalls(memory.tree.state) == {address: 2}
    assert read(memory.tree.state).entries == ({"address": address, "recalls": 2},)
    assert not [line for line in lines(memory) if "indent" in json.dumps(line.get("why", ""))]


def test_why_nothing_was_done_is_counted(claude: Claude, memory: Memory) -> None:
    """A prompt that nothing answers, an entry that is shown already, a stop that is not due, a refusal."""
    memory.save("Ada indents with tabs in every language.", type="user")
    memory.save("ok", type="user")
    claude.prompt("What is the weather on Mars?")
    claude.stop()
    claude.prompt(ASKED)
    claude.prompt(ASKED)

    assert read(memory.tree.state).why == {
        "save: length": 1,
        "prompt: no entry is about this": 2,
        "stop: not due": 1,
    }


def test_a_session_recalls_no_more_than_its_tokens(claude: Claude, memory: Memory) -> None:
    """With `recall.session_tokens` the prompts of a session stay within it; the next session begins anew."""
    put(memory, "config.toml", "format = 1\n[recall]\nsession_tokens = 60\n")
    for name in ("tabs", "tea", "trains"):
        memory.save(f"Ada likes {name} more than anything else in the world.", type="user")
    questions = [f"What does Ada think of {name}?" for name in ("tabs", "tea", "trains")]

    texts = [claude.prompt(question).context for question in questions]

    spent = sum(estimate_tokens(text) for text in texts)
    assert 0 < spent <= 60 and texts[-1] == ""
    assert read(memory.tree.state).why["prompt: session_tokens are spent"] >= 1
    later = Claude(claude.project, claude.capfd, "c2")
    assert later.prompt(questions[-1]).context


def test_a_full_ledger_begins_anew_and_keeps_the_recalls(memory: Memory) -> None:
    """Twice over its size the oldest lines are gone, their recalls are not; below it nothing happens."""
    address = str(memory.save("Ada indents with tabs in every language.", type="user").address)
    state = memory.tree.state
    for _ in range(3):
        memory.recall(ASKED)
        fold(state, most=10)
    fold(state)
    memory.recall(ASKED)

    assert recalls(state) == {address: 4}
    assert len(lines(memory)) == 1


def test_a_torn_line_spoils_no_other(memory: Memory) -> None:
    """What a crash tore, or what is no object, is passed over."""
    memory.recall(ASKED)
    with (memory.tree.state / LEDGER).open("a") as file:
        file.write('{"kind": "hook", "ms": "x", "entries": [1, {}]}\n[]\n{"kind": "ho')

    found = read(memory.tree.state)

    assert found.verbs == {"recall no_match": 1}
    assert found.ms == 0 and recalls(memory.tree.state) == {}


def test_status_tells_the_ledger(claude: Claude, memory: Memory) -> None:
    """The keys that docs/cli.md names; for people a line each; an empty one says so."""
    assert main(["status", "--ledger"]) == 0
    address = memory.save("Ada indents with tabs in every language.", type="user").address
    claude.prompt(ASKED)
    claude.capfd.readouterr()

    assert main(["status", "--ledger", "--json"]) == 0
    printed = json.loads(claude.capfd.readouterr().out)
    assert main(["status", "--ledger"]) == 0
    told = claude.capfd.readouterr().out

    text = (Path(__file__).parent.parent / "docs/cli.md").read_text(encoding="utf-8")
    named = next(line for line in text.splitlines() if line.startswith("`status --ledger`"))
    assert all(f"`{key}`" in named for key in printed if key != "version")
    assert f"entry {address}: recalled 1 times" in told and "session claude-code c1:" in told


def test_a_tree_that_cannot_be_written_is_recalled_all_the_same(memory: Memory) -> None:
    """A ledger that is a folder costs no answer."""
    memory.save("Ada indents with tabs in every language.", type="user")
    (memory.tree.state / LEDGER).unlink()
    (memory.tree.state / LEDGER).mkdir()

    assert memory.recall(ASKED).outcome == "hits"


def test_the_ledger_is_silent_while_the_memory_is_off(memory: Memory) -> None:
    """No line tells what was asked for then."""
    privacy.switch(os.environ, "off")

    assert Memory.open(cwd=memory.cwd).recall(ASKED).outcome == "blocked"

    assert not (memory.tree.state / LEDGER).exists()
