"""The games that a guest has finished, and how they did in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from cabochon.server import protocol
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.game_log import Result
from cabochon.server.schema import guests, seats, tables
from cabochon.server.table_store import TableRecord, TableStore

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True)
class FinishedTable:
    """A table whose game is over, with the result of each seat."""

    table: TableRecord
    results: tuple[Result, ...]
    finished_at: datetime


@dataclass(frozen=True)
class Tally:
    """How a guest did against the person of a nickname, or against bots if there is no name.

    `level` is the level of the bots if all had the same.
    """

    variant: str
    players: int
    name: str | None
    level: str | None
    played: int
    won: int
    mean_place: float
    mean_points: float


class History:
    """The finished games in the database."""

    def __init__(self, database: Database, tables: TableStore) -> None:
        self._database = database
        self._tables = tables

    async def games(self, guest: str, limit: int, before: tuple[datetime, str] | None = None) -> list[FinishedTable]:
        """Return the finished games of a guest, the newest first; with `before`, those that follow that one."""
        finished = (
            sa.select(seats.c.finished_at, seats.c.table_id)
            .where(seats.c.guest_id == guest, seats.c.finished_at.is_not(None))
            .distinct()
            .order_by(seats.c.finished_at.desc(), seats.c.table_id.desc())
            .limit(limit)
        )
        if before is not None:
            at, table_id = before
            is_older = sa.and_(seats.c.finished_at == at, seats.c.table_id < table_id)
            finished = finished.where(seats.c.finished_at <= at, sa.or_(seats.c.finished_at < at, is_older))
        order = {str(row.table_id): row.finished_at for row in await self._database.fetch(finished)}
        found = {table.id: table for table in await self._tables.find(tables.c.id.in_(list(order)), limit)}
        rows = await self._database.fetch(
            sa.select(seats.c.table_id, seats.c.place, seats.c.points, seats.c.has_won)
            .where(seats.c.table_id.in_(list(order)))
            .order_by(seats.c.seat)
        )
        results: dict[str, list[Result]] = {table_id: [] for table_id in order}
        for row in rows:
            results[row.table_id].append(Result(row.place, row.points, row.has_won))
        return [FinishedTable(found[name], tuple(results[name]), at) for name, at in order.items()]

    async def tallies(self, guest: str, most_people: int) -> list[Tally]:
        """Return how a guest did against bots, and against the people they met most often.

        Games are grouped by variant and number of players. Games in which the guest had several seats do not count
        against people; a game with several people counts for each of them.
        """
        return [*await self._against_bots(guest), *await self._against_people(guest, most_people)]

    async def _against_bots(self, guest: str) -> list[Tally]:
        own, other = seats.alias("own"), seats.alias("other")
        lowest, highest = sa.func.min(other.c.level), sa.func.max(other.c.level)
        each = (
            sa.select(
                own.c.place,
                own.c.points,
                own.c.has_won,
                tables.c.variant,
                (sa.func.count() + 1).label("players"),
                sa.case((lowest == highest, lowest), else_=None).label("level"),
            )
            .join(tables, tables.c.id == own.c.table_id)
            .join(other, sa.and_(other.c.table_id == own.c.table_id, other.c.seat != own.c.seat))
            .where(own.c.guest_id == guest, own.c.finished_at.is_not(None))
            .group_by(own.c.table_id, own.c.seat, own.c.place, own.c.points, own.c.has_won, tables.c.variant)
            .having(sa.func.sum(sa.case((other.c.kind == "bot", 1), else_=0)) == sa.func.count())
            .subquery()
        )
        kind = (each.c.variant, each.c.players, each.c.level)
        rows = await self._database.fetch(sa.select(*kind, *_totals(each)).group_by(*kind).order_by(*kind))
        return [
            Tally(variant, players, None, level, *_to_numbers(*totals)) for variant, players, level, *totals in rows
        ]

    async def _against_people(self, guest: str, most: int) -> list[Tally]:
        own, other, seated = seats.alias("own"), seats.alias("other"), seats.alias("seated")
        seat_count = sa.select(sa.func.count()).where(seated.c.table_id == own.c.table_id)
        each = (
            sa.select(
                own.c.table_id,
                own.c.place,
                own.c.points,
                own.c.has_won,
                tables.c.variant,
                seat_count.scalar_subquery().label("players"),
                other.c.guest_id,
            )
            .join(tables, tables.c.id == own.c.table_id)
            .join(other, sa.and_(other.c.table_id == own.c.table_id, other.c.guest_id != guest))
            .where(own.c.guest_id == guest, own.c.finished_at.is_not(None))
            .where(seat_count.where(seated.c.guest_id == guest).scalar_subquery() == 1)
            .distinct()  # several people on one device are one guest
            .subquery()
        )
        kind = (each.c.variant, each.c.players, each.c.guest_id, guests.c.nickname)
        rows = await self._database.fetch(
            sa.select(*kind, *_totals(each))
            .join(guests, guests.c.id == each.c.guest_id)
            .group_by(*kind)
            .order_by(sa.func.count().desc(), guests.c.nickname, each.c.guest_id)
            .limit(most)
        )
        return [
            Tally(variant, players, nickname, None, *_to_numbers(*totals))
            for variant, players, _, nickname, *totals in rows
        ]


def _totals(each: sa.Subquery) -> list[sa.ColumnElement[Any]]:
    """Select the number of games, the number won, and the mean place and points."""
    won = sa.func.sum(sa.case((each.c.has_won, 1), else_=0))
    return [sa.func.count(), won, sa.func.avg(each.c.place), sa.func.avg(each.c.points)]


def _to_numbers(played: Any, won: Any, place: Any, points: Any) -> tuple[int, int, float, float]:
    """Convert the totals from the types of the database."""
    return int(played), int(won), float(place), float(points)


def cursor_of(finished: FinishedTable) -> str:
    """Return the cursor for the page after this game."""
    return f"{(finished.finished_at - _EPOCH) // _MICROSECOND}.{finished.table.id}"


def moment_of(cursor: str | None) -> tuple[datetime, str] | None:
    """Return the time and the table of a cursor; the inverse of `cursor_of`."""
    if cursor is None:
        return None
    microseconds, _, table_id = cursor.partition(".")
    if not (microseconds.isascii() and microseconds.isdecimal() and len(microseconds) <= 16 and table_id):
        raise RequestError("malformed", "expected a cursor from an earlier answer")
    return _EPOCH + int(microseconds) * _MICROSECOND, table_id


def history_of(found: Sequence[FinishedTable], guest_id: str, limit: int) -> protocol.History:
    """Return the message with one page of finished games; there is a next page if more were found."""
    shown = found[:limit]
    return protocol.History(
        games=[_played_game(finished, guest_id) for finished in shown],
        next=cursor_of(shown[-1]) if len(found) > limit else None,
    )


def _played_game(finished: FinishedTable, guest_id: str) -> protocol.PlayedGame:
    table = finished.table
    return protocol.PlayedGame.model_validate(
        {
            "table": table.id,
            "game": table.options.variant,
            "players": table.options.players,
            "finished_at": finished.finished_at,
            "seats": [
                {
                    "seat": number,
                    "kind": seat.kind,
                    "name": seat.name,
                    "level": seat.level,
                    "is_you": seat.guest == guest_id,
                    "has_left": seat.has_left,
                    **asdict(result),
                }
                for number, (seat, result) in enumerate(zip(table.seats, finished.results, strict=True))
            ],
        }
    )


def statistics_of(tallies: Sequence[Tally]) -> protocol.Statistics:
    """Return the message with the tallies of a guest."""
    scores = [{"game": fields.pop("variant"), **fields} for fields in map(asdict, tallies)]
    return protocol.Statistics.model_validate({"scores": scores})
