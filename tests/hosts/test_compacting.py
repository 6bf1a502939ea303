"""An entry is shown once in a session, and anew after the host compacted it away."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.conftest import Host
from tests.hosts.machine import Machine
from tests.hosts.model import Model

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
