"""The data of one person: exporting it, and deleting it."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from cabochon.record import SEPARATOR
from cabochon.server import clocks
from cabochon.server.database import Database, new_id
from cabochon.server.names import distinct_name
from cabochon.server.schema import bot_tokens, device_links, entries, guests, seats, sessions, tables

FORMAT = "cabochon guest 1"
ANONYMOUS = "Anonymous"

_TABLE_COLUMNS = (
    *(tables.c.id, tables.c.variant, tables.c.free_take, tables.c.payment, tables.c.clock, tables.c.visibility),
    *(tables.c.status, tables.c.is_practice, tables.c.created_at, tables.c.started_at),
    *(tables.c.host_id, tables.c.opened_from),
)
_SEAT_COLUMNS = (
    *(seats.c.table_id, seats.c.seat, seats.c.name, seats.c.place, seats.c.points, seats.c.has_won),
    *(seats.c.finished_at, seats.c.left_at),
)


class PersonalData:
    """What the database has about one person."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def export(self, guest_id: str) -> dict[str, Any]:
        """Return everything about a guest, as described in docs/administration.md.

        Secrets are stored as hashes only, and left out. Cards that a move revealed are included when the game is over.
        """
        async with self._database.connection() as connection:
            if self._database.is_shared:  # SQLite always shows one moment to a transaction
                await connection.execution_options(isolation_level="REPEATABLE READ")
            return await _export(connection, guest_id)

    async def delete(self, guest_id: str) -> list[str]:
        """Delete everything about a guest; return the ids of the tables that changed.

        Their games stay. A new anonymous guest, whose id nobody knows, takes their place. It is banned, so the servers
        remove it from games that are not over.
        """
        is_own, is_kept = seats.c.guest_id == guest_id, seats.c.kept_for == guest_id
        is_host = tables.c.host_id == guest_id
        async with self._database.transaction() as connection:
            # Locked first, in the order that everybody keeps: the guest can then neither join nor open a table.
            await connection.execute(sa.select(guests.c.id).where(guests.c.id == guest_id).with_for_update())
            locked_tables = sa.select(tables.c.id).where(is_host).order_by(tables.c.id).with_for_update(key_share=True)
            own = set(await connection.scalars(sa.select(seats.c.table_id).where(is_own)))
            kept = set(await connection.scalars(sa.select(seats.c.table_id).where(is_kept)))
            hosted = set(await connection.scalars(locked_tables))
            if own or hosted:
                now, anonymous = clocks.now(), new_id()
                row = {"id": anonymous, "nickname": ANONYMOUS, "created_at": now, "banned_at": now}
                await connection.execute(guests.insert().values(row))
                await connection.execute(tables.update().where(is_host).values(host_id=anonymous, opened_from=None))
                names = await _anonymous_names(connection, guest_id)
                if names:
                    await connection.execute(_RENAME_SEAT.values(guest_id=anonymous), names)
            await connection.execute(seats.update().where(is_kept).values(kept_for=None, name=""))
            await connection.execute(guests.delete().where(guests.c.id == guest_id))
        return sorted(own | kept | hosted)


async def _export(connection: AsyncConnection, guest_id: str) -> dict[str, Any]:
    (guest,) = await _rows(connection, sa.select(guests).where(guests.c.id == guest_id))
    token = (bot_tokens.c.created_at, bot_tokens.c.id, bot_tokens.c.name)
    return {
        "format": FORMAT,
        "exported_at": clocks.now(),
        "guest": guest,
        "sessions": await _of_guest(connection, guest_id, sessions.c.created_at),
        "device_links": await _of_guest(connection, guest_id, device_links.c.expires_at),
        "tokens": await _of_guest(connection, guest_id, *token),
        "tables": await _tables(connection, guest_id),
    }


async def _tables(connection: AsyncConnection, guest_id: str) -> list[dict[str, Any]]:
    """Return the tables of a guest, the oldest first, with their own seats and moves."""
    is_own = seats.c.guest_id == guest_id
    is_kept = sa.and_(seats.c.kept_for == guest_id, seats.c.kind == "open")
    involved = sa.select(seats.c.table_id).where(sa.or_(is_own, is_kept))
    is_theirs = sa.or_(tables.c.host_id == guest_id, tables.c.id.in_(involved))
    shown = {}
    for row in await _rows(connection, sa.select(*_TABLE_COLUMNS).where(is_theirs).order_by(tables.c.created_at)):
        is_host, opened_from = row.pop("host_id") == guest_id, row.pop("opened_from")
        row |= {"is_host": is_host} | ({"opened_from": opened_from} if is_host else {})
        shown[row["id"]] = row | {"seats": [], "kept_seats": [], "moves": []}
    own = sa.select(*_SEAT_COLUMNS).where(is_own).order_by(seats.c.table_id, seats.c.seat)
    for row in await _rows(connection, own):
        shown[row.pop("table_id")]["seats"].append(row)
    for row in await _rows(connection, sa.select(seats.c.table_id, seats.c.seat, seats.c.name).where(is_kept)):
        shown[row.pop("table_id")]["kept_seats"].append(row)
    was_there = sa.or_(seats.c.left_at.is_(None), entries.c.at <= seats.c.left_at)  # then a bot plays the seat
    is_seat = sa.and_(seats.c.table_id == entries.c.table_id, seats.c.seat == entries.c.seat)
    is_move = sa.and_(is_seat, is_own, was_there)
    query = sa.select(entries).join(seats, is_move).order_by(entries.c.table_id, entries.c.seq)
    for row in await _rows(connection, query):
        table = shown[row.pop("table_id")]
        if table["status"] != "over":
            row["text"] = row["text"].partition(SEPARATOR)[0]
        table["moves"].append(row)
    return list(shown.values())


async def _of_guest(connection: AsyncConnection, guest_id: str, *columns: sa.Column[Any]) -> list[dict[str, Any]]:
    table = columns[0].table
    return await _rows(connection, sa.select(*columns).where(table.c.guest_id == guest_id).order_by(columns[0]))


async def _rows(connection: AsyncConnection, query: sa.Select[Any]) -> list[dict[str, Any]]:
    return [row._asdict() for row in await connection.execute(query)]


_RENAME_SEAT = (
    seats.update()
    .where(seats.c.table_id == sa.bindparam("of_table"), seats.c.seat == sa.bindparam("of_seat"))
    .where(seats.c.guest_id == sa.bindparam("of_guest"))  # who may just have been sent away
    .values(name=sa.bindparam("new_name"))
)


async def _anonymous_names(connection: AsyncConnection, guest_id: str) -> list[dict[str, Any]]:
    """Return the new name of each seat of a guest: no two at a table look the same."""
    at_tables = sa.select(seats.c.table_id).where(seats.c.guest_id == guest_id)
    query = sa.select(seats.c.table_id, seats.c.seat, seats.c.guest_id, seats.c.name)
    rows = (
        await connection.execute(query.where(seats.c.table_id.in_(at_tables)).order_by(seats.c.table_id, seats.c.seat))
    ).all()
    taken: dict[str, list[str]] = {}
    for row in rows:
        if row.guest_id != guest_id:
            taken.setdefault(row.table_id, []).append(row.name)
    names = []
    for row in (row for row in rows if row.guest_id == guest_id):
        others = taken.setdefault(row.table_id, [])
        others.append(distinct_name(ANONYMOUS, others))
        names.append({"of_table": row.table_id, "of_seat": row.seat, "of_guest": guest_id, "new_name": others[-1]})
    return names
