"""One of the processes on a database: it hears from the others, takes over from them, and hands over to them."""

import asyncio
from collections.abc import Callable

from cabochon.server.follower import Follower
from cabochon.server.live_table import TableServices
from cabochon.server.notifications import Notice
from cabochon.server.processes import Processes
from cabochon.server.repeated import cancel
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
        processes.on_time_jump = self._begin_grace

    def _handle(self, notice: Notice) -> None:
        self.handlers.get(notice["kind"], self.follower.handle)(notice)

    def _note_due(self) -> None:
        """Claim what is due at once, if a bot can think here; a clock can wait for the next regular claim."""
        if self._processes.thinks:
            self._scheduler.claim_soon()

    async def join(self) -> None:
        """Be one of the processes, and hear from the others."""
        self._begin_grace()
        await self._processes.join()
        await self._services.notifications.open()
        self.follower.start()
        self._services.presence.start()

    async def resume_games(self) -> None:
        """Let bots move and clocks run."""
        self._begin_grace()
        await self._services.leases.mark_forgotten()
        await self._postpone_clocks()
        self._scheduler.start()

    def _begin_grace(self) -> None:
        """Let nobody time out before people could come back, or because a clock was set forward."""
        self._services.deadlines.begin_grace(self._services.settings.clock_grace)

    async def _postpone_clocks(self) -> None:
        if self._services.deadlines.are_enforced:
            await self._services.leases.postpone()

    def _begin_to_revive(self) -> None:
        self._begin_grace()
        self._reviving = asyncio.create_task(self._revive())

    async def _revive(self) -> None:
        """Give up what others may have taken over while this process counted as dead, and begin anew."""
        for table in self._registry.live_tables():
            table.drop_lease()
            self._services.presence.set(table.record.id, table.broadcast.viewers)
        await self._services.leases.release_all()
        await self._postpone_clocks()
        self.follower.check_soon()
        self._scheduler.claim_soon()

    async def leave(self) -> None:
        """Let the other processes take over the tables at once. What is under way here can finish, without a lease."""
        services = self._services
        services.leases.close()
        for table in self._registry.live_tables():
            table.drop_lease()
        await self._scheduler.close()
        await cancel(self._reviving)
        await services.presence.close()
        await services.log.flush()  # what is being committed has a lease
        await services.leases.release_all()
        await self._processes.leave()
        services.notifications.tell_all("due")  # at last: every lease that is left has just ended

    async def close(self) -> None:
        """Follow no tables any more, and tell the others what is left to tell."""
        self._services.notifications.on_notice = lambda _: None
        await self._scheduler.close()
        await self.follower.close()
        await self._services.notifications.close()
