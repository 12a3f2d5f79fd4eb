"""The conversation over one socket: messages in, each checked and answered or acted on; messages out, as they come."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter

from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from cabochon.server import protocol
from cabochon.server.connections import NOT_YOURS, TOO_FAST, TOO_MANY, TOO_SLOW, Connection
from cabochon.server.errors import Refusal
from cabochon.server.security import Bucket
from cabochon.server.settings import Limits
from cabochon.server.tables import Table
from cabochon.server.telemetry import Metrics, tell

SECONDS_TO_CLOSE = 1.0
PONG = protocol.Pong().model_dump_json()


class Conversation:
    """One client's talk with one table, until either of them ends it."""

    def __init__(
        self, websocket: WebSocket, connection: Connection, table: Table, limits: Limits, metrics: Metrics
    ) -> None:
        self._websocket = websocket
        self._connection = connection
        self._table = table
        self._limits = limits
        self._metrics = metrics
        self._bucket = Bucket(limits.message_rate, limits.message_burst)
        self._too_fast = 0  # messages in a row

    async def hold(self, since: int) -> None:
        """Talk; the client is told where the game stands first."""
        try:
            self._table.attach(self._connection, since)
        except Refusal as refusal:
            await self._websocket.close(NOT_YOURS if refusal.code == "not_yours" else TOO_MANY, refusal.message)
            return
        self._metrics.sockets.inc()
        reading = asyncio.create_task(self._read_all())
        tasks = [
            reading,
            asyncio.create_task(self._write_all()),
            asyncio.create_task(self._connection.is_ended.wait()),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._metrics.sockets.dec()
            self._table.detach(self._connection)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()  # a fault of ours is not kept quiet
        if reading in done and reading.result():
            tell("flood", table=self._table.stored.id)
            await self._close(TOO_FAST, "too many messages")
        elif self._connection.ending is not None:
            code, reason = self._connection.ending
            if code == TOO_SLOW:
                self._metrics.slow_clients.inc()
            await self._close(code, reason)

    async def _close(self, code: int, reason: str) -> None:
        """Say why, if the client still listens."""
        with contextlib.suppress(TimeoutError, WebSocketDisconnect):
            async with asyncio.timeout(SECONDS_TO_CLOSE):
                await self._websocket.close(code, reason)

    async def _write_all(self) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            async for message in self._connection.outgoing():
                await self._websocket.send_text(message)

    async def _read_all(self) -> bool:
        """Answer whatever comes, until the client goes; True if it must go, because far too much came."""
        while True:
            await self._connection.room()
            event = await self._websocket.receive()
            if event["type"] == "websocket.disconnect" or self._connection.is_ended.is_set():
                return False
            if self._bucket.take():
                self._too_fast = 0
                await self._answer(event.get("text"))
                continue
            self._too_fast += 1
            if self._too_fast > self._limits.refused_in_a_row:
                return True
            self._refuse("", Refusal("too_fast", f"expected at most {self._limits.message_rate:g} messages a second"))

    async def _answer(self, text: str | None) -> None:
        try:
            message = protocol.CLIENT_MESSAGES.validate_json(text or "", strict=True)
        except ValidationError as error:
            self._refuse("", Refusal("malformed", _what_is_wrong(error)))
            return
        try:
            await self._act(message)
        except Refusal as refusal:
            self._refuse(message.id, refusal)

    async def _act(
        self, message: protocol.Play | protocol.Undo | protocol.Say | protocol.Catch | protocol.Ping
    ) -> None:
        seat = self._connection.seat
        match message:
            case protocol.Ping():
                self._connection.send(PONG)
            case protocol.Catch():
                self._connection.send(self._table.sync(self._connection, message.since))
            case protocol.Say():
                self._table.say(seat, message.phrase)
            case protocol.Play():
                if not await self._table.play(seat, message.seq, message.move):
                    self._connection.send(self._table.sync(self._connection, message.seq))
            case protocol.Undo():
                if not await self._table.undo(seat, message.seq):
                    self._connection.send(self._table.sync(self._connection, message.seq))

    def _refuse(self, reference: str, refusal: Refusal) -> None:
        self._metrics.refusals.labels(refusal.code).inc()
        self._connection.send(
            protocol.Refused(id=reference, seq=self._table.course.seq, error=refusal.info).model_dump_json()
        )


def _what_is_wrong(error: ValidationError) -> str:
    """The first thing that is wrong with a message, without repeating it."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"expected a message of this protocol; {f'{where}: ' if where else ''}{first['msg']}"[:200]


class SocketCounts:
    """How many sockets each address has open."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._counts: Counter[str] = Counter()

    def open(self, client: str) -> bool:
        """Count one more, unless there are too many."""
        if self._counts[client] >= self._most:
            return False
        self._counts[client] += 1
        return True

    def close(self, client: str) -> None:
        """Count one less."""
        self._counts[client] -= 1
        if self._counts[client] <= 0:
            del self._counts[client]
