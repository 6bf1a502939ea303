"""`memory-skill demo`: a recorded session, played into a tree of its own; no host, no home."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ..errors import Refused, UsageError
from .common import result, say

SIGN = ".memory-skill-demo"  # in a folder that an earlier demo made, and that this one may replace
MISSED = 3  # up to this turn the agent of the recording saved nothing: that is what the stop hook is for
PROJECT = "/home/ada/billing"  # where the session was recorded
QUESTIONS = (
    "how do I round an amount of money?",
    "a test fails in CI only before lunch, why?",
    "write a haiku about the sea",
)


@click.command("demo")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default="demo-memory",
    show_default=True,
    help="The folder for the demo's tree.",
)
def demo_verb(into: Path) -> None:
    """Play a recorded session into ./demo-memory: saves, the brief, the index, recall, undo.

    \b
    Example: memory-skill demo
    """
    memory, session = _fresh(into), _Session()
    result(f"A session that was recorded in Claude Code, played into {into}/ (nothing else is touched).")
    result("The user's and the agent's words are the recording's; what the agent saves is read from")
    result("examples/session.saves.jsonl. The verbs, the brief and the recall are the real ones.\n")
    for turn in session.turns(memory):
        _play(memory, session, turn)
    _show_tree(memory, into)
    _show_next_session(memory)
    _show_undo(memory)
    result("\nNext: memory-skill install")


def _fresh(into: Path) -> Any:
    """A new tree at *into*; one that an earlier demo left is replaced, anything else is refused."""
    from ..memory import Memory

    if into.exists() and any(into.iterdir()):
        if not (into / ".state" / SIGN).is_file():
            raise UsageError(
                "is there already and no demo", where=str(into), hint="memory-skill demo --into DIR"
            )
        shutil.rmtree(into)
    memory = Memory.open(into.absolute(), cwd=Path(PROJECT), env={"HOME": "/home/ada"})
    memory.init()
    (into / ".state" / SIGN).touch()
    return memory


class _Session:
    """The recording, what its agent saved, and the state of the stop hook."""

    def __init__(self) -> None:
        from .. import distil, pack
        from ..hosts import claude_code

        folder = pack.root() / "examples"
        self.heard = claude_code.turns(folder / "session.jsonl")[0]
        lines = (folder / "session.saves.jsonl").read_text(encoding="utf-8").splitlines()
        self.saves = [json.loads(line) for line in lines]
        self.state = distil.State()
        self.number = 0

    def turns(self, memory: Any) -> Iterator[Any]:
        """Each turn, logged in the journal."""
        from ..journal import Journal, Turn

        for number, heard in enumerate(self.heard, 1):
            self.number = number
            turn = Turn(
                heard.id, heard.time, "claude-code", "demo", heard.user, heard.assistant, memory.project
            )
            Journal(memory.tree).append(turn)
            yield turn

    def due(self, turn: str, *, saved: bool) -> bool:
        """Whether the stop hook holds this turn, by its own rules."""
        from .. import distil

        moment = distil.Moment("stop", turn, saved=saved)
        self.state, decision = distil.step(self.state, moment)
        return decision.block

    def answered(self, turn: str, shown: tuple[str, ...], *, saved: bool) -> None:
        """The agent replied to the brief."""
        from .. import distil

        for moment in (
            distil.Moment("delivered", turn, turns=shown),
            distil.Moment("stop", turn, again=True, saved=saved),
        ):
            self.state, _ = distil.step(self.state, moment)


def _play(memory: Any, session: _Session, turn: Any) -> None:
    result(f"turn {session.number:2}  user:  {_short(turn.user)}")
    result(f"         agent: {_short(turn.assistant)}")
    saves = [save for save in session.saves if save["turn"] == session.number]
    at_once = saves if session.number != MISSED else []
    for save in at_once:
        _save(memory, save)
    if not session.due(turn.id, saved=bool(at_once)):
        return
    text, shown = _brief(memory, session)
    result(f"\n-- the stop hook holds turn {session.number} with this brief ({len(text)} characters):")
    whole = session.number == MISSED
    result("\n".join(f"   | {line}" for line in (text if whole else _head(text)).splitlines()))
    late = [save for save in saves if save not in at_once]
    for save in late:
        _save(memory, save)
    if not late:
        result("         agent: Nothing to keep.")
    result("")
    session.answered(turn.id, shown, saved=bool(late))


def _brief(memory: Any, session: _Session) -> tuple[str, tuple[str, ...]]:
    from .. import distil
    from ..journal import Journal

    turns = Journal(memory.tree).find(session.state.pending, days=10_000)
    found = memory.recall(" ".join(turn.user for turn in turns), limit=5)
    by_address = {item.address: item for item in memory.list()}
    nearest = [by_address[a] for a in (hit.address.split("#")[0] for hit in found.hits) if a in by_address]
    return distil.brief(
        turns, nearest, home=memory.tree.home.name, command="memory-skill", scope=memory.reading
    )


def _save(memory: Any, save: dict[str, Any]) -> None:
    more = {key: value for key, value in save.items() if key not in ("turn", "verb")}
    if save["verb"] == "edit":
        done = memory.edit(**more)
        result(f"       + memory-skill edit {done.address}: commit {done.commit}")
    else:
        done = memory.save(more.pop("text"), **more)
        if done.outcome != "saved":
            raise Refused(f"the gate says {done.rule}: {done.hint}", rule=done.rule or done.outcome)
        result(f"       + memory-skill save --type {save['type']}: {done.address}, commit {done.commit}")


def _show_tree(memory: Any, into: Path) -> None:
    result(f"\n$ cat {into}/MEMORY.md")
    result((memory.tree.home / "MEMORY.md").read_text(encoding="utf-8").strip())
    result(f"\n$ git -C {into} log --oneline")
    for commit in memory.log():
        result(f"{commit.id} {commit.subject}")


def _show_next_session(memory: Any) -> None:
    from ..recall import render

    result("\nA next session asks, and the prompt hook recalls:")
    for question in QUESTIONS:
        result(f"\n> {question}")
        block = render(memory.recall(question, limit=2), 1500)
        result(block or "(nothing fits, so nothing is put before the prompt)")


def _show_undo(memory: Any) -> None:
    undone = memory.undo()
    result(f"\n$ memory-skill undo\nUndid {undone.commits[0]} (commit {undone.commit}).")
    say(f"{len(memory.list())} notes are left; `git log` holds the undone one too.")


def _head(brief: str) -> str:
    """What of a later brief differs from the first: the turns."""
    return brief.split("\n\nKeep:")[0] + "\n\n[the rest as above, with the nearest notes to update]"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 92 else line[:91] + "…"
