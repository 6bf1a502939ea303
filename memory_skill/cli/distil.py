"""Distilling by hand or by a script: what is due, and a file of turns."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from ..note import SOURCES
from .common import Face, dry_run_option, json_option, print_json, result, say


@click.command("distil")
@click.option("--file", type=click.Path(path_type=Path), help="A list of {role, content}, or a transcript.")
@click.option("--scope", help="global, project, project:<slug>, agent:<name>; else by type.")
@click.option("--source", default="agent-inferred", show_default=True, help=f"One of {', '.join(SOURCES)}.")
@click.option("--session-id", metavar="ID", help="The session that the turns are of, for the notes' origin.")
@dry_run_option
@json_option
@click.pass_obj
def distil_verb(
    face: Face,
    file: Path | None,
    scope: str | None,
    source: str,
    session_id: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Say which turns wait to be distilled; with --file, let the configured model distil a conversation.

    It is asked by distil.command, or at distil.url as distil.model; with --dry-run too, but nothing is saved.

    \b
    Example: memory-skill distil
             memory-skill distil --file conversation.json --dry-run
    """
    memory = face.memory()
    if file is None:
        found = memory.distil_due()
        if as_json:
            print_json({"sessions": [asdict(one) for one in found]})
            return
        for one in found:
            told = "waits" if one.waiting else f"asked in {max(one.every - one.since, 0)} turns at the latest"
            turns = f"{one.pending} {'turn' if one.pending == 1 else 'turns'}, {one.matters} of substance"
            result(f"{one.host} {one.session} {one.project or '-'}: {turns}; {told}")
        say("" if found else "No turn waits to be distilled.")
        return
    done = memory.distil_file(file, scope=scope, source=source, session=session_id, dry_run=dry_run)
    if as_json:
        print_json(done)
        return
    for entry in done.entries:
        place = f" {entry.address}" if entry.address else ""
        reason = f" ({entry.rule})" if entry.rule else ""
        result(f"{entry.outcome}{place}{reason}: {entry.text}")
    word = "Would save" if dry_run else "Saved"
    say(
        f"{word} {done.saved} of {len(done.entries)} from {done.turns} turns, {done.passed_over} passed over."
    )
