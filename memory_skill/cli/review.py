"""The verbs of a person who looks after the memory: review, inbox, blame, show, feedback."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from ..note import TYPES
from ..text import one_line, shorten
from .common import Face, json_option, print_json, result, say

if TYPE_CHECKING:
    from ..changes import Reviewed
    from ..decisions import Decided
    from ..memory import Memory

type_option = click.option("--type", "kind", help=f"One of {', '.join(TYPES)}.")
both_option = click.option(
    "--both", is_flag=True, help="Beside the entry that it contradicts, which holds too."
)
scope_option = click.option("--scope", help="global, project, project:<slug>, agent:<name>.")


@click.command("review")
@click.option("--keep", multiple=True, metavar="PATH", help="It counts as reviewed; may be repeated.")
@click.option("--drop", multiple=True, metavar="PATH", help="Back to what was reviewed last.")
@click.option("--keep-all", is_flag=True, help="Everything that waits counts as reviewed.")
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Write it as a page.")
@click.option("--serve", is_flag=True, help="The page with buttons, for this machine only.")
@click.option("--idle", default=600, show_default=True, type=click.IntRange(1), help="Seconds --serve waits.")
@json_option
@click.pass_obj
def review_verb(
    face: Face,
    /,
    keep: tuple[str, ...],
    drop: tuple[str, ...],
    keep_all: bool,
    html: Path | None,
    serve: bool,
    idle: int,
    as_json: bool,
) -> None:
    """Look at what changed since you looked last, and keep or drop each change.

    \b
    Example: memory-skill review
             memory-skill review --html review.html
             git -C ~/.memory-skill diff refs/memory-skill/reviewed     # the same, by git alone
    """
    from ..review.terminal import can_ask, closing

    memory = face.memory()
    if keep_all or keep or drop:
        every = [change.path for change in memory.review() if change.path not in drop] if keep_all else []
        done: Reviewed | None = memory.decide(list(dict.fromkeys([*keep, *every])), drop)
    elif html:
        _write_page(memory, html, as_json)
        return
    elif serve:
        _serve(memory, idle)
        return
    elif as_json or not can_ask():
        _list_changes(memory, as_json)
        return
    else:
        done = _ask(memory)
    if as_json and done:
        print_json(done)
        return
    for line in closing(done) if done else ["Nothing waits."]:
        result(line)


def _ask(memory: Memory) -> Reviewed | None:
    from ..review.terminal import review

    def open_page() -> str:
        import webbrowser

        target = memory.tree.state / "review.html"
        _render(memory, target)
        webbrowser.open(target.as_uri())
        return f"the page: {target}"

    return review(memory, open_page=open_page)


def _serve(memory: Memory, idle: int) -> None:
    from ..review.serve import serve
    from ..review.terminal import can_ask

    def told(address: str) -> None:
        result(address)
        say(f"Open it in a browser; it ends after {idle} idle seconds, or by Ctrl-C.")
        if can_ask():
            click.launch(address)

    serve(memory, say=told, idle=idle)


def _list_changes(memory: Memory, as_json: bool) -> None:
    found = memory.review()
    if as_json:
        print_json({"changes": [asdict(change) for change in found]})
        return
    for change in found:
        badges = "".join(f"  ! {badge.text}" for badge in change.badges)
        mark = {"new": "+", "changed": "~", "gone": "-"}[change.kind]
        result(f"{mark} {change.path}{badges}")
    say(
        f"{len(found)} {'change waits' if len(found) == 1 else 'changes wait'}."
        if found
        else "Nothing waits."
    )
    if found:
        say("hint: memory-skill review at a terminal, or review --keep PATH, --drop PATH, --html FILE")


def _write_page(memory: Memory, html: Path, as_json: bool) -> None:
    count = _render(memory, html)
    if as_json:
        print_json({"page": str(html), "changes": count})
        return
    result(f"Wrote {html} ({count} {'change' if count == 1 else 'changes'}).")


def _render(memory: Memory, target: Path) -> int:
    """Write the page. Returns: how many changes it shows."""
    from ..review.page import page
    from ..tree import write_atomic

    text, count = page(memory)
    write_atomic(target.absolute(), text.encode("utf-8"), durable=False)
    return count


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
        print_json({"items": [item._asdict() for item in found]})
        return
    for item in found:
        result(f"{item.id}  {item.reason}")
        where = ", ".join(part for part in (item.type, item.scope, item.host, item.day) if part)
        more = {"evidence": item.evidence, "against": item.against, "proposed": item.proposed}
        told = (f"{key}: {value}" for key, value in more.items() if value)
        for line in (where, *told, _first_words(item.text)):
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
@both_option
@json_option
@click.pass_obj
def inbox_accept(
    face: Face, ident: str, kind: str | None, scope: str | None, both: bool, as_json: bool
) -> int:
    """Save it. Type and scope are those that the item names, unless told otherwise.

    What contradicts an entry takes its place, unless --both.

    \b
    Example: memory-skill inbox accept prefers-tabs --scope global
    """
    return _say(face.memory().accept(ident, type=kind, scope=scope, both=both), as_json)


@inbox_verb.command("amend")
@click.argument("ident", metavar="ID")
@click.option("--text", help="The text to save in its place.")
@click.option("--file", type=click.Path(path_type=Path, allow_dash=True), help="A file with it; - is stdin.")
@type_option
@scope_option
@both_option
@json_option
@click.pass_obj
def inbox_amend(
    face: Face,
    ident: str,
    text: str | None,
    file: Path | None,
    kind: str | None,
    scope: str | None,
    both: bool,
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
    return _say(face.memory().accept(ident, type=kind, scope=scope, text=text, both=both), as_json)


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
        "set-aside": f"Noted on {done.id}, for the user to confirm{commit}.",
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


@click.command("blame")
@click.argument("path")
@json_option
@click.pass_obj
def blame_verb(face: Face, path: str, as_json: bool) -> None:
    """Show who wrote each line of a note: commit, day, host, session.

    \b
    Example: memory-skill blame knowledge/user.md
    """
    lines = face.memory().blame(path)
    if as_json:
        print_json({"lines": [vars(line) for line in lines]})
        return
    for line in lines:
        origin = " ".join(part for part in (line.host, line.session[:8]) if part) or line.verb
        result(f"{line.commit}  {line.time[:10]}  {origin:<22.22}  {line.number:>3}  {line.text}")
    say("hint: memory-skill show COMMIT; memory-skill undo --session ID takes back all that a session wrote")


@click.command("show")
@click.argument("commit")
@json_option
@click.pass_obj
def show_verb(face: Face, commit: str, as_json: bool) -> None:
    """Show one commit: who asked for it, why, and the difference word by word.

    \b
    Example: memory-skill show HEAD
    """
    from ..review.terminal import show

    found = face.memory().show(commit)
    if as_json:
        print_json(found)
        return
    result(f"{found.id}  {found.time[:16].replace('T', ' ')}  {found.subject}")
    for key, value in found.trailers.items():
        result(f"    {key.removeprefix('Memory-').lower()}: {value}")
    for line in found.body.splitlines():
        result(f"    {line}")
    for change in found.changes:
        if not change.path.endswith("MEMORY.md"):
            show(change)


@click.command("feedback")
@click.argument("verdict", type=click.Choice(["useful", "wrong"]))
@click.argument("address")
@json_option
@click.pass_obj
def feedback_verb(face: Face, verdict: str, address: str, as_json: bool) -> None:
    """Say that an entry was useful, or wrong: its confidence moves; below low it waits in the inbox.

    \b
    Example: memory-skill feedback wrong knowledge/reference/build.md
    """
    judged = face.memory().feedback(verdict, address)
    if as_json:
        print_json(judged)
        return
    commit = f" (commit {judged.commit})" if judged.commit else ""
    if judged.outcome == "held":
        result(f"Held back in {judged.inbox}{commit}.")
    elif judged.outcome == "unchanged":
        result(f"Nothing to change in {judged.address}.")
    else:
        result(f"Confidence of {judged.address} is {judged.confidence} now{commit}.")
    if judged.hint:
        say(f"hint: {judged.hint}")


@click.command("verdict")
@click.argument("verdict", required=False)
@click.argument("address", required=False)
@json_option
@click.pass_obj
def verdict_verb(face: Face, verdict: str | None, address: str | None, as_json: bool) -> None:
    """Show what a change put in doubt, or judge it: invalid (it goes), revise (it waits), unaffected.

    \b
    Example: memory-skill verdict
             memory-skill verdict unaffected knowledge/reference/staging-port.md
    """
    memory = face.memory()
    if verdict and not address:
        raise UsageError("a verdict on what?", hint=f"memory-skill verdict {verdict} ADDRESS")
    if not (verdict and address):
        found = memory.in_doubt()
        if as_json:
            print_json({"doubts": [one._asdict() for one in found]})
            return
        for one in found:
            result(f"{one.address}  since {one.day}: {one.because}")
        say(
            "hint: memory-skill verdict invalid|revise|unaffected ADDRESS"
            if found
            else "Nothing is in doubt."
        )
        return
    done = memory.verdict(verdict, address)
    if as_json:
        print_json(done)
        return
    said = {"removed": "Removed", "held": "Held for the user:", "kept": "Kept"}
    result(f"{said[done.outcome]} {done.address}{f' (commit {done.commit})' if done.commit else ''}.")
