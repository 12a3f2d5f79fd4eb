"""Banned and deleted guests: how a running server closes their sockets and takes them from its tables."""

import logging

from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest, Guests
from cabochon.server.live_table import LiveTable
from cabochon.server.sockets import CloseCode, OpenConnections
from cabochon.server.table_registry import TableRegistry
from cabochon.server.telemetry import log_event


class Bans:
    """Enforces what the database says about guests; their requests are refused where they are authenticated."""

    def __init__(self, guests: Guests, registry: TableRegistry, connections: OpenConnections) -> None:
        self._guests = guests
        self._registry = registry
        self._connections = connections

    async def enforce(self) -> None:
        """Close the sockets of banned and deleted guests, and let them leave their tables.

        A deleted guest is gone from the database, but a table in memory still shows the name.
        """
        connected, tables = self._connections.keys, self._registry.live_tables()
        seated = {table.record.id: table.record.seats.guests for table in tables}
        existing = await self._guests.find(connected.union(*seated.values()))
        for guest_id in connected:
            guest = existing.get(guest_id)
            if guest is None:
                self._connections.close_all(guest_id, CloseCode.REVOKED, "the guest was deleted")
            elif guest.is_banned:
                self._connections.close_all(guest_id, CloseCode.BANNED, "the operator of this server has banned you")
        for table_id, guest_ids in seated.items():
            if not guest_ids <= existing.keys() and (table := self._registry.loaded(table_id)) is not None:
                await table.reload()
        for table_id, guest in await self._guests.banned_at_tables():
            try:
                async with self._registry.table(table_id) as found:
                    await _send_away(found, guest)
            except RequestError as error:  # for example another process was faster
                log_event("ban_delayed", logging.WARNING, table=table_id, code=error.code)


async def _send_away(table: LiveTable, guest: Guest) -> None:
    """Let a guest leave a game, stand up from a table that waits, or close it as its host."""
    if table.record.status == "waiting" and table.record.host == guest.id:
        await table.close_by(guest)
    for number in table.record.seats.of(guest.id):
        if table.record.status == "waiting":
            await table.set_seat(guest, number, None)
        elif table.record.status == "playing":
            await table.leave(guest, number)
