"""The connection to the database: the engine, transactions, and the SQLite settings that make commits durable."""

import asyncio
import logging
import math
import random
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidatePoolError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import QueuePool

from cabochon.errors import CabochonError
from cabochon.server.file_lock import FileLock, LockedError
from cabochon.server.migrations import needs_upgrade, upgrade
from cabochon.server.schema import metadata
from cabochon.server.telemetry import log_event

ID_BYTES = 12  # 96 bits: nobody can guess a table
RESTART_SECONDS = 10.0  # how long to wait for a database server that does not accept connections
RETRY_SECONDS = 0.1
SECONDS_TO_ANSWER = 10.0  # until a database server that answers nothing counts as gone
SECONDS_IDLE = 0.25  # until a connection is checked before it is used; no server restarts faster
SECONDS_TO_PING = 2.0
# How PostgreSQL ends what another process began and cannot finish, because it was paused or lost its network. Somebody
# who waits for a lock twice outlasts a transaction in which nothing happens.
SESSION = {
    "lock_timeout": "3s",
    "idle_in_transaction_session_timeout": "5s",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}
MIGRATION_LOCK = 5_041_828  # an arbitrary number, which no other program on the database should use
# A migration that waits for a lock holds up everybody who wants one after it, so it gives up and tries again. It gives
# up before PostgreSQL would look for a deadlock and end the transaction of a player.
LOCK_MILLISECONDS = 500
SECONDS_TO_MIGRATE = 300.0
LOCK_NOT_AVAILABLE = "55P03"


def new_id() -> str:
    """Return a random id that fits into a URL."""
    return secrets.token_urlsafe(ID_BYTES)


class ConflictError(Exception):
    """Another change was committed first."""


class DatabaseUnavailableError(SQLAlchemyError):
    """No connection to the database could be opened."""


def is_locked(error: DBAPIError) -> bool:
    """Whether a statement failed because it waited too long for a lock."""
    return getattr(error.orig, "sqlstate", None) == LOCK_NOT_AVAILABLE


def is_shared(url: str) -> bool:
    """Whether several processes may use the database of a URL at the same time."""
    return make_url(url).get_backend_name() != "sqlite"


class Database:
    """An SQLAlchemy engine. All methods may be called concurrently."""

    def __init__(self, url: str) -> None:
        self.is_shared = is_shared(url)
        # The parameters contain hidden cards, which must not get into a log. The connection that was used last is used
        # again, so that few are idle for long.
        options = {"pool_use_lifo": True} if self.is_shared else {}
        self._engine = create_async_engine(url, hide_parameters=True, **options)
        self._file = None if self.is_shared else _file_of(self._engine)
        self._file_lock = None if self._file is None else FileLock(self._file.with_name(f"{self._file.name}-lock"))
        # SQLite lets one transaction write at a time, and waiting here needs no polling. A database server locks rows.
        self._write_lock: AbstractAsyncContextManager[object] = nullcontext() if self.is_shared else asyncio.Lock()
        self._has_failed_to_write = False  # then `check` writes too: a full disk can still be read
        if self.is_shared:
            _set_up_sessions(self._engine)
            _check_idle_connections(self._engine)
        else:
            _set_up_sqlite(self._engine)

    async def lock(self) -> None:
        """Refuse an SQLite file that another server uses, and keep other servers from using it until `close`."""
        if self._file is not None:
            await asyncio.to_thread(_make_private, self._file)
            self._lock_file()

    def _lock_file(self) -> None:
        if self._file_lock is None or self._file_lock.is_held:
            return
        try:
            self._file_lock.acquire()
        except LockedError as error:
            got = f"{str(self._file)!r}, which {error} uses"
            advice = "stop it, choose another --database, or use PostgreSQL, which several processes can share"
            raise CabochonError(f"expected a database that no other server uses, got {got}; {advice}") from error

    async def open(self) -> None:
        """Create a new SQLite file for this user alone, and migrate the schema to the newest version.

        The first of several processes migrates a database, and the others wait. A database that a newer version of
        Cabochon has migrated stays as it is, or is refused if this version cannot use it.
        """
        if self._file is not None:
            await asyncio.to_thread(_make_private, self._file)
        async with self.connection() as connection:
            is_old = await connection.run_sync(needs_upgrade)
        if is_old:
            was_locked = self._file_lock is not None and self._file_lock.is_held
            self._lock_file()
            await self._migrate()
            if self._file_lock is not None and not was_locked:
                self._file_lock.release()

    async def _migrate(self) -> None:
        """Migrate in one transaction; begin again while somebody else has a lock, such as a process that migrates."""
        give_up_at, has_waited = time.monotonic() + SECONDS_TO_MIGRATE, False
        while True:
            try:
                async with self.transaction(is_long=True) as connection:
                    if self.is_shared:
                        await connection.execute(sa.text(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}"))
                        await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
                    await connection.run_sync(upgrade, metadata)
                return
            except DBAPIError as error:
                if not is_locked(error) or time.monotonic() >= give_up_at:
                    raise
            if not has_waited:
                log_event("migration_waits", logging.WARNING)
                has_waited = True
            await asyncio.sleep(random.uniform(0.5, 1.0) * LOCK_MILLISECONDS / 1000)

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()
        if self._file_lock is not None:
            self._file_lock.release()

    async def check(self) -> None:
        """Raise an error unless the database can be read and written."""
        if not self._has_failed_to_write:
            await self.fetch(sa.select(sa.literal(1)))
            return
        async with self.transaction() as connection:
            await connection.execute(sa.text("UPDATE alembic_version SET version_num = version_num"))

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections are in use, and how many are idle."""
        pool = self._engine.pool
        return (pool.checkedout(), pool.checkedin()) if isinstance(pool, QueuePool) else (0, 0)

    async def now(self) -> datetime | None:
        """Return the time of a database server, which all processes share; None for SQLite, which has no server."""
        if not self.is_shared:
            return None
        rows = await self.fetch(sa.select(sa.func.now()))
        at: datetime = rows[0][0]
        return at.astimezone(UTC)  # in another zone, an hour would be added or lost with its summer time

    @asynccontextmanager
    async def transaction(self, is_long: bool = False) -> AsyncIterator[AsyncConnection]:
        """Open a transaction that writes."""
        async with self._write_lock, self.connection() as connection, self._in_time(is_long):
            writer = await connection.execution_options(is_writing=True)
            try:
                async with writer.begin():
                    yield writer
            except IntegrityError:
                raise
            except DBAPIError:
                self._has_failed_to_write = True
                raise
            self._has_failed_to_write = False

    @asynccontextmanager
    async def _in_time(self, is_long: bool = False) -> AsyncIterator[None]:
        """Give up a database server that does not answer, together with the connection to it."""
        try:
            async with asyncio.timeout(SECONDS_TO_ANSWER if self.is_shared and not is_long else None):
                yield
        except TimeoutError as error:
            raise DatabaseUnavailableError("the database does not answer") from error

    async def fetch(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """Return all rows of a query, also if the connection is lost meanwhile."""
        try:
            return await self._fetch(query)
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return await self._fetch(query)

    async def _fetch(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        async with self.connection() as connection, self._in_time():
            return (await connection.execute(query)).all()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """Open a connection; a server over the network may take a moment to restart."""
        connection = self._engine.connect()
        give_up_at = time.monotonic() + (RESTART_SECONDS if self.is_shared else 0.0)
        while True:
            try:
                async with asyncio.timeout(SECONDS_TO_ANSWER if self.is_shared else None):
                    await connection.start()
                break
            except (SQLAlchemyError, OSError) as error:
                if time.monotonic() >= give_up_at:
                    raise DatabaseUnavailableError(f"the database cannot be reached: {error}") from error
                await asyncio.sleep(RETRY_SECONDS)
        try:
            yield connection
        finally:
            await connection.close()


def _file_of(engine: AsyncEngine) -> Path | None:
    """Return the file of an SQLite database, the same one for all its names; None for a database in memory."""
    name = engine.url.database
    return None if name in (None, "", ":memory:") else Path(str(name)).resolve()


def _make_private(path: Path) -> None:
    """Let only this user read the database and SQLite's journal beside it: they contain seeds and hidden cards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        with suppress(FileNotFoundError):
            path.with_name(name).chmod(0o600)


def _set_up_sessions(engine: AsyncEngine) -> None:
    """Set `SESSION` in every connection to PostgreSQL: as a statement, because poolers refuse unknown parameters."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        statements = "; ".join(f"SET {name} = '{value}'" for name, value in SESSION.items())
        connection.run_async(lambda driver: driver.execute(statements))


def _check_idle_connections(engine: AsyncEngine) -> None:
    """Check a connection that was idle for a moment before it is used: the server may have restarted meanwhile."""

    @sa.event.listens_for(engine.sync_engine, "checkin")
    def note(_: Any, record: Any) -> None:
        record.info["idle_since"] = time.monotonic()

    @sa.event.listens_for(engine.sync_engine, "checkout")
    def check(connection: Any, record: Any, _: Any) -> None:
        if time.monotonic() - record.info.get("idle_since", math.inf) > SECONDS_IDLE:
            try:
                connection.run_async(_ping)
            except Exception as error:  # whatever it is, a new connection is better
                raise InvalidatePoolError from error  # all others are as old


async def _ping(driver: Any) -> None:
    async with asyncio.timeout(SECONDS_TO_PING):
        await driver.execute("")


def _set_up_sqlite(engine: AsyncEngine) -> None:
    """Make commits durable, allow reads during a write, begin transactions explicitly, and erase what is deleted."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA secure_delete=ON")
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def begin(connection: sa.Connection) -> None:
        is_writing = connection.get_execution_options().get("is_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
