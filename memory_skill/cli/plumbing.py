"""The verbs beneath: settle, index, search-index, watch, context, import, hook."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .common import Face, dry_run_option, json_option, print_json, result, say

if TYPE_CHECKING:
    from ..meaning import Taken
    from ..memory import Memory


@click.command("settle")
@json_option
@click.pass_obj
def settle_verb(face: Face, as_json: bool) -> None:
    """Take up what an editor, a host's own tools or `git pull` changed: check, file, index, commit.

    \b
    Example: memory-skill settle
    """
    from ..settle import summary

    settled = face.memory().settle()
    if as_json:
        print_json(settled)
        return
    for line in summary(settled):
        result(line)
    if settled.warning:
        say(f"hint: {settled.warning}")
    count = len(settled.changed)
    say(f"Settled {count} {'file' if count == 1 else 'files'}." if count else "Nothing to settle.")


@click.command("index")
@json_option
@click.pass_obj
def index_verb(face: Face, as_json: bool) -> None:
    """Write MEMORY.md and the projects' indexes anew; they are written by themselves, this only repairs.

    \b
    Example: memory-skill index
    """
    changed = face.memory().reindex()
    if as_json:
        print_json({"changed": changed})
        return
    for path in changed:
        result(f"~ {path}")
    say("Index written." if changed else "The index was true already.")


@click.command("search-index")
@click.argument("action", type=click.Choice(["rebuild", "verify"]), default="rebuild")
@json_option
@click.pass_obj
def search_index_verb(face: Face, action: str, as_json: bool) -> int:
    """Rebuild or verify the search index, which is derived: deleting it loses nothing.

    \b
    Example: memory-skill search-index rebuild
    """
    memory = face.memory()
    if action == "verify":
        problems = memory.verify_search()
        if as_json:
            print_json({"problems": problems})
        for problem in [] if as_json else problems:
            result(problem)
        say("hint: memory-skill search-index rebuild" if problems else "The search index is sound.")
        return 1 if problems else 0
    start = time.monotonic()
    count = memory.rebuild_search()
    if not as_json:
        result(f"Indexed {count} notes in {time.monotonic() - start:.1f} s.")
    taken = _rebuild_vectors(memory)
    if as_json:
        print_json({"notes": count, "vectors": taken._asdict() if taken else None})
    elif taken:
        result(f"Embedded {taken.embedded} chunks, kept {taken.kept}, dropped {taken.dropped}.")
    return 0


def _rebuild_vectors(memory: Memory) -> Taken | None:
    """Bring the vectors up to the notes; None while they are off. Raises: VectorTrouble."""
    if memory.config.vectors.engine == "off":
        return None
    say("Embedding what is new; a large tree takes minutes.")
    return memory.take_up_meaning(anew=True)


@click.command("watch")
@click.pass_obj
def watch_verb(face: Face) -> None:
    """Settle by itself whatever changes in the tree, until interrupted. Nothing depends on it.

    \b
    Example: memory-skill watch &
    """
    from ..watch import watch

    watch(face.memory(), say=say)


@click.command("context")
@click.option("--scope", help="global, project, project:<slug>; here: the current project.")
@click.option(
    "--recent", metavar="N", default=0, type=click.IntRange(0, 50), help="Also the project's last N turns."
)
@click.option("--query", default="", help="Also what is recalled for it.")
@click.option("--session", metavar="ID", default="", help="Give nothing that this session was given before.")
@json_option
@click.pass_obj
def context_verb(face: Face, scope: str | None, recent: int, query: str, session: str, as_json: bool) -> None:
    """Show what a host can put before its model: the law, what stands, the task, turns, what is recalled.

    \b
    Example: memory-skill context
             memory-skill context --session 42 --query "how do we deploy?"
    """
    context = face.memory().context(scope, recent=recent, query=query, session=session)
    if as_json:
        print_json(context)
    elif context.text:
        result(context.text)


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@dry_run_option
@json_option
@click.pass_obj
def import_verb(face: Face, file: Path, dry_run: bool, as_json: bool) -> None:
    """Add notes from FILE, one JSON object a line: name, description, type, scope, body, created, source.

    \b
    Example: memory-skill import notes.jsonl --dry-run
    """
    done = face.memory().import_file(file, dry_run=dry_run)
    if as_json:
        print_json(done)
        return
    for reason in done.reasons:
        say(f"refused {reason}")
    word = "Would add" if dry_run else "Added"
    commit = f" (commit {done.commit})" if done.commit else ""
    result(f"{word} {done.added}, {done.unchanged} unchanged, {done.refused} refused{commit}.")


@click.command("hook")
@click.argument("host")
@click.argument("event")
def hook_verb(host: str, event: str) -> None:
    """Answer a hook of HOST: its payload on stdin, its answer on stdout. Hosts call this, people need not.

    \b
    Example: memory-skill hook claude-code prompt < payload.json
    """
    raise click.UsageError("`hook` is answered before the command line is loaded")  # by __main__
