"""Live tables: one change at a time, kept before it is told, whatever fails in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cabochon import Game, Move, Options, View
from cabochon.fair import seed_bytes
from cabochon.server import protocol, tables
from cabochon.server.bot_workers import Thinkers
from cabochon.server.clocks import Deadlines
from cabochon.server.connections import Connection
from cabochon.server.errors import Refusal
from cabochon.server.lobby import Lobby
from cabochon.server.security import Whereabouts
from cabochon.server.store import Guest, Result, Seat, Store, StoredTable, new_id, now
from cabochon.server.tables import Services, Table, Tables
from cabochon.server.telemetry import Metrics
from cabochon.server.timeline import Entry
from tests.playing import RandomMover
from tests.server.running import settings_for


class FaultyStore(Store):
    """A store that can be told how its next append ends."""

    fault = ""

    async def append(
        self, table_id: str, entry: Entry, status: str, seat_to_move: int, results: Sequence[Result] = ()
    ) -> None:
        fault, self.fault = self.fault, ""
        if fault == "full":
            raise OSError("the disk is full")
        if fault == "dead before":
            await self._die()
        await super().append(table_id, entry, status, seat_to_move, results)
        if fault == "lost":
            raise OSError("written, but the answer was lost")
        if fault == "dead after":
            await self._die()

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.is_dead = asyncio.Event()

    async def _die(self) -> None:
        """Nothing happens any more, as in a process that was killed."""
        self.is_dead.set()
        await asyncio.Event().wait()


class SlowThinkers(Thinkers):
    """Bots that play a given move, when they are let."""

    def __init__(self) -> None:
        super().__init__(1)
        self.may_answer = asyncio.Event()
        self.asked: list[View] = []
        self.asked_for: list[str | None] = []

    async def choose(self, level: str, view: View, whom: str | None = None) -> Move:
        self.asked.append(view)
        self.asked_for.append(whom)
        await self.may_answer.wait()
        return view.legal_moves[0]


class Listener(Connection):
    """Somebody at the table, and all that they were told."""

    def __init__(self, guest: Guest | None) -> None:
        super().__init__(guest, 1)
        self.told: list[Any] = []

    def send(self, message: str) -> None:
        self.told.append(protocol.SERVER_MESSAGES.validate_json(message))

    def take(self) -> list[Any]:
        """What was told since it was last asked."""
        told, self.told = self.told, []
        return told


ADA, BO = Guest("ada", "Ada"), Guest("bo", "Bo")
TWO_PEOPLE = (Seat("person", "Ada", "ada"), Seat("person", "Bo", "bo"))
A_PERSON_AND_A_BOT = (Seat("person", "Ada", "ada"), Seat("bot", "Novice", level="novice"))


@dataclass
class World:
    """A server without its sockets."""

    store: FaultyStore
    thinkers: SlowThinkers
    tables: Tables
    whereabouts: Whereabouts

    async def add_table(
        self,
        seats: tuple[Seat, ...] = TWO_PEOPLE,
        seed: int = 1,
        variant: str = "splendor",
        status: str = "playing",
        **changes: Any,
    ) -> str:
        """A table of this deal; the host is Ada."""
        options = Options(variant, len(seats))
        table = StoredTable(new_id(), "ada", options, seed_bytes(seed), seats, status, now(), **changes)
        await self.store.add_table(table)
        return table.id


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    settings = settings_for(folder)
    store, thinkers = FaultyStore(settings.database), SlowThinkers()
    await store.open()
    async with store._writing() as connection:
        for guest in (ADA, BO):
            await connection.exec_driver_sql(
                "INSERT OR IGNORE INTO guests VALUES (?, ?, ?)", (guest.id, guest.nickname, "2026-11-15 00:00:00")
            )
    whereabouts = Whereabouts()
    services = Services(store, thinkers, Metrics(), settings, Lobby(store), Deadlines(), whereabouts)
    server = World(store, thinkers, Tables(services), whereabouts)
    try:
        yield server
    finally:
        if not store.is_dead.is_set():
            await server.tables.close()
        thinkers.close()
        await store._engine.dispose()


def at_a_table(folder: Path, work: Callable[[World, Table], Awaitable[None]], **options: Any) -> None:
    """Do something at a new table."""

    async def run() -> None:
        async with world(folder) as server, server.tables.at(await server.add_table(**options)) as table:
            await work(server, table)

    asyncio.run(run())


def sit_down(table: Table, *guests: Guest | None) -> list[Listener]:
    listeners = [Listener(guest) for guest in guests]
    for listener in listeners:
        table.attach(listener, 0)
    for listener in listeners:
        listener.take()
    return listeners


async def code_of(attempt: Awaitable[object]) -> str:
    with pytest.raises(Refusal) as refused:
        await attempt
    return refused.value.code


def test_a_move_is_told_to_everybody_from_their_own_seat(tmp_path: Path) -> None:
    async def work(_: World, table: Table) -> None:
        listeners = sit_down(table, ADA, BO, None)
        assert await table.play(0, 0, "reserve 2")
        told = [listener.take() for listener in listeners]
        assert [len(messages) for messages in told] == [1, 1, 1]
        moved = [messages[0] for messages in told]
        assert [message.position.view.viewer for message in moved] == [0, 1, None]
        assert [message.happening.card is None for message in moved] == [False, True, True]
        assert [bool(message.position.legal) for message in moved] == [False, True, False]

    at_a_table(tmp_path, work)


def test_refusals_change_nothing(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        for seat, seq, move, code, rule in [
            (1, 0, "take wbg", "not_your_turn", "SET-10"),
            (None, 0, "take wbg", "not_yours", None),
            (0, 0, "pass", "illegal", "TRN-9"),
            (0, 0, "take wwb", "illegal", "TRN-2"),
            (0, 0, "dance", "malformed", None),
            (0, 5, "take wbg", "stale", None),
        ]:
            with pytest.raises(Refusal) as refused:
                await table.play(seat, seq, move)
            assert (refused.value.code, refused.value.rule) == (code, rule), move
        assert await code_of(table.undo(0, 0)) == "cannot_undo"
        assert await code_of(table.undo(None, 0)) == "not_yours"
        assert ada.take() == []
        assert table.course.seq == 0
        assert await server.store.entries(table.stored.id) == []

    at_a_table(tmp_path, work)


def test_of_two_moves_for_the_same_moment_one_is_played(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (bo,) = sit_down(table, BO)
        attempts = [table.play(0, 0, move) for move in ("take wbg", "take bgr", "reserve 1.1", "take wbg")]
        results = await asyncio.gather(*attempts, return_exceptions=True)
        assert results[0] is True
        assert [result.code for result in results[1:3] if isinstance(result, Refusal)] == ["stale", "stale"]
        assert results[3] is False, "the same move once more is answered as if it had come once"
        assert len(bo.take()) == 1
        assert [entry.text for entry in await server.store.entries(table.stored.id)] == ["take wbg"]

    at_a_table(tmp_path, work)


def test_a_move_sent_again_is_not_played_again(tmp_path: Path) -> None:
    async def work(_: World, table: Table) -> None:
        assert await table.play(0, 0, "take wbg")
        assert not await table.play(0, 0, "take gbw"), "however it is spelled"
        assert await code_of(table.play(0, 0, "take bgr")) == "stale"
        assert await code_of(table.play(1, 0, "take wbg")) == "stale"
        assert await table.undo(0, 1)
        assert not await table.undo(0, 1)
        assert await code_of(table.undo(1, 1)) == "stale"
        assert table.course.seq == 2

    at_a_table(tmp_path, work)


def test_a_client_that_goes_away_does_not_stop_what_it_began(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (bo,) = sit_down(table, BO)
        move = asyncio.create_task(table.play(0, 0, "take wbg"))
        await asyncio.sleep(0)
        move.cancel()
        with pytest.raises(asyncio.CancelledError):
            await move
        assert table.is_busy
        await table.close()
        assert [message.position.seq for message in bo.take()] == [1]
        assert len(await server.store.entries(table.stored.id)) == 1

    at_a_table(tmp_path, work)


def test_what_cannot_be_kept_has_not_happened(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (bo,) = sit_down(table, BO)
        server.store.fault = "full"
        assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
        assert bo.take() == []
        assert table.course.seq == 0
        assert await table.play(0, 0, "take bgr")

    at_a_table(tmp_path, work)


def test_what_was_kept_in_spite_of_a_fault_is_told(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        ada, bo = sit_down(table, ADA, BO)
        server.store.fault = "lost"
        assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
        for listener in (ada, bo):
            (sync,) = listener.take()
            assert isinstance(sync, protocol.Sync)
            assert [happening.seq for happening in sync.happenings] == [1]
        assert not await table.play(0, 0, "take wbg")
        assert await table.play(1, 1, "take wbg")

    at_a_table(tmp_path, work)


def test_a_table_that_cannot_be_read_is_read_again_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise OSError("no database")

    async def work(server: World, table: Table) -> None:
        server.store.fault = "lost"
        with monkeypatch.context() as patch:
            patch.setattr(server.store, "entries", fail)
            assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
            assert await code_of(table.play(0, 0, "take wbg")) == "unavailable"
        assert not await table.play(0, 0, "take wbg")
        assert table.course.seq == 1

    at_a_table(tmp_path, work)


def test_an_entry_of_another_process_is_taken_over(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (bo,) = sit_down(table, BO)
        await server.store.append(table.stored.id, Entry(1, 0, "take bgr", now()), "playing", 1)
        assert await code_of(table.play(0, 0, "take wbg")) == "stale"
        (sync,) = bo.take()
        assert [happening.move for happening in sync.happenings] == ["take bgr"]
        assert await code_of(table.play(0, 0, "take wbg")) == "stale"
        assert await table.play(1, 1, "take wbg")

    at_a_table(tmp_path, work)


# A process that dies


def telling_game(variant: str, players: int, phases: set[str]) -> tuple[int, list[str]]:
    """The seed and the moves of a random game that passes through all these phases."""
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
    """At each decision the server dies once before the commit, and once after it and before anybody is told."""
    seed, moves = telling_game(variant, players, {"act", "pay", "return", "tile"})
    seats = tuple(Seat("person", guest.nickname, guest.id) for guest in (ADA, BO, ADA))[:players]
    reference = Game(variant, players, seed=seed)

    async def live(table_id: str, death: str) -> None:
        """One life of the server: it goes on where the last one was, is sent the next move, and dies of it."""
        async with world(tmp_path) as server, server.tables.at(table_id) as table:
            seq = len(reference.moves)
            assert table.course.seq == seq
            assert table.course.game.texts == reference.texts
            assert table.course.game.phase == reference.phase
            listener = Listener(ADA)
            table.attach(listener, max(0, seq - 3))
            (sync,) = listener.take()
            assert [happening.seq for happening in sync.happenings] == list(range(max(1, seq - 2), seq + 1))
            server.store.fault = death
            attempt = asyncio.create_task(table.play(reference.seat, seq, moves[seq]))
            await server.store.is_dead.wait()
            assert listener.take() == [], "nobody hears of what may be lost"
            for task in (attempt, *table._work):
                task.cancel()
            await asyncio.gather(attempt, *table._work, return_exceptions=True)

    async def begin() -> str:
        async with world(tmp_path) as server:
            return await server.add_table(seats, seed, variant)

    table_id = asyncio.run(begin())
    for move in moves:
        asyncio.run(live(table_id, "dead before"))
        asyncio.run(live(table_id, "dead after"))
        reference.play(move)
    assert reference.is_over


# Bots


def test_a_bot_goes_on_after_a_restart(tmp_path: Path) -> None:
    async def first() -> str:
        async with world(tmp_path) as server:
            table_id = await server.add_table(A_PERSON_AND_A_BOT)
            async with server.tables.at(table_id) as table:
                assert await table.play(0, 0, "take wbg")
            return table_id

    async def second(table_id: str) -> None:
        async with world(tmp_path) as server:
            server.thinkers.may_answer.set()
            await server.tables.resume_all()
            async with server.tables.at(table_id) as table:
                while table.is_busy:
                    await asyncio.sleep(0.001)
                assert table.course.seq == 2
                assert table.course.game.seat == 0

    asyncio.run(second(asyncio.run(first())))


def test_a_game_that_cannot_be_read_keeps_no_other_from_going_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with world(tmp_path) as server:
            broken, sound = [await server.add_table(A_PERSON_AND_A_BOT) for _ in range(2)]
            for table_id, text in ((broken, "buy 3.4; 3.4=90"), (sound, "take wbg")):
                await server.store.append(table_id, Entry(1, 0, text, now()), "playing", 1)
            server.thinkers.may_answer.set()
            await server.tables.resume_all()
            while len(await server.store.entries(sound)) < 2:
                await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), 20))


def test_nobody_who_waits_is_sent_away_because_the_server_was_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> None:
        async with world(tmp_path) as server:
            waiting = await server.add_table((Seat("person", "Ada", "ada"), Seat("open", "")), status="waiting")
            monkeypatch.setattr(tables, "now", lambda: now() + timedelta(hours=2))
            await server.tables.resume_all()
            await asyncio.sleep(0.1)
            found = await server.store.table(waiting)
            assert found is not None
            assert found.status == "waiting"

    asyncio.run(asyncio.wait_for(run(), 20))


def test_the_cards_are_drawn_when_the_last_seat_is_taken(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        before = table.info(None).commitment
        await table.join(BO, 1)
        assert table.stored.status == "playing"
        assert table.info(None).commitment != before
        found = await server.store.table(table.stored.id)
        assert found is not None
        assert found.seed == table.stored.seed

    at_a_table(tmp_path, work, seats=(Seat("person", "Ada", "ada"), Seat("open", "")), status="waiting")


def test_a_bot_forgets_what_it_thought_when_a_move_is_taken_back(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        await asyncio.sleep(0)
        assert await table.undo(0, 1)
        server.thinkers.may_answer.set()
        await asyncio.sleep(0.05)
        assert not table.is_busy
        assert [message.happening.type for message in ada.take()] == ["step", "undone"]
        assert table.course.seq == 2
        assert await table.play(0, 2, "take bgr")
        while table.course.seq < 4:
            await asyncio.sleep(0.001)
        assert table.course.entries[-1].seat == 1
        assert all(view.commitment is not None for view in server.thinkers.asked)

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def test_a_bot_thinks_for_the_address_of_the_host(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        server.thinkers.may_answer.set()
        for seq, address in ((0, None), (2, "192.0.2.1")):
            if address is not None:
                server.whereabouts.note("ada", address)
            server.whereabouts.note("bo", "192.0.2.2")
            assert await table.play(0, seq, str(table.course.game.legal_moves[0]))
            while table.course.seq < seq + 2:
                await asyncio.sleep(0.001)
        assert server.thinkers.asked_for == [None, "192.0.2.1"]

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def test_a_bot_tries_again_when_its_move_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "RETRY_SECONDS", 0.001)

    async def work(server: World, table: Table) -> None:
        assert await table.play(0, 0, "take wbg")
        server.store.fault = "full"
        server.thinkers.may_answer.set()
        while table.course.seq < 2:
            await asyncio.sleep(0.001)
        assert table.course.entries[-1].seat == 1

    at_a_table(tmp_path, work, seats=A_PERSON_AND_A_BOT)


def test_bots_among_themselves_play_while_somebody_looks(tmp_path: Path) -> None:
    seats = (Seat("bot", "Novice", level="novice"), Seat("bot", "Novice 2", level="novice"))

    async def work(server: World, table: Table) -> None:
        server.thinkers.may_answer.set()
        table.wake()
        assert not table.is_busy
        (watcher,) = sit_down(table, None)
        while table.course.seq < 5:
            await asyncio.sleep(0.001)
        table.detach(watcher)
        while table.is_busy:
            await asyncio.sleep(0.001)
        length = table.course.seq
        await asyncio.sleep(0.02)
        assert table.course.seq == length
        assert not table.course.game.is_over

    at_a_table(tmp_path, work, seats=seats)


# Sitting down, and coming back


def test_the_game_begins_when_the_last_seat_is_taken(tmp_path: Path) -> None:
    seats = (Seat("open", ""), Seat("person", "Ada", "ada"), Seat("bot", "Novice", level="novice"))

    async def work(server: World, table: Table) -> None:
        ada, bo = sit_down(table, ADA, BO)
        assert await code_of(table.play(1, 0, "take wbg")) == "not_playing"
        await table.join(ADA, 0)  # has a seat, and keeps it
        assert ada.take() == bo.take() == []
        assert await code_of(table.join(BO, 2)) == "not_yours"
        await table.join(BO, None)
        for listener, you in ((ada, 1), (bo, 0)):
            (sync,) = listener.take()
            assert isinstance(sync, protocol.Sync)
            assert (sync.table.you, sync.table.status) == (you, "playing")
            assert sync.position.view.seats[0].name == "Bo"
            assert bool(sync.position.legal) == (you == 0)
        assert await code_of(table.join(Guest("cy", "Cy"), None)) == "not_yours"
        assert await table.play(0, 0, "take wbg")

    at_a_table(tmp_path, work, seats=seats, status="waiting")


def test_a_seat_that_was_given_in_spite_of_a_fault_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(server: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        give = server.store.change_seat

        async def give_and_fail(*arguments: Any) -> bool:
            await give(*arguments)
            raise OSError("written, but the answer was lost")

        monkeypatch.setattr(server.store, "change_seat", give_and_fail)
        assert await code_of(table.join(BO, None)) == "unavailable"
        (sync,) = ada.take()
        assert (sync.table.status, sync.table.seats[1].name) == ("playing", "Bo")
        await table.join(BO, None)  # has it already

    seats = (Seat("person", "Ada", "ada"), Seat("open", ""))
    at_a_table(tmp_path, work, seats=seats, status="waiting")


def test_those_at_the_table_hear_who_comes_and_goes(tmp_path: Path) -> None:
    async def work(_: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        (bo,) = sit_down(table, BO)
        (other_screen,) = sit_down(table, BO)
        sit_down(table, None)
        told, looked_at = ada.take()
        assert [seat.is_connected for seat in told.table.seats] == [True, True]
        assert (told.table.watching, looked_at.table.watching) == (0, 1)
        table.detach(bo)
        assert ada.take() == [], "the other screen is still there"
        table.detach(other_screen)
        (told,) = ada.take()
        assert [seat.is_connected for seat in told.table.seats] == [True, False]

    at_a_table(tmp_path, work)


def test_a_table_is_in_memory_once_and_forgotten_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "IDLE_TABLES", 2)

    async def work(server: World, first: Table) -> None:
        others = [await server.add_table() for _ in range(4)]
        async with server.tables.at(first.stored.id) as again:
            assert again is first
        for table_id in others:
            async with server.tables.at(table_id):
                pass
        assert set(server.tables._places) == {first.stored.id, *others[-2:]}
        assert await code_of(server.tables.resume("unknown")) == "not_found"
        assert "unknown" not in server.tables._places

    at_a_table(tmp_path, work)


def test_tables_that_nobody_comes_back_to_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(server: World, table: Table) -> None:
        an_open_seat = (Seat("person", "Ada", "ada"), Seat("open", ""))
        forgotten = await server.add_table(an_open_seat, status="waiting")
        visited = await server.add_table(an_open_seat, status="waiting")
        played = table.stored.id
        assert await table.play(0, 0, "take wbg")

        async def closed_after(**later: float) -> list[str]:
            monkeypatch.setattr(tables, "now", lambda: now() + timedelta(**later))
            await server.tables.sweep()
            found = {name: await server.store.table(name) for name in (forgotten, visited, played)}
            return [name for name, kept in found.items() if kept is not None and kept.status == "closed"]

        assert await closed_after(minutes=29) == []
        async with server.tables.at(visited) as other:
            (ada,) = sit_down(other, ADA)
            assert await closed_after(minutes=40) == [forgotten], "somebody waits"
            other.detach(ada)
            await asyncio.gather(*other._work)
        assert await closed_after(minutes=69) == [forgotten]
        assert await closed_after(minutes=71) == [forgotten, visited]
        assert await closed_after(days=29.9) == [forgotten, visited]
        assert await closed_after(days=30.1) == [forgotten, visited, played]
        assert await code_of(table.play(1, 1, "take wbg")) == "closed"

    at_a_table(tmp_path, work)
