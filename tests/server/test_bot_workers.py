"""Bots in worker threads."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import closing

import pytest

from cabochon import Game, Move, View
from cabochon.bots import LADDER
from cabochon.bots.protocol import Answer, Limit
from cabochon.server.bot_workers import FALLBACK, BotWorkers
from tests.server.running import SECONDS


class Broken:
    """A bot that fails."""

    def choose(self, view: View, limit: Limit) -> Answer:
        raise RuntimeError("no idea")


def test_where_a_bot_fails_another_moves(caplog: pytest.LogCaptureFixture) -> None:
    failed: list[str] = []
    workers = BotWorkers(1, on_failure=failed.append)
    view = Game("splendor", seed=1).view(0)
    workers._give_back(("expert", "splendor", 2), Broken())
    with caplog.at_level(logging.ERROR, "cabochon.server.bot_workers"):
        assert workers._choose("expert", view) in view.legal_moves
    assert failed == ["expert"]
    assert "a bot failed" in caplog.text
    assert [kind for kind, _ in workers._idle] == [(FALLBACK, "splendor", 2)]
    workers.close()


class Gated(BotWorkers):
    """Bots that think when they are let, and of whose thoughts the order is known: the level tells whose they are."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.may_think = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)
        self.thought: list[str] = []

    async def have_begun(self, number: int) -> None:
        """Wait until so many more are being thought."""
        for _ in range(number):
            assert await asyncio.to_thread(self.begun.acquire, timeout=SECONDS)

    def _choose(self, level: str, view: View) -> Move:
        self.begun.release()
        self.may_think.acquire()
        self.thought.append(level)
        return view.legal_moves[0]

    def close(self) -> None:
        self.may_think.release(100)
        super().close()


VIEW = Game("splendor", seed=1).view(0)


def test_who_has_many_tables_keeps_nobody_waiting() -> None:
    async def run() -> list[str]:
        with closing(Gated(1)) as workers:
            asked = [workers.choose(f"many {number}", VIEW, "192.0.2.1") for number in range(4)]
            asked += [workers.choose(f"{name} {number}", VIEW, name) for number in range(2) for name in ("ada", "bo")]
            waiting = asyncio.gather(*asked)
            await asyncio.sleep(0)
            workers.may_think.release(len(asked))
            await waiting
            return workers.thought

    told = ["many 0", "many 1", "ada 0", "bo 0", "many 2", "ada 1", "bo 1", "many 3"]
    assert asyncio.run(asyncio.wait_for(run(), SECONDS)) == told


def test_a_quick_bot_waits_for_no_search() -> None:
    class Searching(Gated):
        def _choose(self, level: str, view: View) -> Move:
            return super()._choose(level, view) if level == "grandmaster" else view.legal_moves[-1]

    async def run() -> None:
        with closing(Searching(2)) as workers:
            searches = [asyncio.create_task(workers.choose("grandmaster", VIEW, f"192.0.2.{n}")) for n in range(10)]
            await workers.have_begun(2)
            for level in LADDER:
                if level != "grandmaster":
                    assert await workers.choose(level, VIEW, "a stranger") == VIEW.legal_moves[-1]
            assert workers.thought == []
            workers.may_think.release(10)
            await asyncio.gather(*searches)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_no_more_bots_think_at_a_time_than_there_are_threads() -> None:
    async def run() -> list[str]:
        with closing(Gated(2)) as workers:
            dropped = [asyncio.create_task(workers.choose("dropped", VIEW, "ada")) for _ in range(4)]
            await workers.have_begun(2)
            for task in dropped:  # two are being thought, and two wait
                task.cancel()
            await asyncio.sleep(0)
            wanted = [asyncio.create_task(workers.choose("wanted", VIEW, "ada")) for _ in range(3)]
            await asyncio.sleep(0)
            assert workers._searches._pool._work_queue.qsize() == 0, (
                "who waits does so in the order of turns, not of the threads"
            )
            workers.may_think.release(5)
            await asyncio.gather(*wanted)
        return workers.thought  # closed, all that was begun is thought

    assert sorted(asyncio.run(asyncio.wait_for(run(), SECONDS))) == ["dropped"] * 2 + ["wanted"] * 3


def test_a_thought_that_nobody_waits_for_takes_no_turn() -> None:
    async def run() -> list[str]:
        with closing(Gated(1)) as workers:
            first = asyncio.create_task(workers.choose("first", VIEW, "somebody"))
            await workers.have_begun(1)
            dropped = asyncio.create_task(workers.choose("dropped", VIEW, "ada"))
            await asyncio.sleep(0)
            wanted = [asyncio.create_task(workers.choose(name, VIEW, name)) for name in ("ada", "bo")]
            await asyncio.sleep(0)
            dropped.cancel()
            await asyncio.sleep(0)
            workers.may_think.release(3)
            await asyncio.gather(first, *wanted)
            return workers.thought

    assert asyncio.run(asyncio.wait_for(run(), SECONDS)) == ["first", "ada", "bo"]


def test_where_there_is_no_thread_those_who_wait_hear_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    async def run() -> Move:
        with closing(Gated(1)) as workers:
            workers.may_think.release()
            with monkeypatch.context() as patched:
                patched.setattr(workers._searches._pool, "submit", refuse)
                for _ in range(2):
                    with pytest.raises(RuntimeError, match="new thread"):
                        await workers.choose("ada", VIEW, "ada")
            return await workers.choose("ada", VIEW, "ada")

    assert asyncio.run(asyncio.wait_for(run(), SECONDS)) in VIEW.legal_moves


def test_only_so_many_bots_are_kept_and_those_are_used_again() -> None:
    workers = BotWorkers(1)
    kinds = [("novice", 2), ("novice", 3), ("apprentice", 2), ("novice", 3)]
    kept = []
    for level, players in kinds:
        view = Game("splendor", players, seed=1).view(0)
        assert workers._choose(level, view) in view.legal_moves
        kept.append(dict(workers._idle))
    assert list(kept[-1]) == [("apprentice", "splendor", 2), ("novice", "splendor", 3)]
    assert kept[-1]["novice", "splendor", 3] is kept[1]["novice", "splendor", 3]
    workers.close()
