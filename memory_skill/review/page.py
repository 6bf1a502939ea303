"""The review as one HTML page that loads nothing and runs nothing: what it shows; its template says how."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .. import pack
from ..errors import MemorySkillError
from ..gate import redact
from ..journal import now
from ..note import scope_of, skim
from ..text import estimate_tokens, one_line, shorten
from .words import Row, properties, rows, telling

if TYPE_CHECKING:
    from ..changes import Change
    from ..history import Commit
    from ..inbox import Item
    from ..memory import Memory

TEMPLATE, STYLE = "templates/review.html.j2", "templates/review.css"
FOLD = 60  # lines of one change that are shown unfolded
MAX_NOTES = 200  # in the table of prices
MAX_SESSIONS = 12
DAYS = 30  # of the timeline
COMMITS = 1000  # that the timeline reads
BAR, STEP = 14, 20  # of the chart, in its own units
_HAN, _KANA, _HANGUL = (
    re.compile(f"[{span}]") for span in ("\u4e00-\u9fff", "\u3040-\u30ff", "\uac00-\ud7af")
)


def page(memory: Memory, *, token: str = "") -> tuple[str, int]:
    """The page, and how many changes it shows. With *token* it has buttons in place of commands."""
    changes = memory.review()
    css = pack.read(STYLE)
    cards = [_card(number, change) for number, change in enumerate(changes, 1)]
    values = {"cards": cards, "tree": _tree(cards), "items": [_item(item) for item in memory.inbox()]}
    values |= _headline(changes, len(memory.inbox())) | _prices(memory) | _history(memory)
    values |= {
        "commands": _commands(memory),
        "css": css,
        "policy": policy(css, forms=bool(token)),
        "token": token,
    }
    return pack.page(TEMPLATE, **values), len(cards)


def policy(css: str, *, forms: bool) -> str:
    """The page's Content-Security-Policy: our own style sheet by its hash, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(css.encode("utf-8")).digest()).decode()
    sends = "'self'" if forms else "'none'"
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action {sends}"


# --- the changes


def _card(number: int, change: Change) -> dict[str, Any]:
    folder, _, file = change.path.rpartition("/")
    note = skim(change.after or change.before, change.path)
    found = rows(change.before, change.after, change.path)
    told = telling(change.before, change.after, change.path)
    why = change.why.strip()
    facts = [note.type, scope_of(change.path), note.meta.get("source", ""), change.host]
    facts += [f"{len(change.commits)} commits"] if len(change.commits) > 1 else []
    return {
        "anchor": f"c{number}",
        "path": change.path,
        "quoted": shlex.quote(change.path),
        "digest": digest(change.after),
        "folder": folder or ".",
        "file": file,
        "name": file.removesuffix(".md"),
        "kind": change.kind,
        "facts": [one_line(fact) for fact in facts if fact],
        "badges": change.badges,
        "asked": change.asked,
        "why": "" if one_line(why) in one_line(change.after) else shorten(why, 600),
        "telling": told,
        "details": [
            item for item in properties(change.before, change.after, change.path) if item not in told
        ],
        "rows": found[:FOLD],
        "more": found[FOLD:],
        "lang": language(note.body),
    }


def digest(text: str) -> str:
    """What a button sends to say which text was seen: 16 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def language(text: str) -> str:
    """`zh`, `ja` or `ko` where the glyphs depend on it, else ""."""
    if _KANA.search(text):
        return "ja"
    return "ko" if _HANGUL.search(text) else "zh" if _HAN.search(text) else ""


def _tree(cards: Sequence[dict[str, Any]]) -> list[tuple[str, list[dict[str, Any]]]]:
    return [(folder, list(found)) for folder, found in groupby(cards, key=lambda card: str(card["folder"]))]


def _item(item: Item) -> dict[str, Any]:
    text = redact(skim(item.text, item.path).body.strip("\n")).text
    facts = (item.type, item.scope, item.host, item.day)
    shown: list[Row] = rows("", text, item.path)[:FOLD]
    told = {"id": item.id, "reason": item.reason, "evidence": item.evidence, "quoted": shlex.quote(item.id)}
    return told | {"facts": [fact for fact in facts if fact], "rows": shown, "lang": language(text)}


def _headline(changes: Sequence[Change], items: int) -> dict[str, Any]:
    count = len(changes)
    kinds = Counter(change.kind for change in changes)
    parts = [f"{kinds[kind]} {kind}" for kind in ("new", "changed", "gone") if kinds[kind]]
    sessions = len({change.session for change in changes if change.session})
    lead = ", ".join(parts)
    lead += f", from {sessions} {'session' if sessions == 1 else 'sessions'}" if sessions else ""
    twice = sum(1 for change in changes if change.badges)
    sentences = [lead] if lead else ["Everything in the memory has been reviewed"]
    sentences += [f"{twice} to look at twice"] if twice else []
    sentences += [f"{items} {'item waits' if items == 1 else 'items wait'} in the inbox"] if items else []
    title = {0: "Nothing to review", 1: "1 change waits"}.get(count, f"{count} changes wait")
    return {"title": title, "lead": ". ".join(sentences) + "."}


# --- the whole memory


def _prices(memory: Memory) -> dict[str, Any]:
    status = memory.status()
    fill: dict[str, Any] = dict(status.index)
    used = max(fill["lines"] / fill["max_lines"], fill["bytes"] / fill["max_bytes"])
    notes = sorted((_note(memory, item) for item in memory.list()), key=lambda one: -one["tokens"])
    for one in notes[:MAX_NOTES]:
        one["description"] = redact(shorten(one_line(one["description"]), 160)).text
    return {
        "home": status.home,
        "now": now()[:16].replace("T", " "),
        "total": len(notes),
        "kinds": ", ".join(f"{count} {kind}" for kind, count in sorted(status.notes.items())) or "none yet",
        "fill": fill | {"percent": min(100, round(used * 100))},
        "start_tokens": estimate_tokens(memory.context().text),
        "notes": notes[:MAX_NOTES],
        "hidden_notes": len(notes) > MAX_NOTES,
    }


def _note(memory: Memory, item: Any) -> dict[str, Any]:
    text = (memory.tree.read_or_none(item.address) or b"").decode("utf-8", "replace")
    tokens = estimate_tokens(skim(text, item.address).body)
    return {"address": item.address, "description": item.description, "tokens": tokens}


def _history(memory: Memory) -> dict[str, Any]:
    try:
        commits = memory.log(limit=COMMITS)
    except MemorySkillError:  # a page without a timeline is better than none
        commits = []
    return {"chart": _chart(commits), "sessions": _sessions(commits)}


def _chart(commits: Sequence[Commit]) -> dict[str, Any]:
    """One bar a day: what was saved, edited, settled, forgotten or taken back."""
    today = date.today()
    days = [(today - timedelta(days=back)).isoformat() for back in reversed(range(DAYS))]
    counts = Counter(commit.time[:10] for commit in commits)
    most = max((counts[day] for day in days), default=0) or 1
    bars = [
        {"day": day, "count": counts[day], "x": STEP * place, "height": round(70 * counts[day] / most)}
        for place, day in enumerate(days)
    ]
    total = sum(counts[day] for day in days)
    what = "1 change" if total == 1 else f"{total} changes"
    label = f"{what} in {DAYS} days, at most {most if total else 0} a day"
    width = STEP * DAYS - (STEP - BAR)
    return {"bars": bars, "bar": BAR, "width": width, "first": days[0], "last": days[-1], "label": label}


def _sessions(commits: Sequence[Commit]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for commit in commits:
        ident = commit.trailers.get("Memory-Session", "")
        if ident and commit.trailers.get("Memory-Verb") != "undo":
            told = {
                "host": commit.trailers.get("Memory-Host", ""),
                "last": commit.time[:16].replace("T", " "),
            }
            one = found.setdefault(
                ident, told | {"count": 0, "short": ident[:8], "quoted": shlex.quote(ident)}
            )
            one["count"] += 1
    return list(found.values())[:MAX_SESSIONS]


def _commands(memory: Memory) -> list[tuple[str, str]]:
    home = shlex.quote(str(memory.tree.home))
    return [
        ("Go through the changes one by one", "memory-skill review"),
        ("Keep everything that waits", "memory-skill review --keep-all"),
        ("See the same by git alone", f"git -C {home} diff refs/memory-skill/reviewed"),
        ("Take back the last change; again to redo it", "memory-skill undo"),
        ("See who wrote each line of a note", "memory-skill blame PATH"),
        ("Decide what waits in the inbox", "memory-skill inbox list"),
    ]
