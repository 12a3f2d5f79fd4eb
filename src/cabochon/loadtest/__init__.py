"""A load test: many games at once against one or several servers, and what survives when one is killed.

Every player is a guest with a socket, as in a browser, and plays a random legal move after a pause. The latency of a
move is the time from sending it to its arrival at each of the *other* players, so it includes the commit.
"""

import asyncio
import gc
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.typing import Origin

from cabochon.errors import CabochonError
from cabochon.loadtest.players import SECONDS_TO_RETURN, Observations, Opening, Player, socket_address
from cabochon.loadtest.processes import ServerProcess
from cabochon.server.settings import allow_many_sockets

NOTICES = 'cabochon_notices_total{direction="sent"}'


@dataclass(frozen=True)
class Load:
    """The load: the number of games, the duration in seconds, and the mean pause of `think` seconds before a move.

    The players of a table connect to one of the processes, as behind a proxy that looks at the table, or with
    `is_spread` each to another. Without a database, there is one process on an SQLite file. With `is_rolling`, all
    processes are restarted one after the other.
    """

    games: int = 250
    players: int = 4
    seconds: float = 30.0
    think: float = 5.0
    is_killed: bool = False
    processes: int = 1
    database: str | None = None
    is_spread: bool = False
    is_rolling: bool = False

    def __post_init__(self) -> None:
        if self.games < 1 or not 2 <= self.players <= 4:
            raise CabochonError(f"expected at least 1 game with 2 to 4 players, got {self.games} with {self.players}")
        if self.seconds <= 0 or self.think <= 0:
            raise CabochonError(f"expected times above 0 seconds, got {self.seconds:g} and {self.think:g} per decision")
        if self.processes < 1:
            raise CabochonError(f"expected at least 1 process, got {self.processes}")
        if self.processes > 1 and self.database is None:
            raise CabochonError("expected the URL of a PostgreSQL database for more than one process")


@dataclass(frozen=True)
class Report:
    """The results.

    Latencies are in milliseconds, memory is in MiB, and `growth` is what the games added to it. `processor_ms` is the
    CPU time of all processes per move, and `messages` and `notices` are what they sent per move: to players, and to
    each other. After a kill, `back` is the number of seconds until all players were connected again, and `played_on`
    the number of moves that followed. In a rolling restart, `away` is the longest time in seconds that a player had no
    connection, `stopping` the longest time that a process took to stop, and `played_on` the number of moves.
    """

    processes: int
    games: int
    sockets: int
    moves: int
    moves_a_second: float
    p50: float
    p99: float
    longest: float
    memory: float
    growth: float
    server_cores: float
    processor_ms: float
    messages: float
    notices: float
    acknowledged: int
    lost: int
    back: float | None
    away: float | None
    stopping: float | None
    played_on: int


class _Run:
    """One load on its servers."""

    def __init__(self, load: Load, folder: Path) -> None:
        self._load = load
        database = load.database or str(folder / "server.db")
        self._servers = [ServerProcess(folder, database) for _ in range(load.processes)]
        self._seen = Observations()
        self._players: list[Player] = []

    async def report(self) -> Report:
        """Start the servers, put the load on them, and return the results."""
        try:
            await self._servers[0].start()  # it migrates the database
            await asyncio.gather(*(server.start() for server in self._servers[1:]))
            return await self._measure()
        finally:
            gc.unfreeze()
            for server in self._servers:
                await server.kill()

    async def _measure(self) -> Report:
        load, seen = self._load, self._seen
        sockets, idle = load.games * load.players, self._memory()
        async with Opening.at(self._servers[0].url) as opening, asyncio.TaskGroup() as group:
            opened = await asyncio.gather(*(self._open_game(number, opening) for number in range(load.games)))
            self._players = [player for players in opened for player in players]
            playing = [group.create_task(player.play()) for player in self._players]
            await seen.wait_for_sockets(sockets)
            gc.collect()
            gc.freeze()  # our own pauses would count as the server's
            await asyncio.sleep(load.think)  # until the first moves are spread out
            seen.is_measuring = True
            before, started = await self._counts(), time.monotonic()
            await asyncio.sleep(load.seconds)
            seen.is_measuring = False
            passed = time.monotonic() - started
            moves, messages, notices, computed = (
                after - early for after, early in zip(await self._counts(), before, strict=True)
            )
            memory = self._memory()
            back, played_on = await self._kill_and_restart(sockets) if load.is_killed else (None, 0)
            stopping, away = None, None
            if load.is_rolling:
                stopping, played_on = await self._restart_all(sockets)
                away = seen.longest_away
            for task in playing:
                task.cancel()
        return Report(
            processes=load.processes,
            games=load.games,
            sockets=sockets,
            moves=round(moves),
            moves_a_second=moves / passed,
            p50=_percentile(seen.latencies, 0.5),
            p99=_percentile(seen.latencies, 0.99),
            longest=_percentile(seen.latencies, 1.0),
            memory=memory,
            growth=memory - idle,
            server_cores=computed / passed,
            processor_ms=1000 * computed / max(1, moves),
            messages=messages / max(1, moves),
            notices=notices / max(1, moves),
            acknowledged=seen.count,
            lost=await self._count_lost(),
            back=back,
            away=away,
            stopping=stopping,
            played_on=played_on,
        )

    async def _open_game(self, number: int, opening: Opening) -> list[Player]:
        load = self._load
        seats = [{"kind": "me"}, *[{"kind": "open"}] * (load.players - 1)]
        plan = {"game": ("splendor", "marvel")[number % 2], "seats": seats, "order": "given"}
        table, cookies = await opening.table(plan, [f"Player {number}.{seat + 1}" for seat in range(load.players)])
        return [
            Player(self._urls(number, seat), cookie, table, seat, load.think, self._seen)
            for seat, cookie in enumerate(cookies)
        ]

    def _urls(self, number: int, seat: int) -> list[str]:
        """Return the addresses for a seat of the table of this number, the first one first."""
        index = (number + seat if self._load.is_spread else number) % len(self._servers)
        servers = [*self._servers[index:], *self._servers[:index]] if self._load.is_rolling else [self._servers[index]]
        return [server.url for server in servers]

    def _memory(self) -> float:
        return sum(server.memory for server in self._servers)

    async def _counts(self) -> tuple[float, float, float, float]:
        """Return the moves, the messages to players, the notices and the CPU time until now."""
        notices = sum([await server.metric(NOTICES) for server in self._servers])
        computed = sum(server.processor_seconds for server in self._servers)
        return self._seen.count, self._seen.messages, notices, computed

    async def _count_lost(self) -> int:
        """Count the moves that a player received but a server no longer sends to a new spectator."""
        lost = 0
        for number, (table, moves) in enumerate(self._seen.moves.items()):
            url = self._servers[number % len(self._servers)].url
            async with connect(socket_address(url, table, 0), origin=Origin(url), max_size=None) as socket:
                events = json.loads(await socket.recv())["events"]
            lost += len(moves - {(event["seq"], event["move"]) for event in events if "move" in event})
        return lost

    async def _kill_and_restart(self, sockets: int) -> tuple[float, int]:
        """Kill and restart a server; return the seconds until all were connected again, and the moves after that."""
        seen, server = self._seen, self._servers[-1]
        killed_at = time.monotonic()
        await server.kill()
        await server.start()
        await seen.wait_for_sockets(sockets)
        back = time.monotonic() - killed_at
        return back, await self._play_on(seen.acknowledged)

    async def _restart_all(self, sockets: int) -> tuple[float, int]:
        """Restart the servers one after the other; return the longest time that one took to stop, and the moves."""
        seen, known, stopping = self._seen, self._seen.acknowledged, 0.0
        seen.longest_away = 0.0
        for server in self._servers:
            told_at = time.monotonic()
            await server.stop()
            stopping = max(stopping, time.monotonic() - told_at)
            await server.start()
        await seen.wait_for_sockets(sockets)
        await self._play_on(seen.acknowledged)
        return stopping, seen.acknowledged - known

    async def _play_on(self, known: int) -> int:
        """Wait until more moves are acknowledged than are known, or all games are over; return how many more."""
        seen = self._seen
        await asyncio.sleep(min(self._load.seconds, self._load.think))
        deadline = time.monotonic() + SECONDS_TO_RETURN
        while seen.acknowledged == known and not all(player.is_over for player in self._players):
            if time.monotonic() > deadline:
                raise CabochonError(f"expected a move within {SECONDS_TO_RETURN:.0f} s after all had reconnected")
            await asyncio.sleep(0.05)
        return seen.acknowledged - known


def _percentile(times: list[float], share: float) -> float:
    ordered = sorted(times)
    return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float("nan")


def run_load(load: Load) -> Report:
    """Start servers, put the load on them, and return the results."""
    allow_many_sockets()
    with tempfile.TemporaryDirectory(prefix="cabochon-load-") as folder:
        return asyncio.run(_Run(load, Path(folder)).report())
