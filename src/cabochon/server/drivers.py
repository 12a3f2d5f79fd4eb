"""What a process does at a table whose lease it has: let the bots move, and watch the clock."""

from cabochon.server.bot_turns import BotTurns
from cabochon.server.broadcast import TableState
from cabochon.server.clocks import Deadlines
from cabochon.server.leases import Leases, NextStep
from cabochon.server.notifications import Notifications


class Driver:
    """Drives the bots and the clock of one table, while this process has its lease."""

    def __init__(
        self, state: TableState, leases: Leases, notifications: Notifications, deadlines: Deadlines, bots: BotTurns
    ) -> None:
        self._state = state
        self._leases = leases
        self._notifications = notifications
        self._deadlines = deadlines
        self._bots = bots
        self.has_lease = False

    @property
    def is_busy(self) -> bool:
        """Whether a bot computes a move."""
        return self._bots.is_running

    def drive(self, step: NextStep) -> None:
        """Do what is next, after a change of the table, if it is leased to this process."""
        self.stop()
        self.has_lease = step.leased_to == self._leases.process_id and not self._leases.are_closed
        if self.has_lease:
            if step.waits_for == "clock" and step.due_at is not None:
                self._deadlines.add(self._state.record.id, step.due_at)
            self._bots.start()
        elif step.waits_for == "bot":
            self._notifications.tell_all("due")

    async def resume(self, step: NextStep) -> None:
        """Do what is next, unless this process does so already or another one that is alive does."""
        if self.has_lease and self._bots.is_running:
            return
        if await self._leases.take(self._state.record.id, self._state.timeline.seq, step):
            self.drive(step)

    def stop(self) -> None:
        """Stop, without giving the lease back."""
        self._bots.stop()
        self._deadlines.remove(self._state.record.id)
        self.has_lease = False
