"""The server's end of a socket: what waits to be sent, in order, and never too much of it; and why it ends."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from cabochon.server.store import Guest

# With which code a socket ends, besides those of the protocol of sockets itself.
REVOKED = 4401  # the token
NOT_YOURS = 4403
NOT_FOUND = 4404
TOO_MANY = 4408  # sockets from one address or at one table
TOO_SLOW = 4413
TOO_FAST = 4429


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
        self.is_ended = asyncio.Event()
        self.ending: tuple[int, str] | None = None  # the code and a sentence
        self._capacity = capacity
        self._unsent: deque[str] = deque()
        self._has_unsent = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def guest_id(self) -> str | None:
        """Who it is, or None for one who has not said."""
        return self.guest.id if self.guest is not None else None

    def end(self, code: int, reason: str) -> None:
        """Tell the client nothing more, and why."""
        self.ending = self.ending or (code, reason)
        self.is_ended.set()
        self._unsent.clear()

    def send(self, message: str) -> None:
        """Put a message at the end of the queue."""
        if len(self._unsent) >= self._capacity:
            self.end(TOO_SLOW, "too slow; come back and catch up")
        if self.is_ended.is_set():
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


class TokenSockets:
    """The open sockets of programs, by their tokens."""

    def __init__(self) -> None:
        self._connections: dict[str, set[Connection]] = {}

    @contextmanager
    def held(self, digest: str | None, connection: Connection) -> Iterator[None]:
        """Let the connection end when the token of this digest is revoked; a person's has none."""
        if digest is None:
            yield
            return
        connections = self._connections.setdefault(digest, set())
        connections.add(connection)
        try:
            yield
        finally:
            connections.discard(connection)
            if not connections:
                self._connections.pop(digest, None)

    def revoke(self, digest: str) -> None:
        """End all sockets of a token."""
        for connection in self._connections.get(digest, ()):
            connection.end(REVOKED, "the token was revoked")
