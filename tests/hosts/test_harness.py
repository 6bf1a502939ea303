"""The harness itself: real client, scripted model, and a hook of one line between them."""

from __future__ import annotations

import json
import signal
import subprocess
from subprocess import PIPE

from tests.hosts.claude import Claude
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, call


def claude_hooks(machine: Machine, **commands: str) -> None:
    """Write one shell command an event into the user's settings."""
    hooks = {event: [{"hooks": [{"type": "command", "command": line}]}] for event, line in commands.items()}
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}), encoding="utf-8")


def kimi_hooks(machine: Machine, **commands: str) -> None:
    """Add one shell command an event to the user's config."""
    with (machine.home / ".kimi-code/config.toml").open("a", encoding="utf-8") as config:
        for event, line in commands.items():
            config.write(f"\n[[hooks]]\nevent = {json.dumps(event)}\ncommand = {json.dumps(line)}\n")


def test_claude_sends_hook_text_to_the_model(claude: Claude, machine: Machine, model: Model) -> None:
    """What a SessionStart hook prints is in the first request; the answer is the script's."""
    claude_hooks(machine, SessionStart="echo MARKER")
    model.script("Hello Ada.")

    answer = claude.say("my name is Ada", cwd=machine.project("billing"))

    assert answer.text == "Hello Ada."
    assert "MARKER" in model.last.fresh
    assert "my name is Ada" in model.last.fresh


def test_claude_calls_the_tool_that_the_model_names(claude: Claude, machine: Machine, model: Model) -> None:
    """A tool call runs for real, its result goes back, and a denial is told."""
    project = machine.project("billing")
    (project / "plan.txt").write_text("ship on friday", encoding="utf-8")
    model.script(
        call("Read", file_path=f"{project}/plan.txt"), call("Bash", command="touch denied"), "Friday."
    )

    answer = claude.say("when do we ship?", cwd=project)

    assert "ship on friday" in model.requests[1].fresh
    assert answer.denials == ("Bash",)
    assert not (project / "denied").exists()


def test_claude_resumes_a_session_in_a_new_process(claude: Claude, machine: Machine, model: Model) -> None:
    """The second request holds the first turn; only the second prompt is fresh."""
    project = machine.project("billing")
    model.script("Hello Ada.", "Again.")
    first = claude.say("my name is Ada", cwd=project)

    second = claude.say("who am I?", cwd=project, session=first.session)

    assert second.session == first.session
    assert "my name is Ada" in model.last.said
    assert "my name is Ada" not in model.last.fresh


def test_claudes_screen_takes_prompts_and_commands(claude: Claude, machine: Machine, model: Model) -> None:
    """Two turns and a compaction in one interactive process, each with the hooks it should have."""
    claude_hooks(machine, Stop="echo stop >> ~/fired", PreCompact="echo compact >> ~/fired")
    model.script("FIRST-ANSWER", "SECOND-ANSWER")

    with claude.screen(machine.project("billing")) as screen:
        screen.say("the first question")
        screen.say("the second question")
        screen.compact()

    assert "the second question" in model.requests[1].fresh
    assert (machine.home / "fired").read_text(encoding="utf-8").split() == ["stop", "stop", "compact"]


def test_kimi_sends_hook_text_to_the_model(kimi: Kimi, machine: Machine, model: Model) -> None:
    """What a prompt hook prints is in the request, and in what the user sees."""
    kimi_hooks(machine, UserPromptSubmit="echo MARKER")
    model.script("Hello Ada.")

    answer = kimi.say("my name is Ada", cwd=machine.project("billing"))

    assert answer.text == "Hello Ada."
    assert "MARKER" in model.last.fresh
    assert "MARKER" in answer.texts[0]


def test_kimi_goes_on_after_a_blocked_stop(kimi: Kimi, machine: Machine, model: Model) -> None:
    """A Stop hook that exits 2 makes the model answer once more, in a resumed turn too."""
    kimi_hooks(machine, Stop="echo BRIEF >&2; exit 2")
    project = machine.project("billing")
    model.script("One.", "After the brief.", "Two.", "After the second.")
    first = kimi.say("my name is Ada", cwd=project)

    second = kimi.say("again", cwd=project, session=first.session)

    assert [request.fresh for request in model.requests][1::2] == ["BRIEF", "BRIEF"]
    assert second.text == "After the second."


def test_kimis_screen_takes_prompts_and_commands(kimi: Kimi, machine: Machine, model: Model) -> None:
    """Two turns and a compaction, as in the other screen."""
    kimi_hooks(machine, Stop="echo stop >> ~/fired", PreCompact="echo compact >> ~/fired")
    model.script("FIRST-ANSWER", "SECOND-ANSWER")

    with kimi.screen(machine.project("billing")) as screen:
        screen.say("the first question")
        screen.say("the second question")
        screen.compact()

    assert "the second question" in model.requests[1].fresh
    assert (machine.home / "fired").read_text(encoding="utf-8").split() == ["stop", "stop", "compact"]


def test_machine_leaves_no_process(machine: Machine) -> None:
    """A process that left its parent's session, as a detached child of a hook does, ends with its machine."""
    waits = ["/bin/sh", "-c", "echo ready; read line"]
    child = subprocess.Popen(waits, env=machine.env, stdin=PIPE, stdout=PIPE, start_new_session=True)
    assert child.stdout is not None and child.stdout.readline() == b"ready\n"
    assert machine.processes() == [child.pid]

    machine.end()

    assert machine.processes() == []
    assert child.wait() == -signal.SIGKILL
