"""Bots at the tables of the server: they think in threads of their own, and never keep anybody waiting."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from cabochon.analysis import BOT as ANALYST
from cabochon.analysis import Judgement, judge
from cabochon.bots.protocol import Bot, answer_of, close, start
from cabochon.bots.specs import LEVELS, BotSpec, parse_spec
from cabochon.game import Game
from cabochon.notation import Move
from cabochon.position import Decision
from cabochon.view import View

FALLBACK = "greedy"
ANALYSIS = "analysis"
NICENESS = 10

_Answer = TypeVar("_Answer")

_logger = logging.getLogger(__name__)


def _step_back() -> None:
    """Let whoever talks to people go first; on Linux a thread can be nice by itself."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


@dataclass(frozen=True)
class _Thought:
    """What is to be thought, and where somebody waits for what comes of it."""

    think: Callable[[], Any]
    answer: asyncio.Future[Any]


class Thinkers:
    """A few threads in which bots of all levels think, for all tables.

    Those for whom they think take turns, one thought each: whoever has many tables waits for their own thoughts
    alone, and everybody else at most for one thought of each other.

    A bot is lent to one thread at a time and given back after each move. Those that were used last are kept
    for the next move of a game of their kind, and only so many: the strongest takes some 170 MB for each kind.
    """

    def __init__(
        self,
        threads: int,
        analysis_nodes: int = 400,
        on_move: Callable[[str, float], None] = lambda level, seconds: None,
        on_failure: Callable[[str], None] = lambda level: None,
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="bot", initializer=_step_back)
        self._free_threads = threads
        self._waiting: OrderedDict[str | None, deque[_Thought]] = OrderedDict()  # for whom; who is next comes first
        self._specs: dict[str, BotSpec] = {name: parse_spec(name) for name in (*LEVELS, FALLBACK)}
        self._specs[ANALYSIS] = parse_spec(f"{ANALYST}:nodes={analysis_nodes}")
        self._most_idle = 2 * threads
        self._idle: list[tuple[tuple[str, str, int], Bot]] = []  # with the kind of game; the last used at the end
        self._idle_lock = threading.Lock()
        self._on_move = on_move
        self._on_failure = on_failure

    async def warm_up(self) -> None:
        """Have everything compiled, so that the first move does not wait for it."""
        view = Game("splendor", seed=0).view(0)
        for level in ("journeyman", "artisan", "master"):  # from the quickest to compile
            await self.choose(level, view)
        strongest = self._specs["grandmaster"].make()  # it is compiled as a game begins: it need not think for that
        await asyncio.get_running_loop().run_in_executor(self._pool, start, strongest, 0)

    async def choose(self, level: str, view: View, whom: str | None = None) -> Move:
        """The move of a bot of this level for the seat of the view, when it is the turn of `whom` it is for."""
        hidden = replace(view, commitment=None)  # a guess at the seed could be checked against it
        return await self._in_turn(whom, partial(self._choose, level, hidden))

    async def judge(self, decision: Decision, whom: str | None = None) -> Judgement:
        """What a bot thinks of a decision in a game that is over, when it is the turn of `whom` it is for."""
        return await self._in_turn(whom, partial(self._judge, decision))

    async def _in_turn(self, whom: str | None, think: Callable[[], _Answer]) -> _Answer:
        answer: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(whom, deque()).append(_Thought(think, answer))
        self._begin_thoughts()
        return await answer

    def _begin_thoughts(self) -> None:
        while self._free_threads > 0 and self._waiting:
            whom, thoughts = self._waiting.popitem(last=False)
            while thoughts and thoughts[0].answer.done():  # nobody waits for it any more
                thoughts.popleft()
            if not thoughts:
                continue
            thought = thoughts.popleft()
            if thoughts:
                self._waiting[whom] = thoughts  # after everybody else
            try:
                thinking = asyncio.wrap_future(self._pool.submit(thought.think))
            except RuntimeError as error:  # there is no thread to be had
                thought.answer.set_exception(error)
                continue
            self._free_threads -= 1
            thinking.add_done_callback(partial(self._finish_thought, thought))

    def _finish_thought(self, thought: _Thought, thinking: asyncio.Future[Any]) -> None:
        self._free_threads += 1
        if thinking.cancelled():
            thought.answer.cancel()
        elif (error := thinking.exception()) is not None:
            if not thought.answer.done():
                thought.answer.set_exception(error)
        elif not thought.answer.done():
            thought.answer.set_result(thinking.result())
        self._begin_thoughts()

    def _choose(self, level: str, view: View) -> Move:
        started = time.perf_counter()
        try:
            move = self._ask(level, view)
        except Exception:  # a bot may fail in any way; the table goes on
            _logger.exception("a bot failed", extra={"facts": {"event": "bot_failed", "level": level}})
            self._on_failure(level)
            move = self._ask(FALLBACK, view)
        self._on_move(level, time.perf_counter() - started)
        return move

    def _ask(self, name: str, view: View) -> Move:
        bot = self._bot_for(name, view, secrets.randbits(32))
        move = answer_of(bot.choose(view, self._specs[name].limit), view).move
        self._give_back((name, view.variant, view.players), bot)  # one that failed is not asked again
        return move

    def _judge(self, decision: Decision) -> Judgement:
        started = time.perf_counter()
        view = decision.view
        bot = self._bot_for(ANALYSIS, view, seed=0)  # whoever looks again finds the same
        judgement = judge(decision, bot, self._specs[ANALYSIS].limit)
        self._give_back((ANALYSIS, view.variant, view.players), bot)
        self._on_move(ANALYSIS, time.perf_counter() - started)
        return judgement

    def _bot_for(self, name: str, view: View, seed: int) -> Bot:
        """One that is idle, or a new one with this seed."""
        bot = self._idle_bot((name, view.variant, view.players))
        if bot is None:
            bot = self._specs[name].make()
            start(bot, seed)
        return bot

    def _idle_bot(self, kind: tuple[str, str, int]) -> Bot | None:
        with self._idle_lock:
            for index in reversed(range(len(self._idle))):
                if self._idle[index][0] == kind:
                    return self._idle.pop(index)[1]
        return None

    def _give_back(self, kind: tuple[str, str, int], bot: Bot) -> None:
        with self._idle_lock:
            self._idle.append((kind, bot))
            _, superfluous = self._idle.pop(0) if len(self._idle) > self._most_idle else (kind, None)
        if superfluous is not None:
            close(superfluous)

    def close(self) -> None:
        """Stop thinking; a move that is being thought about is finished, and nobody hears of it."""
        self._waiting.clear()
        self._pool.shutdown(wait=True, cancel_futures=True)
        for _, bot in self._idle:
            close(bot)
