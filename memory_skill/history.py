"""Git, the tree's history: commit exactly these paths, log, old versions. Knows no verb.

The repository belongs to the memory alone, so hooks, signing, fsmonitor, filters from outside and the
caller's `GIT_*` are switched off. GitPython is opened for one call at a time: it leaks descriptors and child
processes in a long-lived process.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from . import gitlocks
from .errors import GitTrouble, MemorySkillError, NotFound
from .text import one_line, safe

if TYPE_CHECKING:
    from git import Repo

REVIEWED = "refs/memory-skill/reviewed"  # what a person has accepted
TIME_LIMIT = 8.0  # seconds for one git call, less than others wait for the tree's lock
PATHS_A_SECOND = 50  # that much longer a commit of many paths may take: each object is synced
LOCK_PATIENCE = 4.0  # seconds that a commit waits for another git
_FALLBACK = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "memory-skill"), ("EMAIL", "memory-skill@localhost"))
}
_OPTIONS = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.fsync=all",  # by default git 2.39 syncs nothing of a commit
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.quotePath=false",
    "core.excludesFile=",
    "core.attributesFile=",
    "commit.gpgSign=false",
    "commit.template=",
    "commit.status=false",
    "gc.auto=0",  # nothing runs in the background
    "maintenance.auto=false",
]
_SETTINGS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",  # a note may be called `[draft].md`
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
}
_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",  # a REBASE_HEAD alone is a leftover, not a rebase
    "rebase-apply": "rebase",
}
_RECORD, _FIELD = "\x1e", "\x1f"
_LOG = (
    "--no-color",
    "--name-only",
    "--no-renames",
    "--abbrev=10",
    f"--format={_RECORD}%h{_FIELD}%cI{_FIELD}%B{_FIELD}",
)
_environment = threading.Lock()
_DETACHED = re.compile(r"[0-9a-f]{40,64}\s*")
T = TypeVar("T")


class Origin(NamedTuple):
    """Who asked for a change: the host, its session and turn; each may be unknown."""

    host: str | None = None
    session: str | None = None
    turn: str | None = None


class Commit(NamedTuple):
    """One commit of the tree. *time* is ISO 8601 with offset; *trailers* as written."""

    id: str
    time: str
    subject: str
    body: str
    trailers: dict[str, str]
    paths: tuple[str, ...]


class History:
    """The git repository of one tree."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def exists(self) -> bool:
        """Whether there is a whole repository: a killed `git init` leaves a folder that is none."""
        git = self.home / ".git"
        return all((git / name).exists() for name in ("HEAD", "objects", "refs"))

    def init(self) -> bool:
        """Make the repository. Returns: False if it was there already. Raises: GitTrouble without git."""
        if self.exists():
            return False
        with _no_inherited_git(), _trouble():
            import git

            command = git.Git(str(self.home))
            command.set_persistent_git_options(c=_OPTIONS)
            command.init("--quiet", "--template=", "--initial-branch=main", ".")
        return True

    def commit(
        self, paths: Sequence[str], subject: str, body: str = "", trailers: dict[str, str] | None = None
    ) -> str | None:
        """Commit exactly *paths*, whatever else is staged. Returns: the short id, None if nothing changed.

        Raises: GitTrouble when git is missing, busy or in the middle of a merge; the files are not touched.
        """
        if not paths:
            return None
        with _trouble():
            self._refuse_unfinished()
        told = {key: one_line(value) for key, value in (trailers or {}).items()}
        foot = "\n".join(f"{key}: {value}" for key, value in told.items() if value)
        parts = (safe(part).strip() for part in (subject, body, foot))
        message = "\n\n".join(part for part in parts if part) + "\n"
        return self._past_locks(lambda: self._commit(paths, message))

    def _commit(self, paths: Sequence[str], message: str) -> str | None:
        self._sweep()
        limit = _limit(len(paths))
        with self._open() as repo, self._scratch("paths", "\0".join(paths) + "\0") as listed:
            with listed.open("rb") as stream:
                repo.git.update_index("--add", "--remove", "-z", "--stdin", istream=stream, **limit)
            with self._scratch("message", message) as said:
                options = ["--quiet", "--only", "--cleanup=whitespace", "--no-verify", f"--file={said}"]
                made = self._try_commit(repo, options, paths, listed)
            return str(repo.git.rev_parse("--short=10", "HEAD")) if made else None

    def _past_locks(self, work: Callable[[], T]) -> T:
        """Do *work*; while a lock file of git is in the way, wait for its owner, or clear it without one."""
        deadline = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                return work()
            except GitTrouble as trouble:
                if ".lock'" not in trouble.what or time.monotonic() > deadline:
                    raise
            gitlocks.clear(self.home / ".git", deadline)

    def _sweep(self) -> None:
        """The scratch files of a killed process; the caller holds the tree's lock."""
        for litter in (self.home / ".git").glob("memory-skill-*"):
            with contextlib.suppress(OSError):
                litter.unlink()

    def _refuse_unfinished(self) -> None:
        """A half-done merge is the person's: `git commit --only` refuses it, but staging would resolve it."""
        for name, what in _UNFINISHED.items():
            if (self.home / ".git" / name).exists():
                hint = f"finish the {what} in {self.home} or abort it, then: memory-skill settle"
                raise GitTrouble(f"git is in the middle of a {what}", hint=hint)
        head = self.home / ".git" / "HEAD"
        if head.is_file() and _DETACHED.fullmatch(head.read_text("ascii", "replace")):
            hint = f"git -C {self.home} switch main, then: memory-skill settle"
            raise GitTrouble("HEAD is on no branch: the next switch would lose the commit", hint=hint)

    def _try_commit(self, repo: Repo, options: list[str], paths: Sequence[str], listed: Path) -> bool:
        from git.exc import GitCommandError

        try:
            repo.git.commit(
                *options, f"--pathspec-from-file={listed}", "--pathspec-file-nul", **_limit(len(paths))
            )
        except GitCommandError as error:
            said = f"{error.stdout}{error.stderr}"
            if any(words in said for words in ("nothing to commit", "nothing added", "no changes added")):
                return False
            known = [path for path in paths if (self.home / path).exists()]
            if "did not match any file" in said and len(known) < len(paths):
                listed.write_text("\0".join(known) + "\0", encoding="utf-8")
                return bool(known) and self._try_commit(repo, options, known, listed)
            nameless = "auto-detect" in said or "empty ident" in said
            if nameless and "GIT_AUTHOR_NAME" not in repo.git.environment():
                # No user.name anywhere: exit 128. In the memory's own repository we may answer for ourselves.
                repo.git.update_environment(**_FALLBACK)
                return self._try_commit(repo, options, paths, listed)
            raise
        return True

    def dirty(self) -> list[str]:
        """The paths that differ from the last commit, new ones included. Raises: GitTrouble."""
        with self._open() as repo:
            out = repo.git.status("--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
        return [record[3:] for record in str(out).split("\0") if len(record) > 3]

    def log(
        self,
        *,
        limit: int = 20,
        path: str | None = None,
        session: str | None = None,
        verb: str | None = None,
        since: str | None = None,
    ) -> list[Commit]:
        """The newest commits first, at most *limit* (0: all): those that touch *path*, carry the trailers.

        *since* is a revision; only what is not in it.
        """
        if path and (path.startswith("/") or "\0" in path or ".." in path.split("/")):
            return []  # outside the tree, of which git would complain
        wanted = [("Memory-Session", session), ("Memory-Verb", verb)]
        wanted = [(key, one_line(value)) for key, value in wanted if value]
        options = [f"--grep={key}: {value}" for key, value in wanted]
        options += ["--all-match", "--fixed-strings"] if wanted else [f"--max-count={limit or -1}"]
        with self._open() as repo:
            if not repo.head.is_valid():
                return []
            span = [f"{since}..HEAD"] if since else []
            out = repo.git.log(*_LOG, *options, *span, "--", *([path] if path else []))
        found = [_commit(record) for record in str(out).split(_RECORD) if record.strip()]
        # grep also finds the words in a body: a remembered text must not put its commit into a session.
        found = [c for c in found if all(c.trailers.get(key) == value for key, value in wanted)]
        return found[: limit or None]

    def show(self, revision: str) -> Commit:
        """One commit. Raises: NotFound for a revision that is none."""
        self._refuse_option(revision)
        with self._open() as repo:
            try:
                out = repo.git.log(*_LOG, "--max-count=1", f"{revision}^{{commit}}", "--")
            except _git_error() as error:
                raise NotFound("no such commit", where=revision, hint="memory-skill log") from error
        return _commit(str(out).split(_RECORD)[-1])

    def content(self, revision: str, path: str) -> bytes | None:
        """The bytes of *path* at *revision* (`HEAD`, a commit, `<commit>^`), None if it was not there."""
        self._refuse_option(revision)
        with self._open() as repo:
            try:
                data = repo.git.execute(
                    ["git", "-C", str(self.home), "cat-file", "blob", f"{revision}:{path}"],
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                )
            except _git_error():
                return None
        return bytes(data)

    def contents(self, revision: str, paths: Sequence[str]) -> dict[str, bytes]:
        """The bytes of many paths at *revision* by one git; those that were not there are left out."""
        self._refuse_option(revision)
        asked = [path for path in paths if "\n" not in path]
        if not asked:
            return {}
        wanted = "".join(f"{revision}:{path}\n" for path in asked)
        with self._open() as repo, self._scratch("wanted", wanted) as listed, listed.open("rb") as stream:
            data = repo.git.execute(
                ["git", "-C", str(self.home), "cat-file", "--batch"],
                istream=stream,
                stdout_as_string=False,
                strip_newline_in_stdout=False,
            )
        return _batch(bytes(data), asked)

    def blame(self, path: str) -> list[tuple[str, str]]:
        """For each line of *path* at the last commit: the commit that wrote it, and the line.

        Raises: NotFound for a path that no commit holds.
        """
        with self._open() as repo:
            try:
                out = repo.git.execute(
                    ["git", "blame", "--porcelain", "--abbrev=10", "HEAD", "--", path],
                    stdout_as_string=False,
                )
            except _git_error() as error:
                raise NotFound("no commit holds it", where=path, hint="memory-skill list") from error
        found: list[tuple[str, str]] = []
        commit = ""
        for line in bytes(out).decode("utf-8", "replace").split("\n"):
            if line.startswith("\t"):
                found.append((commit, line[1:]))
            elif match := re.match(r"([0-9a-f]{40}) \d+ \d+", line):
                commit = match.group(1)[:10]
        return found

    def merge(self, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
        """The three-way merge of texts, None where both changed the same lines."""
        with self._open() as repo, contextlib.ExitStack() as stack:
            files = [
                stack.enter_context(self._scratch(name, data))
                for name, data in (("ours", ours), ("base", base), ("theirs", theirs))
            ]
            try:
                data = repo.git.execute(
                    ["git", "merge-file", "-p", *map(str, files)],
                    stdout_as_string=False,
                    strip_newline_in_stdout=False,
                )
            except _git_error():
                return None
        return bytes(data)

    def mark_reviewed(self, revision: str = "HEAD") -> None:
        """Let `git diff refs/memory-skill/reviewed` start from *revision*."""
        with self._open() as repo:
            repo.git.update_ref(REVIEWED, revision)

    def reviewed(self) -> str | None:
        """The id of what was reviewed last, None if nothing ever was."""
        with self._open() as repo:
            try:
                return str(repo.git.rev_parse("--verify", "--quiet", REVIEWED))
            except _git_error():
                return None

    def differing(self, since: str) -> list[str]:
        """The paths that differ between *since* and the last commit."""
        self._refuse_option(since)
        with self._open() as repo:
            out = repo.git.diff("--name-only", "-z", "--no-renames", since, "HEAD", "--")
        return [path for path in str(out).split("\0") if path]

    def review(self, paths: Sequence[str], since: str) -> None:
        """Let only *paths* count as reviewed too, as they are at the last commit.

        The ref then names a commit beside the branch: what was reviewed, and of *paths* what stands now, so
        that `git diff` shows exactly what still waits. Nothing of the branch changes.
        """
        with self._open() as repo, self._scratch("index", b"") as index:
            index.unlink()
            repo.git.update_environment(GIT_INDEX_FILE=str(index), **_FALLBACK)
            repo.git.read_tree(since)
            there = str(repo.git.ls_tree("-z", "HEAD", "--", *paths)).split("\0")
            gone = set(paths) - {line.partition("\t")[2] for line in there}
            lines = [line for line in there if line] + [f"0 {'0' * 40}\t{path}" for path in gone]
            with self._scratch("entries", "\0".join(lines) + "\0") as listed, listed.open("rb") as stream:
                repo.git.update_index("-z", "--index-info", istream=stream)
            made = repo.git.commit_tree(repo.git.write_tree(), "-p", since, "-m", "reviewed")
            repo.git.update_ref(REVIEWED, made, since)

    def waiting(self) -> int:
        """Commits since the last review."""
        with self._open() as repo:
            try:
                return int(repo.git.rev_list("--count", f"{REVIEWED}..HEAD"))
            except _git_error():
                return 0

    def healthy(self) -> str | None:
        """What `git fsck` complains of, or None."""
        with self._open() as repo:
            try:
                repo.git.fsck("--strict", "--no-dangling", "--no-progress")
            except _git_error() as error:
                return _reason(error)
        return None

    @contextlib.contextmanager
    def _open(self) -> Iterator[Repo]:
        if not self.exists():
            raise NotFound("is no git repository", where=str(self.home), hint="memory-skill init")
        with _no_inherited_git(), _trouble():
            from git import Repo

            with Repo(self.home) as repo:
                repo.git.set_persistent_git_options(c=_OPTIONS)
                repo.git.update_environment(**_SETTINGS)
                yield repo

    @contextlib.contextmanager
    def _scratch(self, name: str, data: str | bytes) -> Iterator[Path]:
        path = self.home / ".git" / f"memory-skill-{name}.{os.getpid()}.{threading.get_ident()}"
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    @staticmethod
    def _refuse_option(revision: str) -> None:
        if revision.startswith("-") or any(c in revision for c in "\0\n :"):
            raise NotFound("no such commit", where=revision, hint="memory-skill log")


def _limit(paths: int = 0) -> dict[str, Any]:
    """The time limit of one call, as GitPython takes it."""
    return {"kill_after_timeout": TIME_LIMIT + paths / PATHS_A_SECOND} if os.name == "posix" else {}


def _git_error() -> type[Exception]:
    from git.exc import GitCommandError

    return GitCommandError


def _commit(record: str) -> Commit:
    short, when, message, rest = record.split(_FIELD, 3)
    subject, _, body = message.strip().partition("\n")
    head, _, foot = body.strip().rpartition("\n\n")
    trailers = _trailers(foot)
    return Commit(
        id=short,
        time=when,
        subject=subject,
        body=head.strip() if trailers else body.strip(),
        trailers=trailers,
        paths=tuple(line for line in rest.split("\n") if line),
    )


def _batch(data: bytes, asked: Sequence[str]) -> dict[str, bytes]:
    """The answers of `cat-file --batch`, in the order of what was asked."""
    found: dict[str, bytes] = {}
    at = 0
    for path in asked:
        end = data.index(b"\n", at)
        head = data[at:end].rsplit(b" ", 2)
        at = end + 1
        if head[-1] == b"missing" or head[-2] != b"blob":
            at += 0 if head[-1] == b"missing" else int(head[-1]) + 1
            continue
        size = int(head[-1])
        found[path] = data[at : at + size]
        at += size + 1
    return found


def _trailers(block: str) -> dict[str, str]:
    pairs = [line.partition(": ") for line in block.splitlines()]
    if not pairs or any(not key.startswith("Memory-") or not value for key, _, value in pairs):
        return {}
    return {key: value for key, _, value in pairs}


@contextlib.contextmanager
def _no_inherited_git() -> Iterator[None]:
    """Run without the caller's `GIT_*`: a hook inside the user's own commit inherits GIT_INDEX_FILE."""
    with _environment:
        taken = {key: os.environ.pop(key) for key in list(os.environ) if key.startswith("GIT_")}
        try:
            yield
        finally:
            os.environ.update(taken)


@contextlib.contextmanager
def _trouble() -> Iterator[None]:
    """GitPython's many errors as one of ours, with git's own words."""
    try:
        yield
    except ImportError as error:
        raise GitTrouble("git is not installed", hint="install git, then: memory-skill doctor") from error
    except OSError as error:
        raise GitTrouble(f"git cannot run: {error}", hint="memory-skill doctor") from error
    except MemorySkillError:
        raise
    except Exception as error:
        # A damaged HEAD or config comes as ValueError, a gitdb error or one of configparser.
        known = isinstance(error, ValueError) or type(error).__module__.startswith(
            ("git.", "gitdb.", "configp")
        )
        if not known:
            raise
        raise GitTrouble(f"git: {_reason(error)}", hint="memory-skill doctor") from error


def _reason(error: Any) -> str:
    words = str(getattr(error, "stderr", "") or error).replace("stderr: ", "").strip(" '\"\n")
    return words.splitlines()[0] if words else type(error).__name__
