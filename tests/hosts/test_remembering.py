"""What a session learns, the next one knows: in a new process, through the host's own request."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.conftest import Host
from tests.hosts.machine import Machine
from tests.hosts.model import Line, Model
from tests.hosts.script import note, shell, write

RELATED = "Should I indent this new file with tabs or with spaces?"
UNRELATED = "What is the capital of Mongolia?"
LINE = "(knowledge/feedback/prefers-tabs.md)"
REASON = "her screen reader announces tabs as levels"

SAVED: Line = shell(
    "save", "Indent with tabs in every language.", "--type", "feedback", "--name", "prefers-tabs",
    "--description", "How Ada indents: with tabs", "--why", REASON, "--how", "new files and edits alike",
)  # fmt: skip
WRITTEN = note(
    "prefers-tabs",
    "How Ada indents: with tabs",
    f"Indent with tabs in every language.\n\n**Why:** {REASON}.\n**How to apply:** new files and edits.",
)


def learn(host: Host, model: Model, project: Path, line: Line) -> str:
    """Session 1: Ada says who she is, the model writes it down. Returns: the session's id."""
    model.script(line, "Noted: tabs, Ada.")
    answer = host.say("My name is Ada, and I indent with tabs: my screen reader reads them.", cwd=project)
    assert "Noted: tabs, Ada." in answer.text
    return answer.session


def assert_kept(machine: Machine, host: Host, session: str) -> None:
    """The note is filed, indexed and committed, and its commit says who wrote it."""
    path = machine.note("prefers-tabs")
    assert path == machine.tree / "knowledge/feedback/prefers-tabs.md"
    assert machine.index.count(LINE) == 1
    assert machine.git("status", "--porcelain") == ""
    trailers = machine.trailers(path)
    assert (trailers["Memory-Host"], trailers["Memory-Session"]) == (host.name, session)


def assert_known(host: Host, model: Model, project: Path) -> None:
    """New processes: the index line in each, the entry only where it is related."""
    model.script()
    host.say(RELATED, cwd=project)
    assert LINE in model.last.fresh
    assert REASON in model.last.fresh

    host.say(UNRELATED, cwd=project)
    assert LINE in model.last.fresh
    assert REASON not in model.last.fresh


def test_note_saved_by_the_verb_is_known_next_time(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """`memory-skill save` in the shell tool, without a denial; then two new sessions."""
    machine.memory("install", "--yes")

    session = learn(host, model, project, SAVED)

    assert "prefers-tabs" in model.last.fresh  # the tool's result: the address that the verb printed
    assert_kept(machine, host, session)
    assert_known(host, model, project)


def test_note_of_claudes_own_tool_is_known_next_time(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The Write tool is not denied in the default mode; the flat file is filed at the turn's end."""
    machine.memory("install", "--yes")
    model.script(write(machine, "prefers-tabs.md", WRITTEN), "Noted: tabs, Ada.")

    answer = claude.say("My name is Ada, and I indent with tabs.", cwd=project)

    assert answer.denials == ()
    assert str(machine.tree) in model.requests[0].said  # the client itself names the tree to the model
    assert not (machine.tree / "prefers-tabs.md").exists()
    assert_kept(machine, claude, answer.session)
    assert_known(claude, model, project)


def test_hand_edit_between_sessions_is_in_the_next(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """An editor changed the description and the reason; no verb and no hook ran in between."""
    machine.memory("install", "--yes")
    learn(host, model, project, SAVED)
    path = machine.note("prefers-tabs")
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace(REASON, "her editor counts them").replace("How Ada", "How Dr. Ada"), encoding="utf-8"
    )

    host.say(RELATED, cwd=project)

    assert "How Dr. Ada indents" in model.last.fresh
    assert "her editor counts them" in model.last.fresh
    assert REASON not in model.last.fresh
