"""Taking in documents: load-doc."""

from __future__ import annotations

from pathlib import Path

import click

from ..note import SOURCES, TYPES
from .common import Face, dry_run_option, json_option, print_json, result, say


@click.command("load-doc")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--type", "kind", help=f"One of {', '.join(TYPES)}; the document's own, else reference.")
@click.option("--scope", help="global, project, project:<slug>, agent:<name>.")
@click.option(
    "--source", default="user-confirmed", show_default=True, help=f"One of {', '.join(SOURCES[:3])}."
)
@dry_run_option
@json_option
@click.pass_obj
def load_doc_verb(
    face: Face, path: Path, kind: str | None, scope: str | None, source: str, dry_run: bool, as_json: bool
) -> None:
    """Take in a Markdown document (or a folder of them) by its sections; again: only what changed.

    Also CLAUDE.md, AGENTS.md and QWEN.md, Qwen Code's memory folder, and memories.json of Claude's export.

    \b
    Example: memory-skill load-doc docs/handbook.md --dry-run
             memory-skill load-doc ~/.qwen/memories
    """
    done = face.memory().load_document(path, type=kind, scope=scope, source=source, dry_run=dry_run)
    if as_json:
        print_json(done)
        return
    for reason in done.reasons:
        say(f"note: {reason}")
    word = "Would add" if dry_run else "Added"
    told = f"{done.added}, updated {done.updated}, removed {done.removed}; {done.unchanged} unchanged"
    more = "".join(f", {n} {what}" for n, what in ((done.kept, "kept"), (done.refused, "refused")) if n)
    commit = f" (commit {done.commit})" if done.commit else ""
    result(f"{word} {told}{more}{commit}.")
