"""Distilling a conversation unattended: a file of turns, a model that proposes, and the gate that decides."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import endpoint, gate, pack, saving, worth
from .distil import State
from .errors import NotFound, Refused, Unanswered, UsageError
from .here import Here
from .history import Origin
from .hosts import HOSTS
from .light import NamedTuple
from .note import SOURCES, TYPES
from .results import Saved
from .text import shorten, unfence

MAX_FILE = 200_000_000  # bytes
SLICE_CHARS = 24_000  # of the turns in one request
MESSAGE_CHARS = 8_000  # of one message in it; of a longer one the beginning
MAX_ENTRIES = 50  # of one answer


class Said(NamedTuple):
    """One turn of the file."""

    user: str
    reply: str


@dataclass(frozen=True)
class Proposed:
    """What the model proposed of the turns, and what became of it: see `Saved`; `would save` in a dry run."""

    text: str
    type: str
    outcome: str
    address: str | None = None
    rule: str | None = None
    hint: str | None = None


@dataclass(frozen=True)
class Distilled:
    """*turns* stand in the file; *requests* went to the model; *passed_over* are turns that hold nothing."""

    turns: int
    passed_over: int
    requests: int
    saved: int
    entries: tuple[Proposed, ...]


@dataclass(frozen=True)
class Due:
    """Where one session stands: turns *pending* past the mark, those of substance, whether they wait."""

    host: str
    session: str
    project: str
    pending: int
    matters: int
    waiting: bool
    since: int
    every: int


def due(here: Here) -> list[Due]:
    """The sessions with turns that no brief has shown, the one seen last first. Raises: NotFound."""
    here.must_exist()
    base, found = here.config.distil.every_turns, list[Due]()
    for one in here.sessions.all():
        state = State.load(one.distil)
        if state.pending:
            counts = len(state.pending), len(state.matters), state.waiting, state.since
            found.append(Due(one.host, one.session, one.project, *counts, state.every or base))
    return found


def run(
    here: Here,
    path: Path,
    *,
    scope: str | None = None,
    source: str = "agent-inferred",
    session: str | None = None,
    dry_run: bool = False,
) -> Distilled:
    """Let the configured model distil the conversation at *path*, and save what the gate lets in.

    Raises: NotFound, UsageError, Unanswered; what was saved before it stays.
    """
    here.must_speak()
    here.must_exist()
    if source not in SOURCES:
        raise UsageError(f"unknown source {source!r}", hint=f"one of {', '.join(SOURCES)}")
    endpoint.check(here.config, here.env)
    where = here.one_scope(scope) if scope else None
    host, turns = read(path)
    if session:
        here.as_session(Origin(host, session))
    kept = [one for one in turns if worth.of_turn(*one, here.config.gate).level > worth.NOTHING]
    entries, requests = list[Proposed](), 0
    for part in _slices(kept):
        try:
            proposed = _propose(here, part)
        except Unanswered as error:
            raise _after(error, entries) from error
        requests += 1
        entries += [_keep(here, one, where, source, dry_run) for one in proposed]
    saved = sum(one.outcome in ("saved", "updated", "would save") for one in entries)
    return Distilled(len(turns), len(turns) - len(kept), requests, saved, tuple(entries))


def _after(error: Unanswered, entries: Sequence[Proposed]) -> Unanswered:
    done = sum(one.outcome in ("saved", "updated") for one in entries)
    told = f" ({done} saved before it stay)" if done else ""
    return Unanswered(error.what + told, where=error.where, hint=error.hint)


# --- reading


def read(path: Path) -> tuple[str | None, list[Said]]:
    """The host whose transcript it is, None for a list of messages, and the turns.

    Raises: NotFound, UsageError when the file is neither.
    """
    hint = 'a JSON list of {"role", "content"}, or the transcript of a host'
    if not path.is_file():
        raise NotFound("no such file", where=str(path), hint=hint)
    if path.stat().st_size > MAX_FILE:
        raise UsageError(f"over {MAX_FILE:,} bytes", where=str(path), hint="split it")
    messages = _messages(path)
    if messages is not None:
        return None, list(_turns(messages))
    for host in HOSTS.values():
        heard = host.turns(path)[0]
        if heard:
            return host.NAME, [Said(one.user, one.assistant) for one in heard if one.assistant]
    raise UsageError("holds no conversation that we can read", where=str(path), hint=hint)


def _messages(path: Path) -> list[Any] | None:
    with path.open("rb") as file:
        if not file.read(64).lstrip().startswith(b"["):
            return None
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise UsageError(f"is no JSON: {error}", where=str(path), hint="mend the file") from error
    if not isinstance(found, list) or not all(isinstance(one, dict) and "role" in one for one in found):
        raise UsageError("is no list of messages", where=str(path), hint='[{"role": "user", "content": "…"}]')
    return found


def _turns(messages: Sequence[Mapping[str, Any]]) -> Iterator[Said]:
    """A user's messages and the last reply to them; what tools and system prompts say is left out."""
    user, reply = list[str](), ""
    for one in messages:
        text = _text(one.get("content"))
        if one["role"] == "user" and text:
            if reply:
                yield Said("\n".join(user), reply)
                user, reply = [], ""
            user.append(text)
        elif one["role"] == "assistant" and text and user:
            reply = text
    if reply:
        yield Said("\n".join(user), reply)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = (one.get("text") for one in parts if isinstance(one, dict) and one.get("type") == "text")
    return "\n".join(text for text in texts if isinstance(text, str)).strip()


# --- asking


def _slices(turns: Sequence[Said]) -> Iterator[list[Said]]:
    """The turns in order, as many at a time as fit into a request; one alone always does."""
    part, size = list[Said](), 0
    for one in turns:
        cut = Said(shorten(one.user, MESSAGE_CHARS), shorten(one.reply, MESSAGE_CHARS))
        length = len(cut.user) + len(cut.reply)
        if part and size + length > SLICE_CHARS:
            yield part
            part, size = [], 0
        part.append(cut)
        size += length
    if part:
        yield part


def _propose(here: Here, turns: Sequence[Said]) -> list[dict[str, Any]]:
    """What the model would keep of *turns*, which leave this process without secrets."""
    said = "\n\n".join(f"user: {one.user}\nreply: {one.reply}" for one in turns)
    law = pack.render("templates/distil.md", types=", ".join(TYPES))
    answer = endpoint.ask(here.config, here.env, law, unfence(gate.redact(said).text))
    return _parsed(answer)


def _parsed(answer: str) -> list[dict[str, Any]]:
    """The entries of an answer, words around the list are let pass. Raises: Unanswered for anything else."""
    start, end = answer.find("["), answer.rfind("]")
    try:
        found = json.loads(answer[start : end + 1]) if 0 <= start < end else None
    except ValueError:
        found = None
    if not isinstance(found, list):
        what = f"the model answered no JSON list: {shorten(' '.join(answer.split()), 80)!r}"
        raise Unanswered(what, hint="another model, or see what distil.command prints")
    return [one for one in found if isinstance(one, dict) and isinstance(one.get("text"), str)][:MAX_ENTRIES]


# --- keeping


def _keep(here: Here, one: Mapping[str, Any], scope: str | None, source: str, dry_run: bool) -> Proposed:
    """One proposal through the gate; a model's own word decides about nothing but the text and its type."""
    text, kind = one["text"].strip(), str(one.get("type"))
    if kind not in TYPES:
        return Proposed(text, kind, "refused", None, "type", f"one of {', '.join(TYPES)}")
    why, how = (value if isinstance(value := one.get(key), str) else None for key in ("why", "how"))
    try:
        wanted = saving.draft(
            text, kind, source, name=None, description=None, why=why, how=how, pin=False
        )._replace(scope=scope)
        found = _tried(here, wanted) if dry_run else saving.save(here, wanted)
    except Refused as error:
        return Proposed(text, kind, "refused", None, error.rule, error.hint)
    except UsageError as error:
        return Proposed(text, kind, "refused", None, "usage", error.what)
    return Proposed(text, kind, found.outcome, found.address or found.inbox, found.rule, found.hint)


def _tried(here: Here, wanted: saving.Draft) -> Saved:
    """What a save would answer, as far as the gate alone can tell. Raises: Refused."""
    kind = wanted.meta["type"]
    by = gate.Candidate(wanted.body, type=kind, source=wanted.meta["source"], by="assistant")
    where = here.scope_of_new(wanted.scope, kind)
    try:
        gate.admit(by, knobs=here.config.gate)
    except gate.Doubted as error:
        return Saved(None, where, "would wait", error.rule, error.hint)
    return Saved(None, where, "would save")
