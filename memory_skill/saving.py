"""Adding one entry as a note of its own: from what was said to a file that nothing else has named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from . import beside, doubts, fields, gate, inbox, note
from .comparing import statement
from .editing import told
from .errors import Conflict, Refused, UsageError
from .gate import Beside
from .here import Here
from .light import NamedTuple
from .note import SOURCES, TYPES, entry_ids, format_note, scope_of
from .reconcile import Match, Update, differs, is_about, nearest, replaced
from .refusals import Refusals
from .results import Saved
from .rules import CAUSED
from .text import normalise, one_line, slug
from .write import becomes, group_of_scope, message


class Contradicts(gate.Doubted):
    """The new entry says the opposite of one that stands there."""

    def __init__(self, match: Match) -> None:
        super().__init__(f"contradicts {match.quoted}", rule="contradicts", where=match.address)
        self.match = match


class Draft(NamedTuple):
    """A note that asks to be saved. *to* names its file instead of *stem*; *again*: though it was forgotten
    once; *moved*: it was a memory elsewhere, so that only the safety rules hold."""

    stem: str
    description: str
    body: str
    meta: dict[str, str]
    scope: str | None = None
    to: str | None = None
    again: bool = False
    moved: bool = False
    named: bool = False  # the caller chose the name: a note that has it is the one that is meant
    described: bool = False  # and wrote the description

    def note(self, body: str, stem: str | None = None) -> str:
        """The note's text with *body*, as it passed the gate."""
        name = note.stem_of(self.to) if self.to else stem or self.stem
        meta = {} if self.to and self.to.startswith("skills/") else self.meta
        return format_note(name, self.description, body, meta)


def draft(
    text: str,
    type: str,
    source: str,
    *,
    name: str | None,
    description: str | None,
    why: str | None,
    how: str | None,
    pin: bool,
) -> Draft:
    """What was said, as a note. Raises: UsageError for an unknown type or source, or an empty name."""
    if type not in TYPES:
        raise UsageError(f"unknown type {type!r}", hint=f"one of {', '.join(TYPES)}")
    if source not in SOURCES:
        raise UsageError(f"unknown source {source!r}", hint=f"one of {', '.join(SOURCES)}")
    body = _compose(text, why, how)
    line = _told(description, body)
    meta = _meta(type, source) | ({"pin": "true"} if pin else {})
    stem = _stem(name or slug(line) or type)
    return Draft(stem, line, body, meta, named=name == stem, described=bool(description))


def draft_of_note(raw: str, to: str | None) -> Draft:
    """A whole note as it came. Raises: NoteError, UsageError when its header names no type."""
    found = note.parse(raw, to or "stdin.md")
    if not (found.typed or to):
        hint = f"metadata: type: one of {', '.join(TYPES)}"
        raise UsageError("the note's header names no type", hint=hint)
    line = _told(found.description, found.body)
    stem = _stem(found.name if found.name != "stdin" else slug(line) or found.type)
    meta = fields.normalised(_meta(found.type, "user-said") | found.meta)
    return Draft(stem, line, found.body, meta, named=found.name == stem, described=bool(found.description))


def _meta(kind: str, source: str) -> dict[str, str]:
    return {"type": kind, "source": source, "created": date.today().isoformat()}


def save(here: Here, wanted: Draft) -> Saved:
    """Let *wanted* through the gate, and write it where it belongs. A refusal is an outcome."""
    if wanted.to and wanted.to.startswith("skills/"):
        return put(here, wanted.to, wanted.note(wanted.body), entry_ids(wanted.body), wanted.again)
    here.writer.ready()
    here.must_speak()
    wanted = wanted._replace(meta=here.signature() | wanted.meta)
    kind = wanted.meta["type"]
    where = scope_of(here.writable(wanted.to)) if wanted.to else here.scope_of_new(wanted.scope, kind)
    meant = None if wanted.to or wanted.moved else _meant(here, wanted, where)
    near = _near(here, wanted, where)
    try:
        passed = _admitted(
            here, wanted, [one for one in near if meant is None or one.address != meant.address]
        )
        if wanted.again and here.origin.host and here.tombs().intersection(entry_ids(passed.text)):
            raise gate.Doubted("was forgotten on request", rule="forgotten")
        match = meant or _met(here, wanted, passed.text, near)
    except Refused as error:
        Refusals(here.tree.state).count(error.rule)
        if isinstance(error, gate.Doubted):
            return _hold(here, wanted, where, error)
        return Saved(None, where, "refused", error.rule, error.hint)
    if wanted.to:
        return put(here, wanted.to, wanted.note(passed.text), entry_ids(wanted.body), wanted.again)
    return _update(here, wanted, where, passed, match) if match else _add(here, wanted, where, passed)


def _meant(here: Here, wanted: Draft, where: str) -> Match | None:
    """The note that has the name which the caller chose, if it is about the same: that is a correction."""
    path = f"{folder_of(where, wanted.meta['type'])}/{wanted.stem}.md"
    raw = here.tree.read_or_none(path) if wanted.named else None
    found = note.skim(raw, path) if raw else None
    if found is None or len(found.entries) != 1 or found.entries[0].address != path:
        return None
    return Match(path, found.body, "contradicts") if is_about(wanted.body, found.body) else None


def _met(here: Here, wanted: Draft, body: str, near: Sequence[Beside]) -> Match | None:
    """The entry of the same subject that *body* tells more of. Raises: Contradicts for one that it denies."""
    match = nearest(body, near)
    if match is None or wanted.to:
        return None
    if match.relation == "contradicts":
        raise Contradicts(match)
    path = match.address.partition("#")[0]
    raw = here.tree.read_or_none(path)
    same_type = raw is not None and note.skim(raw, path).type == wanted.meta["type"]
    return match if same_type else None


def _near(here: Here, wanted: Draft, where: str) -> list[Beside]:
    """The entries that the new one is compared with; none where the rules of quality do not hold."""
    if wanted.moved or _pinned(wanted) or wanted.meta.get("source") == "tool-output":
        return []
    same = set(entry_ids(wanted.body))  # those are unchanged, not refused
    found = beside.entries(wanted.body, where, here.writer)
    return [] if any(one.text and note.entry_id(one.text) in same for one in found) else found


def _pinned(wanted: Draft) -> bool:
    return wanted.meta.get("pin", "").lower() == "true"


def _admitted(here: Here, wanted: Draft, near: Sequence[Beside]) -> gate.Passed:
    """The body as the gate lets it in. Raises: Refused, Doubted."""
    wrong = {} if wanted.moved else fields.wrong(wanted.meta)
    if wrong:
        raise gate.Doubted("; ".join(wrong.values()), rule="header", hint="say what is meant")
    source = wanted.meta.get("source", "")
    candidate = gate.Candidate(
        wanted.body,
        type=wanted.meta["type"],
        source=source,
        by="assistant" if source == "agent-inferred" else "user",
        pinned=wanted.moved or _pinned(wanted),
        confidence=wanted.meta.get("confidence", "").lower(),
    )
    if candidate.pinned or source == "tool-output":
        return gate.admit(candidate, knobs=here.config.gate)
    given = beside.instructions(here.writer, here.cwd)
    return gate.admit(candidate, knobs=here.config.gate, beside=near, instructions=given)


def _add(here: Here, wanted: Draft, where: str, passed: gate.Passed) -> Saved:
    """Write a new file, unless the scope holds every entry of it already."""
    kind, ids = wanted.meta["type"], set(entry_ids(passed.text))
    folder = folder_of(where, kind)
    with here.writer.hold():
        if not wanted.again and ids & here.tombs():
            return _buried(where)
        known = here.writer.known([where])
        same = next((path for path, item in known.items() if ids <= set(item.ids)), None)
        if same:
            return Saved(same, where, "unchanged")
        stem = unused(wanted.stem, (path.stem for path in (here.tree.home / folder).glob("*.md")))
        path = f"{folder}/{stem}.md"
        new = {path: becomes(wanted.note(passed.text, stem).encode("utf-8"), None)}
        body = f"{wanted.description}\n\nScope: {where}."
        said = message("save", path, body, here.origin, wanted.meta.get("source", ""))
        done = here.writer.change(new, said, also=here.claim(where))
    here.count_save()
    taken = None if stem == wanted.stem else f"{folder}/{wanted.stem}.md"
    hint = done.warning or _advice(kind, passed, taken)
    return Saved(path, where, "saved", None, hint, None, done.commit)


def _update(here: Here, wanted: Draft, where: str, passed: gate.Passed, match: Match) -> Saved:
    """Put the new text in the place of the entry that it refines or corrects."""
    path = match.address.partition("#")[0]
    with here.writer.hold():
        if not wanted.again and set(entry_ids(passed.text)) & here.tombs():
            return _buried(where)
        before = here.tree.read(path)
        if note.entry_id(passed.text) in entry_ids(note.skim(before, path).body):
            return Saved(path, where, "unchanged")
        changed = differs(match.text, passed.text)
        source = wanted.meta.get("source", "")
        update = Update(passed.text, wanted.description, wanted.described, source, changed)
        raw = replaced(before, path, match.address, update)
        said = message("save", match.address, told(match.text, passed.text), here.origin, source)
        done = here.writer.change({path: becomes(note.encode(raw, before), before)}, said)
        doubted = doubts.flag(here.writer, path, match.text, passed.text)
    here.count_save()
    masked = _advice("", passed, None)
    hint = f"it took the place of what {match.quoted} said; memory-skill undo brings that back"
    hint = doubts.told(doubted) or hint
    return Saved(path, where, "saved", None, done.warning or masked or hint, None, done.commit, doubted)


def put(here: Here, to: str, raw: str, ids: Sequence[str], again: bool) -> Saved:
    """Write a new file at a path that the caller chose. Raises: Conflict when it is there already."""
    here.must_speak()
    path = here.writable(to)
    where = scope_of(path)
    try:
        passed = gate.check(raw, here.config.gate, where=path)
    except Refused as error:
        Refusals(here.tree.state).count(error.rule)
        return Saved(None, where, "refused", error.rule, error.hint)
    with here.writer.hold():
        before = here.tree.read_or_none(path)
        if before is not None and before.decode("utf-8", "replace") == passed.text:
            return Saved(path, where, "unchanged")
        if before is not None:
            hint = f"change it: memory-skill edit {path} --old OLD --new NEW"
            raise Conflict("is there already", where=path, hint=hint)
        if not again and here.tombs().intersection(ids):
            return _buried(where)
        said = message("save", path, f"Scope: {where}.", here.origin)
        new = {path: becomes(passed.text.encode("utf-8"), None)}
        done = here.writer.change(new, said, also=here.claim(where))
    here.count_save()
    return Saved(path, where, "saved", None, done.warning, None, done.commit)


def _hold(here: Here, wanted: Draft, where: str, doubt: gate.Doubted) -> Saved:
    """Put it into the inbox, with the reason and where it would go."""
    folder = folder_of(where, wanted.meta["type"])
    met = doubt.match if isinstance(doubt, Contradicts) else None
    head: Mapping[str, str] = {
        "evidence": f"now: {one_line(statement(wanted.body))} - before: {one_line(statement(met.text))}"
        if met
        else "",
        "against": met.address if met else "",
        "to": wanted.to or f"{folder}/{wanted.stem}.md",
        "type": wanted.meta["type"],
        "scope": where,
        "host": here.origin.host or "",
        "session": here.origin.session or "",
    }
    raw = wanted.note(gate.redact(wanted.body).text)
    with here.writer.hold():
        day = date.today().isoformat()
        item = inbox.held(here.tree, wanted.stem, doubt.what, raw, day=day, **head)
        said = message("hold", item.path, doubt.what, here.origin, wanted.meta.get("source", ""))
        done = here.writer.change({item.path: becomes(inbox.form(item).encode("utf-8"), None)}, said)
    ask = f"ask, then: memory-skill inbox accept {item.id}"
    if met:
        name = note.stem_of(met.address.partition("#")[0])
        ask += f" (replaces it), or with --both; if the user said that it changed: save it with --name {name}"
    hint = f"it waits for the user as {item.id} ({doubt.what}); {ask}"
    return Saved(None, where, "held", doubt.rule, hint, item.path, done.commit)


# --- names and words


def folder_of(where: str, kind: str) -> str:
    """The folder of a scope's notes of one type."""
    return group_of_scope(where) or f"knowledge/{kind}"


def unused(stem: str, taken: Iterable[str]) -> str:
    """*stem*, or with the first number that no name of *taken* has, case and Unicode form aside."""
    names = {normalise(name) for name in taken}
    if normalise(stem) not in names:
        return stem
    return next(name for n in range(2, 1_000_000) if normalise(name := f"{stem}-{n}") not in names)


def _stem(name: str) -> str:
    stem = slug(gate.redact(name).text.removesuffix(".md"), limit=80)
    if not stem or not re.fullmatch(r"[\w.-]{1,80}", stem):
        raise UsageError(f"the name {name!r} has no letter and no digit", hint="give --name a word or two")
    return stem


def _compose(text: str, why: str | None, how: str | None) -> str:
    """The body of a note: the statement, then why it holds and how to apply it."""
    given = (("Why", why), ("How to apply", how))
    reasons = [f"**{label}:** {reason.strip()}" for label, reason in given if reason]
    return "\n\n".join(part for part in (text.strip(), "\n".join(reasons)) if part)


def _told(description: str | None, body: str) -> str:
    """The description given, else one made of the body; masked before it is cut, or half a key is left."""
    return gate.redact(description or "").text or note.describe(gate.redact(body).text)


def _buried(where: str) -> Saved:
    hint = "it was forgotten on request; if the user asks for it anew: save --again"
    return Saved(None, where, "refused", "forgotten", hint)


def _advice(kind: str, passed: gate.Passed, taken: str | None) -> str | None:
    """What would make the entry better, in one line."""
    if passed.masked:
        return f"a secret in it was masked ({', '.join(passed.masked)})"
    if taken:
        return f"{taken} has that name already; if this corrects it, edit that one and forget this"
    if kind == "lesson" and not CAUSED.search(passed.text):
        return "a lesson needs symptom and cause: say why it happened"
    if kind in ("feedback", "project") and "**Why:**" not in passed.text:
        return "say why (--why) and how to apply it (--how): the rule alone is soon misread"
    return None
