"""The lobby: the public tables that wait for players."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

from cabochon.server import protocol
from cabochon.server.store import Store, StoredTable

MOST_TABLES = 100


class Lobby:
    """The list as everybody gets it. It is made anew after a change, when somebody asks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._changes = 0
        self._made: tuple[int, str, str] | None = None  # after so many changes: the JSON, and a name for this version

    def change(self) -> None:
        """Something that it shows may have changed."""
        self._changes += 1

    async def read(self) -> tuple[str, str]:
        """The message `protocol.Lobby` as JSON, and a name for this version of it."""
        async with self._lock:
            if self._made is None or self._made[0] != self._changes:
                changes = self._changes
                text = _told(await self._store.open_tables(MOST_TABLES)).model_dump_json()
                self._made = (changes, text, f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"')
            return self._made[1], self._made[2]


def _told(found: Sequence[tuple[StoredTable, str]]) -> protocol.Lobby:
    return protocol.Lobby(tables=[_open_table(table, host) for table, host in found])


def _open_table(table: StoredTable, host: str) -> protocol.OpenTable:
    return protocol.OpenTable.model_validate(
        {
            "id": table.id,
            "host": host,
            "game": table.options.variant,
            "players": table.options.players,
            "free": sum(seat.kind == "open" and seat.kept_for is None for seat in table.seats),
            "free_take": table.options.free_take,
            "payment": table.options.payment,
            "clock": table.clock and table.clock.to_message(),
            "seats": [{"kind": seat.kind, "name": seat.name, "level": seat.level} for seat in table.seats],
            "created_at": table.created_at,
        }
    )
