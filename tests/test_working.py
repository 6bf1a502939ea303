"""The working memory of the task at hand: replaced whole, read with its staleness, injected, closed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_skill.cli import main
from memory_skill.errors import Refused, UsageError
from memory_skill.memory import Memory
from memory_skill.working import SHOWN_CHARS, Todo, Working, current_of_use, form, parse, prune, render
from tests.drivers import Claude, Kimi
from tests.trees import KEY, in_session, put, read, subjects

TASK = Working("Ship the parser", ("Decimal, never floats",), (("branch", "parser"),), (Todo("VAT tests"),))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    return tmp_path / "billing"


@pytest.fixture
def mine(memory: Memory, project: Path) -> Memory:
    """The memory as session c1 of Claude Code sees it, in a project."""
    return in_session(memory, "c1", project)


def ask(claude: Claude, text: str, reply: str) -> str:
    """One turn; what its stop says to the model."""
    claude.prompt(text)
    return claude.stop(reply).context


def fences(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if "working memory of this task" in part]


# --- its form


@pytest.mark.parametrize(
    "notes",
    ["", "plain", "## Goal\n\nnot a goal", "```\n## Todos\n- [ ] no\n```", "# Working memory of x\n<!-- -->"],
)
def test_what_is_written_is_read(notes: str) -> None:
    """Whatever the notes hold, they and the sections come back as they were."""
    whole = TASK._replace(notes=notes, host="claude-code", session="a-->b", turn_watermark="t", written="w")

    assert parse(form(whole, "global")) == whole


def test_markdown_of_a_person_is_read() -> None:
    """Any bullets, wrapped lines, `=` or `:`; a heading of one's own belongs to the notes."""
    text = "intro\n# goal\nShip\nit\n### Todos\n* [X] a\n  b\n+ c\n## Variables\n- x = 1\n## Mine\nsaid"

    found = parse(text)

    assert found == Working(
        "Ship it", (), (("x", "1"),), (Todo("a b", True), Todo("c")), "intro\n## Mine\nsaid"
    )


def test_the_block_is_whole_lines_within_its_limit() -> None:
    """At most 1,000 characters, what is open first, a line where it was cut, nothing that unfences."""
    many = TASK._replace(todos=tuple(Todo(f"todo {n} </memory-skill> " + "x" * 80) for n in range(40)))

    text = render(many)

    assert 700 < len(text) <= SHOWN_CHARS
    assert text.count("</memory-skill") == 1
    assert "[more: memory-skill working read]" in text
    assert render(many, 80) == ""


# --- the verbs


def test_writing_replaces_all_of_it_outside_git(mine: Memory) -> None:
    """What a second write does not name is gone; a secret is masked; git never hears of it."""
    mine.working_write(TASK)
    kept = mine.working_write(Working("Ship", notes=f"key {KEY}"))

    assert (kept.goal, kept.decisions, kept.todos) == ("Ship", (), ())
    text = read(mine, kept.path)
    assert KEY not in text and "VAT" not in text
    assert subjects(mine) == []
    assert kept.path.startswith("working/project-") and mine.working_read()[1] == kept
    with pytest.raises(UsageError):
        mine.working_write(Working())


def test_sessions_do_not_meet(memory: Memory, project: Path, mine: Memory) -> None:
    """Two sessions of one project keep one each, while both are in the midst of a turn."""
    mine.working_write(TASK)
    other = in_session(memory, "c2", project)
    for session in ("c1", "c2"):
        with memory.sessions.change("claude-code", session) as record:
            record.in_turn = True

    assert other.working_read()[1] is None
    other.working_write(Working("Review"))

    assert mine.working_read()[1].goal == "Ship the parser"  # type: ignore[union-attr]
    assert other.working_read()[1].todos == ()  # type: ignore[union-attr]


def test_open_todos_are_carried_forward(memory: Memory, project: Path, mine: Memory) -> None:
    """The next session reads what the last left; its first write takes over what was open."""
    old = mine.working_write(TASK._replace(todos=(Todo("VAT tests"), Todo("parser", True))))
    later = in_session(memory, "c2", project)
    assert later.working_read()[1] == old

    kept = later.working_write(Working("Docs", todos=(Todo("readme"), Todo("vat  tests"))))
    assert kept.open == ("readme", "vat tests")
    later.working_write(Working("Docs"))

    assert later.working_read()[1].open == ()  # type: ignore[union-attr]
    assert [p.name for p in (memory.tree.home / "working/archive").iterdir()]
    assert mine.working_read()[1].goal == "Docs"  # type: ignore[union-attr]


def test_clearing_twice_is_no_error(mine: Memory) -> None:
    """The first takes it away, the second finds nothing."""
    mine.working_write(TASK)

    assert [mine.working_clear(), mine.working_clear()] == [True, False]
    assert mine.working_read()[1] is None


def test_closing_waits_for_open_todos(mine: Memory) -> None:
    """An open todo vetoes; --force, or all of them done, archives; a third time there is nothing."""
    mine.working_write(TASK)
    with pytest.raises(Refused, match="1 todo is open"):
        mine.working_close()

    done = mine.working_close(force=True)
    assert str(done.archived).startswith("working/archive/")
    assert "VAT tests" in read(mine, str(done.archived))
    assert mine.working_close().archived is None

    mine.working_write(TASK._replace(todos=(Todo("VAT tests", True),)))
    assert mine.working_close().archived not in (None, done.archived)


def test_a_turn_makes_it_stale_and_closing_makes_distillation_due(
    memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Finished turns are counted from the watermark; after `close` the next stop holds the turn."""
    claude = Claude(project, capfd)
    mine = in_session(memory, "c1", project)
    assert ask(claude, "Hello, parse the invoices, please.", "Done, the invoices are parsed.") == ""
    kept = mine.working_write(TASK._replace(todos=()))
    assert kept.turn_watermark
    main(["--home", str(memory.tree.home), "working", "read", "--scope", mine.reading, "--json"])
    assert json.loads(capfd.readouterr().out)["stale"] is False

    assert ask(claude, "Now the exports, please, too.", "Done, the exports are parsed.") == ""
    main(["--home", str(memory.tree.home), "working", "read", "--scope", mine.reading, "--json"])
    assert json.loads(capfd.readouterr().out)["stale"] is True

    assert mine.working_close().due
    assert "time to distil" in ask(claude, "Thank you, that is all for now.", "You are welcome.")


# --- before the model


def test_it_is_shown_at_the_start_and_after_compaction(
    memory: Memory, mine: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Once with the first prompt, not with the second, and once after the context was compacted."""
    mine.working_write(TASK)
    claude = Claude(project, capfd)

    claude.start()
    assert "Open: VAT tests" in claude.prompt("What is next here?").context
    assert fences(claude.prompt("And what is after that?").context) == []

    claude.compact()
    shown = claude.start(source="compact").context
    assert len(fences(shown)) == 1 and "Goal: Ship the parser" in shown
    assert fences(claude.prompt("Go on, please.").context) == []


def test_the_next_session_is_shown_it_on_every_host(
    memory: Memory, mine: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What Claude Code left open is before Kimi Code's model at its first prompt, within Kimi's limit."""
    mine.working_write(TASK._replace(notes="word " * 400))

    said = Kimi(project, capfd).prompt("What is next here?").out

    assert "Open: VAT tests" in said and len(said) <= 1500


def test_what_was_left_is_shown_while_it_is_open_and_young(memory: Memory, mine: Memory) -> None:
    """To another session; its own is always shown. `read` shows either."""

    def seen(session: str) -> bool:
        return current_of_use(memory.tree, mine.reading, "claude-code", session) is not None

    kept = mine.working_write(TASK)
    assert [seen("c1"), seen("c2")] == [True, True]
    old = read(memory, kept.path).replace(kept.written[:4], "2020")
    put(memory, kept.path, old)
    assert [seen("c1"), seen("c2")] == [True, False]
    mine.working_write(TASK._replace(todos=()))
    assert [seen("c1"), seen("c2")] == [True, False]
    assert in_session(memory, "c2", Path(memory.sessions.read("claude-code", "c1").root)).working_read()[1]


def test_what_was_closed_is_kept_as_long_as_the_journal(memory: Memory) -> None:
    """By the day in its name; with 0 days for ever."""
    for day in ("2020-01-01", "2099-01-01"):
        put(memory, f"working/archive/{day}-global.md", "# Working memory of global\n")

    prune(memory.tree, 0)
    assert len(list((memory.tree.home / "working/archive").iterdir())) == 2
    prune(memory.tree, 10)
    assert [p.name[:4] for p in (memory.tree.home / "working/archive").iterdir()] == ["2099"]


def test_a_note_of_the_task_is_no_note_of_the_memory(memory: Memory, mine: Memory) -> None:
    """`recall` does not find it, `settle` does not take it up."""
    mine.working_write(TASK)
    put(memory, "working/project-x.md", "# Working memory of project:x\n\n## Goal\n\nPaint the parser\n")

    assert memory.settle().changed == ()
    assert memory.recall("parser", scope="all").hits == ()
