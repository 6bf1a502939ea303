"""What the documents show is what the code reads, writes and offers."""

from __future__ import annotations

import dataclasses
import json
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import click
import pytest

from memory_skill import (
    blame,
    changes,
    config,
    decisions,
    distilling,
    doubts,
    errors,
    feedback,
    history,
    inbox,
    index,
    journal,
    loading,
    note,
    results,
    said,
    settle,
    working,
)
from memory_skill.cli import cli, main

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("templates/**/*.md"))
)
CALL = re.compile(r"(?<![\w./-])(?:memory-skill|\{\{ command \}\}|\{command\}) +(.+)")
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


def calls(name: str) -> list[tuple[str, list[str]]]:
    """Every call of the command that a document shows: the verb and the options given to it."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = re.findall(r"(?ms)^```(?:sh|console)?\n(.*?)^```$", text)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```$", "", text))
    found = []
    for line in [*"\n".join(blocks).splitlines(), *spans]:
        for call in CALL.findall(line.split("  #")[0]):
            words = re.sub(r"\[?--home \S+", "", call.split(" && ")[0]).split()
            if words and re.fullmatch(r"[a-z][a-z-]+", words[0]):
                found.append((words[0], FLAG.findall(call)))
    return found


def options(verb: str) -> set[str]:
    """What a verb accepts, the options of the whole command and of its own verbs included."""
    command = cli.get_command(click.Context(cli), verb)
    assert command is not None, f"memory-skill {verb} does not exist"
    below = command.commands.values() if isinstance(command, click.Group) else ()
    parts = (command, cli, *below)
    return {word for part in parts for option in part.params for word in option.opts} | {"--help"}


def fenced(name: str, language: str, number: int = 0) -> str:
    """The text of one fenced block of a document."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[number]


def test_note_in_the_format_is_canonical() -> None:
    """The note that docs/format.md shows is, byte for byte, what the code writes."""
    text = fenced("docs/format.md", "markdown")
    read = note.parse(text, "knowledge/feedback/prefers-tabs.md")

    assert note.format_note(read.name, read.description, read.body, {"type": read.type, **read.meta}) == text


def test_index_in_the_format_is_what_is_generated(home: Path) -> None:
    """The MEMORY.md that docs/format.md shows is packed from the note that it shows."""
    shown = note.parse(fenced("docs/format.md", "markdown"), "knowledge/feedback/prefers-tabs.md")

    packed = index.pack([index.line_of(shown)], "", "", config.Config(home).index)

    assert packed.text == fenced("docs/format.md", "markdown", 1)


def test_journal_in_the_format_is_read_and_written_alike() -> None:
    """The day that docs/format.md shows is one turn, and writing that turn gives the same text."""
    text = fenced("docs/format.md", "markdown", 2)
    (turn,) = journal.parse(text)

    assert text == f"# {turn.time[:10]}\n\n{journal.format_turn(turn)}"


@pytest.mark.parametrize("value", [*note.TYPES, *note.SOURCES])
def test_format_names_every_type_and_source(value: str) -> None:
    """No type and no source exists that docs/format.md does not name."""
    assert f"`{value}`" in (ROOT / "docs/format.md").read_text(encoding="utf-8")


def test_readme_commands_stand_as_they_are_run() -> None:
    """CI runs the two lines of the README that it finds by their ends."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    install = "python3 -m venv .venv && .venv/bin/pip install -q"

    assert f"{install} . && .venv/bin/memory-skill demo" in lines
    assert f"{install} -e '.[test]' && .venv/bin/python -m pytest -q -n auto" in lines


def test_working_memory_in_the_format_is_read_and_written_alike() -> None:
    """The file that docs/format.md shows is read, and writing what it holds gives the same text."""
    text = fenced("docs/format.md", "markdown", 3)

    assert working.form(working.parse(text), "project:acme-billing") == text


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home whose memory is the demo's tree, and what the demo printed."""
    home = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-m", "memory_skill", "demo", "--into", str(home / ".memory-skill")],
        cwd=home, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return home, done.stdout


def missing(shown: str, printed: str) -> list[str]:
    """The parts of a transcript, cut at its `...` lines, that were not printed; numbers and hashes aside."""
    shown, printed = (re.sub(r"\b[0-9a-f]{10}\b|\d+", "#", text) for text in (shown, printed))
    return [part for part in shown.strip("\n").split("\n...\n") if part not in printed]


def test_transcript_in_the_readme_is_the_demo(demo: tuple[Path, str]) -> None:
    """What the README shows of the demo is what the demo prints."""
    assert missing(fenced("README.md", "console"), demo[1]) == []


def test_installation_in_the_readme_is_what_happens(home: Path) -> None:
    """What the README shows of `install` is what it says in a home that has both hosts."""
    for name in (".claude", ".kimi-code"):
        (home / name).mkdir()

    command, shown = fenced("README.md", "console", 1).split("\n...\n", 1)
    done = subprocess.run(
        [sys.executable, "-m", *command.removeprefix("$ ").replace("-", "_", 1).split()],
        cwd=home, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert missing(shown, done.stderr + done.stdout) == []


def test_review_in_the_readme_works(demo: tuple[Path, str]) -> None:
    """The review block of the README shows what is new, and nothing once it was marked as seen."""
    (block,) = re.findall(
        r"```sh\n(cd ~/\.memory-skill\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    environment = {**os.environ, "HOME": str(demo[0]), "GIT_PAGER": "cat"}

    first, again = (
        subprocess.run(
            ["bash", "-euc", block], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    )

    assert "+Money is Decimal, rounded half even; never floats." in first
    assert "save knowledge/feedback/prefers-tabs.md" in first
    assert "+Money" not in again


def test_links_between_documents_lead_somewhere() -> None:
    """A relative link in a document of the repository names a file that is there."""
    broken = []
    for document in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]*`", "", document.read_text(encoding="utf-8"))
        for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text):
            if not (document.parent / target).exists():
                broken.append(f"{document.name}: {target}")

    assert broken == []


RESULTS = {
    "save": results.Saved,
    "edit": results.Edited,
    "recall": results.Recalled,
    "forget": results.Forgotten,
    "undo": results.Undone,
    "status": results.Status,
    "context": results.Context,
    "settle": settle.Settled,
    "distil": distilling.Distilled,
    "import": results.Imported,
    "load-doc": loading.Loaded,
    "init": results.Initialised,
    "inbox": decisions.Decided,
    "review": changes.Reviewed,
    "feedback": feedback.Judged,
    "verdict": doubts.Verdict,
}


def section(verb: str) -> str:
    """What docs/cli.md says of one verb."""
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {verb}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("verb", RESULTS)
def test_json_keys_are_those_of_the_contract(verb: str) -> None:
    """The keys that docs/cli.md lists for a verb are the fields of its result, no more and no less."""
    documented = re.findall(r"^\| `(\w+)` \|", section(verb), re.MULTILINE)

    assert documented == [field.name for field in dataclasses.fields(RESULTS[verb])]


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("recall", [field.name for field in dataclasses.fields(results.Hit)]),
        ("list", [field.name for field in dataclasses.fields(results.Listed)]),
        ("log", list(history.Commit._fields)),
        ("blame and show", [field.name for field in dataclasses.fields(blame.Line)]),
        ("blame and show", [field.name for field in dataclasses.fields(blame.Difference)]),
        ("inbox", list(inbox.Item._fields)),
        ("The other verbs", list(journal.Turn._fields)),
        ("journal", list(said.Said._fields)),
    ],
)
def test_json_keys_of_a_list_are_those_of_the_contract(verb: str, fields: list[str]) -> None:
    """Each item of `hits`, `notes`, `commits` and `turns` has the keys that docs/cli.md names, in order."""
    lines = [re.findall(r"`(\w+)`", line) for line in section(verb).splitlines()]

    assert any(line[-len(fields) :] == fields for line in lines)


@pytest.mark.parametrize(
    "call",
    [
        "list",
        "log",
        "status",
        "context",
        "working read",
        "settle",
        "recall money",
        "index",
        "search-index verify",
        "search-index rebuild",
        "journal show",
        "init",
        "install --dry-run",
        "uninstall --dry-run",
        "doctor",
    ],
)
def test_json_that_is_printed_has_the_keys_of_the_contract(
    call: str, demo: tuple[Path, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a verb prints with --json is one object with the keys that docs/cli.md names for it."""
    monkeypatch.setenv("HOME", str(demo[0]))
    monkeypatch.chdir(demo[0])
    (demo[0] / ".claude").mkdir(exist_ok=True)  # `install` wants a host

    main([*call.split(), "--json"])

    printed = list(json.loads(capsys.readouterr().out))
    rest = next((line for line in section("The other verbs").splitlines() if f"`{call}` answers" in line), "")
    other = re.findall(rf"`{call}` answers `(\w+)`", rest)
    named = other or re.findall(r"^\| `(\w+)` \|", section(call.split()[0]), re.MULTILINE)
    assert sorted(printed) == sorted(["version", *named])


@pytest.mark.parametrize("error", [*errors.MemorySkillError.__subclasses__(), errors.PathRefused])
def test_exit_codes_are_those_of_the_contract(error: type[errors.MemorySkillError]) -> None:
    """Every expected error ends with an exit code that docs/cli.md explains."""
    explained = re.findall(r"^\| (\d+) \|", (ROOT / "docs/cli.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert str(error.exit) in explained


@pytest.mark.parametrize("verb", cli.list_commands(click.Context(cli)))
def test_every_verb_is_documented_and_has_an_example(verb: str) -> None:
    """Each verb stands in docs/cli.md, and its help ends in a call that can be copied."""
    text = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    command = cli.get_command(click.Context(cli), verb)

    assert re.search(rf"^## {verb}$|`{verb}\b|`memory-skill {verb}\b", text, re.MULTILINE)
    assert command
    assert f"Example: memory-skill {verb}" in (command.help or "")


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if calls(name)])
def test_every_command_shown_exists(name: str) -> None:
    """Each `memory-skill VERB --option` in a document or template is one that the command line accepts."""
    unknown = [f"{verb} {flag}" for verb, flags in calls(name) for flag in flags if flag not in options(verb)]

    assert [verb for verb, _ in calls(name) if not options(verb)] == []
    assert unknown == []


def test_calls_are_found_where_they_stand() -> None:
    """The search sees fences, spans, continued lines and templates; else the test above would be empty."""
    found = dict(calls("SKILL.md"))

    assert {"save", "edit", "recall", "forget", "undo", "list", "log", "status"} <= set(found)
    assert ("save", ["--type"]) in calls("templates/law.md")
    assert any("--how" in flags for verb, flags in calls("SKILL.md") if verb == "save")
    assert ("edit", ["--old", "--new"]) in calls("templates/brief.md")


def test_options_named_alone_belong_to_a_verb() -> None:
    """`--pin` in the running text of SKILL.md is an option of some verb."""
    text = re.sub(r"(?ms)^```.*?^```$", "", (ROOT / "SKILL.md").read_text(encoding="utf-8"))
    verbs = {verb for verb, _ in calls("SKILL.md")}
    known = set().union(*(options(verb) for verb in verbs))

    assert {flag for flag in re.findall(r"`(--[a-z-]+)[^`]*`", text) if flag not in known} == set()


def test_layers_in_agents_md_are_those_that_are_checked() -> None:
    """AGENTS.md names each module once, and its rows stand in the order of the contract in pyproject.toml."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["name"] == "layers")
    order = [name for layer in reversed(layers) for name in layer.split(" | ")]
    table = (
        (ROOT / "AGENTS.md")
        .read_text(encoding="utf-8")
        .partition("| layer | modules |")[2]
        .partition("\n\n")[0]
    )
    rows = [re.findall(r"`(\w+)`", row.split("|")[2]) for row in table.splitlines()[2:]]
    modules = [item.name for item in pkgutil.iter_modules([str(ROOT / "memory_skill")])]

    assert sorted(name for row in rows for name in row) == sorted(modules)
    places = [[order.index(name) for name in row if name in order] for row in rows]
    assert all(max(upper) < min(lower) for upper, lower in pairwise(places))
