"""`[[hooks]]` of a TOML text that belongs to somebody else: every byte that is not ours stays.

Hooks are added as text at the end, where TOML always allows one more `[[hooks]]`. tomlkit writes their
values and serves the rare file whose hooks stand in an inline list; on its own it would move such tables
together and trip over a last line without an end (0.15.2). The result is read back and compared.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import ConfigError

Hook = dict[str, Any]

_HEADER = re.compile(r"[ \t]*\[")
_OURS = re.compile(r"[ \t]*\[\[[ \t]*hooks[ \t]*\]\]")
_VALUE = re.compile(r"[ \t]*[A-Za-z0-9_\"'-]+[ \t]*=")


def decode(raw: bytes, where: str) -> str:
    """The text of *raw*, checked to be TOML. Raises: ConfigError that names the line."""
    try:
        text = raw.decode("utf-8")
        tomllib.loads(text.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8; nothing was written", where=where, hint=f"mend {where}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"is not TOML ({error}); nothing was written", where=where, hint=f"mend {where}"
        ) from error
    return text


def hooks(text: str) -> list[Hook]:
    """The hooks of a text that `decode` has accepted."""
    found = tomllib.loads(text.removeprefix("\ufeff")).get("hooks", [])
    if not isinstance(found, list):
        raise ConfigError(
            "hooks: expected [[hooks]] tables; nothing was written", hint="mend the hooks section"
        )
    return found


def add(text: str, new: Sequence[Hook]) -> str:
    """*text* with the hooks *new* after its own."""
    if not new:
        return text
    wanted = [*hooks(text), *new]
    if _is_inline(text):
        changed = _add_inline(text, new)
    else:
        line = "\r\n" if "\r\n" in text else "\n"
        gap = "" if not text or text.endswith("\n") else line
        changed = text + gap + "".join(line + _block(hook).replace("\n", line) for hook in new)
    return _checked(text, changed, wanted)


def remove(text: str, mine: Callable[[Hook], bool]) -> str:
    """*text* without the hooks of which *mine* is true."""
    kept = [hook for hook in hooks(text) if not mine(hook)]
    if len(kept) == len(hooks(text)):
        return text
    changed = _remove_inline(text, mine) if _is_inline(text) else _remove_blocks(text, mine)
    return _checked(text, changed, kept)


def _is_inline(text: str) -> bool:
    return bool(re.search(r"(?m)^[ \t]*hooks[ \t]*=", text)) and not re.search(
        r"(?m)^[ \t]*\[\[[ \t]*hooks", text
    )


def _block(hook: Hook) -> str:
    import tomlkit

    return "[[hooks]]\n" + tomlkit.dumps(hook)


def _remove_blocks(text: str, mine: Callable[[Hook], bool]) -> str:
    lines = text.splitlines(keepends=True)
    place = 0
    while place < len(lines):
        if not _OURS.match(lines[place]):
            place += 1
            continue
        end = _end_of_block(lines, place)
        if mine(_parse_block("".join(lines[place:end]))):
            start = place - 1 if place and not lines[place - 1].strip() else place
            del lines[start:end]
            place = start
        else:
            place = end
    return "".join(lines)


def _end_of_block(lines: Sequence[str], start: int) -> int:
    """One past the block's last value; blank lines and comments after it belong to what follows."""
    end = start + 1
    for number in range(start + 1, len(lines)):
        if _HEADER.match(lines[number]):
            break
        if _VALUE.match(lines[number]):
            end = number + 1
    return end


def _parse_block(block: str) -> Hook:
    try:
        hook: Hook = tomllib.loads(block)["hooks"][0]
    except (tomllib.TOMLDecodeError, KeyError, IndexError):
        return {}
    return hook


def _add_inline(text: str, new: Sequence[Hook]) -> str:
    import tomlkit

    document: Any = tomlkit.parse(text)
    for hook in new:
        table = tomlkit.inline_table()
        table.update(hook)
        document["hooks"].append(table)
    return tomlkit.dumps(document)


def _remove_inline(text: str, mine: Callable[[Hook], bool]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    listed: Any = document["hooks"]
    for place in reversed(range(len(listed))):
        if mine(listed[place].unwrap()):
            del listed[place]
    return tomlkit.dumps(document)


def _checked(before: str, after: str, wanted: list[Hook]) -> str:
    """*after*, once it is certain that nothing but the hooks has changed. Raises: ConfigError."""
    hint = "move your own hooks into [[hooks]] tables, then run it again"
    try:
        old, new = (tomllib.loads(text.removeprefix("\ufeff")) for text in (before, after))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("the hooks cannot be edited safely; nothing was written", hint=hint) from error
    old.pop("hooks", None)
    if new.pop("hooks", []) != wanted or old != new:
        raise ConfigError("the hooks cannot be edited safely; nothing was written", hint=hint)
    return after
