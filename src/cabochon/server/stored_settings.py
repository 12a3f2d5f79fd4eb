"""Settings in the database, which all processes share: secrets, and what an operator has changed."""

import json
import secrets
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from cabochon.server.database import Database
from cabochon.server.schema import settings

SECRET_BYTES = 32
_SECRET = "secret."  # the names of secrets begin with it, so that no list of settings shows them


class StoredSettings:
    """The table of settings: a JSON value for each name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def secret(self, name: str) -> bytes:
        """Return a random secret of this database; the first process that asks makes it, and nobody changes it."""
        stored = _SECRET + name
        value = await self._value(stored)
        if value is None:
            try:
                async with self._database.transaction() as connection:
                    row = {"name": stored, "value": json.dumps(secrets.token_urlsafe(SECRET_BYTES))}
                    await connection.execute(settings.insert().values(row))
            except IntegrityError:  # another process was faster
                pass
            value = await self._value(stored)
        return str(value).encode()

    async def all(self) -> dict[str, Any]:
        """Return the values that an operator has set, by name."""
        query = sa.select(settings.c.name, settings.c.value).where(~settings.c.name.startswith(_SECRET))
        return {row.name: json.loads(row.value) for row in await self._database.fetch(query)}

    async def set(self, name: str, value: object) -> None:
        """Store a value."""
        try:
            await self._set(name, json.dumps(value))
        except IntegrityError:  # another process has just set it for the first time
            await self._set(name, json.dumps(value))

    async def _set(self, name: str, value: str) -> None:
        async with self._database.transaction() as connection:
            change = settings.update().where(settings.c.name == name).values(value=value)
            if (await connection.execute(change)).rowcount == 0:
                await connection.execute(settings.insert().values(name=name, value=value))

    async def unset(self, name: str) -> None:
        """Forget a value, if there is one."""
        async with self._database.transaction() as connection:
            await connection.execute(settings.delete().where(settings.c.name == name))

    async def _value(self, name: str) -> Any:
        rows = await self._database.fetch(sa.select(settings.c.value).where(settings.c.name == name))
        return json.loads(rows[0].value) if rows else None
