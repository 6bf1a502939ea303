"""What the verbs of the command line share: opening the tree, printing a result, asking a person."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..gate import redact
from ..text import escaped, safe

if TYPE_CHECKING:
    from ..memory import Memory

VERSION = 1  # of the --json output

json_option: Callable[[Any], Any] = click.option(
    "--json", "as_json", is_flag=True, help="The result as JSON."
)
dry_run_option: Callable[[Any], Any] = click.option(
    "--dry-run", is_flag=True, help="Say what would change; change nothing."
)
yes_option: Callable[[Any], Any] = click.option("--yes", "-y", is_flag=True, help="Do not ask.")


class Face:
    """What `--home` said, handed to each verb by click."""

    def __init__(self, home: Path | None) -> None:
        self.home = home

    def memory(self) -> Memory:
        """The tree that this call is about. Raises: ConfigError."""
        from ..memory import Memory

        return Memory.open(self.home)


def say(text: str) -> None:
    """Part of the conversation: stderr, safe for a terminal."""
    click.echo(redact(safe(text)).text, err=True)


def result(text: str) -> None:
    """The result: stdout, safe for a terminal."""
    click.echo(redact(safe(text)).text)


def as_dict(value: Any) -> dict[str, Any]:
    """A result as its stable JSON object: the fields, and the version of their form."""
    found = asdict(value) if hasattr(value, "__dataclass_fields__") else dict(value)
    return {"version": VERSION, **found}


def print_json(value: Any) -> None:
    """One JSON object on stdout, without secrets; what a terminal would obey stands there as an escape."""
    text = json.dumps(_masked(as_dict(value)), ensure_ascii=False, indent=2, default=list)
    click.echo(escaped(text))


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, dict):
        return {key: _masked(inner) for key, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list | tuple) else value


def say_error(what: str, where: str | None, hint: str | None, code: str, *, as_json: bool) -> None:
    """One line what and where, one line that helps; with --json the same as an object on stdout."""
    if as_json:
        print_json({"error": {"what": what, "where": where, "hint": hint, "code": code}})
        return
    say(f"error: {where + ': ' if where else ''}{what}")
    if hint:
        say(f"hint: {hint}")


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether to go on: told by --yes, or by a person at a terminal; never asked of a pipe."""
    if yes:
        return True
    return sys.stdin.isatty() and click.confirm(question, default=False, err=True)
