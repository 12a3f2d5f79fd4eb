"""The databases of the tests: files of SQLite, or databases on a PostgreSQL server.

The fixture `database` says which, and each test with a folder runs on both, unless it is marked with `ON_SQLITE` or
`ON_POSTGRES`. A test names a file, as for SQLite; `database_at` returns the URL of the database in its place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from cabochon.server.database import Database
from cabochon.server.schema import metadata
from cabochon.server.settings import database_url

if TYPE_CHECKING:
    from tests.server.postgres import PostgresServer

ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
NO_DATABASE = ON_SQLITE  # for a test that has a folder for something else
ON_POSTGRES = pytest.mark.parametrize("database", ["postgres"], indirect=True)

_DISCONNECT = sa.text(
    "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


class PostgresDatabases:
    """Databases with an up-to-date schema and without rows, which one test after the other uses."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._template = server.new_database()
        _run(_migrate(self._template))
        self._used: dict[Path, str] = {}
        self._free: list[str] = []

    def at(self, path: Path) -> str:
        """Return the URL of the database in the place of a file."""
        if path not in self._used:
            self._used[path] = self._free.pop() if self._free else self._server.new_database(self._template)
        return self._used[path]

    def release(self, folder: Path) -> None:
        """Empty the databases in the place of the files in a folder."""
        for path in [path for path in self._used if folder in path.parents]:
            url = self._used.pop(path)
            _run(_empty(url))
            self._free.append(url)


_folders: dict[Path, PostgresDatabases] = {}


@contextmanager
def databases_in(folder: Path, postgres: PostgresDatabases | None) -> Iterator[Path]:
    """Let the databases in the place of the files in a folder be on a server; with None, they are files of SQLite."""
    if postgres is None:
        yield folder
        return
    _folders[folder] = postgres
    try:
        yield folder
    finally:
        del _folders[folder]
        postgres.release(folder)


def database_at(path: Path | str) -> str:
    """Return the URL of the database in the place of a file; a URL stays as it is."""
    if isinstance(path, Path):
        for folder in path.parents:
            if folder in _folders:
                return _folders[folder].at(path)
    return database_url(str(path))


def _run(work: Coroutine[Any, Any, None]) -> None:
    """Run this in an event loop of its own, whether or not one is running here."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


async def _migrate(url: str) -> None:
    database = Database(url)
    await database.open()
    await database.close()


async def _empty(url: str) -> None:
    database = Database(url)
    async with database.transaction() as connection:
        await connection.execute(_DISCONNECT)
        for table in reversed(metadata.sorted_tables):
            await connection.execute(table.delete())
    await database.close()
