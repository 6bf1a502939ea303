"""One call that any host can put before its model: what stands, the task, what was said, what is recalled.

Without a session the same tree gives the same bytes. With one, nothing that it was given is given again.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from . import opening, pack
from .health import dead_hooks, figures, levels, news
from .here import Here
from .inbox import barrier, waiting
from .journal import Journal, Turn
from .recall import recall, render
from .resident import named, resident, told
from .results import Context
from .sessions import Session
from .text import fence, one_line, shorten
from .tree import INDEX, digest
from .working import current_of_use
from .working import render as render_working

HOST = "context"  # under which the sessions of this verb are kept
STANDING_CHARS = 10_000  # of the law, the resident part and the index part together
RECENT_CHARS = 4000  # of the recent turns
MESSAGE_CHARS = 500  # of one message of them
PARTS = ("law", "resident", "index", "working", "recent", "recall", "notices")
MAX_RECENT = 50  # turns


class Asked(NamedTuple):
    """*recent*: how many of the project's last turns; *session*: whose earlier calls are not repeated."""

    scope: str
    recent: int = 0
    query: str = ""
    session: str = ""


class Sent:
    """What a session was given by earlier calls; without a session nothing was."""

    def __init__(self, record: Session) -> None:
        self.record = record
        self.before = dict(record.shown)

    def lines(self, text: str) -> str:
        """The lines of *text* that were not given yet."""
        lines = text.splitlines()
        keys = [f"line {digest(line.encode('utf-8', 'replace'))}" for line in lines]
        for key in keys:
            self.record.show(key, "")
        new = [line for line, key in zip(lines, keys, strict=True) if key not in self.before]
        if len(new) == len(lines):
            return text
        return "\n".join(line for line in new if line.strip())

    def new(self, name: str, text: str) -> bool:
        """Whether *text* was not given under that name; from now on it was."""
        found = digest(text.encode("utf-8", "replace"))
        self.record.show(name, found)
        return self.before.get(name) != found


def build(here: Here, asked: Asked) -> Context:
    """The parts in their order, joined; empty ones are left out. Raises: NotFound without a tree."""
    here.must_exist()
    if here.quiet:
        return Context(asked.scope, "", {})
    if not asked.session:
        return _build(here, asked, Sent(Session(HOST, "")))
    with here.sessions.change(HOST, asked.session) as record:
        return _build(here, asked, Sent(record))


def _build(here: Here, asked: Asked, sent: Sent) -> Context:
    law = pack.law(command=opening.command(here.env), home=opening.shown(here.tree.home, here.env)).strip()
    standing = _resident(here, asked, sent)
    room = STANDING_CHARS - len(law) - len(standing)
    made = (
        law if sent.new("law", law) else "",
        standing,
        _index(here, asked, sent, room),
        _working(here, asked, sent),
        _recent(here, asked, sent),
        _recalled(here, asked, sent),
        opening.notices(_notices(here, asked)),
    )
    parts = dict(zip(PARTS, made, strict=True))
    return Context(asked.scope, "\n\n".join(filter(None, parts.values())), parts)


def _resident(here: Here, asked: Asked, sent: Sent) -> str:
    """AGENTS.md, what is pinned, and who the user is; what did not fit is named."""
    agents = opening.whole_lines(opening.text_of(here.tree, "AGENTS.md"), opening.AGENTS_CHARS)
    search = here.writer.search
    hits, omitted = resident(here.tree, search, here.config, here.around(asked.scope), date.today())
    entries = [told(hit) for hit in hits if sent.new(hit.address, hit.text)]
    rest = named(omitted)
    rest = rest if rest and sent.new("omitted", rest) else ""
    return _fenced([sent.lines(agents), *entries, rest], "memory")


def _index(here: Here, asked: Asked, sent: Sent, room: int) -> str:
    """The project's index and the root index, by whole lines, in what the resident part has left."""
    kind, _, owner = asked.scope.partition(":")
    own = opening.text_of(here.tree, f"knowledge/{kind}s/{owner}/{INDEX}") if owner else ""
    own = opening.whole_lines(own, opening.PROJECT_CHARS)
    room -= len(own) + len(fence("", what="index")) + 4
    root = opening.whole_lines(opening.text_of(here.tree, INDEX), max(room, 0))
    return _fenced([sent.lines(own), sent.lines(root)], "index")


def _working(here: Here, asked: Asked, sent: Sent) -> str:
    """Given once a session: what it says later, the session wrote itself."""
    origin = here.origin
    found = current_of_use(here.tree, asked.scope, origin.host or "", origin.session or "")
    text = render_working(found) if found else ""
    return text if text and "working" not in sent.before and sent.new("working", text) else ""


def _recent(here: Here, asked: Asked, sent: Sent) -> str:
    if asked.recent < 1:
        return ""
    owner = asked.scope.partition(":")[2]
    turns = [turn for turn in Journal(here.tree).turns() if turn.project == owner]
    wanted = turns[-min(asked.recent, MAX_RECENT) :]
    kept: list[str] = []
    room = RECENT_CHARS - len(fence("", what="recent turns")) - 80
    for turn in reversed(wanted):
        text = _told_turn(turn)
        if len(text) + 1 > room:
            break
        room -= len(text) + 1
        kept.insert(0, text if sent.new(f"turn {turn.id}", text) else "")
    left = len(wanted) - len(kept)
    if left:
        kept.insert(0, f"[{left} earlier turns not shown: memory-skill journal show --limit {len(wanted)}]")
    return _fenced(["\n".join(filter(None, kept))], "recent turns")


def _told_turn(turn: Turn) -> str:
    said = (shorten(one_line(text), MESSAGE_CHARS) for text in (turn.user, turn.assistant))
    return "{} user: {}\n  reply: {}".format(turn.time[:16].replace("T", " "), *said)


def _recalled(here: Here, asked: Asked, sent: Sent) -> str:
    if not asked.query.strip():
        return ""
    closed = barrier(here.tree, here.config.review.gate)
    if closed:
        return f"memory-skill recalls nothing: {closed}"
    knobs = here.config.recall
    found = recall(
        asked.query,
        here.around(asked.scope),
        tree=here.tree,
        search=here.writer.search,
        config=here.config,
        limit=knobs.limit,
        max_chars=knobs.max_chars,
        shown=sent.record.shown,
    )
    hits = tuple(hit for hit in found.hits if sent.new(hit.address, hit.text))
    here.account("context", found.outcome, why=found.reason, entries=[hit.address for hit in hits])
    return render(found._replace(hits=hits), knobs.max_chars) if hits else ""


def _notices(here: Here, asked: Asked) -> Iterable[str]:
    """Pending inbox, dead hooks, fill levels; in a session the same level not twice in a row."""
    from .events import Events

    found = dead_hooks(Events(here.tree.state))
    count = len(waiting(here.tree))
    if count:
        what = "entry waits" if count == 1 else "entries wait"
        found["waiting"] = (str(count), f"{count} {what} in the inbox (memory-skill inbox list)")
    found |= levels(figures(here.tree, here.config.index))
    if asked.session:
        return news(here.tree.state, HOST, found)
    return [text for level, text in found.values() if level != "ok"]


def _fenced(parts: list[str], what: str) -> str:
    body = "\n\n".join(part for part in parts if part.strip())
    return fence(body, what=what) if body else ""
