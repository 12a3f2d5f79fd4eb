from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from tests.server.postgres import PostgresServer, own_server
from tests.server.running import Client, RunningServer, running, settings_for


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server that all tests of a session share."""
    with running(settings_for(tmp_path_factory.mktemp("server"))) as server:
        yield server


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server that all tests of a session share."""
    with own_server() as server:
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
