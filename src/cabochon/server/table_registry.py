"""Which tables are in memory: loading, opening, resuming after a start, and closing abandoned ones."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from cabochon.server import clocks, protocol
from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.live_table import LiveTable, TableServices
from cabochon.server.table_plans import planned_table
from cabochon.server.table_store import TableRecord
from cabochon.server.telemetry import log_event, logger
from cabochon.server.timeline import Timeline

RETRY_SECONDS = 1.0
SWEEP_BATCH = 500  # tables that one statement closes; it holds up other writers for a moment
IDLE_TABLES = 100  # kept in memory although nobody uses them


@dataclass
class _Slot:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # held while the table is loaded
    table: LiveTable | None = None
    users: int = 0


class TableRegistry:
    """All live tables of a server: each table in use is in memory exactly once."""

    def __init__(self, services: TableServices) -> None:
        self._services = services
        self.rules_loaded = asyncio.Event()  # until then, those who want a table wait
        self.rules_loaded.set()
        self._slots: dict[str, _Slot] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()  # ids; the most recently used last
        self._background: list[asyncio.Task[None]] = []

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
                    slot.table = await self._load(table_id)
            yield slot.table
        finally:
            slot.users -= 1
            self._release(table_id)

    async def _load(self, table_id: str) -> LiveTable:
        record = await self._services.tables.get(table_id)
        if record is None:
            raise RequestError("not_found", "there is no such table")
        timeline = Timeline(record.deal, await self._services.log.read(table_id))
        self._services.metrics.tables.inc()
        return LiveTable(record, timeline, self._services, lambda: self._release(table_id))

    def _release(self, table_id: str) -> None:
        """Mark a table as idle if nobody uses it, and drop the one that has been idle for longest."""
        slot = self._slots.get(table_id)
        if slot is None or slot.users > 0 or (slot.table is not None and slot.table.is_busy):
            return
        self._idle[table_id] = None
        self._idle.move_to_end(table_id)
        dropped = [table_id] if slot.table is None else []
        if len(self._idle) > IDLE_TABLES:
            dropped.append(next(iter(self._idle)))
        for name in dropped:
            self._idle.pop(name, None)
            if self._slots.pop(name).table is not None:
                self._services.metrics.tables.dec()

    async def open(self, plan: protocol.NewTable, host: Guest, nicknames: dict[str, str]) -> TableRecord:
        """Open a new table; `nicknames` has the guests for whom seats are kept, by id."""
        await self.rules_loaded.wait()
        limit = self._services.settings.limits.tables_per_guest
        if await self._services.tables.count_unfinished(host.id) >= limit:
            raise RequestError("limit_reached", f"expected at most {limit} unfinished games; finish one first")
        record = planned_table(plan, host, nicknames)
        await self._services.tables.add(record)
        log_event("table_opened", table=record.id, game=plan.game, players=len(plan.seats))
        self._services.lobby.invalidate()
        await self.resume(record.id)
        return record

    def rename(self, before: Guest, after: Guest) -> None:
        """Show a guest's new nickname at the live tables where a seat is kept for them."""
        for slot in self._slots.values():
            if slot.table is not None:
                slot.table.rename(before, after)
        self._services.lobby.invalidate()

    async def resume(self, table_id: str) -> None:
        """Let the bot move whose turn it is, and start the clock."""
        async with self.table(table_id) as table:
            table.wake_bot()
            await table.check_clock()

    async def resume_all(self) -> None:
        """After a start: resume all tables where a bot is to move or a clock runs."""
        tables, grace = self._services.tables, timedelta(seconds=self._services.settings.clock_grace)
        self._services.deadlines.grace_until = clocks.now() + grace
        table_ids = [*await tables.ids_where_a_bot_moves(), *await tables.ids_with_running_clocks()]
        for table_id in dict.fromkeys(table_ids):
            try:
                await self.resume(table_id)
            except Exception:  # one broken table must not stop the others
                logger.exception("resume failed", extra={"facts": {"event": "resume_failed", "table": table_id}})
        self._background = [asyncio.create_task(self._follow_clocks())]

    async def sweep(self) -> None:
        """Close waiting tables that nobody has looked at for a while, and games without a clock that stand still."""
        settings, now = self._services.settings, clocks.now()
        not_seen_since = now - timedelta(minutes=settings.waiting_minutes)
        no_move_since = now - timedelta(days=settings.idle_days)
        in_memory = [table_id for table_id, slot in self._slots.items() if slot.table is not None]
        for table_id in in_memory:
            try:
                async with self.table(table_id) as table:
                    await table.close_if_abandoned(not_seen_since, no_move_since)
            except RequestError as error:  # one broken table must not stop the others
                log_event("sweep_failed", logging.ERROR, table=table_id, code=error.code)
        has_more = True
        while has_more:
            closed = await self._services.tables.close_abandoned(not_seen_since, no_move_since, in_memory, SWEEP_BATCH)
            has_more = len(closed) == SWEEP_BATCH
            await self._follow_closing(closed)

    async def _follow_closing(self, table_ids: list[str]) -> None:
        """Broadcast that tables were closed in the database, also to those who have joined one in the meantime."""
        if table_ids:
            log_event("tables_closed", tables=len(table_ids))
            self._services.lobby.invalidate()
        for table_id in table_ids:
            if table_id in self._slots:
                async with self.table(table_id) as table:
                    await table.reload()

    async def _follow_clocks(self) -> None:
        while True:
            table_id = await self._services.deadlines.next()
            try:
                async with self.table(table_id) as table:
                    await table.check_clock()
            except Exception as error:  # for example a database that does not answer; clocks must not stop
                log_event("clock_failed", logging.ERROR, table=table_id, error=repr(error))
                self._services.deadlines.add(table_id, clocks.now() + timedelta(seconds=RETRY_SECONDS))

    async def close(self) -> None:
        """Finish the changes that are under way at every table."""
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        for slot in list(self._slots.values()):
            if slot.table is not None:
                await slot.table.stop()
