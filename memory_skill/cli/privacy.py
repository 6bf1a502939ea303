"""The verbs by which a person keeps the memory out of something: off, on, incognito, ignore."""

from __future__ import annotations

import os

import click

from .. import privacy
from ..config import cwd_of
from ..errors import UsageError
from .common import Face, json_option, print_json, result, say


@click.command("off")
@json_option
@click.pass_obj
def off_verb(face: Face, as_json: bool) -> None:
    """Switch the memory off: nothing is journalled, saved or recalled until `memory-skill on`.

    \b
    Example: memory-skill off
    """
    _switch(face, "off", "The memory is off; memory-skill on switches it on again.", as_json)


@click.command("on")
@json_option
@click.pass_obj
def on_verb(face: Face, as_json: bool) -> None:
    """Switch the memory on again; what was said while it was off stays unknown.

    \b
    Example: memory-skill on
    """
    _switch(face, "on", "The memory is on.", as_json)


def _switch(face: Face, state: str, said: str, as_json: bool) -> None:
    if state == "on":
        face.memory().must_be_a_person("memory-skill on")
    changed = privacy.switch(os.environ, state)
    if as_json:
        print_json({"memory": state, "changed": changed})
        return
    result(said)
    if state == "off" and face.memory().config.claude.mode == "adopt":
        say("hint: Claude Code itself goes on to read MEMORY.md; it has a switch of its own, /memory")


@click.command("incognito")
@click.option("--end", is_flag=True, help="What is said from here on may be kept again.")
@click.option("--session", metavar="ID", help="Another session than the one that this runs in.")
@json_option
@click.pass_obj
def incognito_verb(face: Face, end: bool, session: str | None, as_json: bool) -> None:
    """Keep nothing of this session from here on: no journal, no saving, no recall.

    \b
    Example: memory-skill incognito
    """
    name = face.memory().incognito(session, on=not end)
    if as_json:
        print_json({"session": name, "incognito": not end})
        return
    result(f"Session {name} is {'no longer ' if end else ''}incognito.")


@click.command("ignore")
@click.argument("glob", required=False)
@click.option("--remove", is_flag=True, help="Take GLOB back.")
@click.option("--list", "listed", is_flag=True, help="Show what is ignored.")
@json_option
@click.pass_obj
def ignore_verb(face: Face, glob: str | None, remove: bool, listed: bool, as_json: bool) -> None:
    """Keep out of the folders that GLOB means, and of all below; without a slash it is a folder's name.

    \b
    Example: memory-skill ignore "~/work/acme-*"
             memory-skill ignore --list
    """
    if glob and not listed:
        if remove:
            face.memory().must_be_a_person(f"memory-skill ignore --remove {glob}")
        (privacy.heed if remove else privacy.ignore)(os.environ, glob)
    elif remove or not listed:
        raise UsageError("which folders?", hint='memory-skill ignore "~/work/acme-*", or --list')
    known = list(face.memory().config.privacy.ignore)
    if as_json:
        here = next((one for one in known if privacy.matches(one, cwd_of(os.environ))), None)
        print_json({"ignored": known, "here": here})
        return
    for one in known:
        result(one)
    if not known:
        say("Nothing is ignored.")
