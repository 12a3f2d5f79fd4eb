"""Limits that hold for all processes on a database together: each tells the others which clients do much there."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TypeVar

from cabochon.server.notifications import Notice, Notifications
from cabochon.server.processes import Processes
from cabochon.server.rate_limits import ConnectionCounter, RateLimiter
from cabochon.server.repeated import Repeated

SECONDS_BETWEEN_NOTICES = 1.0
CLIENTS_PER_NOTICE = 100

_Count = TypeVar("_Count", int, float)


class SharedLimits:
    """Tells the other processes what each client used here, and counts what it used there.

    With n processes, clients that use less than 1/n of a limit here are not mentioned: nowhere can they exceed it.
    """

    def __init__(
        self,
        limiters: Mapping[str, RateLimiter],
        sockets: ConnectionCounter,
        processes: Processes,
        notifications: Notifications,
    ) -> None:
        self._limiters = limiters
        self._sockets = sockets
        self._processes = processes
        self._notifications = notifications
        self._telling = Repeated("limits", self.tell, SECONDS_BETWEEN_NOTICES)

    def start(self) -> None:
        """Begin to tell the others regularly."""
        self._telling.start()

    async def tell(self) -> None:
        """Tell the other processes what clients have used here since the last time."""
        share = 1 / (1 + len(self._processes.others))
        uses = {name: limiter.take_uses(share) for name, limiter in self._limiters.items()}  # or forget them
        if not self._processes.others:
            return
        for name, used in uses.items():
            for batch in _batches(used):
                self._notifications.tell_all("uses", limiter=name, uses=batch)
        for counts in _batches(self._sockets.counts(share)):
            self._notifications.tell_all("sockets", process=self._processes.id, counts=counts)

    def note_uses(self, notice: Notice) -> None:
        """Count what clients have used through another process."""
        for client, used in notice["uses"].items():
            self._limiters[notice["limiter"]].spend(client, used)

    def note_sockets(self, notice: Notice) -> None:
        """Note how many sockets clients have at another process."""
        for client, count in notice["counts"].items():
            self._sockets.note_elsewhere(notice["process"], client, count)

    async def close(self) -> None:
        """Stop."""
        await self._telling.close()


def _batches(counts: dict[str, _Count]) -> Iterator[dict[str, _Count]]:
    clients = iter(counts.items())
    while batch := dict(islice(clients, CLIENTS_PER_NOTICE)):
        yield batch
