"""Which project a folder belongs to, told from files alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_skill.errors import PathRefused
from memory_skill.projects import Projects, has_commit, normalise_url, project_of
from memory_skill.tree import Tree

from .trees import git, project

SPELLINGS = [
    "git@github.com:Acme/Billing.git",
    "https://github.com/acme/billing",
    "https://github.com/acme/billing/",
    "https://ada:token@github.com/Acme/Billing.git",
    "ssh://git@github.com:22/acme/billing.git",
    "git://github.com/acme/billing.git",
]


@pytest.mark.parametrize("url", SPELLINGS)
def test_one_place_has_one_url(url: str) -> None:
    """Every spelling of a remote is the same project, and a password in it is left out."""
    assert normalise_url(url) == "github.com/acme/billing"


@pytest.mark.parametrize(
    ("url", "slug"),
    [
        ("git@github.com:Acme/Billing.git", "acme-billing"),
        ("https://gitlab.com/group/sub/team/app.git", "team-app"),
        ("https://example.org/app.git", "app"),
        ("/srv/git/app.git", "git-app"),
        ("file:///srv/git/app.git", "git-app"),
    ],
)
def test_slug_is_the_end_of_the_origin(tmp_path: Path, tree: Tree, url: str, slug: str) -> None:
    """The last two parts of the origin's path, in any of its forms."""
    assert Projects(tree).slug(project(tmp_path / "x", url)) == slug


def test_folder_without_origin_has_a_slug_of_its_own(tmp_path: Path, tree: Tree) -> None:
    """Two folders of the same name differ by four hex digits of their paths."""
    for place in ("a/app", "b/app"):
        (tmp_path / place / ".git").mkdir(parents=True)

    one, other = (Projects(tree).slug(tmp_path / place / "app") for place in "ab")

    assert one.startswith("app-")
    assert len(one) == len("app-1234")
    assert one != other


def test_folder_inside_is_the_same_project(tmp_path: Path, tree: Tree) -> None:
    """A `cd` into the repository changes nothing."""
    root = project(tmp_path / "x", SPELLINGS[0])
    (root / "src" / "deep").mkdir(parents=True)

    assert Projects(tree).slug(root / "src" / "deep") == "acme-billing"


def test_worktrees_share_their_project(tmp_path: Path, tree: Tree) -> None:
    """A linked worktree is the project of its main checkout, with and without an origin (G47, G48)."""
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "-q", "../linked")
    assert project_of(tmp_path / "linked") == project_of(main)

    git(main, "remote", "add", "origin", SPELLINGS[0])
    assert Projects(tree).slug(tmp_path / "linked") == "acme-billing"


def test_submodule_is_a_project_of_its_own(tmp_path: Path, tree: Tree) -> None:
    """A repository inside another is the one that its own origin names."""
    for name in ("inner", "outer"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "commit", "-q", "--allow-empty", "-m", "first")
    git(
        tmp_path / "outer",
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        "../inner",
        "sub",
    )

    assert Projects(tree).slug(tmp_path / "outer" / "sub").endswith("-inner")


def test_second_claimant_gets_a_suffix(tmp_path: Path, tree: Tree) -> None:
    """Two repositories whose origins end alike do not share their notes."""
    one = project(tmp_path / "one", "git@github.com:acme/app.git")
    other = project(tmp_path / "other", "git@gitlab.example.org:acme/app.git")
    projects = Projects(tree)

    assert projects.claim(one) == ("acme-app", "knowledge/projects/acme-app/.identity.json")
    assert projects.claim(other) == ("acme-app-2", "knowledge/projects/acme-app-2/.identity.json")

    assert (projects.slug(one), projects.slug(other)) == ("acme-app", "acme-app-2")
    assert projects.claim(one) == ("acme-app", None)


def test_second_clone_is_the_same_project(tmp_path: Path, tree: Tree) -> None:
    """Another checkout of the same origin shares the slug, and its path is remembered."""
    one, other = (project(tmp_path / n, url) for n, url in zip("ab", SPELLINGS[:2], strict=True))
    Projects(tree).claim(one)

    assert Projects(tree).claim(other)[0] == "acme-billing"

    identity = json.loads((tree.home / "knowledge/projects/acme-billing/.identity.json").read_text())
    assert identity == {"commit": "", "origin": "github.com/acme/billing", "paths": [str(one), str(other)]}


def test_project_keeps_its_slug_when_it_gains_an_origin(tmp_path: Path, tree: Tree) -> None:
    """Notes of a young repository stay with it when it gets its remote; so does a lost remote's project."""
    root = project(tmp_path / "app", "git@github.com:acme/app.git")
    remote = (root / ".git" / "config").read_text()
    (root / ".git" / "config").write_text("")
    young, _ = Projects(tree).claim(root)

    (root / ".git" / "config").write_text(remote)
    assert Projects(tree).claim(root)[0] == young
    assert Projects(tree).slug(project(tmp_path / "clone", "git@github.com:acme/app.git")) == young

    (root / ".git" / "config").write_text("")
    assert Projects(tree).slug(root) == young


def test_other_repository_at_the_same_path_is_another_project(tmp_path: Path, tree: Tree) -> None:
    """A folder that was deleted and cloned anew from elsewhere does not inherit notes."""
    root = project(tmp_path / "app", "git@github.com:acme/app.git")
    Projects(tree).claim(root)
    (root / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:acme/shop.git\n')

    assert Projects(tree).slug(root) == "acme-shop"


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"paths": 5}', '{"paths": [1]}'])
def test_broken_identity_does_not_stop_anybody(tmp_path: Path, tree: Tree, broken: str) -> None:
    """A torn identity file leaves the project a slug, and the next claim mends it."""
    root = project(tmp_path / "x", SPELLINGS[0])
    tree.write("knowledge/projects/acme-billing/note.md", b"x")
    (tree.home / "knowledge/projects/acme-billing/.identity.json").write_text(broken)

    slug, _ = Projects(tree).claim(root)

    assert Projects(tree).slug(root) == slug


@pytest.mark.parametrize("marker", [b"gitdir: /nowhere/at/all", b"\xff\xfe", b"", b"gitdir:"])
def test_broken_git_file_is_a_plain_folder(tmp_path: Path, tree: Tree, marker: bytes) -> None:
    """A `.git` file that leads nowhere does not stop the hook that asks."""
    (tmp_path / ".git").write_bytes(marker)

    assert Projects(tree).slug(tmp_path)


def test_asking_writes_nothing(tmp_path: Path, tree: Tree) -> None:
    """The prompt hook only asks."""
    Projects(tree).slug(project(tmp_path / "x", SPELLINGS[0]))

    assert list(tree.home.iterdir()) == []


def test_identity_is_not_written_through_a_link(tmp_path: Path, tree: Tree) -> None:
    """A project's folder that is a link to outside gets no file of ours (G69)."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (tree.home / "knowledge/projects").mkdir(parents=True)
    (tree.home / "knowledge/projects/acme-billing").symlink_to(outside)

    with pytest.raises(PathRefused):
        Projects(tree).claim(project(tmp_path / "x", SPELLINGS[0]))

    assert list(outside.iterdir()) == []


def test_projects_around_are_those_that_a_folder_lies_in(tmp_path: Path, tree: Tree) -> None:
    """A nested repository, the repositories around it, and a folder outside git that has notes of its own."""
    projects = Projects(tree)
    office = tmp_path / "home" / "office"
    mono = project(office / "mono", "git@github.com:acme/mono.git")
    billing = project(mono / "services" / "billing", "git@github.com:acme/billing.git")
    project(mono / "services" / "web", "git@github.com:acme/web.git")
    (billing / "src").mkdir()

    assert projects.around(billing / "src", tmp_path / "home") == ["acme-billing", "acme-mono"]

    slug, _ = projects.claim(office)

    assert projects.around(billing / "src", tmp_path / "home") == ["acme-billing", "acme-mono", slug]
    assert projects.around(mono / "services", tmp_path / "home") == ["acme-mono", slug]


def test_home_and_what_is_above_are_no_projects(tmp_path: Path, tree: Tree) -> None:
    """A home folder under version control, as many have for their settings, is nobody's monorepo."""
    home = project(tmp_path / "home", "git@github.com:ada/dotfiles.git")
    project(tmp_path, "git@github.com:root/disk.git")
    app = project(home / "app", "git@github.com:acme/app.git")

    assert Projects(tree).around(app, home) == ["acme-app"]
    assert Projects(tree).around(home, home) == []
    assert Projects(tree).around(home / "scratch", home) == []
    assert Projects(tree).around(Path("/"), home) == []


def repository(folder: Path, origin: str, text: str) -> Path:
    """A real code repository with one commit."""
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "remote", "add", "origin", origin)
    (folder / "main.py").write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "begin")
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_renamed_origin_stays_the_same_project(tmp_path: Path, tree: Tree, packed: bool) -> None:
    """A commit of it is found, loose or in a pack, and the new name is taken up at the next claim."""
    projects = Projects(tree)
    app = repository(tmp_path / "app", "git@github.com:acme/app.git", "a = 1\n")
    projects.claim(app)
    git(app, "remote", "set-url", "origin", "git@github.com:acme/renamed.git")
    if packed:
        git(app, "gc", "-q")
        assert list((app / ".git" / "objects" / "pack").glob("*.idx"))

    assert projects.slug(app) == "acme-app"

    projects.claim(app)

    clone = project(tmp_path / "elsewhere", "git@github.com:acme/renamed.git")
    assert projects.slug(clone) == "acme-app"


def test_other_repository_in_the_same_place_is_another_project(tmp_path: Path, tree: Tree) -> None:
    """The path alone does not make it the one that lay there before."""
    projects = Projects(tree)
    projects.claim(repository(tmp_path / "app", "git@github.com:acme/app.git", "a = 1\n"))
    (tmp_path / "app").rename(tmp_path / "old")
    other = repository(tmp_path / "app", "git@github.com:acme/other.git", "b = 2\n")

    assert projects.slug(other) == "acme-other"


def test_commit_is_looked_for_in_what_is_no_pack(tmp_path: Path) -> None:
    """An index that is torn, of another version, or of nothing, lists nothing."""
    packs = tmp_path / "objects" / "pack"
    packs.mkdir(parents=True)
    begins = b"\xfftOc\0\0\0"
    for number, raw in enumerate((b"", begins, begins + b"\3" + bytes(1024), begins + b"\2" + b"\xff" * 9)):
        (packs / f"{number}.idx").write_bytes(raw)

    assert not has_commit(tmp_path, "ab" * 20)
    assert not has_commit(tmp_path, "../../etc/passwd")
    assert not has_commit(None, "ab" * 20)
