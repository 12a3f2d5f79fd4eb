"""What an operator sees and does: tables, guests, who is connected, bans.

It works on the database alone, beside the servers, which follow soon (`bans`, `live_settings`). Nothing here
contains the seed of a deal or a card.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel

from cabochon.server import clocks
from cabochon.server.database import Database
from cabochon.server.processes import alive_processes
from cabochon.server.schema import device_links, guests, presence, processes, seats, tables
from cabochon.server.table_store import LAST_ENTRY_AT, LOG_LENGTH, UNFINISHED, TableRecord, TableStore

IDS_PER_QUERY = 1_000  # PostgreSQL allows 32,767
STATUSES = ("waiting", "playing", "over", "closed")


class SeatOverview(BaseModel):
    """A seat: who sits there, or for whom it is kept."""

    seat: int
    kind: str
    name: str
    guest: str | None
    level: str | None
    kept_for: str | None
    has_left: bool


class TableOverview(BaseModel):
    """A table: everything but its deal and its moves."""

    id: str
    status: str
    visibility: str
    game: str
    free_take: bool
    payment: str
    clock: str | None
    is_practice: bool
    host: str
    created_at: datetime
    started_at: datetime | None
    entries: int  # the length of the log
    last_entry_at: datetime | None
    seats: list[SeatOverview]


class GuestOverview(BaseModel):
    """A guest, and how many tables they opened or sit at."""

    id: str
    nickname: str
    created_at: datetime
    banned_at: datetime | None
    tables: int


class ConnectedGuest(BaseModel):
    """A guest who is connected."""

    id: str
    nickname: str


class Connected(BaseModel):
    """Who looks at one table through one process; `spectators` includes people without a nickname."""

    table: str
    process: str
    host: str
    guests: list[ConnectedGuest]
    spectators: int


class Administration:
    """The database as an operator sees it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tables = TableStore(database)

    async def tables(self, status: str | None, guest_id: str | None, limit: int) -> list[TableOverview]:
        """Return tables with this status and of this guest: unfinished ones first, then the newest."""
        conditions: list[sa.ColumnElement[bool]] = [sa.true()]
        if status is not None:
            conditions.append(tables.c.status == status)
        if guest_id is not None:
            sits = sa.select(seats.c.table_id).where(seats.c.guest_id == guest_id)
            conditions.append(sa.or_(tables.c.host_id == guest_id, tables.c.id.in_(sits)))
        return await self._overviews(await self._tables.find(sa.and_(*conditions), limit))

    async def table(self, table_id: str) -> TableOverview | None:
        """Return one table."""
        found = await self._tables.get(table_id)
        return None if found is None else (await self._overviews([found]))[0]

    async def close(self, table_id: str) -> TableOverview | None:
        """Close a table that waits or plays; return what it was before, or None if there is no such table."""
        while True:
            table = await self.table(table_id)
            if table is None or table.status not in UNFINISHED or await self._tables.close(table_id, table.status):
                return table

    async def connected(self) -> list[Connected]:
        """Return who looks at which table through which process."""
        is_alive = presence.c.process_id.in_(alive_processes())
        query = sa.select(presence, processes.c.host).join(processes, processes.c.id == presence.c.process_id)
        rows = await self._database.fetch(query.where(is_alive).order_by(presence.c.table_id, presence.c.process_id))
        ids = {guest_id for row in rows for guest_id in row.guests.split()}
        query = sa.select(guests.c.id, guests.c.nickname)
        nicknames = dict(await self._rows_with(query, guests.c.id, list(ids)))
        return [
            Connected(
                table=row.table_id,
                process=row.process_id,
                host=row.host,
                guests=[ConnectedGuest(id=name, nickname=nicknames.get(name, "")) for name in row.guests.split()],
                spectators=row.spectators,
            )
            for row in rows
        ]

    async def guests(self, text: str, is_banned: bool, limit: int) -> list[GuestOverview]:
        """Return the guests whose nickname contains a text or whose id it is, the newest first."""
        is_meant = sa.or_(guests.c.id == text, guests.c.nickname.icontains(text, autoescape=True))
        query = _guest_overviews().where(is_meant)
        if is_banned:
            query = query.where(guests.c.banned_at.is_not(None))
        rows = await self._database.fetch(query.order_by(guests.c.created_at.desc(), guests.c.id).limit(limit))
        return [GuestOverview(**row._asdict()) for row in rows]

    async def guest(self, guest_id: str) -> GuestOverview | None:
        """Return one guest."""
        rows = await self._database.fetch(_guest_overviews().where(guests.c.id == guest_id))
        return GuestOverview(**rows[0]._asdict()) if rows else None

    async def ban(self, guest_id: str) -> None:
        """Ban a guest; the servers close the sockets and let the guest leave all tables."""
        async with self._database.transaction() as connection:
            is_admitted = sa.and_(guests.c.id == guest_id, guests.c.banned_at.is_(None))
            await connection.execute(guests.update().where(is_admitted).values(banned_at=clocks.now()))
            await connection.execute(device_links.delete().where(device_links.c.guest_id == guest_id))

    async def unban(self, guest_id: str) -> None:
        """Let a banned guest in again; games that they left stay lost."""
        async with self._database.transaction() as connection:
            await connection.execute(guests.update().where(guests.c.id == guest_id).values(banned_at=None))

    async def _overviews(self, found: Sequence[TableRecord]) -> list[TableOverview]:
        ids = [table.id for table in found]
        rows = await self._rows_with(sa.select(tables.c.id, LOG_LENGTH, LAST_ENTRY_AT), tables.c.id, ids)
        logs = {table_id: (length, at) for table_id, length, at in rows}
        return [_overview(table, *logs.get(table.id, (0, None))) for table in found]

    async def _rows_with(self, query: sa.Select[Any], column: sa.Column[Any], ids: Sequence[str]) -> list[Any]:
        """Return the rows of a query where a column has one of these values."""
        rows: list[Any] = []
        for start in range(0, len(ids), IDS_PER_QUERY):
            rows += await self._database.fetch(query.where(column.in_(ids[start : start + IDS_PER_QUERY])))
        return rows


def _guest_overviews() -> sa.Select[Any]:
    sits = sa.select(seats.c.table_id).where(seats.c.guest_id == guests.c.id)
    is_theirs = sa.or_(tables.c.host_id == guests.c.id, tables.c.id.in_(sits))
    count = sa.select(sa.func.count()).select_from(tables).where(is_theirs).scalar_subquery()
    return sa.select(guests.c.id, guests.c.nickname, guests.c.created_at, guests.c.banned_at, count.label("tables"))


def _overview(table: TableRecord, length: int, last_entry_at: datetime | None) -> TableOverview:
    shown = {name: getattr(table, name) for name in ("id", "status", "visibility", "is_practice", "host")}
    times = {"created_at": table.created_at, "started_at": table.started_at, "last_entry_at": last_entry_at}
    options = {"game": table.options.variant, "free_take": table.options.free_take, "payment": table.options.payment}
    clock = None if table.clock is None else table.clock.to_text()
    sitting = [asdict(seat) | {"seat": number} for number, seat in enumerate(table.seats)]
    return TableOverview.model_validate(shown | times | options | {"clock": clock, "entries": length, "seats": sitting})
