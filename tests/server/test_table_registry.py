"""Which tables are in memory, and what happens to those that nobody uses."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cabochon.server import clocks, table_registry
from cabochon.server.clocks import now
from cabochon.server.live_table import LiveTable
from cabochon.server.seats import Seat
from cabochon.server.timeline import Entry
from tests.server.failing import FailingStatements
from tests.server.running import SECONDS
from tests.server.table_world import A_PERSON_AND_A_BOT, ADA, World, at_a_table, code_of, sit_down, world


def test_a_table_is_in_memory_once_and_forgotten_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_registry, "IDLE_TABLES", 2)

    async def work(server: World, first: LiveTable) -> None:
        others = [await server.add_table() for _ in range(4)]
        async with server.registry.table(first.record.id) as again:
            assert again is first
        for table_id in others:
            async with server.registry.table(table_id):
                pass
        assert set(server.registry._slots) == {first.record.id, *others[-2:]}
        assert await code_of(server.registry.resume("unknown")) == "not_found"
        assert "unknown" not in server.registry._slots

    at_a_table(tmp_path, work)


def test_a_table_that_is_busy_stays_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_registry, "IDLE_TABLES", 1)

    async def visit(server: World, table_id: str) -> LiveTable:
        async with server.registry.table(table_id) as table:
            return table

    async def run() -> None:
        async with world(tmp_path) as server:
            names = [await server.add_table() for _ in range(3)]
            busy, is_done = await visit(server, names[0]), asyncio.Event()
            change = busy.changes.start(is_done.wait())  # for example a notice has come
            await visit(server, names[1])
            assert await visit(server, names[0]) is busy
            is_done.set()
            await change
            await visit(server, names[2])
            assert set(server.registry._slots) == {names[2]}

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_a_table_that_is_forgotten_during_a_check_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_registry, "IDLE_TABLES", 0)

    async def run() -> None:
        async with world(tmp_path) as server:
            states = server.tables.states

            async def forget_and_return_states(table_ids: Collection[str]) -> Any:
                await entered.aclose()
                assert server.registry.live_tables() == []
                return await states(table_ids)

            monkeypatch.setattr(server.tables, "states", forget_and_return_states)
            async with AsyncExitStack() as entered:
                table = await entered.enter_async_context(server.registry.table(await server.add_table()))
                await server.log.append(table.record.id, Entry(1, 0, "take wbg", now()), "playing", 1)
                await server.peer.follower.check()
                assert not table.is_busy

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_a_check_that_fails_stops_no_other(tmp_path: Path) -> None:
    async def fail() -> None:
        raise OSError("no database")

    async def work(server: World, table: LiveTable) -> None:
        server.peer.follower.checks.insert(0, fail)
        await server.log.append(table.record.id, Entry(1, 0, "take wbg", now()), "playing", 1)
        await server.peer.follower.check()
        await table.changes.finish()
        assert table.timeline.seq == 1

    at_a_table(tmp_path, work)


def test_a_notice_of_a_newer_version_is_ignored(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        server.peer.follower.handle({"kind": "about all tables"})
        server.peer.follower.handle({"kind": "about a table", "table": table.record.id})
        assert not table.is_busy

    at_a_table(tmp_path, work)


def test_a_game_that_cannot_be_read_keeps_no_other_from_going_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with world(tmp_path) as server:
            broken, sound = [await server.add_table(A_PERSON_AND_A_BOT) for _ in range(2)]
            for table_id, text in ((broken, "buy 3.4; 3.4=90"), (sound, "take wbg")):
                await server.log.append(table_id, Entry(1, 0, text, now()), "playing", 1)
            server.workers.may_answer.set()
            await server.peer.resume_games()
            while len(await server.log.read(sound)) < 2:
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_nobody_who_waits_is_sent_away_because_the_server_was_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with world(tmp_path) as server:
            waiting = await server.add_table((Seat("person", "Ada", "ada"), Seat("open", "")), status="waiting")
            monkeypatch.setattr(clocks, "now", lambda: now() + timedelta(hours=2))
            await server.peer.resume_games()
            await asyncio.sleep(0.05)
            found = await server.tables.get(waiting)
            assert found is not None
            assert found.status == "waiting"

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_tables_that_nobody_comes_back_to_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(server: World, table: LiveTable) -> None:
        an_open_seat = (Seat("person", "Ada", "ada"), Seat("open", ""))
        forgotten = await server.add_table(an_open_seat, status="waiting")
        visited = await server.add_table(an_open_seat, status="waiting")
        played = table.record.id
        assert await table.play(0, 0, "take wbg")

        async def closed_after(**later: float) -> list[str]:
            monkeypatch.setattr(clocks, "now", lambda: now() + timedelta(**later))
            await server.processes._renew()
            await server.registry.sweep()
            found = {name: await server.tables.get(name) for name in (forgotten, visited, played)}
            return [name for name, kept in found.items() if kept is not None and kept.status == "closed"]

        assert await closed_after(minutes=29) == []
        async with server.registry.table(visited) as other:
            (ada,) = sit_down(other, ADA)
            await server.services.presence.write()
            assert await closed_after(minutes=40) == [forgotten], "somebody waits"
            other.detach(ada)
            await other.stop()
            await server.services.presence.write()
        assert await closed_after(minutes=69) == [forgotten]
        assert await closed_after(minutes=71) == [forgotten, visited]
        assert await closed_after(days=29.9) == [forgotten, visited]
        assert await closed_after(days=30.1) == [forgotten, visited, played]
        assert await code_of(table.play(1, 1, "take wbg")) == "closed"

    at_a_table(tmp_path, work)


def test_many_forgotten_tables_are_closed_by_a_few_statements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with world(tmp_path) as server:
            an_open_seat = (Seat("person", "Ada", "ada"), Seat("open", ""))
            forgotten = [await server.add_table(an_open_seat, status="waiting") for _ in range(25)]
            monkeypatch.setattr("cabochon.server.table_registry.SWEEP_BATCH", 10)
            monkeypatch.setattr(clocks, "now", lambda: now() + timedelta(hours=2))
            statements = FailingStatements(server.database)
            await server.registry.sweep()
            updates = [text for text in statements.texts if text.startswith("UPDATE tables")]
            assert len(updates) == 3
            assert len(statements.texts) <= 3 * len(updates)  # each begins a transaction, and locks the tables
            found = [await server.tables.get(table) for table in forgotten]
            assert {table.status for table in found if table is not None} == {"closed"}

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_who_comes_to_a_table_while_it_is_closed_sees_it_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with world(tmp_path) as server:
            forgotten = await server.add_table((Seat("person", "Ada", "ada"), Seat("open", "")), status="waiting")
            close = server.tables.close_abandoned
            entered = AsyncExitStack()

            async def come_and_close(*args: Any) -> list[str]:
                table = await entered.enter_async_context(server.registry.table(forgotten))
                sit_down(table, ADA)
                return await close(*args)

            monkeypatch.setattr(server.tables, "close_abandoned", come_and_close)
            monkeypatch.setattr(clocks, "now", lambda: now() + timedelta(hours=2))
            await server.registry.sweep()
            async with entered, server.registry.table(forgotten) as table:
                assert table.record.status == "closed"

    asyncio.run(asyncio.wait_for(run(), SECONDS))
