"""A long session is asked for its summary, and the next session recalls it."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.script import shell

TURNS, ASKED = 25, 23
SUMMARY = "We moved the invoices of Graz into the new ledger; the archive is still to be done."


def test_session_of_25_turns_is_summed_up_and_recalled(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """Nods only: nothing but the summary asks for the model's attention, once."""
    machine.memory("install", "--yes")
    model.script(*["Yes."] * ASKED, shell("save", SUMMARY, "--type", "summary"), "One summary.")

    with claude.screen(project) as screen:
        for _ in range(TURNS):
            screen.say("ok")
    asked = [n for n, request in enumerate(model.requests) if "time to distil" in request.fresh]
    assert asked == [ASKED]
    assert "session of 23 turns, also: a summary" in model.requests[ASKED].fresh
    (path,) = machine.tree.glob("summaries/*/*.md")
    assert SUMMARY in path.read_text(encoding="utf-8")

    claude.say("Where did we move the invoices of Graz?", cwd=project)

    assert "the archive is still to be done" in model.last.fresh
