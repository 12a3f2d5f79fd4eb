"""Live tables: one change at a time, committed before it is broadcast, whatever fails in between."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cabochon import Game
from cabochon.server import protocol
from cabochon.server.clocks import now
from cabochon.server.errors import RequestError
from cabochon.server.live_table import LiveTable
from cabochon.server.schema import entries
from cabochon.server.seats import Seat
from cabochon.server.table_plans import rematch_of
from cabochon.server.timeline import Entry
from tests.playing import RandomMover
from tests.server.table_world import (
    A_PERSON_AND_A_BOT,
    ADA,
    BO,
    Listener,
    World,
    at_a_table,
    code_of,
    sit_down,
    world,
)
from tests.server.test_clocks import told_to

TIMES = 2  # that a server dies in each phase of each seat


def test_a_move_is_told_to_everybody_from_their_own_seat(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        listeners = sit_down(table, ADA, BO, None)
        assert await table.play(0, 0, "reserve 2")
        told = [listener.take() for listener in listeners]
        assert [len(messages) for messages in told] == [1, 1, 1]
        moved = [messages[0] for messages in told]
        assert [message.position.view.viewer for message in moved] == [0, 1, None]
        assert [message.event.card is None for message in moved] == [False, True, True]
        assert [bool(message.position.legal) for message in moved] == [False, True, False]

    at_a_table(tmp_path, work)


def test_refusals_change_nothing(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        for seat, seq, move, code, rule in [
            (1, 0, "take wbg", "not_your_turn", "SET-10"),
            (None, 0, "take wbg", "not_yours", None),
            (0, 0, "pass", "illegal", "TRN-9"),
            (0, 0, "take wwb", "illegal", "TRN-2"),
            (0, 0, "dance", "malformed", None),
            (0, 5, "take wbg", "stale", None),
        ]:
            with pytest.raises(RequestError) as refused:
                await table.play(seat, seq, move)
            assert (refused.value.code, refused.value.rule) == (code, rule), move
        assert await code_of(table.undo(0, 0)) == "cannot_undo"
        assert await code_of(table.undo(None, 0)) == "not_yours"
        assert ada.take() == []
        assert table.timeline.seq == 0
        assert await server.log.read(table.record.id) == []

    at_a_table(tmp_path, work)


def test_of_two_moves_for_the_same_moment_one_is_played(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (bo,) = sit_down(table, BO)
        attempts = [table.play(0, 0, move) for move in ("take wbg", "take bgr", "reserve 1.1", "take wbg")]
        results = await asyncio.gather(*attempts, return_exceptions=True)
        assert results[0] is True
        assert [result.code for result in results[1:3] if isinstance(result, RequestError)] == ["stale", "stale"]
        assert results[3] is False, "the same move once more is answered as if it had come once"
        assert len(bo.take()) == 1
        assert [entry.text for entry in await server.log.read(table.record.id)] == ["take wbg"]

    at_a_table(tmp_path, work)


def test_a_move_sent_again_is_not_played_again(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        assert await table.play(0, 0, "take wbg")
        assert not await table.play(0, 0, "take gbw"), "however it is spelled"
        assert await code_of(table.play(0, 0, "take bgr")) == "stale"
        assert await code_of(table.play(1, 0, "take wbg")) == "stale"
        assert await table.undo(0, 1)
        assert not await table.undo(0, 1)
        assert await code_of(table.undo(1, 1)) == "stale"
        assert table.timeline.seq == 2

    at_a_table(tmp_path, work)


def test_a_client_that_goes_away_does_not_stop_what_it_began(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (bo,) = sit_down(table, BO)
        move = asyncio.create_task(table.play(0, 0, "take wbg"))
        await asyncio.sleep(0)
        move.cancel()
        with pytest.raises(asyncio.CancelledError):
            await move
        assert table.is_busy
        await table.stop()
        assert [message.position.seq for message in bo.take()] == [1]
        assert len(await server.log.read(table.record.id)) == 1

    at_a_table(tmp_path, work)


def test_what_cannot_be_kept_has_not_happened(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (bo,) = sit_down(table, BO)
        server.log.fault = "full"
        assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
        assert bo.take() == []
        assert table.timeline.seq == 0
        assert await table.play(0, 0, "take bgr")

    at_a_table(tmp_path, work)


def test_what_was_kept_in_spite_of_a_fault_is_told(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        ada, bo = sit_down(table, ADA, BO)
        server.log.fault = "lost"
        assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
        for listener in (ada, bo):
            (sync,) = listener.take()
            assert isinstance(sync, protocol.Sync)
            assert [event.seq for event in sync.events] == [1]
        assert not await table.play(0, 0, "take wbg")
        assert await table.play(1, 1, "take wbg")

    at_a_table(tmp_path, work)


def test_a_table_that_cannot_be_read_is_read_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise OSError("no database")

    async def work(server: World, table: LiveTable) -> None:
        server.log.fault = "lost"
        with monkeypatch.context() as patch:
            patch.setattr(server.log, "read", fail)
            assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
            assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
        assert not await table.play(0, 0, "take wbg")
        assert table.timeline.seq == 1

    at_a_table(tmp_path, work)


def test_a_client_that_knows_too_much_makes_the_server_read_little(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can send any length of the log, with every message."""

    async def work(server: World, table: LiveTable) -> None:
        assert await table.play(0, 0, "take wbg")
        assert await table.play(1, 1, "take wbg")
        read, lengths = server.log.read, []

        async def read_and_count(table_id: str, since: int = 0) -> list[Entry]:
            entries = await read(table_id, since)
            lengths.append(len(entries))
            return entries

        monkeypatch.setattr(server.log, "read", read_and_count)
        for _ in range(100):
            await table.catch_up(1_000_000)
            assert await code_of(table.play(0, 1_000_000, "take wbg")) == "stale"
        assert len(lengths) < 100, "about one each second"
        assert set(lengths) == {1}, "the last entry that is known"

    at_a_table(tmp_path, work)


def test_a_database_that_lost_entries_is_right(tmp_path: Path) -> None:
    """After a crash, a replica may take over that had not received them all."""

    async def work(server: World, table: LiveTable) -> None:
        for seat, move in ((0, "take wbg"), (1, "take wbg"), (0, "take wbg")):
            assert await table.play(seat, table.timeline.seq, move)
        async with server.database.transaction() as connection:
            await connection.execute(entries.delete().where(entries.c.seq > 1))
        await table.reload()
        assert table.timeline.seq == 1

    at_a_table(tmp_path, work)


def test_an_entry_of_another_process_is_taken_over(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (bo,) = sit_down(table, BO)
        await server.log.append(table.record.id, Entry(1, 0, "take bgr", now()), "playing", 1)
        assert await code_of(table.play(0, 0, "take wbg")) == "stale"
        (sync,) = bo.take()
        assert [event.move for event in sync.events] == ["take bgr"]
        assert await code_of(table.play(0, 0, "take wbg")) == "stale"
        assert await table.play(1, 1, "take wbg")

    at_a_table(tmp_path, work)


def test_a_seat_that_was_given_in_spite_of_a_fault_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        give = server.tables.change_seats

        async def give_and_fail(*arguments: Any) -> bool:
            await give(*arguments)
            raise OSError("written, but the answer was lost")

        monkeypatch.setattr(server.tables, "change_seats", give_and_fail)
        assert await code_of(table.join(BO, None)) == "unavailable"
        (sync,) = ada.take()
        assert (sync.table.status, sync.table.seats[1].name) == ("playing", "Bo")
        await table.join(BO, None)  # has it already

    seats = (Seat("person", "Ada", "ada"), Seat("open", ""))
    at_a_table(tmp_path, work, seats=seats, status="waiting")


def test_a_leave_is_kept_before_it_is_told_whatever_fails(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (bo,) = sit_down(table, BO)
        server.log.fault = "full"
        assert await code_of(table.leave(ADA, 0)) == "unavailable"
        assert (bo.take(), table.record.status) == ([], "playing")
        server.log.fault = "lost"
        assert await code_of(table.leave(ADA, 0)) == "unavailable"
        (sync,) = bo.take()
        assert ([event.type for event in sync.events], sync.table.status) == (["left"], "over")
        assert sync.position.outcome.winners == [1]

    at_a_table(tmp_path, work)


def test_at_a_table_that_was_closed_nothing_is_taken_back(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        assert told_to(table, ada).can_undo
        table.detach(ada)
        assert await server.tables.close_abandoned(now(), now() + timedelta(days=1), 10) == [table.record.id]
        await table.reload()
        assert table.record.status == "closed"
        assert not told_to(table, ada).can_undo, "as it would be answered"
        assert await code_of(table.undo(0, 1)) == "closed"

    at_a_table(tmp_path, work)


def test_a_game_becomes_practice_for_good(tmp_path: Path) -> None:
    async def first() -> str:
        async with world(tmp_path) as server:
            table_id = await server.add_table(A_PERSON_AND_A_BOT)
            async with server.registry.table(table_id) as table:
                (ada,) = sit_down(table, ADA)
                assert await table.play(0, 0, "take wbg")
                assert await table.undo(0, 1)
                assert [message.type for message in ada.take()] == ["moved", "moved"]
                assert await table.play(0, 2, "reserve 2")
                (moved,) = ada.take()
                assert (moved.position.can_undo, moved.position.undo_makes_practice) == (True, True)
                server.log.fault = "full"
                assert await code_of(table.undo(0, 3)) == "unavailable"
                assert not table.record.is_practice
                assert await table.undo(0, 3)
                undone, changed = ada.take()
                assert undone.event.undoes == [3]
                assert not undone.position.undo_makes_practice
                assert changed.table.is_practice
                assert await table.play(0, 4, "take bgr")
                assert [message.type for message in ada.take()] == ["moved"]
            return table_id

    async def second(table_id: str) -> None:
        async with world(tmp_path) as server, server.registry.table(table_id) as table:
            (ada,) = sit_down(table, ADA)
            assert table.timeline.is_practice
            assert table.broadcast.info("ada").is_practice
            assert told_to(table, ada).can_undo
            record = await server.tables.get(table_id)
            assert record is not None
            assert record.is_practice
            assert rematch_of(replace(record, status="over"), ADA).is_practice is False

    asyncio.run(second(asyncio.run(first())))


def test_an_undo_sent_again_takes_back_no_more(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        assert await table.play(0, 0, "reserve 2")
        assert await table.undo(0, 1)
        assert await table.play(0, 2, "reserve 1")
        assert not await table.undo(0, 1)
        assert await code_of(table.undo(0, 2)) == "stale"
        assert [entry.seq for entry in table.timeline.standing] == [3]

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def test_a_finished_game_against_bots_stays_finished(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        await table.leave(ADA, 0)
        assert not told_to(table, ada).can_undo
        assert await code_of(table.undo(0, 2)) == "cannot_undo"

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def eventful_game(variant: str, players: int, phases: set[str]) -> tuple[int, list[str]]:
    """Return the seed and the moves of a random game that passes through all these phases."""
    for seed in range(1000):
        game, mover, seen = Game(variant, players, seed=seed), RandomMover(seed), set()
        while not game.is_over:
            seen.add(game.phase)
            legal = [move for move in game.legal_moves if move.kind in ("buy", "wild")] or game.legal_moves
            game.play(legal[mover.below(len(legal))])
        if phases <= seen and len(game.moves) < 130:
            return seed, [str(move) for move in game.moves]
    raise AssertionError(f"expected a game with the phases {phases}")


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3)])
def test_a_process_that_dies_at_any_moment_loses_nothing(tmp_path: Path, variant: str, players: int) -> None:
    """It dies in each phase of each seat, once before the commit, and once between the commit and the broadcast."""
    seed, moves = eventful_game(variant, players, {"act", "pay", "return", "tile"})
    seats = tuple(Seat("person", guest.nickname, guest.id) for guest in (ADA, BO, ADA))[:players]
    reference = Game(variant, players, seed=seed)

    async def live(table_id: str, death: str) -> None:
        """Start the server where the last one stopped, send it the next move, and let it die of that."""
        async with world(tmp_path, is_new=False) as server, server.registry.table(table_id) as table:
            seq = len(reference.moves)
            assert table.timeline.seq == seq
            assert table.timeline.game.texts == reference.texts
            assert table.timeline.game.phase == reference.phase
            listener = Listener(ADA)
            table.attach(listener, max(0, seq - 3))
            (sync,) = listener.take()
            assert [event.seq for event in sync.events] == list(range(max(1, seq - 2), seq + 1))
            server.log.fault = death
            attempt = asyncio.create_task(table.play(reference.seat, seq, moves[seq]))
            await server.log.is_dead.wait()
            assert listener.take() == [], "nobody hears of what may be lost"
            for task in (attempt, *table.changes._tasks):
                task.cancel()
            await asyncio.gather(attempt, table.stop(), return_exceptions=True)

    async def play(table_id: str, texts: list[str]) -> None:
        """Play moves in a server that does not die."""
        async with world(tmp_path, is_new=False) as server, server.registry.table(table_id) as table:
            for text in texts:
                assert await table.play(table.timeline.game.seat, table.timeline.seq, text)

    async def live_again_and_again() -> None:
        async with world(tmp_path) as server:
            table_id = await server.add_table(seats, seed, variant)
        seen: Counter[tuple[str, int]] = Counter()
        played = list[str]()
        for move in moves:
            seen[reference.phase, reference.seat] += 1
            if seen[reference.phase, reference.seat] <= TIMES or move is moves[-1]:
                if played:
                    await play(table_id, played)
                played.clear()
                await live(table_id, "dead before")
                await live(table_id, "dead after")
            else:
                played.append(move)
            reference.play(move)

    asyncio.run(live_again_and_again())
    assert reference.is_over
