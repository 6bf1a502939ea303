"""Records `examples/session.jsonl`: a working session in the real Claude Code, with a scripted model.

    python -m tests.hosts.record_session

What Ada types, what the model answers and which tools it calls is written here; the transcript is the
client's. Left out are the lines in which the client keeps its own prompts, and the paths of this machine.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.hosts.claude import Claude
from tests.hosts.machine import Machine
from tests.hosts.model import Model, Reply, call

TARGET = Path(__file__).parents[2] / "examples" / "session.jsonl"
KEPT = {"user", "assistant", "system", "last-prompt", "mode", "permission-mode", "queue-operation"}
"""Types of lines that tell the session; the others are the client's prompts and its book-keeping."""

README = """\
# billing

Invoices and payments. `python3 -m unittest` runs the tests.
"""
INVOICE = '''\
"""Due dates of invoices."""

import datetime


def due(days=30, today=None):
	today = today or datetime.date.today()
	return today + datetime.timedelta(days=days)
'''
TEST = """\
import datetime
import unittest

from invoice import due


class DueTest(unittest.TestCase):
	def test_due_is_thirty_days_after_the_utc_date(self):
		utc = datetime.datetime.now(datetime.timezone.utc).date()
		self.assertEqual(due(), utc + datetime.timedelta(days=30))


if __name__ == "__main__":
	unittest.main()
"""
FLOAT = '''\
"""Amounts of money."""


def to_cents(amount):
	return round(amount, 2)
'''
DECIMAL = """\
from decimal import ROUND_HALF_EVEN, Decimal


def to_cents(amount: Decimal) -> Decimal:
	return amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)
"""


def session(home: Path) -> Iterator[tuple[str, tuple[Reply | str, ...]]]:
    """What Ada says, turn by turn, and what the model does about it."""
    project = home / "billing"
    yield (
        "Hi, I'm Ada. I look after this billing service, mostly alone. What is in here?",
        (
            call("Bash", command="ls && cat README.md", description="Look around"),
            "Hello Ada. A small service: `invoice.py` works out due dates, `test_invoice.py` tests it.",
        ),
    )
    yield (
        "Before we start: please indent with tabs, in every language. "
        "My screen reader announces tabs as levels.",
        ("Tabs everywhere, then. The files here already use them, so nothing needs to change.",),
    )
    yield (
        "Add a money.py with a function that rounds an amount to cents.",
        (
            call("Write", file_path=f"{project}/money.py", content=FLOAT),
            "Done: `money.py` has `to_cents(amount)`, indented with tabs.",
        ),
    )
    yield (
        "No, never floats for money. Always Decimal and round half even, the auditors check exactly that.",
        (
            call(
                "Edit",
                file_path=f"{project}/money.py",
                old_string=FLOAT.split("\n\n\n")[1],
                new_string=DECIMAL,
            ),
            "You are right. `to_cents` now takes a `Decimal` and rounds half even.",
        ),
    )
    yield (
        "Run the tests, please.",
        (
            call(
                "Bash", command="TZ=Pacific/Auckland python3 -m unittest 2>&1 | tail -9", description="Test"
            ),
            "One of one fails: I used your CI's time zone, Auckland, and the due date is a day late there.",
        ),
    )
    yield (
        "That one bit us in August: the due date test fails in CI before lunch and passes after it. "
        "It took two days to see that date.today() is local while invoices are dated in UTC.",
        (
            call("Read", file_path=f"{project}/invoice.py"),
            call(
                "Edit",
                file_path=f"{project}/invoice.py",
                old_string="datetime.date.today()",
                new_string="datetime.datetime.now(datetime.timezone.utc).date()",
            ),
            "Fixed at the root: `due` starts from the UTC date, so the hour of the run no longer matters.",
        ),
    )
    yield (
        "One decision from this morning's meeting: invoice numbers are per year and without gaps, "
        "so they come from a database sequence, never from the application. "
        "It has to be live by 15 January 2027.",
        ("Noted: numbers per year, no gaps, from a database sequence, live by 15 January 2027.",),
    )
    yield (
        "The runbook for failed payments is https://wiki.example.com/billing/failed-payments by the way.",
        ("Thanks, that is where I would look first when a payment fails.",),
    )
    yield (
        "How do I see which files changed since yesterday?",
        ("`git log --since=yesterday --name-only --format=` lists them, once per commit.",),
    )
    yield (
        "Does anything else here use floats?",
        (
            call("Grep", pattern="float|round\\(", path=str(project), output_mode="content"),
            "No. The only rounding is `to_cents`, and that is `Decimal` now.",
        ),
    )
    yield (
        "Write me a commit message for today.",
        (
            "    money: round amounts as Decimal, half even\n\n"
            "    invoice: count due dates from the UTC date\n\n"
            "Those are two commits, since they are two ideas.",
        ),
    )
    yield (
        "Perfekt, danke! Tomorrow the sequence.",
        ("Bis morgen, Ada.",),
    )


def prepare(machine: Machine) -> Path:
    """Ada's project as she finds it in the morning."""
    project = machine.home / "billing"
    project.mkdir()
    for name, text in {"README.md": README, "invoice.py": INVOICE, "test_invoice.py": TEST}.items():
        (project / name).write_text(text, encoding="utf-8")
    machine.run("git", "init", "-q", "-b", "main", cwd=project)
    return project


def play(machine: Machine) -> Path:
    """Type the session into the client; return the transcript that it wrote."""
    project = prepare(machine)
    options = ("--permission-mode", "acceptEdits", "--allowedTools", "Bash", "Grep")
    with Model() as model, Claude(machine, model).screen(project, options) as screen:
        for prompt, replies in session(machine.home):
            model.script(*replies)
            screen.say(prompt)
    (transcript,) = machine.home.glob(".claude/projects/*/*.jsonl")
    return transcript


def trim(transcript: Path, home: Path) -> Iterator[str]:
    """The lines worth keeping, as if written on Ada's machine."""
    slug = "".join(c if c.isalnum() else "-" for c in str(home))
    for line in transcript.read_text(encoding="utf-8").splitlines():
        if json.loads(line)["type"] in KEPT:
            yield line.replace(str(home), "/home/ada").replace(slug, "-home-ada") + "\n"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        try:
            TARGET.write_text("".join(trim(play(machine), machine.home)), encoding="utf-8")
        finally:
            machine.end()
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
