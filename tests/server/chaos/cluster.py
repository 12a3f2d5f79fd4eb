"""Three servers and two thinkers on one PostgreSQL, with proxies between everything, and what can befall them."""

from __future__ import annotations

import asyncio
import random
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

from sqlalchemy.engine import make_url

from cabochon.loadtest.processes import Process, ServerProcess
from tests.server.chaos.proxy import Proxy
from tests.server.postgres import PostgresServer

SERVERS, THINKERS = 3, 2
SECONDS_PAUSED = 20.0
SECONDS_DEAD = 3.0  # at most, until somebody starts a process again


class Member:
    """A process that may be dead or paused for a while, behind proxies of its own."""

    def __init__(self, process: Process, proxies: list[Proxy]) -> None:
        self.process = process
        self.proxies = proxies
        self.is_well = True


class Cluster:
    """The processes, and the faults that they suffer: of each kind, so many."""

    def __init__(self, folder: Path, postgres: PostgresServer, database: str, seed: int) -> None:
        self._folder = folder
        self._postgres = postgres
        self._database = database
        self._random = random.Random(seed)
        self._under_way: set[asyncio.Future[None]] = set()
        self.members: list[Member] = []
        self.urls: list[str] = []  # of the servers, through their proxies
        self.direct_urls: list[str] = []
        self.faults: Counter[str] = Counter()

    async def start(self) -> None:
        for number in range(SERVERS):
            to_database, database = await self._proxied_database()
            flags = ("--bot-threads", str(number % 2), "--bot-pause", "0.2", "--clock-grace", "5")
            server = ServerProcess(self._folder, database, *flags)
            if number == 0:
                server.module = "tests.server.chaos.ahead"
            to_server = Proxy(server.port)
            await to_server.start()
            self.direct_urls.append(server.url)
            self.urls.append(f"http://127.0.0.1:{to_server.port}")
            self.members.append(Member(server, [to_database, to_server]))
        for _ in range(THINKERS):
            to_database, database = await self._proxied_database()
            thinker = Process(self._folder, database, "think", "--bot-threads", "1", "--bot-pause", "0.2")
            self.members.append(Member(thinker, [to_database]))
        for member in self.members:  # one after the other: each takes a core for some seconds
            await member.process.start()

    async def _proxied_database(self) -> tuple[Proxy, str]:
        url = make_url(self._database)
        assert url.port is not None
        proxy = Proxy(url.port)
        await proxy.start()
        return proxy, url.set(port=proxy.port).render_as_string(hide_password=False)

    async def suffer(self, seconds: float, faults: int) -> None:
        """Let faults happen, evenly spread over a time, and everything recover."""
        kinds: list[Callable[[], Awaitable[None]]] = [self._kill, self._pause, self._cut, self._restart_database]
        weights = [5, 2, 10, 3]
        loop = asyncio.get_running_loop()
        began = loop.time()
        for number in range(faults):
            await asyncio.sleep(began + (number + 1) * seconds / (faults + 1) - loop.time())
            (kind,) = self._random.choices(kinds, weights)
            self._under_way.add(asyncio.ensure_future(kind()))
        await asyncio.sleep(began + seconds - loop.time())
        await asyncio.gather(*self._under_way)

    def _somebody_well(self) -> Member | None:
        """Choose a process that works; never the last server."""
        well = [member for member in self.members if member.is_well]
        servers = [member for member in well if isinstance(member.process, ServerProcess)]
        candidates = [member for member in well if len(servers) > 1 or member not in servers]
        return self._random.choice(candidates) if candidates else None

    async def _kill(self) -> None:
        member = self._somebody_well()
        if member is None:
            await self._cut()
            return
        self.faults["killed"] += 1
        member.is_well = False
        await member.process.kill()
        await asyncio.sleep(self._random.uniform(0, SECONDS_DEAD))
        await member.process.start()
        member.is_well = True

    async def _pause(self) -> None:
        member = self._somebody_well()
        if member is None:
            await self._cut()
            return
        self.faults["paused"] += 1
        member.is_well = False
        member.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(SECONDS_PAUSED)
        member.process.send_signal(signal.SIGCONT)
        member.is_well = True

    async def _cut(self) -> None:
        self.faults["cut off"] += 1
        member = self._random.choice(self.members)
        self._random.choice(member.proxies).cut()

    async def _restart_database(self) -> None:
        self.faults["database restarted"] += 1
        await asyncio.to_thread(self._postgres.restart, "immediate")

    async def close(self) -> None:
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        for member in self.members:
            await member.process.kill()
            for proxy in member.proxies:
                await proxy.close()
