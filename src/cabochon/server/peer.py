"""One of the processes on a database: it hears from the others, takes over from them, and hands over to them."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

from cabochon.server import clocks
from cabochon.server.follower import Follower
from cabochon.server.live_table import TableServices
from cabochon.server.notifications import Notice
from cabochon.server.processes import Processes
from cabochon.server.scheduler import Scheduler
from cabochon.server.table_registry import TableRegistry


class Peer:
    """Drives tables together with the other processes. With a database that only one can use, there are none.

    `handlers` has what to do with a notice, by its kind; the notices about tables are for those that show them.
    """

    def __init__(self, processes: Processes, registry: TableRegistry, services: TableServices) -> None:
        self._processes = processes
        self._registry = registry
        self._services = services
        self._scheduler = Scheduler(registry, services)
        self.follower = Follower(registry, services)
        self.handlers: dict[str, Callable[[Notice], None]] = {
            "due": lambda _: self._note_due(),
            "lobby": lambda _: services.lobby.invalidate(),
        }
        self._reviving: asyncio.Task[None] | None = None
        services.notifications.on_notice = self._handle
        services.notifications.on_gap = self.follower.check_soon
        processes.on_change = self.follower.check_soon
        processes.on_revival = self._begin_to_revive

    def _handle(self, notice: Notice) -> None:
        self.handlers.get(notice["kind"], self.follower.handle)(notice)

    def _note_due(self) -> None:
        """Claim what is due at once, if a bot can think here; a clock can wait for the next regular claim."""
        if self._processes.thinks:
            self._scheduler.claim_soon()

    async def join(self) -> None:
        """Be one of the processes, and hear from the others."""
        await self._processes.join()
        await self._services.notifications.open()
        self.follower.start()
        self._services.presence.start()

    async def resume_games(self) -> None:
        """Let bots move and clocks run.

        No clock runs out before people could come back to servers that were down: since the first of those that are
        alive has started.
        """
        since = await self._processes.first_start() if self._processes.others else clocks.now()
        grace = timedelta(seconds=self._services.settings.clock_grace)
        self._services.deadlines.grace_until = since + grace
        await self._services.leases.mark_forgotten()
        await self._services.leases.postpone()
        self._scheduler.start()

    def _begin_to_revive(self) -> None:
        self._reviving = asyncio.create_task(self._revive())

    async def _revive(self) -> None:
        """Give up what others may have taken over while this process counted as dead, and begin anew."""
        for table in self._registry.live_tables():
            table.drop_lease()
            self._services.presence.set(table.record.id, table.broadcast.viewers)
        await self._services.leases.release_all()
        self.follower.check_soon()
        self._scheduler.claim_soon()

    async def leave(self) -> None:
        """Let the other processes take over the tables at once. What is under way here can finish, without a lease."""
        services = self._services
        services.leases.close()
        for table in self._registry.live_tables():
            table.drop_lease()
        await self._scheduler.close()
        if self._reviving is not None:
            self._reviving.cancel()
            await asyncio.gather(self._reviving, return_exceptions=True)
        await services.presence.close()
        await services.leases.release_all()
        services.notifications.tell_all("due")
        await self._processes.leave()

    async def close(self) -> None:
        """Follow no tables any more, and tell the others what is left to tell."""
        self._services.notifications.on_notice = lambda _: None
        await self._scheduler.close()
        await self.follower.close()
        await self._services.notifications.close()
