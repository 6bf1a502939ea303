"""The verbs of a person who looks after the memory: inbox."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..note import TYPES
from ..text import one_line, shorten
from .common import Face, json_option, print_json, result, say

if TYPE_CHECKING:
    from ..decisions import Decided

type_option = click.option("--type", "kind", help=f"One of {', '.join(TYPES)}.")
scope_option = click.option("--scope", help="global, project, project:<slug>, agent:<name>.")


@click.group("inbox")
def inbox_verb() -> None:
    """Decide what waits: list it, then accept, amend or discard each.

    \b
    Example: memory-skill inbox list
             memory-skill inbox accept prefers-tabs
    """


@inbox_verb.command("list")
@json_option
@click.pass_obj
def inbox_list(face: Face, as_json: bool) -> None:
    """Show what waits, why, and where it would go.

    \b
    Example: memory-skill inbox list
    """
    found = face.memory().inbox()
    if as_json:
        print_json({"items": [vars(item) for item in found]})
        return
    for item in found:
        result(f"{item.id}  {item.reason}")
        where = ", ".join(part for part in (item.type, item.scope, item.host, item.day) if part)
        for line in (where, f"evidence: {item.evidence}" if item.evidence else "", _first_words(item.text)):
            if line:
                result(f"    {line}")
    say(f"{len(found)} {'waits' if len(found) == 1 else 'wait'}." if found else "Nothing waits.")
    if found:
        say(f"hint: memory-skill inbox accept {found[0].id}   (or: amend, discard)")


def _first_words(text: str) -> str:
    from ..note import skim

    return shorten(one_line(skim(text, "item.md").body), 160)


@inbox_verb.command("accept")
@click.argument("ident", metavar="ID")
@type_option
@scope_option
@json_option
@click.pass_obj
def inbox_accept(face: Face, ident: str, kind: str | None, scope: str | None, as_json: bool) -> int:
    """Save it. Type and scope are those that the item names, unless told otherwise.

    \b
    Example: memory-skill inbox accept prefers-tabs --scope global
    """
    return _say(face.memory().accept(ident, type=kind, scope=scope), as_json)


@inbox_verb.command("amend")
@click.argument("ident", metavar="ID")
@click.option("--text", help="The text to save in its place.")
@click.option("--file", type=click.Path(path_type=Path, allow_dash=True), help="A file with it; - is stdin.")
@type_option
@scope_option
@json_option
@click.pass_obj
def inbox_amend(
    face: Face,
    ident: str,
    text: str | None,
    file: Path | None,
    kind: str | None,
    scope: str | None,
    as_json: bool,
) -> int:
    """Save another text in its place.

    \b
    Example: memory-skill inbox amend prefers-tabs --text "Indent with tabs, but in YAML"
    """
    if (text is None) == (file is None):
        raise UsageError("what shall it say?", hint=f"memory-skill inbox amend {ident} --text TEXT")
    if file is not None:
        text = sys.stdin.read() if str(file) == "-" else _read(file)
    return _say(face.memory().accept(ident, type=kind, scope=scope, text=text), as_json)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot be read: {error}", where=str(file)) from error


@inbox_verb.command("discard")
@click.argument("ident", metavar="ID")
@json_option
@click.pass_obj
def inbox_discard(face: Face, ident: str, as_json: bool) -> int:
    """Take it away; `undo` brings it back.

    \b
    Example: memory-skill inbox discard prefers-tabs
    """
    return _say(face.memory().discard(ident), as_json)


def _say(done: Decided, as_json: bool) -> int:
    code = 5 if done.outcome == "refused" else 0
    if as_json:
        print_json(done)
        return code
    commit = f" (commit {done.commit})" if done.commit else ""
    said = {
        "accepted": f"Saved {done.address} (scope {done.scope}){commit}.",
        "unchanged": f"It stands in {done.address} already; the item is gone{commit}.",
        "discarded": f"Discarded {done.id}{commit}.",
    }
    if code:
        say(f"error: refused by the rule {done.rule!r}")
    else:
        result(said[done.outcome])
    if done.hint:
        say(f"hint: {done.hint}")
    elif not code:
        say("hint: memory-skill undo takes it back")
    return code
