"""`Memory`, the façade: one tree and its verbs. Every face calls these; none writes a file itself."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import changes, decisions, gate, note, settle
from . import config as settings
from . import inbox as box
from .blame import Line, Shown, blamed, shown
from .errors import (
    Conflict,
    MemorySkillError,
    NoteError,
    NotFound,
    PathRefused,
    Refused,
    UsageError,
)
from .feedback import Judged, judge
from .history import Commit, Origin
from .note import SOURCES, TYPES, Note, entry_ids, format_note, scope_of, type_of
from .projects import Projects
from .refusals import Refusals
from .results import (
    Context,
    Edited,
    Forgotten,
    Imported,
    Initialised,
    Listed,
    Saved,
    Status,
    Undone,
)
from .sessions import Sessions
from .text import normalise, one_line, shorten, slug
from .tree import INDEX, NOTE_FOLDERS, Tree
from .undo import TOMBSTONES, taken_back
from .write import Edit, Writer, Written, group_of_scope, message

if TYPE_CHECKING:
    from .recall import Recalled

_ID = re.compile(r"[0-9a-f]{8}")
_LISTS = re.compile(r"knowledge/(?:[^/]+|projects/[^/]+)\.md")  # list notes: user.md, projects/<slug>.md
_CAUSE = re.compile(
    r"\b(because|caused?|due to|since|reason|turned out|weil|wegen|ursache|grund|parce|raison)\b"
    r"|因为|由于|原因|ため|から|때문",
    re.IGNORECASE,
)


class Memory:
    """One tree. Open it with `Memory.open()`; the verbs raise `MemorySkillError`s, each with a hint.

    *cwd* decides which project is the current one, *origin* who is asking.
    """

    def __init__(self, config: settings.Config, *, cwd: Path, env: Mapping[str, str]) -> None:
        self.config = config
        self.tree = Tree(config.home)
        self.cwd = cwd
        self.env = env
        self.sessions = Sessions(self.tree.state)
        self._writer = Writer(self.tree, config)
        self._origin: Origin | None = None

    @classmethod
    def open(
        cls, home: Path | str | None = None, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Memory:
        """The tree at *home*, or the one that the environment names (`~/.memory-skill` by default).

        Raises: ConfigError with the key, what was expected and what was found.
        """
        env = os.environ if env is None else env
        place = Path(home).expanduser() if home else None
        config = settings.load(env, place, cwd)
        return cls(config, cwd=cwd or Path.cwd(), env=env)

    @property
    def origin(self) -> Origin:
        """The host session in which this process runs; unknown for a person at a terminal."""
        if self._origin is None:
            self._origin = self.sessions.current(self.env, self.cwd) or Origin()
        return self._origin

    @property
    def project(self) -> str:
        """The slug of the current project: the session's start folder decides, not a `cd`; "" outside one."""
        origin = self.origin
        if origin.host and origin.session:
            record = self.sessions.read(origin.host, origin.session)
            if record.project:
                return record.project
        home = Path(self.env.get("HOME") or Path.home())
        return "" if self.cwd in (home, Path("/")) else Projects(self.tree).slug(self.cwd)

    @property
    def reading(self) -> str:
        """The scope that is read when none is named: global and the current project."""
        return f"project:{self.project}" if self.project else "global"

    # --- set-up

    def init(self) -> Initialised:
        """Make the tree, or complete it; what is there already stays as it is. Raises: GitTrouble."""
        from . import pack
        from .history import REVIEWED

        self._writer.check_home()
        self.tree.home.mkdir(parents=True, exist_ok=True)
        if not self.config.local:
            self._writer.history.init()
        created = [path for path, data in pack.tree_files().items() if self._create(path, data)]
        (self.tree.state / "sessions").mkdir(parents=True, exist_ok=True)
        for folder in (*NOTE_FOLDERS, "inbox"):
            (self.tree.home / folder).mkdir(exist_ok=True)
        with self._writer.hold():
            said = message("init", "memory", "", self.origin)
            done = self._writer.follow(created, said) if created else Written(())
        if done.commit and REVIEWED:
            self._writer.history.mark_reviewed()
        return Initialised(str(self.tree.home), tuple(created), done.commit)

    def _create(self, rel: str, data: bytes) -> bool:
        from .tree import write_atomic

        target = self.tree.home / rel
        if target.exists():
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, data)
        return True

    # --- saving

    def save(
        self,
        text: str,
        *,
        type: str,
        name: str | None = None,
        description: str | None = None,
        why: str | None = None,
        how: str | None = None,
        scope: str | None = None,
        source: str = "user-said",
        pin: bool = False,
        to: str | None = None,
        again: bool = False,
    ) -> Saved:
        """Add one entry as a note of its own.

        *scope* is `global`, `project` (the current one), `project:<slug>` or `agent:<name>`; by default the
        type decides. *to* names the file instead. *again* lets in what was forgotten once.
        Raises: UsageError for an unknown type, scope or source; PathRefused. A refusal is an outcome.
        """
        if type not in TYPES:
            raise UsageError(f"unknown type {type!r}", hint=f"one of {', '.join(TYPES)}")
        if source not in SOURCES:
            raise UsageError(f"unknown source {source!r}", hint=f"one of {', '.join(SOURCES)}")
        body = _compose(text, why, how)
        meta = {"type": type, "source": source, "created": date.today().isoformat()}
        meta |= self._signature()
        if pin:
            meta["pin"] = "true"
        told = _told(description, body)
        stem = self._stem(name or slug(told) or type)
        return self._save(stem, told, body, meta, scope, to, again)

    def save_note(
        self,
        raw: str,
        *,
        scope: str | None = None,
        to: str | None = None,
        again: bool = False,
        moved: bool = False,
    ) -> Saved:
        """Add a whole note, header and all, in canonical form. Raises: NoteError, UsageError, PathRefused.

        *moved*: it was a memory elsewhere, and only the safety rules hold.
        """
        found = note.parse(raw, to or "stdin.md")
        if to and to.startswith("skills/"):
            return self._put(to, raw if raw.endswith("\n") else raw + "\n", entry_ids(found.body), again)
        kind = found.type
        if not (found.typed or to):
            raise UsageError(
                "the note's header names no type", hint=f"metadata: type: one of {', '.join(TYPES)}"
            )
        meta = {"type": kind, "source": "user-said", "created": date.today().isoformat()}
        meta |= self._signature() | found.meta
        told = _told(found.description, found.body)
        stem = self._stem(found.name if found.name != "stdin" else slug(told) or kind)
        return self._save(stem, told, found.body, meta, scope, to, again, moved)

    def _save(
        self,
        stem: str,
        told: str,
        body: str,
        meta: dict[str, str],
        scope: str | None,
        to: str | None,
        again: bool,
        moved: bool = False,
    ) -> Saved:
        if to and to.startswith("skills/"):
            return self._put(to, format_note(note.stem_of(to), told, body, {}), entry_ids(body), again)
        self._writer.ready()
        where = scope_of(self._writable(to)) if to else self._scope(scope, meta["type"])
        folder = _folder(where, meta["type"])
        try:
            passed = self._admitted(body, meta, where, moved)
        except gate.Doubted as doubt:
            self._refusals.count(doubt.rule)
            raw = format_note(stem, told, gate.redact(body).text, meta)
            return self._hold(raw, stem, folder, meta, doubt.what, doubt.rule)
        except Refused as error:
            self._refusals.count(error.rule)
            return Saved(None, where, "refused", error.rule, error.hint)
        if to:
            return self._put(
                to, format_note(note.stem_of(to), told, passed.text, meta), entry_ids(body), again
            )
        return self._add(folder, stem, told, passed, meta, again)

    @property
    def _refusals(self) -> Refusals:
        return Refusals(self.tree.state)

    def _admitted(self, body: str, meta: Mapping[str, str], where: str, moved: bool) -> gate.Passed:
        """*body* as the gate lets it in. Raises: Refused, Doubted."""
        from . import beside

        source = meta.get("source", "")
        candidate = gate.Candidate(
            body,
            type=meta["type"],
            source=source,
            by="assistant" if source == "agent-inferred" else "user",
            pinned=moved or meta.get("pin", "").lower() == "true",
            confidence=meta.get("confidence", "").lower(),
        )
        if candidate.pinned or source == "tool-output":
            return gate.admit(candidate, knobs=self.config.gate)
        same = set(entry_ids(body))  # those are unchanged, not refused
        near = [o for o in beside.entries(body, where, self._writer) if note.entry_id(o.text) not in same]
        given = beside.instructions(self._writer, self.cwd)
        return gate.admit(candidate, knobs=self.config.gate, beside=near, instructions=given)

    def _add(
        self, folder: str, stem: str, told: str, passed: gate.Passed, meta: dict[str, str], again: bool
    ) -> Saved:
        where, ids = scope_of(f"{folder}/x.md"), set(entry_ids(passed.text))
        with self._writer.hold():
            if not again and ids & self._tombs():
                return _buried(where)
            known = self._writer.known([where])
            same = next((path for path, item in known.items() if ids <= set(item.ids)), None)
            if same:
                return Saved(same, where, "unchanged")
            name, taken = self._free(folder, stem)
            raw = format_note(name, told, passed.text, meta)
            path = f"{folder}/{name}.md"
            extra = self._claim(where)
            body = f"{told}\n\nScope: {where}."
            said = message("save", path, body, self.origin, meta.get("source", ""))
            done = self._writer.change({path: _becomes(raw.encode("utf-8"), None)}, said, also=extra)
        self._count_save()
        hint = done.warning or _advice(meta["type"], passed, taken)
        return Saved(path, where, "saved", None, hint, None, done.commit)

    def _put(self, to: str, raw: str, ids: Sequence[str], again: bool) -> Saved:
        """Write a new file at a path that the caller chose. Raises: Conflict when it is there already."""
        path = self._writable(to)
        where = scope_of(path)
        try:
            passed = gate.check(raw, self.config.gate, where=path)
        except Refused as error:
            return Saved(None, where, "refused", error.rule, error.hint)
        with self._writer.hold():
            before = self.tree.read_or_none(path)
            if before is not None and before.decode("utf-8", "replace") == passed.text:
                return Saved(path, where, "unchanged")
            if before is not None:
                hint = f"change it: memory-skill edit {path} --old OLD --new NEW"
                raise Conflict("is there already", where=path, hint=hint)
            if not again and self._tombs().intersection(ids):
                return _buried(where)
            said = message("save", path, f"Scope: {where}.", self.origin)
            done = self._writer.change(
                {path: _becomes(passed.text.encode("utf-8"), None)}, said, also=self._claim(where)
            )
        self._count_save()
        return Saved(path, where, "saved", None, done.warning, None, done.commit)

    def _hold(
        self, raw: str, stem: str, folder: str, meta: Mapping[str, str], reason: str, rule: str
    ) -> Saved:
        where = scope_of(f"{folder}/x.md")
        told = {"to": f"{folder}/{stem}.md", "type": meta.get("type", ""), "scope": where}
        told |= {"host": self.origin.host or "", "session": self.origin.session or ""}
        with self._writer.hold():
            item = box.held(self.tree, stem, reason, raw, day=date.today().isoformat(), **told)
            said = message("hold", item.path, reason, self.origin, meta.get("source", ""))
            text = box.form(item).encode("utf-8")
            done = self._writer.change({item.path: _becomes(text, None)}, said)
        hint = (
            f"it waits for the user as {item.id} ({reason}); ask, then: memory-skill inbox accept {item.id}"
        )
        return Saved(None, where, "held", rule, hint, item.path, done.commit)

    def _signature(self) -> dict[str, str]:
        """Where a new note was learned, for its header: it outlives the git history."""
        told = {"host": self.origin.host or "", "session": self.origin.session or ""}
        return {key: value for key, value in told.items() if value}

    def _stem(self, name: str) -> str:
        stem = slug(gate.redact(name).text.removesuffix(".md"), limit=80)
        if not stem or not re.fullmatch(r"[\w.-]{1,80}", stem):
            raise UsageError(
                f"the name {name!r} has no letter and no digit", hint="give --name a word or two"
            )
        return stem

    def _free(self, folder: str, stem: str) -> tuple[str, str | None]:
        """A name that no file of *folder* has, and the path that has *stem* if one does."""
        name = _unused(stem, (path.stem for path in (self.tree.home / folder).glob("*.md")))
        return name, None if name == stem else f"{folder}/{stem}.md"

    def _scope(self, wanted: str | None, kind: str) -> str:
        """The scope of a new note: as wanted, else by the type's rule."""
        if not wanted:
            return "global" if kind in ("user", "feedback") or not self.project else f"project:{self.project}"
        return self._one_scope(wanted)

    def _one_scope(self, wanted: str) -> str:
        if wanted == "all":
            raise UsageError("unknown scope 'all' for a note", hint="global, project:<slug>, agent:<name>")
        return self.scope(wanted)

    def scope(self, wanted: str) -> str:
        """*wanted* as a scope. Raises: UsageError for one that is none."""
        if wanted == "project":
            if not self.project:
                raise UsageError(
                    "there is no project here", hint="--scope global, or run it inside the project"
                )
            return f"project:{self.project}"
        kind, _, owner = wanted.partition(":")
        if wanted in ("global", "all") or (
            kind in ("project", "agent") and re.fullmatch(r"\w[\w.-]{0,99}", owner)
        ):
            return wanted
        raise UsageError(
            f"unknown scope {wanted!r}", hint="global, project, project:<slug>, agent:<name>; all to read"
        )

    def _claim(self, where: str) -> list[str]:
        """Leave the identity of the current project beside its first note."""
        if where != f"project:{self.project}" or not self.project:
            return []
        record = self.sessions.read(self.origin.host or "", self.origin.session or "")
        return self._writer.claim_project(Path(record.root) if record.root else self.cwd)[1]

    def _tombs(self) -> set[str]:
        raw = self.tree.home / TOMBSTONES
        return (
            {line[:8] for line in raw.read_text("utf-8", "replace").splitlines()} if raw.is_file() else set()
        )

    def _count_save(self) -> None:
        origin = self.origin
        if origin.host and origin.session:
            with contextlib.suppress(OSError, MemorySkillError):  # it is saved, whether it is counted or not
                self.sessions.saved(origin.host, origin.session)

    def _writable(self, path: str) -> str:
        """*path* if a verb may write there. Raises: PathRefused."""
        self.tree.path(path)
        if gate.redact(path).masked:
            raise PathRefused("holds a secret", where=gate.redact(path).text)
        inside = path.split("/", 1)[0] in NOTE_FOLDERS and path.endswith(".md") and "/" in path
        if path.endswith(f"/{INDEX}") or path == INDEX:
            raise PathRefused("is generated", where=path, hint="edit the note that it points to")
        if not (inside or path == "AGENTS.md"):
            raise PathRefused("is no note", where=path, hint=f"a .md file under {', '.join(NOTE_FOLDERS)}")
        return path

    # --- editing

    def edit(self, address: str, old: str, new: str) -> Edited:
        """Replace *old*, which must stand in the note (or in the entry `path#id`) exactly once, by *new*.

        An empty *old* appends, or creates the note. Raises: NoMatch with the nearest lines, SeveralMatches,
        NotFound, Refused, PathRefused.
        """
        path, ident = _parted(address)
        self._writable(path)
        passed = gate.check(new, self.config.gate, where=path) if new.strip() else gate.Passed(new, ())
        with self._writer.hold():
            before = self.tree.read_or_none(path)
            if before is None and old:
                raise NotFound(
                    "no such note", where=path, hint="memory-skill list; an empty --old creates it"
                )
            text = note.decode(before, path) if before is not None else ""
            after = self._edited(path, ident, text, old, passed.text, exists=before is not None)
            whole = gate.check(after, self.config.gate, where=path)
            said = message("edit", address, _told_edit(old, passed.text), self.origin)
            done = self._writer.change({path: _becomes(note.encode(whole.text, before), before)}, said)
        if not done.paths:
            return Edited(address, "unchanged")
        self._count_save()
        hint = done.warning or ("a secret in it was masked" if passed.masked or whole.masked else None)
        return Edited(address, "created" if before is None else "edited", done.commit, hint)

    def _edited(self, path: str, ident: str, text: str, old: str, new: str, *, exists: bool) -> str:
        if ident:
            return _edit_entry(text, path, ident, old, new)
        if old:
            return note.replace_in_note(text, old, new, path)
        if not new.strip():
            raise Refused("there is nothing to add", rule="empty", where=path, hint="give --new a text")
        if exists:
            return note.append(text, new)
        return _new_file(path, new)

    # --- forgetting and undoing

    def forget(self, query: str, *, yes: bool = True) -> Forgotten:
        """Remove an entry by its address, or by a query that fits exactly one.

        Leaves a tombstone, so that nothing brings it back unasked. *yes* False only says what would go.
        """
        addresses = self._find(query)
        if len(addresses) != 1:
            return Forgotten("ambiguous" if addresses else "not_found", tuple(addresses))
        if not yes:
            return Forgotten("ambiguous", tuple(addresses), None, "say --yes to forget it")
        address = addresses[0]
        path, ident = _parted(address)
        self._writable(path)
        with self._writer.hold():
            before = self.tree.read(path)
            found = _read(before, path)
            entries = [entry for entry in found.entries if not ident or entry.id == ident]
            if ident and not entries:
                raise NotFound("no such entry", where=address, hint=f"memory-skill list; read {path}")
            tombs = "".join(f"{ident} {date.today().isoformat()}\n" for ident in {e.id: e for e in entries})
            edits: dict[str, Edit] = {
                path: _becomes(_left(found, entries, before), before),
                TOMBSTONES: lambda data: (data or b"") + tombs.encode(),
            }
            who = f"#{ident or entries[0].id}" if ident or len(entries) == 1 else path
            done = self._writer.change(edits, message("forget", who, f"from {path}", self.origin))
        return Forgotten("forgotten", (address,), done.commit, done.warning)

    def _find(self, query: str) -> list[str]:
        """The addresses that *query* means: an address, a name, or what recall finds."""
        bare = query.strip()
        path, ident = _parted(bare)
        every = {stat.path for stat in self.tree.walk()}
        if path in every:
            return [bare]
        if bare.startswith("#") and _ID.fullmatch(bare[1:]):
            return self._by_id(bare[1:], every)
        named = [p for p in sorted(every) if normalise(note.stem_of(p)) == normalise(bare)]
        if named or path.endswith(".md") or ".md#" in bare or ident:  # an address is no query
            return named
        return [hit.address for hit in self.recall(bare, scope="all", limit=10).hits]

    def _by_id(self, ident: str, every: Iterable[str]) -> list[str]:
        known = self._writer.known({scope_of(path) for path in every})
        return [
            f"{path}#{ident}" if len(item.ids) > 1 else path
            for path, item in known.items()
            if ident in item.ids
        ]

    def undo(
        self,
        commit: str | None = None,
        *,
        session: str | None = None,
        entry: str | None = None,
        since: datetime | None = None,
    ) -> Undone:
        """Take back one commit (the last by default), a session's, an entry's last, or all *since* a moment.

        What was edited since is merged where both can stand, and kept otherwise. The undo is a commit itself,
        which a further undo takes back. Raises: NotFound.
        """
        history = self._writer.history
        if self.config.local:
            raise UsageError("this memory has no history of its own", hint="undo it with your git")
        if session:
            wanted = history.log(limit=0, session=session)
        elif entry:
            wanted = history.log(limit=1, path=_parted(entry)[0])
        elif since:
            wanted = [item for item in history.log(limit=0) if _is_after(item, since)]
        else:
            wanted = [history.show(commit)] if commit else history.log(limit=1)
        if not wanted:
            where = session or entry or (since.isoformat() if since else None)
            raise NotFound("nothing to undo", where=where, hint="memory-skill log")
        if wanted[-1].trailers.get("Memory-Verb") == "init":
            raise NotFound("the first commit stays", where=wanted[-1].id, hint="memory-skill log")
        with self._writer.hold():
            contents, kept = taken_back(history, self.tree, wanted)
            edits = {path: _becomes(data, before) for path, (before, data) in contents.items()}
            body = "\n".join(f"{c.id} {c.subject}" for c in wanted)
            of = f"of session {session}" if session else f"since {since:%Y-%m-%d %H:%M}" if since else ""
            what = wanted[0].subject if len(wanted) == 1 else f"{len(wanted)} commits {of}"
            done = self._writer.change(edits, message("undo", what, body, self.origin))
        return Undone(tuple(c.id for c in wanted), tuple(kept), done.commit)

    # --- what waits for a person

    def inbox(self) -> list[box.Item]:
        """What waits, by path. Raises: NotFound without a tree."""
        self._there()
        return list(box.items(self.tree))

    def accept(
        self, ident: str, *, type: str | None = None, scope: str | None = None, text: str | None = None
    ) -> decisions.Decided:
        """Save what waits under that id, or *text* in its place; see `decisions.accept`."""
        if type and type not in TYPES:
            raise UsageError(f"unknown type {type!r}", hint=f"one of {', '.join(TYPES)}")
        where = self.scope(scope) if scope else None
        with self._decide(ident) as item:
            return decisions.accept(self._writer, item, self.origin, type=type, scope=where, text=text)

    def discard(self, ident: str) -> decisions.Decided:
        """Take away what waits under that id. Raises: NotFound."""
        with self._decide(ident) as item:
            return decisions.discard(self._writer, item, self.origin)

    @contextlib.contextmanager
    def _decide(self, ident: str) -> Iterator[box.Item]:
        """The item, under the lock. A session that nobody attends has no person who could decide."""
        origin = self.origin
        if origin.host and origin.session and not self.sessions.read(origin.host, origin.session).attended:
            hint = f"a person decides: memory-skill inbox accept {ident}"
            raise Refused("nobody attends this session", rule="unattended", where=ident, hint=hint)
        with self._writer.hold():
            yield box.take(self.tree, ident)

    # --- origin

    def blame(self, path: str) -> list[Line]:
        """Who wrote each line of a note, as last committed. Raises: NotFound, PathRefused."""
        self._there()
        self.tree.path(path)
        return blamed(self._writer.history, _parted(path)[0])

    def show(self, commit: str) -> Shown:
        """One commit, and each note that it changed as before and after. Raises: NotFound."""
        self._there()
        return shown(self._writer.history, commit)

    def feedback(self, verdict: str, address: str) -> Judged:
        """Say that an entry was `useful` or `wrong`; see `feedback.judge`. Raises: NotFound, UsageError."""
        if verdict not in ("useful", "wrong"):
            raise UsageError(f"unknown verdict {verdict!r}", hint="useful or wrong")
        path, ident = _parted(address)
        self._writable(path)
        with self._writer.hold():
            found = self._writer.note(path)
            if found is None:
                raise NotFound("no such note", where=path, hint="memory-skill list")
            return judge(self._writer, found, ident, verdict, self.origin)

    # --- reviewing

    def review(self) -> list[changes.Change]:
        """What changed since a person looked last, by path; edits that nobody settled are taken up first.

        Raises: NotFound, UsageError where the tree lies in a code repository.
        """
        self._there()
        changes.base(self._writer)
        if settle.unsettled(self.tree, self.sessions):
            self.settle()
        return changes.waiting(self._writer)

    def decide(
        self, keep: Sequence[str] = (), drop: Sequence[str] = (), seen: Mapping[str, str] | None = None
    ) -> changes.Reviewed:
        """Let these changes count as reviewed, and bring those back to what was; see `changes.decide`."""
        with self._writer.hold():
            return changes.decide(self._writer, keep, drop, self.origin, seen)

    def rewrite(self, path: str, text: str) -> Edited:
        """Put a whole new text in the place of a note's, as a person does in an editor.

        Raises: NotFound, Refused, PathRefused.
        """
        self._writable(path)
        with self._writer.hold():
            before = self.tree.read(path)
            passed = gate.check(text, self.config.gate, where=path)
            said = message("edit", path, "rewritten by hand", self.origin, "hand")
            done = self._writer.change({path: _becomes(note.encode(passed.text, before), before)}, said)
        return Edited(path, "edited" if done.paths else "unchanged", done.commit, done.warning)

    # --- taking up, reading

    def _there(self) -> None:
        if not self.tree.exists():
            raise NotFound("there is no memory here yet", where=str(self.tree.home), hint="memory-skill init")

    def settle(self) -> settle.Settled:
        """Take up what was changed outside the verbs; see `settle`."""
        with self._writer.hold():
            return settle.run(self._writer, self.sessions)

    def reindex(self) -> list[str]:
        """Write every index file anew where its bytes change. Returns: the paths that changed."""
        with self._writer.hold():
            groups = {group_of_scope(scope_of(stat.path)) for stat in self.tree.walk()} | {""}
            changed = self._writer.reindex(groups)
            if changed:
                self._writer.commit(changed, message("index", INDEX, "", self.origin))
        return changed

    def refresh_hosts(self) -> None:
        """Write the start text of a host that takes it from a file; only for the tree that was installed."""
        from . import opening
        from .hosts import HOSTS

        if (self.tree.state / "install.json").is_file():
            for host in HOSTS.values():
                host.refresh(self.env, lambda: opening.standing(self.tree, self.env))

    def rebuild_search(self) -> int:
        """Build the search index anew. Returns: the number of notes."""
        with self._writer.hold():
            return self._writer.search.rebuild(self.tree).added

    def verify_search(self) -> list[str]:
        """What is wrong with the search index, in words."""
        return self._writer.search.verify()

    def recall(
        self,
        query: str,
        scope: str | None = None,
        limit: int | None = None,
        max_chars: int | None = None,
        acknowledge: bool = False,
        **more: Any,
    ) -> Recalled:
        """Find what answers *query*; reads only. See `recall.recall`.

        *acknowledge* reads on while items wait in the inbox, where `review.gate` is `ask`.
        """
        from .recall import Recalled, recall

        self._there()
        barrier = box.barrier(self.tree, self.config.review.gate, acknowledged=acknowledge)
        if barrier:
            return Recalled("blocked", barrier)
        knobs = self.config.recall
        return recall(
            query,
            self.scope(scope) if scope else self.reading,
            tree=self.tree,
            search=self._writer.search,
            config=self.config,
            limit=limit or knobs.limit,
            max_chars=max_chars or knobs.max_chars,
            **more,
        )

    def context(self, scope: str | None = None) -> Context:
        """The standing block of a session: the law, AGENTS.md, the index files, what is pinned."""
        from .opening import first

        where = self.scope(scope) if scope else self.reading
        owner = where.partition(":")[2] if where.startswith("project:") else ""
        text = first(self.tree, self.env, owner, "", with_index=True, fits=lambda text: len(text) <= 10_000)
        return Context(where, text)

    def log(
        self, *, limit: int = 20, path: str | None = None, session: str | None = None, verb: str | None = None
    ) -> list[Commit]:
        """The newest commits first. Raises: NotFound, GitTrouble."""
        self._there()
        return self._writer.history.log(
            limit=limit, path=_parted(path)[0] if path else None, session=session, verb=verb
        )

    def status(self) -> Status:
        """Counts, fill levels and signs of life. Raises: NotFound without a tree."""
        self._there()
        from .events import Events

        notes: dict[str, int] = {}
        for stat in self.tree.walk():
            kind = type_of(stat.path)
            notes[kind] = notes.get(kind, 0) + 1
        raw = self.tree.read_or_none(INDEX) or b""
        knobs = self.config.index
        fill = {"lines": raw.count(b"\n"), "max_lines": knobs.max_lines}
        fill |= {"bytes": len(raw), "max_bytes": knobs.max_bytes}
        return Status(
            home=str(self.tree.home),
            scope=self.reading,
            notes=notes,
            index=fill,
            inbox=len(box.waiting(self.tree)),
            waiting_turns=self.waiting_turns(),
            unreviewed=self._unreviewed(),
            unsettled=settle.unsettled(self.tree, self.sessions),
            commit="never (local)" if self.config.local else self.config.history.commit,
            heartbeats=_heartbeats(Events(self.tree.state)),
            watch=_watching(self.tree),
        )

    def _unreviewed(self) -> int:
        try:
            return self._writer.history.waiting() if self.config.commits else 0
        except MemorySkillError:
            return 0  # no git: `doctor` says so

    def waiting_turns(self) -> int:
        """Turns that no distillation has seen yet, over all sessions."""
        return sum(len(record.distil.get("pending", ())) for record in self.sessions.all())

    def import_file(self, path: Path, *, dry_run: bool = False) -> Imported:
        """Take in notes from JSON lines: name, description, type, scope, body, created, source.

        One commit; a missing scope is global; the safety rules hold, the quality rules do not.
        Raises: NotFound, UsageError when the file is no UTF-8 text.
        """
        from . import importing

        edits: dict[str, Edit] = {}
        taken: dict[str, dict[str, str]] = {}  # folder -> id -> stem, of what is there and what is coming
        unchanged, reasons = 0, list[str]()
        with self._writer.hold():
            tombs = self._tombs()
            for number, line in enumerate(importing.lines_of(path), 1):
                try:
                    one = importing.incoming(line, self.config, self._one_scope)
                except MemorySkillError as error:
                    reasons.append(importing.reason(number, error))
                    continue
                folder = _folder(one.scope, one.type)
                there = taken.setdefault(folder, self._ids(one.scope, folder))
                if all(ident in there for ident in one.ids):
                    unchanged += 1
                elif tombs.intersection(one.ids):
                    reasons.append(f"line {number}: was forgotten on request")
                else:
                    stem = _unused(one.stem, there.values())
                    there |= dict.fromkeys(one.ids, stem)
                    raw = one.raw.replace(f"name: {one.stem}\n", f"name: {stem}\n", 1)
                    edits[f"{folder}/{stem}.md"] = _becomes(raw.encode("utf-8"), None)
            if dry_run or not edits:
                return Imported(len(edits), unchanged, len(reasons), None, tuple(reasons))
            done = self._writer.change(
                edits, message("import", path.name, f"{len(edits)} notes", self.origin)
            )
        return Imported(len(edits), unchanged, len(reasons), done.commit, tuple(reasons))

    def _ids(self, scope: str, folder: str) -> dict[str, str]:
        """Entry ids of a scope, and under made-up keys the file names that its folder has taken."""
        known = self._writer.known([scope])
        found = {ident: note.stem_of(path) for path, item in known.items() for ident in item.ids}
        return found | {f"/{path.stem}": path.stem for path in (self.tree.home / folder).glob("*.md")}

    def list(self, *, type: str | None = None, scope: str | None = None) -> list[Listed]:
        """The notes of a scope (all by default), sorted by path. Raises: UsageError."""
        kinds = (*TYPES, "skill", "summary")
        if type and type not in kinds:
            raise UsageError(f"unknown type {type!r}", hint=f"one of {', '.join(kinds)}")
        self._there()
        where = self.scope(scope) if scope else "all"
        found = []
        for stat in self.tree.walk():
            if where not in ("all", scope_of(stat.path)):
                continue
            item = self._writer.note(stat.path)
            if item and type in (None, item.type):
                found.append(_listed(item))
        return sorted(found, key=lambda item: item.address)


def _is_after(commit: Commit, moment: datetime) -> bool:
    made = datetime.fromisoformat(commit.time)
    return made >= moment.astimezone() and commit.trailers.get("Memory-Verb") != "init"


def _becomes(data: bytes | None, before: bytes | None) -> Edit:
    """The edit that makes *data* of *before*. Raises: Conflict when meanwhile something else stands there."""

    def edit(now: bytes | None) -> bytes | None:
        if now != before:
            raise Conflict("changed since it was read", hint="read it again, then repeat")
        return data

    return edit


def _read(raw: bytes, path: str) -> Note:
    try:
        return note.parse(raw, path)
    except NoteError:
        return note.skim(raw, path)


def _left(found: Note, gone: list[note.Entry], before: bytes) -> bytes | None:
    """The bytes of a note without these entries, None when there is no other."""
    if len(gone) == len(found.entries):
        return None
    note.decode(before, found.path)  # what is no text is not written anew
    text = found.raw
    for entry in reversed(gone):
        text = note.remove_entry(text, entry)
    return note.encode(text, before)


def _compose(text: str, why: str | None, how: str | None) -> str:
    """The body of a note: the statement, then why it holds and how to apply it."""
    reasons = [
        f"**{label}:** {given.strip()}" for label, given in (("Why", why), ("How to apply", how)) if given
    ]
    return "\n\n".join(part for part in (text.strip(), "\n".join(reasons)) if part)


def _told(description: str | None, body: str) -> str:
    """The description given, else one made of the body; masked before it is cut, or half a key is left."""
    return gate.redact(description or "").text or note.describe(gate.redact(body).text)


def _folder(where: str, kind: str) -> str:
    group = group_of_scope(where)
    return group or f"knowledge/{kind}"


def _unused(stem: str, taken: Iterable[str]) -> str:
    """*stem*, or with the first number that no name of *taken* has, case and Unicode form aside."""
    names = {normalise(name) for name in taken}
    if normalise(stem) not in names:
        return stem
    return next(name for n in range(2, 1_000_000) if normalise(name := f"{stem}-{n}") not in names)


def _parted(address: str) -> tuple[str, str]:
    """Path and entry id of an address; either may be ""."""
    path, _, ident = address.rpartition("#") if "#" in address else (address, "", "")
    if ident and not _ID.fullmatch(ident):
        return address, ""
    return path, ident


def _edit_entry(text: str, path: str, ident: str, old: str, new: str) -> str:
    """*text* with *old* replaced by *new* within one entry only."""
    entry = next((e for e in note.parse(text, path).entries if e.id == ident), None)
    if entry is None:
        raise NotFound("no such entry", where=f"{path}#{ident}", hint=f"read {path}: its text has changed")
    if not old:
        raise UsageError("an entry is changed by what it says", hint="give --old the text to replace")
    lines = note.lines_of(text)
    rest = note.remove_entry(text, entry)
    start = sum(map(len, lines[: entry.line - 1]))
    end = start + len(text) - len(rest)
    return text[:start] + note.replace_once(text[start:end], old, new, f"{path}#{ident}") + text[end:]


def _new_file(path: str, new: str) -> str:
    """The first text of a file: a list note starts as a list, a skill gets the header that hosts ask for."""
    if path.startswith("skills/") and path.endswith("/SKILL.md") and note.split(new)[0] is None:
        prose = (line for line in new.splitlines() if line.strip() and not line.startswith("#"))
        trigger = re.sub(r"(?i)^\**trigger:?\**:?\s*", "", next(prose, note.stem_of(path)))
        return format_note(note.stem_of(path), shorten(one_line(trigger), 250), new.strip(), {})
    if _LISTS.fullmatch(path) and note.split(new)[0] is None and not new.lstrip().startswith("#"):
        return note.as_item(new) + "\n"
    return new.strip() + "\n"


def _told_edit(old: str, new: str) -> str:
    said = shorten(one_line(new), 200)
    return f"was: {shorten(one_line(old), 200)}\nnow: {said}" if old else f"added: {said}"


def _buried(where: str) -> Saved:
    hint = "it was forgotten on request; if the user asks for it anew: save --again"
    return Saved(None, where, "refused", "forgotten", hint)


def _advice(kind: str, passed: gate.Passed, taken: str | None) -> str | None:
    """What would make the entry better, in one line."""
    if passed.masked:
        return f"a secret in it was masked ({', '.join(passed.masked)})"
    if taken:
        return f"{taken} has that name already; if this corrects it, edit that one and forget this"
    text = passed.text
    if kind == "lesson" and not _CAUSE.search(text):
        return "a lesson needs symptom and cause: say why it happened"
    if kind in ("feedback", "project") and "**Why:**" not in text:
        return "say why (--why) and how to apply it (--how): the rule alone is soon misread"
    return None


def _listed(item: Note) -> Listed:
    return Listed(
        item.path, item.name, item.type, item.scope, item.summary, item.pinned, item.date, len(item.entries)
    )


def _heartbeats(events: Any) -> dict[str, dict[str, Any]]:
    return {f"{beat.host}-{beat.event}": beat._asdict() for beat in events.heartbeats()}


def _watching(tree: Tree) -> int | None:
    """The pid of the `watch` that runs on this tree."""
    try:
        found = json.loads((tree.state / "watch.json").read_bytes())
        os.kill(int(found["pid"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return int(found["pid"])
