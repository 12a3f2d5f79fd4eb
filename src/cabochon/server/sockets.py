"""Sockets: the queue of messages to a client, and the exchange of messages with a table."""

import asyncio
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from cabochon.server import protocol
from cabochon.server.broadcast import Subscriber
from cabochon.server.errors import RequestError
from cabochon.server.guests import Guest
from cabochon.server.live_table import LiveTable
from cabochon.server.rate_limits import TokenBucket
from cabochon.server.settings import Limits
from cabochon.server.telemetry import Metrics, log_event

SECONDS_TO_CLOSE = 1.0
SECONDS_PER_CLIENT = 0.02  # at most, between those who are sent away
SECONDS_FOR_ALL = 4.0
RESTARTING = "the server is restarting; reconnect"
PONG = protocol.Pong().model_dump_json()


class CloseCode(IntEnum):
    """Why the server closes a socket, besides the codes of the WebSocket protocol."""

    RESTARTING = 1012  # one of those: connect again, perhaps to another process
    UNAVAILABLE = 1013  # one of those: try again later
    REVOKED = 4401  # the token, or the guest was deleted
    NOT_YOURS = 4403
    NOT_FOUND = 4404
    TOO_MANY = 4408  # sockets from one address or at one table
    BANNED = 4410
    TOO_SLOW = 4413
    TOO_FAST = 4429


_WHY_NOT_ATTACHED = {
    "not_yours": CloseCode.NOT_YOURS,
    "limit_reached": CloseCode.TOO_MANY,
    "unavailable": CloseCode.UNAVAILABLE,
}


class Connection(Subscriber):
    """A subscriber with a socket and a bounded queue of messages.

    `send` never waits, so a client that reads slowly delays nobody else. When more than `capacity` messages are
    queued, the connection is closed; the client may reconnect and catch up. A client that asks faster than it reads
    is not closed: its next message waits for `room`.
    """

    def __init__(self, guest: Guest | None, capacity: int, wanted_seat: int | None = None) -> None:
        super().__init__(guest, wanted_seat)
        self.is_closing = asyncio.Event()
        self.close_reason: tuple[CloseCode, str] | None = None
        self._capacity = capacity
        self._queue: deque[str] = deque()
        self._has_message = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def close(self, code: CloseCode, reason: str) -> None:
        """Send nothing more, and close the socket with this code."""
        self.close_reason = self.close_reason or (code, reason)
        self.is_closing.set()
        self._queue.clear()

    def send(self, message: str) -> None:
        """Add a message to the queue."""
        if len(self._queue) >= self._capacity:
            self.close(CloseCode.TOO_SLOW, "too slow; reconnect and catch up")
        if self.is_closing.is_set():
            return
        self._queue.append(message)
        self._has_message.set()
        if len(self._queue) > self._capacity // 2:
            self._has_room.clear()

    async def room(self) -> None:
        """Wait until half of the queue is free."""
        await self._has_room.wait()

    async def messages(self) -> AsyncIterator[str]:
        """Yield the messages to send, as they come."""
        while True:
            await self._has_message.wait()
            while self._queue:
                message = self._queue.popleft()
                if len(self._queue) <= self._capacity // 2:
                    self._has_room.set()
                yield message
            self._has_message.clear()


class OpenConnections:
    """The open connections of clients, by what lets them in: a token by its digest, or a guest by their id."""

    def __init__(self) -> None:
        self._connections: dict[str | None, set[Connection]] = {}
        self._is_closed = False

    @property
    def keys(self) -> frozenset[str]:
        """The tokens or guests that are connected."""
        return frozenset(key for key in self._connections if key is not None)

    @contextmanager
    def registered(self, key: str | None, connection: Connection) -> Iterator[None]:
        """Let `close_all` find the connection; with None, only `close` finds it."""
        connections = self._connections.setdefault(key, set())
        connections.add(connection)
        if self._is_closed:
            connection.close(CloseCode.RESTARTING, RESTARTING)
        try:
            yield
        finally:
            connections.discard(connection)
            if not connections:
                self._connections.pop(key, None)

    def close_all(self, key: str, code: CloseCode, reason: str) -> None:
        """Close all connections of a token or guest."""
        for connection in self._connections.get(key, ()):
            connection.close(code, reason)

    async def close(self) -> None:
        """Send all clients to another process, or to this one when it is back, and so everybody who comes later.

        If they are many, they go one after the other: those who come to a busy process all at once have to wait there.
        """
        self._is_closed = True
        connections = [connection for each in self._connections.values() for connection in each]
        random.shuffle(connections)
        began = time.monotonic()
        for number, connection in enumerate(connections):
            due_in = began + min(SECONDS_PER_CLIENT, SECONDS_FOR_ALL / len(connections)) * number - time.monotonic()
            if due_in > 0:
                await asyncio.sleep(due_in)
            connection.close(CloseCode.RESTARTING, RESTARTING)


@dataclass
class SocketSession:
    """The exchange of messages between one client and one table."""

    websocket: WebSocket
    connection: Connection
    table: LiveTable
    limits: Limits
    metrics: Metrics

    async def run(self, since: int) -> None:
        """Send what the client missed, and exchange messages until either side closes the socket."""
        try:
            await self.table.catch_up(since)
            self.table.attach(self.connection, since)
        except RequestError as error:
            await self.websocket.close(_WHY_NOT_ATTACHED[error.code], error.message)
            return
        self.metrics.sockets.inc()
        receiving = asyncio.create_task(self._receive_all())
        closing = asyncio.create_task(self.connection.is_closing.wait())
        tasks = [receiving, closing, asyncio.create_task(self._send_all())]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.metrics.sockets.dec()
            self.table.detach(self.connection)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()  # raises our own faults
        if receiving in done and receiving.result():
            log_event("flood", table=self.table.record.id)
            await self._close(CloseCode.TOO_FAST, "too many messages")
        elif self.connection.close_reason is not None:
            code, reason = self.connection.close_reason
            if code == CloseCode.TOO_SLOW:
                self.metrics.slow_clients.inc()
            await self._close(code, reason)

    async def _close(self, code: CloseCode, reason: str) -> None:
        with suppress(TimeoutError, WebSocketDisconnect):
            async with asyncio.timeout(SECONDS_TO_CLOSE):
                await self.websocket.close(code, reason)

    async def _send_all(self) -> None:
        with suppress(WebSocketDisconnect):
            async for message in self.connection.messages():
                await self.websocket.send_text(message)

    async def _receive_all(self) -> bool:
        """Handle messages until the client disconnects; return True if it sends far too many."""
        bucket, refused_in_a_row = TokenBucket(self.limits.message_rate, self.limits.message_burst), 0
        while True:
            await self.connection.room()
            event = await self.websocket.receive()
            if event["type"] == "websocket.disconnect" or self.connection.is_closing.is_set():
                return False
            if bucket.take():
                refused_in_a_row = 0
                await self._handle(event.get("text"))
                continue
            refused_in_a_row += 1
            if refused_in_a_row > self.limits.refused_in_a_row:
                return True
            expected = f"expected at most {self.limits.message_rate:g} messages per second"
            self._refuse("", RequestError("too_fast", expected))

    async def _handle(self, text: str | None) -> None:
        try:
            message = protocol.CLIENT_MESSAGES.validate_json(text or "", strict=True)
        except ValidationError as error:
            self._refuse("", RequestError("malformed", _describe(error)))
            return
        try:
            await self._act(message)
        except RequestError as error:
            self._refuse(getattr(message, "id", ""), error)

    async def _act(self, message: protocol.ClientMessage) -> None:
        seat = self.connection.seat
        match message:
            case protocol.Ping():
                self.connection.send(PONG)
            case protocol.Catch():
                await self.table.catch_up(message.since)
                self._sync(message.since)
            case protocol.Say():
                self.table.say(seat, message.phrase)
            case protocol.Play():
                if not await self.table.play(seat, message.seq, message.move):
                    self._sync(message.seq)
            case protocol.Undo():
                if not await self.table.undo(seat, message.seq):
                    self._sync(message.seq)

    def _sync(self, since: int) -> None:
        self.connection.send(self.table.broadcast.sync(self.connection, since))

    def _refuse(self, reference: str, error: RequestError) -> None:
        self.metrics.refusals.labels(error.code).inc()
        refused = protocol.Refused(id=reference, seq=self.table.timeline.seq, error=error.info)
        self.connection.send(refused.model_dump_json())


def _describe(error: ValidationError) -> str:
    """Describe the first fault of a message without repeating the message."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"expected a message of this protocol; {f'{where}: ' if where else ''}{first['msg']}"[:200]
