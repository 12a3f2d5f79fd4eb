"""The server's end of a socket: what waits to be sent, in order, and never too much of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from cabochon.server.store import Guest


class Connection:
    """A client that looks at a table, from a seat of its guest or as a spectator.

    `send` never waits, so that one client that reads slowly keeps nobody else waiting; when more than
    `capacity` messages have piled up, the connection is given up, and the client may come back and catch up.
    """

    def __init__(self, guest: Guest | None, capacity: int) -> None:
        self.guest = guest
        self.seat: int | None = None
        self.is_slow = False
        self._outbox: asyncio.Queue[str | None] = asyncio.Queue(capacity + 1)

    @property
    def guest_id(self) -> str | None:
        """Who it is, or None for one who has not said."""
        return self.guest.id if self.guest is not None else None

    def send(self, message: str) -> None:
        """Put a message at the end of the queue."""
        if self.is_slow:
            return
        if self._outbox.qsize() + 1 >= self._outbox.maxsize:
            self.is_slow = True
            self._outbox.put_nowait(None)
            return
        self._outbox.put_nowait(message)

    async def outgoing(self) -> AsyncIterator[str]:
        """What there is to send, as it comes; it ends when the connection is given up."""
        while not self.is_slow:
            message = await self._outbox.get()
            if message is None:
                return
            yield message
