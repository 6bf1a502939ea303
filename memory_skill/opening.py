"""What opens a session: the first block, which depends on the tree alone, and the second, which does not.

Standard library only. The first block is the same bytes until the tree changes, so that a host's prompt cache
holds; notices, waiting turns and, where a host cannot speak at its start, the project part are the second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import pack
from .text import fence, one_line, shorten, unfence
from .tree import INDEX, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .journal import Turn

AGENTS_CHARS = 2500  # of the tree's AGENTS.md
PROJECT_CHARS = 4500  # of the project's own index
NOTICE_CHARS = 700
NEWS_CHARS = 400
WAITING_CHARS = 1200  # of turns that wait to be distilled
TURN_CHARS = 280  # of one message of such a turn


def command(env: Mapping[str, str]) -> str:
    """How an agent calls the command line: by its name if that is on PATH, else by its path."""
    beside = Path(sys.executable).with_name("memory-skill")
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        found = Path(folder) / "memory-skill"
        if folder and os.access(found, os.X_OK):
            return "memory-skill"
    return str(beside) if os.access(beside, os.X_OK) else f"{sys.executable} -m memory_skill"


def shown(home: Path, env: Mapping[str, str]) -> str:
    """The tree's folder as people write it."""
    user = env.get("HOME", "")
    return "~" + str(home)[len(user) :] if user and str(home).startswith(user + os.sep) else str(home)


def first(
    tree: Tree,
    env: Mapping[str, str],
    slug: str,
    pinned: str,
    *,
    with_index: bool,
    fits: Callable[[str], bool],
) -> str:
    """The law, AGENTS.md, the project's index and what is pinned; the root index if the host does not.

    *fits* tells whether a text may go out; the longest part gives way, by whole lines.
    """
    law = pack.law(command=command(env), home=shown(tree.home, env))
    parts = [
        whole_lines(text_of(tree, "AGENTS.md"), AGENTS_CHARS),
        whole_lines(text_of(tree, f"knowledge/projects/{slug}/{INDEX}") if slug else "", PROJECT_CHARS),
        pinned,
        text_of(tree, INDEX) if with_index else "",
    ]
    # The fence looks for secrets in all that it holds, 35 ms for a full index: not at each try.
    while any(parts) and not fits("\n\n".join([law, *parts])):
        _shorten_longest(parts)
    text = _together(law, parts)
    while any(parts) and not fits(text):
        _shorten_longest(parts)
        text = _together(law, parts)
    return text


def _shorten_longest(parts: list[str]) -> None:
    longest = max(range(len(parts)), key=lambda i: len(parts[i]))
    parts[longest] = whole_lines(parts[longest], len(parts[longest]) * 9 // 10)


def standing(tree: Tree, env: Mapping[str, str]) -> tuple[str, str, str]:
    """Law, AGENTS.md and root index, for a host whose start text lies in a file."""
    law = pack.law(command=command(env), home=shown(tree.home, env))
    return law, whole_lines(text_of(tree, "AGENTS.md"), AGENTS_CHARS), text_of(tree, INDEX)


def project_part(tree: Tree, slug: str, pinned: str, limit: int) -> str:
    """The project's index and what is pinned, fenced, within *limit* characters; '' if there is neither."""
    index = text_of(tree, f"knowledge/projects/{slug}/{INDEX}") if slug else ""
    room = limit - len(fence("", what="this project"))
    if not (index or pinned) or room < 80:
        return ""
    kept = whole_lines(pinned, room // 2)
    body = "\n\n".join(part for part in (whole_lines(index, room - len(kept) - 2), kept) if part)
    return fence(body, what="this project") if body else ""


def news(lines: str) -> str:
    """Lines of the index that came too late for the start text of this session, within NEWS_CHARS."""
    return fence(whole_lines(lines, NEWS_CHARS), what="new in the index")


def notices(lines: Iterable[str]) -> str:
    """One line each, within NOTICE_CHARS; '' if there is none."""
    text = "\n".join(f"- {one_line(unfence(line))}" for line in lines)
    return f"memory-skill, tell the user:\n{whole_lines(text, NOTICE_CHARS)}" if text else ""


def waiting(turns: Sequence[Turn], limit: int = WAITING_CHARS) -> tuple[str, tuple[str, ...]]:
    """Turns of earlier sessions that nobody distilled, newest kept, and the ids of those that are shown."""
    lines: list[str] = []
    ids: list[str] = []
    room = limit - 260  # the sentence around them and the fence
    for turn in reversed(turns):
        said = shorten(one_line(turn.user), TURN_CHARS), shorten(one_line(turn.assistant), TURN_CHARS)
        line = f"- {turn.time[:10]} user: {said[0]}\n  reply: {said[1]}"
        if len(line) + 1 > room:
            break
        room -= len(line) + 1
        lines.insert(0, line)
        ids.insert(0, turn.id)
    if not lines:
        return "", ()
    body = fence("\n".join(lines), what="turns of an earlier session")
    return f"Not yet distilled; save what of it will be needed again, if anything:\n{body}", tuple(ids)


def whole_lines(text: str, limit: int) -> str:
    """*text* up to *limit* characters, cut at the end of a line, with a line that says so."""
    text = text.strip()
    if len(text) <= limit:
        return text
    lines, cut = text.split("\n"), "[shown {} of {} lines]"
    room = limit - len(cut) - 8
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, cut.format(len(kept), len(lines))]) if kept else ""


def _together(law: str, parts: Sequence[str]) -> str:
    body = "\n\n".join(part for part in parts if part)
    return f"{law.strip()}\n\n{fence(body, what='memory')}" if body else law.strip()


def text_of(tree: Tree, rel: str) -> str:
    """The text of one file of the tree without its HTML comments; '' if it cannot be read."""
    from .errors import MemorySkillError

    try:
        raw = tree.read_or_none(rel)
    except MemorySkillError:
        return ""
    text = (raw or b"").decode("utf-8", "replace").removeprefix("\ufeff")
    lines = [line for line in text.splitlines() if not line.strip().startswith("<!--")]
    return "\n".join(lines).strip()
