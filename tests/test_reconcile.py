"""What becomes of a new statement when the memory holds one on the same subject already."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from benchmarks.reconcile import judged
from memory_skill.memory import Memory

from .trees import last_message, put, read

TODAY = date.today().isoformat()


@pytest.fixture
def memory(home: Path, memory: Memory) -> Memory:
    """The same, opened where there is no project: all that is saved is global."""
    return Memory.open(cwd=home)


PATH = "knowledge/reference/freeze.md"
PORT = "The staging server answers on port 8443."


def held(memory: Memory) -> str:
    """The id of an item that contradicts the note of PORT."""
    memory.save(PORT, type="reference", name="staging-port")
    saved = memory.save("The staging server answers on port 9443.", type="reference", scope="global")
    assert (saved.outcome, saved.rule) == ("held", "contradicts")
    return str(saved.inbox).removeprefix("inbox/").removesuffix(".md")


def test_relations_are_told_apart_on_the_labelled_pairs() -> None:
    """No other statement is held back, and nine in ten refinements and contradictions are seen."""
    found = judged()

    assert len(found) >= 180
    assert [row for label, got, row in found if got == "contradicts" != label] == []
    assert [row for label, got, row in found if got in ("same", "refined") and got != label] == []
    assert sum(label == got for label, got, _ in found) >= 0.95 * len(found)


@pytest.mark.parametrize("n", range(2, 40, 7))
def test_numbered_notes_are_notes_of_their_own(memory: Memory, n: int) -> None:
    """Fact 17 and fact 18 are two facts, however alike they are."""
    for number in (n, n + 1):
        saved = memory.save(f"Fact {number}: worker {number} holds {number * 37}.", type="reference")
        assert saved.outcome == "saved"


def test_refinement_takes_the_place_of_what_it_refines(memory: Memory) -> None:
    """More of the same is no second note; the header says what it replaced and that it held before."""
    first = memory.save("The linter is ruff.", type="reference", why="it is fast")
    put(memory, str(first.address), read(memory, str(first.address)).replace(TODAY, "2026-01-02"))
    memory.settle()

    second = memory.save("The linter is ruff, with the preview rules on.", type="reference")

    assert (second.outcome, second.address) == ("saved", first.address)
    assert "undo" in str(second.hint)
    text = read(memory, str(first.address))
    assert 'description: "The linter is ruff, with the preview rules on."' in text
    assert "**Why:** it is fast" in text
    assert f'modified: "{TODAY}"' in text
    assert 'valid_from: "2026-01-02"' in text
    assert f'supersedes: "{first.address}#' in text
    assert "was: The linter is ruff." in last_message(memory)
    assert len(memory.list(type="reference")) == 1


def test_item_of_a_list_is_refined_in_its_line(memory: Memory) -> None:
    """Only the item changes; the list around it stays byte for byte."""
    put(memory, "knowledge/user.md", "# Ada\n\n* Lives in Graz\n* Her editor is vim\n* Born in May\n")
    memory.settle()

    saved = memory.save("Her editor is vim with the ALE plugin", type="user")

    assert saved.address == "knowledge/user.md"
    assert read(memory, "knowledge/user.md") == (
        "# Ada\n\n* Lives in Graz\n* Her editor is vim with the ALE plugin\n* Born in May\n"
    )


def test_contradiction_waits_with_both_sides(memory: Memory) -> None:
    """What denies a note changes nothing: both sides are quoted, and the answer says how to decide."""
    ident = held(memory)

    (item,) = memory.inbox()
    assert "8443" in item.reason
    assert "9443" in item.evidence
    assert "8443" in item.evidence
    assert item.against == "knowledge/reference/staging-port.md"
    assert "8443" in read(memory, item.against)
    assert ident == item.id


def test_accepted_contradiction_replaces_the_note(memory: Memory) -> None:
    """The new value stands in the same file, valid from today; undo brings the old one back."""
    ident = held(memory)

    done = memory.accept(ident)

    assert done.address == "knowledge/reference/staging-port.md"
    text = read(memory, str(done.address))
    assert "9443." in text
    assert f'valid_from: "{TODAY}"' in text
    assert [item.address for item in memory.list(type="reference")] == [done.address]
    memory.undo()
    assert "8443." in read(memory, str(done.address))


def test_both_sides_stand_when_both_hold(memory: Memory) -> None:
    """`--both` saves it beside the other."""
    done = memory.accept(held(memory), both=True)

    assert len(memory.list(type="reference")) == 2
    assert done.address != "knowledge/reference/staging-port.md"


def test_discarded_contradiction_leaves_the_note(memory: Memory) -> None:
    """The old value stands as it was, and nothing waits."""
    memory.discard(held(memory))

    assert "8443." in read(memory, "knowledge/reference/staging-port.md")
    assert memory.inbox() == []


def test_name_of_a_note_corrects_it_at_once(memory: Memory) -> None:
    """Who names the note means it: no question is asked, and its file keeps its name."""
    memory.save(PORT, type="reference", name="staging-port")

    saved = memory.save(
        "The staging server answers on port 9443.",
        type="reference",
        name="staging-port",
        description="where staging listens",
    )

    assert (saved.outcome, saved.address) == ("saved", "knowledge/reference/staging-port.md")
    text = read(memory, str(saved.address))
    assert 'description: "where staging listens"' in text
    assert "8443" not in text
    assert memory.inbox() == []


def test_name_taken_by_another_subject_is_only_a_name(memory: Memory) -> None:
    """A note on something else is not overwritten by its name."""
    memory.save(PORT, type="reference", name="ada")

    saved = memory.save("Invoices are rounded half even.", type="reference", name="ada")

    assert saved.address == "knowledge/reference/ada-2.md"
    assert "8443" in read(memory, "knowledge/reference/ada.md")


def test_expired_note_said_anew_holds_again(memory: Memory) -> None:
    """A refinement of what had ended is found by recall."""
    put(
        memory,
        PATH,
        '---\nname: freeze\nmetadata:\n  type: reference\n  valid_to: "2020-01-01"\n---\n'
        "The code freeze covers the parser.\n",
    )
    memory.settle()
    assert "knowledge/reference/freeze.md" not in [
        h.address for h in memory.recall("code freeze parser").hits
    ]

    memory.save("The code freeze covers the parser and every migration.", type="reference", name="freeze")

    assert PATH in [hit.address for hit in memory.recall("code freeze parser").hits]


def test_heading_hides_no_contradiction(memory: Memory) -> None:
    """A section that a document brought says the same below its heading."""
    put(memory, "knowledge/reference/ops.md", "# Deploys\n\nDeploys happen on Tuesdays before noon.\n")
    memory.settle()

    saved = memory.save("Deploys happen on Fridays before noon.", type="reference", scope="global")

    assert (saved.outcome, saved.rule) == ("held", "contradicts")
