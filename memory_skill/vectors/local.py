"""The built-in engine: exact search over one memory-mapped file, which many readers share.

`rows` holds the vectors, only ever appended to; `ids` says what each row is, a line a change: `row`, the
digests of text and note, and the id, or `-` and an id that is gone. A line is written after its row is on
the disk, so a cut file loses changes and never mixes them; a torn last line is none. When half of the rows
are dead, both are written anew beside and `current` is swapped to name them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..tree import flock, write_atomic
from . import Known, Stats, VectorTrouble

try:
    import numpy as np
except ImportError as _error:
    _hint = "pip install 'memory-skill-pack[vectors]'"
    raise VectorTrouble("the package numpy is not installed", hint=_hint) from _error

if TYPE_CHECKING:
    from . import Array

FORM = "1"  # of the files
LEAST_DEAD = 1_000  # dead rows below which nothing is written anew


def unit(rows: Any) -> Array:
    """*rows* as float32, each of length 1; one of zeros stays so."""
    found = np.asarray(rows, dtype=np.float32)
    length = np.linalg.norm(found, axis=-1, keepdims=True)
    length[length == 0] = 1
    made: Array = found / length
    return made


class _Held:
    """One state of the files: what the rows are, and which of them count."""

    def __init__(self, width: int, generation: str) -> None:
        self.width, self.generation = width, generation
        self.rows: dict[str, int] = {}
        self.known: dict[str, Known] = {}
        self.size = 0  # rows in the file, dead ones too
        self.read = 0  # bytes of `ids` that were understood


class LocalIndex:
    """Vectors of one model in *folder*. Reading creates nothing."""

    def __init__(self, folder: Path, model: str) -> None:
        self.folder, self.model = folder, model
        self._held: _Held | None = None

    def known(self) -> Mapping[str, Known]:
        held = self._read()
        return held.known if held else {}

    def fetch(self, ids: Sequence[str]) -> Array:
        held = self._read()
        if held is None:
            raise VectorTrouble("there are no vectors yet")
        return np.array(self._rows(held)[[held.rows[one] for one in ids]])

    def upsert(self, items: Mapping[str, Known], vectors: Array) -> None:
        if not items:
            return
        with self._writing():
            held = self._fit(int(vectors.shape[1]))
            with self._file("rows", held).open("r+b") as file:
                file.seek(held.size * held.width * 4)  # over a row that no line tells of
                file.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
                file.flush()
                os.fsync(file.fileno())
            lines = [
                f"{held.size + at}\t{one.text}\t{one.note}\t{name}\n"
                for at, (name, one) in enumerate(items.items())
            ]
            self._tell(held, lines)

    def delete(self, ids: Sequence[str]) -> None:
        with self._writing():
            held = self._read()
            gone = [name for name in ids if held and name in held.rows]
            if held is None or not gone:
                return
            with self._file("rows", held).open("r+b") as file:
                for name in gone:  # what was forgotten leaves no trace of its meaning either
                    file.seek(held.rows[name] * held.width * 4)
                    file.write(bytes(held.width * 4))
            self._tell(held, [f"-\t\t\t{name}\n" for name in gone])

    def clear(self) -> None:
        with self._writing():
            self._held = None
            for path in [self.folder / "current", *self.folder.glob("rows.*"), *self.folder.glob("ids.*")]:
                path.unlink(missing_ok=True)

    def search(self, vector: Array, limit: int) -> list[tuple[str, float]]:
        held = self._read()
        if held is None or not held.rows:
            return []
        if vector.shape != (held.width,):
            raise VectorTrouble(f"the model gives {vector.shape[0]} numbers, the index holds {held.width}")
        cosines = self._rows(held) @ vector
        names = list(held.rows)
        mine = cosines[np.fromiter(held.rows.values(), dtype=np.int64, count=len(names))]
        count = min(limit, len(names))
        best = np.argpartition(-mine, count - 1)[:count]
        found = [(names[at], float(mine[at])) for at in best]
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def stats(self) -> Stats:
        held = self._read()
        return Stats(len(held.rows), held.width, held.size * held.width * 4) if held else Stats(0, 0, 0)

    # --- the files

    def _rows(self, held: _Held) -> Array:
        return np.memmap(self._file("rows", held), dtype="<f4", mode="r", shape=(held.size, held.width))

    def _file(self, kind: str, held: _Held) -> Path:
        return self.folder / f"{kind}.{held.generation}"

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with flock(self.folder / "lock"):
            yield

    def _read(self) -> _Held | None:
        """The files as they are now; None without vectors of this model."""
        try:
            form, model, width, generation = (self.folder / "current").read_text("utf-8").split("\n")[:4]
            if form != FORM or model != self.model:
                self._held = None
                return None
            if self._held is None or self._held.generation != generation:
                self._held = _Held(int(width), generation)
            self._take_up(self._held)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise VectorTrouble(f"the vectors cannot be read ({type(error).__name__}: {error})") from error
        return self._held

    def _take_up(self, held: _Held) -> None:
        """Read the lines that came since."""
        with self._file("ids", held).open("rb") as file:
            file.seek(held.read)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        held.read += len(whole)
        size = self._file("rows", held).stat().st_size // (held.width * 4)
        for line in whole.decode("utf-8").splitlines():
            row, text, note, name = line.split("\t")
            held.rows.pop(name, None)
            held.known.pop(name, None)
            if row == "-":
                continue
            if int(row) >= size:
                raise VectorTrouble("the vectors are cut short")
            held.rows[name] = int(row)
            held.known[name] = Known(text, note)
            held.size = max(held.size, int(row) + 1)

    def _tell(self, held: _Held, lines: Sequence[str]) -> None:
        path = self._file("ids", held)
        with path.open("r+b") as file:
            file.truncate(held.read)  # a torn line would swallow the next one
            file.seek(held.read)
            file.write("".join(lines).encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        self._take_up(held)
        if held.size - len(held.rows) > max(LEAST_DEAD, len(held.rows)):
            self._write_anew(held)

    def _fit(self, width: int) -> _Held:
        """The files for vectors of *width*; those of another model or width are replaced by empty ones."""
        try:
            held = self._read()
        except VectorTrouble:
            held = None
        return held if held and held.width == width else self._swap(width, np.empty((0, width)), "")

    def _write_anew(self, held: _Held) -> None:
        rows = self._rows(held)[list(held.rows.values())]
        lines = [
            f"{at}\t{one.text}\t{one.note}\t{name}\n" for at, (name, one) in enumerate(held.known.items())
        ]
        self._swap(held.width, rows, "".join(lines))

    def _swap(self, width: int, rows: Any, lines: str) -> _Held:
        generation = os.urandom(4).hex()
        fresh = _Held(width, generation)
        write_atomic(self._file("rows", fresh), np.ascontiguousarray(rows, dtype="<f4").tobytes())
        write_atomic(self._file("ids", fresh), lines.encode("utf-8"))
        write_atomic(self.folder / "current", f"{FORM}\n{self.model}\n{width}\n{generation}\n".encode())
        for old in [*self.folder.glob("rows.*"), *self.folder.glob("ids.*")]:
            if old.suffix != f".{generation}":
                old.unlink(missing_ok=True)  # a reader that has it open keeps what it has
        self._held = fresh
        self._take_up(fresh)
        return fresh
