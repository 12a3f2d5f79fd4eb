"""The connection to the database: the engine, transactions, and the SQLite settings that make commits durable."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from cabochon.server.migrations import upgrade
from cabochon.server.schema import metadata

ID_BYTES = 12  # 96 bits: nobody can guess a table


def new_id() -> str:
    """Return a random id that fits into a URL."""
    return secrets.token_urlsafe(ID_BYTES)


class ConflictError(Exception):
    """Another change was committed first."""


class Database:
    """An SQLAlchemy engine. All methods may be called concurrently."""

    def __init__(self, url: str) -> None:
        self._engine = create_async_engine(url)
        self._write_lock = asyncio.Lock()
        if self._engine.dialect.name == "sqlite":
            _set_up_sqlite(self._engine)

    async def open(self) -> None:
        """Create the folder of a new SQLite file, and migrate the schema to the newest version."""
        url = self._engine.url
        if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
            await asyncio.to_thread(Path(str(url.database)).parent.mkdir, parents=True, exist_ok=True)
        async with self._engine.connect() as connection:
            await connection.run_sync(upgrade, metadata)

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    async def check(self) -> None:
        """Raise an error unless the database answers."""
        await self.fetch(sa.select(sa.literal(1)))

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that writes.

        One at a time: SQLite allows no more, and waiting here needs no polling.
        """
        async with self._write_lock, self._engine.connect() as connection:
            writer = await connection.execution_options(is_writing=True)
            async with writer.begin():
                yield writer

    async def fetch(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """Return all rows of a query."""
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).all()


def _set_up_sqlite(engine: AsyncEngine) -> None:
    """Make commits durable, let readers work beside the writer, and begin transactions explicitly."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def begin(connection: sa.Connection) -> None:
        is_writing = connection.get_execution_options().get("is_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
