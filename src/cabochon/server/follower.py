"""Keeps the tables in memory as the database has them, whichever process changes them."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from cabochon.server.live_table import LiveTable, TableServices
from cabochon.server.notifications import Notice
from cabochon.server.presence import Viewers
from cabochon.server.repeated import Repeated
from cabochon.server.table_registry import TableRegistry
from cabochon.server.telemetry import log_event
from cabochon.server.timeline import Entry

SECONDS_BETWEEN_CHECKS = 5.0
TABLES_PER_CHECK = 500


class Follower:
    """Follows notices about tables, and regularly checks whether any was missed."""

    def __init__(self, registry: TableRegistry, services: TableServices) -> None:
        self.checks: list[Callable[[], Awaitable[None]]] = [self._check_tables]
        self._registry = registry
        self._services = services
        self._checking = Repeated("check", self.check, SECONDS_BETWEEN_CHECKS)
        self._handlers: dict[str, Callable[[LiveTable, Notice], object]] = {
            "entry": _take_over_entry,
            "table": lambda table, notice: table.changes.start(table.reload()),
            "said": _say,
            "presence": _note_presence,
        }

    def handle(self, notice: Notice) -> None:
        """Handle a notice about a table, if the table is in memory. Newer versions may send other kinds of notices."""
        handler = self._handlers.get(notice["kind"])
        if handler is not None and (table := self._registry.for_notice(notice["table"])) is not None:
            handler(table, notice)

    def start(self) -> None:
        """Begin to check regularly."""
        self._checking.start()

    def check_soon(self) -> None:
        """Check at once, because notices may have been missed."""
        self._checking.soon()

    async def check(self) -> None:
        """Read what the database knows, whatever notices have said."""
        self._services.lobby.invalidate()
        for check in self.checks:
            try:
                await check()
            except Exception as error:  # the others may work
                log_event("check_failed", logging.WARNING, error=error)

    async def _check_tables(self) -> None:
        """Take over what has changed at the tables in memory, and let bots move where nobody sees to it."""
        names = [table.record.id for table in self._registry.live_tables()]
        for start in range(0, len(names), TABLES_PER_CHECK):
            await self._check(names[start : start + TABLES_PER_CHECK])

    async def _check(self, names: Sequence[str]) -> None:
        services = self._services
        states = await services.tables.states(names)
        waiting = [table.record.id for table in self._loaded(names) if table.record.status == "waiting"]
        records = {record.id: record for record in await services.tables.get_all(waiting)}
        elsewhere = await services.presence.of_others(names)
        for table in self._loaded(names):
            table_id, known = table.record.id, (table.record.status, table.record.next, table.timeline.seq)
            if states.get(table_id, known) != known or records.get(table_id, table.record) != table.record:
                table.changes.start(table.reload())
            table.broadcast.set_elsewhere(elsewhere[table_id])
            _wake_bots(table)

    def _loaded(self, names: Sequence[str]) -> list[LiveTable]:
        """Return those of the tables that are in memory now; while the database is read, some may be dropped."""
        found = map(self._registry.loaded, names)
        return [table for table in found if table is not None]

    async def close(self) -> None:
        """Stop checking."""
        await self._checking.close()


def _take_over_entry(table: LiveTable, notice: Notice) -> None:
    table.changes.start(table.take_over_entry(notice["seq"], Entry.from_notice(notice)))


def _say(table: LiveTable, notice: Notice) -> None:
    table.broadcast.send_phrase(notice["seat"], notice["phrase"], datetime.fromisoformat(notice["at"]))


def _note_presence(table: LiveTable, notice: Notice) -> None:
    table.broadcast.set_viewers(notice["process"], Viewers(frozenset(notice["guests"]), notice["spectators"]))
    _wake_bots(table)


def _wake_bots(table: LiveTable) -> None:
    """Let bots among themselves play where somebody looks; the database says what is due at all other tables."""
    if not table.record.seats.has_person:
        table.wake()
