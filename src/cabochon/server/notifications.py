"""What the processes on one database tell each other: at once, and without polling.

A notice can be lost, for example when a connection breaks. So notices only make things faster: whoever misses one
finds out by reading the database, which happens regularly and whenever `on_gap` is called.
"""

import asyncio
import json
import logging
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

from sqlalchemy.ext.asyncio import AsyncConnection

from cabochon.server.database import Database, DatabaseUnavailableError
from cabochon.server.telemetry import log_event

Notice = dict[str, Any]  # "kind", for a notice about a table also "table", and the facts

EVERYBODY = "cabochon"
SHARDS = 256  # channels for the notices about tables
MOST_BYTES = 7_800  # of the notices in one notification; PostgreSQL allows 8,000 with what is around them
SECONDS_TO_CONNECT = 10.0  # until those who wait are told that the database does not answer
SECONDS_TO_RECONNECT = 0.5
SECONDS_IDLE = 2.0  # until the connection is checked
SECONDS_TO_ANSWER = 5.0  # until a connection that does not answer counts as broken
SECONDS_KEPT = 5.0  # of a notice while there is no connection; by then, the others have read the database


def shard_of(table_id: str) -> str:
    """Return the channel for the notices about a table."""
    return f"{EVERYBODY}_{crc32(table_id.encode()) % SHARDS}"


class Notifications(ABC):
    """Sends notices to the other processes, and receives theirs; never one's own."""

    def __init__(self) -> None:
        self.sent = self.received = 0  # notices
        self.gaps = 0  # times that notices may have been missed
        self.on_notice: Callable[[Notice], None] = lambda notice: None
        self.on_gap: Callable[[], None] = lambda: None  # notices may have been missed

    def tell_all(self, kind: str, **facts: Any) -> None:
        """Send a notice to all processes."""
        self._send(EVERYBODY, {"kind": kind, **facts})

    def tell_table(self, table_id: str, kind: str, **facts: Any) -> None:
        """Send a notice to the processes that follow this table."""
        self._send(shard_of(table_id), {"kind": kind, "table": table_id, **facts})

    @abstractmethod
    def _send(self, channel: str, notice: Notice) -> None: ...

    @abstractmethod
    async def follow(self, table_id: str) -> None:
        """Receive the notices about a table; when this returns, every later one arrives."""

    @abstractmethod
    def unfollow(self, table_id: str) -> None:
        """Take back one `follow`."""

    @abstractmethod
    async def open(self) -> None:
        """Connect."""

    @abstractmethod
    async def close(self) -> None:
        """Send what is left, and disconnect."""


class NoNotifications(Notifications):
    """For a database that a single process uses: there is nobody to tell."""

    def _send(self, channel: str, notice: Notice) -> None:
        pass

    async def follow(self, table_id: str) -> None:
        """Do nothing."""

    def unfollow(self, table_id: str) -> None:
        """Do nothing."""

    async def open(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


class PostgresNotifications(Notifications):
    """LISTEN and NOTIFY, over one connection for both, which is opened again when it breaks.

    All notices that wait are sent by one statement, outside the transactions that they are about: a pending NOTIFY
    makes every other transaction wait at its commit.
    """

    def __init__(self, database: Database, process_id: str) -> None:
        super().__init__()
        self._database = database
        self._process_id = process_id
        self._followed: Counter[str] = Counter()  # channels
        self._listening: set[str] = set()
        self._outbox: list[tuple[float, str, Notice]] = []  # with the time when each was sent
        self._waiting: list[asyncio.Future[None]] = []
        self._has_work = asyncio.Event()
        self._is_closing = False
        self._task: asyncio.Task[None] | None = None

    def _send(self, channel: str, notice: Notice) -> None:
        self._outbox.append((time.monotonic(), channel, notice))
        self._has_work.set()

    async def follow(self, table_id: str) -> None:
        """Receive the notices about a table."""
        channel = shard_of(table_id)
        self._followed[channel] += 1
        if channel in self._listening:
            return
        try:
            async with asyncio.timeout(SECONDS_TO_CONNECT):
                await self._listens_to_all()
        except TimeoutError as error:
            self.unfollow(table_id)
            raise DatabaseUnavailableError("the connection for notifications is closed") from error
        except BaseException:
            self.unfollow(table_id)
            raise

    async def _listens_to_all(self) -> None:
        """Wait until all channels in `_followed` are listened to."""
        is_listening: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(is_listening)
        self._has_work.set()
        await is_listening

    def unfollow(self, table_id: str) -> None:
        """Take back one `follow`."""
        channel = shard_of(table_id)
        self._followed[channel] -= 1
        if self._followed[channel] == 0:
            del self._followed[channel]
            self._has_work.set()

    async def open(self) -> None:
        """Connect, and wait until everybody's notices arrive."""
        self._followed[EVERYBODY] = 1
        self._task = asyncio.create_task(self._run())
        await self._listens_to_all()

    async def close(self) -> None:
        """Send what is left, and disconnect."""
        self._is_closing = True
        self._has_work.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=SECONDS_TO_ANSWER)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        has_missed = False  # whether notices may have been missed
        while not self._is_closing:
            try:
                async with self._database.connection() as connection:
                    try:
                        await self._exchange(connection, has_missed)
                    finally:
                        await connection.invalidate()  # it listens: nobody else can use it
            except Exception as error:  # of SQLAlchemy, or of the driver, whose errors are not translated here
                log_event("notifications_interrupted", logging.WARNING, error=type(error).__name__)
            has_missed = True
            self._listening.clear()
            if not self._is_closing:
                await asyncio.sleep(SECONDS_TO_RECONNECT)
                oldest = time.monotonic() - SECONDS_KEPT
                self._outbox = [waiting for waiting in self._outbox if waiting[0] >= oldest]

    async def _exchange(self, connection: AsyncConnection, has_missed: bool) -> None:
        """Listen and send until closed or the connection breaks."""
        driver: Any = (await connection.get_raw_connection()).driver_connection
        driver.add_termination_listener(lambda _: self._has_work.set())
        while True:
            self._has_work.clear()
            if driver.is_closed():
                raise ConnectionError("the connection for notifications is closed")
            await self._listen(driver)
            if has_missed:
                has_missed = False
                self.gaps += 1
                self.on_gap()
            async with asyncio.timeout(SECONDS_TO_ANSWER):
                await self._send_pending(driver)
            if self._is_closing and not self._outbox:
                return
            try:
                async with asyncio.timeout(SECONDS_IDLE):
                    await self._has_work.wait()
            except TimeoutError:
                async with asyncio.timeout(SECONDS_TO_ANSWER):
                    await driver.execute("SELECT 1")

    async def _listen(self, driver: Any) -> None:
        """Listen to exactly the channels that are followed. Each has time of its own: there may be many."""
        waiting, self._waiting = self._waiting, []
        try:
            for channel in set(self._followed) - self._listening:
                async with asyncio.timeout(SECONDS_TO_ANSWER):
                    await driver.add_listener(channel, self._receive)
                self._listening.add(channel)
            for channel in self._listening - set(self._followed):
                if channel in self._followed:  # again, while the others were removed
                    continue
                self._listening.discard(channel)
                async with asyncio.timeout(SECONDS_TO_ANSWER):
                    await driver.remove_listener(channel, self._receive)
        except BaseException:
            self._waiting = waiting + self._waiting
            raise
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def _send_pending(self, driver: Any) -> None:
        pending = list(_batches(self._outbox))
        taken = len(self._outbox)
        if pending:
            channels, batches = zip(*pending, strict=True)
            payloads = [_payload(self._process_id, batch) for batch in batches]
            query = "SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS t(channel, payload)"
            await driver.execute(query, list(channels), payloads)
            self.sent += sum(map(len, batches))
        del self._outbox[:taken]

    def _receive(self, _: Any, __: int, channel: str, payload: str) -> None:
        message = json.loads(payload)
        if message["from"] == self._process_id:
            return
        for notice in message["notices"]:
            self.received += 1
            try:
                self.on_notice(notice)
            except Exception as error:  # the others must arrive
                log_event("notice_failed", logging.ERROR, kind=notice["kind"], error=error)


def _batches(outbox: list[tuple[float, str, Notice]]) -> Iterator[tuple[str, list[str]]]:
    """Yield the notices as JSON by channel, as many together as fit into one payload; of equal ones, the last."""
    by_channel: dict[str, dict[str, None]] = {}
    for _, channel, notice in outbox:
        texts, text = by_channel.setdefault(channel, {}), json.dumps(notice, separators=(",", ":"))
        texts.pop(text, None)
        texts[text] = None
    for channel, texts in by_channel.items():
        batch: list[str] = []
        size = 0
        for text in texts:
            if len(text) > MOST_BYTES:  # the others find out what it is about when they read the database
                log_event("notice_too_long", logging.WARNING, bytes=len(text))
                continue
            if batch and size + len(text) > MOST_BYTES:
                yield channel, batch
                batch, size = [], 0
            batch.append(text)
            size += len(text) + 1
        if batch:
            yield channel, batch


def _payload(process_id: str, texts: list[str]) -> str:
    return f'{{"from":"{process_id}","notices":[{",".join(texts)}]}}'


def new_notifications(database: Database, process_id: str) -> Notifications:
    """Return the notifications of a database: of a server's other processes, or none."""
    return PostgresNotifications(database, process_id) if database.is_shared else NoNotifications()
