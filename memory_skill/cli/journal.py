"""The verbs of the journal: show, tail, search, and read, which reads a host's transcript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..hosts.transcripts import READERS
from ..text import fence
from .common import Face, json_option, print_json, result, say

if TYPE_CHECKING:
    from ..journal import Turn

SCOPES = "global, project, project:<slug>, all; here: global and the current project."


@click.group("journal")
def journal_verb() -> None:
    """Read the daily logs of turns.

    \b
    Example: memory-skill journal show --limit 5
    """


@journal_verb.command("show")
@click.option("--since", metavar="TURN", help="Only turns after this one.")
@click.option("--session", metavar="ID", help="Only turns of this session.")
@click.option(
    "--limit", type=click.IntRange(1, 1000), help="The newest so many; 10 if nothing else is asked."
)
@json_option
@click.pass_obj
def journal_show(
    face: Face, since: str | None, session: str | None, limit: int | None, as_json: bool
) -> None:
    """Show the newest turns of all projects: when, where, what was asked and what was answered.

    With --since or --session and no --limit it is a page of at most 4,000 characters, the oldest turns first.

    \b
    Example: memory-skill journal show --limit 3
             memory-skill journal show --since TURN
    """
    from ..journal import Journal
    from ..opening import command
    from ..pages import page, seen

    memory = face.memory()
    turns = [one for one in Journal(memory.tree).turns(since) if session in (None, one.session)]
    if not (since or session) or limit or as_json:
        _print_turns(turns[-(limit or 10) :], as_json)
        return
    text, shown = page(turns, command(memory.env))
    seen(memory, shown)
    result(text.rstrip("\n")) if shown else say("No turns.")


@journal_verb.command("tail")
@click.option(
    "--limit", default=5, show_default=True, type=click.IntRange(1, 1000), help="The newest so many."
)
@click.option("--scope", help=SCOPES)
@json_option
@click.pass_obj
def journal_tail(face: Face, limit: int, scope: str | None, as_json: bool) -> None:
    """Show the last turns of this project.

    \b
    Example: memory-skill journal tail --limit 3
    """
    from ..journal import Journal
    from ..said import visible

    memory = face.memory()
    where = memory.scope(scope) if scope else memory.reading
    _print_turns(visible(Journal(memory.tree).turns(), where)[-limit:], as_json)


@journal_verb.command("search")
@click.argument("query")
@click.option("--role", type=click.Choice(["user", "assistant"]), help="Only what this side said.")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 50), help="Most hits.")
@click.option("--scope", help=SCOPES)
@json_option
@click.pass_obj
def journal_search(
    face: Face, query: str, role: str | None, limit: int, scope: str | None, as_json: bool
) -> None:
    """Find what was said in earlier turns. The latest turns are in the session's context already.

    \b
    Example: memory-skill journal search "who maintains the relay" --role user
    """
    from ..journal import Journal
    from ..said import IN_CONTEXT, search, visible

    memory = face.memory()
    where = memory.scope(scope) if scope else memory.reading
    hits = search(visible(Journal(memory.tree).turns(), where), query, role=role or "", limit=limit)
    if as_json:
        outcome = "hits" if hits else "no_match"
        print_json({"outcome": outcome, "hits": [hit._asdict() for hit in hits], "note": IN_CONTEXT})
        return
    if hits:
        shown = (f"{hit.time} {hit.role} (turn {hit.turn})\n{hit.text}" for hit in hits)
        result(fence("\n\n".join(shown), what="what was said"))
    say(f"Found {len(hits)} {'message' if len(hits) == 1 else 'messages'}. Note: {IN_CONTEXT}.")


@journal_verb.command("read")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--host", type=click.Choice(list(READERS)), help="Whose it is; told from the file without it.")
@click.option("--since", metavar="TURN", help="Only turns after this one.")
@json_option
def journal_read(path: Path, host: str | None, since: str | None, as_json: bool) -> None:
    """Show the turns of a host's transcript: what the user typed and the final reply, nothing between.

    \b
    Example: memory-skill journal read ~/.codex/sessions/2026/12/01/rollout-1.jsonl
    """
    from ..hosts.transcripts import detect, read

    turns, cursor = read(path, host or "")
    at = next((at for at, turn in enumerate(turns) if turn.id == since), -1)
    turns = turns[at + 1 :]
    if as_json:
        told = [turn._asdict() for turn in turns]
        print_json({"host": host or detect(path), "turns": told, "cursor": cursor._asdict()})
        return
    for turn in turns:
        how = f" ({turn.ended or 'no end'})" if turn.ended != "completed" else ""
        result(f"## {turn.time} turn={turn.id}{how}\n")
        result(f"### user\n{turn.user}\n\n### assistant\n{turn.assistant}\n")
    if not turns:
        say("No turns.")


def _print_turns(turns: list[Turn], as_json: bool) -> None:
    from ..journal import format_turn

    if as_json:
        print_json({"turns": [turn._asdict() for turn in turns]})
        return
    for turn in turns:
        result(format_turn(turn))
    if not turns:
        say("No turns.")
