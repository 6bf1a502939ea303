"""What may enter: the ordered chain of rules, cheapest first, for every entrance and for settle.

Pure; answers with the text, its secrets masked, or raises the refusal that names the rule. The safety rules
(empty, size, hidden-text, secret) hold everywhere; the quality rules give way to `--pin` and to imports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from . import rules, secrets
from .config import GateKnobs
from .errors import Refused
from .light import NamedTuple

Passed = secrets.Redacted
RULES = frozenset({"feedback", "lesson", "skill"})  # types whose notes tell an agent what to do


SHORTEST_FACT = 4  # characters: "Name: Ada" says all there is to say of a user


class Doubted(Refused):
    """Nothing is wrong with the text that a person could not settle: it waits in the inbox."""


class Candidate(NamedTuple):
    """A text that asks to be let in. *by*: who said it, `user` or `assistant`; *kind*: `entry` or `turn`."""

    text: str
    type: str = "reference"
    source: str = "user-said"
    kind: str = "entry"
    by: str = "user"
    pinned: bool = False
    confidence: str = ""
    where: str | None = None


class Beside(NamedTuple):
    """A text that is there already, and where."""

    address: str
    text: str


def redact(text: str) -> Passed:
    """*text* with every secret masked whole, no tail left."""
    return secrets.redact(text)


def check(text: str, knobs: GateKnobs, *, where: str | None = None) -> Passed:
    """*text* if the safety rules let it in, its secrets masked.

    Raises: Refused by `empty`, `text`, `size`, `hidden-text`, or `secret` (when there is little else).
    """
    if not text.strip():
        raise Refused("there is no text", rule="empty", where=where, hint='say what to remember: save "…"')
    if "\x00" in text or any(0xD800 <= ord(c) < 0xE000 for c in text):
        what = "holds NUL characters, or bytes that are no UTF-8"
        raise Refused(what, rule="text", where=where, hint="give it as plain UTF-8 text")
    if len(text) > knobs.max_chars:
        raise Refused(
            f"{len(text):,} characters, at most {knobs.max_chars:,}",
            rule="size",
            where=where,
            hint="save what matters of it, or split it into several notes",
        )
    hidden = rules.hidden(text)
    if hidden:
        raise Refused(
            f"holds {hidden} that nobody can see",
            rule="hidden-text",
            where=where,
            hint="copy only what is visible, or type it anew",
        )
    passed = redact(text)
    if passed.masked and not _says_anything(passed.text):
        raise Refused(
            f"holds a secret ({', '.join(passed.masked)}) and little else",
            rule="secret",
            where=where,
            hint="say where the secret is kept, not what it is",
        )
    return passed


def admit(
    candidate: Candidate,
    *,
    knobs: GateKnobs,
    beside: Sequence[Beside] = (),
    instructions: Sequence[Beside] = (),
) -> Passed:
    """The text of *candidate* if every rule lets it in, its secrets masked.

    *beside*: the nearest entries of the scope; *instructions*: AGENTS.md and the project's own such files.
    Raises: Refused with the rule's name and what to do, Doubted for what a person should look at.
    """
    passed = check(candidate.text, knobs, where=candidate.where)
    if candidate.source == "tool-output":
        raise Doubted("what a tool said", rule="tool-output", hint="it waits for a person in the inbox")
    if not candidate.pinned:
        for rule in _CHAIN:
            rule(candidate, passed.text, knobs)
        _repeated(candidate, passed.text, knobs, beside, instructions)
    return passed


def admit_part(text: str, type: str, knobs: GateKnobs, *, where: str) -> None:
    """The rules of quality for a part of a note that an agent writes by `edit`.

    AGENTS.md, skills and summaries are made of rules and of news; there only what turns an agent against its
    user is refused. Raises: Refused.
    """
    free = where == "AGENTS.md" or type in ("skill", "summary")
    candidate = Candidate(text, type="feedback" if free else type)
    for rule in (_instruction,) if free else (_question, _instruction, _temporary):
        try:
            rule(candidate, text, knobs)
        except Refused as error:
            hint = f"save it as a note of its own: {error.hint}" if isinstance(error, Doubted) else error.hint
            raise Refused(error.what, rule=error.rule, where=where, hint=hint) from error


def _says_anything(text: str) -> bool:
    rest = re.sub(r"\[(?:secret: [a-z0-9-]+|private)\]", "", text)
    return rules.units("".join(c for c in rest if c.isalnum())) >= 12  # `password` alone says nothing


# --- the quality rules, cheapest first

Rule = Callable[[Candidate, str, GateKnobs], None]


def _length(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    least = knobs.min_turn_chars if candidate.kind == "turn" else knobs.min_chars
    if candidate.kind == "entry" and candidate.type == "user":
        least = min(least, SHORTEST_FACT)
    if rules.units(text) < least:
        raise Refused(
            f"too short to be understood later ({least} characters at least)",
            rule="length",
            hint="say it as one whole sentence: who or what, and what holds",
        )


def _question(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    if candidate.kind == "entry" and rules.is_question(text):
        raise Refused("is a question", rule="question", hint="save the answer, as a statement")


def _temporary(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    found = rules.temporary(text) if candidate.kind == "entry" else None
    if found:
        raise Refused(
            f"{found!r} will not be true for long",
            rule="temporary",
            hint="write the date (2026-11-30) or what lasts of it; --pin keeps it as it is",
        )


def _footnotes(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    if candidate.by == "assistant" and rules.footnote_share(text) * 100 > knobs.max_footnotes:
        raise Refused("is footnotes for the most part", rule="footnotes", hint="say what they are about")


def _code(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    if candidate.by == "assistant" and rules.code_share(text) * 100 > knobs.max_code:
        raise Refused("is code for the most part", rule="code", hint="the repository keeps code; say the why")


def _instruction(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    found = rules.takeover(text) if candidate.kind == "entry" else None
    if found:
        raise Doubted(f"tells an agent to {found}", rule="instruction", hint="the user decides in the inbox")
    if candidate.kind == "entry" and candidate.type not in RULES and rules.is_imperative(text):
        raise Refused(
            f"gives an order, which a {candidate.type} note does not do",
            rule="imperative",
            hint="if the user set this rule: --type feedback --why WHY (--scope project for this project "
            "only); else say what is so",
        )


def _doubtful(candidate: Candidate, text: str, knobs: GateKnobs) -> None:
    if candidate.confidence == "low":
        raise Doubted("its confidence is low", rule="low-confidence", hint="ask the user")
    if candidate.source == "agent-inferred" and rules.is_proposal(text):
        raise Doubted("a proposal that nobody confirmed", rule="unconfirmed", hint="ask the user, then save")


_CHAIN: tuple[Rule, ...] = (_length, _question, _footnotes, _code, _instruction, _temporary, _doubtful)


def _repeated(
    candidate: Candidate,
    text: str,
    knobs: GateKnobs,
    beside: Sequence[Beside],
    instructions: Sequence[Beside],
) -> None:
    known = next((one for one in instructions if rules.stands_in(text, one.text)), None)
    if known:
        raise Refused(
            f"stands in {known.address} already", rule="known", where=known.address, hint="nothing to do"
        )
    near = rules.nearest_repeat(text, [one.text for one in beside], knobs.duplicate / 100)
    if near is not None:
        raise Refused(
            "says what is remembered already",
            rule="duplicate",
            where=beside[near].address,
            hint=f"change it instead: memory-skill edit {beside[near].address} --old OLD --new NEW",
        )
