"""Documents taken in by their sections: a second time nothing is written, and the source is never touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memory_skill import install, note, privacy
from memory_skill.cli import main
from memory_skill.documents import MAX_SECTION, sections
from memory_skill.errors import NotFound, Refused, UsageError
from memory_skill.loading import Loaded
from memory_skill.memory import Memory
from tests.trees import KEY, git, put, read, subjects

GUIDE = """\
---
owner: ops
---
Read this before the first release.

# Releasing

## Staging
Deploy to staging first.

```sh
# not a heading
## nor this
```

## Rollback
Call Grace, then run `undo-release`.

### Who may
Only the people on call.

Empty
-----

# Contacts
Grace: extension 12.
"""


@pytest.fixture
def memory(memory: Memory, home: Path) -> Memory:
    """Opened from the home folder, which is no project: every note is global."""
    return Memory.open(memory.tree.home, cwd=home)


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    path = tmp_path / "guide.md"
    path.write_text(GUIDE, encoding="utf-8")
    return path


def counts(done: Loaded) -> tuple[int, int, int, int, int, int]:
    """Added, updated, removed, unchanged, kept, refused."""
    return (done.added, done.updated, done.removed, done.unchanged, done.kept, done.refused)


# --- what a document holds


def test_sections_follow_the_headings(guide: Path) -> None:
    """Headings down to the third level, either form; a fence holds none, and a bare heading is no section."""
    found = sections(guide, "g")

    assert [one.key for one in found] == [
        "guide",
        "Releasing > Staging",
        "Releasing > Rollback",
        "Releasing > Rollback > Who may",
        "Contacts",
    ]
    assert "## nor this" in found[1].body and "owner" not in found[0].body


def test_a_long_section_is_cut_between_paragraphs(tmp_path: Path) -> None:
    """No part is over the limit where paragraphs allow it, and nothing of the text is lost."""
    text = "# A\n\n" + "\n\n".join(f"Paragraph {n}. " + "word " * 100 for n in range(40))
    (tmp_path / "a.md").write_text(text, encoding="utf-8")

    found = sections(tmp_path / "a.md", "a")

    assert len(found) > 2 and all(len(one.body) <= MAX_SECTION for one in found)
    assert "\n\n".join(one.body for one in found).split() == text.split()
    assert len({one.key for one in found}) == len(found)


def test_the_same_heading_twice_is_two_sections(tmp_path: Path) -> None:
    """They are told apart by a number."""
    (tmp_path / "a.md").write_text("# A\none\n# A\ntwo\n", encoding="utf-8")

    assert [one.key for one in sections(tmp_path / "a.md", "a")] == ["A", "A > 2"]


# --- taking it in


def test_sections_become_notes_with_their_origin(memory: Memory, guide: Path) -> None:
    """One note a section, one commit; each says where it comes from, and recall finds it."""
    done = memory.load_document(guide)

    assert counts(done) == (5, 0, 0, 0, 0, 0)
    assert len(subjects(memory)) == 1
    (hit,) = memory.recall("who to call for a rollback").hits[:1]
    found = note.parse(read(memory, hit.address), hit.address)
    assert found.body.startswith("## Rollback")
    assert found.meta["section"] == "Releasing > Rollback" and found.meta["origin"].endswith("guide.md")
    assert found.name == "guide-releasing-rollback"


def test_a_second_run_writes_nothing(memory: Memory, guide: Path) -> None:
    """Not one file of the tree is written, no commit is made, and the document stays as it is."""
    memory.load_document(guide)
    before = {path: path.stat().st_mtime_ns for path in (memory.tree.home / "knowledge").rglob("*")}
    source, head = guide.read_bytes(), git(memory.tree.home, "rev-parse", "HEAD")

    done = memory.load_document(guide)

    assert counts(done) == (0, 0, 0, 5, 0, 0) and done.commit is None
    assert {path: path.stat().st_mtime_ns for path in (memory.tree.home / "knowledge").rglob("*")} == before
    assert (guide.read_bytes(), git(memory.tree.home, "rev-parse", "HEAD")) == (source, head)


def test_what_changed_is_updated_and_what_is_gone_removed(memory: Memory, guide: Path) -> None:
    """One section changed, one gone, one new; what a person added to the header stays."""
    memory.load_document(guide)
    path = "knowledge/reference/guide-releasing-rollback.md"
    memory.rewrite(path, read(memory, path).replace("metadata:", 'metadata:\n  pin: "true"'))
    text = GUIDE.replace("Call Grace", "Call Ada").replace("Grace: extension 12.", "")
    guide.write_text(text + "\n# Later\nMore to come.\n", encoding="utf-8")

    dry = memory.load_document(guide, dry_run=True)
    assert "Call Grace" in read(memory, path)
    done = memory.load_document(guide)

    assert counts(dry) == counts(done) == (1, 1, 1, 3, 0, 0)
    assert dry.commit is None and done.commit
    found = note.parse(read(memory, path), path)
    assert "Call Ada" in found.body and found.pinned
    assert not (memory.tree.home / "knowledge/reference/guide-contacts.md").exists()


def test_a_note_that_was_edited_here_stays(memory: Memory, guide: Path) -> None:
    """Whether its section changed or is gone, the edit is kept, and named."""
    memory.load_document(guide)
    for name in ("guide-contacts", "guide-releasing-rollback"):
        memory.edit(f"knowledge/reference/{name}.md", "", "Since May it is Ada.")
    guide.write_text(
        GUIDE.replace("Call Grace", "Call Bob").replace("# Contacts\nGrace: extension 12.\n", "")
    )

    done = memory.load_document(guide)

    assert counts(done) == (0, 0, 0, 3, 2, 0)
    assert "Since May" in read(memory, "knowledge/reference/guide-contacts.md")
    assert any("guide-contacts.md was edited here" in reason for reason in done.reasons)


def test_what_was_forgotten_does_not_come_back(memory: Memory, guide: Path) -> None:
    """A section whose note was forgotten on request is refused; a secret in another is masked."""
    guide.write_text(GUIDE.replace("extension 12", f"extension 12, key {KEY}"), encoding="utf-8")
    memory.load_document(guide)
    memory.forget("knowledge/reference/guide-releasing-staging.md")

    assert counts(memory.load_document(guide)) == (0, 0, 0, 4, 0, 1)
    assert KEY not in read(memory, "knowledge/reference/guide-contacts.md")


def test_a_folder_of_notes_keeps_their_types(memory: Memory, tmp_path: Path) -> None:
    """Qwen Code's folder: a file with a type is one note of it, MEMORY.md is none, a gone file goes."""
    folder = tmp_path / "memories"
    put_in = {
        "user/tea.md": "---\nname: tea\ntype: user\n---\nAda drinks green tea.\n",
        "feedback/tabs.md": "---\nname: tabs\ntype: feedback\n---\nIndent with tabs.\n",
        "MEMORY.md": "- [tea](user/tea.md)\n",
        "broken.md": "---\na: [1\n---\nNobody can read the header.\n",
    }
    for name, text in put_in.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")

    assert counts(memory.load_document(folder)) == (2, 0, 0, 0, 0, 1)
    assert "green tea" in read(memory, "knowledge/user/tea.md")
    assert "tabs" in read(memory, "knowledge/feedback/tabs.md")

    (folder / "user/tea.md").unlink()
    assert counts(memory.load_document(folder)) == (0, 0, 1, 1, 0, 1)


def test_sections_of_claude_md_are_loaded_as_asked(memory: Memory, tmp_path: Path) -> None:
    """The note is named after the folder, since every CLAUDE.md is called so; type and scope are as given."""
    path = tmp_path / "billing" / "CLAUDE.md"
    path.parent.mkdir()
    path.write_text("# Money\nNever use floats for money.\n", encoding="utf-8")

    memory.load_document(path, type="feedback", scope="project:acme-billing")

    found = read(memory, "knowledge/projects/acme-billing/billing-claude-money.md")
    assert "type: feedback" in found and "Never use floats" in found


def test_memories_of_claudes_export_are_loaded(memory: Memory, tmp_path: Path) -> None:
    """Each bold line is a heading; a project's memory stands under its name."""
    memories = [
        {
            "conversations_memory": "**Work context**\n\nAda runs billing.\n\n**Top of mind**\n\nThe audit.",
            "project_memories": {"p1": "Writes the handbook."},
            "account_uuid": "u1",
        }
    ]
    (tmp_path / "memories.json").write_text(json.dumps(memories), encoding="utf-8")
    (tmp_path / "projects.json").write_text(json.dumps([{"uuid": "p1", "name": "Handbook"}]), "utf-8")

    assert counts(memory.load_document(tmp_path / "memories.json", type="user")) == (3, 0, 0, 0, 0, 0)
    assert memory.recall("who runs billing").hits[0].name == "memories-work-context"
    assert memory.recall("who writes the handbook").hits[0].name == "memories-handbook"
    assert counts(memory.load_document(tmp_path / "memories.json", type="user"))[3] == 3


def test_what_is_no_document_is_an_error(memory: Memory, tmp_path: Path) -> None:
    """Missing, a picture, other JSON, bytes, the memory's own, an unknown type: nothing is written."""
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "a.json").write_text("{}")
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    own = put(memory, "knowledge/user/a.md", "Ada likes tea.\n")

    with pytest.raises(NotFound):
        memory.load_document(tmp_path / "gone.md")
    for path in (tmp_path / "a.png", tmp_path / "a.json", tmp_path / "bytes.md", own):
        with pytest.raises(UsageError):
            memory.load_document(path)
    with pytest.raises(UsageError):
        memory.load_document(tmp_path, type="novel")
    assert subjects(memory) == []


def test_the_command_says_what_it_did(
    memory: Memory, guide: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counts on stdout, in the dry run as what would be."""
    assert main(["load-doc", str(guide), "--dry-run"]) == 0
    assert "Would add 5, updated 0, removed 0; 0 unchanged." in capsys.readouterr().out
    assert main(["load-doc", str(guide)]) == 0
    assert "Added 5, updated 0, removed 0; 0 unchanged (commit " in capsys.readouterr().out


def test_import_then_uninstall_leaves_native_files_as_they_were(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code's own notes and Qwen's, after install, load-doc and uninstall: the same bytes."""
    folder = home / ".claude/projects/-gone/memory"
    qwen = home / ".qwen/memories/user"
    for place in (folder, qwen):
        place.mkdir(parents=True)
        (place / "MEMORY.md").write_bytes(b"- [tea](tea.md)\r\n")
        (place / "tea.md").write_bytes(b"\xef\xbb\xbf---\r\ntype: user\r\n---\r\nAda drinks tea.\r\n")
    (home / ".qwen/QWEN.md").write_text("# Style\nShort answers, please.\n")
    monkeypatch.chdir(tmp_path)

    def everything() -> dict[str, bytes]:
        paths = [p for top in (".claude", ".qwen") for p in (home / top).rglob("*") if p.is_file()]
        return {str(path.relative_to(home)): path.read_bytes() for path in paths}

    before = everything()
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    done = install.install(install.plan(env))
    memory = Memory.open(home / ".memory-skill", env=env, cwd=tmp_path)
    loaded = [memory.load_document(home / ".qwen/memories"), memory.load_document(home / ".qwen/QWEN.md")]
    install.uninstall(install.plan_removal(env))

    assert (done.copied.added, [one.added for one in loaded]) == (1, [1, 1])
    assert everything() == before
    assert len([one for one in memory.list() if one.type != "skill"]) == 3


def test_nothing_is_taken_in_while_the_memory_is_off(memory: Memory, guide: Path) -> None:
    """Refused by the rule that every saving verb obeys."""
    privacy.switch(os.environ, "off")

    with pytest.raises(Refused) as refused:
        Memory.open(memory.tree.home, cwd=memory.cwd).load_document(guide)

    assert refused.value.rule == "off"
