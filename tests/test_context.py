"""One call that a host can put before its model: whole entries, bounded, stable, given once a session."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_skill.journal import Journal, Turn
from memory_skill.memory import Memory
from memory_skill.working import Todo, Working
from tests.drivers import Claude
from tests.trees import in_session, put

FACTS = [
    "The invoice parser retries seven times",
    "Deployments wait for the green light of Grace",
    "The staging database lives on port 5433",
    "Ada reviews every migration on Mondays",
    "The exporter writes CSV with semicolons",
    "The VAT tables come from the ministry",
    "The nightly backup ends before four",
    "The search index is rebuilt on Sundays",
    "Passenger lists are kept for ninety days",
    "The warehouse robot speaks MQTT only",
]
WORDS = [" ".join(fact.split()[1:4]) for fact in FACTS]


def save(memory: Memory, n: int) -> None:
    saved = memory.save(f"{FACTS[n]}.", type="project", why="it was decided", how="keep to it")
    assert saved.outcome == "saved", saved


@pytest.fixture
def billing(memory: Memory, tmp_path: Path) -> Memory:
    """The memory as it is seen from a project."""
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    return Memory.open(cwd=tmp_path / "billing")


def turn(n: int, project: str, text: str = "") -> Turn:
    said = text or f"Question {n}?"
    return Turn(f"t{n}", f"2026-11-30T10:{n:02}:00+01:00", "qwen", "s", said, f"Answer {n}.", project)


def test_two_builds_of_one_tree_are_byte_identical(billing: Memory) -> None:
    """With a query, recent turns, pending inbox and all, in any order of calls."""
    for n in range(4):
        save(billing, n)
    billing.save("Never deploy on Fridays.", type="feedback", why="an outage", how="ask", pin=True)
    put(billing, "inbox/one.md", "Perhaps.\n")
    Journal(billing.tree).append(turn(1, billing.project))

    first = billing.context(recent=5, query="how often does the invoice parser retry?")
    billing.context()

    assert billing.context(recent=5, query="how often does the invoice parser retry?") == first
    assert all(first.parts[name] for name in first.parts if name != "working")
    assert first.text == "\n\n".join(part for part in first.parts.values() if part)


def test_the_resident_part_is_whole_entries_the_surest_first(memory: Memory) -> None:
    """Pinned before user notes, these by confidence, all within half the recall budget; the rest is named."""
    for name, sure in (("a", "low"), ("b", "medium"), ("c", "high")):
        meta = f"metadata:\n  type: user\n  confidence: {sure}\n"
        put(
            memory, f"knowledge/user/{name}.md", f"---\nname: {name}\n{meta}---\nThe user {name} likes tea.\n"
        )
    put(memory, "knowledge/user/old.md", "---\nmetadata:\n  valid_to: 2020-01-01\n---\nAda lives in Rome.\n")
    put(memory, "knowledge/user/long.md", "---\nmetadata:\n  confidence: low\n---\n" + "Word by word. " * 150)
    memory.settle()
    memory.save("Never deploy on Fridays.", type="feedback", why="an outage", how="ask", pin=True)

    text = memory.context().parts["resident"]

    places = [text.index(what) for what in ("Never deploy", "user c likes", "user b likes", "user a likes")]
    assert places == sorted(places)
    assert "Rome" not in text and "Word by word" not in text
    assert "[not shown: knowledge/user/long.md]" in text


def test_recent_turns_are_the_projects_last_ones(billing: Memory) -> None:
    """Of this project only, at most N, oldest first; none unless asked for; what does not fit is counted."""
    log = Journal(billing.tree)
    for n in range(5):
        log.append(turn(n, billing.project))
    log.append(turn(9, "other"))

    text = billing.context(recent=2).parts["recent"]
    assert re.findall(r"Question \d|Answer \d", text) == ["Question 3", "Answer 3", "Question 4", "Answer 4"]
    assert billing.context().parts["recent"] == ""

    for n in range(10, 30):
        log.append(turn(n, billing.project, f"Question {n}? " + "word " * 300))
    text = billing.context(recent=20).parts["recent"]
    assert len(text) <= 4000
    assert "earlier turns not shown" in text and "Question 29" in text


def test_the_standing_part_has_a_bound(billing: Memory) -> None:
    """A full index is cut at whole lines, which is said; law, residents and index stay within 10,000."""
    lines = "\n".join(f"- [note {n}](knowledge/user/note-{n}.md) — " + "word " * 20 for n in range(190))
    put(billing, "MEMORY.md", f"# Memory\n\n{lines}\n")

    parts = billing.context().parts

    assert 9_000 < len(parts["law"]) + len(parts["resident"]) + len(parts["index"]) <= 10_000
    assert re.search(r"\[shown \d+ of 192 lines\]", parts["index"])


def test_the_task_at_hand_is_part_of_it(billing: Memory) -> None:
    """What an earlier session left open stands in the working part."""
    billing.working_write(Working("Ship the parser", todos=(Todo("VAT tests"),)))

    assert "Open: VAT tests" in billing.context().parts["working"]


def test_a_session_is_given_nothing_twice(billing: Memory) -> None:
    """Over 20 calls with 10 saves no line and no entry comes again, and each saved fact comes."""
    billing.save("Never deploy on Fridays.", type="feedback", why="an outage", how="ask", pin=True)
    put(billing, "inbox/one.md", "Perhaps.\n")
    given: list[str] = []
    for n in range(20):
        if n % 2:
            save(billing, n // 2)
        question = f"What about {WORDS[n // 2]}, please?"
        given.append(billing.context(recent=3, query=question, session="q1").text)
        Journal(billing.tree).append(turn(n, billing.project))

    lines = [line for text in given for line in text.splitlines() if line.strip()]
    frame = ("<memory-skill", "</memory-skill", "**Why:**", "**How to apply:**", "Not yet", "memory-skill,")
    again = {line for line in lines if lines.count(line) > 1 and not line.startswith(frame)}
    assert again == set()
    assert all(fact in "\n".join(given) for fact in FACTS)
    assert "Never deploy on Fridays" in given[0]
    assert billing.context(session="q2").parts["law"]


def test_the_hooks_inject_nothing_twice(
    memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In Claude Code over 20 turns with 10 saves no entry is injected twice, nor the standing part."""
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    claude = Claude(tmp_path / "billing", capfd)
    mine = in_session(memory, claude.session, tmp_path / "billing")
    given = [claude.start().context]
    for n in range(20):
        if n % 2:
            save(mine, n // 2)
        given.append(claude.prompt(f"What about {WORDS[n // 2]}, please?").context)
        claude.stop("I looked it up.")

    heads = re.findall(r"(?m)^## (knowledge/\S+)", "\n".join(given))
    assert len(heads) == len(set(heads)) >= 8
    assert sum("no second chance" in text for text in given) == 1


def test_pinned_entries_that_do_not_fit_are_named(
    memory: Memory, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """At session start each pinned entry stands there whole, or its address does."""
    for n in range(4):
        text = f"Rule {n} of the house. " + f"It says much about case {n}. " * 25 + f"So ends {n}."
        memory.save(text, type="feedback", name=f"rule-{n}", why="an outage", how="ask", pin=True)
    (tmp_path / "billing" / ".git").mkdir(parents=True)

    shown = Claude(tmp_path / "billing", capfd).start().context

    named = re.findall(r"\[not shown: (.*?)\]", shown)
    whole = [n for n in range(4) if f"## knowledge/feedback/rule-{n}.md" in shown]
    assert whole and len(whole) + named[0].count("rule-") == 4
    assert all(f"So ends {n}." in shown for n in whole)
