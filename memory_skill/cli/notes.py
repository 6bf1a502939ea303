"""The everyday verbs: save, edit, recall, forget, list, undo, log, status."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..errors import UsageError
from ..note import SOURCES, TYPES
from ..text import one_line, shorten
from .common import Face, confirmed, json_option, print_json, result, say, yes_option

scope_option = click.option("--scope", help="global, project, project:<slug>, agent:<name>.")


@click.command("save")
@click.argument("text")
@click.option("--type", "kind", help=f"One of {', '.join(TYPES)}; summary: of this session.")
@click.option("--name", help="The note's name; made from the text if missing.")
@click.option(
    "--description", help="One line for the index: what is in it, with the words one would ask with."
)
@click.option("--why", help="Why it holds.")
@click.option("--how", help="How to apply it.")
@scope_option
@click.option("--source", default="user-said", show_default=True, help=f"One of {', '.join(SOURCES)}.")
@click.option("--pin", is_flag=True, help="Always load it at session start.")
@click.option("--to", metavar="PATH", help="The file to write, such as skills/deploy/SKILL.md.")
@click.option("--again", is_flag=True, help="Also what was forgotten on request.")
@json_option
@click.pass_obj
def save_verb(face: Face, /, text: str, kind: str | None, as_json: bool, **more: Any) -> int:
    """Add an entry as a note; TEXT `-` reads a whole note, or the text of a summary, from stdin.

    \b
    Example: memory-skill save "Indent with tabs" --type feedback \\
               --why "her screen reader announces them" --how "new files; keep the style of old ones"
             memory-skill save - --type summary --name invoice-parser < summary.md
    """
    memory = face.memory()
    if kind == "summary":
        text = sys.stdin.read() if text == "-" else text
        saved = memory.save(text, type=kind, name=more["name"], description=more["description"])
    elif text == "-":
        raw = sys.stdin.read()
        saved = memory.save_note(raw, scope=more["scope"], to=more["to"], again=more["again"])
    else:
        if kind is None:
            if not (more["to"] or "").startswith("skills/"):
                raise UsageError("which type of note is it?", hint=f"--type, one of {', '.join(TYPES)}")
            kind = "reference"
        saved = memory.save(text, type=kind, **more)
    if as_json:
        print_json(saved)
    elif saved.outcome == "refused":
        say(f"error: refused by the rule {saved.rule!r}")
    elif saved.outcome == "held":
        result(f"Held for you in {saved.inbox}.")
    else:
        commit = f", commit {saved.commit}" if saved.commit else ""
        word = "Saved" if saved.outcome == "saved" else "Already there:"
        result(f"{word} {saved.address} (scope {saved.scope}{commit}).")
    if saved.hint and not as_json:
        say(f"hint: {saved.hint}")
    return 5 if saved.outcome == "refused" else 0


@click.command("edit")
@click.argument("address")
@click.option("--old", required=True, help="The exact text to replace; empty appends or creates.")
@click.option("--new", required=True, help="What stands there instead.")
@json_option
@click.pass_obj
def edit_verb(face: Face, address: str, old: str, new: str, as_json: bool) -> None:
    """Replace exact text that stands once in a note, or append to it.

    \b
    Example: memory-skill edit knowledge/user.md --old "" --new "Name: Ada"
             memory-skill edit knowledge/user.md --old "Editor: vim" --new "Editor: emacs"
    """
    edited = face.memory().edit(address, old, new)
    if as_json:
        print_json(edited)
        return
    word = {"created": "Created", "edited": "Edited", "unchanged": "Nothing to change in"}[edited.outcome]
    result(f"{word} {edited.address}{f' (commit {edited.commit})' if edited.commit else ''}.")
    if edited.hint:
        say(f"hint: {edited.hint}")


@click.command("recall")
@click.argument("query")
@click.option("--scope", help="global, project, project:<slug>, agent:<name>, all.")
@click.option("--limit", type=click.IntRange(1, 100), help="Entries at most.")
@click.option("--max-chars", type=click.IntRange(200, 100_000), help="Characters of the block at most.")
@click.option("--as-of", metavar="DATE", type=click.DateTime(["%Y-%m-%d"]), help="What held on that day.")
@click.option("--acknowledge", is_flag=True, help="Also while the inbox waits (review.gate = ask).")
@click.option("--explain", is_flag=True, help="What adds up to each score.")
@json_option
@click.pass_obj
def recall_verb(face: Face, /, query: str, as_json: bool, as_of: Any, explain: bool, **more: Any) -> None:
    """Find what answers QUERY; reads only.

    \b
    Example: memory-skill recall "how do we deploy?"
    """
    from ..recall import render

    memory = face.memory()
    found = memory.recall(query, as_of=as_of.date() if as_of else None, explain=explain, **more)
    if as_json:
        print_json(found)
        return
    block = render(found, more["max_chars"] or memory.config.recall.max_chars)
    if block:
        result(block)
    if explain and found.explain:
        import json

        result(json.dumps(found.explain, ensure_ascii=False, indent=2))
    count = len(found.hits)
    if found.outcome != "blocked":
        say(f"Found {count} {'entry' if count == 1 else 'entries'}." if count else "No match.")
    if found.reason and found.outcome != "hits":
        say(f"{found.outcome}: {found.reason}")


@click.command("forget")
@click.argument("query")
@yes_option
@json_option
@click.pass_obj
def forget_verb(face: Face, query: str, yes: bool, as_json: bool) -> int:
    """Remove an entry, by its address or by a query that fits exactly one.

    \b
    Example: memory-skill forget knowledge/user.md#3f9a01bc
    """
    memory = face.memory()
    asked = yes or not sys.stdin.isatty()
    found = memory.forget(query, yes=asked)
    if not asked and found.outcome == "ambiguous" and len(found.addresses) == 1:
        if not confirmed(f"Forget {found.addresses[0]}?", yes=False):
            say("Nothing changed.")
            return 0
        found = memory.forget(found.addresses[0])
    if as_json:
        print_json(found)
    elif found.outcome == "forgotten":
        result(f"Forgot {found.addresses[0]}{f' (commit {found.commit})' if found.commit else ''}.")
        say("hint: memory-skill undo brings it back")
    elif found.outcome == "ambiguous":
        say(f"error: {len(found.addresses)} entries fit {query!r}; nothing changed")
        for address in found.addresses:
            result(address)
        say(f"hint: name one: memory-skill forget {found.addresses[0]}")
    else:
        say(f"error: nothing fits {query!r}")
        say("hint: memory-skill list")
    return {"forgotten": 0, "ambiguous": 4, "not_found": 3}[found.outcome]


@click.command("list")
@click.option("--type", "kind", help=f"One of {', '.join(TYPES)}, skill, summary.")
@click.option("--scope", help="Only this scope; all by default.")
@json_option
@click.pass_obj
def list_verb(face: Face, kind: str | None, scope: str | None, as_json: bool) -> None:
    """List the notes: address, type, what is in them.

    \b
    Example: memory-skill list --type feedback
    """
    notes = face.memory().list(type=kind, scope=scope)
    if as_json:
        print_json({"notes": [vars(item) for item in notes]})
        return
    for item in notes:
        pin = "*" if item.pinned else " "
        result(
            f"{pin} {item.address}  [{item.type}, {item.scope}]  {shorten(one_line(item.description), 80)}"
        )
    say(f"{len(notes)} {'note' if len(notes) == 1 else 'notes'}.")


@click.command("undo")
@click.argument("commit", required=False)
@click.option("--session", metavar="ID", help="Everything that this session wrote.")
@click.option("--entry", metavar="ADDRESS", help="The last change of this note.")
@click.option(
    "--since", metavar="MOMENT", type=click.DateTime(), help="Everything since then, by local time."
)
@json_option
@click.pass_obj
def undo_verb(face: Face, /, commit: str | None, as_json: bool, **more: Any) -> None:
    """Take back the last change, a COMMIT, a session's changes, an entry's last, or all since a moment.

    What was edited since is kept. An undo is a commit too: undo it again to redo.

    \b
    Example: memory-skill undo
    """
    if sum(bool(given) for given in (commit, *more.values())) > 1:
        raise UsageError("name one of COMMIT, --session, --entry, --since", hint="memory-skill undo --help")
    undone = face.memory().undo(commit, **more)
    if as_json:
        print_json(undone)
        return
    count = len(undone.commits)
    what = undone.commits[0] if count == 1 else f"{count} commits"
    result(f"Undid {what}{f' (commit {undone.commit})' if undone.commit else ''}.")
    for path in undone.kept:
        result(f"kept: {path} was edited since; decide with: memory-skill log {path}")


@click.command("log")
@click.argument("path", required=False)
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 10_000), help="Commits.")
@click.option("--session", metavar="ID", help="Only what this session wrote.")
@click.option("--verb", help="Only this verb: save, edit, forget, settle, undo ...")
@json_option
@click.pass_obj
def log_verb(
    face: Face, path: str | None, limit: int, session: str | None, verb: str | None, as_json: bool
) -> None:
    """Show who changed what, newest first.

    \b
    Example: memory-skill log knowledge/user.md
             git -C ~/.memory-skill diff refs/memory-skill/reviewed     # what you have not reviewed
    """
    commits = face.memory().log(limit=limit, path=path, session=session, verb=verb)
    if as_json:
        print_json({"commits": [item._asdict() for item in commits]})
        return
    for item in commits:
        host = item.trailers.get("Memory-Host", "")
        who = host or ("by hand" if item.trailers.get("Memory-Source") == "hand" else "")
        result(f"{item.id}  {item.time[:16].replace('T', ' ')}  {item.subject}{f'  ({who})' if who else ''}")
    if not commits:
        say("No commits.")


@click.command("status")
@click.option("--ledger", is_flag=True, help="What the memory costs, and which entries are recalled.")
@json_option
@click.pass_obj
def status_verb(face: Face, ledger: bool, as_json: bool) -> None:
    """Show counts, how full the index is, what waits, and when the hooks ran.

    \b
    Example: memory-skill status
             memory-skill status --ledger
    """
    memory = face.memory()
    if ledger:
        from .ledger import show

        show(memory.ledger(), as_json=as_json)
        return
    found = memory.status()
    if as_json:
        print_json(found)
        return
    if found.quiet:
        result(f"QUIET ({found.quiet}): nothing is journalled, saved or recalled here")
    total = sum(found.notes.values())
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.notes.items()))
    result(f"{found.home}  (scope here: {found.scope}, commits: {found.commit})")
    result(f"{total} notes: {kinds}" if total else "No notes yet.")
    fill = found.index
    result(f"index {fill['lines']}/{fill['max_lines']} lines, {fill['bytes']:,}/{fill['max_bytes']:,} bytes")
    told = (f"{one['name']} {one['value']:,} {one['unit']} ({one['level']})" for one in found.health)
    result(f"health: {', '.join(told)}")
    if found.vectors:
        result(
            "vectors: {engine}, {model}, {chunks:,} chunks, {bytes:,} bytes ({level})".format(**found.vectors)
        )
        if found.vectors["trouble"]:
            say(f"hint: {found.vectors['trouble']}")
    for count, what in (
        (found.inbox, "wait in the inbox: memory-skill inbox list"),
        (found.waiting_turns, "turns wait to be distilled: they are offered at the next attended start"),
        (found.unreviewed, "commits to look at: memory-skill review"),
        (found.doubted, "entries in doubt since another changed: memory-skill verdict"),
        (found.pending, "commits that git could not make yet: memory-skill settle"),
    ):
        if count:
            result(f"{count} {what}")
    if found.unsettled:
        result("edits that are not settled yet: memory-skill settle")
    if found.refused:
        rules = ", ".join(f"{rule} {count}" for rule, count in found.refused.items())
        result(f"refused by the gate so far: {rules}")
    for name, beat in found.heartbeats.items():
        trouble = f", failed {beat['failures']} times: {beat['trouble']}" if beat.get("failures") else ""
        result(f"hook {name}: last {beat['last'] or 'never'}, {beat['ms']} ms{trouble}")
    result(f"watch: running (pid {found.watch})" if found.watch else "watch: not running (nothing needs it)")
