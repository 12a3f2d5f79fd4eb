"""Bots in worker threads: they compute moves for all tables without blocking the server."""

import asyncio
import logging
import os
import secrets
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from cabochon.analysis import BOT as ANALYST
from cabochon.analysis import Judgement, judge
from cabochon.bots import LADDER, BotSpec, parse_spec
from cabochon.bots.protocol import Bot, Limit, answer_of, close, start
from cabochon.game import Game
from cabochon.notation import Move
from cabochon.position import Decision
from cabochon.view import View

FALLBACK = "greedy"
ANALYSIS = "analysis"
MOVES_PER_THREAD = 4  # that wait for it or are under way, before other processes should compute them
NICENESS = 10

_Answer = TypeVar("_Answer")
_logger = logging.getLogger(__name__)


def _lower_priority() -> None:
    """Give the event loop priority over this thread; only Linux has priorities per thread."""
    if sys.platform == "linux":
        with suppress(PermissionError):  # it has an even lower one
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


@dataclass(frozen=True)
class _Job:
    compute: Callable[[], Any]
    result: asyncio.Future[Any]


class FairPool:
    """A few threads in which clients take turns, one job each.

    A client with many jobs waits for its own, and everybody else for at most one job of each other client.
    """

    def __init__(self, threads: int, on_free_thread: Callable[[], None]) -> None:
        self._pool = ThreadPoolExecutor(max(1, threads), thread_name_prefix="bot", initializer=_lower_priority)
        self.threads = self._free_threads = threads
        self._on_free_thread = on_free_thread
        self.unfinished = 0  # jobs
        self._queues: OrderedDict[str | None, deque[_Job]] = OrderedDict()  # by client; the next one first

    @property
    def busy(self) -> int:
        """How many threads compute."""
        return self.threads - self._free_threads

    @property
    def waiting(self) -> int:
        """How many jobs wait for a thread."""
        return max(0, self.unfinished - self.busy)

    async def run(self, client: str | None, compute: Callable[[], _Answer]) -> _Answer:
        """Compute in a thread, on behalf of a client."""
        result: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(client, deque()).append(_Job(compute, result))
        self.unfinished += 1
        try:
            self._start_jobs()
            return await result
        finally:
            self.unfinished -= 1

    def _start_jobs(self) -> None:
        while self._free_threads > 0 and self._queues:
            client, jobs = self._queues.popitem(last=False)
            while jobs and jobs[0].result.done():  # cancelled
                jobs.popleft()
            if not jobs:
                continue
            job = jobs.popleft()
            if jobs:
                self._queues[client] = jobs  # behind all other clients
            try:
                running = asyncio.wrap_future(self._pool.submit(job.compute))
            except RuntimeError as error:  # no thread can be started
                job.result.set_exception(error)
                continue
            self._free_threads -= 1
            running.add_done_callback(partial(self._finish_job, job))

    def _finish_job(self, job: _Job, running: asyncio.Future[Any]) -> None:
        self._free_threads += 1
        if running.cancelled():
            job.result.cancel()
        elif not job.result.done():
            if (error := running.exception()) is not None:
                job.result.set_exception(error)
            else:
                job.result.set_result(running.result())
        self._start_jobs()
        self._on_free_thread()

    def close(self) -> None:
        """Stop; jobs that have begun finish, and their results are dropped."""
        self._queues.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)


class BotWorkers:
    """A few threads in which bots of all levels compute, for all tables.

    Bots that search take turns in `threads` threads. The levels that answer within milliseconds have a thread of their
    own, so that they never wait for a search.

    Without threads, other processes compute.

    A bot is used by one thread at a time. The most recently used bots are kept for the next move of a game of the same
    kind, at most two per thread: the strongest one needs about 170 MB for each kind.
    """

    def __init__(
        self,
        threads: int,
        analysis_nodes: int = 400,
        on_move: Callable[[str, float], None] = lambda level, seconds: None,
        on_failure: Callable[[str], None] = lambda level: None,
    ) -> None:
        self.on_free_thread: Callable[[], None] = lambda: None
        self.threads = threads
        self.analysis_nodes = analysis_nodes
        self._searches = FairPool(threads, lambda: self.on_free_thread())
        self._quick = FairPool(min(1, threads), lambda: self.on_free_thread())
        self.pools = {"search": self._searches, "quick": self._quick}
        self._specs: dict[str, BotSpec] = {name: parse_spec(name) for name in (*LADDER, FALLBACK)}
        self._specs[ANALYSIS] = parse_spec(f"{ANALYST}:nodes={analysis_nodes}")
        self._quick_levels = {name for name in LADDER if self._specs[name].limit == Limit()}
        self._most_idle = 2 * threads
        # With the level and the kind of game; the last used at the end.
        self._idle: list[tuple[tuple[str, str, int], Bot]] = []
        self._idle_lock = threading.Lock()
        self._on_move = on_move
        self._on_failure = on_failure

    @property
    def room(self) -> int:
        """How many more moves should be computed here soon, and not by another process."""
        return max(0, MOVES_PER_THREAD * self.threads - self._searches.unfinished - self._quick.unfinished)

    async def warm_up(self) -> None:
        """Compile and load everything in advance, so that the first move does not have to wait."""
        if self.threads == 0:
            return
        view = Game("splendor", seed=0).view(0)
        for level in ("journeyman", "artisan", "master"):  # from the quickest to compile
            await self.choose(level, view)
        strongest = self._specs["grandmaster"].make()  # starting it compiles it; it need not search
        await self._searches.run(None, partial(start, strongest, 0))

    async def choose(self, level: str, view: View, client: str | None = None) -> Move:
        """Return the move of a bot of this level for the seat of the view, computed on behalf of a client."""
        hidden = replace(view, commitment=None)  # a guess at the seed could be checked against it
        pool = self._quick if level in self._quick_levels else self._searches
        return await pool.run(client, partial(self._choose, level, hidden))

    async def judge(self, decision: Decision, client: str | None = None) -> Judgement:
        """Judge a decision of a finished game, on behalf of a client."""
        return await self._searches.run(client, partial(self._judge, decision))

    def _choose(self, level: str, view: View) -> Move:
        started = time.perf_counter()
        try:
            move = self._ask(level, view)
        except Exception:  # whatever a bot raises, the game goes on
            _logger.exception("a bot failed", extra={"facts": {"event": "bot_failed", "level": level}})
            self._on_failure(level)
            move = self._ask(FALLBACK, view)
        self._on_move(level, time.perf_counter() - started)
        return move

    def _ask(self, name: str, view: View) -> Move:
        with self._bot(name, view, secrets.randbits(32)) as bot:
            return answer_of(bot.choose(view, self._specs[name].limit), view).move

    def _judge(self, decision: Decision) -> Judgement:
        started = time.perf_counter()
        with self._bot(ANALYSIS, decision.view, seed=0) as bot:  # the same analysis every time
            judgement = judge(decision, bot, self._specs[ANALYSIS].limit)
        self._on_move(ANALYSIS, time.perf_counter() - started)
        return judgement

    @contextmanager
    def _bot(self, name: str, view: View, seed: int) -> Iterator[Bot]:
        """Lend an idle bot, or a new one with this seed; a bot that fails is not used again."""
        kind = (name, view.variant, view.players)
        with self._idle_lock:
            last_first = reversed(range(len(self._idle)))
            index = next((index for index in last_first if self._idle[index][0] == kind), None)
            bot = None if index is None else self._idle.pop(index)[1]
        if bot is None:
            bot = self._specs[name].make()
            start(bot, seed)
        try:
            yield bot
        except BaseException:
            close(bot)
            raise
        self._give_back(kind, bot)

    def _give_back(self, kind: tuple[str, str, int], bot: Bot) -> None:
        with self._idle_lock:
            self._idle.append((kind, bot))
            _, surplus = self._idle.pop(0) if len(self._idle) > self._most_idle else (kind, None)
        if surplus is not None:
            close(surplus)

    def close(self) -> None:
        """Stop; jobs that have begun finish, and their results are dropped."""
        self._searches.close()
        self._quick.close()
        for _, bot in self._idle:
            close(bot)
