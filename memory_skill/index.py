"""How MEMORY.md is packed: bounded, whole lines, generated between two comments that hosts strip.

Pure: texts and notes in, the new text out. What a person wrote outside the block stays byte for byte.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable
from urllib.parse import quote, unquote

from .config import IndexKnobs
from .light import NamedTuple
from .note import Note, entry_id
from .text import one_line, shorten, unforged

BEGIN = "<!-- memory-skill: generated up to the end mark; delete a line to un-list its note"
END = "<!-- memory-skill: end -->"
_BEGIN = re.compile(r"<!-- memory-skill: generated[^\n]*-->")
_UNLISTED = re.compile(r"([^\s@]+)@([0-9a-f]{8})")
_POINTER = re.compile(r"\s*[-*+][ \t]+\[(?:\\.|[^\]\\])*\]\(\s*<?([^)>]+?)>?\s*\)")
_SHOWN = re.compile(r"Shown \d+ of \d+")

# The declared order in which lines are packed when not all fit; pinned ones stand before all others.
RANKS = ("user", "feedback", "skill", "projects", "lesson", "project", "reference")
SECTIONS = {"skill": "Skills", "projects": "Projects"}  # all other types stand under "Notes"


class Line(NamedTuple):
    """One line of an index: where it points (from the tree's root), what it shows, and the note's state."""

    target: str
    title: str
    description: str
    type: str
    pinned: bool = False
    date: str = ""
    state: str = ""  # 8 hex digits of the note's text; another text lists an un-listed note again


class Packed(NamedTuple):
    """The index file's new text, and how many of the lines it shows."""

    text: str
    shown: int
    total: int


def line_of(note: Note) -> Line:
    """The line of a note; a skill shows its name and its trigger."""
    title = note.name if note.type == "skill" else note.title
    return Line(
        note.path, title, note.summary, note.type, note.pinned, note.date, entry_id(note.raw or note.body)
    )


def pack(
    lines: Iterable[Line],
    current: str,
    last: str,
    knobs: IndexKnobs,
    *,
    folder: str = "",
    title: str = "Memory",
    was_note: Callable[[str], bool] = lambda path: False,
) -> Packed:
    """The text of the index in *folder* that shows *lines*.

    *current* is the file as it is, *last* as it was generated last ("" if unknown): a line that is gone
    from an intact block un-lists its note until the note changes. Pointers to notes outside the block are
    absorbed; *was_note* tells of a path that no longer is a note whether it ever was.
    """
    found = sorted(lines, key=_order)
    known = {line.target for line in found}
    above, inside, below = _cut(current)
    unlisted = _unlisted(found, inside, last, folder)
    above, below = (_others(part, known, folder, was_note) for part in (above, below))
    if inside is None and above.strip():
        above = above.rstrip("\n") + "\n\n"
    if not (above + below).strip():
        above, below = f"# {title}\n\n", ""
    listed = [line for line in found if line.target not in unlisted]
    return _fill(listed, above, below, unlisted, knobs, folder)


def targets(text: str, folder: str = "") -> list[str]:
    """Where the pointers of an index lead, as paths from the tree's root."""
    found = (_target(line, folder) for line in text.splitlines())
    return [target for target in found if target]


def _order(line: Line) -> tuple[bool, int, list[int], str]:
    rank = RANKS.index(line.type) if line.type in RANKS else len(RANKS)
    return (not line.pinned, rank, [-ord(c) for c in line.date], line.target)


def _cut(text: str) -> tuple[str, str | None, str]:
    """What stands above, inside and below the block; inside is None without both marks in order."""
    begin = _BEGIN.search(text)
    end = text.find(END, begin.end()) if begin else -1
    if not begin or end < 0:
        stripped = [line for line in text.splitlines(keepends=True) if not _is_ours(line)]
        return "".join(stripped), None, ""
    below = text[end + len(END) :]
    return text[: begin.start()], text[begin.start() : end], below.removeprefix("\n")


def _is_ours(line: str) -> bool:
    """A mark, or a line that only we write, left behind by a broken block."""
    bare = line.strip()
    headings = ("## Notes", "## Skills", "## Projects")
    return bool(bare == END or _BEGIN.fullmatch(bare) or bare in headings or _SHOWN.match(bare))


def _others(text: str, known: set[str], folder: str, was_note: Callable[[str], bool]) -> str:
    """*text* without its pointers to notes: those belong into the block."""
    stems = {posixpath.basename(path) for path in known}
    kept = []
    for line in text.splitlines(keepends=True):
        target = _target(line, folder)
        ours = target and (target in known or posixpath.basename(target) in stems or was_note(target))
        if not ours:
            kept.append(line)
    return "".join(kept)


def _target(line: str, folder: str) -> str | None:
    match = _POINTER.match(line)
    if not match:
        return None
    link = unquote(match.group(1).split("#", 1)[0])
    if not link.endswith(".md") or "://" in link or link.startswith("/"):
        return None
    path = posixpath.normpath(posixpath.join(folder, link))
    return None if path.startswith("..") else path


def _unlisted(found: list[Line], inside: str | None, last: str, folder: str) -> dict[str, str]:
    """The notes that stand in no line because a person, or a host for them, deleted it: path -> state."""
    states = {line.target: line.state for line in found}
    _, before, _ = _cut(last)
    source = inside if inside is not None else before or ""
    mark = source.split("\n", 1)[0]
    still = {unquote(p): s for p, s in _UNLISTED.findall(mark) if states.get(unquote(p)) == s}
    if inside is not None and before is not None and inside != before:
        gone = set(targets(before, folder)) - set(targets(inside, folder))
        still |= {target: states[target] for target in gone if target in states}
    return still


def _fill(
    lines: list[Line], above: str, below: str, unlisted: dict[str, str], knobs: IndexKnobs, folder: str
) -> Packed:
    """Pack as many whole lines as the bounds allow, in their order; show them by section."""
    mark = "".join(f" {quote(path, safe='/')}@{state}" for path, state in sorted(unlisted.items()))
    begin = f"{BEGIN}{'; un-listed:' + mark if mark else ''} -->"
    count = f"Shown {len(lines)} of {len(lines)}; the others: `memory-skill list`"
    around = len((above + below).encode()) + len(f"{begin}\n{count}\n{END}\n".encode()) + 4
    rows = (above + below).count("\n") + 4
    kept: list[tuple[Line, str]] = []
    sections: set[str] = set()
    for line in lines:
        text = _render(line, folder, knobs.max_line_chars)
        section = SECTIONS.get(line.type, "Notes")
        heading = "" if section in sections else f"\n## {section}\n\n"
        cost, height = len((heading + text).encode()) + 1, 1 + heading.count("\n")
        if around + cost > knobs.max_bytes or rows + height > knobs.max_lines:
            continue
        around, rows = around + cost, rows + height
        sections.add(section)
        kept.append((line, text))
    body = "\n".join(_sections(kept))
    more = "" if len(kept) == len(lines) else "; the others: `memory-skill list`"
    shown = f"Shown {len(kept)} of {len(lines)}{more}"
    return Packed(f"{above}{begin}\n{body}{shown}\n{END}\n{below}", len(kept), len(lines))


def _sections(kept: list[tuple[Line, str]]) -> Iterable[str]:
    for section in ("Notes", "Skills", "Projects"):
        rows = [text for line, text in kept if SECTIONS.get(line.type, "Notes") == section]
        if rows:
            yield f"## {section}\n\n" + "\n".join(rows) + "\n"
    if kept:
        yield ""


def _render(line: Line, folder: str, limit: int) -> str:
    link = quote(
        posixpath.relpath(f"/{line.target}", f"/{folder}") if folder else line.target, safe="/.-_~@+,=&!'"
    )
    link = re.sub(r"(?:%[89A-F][0-9A-F])+", lambda m: unquote(m.group()), link)  # Unicode stays readable
    title = re.sub(r"([\[\]\\])", r"\\\1", shorten(unforged(one_line(line.title)), 60))
    text = f"- [{title}]({link})"
    room = limit - len(text) - 3
    told = unforged(one_line(line.description))
    return f"{text} — {shorten(told, room)}" if told and room > 8 else text
