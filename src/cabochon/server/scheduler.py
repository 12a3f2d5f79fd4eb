"""Finds what is due at the tables of this process, and at those that no process drives."""

import asyncio
import logging
from datetime import timedelta

from cabochon.server import clocks
from cabochon.server.live_table import TableServices
from cabochon.server.repeated import Repeated, cancel
from cabochon.server.table_registry import TableRegistry
from cabochon.server.telemetry import log_event

SECONDS_BETWEEN_CLAIMS = 2.0
AHEAD = timedelta(seconds=5)  # a table is claimed so long before something is due there
TABLES_PER_CLAIM = 50
RETRY = timedelta(seconds=1)


class Scheduler:
    """Claims the tables where something is due, and checks the clocks of its own on time.

    It claims no more bots' turns than the threads can soon compute: other processes may have threads that are free.
    """

    def __init__(self, registry: TableRegistry, services: TableServices) -> None:
        self._registry = registry
        self._services = services
        self._claiming = Repeated("claim", self.claim, SECONDS_BETWEEN_CLAIMS)
        self._checking: asyncio.Task[None] | None = None
        self._has_more = False  # whether the last claim did not take all that is due

    def start(self) -> None:
        """Begin."""
        self._services.workers.on_free_thread = self._note_free_thread
        self._claiming.start(at_once=True)
        self._checking = asyncio.create_task(self._check_clocks())

    def claim_soon(self) -> None:
        """Look at once for what is due: another process has given something up."""
        self._claiming.soon()

    async def claim(self) -> None:
        """Take over tables where something is due and that nobody drives."""
        leases, clock_due, bot_due = self._services.leases, list[str](), list[str]()
        if self._services.deadlines.are_enforced:
            clock_due = await leases.claim_due("clock", clocks.now() + AHEAD, TABLES_PER_CLAIM)
        room = min(self._services.workers.room, TABLES_PER_CLAIM)
        if room > 0:
            busy = [table.record.id for table in self._registry.live_tables() if table.is_busy]
            bot_due = await leases.claim_due("bot", clocks.now(), room, busy)
        for table_id in clock_due + bot_due:
            try:
                await self._registry.resume(table_id)
            except Exception as error:  # one broken table must not stop the others
                log_event("resume_failed", logging.ERROR, table=table_id, error=error)
                await leases.delay(table_id)
        self._has_more = len(bot_due) == room
        if len(clock_due) == TABLES_PER_CLAIM:
            self.claim_soon()

    def _note_free_thread(self) -> None:
        if self._has_more:
            self.claim_soon()

    async def _check_clocks(self) -> None:
        deadlines = self._services.deadlines
        while True:
            table_id = await deadlines.next()
            try:
                await self._registry.resume(table_id)
            except Exception as error:  # for example a database that does not answer; clocks must not stop
                log_event("clock_failed", logging.ERROR, table=table_id, error=error)
                deadlines.add(table_id, clocks.now() + RETRY)

    async def close(self) -> None:
        """Stop."""
        await self._claiming.close()
        await cancel(self._checking)
