"""The command line: argv in, results on stdout, talk on stderr, exit codes out.

A verb computes, its face prints. Each group of verbs is a file, imported when one of its verbs is called.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from .. import __version__
from ..errors import MemorySkillError
from .common import Face, say_error

# Verb -> the file that holds it, in the order of the help page.
EVERYDAY = {
    "save": "notes",
    "edit": "notes",
    "recall": "notes",
    "forget": "notes",
    "list": "notes",
    "undo": "notes",
    "log": "notes",
    "review": "review",
    "status": "notes",
}
SET_UP = {"init": "setup", "install": "setup", "uninstall": "setup", "doctor": "setup", "demo": "demo"}
PLUMBING = {
    "settle": "plumbing",
    "index": "plumbing",
    "search-index": "plumbing",
    "watch": "plumbing",
    "context": "plumbing",
    "working": "working",
    "import": "plumbing",
    "load-doc": "documents",
    "distil": "distil",
    "journal": "journal",
    "inbox": "review",
    "blame": "review",
    "show": "review",
    "feedback": "review",
    "verdict": "review",
    "off": "privacy",
    "on": "privacy",
    "incognito": "privacy",
    "ignore": "privacy",
    "hook": "plumbing",
}
VERBS = {**EVERYDAY, **SET_UP, **PLUMBING}
CHANGING = frozenset(
    {
        "save",
        "edit",
        "forget",
        "undo",
        "settle",
        "index",
        "import",
        "load-doc",
        "distil",
        "inbox",
        "review",
        "feedback",
        "verdict",
    }
)


class Verbs(click.Group):
    """A group that imports a verb's file when the verb is called, and groups them in its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f".{VERBS[cmd_name]}", __name__)
        found: click.Command = getattr(module, cmd_name.replace("-", "_") + "_verb")
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, 1)
            hint = f"did you mean: memory-skill {near[0]}" if near else "memory-skill --help"
            raise Unknown(f"no verb {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, verbs in (("Everyday", EVERYDAY), ("Set-up", SET_UP), ("Plumbing", PLUMBING)):
            with formatter.section(title):
                found = [(verb, self.get_command(ctx, verb)) for verb in verbs]
                formatter.write_dl([(verb, item.get_short_help_str(70)) for verb, item in found if item])


class Unknown(MemorySkillError):
    """A verb that there is not."""

    code, exit = "usage", 2


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--home", type=click.Path(file_okay=False, path_type=Path), help="The memory's folder.")
@click.version_option(__version__, prog_name="memory-skill")
@click.pass_context
def cli(ctx: click.Context, home: Path | None) -> None:
    """A memory made of files for coding agents: Markdown notes in git.

    \b
    Example: memory-skill save "Ada indents with tabs" --type feedback
             memory-skill recall "how does Ada indent?"
    """
    ctx.obj = Face(home)


@cli.result_callback()
@click.pass_context
def after(ctx: click.Context, /, code: Any, **_: Any) -> Any:
    """A host that takes its start text from a file reads it before any hook runs, so write it at once."""
    if ctx.invoked_subcommand in CHANGING:
        with contextlib.suppress(MemorySkillError, OSError):
            ctx.obj.memory().refresh_hosts()
    return code


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns: the exit code of DESIGN.md section 9; never raises."""
    args = sys.argv[1:] if argv is None else argv
    as_json = "--json" in args
    for stream in (sys.stdout, sys.stderr):  # a note may hold what a cp1252 console cannot show
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        code: Any = cli.main(args, prog_name="memory-skill", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except MemorySkillError as error:
        say_error(error.what, error.where, error.hint, error.code, as_json=as_json)
        return error.exit
    except click.ClickException as error:
        path = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "memory-skill"
        say_error(error.format_message(), None, f"{path} --help", "usage", as_json=as_json)
        return 2
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # `memory-skill log | head`: nobody listens any more
        return 0
    except Exception as error:
        return _bug(error, as_json=as_json)


def _bug(error: Exception, *, as_json: bool) -> int:
    """A fault of ours: one line for the user, the report in a file."""
    from ..config import home_of

    report = home_of(os.environ)[0] / ".state" / "bug.txt"
    told = "".join(traceback.format_exception(error))
    try:  # without a tree there is no such folder, and a fault must not make one
        report.write_text(told, encoding="utf-8", errors="replace")
        hint = f"the report is in {report}"
    except OSError:
        hint = told
    say_error(f"a fault of memory-skill: {type(error).__name__}: {error}", None, hint, "bug", as_json=as_json)
    return 70
