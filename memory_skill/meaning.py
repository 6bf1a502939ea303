"""The notes by their meaning: which chunks of them have vectors, and which entries are near to a question.

The files are the truth here too: `take_up` compares what the notes say with what the vectors were made of, by
content. Only redacted text is embedded. Nothing here is loaded while `vectors.engine` is `off`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from . import vectors
from .config import Config
from .errors import MemorySkillError
from .fusion import Near
from .gate import redact
from .note import Note, scope_of, skim
from .recall import entry_text, scopes_of
from .search import Search
from .tree import Tree, digest
from .vectors import REBUILD, Embedder, Known, Sense, Stats, VectorIndex, VectorTrouble

NEAREST = 100  # chunks that are looked at, as many as candidates by words
OTHERS = 4  # times as many where those of other scopes stand among them
BATCH = 256  # chunks embedded between two writes: what is done stays done
NO_SENSE = Sense(1.0, 0.0, 2.0)
Item = tuple[Known, str]  # what a chunk is made of, and its text
MEMORY_WARN, MEMORY_CRITICAL = 256_000_000, 512_000_000  # bytes of vectors


class Taken(NamedTuple):
    """What `take_up` did: chunks embedded, kept since their text has a vector, and dropped."""

    embedded: int
    kept: int
    dropped: int


class Health(NamedTuple):
    """The figures of `status`: chunks, notes that have none yet, bytes, and how near that is to too much."""

    engine: str
    model: str
    chunks: int
    missing: int
    bytes: int
    level: str
    trouble: str | None = None


class Meaning:
    """The vectors of one tree, as its settings say. Raises: VectorTrouble when they cannot be had."""

    def __init__(self, tree: Tree, config: Config, search: Search) -> None:
        self.tree, self.knobs = tree, config.vectors
        self.notes = {path: found for path, (_, _, found) in search.manifest().items()}
        self.index: VectorIndex = vectors.index(self.knobs.engine, tree.state, self.knobs.model)

    @property
    def embedder(self) -> Embedder:
        """Loaded when it is needed: a model takes up to a second."""
        return vectors.embedder(self.knobs.model)

    def missing(self) -> set[str]:
        """The paths of the notes whose vectors are not of their text."""
        return _changed(self.index.known(), self.notes)

    def take_up(self, *, anew: bool = False) -> Taken:
        """Bring the vectors up to the notes: drop what is gone, embed what is new.

        A chunk whose text has a vector already, under whatever id, costs no call of the model. *anew*:
        vectors that cannot be read are made again.
        """
        known = self._known(anew)
        changed = _changed(known, self.notes)
        wanted: dict[str, Item] = {}
        for path in sorted(changed):
            for name, text in self._chunks(path):
                one = Known(digest(text.encode("utf-8", "replace")), self.notes[path])
                wanted[name] = (one, text)
        gone = [name for name in known if _is_gone(name, self.notes, changed, wanted)]
        fresh = {name: item for name, item in wanted.items() if known.get(name) != item[0]}
        holders = {one.text: name for name, one in known.items()}
        reused = {name: one for name, (one, _) in fresh.items() if one.text in holders}
        todo = {name: item for name, item in fresh.items() if name not in reused}
        kept = self.index.fetch([holders[one.text] for one in reused.values()]) if reused else None
        self.index.delete(gone)  # once they were taken over from, and before a model that may be missing
        for part in _whole_notes(todo):
            made = self.embedder.passages([text for _, text in part.values()])
            self.index.upsert({name: one for name, (one, _) in part.items()}, made)
        if kept is not None:  # last: a note counts as taken up when all its chunks say so
            self.index.upsert(reused, kept)
        return Taken(len(todo), len(known) - len(gone) + len(reused), len(gone))

    def _known(self, anew: bool) -> Mapping[str, Known]:
        try:
            return dict(self.index.known())
        except VectorTrouble:
            if not anew:
                raise
            self.index.clear()
            return {}

    def near(self, query: str, scope: str | Sequence[str]) -> Near:
        """The entries within *scope* that are nearest to *query*."""
        scopes = scopes_of(scope)
        vector = self.embedder.query(redact(query).text[: self.embedder.max_chars])
        cosines: dict[str, float] = {}
        for name, cosine in self.index.search(vector, NEAREST if scopes is None else NEAREST * OTHERS):
            address, path = name.rpartition("|")[0], _path(name)
            if path in self.notes and (scopes is None or scope_of(path) in scopes):
                cosines.setdefault(address, cosine)
        return Near(cosines, self.embedder.sense, _lacking(len(self.missing())))

    def health(self) -> Health:
        found: Stats = self.index.stats()
        limits = ((MEMORY_CRITICAL, "critical"), (MEMORY_WARN, "warn"), (0, "ok"))
        level = next(level for least, level in limits if found.bytes >= least)
        missing = len(self.missing())
        engine, model = self.knobs
        return Health(engine, model, found.chunks, missing, found.bytes, level, _lacking(missing))

    def _chunks(self, path: str) -> Iterator[tuple[str, str]]:
        """Ids and redacted texts: each entry under its title, cut at paragraphs to what the model takes."""
        try:
            found = skim(self.tree.read(path), path)
        except (MemorySkillError, OSError):
            return
        for address, text in _entries(found):
            whole = redact(f"{found.title}. {text}").text
            for number, part in enumerate(_cut(whole, self.embedder.max_chars)):
                yield f"{address}|{number}", part


def _entries(found: Note) -> Iterator[tuple[str, str]]:
    if found.path.startswith("skills/") or not any(entry.text.strip() for entry in found.entries):
        yield found.path, found.description or found.name  # without a chunk it would be missing for ever
        return
    for entry in found.entries:
        yield entry.address, entry_text(found, entry)


def _cut(text: str, limit: int) -> list[str]:
    """*text* in pieces of at most *limit* characters, between paragraphs where that is possible."""
    parts = [""]
    for paragraph in text.split("\n\n"):
        for at in range(0, len(paragraph), limit):
            piece = paragraph[at : at + limit]
            if parts[-1] and len(parts[-1]) + 2 + len(piece) > limit:
                parts.append("")
            parts[-1] = f"{parts[-1]}\n\n{piece}" if parts[-1] else piece
    return [part for part in parts if part.strip()]


def _path(name: str) -> str:
    return name.rpartition("|")[0].partition("#")[0]


def _changed(known: Mapping[str, Known], notes: Mapping[str, str]) -> set[str]:
    """The paths of notes of which a chunk is missing or of another text: one stale chunk is enough."""
    have: dict[str, set[str]] = {}
    for name, one in known.items():
        have.setdefault(_path(name), set()).add(one.note)
    return {path for path, found in notes.items() if have.get(path) != {found}}


def _whole_notes(todo: Mapping[str, Item]) -> Iterator[dict[str, Item]]:
    """*todo* in parts of about BATCH chunks, no note in two of them: the second may never be written."""
    part: dict[str, Item] = {}
    for _, names in groupby(todo, _path):
        part |= {name: todo[name] for name in names}
        if len(part) >= BATCH:
            yield part
            part = {}
    if part:
        yield part


def _is_gone(name: str, notes: Mapping[str, str], changed: set[str], wanted: Mapping[str, object]) -> bool:
    path = _path(name)
    return path not in notes or (path in changed and name not in wanted)


def _lacking(count: int) -> str | None:
    what = "1 note has" if count == 1 else f"{count} notes have"
    return f"{what} no vector yet ({REBUILD})" if count else None


# --- for those whom its trouble must not stop


def health(tree: Tree, config: Config, search: Search) -> Health | None:
    """The figures, or why there are none; None while vectors are off. Raises nothing."""
    engine, model = config.vectors
    if engine == "off":
        return None
    try:
        return Meaning(tree, config, search).health()
    except (MemorySkillError, OSError) as error:
        return Health(engine, model, 0, 0, 0, "critical", _told(error))


def take_up(tree: Tree, config: Config, search: Search) -> str | None:
    """Best effort after a write: what is wrong, or None. The note is saved whatever happens here."""
    try:
        Meaning(tree, config, search).take_up()
    except (MemorySkillError, OSError) as error:
        return _told(error)
    return None


def near(tree: Tree, config: Config, search: Search, query: str, scope: str | Sequence[str]) -> Near:
    """What is near to *query*; nothing, and why, when it cannot be told. Raises nothing."""
    try:
        return Meaning(tree, config, search).near(query, scope)
    except (MemorySkillError, OSError) as error:
        return Near({}, NO_SENSE, _told(error))


def _told(error: MemorySkillError | OSError) -> str:
    """One line: what is wrong, and what mends it."""
    if isinstance(error, OSError):
        return f"{error.strerror or error} ({REBUILD})"
    return f"by words only: {error.what} ({error.hint})" if error.hint else f"by words only: {error.what}"
