"""Which project a folder belongs to, told without running git: the prompt hook asks.

The slug is the last two parts of the origin's URL, else the folder's name and 4 hex digits of its path.
The first folder of a slug leaves its identity in `knowledge/projects/<slug>/.identity.json`; another
repository of the same slug gets a suffix. Worktrees of one repository share it. A commit in it tells a
repository whose origin was renamed from another one that was put in its place.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from .light import NamedTuple, sha256
from .text import slug as to_slug
from .tree import Tree, write_atomic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_PATHS = 20  # checkouts remembered of one project
_URL = r"(?i)(?:[a-z+]+://)?(?:[^@/\s]+@)?([^:/\s]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*$"


class Project(NamedTuple):
    """*root* is the main worktree's folder, *origin* its normalised URL `host/owner/name` or "".

    *git* is the folder of the repository itself, None outside one.
    """

    root: Path
    origin: str
    git: Path | None = None

    @property
    def slug(self) -> str:
        """The slug it asks for, before anybody else's claim on it."""
        if self.origin:
            parts = [to_slug(part) for part in self.origin.split("/")[1:][-2:]]
            return "-".join(part for part in parts if part) or "project"
        name = to_slug(self.root.name) or "project"
        return f"{name}-{sha256(str(self.root).encode('utf-8', 'surrogatepass')).hexdigest()[:4]}"


def project_of(folder: Path) -> Project:
    """The project that *folder* lies in: its repository's, or the folder itself outside one."""
    start = folder.absolute()
    for place in (start, *start.parents):
        marker = place / ".git"
        if marker.is_dir():
            return Project(place, _origin(marker), marker)
        if marker.is_file():
            return _linked(place, marker)
    return Project(start, "")


def _linked(place: Path, marker: Path) -> Project:
    """The project of a linked worktree or a submodule, whose `.git` is a file that names the real folder."""
    try:
        target = marker.read_text(encoding="utf-8").strip().removeprefix("gitdir:").strip()
        folder = (place / target).resolve()
        common = folder / "commondir"
        if not common.is_file():
            return Project(place, _origin(folder), folder)
        shared = (folder / common.read_text(encoding="utf-8").strip()).resolve()
        return Project(shared.parent if shared.name == ".git" else shared, _origin(shared), shared)
    except (OSError, UnicodeDecodeError, ValueError):
        return Project(place, "")


def _origin(git_folder: Path) -> str:
    try:
        lines = (git_folder / "config").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    inside = False
    for line in lines:
        line = line.strip()
        if line.startswith("["):
            inside = line.replace(" ", "") == '[remote"origin"]'
        elif inside and line.split("=")[0].strip() == "url":
            return normalise_url(line.split("=", 1)[1].strip())
    return ""


def normalise_url(url: str) -> str:
    """`git@github.com:Acme/Billing.git` and `https://github.com/acme/billing/` name the same place."""
    match = re.match(_URL, url)
    if url.startswith(("/", ".", "file:")) or not match:
        path = re.sub(r"^file://", "", url).rstrip("/").removesuffix(".git")
        return f"local/{path.strip('/')}" if path else ""
    return f"{match.group(1)}/{match.group(2)}".lower()


def first_commit(git: Path | None) -> str:
    """The first commit that HEAD had here, as 40 hex digits: the root, or what was cloned. "" if untold."""
    try:
        with ((git or Path()) / "logs" / "HEAD").open("rb") as file:
            found = file.readline(400).decode("ascii", "replace").split(" ")[1:2]
    except OSError:
        return ""
    return found[0] if git and found and re.fullmatch(r"[0-9a-f]{40}", found[0]) else ""


def has_commit(git: Path | None, commit: str) -> bool:
    """Whether the repository holds *commit*, loose or packed; False for what is no name of a commit."""
    if git is None or not re.fullmatch(r"[0-9a-f]{40}", commit):
        return False
    objects = git / "objects"
    if (objects / commit[:2] / commit[2:]).is_file():
        return True
    return any(_lists(index, bytes.fromhex(commit)) for index in sorted((objects / "pack").glob("*.idx")))


def _lists(index: Path, name: bytes) -> bool:
    """Whether a pack's index, version 2, lists *name*: 256 running counts by first byte, sorted names."""
    try:
        with index.open("rb") as file:
            head = file.read(8 + 4 * 256)
            if head[:8] != b"\xfftOc\0\0\0\2":
                return False
            counts = [0, *(int.from_bytes(head[at : at + 4]) for at in range(8, len(head), 4))]
            start, end = counts[name[0]], counts[name[0] + 1]
            file.seek(len(head) + 20 * start)
            names = file.read(20 * (end - start))
    except (OSError, IndexError):
        return False
    return any(names[at : at + 20] == name for at in range(0, len(names), 20))


class Projects:
    """The slugs of one tree and who claimed them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def slug(self, folder: Path) -> str:
        """The slug of the project that *folder* lies in; writes nothing."""
        project = project_of(folder)
        for number in range(1, 100):
            slug = project.slug if number == 1 else f"{project.slug}-{number}"
            identity = self._identity(slug)
            if identity is None:
                return self._before(project) or slug
            if _same(identity, project):
                return slug
        return project.slug

    def around(self, folder: Path, home: Path) -> list[str]:
        """The slug of *folder*'s project, then those of the projects that it lies in, nearest first.

        A project lies in another in a monorepo: a repository, or a folder with notes of its own, further up.
        The user's *home* and the root of the disk are no projects, and nothing above them is looked at.
        """
        root = project_of(folder).root
        ends = (home, Path(root.anchor))
        found = [] if root in ends else [self.slug(folder)]
        for place in root.parents if found else ():
            if place in ends:
                break
            if (place / ".git").exists() or self._claimed(place):
                found.append(self.slug(place))
        return list(dict.fromkeys(found))

    def _claimed(self, place: Path) -> bool:
        """Whether *place*, which is no repository, has notes of its own."""
        identity = self._identity(Project(place, "").slug)
        return identity is not None and str(place) in identity["paths"]

    def _before(self, project: Project) -> str | None:
        """The slug that the project had before it gained or lost its origin, here or in another checkout."""
        for path in sorted((self.tree.home / "knowledge" / "projects").glob("*/.identity.json")):
            identity = self._identity(path.parent.name) or {}
            origin = identity.get("origin", "")
            here = str(project.root) in identity.get("paths", ())
            same = project.origin == origin if project.origin and origin else here
            if same or (here and has_commit(project.git, identity["commit"])):
                return path.parent.name
        return None

    def claim(self, folder: Path) -> tuple[str, str | None]:
        """The slug of *folder*'s project, and the path of its identity file if it had to be written."""
        project, slug = project_of(folder), self.slug(folder)
        known = self._identity(slug) or {"origin": "", "paths": []}
        root, paths = str(project.root), known["paths"]
        identity = {
            "commit": known.get("commit") or first_commit(project.git),
            "origin": project.origin or known["origin"],
            "paths": paths if root in paths else [*paths, root][-MAX_PATHS:],
        }
        if identity == known:
            return slug, None
        self.tree.path(f"knowledge/projects/{slug}/identity")  # refuses a folder that is a link
        target = self._file(slug)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(identity, indent=2, ensure_ascii=False) + "\n"
        write_atomic(target, text.encode("utf-8", "replace"))
        return slug, self._rel(slug)

    def _rel(self, slug: str) -> str:
        return f"knowledge/projects/{slug}/.identity.json"

    def _file(self, slug: str) -> Path:
        return self.tree.home / self._rel(slug)

    def _identity(self, slug: str) -> dict[str, Any] | None:
        try:
            found = json.loads(self._file(slug).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(found, dict) or not isinstance(found.get("paths"), list):
            return None
        told = {key: str(found.get(key) or "") for key in ("commit", "origin")}
        return {**told, "paths": found["paths"]}


def _same(identity: dict[str, Any], project: Project) -> bool:
    """One origin is one project wherever it lies, and a folder stays itself."""
    shared = bool(project.origin) and identity.get("origin") == project.origin
    return shared or str(project.root) in identity.get("paths", [])
