"""Processes on one PostgreSQL database: who is alive, what they tell each other, and how they share analyses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import cycle
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from cabochon.analysis import decisions
from cabochon.server import analysis_store, analysis_worker, clocks, notifications, processes, schema
from cabochon.server.analysis_worker import unpack
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.notifications import Notice, PostgresNotifications, shard_of
from cabochon.server.processes import Processes
from tests.server.databases import ON_POSTGRES
from tests.server.running import SECONDS, Client, refused, running, settings_for
from tests.server.test_analyses import FEW, finished, one_process, short_game

pytestmark = ON_POSTGRES


class Received:
    """The notices that one process received, and its gaps."""

    def __init__(self, end: PostgresNotifications) -> None:
        self.notices: list[Notice] = []
        self.gaps = 0
        self._has_new = asyncio.Event()
        end.on_notice = self._note
        end.on_gap = self._note_gap

    def _note(self, notice: Notice) -> None:
        self.notices.append(notice)
        self._has_new.set()

    def _note_gap(self) -> None:
        self.gaps += 1
        self._has_new.set()

    async def wait(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._has_new.clear()
            await self._has_new.wait()


@asynccontextmanager
async def two_ends(url: str) -> AsyncIterator[tuple[PostgresNotifications, PostgresNotifications, Received]]:
    databases = [Database(url) for _ in range(2)]
    ends = [PostgresNotifications(database, name) for database, name in zip(databases, "ab", strict=True)]
    received = Received(ends[1])
    for end in ends:
        await end.open()
    try:
        yield ends[0], ends[1], received
    finally:
        for end in ends:
            await end.close()
        for database in databases:
            await database.close()


def run(work: Awaitable[None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(work, SECONDS)

    asyncio.run(limited())


def test_a_notice_reaches_those_who_follow_the_table(url: str) -> None:
    async def work() -> None:
        async with two_ends(url) as (one, other, received):
            other_shard = next(f"table{n}" for n in range(99) if shard_of(f"table{n}") != shard_of("mine"))
            await other.follow("mine")
            one.tell_table(other_shard, "entry", seq=1)
            one.tell_table("mine", "entry", seq=2)
            one.tell_all("lobby")
            other.tell_all("own")
            await received.wait(lambda: len(received.notices) >= 2)
            assert received.notices == [{"kind": "entry", "table": "mine", "seq": 2}, {"kind": "lobby"}]
            other.unfollow("mine")
            while shard_of("mine") in other._listening:
                await asyncio.sleep(0.001)
            one.tell_table("mine", "entry", seq=3)
            one.tell_all("end")
            await received.wait(lambda: len(received.notices) >= 3)
            assert received.notices[-1] == {"kind": "end"}

    run(work())


def test_many_notices_arrive_in_order_and_whole(url: str) -> None:
    async def work() -> None:
        async with two_ends(url) as (one, _, received):
            for number in range(1_000):
                one.tell_all("number", number=number, text="é" * (number % 50))
            await received.wait(lambda: len(received.notices) == 1_000)
            assert [notice["number"] for notice in received.notices] == list(range(1_000))

    run(work())


def test_a_notice_that_is_too_long_for_postgresql_does_not_stop_the_others(url: str) -> None:
    async def work() -> None:
        async with two_ends(url) as (one, _, received):
            one.tell_all("presence", guests=["x" * 16] * 1_000)
            one.tell_all("lobby")
            await received.wait(lambda: len(received.notices) == 1)
            assert received.notices == [{"kind": "lobby"}]
            assert received.gaps == 0

    run(work())


def test_a_broken_connection_is_opened_again_and_the_gap_is_known(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "SECONDS_TO_RECONNECT", 0.01)

    async def work() -> None:
        async with two_ends(url) as (one, other, received):
            await other.follow("mine")
            killer = Database(url)
            listeners = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~* '^listen'"
            async with killer.transaction() as connection:
                await connection.execute(sa.text(listeners))
            await received.wait(lambda: received.gaps == 1)
            while not any(notice["kind"] == "entry" for notice in received.notices):
                one.tell_table("mine", "entry", seq=1)  # until this end, too, is connected again
                await asyncio.sleep(0.01)
            await killer.close()

    run(work())


def test_a_slow_network_delays_the_channels_and_stops_none(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has time of its own: together they may take longer than a connection that counts as broken."""
    monkeypatch.setattr(notifications, "SECONDS_TO_ANSWER", 0.5)
    add_listener = asyncpg.Connection.add_listener

    async def add_slowly(*arguments: Any) -> None:
        await asyncio.sleep(0.02)
        await add_listener(*arguments)

    async def work() -> None:
        async with two_ends(url) as (_, other, received):
            monkeypatch.setattr(asyncpg.Connection, "add_listener", add_slowly)
            await asyncio.gather(*(other.follow(f"table{n}") for n in range(40)))
            assert received.gaps == 0

    run(work())


def test_a_channel_that_is_wanted_again_meanwhile_stays_open(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    remove_listener = asyncpg.Connection.remove_listener
    names = ["mine", next(f"table{n}" for n in range(99) if shard_of(f"table{n}") != shard_of("mine"))]
    wanted: list[str] = []

    async def work() -> None:
        async with two_ends(url) as (one, other, received):

            async def remove_while_another_is_followed(driver: Any, channel: str, callback: Any) -> None:
                if not wanted:
                    wanted.extend(name for name in names if shard_of(name) != channel)
                    await other.follow(*wanted)
                await remove_listener(driver, channel, callback)

            monkeypatch.setattr(asyncpg.Connection, "remove_listener", remove_while_another_is_followed)
            for name in names:
                await other.follow(name)
            for name in names:
                other.unfollow(name)
            while not wanted:
                await asyncio.sleep(0.001)
            one.tell_table(wanted[0], "entry")
            await received.wait(lambda: bool(received.notices))

    run(work())


def test_while_the_database_is_away_only_what_is_new_waits(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifications, "SECONDS_TO_RECONNECT", 0.01)

    def fail(_: Database) -> None:
        raise OSError("no database")

    async def work() -> None:
        database = Database(url)
        end = PostgresNotifications(database, "a")
        with monkeypatch.context() as away:
            away.setattr(Database, "connection", fail)
            opening = asyncio.create_task(end.open())
            end.tell_all("lobby")
            await asyncio.sleep(0.05)
            assert end._outbox != []
            away.setattr(notifications, "SECONDS_KEPT", 0.0)
            while end._outbox:
                await asyncio.sleep(0.001)
        await opening
        await end.close()
        await database.close()

    run(work())


def test_of_equal_notices_the_last_one_counts(url: str) -> None:
    async def work() -> None:
        async with two_ends(url) as (one, _, received):
            for guests in (["ada"], [], ["ada"]):
                one.tell_all("presence", guests=guests)
            await received.wait(lambda: len(received.notices) == 2)
            assert [notice["guests"] for notice in received.notices] == [[], ["ada"]]

    run(work())


def test_who_does_not_confirm_that_it_is_alive_counts_as_dead(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "SECONDS_BETWEEN_RENEWALS", 0.01)

    async def work() -> None:
        database = Database(url)
        await database.open()
        one, other = Processes(database, "server"), Processes(database, "thinker")
        await one.join()
        await other.join()
        changes: list[Any] = []
        one.on_change = lambda: changes.append(one.others)
        while one.others != {other.id}:
            await asyncio.sleep(0.001)
        await other._renewing.close()  # it was killed
        monkeypatch.setattr(clocks, "now", lambda: clocks.process_time.now() + timedelta(seconds=10))
        while one.others:
            await asyncio.sleep(0.001)
        assert changes == [frozenset({other.id}), frozenset()]
        await other._renew()
        while one.others != {other.id}:
            await asyncio.sleep(0.001)
        await other.leave()
        while one.others:
            await asyncio.sleep(0.001)
        await one.leave()
        await database.close()

    run(work())


def test_a_process_that_was_paused_knows(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        database = Database(url)
        await database.open()
        one = Processes(database, "server")
        await one.join()
        revivals: list[None] = []
        one.on_revival = lambda: revivals.append(None)
        await one._renew()
        assert revivals == []
        later = clocks.process_time.now() + timedelta(seconds=2 * processes.SECONDS_ALIVE)
        monkeypatch.setattr(clocks, "now", lambda: later)
        await one._renew()
        assert len(revivals) == 1
        async with database.transaction() as connection:
            await connection.execute(schema.processes.delete())
        await one._renew()
        assert len(revivals) == 2, "another process removed it from the list"
        await one.leave()
        await database.close()

    run(work())


def test_a_process_follows_the_clock_of_the_database(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "process_time", clocks.ProcessTime())

    async def work() -> None:
        database = Database(url)
        one = Processes(database, "server")
        jumps: list[None] = []
        one.on_time_jump = lambda: jumps.append(None)

        async def renew(ahead: timedelta, lasting: timedelta = timedelta()) -> timedelta:
            """Read a clock that is so much ahead, in a query that lasts so long; return the correction."""
            before = clocks.process_time.now()

            async def read() -> datetime:
                clocks.process_time.set(before + lasting)
                return before + ahead

            monkeypatch.setattr(database, "now", read)
            await one._set_clock()
            return clocks.process_time.now() - before - lasting

        second, minute, slack = timedelta(seconds=1), timedelta(minutes=1), timedelta(seconds=30)
        assert abs(await renew(timedelta(), lasting=10 * minute)) < slack, "the answer was late, and no clock is wrong"
        assert abs(await renew(second, lasting=10 * minute)) < slack
        assert jumps == []
        assert abs(await renew(10 * minute) - 10 * minute) < slack
        assert len(jumps) == 1
        assert abs(await renew(-10 * minute) + 10 * minute) < slack
        assert len(jumps) == 1, "nobody loses time"
        await database.close()

    run(work())


def test_an_analysis_is_computed_by_a_process_that_can(url: str, tmp_path: Path) -> None:
    record = {"record": short_game(1).record()}
    settings = replace(settings_for(tmp_path, analysis_nodes=FEW), database=url)
    with running(replace(settings, bot_threads=0)) as server, Client(server.url) as ada:
        assert refused(ada.http.post("/api/analyses", json=record)) == (503, "busy")
        with running(settings) as other, Client(other.url) as bo:
            while not (told := ada.http.post("/api/analyses", json=record).raise_for_status()).json()["is_complete"]:
                pass
            assert len(told.json()["judgements"]) == told.json()["decisions"] > 0
            assert bo.http.post("/api/analyses", json=record).content == told.content
        assert ada.http.post("/api/analyses", json=record).content == told.content


def test_another_process_goes_on_with_the_analysis_of_a_dead_one(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.analyses.PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(analysis_worker, "SECONDS_BETWEEN_SAVES", 0)
    game = short_game(1)
    found = list(decisions(game))

    async def work() -> None:
        async with one_process(url) as one, one_process(url) as other:
            for process in (one, other):
                for each in found:
                    process.workers.others[each.number] = next(m for m in each.view.legal_moves if m != each.move)
            one.analyses.start()
            one.workers.may_compute.release(2)
            while len(unpack(await other.analyses.of_game(game, "ada")).judgements) < 2:
                pass
            await one.look_dead()
            other.workers.may_compute.release(10**6)
            other.analyses.start()
            result = await finished(other.analyses, game, "ada")
            assert other.workers.computed == [f"decision {each.number}" for each in found[2:]]
            one.workers.may_compute.release(10**6)  # it was only paused
            while one.analyses._worker._computing:
                await asyncio.sleep(0.001)
            assert one.workers.computed == [f"decision {each.number}" for each in found[:3]]
            assert await finished(one.analyses, game, "ada") == result

            async with other.database.transaction() as connection:
                await connection.execute(schema.analyses.delete())
            assert await finished(other.analyses, game, "ada") == result, "whoever computed it, in one go"

    run(work())


def test_the_limits_of_analyses_hold_for_all_processes(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.analyses.PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(analysis_store, "MOST_AT_A_TIME", 3)

    async def work() -> None:
        async with one_process(url) as one, one_process(url) as other:

            async def request(*wanted: tuple[int, str]) -> list[str]:
                """Request analyses at all processes in turn, at the same moment; return the codes of the refusals."""
                ends = cycle((one.analyses, other.analyses))
                calls = [next(ends).of_game(short_game(seed), client) for seed, client in wanted]
                results = await asyncio.gather(*calls, return_exceptions=True)
                errors = [result for result in results if isinstance(result, BaseException)]
                assert all(isinstance(error, RequestError) for error in errors), errors
                return [error.code for error in errors if isinstance(error, RequestError)]

            assert await request((1, "ada"), (1, "bo"), (1, "cy"), (1, "di")) == []
            owner = (await one.database.fetch(sa.select(schema.analyses.c.client)))[0].client
            assert await request((1, owner), (2, owner)) == ["limit_reached"]
            assert await request((3, "eve"), (4, "eve"), (5, "eve"), (6, "eve")) == ["limit_reached"] * 3
            assert await request((7, "flo"), (8, "gus"), (9, "hal"), (10, "ida")) == ["busy"] * 3

    run(work())
