"""A database for one test, with everything that reads and writes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from cabochon import Options
from cabochon.server.clocks import now
from cabochon.server.database import Database, new_id
from cabochon.server.game_log import GameLog
from cabochon.server.guests import BotTokens, Guest, Guests
from cabochon.server.history import History
from cabochon.server.schema import tables
from cabochon.server.seats import Seat, Seats
from cabochon.server.table_store import TableRecord, TableStore
from cabochon.server.timeline import Entry
from tests.server.databases import database_at


@dataclass
class Storage:
    database: Database
    guests: Guests
    bot_tokens: BotTokens
    tables: TableStore
    log: GameLog
    history: History


def new_storage(path: Path | str) -> Storage:
    database = Database(database_at(path))
    tables = TableStore(database)
    history = History(database, tables)
    return Storage(database, Guests(database), BotTokens(database), tables, GameLog(database), history)


def in_database(path: Path | str, work: Callable[[Storage], Awaitable[None]]) -> None:
    """Open a database, in the place of a file or with a URL, do something with it, and close it."""

    async def run() -> None:
        storage = new_storage(path)
        try:
            await storage.database.open()
            await work(storage)
        finally:
            await storage.log.close()
            await storage.database.close()

    asyncio.run(run())


def new_table(host: Guest, *seats: Seat, created_at: datetime | None = None) -> TableRecord:
    seats = seats or (Seat("person", host.nickname, host.id), Seat("bot", "Expert", level="expert"))
    status = "waiting" if any(seat.kind == "open" for seat in seats) else "playing"
    options = Options("marvel", len(seats))
    return TableRecord(new_id(), host.id, options, b"\x07" * 32, Seats(seats), status, created_at or now())


def entry(seq: int, text: str = "take ypb") -> Entry:
    return Entry(seq, 0, text, now())


@asynccontextmanager
async def locked(url: str, table_id: str) -> AsyncIterator[None]:
    """Lock the row of a table, as a process does that stands still in the middle of a transaction."""
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        await connection.execute(sa.select(tables.c.id).where(tables.c.id == table_id).with_for_update())
        yield
        with suppress(DBAPIError):  # the server may have ended it
            await connection.rollback()
    await engine.dispose()
