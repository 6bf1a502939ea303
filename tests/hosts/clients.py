"""Finds the real clients. They are installed by `.ci/clients`, outside the repository, and never by a test.

The folder is `MEMORY_SKILL_TEST_CLIENTS`, else `memory-skill-hosts` in the cache of the real home (looked up
before the guard of `tests/conftest.py` takes the home away).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import REAL_HOME

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or REAL_HOME / ".cache") / "memory-skill-hosts"
FOLDER = Path(os.environ.get("MEMORY_SKILL_TEST_CLIENTS") or CACHE)
CI = os.environ.get("CI", "").lower() in ("1", "true")

CLIENTS = {
    "claude": "node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "kimi": "node_modules/.bin/kimi",
    "node": "node_modules/.bin/node",
}


def require(*names: str) -> None:
    """Skip the test where a client is not installed; in CI, where nobody reads skips, fail it."""
    missing = [name for name in names if not client(name).exists()]
    if missing:
        reason = f"{', '.join(missing)} not in {FOLDER}: install with .ci/clients"
        pytest.fail(reason, pytrace=False) if CI else pytest.skip(reason)


def client(name: str) -> Path:
    """The executable of *name* as it would lie in the folder of clients."""
    return FOLDER / CLIENTS[name]
