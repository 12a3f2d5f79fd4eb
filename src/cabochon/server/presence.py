"""Who looks at which table through which process."""

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from cabochon.server.database import Database
from cabochon.server.notifications import Notifications
from cabochon.server.processes import Processes, alive_processes
from cabochon.server.repeated import Repeated
from cabochon.server.schema import presence

SECONDS_BETWEEN_WRITES = 0.5


class Viewers(NamedTuple):
    """Those who look at a table through one process: the guests, and how many look on as spectators."""

    guests: frozenset[str]
    spectators: int


NOBODY = Viewers(frozenset(), 0)


class Presence:
    """The list of viewers in the database. What changes is written soon, for many tables at once, and then told."""

    def __init__(self, database: Database, processes: Processes, notifications: Notifications) -> None:
        self._database = database
        self._processes = processes
        self._notifications = notifications
        self._changed: dict[str, Viewers] = {}
        self._writing = Repeated("presence", self.write, SECONDS_BETWEEN_WRITES)

    def set(self, table_id: str, viewers: Viewers) -> None:
        """Note who looks at a table through this process."""
        self._changed[table_id] = viewers

    def start(self) -> None:
        """Begin to write what changes."""
        self._writing.start()

    async def of_others(self, table_ids: Collection[str]) -> dict[str, dict[str, Viewers]]:
        """Return who looks at each table through the other processes that are alive, by process."""
        found: dict[str, dict[str, Viewers]] = {table_id: {} for table_id in table_ids}
        if self._processes.others:
            is_other = sa.and_(
                presence.c.process_id != self._processes.id, presence.c.process_id.in_(alive_processes())
            )
            query = sa.select(presence).where(presence.c.table_id.in_(list(table_ids)), is_other)
            for row in await self._database.fetch(query):
                viewers = Viewers(frozenset(row.guests.split()), row.spectators)
                found[row.table_id][row.process_id] = viewers
        return found

    async def write(self) -> None:
        """Write what has changed, and tell the other processes."""
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        try:
            await self._write(changed)
        except BaseException:
            self._changed = changed | self._changed
            raise
        for table_id, viewers in changed.items():
            facts = {"process": self._processes.id, "guests": sorted(viewers.guests)}
            self._notifications.tell_table(table_id, "presence", spectators=viewers.spectators, **facts)

    async def _write(self, changed: dict[str, Viewers]) -> None:
        is_old = sa.and_(presence.c.process_id == self._processes.id, presence.c.table_id.in_(list(changed)))
        rows = [_row(table_id, self._processes.id, viewers) for table_id, viewers in changed.items()]
        present = [row for row, viewers in zip(rows, changed.values(), strict=True) if viewers != NOBODY]
        async with self._database.transaction() as connection:
            await connection.execute(presence.delete().where(is_old))
            if present:
                await connection.execute(presence.insert(), present)

    async def close(self) -> None:
        """Write nothing more: the list forgets a process that leaves."""
        await self._writing.close()


def _row(table_id: str, process_id: str, viewers: Viewers) -> dict[str, str | int]:
    return {
        "table_id": table_id,
        "process_id": process_id,
        "guests": " ".join(sorted(viewers.guests)),
        "spectators": viewers.spectators,
    }


def is_watched(table_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    """Whether anybody looks at a table, through whichever process is alive."""
    return sa.exists().where(presence.c.table_id == table_id, presence.c.process_id.in_(alive_processes()))
