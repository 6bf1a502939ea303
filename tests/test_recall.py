"""Recall as an agent meets it: over a real tree, through the index or without it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from memory_skill.config import Config
from memory_skill.recall import Recalled, pinned, recall, render
from memory_skill.search import Search
from memory_skill.tree import Tree, digest

TODAY = date(2026, 11, 30)
Write = Callable[..., str]


class Memory:
    """A tree with its index, and a short way to ask it."""

    def __init__(self, home: Path) -> None:
        (home / ".state").mkdir(parents=True)
        self.tree = Tree(home)
        self.search = Search(home / ".state" / "search.sqlite")
        self.config = Config(home)

    def write(self, path: str, body: str, description: str = "", **meta: str) -> str:
        lines = "".join(f'  {key}: "{value}"\n' for key, value in meta.items())
        file = self.tree.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        head = f'name: {file.stem}\ndescription: "{description}"\nmetadata:\n  type: project\n{lines}'
        text = f"---\n{head}---\n{body}\n"
        file.write_text(text, encoding="utf-8")
        return path

    def ask(self, query: str, scope: str | None = "all", **options: object) -> Recalled:
        self.search.close()
        return recall(
            query, scope, tree=self.tree, search=self.search, config=self.config, today=TODAY, **options
        )  # type: ignore[arg-type]

    def found(self, query: str, scope: str | None = "all", **options: object) -> list[str]:
        return [hit.address for hit in self.ask(query, scope, **options).hits]


FILLER = [
    ("kestrel-exit-codes", "Kestrel exits with 3 when the configuration is broken"),
    ("vault-paths", "Staging credentials live in vault below kv/harbor"),
    ("pnpm", "Installs use pnpm, npm created a second lockfile"),
    ("rate-limit", "The rate limit is a token bucket in Redis"),
    ("invoices", "Invoices are rounded half even"),
    ("gpu", "Training batches are limited to sixteen by GPU memory"),
    ("labels", "PDF labels are rendered with typst"),
    ("backup", "The nightly backup is restored every Friday"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    made = Memory(tmp_path / "tree")
    for name, body in FILLER:
        made.write(f"knowledge/project/{name}.md", body, created="2026-06-01")
    made.search.refresh(made.tree)
    return made


# --- outcomes


def test_related_question_has_hits_with_all_fields(memory: Memory) -> None:
    """A hit says what it is, whom it is for, how old it is and how sure we are."""
    found = memory.ask("which token bucket limits the rate?")
    assert (found.outcome, found.reason) == ("hits", None)
    hit = found.hits[0]
    assert (
        hit.address, hit.name, hit.type, hit.scope, hit.age_days,
    ) == ("knowledge/project/rate-limit.md", "rate-limit", "project", "global", 182)  # fmt: skip
    assert 0 < hit.score <= 1
    assert hit.text == "The rate limit is a token bucket in Redis"


@pytest.mark.parametrize(
    "chatter",
    ["ok", "thanks, continue", "run the tests again", "ja, mach weiter", "merci, c'est parfait", "好的，继续",
     "はい、続けてください", "네, 계속해 주세요", "Great work! Let's call it a day."],
)  # fmt: skip
def test_chatter_recalls_nothing(memory: Memory, chatter: str) -> None:
    """What is said to keep a conversation going brings no memory up."""
    found = memory.ask(chatter)
    assert (found.outcome, found.hits) == ("no_match", ())
    assert found.reason
    assert render(found) == ""


def test_pasted_stack_trace_without_a_related_note_recalls_nothing(memory: Memory) -> None:
    """A long prompt is not a match only because it has many words."""
    trace = (
        'Traceback:\n  File "/srv/wolf/scene.py", line 7, in update\nAttributeError: NoneType has no position'
    )
    assert memory.found(f"please fix this\n```\n{trace}\n```") == []


def test_long_prompt_with_one_subject_finds_it(memory: Memory) -> None:
    """The few words that matter decide."""
    talk = "I have been thinking about what we could do next and how we should go about it. " * 30
    assert (
        memory.found(f"{talk} How are the typst labels rendered? {talk}")[0] == "knowledge/project/labels.md"
    )


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "x",
        "😀🎉",
        "the of and",
        "\x00",
        "\ud800\udfff",
        '" OR 1=1 -- *',
        "NEAR(a b)",
        "()",
        "-" * 50,
        "\u202e",
    ],
)
def test_odd_query_is_answered(memory: Memory, odd: str) -> None:
    """Nothing that can be typed is an error."""
    assert memory.ask(odd).outcome in ("hits", "no_match")


@pytest.mark.parametrize("words", [10_000, 200_000])
def test_huge_query_is_answered_and_still_finds(memory: Memory, words: int) -> None:
    """A pasted log of a million characters is read at its ends."""
    query = "typst labels " + " ".join(f"w{n}" for n in range(words))
    assert "knowledge/project/labels.md" in memory.found(query, abstain=False)


# --- freshness and trouble


def test_edit_by_any_editor_is_in_the_next_recall(memory: Memory) -> None:
    """Changed, new and deleted files count at once; nothing is written for it."""
    index = memory.search.path.read_bytes()
    memory.write("knowledge/project/labels.md", "PDF labels come from weasyprint now")
    memory.write("knowledge/project/new.md", "The mascot is a walrus")
    (memory.tree.home / "knowledge/project/gpu.md").unlink()
    assert memory.ask("what renders the PDF labels").hits[0].text == "PDF labels come from weasyprint now"
    assert memory.found("typst") == []
    assert memory.found("who is the mascot, a walrus?") == ["knowledge/project/new.md"]
    assert memory.found("GPU training batches sixteen") == []
    assert index == memory.search.path.read_bytes()


@pytest.mark.parametrize("kind", ["missing", "empty", "garbage", "truncated", "foreign", "newer", "analyser"])
def test_broken_index_degrades_to_a_scan_of_the_files(memory: Memory, kind: str) -> None:
    """The answer comes from the files, and says why."""
    from .test_search import damaged

    memory.search.close()
    damaged(kind, memory.search.path)
    found = memory.ask("which token bucket limits the rate?")
    assert found.outcome == "degraded"
    assert found.reason
    assert found.hits[0].address == "knowledge/project/rate-limit.md"


def test_list_item_and_skill_are_found_by_their_own_words(memory: Memory) -> None:
    """An item comes alone with its address; a skill comes as its trigger, without its body."""
    home = memory.tree.home
    (home / "knowledge/user.md").write_text("- Name: Ada Lovelace\n- Drinks oolong tea\n", encoding="utf-8")
    (home / "skills/ship").mkdir(parents=True)
    skill = '---\nname: ship\ndescription: "Use when cutting a changelog"\n---\nzebra crossing\n'
    (home / "skills/ship/SKILL.md").write_text(skill, encoding="utf-8")
    item = memory.ask("which oolong does she drink").hits[0]
    assert item.text == "Drinks oolong tea"
    assert item.address.startswith("knowledge/user.md#")
    hit = memory.ask("how do I cut the changelog").hits[0]
    assert (
        hit.address,
        hit.type,
        hit.text,
    ) == ("skills/ship/SKILL.md", "skill", "Use when cutting a changelog")
    assert memory.found("zebra crossing") == []


# --- scope and time


def test_project_note_stays_in_its_project(memory: Memory) -> None:
    """Another project's note is never shown; global notes are shown everywhere."""
    memory.write("knowledge/projects/harbor/port.md", "The relay listens on 7443")
    assert memory.found("relay listens", "project:harbor") == ["knowledge/projects/harbor/port.md"]
    assert memory.found("relay listens", "project:lumen") == []
    assert memory.found("relay listens", "global") == []
    assert memory.found("relay listens", "all") == ["knowledge/projects/harbor/port.md"]
    assert "knowledge/project/labels.md" in memory.found("typst labels", "project:lumen")


def test_superseded_note_gives_way_to_its_successor(memory: Memory) -> None:
    """The old note leaves the result and is named; the new one comes in its place, in whatever words."""
    memory.write("knowledge/project/quay.md", "Everything is drawn by weasyprint", supersedes="labels")
    found = memory.ask("typst labels")
    assert found.hits[0].address == "knowledge/project/quay.md"
    assert "knowledge/project/labels.md" not in [hit.address for hit in found.hits]
    assert [(left.address, left.why, left.successor) for left in found.left_out] == [
        ("knowledge/project/labels.md", "superseded", "knowledge/project/quay.md")
    ]
    assert "superseded by knowledge/project/quay.md" in render(found)


def test_expired_and_coming_notes_are_left_out(memory: Memory) -> None:
    """valid_to is over, valid_from has not come."""
    memory.write("knowledge/project/old.md", "The walrus freeze holds", valid_to="2026-11-01")
    memory.write("knowledge/project/soon.md", "The walrus thaw begins", valid_from="2027-01-01")
    memory.write(
        "knowledge/project/now.md", "The walrus is fed daily", valid_from="2026-01-01", valid_to="2026-12-31"
    )
    assert memory.found("walrus") == ["knowledge/project/now.md"]
    assert "knowledge/project/old.md" in memory.found("walrus", as_of=date(2026, 10, 1))


def test_as_of_a_day_shows_what_was_known_then(memory: Memory) -> None:
    """Later notes do not exist yet, and what they replace is back."""
    memory.write(
        "knowledge/project/quay.md",
        "Labels are drawn by weasyprint",
        supersedes="labels",
        created="2026-09-01",
    )
    assert memory.found("labels", as_of=date(2026, 7, 1))[0] == "knowledge/project/labels.md"
    assert "knowledge/project/quay.md" not in memory.found("labels", as_of=date(2026, 7, 1))
    assert memory.found("labels", as_of=date(2026, 10, 1))[0] == "knowledge/project/quay.md"


# --- the block


def test_block_is_fenced_and_the_same_bytes_each_time(memory: Memory) -> None:
    """Reference, not instruction, with address and age."""
    first, second = (render(memory.ask("typst labels")) for _ in range(2))
    assert first == second
    assert first.startswith("<memory-skill ")
    assert first.endswith("</memory-skill>")
    assert "## knowledge/project/labels.md (project, global, 182 days old)" in first


@pytest.mark.parametrize("budget", [200, 300, 500, 1500, 4000])
def test_block_never_exceeds_its_budget(memory: Memory, budget: int) -> None:
    """Whole entries only; what does not fit is named or, at worst, left off."""
    for number in range(6):
        memory.write(
            f"knowledge/project/walrus{number}.md", f"Walrus fact {number}. " + "It swims far. " * 20
        )
    found = memory.ask("walrus", max_chars=budget)
    assert len(render(found, budget)) <= budget
    assert found.hits or budget < 250
    assert all(hit.text.startswith("Walrus fact") for hit in found.hits)


def test_long_note_is_shown_as_its_best_whole_paragraphs(memory: Memory) -> None:
    """Over 1,200 characters: the paragraphs about the question, with a notice and the address."""
    filler = "\n\n".join(
        f"Paragraph {n} talks about the weather. " + "Rain and wind. " * 15 for n in range(12)
    )
    path = memory.write("knowledge/project/long.md", f"{filler}\n\nThe walrus sleeps at noon.\n\n{filler}")
    hit = memory.ask("when does the walrus sleep").hits[0]
    assert path == hit.address
    assert len(hit.text) <= memory.config.recall.note_chars
    assert "The walrus sleeps at noon." in hit.text
    assert f"all of it: {path}]" in hit.text


def test_entry_already_shown_is_not_repeated_until_it_changes(memory: Memory) -> None:
    """Once per session per entry, and again when its text is another."""
    hit = memory.ask("typst labels").hits[0]
    shown = {hit.address: digest(hit.text.encode())}
    assert hit.address not in memory.found("typst labels", shown=shown)
    memory.write("knowledge/project/labels.md", "PDF labels are rendered with typst 2")
    assert hit.address in memory.found("typst labels", shown=shown)


def test_pinned_entries_have_their_own_budget(memory: Memory) -> None:
    """What is pinned comes without a question, within its characters, by scope."""
    memory.write("knowledge/feedback/tabs.md", "Indent with tabs", pin="true")
    memory.write("knowledge/projects/x/own.md", "Only of x", pin="true")
    memory.search.refresh(memory.tree)

    def texts(scope: str, room: int) -> list[str]:
        memory.search.close()
        found = pinned(
            scope, tree=memory.tree, search=memory.search, config=memory.config, max_chars=room, today=TODAY
        )
        return [hit.text for hit in found.hits]

    assert texts("global", 2000) == ["Indent with tabs"]
    assert texts("project:x", 2000) == ["Indent with tabs", "Only of x"]
    assert texts("global", 20) == []


# --- why


def test_explained_parts_add_up_to_the_score(memory: Memory) -> None:
    """Terms by field and boosts: their sum is the score, for every entry."""
    memory.write(
        "knowledge/project/quay.md", "Labels are drawn by weasyprint", "Label tool", supersedes="labels"
    )
    told = memory.ask("typst labels rendered with what", explain=True).explain
    assert told is not None
    assert told["hits"]
    for entry in told["hits"]:
        total = sum(part["value"] for part in entry["parts"]) + sum(entry["boosts"].values())
        assert entry["score"] == pytest.approx(total)
    assert told["excluded"][0]["why"] == "superseded"


def test_topic_that_several_notes_touch_and_none_is_about_recalls_nothing(memory: Memory) -> None:
    """A name that no entry knows, beside words that two share alike; what was lacking is explained."""
    memory.write("knowledge/reference/dhl.md", "Our contact at the carrier DHL is Sven")
    memory.write("knowledge/reference/gls.md", "Our contact at the carrier GLS is Eva")
    assert memory.found("who is our contact at DHL")[:1] == ["knowledge/reference/dhl.md"]
    found = memory.ask("which carrier serves the Fermont office", explain=True)
    assert found.outcome == "no_match"
    assert found.explain is not None
    said = found.explain["sureness"]
    assert said["unheard"] < 0
    assert said["amount"] + said["ahead"] + said["covered"] + said["unheard"] == pytest.approx(said["sum"])
    assert said["sum"] < said["needed"]


@pytest.mark.parametrize(
    "query", ["Typst Labels Rendering", "Which Token Bucket Limits The Rate", "TYPST LABELS"]
)
def test_capitals_of_a_title_are_no_names(memory: Memory, query: str) -> None:
    """Where most words have a capital, none of them is taken for a name that must be known."""
    assert memory.found(query)


def test_order_is_the_same_each_time(memory: Memory) -> None:
    """Equal scores stand by address."""
    for name in ("z", "x", "y"):
        memory.write(f"knowledge/project/{name}.md", "The walrus sleeps")
    memory.search.refresh(memory.tree)
    assert [f"knowledge/project/{name}.md" for name in "xyz"] == memory.found("walrus sleeps")


def test_newer_of_two_values_of_one_fact_comes_first(memory: Memory) -> None:
    """Nobody wrote `supersedes`; the headers' dates decide, and the files' mtime does not."""
    memory.write("knowledge/project/a-port.md", "The walrus database listens on 5432", created="2025-02-01")
    memory.write("knowledge/project/z-port.md", "The walrus database listens on 6543", created="2026-09-01")
    memory.write("knowledge/project/a-port.md", "The walrus database listens on 5432", created="2025-02-01")
    asked = "which port does the walrus database listen on"
    assert memory.found(asked)[:2] == ["knowledge/project/z-port.md", "knowledge/project/a-port.md"]
    told = memory.ask(asked, explain=True).explain
    assert told is not None
    assert told["hits"][0]["score"] >= told["hits"][1]["score"]
    assert memory.found(asked, as_of=date(2026, 1, 1))[0] == "knowledge/project/a-port.md"


def test_newer_note_about_something_else_does_not_overtake(memory: Memory) -> None:
    """The question names one of two services: the date of the other is no argument."""
    memory.write("knowledge/project/amber.md", "amber-falcon listens on 5432", created="2025-02-01")
    memory.write("knowledge/project/calm.md", "calm-falcon listens on 6543", created="2026-09-01")
    assert memory.found("where does amber-falcon listen")[0] == "knowledge/project/amber.md"


def test_newer_note_about_a_near_namesake_does_not_overtake(memory: Memory) -> None:
    """Of two services that share all words of their names but one, the one that was asked for is first."""
    memory.write(
        "knowledge/project/cedar.md", "The walrus relay oaken-cedar-49 sits in rack 401", created="2025-02-01"
    )
    memory.write(
        "knowledge/project/delta.md",
        "The walrus relay oaken-delta-49 sits in rack 7575",
        created="2026-09-01",
    )
    assert (
        memory.found("in which rack sits the walrus relay oaken-cedar-49")[0] == "knowledge/project/cedar.md"
    )


SMALL = [
    ("Run ruff before each commit", "what to run before a commit?"),
    ("Ada indents with tabs in 日本.", "Ada indents with tabs in 日本?"),
    ("Never push to main on Fridays", "may I push to main on a Friday?"),
    ("The user's name is Ada Lovelace", "what is the name of the user"),
    ("Tests need the database on port 5433", "which port does the test database have"),
    ("Antworten bitte kurz und auf Deutsch", "auf welcher Sprache antworten, Deutsch?"),
    ("部署在每周四上午进行", "什么时候部署"),
    ("Les messages de commit sont en anglais", "messages de commit en anglais ou en français"),
    ("コミットメッセージは英語で書く", "コミットメッセージは何語で書きますか"),
    ("Write docs in British spelling", "which spelling do the docs have"),
]


@pytest.mark.parametrize("notes", [1, 3, 10])
@pytest.mark.parametrize(("said", "query"), SMALL)
def test_plain_match_in_a_small_tree_is_a_hit(tmp_path: Path, notes: int, said: str, query: str) -> None:
    """The first hour: among one, three or ten notes no word is rare, and the note is found all the same."""
    memory = Memory(tmp_path / "tree")
    path = memory.write("knowledge/feedback/wanted.md", said, created="2026-06-01")
    for name, body in FILLER[: notes - 1]:
        memory.write(f"knowledge/project/{name}.md", body)
    memory.search.refresh(memory.tree)
    assert path in memory.found(query)[:1]


@pytest.mark.parametrize("notes", [1, 3, 10])
@pytest.mark.parametrize(
    "chatter", ["ok", "thanks, continue", "run the tests again", "looks good, commit it", "weiter"]
)
def test_chatter_in_a_small_tree_recalls_nothing(tmp_path: Path, notes: int, chatter: str) -> None:
    """Nor do common words decide where there is little else."""
    memory = Memory(tmp_path / "tree")
    memory.write(
        "knowledge/feedback/wanted.md", "Run only the touched tests before a commit", created="2026-06-01"
    )
    for name, body in FILLER[: notes - 1]:
        memory.write(f"knowledge/project/{name}.md", body)
    memory.search.refresh(memory.tree)
    assert memory.found(chatter) == []
