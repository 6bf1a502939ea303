"""`Memory`, the façade: one tree and its verbs. Every face calls these; none writes a file itself."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import changes, config, decisions, desk, doubts, editing, gate, note, saving, settle, summaries
from . import inbox as box
from .blame import Line, Shown, blamed, shown
from .errors import MemorySkillError, NotFound, Refused, UsageError
from .feedback import Judged, judge
from .here import Here
from .history import Commit
from .note import TYPES, entry_ids, scope_of, type_of
from .privacy import HINTS
from .results import (
    Context,
    Edited,
    Forgotten,
    Hit,
    Imported,
    Initialised,
    LeftOut,
    Listed,
    Recalled,
    Saved,
    Status,
    Undone,
)
from .tree import INDEX, NOTE_FOLDERS, Tree
from .undo import taken_back
from .working import Working
from .write import Written, becomes, group_of_scope, message

if TYPE_CHECKING:
    from . import distilling
    from .fusion import Near
    from .ledger import Ledger
    from .loading import Loaded
    from .meaning import Taken


class Memory(Here):
    """One tree. Open it with `Memory.open()`; the verbs raise `MemorySkillError`s, each with a hint."""

    @classmethod
    def open(
        cls, home: Path | str | None = None, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Memory:
        """The tree at *home*, or the one that the environment names (`~/.memory-skill` by default).

        Raises: ConfigError with the key, what was expected and what was found.
        """
        env = os.environ if env is None else env
        place = Path(home).expanduser() if home else None
        return cls(config.load(env, place, cwd), cwd=cwd or config.cwd_of(env), env=env)

    # --- set-up

    def init(self) -> Initialised:
        """Make the tree, or complete it; what is there already stays as it is. Raises: GitTrouble."""
        from . import pack

        self.writer.check_home()
        self.tree.home.mkdir(parents=True, exist_ok=True)
        if not self.config.local:
            self.writer.history.init()
        created = [path for path, data in pack.tree_files().items() if self._create(path, data)]
        (self.tree.state / "sessions").mkdir(parents=True, exist_ok=True)
        for folder in (*NOTE_FOLDERS, "inbox"):
            (self.tree.home / folder).mkdir(exist_ok=True)
        with self.writer.hold():
            said = message("init", "memory", "", self.origin)
            done = self.writer.follow(created, said) if created else Written(())
        if done.commit:
            self.writer.history.mark_reviewed()
        return Initialised(str(self.tree.home), tuple(created), done.commit)

    def _create(self, rel: str, data: bytes) -> bool:
        from .tree import write_atomic

        target = self.tree.home / rel
        if target.exists():
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(target, data)
        return True

    # --- saving and editing

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
        *type* `summary` keeps *text* as the summary of this session; see `summaries.save`.
        Raises: UsageError for an unknown type, scope or source; PathRefused. A refusal is an outcome.
        """
        if type == summaries.KIND:
            return self._saved(summaries.save(self, text, name=name, description=description))
        wanted = saving.draft(
            text, type, source, name=name, description=description, why=why, how=how, pin=pin
        )
        return self._saved(saving.save(self, wanted._replace(scope=scope, to=to, again=again)))

    def _saved(self, found: Saved) -> Saved:
        self.account("save", found.outcome, why=found.rule)
        return found

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
        if to and to.startswith("skills/"):
            whole = raw if raw.endswith("\n") else raw + "\n"
            return saving.put(self, to, whole, entry_ids(note.parse(raw, to).body), again)
        wanted = saving.draft_of_note(raw, to)
        return self._saved(saving.save(self, wanted._replace(scope=scope, to=to, again=again, moved=moved)))

    def edit(self, address: str, old: str, new: str) -> Edited:
        """Replace *old*, which must stand in the note (or in the entry `path#id`) exactly once, by *new*.

        An empty *old* appends, or creates the note. Raises: NoMatch with the nearest lines, SeveralMatches,
        NotFound, Refused, PathRefused.
        """
        path, ident = note.parted(address)
        self.must_speak()
        self.writable(path)
        passed = gate.check(new, self.config.gate, where=path) if new.strip() else gate.Passed(new, ())
        if self.origin.host and new.strip():
            gate.admit_part(passed.text, type_of(path), self.config.gate, where=path)
        with self.writer.hold():
            before = self.tree.read_or_none(path)
            if before is None and old:
                raise NotFound(
                    "no such note", where=path, hint="memory-skill list; an empty --old creates it"
                )
            text = None if before is None else note.decode(before, path)
            after = editing.edited(path, ident, text, old, passed.text)
            whole = gate.check(after, self.config.gate, where=path)
            said = message("edit", address, editing.told(old, passed.text), self.origin)
            done = self.writer.change({path: becomes(note.encode(whole.text, before), before)}, said)
            was = editing.around(text or "", old) if old else ""
            doubted = doubts.flag(self.writer, path, was, was.replace(old, passed.text)) if was else ()
        if not done.paths:
            return Edited(address, "unchanged")
        self.count_save()
        masked = "a secret in it was masked" if passed.masked or whole.masked else None
        hint = done.warning or masked or doubts.told(doubted)
        return Edited(address, "created" if before is None else "edited", done.commit, hint, doubted)

    # --- forgetting and undoing

    def forget(self, query: str, *, yes: bool = True) -> Forgotten:
        """Remove an entry by its address, or by a query that fits exactly one.

        Leaves a tombstone, so that nothing brings it back unasked. *yes* False only says what would go.
        """
        from .forgetting import forget

        found = forget(self, query, self._addresses, yes=yes)
        self.account("forget", found.outcome)
        return found

    def _addresses(self, query: str) -> list[str]:
        return [hit.address for hit in self._recall(query, scope="all", limit=10).hits]

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
        history = self.writer.history
        if self.config.local:
            raise UsageError("this memory has no history of its own", hint="undo it with your git")
        if session:
            wanted = history.log(limit=0, session=session)
        elif entry:
            wanted = history.log(limit=1, path=note.parted(entry)[0])
        elif since:
            wanted = [item for item in history.log(limit=0) if _is_after(item, since)]
        else:
            wanted = [history.show(commit)] if commit else history.log(limit=1)
        if not wanted:
            where = session or entry or (since.isoformat() if since else None)
            raise NotFound("nothing to undo", where=where, hint="memory-skill log")
        if wanted[-1].trailers.get("Memory-Verb") == "init":
            raise NotFound("the first commit stays", where=wanted[-1].id, hint="memory-skill log")
        with self.writer.hold():
            contents, kept = taken_back(history, self.tree, wanted)
            edits = {path: becomes(data, before) for path, (before, data) in contents.items()}
            body = "\n".join(f"{c.id} {c.subject}" for c in wanted)
            of = f"of session {session}" if session else f"since {since:%Y-%m-%d %H:%M}" if since else ""
            what = wanted[0].subject if len(wanted) == 1 else f"{len(wanted)} commits {of}"
            done = self.writer.change(edits, message("undo", what, body, self.origin))
        return Undone(tuple(c.id for c in wanted), tuple(kept), done.commit)

    # --- what waits for a person

    def inbox(self) -> list[box.Item]:
        """What waits, by path. Raises: NotFound without a tree."""
        self.must_exist()
        return list(box.items(self.tree))

    def accept(
        self,
        ident: str,
        *,
        type: str | None = None,
        scope: str | None = None,
        text: str | None = None,
        both: bool = False,
    ) -> decisions.Decided:
        """Save what waits under that id, or *text* in its place; see `decisions.accept`.

        A host's session only proposes it.
        """
        if type and type not in TYPES:
            raise UsageError(f"unknown type {type!r}", hint=f"one of {', '.join(TYPES)}")
        where = self.scope(scope) if scope else None
        with self._decide(ident) as item:
            if self.origin.host:
                answer = "accept" if text is None else f"amend --text {text!r}"
                return decisions.propose(self.writer, item, answer, self.origin)
            was = "" if both or not item.against else doubts.said(self.writer, item.against)
            done = decisions.accept(
                self.writer, item, self.origin, type=type, scope=where, text=text, both=both
            )
            if was and done.address and done.outcome == "accepted":
                doubts.flag(self.writer, done.address, was, doubts.said(self.writer, done.address))
            return done

    def discard(self, ident: str) -> decisions.Decided:
        """Take away what waits under that id. Raises: NotFound."""
        with self._decide(ident) as item:
            if self.origin.host:
                return decisions.propose(self.writer, item, "discard", self.origin)
            return decisions.discard(self.writer, item, self.origin)

    @contextlib.contextmanager
    def _decide(self, ident: str) -> Iterator[box.Item]:
        """The item, under the lock. A session that nobody attends has no person who could decide."""
        origin = self.origin
        if origin.host and origin.session and not self.sessions.read(origin.host, origin.session).attended:
            hint = f"a person decides: memory-skill inbox accept {ident}"
            raise Refused("nobody attends this session", rule="unattended", where=ident, hint=hint)
        with self.writer.hold():
            yield box.take(self.tree, ident)

    # --- privacy

    def incognito(self, session: str | None = None, *, on: bool = True) -> str:
        """Keep nothing of this session, or of that one, from here on. Returns: its id. Raises: NotFound."""
        self.must_exist()
        if not on:
            self.must_be_a_person(f"memory-skill incognito --end --session {self.origin.session}")
        known = [(record.host, record.session) for record in self.sessions.all() if record.session == session]
        if not session and self.origin.host and self.origin.session:
            known = [(self.origin.host, self.origin.session)]
        if not known:
            hint = "run it in the session, or name one: memory-skill incognito --session ID"
            raise NotFound("no such session", where=session or "here", hint=hint)
        for host, name in known:
            with self.sessions.change(host, name) as record:
                record.incognito = on
                record.prompts.clear()
        return known[0][1]

    # --- origin

    def blame(self, path: str) -> list[Line]:
        """Who wrote each line of a note, as last committed. Raises: NotFound, PathRefused."""
        self.must_exist()
        self.tree.path(path)
        return blamed(self.writer.history, note.parted(path)[0])

    def show(self, commit: str) -> Shown:
        """One commit, and each note that it changed as before and after. Raises: NotFound."""
        self.must_exist()
        return shown(self.writer.history, commit)

    def feedback(self, verdict: str, address: str) -> Judged:
        """Say that an entry was `useful` or `wrong`; see `feedback.judge`. Raises: NotFound, UsageError."""
        if verdict not in ("useful", "wrong"):
            raise UsageError(f"unknown verdict {verdict!r}", hint="useful or wrong")
        path, ident = note.parted(address)
        self.writable(path)
        with self.writer.hold():
            found = self.writer.note(path)
            if found is None:
                raise NotFound("no such note", where=path, hint="memory-skill list")
            return judge(self.writer, found, ident, verdict, self.origin)

    def in_doubt(self) -> list[doubts.Flag]:
        """What a change put in doubt, the oldest first. Raises: NotFound without a tree."""
        self.must_exist()
        return doubts.flags(self.writer)

    def verdict(self, verdict: str, address: str) -> doubts.Verdict:
        """Say whether what is in doubt is `invalid`, to `revise`, or `unaffected`.

        Raises: NotFound, UsageError.
        """
        if verdict not in doubts.VERDICTS:
            raise UsageError(f"unknown verdict {verdict!r}", hint=f"one of {', '.join(doubts.VERDICTS)}")
        with self.writer.hold():
            return doubts.judge(self.writer, address, verdict, self.origin)

    # --- reviewing

    def review(self) -> list[changes.Change]:
        """What changed since a person looked last, by path; edits that nobody settled are taken up first.

        Raises: NotFound, UsageError where the tree lies in a code repository.
        """
        self.must_exist()
        changes.base(self.writer)
        if settle.unsettled(self.tree, self.sessions):
            self.settle()
        return changes.waiting(self.writer)

    def decide(
        self, keep: Sequence[str] = (), drop: Sequence[str] = (), seen: Mapping[str, str] | None = None
    ) -> changes.Reviewed:
        """Let these changes count as reviewed, and bring those back to what was; see `changes.decide`."""
        with self.writer.hold():
            return changes.decide(self.writer, keep, drop, self.origin, seen)

    def rewrite(self, path: str, text: str) -> Edited:
        """Put a whole new text in the place of a note's, as a person does in an editor.

        Raises: NotFound, Refused, PathRefused.
        """
        self.writable(path)
        with self.writer.hold():
            before = self.tree.read(path)
            passed = gate.check(text, self.config.gate, where=path)
            said = message("edit", path, "rewritten by hand", self.origin, "hand")
            done = self.writer.change({path: becomes(note.encode(passed.text, before), before)}, said)
        return Edited(path, "edited" if done.paths else "unchanged", done.commit, done.warning)

    # --- taking up, reading

    def settle(self) -> settle.Settled:
        """Take up what was changed outside the verbs; see `settle`."""
        with self.writer.hold():
            return settle.run(self.writer, self.sessions)

    def reindex(self) -> list[str]:
        """Write every index file anew where its bytes change. Returns: the paths that changed."""
        with self.writer.hold():
            groups = {group_of_scope(scope_of(stat.path)) for stat in self.tree.walk()} | {""}
            changed = self.writer.reindex(groups)
            if changed:
                self.writer.commit(changed, message("index", INDEX, "", self.origin))
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
        with self.writer.hold():
            return self.writer.search.rebuild(self.tree).added

    def take_up_meaning(self, *, anew: bool = False) -> Taken:
        """Bring the vectors up to the notes; *anew*: also what seems to be up to date.

        Raises: VectorTrouble when there is no model or no engine, UsageError while they are off.
        """
        from .meaning import Meaning

        if self.config.vectors.engine == "off":
            hint = "MEMORY_SKILL_VECTORS_ENGINE=local, or engine = 'local' under [vectors] in config.toml"
            raise UsageError("vectors are off", where="vectors.engine", hint=hint)
        return Meaning(self.tree, self.config, self.writer.search).take_up(anew=anew)

    def _vectors(self) -> dict[str, Any] | None:
        if self.config.vectors.engine == "off":
            return None
        from .meaning import health

        found = health(self.tree, self.config, self.writer.search)
        return found._asdict() if found else None

    def _near(self, query: str, where: str | Sequence[str]) -> Near | None:
        """What is near to *query* by its meaning; None while vectors are off."""
        if self.config.vectors.engine == "off":
            return None
        from .meaning import near

        return near(self.tree, self.config, self.writer.search, query, where)

    def verify_search(self) -> list[str]:
        """What is wrong with the search index, in words."""
        return self.writer.search.verify()

    def recall(
        self,
        query: str,
        scope: str | None = None,
        limit: int | None = None,
        max_chars: int | None = None,
        acknowledge: bool = False,
        **more: Any,
    ) -> Recalled:
        """Find what answers *query*; reads only, but for a line of the ledger. See `recall.recall`.

        *acknowledge* reads on while items wait in the inbox, where `review.gate` is `ask`.
        """
        found = self._recall(query, scope, limit, max_chars, acknowledge, **more)
        self.account("recall", found.outcome, why=found.reason, entries=[hit.address for hit in found.hits])
        return found

    def _recall(
        self,
        query: str,
        scope: str | None = None,
        limit: int | None = None,
        max_chars: int | None = None,
        acknowledge: bool = False,
        **more: Any,
    ) -> Recalled:
        from .recall import recall

        self.must_exist()
        if why := self.quiet:
            return Recalled("blocked", f"{why}: {HINTS[why]}")
        barrier = box.barrier(self.tree, self.config.review.gate, acknowledged=acknowledge)
        if barrier:
            return Recalled("blocked", barrier)
        knobs = self.config.recall
        where = self.around(self.scope(scope) if scope else self.reading)
        found = recall(
            query,
            where,
            near=self._near(query, where),
            tree=self.tree,
            search=self.writer.search,
            config=self.config,
            limit=limit or knobs.limit,
            max_chars=max_chars or knobs.max_chars,
            **more,
        )
        hits = tuple(Hit(*hit) for hit in found.hits)
        left_out = tuple(LeftOut(*left) for left in found.left_out)
        return Recalled(found.outcome, found.reason, hits, found.omitted, left_out, found.explain)

    def context(
        self, scope: str | None = None, *, recent: int = 0, query: str = "", session: str = ""
    ) -> Context:
        """What to put before a model; see `context.build`. *recent*: turns; *session*: do not repeat.

        Raises: NotFound without a tree.
        """
        from .context import Asked, build

        return build(self, Asked(self.scope(scope) if scope else self.reading, recent, query, session))

    # --- the task at hand

    def working_read(self, scope: str | None = None) -> tuple[str, Working | None]:
        """The scope and its working memory; see `desk.read`."""
        return desk.read(self, scope)

    def working_write(self, wanted: Working, scope: str | None = None) -> Working:
        """Replace this session's working memory; see `desk.write`. Raises: UsageError, NotFound."""
        return desk.write(self, wanted, scope)

    def working_clear(self, scope: str | None = None) -> bool:
        """Take it away; False if there was none."""
        return desk.clear(self, scope)

    def working_close(self, scope: str | None = None, *, force: bool = False) -> desk.Closed:
        """Archive it, and let the next stop distil; see `desk.close`. Raises: Refused."""
        return desk.close(self, scope, force=force)

    def log(
        self, *, limit: int = 20, path: str | None = None, session: str | None = None, verb: str | None = None
    ) -> list[Commit]:
        """The newest commits first. Raises: NotFound, GitTrouble."""
        self.must_exist()
        return self.writer.history.log(
            limit=limit, path=note.parted(path)[0] if path else None, session=session, verb=verb
        )

    def status(self) -> Status:
        """Counts, fill levels and signs of life. Raises: NotFound without a tree."""
        self.must_exist()
        from .events import Events
        from .health import figures
        from .pending import Pending
        from .refusals import Refusals

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
            waiting_turns=self.sessions.waiting_turns(),
            unreviewed=self._unreviewed(),
            unsettled=settle.unsettled(self.tree, self.sessions),
            commit="never (local)" if self.config.local else self.config.history.commit,
            pending=Pending(self.tree).count(),
            refused=Refusals(self.tree.state).counts(),
            heartbeats=_heartbeats(Events(self.tree.state)),
            watch=_watching(self.tree),
            doubted=len(doubts.flags(self.writer)),
            quiet=self.quiet or None,
            health=tuple(figure._asdict() for figure in figures(self.tree, knobs)),
            vectors=self._vectors(),
        )

    def ledger(self) -> Ledger:
        """What the memory costs, and what of it is used; see `ledger.read`. Raises: NotFound."""
        from .ledger import read

        self.must_exist()
        return read(self.tree.state)

    def _unreviewed(self) -> int:
        try:
            return self.writer.history.waiting() if self.config.commits else 0
        except MemorySkillError:
            return 0  # no git: `doctor` says so

    def import_file(self, path: Path, *, dry_run: bool = False) -> Imported:
        """Take in notes from JSON lines: name, description, type, scope, body, created, source.

        One commit; a missing scope is global; the safety rules hold, the quality rules do not.
        Raises: NotFound, UsageError when the file is no UTF-8 text.
        """
        from . import importing

        return importing.run(self, path, dry_run=dry_run)

    def load_document(self, path: Path, **more: Any) -> Loaded:
        """Take in a document by its sections; see `loading.load`. Raises: NotFound, UsageError."""
        from .loading import load

        return load(self, path, **more)

    # --- distilling

    def distil_due(self) -> list[distilling.Due]:
        """The sessions with turns that wait to be distilled; see `distilling.due`."""
        from .distilling import due

        return due(self)

    def distil_file(self, path: Path, **more: Any) -> distilling.Distilled:
        """Let the configured model distil a conversation; see `distilling.run`."""
        from .distilling import run

        return run(self, path, **more)

    def list(self, *, type: str | None = None, scope: str | None = None) -> list[Listed]:
        """The notes of a scope (all by default), sorted by path. Raises: UsageError."""
        kinds = (*TYPES, "skill", "summary")
        if type and type not in kinds:
            raise UsageError(f"unknown type {type!r}", hint=f"one of {', '.join(kinds)}")
        self.must_exist()
        where = self.scope(scope) if scope else "all"
        found = []
        for stat in self.tree.walk():
            if where not in ("all", scope_of(stat.path)):
                continue
            item = self.writer.note(stat.path)
            if item and type in (None, item.type):
                found.append(_listed(item))
        return sorted(found, key=lambda item: item.address)


def _is_after(commit: Commit, moment: datetime) -> bool:
    made = datetime.fromisoformat(commit.time)
    return made >= moment.astimezone() and commit.trailers.get("Memory-Verb") != "init"


def _listed(item: note.Note) -> Listed:
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
