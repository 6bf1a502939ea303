"""The working memory of the task at hand: write, read, clear, close."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from ..errors import UsageError
from ..working import Todo, Working, as_json, form, parse, stale
from .common import Face, json_option, print_json, result, say

scope_option = click.option("--scope", help="global, project:<slug>, agent:<name>; here: the project.")


@click.group("working")
def working_verb() -> None:
    """Keep the task at hand across compaction: goal, decisions, variables, todos, notes.

    \b
    Example: memory-skill working write --goal "Ship the parser" --todo "VAT tests" --var branch=parser
             memory-skill working read
    """


@working_verb.command("write")
@click.argument("text", required=False)
@click.option("--goal", default="", help="What the task is.")
@click.option("--decision", "decisions", multiple=True, help="What was decided; may be given again.")
@click.option("--var", "variables", multiple=True, metavar="NAME=VALUE", help="A name, a path, a number.")
@click.option("--todo", "todos", multiple=True, help="What is open.")
@click.option("--done", "done", multiple=True, help="What is done.")
@click.option("--note", default="", help="Anything else.")
@scope_option
@json_option
@click.pass_obj
def write_verb(
    face: Face,
    /,
    text: str | None,
    goal: str,
    decisions: Sequence[str],
    variables: Sequence[str],
    todos: Sequence[str],
    done: Sequence[str],
    note: str,
    scope: str | None,
    as_json: bool,
) -> None:
    """Replace this session's working memory; TEXT `-` reads Markdown from stdin.

    \b
    Example: memory-skill working write --goal "Ship the parser" --todo "VAT tests" --done "parser"
    """
    if text not in (None, "-"):
        raise UsageError("TEXT is `-` or nothing", hint="memory-skill working write --note TEXT")
    tasks = [*(Todo(one, True) for one in done), *(Todo(one) for one in todos)]
    given = Working(goal, tuple(decisions), tuple(map(_pair, variables)), tuple(tasks), note)
    wanted = parse(sys.stdin.read()) if text == "-" else parse(form(given, ""))
    memory = face.memory()
    kept = memory.working_write(wanted, scope)
    if as_json:
        print_json(_json(face, scope, kept))
        return
    count = len(kept.open)
    result(f"Wrote {kept.path} ({count} {'todo' if count == 1 else 'todos'} open).")


def _pair(given: str) -> tuple[str, str]:
    name, mark, value = given.partition("=")
    if not mark:
        raise UsageError(f"--var {given!r} has no value", hint="--var NAME=VALUE")
    return name, value


def _json(face: Face, scope: str | None, found: Working | None) -> dict[str, object]:
    memory = face.memory()
    where, _ = memory.working_read(scope)
    return as_json(found or Working(), where, is_stale=bool(found and stale(memory.tree, found)))


@working_verb.command("read")
@scope_option
@json_option
@click.pass_obj
def read_verb(face: Face, scope: str | None, as_json: bool) -> None:
    """Show this session's working memory, or the one that the last session left.

    \b
    Example: memory-skill working read
    """
    memory = face.memory()
    where, found = memory.working_read(scope)
    if as_json:
        print_json(_json(face, scope, found))
    elif found is None:
        say(f"No working memory of {where}.")
    else:
        result(form(found, where).rstrip("\n"))
        if stale(memory.tree, found):
            say("It is stale: turns were finished since it was written.")


@working_verb.command("clear")
@scope_option
@json_option
@click.pass_obj
def clear_verb(face: Face, scope: str | None, as_json: bool) -> None:
    """Take this session's working memory away; doing so twice is no error.

    \b
    Example: memory-skill working clear
    """
    cleared = face.memory().working_clear(scope)
    if as_json:
        print_json({"cleared": cleared})
        return
    result("Cleared." if cleared else "There was none.")


@working_verb.command("close")
@click.option("--force", is_flag=True, help="Also while a todo is open.")
@scope_option
@json_option
@click.pass_obj
def close_verb(face: Face, scope: str | None, force: bool, as_json: bool) -> None:
    """The task is done: archive its working memory, and let the next stop ask what of it lasts.

    \b
    Example: memory-skill working close
    """
    done = face.memory().working_close(scope, force=force)
    if as_json:
        print_json(done._asdict())
    elif done.archived is None:
        result("There was none.")
    else:
        result(f"Closed; it lies in {done.archived}.")
        if done.due:
            say("The next stop asks what of it lasts.")
