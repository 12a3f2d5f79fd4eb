"""The players of a load test: guests with sockets, as in a browser, and what they have seen."""

import asyncio
import json
import random
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from cabochon.errors import CabochonError

SECONDS_TO_RETURN = 60.0
SECONDS_TO_RECONNECT = 0.2  # at most, before the first attempt
SECONDS_BETWEEN_ROUNDS = (0.2, 1.0)  # of attempts to reconnect at each address
CONCURRENT_REQUESTS = 20  # while the tables are opened


@dataclass
class Observations:
    """What the players of all tables have sent and received."""

    sent_at: dict[tuple[str, int], float] = field(default_factory=dict)  # by table and number of the entry
    latencies: list[float] = field(default_factory=list)
    moves: dict[str, set[tuple[int, str]]] = field(default_factory=lambda: defaultdict(set))  # by table
    acknowledged: int = 0  # moves that came back to their players at once
    messages: int = 0  # that came from the servers
    connected: int = 0
    longest_away: float = 0.0  # how many seconds a player had no connection
    is_measuring: bool = False

    @property
    def count(self) -> int:
        """How many moves there were."""
        return sum(len(moves) for moves in self.moves.values())

    async def wait_for_sockets(self, sockets: int) -> None:
        """Wait until so many players are connected."""
        deadline = time.monotonic() + SECONDS_TO_RETURN
        while self.connected < sockets:
            if time.monotonic() > deadline:
                raise CabochonError(f"expected {sockets} open sockets, got {self.connected}")
            await asyncio.sleep(0.05)


@dataclass
class Player:
    """A guest at a table, who reconnects when the connection breaks, almost at once, to a random one of the addresses.

    If an attempt fails, the next address follows at once, as behind a proxy.
    """

    urls: list[str]
    cookie: str
    table: str
    seat: int
    think: float  # seconds before a move, on average
    seen: Observations
    seq: int = 0  # the length of the log, as far as this player knows
    is_over: bool = False

    def __post_init__(self) -> None:
        self._random = random.Random(f"{self.table}/{self.seat}")
        self._decision: asyncio.Task[None] | None = None
        self._next = 0  # the number of an address
        self._failures = 0  # attempts in a row
        self._left_at: float | None = None  # when the connection broke

    async def play(self) -> None:
        """Play until cancelled."""
        while True:
            with suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                await self._connect()
            await asyncio.sleep(self._pause())

    def _pause(self) -> float:
        """Return how long to wait before the next attempt."""
        self._failures += 1
        if self._failures == 1:
            self._next = self._random.randrange(len(self.urls))
            return self._random.uniform(0, SECONDS_TO_RECONNECT)
        is_round_over = (self._failures - 1) % len(self.urls) == 0
        return self._random.uniform(*SECONDS_BETWEEN_ROUNDS) if is_round_over else 0.0

    async def _connect(self) -> None:
        url = self.urls[self._next % len(self.urls)]
        self._next += 1
        address, cookie = socket_address(url, self.table, self.seq), {"Cookie": self.cookie}
        async with connect(
            address, origin=Origin(url), additional_headers=cookie, compression=None, ping_interval=None
        ) as socket:
            self.seen.connected += 1
            self._failures = 0
            if self._left_at is not None:
                self.seen.longest_away = max(self.seen.longest_away, time.monotonic() - self._left_at)
            try:
                async for frame in socket:
                    self._handle(socket, json.loads(frame))
            finally:
                self.seen.connected -= 1
                self._left_at = time.monotonic()
                if self._decision is not None:
                    self._decision.cancel()

    def _handle(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        self.seen.messages += 1
        if message["type"] == "moved":
            self._note(message["event"])
        elif message["type"] == "sync":
            for event in message["events"]:
                self._note(event, is_late=True)
        else:
            return
        position = message["position"]
        self.seq = position["seq"]
        self.is_over = position["outcome"] is not None
        if position["legal"]:
            if self._decision is not None:
                self._decision.cancel()
            self._decision = asyncio.create_task(self._decide(socket, position))

    def _note(self, event: dict[str, Any], is_late: bool = False) -> None:
        if "move" not in event:
            return
        seq = event["seq"]
        self.seen.moves[self.table].add((seq, event["move"]))
        if is_late:
            return
        if event["seat"] == self.seat:
            self.seen.acknowledged += 1
        elif self.seen.is_measuring and (self.table, seq) in self.seen.sent_at:
            self.seen.latencies.append(time.perf_counter() - self.seen.sent_at[self.table, seq])

    async def _decide(self, socket: ClientConnection, position: dict[str, Any]) -> None:
        await asyncio.sleep(self._random.expovariate(1 / self.think))
        move = self._random.choice(position["legal"])["move"]
        self.seen.sent_at[self.table, position["seq"] + 1] = time.perf_counter()
        with suppress(ConnectionClosed):
            await socket.send(json.dumps({"type": "play", "seq": position["seq"], "move": move}))


def socket_address(url: str, table: str, since: int) -> str:
    """Return the address of the socket of a table."""
    return f"{url.replace('http', 'ws', 1)}/api/tables/{table}/socket?since={since}"


class Opening:
    """Opens tables, with requests of many guests, each with their own cookie."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._gate = asyncio.Semaphore(CONCURRENT_REQUESTS)

    @classmethod
    @asynccontextmanager
    async def at(cls, url: str) -> AsyncIterator["Opening"]:
        """Open tables at a server."""
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        async with httpx.AsyncClient(base_url=url, cookies=no_cookies, timeout=SECONDS_TO_RETURN) as client:
            yield cls(client)

    async def table(self, plan: dict[str, Any], names: list[str]) -> tuple[str, list[str]]:
        """Open a table whose first seats these people take; return its id, and the cookies of the people."""
        cookies = []
        for name in names:
            answer = await self._request("PUT", "/api/me", {"nickname": name})
            cookies.append(answer.headers["set-cookie"].partition(";")[0])
        table = (await self._request("POST", "/api/tables", plan, cookies[0])).json()["id"]
        for seat in range(1, len(names)):
            await self._request("POST", f"/api/tables/{table}/join", {"seat": seat}, cookies[seat])
        return table, cookies

    async def _request(self, method: str, path: str, body: dict[str, Any], cookie: str = "") -> httpx.Response:
        headers = {"Cookie": cookie} if cookie else {}
        async with self._gate:
            answer = await self._client.request(method, path, json=body, headers=headers)
        if answer.is_error:
            raise CabochonError(f"expected {method} {path} to succeed, got {answer.status_code}: {answer.text}")
        return answer
