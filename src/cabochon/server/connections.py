"""The server's end of a socket: what waits to be sent, in order, and never too much of it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from cabochon.server.store import Guest


class Connection:
    """A client that looks at a table, from a seat of its guest or as a spectator.

    `send` never waits, so that one client that reads slowly keeps nobody else waiting; when more than
    `capacity` messages have piled up, the connection is given up, and the client may come back and catch up.
    A client that asks faster than it reads is not: its next question waits for `room`.
    """

    def __init__(self, guest: Guest | None, capacity: int, wanted_seat: int | None = None) -> None:
        self.guest = guest
        self.wanted_seat = wanted_seat  # where several people play at one device
        self.seat: int | None = None
        self.is_given_up = asyncio.Event()
        self._capacity = capacity
        self._unsent: deque[str] = deque()
        self._has_unsent = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def guest_id(self) -> str | None:
        """Who it is, or None for one who has not said."""
        return self.guest.id if self.guest is not None else None

    def send(self, message: str) -> None:
        """Put a message at the end of the queue."""
        if len(self._unsent) >= self._capacity:
            self.is_given_up.set()
            self._unsent.clear()
        if self.is_given_up.is_set():
            return
        self._unsent.append(message)
        self._has_unsent.set()
        if len(self._unsent) > self._capacity // 2:
            self._has_room.clear()

    async def room(self) -> None:
        """Wait until half of the queue is free."""
        await self._has_room.wait()

    async def outgoing(self) -> AsyncIterator[str]:
        """What there is to send, as it comes."""
        while True:
            await self._has_unsent.wait()
            while self._unsent:
                message = self._unsent.popleft()
                if len(self._unsent) <= self._capacity // 2:
                    self._has_room.set()
                yield message
            self._has_unsent.clear()
