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
        self.is_given_up = asyncio.Event()
        self._outbox: asyncio.Queue[str] = asyncio.Queue(capacity)

    @property
    def guest_id(self) -> str | None:
        """Who it is, or None for one who has not said."""
        return self.guest.id if self.guest is not None else None

    def send(self, message: str) -> None:
        """Put a message at the end of the queue."""
        if self.is_given_up.is_set():
            return
        try:
            self._outbox.put_nowait(message)
        except asyncio.QueueFull:
            self.is_given_up.set()

    async def outgoing(self) -> AsyncIterator[str]:
        """What there is to send, as it comes."""
        while True:
            yield await self._outbox.get()
