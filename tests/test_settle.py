"""What hosts, editors and git pull changed in the tree: checked, filed, indexed, committed, by no daemon."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_skill.memory import Memory
from memory_skill.note import entry_id
from memory_skill.settle import summary

from .trees import KEY, by_tool, git, in_history, in_session, last_message, note, project, put, read, subjects

LONG_KEYED = "word " * 5000 + KEY  # over the gate's limit


@pytest.fixture
def billing(memory: Memory, tmp_path: Path) -> Path:
    """A project in which Claude Code runs session s-1."""
    root = project(tmp_path / "billing", "git@github.com:acme/billing.git")
    in_session(memory, "s-1", root)
    return root


def recalled(memory: Memory, query: str) -> list[str]:
    return [hit.address for hit in memory.recall(query, scope="all").hits]


def dirty(memory: Memory) -> str:
    return git(memory.tree.home, "status", "--porcelain")


# --- by hand


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("knowledge/tech-stack.md", "- Flamingo 3.11\n"),
        ("knowledge/user/pets.md", note("user", "A flamingo in the garden.")),
        ("knowledge/projects/acme-billing.md", "- flamingos are integer cents\n"),
        ("skills/flamingo/SKILL.md", "---\nname: flamingo\ndescription: Use for a flamingo\n---\nStand.\n"),
    ],
)
def test_note_of_an_editor_is_indexed_recalled_and_committed(memory: Memory, path: str, text: str) -> None:
    """A file that a person wrote is taken up as it is, by one commit that says a hand wrote it."""
    put(memory, path, text)

    settled = memory.settle()

    assert (settled.changed, settled.damaged, settled.held) == ((path,), (), ())
    assert read(memory, path) == text
    assert path in read(memory, "MEMORY.md")
    assert [address.split("#")[0] for address in recalled(memory, "flamingo")] == [path]
    assert last_message(memory) == (
        f"settle {path}\n\nedited by hand\n\nMemory-Verb: settle\nMemory-Source: hand"
    )
    assert settled.commits == (git(memory.tree.home, "rev-parse", "--short=10", "HEAD").strip(),)
    assert dirty(memory) == ""
    assert not memory.status().unsettled


def test_settle_again_does_nothing(memory: Memory) -> None:
    """Nothing changed, nothing written, no commit."""
    put(memory, "knowledge/user.md", "- Name: Ada\n")
    memory.settle()

    settled = memory.settle()

    assert (settled.changed, settled.commits, settled.warning) == ((), (), None)
    assert len(subjects(memory)) == 1


def test_edited_and_deleted_notes_are_followed(memory: Memory) -> None:
    """Index, recall and history follow an edit, a rename and a removal."""
    for name in ("edited", "renamed", "removed"):
        put(memory, f"knowledge/{name}.md", f"The {name} flamingo.\n")
    memory.settle()

    put(memory, "knowledge/edited.md", "The edited pelican.\n")
    (memory.tree.home / "knowledge/renamed.md").rename(memory.tree.home / "knowledge/named.md")
    (memory.tree.home / "knowledge/removed.md").unlink()
    settled = memory.settle()

    assert len(settled.commits) == 1
    assert recalled(memory, "pelican") == ["knowledge/edited.md"]
    assert recalled(memory, "flamingo") == ["knowledge/named.md"]
    index = read(memory, "MEMORY.md")
    assert ["knowledge/named.md" in index, "renamed.md" in index, "removed.md" in index] == [
        True,
        False,
        False,
    ]
    assert git(memory.tree.home, "ls-files", "knowledge").split() == [
        "knowledge/edited.md",
        "knowledge/named.md",
    ]


@pytest.mark.parametrize("kept", ["mtime", "size", "both"])
def test_change_that_looks_unchanged_is_found(memory: Memory, kept: str) -> None:
    """A file of the same size, of the same time, or of both is told apart by what it holds (L06)."""
    path = put(memory, "knowledge/user.md", "- Flamingo\n")
    memory.settle()
    stat = path.stat()

    path.write_text("- Flamingo and herons\n" if kept == "mtime" else "- Pelicans\n")
    if kept != "size":
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    settled = memory.settle()

    word = "herons" if kept == "mtime" else "pelicans"
    assert settled.changed == ("knowledge/user.md",)
    assert recalled(memory, word) != []
    assert word in read(memory, "MEMORY.md").lower()
    assert dirty(memory) == ""
    assert memory.settle().commits == ()


def test_editor_litter_is_neither_indexed_nor_committed(memory: Memory) -> None:
    """Swap, backup and lock files beside a note stay what they are (L12)."""
    put(memory, "knowledge/user.md", "- Name: Ada\n")
    for name in (".user.md.swp", "user.md~", "4913", ".hidden.md", "#user.md#", ".user.md.1.2.tmp"):
        put(memory, f"knowledge/{name}", "flamingo")
    (memory.tree.home / "knowledge/.#user.md").symlink_to("ada@host.1:2")

    memory.settle()

    assert git(memory.tree.home, "ls-files", "knowledge").split() == ["knowledge/user.md"]
    assert recalled(memory, "flamingo") == []
    assert not memory.status().unsettled


@pytest.mark.parametrize("way", ["in place", "rename", "backup"])
def test_each_way_of_saving_a_file_is_one_change(memory: Memory, way: str) -> None:
    """nano writes in place, VS Code renames over, Vim keeps a backup: one change each (L12)."""
    path = put(memory, "knowledge/user.md", "- Name: Ada\n")
    memory.settle()

    if way == "backup":
        path.rename(path.with_name("user.md~"))
    target = path.with_name("new.tmp") if way == "rename" else path
    target.write_text("- Name: Ida\n")
    target.rename(path)
    settled = memory.settle()

    assert (settled.changed, len(settled.commits)) == (("knowledge/user.md",), 1)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"---\ntitle: Re: October\n---\nThe flamingo body.\n", "line 2"),
        (b"---\r\nname: x\r\nname: y\r\n---\r\nThe flamingo body.\r\n", "twice"),
        (b"caf\xe9 flamingo\n", "UTF-8"),
        (b"\x00" * 40, "NUL"),
        (b"", "no text"),
    ],
)
def test_damaged_note_is_reported_and_stays_byte_for_byte(memory: Memory, raw: bytes, why: str) -> None:
    """A broken header, another encoding, NUL bytes and an empty file are named; others go on (G08, G20)."""
    put(memory, "knowledge/broken.md", raw)
    put(memory, "knowledge/whole.md", "The whole pelican.\n")

    settled = memory.settle()

    [(path, reason)] = settled.damaged
    assert path == "knowledge/broken.md"
    assert why in reason
    assert (memory.tree.home / "knowledge/broken.md").read_bytes() == raw
    assert recalled(memory, "pelican") == ["knowledge/whole.md"]
    assert f"! knowledge/broken.md: {reason}" in list(summary(settled))
    assert dirty(memory) == ""


def test_body_below_a_broken_header_is_recalled(memory: Memory) -> None:
    """A header that nobody can read does not hide what stands below it (G13)."""
    put(memory, "knowledge/broken.md", "---\ntitle: Re: October\n---\nThe flamingo body.\n")

    memory.settle()

    assert recalled(memory, "flamingo body") == ["knowledge/broken.md"]
    assert "knowledge/broken.md" in read(memory, "MEMORY.md")


# --- secrets


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("knowledge/x.md", f"The token is {KEY}, ask Ada.\n"),
        ("knowledge/x.md", f"---\ndescription: the token {KEY}\n---\nAsk Ada about it.\n"),
        ("knowledge/x.md", f"---\ntitle: Re: {KEY}\n---\nbody of a broken one\n"),
        ("knowledge/x.md", LONG_KEYED),
        ("knowledge/x.md", f"\ufeffThe token is {KEY},\r\nask Ada.\r\n"),
        ("knowledge/x.md", f"caf\xe9 token {KEY} more text\n".encode("latin-1")),
        ("knowledge/x.md", f"nul \x00 token {KEY} more text\n"),
        ("AGENTS.md", f"Ada signs with {KEY} each evening.\n"),
        ("MEMORY.md", f"# Memory\n\nThe deploy token is {KEY} here.\n"),
        ("x.md", note("user", f"The token is {KEY}, ask Ada.")),
        ("x.md", f"The token is {KEY}, ask Ada.\n"),
        ("inbox/x.md", f"The token is {KEY}, ask Ada.\n"),
        ("archive/x.md", f"The token is {KEY}, ask Ada.\n"),
        ("config.toml", f"# token {KEY} of Ada\nformat = 1\n"),
        ("knowledge/x.md", f"{KEY}\n"),
    ],
)
def test_secret_is_masked_before_any_commit(memory: Memory, path: str, text: str | bytes) -> None:
    """Wherever a hand or a host wrote a key, it is in no file and no git object afterwards, and is said."""
    put(memory, path, text)

    settled = memory.settle()

    assert not in_history(memory, KEY)
    for file in memory.tree.home.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
    assert any("secret" in line for line in summary(settled))
    assert dirty(memory) == ""
    if isinstance(text, str) and text.startswith("\ufeff"):
        assert (memory.tree.home / path).read_bytes() == text.replace(KEY, "[secret: anthropic]").encode()


@pytest.mark.parametrize("verb", ["save", "edit", "forget", "import", "undo"])
def test_secret_that_nobody_settled_is_in_no_commit_of_a_verb(
    memory: Memory, tmp_path: Path, verb: str
) -> None:
    """A verb between the hand and the settling commits neither the key's note nor its index line."""
    memory.save("The first one.", type="user")
    put(memory, "knowledge/user.md", "- tea\n- milk\n")
    memory.settle()
    put(memory, "knowledge/user.md", f"- tea\n- milk\n- token {KEY} of Ada\n")
    put(memory, "knowledge/user/x.md", f"---\ndescription: token {KEY} of Ada\n---\nAsk Ada.\n")
    put(memory, "MEMORY.md", read(memory, "MEMORY.md") + f"\nThe token {KEY} of Ada\n")
    lines = tmp_path / "n.jsonl"
    lines.write_text('{"type": "user", "body": "Imported."}\n')

    {
        "save": lambda: memory.save("Ada likes tea.", type="user"),
        "edit": lambda: memory.edit("knowledge/user.md", "milk", "rum"),
        "forget": lambda: memory.forget(f"knowledge/user.md#{entry_id('milk')}"),
        "import": lambda: memory.import_file(lines),
        "undo": lambda: memory.undo("HEAD^"),
    }[verb]()

    assert not in_history(memory, KEY)


def test_secret_that_an_edit_takes_out_is_not_quoted_in_its_commit(memory: Memory) -> None:
    """Who removes a key by hand of an agent does not put it into the message of the commit."""
    put(memory, "knowledge/user.md", f"- the token {KEY} of Ada\n")

    memory.edit("knowledge/user.md", f"the token {KEY} of Ada", "the token is in the vault")

    assert not in_history(memory, KEY)
    assert read(memory, "knowledge/user.md") == "- the token is in the vault\n"


# --- flat files of Claude Code


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("user", "knowledge/user/flamingo.md"),
        ("feedback", "knowledge/feedback/flamingo.md"),
        ("project", "knowledge/projects/acme-billing/flamingo.md"),
        ("reference", "knowledge/projects/acme-billing/flamingo.md"),
        ("lesson", "knowledge/projects/acme-billing/flamingo.md"),
    ],
)
@pytest.mark.parametrize("told_by", ["stamp", "mark"])
def test_flat_file_is_filed_by_its_type_and_its_session(
    memory: Memory, billing: Path, kind: str, target: str, told_by: str
) -> None:
    """Claude Code writes at the tree's root; the header's stamp or the hook's mark tells whose project."""
    text = note(kind, "The flamingo is pink.", session="s-1" if told_by == "stamp" else "")
    if told_by == "mark":
        by_tool(memory, "s-1", "flamingo.md", text)
    else:
        put(memory, "flamingo.md", text)

    settled = memory.settle()

    assert settled.filed == (("flamingo.md", target),)
    assert read(memory, target) == text
    assert not (memory.tree.home / "flamingo.md").exists()
    assert recalled(memory, "flamingo") == [target]
    assert last_message(memory) == (
        f"settle {target}\n\nwritten by a tool of claude-code\nflamingo.md -> {target}\n\n"
        "Memory-Verb: settle\nMemory-Host: claude-code\nMemory-Session: s-1"
    )
    assert memory.sessions.writers() == {}
    assert memory.sessions.read("claude-code", "s-1").saves == 1
    assert dirty(memory) == ""


def test_first_flat_note_claims_its_project(memory: Memory, billing: Path) -> None:
    """The identity of the session's start folder is left beside its first note, in the same commit."""
    put(memory, "flamingo.md", note("project", "The flamingo is pink.", session="s-1"))

    memory.settle()

    identity = read(memory, "knowledge/projects/acme-billing/.identity.json")
    assert "github.com/acme/billing" in identity
    assert str(billing) in identity
    assert len(subjects(memory)) == 1


def test_second_write_of_a_filed_name_replaces_the_note(memory: Memory, billing: Path) -> None:
    """The client knows the note by its flat name: its second write is the same note, the old text in git."""
    put(memory, "flamingo.md", note("project", "The flamingo is pink.", session="s-1"))
    memory.settle()
    put(memory, "flamingo.md", note("project", "The flamingo is green.", session="s-1"))

    settled = memory.settle()

    target = "knowledge/projects/acme-billing/flamingo.md"
    assert settled.filed == (("flamingo.md", target),)
    assert "is green" in read(memory, target)
    assert "is pink" in git(memory.tree.home, "show", f"HEAD^:{target}")
    assert [item.address for item in memory.list(scope="project:acme-billing")] == [target]


def test_second_write_with_another_type_is_still_the_same_note(memory: Memory, billing: Path) -> None:
    """A global note that comes back as feedback instead of user does not become two."""
    put(memory, "tabs.md", note("user", "Ada likes tabs.", session="s-1"))
    memory.settle()
    put(memory, "tabs.md", note("feedback", "Indent with tabs.", session="s-1"))

    memory.settle()

    assert [item.address for item in memory.list() if item.name == "a-note"] == ["knowledge/user/tabs.md"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (note("project", "The flamingo is pink."), "unknown project"),
        (note("reference", "The flamingo is pink.", session="nobody"), "unknown project"),
        ("The flamingo is pink.\n", "names no type"),
        (note("novel", "The flamingo is pink."), "names no type"),
        ("---\ntitle: Re: flamingo\n---\nThe flamingo is pink.\n", "mapping values"),
        (f"{KEY}\n", "names no type"),
        (
            note("user", KEY)
            .replace(f"\n{KEY}\n", "\n")
            .replace("description: " + KEY, f"description: {KEY}"),
            "",
        ),
    ],
)
def test_flat_file_that_cannot_be_filed_waits_in_the_inbox(memory: Memory, text: str, reason: str) -> None:
    """Unknown project, no type or a broken header: to the inbox with the reason, out of index and recall."""
    put(memory, "flamingo.md", text)

    settled = memory.settle()

    if reason:
        [(path, why)] = settled.held
        assert path == "inbox/flamingo.md"
        assert reason in why
        held = read(memory, "inbox/flamingo.md")
        head = held.removesuffix("\n" + text.replace(KEY, "[secret: anthropic]"))
        assert head != held
        assert head.startswith("<!-- held")
        assert why in head
        assert recalled(memory, "flamingo") == []
        assert "flamingo" not in read(memory, "MEMORY.md")
    assert not (memory.tree.home / "flamingo.md").exists()
    assert dirty(memory) == ""


def test_waiting_files_of_one_name_do_not_overwrite_each_other(memory: Memory) -> None:
    """Each keeps its text, under a name of its own."""
    for number in range(3):
        put(memory, "flamingo.md", f"Text {number}.\n")
        memory.settle()

    held = sorted(path.name for path in (memory.tree.home / "inbox").glob("*.md"))
    assert held == ["flamingo-2.md", "flamingo-3.md", "flamingo.md"]


def test_huge_flat_file_loses_nothing(memory: Memory) -> None:
    """A file over the limit of a note waits whole, or stays where it is; either is said."""
    text = "flamingo " * 3_000
    put(memory, "flamingo.md", text)

    settled = memory.settle()

    everywhere = [p for p in memory.tree.home.rglob("*.md") if p.read_text().endswith(text)]
    assert len(everywhere) == 1
    assert "flamingo.md" in str(settled.damaged + settled.held)


@pytest.mark.parametrize(
    "path",
    ["archive/x.md", "inbox/x.md", "journal/x.md", "working/x.md", ".state/x.md", "archive/deep/er/x.md"],
)
def test_file_that_a_host_puts_into_our_folders_waits(memory: Memory, billing: Path, path: str) -> None:
    """A host's tool cannot archive, accept or journal by itself: its file waits, with its origin."""
    by_tool(memory, "s-1", path, "The flamingo is pink.\n")

    settled = memory.settle()

    assert settled.held == (("inbox/x.md", "a host wrote it into a folder that is not its own"),)
    held = read(memory, "inbox/x.md")
    head = held.removesuffix("\nThe flamingo is pink.\n")
    assert head != held
    assert [word for word in ("a host wrote it", path, "claude-code", "s-1") if word not in head] == []
    assert path == "inbox/x.md" or not (memory.tree.home / path).exists()
    assert recalled(memory, "flamingo") == []
    memory.settle()
    assert read(memory, "inbox/x.md") == held


def test_archive_of_a_person_stays(memory: Memory) -> None:
    """What a hand puts into the archive is only committed."""
    put(memory, "archive/x.md", "An old flamingo.\n")

    settled = memory.settle()

    assert settled.held == ()
    assert read(memory, "archive/x.md") == "An old flamingo.\n"


def test_link_that_a_host_left_is_not_followed(memory: Memory, billing: Path, tmp_path: Path) -> None:
    """A link in our folders, marked as written by a tool, brings nothing in from outside (G68)."""
    secret = tmp_path / "private.md"
    secret.write_text("outside flamingo\n")
    (memory.tree.home / "archive").mkdir(exist_ok=True)
    (memory.tree.home / "archive/x.md").symlink_to(secret)
    (memory.tree.home / "y.md").symlink_to(secret)
    (memory.tree.home / "knowledge/z.md").symlink_to(secret)
    for path in ("archive/x.md", "y.md", "knowledge/z.md"):
        memory.sessions.edited(path, memory.sessions.read("claude-code", "s-1"))

    memory.settle()

    assert secret.read_text() == "outside flamingo\n"
    assert not in_history(memory, "outside flamingo")
    assert git(memory.tree.home, "ls-files", "knowledge", "archive", "inbox").split() == []
    assert recalled(memory, "outside flamingo") == []


@pytest.mark.parametrize(
    "name", [b"knowledge/caf\xe9.md", b"caf\xe9.md", b"knowledge/a\nb.md", b"inbox/caf\xe9.md"]
)
def test_name_that_is_no_text_hinders_nobody(memory: Memory, name: bytes) -> None:
    """A file whose name is no UTF-8, or holds a line end, is reported or left; all else is settled (L08)."""
    put(memory, os.fsdecode(name), "flamingo\n")
    put(memory, "knowledge/whole.md", "pelican\n")

    settled = memory.settle()

    assert "knowledge/whole.md" in settled.changed
    assert recalled(memory, "pelican") == ["knowledge/whole.md"]
    assert git(memory.tree.home, "ls-files", "knowledge/whole.md").strip() == "knowledge/whole.md"
    assert "\n".join(summary(settled)).encode("utf-8")  # can be shown
    assert all(len(line.splitlines()) == 1 for line in read(memory, "MEMORY.md").split("\n") if line)


# --- who wrote it


def test_host_and_hand_are_two_commits(memory: Memory, billing: Path) -> None:
    """What a session's tool wrote is committed under its name, apart from what a person edited meanwhile."""
    put(memory, "knowledge/mine.md", "By hand.\n")
    by_tool(memory, "s-1", "knowledge/theirs.md", "By a tool.\n")

    settled = memory.settle()

    assert len(settled.commits) == 2
    by_session = memory.log(session="s-1")
    assert [c.paths for c in by_session if "knowledge/theirs.md" in c.paths] != []
    assert all("knowledge/mine.md" not in c.paths for c in by_session)
    [hand] = [c for c in memory.log() if "knowledge/mine.md" in c.paths]
    assert hand.trailers == {"Memory-Verb": "settle", "Memory-Source": "hand"}
    assert dirty(memory) == ""


def test_later_edit_by_hand_is_not_the_sessions(memory: Memory, billing: Path) -> None:
    """A note that still carries the session's stamp belongs to whom edited it last."""
    put(memory, "flamingo.md", note("user", "The flamingo is pink.", session="s-1"))
    memory.settle()
    path = "knowledge/user/flamingo.md"
    put(memory, path, read(memory, path).replace("pink", "green"))

    memory.settle()

    assert memory.log(limit=1)[0].trailers == {"Memory-Verb": "settle", "Memory-Source": "hand"}
    assert len(memory.log(session="s-1")) == 1


def test_edit_of_agents_md_is_taken_up(memory: Memory, billing: Path) -> None:
    """AGENTS.md passes the gate like a note, and its commit says who wrote it."""
    by_tool(memory, "s-1", "AGENTS.md", "# Agent\n\nSpeak plainly.\n")

    settled = memory.settle()

    assert settled.changed == ("AGENTS.md",)
    assert memory.log(limit=1)[0].trailers["Memory-Session"] == "s-1"
    assert memory.log(limit=1)[0].paths == ("AGENTS.md",)


# --- index files


def test_deleted_index_line_unlists_its_note_until_it_changes(memory: Memory) -> None:
    """A line that a person deletes stays away through further saves; a change of its note brings it back."""
    for name in ("flamingo", "pelican"):
        memory.save(f"The {name}.", type="user", name=name)
    index = read(memory, "MEMORY.md")
    put(
        memory,
        "MEMORY.md",
        "".join(line for line in index.splitlines(True) if "(knowledge/user/flamingo" not in line),
    )

    memory.settle()
    memory.save("The heron.", type="user", name="heron")
    index = read(memory, "MEMORY.md")
    assert ("(knowledge/user/flamingo.md)" in index, "(knowledge/user/heron.md)" in index) == (False, True)
    assert recalled(memory, "flamingo") == ["knowledge/user/flamingo.md"]

    memory.edit("knowledge/user/flamingo.md", "The flamingo.", "The green flamingo.")
    assert "(knowledge/user/flamingo.md)" in read(memory, "MEMORY.md")


def test_whole_file_rewrite_of_the_index_is_rebuilt(memory: Memory) -> None:
    """A host that writes MEMORY.md anew, without our marks: its pointers are absorbed, other lines stay."""
    memory.save("The flamingo.", type="user", name="flamingo")
    put(
        memory,
        "MEMORY.md",
        "# Memory index\n\n- [Flamingo](knowledge/user/flamingo.md) — pink\n- [Gone](gone.md) — was never\n"
        "\nAda's own line.\n- https://example.org is her page\n",
    )

    memory.settle()

    index = read(memory, "MEMORY.md")
    assert index.startswith("# Memory index\n")
    assert "\nAda's own line.\n- https://example.org is her page\n" in index
    assert index.count("knowledge/user/flamingo.md") == 1
    assert "memory-skill: generated" in index
    assert dirty(memory) == ""
    assert memory.settle().commits == ()


def test_rewrite_of_a_projects_index_is_rebuilt_too(memory: Memory, billing: Path) -> None:
    """The same for the index of a project, though no note of it changed."""
    Memory.open(cwd=billing).save("The flamingo.", type="project", name="flamingo")
    path = "knowledge/projects/acme-billing/MEMORY.md"
    put(memory, path, "- [Flamingo](flamingo.md)\nAda's own line.\n")

    memory.settle()

    index = read(memory, path)
    assert "memory-skill: generated" in index
    assert index.count("](flamingo.md)") == 1
    assert "Ada's own line." in index
    assert dirty(memory) == ""


def test_deleted_index_comes_back(memory: Memory) -> None:
    """Without MEMORY.md the next settle writes it from the notes."""
    memory.save("The flamingo.", type="user", name="flamingo")
    (memory.tree.home / "MEMORY.md").unlink()

    memory.settle()

    assert "(knowledge/user/flamingo.md)" in read(memory, "MEMORY.md")


# --- git


def test_pulled_note_is_indexed_and_recalled(memory: Memory, tmp_path: Path) -> None:
    """What came by `git pull` from another machine is in index and recall after the next settle."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", os.fspath(memory.tree.home), os.fspath(clone))
    (clone / "knowledge").mkdir(exist_ok=True)
    (clone / "knowledge/flamingo.md").write_text("The flamingo from afar.\n")
    git(clone, "add", "knowledge")
    git(clone, "commit", "-qm", "from afar")
    git(memory.tree.home, "pull", "-q", os.fspath(clone), "main")

    settled = memory.settle()

    assert settled.changed == ("knowledge/flamingo.md",)
    assert recalled(memory, "flamingo afar") == ["knowledge/flamingo.md"]
    assert "(knowledge/flamingo.md)" in read(memory, "MEMORY.md")
    assert subjects(memory)[:2] == ["settle MEMORY.md", "from afar"]


def test_what_a_person_staged_or_keeps_beside_stays_theirs(memory: Memory) -> None:
    """Files that are no notes are not committed; the person's staging is not touched."""
    put(memory, "draft.txt", "mine\n")
    put(memory, "knowledge/picture.png", b"\x89PNG")
    git(memory.tree.home, "add", "draft.txt")
    put(memory, "knowledge/user.md", "- Name: Ada\n")

    memory.settle()

    assert sorted(dirty(memory).splitlines()) == ["?? knowledge/picture.png", "A  draft.txt"]


def test_manual_tree_is_settled_without_a_commit(memory: Memory, home: Path) -> None:
    """With `history.commit = manual` files are filed, masked and indexed; the commit is the person's."""
    put(memory, "config.toml", '[history]\ncommit = "manual"\n')
    manual = Memory.open(cwd=home)
    put(memory, "tabs.md", note("user", f"Ada likes tabs and {KEY} of hers."))

    settled = manual.settle()

    assert (settled.filed, settled.commits) == ((("tabs.md", "knowledge/user/tabs.md"),), ())
    assert KEY not in read(memory, "knowledge/user/tabs.md")
    assert "(knowledge/user/tabs.md)" in read(memory, "MEMORY.md")
    assert subjects(memory) == []
    assert not manual.status().unsettled
