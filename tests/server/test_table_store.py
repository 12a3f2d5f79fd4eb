"""The tables in the database."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon.server.clocks import now
from cabochon.server.guests import Guest
from cabochon.server.seats import Seat, Seats
from cabochon.server.table_store import TableRecord
from tests.server.storage import Storage, entry, in_database, new_table


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    kept: list[TableRecord] = []

    async def keep(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        kept.append(new_table(ada))
        await storage.tables.add(kept[0])
        await storage.log.append(kept[0].id, entry(1), "playing", 1)
        await storage.tables.add(new_table(ada, *[Seat("bot", "Expert", level="expert")] * 2))  # waits for a spectator

    async def look(storage: Storage) -> None:
        assert await storage.tables.get(kept[0].id) == kept[0]
        assert await storage.tables.get("unknown") is None
        log = await storage.log.read(kept[0].id)
        assert [(e.seq, e.seat, e.text) for e in log] == [(1, 0, "take ypb")]
        assert log[0].at.tzinfo is not None
        assert await storage.log.lengths([kept[0].id, "unknown"]) == {kept[0].id: 1}
        await storage.log.append(kept[0].id, entry(2), "over", 0)
        found = await storage.tables.get(kept[0].id)
        assert found is not None
        assert found.status == "over"

    in_database(path, keep)
    in_database(path, look)


def test_an_open_seat_is_given_once_and_the_last_one_begins_the_game(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        bo, _ = await storage.guests.add("Bo")
        table = new_table(ada, Seat("person", "Ada", ada.id), Seat("open", ""), Seat("open", ""))
        await storage.tables.add(table)

        async def sit(before: Seats, number: int, guest: Guest) -> bool:
            after = before.with_seat(number, Seat("person", guest.nickname, guest.id))
            return await storage.tables.change_seats(table.id, before, after, now(), b"new" * 8)

        taken = await asyncio.gather(sit(table.seats, 1, ada), sit(table.seats, 1, bo))
        assert sorted(taken) == [False, True]
        found = await storage.tables.get(table.id)
        assert found is not None
        assert found.status == "waiting"
        assert found.seed == table.seed
        assert not await sit(table.seats, 2, bo), "the other seats are not as expected"
        assert await sit(found.seats, 2, bo)
        found = await storage.tables.get(table.id)
        assert found is not None
        assert found.status == "playing"
        assert found.seed == b"new" * 8
        assert found.seats[2] == Seat("person", "Bo", bo.id)

    in_database(tmp_path / "one.db", work)


def test_a_table_is_read_as_it_was_at_one_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last seat is taken while somebody reads."""

    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        table = new_table(ada, Seat("person", "Ada", ada.id), Seat("open", ""))
        await storage.tables.add(table)
        fetch = storage.database.fetch

        async def fetch_and_sit(query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
            rows = await fetch(query)
            after = table.seats.with_seat(1, Seat("bot", "Expert", level="expert"))
            await storage.tables.change_seats(table.id, table.seats, after, now(), table.seed)
            return rows

        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(storage.database, "fetch", fetch_and_sit)
            found = await storage.tables.get(table.id)
        assert found is not None
        assert (found.status, found.seats) == ("waiting", table.seats)
        found = await storage.tables.get(table.id)
        assert found is not None
        assert (found.status, found.seats.is_full) == ("playing", True)

    in_database(tmp_path / "one.db", work)


def test_a_table_has_one_successor(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        table = new_table(ada)
        await storage.tables.add(table)
        successors = await asyncio.gather(*(storage.tables.add(new_table(ada), table.id) for _ in range(4)))
        assert len(set(successors)) == 1
        found = await storage.tables.get(table.id)
        assert found is not None
        assert found.next == successors[0]
        assert len(await storage.tables.of_guest(ada.id, 10)) == 2

    in_database(tmp_path / "one.db", work)


def test_a_successor_that_was_closed_gives_way_to_another(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        table = new_table(ada)
        await storage.tables.add(table)
        closed = await storage.tables.add(new_table(ada), table.id)
        assert await storage.tables.successor(table.id) == closed
        found = await storage.tables.get(closed)
        assert found is not None
        assert await storage.tables.close(closed, found.status)
        assert await storage.tables.successor(table.id) is None
        another = await storage.tables.add(new_table(ada), table.id)
        assert another != closed
        assert await storage.tables.successor(table.id) == another

    in_database(tmp_path / "one.db", work)


def test_games_that_go_on_are_found_before_all_that_are_over(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        running = new_table(ada)
        await storage.tables.add(running)
        for _ in range(3):
            later = new_table(ada)
            await storage.tables.add(later)
            assert await storage.tables.close(later.id, later.status)
        assert [table.id for table in await storage.tables.of_guest(ada.id, 1)] == [running.id]

    in_database(tmp_path / "one.db", work)
