"""The tasks that recall is measured on, in one shape: units, questions, and which units answer them.

memset and the prompts are ours and lie in `data/`. LoCoMo and XQuAD are read by a path and never copied here
(their licences); a task whose file is absent is skipped, and the report says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OWN = Path(__file__).parent / "data" / "memset"
MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
LOCOMO_DEV = ("conv-26", "conv-30", "conv-41")  # tuned on; the other seven are for measuring
LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
NO_ANSWER = ("no-answer", "chatter", "general", "near-miss")


@dataclass(frozen=True)
class Unit:
    """What can be recalled. *session*, *speaker* are of turns; *date* is ISO, *said* as the data has it."""

    id: str
    body: str
    title: str = ""
    description: str = ""
    type: str = "reference"
    date: str = ""
    session: str = ""
    speaker: str = ""
    said: str = ""


@dataclass(frozen=True)
class Asked:
    """A question; *gold*: ids of the units that answer it, none for a question without an answer."""

    text: str
    gold: frozenset[str]
    kind: str
    split: str = "test"


@dataclass
class Corpus:
    """One tree, or one conversation, with the questions that are asked of it."""

    name: str
    units: list[Unit]
    asked: list[Asked]


@dataclass
class Task:
    name: str
    corpora: list[Corpus] = field(default_factory=list)
    turns: bool = False


def load(name: str, data: Path) -> Task:
    """The task *name*. Raises FileNotFoundError with the path that is missing."""
    if name == "memset":
        return Task(name, [memset()])
    if name == "memset+10k":
        from .generate import distractors

        corpus = memset()
        return Task(name, [Corpus("memset", corpus.units + distractors(10_000), corpus.asked)])
    if name == "slots-10k":
        from .generate import slots

        return Task(name, [slots(10_000)])
    if name == "conflicts":
        return Task(name, [conflicts()])
    if name in ("locomo-facts", "locomo-turns"):
        return Task(name, list(locomo(data / "locomo10.json", name)), turns=name == "locomo-turns")
    language = name.removeprefix("xquad-")
    return Task(name, [xquad(data / f"xquad.{language}.json", language)])


TASKS = (
    "memset", "memset+10k", "slots-10k", "conflicts", "locomo-facts", "locomo-turns",
    "xquad-en", "xquad-de", "xquad-zh",
)  # fmt: skip


def files_of(name: str, data: Path) -> list[Path]:
    """What a task is made of, for the hashes in the report."""
    if name.startswith("locomo"):
        return [data / "locomo10.json"]
    if name.startswith("xquad"):
        return [data / f"xquad.{name.removeprefix('xquad-')}.json"]
    if name == "conflicts":
        return [OWN / "conflicts.jsonl"]
    return [OWN / "memories.jsonl", OWN / "queries.jsonl", OWN / "prompts.jsonl"]


def fingerprint(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def memset() -> Corpus:
    """210 notes of a developer, questions in English, German and Chinese, prompts without an answer."""
    units = [
        Unit(m["id"], m["body"], m["title"], m["description"], m["type"], m["date"])
        for m in _lines(OWN / "memories.jsonl")
    ]
    asked = [
        Asked(q["text"], frozenset(q["gold"]), q["cat"], q["split"])
        for file in ("queries.jsonl", "prompts.jsonl")
        for q in _lines(OWN / file)
    ]
    return Corpus("memset", units, asked)


def own() -> list[Asked]:
    """More questions and near misses about memset's notes, in six languages: for fitting, never a result."""
    return [Asked(q["text"], frozenset(q["gold"]), q["cat"], q["split"]) for q in _lines(OWN / "own.jsonl")]


def conflicts() -> Corpus:
    """memset with pairs of notes that differ in one value; of each pair the newer is right."""
    corpus = memset()
    units, asked = list(corpus.units), []
    for number, pair in enumerate(_lines(OWN / "conflicts.jsonl")):
        # Ids that sort either way, so that no order by name helps.
        old, new = (f"c{number}-a", f"c{number}-b") if number % 2 else (f"c{number}-b", f"c{number}-a")
        units.append(
            Unit(old, pair["old"][1], pair["old"][0], "", "project", f"2025-{number % 12 + 1:02d}-10")
        )
        units.append(
            Unit(new, pair["new"][1], pair["new"][0], "", "project", f"2026-{number % 11 + 1:02d}-10")
        )
        asked.append(Asked(pair["query"], frozenset([new]), old))
    return Corpus("conflicts", units, asked)


def locomo(path: Path, name: str) -> Iterator[Corpus]:
    """Ten long conversations: their turns, or the facts that were drawn from them."""
    for sample in json.loads(path.read_text(encoding="utf-8")):
        turns = list(_turns(sample["conversation"]))
        known = {turn.id for turn in turns}
        units = turns if name == "locomo-turns" else list(_facts(sample, known))
        asked = list(_locomo_asked(sample, units, known, name))
        yield Corpus(sample["sample_id"], units, asked)


def _turns(conversation: dict[str, Any]) -> Iterator[Unit]:
    numbers = sorted(int(key.split("_")[1]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        said = conversation.get(f"session_{number}_date_time", "")
        for turn in conversation[f"session_{number}"]:
            caption = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield Unit(
                turn["dia_id"], turn["text"] + caption, date=_iso(said), said=said,
                session=f"S{number}", speaker=turn["speaker"],
            )  # fmt: skip


def _facts(sample: dict[str, Any], known: set[str]) -> Iterator[Unit]:
    count = 0
    for number in range(1, 60):
        by_speaker = sample["observation"].get(f"session_{number}_observation", {})
        date = _iso(sample["conversation"].get(f"session_{number}_date_time", ""))
        for facts in by_speaker.values():
            for fact, where in facts:
                turns = _evidence(where if isinstance(where, list) else [where], known)
                yield Unit(f"O{count}", fact, date=date, session=",".join(turns))
                count += 1


def _locomo_asked(sample: dict[str, Any], units: list[Unit], known: set[str], name: str) -> Iterator[Asked]:
    split = "dev" if sample["sample_id"] in LOCOMO_DEV else "test"
    for item in sample["qa"]:
        gold = frozenset(_evidence(item["evidence"], known))
        if name == "locomo-facts":
            gold = frozenset(unit.id for unit in units if gold & set(unit.session.split(",")))
        if gold:
            yield Asked(item["question"], gold, LOCOMO_KINDS[item["category"]], split)


def _evidence(raw: list[Any], known: set[str]) -> list[str]:
    """Evidence holds slips of the pen ("D:11:26", "D9:1 D4:4"); what resolves is kept."""
    found = [f"D{a}:{b}" for item in raw for a, b in re.findall(r"D:?(\d+):0*(\d+)", str(item))]
    return [ref for ref in found if ref in known]


def _iso(said: str) -> str:
    match = re.search(r"(\d+) (\w+), (\d{4})", said)
    return f"{match[3]}-{MONTHS.index(match[2]) + 1:02d}-{int(match[1]):02d}" if match else ""


_ENDS = {
    "en": re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(0-9])"),
    "de": re.compile(r"(?<=[.!?])\s+(?=[A-ZÄÖÜ\"„(0-9])"),
    "zh": re.compile(r"(?<=[。！？])"),
}


def xquad(path: Path, language: str) -> Corpus:
    """Sentences of encyclopedia paragraphs; the one that holds the answer is gold."""
    units: list[Unit] = []
    asked: list[Asked] = []
    for a, article in enumerate(json.loads(path.read_text(encoding="utf-8"))["data"]):
        for p, paragraph in enumerate(article["paragraphs"]):
            spans = list(_sentences(paragraph["context"], _ENDS[language], f"{a}.{p}"))
            units += [Unit(name, text.strip()) for _, _, name, text in spans]
            for question in paragraph["qas"]:
                at = question["answers"][0]["answer_start"]
                gold = frozenset(name for low, high, name, _ in spans if low <= at < high)
                if gold:
                    asked.append(Asked(question["question"], gold, language))
    return Corpus(language, units, asked)


def _sentences(text: str, ends: re.Pattern[str], prefix: str) -> Iterator[tuple[int, int, str, str]]:
    at = 0
    for number, sentence in enumerate(s for s in ends.split(text) if s.strip()):
        low = text.index(sentence, at)
        at = low + len(sentence)
        yield low, at, f"{prefix}.{number}", sentence


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
