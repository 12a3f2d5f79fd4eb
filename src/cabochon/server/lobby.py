"""The lobby: the list of public tables that wait for players."""

import asyncio
import hashlib
from itertools import chain, islice, zip_longest

from cabochon.server import protocol
from cabochon.server.guests import Guests
from cabochon.server.rate_limits import GuestAddresses
from cabochon.server.table_store import TableRecord, TableStore

MOST_TABLES = 100
MOST_WAITING = 1000  # of which these are chosen


class Lobby:
    """The list as it is sent to everybody. After a change it is made again for the next request."""

    def __init__(self, tables: TableStore, guests: Guests, addresses: GuestAddresses) -> None:
        self._tables = tables
        self._guests = guests
        self._addresses = addresses
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
                found = self._chosen(await self._tables.public_waiting(MOST_WAITING))
                hosts = await self._guests.nicknames([table.host for table in found])
                message = protocol.Lobby(tables=[_open_table(table, hosts[table.host]) for table in found])
                text = message.model_dump_json()
                self._cached = (changes, text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"')
            return self._cached[1], self._cached[2]

    def _chosen(self, waiting: list[TableRecord]) -> list[TableRecord]:
        """Choose tables by turns of their hosts' addresses, so that nobody can fill the list; show the newest first."""
        by_address: dict[str, list[TableRecord]] = {}
        for table in waiting:
            by_address.setdefault(self._addresses.of(table.host) or table.host, []).append(table)
        in_turns = chain.from_iterable(zip_longest(*by_address.values()))
        chosen = islice((table for table in in_turns if table is not None), MOST_TABLES)
        return sorted(chosen, key=lambda table: table.created_at, reverse=True)


def _open_table(table: TableRecord, host: str) -> protocol.OpenTable:
    seats = [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in table.seats]
    free = sum(seat.kind == "open" and seat.kept_for is None for seat in table.seats)
    return protocol.OpenTable.model_validate({**table.summary, "host": host, "free": free, "seats": seats})
