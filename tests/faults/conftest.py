"""What the fault tests share: one small tree, copied for each fault, where syncing costs nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .trees import template


@pytest.fixture(scope="session")
def work() -> Iterator[Path]:
    """A folder in memory where the system has one: these tests write thousands of trees."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = Path(tempfile.mkdtemp(prefix="memory-skill-", dir=base))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def source(work: Path) -> Path:
    """The tree that every fault starts from."""
    return template(work / "template" / "memory")


@pytest.fixture
def place(work: Path) -> Iterator[Path]:
    """An empty folder for one test."""
    folder = Path(tempfile.mkdtemp(dir=work))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
