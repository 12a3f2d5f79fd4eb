"""The lobby: the list of public tables that wait for players."""

import asyncio
import hashlib

from cabochon.server import protocol
from cabochon.server.guests import Guests
from cabochon.server.table_store import TableRecord, TableStore

MOST_TABLES = 100


class Lobby:
    """The list as it is sent to everybody. After a change it is made again for the next request."""

    def __init__(self, tables: TableStore, guests: Guests) -> None:
        self._tables = tables
        self._guests = guests
        self._lock = asyncio.Lock()
        self._changes = 0
        self._cached: tuple[int, str, str] | None = None  # the number of changes, the JSON, and its ETag

    def invalidate(self) -> None:
        """Note that something in the list may have changed."""
        self._changes += 1

    async def read(self) -> tuple[str, str]:
        """Return the message `protocol.Lobby` as JSON, and its ETag."""
        async with self._lock:
            if self._cached is None or self._cached[0] != self._changes:
                changes = self._changes
                found = await self._tables.public_waiting(MOST_TABLES)
                hosts = await self._guests.nicknames([table.host for table in found])
                message = protocol.Lobby(tables=[_open_table(table, hosts[table.host]) for table in found])
                text = message.model_dump_json()
                self._cached = (changes, text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"')
            return self._cached[1], self._cached[2]


def _open_table(table: TableRecord, host: str) -> protocol.OpenTable:
    seats = [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in table.seats]
    free = sum(seat.kind == "open" and seat.kept_for is None for seat in table.seats)
    return protocol.OpenTable.model_validate({**table.summary, "host": host, "free": free, "seats": seats})
