"""The turns of bots at a table."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cabochon.server import bot_turns
from cabochon.server.live_table import LiveTable
from cabochon.server.seats import Seat
from tests.server.table_world import A_PERSON_AND_A_BOT, ADA, World, at_a_table, sit_down, world


def test_a_bot_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def first() -> str:
        async with world(tmp_path) as server:
            table_id = await server.add_table(A_PERSON_AND_A_BOT)
            async with server.registry.table(table_id) as table:
                assert await table.play(0, 0, "take wbg")
            return table_id

    async def second(table_id: str) -> None:
        async with world(tmp_path) as server:
            server.workers.may_answer.set()
            await server.peer.resume_games()
            async with server.registry.table(table_id) as table:
                while table.timeline.seq < 2:
                    await asyncio.sleep(0.001)
                assert table.timeline.game.seat == 0

    asyncio.run(second(asyncio.run(first())))


def test_a_bot_forgets_what_it_thought_when_a_move_is_taken_back(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        await asyncio.sleep(0)
        assert await table.undo(0, 1)
        server.workers.may_answer.set()
        while table.is_busy:
            await asyncio.sleep(0)
        assert [message.event.type for message in ada.take()] == ["step", "undone"]
        assert table.timeline.seq == 2
        assert await table.play(0, 2, "take bgr")
        while table.timeline.seq < 4:
            await asyncio.sleep(0.001)
        assert table.timeline.entries[-1].seat == 1
        assert all(view.commitment is not None for view in server.workers.asked)

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def test_a_bot_does_not_answer_a_turn_that_was_taken_back(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        server.workers.may_answer.set()
        while table.timeline.seq < 3:
            await asyncio.sleep(0.001)  # until both bots have moved
        server.workers.may_answer.clear()
        assert await table.play(0, 3, "take wbg")
        while len(server.workers.asked) < 3:
            await asyncio.sleep(0.001)
        assert await table.undo(0, 4)
        assert await table.undo(0, 5), "the bots' moves, too"
        server.workers.may_answer.set()
        while table.is_busy:
            await asyncio.sleep(0)
        assert table.timeline.seq == 6
        assert table.timeline.game.moves == ()
        undone = [message.event for message in ada.take() if message.type == "moved"][-2:]
        assert [event.undoes for event in undone] == [[4], [1, 2, 3]]
        assert await table.play(0, 6, "take bgr")
        while table.timeline.seq < 9:
            await asyncio.sleep(0.001)
        assert [entry.seat for entry in table.timeline.standing] == [0, 1, 2]

    seats = (*A_PERSON_AND_A_BOT, Seat("bot", "Novice 2", level="novice"))
    at_a_table(tmp_path, work, seats=seats)


def test_a_bot_thinks_for_the_address_that_its_table_was_opened_from(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        server.workers.may_answer.set()
        assert await table.play(0, 0, str(table.timeline.game.legal_moves[0]))
        while table.timeline.seq < 2:
            await asyncio.sleep(0.001)
        assert server.workers.asked_for == ["a hash"]

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT, opened_from="a hash")


def test_a_bot_tries_again_when_its_move_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_turns, "RETRY_SECONDS", 0.001)

    async def work(server: World, table: LiveTable) -> None:
        assert await table.play(0, 0, "take wbg")
        server.log.fault = "full"
        server.workers.may_answer.set()
        while table.timeline.seq < 2:
            await asyncio.sleep(0.001)
        assert table.timeline.entries[-1].seat == 1

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def test_bots_among_themselves_play_while_somebody_looks(tmp_path: Path) -> None:
    seats = (Seat("bot", "Novice", level="novice"), Seat("bot", "Novice 2", level="novice"))

    async def work(server: World, table: LiveTable) -> None:
        server.workers.may_answer.set()
        table.wake()
        assert not table.is_busy
        (watcher,) = sit_down(table, None)
        while table.timeline.seq < 5:
            await asyncio.sleep(0.001)
        table.detach(watcher)
        while table.is_busy:
            await asyncio.sleep(0.001)
        length = table.timeline.seq
        await asyncio.sleep(0.02)
        assert table.timeline.seq == length
        assert not table.timeline.game.is_over

    at_a_table(tmp_path, work, seats=seats)
