"""Notes that Claude Code's own auto-memory has kept so far: found, told apart, copied into the tree.

They stay where they are. A project's folder there is named after its path with every other character
replaced by `-`; a transcript beside the memory tells the true path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .. import note
from ..errors import MemorySkillError, NoteError
from ..hosts import claude_code as host
from ..memory import Memory
from ..note import Note, format_note
from ..text import one_line, shorten
from .change import digest

MAX_TRANSCRIPT_LINES = 200  # one of the first lines has the session's folder
MAX_NOTE = 200_000  # bytes; a longer file is no memory of one thing


@dataclass(frozen=True)
class Native:
    """One of them. *project* is the folder it belongs to, None where that cannot be told."""

    path: Path
    digest: str
    type: str
    project: Path | None

    @property
    def target(self) -> str:
        """Where it goes: `global`, the project's folder, or `inbox`."""
        if self.type in ("user", "feedback"):
            return "global"
        return str(self.project) if self.project else "inbox"


@dataclass(frozen=True)
class Copied:
    """Counts, and one line for each note that the gate refused."""

    added: int = 0
    unchanged: int = 0
    held: int = 0
    refused: tuple[str, ...] = ()


def find(env: Mapping[str, str], known: Iterable[str] = ()) -> list[Native]:
    """All native notes but those of which *known* has the digest; a file that cannot be read is left out."""
    seen, found = set(known), []
    for memory in sorted((host.home(env) / "projects").glob("*/memory")):
        if memory.is_symlink():
            continue
        project: Path | None = None
        for path in sorted(memory.rglob("*.md")):
            one = _native(path)
            if one is None or one[0] in seen:
                continue
            project = project or project_of(memory.parent)
            found.append(Native(path, one[0], one[1], project))
    return found


def _native(path: Path) -> tuple[str, str] | None:
    """Digest and type of one file, None if it is no note."""
    if path.name == "MEMORY.md" or path.is_symlink() or not path.is_file():
        return None
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    if not raw.strip() or len(raw) > MAX_NOTE:
        return None
    found = _read(raw, path.name)
    return str(digest(raw)), found.type if found.typed else "project"


def _read(raw: bytes, name: str) -> Note:
    """The note as it is meant: one whose header is no YAML is skimmed."""
    try:
        return note.parse(raw, name)
    except NoteError:
        return note.skim(raw, name)


def project_of(folder: Path) -> Path | None:
    """The folder of the sessions whose transcripts lie in *folder*, else the one that its name fits."""
    for transcript in sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime, reverse=True):
        cwd = _cwd(transcript)
        if cwd and slug_fits(cwd, folder.name):
            return Path(cwd)
    return _by_name(folder.name)


def _cwd(transcript: Path) -> str:
    with transcript.open("rb") as lines:
        for _, line in zip(range(MAX_TRANSCRIPT_LINES), lines, strict=False):
            found = re.search(rb'"cwd":\s*("(?:[^"\\]|\\.)*")', line)
            if found:
                try:
                    return str(json.loads(found.group(1)))
                except ValueError:
                    continue
    return ""


def slug_fits(cwd: str, name: str) -> bool:
    """Whether the client would keep sessions of *cwd* under *name*; a long name is cut and ends in a hash."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", cwd)
    return slug == name or (len(slug) > 200 and name[:200] == slug[:200])


def _by_name(name: str) -> Path | None:
    """The one existing folder whose path gives *name*; None where there is none or more than one."""
    found: list[Path] = []
    stack = [Path("/")] if name.startswith("-") else []
    while stack and len(found) < 2:
        place = stack.pop()
        try:
            children = [child for child in place.iterdir() if child.is_dir() and not child.is_symlink()]
        except OSError:
            continue
        for child in children:
            slug = re.sub(r"[^A-Za-z0-9]", "-", str(child))
            if slug == name:
                found.append(child)
            elif name.startswith(slug + "-"):
                stack.append(child)
    return found[0] if len(found) == 1 else None


def copy(natives: Iterable[Native], tree: Path, env: Mapping[str, str]) -> Copied:
    """Save each into the tree, its origin in the header; one commit a note. Raises: GitTrouble, Locked."""
    added = unchanged = held = 0
    refused = []
    quiet = {
        key: value for key, value in env.items() if not key.startswith("CLAUDE")
    }  # no session saves this
    for one in natives:
        memory = Memory.open(tree, env=quiet, cwd=one.project or tree)
        try:
            outcome = _save(memory, one)
        except MemorySkillError as error:
            refused.append(f"{one.path}: {error.what}")
            continue
        added += outcome == "saved"
        unchanged += outcome == "unchanged"
        held += outcome == "held"
        if outcome == "refused":
            refused.append(f"{one.path}: refused by the gate")
    return Copied(added, unchanged, held, tuple(refused))


def _save(memory: Memory, one: Native) -> str:
    found = _read(one.path.read_bytes(), one.path.name)
    origin = {"host": host.NAME, "origin": str(one.path)}
    meta = {"source": "agent-inferred"} | found.meta | {"type": one.type} | origin
    if one.target == "inbox":
        meta["source"] = "tool-output"  # what a person has to file waits in the inbox
    told = found.description or shorten(one_line(found.body), 140)
    raw = format_note(found.name or one.path.stem, told, found.body, meta)
    scope = "global" if one.target in ("global", "inbox") else None
    return memory.save_note(raw, scope=scope, moved=True).outcome
