"""The games that a guest has finished, and how they did in them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from cabochon.server import protocol
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.schema import entries, guests, seats, tables
from cabochon.server.table_store import TableRecord, TableStore
from cabochon.server.timeline import FORFEITS, LEAVE

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_CURSOR = re.compile("([0-9]{1,16})[.]([A-Za-z0-9_-]{1,32})")
_LEAVINGS = {LEAVE + reason: reason for reason in FORFEITS}


class History:
    """The finished games in the database."""

    def __init__(self, database: Database, tables: TableStore) -> None:
        self._database = database
        self._tables = tables

    async def page(self, guest: str, limit: int, cursor: str | None = None) -> protocol.History:
        """Return the finished games of a guest, the newest first; with a cursor, those that follow it."""
        query = (
            sa.select(seats.c.finished_at, seats.c.table_id)
            .where(seats.c.guest_id == guest, seats.c.finished_at.is_not(None))
            .distinct()
            .order_by(seats.c.finished_at.desc(), seats.c.table_id.desc())
            .limit(limit + 1)
        )
        before = moment_of(cursor)
        if before is not None:
            at, table_id = before
            is_older = sa.and_(seats.c.finished_at == at, seats.c.table_id < table_id)
            query = query.where(seats.c.finished_at <= at, sa.or_(seats.c.finished_at < at, is_older))
        rows = await self._database.fetch(query)
        shown: dict[str, datetime] = {row.table_id: row.finished_at for row in rows[:limit]}
        found = {table.id: table for table in await self._tables.get_all(shown)}
        results: dict[str, list[dict[str, Any]]] = {table_id: [] for table_id in shown}
        columns = (seats.c.table_id, seats.c.place, seats.c.points, seats.c.has_won)
        of_shown = sa.select(*columns).where(seats.c.table_id.in_(list(shown))).order_by(seats.c.seat)
        for row in await self._database.fetch(of_shown):
            result = {"place": row.place, "points": row.points, "has_won": row.has_won, "leaving": None}
            results[row.table_id].append(result)
        of_leaving = sa.select(entries.c.table_id, entries.c.seat, entries.c.text).where(
            entries.c.table_id.in_(list(shown)), entries.c.text.in_(_LEAVINGS)
        )
        for row in await self._database.fetch(of_leaving):
            results[row.table_id][row.seat]["leaving"] = _LEAVINGS[row.text]
        return protocol.History(
            games=[_played_game(found[name], results[name], at, guest) for name, at in shown.items()],
            next=cursor_of(rows[limit - 1].finished_at, rows[limit - 1].table_id) if len(rows) > limit else None,
        )

    async def scores(self, guest: str, most_people: int) -> list[protocol.Score]:
        """Return how a guest did against bots, and against the people they met most often."""
        return [*await self._against_bots(guest), *await self._against_people(guest, most_people)]

    async def _against_bots(self, guest: str) -> list[protocol.Score]:
        own, other = seats.alias("own"), seats.alias("other")
        lowest, highest = sa.func.min(other.c.level), sa.func.max(other.c.level)
        level = sa.case((lowest == highest, lowest), else_=None).label("level")
        each = (
            sa.select(*_result(own), (sa.func.count() + 1).label("players"), level)
            .join(tables, tables.c.id == own.c.table_id)
            .join(other, sa.and_(other.c.table_id == own.c.table_id, other.c.seat != own.c.seat))
            .where(own.c.guest_id == guest, own.c.finished_at.is_not(None), sa.not_(tables.c.is_practice))
            .group_by(own.c.table_id, own.c.seat, own.c.place, own.c.points, own.c.has_won, tables.c.variant)
            .having(sa.func.sum(sa.case((other.c.kind == "bot", 1), else_=0)) == sa.func.count())
            .subquery()
        )
        kind = (each.c.game, each.c.players, each.c.level)
        query = sa.select(*kind, sa.null().label("name"), *_totals(each))
        return await self._read_scores(query.group_by(*kind).order_by(*kind))

    async def _against_people(self, guest: str, most: int) -> list[protocol.Score]:
        own, other, seated = seats.alias("own"), seats.alias("other"), seats.alias("seated")
        seat_count = sa.select(sa.func.count()).where(seated.c.table_id == own.c.table_id)
        each = (
            sa.select(own.c.table_id, *_result(own), seat_count.scalar_subquery().label("players"), other.c.guest_id)
            .join(tables, tables.c.id == own.c.table_id)
            .join(other, sa.and_(other.c.table_id == own.c.table_id, other.c.guest_id != guest))
            .where(own.c.guest_id == guest, own.c.finished_at.is_not(None))
            .where(seat_count.where(seated.c.guest_id == guest).scalar_subquery() == 1)
            .distinct()  # several people on one device are one guest
            .subquery()
        )
        kind = (each.c.game, each.c.players, guests.c.nickname)
        return await self._read_scores(
            sa.select(*kind[:2], guests.c.nickname.label("name"), sa.null().label("level"), *_totals(each))
            .join(guests, guests.c.id == each.c.guest_id)
            .group_by(*kind, each.c.guest_id)
            .order_by(sa.func.count().desc(), guests.c.nickname, each.c.guest_id)
            .limit(most)
        )

    async def _read_scores(self, query: sa.Select[*tuple[Any, ...]]) -> list[protocol.Score]:
        return [protocol.Score.model_validate(row._asdict()) for row in await self._database.fetch(query)]


def _result(own: sa.FromClause) -> list[sa.ColumnElement[Any]]:
    return [own.c.place, own.c.points, own.c.has_won, tables.c.variant.label("game")]


def _totals(each: sa.Subquery) -> list[sa.ColumnElement[Any]]:
    return [
        sa.func.count().label("played"),
        sa.func.sum(sa.case((each.c.has_won, 1), else_=0)).label("won"),
        sa.func.avg(each.c.place).label("mean_place"),
        sa.func.avg(each.c.points).label("mean_points"),
    ]


def cursor_of(finished_at: datetime, table_id: str) -> str:
    """Return the cursor for the page after this game."""
    return f"{(finished_at - _EPOCH) // _MICROSECOND}.{table_id}"


def moment_of(cursor: str | None) -> tuple[datetime, str] | None:
    """Return the time and the table of a cursor; the inverse of `cursor_of`."""
    if cursor is None:
        return None
    parts = _CURSOR.fullmatch(cursor)
    if parts is None:
        raise RequestError("malformed", "expected a cursor from an earlier response")
    return _EPOCH + int(parts[1]) * _MICROSECOND, parts[2]


def _played_game(
    table: TableRecord, results: Sequence[dict[str, Any]], finished_at: datetime, guest_id: str
) -> protocol.PlayedGame:
    played = [
        {"seat": number, "kind": seat.kind, "name": seat.name, "level": seat.level, "has_left": seat.has_left}
        | {"is_you": seat.guest == guest_id, **result}
        for number, (seat, result) in enumerate(zip(table.seats, results, strict=True))
    ]
    game = {"table": table.id, "game": table.options.variant, "players": len(played), "finished_at": finished_at}
    return protocol.PlayedGame.model_validate({**game, "is_practice": table.is_practice, "seats": played})
