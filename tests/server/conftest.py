from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.databases import PostgresDatabases, database_at, databases_in
from tests.server.running import Client, RunningServer, running, settings_for


@pytest.fixture
def tmp_path(tmp_path: Path, database: PostgresDatabases | None) -> Iterator[Path]:
    """A folder with databases of each kind in turn."""
    with databases_in(tmp_path, database) as folder:
        yield folder


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabases | None) -> Iterator[Path]:
    """The same for the servers that the tests of a module share."""
    with databases_in(tmp_path_factory.mktemp("server"), database) as folder:
        yield folder


@pytest.fixture
def url(tmp_path: Path) -> str:
    """The URL of a database that is used by several processes."""
    return database_at(tmp_path / "server.db")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabases | None) -> Iterator[RunningServer]:
    """A server that all tests of a session share."""
    with (
        databases_in(tmp_path_factory.mktemp("server"), database) as folder,
        running(settings_for(folder)) as server,
    ):
        yield server


@pytest.fixture
def ada(server: RunningServer) -> Iterator[Client]:
    with Client(server.url, "Ada") as client:
        yield client


@pytest.fixture
def bo(server: RunningServer) -> Iterator[Client]:
    with Client(server.url, "Bo") as client:
        yield client


@pytest.fixture
def stranger(server: RunningServer) -> Iterator[Client]:
    """Somebody who has not said a nickname."""
    with Client(server.url) as client:
        yield client


@pytest.fixture
def _own_logging() -> Iterator[None]:
    """The loggers as they were, afterwards."""
    loggers = [logging.getLogger(name) for name in ("cabochon", "uvicorn", "alembic")]
    before = [(logger, logger.handlers, logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, handlers, level, propagate in before:
        logger.handlers, logger.level, logger.propagate = handlers, level, propagate
