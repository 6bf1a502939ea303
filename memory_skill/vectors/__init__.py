"""The optional third layer: texts as vectors, found by their meaning. Knows ids and texts, no Markdown.

Two Protocols, so that what embeds and what searches can each be another program: `Embedder` makes vectors of
texts, `VectorIndex` keeps them by id. All of it is derived: deleted, it is made again from the notes.
Sole owner of `numpy`; nothing here is imported while `vectors.engine` is `off`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..errors import MemorySkillError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Array = NDArray[float32]

REBUILD = "memory-skill search-index rebuild"
FOLDER = "vectors"  # in `.state`


class VectorTrouble(MemorySkillError):
    """Nothing can be found by meaning now: a package, a model, an engine or a width is not there or wrong."""

    code = "vectors"

    def __init__(self, what: str, *, where: str | None = None, hint: str = REBUILD) -> None:
        super().__init__(what, where=where, hint=hint)


class Sense(NamedTuple):
    """What a cosine of a model is worth as evidence; each measured on memset dev and prompts of our own.

    *even* speaks neither for nor against an answer; *pull*: what one whole of cosine is worth beside the
    sureness of the words; *alone*: enough without any word; 3 of our 30 near misses reach it.
    """

    even: float
    pull: float
    alone: float


class Known(NamedTuple):
    """What an index knows of one chunk: the digest of its text, and of the note that it was taken from."""

    text: str
    note: str


class Stats(NamedTuple):
    """*chunks* can be found, each of *width* numbers; a search goes through *bytes*."""

    chunks: int
    width: int
    bytes: int


class Embedder(Protocol):
    """Makes unit vectors of texts. Raises: VectorTrouble."""

    name: str  # also of the vectors: those of another name are of no use
    max_chars: int  # of one text; what is longer is cut into chunks
    sense: Sense  # what its cosines are worth as evidence

    def passages(self, texts: Sequence[str]) -> Array:
        """An array of shape (len(texts), width), rows of length 1."""

    def query(self, text: str) -> Array:
        """The vector, of shape (width,), of what is asked."""


class VectorIndex(Protocol):
    """Keeps vectors by id, `ADDRESS|CHUNK`. Raises: VectorTrouble."""

    def known(self) -> Mapping[str, Known]:
        """All ids, with what their vectors were made of."""

    def fetch(self, ids: Sequence[str]) -> Array:
        """The vectors of *ids*, which are known."""

    def upsert(self, items: Mapping[str, Known], vectors: Array) -> None:
        """Put in or replace; the rows are in the order of *items*."""

    def delete(self, ids: Sequence[str]) -> None:
        """Forget them; ids that are not there are no error."""

    def clear(self) -> None:
        """Forget all, also what cannot be read any more."""

    def search(self, vector: Array, limit: int) -> list[tuple[str, float]]:
        """The nearest ids with their cosines, best first; equal ones by id."""

    def stats(self) -> Stats:
        """What there is."""


@cache
def embedder(model: str) -> Embedder:
    """The embedder of that name, loaded once a process. Raises: VectorTrouble for one that is not there."""
    from .shipped import SHIPPED

    if model not in SHIPPED:
        hint = f"one of: {', '.join(SHIPPED)}"
        raise VectorTrouble(f"unknown model {model!r}", where="vectors.model", hint=hint)
    return SHIPPED[model]()


def index(engine: str, state: Path, model: str) -> VectorIndex:
    """The index of that engine for vectors of that model. Raises: VectorTrouble."""
    if engine != "local":
        raise VectorTrouble(f"unknown engine {engine!r}", where="vectors.engine", hint="off or local")
    from .local import LocalIndex

    return LocalIndex(state / FOLDER, model)
