"""The format of a note: read generously, written canonically, never re-serialised where it did not change.

A note is a header (`name`, `description`, `metadata`, scalars quoted) and a Markdown body, or a body alone.
A body that is only a list holds one entry an item; any other body is one entry.
"""

from __future__ import annotations

import re
from functools import cache, cached_property

from .damage import has_conflict, is_conflict_copy
from .errors import NoMatch, NoteError, SeveralMatches
from .light import NamedTuple, pattern, sha256
from .text import nearest_lines, normalise, one_line, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TYPES = ("user", "feedback", "project", "reference", "lesson")
SOURCES = ("user-said", "user-confirmed", "agent-inferred", "tool-output")
MAX_HEADER = 16_384  # bytes; a longer header is a mistake or a bomb
MAX_PLACES = 20  # named when a text stands in a note more than once

# The header ends at the first line that is exactly three dashes: a description may hold "---".
_HEADER = pattern(r"---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_PLAIN = pattern(r"""( *)([\w.-]+|"(?:[^"\\]|\\.)*"):(?:[ \t]+(.*?))?[ \t]*\r?$""")
_KEY = pattern(r"\w[\w.-]*")  # of a header; any other is quoted
_ITEM = pattern(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)")
_HEADING = pattern(r"#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$")
_MARK = b"\xef\xbb\xbf"
ID = pattern(r"[0-9a-f]{8}")
_DATE = pattern(r"\d{4}-\d{2}-\d{2}")


class Entry(NamedTuple):
    """One remembered statement. *address* is `path`, or `path#id` for an item of a list note."""

    address: str
    id: str
    text: str
    line: int  # of its first line in the note, from 1


class _Fields(NamedTuple):
    path: str
    name: str
    description: str
    type: str
    body: str
    meta: dict[str, str]
    raw: str = ""
    headed: bool = False
    typed: bool = False  # the header itself names one of the types


class Note(_Fields):
    """One Markdown file. *meta* holds what stands under `metadata`, every value as text."""

    @property
    def scope(self) -> str:
        return scope_of(self.path)

    @property
    def pinned(self) -> bool:
        return self.meta.get("pin", "").lower() in ("true", "yes", "1")

    @property
    def date(self) -> str:
        """The day of its newest claim, `YYYY-MM-DD`, or "" when the header names none."""
        found = [self.meta.get(key, "")[:10] for key in ("created", "modified", "verified", "valid_from")]
        return max((day for day in found if _DATE.fullmatch(day)), default="")

    @property
    def title(self) -> str:
        heading = _HEADING.match(self.body.lstrip().split("\n", 1)[0])
        return one_line(heading.group(1)) if heading else self.name.replace("-", " ")

    @property
    def summary(self) -> str:
        """One line that says what is in it: the description, else the first statements of the body."""
        if self.description:
            return one_line(self.description)
        return shorten(one_line("; ".join(entry.text for entry in self.entries)), 400)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        items = list_items(self.body)
        offset = self.raw[: len(self.raw) - len(self.body)].count("\n") if self.raw.endswith(self.body) else 0
        if items is None:
            text = self.body.strip()
            return (Entry(self.path, entry_id(text), text, offset + 1),) if text else ()
        return tuple(
            Entry(f"{self.path}#{entry_id(text)}", entry_id(text), text, offset + line)
            for line, text in items
        )


def entry_id(text: str) -> str:
    """8 hex digits of the normalised text: it survives re-ordering, and a stale address fails loudly."""
    return sha256(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def entry_ids(body: str) -> tuple[str, ...]:
    """The ids of the entries of a note with this body: one an item of a list, else its own."""
    items = list_items(body)
    return tuple(entry_id(text) for _, text in items) if items else (entry_id(body),)


def parted(address: str) -> tuple[str, str]:
    """Path and entry id of an address; either may be ""."""
    path, _, ident = address.rpartition("#") if "#" in address else (address, "", "")
    if ident and not ID.fullmatch(ident):
        return address, ""
    return path, ident


def scope_of(path: str) -> str:
    """Whom the note at *path* is for: `global`, `project:<slug>` or `agent:<name>`."""
    parts = path.split("/")
    if len(parts) >= 3 and parts[0] == "knowledge" and parts[1] in ("projects", "agents"):
        owner = parts[2] if len(parts) > 3 else parts[2].removesuffix(".md")
        return f"{parts[1][:-1]}:{owner}"
    return "global"


def type_of(path: str) -> str:
    """The type that a path alone tells: its folder's, `skill`, `summary`; `reference` for other notes."""
    parts = path.split("/")
    if parts[0] in ("skills", "summaries"):
        return {"skills": "skill", "summaries": "summary"}[parts[0]]
    if len(parts) > 2 and parts[1] in TYPES:
        return parts[1]
    if len(parts) > 2 and parts[1] == "projects":
        return "project"
    stem = parts[-1].removesuffix(".md")
    return stem if stem in TYPES else "reference"


def stem_of(path: str) -> str:
    """The name that a path alone tells; a skill is named by its folder."""
    parts = path.split("/")
    return parts[-2] if parts[-1] == "SKILL.md" and len(parts) > 1 else parts[-1].removesuffix(".md")


def decode(raw: bytes | str, path: str = "") -> str:
    """The text of a note without its byte-order mark. Raises NoteError if it is not UTF-8 or holds NUL."""
    if isinstance(raw, bytes):
        try:
            raw = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise NoteError(f"is not UTF-8 (byte {error.start})", where=path) from error
    if "\x00" in raw:
        raise NoteError("holds NUL bytes", where=path, hint=f"memory-skill log {path}")
    return raw.removeprefix("\ufeff")


def encode(text: str, before: bytes | None = None) -> bytes:
    """The bytes of a note's new *text*, with the byte-order mark that it had *before*."""
    return (_MARK if before is not None and before.startswith(_MARK) else b"") + text.encode("utf-8")


def split(text: str) -> tuple[str | None, str]:
    """The header's YAML, or None, and the body.

    A note that opens with a rule (`---`, prose, `---`) has no header: its block is no mapping.
    """
    match = _HEADER.match(text)
    if not match or not _looks_like_mapping(match.group(1)):
        return None, text
    return match.group(1), text[match.end() :]


def _looks_like_mapping(block: str) -> bool:
    lines = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return bool(lines) and re.match(r"""(?:"[^"]*"|'[^']*'|[\w.-]+)[ \t]*:(?:\s|$)""", lines[0]) is not None


def parse(raw: bytes | str, path: str) -> Note:
    """Read a note. Raises NoteError, with the line, when its header is no YAML mapping we can trust."""
    text = decode(raw, path)
    if is_conflict_copy(path) or has_conflict(text.encode("utf-8", "surrogatepass")):
        raise NoteError("is half of a conflict, not a note", where=path, hint="memory-skill settle")
    header, body = split(text)
    if header is None:
        return _note(path, {}, body, text)
    return _note(path, _load_header(header, path), body, text)


def skim(raw: bytes | str, path: str) -> Note:
    """Read a note with the standard library alone, for the prompt hook. Never raises.

    Reads every header that `format_note` and Claude Code write exactly as `parse` does; of any other it takes
    the lines it understands.
    """
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    text = text.removeprefix("\ufeff")
    if is_conflict_copy(path) or "\0" in text or has_conflict(text.encode("utf-8", "surrogatepass")):
        text = ""  # damaged: neither its bytes nor half of a conflict are what somebody said
    header, body = split(text)
    return _note(path, _skim_header(header) if header else {}, body, text)


def _note(path: str, header: dict[str, Any], body: str, raw: str) -> Note:
    meta = {str(k): _plain(v) for k, v in header.items() if k not in ("name", "description", "metadata")}
    nested = header.get("metadata")
    if isinstance(nested, dict):
        meta |= {str(k): _plain(v) for k, v in nested.items()}
    kind = meta.pop("type", "")
    return Note(
        path=path,
        name=_plain(header.get("name", "")) or stem_of(path),
        description=_plain(header.get("description", "")),
        type=kind if kind in TYPES else type_of(path),
        body=body,
        meta=meta,
        raw=raw,
        headed=bool(header),
        typed=kind in TYPES,
    )


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    return "" if value is None else str(value)


def _load_header(header: str, path: str) -> dict[str, Any]:
    import frontmatter
    import yaml

    if len(header) > MAX_HEADER:
        raise NoteError(f"header of {len(header)} characters, at most {MAX_HEADER}", where=path)
    try:
        # Pinned handler on a text that is known to have a header: left to sniff, frontmatter takes a body
        # that starts with {…} for JSON; `content:` and `handler:` keys raise TypeError in `loads`.
        found, _ = frontmatter.parse(f"---\n{header}---\n", handler=_handler())
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        hint = f"mend the header of {path}, quote its values"
        raise NoteError(_yaml_reason(error), where=path, hint=hint) from error
    if not isinstance(found, dict):
        raise NoteError("header is no mapping", where=path)
    return found


@cache
def _handler() -> Any:
    """A frontmatter handler that loads every scalar as text, and refuses aliases and keys written twice."""
    import yaml
    from frontmatter.default_handlers import YAMLHandler

    base = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc,valid-type]
        # `no` is not False, 22:22 is not 1342 and 1.10 is not 1.1: what a person wrote stays text.
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the base class's own form

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
            keys = [key.value for key, _ in node.value]
            twice = next((key for key in keys if keys.count(key) > 1), None)
            if twice is not None:
                raise yaml.YAMLError(f"key {twice!r} stands twice")
            return dict(super().construct_mapping(node, deep=True))

        def flatten_mapping(self, node: Any) -> None:
            return None

    class Handler(YAMLHandler):
        def load(self, fm: str, **kwargs: object) -> Any:
            # 304 bytes of nested aliases grow to 28 MB; nobody writes a note that needs one.
            if "*" in fm and any(isinstance(token, yaml.AliasToken) for token in yaml.scan(fm, Loader=base)):
                raise yaml.YAMLError("aliases are not read")
            return yaml.load(fm, Loader=Loader)

    return Handler()


def _yaml_reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) or str(error).split("\n")[0] or type(error).__name__
    return f"header line {mark.line + 1}: {reason}" if mark else f"header: {reason}"


def _skim_header(header: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    parent: dict[str, Any] = found
    for line in header.splitlines():
        match = _PLAIN.match(line)
        if not match:
            continue
        indent, key, value = match[1], _unquote(match[2]), match[3]
        if not indent:
            parent = found
        if not value:
            if not indent:
                parent = found.setdefault(key, {})
            continue
        if isinstance(parent, dict):
            parent.setdefault(key, _unquote(value))
    return {key: value for key, value in found.items() if value != {}}


def _unquote(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        try:
            import json

            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return re.sub(r"\s+#.*", "", value)


def format_note(name: str, description: str, body: str, meta: dict[str, str]) -> str:
    """The canonical form: three top-level keys, every scalar but the type quoted, one newline at the end."""
    lines = ["---", f"name: {name}", f"description: {quote(description)}"]
    if meta:
        lines.append("metadata:")
        lines += [_meta_line(key, value) for key, value in meta.items() if key and value != ""]
    return "\n".join([*lines, "---", body.strip("\n"), ""])


def _meta_line(key: str, value: str) -> str:
    bare = key == "type" and _KEY.fullmatch(value)
    return f"  {key if _KEY.fullmatch(key) else quote(key)}: {value if bare else quote(value)}"


def quote(value: str) -> str:
    """*value* as a double-quoted YAML scalar on one line; JSON's escapes are YAML's."""
    import json

    return json.dumps(one_line(value), ensure_ascii=False)


def set_meta(raw: str, values: dict[str, str]) -> str:
    """*raw* with the given keys under `metadata` set, line by line; every other byte as it was.

    A note without a header gets one. Raises NoteError for a header that is not in block form.
    """
    header, body = split(raw)
    if header is None:
        lines = [_meta_line(key, value) for key, value in values.items()]
        return _newline(raw).join(["---", "metadata:", *lines, "---", raw])
    start = raw.index("\n") + 1
    opening, closing = raw[:start], raw[start + len(header) : len(raw) - len(body)]
    lines = header.splitlines(keepends=True)
    newline = _newline(opening)
    at = next((i for i, line in enumerate(lines) if re.fullmatch(r"metadata:\s*", line)), None)
    if at is None:
        if any(line.startswith("metadata:") for line in lines):
            raise NoteError("metadata is not in block form", hint="write it as indented `key: value` lines")
        lines.append(f"metadata:{newline}")
        at = len(lines) - 1
    end = next((i for i in range(at + 1, len(lines)) if re.match(r"\S", lines[i])), len(lines))
    for key, value in values.items():
        new = _meta_line(key, value) + newline
        old = next((i for i in range(at + 1, end) if re.match(rf"\s+{re.escape(key)}:", lines[i])), None)
        if old is None:
            lines.insert(end, new)
            end += 1
        else:
            lines[old] = new
    return opening + "".join(lines) + closing + body


def list_items(body: str) -> list[tuple[int, str]] | None:
    """The items of a body that is only a list, as (line from 1, text), or None.

    One heading may stand above; an indented line belongs to the item before it.
    """
    items: list[tuple[int, str]] = []
    heading = False
    for number, line in enumerate(body.split("\n"), 1):
        item = _ITEM.match(line)
        if item:
            items.append((number, item.group(1).strip()))
        elif not line.strip():
            continue
        elif items and line[0] in " \t":
            items[-1] = (items[-1][0], f"{items[-1][1]}\n{line.strip()}")
        elif not items and not heading and _HEADING.match(line):
            heading = True
        else:
            return None
    return [(number, text) for number, text in items if text] or None


def replace_once(raw: str, old: str, new: str, where: str) -> str:
    """*raw* with *old*, which must stand in it exactly once, replaced by *new*; all else byte for byte.

    A pattern typed with plain newlines finds a text that has CRLF.
    Raises: NoMatch with the three nearest lines and the text to copy; SeveralMatches with their lines.
    """
    if "\r\n" in raw and "\r" not in old and ("\n" not in old or old not in raw):
        old, new = old.replace("\n", "\r\n"), _with_newlines(new, "\r\n")
    places = _places(raw, old)
    if len(places) == 1:
        return raw[: places[0]] + new + raw[places[0] + len(old) :]
    quoted = repr(shorten(one_line(old), 60))
    if places:
        lines = [raw.count("\n", 0, at) + 1 for at in places[:MAX_PLACES]]
        more = "more than " if len(places) > MAX_PLACES else ""
        raise SeveralMatches(
            f"{more}{len(lines)} places hold {quoted} (lines {', '.join(map(str, lines))})",
            where=where,
            hint="quote more of the text around the one you mean",
        )
    near = nearest_lines(raw, old)
    shown = "".join(f"\n  line {number} ({like:.0%}): {one_line(line)}" for number, line, like in near)
    hint = f"read {where} first; an empty --old appends"
    if near:
        hint = f"copy the text exactly: memory-skill edit {where} --old {near[0][1].strip()!r} --new …"
    raise NoMatch(f"no line holds {quoted}{'; the nearest:' if near else ''}{shown}", where=where, hint=hint)


def replace_in_note(raw: str, old: str, new: str, where: str) -> str:
    """`replace_once`, but a description that only repeats the body's first line is no second place.

    `save` without --description writes one, and then every edit of that line had two matches; it follows the
    line instead, so that the index stays true.
    """
    header, body = split(raw)
    told = _skim_header(header).get("description", "") if header else ""
    if not told or told != describe(body) or len(_places(body, old)) != 1:
        return replace_once(raw, old, new, where)
    changed = replace_once(body, old, new, where)
    return raw[: len(raw) - len(body)].replace(quote(told), quote(describe(changed)), 1) + changed


def describe(body: str) -> str:
    """The description of a note that was given none: its first line, at most 140 characters."""
    first = next((line for line in body.splitlines() if line.strip()), "")
    return shorten(one_line(first.lstrip("#-* ")), 140)


def _places(raw: str, old: str) -> list[int]:
    """Where *old* stands in *raw*, places that overlap included, and no more than anybody wants to read."""
    places: list[int] = []
    at = raw.find(old)
    while at >= 0 and len(places) <= MAX_PLACES:
        places.append(at)
        at = raw.find(old, at + 1)
    return places


def _newline(raw: str) -> str:
    return "\r\n" if "\r\n" in raw else "\n"


def _with_newlines(text: str, newline: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", newline)


def append(raw: str, new: str) -> str:
    """*raw* with *new* added: as one more item if the note is only a list, else as a paragraph of its own."""
    _, body = split(raw)
    newline = _newline(raw)
    if list_items(body) is None:
        gap, text = newline * 2 if raw.strip() else "", new.strip()
    else:
        gap, text = newline, as_item(new)
    return raw.rstrip("\r\n") * bool(gap) + gap + _with_newlines(text, newline) + newline


def as_item(text: str) -> str:
    """*text* as a list item, its further lines indented; several items stay as they are."""
    first, *rest = text.strip().split("\n")
    if not _ITEM.match(first):
        return "\n".join([f"- {first}", *(f"  {line}" if line.strip() else "" for line in rest)])
    return "\n".join(
        [first, *(f"  {line}" if re.match(r"\S", line) and not _ITEM.match(line) else line for line in rest)]
    )


def remove_entry(raw: str, entry: Entry) -> str:
    """*raw* without the item *entry*, its indented lines included; all else byte for byte."""
    lines = lines_of(raw)
    start = entry.line - 1
    end = at = start + 1
    while at < len(lines):
        if lines[at].strip() and lines[at][0] not in " \t":
            break
        at += 1
        if lines[at - 1].strip():
            end = at  # blank lines belong to the item only if something indented follows
    return "".join(lines[:start] + lines[end:])


def lines_of(raw: str) -> list[str]:
    """The lines of *raw* with their ends; a newline alone ends one, whatever else Unicode calls a line."""
    return re.findall(r"[^\n]*\n|[^\n]+", raw)
