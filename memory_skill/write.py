"""The one write path, for every entrance; the only place where write order exists.

Lock, read, edit in memory, write whole: *acknowledged*. Then the index files, the search index, and one
commit of exactly these paths; what follows the acknowledgement can be repaired from the files.
"""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from . import gate, index
from .config import Config
from .damage import damage_of, is_conflict_copy
from .errors import ConfigError, Conflict, DiskTrouble, GitTrouble, MemorySkillError, NotFound, PathRefused
from .history import History, Origin
from .index import Line
from .light import NamedTuple
from .note import Note, parse, scope_of, skim
from .pending import Due, Pending
from .projects import Projects
from .salvage import last_good
from .search import Search
from .text import one_line, shorten
from .tree import ABSENT, INDEX, FileStat, Tree, digest, is_note, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Edit = Callable[[bytes | None], bytes | None]  # a file's bytes in, its new bytes out; None: not there

_SCOPED = frozenset({"knowledge/projects", "knowledge/agents"})
STAMPS = "settled.json"
SWEEP = 20  # due commits that one verb makes beside its own
ROOT_ORDER = ("knowledge", "skills")


class Message(NamedTuple):
    """What a commit says: the subject for `git log`, the body for people, trailers for machines."""

    subject: str
    body: str = ""
    trailers: Mapping[str, str] = {}


class Written(NamedTuple):
    """The paths that changed, the commit's short id, and why there is none although one was due."""

    paths: tuple[str, ...]
    commit: str | None = None
    warning: str | None = None


class Known(NamedTuple):
    """What the index remembers of one note, so that it is parsed once: its line, its entries' ids, and the
    notes that it depends on."""

    size: int
    mtime_ns: int
    line: Line
    ids: tuple[str, ...]
    needs: tuple[str, ...] = ()


def becomes(data: bytes | None, before: bytes | None) -> Edit:
    """The edit that makes *data* of *before*. Raises: Conflict when meanwhile something else stands there."""

    def edit(now: bytes | None) -> bytes | None:
        if now != before:
            raise Conflict("changed since it was read", hint="read it again, then repeat")
        return data

    return edit


def message(verb: str, address: str, body: str, origin: Origin, source: str = "") -> Message:
    """The commit of one verb."""
    trailers = {
        "Memory-Verb": verb,
        "Memory-Host": origin.host or "",
        "Memory-Session": origin.session or "",
        "Memory-Turn": origin.turn or "",
        "Memory-Source": source,
    }
    subject = f"{verb} {shorten(one_line(gate.redact(address).text), 100)}"
    return Message(subject, gate.redact(body).text, {k: v for k, v in trailers.items() if v})


class Writer:
    """Changes the files of one tree."""

    def __init__(self, tree: Tree, config: Config) -> None:
        self.tree = tree
        self.config = config
        self.history = History(tree.home)
        self.pending = Pending(tree)
        self.search = Search(tree.state / "search.sqlite")
        self.by_meaning = config.vectors.engine != "off"  # whether vectors follow; a hook has no time for it
        self._is_ahead = False  # of the vectors

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """The tree's lock. Raises: NotFound without a tree, ConfigError for one of a newer format, Locked."""
        self.check_home()
        self.ready()
        with self.tree.lock():
            try:
                yield
            except OSError as error:
                what = f"the disk does not take it: {error.strerror or error}"
                hint = "nothing that was there is lost; make room or mend the permissions, then repeat"
                raise DiskTrouble(what, where=error.filename or str(self.tree.home), hint=hint) from error
        if self._is_ahead and self.by_meaning:
            from .meaning import take_up

            take_up(self.tree, self.config, self.search)  # its trouble is in `status` and with each recall
            self._is_ahead = False

    def check_home(self) -> None:
        """Raises: PathRefused for a link to nowhere, or one that a cloned repository brought."""
        home = self.tree.home
        if home.is_symlink() and (self.config.local or not home.exists()):
            raise PathRefused("is a link", where=str(home), hint=f"replace the link {home} by a folder")

    def ready(self) -> None:
        """Raises: NotFound without a tree, ConfigError for one of a newer format."""
        if not self.tree.exists():
            raise NotFound("there is no memory here yet", where=str(self.tree.home), hint="memory-skill init")
        if not self.config.writable:
            raise ConfigError(
                f"the tree has format {self.config.format}, this version writes 1",
                where="config.toml",
                hint="upgrade: pip install -U memory-skill-pack",
            )

    def change(self, edits: Mapping[str, Edit], said: Message, also: Iterable[str] = ()) -> Written:
        """Apply *edits* to their files, then what follows; for use inside `hold`.

        *also* names files that were written already and belong to the same commit.
        """
        also = list(also)
        found = {path: self.tree.read_or_none(path) for path in edits}
        wanted = {path: _masking(edit)(found[path]) for path, edit in edits.items()}
        changed = [path for path in edits if wanted[path] != found[path]]
        if not changed:
            return Written(())
        due = self._due({path: wanted[path] for path in changed}, said, also)
        for path in changed:
            self._put(path, found[path], wanted[path])
        return self.follow([*changed, *also], said, due)

    def _put(self, path: str, before: bytes | None, after: bytes | None) -> None:
        """Replace exactly the bytes that were read. Raises: Conflict."""
        expect = ABSENT if before is None else digest(before)
        if after is None:
            self.tree.remove(path, expect)
        else:
            self.tree.write(path, after, expect)

    def _due(self, wanted: Mapping[str, bytes | None], said: Message, also: Iterable[str] = ()) -> Due | None:
        """Note the commit before its files are written: a kill in between leaves it to the next verb."""
        if not self.config.commits:
            return None
        every = {path: self.tree.read_or_none(path) for path in also} | dict(wanted)
        paths = {path: ABSENT if data is None else digest(data) for path, data in every.items()}
        return self.pending.note(said.subject, said.body, said.trailers, paths)

    def follow(self, paths: Iterable[str], said: Message, due: Due | None = None) -> Written:
        """Bring index files, search index and history up to *paths*, which are written already."""
        changed = list(dict.fromkeys(paths))
        indexes: list[str] = []
        trouble = None
        try:
            indexes = self.reindex({group_of(path) for path in changed})
            self._update_search(changed)
            stamp(self.tree, [*changed, *indexes])
        except (MemorySkillError, OSError) as error:  # it is saved: what can be rebuilt must not undo that
            trouble = f"written, not yet in the index ({error}); memory-skill settle takes it up"
        commit, warning = self.commit([*changed, *indexes], said, due)
        return Written(tuple(changed), commit, warning or trouble)

    def _update_search(self, paths: list[str]) -> None:
        from .search import IndexTrouble

        try:
            self.search.update(self.tree, filter(is_note, paths))
        except IndexTrouble:
            self.search.rebuild(self.tree)
            (self.tree.state / STAMPS).unlink(missing_ok=True)  # it took up edits that nobody settled

    def commit(
        self, paths: Iterable[str], said: Message, due: Due | None = None
    ) -> tuple[str | None, str | None]:
        """The commit's short id, or None, and why there is none although one was due."""
        self._is_ahead = True
        if not self.config.commits:
            return None, None
        try:
            self.sweep(but=due)
            made = self.history.commit(
                list(dict.fromkeys(paths)), said.subject, said.body, dict(said.trailers)
            )
        except (GitTrouble, NotFound) as error:
            return None, f"written, not committed ({error.what}); memory-skill settle commits it later"
        if due:
            self.pending.strike(due)
        return made, None

    def sweep(self, but: Due | None = None, limit: int = SWEEP) -> list[str]:
        """Make commits that are due since a kill or a fault, the oldest first, as they were meant.

        Of their files only those that still are as the verb wrote them; the others are for settle to check.
        Returns: the new commits. Raises: GitTrouble, NotFound.
        """
        made = []
        for due in self.pending.all()[:limit]:
            if due == but:
                continue
            paths = [path for path, wanted in due.paths.items() if self._is_still(path, wanted)]
            made.append(self.history.commit(paths, due.subject, due.body, due.trailers))
            self.pending.strike(due)
        return [commit for commit in made if commit]

    def _is_still(self, path: str, wanted: str) -> bool:
        try:
            data = self.tree.read_or_none(path)
        except MemorySkillError:
            return False
        return wanted == (ABSENT if data is None else digest(data))

    # --- index files

    def reindex(self, groups: Iterable[str]) -> list[str]:
        """Write the index files of these folders anew where their bytes change. Returns: their paths."""
        wanted = set(groups)
        scoped = sorted(group for group in wanted if group)
        changed = [path for group in scoped for path in self._write_index(group)]
        return changed + self._write_index("") if wanted else []

    def _write_index(self, group: str) -> list[str]:
        path = f"{group}/{INDEX}" if group else INDEX
        shard = self._shard(group)
        known = self._known(group, shard)
        raw = self.tree.read_or_none(path)
        current = (raw or b"").decode("utf-8", "replace")
        if current != shard.get("last"):
            current = gate.redact(current).text  # nobody has settled it yet
        lines = [item.line for item in known.values()] + ([] if group else list(self._pointers()))
        text = ""
        if not group or any(target.startswith(f"{group}/") for target in known):
            packed = index.pack(
                lines,
                current,
                shard.get("last", ""),
                self.config.index,
                folder=group,
                title=f"Memory of {group.split('/')[-1]}" if group else "Memory",
                was_note=self._was_note,
            )
            text = packed.text
        data = text.encode("utf-8") or None
        if data != raw:
            self._put(path, raw, data)
        # Last: a kill in between must not make a line that was never written look like one that was deleted.
        self._keep_shard(group, known, text)
        return [path] if data != raw else []

    def _known(self, group: str, shard: Mapping[str, Any]) -> dict[str, Known]:
        """The notes of one folder; those that did not change since are not read again."""
        cached = shard.get("notes", {})
        known = {}
        for stat in self._walk(group):
            item = _from_json(cached.get(stat.path))
            if item is None or (item.size, item.mtime_ns) != (stat.size, stat.mtime_ns):
                item = self._read(stat)
            if item:
                known[stat.path] = item
        return known

    def _walk(self, group: str) -> Iterator[FileStat]:
        if not group:
            yield from self.tree.walk(*ROOT_ORDER, skip=_SCOPED, strict=True)
            return
        yield from self.tree.walk(group, strict=True)
        single = self.tree.home / f"{group}.md"
        if single.is_file() and not single.is_symlink():
            found = single.stat()
            yield FileStat(f"{group}.md", found.st_size, found.st_mtime_ns)

    def _read(self, stat: FileStat) -> Known | None:
        note = self.note(stat.path)
        ids = tuple(entry.id for entry in note.entries) if note else ()
        if note is None:
            return None
        given = note.meta.get("depends_on", "").strip("[]").split(",")
        needs = tuple(one.strip(" \"'[]") for one in given if one.strip(" \"'[]"))
        line = index.line_of(note)  # of a note that nobody may have settled yet
        title, told = gate.redact(line.title).text, gate.redact(line.description).text
        size = stat.size if note.raw or not stat.size else -1  # what could not be read is tried again
        return Known(size, stat.mtime_ns, line._replace(title=title, description=told), ids, needs)

    def note(self, path: str) -> Note | None:
        """The note at *path* as far as it can be read; None if it is gone or no regular file."""
        from .errors import MemorySkillError, NoteError

        try:
            raw = self.tree.read(path)
        except DiskTrouble as trouble:
            if getattr(trouble.__cause__, "errno", None) != errno.EIO:
                raise  # out of descriptors: to go on would be to forget the note
            raw = b""  # a bad block: the note is there, and named by its path
        except MemorySkillError:
            return None
        if raw and damage_of(raw, path):
            return self._undamaged(path)
        try:
            return parse(raw, path)
        except NoteError:
            return skim(raw, path)

    def _undamaged(self, path: str) -> Note | None:
        """A damaged note as git knows it last; else no more than its name. None for a copy of another."""
        if is_conflict_copy(path):
            return None
        found = None
        with contextlib.suppress(GitTrouble, NotFound):
            found = last_good(self.history, path)
        return skim(found[1] if found else b"", path)

    def known(self, scopes: Iterable[str]) -> dict[str, Known]:
        """The notes of these scopes, by path."""
        found: dict[str, Known] = {}
        for group in {group_of_scope(scope) for scope in scopes}:
            found |= self._known(group, self._shard(group))
        return found

    def _pointers(self) -> Iterator[Line]:
        """One line for each project: to its index, or to its only note."""
        folder = self.tree.home / "knowledge" / "projects"
        names = {path.name.removesuffix(".md") for path in folder.glob("*")} if folder.is_dir() else set()
        for name in sorted(names):
            group = f"knowledge/projects/{name}"
            if any(True for _ in self.tree.walk(group)):
                yield Line(f"{group}/{INDEX}", name, "the index of this project", "projects")
            elif (folder / f"{name}.md").is_file():
                note = self.note(f"{group}.md")
                yield Line(f"{group}.md", name, note.summary if note else "", "projects")

    def _was_note(self, path: str) -> bool:
        try:
            return bool(self.history.log(limit=1, path=path))
        except (GitTrouble, NotFound):
            return False

    def _shard_file(self, group: str) -> Any:
        return self.tree.state / "index" / (group.replace("/", "~") + ".json" if group else "root.json")

    def _shard(self, group: str) -> dict[str, Any]:
        """What was kept; nothing when a bit of it was flipped, or another folder's file stands here."""
        try:
            check, _, data = self._shard_file(group).read_bytes().partition(b"\n")
            found = json.loads(data) if check.decode() == digest(group.encode() + data) else None
        except (OSError, ValueError):
            return {}
        if not isinstance(found, dict) or not isinstance(found.get("notes"), dict):
            return {}
        return {"notes": found["notes"], "last": str(found.get("last", ""))}

    def _keep_shard(self, group: str, known: Mapping[str, Known], text: str) -> None:
        target = self._shard_file(group)
        target.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps({"last": text, "notes": known}, ensure_ascii=False).encode("utf-8", "replace")
        check = digest(group.encode() + data).encode()
        write_atomic(target, check + b"\n" + data, durable=False)

    def claim_project(self, folder: Any) -> tuple[str, list[str]]:
        """The slug of *folder*'s project, claimed for it, and the paths that this wrote."""
        slug, path = Projects(self.tree).claim(folder)
        return slug, [path] if path else []


def _masking(edit: Edit) -> Edit:
    """*edit*, and every secret of the file masked: also one that a hand wrote and nobody has settled yet."""

    def masked(before: bytes | None) -> bytes | None:
        after = edit(before)
        return after if after is None or after == before else mask(after)

    return masked


def mask(data: bytes) -> bytes:
    """*data* with its secrets masked, whatever its encoding is."""
    passed = gate.redact(data.decode("utf-8", "surrogateescape"))
    return passed.text.encode("utf-8", "surrogateescape") if passed.masked else data


def stamps(tree: Tree) -> dict[str, list[int]]:
    """Size and mtime of the files that settle watches though they are no notes: AGENTS.md, index files."""
    projects = tree.home / "knowledge" / "projects"
    indexes = sorted(projects.glob(f"*/{INDEX}")) if projects.is_dir() else []
    found = {}
    for path in (tree.home / INDEX, tree.home / "AGENTS.md", *indexes):
        with contextlib.suppress(OSError):
            stat = path.lstat()
            found[path.relative_to(tree.home).as_posix()] = [stat.st_size, stat.st_mtime_ns]
    return found


def kept_stamps(tree: Tree) -> dict[str, list[int]]:
    """The stamps as they were when each file was written or settled last."""
    try:
        found = json.loads((tree.state / STAMPS).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def stamp(tree: Tree, paths: Iterable[str]) -> None:
    """Remember that *paths* are settled as they are now."""
    now, taken = stamps(tree), set(paths)
    kept = {path: value for path, value in kept_stamps(tree).items() if path in now}
    kept |= {path: value for path, value in now.items() if path in taken}
    write_atomic(tree.state / STAMPS, json.dumps(kept).encode(), durable=False)


def group_of(path: str) -> str:
    """The folder whose index shows the note at *path*; "" is the root."""
    return group_of_scope(scope_of(path))


def group_of_scope(scope: str) -> str:
    kind, _, owner = scope.partition(":")
    return f"knowledge/{kind}s/{owner}" if owner else ""


def _from_json(found: Any) -> Known | None:
    try:
        size, mtime, line, ids, needs = found
        return Known(size, mtime, Line(*line), tuple(ids), tuple(needs))
    except (TypeError, ValueError):
        return None
