"""What the server keeps: guests, their sessions, tables, seats, and the log of every game.

Nothing is told to anyone before it is committed here. The log of a game only grows, and the number of an entry
is part of its key: of two that claim the same place one is refused by the database itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from cabochon.game import Options
from cabochon.server.clocks import Clock
from cabochon.server.migrations import upgrade
from cabochon.server.timeline import Deal, Entry

ID_BYTES = 12  # 96 bits: nobody guesses a table
SECRET_BYTES = 32
UNFINISHED = ("waiting", "playing")


def new_id() -> str:
    """A name that cannot be guessed, fit for an address."""
    return secrets.token_urlsafe(ID_BYTES)


def now() -> datetime:
    """The moment, in UTC."""
    return datetime.now(UTC)


def digest_of(secret: str) -> str:
    """What is kept of a secret. It has 256 random bits, so that a plain hash cannot be turned around."""
    return hashlib.sha256(secret.encode()).hexdigest()


class Moment(sa.types.TypeDecorator[datetime]):
    """A time in UTC, also in a database that does not keep time zones."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """In UTC, whatever zone it came in."""
        return value if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """With its zone again."""
        return value if value is None or value.tzinfo is not None else value.replace(tzinfo=UTC)


metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

guests = sa.Table(
    "guests",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("nickname", sa.String(24), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
)

sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("guest_id", sa.ForeignKey("guests.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created_at", Moment, nullable=False),
)

device_links = sa.Table(
    "device_links",
    metadata,
    sa.Column("digest", sa.String(64), primary_key=True),
    sa.Column("guest_id", sa.ForeignKey("guests.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("expires_at", Moment, nullable=False),
)

bot_tokens = sa.Table(
    "bot_tokens",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False, unique=True),
    sa.Column("guest_id", sa.ForeignKey("guests.id", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
)

tables = sa.Table(
    "tables",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("host_id", sa.ForeignKey("guests.id"), nullable=False, index=True),
    sa.Column("variant", sa.String(16), nullable=False),
    sa.Column("free_take", sa.Boolean, nullable=False),
    sa.Column("payment", sa.String(16), nullable=False),
    sa.Column("seed", sa.LargeBinary(32), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("seat_to_move", sa.SmallInteger, nullable=False),  # as the log has it; to find where a bot must go on
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("next_id", sa.ForeignKey("tables.id"), nullable=True, unique=True),
    sa.Column("visibility", sa.String(8), nullable=False, server_default="private"),
    sa.Column("clock", sa.String(32), nullable=True),
    sa.Column("started_at", Moment, nullable=True),  # when the last seat was taken
    sa.Column("seen_at", Moment, nullable=True),  # when somebody was last there while it waited
    sa.CheckConstraint("status IN ('waiting', 'playing', 'over', 'closed')", name="status"),
    sa.Index("ix_tables_status", "status"),
)

seats = sa.Table(
    "seats",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seat", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("guest_id", sa.ForeignKey("guests.id"), nullable=True),
    sa.Column("level", sa.String(16), nullable=True),
    sa.Column("name", sa.String(24), nullable=False),
    # How the game ended for the seat, and when; written with the last entry of its log.
    sa.Column("place", sa.SmallInteger, nullable=True),
    sa.Column("points", sa.SmallInteger, nullable=True),
    sa.Column("has_won", sa.Boolean, nullable=True),
    sa.Column("finished_at", Moment, nullable=True),
    sa.Column("left_at", Moment, nullable=True),  # when its person gave it up; written with that entry of the log
    sa.Column("kept_for", sa.String(32), nullable=True),  # an open seat: the guest who alone may take it
    sa.Index("ix_seats_guest_id_finished_at", "guest_id", "finished_at"),
    sa.CheckConstraint(
        "(kind = 'person' AND guest_id IS NOT NULL AND level IS NULL)"
        " OR (kind = 'bot' AND guest_id IS NULL AND level IS NOT NULL)"
        " OR (kind = 'open' AND guest_id IS NULL AND level IS NULL)",
        name="kind",
    ),
)

entries = sa.Table(
    "entries",
    metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("seat", sa.SmallInteger, nullable=False),
    sa.Column("text", sa.String(64), nullable=False),
    sa.Column("at", Moment, nullable=False),
)


@dataclass(frozen=True)
class Guest:
    """A person without an account."""

    id: str
    nickname: str


@dataclass(frozen=True)
class BotToken:
    """What is known of a token with which a guest's program plays."""

    id: str
    name: str
    created_at: datetime


@dataclass(frozen=True)
class Seat:
    """Who has a seat: `kind` is "person" with a guest, "bot" with a level, or "open", for a guest or for anyone."""

    kind: str
    name: str
    guest: str | None = None
    level: str | None = None
    kept_for: str | None = None
    has_left: bool = False

    def is_open_to(self, guest: str) -> bool:
        """Whether the guest may sit down there."""
        return self.kind == "open" and self.kept_for in (None, guest)

    def renamed(self, before: Guest, after: Guest) -> Seat:
        """The seat after a guest took another nickname: one that is kept for that guest bears it."""
        is_theirs = self.kind == "open" and self.kept_for == before.id and self.name == before.nickname
        return replace(self, name=after.nickname) if is_theirs else self


@dataclass(frozen=True)
class StoredTable:
    """A table as it is kept, without the log of its game; `next` is the table of the rematch."""

    id: str
    host: str
    options: Options
    seed: bytes
    seats: tuple[Seat, ...]
    status: str
    created_at: datetime
    next: str | None = None
    visibility: str = "private"
    clock: Clock | None = None
    started_at: datetime | None = None

    @property
    def deal(self) -> Deal:
        """What its game begins with."""
        names = tuple(seat.name or f"Seat {number}" for number, seat in enumerate(self.seats, start=1))
        bots = frozenset(number for number, seat in enumerate(self.seats) if seat.kind == "bot")
        date = self.created_at.date().isoformat()
        return Deal(self.options, self.seed, names, date, self.clock, self.started_at, bots)

    def has_stand_in(self, number: int) -> bool:
        """Whether a bot plays on for the person who left that seat; of two players the other one has won."""
        return self.seats[number].has_left and len(self.seats) > 2

    def seats_of(self, guest: str | None) -> list[int]:
        """The seats that belong to the guest: several, where several people play at one device."""
        return [
            number
            for number, seat in enumerate(self.seats)
            if guest is not None and seat.guest == guest and not self.has_stand_in(number)
        ]

    def seat_of(self, guest: str | None) -> int | None:
        """The first seat that belongs to the guest, or None."""
        return next(iter(self.seats_of(guest)), None)


@dataclass(frozen=True)
class Result:
    """How a game ended for one seat."""

    place: int
    points: int
    has_won: bool


@dataclass(frozen=True)
class FinishedTable:
    """A table whose game is over, with the result of each seat."""

    table: StoredTable
    results: tuple[Result, ...]
    finished_at: datetime


@dataclass(frozen=True)
class Tally:
    """How a guest did against the person of a nickname, or without one against bots alone.

    `level` is that of the bots, if all were of the same.
    """

    variant: str
    players: int
    name: str | None
    level: str | None
    played: int
    won: int
    mean_place: float
    mean_points: float


def _successor_of(table_id: str) -> sa.Select[str]:
    """The rematch of a table, unless that was closed before it began."""
    before, after = tables.alias(), tables.alias()
    return (
        sa.select(after.c.id)
        .join_from(before, after, before.c.next_id == after.c.id)
        .where(before.c.id == table_id, after.c.status != "closed")
    )


def _counts(each: sa.Subquery) -> list[sa.ColumnElement[Any]]:
    """How many of these games there were, how many were won, and the mean place and points."""
    won = sa.func.sum(sa.case((each.c.has_won, 1), else_=0))
    return [sa.func.count(), won, sa.func.avg(each.c.place), sa.func.avg(each.c.points)]


def _counted(played: Any, won: Any, place: Any, points: Any) -> tuple[int, int, float, float]:
    """The same as plain numbers, whatever the database has for them."""
    return int(played), int(won), float(place), float(points)


class ConflictError(Exception):
    """The place in the log is taken: somebody else's entry was committed first."""


@dataclass(frozen=True)
class _Append:
    table_id: str
    entry: Entry
    status: str
    seat_to_move: int
    results: Sequence[Result]
    is_done: asyncio.Future[None]


class Store:
    """The database. All its methods may be called at the same time."""

    def __init__(self, url: str, on_commit: Callable[[float, int], None] = lambda seconds, entries: None) -> None:
        self._engine = create_async_engine(url)
        self._on_commit = on_commit
        self._waiting: list[_Append] = []
        self._writer: asyncio.Task[None] | None = None
        self._write_lock = asyncio.Lock()
        if self._engine.dialect.name == "sqlite":
            _prepare_sqlite(self._engine)

    async def open(self) -> None:
        """Bring the schema up to date; a new SQLite file gets its folder."""
        url = self._engine.url
        if url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:"):
            await asyncio.to_thread(Path(str(url.database)).parent.mkdir, parents=True, exist_ok=True)
        async with self._engine.connect() as connection:
            await connection.run_sync(upgrade, metadata)

    async def close(self) -> None:
        """Finish what is being written, and let go of the database."""
        while self._writer is not None and not self._writer.done():
            await asyncio.wait([self._writer])
        await self._engine.dispose()

    async def check(self) -> None:
        """Raise unless the database answers."""
        async with self._engine.connect() as connection:
            await connection.execute(sa.select(sa.literal(1)))

    @asynccontextmanager
    async def _writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes. One at a time: SQLite has no more, and here they wait without polling."""
        async with self._write_lock, self._engine.connect() as connection:
            writer = await connection.execution_options(is_writing=True)
            async with writer.begin():
                yield writer

    async def _rows(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).all()

    # Guests

    async def add_guest(self, nickname: str) -> tuple[Guest, str]:
        """A new guest, and the secret of its first session."""
        guest, secret = Guest(new_id(), nickname), secrets.token_urlsafe(SECRET_BYTES)
        async with self._writing() as connection:
            await connection.execute(guests.insert().values(id=guest.id, nickname=nickname, created_at=now()))
            await _add_session(connection, secret, guest.id)
        return guest, secret

    async def rename_guest(self, guest: Guest, nickname: str) -> Guest:
        """The guest under another nickname; at tables where it sits already it keeps the old one.

        A seat that is kept for it under the old one gets the new one.
        """
        async with self._writing() as connection:
            await connection.execute(guests.update().where(guests.c.id == guest.id).values(nickname=nickname))
            await connection.execute(
                seats.update()
                .where(seats.c.kept_for == guest.id, seats.c.kind == "open", seats.c.name == guest.nickname)
                .values(name=nickname)
            )
        return Guest(guest.id, nickname)

    async def nicknames(self, guest_ids: Collection[str]) -> dict[str, str]:
        """The nicknames of those guests that there are, by their ids."""
        rows = await self._rows(sa.select(guests.c.id, guests.c.nickname).where(guests.c.id.in_(guest_ids)))
        return {str(row.id): str(row.nickname) for row in rows}

    async def guest_of(self, secret: str) -> Guest | None:
        """Whose session it is."""
        rows = await self._rows(
            sa.select(guests.c.id, guests.c.nickname)
            .join(sessions, sessions.c.guest_id == guests.c.id)
            .where(sessions.c.digest == digest_of(secret))
        )
        return Guest(*rows[0]) if rows else None

    async def add_device_link(self, guest: Guest, lifetime: timedelta) -> tuple[str, datetime]:
        """A key that opens one session more for the guest, once, and until when."""
        key, expires_at = secrets.token_urlsafe(SECRET_BYTES), now() + lifetime
        async with self._writing() as connection:
            await connection.execute(device_links.delete().where(device_links.c.expires_at < now()))
            await connection.execute(
                device_links.insert().values(digest=digest_of(key), guest_id=guest.id, expires_at=expires_at)
            )
        return key, expires_at

    async def claim_device_link(self, key: str) -> tuple[Guest, str] | None:
        """Use a key up: the guest, and the secret of a new session; None if the key is no good."""
        secret = secrets.token_urlsafe(SECRET_BYTES)
        async with self._writing() as connection:
            found = (
                await connection.execute(
                    sa.select(guests.c.id, guests.c.nickname)
                    .join(device_links, device_links.c.guest_id == guests.c.id)
                    .where(device_links.c.digest == digest_of(key), device_links.c.expires_at >= now())
                )
            ).one_or_none()
            if found is None:
                return None
            await connection.execute(device_links.delete().where(device_links.c.digest == digest_of(key)))
            await _add_session(connection, secret, found.id)
        return Guest(*found), secret

    # The tokens of programs

    async def add_bot_token(self, guest: Guest, name: str) -> tuple[BotToken, str]:
        """One token more for a guest, and the secret itself, of which only the hash is kept."""
        token, secret = BotToken(new_id(), name, now()), secrets.token_urlsafe(SECRET_BYTES)
        async with self._writing() as connection:
            await connection.execute(
                bot_tokens.insert().values(
                    id=token.id,
                    digest=digest_of(secret),
                    guest_id=guest.id,
                    name=token.name,
                    created_at=token.created_at,
                )
            )
        return token, secret

    async def bot_tokens_of(self, guest: Guest) -> list[BotToken]:
        """The tokens of a guest, the newest first."""
        rows = await self._rows(
            sa.select(bot_tokens.c.id, bot_tokens.c.name, bot_tokens.c.created_at)
            .where(bot_tokens.c.guest_id == guest.id)
            .order_by(bot_tokens.c.created_at.desc(), bot_tokens.c.id)
        )
        return [BotToken(*row) for row in rows]

    async def remove_bot_token(self, guest: Guest, token_id: str) -> str | None:
        """Make a token of a guest worthless; the digest that it had, or None if there is no such token."""
        async with self._writing() as connection:
            removed = await connection.execute(
                bot_tokens.delete()
                .where(bot_tokens.c.guest_id == guest.id, bot_tokens.c.id == token_id)
                .returning(bot_tokens.c.digest)
            )
            return removed.scalar_one_or_none()

    async def guest_of_bot_token(self, secret: str) -> Guest | None:
        """Whose token it is."""
        rows = await self._rows(
            sa.select(guests.c.id, guests.c.nickname)
            .join(bot_tokens, bot_tokens.c.guest_id == guests.c.id)
            .where(bot_tokens.c.digest == digest_of(secret))
        )
        return Guest(*rows[0]) if rows else None

    # Tables

    async def add_table(self, table: StoredTable, follows: str | None = None) -> str:
        """Keep a new table; as the rematch of another one, unless that has one already. The id to go to."""
        async with self._writing() as connection:
            if follows is not None:
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
                )
            )
            await connection.execute(
                seats.insert(), [_seat_row(table.id, number, seat) for number, seat in enumerate(table.seats)]
            )
            if follows is not None:
                await connection.execute(tables.update().where(tables.c.id == follows).values(next_id=table.id))
        return table.id

    async def successor(self, table_id: str) -> str | None:
        """The table of the rematch, if there is one that was not closed."""
        rows = await self._rows(_successor_of(table_id))
        return str(rows[0][0]) if rows else None

    async def table(self, table_id: str) -> StoredTable | None:
        """A table with its seats."""
        found = await self._tables(tables.c.id == table_id)
        return found[0] if found else None

    async def tables_of(self, guest: str, limit: int) -> list[StoredTable]:
        """The tables that are a guest's own: those that are not over first, then the newest.

        They are those where it has a seat, and those that it has opened, but not those that it has left; and after
        these, those where a seat is kept for it. There are at most so many of either kind: anybody may invite a guest,
        and nobody shall hide its games by that.
        """
        sits = sa.select(seats.c.table_id).where(seats.c.guest_id == guest, seats.c.left_at.is_(None))
        left = sa.select(seats.c.table_id).where(seats.c.guest_id == guest, seats.c.left_at.is_not(None))
        has_opened = sa.and_(tables.c.host_id == guest, tables.c.id.not_in(left))
        is_own = sa.or_(has_opened, tables.c.id.in_(sits))
        invited = sa.select(seats.c.table_id).where(seats.c.kept_for == guest)
        own = await self._tables(is_own, limit)
        others = await self._tables(sa.and_(tables.c.id.in_(invited), sa.not_(is_own)), limit)
        return sorted([*own, *others], key=lambda table: table.status not in UNFINISHED)

    async def count_open_tables(self, guest: str) -> int:
        """How many tables of a host are not over."""
        rows = await self._rows(
            sa.select(sa.func.count())
            .select_from(tables)
            .where(tables.c.host_id == guest, tables.c.status.in_(UNFINISHED))
        )
        return int(rows[0][0])

    async def tables_where_a_bot_moves(self) -> list[str]:
        """The tables where a person's game goes on and a bot is to decide."""
        people = seats.alias("people")
        rows = await self._rows(
            sa.select(tables.c.id)
            .join(seats, sa.and_(seats.c.table_id == tables.c.id, seats.c.seat == tables.c.seat_to_move))
            .where(tables.c.status == "playing", sa.or_(seats.c.kind == "bot", seats.c.left_at.is_not(None)))
            .where(sa.exists().where(people.c.table_id == tables.c.id, people.c.kind == "person"))
            .order_by(tables.c.created_at)
        )
        return [str(row.id) for row in rows]

    async def tables_with_clocks(self) -> list[str]:
        """The tables where a game goes on and time counts."""
        rows = await self._rows(
            sa.select(tables.c.id)
            .where(tables.c.status == "playing", tables.c.clock.is_not(None))
            .order_by(tables.c.created_at)
        )
        return [str(row.id) for row in rows]

    async def _tables(self, condition: sa.ColumnElement[bool], limit: int = 1) -> list[StoredTable]:
        rows = await self._rows(
            sa.select(tables)
            .where(condition)
            .order_by(
                tables.c.status.in_(UNFINISHED).desc(),  # these must be found, however old they are
                tables.c.created_at.desc(),
                tables.c.id,
            )
            .limit(limit)
        )
        if not rows:
            return []
        seat_rows = await self._rows(
            sa.select(seats).where(seats.c.table_id.in_([row.id for row in rows])).order_by(seats.c.seat)
        )
        return [_table_from(row, [seat for seat in seat_rows if seat.table_id == row.id]) for row in rows]

    async def change_seat(
        self, table_id: str, number: int, before: Seat, after: Seat, at: datetime, seed: bytes
    ) -> bool:
        """Give a seat to somebody else while the table waits.

        When no seat is open any more it begins to play, with the deal of this seed.

        False, and nothing is changed, if the seat is not what it was before, or the table does not wait.
        """
        is_waiting = sa.and_(tables.c.id == table_id, tables.c.status == "waiting")
        is_same_guest = seats.c.guest_id.is_(None) if before.guest is None else seats.c.guest_id == before.guest
        async with self._writing() as connection:
            if await connection.scalar(sa.select(sa.func.count()).select_from(tables).where(is_waiting)) == 0:
                return False
            changed = await connection.execute(
                seats.update()
                .where(seats.c.table_id == table_id, seats.c.seat == number)
                .where(seats.c.kind == before.kind, is_same_guest)
                .values(_seat_row(table_id, number, after))
            )
            if changed.rowcount == 0:
                return False
            is_open = sa.and_(seats.c.table_id == table_id, seats.c.kind == "open")
            if await connection.scalar(sa.select(sa.func.count()).select_from(seats).where(is_open)) == 0:
                await connection.execute(
                    tables.update().where(is_waiting).values(status="playing", started_at=at, seed=seed)
                )
            else:
                await connection.execute(tables.update().where(is_waiting).values(seen_at=at))
        return True

    async def close_table(self, table_id: str, status: str) -> bool:
        """Close a table for good, unless its status is another one already."""
        async with self._writing() as connection:
            closed = await connection.execute(
                tables.update().where(tables.c.id == table_id, tables.c.status == status).values(status="closed")
            )
        return closed.rowcount > 0

    async def note_seen(self, table_id: str, at: datetime) -> None:
        """Note that somebody was there while a table waited."""
        async with self._writing() as connection:
            await connection.execute(
                tables.update().where(tables.c.id == table_id, tables.c.status == "waiting").values(seen_at=at)
            )

    async def dead_tables(self, not_seen_since: datetime, still_since: datetime) -> list[str]:
        """The tables that wait and where nobody was, and those without a clock where nothing happened, so long."""
        seen_at = sa.func.coalesce(tables.c.seen_at, tables.c.created_at)
        last_entry = sa.select(sa.func.max(entries.c.at)).where(entries.c.table_id == tables.c.id).scalar_subquery()
        moved_at = sa.func.coalesce(last_entry, tables.c.started_at, tables.c.created_at)
        is_forgotten = sa.and_(tables.c.status == "waiting", seen_at < not_seen_since)
        is_still = sa.and_(tables.c.status == "playing", tables.c.clock.is_(None), moved_at < still_since)
        rows = await self._rows(sa.select(tables.c.id).where(sa.or_(is_forgotten, is_still)))
        return [str(row.id) for row in rows]

    async def open_tables(self, limit: int) -> list[tuple[StoredTable, str]]:
        """The public tables that wait and have a seat for anyone, the newest first, each with the name of its host."""
        is_free = sa.select(seats.c.table_id).where(seats.c.kind == "open", seats.c.kept_for.is_(None))
        is_waiting = sa.and_(tables.c.status == "waiting", tables.c.visibility == "public")
        found = await self._tables(sa.and_(is_waiting, tables.c.id.in_(is_free)), limit)
        names = await self.nicknames([table.host for table in found])
        return [(table, names[table.host]) for table in found]

    # What is over

    async def history(self, guest: str, limit: int, before: tuple[datetime, str] | None = None) -> list[FinishedTable]:
        """The finished tables of a guest, the newest first; those after the one that `before` names."""
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
        order = {str(row.table_id): row.finished_at for row in await self._rows(finished)}
        found = {table.id: table for table in await self._tables(tables.c.id.in_(list(order)), limit)}
        rows = await self._rows(
            sa.select(seats.c.table_id, seats.c.place, seats.c.points, seats.c.has_won)
            .where(seats.c.table_id.in_(list(order)))
            .order_by(seats.c.seat)
        )
        results: dict[str, list[Result]] = {table_id: [] for table_id in order}
        for row in rows:
            results[row.table_id].append(Result(row.place, row.points, row.has_won))
        return [FinishedTable(found[name], tuple(results[name]), at) for name, at in order.items()]

    async def tallies(self, guest: str, most_people: int) -> list[Tally]:
        """How a guest did against bots, and against each of so many people whom it met most often.

        By game and number of players; not where it held several seats. A game with several people counts for each.
        """
        return [*await self._tallies_of_bots(guest), *await self._tallies_of_people(guest, most_people)]

    async def _tallies_of_bots(self, guest: str) -> list[Tally]:
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
        rows = await self._rows(sa.select(*kind, *_counts(each)).group_by(*kind).order_by(*kind))
        return [Tally(variant, players, None, level, *_counted(*counts)) for variant, players, level, *counts in rows]

    async def _tallies_of_people(self, guest: str, most: int) -> list[Tally]:
        own, other, sitting = seats.alias("own"), seats.alias("other"), seats.alias("sitting")
        at_the_table = sa.select(sa.func.count()).where(sitting.c.table_id == own.c.table_id)
        each = (
            sa.select(
                own.c.table_id,
                own.c.place,
                own.c.points,
                own.c.has_won,
                tables.c.variant,
                at_the_table.scalar_subquery().label("players"),
                other.c.guest_id,
            )
            .join(tables, tables.c.id == own.c.table_id)
            .join(other, sa.and_(other.c.table_id == own.c.table_id, other.c.guest_id != guest))
            .where(own.c.guest_id == guest, own.c.finished_at.is_not(None))
            .where(at_the_table.where(sitting.c.guest_id == guest).scalar_subquery() == 1)
            .distinct()  # several people at one device are one guest
            .subquery()
        )
        kind = (each.c.variant, each.c.players, each.c.guest_id, guests.c.nickname)
        rows = await self._rows(
            sa.select(*kind, *_counts(each))
            .join(guests, guests.c.id == each.c.guest_id)
            .group_by(*kind)
            .order_by(sa.func.count().desc(), guests.c.nickname, each.c.guest_id)
            .limit(most)
        )
        return [
            Tally(variant, players, nickname, None, *_counted(*counts))
            for variant, players, _, nickname, *counts in rows
        ]

    # The log

    async def entries(self, table_id: str) -> list[Entry]:
        """The log of a game."""
        rows = await self._rows(
            sa.select(entries.c.seq, entries.c.seat, entries.c.text, entries.c.at)
            .where(entries.c.table_id == table_id)
            .order_by(entries.c.seq)
        )
        return [Entry(*row) for row in rows]

    async def lengths(self, table_ids: Sequence[str]) -> dict[str, int]:
        """How long the logs of these tables are."""
        rows = await self._rows(
            sa.select(entries.c.table_id, sa.func.max(entries.c.seq))
            .where(entries.c.table_id.in_(table_ids))
            .group_by(entries.c.table_id)
        )
        return {str(row[0]): int(row[1]) for row in rows}

    async def append(
        self, table_id: str, entry: Entry, status: str, seat_to_move: int, results: Sequence[Result] = ()
    ) -> None:
        """Commit an entry, and with the last one the result of every seat.

        `ConflictError` if its place in the log is taken.

        What comes while another commit is under way is committed together after it: the disk is the slow
        part, and it does not matter to it how many rows there are. A caller that is cancelled does not
        stop what it has begun.
        """
        is_done = asyncio.get_running_loop().create_future()
        self._waiting.append(_Append(table_id, entry, status, seat_to_move, results, is_done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all())
        await is_done

    async def _write_all(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            await self._write_batch(batch)

    async def _write_batch(self, batch: list[_Append]) -> None:
        """All in one transaction; if the database refuses that, each by itself."""
        started = asyncio.get_running_loop().time()
        try:
            async with self._writing() as connection:
                await connection.execute(entries.insert(), [_entry_row(append) for append in batch])
                await connection.execute(_MARK_TABLE, [_mark(append) for append in batch])
                for append in batch:
                    if append.entry.leaving is not None:
                        await connection.execute(
                            seats.update()
                            .where(seats.c.table_id == append.table_id, seats.c.seat == append.entry.seat)
                            .values(left_at=append.entry.at)
                        )
                results = [row for append in batch for row in _result_rows(append)]
                if results:
                    await connection.execute(_MARK_SEAT, results)
        except IntegrityError as error:
            if len(batch) > 1:
                for append in batch:
                    await self._write_batch([append])
                return
            _settle(batch, ConflictError(f"entry {batch[0].entry.seq} of table {batch[0].table_id}: {error.orig}"))
        except Exception as error:  # whatever it is, those who wait must hear of it
            _settle(batch, error)
        else:
            _settle(batch, None)
            self._on_commit(asyncio.get_running_loop().time() - started, len(batch))


_MARK_TABLE = (
    tables.update()
    .where(tables.c.id == sa.bindparam("of_table"))
    .values(status=sa.bindparam("to_status"), seat_to_move=sa.bindparam("to_seat"))
)


def _mark(append: _Append) -> dict[str, Any]:
    return {"of_table": append.table_id, "to_status": append.status, "to_seat": append.seat_to_move}


_MARK_SEAT = (
    seats.update()
    .where(seats.c.table_id == sa.bindparam("of_table"), seats.c.seat == sa.bindparam("of_seat"))
    .values({name: sa.bindparam(f"its_{name}") for name in ("place", "points", "has_won", "finished_at")})
)


def _result_rows(append: _Append) -> list[dict[str, Any]]:
    return [
        {
            "of_table": append.table_id,
            "of_seat": seat,
            "its_place": result.place,
            "its_points": result.points,
            "its_has_won": result.has_won,
            "its_finished_at": append.entry.at,
        }
        for seat, result in enumerate(append.results)
    ]


def _settle(batch: list[_Append], error: Exception | None) -> None:
    for append in batch:
        if append.is_done.done():  # cancelled: nobody waits any more
            continue
        if error is None:
            append.is_done.set_result(None)
        else:
            append.is_done.set_exception(error)


async def _add_session(connection: AsyncConnection, secret: str, guest_id: str) -> None:
    await connection.execute(sessions.insert().values(digest=digest_of(secret), guest_id=guest_id, created_at=now()))


def _entry_row(append: _Append) -> dict[str, Any]:
    entry = append.entry
    return {"table_id": append.table_id, "seq": entry.seq, "seat": entry.seat, "text": entry.text, "at": entry.at}


def _seat_row(table_id: str, number: int, seat: Seat) -> dict[str, Any]:
    return {
        "table_id": table_id,
        "seat": number,
        "kind": seat.kind,
        "guest_id": seat.guest,
        "level": seat.level,
        "name": seat.name,
        "kept_for": seat.kept_for,
    }


def _table_from(row: Any, seat_rows: Sequence[Any]) -> StoredTable:
    return StoredTable(
        id=row.id,
        host=row.host_id,
        options=Options(row.variant, len(seat_rows), row.free_take, row.payment),
        seed=row.seed,
        seats=tuple(
            Seat(seat.kind, seat.name, seat.guest_id, seat.level, seat.kept_for, seat.left_at is not None)
            for seat in seat_rows
        ),
        status=row.status,
        created_at=row.created_at,
        next=row.next_id,
        visibility=row.visibility,
        clock=Clock.from_text(row.clock),
        started_at=row.started_at,
    )


def _prepare_sqlite(engine: AsyncEngine) -> None:
    """Durable commits, readers beside the writer, foreign keys, and transactions that begin when we say so."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def set_up(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @sa.event.listens_for(engine.sync_engine, "begin")
    def begin(connection: sa.Connection) -> None:
        is_writing = connection.get_execution_options().get("is_writing", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")
