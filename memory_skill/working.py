"""The working memory of the task at hand: goal, decisions, variables, todos and notes of one session.

A Markdown file a session, `working/<scope>.<key>.md` (`working/<scope>.md` without a session), outside git.
Standard library only, and nothing heavy when it is only read: the prompt hook shows it.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from .distil import State
from .errors import MemorySkillError
from .journal import now as journal_now
from .light import NamedTuple, pattern
from .sessions import Session, Sessions
from .text import fence, one_line, shorten, unfence
from .tree import Tree, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "working"
SHOWN_CHARS = 1000  # of the block that is put before the model, fence and all
OLD_SECONDS = 30 * 86_400  # what was left open longer ago is no longer shown unasked
LINE_CHARS = 240  # of one line in it
WHAT = "working memory of this task"
MORE = "[more: memory-skill working read]"
_SECTIONS = {"goal": "goal", "decisions": "decisions", "variables": "variables", "todos": "todos"}
_HEAD = pattern(r"#{1,3}[ \t]+(.+?)[ \t]*")
_ITEM = pattern(r"[-*+][ \t]+(.*)")
_TODO = pattern(r"\[([ xX])\][ \t]*(.*)")
_ORIGIN = pattern(r"<!-- working (\{.*\}) -->")


class Todo(NamedTuple):
    text: str
    done: bool = False


class Working(NamedTuple):
    """One working memory. *written*: ISO 8601; *turn_watermark*: the session's last finished turn then."""

    goal: str = ""
    decisions: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    todos: tuple[Todo, ...] = ()
    notes: str = ""
    host: str = ""
    session: str = ""
    turn_watermark: str = ""
    written: str = ""
    path: str = ""

    @property
    def open(self) -> tuple[str, ...]:
        return tuple(todo.text for todo in self.todos if not todo.done)

    @property
    def empty(self) -> bool:
        return not (self.goal or self.decisions or self.variables or self.todos or self.notes)


# --- its form


def parse(text: str, path: str = "") -> Working:
    """What a person, an agent or `form` wrote; what stands below no known heading belongs to the notes."""
    lines = {name: list[str]() for name in (*_SECTIONS, "notes")}
    place, origin = "notes", dict[str, str]()
    rest = iter(text.splitlines())
    for line in rest:
        head, told = _HEAD.fullmatch(line), _ORIGIN.fullmatch(line)
        name = head[1].lower() if head else ""
        if told:
            origin = _origin(told[1])
        elif name == "notes":
            lines["notes"] += rest  # to the end, whatever headings stand in it
        elif name in _SECTIONS:
            place = name
        elif not name.startswith("working memory of "):
            place = "notes" if head else place
            lines[place].append(line)
    items = {name: tuple(_items(lines[name])) for name in ("decisions", "variables", "todos")}
    return Working(
        one_line("\n".join(lines["goal"])),
        items["decisions"],
        tuple(_pair(item) for item in items["variables"]),
        tuple(_todo(item) for item in items["todos"]),
        "\n".join(lines["notes"]).strip(),
        path=path,
        **origin,
    )


def _origin(raw: str) -> dict[str, str]:
    try:
        found = json.loads(raw)
    except ValueError:
        return {}
    known = ("host", "session", "turn_watermark", "written")
    return {key: str(found[key]) for key in known if key in found}


def _items(lines: Iterable[str]) -> Iterator[str]:
    """One item a bullet; a line without one goes on the item before it."""
    items: list[str] = []
    for line in lines:
        match = _ITEM.fullmatch(line.strip())
        if match or (line.strip() and not items):
            items.append(match[1] if match else line)
        elif line.strip():
            items[-1] += " " + line.strip()
    return (one_line(item) for item in items)


def _pair(item: str) -> tuple[str, str]:
    name, mark, value = item.partition(":")
    if not mark:
        name, _, value = item.partition("=")
    return name.strip(), value.strip()


def _todo(item: str) -> Todo:
    match = _TODO.fullmatch(item)
    return Todo(match[2], match[1] != " ") if match else Todo(item)


def form(working: Working, scope: str) -> str:
    """The file's text. What it holds is one line each, but for the notes, which are last."""
    told = {key: getattr(working, key) for key in ("host", "session", "turn_watermark", "written")}
    origin = json.dumps(told, ensure_ascii=True).replace("--", "-\\u002d")
    parts = [f"# Working memory of {scope}\n\n<!-- working {origin} -->"]
    parts += [f"## {title}\n\n{body}" for title, body in _bodies(working) if body]
    return "\n\n".join(parts) + "\n"


def _bodies(working: Working) -> Iterator[tuple[str, str]]:
    yield "Goal", working.goal
    yield "Decisions", "\n".join(f"- {item}" for item in working.decisions)
    yield "Variables", "\n".join(f"- {name}: {value}" for name, value in working.variables)
    yield "Todos", "\n".join(f"- [{'x' if todo.done else ' '}] {todo.text}" for todo in working.todos)
    yield "Notes", working.notes


def render(working: Working, limit: int = SHOWN_CHARS) -> str:
    """It as a fenced block of at most *limit* characters: whole lines, what is open first; or ""."""
    lines = [f"Written {working.written[:16].replace('T', ' ')}"] if working.written else []
    lines += [f"Goal: {working.goal}"] if working.goal else []
    lines += [f"Open: {text}" for text in working.open]
    lines += [f"Decided: {text}" for text in working.decisions]
    lines += [f"{name} = {value}" for name, value in working.variables]
    lines += [line for line in working.notes.splitlines() if line.strip()]
    lines = [shorten(line, LINE_CHARS) for line in unfence("\n".join(lines)).splitlines()]
    kept = len(lines)
    while kept and len(block := _block(lines, kept)) > limit:
        kept -= 1
    return block if kept else ""


def _block(lines: list[str], kept: int) -> str:
    more = [MORE] if kept < len(lines) else []
    return fence("\n".join([*lines[:kept], *more]), what=WHAT)


# --- where it lies


def path_of(scope: str, host: str = "", session: str = "") -> str:
    """The file of a scope and session, `working/project-acme-billing.1f0c9a2b.md`."""
    key = f".{digest(f'{host}/{session}'.encode())[:8]}" if session else ""
    return f"{FOLDER}/{scope.replace(':', '-')}{key}.md"


def current(tree: Tree, scope: str, host: str = "", session: str = "") -> Working | None:
    """The working memory of the session; else the newest of the scope that no running session works with."""
    own = read(tree, path_of(scope, host, session))
    if own:
        return own
    found = others(tree, scope, host, session)
    return found[0] if found else None


def current_of_use(tree: Tree, scope: str, host: str = "", session: str = "") -> Working | None:
    """The same, if a session needs to see it unasked: its own, or what was left open not long ago."""
    found = current(tree, scope, host, session)
    if found is None or (session and found.session == session):
        return found
    oldest = journal_now(time.time() - OLD_SECONDS)
    return found if found.open and found.written[:10] >= oldest[:10] else None


def prune(tree: Tree, keep_days: int) -> None:
    """Remove what was closed longer ago than *keep_days*; 0 keeps everything."""
    for path in (tree.home / FOLDER / "archive").glob("*.md") if keep_days > 0 else ():
        if path.name[:10] < journal_now(time.time() - keep_days * 86_400)[:10]:
            path.unlink(missing_ok=True)


def others(tree: Tree, scope: str, host: str = "", session: str = "") -> list[Working]:
    """Those of the scope that other sessions left, the newest first; not of one in the midst of a turn."""
    own, stem = path_of(scope, host, session), path_of(scope).removesuffix(".md")
    names = (path.name for path in (tree.home / FOLDER).glob("*.md"))
    fits = re.compile(re.escape(stem) + r"(\.[0-9a-f]{8})?\.md")
    paths = [path for name in names if fits.fullmatch(path := f"{FOLDER}/{name}") and path != own]
    found = [working for path in paths if (working := read(tree, path))]
    sessions = Sessions(tree.state)
    idle = [one for one in found if not (session and one.session and _running(sessions, one))]
    return sorted(idle, key=lambda one: (one.written, one.path), reverse=True)


def _running(sessions: Sessions, working: Working) -> bool:
    return sessions.read(working.host, working.session).running


def read(tree: Tree, path: str) -> Working | None:
    try:
        return parse(tree.read(path).decode("utf-8", "replace"), path)
    except MemorySkillError:
        return None


def watermark(record: Session) -> str:
    """The last turn of the session that came to its end."""
    counted = State.load(record.distil).counted
    return counted[-1] if counted else ""


def stale(tree: Tree, working: Working) -> bool:
    """Whether its session finished a turn after it was written."""
    if not working.session:
        return False
    return watermark(Sessions(tree.state).read(working.host, working.session)) != working.turn_watermark


def archive_path(tree: Tree, working: Working, day: str) -> str:
    """A free name in `working/archive/` for one that is closed."""
    stem = f"{FOLDER}/archive/{day}-{Path(working.path).stem}"
    names = (f"{stem}{end}.md" for end in ("", *(f"-{n}" for n in range(2, 10_000))))
    return next(name for name in names if not (tree.home / name).exists())


def as_json(working: Working, scope: str, *, is_stale: bool) -> dict[str, Any]:
    """The keys of `docs/cli.md`."""
    return {
        "scope": scope,
        "path": working.path or None,
        "goal": working.goal,
        "decisions": list(working.decisions),
        "variables": dict(working.variables),
        "todos": [todo._asdict() for todo in working.todos],
        "notes": working.notes,
        "written": working.written or None,
        "turn_watermark": working.turn_watermark or None,
        "stale": is_stale,
    }
