"""Many games at once against a server of its own: how long a move takes to reach the others, and what survives a kill.

Every player is a guest with a socket, as in a browser, and plays a random legal move after a moment's thought.
The time of a move is measured from sending it to its arrival at each of the *other* players of the table, so
that it includes the commit to the database.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import signal
import socket
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin

from cabochon.errors import CabochonError
from cabochon.server.settings import allow_many_sockets

SECONDS_TO_START = 120.0
SECONDS_TO_RETURN = 60.0
SECONDS_BETWEEN_ATTEMPTS = (0.2, 1.0)  # of a client whose line broke
ANSWERS_AT_A_TIME = 20  # while the tables are opened


@dataclass(frozen=True)
class Load:
    """How much is asked of the server: so many games for so many seconds, a decision after `think` on average."""

    games: int = 250
    players: int = 4
    seconds: float = 30.0
    think: float = 5.0
    is_killed: bool = False

    def __post_init__(self) -> None:
        if self.games < 1 or not 2 <= self.players <= 4:
            raise CabochonError(f"expected 1 game or more with 2 to 4 players, got {self.games} with {self.players}")
        if self.seconds <= 0 or self.think <= 0:
            raise CabochonError(f"expected seconds above 0, got {self.seconds:g} and {self.think:g} to think")


@dataclass(frozen=True)
class Report:
    """What was seen.

    Times are in milliseconds, `memory` is the server's, in MiB. After a kill, `back` is the seconds until all
    players had a line again, and `played_on` the moves that followed.
    """

    games: int
    sockets: int
    moves: int
    moves_a_second: float
    p50: float
    p99: float
    longest: float
    memory: float
    server_cores: float
    acknowledged: int
    lost: int
    back: float | None
    played_on: int


class ServerProcess:
    """A server that may be killed and started again on the same database and port."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self.url = f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self._folder / "server.log").open("a") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "cabochon", "serve"),
                *("--port", str(self._port), "--database", str(self._folder / "server.db"), "--log-level", "warning"),
                *("--request-rate", "1000000", "--message-rate", "1000000", "--sockets-per-address", "1000000"),
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + SECONDS_TO_START
        async with httpx.AsyncClient() as client:
            while time.monotonic() < deadline and self._process.returncode is None:
                with suppress(httpx.TransportError):
                    if (await client.get(f"{self.url}/healthz")).status_code == httpx.codes.OK:
                        return
                await asyncio.sleep(0.1)
        told = (self._folder / "server.log").read_text(encoding="utf-8")
        raise CabochonError(f"expected a server that starts, and it said: {told.strip()[-500:]}")

    async def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()

    @property
    def memory(self) -> float:
        """What it holds, in MiB."""
        if self._process is None:
            return 0.0
        lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    @property
    def processor_seconds(self) -> float:
        """The time that it has computed for."""
        if self._process is None:
            return 0.0
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Book:
    """What the players of all tables have seen."""

    sent: dict[tuple[str, int], float] = field(default_factory=dict)  # when, by table and number of the entry
    times: list[float] = field(default_factory=list)
    told: dict[str, set[tuple[int, str]]] = field(default_factory=lambda: defaultdict(set))  # moves, to anybody
    answered: int = 0  # moves, to those who played them, at once
    connected: int = 0
    is_measuring: bool = False


class Player:
    """A guest at a table, who comes back by itself when its line breaks."""

    def __init__(self, url: str, cookie: str, table: str, seat: int, load: Load, book: Book) -> None:
        self._origin = url
        self._address = f"{url.replace('http', 'ws', 1)}/api/tables/{table}/socket"
        self._cookie = cookie
        self._table = table
        self._seat = seat
        self._load = load
        self._book = book
        self._seq = 0
        self._random = random.Random(f"{table}/{seat}")
        self._decision: asyncio.Task[None] | None = None

    async def play(self) -> None:
        """Play until cancelled."""
        while True:
            with suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                await self._talk()
            await asyncio.sleep(self._random.uniform(*SECONDS_BETWEEN_ATTEMPTS))

    async def _talk(self) -> None:
        async with connect(
            f"{self._address}?since={self._seq}",
            origin=Origin(self._origin),
            additional_headers={"Cookie": self._cookie},
            compression=None,
            ping_interval=None,
        ) as line:
            self._book.connected += 1
            try:
                async for frame in line:
                    self._hear(line, json.loads(frame))
            finally:
                self._book.connected -= 1
                if self._decision is not None:
                    self._decision.cancel()

    def _hear(self, line: ClientConnection, message: dict[str, Any]) -> None:
        if message["type"] == "moved":
            self._note(message["happening"])
        elif message["type"] == "sync":
            for happening in message["happenings"]:
                self._note(happening, is_late=True)
        else:
            return
        position = message["position"]
        self._seq = position["seq"]
        if position["legal"]:
            if self._decision is not None:
                self._decision.cancel()
            self._decision = asyncio.create_task(self._decide(line, position))

    def _note(self, happening: dict[str, Any], is_late: bool = False) -> None:
        """Keep what was told, and time another's move."""
        seq = happening["seq"]
        self._book.told[self._table].add((seq, happening["move"]))
        if is_late:
            return
        if happening["seat"] == self._seat:
            self._book.answered += 1
        elif self._book.is_measuring and (self._table, seq) in self._book.sent:
            self._book.times.append(time.perf_counter() - self._book.sent[self._table, seq])

    async def _decide(self, line: ClientConnection, position: dict[str, Any]) -> None:
        await asyncio.sleep(self._random.expovariate(1 / self._load.think))
        move = self._random.choice(position["legal"])["move"]
        self._book.sent[self._table, position["seq"] + 1] = time.perf_counter()
        with suppress(ConnectionClosed):
            await line.send(json.dumps({"type": "play", "seq": position["seq"], "move": move}))


@asynccontextmanager
async def _requests(url: str) -> AsyncIterator[Callable[..., Any]]:
    """Requests as many different guests, each with a cookie of its own."""
    forgetful = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    gate = asyncio.Semaphore(ANSWERS_AT_A_TIME)
    async with httpx.AsyncClient(base_url=url, cookies=forgetful, timeout=SECONDS_TO_RETURN) as client:

        async def request(method: str, path: str, body: dict[str, Any] | None, cookie: str = "") -> httpx.Response:
            async with gate:
                answer = await client.request(method, path, json=body, headers={"Cookie": cookie} if cookie else {})
            if answer.is_error:
                raise CabochonError(f"expected {method} {path} to succeed, got {answer.status_code}: {answer.text}")
            return answer

        yield request


async def _open_game(
    number: int, server: ServerProcess, load: Load, book: Book, request: Callable[..., Any]
) -> list[Player]:
    """A table with a guest at every seat."""
    cookies = []
    for seat in range(load.players):
        answer = await request("PUT", "/api/me", {"nickname": f"Player {number}.{seat + 1}"})
        cookies.append(answer.headers["set-cookie"].partition(";")[0])
    plan = {
        "game": ("splendor", "marvel")[number % 2],
        "seats": [{"kind": "me"}, *({"kind": "open"} for _ in range(load.players - 1))],
        "order": "given",
    }
    table = (await request("POST", "/api/tables", plan, cookies[0])).json()["id"]
    for seat in range(1, load.players):
        await request("POST", f"/api/tables/{table}/join", {"seat": seat}, cookies[seat])
    return [Player(server.url, cookie, table, seat, load, book) for seat, cookie in enumerate(cookies)]


async def _all_connected(book: Book, sockets: int) -> None:
    """Wait until every player has a line."""
    deadline = time.monotonic() + SECONDS_TO_RETURN
    while book.connected < sockets:
        if time.monotonic() > deadline:
            raise CabochonError(f"expected {sockets} open sockets, got {book.connected}")
        await asyncio.sleep(0.05)


async def _lost(book: Book, server: ServerProcess) -> int:
    """How many moves that anybody was told of are not in the logs as the server tells them to a newcomer."""
    lost = 0
    for table, moves in book.told.items():
        address = f"{server.url.replace('http', 'ws', 1)}/api/tables/{table}/socket?since=0"
        async with connect(address, origin=Origin(server.url), max_size=None) as line:
            happenings = json.loads(await line.recv())["happenings"]
        lost += len(moves - {(happening["seq"], happening["move"]) for happening in happenings})
    return lost


def _percentile(times: list[float], share: float) -> float:
    """In milliseconds."""
    ordered = sorted(times)
    return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


async def _run(load: Load, folder: Path) -> Report:
    server = ServerProcess(folder)
    book = Book()
    sockets = load.games * load.players
    await server.start()
    try:
        async with _requests(server.url) as request, asyncio.TaskGroup() as group:
            opened = await asyncio.gather(
                *(_open_game(number, server, load, book, request) for number in range(load.games))
            )
            playing = [group.create_task(player.play()) for players in opened for player in players]
            await _all_connected(book, sockets)
            gc.collect()
            gc.freeze()  # what stops us while we measure is none of the server's doing
            await asyncio.sleep(load.think)  # until the first decisions are spread
            book.is_measuring = True
            known, computed, started = _count(book), server.processor_seconds, time.monotonic()
            await asyncio.sleep(load.seconds)
            book.is_measuring = False
            passed = time.monotonic() - started
            moves, cores = _count(book) - known, (server.processor_seconds - computed) / passed
            memory = server.memory
            back, played_on = await _killed(server, book, sockets, load) if load.is_killed else (None, 0)
            for task in playing:
                task.cancel()
        lost = await _lost(book, server)
    finally:
        gc.unfreeze()
        await server.kill()
    return Report(
        games=load.games,
        sockets=sockets,
        moves=moves,
        moves_a_second=moves / passed,
        p50=_percentile(book.times, 0.5),
        p99=_percentile(book.times, 0.99),
        longest=_percentile(book.times, 1.0),
        memory=memory,
        server_cores=cores,
        acknowledged=_count(book),
        lost=lost,
        back=back,
        played_on=played_on,
    )


def _count(book: Book) -> int:
    return sum(len(moves) for moves in book.told.values())


async def _killed(server: ServerProcess, book: Book, sockets: int, load: Load) -> tuple[float, int]:
    """Kill the server in the middle, start it again, and play on; how long until all were back, and how much."""
    killed_at = time.monotonic()
    await server.kill()
    await server.start()
    await _all_connected(book, sockets)
    back, known = time.monotonic() - killed_at, book.answered
    await asyncio.sleep(min(load.seconds, load.think))
    deadline = time.monotonic() + SECONDS_TO_RETURN
    while book.answered == known:
        if time.monotonic() > deadline:
            raise CabochonError(f"expected a move to be answered within {SECONDS_TO_RETURN:.0f} s after all were back")
        await asyncio.sleep(0.05)
    return back, book.answered - known


def run_load(load: Load) -> Report:
    """Start a server, put the load on it, and tell what was seen."""
    allow_many_sockets()
    with tempfile.TemporaryDirectory(prefix="cabochon-load-") as folder:
        return asyncio.run(_run(load, Path(folder)))
