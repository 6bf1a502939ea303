"""An entry is shown once in a session, and anew after the host compacted it away."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.conftest import Host
from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.script import LAW

PROMPT = "Should I indent this new file with tabs or with spaces?"
REASON = "a screen reader announces them as levels"


def shown(model: Model) -> list[bool]:
    """For each request: whether the entry is new in it."""
    return [REASON in request.fresh for request in model.requests]


def test_entry_is_shown_once_and_anew_after_a_compaction(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """`/compact` typed by the user at the interactive screen."""
    machine.memory("install", "--yes")
    machine.memory(
        "save", f"Indent with tabs: {REASON}.", "--type", "user", "--description", "How Ada indents"
    )

    with host.screen(project) as screen:
        screen.say(PROMPT)
        screen.say(PROMPT)
        assert shown(model) == [True, False]
        screen.compact()
        screen.say(PROMPT)

    assert REASON in model.last.fresh


def test_task_at_hand_is_there_at_the_start_and_after_a_compaction(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """What an earlier session left open comes once, and is back once when the context was compacted."""
    machine.memory("install", "--yes")
    todo = "the VAT tests of the parser"
    machine.memory("working", "write", "--goal", "Ship the parser", "--todo", todo, cwd=project)

    with host.screen(project) as screen:
        screen.say("Hello there.")
        screen.compact()
        screen.say("And what is next?")

    first, *_, last = [request.fresh for request in model.requests]
    assert first.count(todo) == last.count(todo) == 1


FACT = "The ledger of Graz is closed on the third of each month."
LATER = "The archive of Graz is read only since the spring of 2025."


def test_what_was_not_distilled_is_asked_for_after_a_compaction_and_after_the_end(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The next brief quotes the fact that the compaction took; the law is back once, not twice.

    What the session leaves, its terminal closed, is offered to the next.
    """
    machine.memory("install", "--yes")

    with host.screen(project) as screen:
        screen.say(FACT)
        screen.compact()
        screen.say("ok")
        model.wait(3)  # the fact, the nod, the brief
        briefs = [request for request in model.requests if "time to distil" in request.fresh]
        assert [FACT in request.fresh for request in briefs] == [True]
        assert [request.said.count(LAW) for request in model.requests] == [1] * len(model.requests)
        screen.say(LATER)
    assert machine.report("status")["waiting_turns"] == 1

    with host.screen(project) as screen:
        screen.say("Good morning to you.")

    assert LATER in model.last.fresh and FACT not in model.last.fresh
