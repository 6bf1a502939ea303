"""What a change puts in doubt is flagged, and stays so until somebody gives a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_skill.cli import main
from memory_skill.errors import NotFound, UsageError
from memory_skill.memory import Memory

from .trees import put, read, subjects

PORT = "knowledge/reference/staging-port.md"
PROXY = "knowledge/reference/proxy.md"
FIREWALL = "knowledge/reference/firewall.md"


@pytest.fixture
def memory(home: Path, memory: Memory) -> Memory:
    """A staging port, a note that depends on it, one that repeats the number, and strangers."""
    outside = Memory.open(cwd=home)
    outside.save("The staging server answers on port 8443.", type="reference", name="staging-port")
    put(
        outside,
        PROXY,
        "---\nname: proxy\nmetadata:\n  type: reference\n  depends_on: staging-port\n---\nIt forwards all.\n",
    )
    put(outside, FIREWALL, "The firewall in front of the staging server opens port 8443 for the office.\n")
    put(outside, "knowledge/reference/parking.md", "The parking deck has 8443 places.\n")
    put(
        outside,
        "knowledge/reference/staging-owner.md",
        "Grace looks after the staging server and its port list.\n",
    )
    outside.settle()
    return outside


def flagged(memory: Memory) -> set[str]:
    return {one.address for one in memory.in_doubt()}


def test_edit_flags_dependents_and_who_still_says_so(memory: Memory) -> None:
    """The dependent note and the one that repeats the old number; not who shares a number or a subject."""
    edited = memory.edit(PORT, "8443", "9443")

    assert set(edited.doubted) == flagged(memory) == {PROXY, FIREWALL}
    assert "memory-skill verdict" in str(edited.hint)
    assert memory.status().doubted == 2


def test_correction_by_name_and_forgetting_flag_too(memory: Memory) -> None:
    """Whatever takes the old statement away puts the same notes in doubt."""
    saved = memory.save("The staging server answers on port 9443.", type="reference", name="staging-port")
    assert set(saved.doubted) == {PROXY, FIREWALL}
    memory.undo()

    forgotten = memory.forget(PORT)
    assert PROXY in forgotten.doubted
    assert "knowledge/reference/parking.md" not in forgotten.doubted


def test_accepted_contradiction_flags_too(memory: Memory) -> None:
    """A person's yes to the other side takes the old statement away as well."""
    saved = memory.save("The staging server answers on port 9443.", type="reference")

    memory.accept(str(saved.inbox))

    assert flagged(memory) == {PROXY, FIREWALL}


def test_change_that_takes_nothing_away_flags_nothing(memory: Memory) -> None:
    """An entry that is added, or a word that is mended elsewhere, puts no neighbour in doubt."""
    assert memory.edit("knowledge/user.md", "", "- Lives in Graz").doubted == ()
    assert memory.edit("knowledge/reference/parking.md", "deck", "house").doubted == ()


def test_verdicts(memory: Memory) -> None:
    """Unaffected keeps, revise holds, invalid removes by a commit that undo takes back."""
    memory.edit(PORT, "8443", "9443")

    assert memory.verdict("unaffected", PROXY).outcome == "kept"
    assert flagged(memory) == {FIREWALL}
    done = memory.verdict("invalid", FIREWALL)
    assert (done.outcome, subjects(memory)[0]) == ("removed", f"verdict {FIREWALL}")
    assert not (memory.tree.home / FIREWALL).exists()
    memory.undo()
    assert "8443" in read(memory, FIREWALL)

    memory.edit(PORT, "9443", "7443")
    held = memory.verdict("revise", PROXY)
    assert held.outcome == "held"
    assert [item.found for item in memory.inbox()] == [PROXY]
    assert "7443" not in memory.inbox()[0].reason
    assert flagged(memory) == set()


def test_flag_of_a_note_that_changed_is_none(memory: Memory) -> None:
    """Who mends the note has given the verdict."""
    memory.edit(PORT, "8443", "9443")
    memory.edit(FIREWALL, "8443", "9443")

    assert flagged(memory) == {PROXY}


def test_only_what_is_in_doubt_is_judged(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.verdict("invalid", PORT)
    with pytest.raises(UsageError):
        memory.verdict("perhaps", PORT)


def test_verdict_on_the_command_line(memory: Memory, capfd: pytest.CaptureFixture[str]) -> None:
    """Without a word it lists, with --json in one object."""
    memory.edit(PORT, "8443", "9443")
    capfd.readouterr()

    assert main(["verdict", "--json"]) == 0
    assert {one["address"] for one in json.loads(capfd.readouterr().out)["doubts"]} == {PROXY, FIREWALL}
    assert main(["verdict", "unaffected", PROXY]) == 0
    assert main(["verdict", "unaffected"]) == 2
