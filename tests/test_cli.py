"""The command line: result on stdout, talk on stderr, one error line, one hint, the exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_skill.cli import VERBS, cli, main
from memory_skill.memory import Memory

Run = subprocess.CompletedProcess[str]


def run(*words: str, cwd: Path, stdin: str = "", **env: str) -> Run:
    """One real process of the command line."""
    return subprocess.run(
        [sys.executable, "-m", "memory_skill", *words],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **env},
        check=False,
    )


@pytest.fixture
def work(home: Path) -> Path:
    """A project folder of a user whose tree is there."""
    Memory.open().init()
    folder = home / "billing"
    folder.mkdir()
    return folder


def test_a_first_hour_reads_as_the_manual_says(work: Path) -> None:
    """Save, edit, recall, forget, undo: each says in one sentence what it did, on stdout."""
    saved = run(
        "save", "Run ruff before each commit", "--type", "feedback", "--why", "CI", "--how", "x", cwd=work
    )
    edited = run("edit", "knowledge/user.md", "--old", "", "--new", "Name: Ada", cwd=work)
    recalled = run("recall", "what to run before a commit?", cwd=work)
    gone = run("forget", "run-ruff-before-each-commit", cwd=work)
    undone = run("undo", cwd=work)

    assert saved.stdout.startswith(
        "Saved knowledge/feedback/run-ruff-before-each-commit.md (scope global, commit "
    )
    assert edited.stdout.startswith("Created knowledge/user.md (commit ")
    assert "Run ruff before each commit" in recalled.stdout
    assert recalled.stderr == "Found 1 entry.\n"
    assert gone.stdout.startswith("Forgot knowledge/feedback/run-ruff-before-each-commit.md")
    assert undone.stdout.startswith("Undid ")
    assert "Run ruff" in run("recall", "ruff before a commit", cwd=work).stdout


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (["save", "x", "--type", "mood"], 2, "usage"),
        (["save", "Ada likes tabs"], 2, "usage"),
        (["save", "x", "--type", "user", "--scope", "planet"], 2, "usage"),
        (["save", "x", "--type", "user", "--source", "rumour"], 2, "usage"),
        (["save", "x" * 30_000, "--type", "user"], 5, None),
        (["save", "   ", "--type", "user"], 5, None),
        (["save", "x", "--type", "user", "--to", "../out.md"], 5, "path"),
        (["save", "x", "--type", "user", "--to", "/etc/passwd.md"], 5, "path"),
        (["save", "x", "--type", "user", "--to", "knowledge/.git/x.md"], 5, "path"),
        (["edit", "MEMORY.md", "--old", "", "--new", "x"], 5, "path"),
        (["edit", "knowledge/none.md", "--old", "a", "--new", "b"], 3, "not_found"),
        (["edit", "knowledge/user.md", "--old", "Bob", "--new", "b"], 4, "no_match"),
        (["edit", "knowledge/user.md", "--old", "a", "--new", "b"], 4, "several_matches"),
        (["forget", "nothing of that kind"], 3, None),
        (["undo", "deadbeef"], 3, "not_found"),
        (["list", "--type", "mood"], 2, "usage"),
        (["frobnicate"], 2, "usage"),
        (["recall"], 2, "usage"),
        (["import", "nowhere.jsonl"], 3, "not_found"),
    ],
)
def test_bad_input_gets_its_code_a_line_and_a_hint(
    work: Path, words: list[str], code: int, kind: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each mistake ends with the documented exit code, one error line and one hint, and changes no byte."""
    memory = Memory.open(cwd=work)
    memory.edit("knowledge/user.md", "", "Name: Ada, data engineer")
    before = memory.log()

    assert main(words) == code
    said = capsys.readouterr()
    assert sum(line.startswith("error: ") for line in said.err.splitlines()) == 1
    assert sum(line.startswith("hint: ") for line in said.err.splitlines()) == 1

    main([*words, "--json"])
    if kind:
        error = json.loads(capsys.readouterr().out)["error"]
        assert error["code"] == kind
        assert error["what"]
        assert error["hint"]
    assert Memory.open(cwd=work).log() == before


def test_without_a_tree_every_verb_names_the_way_to_one(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before `init`, reading and writing verbs alike end with 3 and the hint to make a tree."""
    for words in (
        ["save", "x y z", "--type", "user"],
        ["recall", "x"],
        ["list"],
        ["log"],
        ["status"],
        ["settle"],
    ):
        assert main(words) == 3, words
        assert "hint: memory-skill init" in capsys.readouterr().err


def test_an_unknown_config_key_is_named_with_what_there_is(work: Path, home: Path) -> None:
    """A typo in config.toml stops a verb with the key, the file and the known keys."""
    config = home / ".memory-skill" / "config.toml"
    config.write_text("format = 1\n[distil]\nevery_turn = 3\n", encoding="utf-8")

    done = run("list", cwd=work)

    assert done.returncode == 2
    assert f"error: {config}: distil.every_turn: no such key" in done.stderr
    assert "distil.every_turns" in done.stderr


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (
            ["save", "Ada likes tea", "--type", "user"],
            ["address", "scope", "outcome", "rule", "hint", "inbox", "commit"],
        ),
        (["edit", "knowledge/user.md", "--old", "", "--new", "x y"], ["address", "outcome", "commit"]),
        (["recall", "tea"], ["outcome", "reason", "hits", "omitted"]),
        (["forget", "nothing"], ["outcome", "addresses", "commit"]),
        (["undo"], ["commits", "kept"]),
        (["list"], ["notes"]),
        (["log"], ["commits"]),
        (["status"], ["notes", "index", "inbox", "waiting_turns", "heartbeats"]),
        (["settle"], ["changed", "filed", "held", "commits"]),
        (["context"], ["scope", "text"]),
    ],
)
def test_json_is_one_object_with_its_version(
    work: Path, words: list[str], keys: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--json` prints one object that holds the version and every documented key."""
    memory = Memory.open(cwd=work)
    memory.edit("knowledge/user.md", "", "Name: Ada")
    memory.edit("knowledge/user.md", "", "Drink: tea")

    main([*words, "--json"])

    found = json.loads(capsys.readouterr().out)
    assert found["version"] == 1
    assert set(keys) <= set(found)


def test_every_verb_has_help_with_an_example(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`memory-skill VERB --help` says what the verb does and shows a command to copy."""
    for verb in VERBS:
        main([verb, "--help"])
        page = capsys.readouterr().out
        assert f"memory-skill {verb}" in page.split("Example:")[1], verb


def test_the_help_page_groups_the_verbs(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first page lists every verb under Everyday, Set-up or Plumbing."""
    main(["--help"])

    page = capsys.readouterr().out
    places = [
        page.index(word) for word in ("Everyday:", "  save ", "Set-up:", "  init ", "Plumbing:", "  settle ")
    ]
    assert places == sorted(places)
    assert all(verb in page for verb in VERBS)


def test_a_near_miss_of_a_verb_is_guessed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A typo in the verb names the one that was meant."""
    assert main(["reccall", "x"]) == 2
    assert "hint: did you mean: memory-skill recall" in capsys.readouterr().err


def test_a_whole_note_is_read_from_stdin(work: Path) -> None:
    """`save -` takes a note with its header, and keeps name, description and type."""
    raw = '---\nname: tea\ndescription: "Ada drinks tea"\nmetadata:\n  type: user\n---\nGreen, no milk.\n'

    done = run("save", "-", cwd=work, stdin=raw)

    assert done.stdout.startswith("Saved knowledge/user/tea.md (scope global")


def test_notes_show_harmlessly_on_a_terminal(work: Path) -> None:
    """Escape sequences in a note never reach the screen."""
    Memory.open().edit("knowledge/user.md", "", "Name: Ada \x1b]0;owned\x07\x1b[31mred")

    done = run("recall", "Name Ada", cwd=work)

    assert "Ada" in done.stdout
    assert "\x1b" not in done.stdout + done.stderr


def test_a_console_that_knows_no_unicode_is_no_trouble(work: Path) -> None:
    """On a C locale an emoji in a note is printed, not a traceback."""
    Memory.open().edit("knowledge/user.md", "", "Mood: 🙂 日本語")

    done = run("recall", "mood", cwd=work, PYTHONIOENCODING="cp1252", PYTHONUTF8="0", LC_ALL="C")

    assert done.returncode == 0
    assert "日本語" in done.stdout


def test_a_fault_of_ours_is_reported_not_thrown(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bug ends with 70, one line, and the traceback in a file."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Memory, "list", broken)

    assert main(["list"]) == 70
    said = capsys.readouterr().err
    assert "Traceback" not in said
    report = Path(said.split("the report is in ")[1].strip())
    assert "ZeroDivisionError: oops" in report.read_text(encoding="utf-8")


def test_the_group_is_what_the_docs_describe() -> None:
    """The click group lists exactly the verbs that the table names."""
    import click

    assert cli.list_commands(click.Context(cli)) == list(VERBS)
