"""What is put before the model: the first and the second block, what a prompt recalls, the brief."""

from __future__ import annotations

from pathlib import Path

from . import distil, opening
from .calls import Call, scope_of, scopes_of, search_of, state_of
from .hosts.base import units
from .journal import Journal, Turn
from .sessions import Session
from .text import estimate_tokens, one_line, shorten
from .tree import digest

SECOND_CHARS = 2500  # of the second block, where the host sets no limit
RECALL_SHARE = 700  # characters of a host's limit that the second block leaves to recall
MIN_RECALL = 200  # characters; less room holds no entry
NEAREST = 5  # notes named in the brief


def first(call: Call, record: Session) -> str:
    """The first block; a part that cannot be had is left out."""
    pins, limit = "", call.host.CONTEXT_UNITS
    with call.attempt("pinned"):
        pins = _pinned(call, record)
    return opening.first(
        call.tree,
        call.env,
        record.project,
        pins,
        with_index=not call.host.reads_index(call.env, record.root, call.tree.home),
        fits=lambda text: limit is None or units(text) <= limit,
    )


def after_compaction(call: Call, record: Session, block: str) -> str:
    """The first block and the task at hand: a compaction in the midst of a turn sees no prompt for long."""
    text = ""
    with call.attempt("working"):
        text = task(call, record, SECOND_CHARS)
    whole = f"{block}\n\n{text}" if text else block
    limit = call.host.CONTEXT_UNITS
    if limit is not None and units(whole) > limit:
        record.task = ""  # the next prompt brings it
        return block
    return whole


def _pinned(call: Call, record: Session, most: int | None = None) -> str:
    """What is pinned; recall need not repeat it in this session."""
    from .recall import pinned, render_pinned
    from .resident import named

    found = pinned(
        scopes_of(record), tree=call.tree, search=search_of(call), config=call.config, max_chars=most
    )
    for hit in found.hits:
        record.show(hit.address, digest(hit.text.encode()))
    return "\n\n".join(filter(None, (render_pinned(found), named(list(found.omitted)))))


def recalled(call: Call, record: Session, before: list[str]) -> str:
    """The rendered entries that fit beside *before* and that this session has not seen in this wording."""
    from .recall import recall, render

    room = call.config.recall.prompt_chars
    if call.host.PROMPT_CHARS is not None:
        room = min(room, call.host.PROMPT_CHARS - sum(len(part) + 2 for part in before if part))
    most = call.config.recall.session_tokens
    if room < MIN_RECALL or (most and record.tokens >= most):
        call.why = "no room" if room < MIN_RECALL else "session_tokens are spent"
        return ""
    if call.config.review.gate != "off":
        from .inbox import barrier

        closed = barrier(call.tree, call.config.review.gate)
        if closed:
            call.why = closed
            return f"memory-skill recalls nothing: {closed}"
    found = recall(
        call.event.prompt,
        scopes_of(record),
        tree=call.tree,
        search=search_of(call),
        config=call.config,
        limit=call.config.recall.limit,
        max_chars=room,
        shown=record.shown,
    )
    seen = {hit.address: digest(hit.text.encode()) for hit in found.hits}
    hits = tuple(hit for hit in found.hits if record.shown.get(hit.address) != seen[hit.address])
    text = render(found._replace(hits=hits), room) if hits else ""
    tokens = estimate_tokens(text)
    if not text or (most and record.tokens + tokens > most):
        call.why = "session_tokens are spent" if text else found.reason or "all of it is shown already"
        return ""
    record.tokens += tokens
    call.shown = [hit.address for hit in hits]
    for hit in hits:
        record.show(hit.address, seen[hit.address])
    return text


def brief(call: Call, record: Session) -> tuple[str, tuple[str, ...]]:
    """The brief over the turns past the mark, and which of them it shows; ("", ()) if it cannot be made."""
    with call.attempt("brief"):
        journal, state = Journal(call.tree), state_of(record)
        turns, near = journal.find(state.pending), list[dict[str, str]]()
        with call.attempt("nearest"):
            near = _nearest(call, record, turns)
        return distil.brief(
            turns,
            near,
            home=Path(opening.shown(call.tree.home, call.env)),
            command=opening.command(call.env),
            scope=scope_of(record),
            session=record.session,
            before=_before(journal, turns[0]) if turns else "",
            summary=state.total if state.wants_summary else 0,
        )
    return "", ()


def _before(journal: Journal, turn: Turn) -> str:
    """The turn of its session before *turn*, which a brief names that cannot quote *turn* whole."""
    if len(turn.user) + len(turn.assistant) < distil.TURN_CHARS:
        return ""
    ids = [one.id for one in journal.turns() if one.session == turn.session]
    place = ids.index(turn.id)
    return ids[place - 1] if place else ""


def _nearest(call: Call, record: Session, turns: list[Turn]) -> list[dict[str, str]]:
    """Existing notes that lie next to these turns, so that the agent mends them instead of adding twins."""
    from .recall import recall

    said = "\n".join(f"{turn.user}\n{turn.assistant}" for turn in turns)
    found = recall(
        said,
        scopes_of(record),
        tree=call.tree,
        search=search_of(call),
        config=call.config,
        limit=NEAREST,
        abstain=False,
    )
    return [{"address": hit.address, "description": shorten(one_line(hit.text), 120)} for hit in found.hits]


def second(call: Call, record: Session) -> str:
    """Notices, the task at hand, the project where the host cannot speak at its start, turns that wait."""
    limit = call.host.PROMPT_CHARS
    room = SECOND_CHARS if limit is None else limit - RECALL_SHARE
    parts = [opening.notices(_notices(call, record))]
    if record.news:
        parts.append(opening.news(record.news))
        record.news = ""
    with call.attempt("working"):
        parts.append(task(call, record, room - sum(len(part) + 2 for part in parts)))
    if not call.host.SPEAKS_AT_START:
        rest = room - sum(len(part) + 2 for part in parts)
        parts.append(opening.project_part(call.tree, record.project, _pinned(call, record, rest // 2), rest))
    rest = room - sum(len(part) + 2 for part in parts)
    if call.event.attended is not False:
        parts.append(_waiting(call, record, rest))
    return "\n\n".join(filter(None, parts))


def task(call: Call, record: Session, room: int) -> str:
    """The working memory of the session, or what an earlier one left; "" if it stands there already."""
    from .working import SHOWN_CHARS, current_of_use, render

    found = current_of_use(call.tree, scope_of(record), record.host, record.session)
    text = render(found, min(room, SHOWN_CHARS)) if found else ""
    seen = digest(text.encode("utf-8", "replace")) if text else record.task
    if seen == record.task:
        return ""
    record.task = seen
    return text


def _notices(call: Call, record: Session) -> list[str]:
    """What a person must hear; of what lasts, the same level is not said twice in a row."""
    lasting = {"config": ("wrong", f"config: {call.config_trouble}; the last valid one is in force")}
    lasting = lasting if call.config_trouble else {}
    from .health import dead_hooks, figures, levels, news
    from .inbox import waiting

    lasting |= dead_hooks(call.events, call.event.host)
    if not record.started:
        lasting["start"] = ("missing", "the session-start hook did not run (memory-skill doctor)")
    inbox = len(waiting(call.tree))
    if inbox:
        what = "entry waits" if inbox == 1 else "entries wait"
        lasting["waiting"] = (str(inbox), f"{inbox} {what} in the inbox (memory-skill inbox list)")
    if call.event.attended is False:
        return [text for _, text in lasting.values()]  # nobody hears it, so it counts as not said
    lasting |= levels(figures(call.tree, call.config.index))
    return [*news(call.tree.state, call.event.host, lasting), *call.events.take_notices()]


def health(call: Call, record: Session) -> str:
    """Every `status.every_turns` prompts: what got worse since it was said last."""
    record.asked += 1
    if record.asked % call.config.status.every_turns or call.event.attended is False:
        return ""
    from .health import figures, levels, worse

    return opening.notices(
        worse(call.tree.state, call.event.host, levels(figures(call.tree, call.config.index)))
    )


def _waiting(call: Call, record: Session, room: int) -> str:
    """Turns of this project that earlier sessions left undistilled because nobody attended."""
    owners: dict[str, str] = {}
    for other in call.sessions.waiting():
        apart = (other.host, other.session) != (record.host, record.session)
        if apart and other.project == record.project and not other.running:
            owners |= dict.fromkeys(state_of(other).pending, f"{other.host}/{other.session}")
    text, ids = opening.waiting(Journal(call.tree).find(owners), room)
    for ident in ids:
        record.offered.setdefault(owners[ident], []).append(ident)
    return text
