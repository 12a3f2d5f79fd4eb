"""Which tables are in memory: loading, opening, and closing abandoned ones."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta

from cabochon.server import clocks, protocol
from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.live_table import LiveTable, TableServices
from cabochon.server.notifications import Notice
from cabochon.server.table_plans import planned_table
from cabochon.server.table_store import TableRecord
from cabochon.server.telemetry import log_event
from cabochon.server.timeline import Timeline

SWEEP_BATCH = 500  # tables that one statement closes; it holds up other writers for a moment
IDLE_TABLES = 100  # kept in memory although nobody uses them


@dataclass
class _Slot:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # held while the table is loaded
    table: LiveTable | None = None
    users: int = 0
    is_followed: bool = False  # whether notices about the table arrive
    has_news: bool = False  # whether one arrived before the table was in memory


class TableRegistry:
    """All live tables of a server: each table in use is in memory exactly once."""

    def __init__(self, services: TableServices) -> None:
        self._services = services
        self.rules_loaded = asyncio.Event()  # until then, those who want a table wait
        self.rules_loaded.set()
        self._slots: dict[str, _Slot] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()  # ids; the most recently used last

    @asynccontextmanager
    async def table(self, table_id: str) -> AsyncIterator[LiveTable]:
        """Load a table if necessary, and keep it in memory while it is used."""
        await self.rules_loaded.wait()
        slot = self._slots.setdefault(table_id, _Slot())
        slot.users += 1
        self._idle.pop(table_id, None)
        try:
            async with slot.lock:
                if slot.table is None:
                    slot.table = await self._load(table_id, slot)
            yield slot.table
        finally:
            slot.users -= 1
            self._release(table_id)

    async def _load(self, table_id: str, slot: _Slot) -> LiveTable:
        services = self._services
        if not slot.is_followed:
            await services.notifications.follow(table_id)  # before reading: nothing falls between the two
            slot.is_followed = True
        slot.has_news = False
        entries = await services.log.read(table_id)
        record = await services.tables.get(table_id)
        if record is None:
            raise RequestError("not_found", "there is no such table")
        elsewhere = (await services.presence.of_others([table_id]))[table_id]
        services.metrics.tables.inc()
        timeline = Timeline(record.deal, entries)
        table = LiveTable(record, timeline, services, lambda: self._release(table_id), elsewhere)
        if slot.has_news:
            table.changes.start(table.reload())
        return table

    def for_notice(self, table_id: str) -> LiveTable | None:
        """Return the table of a notice, if it is in memory; one that is being loaded is read once more."""
        slot = self._slots.get(table_id)
        if slot is None:
            return None
        slot.has_news = True
        return slot.table

    def live_tables(self) -> list[LiveTable]:
        """Return all tables in memory."""
        return [slot.table for slot in self._slots.values() if slot.table is not None]

    def loaded(self, table_id: str) -> LiveTable | None:
        """Return a table if it is in memory."""
        slot = self._slots.get(table_id)
        return None if slot is None else slot.table

    def _release(self, table_id: str) -> None:
        """Mark a table as idle if nobody uses it, and drop the one that has been idle for longest."""
        slot = self._slots.get(table_id)
        if slot is None or slot.users > 0 or _is_busy(slot):
            return
        if slot.table is None:
            self._drop(table_id)
            return
        self._idle[table_id] = None
        self._idle.move_to_end(table_id)
        if len(self._idle) > IDLE_TABLES:
            # A notice may have given an idle table something to do: it stays.
            droppable = (name for name in self._idle if not _is_busy(self._slots[name]))
            self._drop(next(droppable))

    def _drop(self, table_id: str) -> None:
        self._idle.pop(table_id, None)
        slot = self._slots.pop(table_id)
        if slot.is_followed:
            self._services.notifications.unfollow(table_id)
        if slot.table is not None:
            self._services.metrics.tables.dec()

    async def open(
        self, plan: protocol.NewTable, host: Guest, nicknames: dict[str, str], opened_from: str | None = None
    ) -> TableRecord:
        """Open a new table; `nicknames` has the guests for whom seats are kept, by id."""
        await self.rules_loaded.wait()
        limit = self._services.settings.limits.tables_per_guest
        record = replace(planned_table(plan, host, nicknames), opened_from=opened_from)
        await self._services.tables.add(record, most_unfinished=limit)
        log_event("table_opened", table=record.id, game=plan.game, players=len(plan.seats))
        self._services.lobby.change()
        if record.status == "playing":
            await self.resume(record.id)
        return record

    def rename(self, before: Guest, after: Guest) -> None:
        """Show a guest's new nickname at the tables where a seat is kept for them, and tell the other processes."""
        self._rename(before, after)
        facts = {"guest": before.id, "before": before.nickname, "after": after.nickname}
        self._services.notifications.tell_all("renamed", **facts)

    def note_renamed(self, notice: Notice) -> None:
        """Show a nickname that was changed through another process."""
        self._rename(Guest(notice["guest"], notice["before"]), Guest(notice["guest"], notice["after"]))

    def _rename(self, before: Guest, after: Guest) -> None:
        for table in self.live_tables():
            table.rename(before, after)

    async def resume(self, table_id: str) -> None:
        """Let a bot move or a clock run, unless another process does so."""
        async with self.table(table_id) as table:
            await table.resume()

    async def sweep(self) -> None:
        """Close waiting tables that nobody has looked at for a while, and games without a clock that stand still."""
        settings, now = self._services.settings, clocks.now()
        not_seen_since = now - timedelta(minutes=settings.waiting_minutes)
        no_move_since = now - timedelta(days=settings.idle_days)
        has_more = True
        while has_more:
            closed = await self._services.tables.close_abandoned(not_seen_since, no_move_since, SWEEP_BATCH)
            has_more = len(closed) == SWEEP_BATCH
            await self._announce_closed(closed)

    async def _announce_closed(self, table_ids: list[str]) -> None:
        """Tell everybody that tables were closed in the database."""
        if table_ids:
            log_event("tables_closed", tables=len(table_ids))
            self._services.lobby.change()
        for table_id in table_ids:
            self._services.notifications.tell_table(table_id, "table")
            if (table := self.for_notice(table_id)) is not None:
                await table.reload()

    async def close(self) -> None:
        """Finish the changes that are under way at every table."""
        for table in self.live_tables():
            await table.stop()


def _is_busy(slot: _Slot) -> bool:
    return slot.table is not None and slot.table.is_busy
