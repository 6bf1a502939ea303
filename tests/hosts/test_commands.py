"""The user's own commands: remember, forget, memory-status."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model
from tests.hosts.script import shell
from tests.hosts.terminal import Terminal

SAVE = ("save", "Ada indents with tabs.", "--type", "user", "--name", "tabs", "--pin")


def grown(terminal: Terminal, mark: int) -> bool:
    """Whether anything was drawn since *mark*."""
    return terminal.mark > mark


def entered(terminal: Terminal, model: Model, count: int) -> bool:
    """Whether *count* requests came; presses return if not: one that follows a key at once is text."""
    if len(model.requests) < count:
        terminal.type("\r")
    return len(model.requests) >= count


def test_remember_pins_before_the_reply_in_claude_code(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """The command reaches the model with its words; the verb it asks for needs no permission."""
    machine.memory("install", "--yes")
    model.script(shell(*SAVE), "Remembered: knowledge/user/tabs.md, global.")

    answer = claude.say("/memory-skill:remember I indent with tabs", cwd=project)

    assert "Save this to memory now" in model.requests[0].said
    assert "I indent with tabs" in model.requests[0].said
    assert answer.denials == ()
    assert 'pin: "true"' in machine.note("tabs").read_text(encoding="utf-8")


def test_remember_pins_before_the_reply_in_kimi_code(
    kimi: Kimi, machine: Machine, model: Model, project: Path
) -> None:
    """The same, typed into the screen: `-p` knows no commands."""
    machine.memory("install", "--yes")
    model.script(shell(*SAVE), "Remembered: knowledge/user/tabs.md, global.")

    with kimi.screen(project) as screen:
        for key in "/memory-skill:remember I indent with tabs":  # pasted text is no command
            mark = screen.terminal.mark
            screen.terminal.type(key)
            screen.terminal.wait_for(partial(grown, screen.terminal, mark), f"echo of {key!r}")
        screen.terminal.wait_for(partial(entered, screen.terminal, model, 1), "request")
        screen.terminal.wait("Ada indents with tabs.")  # the client asks the user before it runs it
        screen.terminal.wait_for(partial(entered, screen.terminal, model, 2), "second request")

    assert "Save this to memory now" in model.requests[0].said
    assert "I indent with tabs" in model.requests[0].said
    assert 'pin: "true"' in machine.note("tabs").read_text(encoding="utf-8")


def test_commands_are_listed_in_claude_code(
    claude: Claude, machine: Machine, model: Model, project: Path
) -> None:
    """Each of them once, under the name of the plugin."""
    machine.memory("install", "--yes")

    claude.say("What is two and two?", cwd=project)

    for name in ("remember", "forget", "memory-status"):
        assert model.last.said.count(f"- memory-skill:{name}: ") == 1
