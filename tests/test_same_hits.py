"""The prompt hook and the command line give the same hits, over a real tree in a monorepo."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_skill import Memory
from memory_skill.hosts.base import registered

from .trees import project

NOTES = [
    ("global", "feedback", "Ada indents with tabs, in every language, also in YAML examples."),
    ("global", "user", "Ada lives in Lisbon and answers mails after ten in the morning."),
    ("project:acme-billing", "project", "Invoices are numbered by the ledger service, never by the web app."),
    (
        "project:acme-billing",
        "lesson",
        "The invoice parser retries forever when the ledger says 409.",
    ),
    ("project:acme-mono", "reference", "Staging runs behind port 8443 and is deployed by the release train."),
    ("project:acme-mono", "project", "The release train leaves on Tuesdays; invoices are frozen on Mondays."),
    ("project:acme-web", "reference", "The web app's invoice page is cached for an hour by the edge proxy."),
]
LONG = [f"Paragraph {n} of the deployment guide: {'step by step ' * 9}" for n in range(12)]
NOTES += [("global", "reference", "\n\n".join([*LONG, "Rollback: call the pager, then run undeploy."]))]
PROMPTS = [
    "What does the deployment guide say about rollback and undeploy?",
    "How are invoices numbered, and by which service?",
    "Which port does staging use?",
    "Why does the invoice parser retry forever?",
    "When does the release train leave?",
    "Does Ada want tabs or blanks for indenting?",
    "Wann fährt der release train, und welcher Port gilt für staging?",
    "Describe the ledger, the parser, the release train and staging with all that is known about invoices",
    "ok, thanks, go on",
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """The folder of a nested repository, and the environment of a home that remembers NOTES."""
    home = tmp_path_factory.mktemp("home")
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    mono = project(home / "mono", "git@github.com:acme/mono.git")
    billing = project(mono / "billing", "git@github.com:acme/billing.git")
    memory = Memory.open(home / ".memory-skill", env=env, cwd=billing)
    memory.init()
    keys = ("name", "description", "scope", "type", "body")
    told = [(f"n{n}", note[2].splitlines()[0][:40], *note) for n, note in enumerate(NOTES)]
    lines = [json.dumps(dict(zip(keys, values, strict=True))) for values in told]
    (home / "notes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    memory.import_file(home / "notes.jsonl")
    (memory.tree.home / "knowledge" / "user" / "late.md").write_text("Ada's staging badge is blue.\n")
    yield billing, env


def run(argv: list[str], stdin: str, place: tuple[Path, dict[str, str]]) -> str:
    folder, env = place
    return subprocess.run(
        argv, input=stdin, env=env, cwd=folder, capture_output=True, check=True, encoding="utf-8"
    ).stdout


def from_hook(prompt: str, session: str, place: tuple[Path, dict[str, str]]) -> list[tuple[str, str]]:
    """Address and text of each entry that the prompt hook of a new session injects, in order."""
    payload = {
        "session_id": session, "prompt_id": "p", "transcript_path": "/none", "cwd": str(place[0]),
        "hook_event_name": "UserPromptSubmit", "prompt": prompt,
    }  # fmt: skip
    said = run(registered(sys.executable, "claude-code", "prompt"), json.dumps(payload), place)
    text = json.loads(said)["hookSpecificOutput"]["additionalContext"] if said else ""
    entries = re.findall(
        r"^## (\S+) \([^\n]*\n(.*?)(?=\n\n## |\n\n\S+ is superseded|\n\nAlso about this|\n</memory)",
        text,
        re.M | re.S,
    )
    return [(address, body.strip()) for address, body in entries]


def from_command(prompt: str, place: tuple[Path, dict[str, str]]) -> list[tuple[str, str]]:
    argv = [sys.executable, "-m", "memory_skill", "recall", prompt, "--max-chars", "1500", "--json"]
    hits = json.loads(run(argv, "", place))["hits"]
    return [(hit["address"], hit["text"].strip()) for hit in hits]


@pytest.mark.parametrize("number", range(len(PROMPTS)))
def test_prompt_hook_and_command_line_give_the_same_hits(
    number: int, place: tuple[Path, dict[str, str]]
) -> None:
    """Same addresses, order and text: also for a file that nobody settled, and for notes of the monorepo."""
    injected = from_hook(PROMPTS[number], f"s{number}", place)

    assert injected == from_command(PROMPTS[number], place)
    assert bool(injected) == (number < len(PROMPTS) - 1)


def test_notes_of_the_monorepo_are_recalled_in_a_project_of_it(place: tuple[Path, dict[str, str]]) -> None:
    """The project at hand, and the one around it; not its neighbour."""
    scopes = {
        address.split("/")[2]
        for prompt in PROMPTS
        for address, _ in from_command(prompt, place)
        if "/projects/" in address
    }

    assert scopes == {"acme-billing", "acme-mono"}
