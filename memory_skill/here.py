"""Where a call happens: one tree, its settings, who is asking, and which project is the current one."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from pathlib import Path

from . import gate, privacy
from .config import Config
from .errors import MemorySkillError, NotFound, PathRefused, Refused, UsageError
from .events import Events
from .history import Origin
from .projects import Projects
from .sessions import Sessions
from .tree import INDEX, NOTE_FOLDERS, Tree
from .undo import TOMBSTONES
from .write import Writer


class Here:
    """What every verb of one call shares. *cwd* decides the current project, *origin* says who is asking."""

    def __init__(self, config: Config, *, cwd: Path, env: Mapping[str, str]) -> None:
        self.config = config
        self.tree = Tree(config.home)
        self.cwd = cwd
        self.env = env
        self.sessions = Sessions(self.tree.state)
        self.writer = Writer(self.tree, config)
        self._origin: Origin | None = None

    @property
    def origin(self) -> Origin:
        """The host session in which this process runs; unknown for a person at a terminal."""
        if self._origin is None:
            self._origin = self.sessions.current(self.env, self.cwd) or Origin()
        return self._origin

    def as_session(self, origin: Origin) -> None:
        """Speak for a session in which this process does not run: what is saved carries it."""
        self._origin = origin

    @property
    def quiet(self) -> str:
        """Why nothing may be saved or recalled here (`off`, `incognito`, `ignored`); "" where it may."""
        origin = self.origin
        if not (origin.host and origin.session):
            return privacy.quiet(self.config, self.cwd)
        record = self.sessions.read(origin.host, origin.session)
        return privacy.quiet(self.config, record.root or self.cwd, incognito=record.incognito)

    def must_speak(self) -> None:
        """Raises: Refused where nothing may be saved."""
        if why := self.quiet:
            raise Refused("nothing is kept here", rule=why, hint=privacy.HINTS[why])

    def must_be_a_person(self, command: str) -> None:
        """Raises: Refused in a host's session: what a page told an agent to do must not weaken anything."""
        if self.origin.host:
            hint = f"a person decides, in a terminal of their own: {command}"
            raise Refused("is not done from a host's session", rule="set-aside", hint=hint)

    @property
    def project(self) -> str:
        """The slug of the current project: the session's start folder decides, not a `cd`; "" outside one."""
        return next(iter(self.projects), "")

    @property
    def projects(self) -> list[str]:
        """The slugs of the current project and of those that it lies in, nearest first."""
        origin = self.origin
        if origin.host and origin.session:
            record = self.sessions.read(origin.host, origin.session)
            if record.project:
                return [record.project, *record.parents]
        return Projects(self.tree).around(self.cwd, Path(self.env.get("HOME") or Path.home()))

    @property
    def reading(self) -> str:
        """The scope that is read when none is named: global and the current project."""
        return f"project:{self.project}" if self.project else "global"

    def around(self, scope: str) -> list[str]:
        """*scope* and, if it is the current project's, the scopes of the projects that it lies in."""
        own, *others = self.projects or [""]
        return [scope, *(f"project:{slug}" for slug in others)] if scope == f"project:{own}" else [scope]

    def scope(self, wanted: str) -> str:
        """*wanted* as a scope. Raises: UsageError for one that is none."""
        if wanted == "project":
            if not self.project:
                hint = "--scope global, or run it inside the project"
                raise UsageError("there is no project here", hint=hint)
            return f"project:{self.project}"
        kind, _, owner = wanted.partition(":")
        owned = kind in ("project", "agent") and re.fullmatch(r"\w[\w.-]{0,99}", owner)
        if wanted in ("global", "all") or owned:
            return wanted
        raise UsageError(
            f"unknown scope {wanted!r}", hint="global, project, project:<slug>, agent:<name>; all to read"
        )

    def one_scope(self, wanted: str) -> str:
        """The same for a note, which is for one scope only."""
        if wanted == "all":
            raise UsageError("unknown scope 'all' for a note", hint="global, project:<slug>, agent:<name>")
        return self.scope(wanted)

    def scope_of_new(self, wanted: str | None, kind: str) -> str:
        """The scope of a new note of that type: as wanted, else by the type's rule."""
        if wanted:
            return self.one_scope(wanted)
        return "global" if kind in ("user", "feedback") or not self.project else f"project:{self.project}"

    def claim(self, where: str) -> list[str]:
        """Leave the identity of the current project beside its first note. Returns: the paths written."""
        if where != f"project:{self.project}" or not self.project:
            return []
        record = self.sessions.read(self.origin.host or "", self.origin.session or "")
        return self.writer.claim_project(Path(record.root) if record.root else self.cwd)[1]

    def signature(self) -> dict[str, str]:
        """Where a new note is learned, for its header: it outlives the git history."""
        told = {"host": self.origin.host or "", "session": self.origin.session or ""}
        return {key: value for key, value in told.items() if value}

    def must_exist(self) -> None:
        """Raises: NotFound without a tree."""
        if not self.tree.exists():
            raise NotFound("there is no memory here yet", where=str(self.tree.home), hint="memory-skill init")

    def writable(self, path: str) -> str:
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

    def tombs(self) -> set[str]:
        """The ids of entries that were forgotten on request."""
        raw = self.tree.home / TOMBSTONES
        lines = raw.read_text("utf-8", "replace").splitlines() if raw.is_file() else []
        return {line[:8] for line in lines}

    def count_save(self) -> None:
        """Let the session know that it saved; it is saved, whether it is counted or not."""
        if self.origin.host and self.origin.session:
            with contextlib.suppress(OSError, MemorySkillError):
                self.sessions.saved(self.origin.host, self.origin.session)

    def account(self, verb: str, outcome: str, **told: object) -> None:
        """One line of the ledger. Best effort: what a verb answers does not wait for it."""
        with contextlib.suppress(OSError):
            if self.config.writable and self.tree.state.is_dir() and not self.quiet:
                origin = {"host": self.origin.host, "session": self.origin.session}
                Events(self.tree.state).spent(verb, outcome=outcome, **origin, **told)
