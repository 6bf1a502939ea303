"""Surgical edits of a JSON text that belongs to somebody else: every byte that is not ours stays.

A path is a tuple of keys from the root object. Inserted values follow the text's own indentation and line
ends; a container on one line stays on one line. Taking out what was put in gives the first bytes back
(inside a container that was empty, blanks are lost).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import ConfigError

Keys = tuple[str, ...]

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
_BOM = "\ufeff"


@dataclass
class _Node:
    """One value and where it stands: `text[start:end]`; *spans* are its members, each with its key."""

    start: int
    end: int
    value: Any
    members: dict[str, _Node] = field(default_factory=dict)
    items: list[_Node] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


def decode(raw: bytes, where: str) -> str:
    """The text of *raw*, checked to be a JSON object; a file of blanks counts as `{}`.

    Raises: ConfigError that names the line.
    """
    try:
        text = raw.decode("utf-8")
        if not text.strip(_BOM + " \t\r\n"):
            return "{}\n"
        value = json.loads(text.removeprefix(_BOM))
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8; nothing was written", where=where, hint=f"mend {where}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(
            f"is not JSON ({error}); nothing was written", where=where, hint=f"mend {where}"
        ) from error
    if not isinstance(value, dict):
        raise ConfigError("expected a JSON object; nothing was written", where=where, hint=f"mend {where}")
    return text


def load(text: str) -> dict[str, Any]:
    """The value of a text that `decode` has accepted."""
    value: dict[str, Any] = json.loads(text.removeprefix(_BOM))
    return value


def get(text: str, path: Keys, default: Any = None) -> Any:
    value: Any = load(text)
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return default
        value = value[key]
    return value


def put(text: str, path: Keys, value: Any) -> str:
    """Set the member at *path*, making the objects on the way."""
    node, depth = _reach(text, path)
    rest = path[depth:]
    if not rest:
        return text[: node.start] + _render(text, value, node.start) + text[node.end :]
    if not isinstance(node.value, dict):
        raise ConfigError(f"{'.'.join(path[:depth])}: expected an object")
    for key in reversed(rest[1:]):
        value = {key: value}
    return _insert(text, node, value, key=rest[0])


def append(text: str, path: Keys, value: Any) -> str:
    """Add *value* at the end of the list at *path*, making it and the objects on the way."""
    node, depth = _reach(text, path)
    if depth < len(path):
        return put(text, path, [value])
    if not isinstance(node.value, list):
        raise ConfigError(f"{'.'.join(path)}: expected a list")
    return _insert(text, node, value)


def drop(text: str, path: Keys) -> str:
    """Take out the member at *path*; a path that is not there changes nothing."""
    node, depth = _reach(text, path[:-1])
    if depth < len(path) - 1 or path[-1] not in node.members:
        return text
    return _cut(text, node, list(node.members).index(path[-1]))


def drop_items(text: str, path: Keys, mine: Callable[[Any], bool]) -> str:
    """Take out of the list at *path* each item of which *mine* is true."""
    node, depth = _reach(text, path)
    if depth < len(path) or not isinstance(node.value, list):
        return text
    for place in reversed(range(len(node.items))):
        if mine(node.items[place].value):
            text = _cut(text, _reach(text, path)[0], place)
    return text


def replace_item(text: str, path: Keys, place: int, value: Any) -> str:
    """Put *value* where item number *place* of the list at *path* stands."""
    item = _reach(text, path)[0].items[place]
    return text[: item.start] + _render(text, value, item.start) + text[item.end :]


def prune(text: str, path: Keys) -> str:
    """Take out the containers along *path* that hold nothing, from the innermost outwards."""
    for length in range(len(path), 0, -1):
        if get(text, path[:length], default=0) in ({}, []):
            text = drop(text, path[:length])
    return text


def _reach(text: str, path: Keys) -> tuple[_Node, int]:
    """The deepest node along *path* that exists, and how many keys lead to it."""
    node = _scan(text, len(text) - len(text.removeprefix(_BOM)))
    for depth, key in enumerate(path):
        if key not in node.members:
            return node, depth
        node = node.members[key]
    return node, len(path)


def _scan(text: str, at: int) -> _Node:
    at = _skip(text, at)
    if text[at] == "{":
        return _scan_object(text, at)
    if text[at] == "[":
        return _scan_list(text, at)
    value, end = _DECODER.raw_decode(text, at)
    return _Node(at, end, value)


def _scan_object(text: str, start: int) -> _Node:
    node = _Node(start, start, {})
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, colon = _DECODER.raw_decode(text, at)
        child = _scan(text, _skip(text, colon) + 1)
        if key in node.members:  # twice the same key: the last one counts, for every reader
            node.spans.pop(list(node.members).index(key))
            node.members.pop(key)
        node.members[key], node.value[key] = child, child.value
        node.spans.append((at, child.end))
        at = _next(text, child.end)
    node.end = at + 1
    return node


def _scan_list(text: str, start: int) -> _Node:
    node = _Node(start, start, [])
    at = _skip(text, start + 1)
    while text[at] != "]":
        child = _scan(text, at)
        node.items.append(child)
        node.value.append(child.value)
        node.spans.append((child.start, child.end))
        at = _next(text, child.end)
    node.end = at + 1
    return node


def _next(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _insert(text: str, box: _Node, value: Any, key: str | None = None) -> str:
    """Add a member or item after the last one of *box*."""
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if box.spans:
        first, last = box.spans[0][0], box.spans[-1][1]
        gap = text[_after_comma(text, box, first) : first]
        gap = gap if "\n" in gap else " "
        return text[:last] + "," + gap + name + _render(text, value, first) + text[last:]
    unit = _unit(text)
    if not unit:
        return text[: box.start + 1] + name + json.dumps(value, ensure_ascii=False) + text[box.end - 1 :]
    outer = _margin(text, box.start)
    inner = outer + unit
    body = _newline(text) + inner + name + _dump(text, value, inner) + _newline(text) + outer
    return text[: box.start + 1] + body + text[box.end - 1 :]


def _after_comma(text: str, box: _Node, first: int) -> int:
    return box.start + 1 if first > box.start else first


def _cut(text: str, box: _Node, place: int) -> str:
    start, end = box.spans[place]
    if len(box.spans) == 1:
        return text[: box.start + 1] + text[box.end - 1 :]
    if place + 1 < len(box.spans):
        return text[:start] + text[box.spans[place + 1][0] :]
    return text[: box.spans[place - 1][1]] + text[end:]


def _render(text: str, value: Any, at: int) -> str:
    """*value* as it would stand at *at*: over several lines if its neighbours are."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    margin = _margin(text, at)
    alone = not line.strip() or re.fullmatch(r'\s*"(?:[^"\\]|\\.)*"\s*:\s*', line)
    if not _unit(text) or not alone:
        return json.dumps(value, ensure_ascii=False)
    return _dump(text, value, margin)


def _dump(text: str, value: Any, margin: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n")
    return (_newline(text) + margin).join(lines)


def _margin(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    """One step of the text's indentation; '' for a text on one line, two blanks for an empty object."""
    if not load(text):
        return "  "
    found = re.search(r"[{\[][ \t]*\r?\n([ \t]+)\S", text)
    return found.group(1) if found else ""


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
