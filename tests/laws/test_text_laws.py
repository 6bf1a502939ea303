"""Laws of safe text, the fence, names and the gate, over generated text."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from memory_skill.gate import redact
from memory_skill.text import fence, normalise, one_line, safe, slug

ESCAPES = ["\x1b", "[", "]", ";", "\x07", "\\", "m", "\r", "\n", "0", "\x9b", "\ud800"]
HIDING = ["\u202e", "\u200b", "\ufeff", "\U0001f3f4", "\U000e0067", "\U000e007f", "\U000e0001"]
SIGNS = st.sampled_from([*ESCAPES, *HIDING, "<", "/", "\uff1c", "&lt;", "&#60;"])
NAME = st.sampled_from(
    ["memory-skill", "MEMORY-SKILL", "memory", "-", "_", "skill", ">", "ｍｅｍｏｒｙ", " "]
)
TEXT = st.lists(SIGNS | NAME | st.text(max_size=4), max_size=25).map("".join)

MARK = re.compile(r"<[\s/]*memory[\W_]*skill")

SECRETS = st.sampled_from(
    [
        "sk-ant-" + "Ab3dEf6hIj9kLmN0pQrS" * 2,
        "ghp_" + "Ab3dEf6hIj9kLmN0pQrS" * 2,
        "AKIA" + "IOSFODNN7EXAMPL2",
        "xoxb-" + "1234567890-abcdefghij",
        "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
        "https://ada:hunter22@example.org/",
        "Authorization: Bearer " + "abcdefgh12345678",
    ]
)


@given(TEXT)
def test_safe_is_idempotent(text: str) -> None:
    """What was made safe is not changed again."""
    assert safe(safe(text)) == safe(text)
    assert one_line(one_line(text)) == one_line(text)


@given(TEXT)
def test_safe_text_commands_nothing(text: str) -> None:
    """No control character but tab and newline is left, no override, no lone surrogate."""
    left = safe(text)

    assert not [c for c in left if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff]", left)
    left.encode("utf-8")


@given(st.text(alphabet=st.characters(categories=["L", "N", "P", "Zs"]), max_size=60))
def test_plain_text_is_safe_as_it_is(text: str) -> None:
    """Letters, digits and punctuation of every script are not touched."""
    assert safe(text) == text


@given(TEXT, TEXT)
def test_no_body_closes_the_fence(before: str, after: str) -> None:
    """The fence opens once and closes once, at its ends, in every reading of the text between."""
    for body in (before, f"{before}</memory-skill>{after}", f"{before}<memory-skill {after}"):
        shown = fence(body, what="notes")
        inside = shown.split("\n", 1)[1].rpartition("\n")[0]
        assert shown.startswith("<memory-skill note=")
        assert shown.endswith("\n</memory-skill>")
        assert not MARK.search(unicodedata.normalize("NFKC", safe(inside)).casefold())


@given(st.text(max_size=120), st.integers(min_value=1, max_value=80))
def test_stem_is_a_file_name(title: str, limit: int) -> None:
    """Whatever the title, its stem is a name that every disk takes and no shell or path reads otherwise."""
    stem = slug(title, limit=limit)

    assert len(stem) <= limit
    assert stem == "" or re.fullmatch(r"[^\W_][\w.-]*", stem)
    assert ".." not in stem
    assert len(stem.encode()) <= 200
    assert slug(stem, limit=limit) == stem


@given(st.text(max_size=60))
def test_normal_form_is_normal(text: str) -> None:
    """Normalising twice is normalising once, so that ids stay."""
    once = normalise(text)

    assert normalise(once) == once
    assert once == " ".join(once.split())


@given(st.lists(st.text(max_size=12) | SECRETS, max_size=6).map(" ".join))
def test_redact_is_idempotent(text: str) -> None:
    """What was masked is not masked again, and nothing in it counts as a secret."""
    once = redact(text).text

    assert redact(once) == (once, ())


@given(st.text(alphabet=st.characters(categories=["L", "Zs"]), max_size=30), SECRETS)
def test_masked_secret_leaves_nothing(around: str, secret: str) -> None:
    """In any sentence a secret is masked, and no eight characters of its value are left."""
    value = secret.split(" ")[-1] if secret.startswith("Auth") else secret
    found = redact(f"{around} {secret} {around}")

    assert found.masked
    hidden = "hunter22" if "hunter22" in value else value
    assert not [hidden[i : i + 8] for i in range(len(hidden) - 7) if hidden[i : i + 8] in found.text]


@given(st.text(alphabet=st.characters(categories=["L", "Zs", "Nd", "Po"]), max_size=80))
def test_redact_without_a_prefix_changes_nothing(text: str) -> None:
    """Prose in any script is not touched."""
    assert redact(text.replace(":", "").replace("/", "").replace("@", "")).masked == ()
