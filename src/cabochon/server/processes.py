"""The processes that use one database at the same time, and which of them are alive."""

import logging
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal

import sqlalchemy as sa

from cabochon.server import clocks
from cabochon.server.database import Database, new_id
from cabochon.server.repeated import Repeated
from cabochon.server.schema import processes
from cabochon.server.telemetry import log_event

Role = Literal["server", "thinker"]

SECONDS_BETWEEN_RENEWALS = 2.0
SECONDS_ALIVE = 8.0  # without a renewal; then others take over what this process was doing
SECONDS_REMEMBERED = 60.0  # until a dead process is removed from the list
TOLERANCE = timedelta(seconds=0.5)  # between this process's clock and that of the database
HOST_CHARACTERS = 64
FOREVER = datetime(9000, 1, 1, tzinfo=UTC)


def alive_processes() -> sa.Select[str]:
    """Return the query for the ids of the processes that are alive now."""
    return sa.select(processes.c.id).where(processes.c.alive_until > clocks.now())


def is_unleased(leased_to: sa.ColumnElement[str | None]) -> sa.ColumnElement[bool]:
    """Whether no process that is alive has a lease."""
    return sa.or_(leased_to.is_(None), leased_to.not_in(alive_processes()))


class Processes:
    """The list of processes, in which this one regularly confirms that it is alive.

    A database that only one process can use needs no confirmation: who was there before is dead.
    """

    def __init__(self, database: Database, role: Role, thinks: bool = True) -> None:
        self.id = new_id()
        self.role = role
        self.thinks = thinks  # whether this process has threads for bots
        self.others: frozenset[str] = frozenset()  # that are alive
        self.on_change: Callable[[], None] = lambda: None  # others have come or gone
        self.on_revival: Callable[[], None] = lambda: None  # this process counted as dead for a while
        self.on_time_jump: Callable[[], None] = lambda: None  # the clock of this process was set forward
        self._database = database
        self._alive_until: datetime | None = None
        self._renewing = Repeated("renewal", self._renew, SECONDS_BETWEEN_RENEWALS)

    async def join(self) -> None:
        """Enter the list, remove those who are dead, and stay alive until `leave`."""
        now = clocks.now()
        is_over = processes.c.alive_until < now - timedelta(seconds=SECONDS_REMEMBERED)
        async with self._database.transaction() as connection:
            await connection.execute(processes.delete().where(is_over if self._database.is_shared else sa.true()))
        await self._renew()
        if self._database.is_shared:
            self._renewing.start()

    async def has_thinker(self) -> bool:
        """Whether any process that is alive has threads for bots."""
        return self.thinks or bool(await self._database.fetch(alive_processes().where(processes.c.thinks).limit(1)))

    async def has_other_server(self) -> bool:
        """Whether any other process that is alive serves."""
        is_other = sa.and_(processes.c.role == "server", processes.c.id != self.id)
        return bool(await self._database.fetch(alive_processes().where(is_other).limit(1)))

    async def leave(self) -> None:
        """Leave the list, so that others need not wait until this process counts as dead."""
        await self._renewing.close()
        async with self._database.transaction() as connection:
            await connection.execute(processes.delete().where(processes.c.id == self.id))

    async def _set_clock(self) -> None:
        """Follow the clock of the database, for example after this machine was asleep.

        The database read its clock at some moment of the query, which may have taken long.
        """
        before = clocks.process_time.now()
        at = await self._database.now()
        after = clocks.process_time.now()
        if at is None:
            return
        ahead = max(at - after, min(at - before, timedelta()))
        if abs(ahead) > TOLERANCE:
            clocks.process_time.set(after + ahead)
            log_event("clock_set", logging.WARNING, seconds=round(ahead.total_seconds(), 3))
            if ahead > timedelta():
                self.on_time_jump()

    async def _renew(self) -> None:
        """Confirm that this process is alive, and find out who else is."""
        await self._set_clock()
        alive_until = clocks.now() + timedelta(seconds=SECONDS_ALIVE) if self._database.is_shared else FOREVER
        is_self = processes.c.id == self.id
        row: dict[str, object] = {"role": self.role, "thinks": self.thinks, "alive_until": alive_until}
        async with self._database.transaction() as connection:
            is_listed = (await connection.execute(processes.update().where(is_self).values(row))).rowcount > 0
            if not is_listed:
                row |= {"id": self.id, "host": socket.gethostname()[:HOST_CHARACTERS], "started_at": clocks.now()}
                await connection.execute(processes.insert().values(row))
            others = (await connection.scalars(alive_processes().where(processes.c.id != self.id))).all()
        was_dead = self._alive_until is not None and not (is_listed and clocks.now() <= self._alive_until)
        has_changed = self.others != frozenset(others)
        self._alive_until, self.others = alive_until, frozenset(others)
        if was_dead:
            log_event("revived", logging.WARNING)
            self.on_revival()
        if has_changed:
            self.on_change()
