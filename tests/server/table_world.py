"""A server without its sockets, whose database and bots a test controls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon import Move, Options, View
from cabochon.fair import seed_bytes
from cabochon.server import protocol
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.broadcast import Subscriber
from cabochon.server.clocks import Deadlines, now
from cabochon.server.database import Database, new_id
from cabochon.server.errors import RequestError
from cabochon.server.game_log import NO_STEP, GameLog, Result
from cabochon.server.guests import Guest, Guests
from cabochon.server.leases import Leases, NextStep
from cabochon.server.live_table import LiveTable, TableServices
from cabochon.server.lobby import Lobby
from cabochon.server.notifications import new_notifications
from cabochon.server.peer import Peer
from cabochon.server.presence import Presence
from cabochon.server.processes import Processes, Role
from cabochon.server.schema import guests
from cabochon.server.seats import Seat, Seats
from cabochon.server.table_registry import TableRegistry
from cabochon.server.table_store import TableRecord, TableStore
from cabochon.server.telemetry import Metrics
from cabochon.server.timeline import Entry
from tests.server.running import SECONDS, settings_for


class FaultyLog(GameLog):
    """A log whose next append can be made to fail."""

    fault = ""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.is_dead = asyncio.Event()

    async def append(
        self,
        table_id: str,
        entry: Entry,
        status: str,
        seat_to_move: int,
        results: Sequence[Result] = (),
        is_practice: bool = False,
        next_step: NextStep = NO_STEP,
    ) -> None:
        fault, self.fault = self.fault, ""
        if fault == "full":
            raise OSError("the disk is full")
        if fault == "dead before":
            await self._die()
        await super().append(table_id, entry, status, seat_to_move, results, is_practice, next_step)
        if fault == "lost":
            raise OSError("written, but the answer was lost")
        if fault == "dead after":
            await self._die()

    async def _die(self) -> None:
        """Do nothing any more, as in a process that was killed."""
        self.is_dead.set()
        await asyncio.Event().wait()


class SlowWorkers(BotWorkers):
    """Bots that play the first legal move, when they are allowed to."""

    def __init__(self) -> None:
        super().__init__(1)
        self.may_answer = asyncio.Event()
        self.asked: list[View] = []
        self.asked_for: list[str | None] = []

    async def choose(self, level: str, view: View, client: str | None = None) -> Move:
        self.asked.append(view)
        self.asked_for.append(client)
        await self.may_answer.wait()
        return view.legal_moves[0]


class Listener(Subscriber):
    """Somebody at the table, and all messages to them."""

    def __init__(self, guest: Guest | None) -> None:
        super().__init__(guest)
        self.messages: list[Any] = []
        self._has_new = asyncio.Event()

    def send(self, message: str) -> None:
        self.messages.append(protocol.SERVER_MESSAGES.validate_json(message))
        self._has_new.set()

    def take(self) -> list[Any]:
        """Return the messages since the last call."""
        messages, self.messages = self.messages, []
        return messages

    async def wait_for(self, count: int) -> list[Any]:
        """Wait until there are so many messages, and return them."""
        while len(self.messages) < count:
            self._has_new.clear()
            await self._has_new.wait()
        return self.take()


ADA, BO = Guest("ada", "Ada"), Guest("bo", "Bo")
TWO_PEOPLE = (Seat("person", "Ada", "ada"), Seat("person", "Bo", "bo"))
A_PERSON_AND_A_BOT = (Seat("person", "Ada", "ada"), Seat("bot", "Novice", level="novice"))


@dataclass
class World:
    """A server without its sockets."""

    database: Database
    tables: TableStore
    log: FaultyLog
    workers: SlowWorkers
    registry: TableRegistry
    services: TableServices
    processes: Processes
    peer: Peer

    async def add_table(
        self,
        seats: tuple[Seat, ...] = TWO_PEOPLE,
        seed: int = 1,
        variant: str = "splendor",
        status: str = "playing",
        **changes: Any,
    ) -> str:
        """Add a table with this deal; the host is Ada."""
        options = Options(variant, len(seats))
        table = TableRecord(new_id(), "ada", options, seed_bytes(seed), Seats(seats), status, now(), **changes)
        return await self.tables.add(table)


@asynccontextmanager
async def world(
    folder: Path, is_new: bool = True, thinks: bool = True, role: Role = "server", **settings_changes: Any
) -> AsyncIterator[World]:
    """Start a server on a database; one that is not new needs no migration."""
    settings = settings_for(folder, **settings_changes)
    database = Database(settings.database)
    tables, log, workers = TableStore(database), FaultyLog(database), SlowWorkers()
    processes, deadlines = Processes(database, role, thinks), Deadlines(role == "server")
    notifications = new_notifications(database, processes.id)
    if is_new:
        await database.open()
        known = {row.id for row in await database.fetch(sa.select(guests.c.id))}
        rows = [{"id": each.id, "nickname": each.nickname, "created_at": now()} for each in (ADA, BO)]
        async with database.transaction() as connection:
            if ADA.id not in known:
                await connection.execute(guests.insert(), rows)
    services = TableServices(
        tables,
        log,
        workers,
        Metrics(),
        settings,
        Lobby(tables, Guests(database), notifications),
        deadlines,
        Leases(database, processes, deadlines),
        Presence(database, processes, notifications),
        notifications,
    )
    registry = TableRegistry(services)
    peer = Peer(processes, registry, services)
    await peer.join()
    try:
        yield World(database, tables, log, workers, registry, services, processes, peer)
    finally:
        await peer.close()
        if not log.is_dead.is_set():
            await registry.close()
        await peer.leave()
        workers.close()
        await database.close()


def at_a_table(
    folder: Path,
    work: Callable[[World, LiveTable], Awaitable[None]],
    settings: Mapping[str, Any] | None = None,
    **options: Any,
) -> None:
    """Do something at a new table."""

    async def run() -> None:
        async with (
            world(folder, **(settings or {})) as server,
            server.registry.table(await server.add_table(**options)) as table,
        ):
            await work(server, table)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def sit_down(table: LiveTable, *guests: Guest | None) -> list[Listener]:
    listeners = [Listener(guest) for guest in guests]
    for listener in listeners:
        table.attach(listener, 0)
    for listener in listeners:
        listener.take()
    return listeners


async def code_of(attempt: Awaitable[object]) -> str:
    with pytest.raises(RequestError) as refused:
        await attempt
    return refused.value.code
