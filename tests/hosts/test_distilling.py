"""Every N turns the stop hook asks for a distillation, once, and where nobody attends it waits."""

from __future__ import annotations

from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.conftest import Host
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, call
from tests.hosts.script import LAW, shell

BRIEF = "memory-skill: time to distil"
EVERY = 3  # distil.every_turns by default
PROMPTS = [f"Machine number {n} of the billing cluster stands in Graz." for n in range(1, 2 * EVERY)]


def briefs(model: Model) -> list[bool]:
    """For each request: whether the brief is new in it."""
    return [BRIEF in request.fresh for request in model.requests]


def assert_blocked_once_at_the_third_turn(model: Model) -> None:
    """One request a turn, one more for the brief after turn N, and none in the N-1 turns that follow."""
    assert briefs(model) == [False] * EVERY + [True] + [False] * (EVERY - 1)
    brief = model.requests[EVERY].fresh
    assert all(prompt in brief for prompt in PROMPTS[:EVERY])
    assert len(brief) < 5000


def test_third_turn_of_claudes_screen_is_held_once(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """In the interactive screen, with a person at it."""
    machine.memory("install", "--yes")

    with claude.screen(project) as screen:
        for prompt in PROMPTS:
            screen.say(prompt)

    assert_blocked_once_at_the_third_turn(model)


def test_third_turn_of_kimi_is_held_once(kimi: Kimi, machine: Machine, model: Model, project: Path) -> None:
    """In `-p`, since Kimi Code cannot tell; each turn is a process of its own that resumes the session."""
    machine.memory("install", "--yes")
    session = None

    for prompt in PROMPTS:
        session = kimi.say(prompt, cwd=project, session=session).session

    assert_blocked_once_at_the_third_turn(model)


def test_claude_without_a_person_is_not_held(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The answer of `-p` stays the answer; the turns wait, and an attended start offers them."""
    machine.memory("install", "--yes")
    session = None
    for prompt in PROMPTS[: EVERY + 1]:
        model.script(f"Answer to: {prompt}")
        answer = claude.say(prompt, cwd=project, session=session)
        session = answer.session
        assert answer.text == f"Answer to: {prompt}"
    assert briefs(model) == [False] * (EVERY + 1)
    assert machine.report("status")["waiting_turns"] == EVERY + 1

    with claude.screen(project) as screen:
        screen.say("Good morning.")

    assert PROMPTS[0] in model.last.fresh


def test_session_that_saved_is_not_held(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """What the model keeps by itself needs no reminder."""
    machine.memory("install", "--yes")
    model.script(shell("save", "Ada answers to Ada.", "--type", "user"), "Saved.")

    with claude.screen(project) as screen:
        for prompt in PROMPTS[:EVERY]:
            screen.say(prompt)

    assert briefs(model) == [False] * (EVERY + 1)


def test_sub_agent_is_left_alone(host: Host, machine: Machine, model: Model, project: Path) -> None:
    """A sub-agent of the third turn ends with a stop of its own; the brief waits for the main agent's."""
    machine.memory("install", "--yes")
    machine.knobs["MEMORY_SKILL_DISTIL_WHEN_UNATTENDED"] = (
        "block"  # Claude Code's screen would not wait for it
    )
    agent = call("Agent", description="Count", prompt="Count to two.", run_in_background=False)
    session = None
    for prompt in PROMPTS[: EVERY - 1]:
        session = host.say(prompt, cwd=project, session=session).session

    model.script(agent, "SUB-AGENT: one, two.", "It counted.", "Nothing to keep.")
    host.say(PROMPTS[EVERY - 1], cwd=project, session=session)

    assert len(model.requests) == EVERY + 3, [request.fresh[-300:] for request in model.requests[EVERY - 1 :]]
    sub_agent, main, brief = model.requests[EVERY:]
    assert "Count to two." in sub_agent.fresh
    assert LAW not in sub_agent.said
    assert "SUB-AGENT: one, two." in main.fresh
    assert [BRIEF in request.said for request in model.requests] == [False] * (EVERY + 2) + [True]
    assert (
        brief.said.count("SUB-AGENT") == 1
    )  # the result of the tool; the brief holds no turn of a sub-agent
