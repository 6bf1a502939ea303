"""What each event of a host makes us do, through the hooks and the real files of a tree."""

from __future__ import annotations

import itertools
import json
import os
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_skill import hooks, recall
from memory_skill.events import Events
from memory_skill.hosts.base import units
from memory_skill.journal import Journal
from memory_skill.memory import Memory
from memory_skill.sessions import Sessions
from tests.drivers import STATED, Claude, Kimi, Said

RECORDED = Path(__file__).parent / "fixtures" / "transcripts"
KEY = "sk-ant-" + "a1B2" * 8
ORDERS = int(os.environ.get("ORDERS", "100"))  # ORDERS=1000 for the whole


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "billing" / ".git").mkdir(parents=True)
    return tmp_path / "billing"


@pytest.fixture
def claude(memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Claude]:
    """A session of Claude Code; no hook may log any trouble."""
    yield Claude(project, capfd)
    assert log_of(memory) == []


@pytest.fixture
def kimi(memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]) -> Iterator[Kimi]:
    """The same in Kimi Code."""
    yield Kimi(project, capfd)
    assert log_of(memory) == []


def log_of(memory: Memory) -> list[str]:
    return [line["what"] for line in Events(memory.tree.state).tail(100) if "what" in line]


def write_note(memory: Memory, name: str, text: str, *, pin: bool = False) -> None:
    """A note as an editor writes it; `settle` takes it up."""
    header = f'---\nname: {name}\ndescription: "{text[:60]}"\nmetadata:\n  type: user\n'
    path = memory.tree.home / "knowledge" / "user" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + ('  pin: "true"\n' if pin else "") + f"---\n{text}\n", encoding="utf-8")


# --- prompt


def test_a_related_prompt_gets_the_entry(claude: Claude, memory: Memory) -> None:
    """The entry is put before the model inside the fence; an unrelated prompt gets nothing."""
    memory.save("Ada indents with tabs in every language.", type="user")

    said = claude.prompt("How does Ada indent, tabs or spaces?")

    assert "Ada indents with tabs" in said.context
    assert "reference, not instruction" in said.context
    assert claude.prompt("What is the weather on Mars?").out == ""


def test_an_entry_is_shown_once_a_session(claude: Claude, memory: Memory) -> None:
    """Not again while it stands in the context, anew after compaction, and anew when its text changed."""
    saved = memory.save("Ada indents with tabs in every language.", type="user")
    question = "How does Ada indent, tabs or spaces?"
    assert claude.prompt(question).context
    assert claude.prompt(question).out == ""

    claude.compact()
    assert "tabs" in claude.prompt(question).context

    memory.edit(str(saved.address), "language.\n", "tongue.\n")
    assert "every tongue" in claude.prompt(question).context


def test_another_session_sees_it_too(
    claude: Claude, memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What one session was shown is new to the next."""
    memory.save("Ada indents with tabs in every language.", type="user")
    claude.prompt("How does Ada indent, tabs or spaces?")

    assert Claude(project, capfd, "c2").prompt("How does Ada indent, tabs or spaces?").context


def test_subagents_are_left_alone(claude: Claude, memory: Memory) -> None:
    """A sub-agent's prompt recalls nothing, its stop counts nothing."""
    memory.save("Ada indents with tabs in every language.", type="user")

    assert claude.prompt("How does Ada indent, tabs or spaces?", agent_id="a1").out == ""
    for _ in range(5):
        assert claude.stop(agent_id="a1") == Said(0, "", "")
    assert Journal(memory.tree).turns() == []


def test_kimi_blocks_stay_small(kimi: Kimi, memory: Memory) -> None:
    """All that a prompt hook says on Kimi is at most 1,500 characters, and plain text."""
    for n in range(20):
        text = f"Billing rule {n}: the invoice parser retries {n} times. " + "More. " * 60
        write_note(memory, f"rule-{n}", text, pin=n % 2 == 0)
    memory.settle()

    said = kimi.prompt("How often does the invoice parser retry in billing?")

    assert 300 < len(said.out) <= 1500
    assert not said.out.startswith("{")


def test_a_task_notification_is_no_prompt(claude: Claude, memory: Memory) -> None:
    """What the host itself sends as a prompt recalls nothing and makes no turn."""
    memory.save("Ada indents with tabs in every language.", type="user")

    assert claude.prompt("<task-notification>How does Ada indent, tabs or spaces?").out == ""
    assert claude.stop().out == ""
    assert Journal(memory.tree).turns() == []


# --- session start


def test_the_first_block_is_the_law_and_the_tree(claude: Claude, memory: Memory) -> None:
    """The law, AGENTS.md, what is pinned and, where Claude does not read it itself, the index."""
    memory.save("Never deploy on Fridays.", type="feedback", why="an outage", how="ask", pin=True)
    memory.save("Ada likes green tea.", type="user")

    text = claude.start().context

    for part in ("no second chance", "# AGENTS.md", "Never deploy on Fridays.", "Ada likes green tea."):
        assert part in text
    assert text.count("Never deploy on Fridays.") == 1 or "Shown" in text


def test_adopted_tree_is_not_injected_twice(claude: Claude, memory: Memory, home: Path) -> None:
    """Where Claude's auto-memory is the tree, it reads the index itself; off again, the hook injects it."""
    memory.save("Ada likes green tea.", type="user")
    (home / ".claude").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text(json.dumps({"autoMemoryDirectory": str(memory.tree.home)}), encoding="utf-8")
    assert "green tea" not in claude.start().context

    claude.env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"] = "1"

    assert "green tea" in claude.start().context


def test_the_first_block_is_stable(
    claude: Claude, memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same bytes for another session, on resume and after turns, until the tree changes."""
    memory.save("Never deploy on Fridays.", type="feedback", why="an outage", how="ask", pin=True)
    text = claude.start().context
    claude.turns(2)

    assert claude.start("resume").context == text
    assert Claude(project, capfd, "c2").start().context == text

    memory.save("Ada likes green tea.", type="user")
    assert claude.start().context != text


def test_the_first_block_fits(claude: Claude, memory: Memory) -> None:
    """However large the tree is, the block arrives: at most 10,000 UTF-16 units, whole lines."""
    (memory.tree.home / "AGENTS.md").write_text("# Agents\n" + "🐍 rule\n" * 2000, encoding="utf-8")
    for n in range(80):
        write_note(memory, f"rule-{n}", f"Rule {n} 🐍🐍🐍 " + "🐍" * 60, pin=n % 4 == 0)

    text = claude.start().context

    assert 5_000 < units(text) <= 10_000
    assert "lines]" in text


def test_a_hand_edit_is_in_the_next_start(claude: Claude, memory: Memory) -> None:
    """A note that an editor wrote between two sessions is settled before the index is read."""
    claude.start()
    note = memory.tree.home / "knowledge" / "user" / "likes-coffee.md"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text("Ada likes black coffee.\n", encoding="utf-8")

    assert "likes-coffee" in claude.start().context
    assert memory.log(limit=1)[0].subject.startswith("settle")


def test_kimi_start_says_nothing(kimi: Kimi) -> None:
    """Its output would be dropped; the session skill carries the law."""
    assert kimi.start() == Said(0, "", "")


def test_kimi_session_skill_follows_the_tree(kimi: Kimi, memory: Memory, home: Path) -> None:
    """If it is installed it is written anew when the tree has changed, and only then."""
    from memory_skill.hosts import kimi_code

    skill = kimi_code.session_skill_file({"HOME": str(home)})
    skill.parent.mkdir(parents=True)
    skill.write_text("old", encoding="utf-8")
    kimi.start()
    first = skill.stat().st_mtime_ns
    assert "no second chance" in skill.read_text(encoding="utf-8")

    kimi.start()
    assert skill.stat().st_mtime_ns == first

    memory.save("Ada likes green tea.", type="user")
    kimi.start()
    assert "green tea" in skill.read_text(encoding="utf-8")
    assert "green tea" in kimi.prompt("ok").out, "the host had read the file before"
    assert kimi.prompt("ok").out == ""


def test_a_local_tree_is_never_committed(
    memory: Memory, project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the tree is a folder of the code repository, settling leaves the commit to the user."""
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.setenv("MEMORY_SKILL_LOCAL", "1")
    own = Memory.open(cwd=project)
    own.init()
    (own.tree.home / "loose.md").write_text("---\nname: loose\nmetadata:\n  type: user\n---\nTea.\n", "utf-8")
    claude = Claude(project, capfd)

    assert "no second chance" in claude.start().context

    assert (own.tree.home / "knowledge" / "user" / "loose.md").is_file()
    assert subprocess.run(["git", "-C", str(project), "log"], capture_output=True).returncode == 128
    assert not (own.tree.home / ".git").exists()
    assert log_of(own) == []


# --- the second block


def test_kimi_first_prompt_has_the_project(kimi: Kimi, memory: Memory, project: Path) -> None:
    """The project's index comes once, with the first prompt, and again after compaction."""
    own = Memory.open(cwd=project)
    own.save("The ledger closes at noon.", type="project", why="the bank", how="book before")
    kimi.start()

    assert "ledger closes" in kimi.prompt("ok").out
    assert kimi.prompt("ok").out == ""

    kimi.fire("compact", "PreCompact", trigger="auto")
    assert "ledger closes" in kimi.prompt("ok").out


def test_a_config_error_is_told_once(claude: Claude, memory: Memory) -> None:
    """The last valid config stays in force, and the first prompt of a session says what is wrong."""
    claude.start()
    (memory.tree.home / "config.toml").write_text("format = 1\n[distil]\nevery_turns = 0\n", encoding="utf-8")

    assert "distil.every_turns" in claude.prompt("ok").context
    assert claude.prompt("ok").out == ""


def test_notices_and_inbox_are_told(claude: Claude, memory: Memory) -> None:
    """What settle set aside and what waits for a person stand in the second block."""
    claude.start()
    Events(memory.tree.state).notice("a secret was masked in knowledge/user/x.md")
    (memory.tree.home / "inbox").mkdir(exist_ok=True)
    (memory.tree.home / "inbox" / "one.md").write_text("Perhaps.\n", encoding="utf-8")

    text = claude.prompt("ok").context

    assert "a secret was masked" in text and "1 entry waits" in text


def test_what_settle_did_is_said_aloud(claude: Claude, memory: Memory) -> None:
    """A secret that an editor wrote is masked, AGENTS.md was edited: a person hears of both."""
    write_note(memory, "api", f"The key is {KEY}, ask Ada for another one when it fails.")
    with (memory.tree.home / "AGENTS.md").open("a", encoding="utf-8") as file:
        file.write("\n- Answer in French.\n")

    claude.start()

    text = claude.prompt("ok").context
    assert "knowledge/user/api.md: a secret was masked" in text
    assert "AGENTS.md was changed" in text and KEY not in text


def test_a_failing_hook_is_told(claude: Claude, memory: Memory) -> None:
    """The next session start names the hook, since when and why."""
    Events(memory.tree.state).heartbeat("claude-code", "stop", 5, ok=False, trouble="OSError: no space")
    claude.start()

    assert "the stop hook fails since" in claude.prompt("ok").context


def test_a_dead_hook_is_told(claude: Claude, project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Prompts that no stop ever follows show in the next session."""
    claude.start()
    for _ in range(3):
        claude.prompt("ok")
    later = Claude(project, capfd, "c2")
    later.start()

    assert "the stop hook has not run" in later.prompt("ok").context


def test_a_start_that_never_came_is_told(claude: Claude) -> None:
    """A session whose start hook did not run says so."""
    assert "session-start hook did not run" in claude.prompt("ok").context


# --- stop


def test_a_turn_is_journalled_without_secrets(claude: Claude, memory: Memory) -> None:
    """The turn stands in the day's log; a key in it nowhere below the tree, nor what the hook says."""
    claude.start()
    claude.prompt(f"use {KEY} please")
    said = claude.stop(f"I used {KEY} as asked.")

    turn = Journal(memory.tree).turns()[0]
    assert (turn.user, turn.assistant) == (
        "use [secret: anthropic] please",
        "I used [secret: anthropic] as asked.",
    )
    assert (turn.session, turn.host, turn.project) == ("c1", "claude-code", turn.project)
    kept = [
        path for path in memory.tree.home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ]
    assert kept == [] and KEY not in said.out


def test_the_third_turn_is_held_once(claude: Claude) -> None:
    """Turns 1 and 2 end, turn 3 is held with the brief over all three, the next two end."""
    claude.start()
    said = claude.turns(5)

    assert [bool(answer.context) for answer in said] == [False, False, True, False, False]
    assert "time to distil" in said[2].context and said[2].context.count("- user:") == 3
    assert len(said[2].context) <= 4000


def test_the_latch_is_on_disk_before_a_word(
    memory: Memory, project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook that dies while it speaks has already noted that it would: no second brief for the turn."""
    claude = Claude(project, capfd)
    claude.start()
    claude.turns(2)
    claude.prompt()
    monkeypatch.setattr(hooks, "_say", lambda reply: False)
    claude.stop()
    monkeypatch.undo()

    kept = Sessions(memory.tree.state).read("claude-code", "c1").distil
    assert (kept["blocked"], kept["delivered"], len(kept["pending"])) == ("p3", False, 3)
    assert claude.stop().out == ""


def test_a_broken_recall_costs_only_itself(
    memory: Memory, project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turns are counted and the brief comes all the same; the log says what is broken."""
    claude = Claude(project, capfd)
    claude.start()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(recall, "recall", broken)
    said = claude.turns(3)

    assert "time to distil" in said[2].context
    assert all("RuntimeError: broken" in line for line in log_of(memory)) and log_of(memory)


def test_nothing_to_keep_doubles_the_pause(claude: Claude) -> None:
    """After an empty pass the next brief comes six turns later."""
    claude.start()

    held = [bool(answer.context) for answer in claude.turns(15)]

    assert [n for n, was in enumerate(held, 1) if was] == [3, 9]


def test_a_session_that_saved_is_not_held(claude: Claude, memory: Memory) -> None:
    """A save through the command line, and one through the host's own tool, stand for the pass."""
    claude.start()
    claude.turns(1)
    Sessions(memory.tree.state).saved("claude-code", "c1")
    assert not any(answer.context for answer in claude.turns(2))

    note = memory.tree.home / "likes-tea.md"
    note.write_text("---\nname: likes-tea\ndescription: tea\nmetadata:\n  type: user\n---\nTea.\n", "utf-8")
    claude.wrote(note)
    assert not any(answer.context for answer in claude.turns(3))
    assert (memory.tree.home / "knowledge" / "user" / "likes-tea.md").is_file()
    assert memory.log(limit=1)[0].trailers["Memory-Session"] == "c1"

    assert any(answer.context for answer in claude.turns(3))


def test_small_talk_is_not_held(claude: Claude, memory: Memory) -> None:
    """Nods and orders end as they are; the log says why nobody was asked."""
    claude.start()
    for _ in range(5):
        claude.prompt("ok")
        assert claude.stop().out == ""
    claude.prompt("Run the tests again, please.")
    assert claude.stop("All of them pass, and the linter has nothing to say about it.").out == ""

    told = [line["why"] for line in Events(memory.tree.state).tail(100) if line["event"] == "distil"]
    assert told == ["skipped: nothing that could matter"] * 4


def test_a_correction_is_asked_for_before_its_time(claude: Claude, memory: Memory) -> None:
    """After empty passes the pause is long; what the user corrects is asked for within two turns."""
    claude.start()
    claude.turns(9)

    claude.prompt("Nein, nicht so: die Beträge sind immer in Cent.")
    assert claude.stop("Gut.").out == ""
    claude.prompt("ok")
    said = claude.stop()

    assert "die Beträge sind immer in Cent" in said.context and "- user: ok" in said.context
    told = [line["why"] for line in Events(memory.tree.state).tail(100) if line["event"] == "distil"]
    assert told == ["asked: due", "asked: due", "asked: said"]


def test_a_session_of_twenty_turns_is_asked_for_its_summary(claude: Claude, memory: Memory) -> None:
    """Once, in a brief like any other, though nothing in it matters; the next session recalls it."""
    claude.start()
    asked = []
    for n in range(1, 26):
        claude.prompt("ok")
        said = claude.stop()
        if said.context:
            asked.append(n)
            assert "session of 23 turns" in said.context and "--type summary" in said.context
            memory.save("We moved the invoices of Graz to the new ledger.", type="summary")
            claude.stop("One summary.", again=True)

    assert asked == [23]
    later = Claude(claude.project, claude.capfd, "c2")
    later.start()
    assert (
        "moved the invoices" in later.prompt("Where do the invoices of Graz live, in which ledger?").context
    )


def test_what_the_end_of_a_session_leaves_waits(claude: Claude, memory: Memory) -> None:
    """One turn that could matter and no brief yet: the next session of the project is offered it, once."""
    claude.start()
    claude.prompt("ok")
    claude.stop()
    claude.prompt("The ledger of Graz is closed on the third of each month.")
    claude.stop()
    assert Sessions(memory.tree.state).waiting_turns() == 0
    claude.fire("session-end", "SessionEnd", reason="prompt_input_exit")
    assert Sessions(memory.tree.state).waiting_turns() == 2

    later = Claude(claude.project, claude.capfd, "c2")
    later.start()
    said = later.prompt("Good morning to you.").context
    later.stop()

    assert "closed on the third of each month" in said
    assert Sessions(memory.tree.state).waiting_turns() == 0


def test_what_a_killed_session_leaves_waits(kimi: Kimi, memory: Memory) -> None:
    """Its client is gone without a word: the turn waits, and not before."""
    kimi.start()
    kimi.prompt()
    kimi.stop()
    kimi.end_turn()
    sessions = Sessions(memory.tree.state)
    assert sessions.waiting_turns() == 0

    with sessions.change("kimi-code", "session_k") as record:
        record.client = [
            record.client[0],
            record.client[1] + 1,
        ]  # that process is over, the number is another's

    assert sessions.waiting_turns() == 1


def test_what_a_compaction_takes_is_in_the_next_brief(claude: Claude) -> None:
    """A fact said before it, unsaved, is quoted two turns later at the latest, however long the pause is."""
    claude.start()
    claude.turns(9)
    claude.prompt("The ledger of Graz is closed on the third of each month.")
    claude.stop()
    claude.compact()
    claude.start("compact")

    claude.prompt("ok")

    assert "closed on the third of each month" in claude.stop().context


def test_an_edit_elsewhere_is_nothing(claude: Claude, memory: Memory, project: Path) -> None:
    """A file outside the tree is not marked, and no record is made of it."""
    assert claude.wrote(project / "main.py") == Said(0, "", "")

    assert Sessions(memory.tree.state).writers() == {}
    assert not list((memory.tree.state / "sessions").rglob("*.json"))


def test_turns_of_nobody_wait_and_are_offered(
    claude: Claude, memory: Memory, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """`-p` is not held; the next attended session of the project is offered the turns, once."""
    claude.env["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    claude.start()
    for n in range(4):
        claude.prompt(f"question {n}: {STATED}")
        assert claude.stop(f"answer {n}").out == ""
    assert Sessions(memory.tree.state).waiting_turns() == 4

    person = Claude(project, capfd, "c2")
    person.start()
    assert "question 0" in person.prompt("ok").context
    person.stop()

    assert Sessions(memory.tree.state).waiting_turns() == 0
    third = Claude(project, capfd, "c3")
    third.start()
    assert third.prompt("ok").out == ""


def test_an_offer_that_nobody_answered_is_made_again(
    claude: Claude, project: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A session that ends before its first reply leaves the turns waiting."""
    claude.env["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    claude.start()
    claude.turns(3)
    for session in ("c2", "c3"):
        person = Claude(project, capfd, session)
        person.start()
        assert "Not yet distilled" in person.prompt("ok").context


def test_the_project_is_that_of_the_start_folder(claude: Claude, memory: Memory, tmp_path: Path) -> None:
    """A cd into another repository changes nothing."""
    claude.start()
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    claude.prompt()
    claude.stop(cwd=str(other))

    assert Journal(memory.tree).turns()[0].project.startswith("billing")


def test_a_shell_command_is_no_turn(claude: Claude, memory: Memory) -> None:
    """`! cmd` in Claude's screen ends with a stop that no prompt belongs to."""
    claude.start()
    claude.turns(1)
    claude.turn = 77
    claude.stop("output read")

    assert len(Journal(memory.tree).turns()) == 1


def test_missed_turns_are_caught_up(claude: Claude, memory: Memory, tmp_path: Path) -> None:
    """Turns whose hooks never ran are logged from the transcript before a compaction, each once."""
    transcript = tmp_path / "t.jsonl"
    transcript.write_bytes(b"")
    claude.fire("prompt", "UserPromptSubmit", prompt="ok", transcript_path=str(transcript))
    transcript.write_bytes((RECORDED / "claude-print.jsonl").read_bytes())

    for _ in range(2):
        claude.fire("compact", "PreCompact", trigger="auto", transcript_path=str(transcript))

    assert [turn.user[:18] for turn in Journal(memory.tree).turns()] == [
        "What is in notes.t",
        "What is the rate l",
        "and a third: naïve",
    ]


def test_kimi_is_held_through_stderr(kimi: Kimi, memory: Memory) -> None:
    """Exit 2 with the brief on stderr at the third turn; the reply moves the mark, seen at the next event."""
    kimi.start()
    for _ in range(2):
        kimi.prompt()
        assert kimi.stop().code == 0
        kimi.end_turn()
    kimi.prompt()
    said = kimi.stop()
    assert (said.code, said.out) == (2, "") and "time to distil" in said.err

    kimi.replies("Nothing to keep.")
    kimi.end_turn()
    kimi.prompt()

    kept = Sessions(memory.tree.state).read("kimi-code", "session_k").distil
    assert (kept["pending"], kept["every"]) == ([], 6)
    assert [turn.assistant for turn in Journal(memory.tree).turns()] == ["Done."] * 3


def test_kimi_interrupt_moves_no_mark(kimi: Kimi, memory: Memory) -> None:
    """A pass that the user broke off leaves its turns waiting for the next."""
    kimi.start()
    for _ in range(3):
        kimi.prompt()
        said = kimi.stop()
        kimi.end_turn()
    assert said.code == 2

    kimi.fire("interrupt", "Interrupt", turn_id=3, reason="cancelled")
    kimi.prompt()

    assert len(Sessions(memory.tree.state).read("kimi-code", "session_k").distil["pending"]) == 3


def test_kimi_subagent_stops_count_nothing(kimi: Kimi, memory: Memory) -> None:
    """They carry the parent's session and nothing else; the open tool call in the main wire tells."""
    kimi.start()
    kimi.prompt()
    kimi.record("context.append_loop_event", event={"type": "tool.call", "name": "Agent"})
    for _ in range(5):
        assert kimi.stop(reply="").code == 0

    kimi.stop()

    assert len(Journal(memory.tree).turns()) == 1
    assert Sessions(memory.tree.state).read("kimi-code", "session_k").distil["since"] == 1


def test_kimi_turns_whose_stop_died_are_logged(kimi: Kimi, memory: Memory) -> None:
    """Two turns whose stop hook was killed are logged with the third, from the wire."""
    kimi.start()
    for n in range(2):
        kimi.prompt(f"question {n}")
        kimi.replies(f"answer {n}")
        kimi.end_turn()
    kimi.prompt("question 2")

    kimi.stop("answer 2")

    assert [turn.assistant for turn in Journal(memory.tree).turns()] == ["answer 0", "answer 1", "answer 2"]


def test_kimi_stop_before_any_prompt_hook_counts_one_turn(kimi: Kimi, memory: Memory) -> None:
    """Hooks installed while a session runs: what came before is let go, the turn that ends counts."""
    for n in range(3):
        parts = [{"type": "text", "text": f"question {n}"}]
        kimi.record("turn.prompt", input=parts, origin={"kind": "user"}, promptId=f"m{n}")
        kimi.replies(f"answer {n}")
        kimi.end_turn()

    kimi.stop(reply="")

    assert [turn.user for turn in Journal(memory.tree).turns()] == ["question 2"]


def test_kimi_can_wait_instead(kimi: Kimi, memory: Memory) -> None:
    """`distil.kimi = wait` never holds a turn."""
    kimi.env["MEMORY_SKILL_DISTIL_KIMI"] = "wait"
    kimi.start()
    for _ in range(4):
        kimi.prompt()
        assert kimi.stop().code == 0

    assert Sessions(memory.tree.state).waiting_turns() == 4


def test_a_transcript_of_200_mb_is_read_from_its_end(kimi: Kimi, memory: Memory) -> None:
    """An old session without a record: the newest turn counts, the rest is let go, within the hook's time."""
    line = json.dumps({"type": "llm.request", "x": "a" * 1_000_000}).encode() + b"\n"
    with kimi.wire.open("wb") as file:
        for _ in range(200):
            file.write(line)
    kimi.prompt("the newest question")

    kimi.stop("the newest answer")

    assert [turn.user for turn in Journal(memory.tree).turns()] == ["the newest question"]
    assert Events(memory.tree.state).heartbeats()[-1].ms < 2000


# --- a thousand random sessions


@pytest.fixture
def fast(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Claude]:
    """A session over a tree in memory, where there is such a place: 10,000 hooks rename 30,000 files."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        monkeypatch.setenv("MEMORY_SKILL_HOME", folder)
        yield Claude(project, capfd)


def test_random_sessions_keep_the_rules(fast: Claude) -> None:
    """Random orders of events over the real files: one brief a turn, one in N turns, no turn twice."""
    claude, dice, memory = fast, random.Random(7), Memory.open()
    memory.init()
    memory.settle()
    for number in range(ORDERS):
        claude.session, claude.turn = f"r{number}", number * 100
        play(claude, memory, dice)

    ids = [turn.id for turn in Journal(memory.tree).turns()]
    assert log_of(memory) == []
    assert len(ids) == len(set(ids)) > ORDERS


def play(claude: Claude, memory: Memory, dice: random.Random) -> None:
    """One session; a turn runs, a brief holds it, its first stop has come."""
    open_turn = held = stopped = compacted = False
    counted, blocks = 0, list[int]()
    for _ in range(dice.randrange(6, 12)):
        event = dice.choices(["prompt", "stop", "twice", "sub", "resume", "compact"], [6, 8, 2, 1, 1, 1])[0]
        if event == "prompt":
            claude.prompt()
            open_turn, held, stopped = True, False, False
        elif event == "resume":
            claude.start("resume")
            open_turn = held = False
        elif event == "compact":
            claude.compact()
            compacted = True
        elif event == "sub":
            assert claude.stop(agent_id="a").out == ""
        elif event == "twice" and stopped and not open_turn:
            assert claude.stop().out == ""
        elif open_turn:
            stopped = True
            counted += not held
            said = [claude.stop(again=held) for _ in range(1 + (event == "twice" and not held))]
            assert not (held and said[0].out), "a turn is held twice"
            assert not any(answer.out for answer in said[1:]), "a duplicate is held too"
            held = bool(said[0].out)
            open_turn = held
            blocks += [counted] if held else []
    least = 2 if compacted else 3  # what leaves the context is asked for early
    assert all(later - earlier >= least for earlier, later in itertools.pairwise([0, *blocks]))
    kept = Sessions(memory.tree.state).read("claude-code", claude.session).distil
    assert len(kept.get("pending", [])) <= counted
