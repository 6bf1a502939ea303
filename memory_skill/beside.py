"""What a new entry is compared with: the nearest entries of its scope, and what an agent reads anyway."""

from __future__ import annotations

from pathlib import Path

from .gate import Beside
from .note import Note, skim
from .projects import project_of
from .recall import recall
from .write import Writer

NEAREST = 5  # entries that a new one is compared with
MAX_FILE = 200_000  # bytes read of an instruction file
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md")


def entries(text: str, where: str, writer: Writer) -> list[Beside]:
    """The entries of the scope *where* that are nearest to *text*, whole."""
    found = recall(
        text[:2000],
        where,
        tree=writer.tree,
        search=writer.search,
        config=writer.config,
        limit=2 * NEAREST,
        max_chars=100_000,
    )
    hits = [hit for hit in found.hits if hit.scope == where][:NEAREST]
    notes = {hit.address: _read(hit.address.partition("#")[0], writer) for hit in hits}
    return [
        Beside(entry.address, entry.text)
        for address, note in notes.items()
        if note
        for entry in note.entries
        if entry.address == address
    ]


def instructions(writer: Writer, cwd: Path) -> list[Beside]:
    """The instruction files of the memory and of the project around *cwd*, as far as there are any."""
    root = project_of(cwd).root
    files = {"AGENTS.md of the memory": writer.tree.home / "AGENTS.md"}
    files |= {str(root / name): root / name for name in INSTRUCTIONS}
    return [Beside(name, text) for name, path in files.items() if (text := _head(path))]


def _read(path: str, writer: Writer) -> Note | None:
    raw = writer.tree.read_or_none(path)
    return skim(raw, path) if raw else None


def _head(path: Path) -> str:
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return file.read(MAX_FILE).decode("utf-8", "replace")
    except OSError:
        return ""
