"""Summaries of sessions, `summaries/YYYY/MM-DD-<slug>.md`: recalled like notes, listed in no index.

One a session: a later one takes the place of the earlier, so that a session asked twice leaves no twins.
"""

from __future__ import annotations

from datetime import date
from itertools import islice

from . import gate, note
from .errors import Refused, UsageError
from .here import Here
from .refusals import Refusals
from .results import Saved
from .saving import unused
from .text import slug
from .write import becomes, message

KIND = "summary"  # what `save --type` calls it, beside the types of notes
FOLDER = "summaries"
MAX_STEM = 60  # characters of a title in a file's name
LOOKED_AT = 200  # newest summaries among which one of the same session is looked for


def save(here: Here, text: str, *, name: str | None = None, description: str | None = None) -> Saved:
    """Keep *text* as the summary of this session, or of today. A refusal is an outcome.

    Only the safety rules of the gate hold: what happened lately is what a summary is about.
    Raises: UsageError for an empty text.
    """
    here.writer.ready()
    here.must_speak()
    if not text.strip():
        raise UsageError("the summary is empty", hint='memory-skill save "TEXT" --type summary')
    try:
        body = gate.check(text.strip(), here.config.gate, where=FOLDER).text
    except Refused as error:
        Refusals(here.tree.state).count(error.rule)
        return Saved(None, "global", "refused", error.rule, error.hint)
    told = gate.redact(description or "").text or note.describe(body)
    with here.writer.hold():
        if here.tombs().intersection(note.entry_ids(body)):
            hint = "it was forgotten on request; write it without what the user wanted forgotten"
            return Saved(None, "global", "refused", "forgotten", hint)
        path, before = _place(here, gate.redact(name or "").text or told)
        raw = note.format_note(note.stem_of(path), told, body, _meta(here)).encode("utf-8")
        said = message("save", path, told, here.origin)
        done = here.writer.change({path: becomes(raw, before)}, said)
    outcome = "saved" if done.paths else "unchanged"
    return Saved(path, "global", outcome, None, done.warning, None, done.commit)


def _meta(here: Here) -> dict[str, str]:
    """No `type`: the folder tells it. The project only says where it was; the scope is global."""
    return {"source": "agent-inferred", "created": date.today().isoformat(), "project": here.project} | (
        here.signature()
    )


def _place(here: Here, title: str) -> tuple[str, bytes | None]:
    """The file of this session's summary and its bytes; a new one, named by day and title, if it has none."""
    session = here.origin.session
    newest = sorted((stat.path for stat in here.tree.walk(FOLDER)), reverse=True)
    for path in islice(newest if session else (), LOOKED_AT):
        raw = here.tree.read(path)
        if note.skim(raw, path).meta.get("session") == session:
            return path, raw
    day = date.today()
    folder = f"{FOLDER}/{day:%Y}"
    stem = f"{day:%m-%d}-{slug(title, limit=MAX_STEM) or 'session'}"
    taken = (path.stem for path in (here.tree.home / folder).glob("*.md"))
    return f"{folder}/{unused(stem, taken)}.md", None
