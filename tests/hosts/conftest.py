"""The scratch machine of one test, its model, and the two hosts on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.claude import Claude
from tests.hosts.clients import require
from tests.hosts.kimi import Kimi
from tests.hosts.machine import Machine
from tests.hosts.model import Model

Host = Claude | Kimi


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.hosts)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    machine = Machine(tmp_path)
    yield machine
    machine.end()


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as model:
        yield model


@pytest.fixture
def claude(machine: Machine, model: Model) -> Claude:
    require("claude")
    return Claude(machine, model)


@pytest.fixture
def kimi(machine: Machine, model: Model) -> Kimi:
    require("kimi", "node")
    return Kimi(machine, model)


@pytest.fixture(params=["claude", "kimi"])
def host(request: pytest.FixtureRequest) -> Host:
    """Each host in turn, alone on its machine."""
    driver: Host = request.getfixturevalue(request.param)
    return driver


@pytest.fixture
def project(machine: Machine) -> Path:
    """The project of the session: a folder with a repository."""
    return machine.project("billing")
