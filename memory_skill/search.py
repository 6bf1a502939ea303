"""The derived index: one SQLite file that finds candidates and can be deleted at any time.

It holds, for each entry, its analysed terms and what a filter needs (scope, dates); the text itself stays in
the files. Sole owner of `sqlite3`; works with SQLite 3.40, which cannot delete from a contentless table
without being told the old terms. Knows nothing of ranking: callers weigh the terms.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from _thread import allocate_lock
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

from .errors import MemorySkillError
from .light import NamedTuple, pattern
from .note import Note, skim
from .text import ANALYSER, grams, stem, words
from .tree import LONG, FileStat, Tree, digest, read_met, write_atomic

SCHEMA = "6"
FIELDS = ("title", "description", "body")
WEIGHTS = (2.0, 1.5, 1.0)  # of the fields, measured: +.034 R@5 over equal ones
MAX_COUNTS = (
    15,
    15,
    200,
)  # of one term in one field, so that three counts fit one character below the surrogates
UNITS = (1, 16, 256)  # of the three counts in one code
FIRST_CODE = 33  # above the separators
ROW_BUDGET = 4_000  # index rows read for one query; 10,000 found nothing more among 10,000 notes
SCOPE_SPAN = 1 << 32  # rows of one scope lie in one range of row numbers, which FTS5 can seek to
BUSY_SECONDS = 0.25  # a reader waits so long for a writer's commit, then scans the files
INDEX_FILE = "search.sqlite"

_NUMBER = pattern(r"[A-Za-z]?\d+")  # a part of a name that only numbers notes: 7, m042, 2026

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE scopes(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
CREATE TABLE notes(path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, digest TEXT, name TEXT,
  replaces TEXT, date TEXT) WITHOUT ROWID;
CREATE TABLE entries(id INTEGER PRIMARY KEY, path TEXT, address TEXT, date TEXT, since TEXT, until TEXT,
  pinned INTEGER, length REAL, gram_length REAL, terms TEXT);
CREATE INDEX entries_path ON entries(path);
CREATE INDEX notes_replaces ON notes(path, date, replaces) WHERE replaces <> '';
CREATE TABLE terms(term TEXT PRIMARY KEY, entries INTEGER) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(terms, content='', detail=none, columnsize=0,
  tokenize="ascii tokenchars '#_+'");
"""


class IndexTrouble(MemorySkillError):
    """The index cannot be used: missing, locked, of another version or broken. Files can be scanned."""

    code = "index"

    def __init__(self, what: str) -> None:
        super().__init__(what, where=INDEX_FILE, hint="memory-skill search-index rebuild")


class Row(NamedTuple):
    """What the index, or a file just read, knows of one entry. Dates are ISO days or ""."""

    path: str
    address: str
    date: str
    since: str
    until: str
    pinned: bool
    length: float
    gram_length: float
    terms: str


class Totals(NamedTuple):
    """Entries in the index and their summed lengths, in weighted terms."""

    entries: int
    length: float
    gram_length: float


class Replaced(NamedTuple):
    """A note says that it replaces another: the newer's path and date, and the name or path of the older."""

    path: str
    date: str
    older: str


class Refreshed(NamedTuple):
    """What taking up the tree changed: notes added, changed, removed; why the index was built anew, if so."""

    added: int
    changed: int
    removed: int
    rebuilt: str = ""


# --- the form of the terms: "\n" term "\t" counts, so that one `find` answers how often a field holds a term


def rows_of(note: Note) -> list[Row]:
    """One row for each entry of *note*, as the index would hold it; of a skill only its name and trigger."""
    meta = note.meta
    more = " ".join(meta.get(key, "") for key in ("keywords", "symptoms", "title"))
    described = f"{note.description} {more}"
    name = " ".join(word for word in note.name.replace("_", "-").split("-") if not _NUMBER.fullmatch(word))
    title = name if note.title == note.name.replace("-", " ") else f"{note.title} {name}"
    is_skill = note.path.startswith("skills/")
    since, until = meta.get("valid_from", "")[:10], meta.get("valid_to", "")[:10]
    rows = []
    for address, text in [(note.path, "")] if is_skill else [(e.address, e.text) for e in note.entries]:
        terms, length, gram_length = pack_terms((title, described, text))
        rows.append(Row(note.path, address, note.date, since, until, note.pinned, length, gram_length, terms))
    return rows


def pack_terms(fields: Sequence[str]) -> tuple[str, float, float]:
    """The packed terms of the three fields, and their weighted numbers of stems and of grams."""
    codes: dict[str, int] = {}
    length = gram_length = 0.0
    for text, weight, unit, most in zip(fields, WEIGHTS, UNITS, MAX_COUNTS, strict=True):
        if not text:
            continue
        found = words(text)
        terms = [term for word in found for term in _pieces(word)]
        length += weight * len(found)
        gram_length += weight * (len(terms) - len(found))
        if len(terms) - len(set(terms)) < most:  # no term can stand there too often
            for term in terms:
                codes[term] = codes.get(term, 0) + unit
            continue
        for term, count in Counter(terms).items():
            codes[term] = codes.get(term, 0) + unit * min(count, most)
    packed = "".join([term + chr(FIRST_CODE + code) for term, code in codes.items()])
    return packed, length, gram_length


@lru_cache(maxsize=20_000)
def _pieces(word: str) -> tuple[str, ...]:
    """The terms of *word* as they stand in a row, but for their counts."""
    return tuple(f"\n{term}\t" for term in (stem(word), *grams(word)))


def counts_of(packed: str, term: str) -> tuple[int, int, int] | None:
    """How often title, description and body hold *term*, or None."""
    at = packed.find(f"\n{term}\t")
    if at < 0:
        return None
    code = ord(packed[at + len(term) + 2]) - FIRST_CODE
    return code & 15, code >> 4 & 15, code >> 8


def terms_in(packed: str) -> list[str]:
    return [part[:-2] for part in packed.split("\n")[1:]]


# --- the file


class Search:
    """The index file at *path*. Reading never creates or changes it; each method raises IndexTrouble."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader: sqlite3.Connection | None = None
        self._inode = 0
        self._turn = allocate_lock()
        self._is_steady = False

    # reading

    @contextlib.contextmanager
    def steady(self) -> Iterator[None]:
        """Answer all that is asked within from one state of the index, whoever changes or swaps it meanwhile.

        A row's number means nothing in the next state: a save between `candidates` and `rows` lost a hit.
        """
        with self._turn:
            with _trouble():
                reader = self.open()
                reader.execute("BEGIN")
            self._is_steady = True
            try:
                yield
            finally:
                self._is_steady = False
                with contextlib.suppress(sqlite3.Error):
                    reader.execute("COMMIT")

    def open(self) -> sqlite3.Connection:
        """The one read-only connection of this process, opened anew when the file was swapped."""
        if self._is_steady and self._reader is not None:
            return self._reader
        with _trouble():
            inode = self._known_file()
        if self._reader is not None and inode != self._inode:
            self.close()
        if self._reader is None:
            with _trouble():
                uri = f"{self.path.absolute().as_uri()}?mode=ro"
                reader = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
                try:
                    _check_version(reader)
                except BaseException:
                    reader.close()
                    raise
                self._reader, self._inode = reader, inode
        return self._reader

    def _known_file(self) -> int:
        """The inode of the file if it is as we wrote it last; a bit that something else flipped is no answer.

        Between a writer's commit and its stamp lies a moment, which is waited for.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            if not self.path.is_file():
                raise IndexTrouble("there is no index yet")
            found = self.path.stat()
            if _read_stamp(self.path) == _stamp(found):
                return found.st_ino
            if time.monotonic() > deadline or time.time() - found.st_mtime > BUSY_SECONDS:
                what = "the index was changed by something else, or its last change was cut short"
                raise IndexTrouble(what)
            time.sleep(0.005)

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def totals(self) -> Totals:
        with _trouble():
            found = dict(self.open().execute("SELECT key, value FROM meta"))
            return Totals(int(found["entries"]), float(found["length"]), float(found["gram_length"]))

    def note_count(self) -> int:
        with _trouble():
            # To count them reads the whole table, 2 ms of 10,000 notes: the number is kept.
            return int(self.open().execute("SELECT value FROM meta WHERE key = 'notes'").fetchone()[0])

    def stats(self) -> set[tuple[str, int, int]]:
        """Of each indexed file: path, size in bytes, mtime in nanoseconds, as in `FileStat`."""
        with _trouble():
            return set(self.open().execute("SELECT path, size, mtime_ns FROM notes"))

    def manifest(self) -> dict[str, tuple[int, int, str]]:
        """Of each indexed file: size in bytes, mtime in nanoseconds, digest."""
        with _trouble():
            rows = self.open().execute("SELECT path, size, mtime_ns, digest FROM notes")
            return {path: (size, mtime, found) for path, size, mtime, found in rows}

    def replaced(self) -> list[Replaced]:
        """What notes say that they replace, in the order of the newer notes' paths."""
        with _trouble():
            rows = self.open().execute(
                "SELECT path, date, replaces FROM notes WHERE replaces <> '' ORDER BY path"
            )
            return [Replaced(path, date, older) for path, date, names in rows for older in names.split("\n")]

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many entries each of *terms* stands; those in none are left out."""
        with _trouble():
            return _frequencies(self.open(), list(terms))

    def candidates(self, weights: Mapping[str, float], scopes: Sequence[str] | None, limit: int) -> list[int]:
        """The *limit* row numbers with the greatest sums of *weights*, within *scopes* (None: all).

        Rare terms are read first, until ROW_BUDGET rows are; of those that stand nearly everywhere only the
        two weightiest count, together. The order is the same each time.
        """
        with _trouble():
            reader = self.open()
            ranges = _ranges(reader, scopes)
            frequency = _frequencies(reader, list(weights))
            order = sorted(frequency, key=lambda term: (frequency[term], term))
            scores: dict[int, float] = {}
            left = ROW_BUDGET
            passed: list[str] = []
            for term in order:
                if frequency[term] > left:
                    passed.append(term)
                    continue
                left -= frequency[term]
                weight = weights[term]
                for (row,) in _matching(reader, quote(term), ranges, ROW_BUDGET):
                    scores[row] = scores.get(row, 0.0) + weight
            for (row,) in _matching(
                reader, _together(passed, weights), ranges, limit if scores else ROW_BUDGET
            ):
                scores.setdefault(row, 0.0)
            # Equal sums stay in the order in which they were met, which is the same each time.
            best = sorted(scores.items(), key=itemgetter(1), reverse=True)
            return [row for row, _ in best[:limit]]

    def rows(self, numbers: Sequence[int]) -> list[Row]:
        """The rows of these numbers, in any order."""
        found: list[Row] = []
        with _trouble():
            for start in range(0, len(numbers), 500):
                part = numbers[start : start + 500]
                marks = ",".join("?" * len(part))
                found += map(
                    Row._make,
                    self.open().execute(
                        "SELECT path, address, date, since, until, pinned, length, gram_length, terms "
                        f"FROM entries WHERE id IN ({marks})",
                        part,
                    ),
                )
        return found

    def rows_at(self, paths: Sequence[str]) -> list[Row]:
        """The rows of the notes at *paths*, in any order."""
        found: list[Row] = []
        with _trouble():
            for start in range(0, len(paths), 500):
                part = paths[start : start + 500]
                query = f"SELECT id FROM entries WHERE path IN ({','.join('?' * len(part))})"
                found += self.rows([number for (number,) in self.open().execute(query, part)])
        return found

    def pinned(self, scopes: Sequence[str] | None) -> list[Row]:
        """The rows of pinned notes within *scopes*, by address."""
        with self.steady(), _trouble():
            reader = self.open()
            rows = reader.execute("SELECT id FROM entries WHERE pinned").fetchall()
            ranges = _ranges(reader, scopes)
            numbers = [n for (n,) in rows if any(low <= n < high for low, high in ranges)]
            return sorted(self.rows(numbers), key=lambda row: row.address)

    # writing: the caller holds the tree's lock

    def update(self, tree: Tree, paths: Iterable[str]) -> None:
        """Take up these files as they are now; those that are gone leave the index."""
        with self._writer() as writer:
            for path in paths:
                _drop(writer, path)
                found = _read(tree, path)
                if found:
                    _put(writer, *found)

    def refresh(self, tree: Tree) -> Refreshed:
        """Bring the index up to the tree: by the difference, or anew when it cannot be used."""
        try:
            known = self.manifest()
        except IndexTrouble as trouble:
            return self.rebuild(tree, reason=trouble.what)
        added: list[str] = []
        changed: list[str] = []
        for found in tree.walk():
            size, mtime, _ = known.pop(found.path, (-1, 0, ""))
            if size < 0:
                added.append(found.path)
            elif (size, mtime) != (found.size, found.mtime_ns):
                changed.append(found.path)
        try:
            if added or changed or known:
                self.update(tree, [*added, *changed, *known])
        except IndexTrouble as trouble:
            return self.rebuild(tree, reason=trouble.what)
        return Refreshed(len(added), len(changed), len(known))

    def rebuild(self, tree: Tree, *, reason: str = "asked for") -> Refreshed:
        """Build the index beside, then swap it in: readers see the old one or the new one, never a half."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        aside = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        aside.unlink(missing_ok=True)
        try:
            with _trouble(), contextlib.closing(_connect(aside)) as writer, writer:
                writer.execute("PRAGMA journal_mode=OFF")
                writer.executescript(_TABLES)
                writer.execute("BEGIN")  # one transaction: a commit for each row took 20 times as long
                load = _Load(writer)
                for stat in tree.walk():
                    data = read_met(f"{tree.home}/{stat.path}")
                    if data is not None:
                        load.put(skim(data, stat.path), stat, digest(data))
                load.finish()
            self.close()
            # A journal left by a killed writer would be played into the new file.
            self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
            if self.path.is_dir():
                from shutil import rmtree  # 12 ms with its compressors; only a folder in the way pays them

                rmtree(self.path)
            aside.replace(self.path)
            _put_stamp(self.path)
        finally:
            aside.unlink(missing_ok=True)
        return Refreshed(load.notes, 0, 0, reason)

    def verify(self) -> list[str]:
        """What is wrong with the index, in words; an empty list when nothing is."""
        try:
            with _trouble():
                reader = self.open()
                problems = [str(row[0]) for row in reader.execute("PRAGMA quick_check(5)") if row[0] != "ok"]
                totals = self.totals()
                count = reader.execute("SELECT count(*), total(length) FROM entries").fetchone()
                if count[0] != totals.entries or abs(count[1] - totals.length) > 0.01 * (1 + count[1]):
                    problems.append(f"counts {totals.entries} entries and holds {count[0]}")
                notes = reader.execute("SELECT count(*) FROM notes").fetchone()[0]
                if notes != self.note_count():
                    problems.append(f"counts {self.note_count()} notes and holds {notes}")
                return problems
        except IndexTrouble as trouble:
            return [trouble.what]

    @contextlib.contextmanager
    def _writer(self) -> Iterator[sqlite3.Connection]:
        with _trouble():
            self._known_file()
            with contextlib.closing(_connect(self.path)) as writer:
                _check_version(writer)
                with writer:
                    writer.execute("BEGIN IMMEDIATE")
                    yield writer
            _put_stamp(self.path)


def _stamp(found: os.stat_result) -> bytes:
    return f"{found.st_size} {found.st_mtime_ns}".encode()


def _put_stamp(path: Path) -> None:
    write_atomic(path.with_suffix(".stamp"), _stamp(path.stat()), durable=False)


def _read_stamp(path: Path) -> bytes:
    try:
        return path.with_suffix(".stamp").read_bytes()
    except OSError:
        return b""


def quote(term: str) -> str:
    """*term* as a string of the FTS5 query language."""
    return '"' + term.replace('"', '""') + '"'


@contextlib.contextmanager
def _trouble() -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise IndexTrouble(f"the index cannot be used: {error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    writer = sqlite3.connect(path, timeout=5.0, isolation_level=None)
    # Derived data: the journal keeps it whole through a killed process, and a power cut costs one rebuild.
    writer.execute("PRAGMA synchronous=OFF")
    writer.execute("PRAGMA journal_mode=TRUNCATE")
    return writer


def _check_version(connection: sqlite3.Connection) -> None:
    found = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('schema', 'analyser')"))
    if found != {"schema": SCHEMA, "analyser": ANALYSER}:
        raise IndexTrouble(f"the index is of another version: {found.get('schema')}, {found.get('analyser')}")


def _frequencies(reader: sqlite3.Connection, terms: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(terms), 500):
        part = terms[start : start + 500]
        marks = ",".join("?" * len(part))
        found.update(
            reader.execute(f"SELECT term, entries FROM terms WHERE term IN ({marks}) AND entries > 0", part)
        )
    return found


def _ranges(reader: sqlite3.Connection, scopes: Sequence[str] | None) -> list[tuple[int, int]]:
    """The ranges of row numbers of *scopes*, [low, high)."""
    if scopes is None:
        return [(0, 1 << 62)]
    marks = ",".join("?" * len(scopes))
    rows = reader.execute(f"SELECT id FROM scopes WHERE name IN ({marks}) ORDER BY id", list(scopes))
    return [(number * SCOPE_SPAN, (number + 1) * SCOPE_SPAN) for (number,) in rows]


def _matching(
    reader: sqlite3.Connection, expression: str, ranges: list[tuple[int, int]], limit: int
) -> list[tuple[int]]:
    found: list[tuple[int]] = []
    for low, high in ranges if expression else ():
        query = "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ? LIMIT ?"
        found += reader.execute(query, (expression, low, high, limit)).fetchall()
    return found


def _together(terms: list[str], weights: Mapping[str, float]) -> str:
    """Entries that hold the two weightiest of the too frequent *terms*; one alone stands for itself."""
    best = sorted(terms, key=lambda term: (-weights[term], term))[:2]
    return " AND ".join(map(quote, best))


def _read(tree: Tree, path: str) -> tuple[Note, FileStat, str] | None:
    """The note at *path*, and its file's state before it was read; None if it is gone or cannot be read."""
    try:
        found = (tree.home / path).stat()
        data = tree.read(path)
    except (OSError, MemorySkillError):
        return None
    return skim(data, path), FileStat(path, found.st_size, found.st_mtime_ns & LONG), digest(data)


def _drop(writer: sqlite3.Connection, path: str) -> None:
    rows = writer.execute(
        "SELECT id, length, gram_length, terms FROM entries WHERE path = ?", (path,)
    ).fetchall()
    for number, length, gram_length, packed in rows:
        held = terms_in(packed)
        writer.execute(
            "INSERT INTO words(words, rowid, terms) VALUES ('delete', ?, ?)", (number, " ".join(held))
        )
        writer.executemany(
            "UPDATE terms SET entries = entries - 1 WHERE term = ?", [(term,) for term in held]
        )
        _count(writer, -1, -length, -gram_length)
    writer.execute("DELETE FROM entries WHERE path = ?", (path,))
    gone = writer.execute("DELETE FROM notes WHERE path = ?", (path,)).rowcount
    writer.execute("UPDATE meta SET value = value - ? WHERE key = 'notes'", (gone,))


def _put(writer: sqlite3.Connection, note: Note, stat: FileStat, found: str) -> None:
    load = _Load(writer)
    load.put(note, stat, found)
    load.finish()


def _count(writer: sqlite3.Connection, entries: int, length: float, gram_length: float) -> None:
    for key, value in (("entries", entries), ("length", length), ("gram_length", gram_length)):
        writer.execute("UPDATE meta SET value = value + ? WHERE key = ?", (value, key))


class _Load:
    """Puts notes into an open index; the counts of terms and lengths are written once, at the end."""

    def __init__(self, writer: sqlite3.Connection) -> None:
        self.writer = writer
        self.terms: Counter[str] = Counter()
        self.notes, self.entries, self.length, self.gram_length = 0, 0, 0.0, 0.0
        writer.executemany(
            "INSERT OR IGNORE INTO meta VALUES (?, ?)",
            [
                ("schema", SCHEMA),
                ("analyser", ANALYSER),
                ("notes", 0),
                ("entries", 0),
                ("length", 0.0),
                ("gram_length", 0.0),
            ],
        )
        self.scopes: dict[str, int] = dict(writer.execute("SELECT name, id FROM scopes"))
        self.next: dict[str, int] = {}

    def put(self, note: Note, stat: FileStat, found: str) -> None:
        replaces = "\n".join(older_names(note))
        self.writer.execute(
            "INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                note.path,
                stat.size,
                stat.mtime_ns,
                found,
                _storable(note.name),
                _storable(replaces),
                note.date,
            ),
        )
        self.notes += 1
        for row in rows_of(note):
            number = self._number(note.scope)
            self.writer.execute("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?)", (number, *row))
            held = terms_in(row.terms)
            self.writer.execute("INSERT INTO words(rowid, terms) VALUES (?, ?)", (number, " ".join(held)))
            self.terms.update(held)
            self.entries += 1
            self.length += row.length
            self.gram_length += row.gram_length

    def _number(self, scope: str) -> int:
        """The next free row number in the range of *scope*."""
        if scope not in self.scopes:
            cursor = self.writer.execute("INSERT INTO scopes(name) VALUES (?)", (scope,))
            self.scopes[scope] = int(cursor.lastrowid or 0)
        if scope not in self.next:
            low = self.scopes[scope] * SCOPE_SPAN
            query = "SELECT max(id) FROM entries WHERE id >= ? AND id < ?"
            last = self.writer.execute(query, (low, low + SCOPE_SPAN)).fetchone()[0]
            self.next[scope] = low if last is None else last + 1
        number = self.next[scope]
        self.next[scope] += 1
        return number

    def finish(self) -> None:
        self.writer.executemany(
            "INSERT INTO terms VALUES (?, ?) ON CONFLICT DO UPDATE SET entries = entries + excluded.entries",
            sorted(self.terms.items()),
        )
        self.writer.execute("UPDATE meta SET value = value + ? WHERE key = 'notes'", (self.notes,))
        _count(self.writer, self.entries, self.length, self.gram_length)


def older_names(note: Note) -> list[str]:
    """The names or paths of the notes that *note* replaces."""
    given = note.meta.get("supersedes", "").strip("[]")
    return [name.strip(" \"'[]").removesuffix(".md") for name in given.split(",") if name.strip(" \"'[]")]


def _storable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
