"""The tables in the database: their options, seats and status, without the logs of their games."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from cabochon.fair import commitment
from cabochon.game import Options
from cabochon.server import protocol
from cabochon.server.clocks import Clock
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.guests import require_guest
from cabochon.server.presence import is_watched
from cabochon.server.schema import entries, guests, seats, tables
from cabochon.server.seats import Seat, Seats
from cabochon.server.timeline import Deal, Timeline

UNFINISHED = ("waiting", "playing")

# In a query for tables. Each takes one look at an index, however many entries there are.
_of_table = sa.select(entries.c.seq).where(entries.c.table_id == tables.c.id)
LOG_LENGTH = sa.func.coalesce(_of_table.with_only_columns(sa.func.max(entries.c.seq)).scalar_subquery(), 0)
LAST_ENTRY_AT = _of_table.with_only_columns(entries.c.at).order_by(entries.c.seq.desc()).limit(1).scalar_subquery()


@dataclass(frozen=True)
class TableRecord:
    """A table as it is stored; `next` is the table of the rematch."""

    id: str
    host: str
    options: Options
    seed: bytes
    seats: Seats
    status: str
    created_at: datetime
    next: str | None = None
    visibility: str = "private"
    clock: Clock | None = None
    started_at: datetime | None = None
    is_practice: bool = False
    opened_from: str | None = None  # a keyed hash of the address of the host

    @property
    def deal(self) -> Deal:
        """What the game begins with."""
        names = tuple(seat.name or f"Seat {number}" for number, seat in enumerate(self.seats, start=1))
        bots = frozenset(number for number, seat in enumerate(self.seats) if seat.kind == "bot")
        date = self.created_at.date().isoformat()
        return Deal(self.options, self.seed, names, date, self.clock, self.started_at, bots)

    def after(self, timeline: Timeline) -> TableRecord:
        """Return what the last entry of a timeline makes of the table."""
        entry, seats = timeline.entries[-1], self.seats
        if entry.leaving is not None:
            seats = seats.with_seat(entry.seat, replace(seats[entry.seat], has_left=True))
        status = "over" if timeline.is_over else "playing"
        return replace(self, seats=seats, status=status, is_practice=timeline.is_practice)

    @property
    def summary(self) -> dict[str, Any]:
        """The fields of the messages about the table that do not depend on the viewer."""
        return {
            "id": self.id,
            "game": self.options.variant,
            "players": self.options.players,
            "free_take": self.options.free_take,
            "payment": self.options.payment,
            "clock": self.clock and self.clock.to_message(),
            "created_at": self.created_at,
        }

    def info(
        self,
        guest_id: str | None,
        seq: int,
        connected: Collection[int] = (),
        watching: int = 0,
        viewer_seat: int | None = None,
    ) -> protocol.TableInfo:
        """Return the message about the table, as a guest sees it from this seat or from their first one."""
        you = next(iter(self.seats.of(guest_id)), None) if viewer_seat is None else viewer_seat
        seats = [
            {
                "seat": number,
                "kind": "bot" if self.seats.has_stand_in(number) else seat.kind,
                "name": seat.name,
                "level": self.seats.bot_level(number),
                "is_you": number == you,
                "is_yours": self.seats.is_own(number, guest_id),
                "is_kept": seat.kept_for is not None,
                "has_left": seat.has_left,
                "is_connected": number in connected,
            }
            for number, seat in enumerate(self.seats)
        ]
        table = {
            "visibility": self.visibility,
            "status": self.status,
            "is_practice": self.is_practice,
            "seats": seats,
            "you": you,
            "is_host": guest_id == self.host,
            "commitment": commitment(self.seed),
            "seq": seq,
            "watching": watching,
            "next": self.next,
        }
        return protocol.TableInfo.model_validate(self.summary | table)


class WaitingTable(NamedTuple):
    """A table that waits for players, its host, and where that one opened it."""

    id: str
    host: str
    opened_from: str | None


class TableStore:
    """Reads and writes tables. Conditions in the statements themselves decide races."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, table: TableRecord, follows: str | None = None, most_unfinished: int | None = None) -> str:
        """Add a table and return its id; as a rematch, return the id of an earlier rematch if there is one.

        Refuse it if a guest was deleted, or the host has `most_unfinished` tables already.
        """
        async with self._database.transaction() as connection:
            await require_guest(connection, table.host)
            await _require_invited(connection, {seat.kept_for for seat in table.seats if seat.kept_for is not None})
            if most_unfinished is not None and await _count_unfinished(connection, table.host) >= most_unfinished:
                expected = f"expected at most {most_unfinished} unfinished games; finish one first"
                raise RequestError("limit_reached", expected)
            if follows is not None:
                await connection.execute(_lock(tables.c.id == follows))
                successor = await connection.scalar(_successor_of(follows))
                if successor is not None:
                    return str(successor)
            await connection.execute(
                tables.insert().values(
                    id=table.id,
                    host_id=table.host,
                    variant=table.options.variant,
                    free_take=table.options.free_take,
                    payment=table.options.payment,
                    seed=table.seed,
                    status=table.status,
                    seat_to_move=0,
                    created_at=table.created_at,
                    visibility=table.visibility,
                    clock=table.clock and table.clock.to_text(),
                    started_at=table.started_at,
                    opened_from=table.opened_from,
                    **(_due_at_once(table.created_at) if table.status == "playing" else {}),
                )
            )
            rows = [_seat_row(table.id, number, seat) for number, seat in enumerate(table.seats)]
            await connection.execute(seats.insert(), rows)
            if follows is not None:
                await connection.execute(tables.update().where(tables.c.id == follows).values(next_id=table.id))
        return table.id

    async def get(self, table_id: str) -> TableRecord | None:
        """Return a table with its seats."""
        found = await self.find(tables.c.id == table_id)
        return found[0] if found else None

    async def get_all(self, table_ids: Collection[str]) -> list[TableRecord]:
        """Return the tables with these ids that exist."""
        return await self.find(tables.c.id.in_(list(table_ids)), len(table_ids))

    async def find(self, condition: sa.ColumnElement[bool], limit: int = 1) -> list[TableRecord]:
        """Return the tables that meet a condition: unfinished ones first, then the newest."""
        order = (tables.c.status.in_(UNFINISHED).desc(), tables.c.created_at.desc(), tables.c.id)
        ids = sa.select(tables.c.id).where(condition).order_by(*order).limit(limit)
        # One statement: between two, somebody might take the last seat, and the table would wait without a free one.
        query = sa.select(tables, seats).join(seats, seats.c.table_id == tables.c.id).where(tables.c.id.in_(ids))
        rows = await self._database.fetch(query.order_by(*order, seats.c.seat))
        return [_record_from(list(seat_rows)) for _, seat_rows in groupby(rows, key=lambda row: row.id)]

    async def successor(self, table_id: str) -> str | None:
        """Return the id of the rematch, unless it was closed."""
        rows = await self._database.fetch(_successor_of(table_id))
        return str(rows[0][0]) if rows else None

    async def of_guest(self, guest: str, limit: int) -> list[TableRecord]:
        """Return a guest's tables: unfinished ones first, then the newest.

        These are tables where they have a seat, and tables they opened, except those they left; then tables where a
        seat is kept for them. The limit holds for each kind: anybody may invite a guest, but cannot hide their games.
        """
        sits = sa.select(seats.c.table_id).where(seats.c.guest_id == guest, seats.c.left_at.is_(None))
        left = sa.select(seats.c.table_id).where(seats.c.guest_id == guest, seats.c.left_at.is_not(None))
        has_opened = sa.and_(tables.c.host_id == guest, tables.c.id.not_in(left))
        is_own = sa.or_(has_opened, tables.c.id.in_(sits))
        invited = sa.select(seats.c.table_id).where(seats.c.kept_for == guest)
        own = await self.find(is_own, limit)
        others = await self.find(sa.and_(tables.c.id.in_(invited), sa.not_(is_own)), limit)
        return sorted([*own, *others], key=lambda table: table.status not in UNFINISHED)

    async def public_waiting(self, limit: int) -> list[WaitingTable]:
        """Return public tables that wait and have a seat for anyone: first the newest of each host, then the next."""
        has_free_seat = sa.select(seats.c.table_id).where(seats.c.kind == "open", seats.c.kept_for.is_(None))
        is_waiting = sa.and_(tables.c.status == "waiting", tables.c.visibility == "public")
        newest_first = (tables.c.created_at.desc(), tables.c.id)
        rank = sa.func.row_number().over(partition_by=tables.c.host_id, order_by=newest_first).label("rank")
        columns = (tables.c.id, tables.c.host_id, tables.c.opened_from, tables.c.created_at, rank)
        ranked = sa.select(*columns).where(is_waiting, tables.c.id.in_(has_free_seat)).subquery()
        query = sa.select(ranked.c.id, ranked.c.host_id, ranked.c.opened_from)
        ordered = query.order_by(ranked.c.rank, ranked.c.created_at.desc(), ranked.c.id).limit(limit)
        return [WaitingTable(*row) for row in await self._database.fetch(ordered)]

    async def lengths_of_running_games(self) -> dict[str, int]:
        """Return the lengths of the logs of all games that are being played, by table."""
        query = sa.select(tables.c.id, LOG_LENGTH).where(tables.c.status == "playing")
        return dict(await self._database.fetch(query))

    async def close_abandoned(self, not_seen_since: datetime, no_move_since: datetime, limit: int) -> list[str]:
        """Close up to `limit` tables that nobody looks at, has looked at or has moved at since; return their ids."""
        is_abandoned = _is_abandoned(not_seen_since, no_move_since)
        found = sa.select(tables.c.id).where(is_abandoned).limit(limit).with_for_update(skip_locked=True)
        async with self._database.transaction() as connection:
            ids = (await connection.scalars(found)).all()
            # Somebody may have come or moved before the rows were locked, and only a new statement sees that.
            query = tables.update().where(tables.c.id.in_(ids), is_abandoned).values(status="closed")
            return [str(row.id) for row in await connection.execute(query.returning(tables.c.id))]

    async def change_seats(self, table_id: str, before: Seats, after: Seats, at: datetime, seed: bytes) -> bool:
        """Change seats while the table waits; when no seat is open any more, start the game with this seed.

        Return False and change nothing if the seats are no longer as `before`, or the table does not wait.
        """
        changed = [(number, seat) for number, seat in enumerate(after) if seat != before[number]]
        is_table = tables.c.id == table_id
        async with self._database.transaction() as connection:
            for guest in {seat.guest for _, seat in changed if seat.guest is not None}:
                await require_guest(connection, guest)
            # Of two processes that change seats at the same moment, the second one sees what the first one did.
            if await connection.scalar(_lock(sa.and_(is_table, tables.c.status == "waiting"))) is None:
                return False
            rows = await connection.execute(sa.select(seats).where(seats.c.table_id == table_id).order_by(seats.c.seat))
            if _seats_from(rows) != before:
                return False
            for number, seat in changed:
                is_seat = sa.and_(seats.c.table_id == table_id, seats.c.seat == number)
                await connection.execute(seats.update().where(is_seat).values(_seat_row(table_id, number, seat)))
            start: dict[str, Any] = {"status": "playing", "started_at": at, "seed": seed} | _due_at_once(at)
            await connection.execute(
                tables.update().where(is_table).values(start if after.is_full else {"seen_at": at})
            )
        return True

    async def close(self, table_id: str, status: str) -> bool:
        """Close a table; return False if its status is no longer this one."""
        query = tables.update().where(tables.c.id == table_id, tables.c.status == status).values(status="closed")
        async with self._database.transaction() as connection:
            return (await connection.execute(query)).rowcount > 0

    async def states(self, table_ids: Collection[str]) -> dict[str, tuple[str, str | None, int]]:
        """Return the status of tables, their rematches and the lengths of their logs, by table."""
        query = sa.select(tables.c.id, tables.c.status, tables.c.next_id, LOG_LENGTH)
        rows = await self._database.fetch(query.where(tables.c.id.in_(list(table_ids))))
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    async def mark_seen(self, table_id: str, at: datetime) -> None:
        """Note when somebody last looked at a table that waits."""
        query = tables.update().where(tables.c.id == table_id, tables.c.status == "waiting").values(seen_at=at)
        async with self._database.transaction() as connection:
            await connection.execute(query)


def _lock(condition: sa.ColumnElement[bool]) -> sa.Select[str]:
    """Return the query for the id of a table, which no other transaction changes then before this one ends.

    SQLite lets one transaction write at a time anyway.
    """
    return sa.select(tables.c.id).where(condition).with_for_update(key_share=True)


async def _require_invited(connection: AsyncConnection, guest_ids: Collection[str]) -> None:
    """Refuse a table where seats are kept for guests who were deleted meanwhile."""
    if guest_ids:
        query = sa.select(guests.c.id).where(guests.c.id.in_(guest_ids)).with_for_update(read=True, key_share=True)
        gone = set(guest_ids) - set(await connection.scalars(query))
        if gone:
            raise RequestError("not_found", f"there is no guest {min(gone)}")


async def _count_unfinished(connection: AsyncConnection, host: str) -> int:
    query = sa.select(sa.func.count()).select_from(tables)
    query = query.where(tables.c.host_id == host, tables.c.status.in_(UNFINISHED))
    return (await connection.execute(query)).scalar_one()


def _due_at_once(at: datetime) -> dict[str, Any]:
    """Return the column values that make a process look at a game that begins, and find out what is next there."""
    return {"waits_for": "clock", "due_at": at}


def _is_abandoned(not_seen_since: datetime, no_move_since: datetime) -> sa.ColumnElement[bool]:
    seen_at = sa.func.coalesce(tables.c.seen_at, tables.c.created_at)
    moved_at = sa.func.coalesce(LAST_ENTRY_AT, tables.c.started_at, tables.c.created_at)
    is_forgotten = sa.and_(tables.c.status == "waiting", seen_at < not_seen_since)
    is_idle = sa.and_(tables.c.status == "playing", tables.c.clock.is_(None), moved_at < no_move_since)
    return sa.and_(sa.or_(is_forgotten, is_idle), sa.not_(is_watched(tables.c.id)))


def _successor_of(table_id: str) -> sa.Select[str]:
    before, after = tables.alias(), tables.alias()
    rematch = sa.select(after.c.id).join_from(before, after, before.c.next_id == after.c.id)
    return rematch.where(before.c.id == table_id, after.c.status != "closed")


def _seat_row(table_id: str, number: int, seat: Seat) -> dict[str, Any]:
    person = {"name": seat.name, "guest_id": seat.guest, "kept_for": seat.kept_for}
    return {"table_id": table_id, "seat": number, "kind": seat.kind, "level": seat.level, **person}


def _seats_from(rows: Iterable[Any]) -> Seats:
    return Seats(
        Seat(row.kind, row.name, row.guest_id, row.level, row.kept_for, row.left_at is not None) for row in rows
    )


def _record_from(rows: Sequence[Any]) -> TableRecord:
    """Return the table of these rows, of which each has one of its seats."""
    row, sitting = rows[0], _seats_from(rows)
    return TableRecord(
        id=row.id,
        host=row.host_id,
        options=Options(row.variant, len(sitting), row.free_take, row.payment),
        seed=row.seed,
        seats=sitting,
        status=row.status,
        created_at=row.created_at,
        next=row.next_id,
        visibility=row.visibility,
        clock=Clock.from_text(row.clock),
        started_at=row.started_at,
        is_practice=row.is_practice,
        opened_from=row.opened_from,
    )
