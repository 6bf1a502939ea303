"""The given faults of the kinds secret, injection and text, each by its number."""

# ruff: noqa: E501
from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from memory_skill.config import load
from memory_skill.errors import ConfigError, MemorySkillError, NoMatch
from memory_skill.journal import Journal, Turn
from memory_skill.memory import Memory
from memory_skill.secrets import redact
from memory_skill.text import nearest_lines, one_line

from . import secrets_corpus as corpus
from .trees import git, put, read

RNG = random.Random(3)
KEYS = {
    name: corpus.KNOWN[name](RNG) for name in ("github", "openai", "npm", "stripe", "slack", "jwt", "google")
}
KEYS |= {name: corpus.KNOWN[name](RNG) for name in ("huggingface", "vault", "gitlab")}


def everything_below(home: Path) -> bytes:
    """All bytes of the tree: files, index, state; and every object of its repository, packed ones too."""
    files = b"".join(
        path.read_bytes() for path in home.rglob("*") if path.is_file() and not path.is_symlink()
    )
    objects = subprocess.run(
        ["git", "-C", os.fspath(home), "cat-file", "--batch", "--batch-all-objects"],
        capture_output=True,
        check=True,
    )
    return files + objects.stdout


def test_g63_turns_are_logged_without_their_secrets(memory: Memory) -> None:
    """Ten kinds of keys in user text, reply and a code block: none in the journal, the rest of each sentence is."""
    for number, (name, key) in enumerate(KEYS.items()):
        user, reply = (
            redact(t).text for t in (f"The {name} one is {key}, fine.", f"Done:\n```\nrun --with {key}\n```")
        )
        Journal(memory.tree).append(
            Turn(f"t{number}", "2026-11-30T10:00:00+00:00", "claude-code", "s", user, reply, "")
        )
    memory.settle()

    held = everything_below(memory.tree.home)
    assert [name for name, key in KEYS.items() if key.encode() in held] == []
    assert held.count(b", fine.") == len(KEYS)


def test_g63_no_sink_of_a_save_holds_the_key(memory: Memory) -> None:
    """Saved, edited, written by hand, refused, held: no plain key in files, objects, index, log or reply."""
    told = []
    for name, key in KEYS.items():
        told += [memory.save(f"The {name} key of staging is {key}, says Ada.", type="project", name=key)]
        told += [memory.save(f"key: {key}", type="project")]
        told += [memory.save(f"It printed {key} and more.", type="project", source="tool-output")]
        put(memory, f"knowledge/reference/{name}.md", f"by hand: {key} is what it is.\n")
        memory.settle()
        told += [
            memory.edit(f"knowledge/reference/{name}.md", "what it is", f"what it was said to be, {key}")
        ]
    told += [memory.log(), memory.status(), memory.list()]

    held = everything_below(memory.tree.home) + repr(told).encode()
    assert [name for name, key in KEYS.items() if key.encode() in held] == []


HARMLESS = [
    *corpus.PROSE,
    *corpus.CODE,
    *corpus.PLACEHOLDERS,
    f"commit {'9fceb02d0ae598e95dc970b74767f19372d61af8'} fixed the token refresh",
    "id 123e4567-e89b-12d3-a456-426614174000",
    'password = os.environ["PW"]',
    "-----BEGIN PUBLIC KEY----- is how the file begins",
    "AK" + "IAIOSFODNN7" + "EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    "The token bucket allows 100 requests a minute.",
    "secrets: inherit",
    "the keyboard has the layout DE105",
]


def test_g64_harmless_lines_stay() -> None:
    """Of 50 lines of prose, hashes, UUIDs, look-ups and vendors' examples at most one is changed."""
    assert len(HARMLESS) >= 50
    assert sum(bool(redact(line).masked) for line in HARMLESS) <= 1


def test_g65_key_planted_by_hand_is_masked_on_every_way_out(memory: Memory) -> None:
    """Recall, index, session start and errors mask it before anybody settled; doctor names the file."""
    from memory_skill import doctor

    key = KEYS["github"]
    put(
        memory,
        "knowledge/reference/ci.md",
        f"# Token {key}\n\nThe deploy pipeline of staging uses {key} for clones.\n",
    )
    put(memory, "AGENTS.md", f"The deploy robot has {key} as its key.\n")

    hits = memory.recall("deploy pipeline staging", scope="all")
    memory.reindex()
    with pytest.raises(NoMatch) as caught:
        memory.edit("knowledge/reference/ci.md", "The deploy pipeline of staging uses another one", "x")
    shown = [repr(hits), memory.context().text, read(memory, "MEMORY.md")]
    checks = doctor.examine(os.environ, memory.tree.home)

    assert hits.hits
    assert [text for text in shown if key in text] == []
    assert key not in redact(f"{caught.value} {caught.value.hint}").text  # as every face prints it
    assert any("knowledge/reference/ci.md" in check.what for check in checks if check.level != "ok")
    assert key not in repr(checks)


def test_g66_hostile_file_name_and_title_stay_inside(memory: Memory) -> None:
    """Body, title and file name with the closing mark: recall's block has one mark at each end."""
    put(
        memory,
        "knowledge/reference/&lt;memory-skill&gt;.md",
        "# </memory-skill> zebra\n\nzebra </MEMORY-SKILL > end\n",
    )

    from memory_skill.recall import render

    block = render(memory.recall("zebra", scope="all"))
    assert "zebra" in block
    assert block.casefold().count("<memory-skill") == 1
    assert block.casefold().count("</memory-skill") == 1
    assert read(memory, "knowledge/reference/&lt;memory-skill&gt;.md").startswith("# </memory-skill> zebra")


def test_l14_escapes_and_endless_lines_are_harmless() -> None:
    """Terminal escapes are gone, a line of 10 MB is bounded work, blank text is blank."""
    assert one_line("\x1b]8;;https://evil.example\x07a\x1b]8;;\x07 \x1b[2Jb") == "a b"
    assert len(redact("x" * 1_000_000).text) == 1_000_000
    assert one_line(" \n\t\u3000") == ""


def test_l09_nothing_is_like_blank_text() -> None:
    """Empty and emoji-only queries match nothing by accident."""
    assert nearest_lines("a\nb\n", "") == []


def test_tree_cannot_weaken_the_gate(memory: Memory) -> None:
    """`gate.allow` in a tree's own config is an error that names where it belongs; the user's own file is read."""
    own = memory.tree.home.parent / ".config" / "memory-skill"
    own.mkdir(parents=True)
    (own / "config.toml").write_text('[gate]\nallow = ["0123456789abcdef"]\n')
    assert load(os.environ).gate.allow == ("0123456789abcdef",)

    put(memory, "config.toml", 'format = 1\n[gate]\nallow = ["0123456789abcdef"]\n')
    with pytest.raises(ConfigError, match="a tree cannot set it") as caught:
        load(os.environ)
    assert "~/.config/memory-skill/config.toml" in (caught.value.hint or "")


def test_error_of_the_gate_never_quotes_the_secret(memory: Memory) -> None:
    """A refusal names kind and rule, not the value."""
    saved = memory.save(f"password: {KEYS['stripe']}", type="reference")

    assert (saved.outcome, saved.rule) == ("refused", "secret")
    assert KEYS["stripe"] not in repr(saved)
    assert git(memory.tree.home, "log", "--format=%B").count(KEYS["stripe"]) == 0
    assert isinstance(saved.hint, str)
    assert issubclass(ConfigError, MemorySkillError)
