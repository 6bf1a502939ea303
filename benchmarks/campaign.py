"""The proof that a save is never lost: one campaign of faults, its counts, and the same as JSON.

    python -m benchmarks.campaign NAME [--full] [--seed N] [--out FILE]

NAME is one of those in CAMPAIGNS below, or `all`. Without --full the size is that of CI. Every tree lies in a
scratch folder; the first thing that does not hold ends the campaign with its description. The tests of
`tests/faults` run the same code.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks import mutants
from tests.faults import (
    derived,
    endurance,
    formats,
    gitkills,
    heavy,
    injected,
    kills,
    logs,
    machine,
    names,
    payloads,
    power,
    writers,
)
from tests.faults.trees import BY_NAME, copied, template

Counts = dict[str, Any]
RESULTS = Path(__file__).parent / "results"


class Place:
    """A scratch folder with the tree that every fault starts from; *full* is the size, *seed* the chance."""

    def __init__(self, folder: Path, full: bool, seed: int, module: str = "") -> None:
        self.folder, self.full, self.seed, self.module = folder, full, seed, module
        self.source = template(folder / "template" / "memory")

    def fresh(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.folder))


def run_kills(place: Place) -> Counts:
    done = list(kills.campaign(place.source, place.fresh(), tuple(BY_NAME), None if place.full else 28))
    return _killed(done)


def run_git_kills(place: Place) -> Counts:
    times = 300 if place.full else 20
    return _killed(list(kills.git_campaign(place.source, place.fresh(), place.seed, times)))


def run_git_calls(place: Place) -> Counts:
    assert gitkills.is_possible(), "needs strace"
    names, most = (("new", "edit", "forget", "settle", "undo"), None) if place.full else (("new",), 12)
    return _killed(list(gitkills.campaign(place.source, place.fresh(), names, most)))


def _killed(done: list[kills.Killed]) -> Counts:
    slowest = max((found.seconds for found in done), default=0.0)
    by_name = {name: sum(found.operation == name for found in done) for name in {f.operation for f in done}}
    return {"points": len(done), "slowest_recovery_s": round(slowest, 2), "by_operation": by_name}


def run_random_kills(place: Place) -> Counts:
    found = kills.random_campaign(place.fresh(), place.seed, 2000 if place.full else 60)
    return found._asdict()


def run_power(place: Place) -> Counts:
    each = 460 if place.full else 46
    done = list(power.campaign(place.source, place.fresh(), tuple(BY_NAME), place.seed, each))
    return {"states": len(done), "acknowledged": sum(state.acknowledged for state in done)}


def run_injected(place: Place) -> Counts:
    most = 60 if place.full else 12
    done = list(injected.campaign(place.source, place.fresh(), tuple(BY_NAME), place.seed, most))
    codes = {code: sum(found.code == code for found in done) for code in injected.CODES}
    return {"faults": len(done), "done_all_the_same": sum(f.said == "done" for f in done), "by_code": codes}


def run_writers(place: Place) -> Counts:
    size = (16, 100, 20) if place.full else (8, 25, 2)
    edits = 200 if place.full else 20
    found = [
        writers.contest(place.fresh() / "memory", size[0], size[1], place.seed + n, edits)
        for n in range(size[2])
    ]
    worst = max(one.p99 / (size[0] * one.lone) for one in found)
    return {
        "writers": size[0],
        "seeds": size[2],
        "saves": sum(one.saves for one in found),
        "edits_by_hand": sum(one.edits for one in found),
        "index_samples": sum(one.samples for one in found),
        "lone_ms": [round(one.lone * 1000) for one in found],
        "p50_ms": [round(one.p50 * 1000) for one in found],
        "p99_ms": [round(one.p99 * 1000) for one in found],
        "worst_p99_over_writers_times_lone": round(worst, 2),
    }


def run_derived(place: Place) -> Counts:
    times, queries = (200, 100) if place.full else (48, 10)
    done = list(derived.campaign(place.source, place.fresh(), place.seed, times, queries))
    return {"damages": len(done), "queries": queries, "said_degraded": sum(found.warned for found in done)}


def run_formats(place: Place) -> Counts:
    return formats.campaign(place.seed, 100_000 if place.full else 10_000)._asdict()


def run_heavy(place: Place) -> Counts:
    done = heavy.campaign(place.seed, None if place.full else 30)
    slowest, hungriest = max(done, key=lambda one: one.seconds), max(done, key=lambda one: one.mb)
    assert slowest.seconds <= heavy.MAX_SECONDS, slowest
    assert hungriest.mb <= heavy.MAX_MB, hungriest
    most = {"slowest_s": slowest.seconds, "most_mb": hungriest.mb}
    return {"inputs": len(done), **most, "slowest": slowest.name, "hungriest": hungriest.name}


def run_names(place: Place) -> Counts:
    tried = list(names.campaign(copied(place.source, place.fresh() / "memory")))
    times = 1000 if place.full else 300
    refused = names.races(copied(place.source, place.fresh() / "memory"), times)
    return {"names_times_entrances": len(tried), "swap_races": times, "refused_in_races": refused}


def run_machine(place: Place) -> Counts:
    runs, steps = (2000, 50) if place.full else (200, 30)
    machine.play(place.source, place.fresh(), runs, steps)
    return {"runs": runs, "steps": steps, "differences": 0}


def run_payloads(place: Place) -> Counts:
    times, processes = (10_000, 400) if place.full else (1000, 12)
    found = payloads.campaign(place.source, place.fresh(), place.seed, times, processes)
    return {
        "payloads": sum(one.payloads for one in found.values()),
        "real_processes": processes,
        "wanted_blocks": sum(one.held for one in found.values()),
        "answers": sum(one.answered for one in found.values()),
        "slowest_s": max(one.slowest_s for one in found.values()),
        "most_memory_mb": max(one.memory_mb for one in found.values()),
        "by_locale": {locale: one.payloads for locale, one in found.items()},
    }


def run_mutants(place: Place) -> Counts:
    found = mutants.campaign(place.module, place.fresh(), place.seed, place.full)
    share = round(100 * found.killed / found.tried, 1)
    return {"module": place.module, "killed_percent": share} | found._asdict()


def run_endurance(place: Place) -> Counts:
    found = endurance.campaign(place.fresh(), place.seed, 3600.0 if place.full else 60.0)
    return found._asdict() | {"samples": [sample._asdict() for sample in found.samples]}


def run_journal(place: Place) -> Counts:
    return logs.campaign(place.fresh() / "memory", place.seed, 50_000 if place.full else 5000)._asdict()


CAMPAIGNS: dict[str, Callable[[Place], Counts]] = {
    "kills": run_kills,
    "git-kills": run_git_kills,
    "git-calls": run_git_calls,
    "random-kills": run_random_kills,
    "power": run_power,
    "injected": run_injected,
    "writers": run_writers,
    "derived": run_derived,
    "formats": run_formats,
    "heavy": run_heavy,
    "names": run_names,
    "machine": run_machine,
    "payloads": run_payloads,
    "journal": run_journal,
    "endurance": run_endurance,
    "mutants": run_mutants,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("name", choices=[*CAMPAIGNS, "all"])
    parser.add_argument("--full", action="store_true", help="the whole, before a release")
    parser.add_argument(
        "--module", choices=list(mutants.TESTS), help="mutants: of this module (default: each)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    asked = parser.parse_args()
    for name in CAMPAIGNS if asked.name == "all" else [asked.name]:
        modules = [asked.module] if asked.module else list(mutants.TESTS)
        for module in modules if name == "mutants" else [""]:
            file = f"campaign-{name}-{module}.json" if module else f"campaign-{name}.json"
            _report(name, asked.out or RESULTS / file, measure(name, asked.full, asked.seed, module))


def measure(name: str, full: bool, seed: int, module: str = "") -> Counts:
    """Run one campaign. Returns: its counts, and where and how long it ran."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="memory-skill-", dir=base))
    os.environ["HOME"] = str(folder)
    began = time.monotonic()
    try:
        counts = CAMPAIGNS[name](Place(folder, full, seed, module))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    ran = {"campaign": name, "full": full, "seed": seed, "seconds": round(time.monotonic() - began, 1)}
    return ran | counts | {"python": platform.python_version(), "system": sys.platform}


def _report(name: str, out: Path, counts: Counts) -> None:
    if name != "mutants":
        counts = {**counts, "failures": 0}  # the first ends a campaign
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(counts, indent=2) + "\n")
    print(f"{name}: " + ", ".join(_told(counts)))


def _told(counts: Counts) -> Iterable[str]:
    hidden = ("campaign", "python", "system", "survivors")
    return (f"{key} {value}" for key, value in counts.items() if key not in hidden)


if __name__ == "__main__":
    main()
