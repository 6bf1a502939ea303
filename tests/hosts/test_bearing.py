"""What the hosts must bear: a full tree, several sessions at once, a memory that is gone."""

from __future__ import annotations

import json
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.conftest import Host
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Reply, Request
from tests.hosts.script import LAW, shell

PROMPT_CHARS = 1500  # of one prompt block, which Kimi Code shows to the user


TOPICS = ("kettles", "invoices", "lighthouses", "carpets", "violins", "bridges", "harbours", "gardens")


def fill(machine: Machine, scope: str) -> None:
    """Many notes, half of them global and half of one project, and pinned ones; more than any host takes."""
    lines = [
        {
            "name": f"note-{n}",
            "description": f"Part {n} about {TOPICS[n % 8]}: " + "what we found out and keep in mind " * 3,
            "type": "lesson",
            "scope": scope if n % 2 else "global",
            "body": f"Finding {n}. " + f"The {TOPICS[n % 8]} of town {n} need care in winter. " * 20,
        }
        for n in range(400)
    ]
    path = machine.root / "notes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    machine.memory("import", str(path))
    for n in range(4):
        text = f"Pinned {n}. " + "Answer in whole sentences. " * 40
        machine.memory("save", text, "--type", "user", "--name", f"pin{n}", "--pin")


def test_full_tree_stays_within_the_hosts_limits(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """No block is cut or sent to a file by the host: the law and the index arrive whole."""
    machine.memory("install", "--yes")
    slug = machine.report(
        "save", "The sequence of the invoice numbers is called marigold.", "--type", "project", cwd=project
    )["scope"]
    fill(machine, slug)

    host.say("Which sequence do the invoice numbers come from?", cwd=project)

    said = model.last.said
    assert said.count(LAW) == 1
    assert "persisted-output" not in said
    assert "WARNING: MEMORY.md" not in said
    assert re.search(r"shown \d+ of \d+", said, re.IGNORECASE)
    assert "is called marigold" in model.last.fresh
    blocks = re.findall(r"<hook_result.*?>\n(.*?)\n</hook_result>", said, re.DOTALL)
    assert [len(block) for block in blocks if len(block) > PROMPT_CHARS] == []


def test_sessions_at_the_same_time_lose_nothing(
    claude: Claude, kimi: Kimi, machine: Machine, model: Model, project: Path
) -> None:
    """Two sessions of each host save into one tree at once: every note is indexed and committed, once."""
    machine.memory("install", "--yes")
    names = [f"parallel-{n}" for n in range(4)]

    def line(request: Request) -> Reply | str:
        name = re.findall(r"Remember (parallel-\d)", request.said)[-1]
        if f"{name}.md" in request.fresh:
            return "Saved."
        return shell("save", f"The fact of {name}.", "--type", "user", "--name", name)(request)

    model.script(*[line] * 8)
    hosts: tuple[Host, ...] = (claude, kimi, claude, kimi)

    def remember(host: Host, name: str) -> str:
        return host.say(f"Remember {name}.", cwd=project).text

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(remember, hosts, names)) == ["Saved."] * 4

    for name in names:
        assert machine.index.count(f"(knowledge/user/{name}.md)") == 1
        assert machine.git("log", "--format=%s", "--", machine.note(name)).count("save") == 1
    assert machine.git("status", "--porcelain") == ""
    machine.git("fsck", "--strict")


def test_host_goes_on_when_the_tree_is_gone(
    host: Host, machine: Machine, model: Model, project: Path
) -> None:
    """The user deleted the memory by hand: nothing is said, nothing is made anew."""
    machine.memory("install", "--yes")
    shutil.rmtree(machine.tree)
    model.script("Six.", "NOT ASKED FOR")

    answer = host.say("What is three and three?", cwd=project)

    assert answer.text == "Six."
    assert answer.stderr == ""
    assert LAW not in model.last.said or host.name == "kimi-code"  # there the law lies in the plugin
    assert not (machine.tree / "MEMORY.md").exists()
