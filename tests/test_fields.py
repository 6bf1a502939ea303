"""Header values are normalised first and validated second; what is still wrong waits for a person."""

from __future__ import annotations

import pytest

from memory_skill.fields import normalised, wrong
from memory_skill.memory import Memory

from .trees import read


@pytest.mark.parametrize(
    ("key", "given", "canonical"),
    [
        ("confidence", " High ", "high"),
        ("confidence", "0.9", "high"),
        ("confidence", "0,5", "medium"),
        ("confidence", "20%", "low"),
        ("confidence", "95", "high"),
        ("confidence", "1", "high"),
        ("confidence", "sicher", "high"),
        ("confidence", "中", "medium"),
        ("confidence", "Very  low", "low"),
        ("source", "User said", "user-said"),
        ("source", "tool_output", "tool-output"),
        ("source", "inferred", "agent-inferred"),
        ("created", "30.11.2026", "2026-11-30"),
        ("created", "2026/3/4", "2026-03-04"),
        ("valid_to", "2026年12月1日", "2026-12-01"),
        ("created", "2026-11-30T21:03:15+01:00", "2026-11-30T21:03:15+01:00"),
    ],
)
def test_value_is_brought_into_its_form(key: str, given: str, canonical: str) -> None:
    """However people and models write it."""
    found = normalised({key: given})

    assert found == {key: canonical}
    assert wrong(found) == {}


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("confidence", "maybe on Fridays"),
        ("confidence", "250%"),
        ("confidence", "user"),
        ("source", "high"),
        ("source", "a dream"),
        ("created", "soon"),
        ("created", "2026-02-30"),
        ("valid_to", "31.02.2026"),
    ],
)
def test_value_without_a_form_is_wrong(key: str, given: str) -> None:
    """What nobody can tell is not guessed."""
    assert list(wrong(normalised({key: given}))) == [key]


def note(**meta: str) -> str:
    lines = "".join(f'  {key}: "{value}"\n' for key, value in meta.items())
    return f"---\nname: heron\ndescription: birds\nmetadata:\n  type: user\n{lines}---\nThe heron is grey.\n"


def test_note_is_saved_in_canonical_form(memory: Memory) -> None:
    saved = memory.save_note(note(confidence="Hoch", created="30.11.2026"))

    text = read(memory, str(saved.address))
    assert 'confidence: "high"' in text
    assert 'created: "2026-11-30"' in text


def test_note_that_is_still_wrong_waits(memory: Memory) -> None:
    """The person sees what is wrong; an accepted one leaves the wrong value behind."""
    saved = memory.save_note(note(confidence="perhaps", valid_to="soon"))

    assert (saved.outcome, saved.rule) == ("held", "header")
    assert "'perhaps' is none of high" in memory.inbox()[0].reason
    done = memory.accept(str(saved.inbox))
    assert done.outcome == "accepted"
    assert "perhaps" not in read(memory, str(done.address))


def test_confidence_that_is_low_in_any_words_waits(memory: Memory) -> None:
    """Normalised first: `10%` is low, and low waits."""
    assert memory.save_note(note(confidence="10%")).rule == "low-confidence"
