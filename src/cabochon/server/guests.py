"""Guests: people without an account, their sessions, links for other devices, and the tokens of their bots."""

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from cabochon.server import clocks
from cabochon.server.database import Database, new_id
from cabochon.server.errors import RequestError
from cabochon.server.protocol import BotToken
from cabochon.server.schema import bot_tokens, device_links, guests, seats, sessions, tables

SECRET_BYTES = 32
REMOVED_AT_ONCE = 500
GUESTS_PER_QUERY = 500


_GUEST = (guests.c.id, guests.c.nickname, guests.c.banned_at.is_not(None))


def new_secret() -> str:
    """Return a random secret for a cookie, a link or a token."""
    return secrets.token_urlsafe(SECRET_BYTES)


def digest_of(secret: str) -> str:
    """Return the hash that is stored. A secret has 256 random bits, so a plain hash is safe."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass(frozen=True)
class Guest:
    """A person without an account."""

    id: str
    nickname: str
    is_banned: bool = False


class Guests:
    """The guests in the database, with their sessions and device links."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, nickname: str) -> tuple[Guest, str]:
        """Add a guest; return it with the secret of its first session."""
        guest, secret = Guest(new_id(), nickname), new_secret()
        async with self._database.transaction() as connection:
            await connection.execute(guests.insert().values(id=guest.id, nickname=nickname, created_at=clocks.now()))
            await _add_session(connection, secret, guest.id)
        return guest, secret

    async def rename(self, guest: Guest, nickname: str) -> Guest:
        """Change the nickname, also of seats that are kept for the guest; seats already taken keep the old one."""
        async with self._database.transaction() as connection:
            await connection.execute(guests.update().where(guests.c.id == guest.id).values(nickname=nickname))
            is_kept = sa.and_(seats.c.kept_for == guest.id, seats.c.kind == "open", seats.c.name == guest.nickname)
            await connection.execute(seats.update().where(is_kept).values(name=nickname))
        return Guest(guest.id, nickname)

    async def nicknames(self, guest_ids: Collection[str]) -> dict[str, str]:
        """Return the nicknames of the guests that exist, by id."""
        if not guest_ids:
            return {}
        rows = await self._database.fetch(sa.select(guests.c.id, guests.c.nickname).where(guests.c.id.in_(guest_ids)))
        return {str(row.id): str(row.nickname) for row in rows}

    async def find(self, guest_ids: Collection[str]) -> dict[str, Guest]:
        """Return the guests that exist, by id."""
        ids, found = list(guest_ids), dict[str, Guest]()
        for start in range(0, len(ids), GUESTS_PER_QUERY):
            is_meant = guests.c.id.in_(ids[start : start + GUESTS_PER_QUERY])
            found |= {row.id: Guest(*row) for row in await self._database.fetch(sa.select(*_GUEST).where(is_meant))}
        return found

    async def banned_at_tables(self) -> list[tuple[str, Guest]]:
        """Return the unfinished tables where a banned guest sits, or waits for players as the host."""
        sits = sa.and_(seats.c.guest_id == guests.c.id, seats.c.finished_at.is_(None), seats.c.left_at.is_(None))
        is_banned = guests.c.banned_at.is_not(None)
        sitting = (
            sa.select(tables.c.id, *_GUEST)
            .select_from(guests)
            .join(seats, sits)
            .join(tables, tables.c.id == seats.c.table_id)
            .where(is_banned, tables.c.status.in_(("waiting", "playing")))
        )
        hosting = (
            sa.select(tables.c.id, *_GUEST)
            .join_from(guests, tables, tables.c.host_id == guests.c.id)
            .where(is_banned, tables.c.status == "waiting")
        )
        rows = [*await self._database.fetch(sitting.distinct()), *await self._database.fetch(hosting)]
        return [(row[0], Guest(*row[1:])) for row in rows]

    async def remove_unused(self, before: datetime) -> int:
        """Remove guests from before this time who have no table, seat or token; return how many."""
        used = (tables.c.host_id, seats.c.guest_id, seats.c.kept_for, bot_tokens.c.guest_id)
        is_unused = [~sa.exists().where(column == guests.c.id) for column in used]
        found = sa.select(guests.c.id).where(guests.c.created_at < before, *is_unused).limit(REMOVED_AT_ONCE)
        found = found.with_for_update(skip_locked=True)
        removed = 0
        while True:
            async with self._database.transaction() as connection:
                ids = (await connection.scalars(found)).all()
                # Somebody may have come back before the rows were locked, and only a new statement sees that.
                query = guests.delete().where(guests.c.id.in_(ids), *is_unused)
                removed += (await connection.execute(query)).rowcount
            if len(ids) < REMOVED_AT_ONCE:
                return removed

    async def of_session(self, secret: str) -> Guest | None:
        """Return the guest whose session it is."""
        return await _guest_by(self._database, sessions, secret)

    async def add_device_link(self, guest: Guest, lifetime: timedelta) -> tuple[str, datetime]:
        """Add a key that opens one more session, once; return it with its expiry."""
        key, expires_at = new_secret(), clocks.now() + lifetime
        async with self._database.transaction() as connection:
            await require_guest(connection, guest.id)
            await connection.execute(device_links.delete().where(device_links.c.expires_at < clocks.now()))
            row = {"digest": digest_of(key), "guest_id": guest.id, "expires_at": expires_at}
            await connection.execute(device_links.insert().values(row))
        return key, expires_at

    async def claim_device_link(self, key: str) -> tuple[Guest, str] | None:
        """Use up a key; return the guest and the secret of a new session, or None if the key is invalid."""
        secret = new_secret()
        async with self._database.transaction() as connection:
            is_valid = sa.and_(device_links.c.digest == digest_of(key), device_links.c.expires_at >= clocks.now())
            guest_id = await connection.scalar(sa.select(device_links.c.guest_id).where(is_valid))
            guest = None if guest_id is None else await _lock_guest(connection, guest_id)
            if guest is None or (await connection.execute(device_links.delete().where(is_valid))).rowcount == 0:
                return None
            await _add_session(connection, secret, guest.id)
        return guest, secret


class BotTokens:
    """The tokens of guests' programs in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, guest: Guest, name: str, most: int | None = None) -> tuple[BotToken, str]:
        """Add a token; return it with its secret, of which only the hash is stored.

        Refuse it if the guest has so many tokens already.
        """
        token, secret = BotToken(id=new_id(), name=name, created_at=clocks.now()), new_secret()
        row = {**token.model_dump(), "digest": digest_of(secret), "guest_id": guest.id}
        count = sa.select(sa.func.count()).select_from(bot_tokens).where(bot_tokens.c.guest_id == guest.id)
        async with self._database.transaction() as connection:
            await require_guest(connection, guest.id)
            if most is not None and (await connection.execute(count)).scalar_one() >= most:
                raise RequestError("limit_reached", f"expected at most {most} tokens; revoke one first")
            await connection.execute(bot_tokens.insert().values(row))
        return token, secret

    async def of_guest(self, guest: Guest) -> list[BotToken]:
        """Return the tokens of a guest, the newest first."""
        columns = (bot_tokens.c.id, bot_tokens.c.name, bot_tokens.c.created_at)
        query = sa.select(*columns).where(bot_tokens.c.guest_id == guest.id)
        rows = await self._database.fetch(query.order_by(bot_tokens.c.created_at.desc(), bot_tokens.c.id))
        return [BotToken(**row._asdict()) for row in rows]

    async def remove(self, guest: Guest, token_id: str) -> str | None:
        """Revoke a token; return its digest, or None if the guest has no such token."""
        async with self._database.transaction() as connection:
            is_token = sa.and_(bot_tokens.c.guest_id == guest.id, bot_tokens.c.id == token_id)
            removed = await connection.execute(bot_tokens.delete().where(is_token).returning(bot_tokens.c.digest))
            return removed.scalar_one_or_none()

    async def valid(self, digests: Collection[str]) -> set[str]:
        """Return those digests whose tokens are not revoked."""
        query = sa.select(bot_tokens.c.digest).where(bot_tokens.c.digest.in_(list(digests)))
        return {row.digest for row in await self._database.fetch(query)}

    async def owner(self, secret: str) -> Guest | None:
        """Return the guest whose token it is."""
        return await _guest_by(self._database, bot_tokens, secret)


async def require_guest(connection: AsyncConnection, guest_id: str) -> None:
    """Let no other transaction add something of this guest, or delete them, before this one ends.

    Refuse a guest who was deleted. Guests are locked before tables, and tables before seats: so no two transactions
    wait for each other.
    """
    if await _lock_guest(connection, guest_id) is None:
        raise RequestError("no_guest", "expected a guest who was not deleted; call PUT /api/me first")


async def _lock_guest(connection: AsyncConnection, guest_id: str) -> Guest | None:
    query = sa.select(*_GUEST).where(guests.c.id == guest_id).with_for_update(key_share=True)
    row = (await connection.execute(query)).first()
    return None if row is None else Guest(*row)


async def _guest_by(database: Database, table: sa.Table, secret: str) -> Guest | None:
    query = sa.select(*_GUEST).join_from(guests, table, table.c.guest_id == guests.c.id)
    rows = await database.fetch(query.where(table.c.digest == digest_of(secret)))
    return Guest(*rows[0]) if rows else None


async def _add_session(connection: AsyncConnection, secret: str, guest_id: str) -> None:
    row = {"digest": digest_of(secret), "guest_id": guest_id, "created_at": clocks.now()}
    await connection.execute(sessions.insert().values(row))
