"""Several processes on one PostgreSQL database, which serve the same tables."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon.server import clocks, database, leases, protocol
from cabochon.server.clocks import Clock, now
from cabochon.server.leases import NextStep
from cabochon.server.live_table import LiveTable
from cabochon.server.notifications import Notice
from cabochon.server.schema import tables
from cabochon.server.seats import OPEN_SEAT, Seat
from cabochon.server.timeline import Entry
from tests.playing import RandomMover
from tests.server.databases import ON_POSTGRES
from tests.server.failing import FailingStatements
from tests.server.running import SECONDS
from tests.server.storage import locked
from tests.server.table_world import (
    A_PERSON_AND_A_BOT,
    ADA,
    BO,
    TWO_PEOPLE,
    Listener,
    World,
    code_of,
    sit_down,
    world,
)

pytestmark = ON_POSTGRES

DUE = NextStep("bot", now() - timedelta(seconds=1))
LIVE = Clock("live", timedelta(seconds=30), timedelta(seconds=60))
TWO_BOTS = (Seat("bot", "Novice", level="novice"), Seat("bot", "Novice 2", level="novice"))


@asynccontextmanager
async def two_processes(url: str, folder: Path, **of_first: Any) -> AsyncIterator[tuple[World, World]]:
    """Two processes that know of each other."""
    async with world(folder, database=url, **of_first) as one, world(folder, is_new=False, database=url) as other:
        await one.processes._renew()
        yield one, other


def run(work: Awaitable[None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(work, SECONDS)

    asyncio.run(limited())


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.002)


@asynccontextmanager
async def at_both(one: World, other: World, table_id: str) -> AsyncIterator[tuple[LiveTable, LiveTable]]:
    async with AsyncExitStack() as stack:
        first, second = [await stack.enter_async_context(each.registry.table(table_id)) for each in (one, other)]
        yield first, second


async def kill(server: World, monkeypatch: pytest.MonkeyPatch, survivor: World) -> None:
    """Let a process confirm no more that it is alive, until the other one counts it as dead."""
    await server.processes._renewing.close()
    await server.peer.close()
    monkeypatch.setattr(clocks, "now", lambda: clocks.process_time.now() + timedelta(seconds=10))
    monkeypatch.setattr(survivor.processes, "_alive_until", now() + timedelta(seconds=60))
    await survivor.processes._renew()
    assert survivor.processes.others == frozenset()


def both_have(first: LiveTable, second: LiveTable, seq: int) -> bool:
    return first.timeline.seq == second.timeline.seq == seq


def sync_of(table: LiveTable, listener: Listener) -> dict[str, Any]:
    sync = protocol.Sync.model_validate_json(table.broadcast.sync(listener, 0))
    return sync.model_dump(exclude={"now"})


def test_people_meet_at_a_table_through_different_processes(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            plan = {"game": "splendor", "visibility": "public", "order": "given"}
            opening = protocol.NewTable.model_validate(plan | {"seats": [{"kind": "me"}, {"kind": "open"}]})
            empty, _ = await other.services.lobby.read(1)
            assert protocol.Lobby.model_validate_json(empty).tables == []
            table_id = (await one.registry.open(opening, ADA, {})).id
            while not (listed := protocol.Lobby.model_validate_json((await other.services.lobby.read(1))[0]).tables):
                await asyncio.sleep(0.002)
            assert listed[0].id == table_id
            async with at_both(one, other, table_id) as (first, second):
                (ada,), (bo,) = sit_down(first, ADA), sit_down(second, BO)
                await second.join(BO, None)
                await until(lambda: first.record.status == "playing")
                assert ada.take()[-1].table.status == "playing"
                assert await first.play(0, 0, str(first.timeline.game.legal_moves[0]))
                await until(lambda: second.timeline.seq == 1)
                assert await second.play(1, 1, str(second.timeline.game.legal_moves[0]))
                await until(lambda: first.timeline.seq == 2)
                assert [message.event.seat for message in ada.take() if message.type == "moved"] == [0, 1]
                await until(lambda: first.broadcast._presence() == second.broadcast._presence() == ({0, 1}, 0))
                assert sync_of(first, bo) == sync_of(second, bo)
                second.say(1, "good_luck")
                await until(lambda: any(message.type == "said" for message in ada.messages))
                sender, receiver = other.services.notifications, one.services.notifications
                await until(lambda: sender.sent >= receiver.received > 0)

    run(work())


def test_of_two_moves_for_one_place_one_counts(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            two_processes(url, tmp_path) as (one, other),
            at_both(one, other, await one.add_table(TWO_PEOPLE)) as (first, second),
        ):
            moves = [str(move) for move in first.timeline.game.legal_moves[:2]]
            attempts = [table.play(0, 0, move) for table, move in zip((first, second), moves, strict=True)]
            done = await asyncio.gather(*attempts, return_exceptions=True)
            assert sum(result is True for result in done) == 1
            assert one.log.conflicts + other.log.conflicts == 1
            await until(lambda: first.timeline.seq == second.timeline.seq == 1)
            assert first.timeline.entries == second.timeline.entries

    run(work())


def test_a_locked_table_stops_nobody_else(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process stands still in the middle of a transaction."""
    monkeypatch.setitem(database.SESSION, "lock_timeout", "50ms")

    async def work() -> None:
        async with world(tmp_path, database=url) as server:
            ids = [await server.add_table(TWO_PEOPLE) for _ in range(2)]
            async with server.registry.table(ids[0]) as blocked, server.registry.table(ids[1]) as free:
                async with locked(url, ids[0]):
                    attempt = asyncio.create_task(code_of(blocked.play(0, 0, "take wbg")))
                    assert await free.play(0, 0, "take wbg")
                    await server.processes._renew()
                    assert await attempt == "unavailable"
                assert await blocked.play(0, 0, "take wbg")

    run(work())


def test_a_process_that_missed_notices_reads_on(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with (
            two_processes(url, tmp_path) as (one, other),
            at_both(one, other, await one.add_table(TWO_PEOPLE)) as (first, second),
        ):
            (bo,) = sit_down(second, BO)

            async def play(seat: int) -> None:
                assert await first.play(seat, first.timeline.seq, str(first.timeline.game.legal_moves[0]))

            with monkeypatch.context() as lost:
                lost.setattr(one.services.notifications, "tell_table", lambda *_, **__: None)
                await play(0)
            await play(1)
            await until(lambda: second.timeline.seq == 2)
            (sync,) = bo.take()
            assert [event.seat for event in sync.events] == [0, 1], "both at once, when the gap is seen"
            with monkeypatch.context() as lost:
                lost.setattr(one.services.notifications, "tell_table", lambda *_, **__: None)
                await play(0)
            assert second.timeline.seq == 2
            await other.peer.follower.check()
            await until(lambda: second.timeline.seq == 3)

    run(work())


def test_a_game_that_began_elsewhere_is_dealt_anew(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first move may come before the notice that it has begun, with cards that its table did not have."""

    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            table_id = await one.add_table((Seat("person", "Ada", "ada"), OPEN_SEAT), status="waiting")
            async with at_both(one, other, table_id) as (first, second):
                with monkeypatch.context() as lost:
                    lost.setattr(first, "_tell_change", lambda: None)
                    await first.join(BO, None)
                assert await first.play(0, 0, str(first.timeline.game.legal_moves[0]))
                await until(lambda: second.timeline.seq == 1)
                assert second.timeline.deal == first.timeline.deal
                assert second.record == first.record

    run(work())


def test_no_notice_has_a_card_that_is_hidden(url: str, tmp_path: Path) -> None:
    """Whoever may connect to the database can listen to the notices."""

    async def work() -> None:
        async with (
            two_processes(url, tmp_path) as (one, other),
            at_both(one, other, await one.add_table(TWO_PEOPLE)) as (first, second),
        ):
            (spectator,) = sit_down(second, None)
            notices: list[Notice] = []
            handle = other.services.notifications.on_notice

            def note_and_handle(notice: Notice) -> None:
                notices.append(notice)
                handle(notice)

            other.services.notifications.on_notice = note_and_handle
            mover = RandomMover(1)
            while not first.timeline.is_over:
                game = first.timeline.game
                blind = [move for move in game.legal_moves if move.kind == "reserve" and move.place in ("1", "2", "3")]
                legal = blind or [move for move in game.legal_moves if move.kind == "buy"] or game.legal_moves
                assert await first.play(game.seat, first.timeline.seq, str(legal[mover.below(len(legal))]))
            await until(lambda: second.record == first.record)
            assert second.timeline.entries == first.timeline.entries
            drawn = [entry.texts[1] for entry in first.timeline.entries if entry.has_blind_reveal]
            assert len(drawn) > 10
            assert [card for card in drawn if card in json.dumps(notices)] == []
            assert {message.type for message in spectator.take()} == {"moved"}

    run(work())


def test_nobody_is_sent_back_by_a_process_that_knows_less(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ada's connection breaks after her move, and she comes back through a process that has not heard of it."""

    async def work() -> None:
        async with (
            two_processes(url, tmp_path) as (one, other),
            at_both(one, other, await one.add_table(TWO_PEOPLE)) as (first, second),
        ):
            monkeypatch.setattr(one.services.notifications, "tell_table", lambda *_, **__: None)
            assert await first.play(0, 0, "take wbg")
            await second.catch_up(1)
            (ada,) = sit_down(second, ADA)
            assert sync_of(second, ada)["position"]["seq"] == 1
            assert await first.play(1, 1, str(first.timeline.game.legal_moves[0]))
            assert await second.play(0, 2, str(first.timeline.game.legal_moves[0])), "and so is her next move"

    run(work())


def test_a_bot_moves_once_whoever_looks(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            for server in (one, other):
                server.workers.may_answer.set()
                await server.peer.resume_games()
            async with at_both(one, other, await one.add_table(A_PERSON_AND_A_BOT)) as (first, second):
                sit_down(second, ADA)
                for seq in (0, 2, 4):
                    assert await first.play(0, seq, str(first.timeline.game.legal_moves[0]))
                    await until(partial(both_have, first, second, seq + 2))
                assert (len(one.workers.asked), len(other.workers.asked)) == (3, 0)

    run(work())


def test_another_process_takes_over_from_one_that_died(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            other.workers.may_answer.set()
            async with at_both(one, other, await one.add_table(A_PERSON_AND_A_BOT)) as (first, second):
                assert await first.play(0, 0, "take wbg")
                await until(lambda: len(one.workers.asked) == 1)
                await other.peer._scheduler.claim()
                assert not second.is_busy, "the other one is alive"
                await kill(one, monkeypatch, other)
                await other.peer._scheduler.claim()
                assert other.services.leases.taken_over == 1
                await until(lambda: second.timeline.seq == 2)
                one.workers.may_answer.set()  # it was only paused, and has a move of its own for this place
                await until(lambda: not first.is_busy)
                assert first.timeline.seq == 2
                assert [entry.seat for entry in await other.log.read(first.record.id)] == [0, 1]

    run(work())


def test_a_process_that_counted_as_dead_begins_anew(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            two_processes(url, tmp_path) as (one, other),
            at_both(one, other, await one.add_table(A_PERSON_AND_A_BOT)) as (first, second),
        ):
            await one.peer.resume_games()
            assert await first.play(0, 0, "take wbg")
            await until(lambda: len(one.workers.asked) == 1)
            await one.peer._revive()
            assert not first._driver.has_lease or first.is_busy
            one.workers.may_answer.set()
            await until(lambda: first.timeline.seq == second.timeline.seq == 2)

    run(work())


def test_a_process_that_stops_hands_its_tables_over(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            other.workers.may_answer.set()
            await other.peer.resume_games()
            table_id = await one.add_table(A_PERSON_AND_A_BOT)
            async with one.registry.table(table_id) as first:
                assert await first.play(0, 0, "take wbg")
            await one.peer.close()
            await one.registry.close()
            await one.peer.leave()
            while len(await other.log.read(table_id)) < 2:
                await asyncio.sleep(0.01)

    run(work())


def test_a_thinker_moves_for_a_server_without_threads(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path, thinks=False) as (one, thinker):
            thinker.workers.may_answer.set()
            for server in (one, thinker):
                await server.peer.resume_games()
            async with one.registry.table(await one.add_table(A_PERSON_AND_A_BOT)) as table:
                (ada,) = sit_down(table, ADA)
                for seq in (0, 2):
                    assert await table.play(0, seq, str(table.timeline.game.legal_moves[0]))
                    await until(partial(both_have, table, table, seq + 2))
                assert [message.event.seat for message in ada.take()] == [0, 1, 0, 1]
                assert one.workers.asked == []
            async with one.registry.table(await one.add_table(TWO_BOTS)) as table:
                sit_down(table, None)
                await until(lambda: table.timeline.seq > 3)

    run(work())


def test_a_clock_runs_out_although_its_process_died(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            table_id = await one.add_table(TWO_PEOPLE, clock=LIVE, started_at=now() - timedelta(seconds=85))
            async with at_both(one, other, table_id) as (first, second):
                assert await first.play(0, 0, "take wbg")
                assert await first.undo(0, 1)
                assert first._driver.has_lease
                await other.peer._scheduler.claim()
                assert second.record.status == "playing"
                await kill(one, monkeypatch, other)
                await other.peer._scheduler.claim()
                await until(lambda: second.record.status == "over")
                assert second.timeline.entries[-1].leaving == "clock"

    run(work())


LONG_AGO = timedelta(hours=1)


def test_no_clock_runs_out_while_only_a_thinker_is_there(url: str, tmp_path: Path) -> None:
    """All servers were killed, and one is back at once: nobody could move, or can come back so fast."""

    async def work() -> None:
        async with (
            world(tmp_path, database=url) as killed,
            world(tmp_path, is_new=False, role="thinker", database=url) as thinker,
        ):
            await killed.processes._renewing.close()
            table_id = await killed.add_table(TWO_PEOPLE, clock=LIVE, started_at=now() - LONG_AGO)
            await thinker.peer.resume_games()
            await thinker.peer._scheduler.claim()
            await thinker.registry.resume(table_id)
            async with thinker.registry.table(table_id) as table:
                assert not table._driver.has_lease
            async with world(tmp_path, is_new=False, database=url, clock_grace=60.0) as back:
                await back.peer.resume_games()
                await back.peer._scheduler.claim()
                await back.registry.resume(table_id)
                async with back.registry.table(table_id) as table:
                    assert table.record.status == "playing"
                    assert table._driver.has_lease
                    back.services.deadlines.begin_grace(0.0)
                    await table.resume()
                    assert table.record.status == "over"

    run(work())


def test_nobody_times_out_because_the_clock_of_the_database_jumps(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "process_time", clocks.ProcessTime())

    async def work() -> None:
        async with world(tmp_path, database=url, clock_grace=60.0) as server:
            server.services.deadlines.begin_grace(0.0)
            table_id = await server.add_table(TWO_PEOPLE, clock=LIVE, started_at=clocks.now())
            async with server.registry.table(table_id) as table:
                await table.resume()
                later = clocks.now() + LONG_AGO

                async def read() -> datetime:
                    return later

                monkeypatch.setattr(server.database, "now", read)
                await server.processes._renew()
                assert clocks.now() >= later
                await table.resume()
                assert table.record.status == "playing"
                assert await table.play(0, 0, "take wbg")

    run(work())


def test_a_table_that_cannot_be_loaded_is_not_claimed_again_at_once(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url) as server:
            broken = await server.add_table(A_PERSON_AND_A_BOT)
            await server.log.append(broken, Entry(1, 0, "nonsense", now()), "playing", 1, next_step=DUE)
            await server.peer._scheduler.claim()
            (row,) = await server.database.fetch(sa.select(tables.c.leased_to, tables.c.due_at))
            assert row.leased_to is None
            assert row.due_at > now()
            sound = await server.add_table(A_PERSON_AND_A_BOT)
            await server.log.append(sound, Entry(1, 0, "take wbg", now()), "playing", 1, next_step=DUE)
            await server.peer._scheduler.claim()
            await until(lambda: len(server.workers.asked) == 1)

    run(work())


def test_any_number_of_leases_is_given_back(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "TABLES_PER_UPDATE", 2)

    async def work() -> None:
        async with world(tmp_path, database=url) as server:
            for _ in range(5):
                async with server.registry.table(
                    await server.add_table(TWO_PEOPLE, clock=LIVE, started_at=now())
                ) as table:
                    assert await table.play(0, 0, "take wbg")
            count = sa.select(sa.func.count(tables.c.leased_to))
            assert (await server.database.fetch(count))[0][0] == 5
            await server.services.leases.release_all()
            assert (await server.database.fetch(count))[0][0] == 0

    run(work())


def test_a_turn_that_waits_for_a_thinker_keeps_its_place(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url, thinks=False) as server:
            sent: list[str] = []
            monkeypatch.setattr(server.services.notifications, "tell_all", lambda kind: sent.append(kind))
            async with server.registry.table(await server.add_table(A_PERSON_AND_A_BOT)) as table:
                assert await table.play(0, 0, "take wbg")
                stored = await server.database.fetch(sa.select(tables.c.due_at))
                assert sent == ["due"]
                sit_down(table, ADA)
                await table.resume()
                assert await server.database.fetch(sa.select(tables.c.due_at)) == stored
                assert sent == ["due"]

    run(work())


def test_who_looked_through_a_dead_process_is_gone(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with (
            two_processes(url, tmp_path) as (one, other),
            at_both(one, other, await one.add_table(TWO_PEOPLE)) as (first, second),
        ):
            (bo,) = sit_down(second, BO)
            sit_down(first, ADA)
            seats = (await bo.wait_for(1))[0].table.seats
            assert [seat.is_connected for seat in seats] == [True, True]
            await kill(one, monkeypatch, other)
            seats = (await bo.wait_for(1))[0].table.seats
            assert [seat.is_connected for seat in seats] == [False, True]

    run(work())


def test_a_start_does_not_read_every_game_with_a_clock(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url, clock_grace=60.0) as server:
            for _ in range(30):
                await server.add_table(TWO_PEOPLE, clock=LIVE, started_at=now() - timedelta(hours=1))
            statements = FailingStatements(server.database)
            await server.peer.resume_games()
            await server.peer._scheduler.claim()
            assert len(statements.texts) < 30
            assert server.registry.live_tables() == []

    run(work())


def test_a_table_that_is_closed_at_one_process_is_closed_at_the_other(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with two_processes(url, tmp_path) as (one, other):
            table_id = await one.add_table((Seat("person", "Ada", "ada"), OPEN_SEAT), status="waiting")
            async with at_both(one, other, table_id) as (first, second):
                await first.close_by(ADA)
                await until(lambda: second.record.status == "closed")
                assert await code_of(second.join(BO, None)) == "closed"

    run(work())
