"""The lobby: the public tables that wait for players, page by page."""

import asyncio
import hashlib
from collections.abc import Iterable
from itertools import chain, zip_longest

from cabochon.server import protocol
from cabochon.server.guests import Guests
from cabochon.server.notifications import Notifications
from cabochon.server.table_store import TableRecord, TableStore, WaitingTable

TABLES_PER_PAGE = 50
MOST_WAITING = 10_000  # tables beyond these wait for a place in the list


class Lobby:
    """The pages of the list as they are sent to everybody. After a change they are made again when they are read."""

    def __init__(self, tables: TableStore, guests: Guests, notifications: Notifications) -> None:
        self._tables = tables
        self._guests = guests
        self._notifications = notifications
        self._lock = asyncio.Lock()
        self._changes = 0
        self._listed_changes = -1  # how many changes the list below includes
        self._ids: list[str] = []  # of all pages
        self._pages: dict[int, tuple[str, str]] = {}  # by page: the JSON and its ETag

    def change(self) -> None:
        """Note that this process has changed something in the list, and tell the others."""
        self.invalidate()
        self._notifications.tell_all("lobby")

    def invalidate(self) -> None:
        """Note that something in the list may have changed."""
        self._changes += 1

    async def read(self, page: int) -> tuple[str, str]:
        """Return the message `protocol.Lobby` for a page, counted from 1, as JSON, and its ETag."""
        async with self._lock:
            if self._listed_changes != self._changes:
                changes = self._changes
                self._ids = list(_in_turns(await self._tables.public_waiting(MOST_WAITING)))
                self._pages = {}
                self._listed_changes = changes
            pages = max(1, -(-len(self._ids) // TABLES_PER_PAGE))
            if page not in self._pages:
                text = (await self._message(page, pages)).model_dump_json()
                made = text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'
                if page > pages:  # anybody can ask for any number: these are not kept
                    return made
                self._pages[page] = made
            return self._pages[page]

    async def _message(self, page: int, pages: int) -> protocol.Lobby:
        ids = self._ids[(page - 1) * TABLES_PER_PAGE : page * TABLES_PER_PAGE]
        found = await self._tables.get_all(ids)
        hosts = await self._guests.nicknames([table.host for table in found])
        newest_first = sorted(found, key=lambda table: table.created_at, reverse=True)
        tables = [_open_table(table, hosts[table.host]) for table in newest_first]
        return protocol.Lobby(tables=tables, page=page, pages=pages)


def _in_turns(waiting: list[WaitingTable]) -> Iterable[str]:
    """Order tables by turns of the addresses they were opened from, so that nobody can fill the first pages."""
    by_address: dict[str, list[str]] = {}
    for table in waiting:
        by_address.setdefault(table.opened_from or table.host, []).append(table.id)
    return (table for table in chain.from_iterable(zip_longest(*by_address.values())) if table is not None)


def _open_table(table: TableRecord, host: str) -> protocol.OpenTable:
    seats = [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in table.seats]
    free = sum(seat.kind == "open" and seat.kept_for is None for seat in table.seats)
    return protocol.OpenTable.model_validate({**table.summary, "host": host, "free": free, "seats": seats})
