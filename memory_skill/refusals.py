"""How often each rule of the gate refused or held something: what `status` shows and thresholds are tuned by.

Standard library only; kept in `.state/refusals.json`, which can be deleted.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from .errors import MemorySkillError
from .tree import flock, write_atomic


class Refusals:
    """The counts of one tree, in its state folder."""

    def __init__(self, state: Path) -> None:
        self.file = state / "refusals.json"

    def count(self, rule: str) -> None:
        """One more by *rule*. Best effort: a count is not worth a failed answer."""
        with contextlib.suppress(OSError, MemorySkillError), flock(self.file.with_suffix(".lock"), 1.0):
            counts = self.counts()
            counts[rule] = counts.get(rule, 0) + 1
            write_atomic(self.file, json.dumps(counts, sort_keys=True).encode(), durable=False)

    def counts(self) -> dict[str, int]:
        """Rule -> how often; {} when nothing was refused, or the file cannot be read."""
        try:
            found = json.loads(self.file.read_bytes())
        except (OSError, ValueError):
            return {}
        whole = found if isinstance(found, dict) else {}
        return {str(rule): n for rule, n in whole.items() if isinstance(n, int)}
