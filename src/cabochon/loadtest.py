"""A load test: many games at once against one server, and what survives when it is killed.

Every player is a guest with a socket, as in a browser, and plays a random legal move after a pause. The latency of a
move is the time from sending it to its arrival at each of the *other* players, so it includes the commit.
"""

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
SECONDS_BETWEEN_ATTEMPTS = (0.2, 1.0)  # to reconnect
CONCURRENT_REQUESTS = 20  # while the tables are opened


@dataclass(frozen=True)
class Load:
    """The load: the number of games, the duration in seconds, and the mean pause of `think` seconds before a move."""

    games: int = 250
    players: int = 4
    seconds: float = 30.0
    think: float = 5.0
    is_killed: bool = False

    def __post_init__(self) -> None:
        if self.games < 1 or not 2 <= self.players <= 4:
            raise CabochonError(f"expected at least 1 game with 2 to 4 players, got {self.games} with {self.players}")
        if self.seconds <= 0 or self.think <= 0:
            raise CabochonError(f"expected times above 0 seconds, got {self.seconds:g} and {self.think:g} per decision")


@dataclass(frozen=True)
class Report:
    """The results.

    Latencies are in milliseconds, the server's memory in MiB. After a kill, `back` is the number of seconds until all
    players were connected again, and `played_on` the number of moves that followed.
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
    """A server process that can be killed and restarted on the same database and port."""

    _process: asyncio.subprocess.Process

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._folder = folder
        self.url = f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Start the process, and wait until it answers."""
        with (self._folder / "server.log").open("a") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "cabochon", "serve"),
                *("--port", str(self._port), "--database", str(self._folder / "server.db"), "--log-level", "warning"),
                *("--request-rate", "1000000", "--message-rate", "1000000", "--sockets-per-address", "1000000"),
                *("--opening-rate", "1000000"),
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + SECONDS_TO_START
        async with httpx.AsyncClient() as client:
            while time.monotonic() < deadline and self._process.returncode is None:
                with suppress(httpx.TransportError):
                    if (await client.get(f"{self.url}/readyz")).status_code == httpx.codes.OK:
                        return
                await asyncio.sleep(0.1)
        output = (self._folder / "server.log").read_text(encoding="utf-8")
        raise CabochonError(f"expected the server to start, got: {output.strip()[-500:]}")

    async def kill(self) -> None:
        """Kill the process as a power cut would."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
            await self._process.wait()

    @property
    def memory(self) -> float:
        """The resident memory in MiB."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024

    @property
    def processor_seconds(self) -> float:
        """The CPU time used so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Observations:
    """What the players of all tables have sent and received."""

    sent_at: dict[tuple[str, int], float] = field(default_factory=dict)  # by table and number of the entry
    latencies: list[float] = field(default_factory=list)
    moves: dict[str, set[tuple[int, str]]] = field(default_factory=lambda: defaultdict(set))  # by table
    acknowledged: int = 0  # moves that came back to their players at once
    connected: int = 0
    is_measuring: bool = False


@dataclass
class Player:
    """A guest at a table, who reconnects when the connection breaks."""

    url: str
    cookie: str
    table: str
    seat: int
    load: Load
    seen: Observations

    def __post_init__(self) -> None:
        self._seq = 0
        self._random = random.Random(f"{self.table}/{self.seat}")
        self._decision: asyncio.Task[None] | None = None

    async def play(self) -> None:
        """Play until cancelled."""
        while True:
            with suppress(OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                await self._connect()
            await asyncio.sleep(self._random.uniform(*SECONDS_BETWEEN_ATTEMPTS))

    async def _connect(self) -> None:
        address, cookie = _socket_address(self.url, self.table, self._seq), {"Cookie": self.cookie}
        async with connect(
            address, origin=Origin(self.url), additional_headers=cookie, compression=None, ping_interval=None
        ) as socket:
            self.seen.connected += 1
            try:
                async for frame in socket:
                    self._handle(socket, json.loads(frame))
            finally:
                self.seen.connected -= 1
                if self._decision is not None:
                    self._decision.cancel()

    def _handle(self, socket: ClientConnection, message: dict[str, Any]) -> None:
        if message["type"] == "moved":
            self._note(message["event"])
        elif message["type"] == "sync":
            for event in message["events"]:
                self._note(event, is_late=True)
        else:
            return
        position = message["position"]
        self._seq = position["seq"]
        if position["legal"]:
            if self._decision is not None:
                self._decision.cancel()
            self._decision = asyncio.create_task(self._decide(socket, position))

    def _note(self, event: dict[str, Any], is_late: bool = False) -> None:
        seq = event["seq"]
        self.seen.moves[self.table].add((seq, event["move"]))
        if is_late:
            return
        if event["seat"] == self.seat:
            self.seen.acknowledged += 1
        elif self.seen.is_measuring and (self.table, seq) in self.seen.sent_at:
            self.seen.latencies.append(time.perf_counter() - self.seen.sent_at[self.table, seq])

    async def _decide(self, socket: ClientConnection, position: dict[str, Any]) -> None:
        await asyncio.sleep(self._random.expovariate(1 / self.load.think))
        move = self._random.choice(position["legal"])["move"]
        self.seen.sent_at[self.table, position["seq"] + 1] = time.perf_counter()
        with suppress(ConnectionClosed):
            await socket.send(json.dumps({"type": "play", "seq": position["seq"], "move": move}))


def _socket_address(url: str, table: str, since: int) -> str:
    return f"{url.replace('http', 'ws', 1)}/api/tables/{table}/socket?since={since}"


@asynccontextmanager
async def _requests(url: str) -> AsyncIterator[Callable[..., Any]]:
    """Yield a function for requests of many guests, each with their own cookie."""
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    gate = asyncio.Semaphore(CONCURRENT_REQUESTS)
    async with httpx.AsyncClient(base_url=url, cookies=no_cookies, timeout=SECONDS_TO_RETURN) as client:

        async def request(method: str, path: str, body: dict[str, Any] | None, cookie: str = "") -> httpx.Response:
            async with gate:
                answer = await client.request(method, path, json=body, headers={"Cookie": cookie} if cookie else {})
            if answer.is_error:
                raise CabochonError(f"expected {method} {path} to succeed, got {answer.status_code}: {answer.text}")
            return answer

        yield request


async def _open_game(
    number: int, server: ServerProcess, load: Load, seen: Observations, request: Callable[..., Any]
) -> list[Player]:
    cookies = []
    for seat in range(load.players):
        answer = await request("PUT", "/api/me", {"nickname": f"Player {number}.{seat + 1}"})
        cookies.append(answer.headers["set-cookie"].partition(";")[0])
    seats = [{"kind": "me"}, *({"kind": "open"} for _ in range(load.players - 1))]
    plan = {"game": ("splendor", "marvel")[number % 2], "seats": seats, "order": "given"}
    table = (await request("POST", "/api/tables", plan, cookies[0])).json()["id"]
    for seat in range(1, load.players):
        await request("POST", f"/api/tables/{table}/join", {"seat": seat}, cookies[seat])
    return [Player(server.url, cookie, table, seat, load, seen) for seat, cookie in enumerate(cookies)]


async def _wait_until_connected(seen: Observations, sockets: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_RETURN
    while seen.connected < sockets:
        if time.monotonic() > deadline:
            raise CabochonError(f"expected {sockets} open sockets, got {seen.connected}")
        await asyncio.sleep(0.05)


async def _count_lost(seen: Observations, server: ServerProcess) -> int:
    """Count the moves that a player received but the server no longer sends to a new spectator."""
    lost = 0
    for table, moves in seen.moves.items():
        async with connect(_socket_address(server.url, table, 0), origin=Origin(server.url), max_size=None) as socket:
            events = json.loads(await socket.recv())["events"]
        lost += len(moves - {(event["seq"], event["move"]) for event in events})
    return lost


def _percentile(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


async def _run(load: Load, folder: Path) -> Report:
    server = ServerProcess(folder)
    seen = Observations()
    sockets = load.games * load.players
    await server.start()
    try:
        async with _requests(server.url) as request, asyncio.TaskGroup() as group:
            openings = [_open_game(number, server, load, seen, request) for number in range(load.games)]
            opened = await asyncio.gather(*openings)
            playing = [group.create_task(player.play()) for players in opened for player in players]
            await _wait_until_connected(seen, sockets)
            gc.collect()
            gc.freeze()  # our own pauses would count as the server's
            await asyncio.sleep(load.think)  # until the first moves are spread out
            seen.is_measuring = True
            known, computed, started = _count_moves(seen), server.processor_seconds, time.monotonic()
            await asyncio.sleep(load.seconds)
            seen.is_measuring = False
            passed = time.monotonic() - started
            moves, cores = _count_moves(seen) - known, (server.processor_seconds - computed) / passed
            memory = server.memory
            back, played_on = await _kill_and_restart(server, seen, sockets, load) if load.is_killed else (None, 0)
            for task in playing:
                task.cancel()
        lost = await _count_lost(seen, server)
    finally:
        gc.unfreeze()
        await server.kill()
    return Report(
        games=load.games,
        sockets=sockets,
        moves=moves,
        moves_a_second=moves / passed,
        p50=_percentile(seen.latencies, 0.5),
        p99=_percentile(seen.latencies, 0.99),
        longest=_percentile(seen.latencies, 1.0),
        memory=memory,
        server_cores=cores,
        acknowledged=_count_moves(seen),
        lost=lost,
        back=back,
        played_on=played_on,
    )


def _count_moves(seen: Observations) -> int:
    return sum(len(moves) for moves in seen.moves.values())


async def _kill_and_restart(server: ServerProcess, seen: Observations, sockets: int, load: Load) -> tuple[float, int]:
    """Kill and restart the server; return the seconds until all were connected again, and the moves after that."""
    killed_at = time.monotonic()
    await server.kill()
    await server.start()
    await _wait_until_connected(seen, sockets)
    back, known = time.monotonic() - killed_at, seen.acknowledged
    await asyncio.sleep(min(load.seconds, load.think))
    deadline = time.monotonic() + SECONDS_TO_RETURN
    while seen.acknowledged == known:
        if time.monotonic() > deadline:
            raise CabochonError(f"expected a move within {SECONDS_TO_RETURN:.0f} s after all had reconnected")
        await asyncio.sleep(0.05)
    return back, seen.acknowledged - known


def run_load(load: Load) -> Report:
    """Start a server, put the load on it, and return the results."""
    allow_many_sockets()
    with tempfile.TemporaryDirectory(prefix="cabochon-load-") as folder:
        return asyncio.run(_run(load, Path(folder)))
