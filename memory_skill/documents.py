"""What a document holds, as entries: a Markdown file's sections, a note's own text, Claude's exported memory.

Knows no tree: text in, sections out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from .errors import NotFound, UsageError
from .note import TYPES, parse, split
from .text import one_line
from .tree import INDEX

MAX_BYTES = 10_000_000  # of one document
MAX_SECTION = 6_000  # characters; a longer one becomes several, cut between paragraphs
DEPTH = 3  # headings below it stay in their section
_BOLD = re.compile(r"(?m)^\*\*([^*\n]{1,80})\*\*[ \t]*$")  # a heading, as Claude's exported memory writes it


class Section(NamedTuple):
    """One entry to be. *path* is its headings, outermost first; *type* is "" where none is told."""

    document: str
    path: tuple[str, ...]
    body: str
    type: str = ""
    description: str = ""

    @property
    def key(self) -> str:
        return " > ".join(self.path)


def files(place: Path) -> list[Path]:
    """The documents at *place*: the file itself, or the Markdown files below the folder but its index.

    Raises: NotFound, UsageError for what is neither Markdown nor an export.
    """
    if place.is_dir():
        found = [path for path in sorted(place.rglob("*.md")) if path.name != INDEX and path.is_file()]
        return [path for path in found if not any(part[0] == "." for part in path.relative_to(place).parts)]
    if not place.exists():
        raise NotFound("no such document", where=str(place), hint="memory-skill load-doc --help")
    if place.suffix.lower() not in (".md", ".markdown", ".mdx", ".txt", ".json"):
        raise UsageError("is no Markdown", where=str(place), hint="give a .md file, or a folder of them")
    return [place]


def sections(file: Path, name: str) -> list[Section]:
    """What the document *name* in *file* holds, in its order, each key once.

    Raises: UsageError for bytes that are no UTF-8, NoteError for a header that cannot be read.
    """
    text = _text(file)
    if file.suffix.lower() == ".json":
        found = [part for title, said in _exported(text, file) for part in _parts(said, name, (title,))]
        return list(_apart(found))
    whole = parse(text, file.name)
    if whole.typed or whole.meta.get("type") in TYPES:
        told = (whole.name,) if whole.name else (file.stem,)
        return [Section(name, told, whole.body.strip(), whole.type, whole.description)]
    return list(_apart(_parts(split(text)[1], name, (file.stem,))))


def _text(file: Path) -> str:
    try:
        raw = file.read_bytes()
        if len(raw) > MAX_BYTES:
            raise UsageError(f"{len(raw):,} bytes, at most {MAX_BYTES:,}", where=str(file))
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        what = f"cannot be read as UTF-8: {error}"
        raise UsageError(what, where=str(file), hint="save it as UTF-8") from error


def _parts(text: str, name: str, fallback: tuple[str, ...]) -> Iterator[Section]:
    """The sections of *text*; what stands above the first heading is called *fallback*."""
    lines = text.split("\n")
    heads = _headings(text)
    starts = [(0, 0, ""), *heads, (len(lines), 0, "")]
    trail: list[tuple[int, str]] = []
    for (start, level, title), (end, _, _) in pairwise(starts):
        trail = [(depth, head) for depth, head in trail if depth < level]
        if title:
            trail.append((level, title))
        body = "\n".join(lines[start:end]).strip()
        if not body or (title and not _below_heading(body)):
            continue
        path = tuple(head for _, head in trail) or fallback
        for number, part in enumerate(_split(body), 1):
            yield Section(name, path if number == 1 else (*path, f"part {number}"), part)


def _headings(text: str) -> list[tuple[int, int, str]]:
    """(line, level, text) of the headings down to DEPTH; one in a fence or a quote is none."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    found = []
    for token, inner in pairwise(tokens):
        level = int(token.tag[1]) if token.type == "heading_open" else DEPTH + 1
        if level <= DEPTH and token.level == 0 and token.map and one_line(inner.content):
            found.append((token.map[0], level, one_line(inner.content)))
    return found


def _below_heading(body: str) -> str:
    """The section without its heading, whichever form that has."""
    head, _, rest = body.partition("\n")
    rest = rest if head.lstrip().startswith("#") else rest.partition("\n")[2]
    return rest.strip()


def _split(body: str) -> list[str]:
    """*body* in parts of at most MAX_SECTION characters, cut between paragraphs, where there are some."""
    parts, room = [""], MAX_SECTION
    for paragraph in body.split("\n\n"):
        if parts[-1] and len(paragraph) + 2 > room:
            parts.append("")
            room = MAX_SECTION
        parts[-1] += f"\n\n{paragraph}" if parts[-1] else paragraph
        room -= len(paragraph) + 2
    return parts


def _apart(found: Iterable[Section]) -> Iterator[Section]:
    """The same, headings that stand twice told apart by a number."""
    seen: dict[tuple[str, ...], int] = {}
    for section in found:
        number = seen[section.path] = seen.get(section.path, 0) + 1
        yield section if number == 1 else section._replace(path=(*section.path, str(number)))


def _exported(text: str, file: Path) -> Iterator[tuple[str, str]]:
    """Title and Markdown of each memory in the `memories.json` of Claude's data export.

    ChatGPT's export holds conversations and no saved memories. Raises: UsageError for any other JSON.
    """
    hint = "of Claude's data export it is memories.json; ChatGPT's export holds no saved memories"
    try:
        found: Any = json.loads(text)
    except ValueError as error:
        raise UsageError(f"is not JSON: {error}", where=str(file), hint=hint) from error
    accounts = found if isinstance(found, list) else [found]
    if not any(isinstance(one, dict) and "conversations_memory" in one for one in accounts):
        raise UsageError("holds no memories", where=str(file), hint=hint)
    names = _project_names(file.with_name("projects.json"))
    for one in accounts:
        yield "Claude's memory", _BOLD.sub(r"## \1", str(one.get("conversations_memory") or ""))
        projects = one.get("project_memories")
        for ident, said in projects.items() if isinstance(projects, dict) else ():
            yield "", _under(names.get(ident, f"Project {ident}"), str(said or ""))


def _under(title: str, text: str) -> str:
    return f"# {one_line(title)}\n\n" + _BOLD.sub(r"## \1", text)


def _project_names(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text("utf-8"))
        return {str(one["uuid"]): str(one["name"]) for one in found}
    except (OSError, ValueError, TypeError, KeyError):
        return {}
