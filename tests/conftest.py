from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from cabochon.core.playout import processors

if TYPE_CHECKING:
    from tests.server.databases import PostgresDatabases
    from tests.server.postgres import PostgresServer

# No deadlines: the first example may compile the core, and the machine may be busy.
settings.register_profile("cabochon", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("cabochon")


def pytest_configure(config: pytest.Config) -> None:
    """Give PyTorch one thread in each process: several processes with more threads mostly wait for each other.

    Ray stays on the loopback interface, sends no statistics, and ends no jobs when the tests fill the memory.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_MEMORY_MONITOR_REFRESH_MS"] = "0"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server that all tests of a session share."""
    from tests.server.postgres import own_server

    with own_server() as server:
        yield server


@pytest.fixture(scope="session", params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> PostgresDatabases | None:
    """What the databases of a test are: databases on the PostgreSQL server, or with None files of SQLite."""
    if request.param == "sqlite":
        return None
    from tests.server.databases import PostgresDatabases

    return PostgresDatabases(request.getfixturevalue("postgres"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two for each processor by default: tests with a server or a browser wait nearly half of the time."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * processors()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every process begin with its share of the browser tests: they take longest, and none should begin at the end.

    Each process is given one piece of the list, and takes from the others when it is done with it.
    """
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    browser = [item for item in items if "browser" in item.path.parts]
    others = [item for item in items if "browser" not in item.path.parts]
    items[:] = [
        item for number in range(processes) for group in (browser, others) for item in _part(group, number, processes)
    ]


def _part(items: list[pytest.Item], number: int, parts: int) -> list[pytest.Item]:
    return items[len(items) * number // parts : len(items) * (number + 1) // parts]
