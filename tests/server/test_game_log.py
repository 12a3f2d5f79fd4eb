"""The log: of two entries for one place one is committed, and appends share commits."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from cabochon.server import database
from cabochon.server.database import ConflictError, Database, is_locked
from cabochon.server.game_log import Result, results_of
from cabochon.server.schema import tables
from cabochon.server.timeline import Timeline
from tests.server.databases import ON_POSTGRES
from tests.server.storage import Storage, entry, in_database, locked, new_table


def test_of_entries_for_one_place_a_single_one_is_kept(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        one, other = new_table(ada), new_table(ada)
        for table in (one, other):
            await storage.tables.add(table)
        attempts = [storage.log.append(one.id, entry(1, f"take {c}{c}"), "playing", 1) for c in "ypbro"]
        results = await asyncio.gather(
            storage.log.append(other.id, entry(1), "playing", 1), *attempts, return_exceptions=True
        )
        assert results[0] is None, "what is committed together with a conflict is kept all the same"
        assert sum(result is None for result in results[1:]) == 1
        assert sum(isinstance(result, ConflictError) for result in results) == 4
        assert len(await storage.log.read(one.id)) == 1
        assert len(await storage.log.read(other.id)) == 1
        with pytest.raises(ConflictError):
            await storage.log.append("unknown", entry(1), "playing", 1)

    in_database(tmp_path / "one.db", work)


def test_an_append_goes_on_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        table = new_table(ada)
        await storage.tables.add(table)
        tasks = [asyncio.create_task(storage.log.append(table.id, entry(seq), "playing", 1)) for seq in (1, 2)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await storage.log.append(table.id, entry(3), "playing", 1)
        assert [e.seq for e in await storage.log.read(table.id)] == [1, 2, 3]

    in_database(tmp_path / "one.db", work)


async def two_tables(storage: Storage) -> tuple[str, str]:
    """Add two tables; return their ids in the order in which they are locked."""
    ada, _ = await storage.guests.add("Ada")
    ids = [await storage.tables.add(new_table(ada)) for _ in range(2)]
    return min(ids), max(ids)


@ON_POSTGRES
def test_a_locked_table_holds_up_no_other_table(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(database.SESSION, "lock_timeout", "50ms")

    async def work(storage: Storage) -> None:
        blocked, free = await two_tables(storage)
        async with locked(url, blocked):
            attempt = asyncio.create_task(storage.log.append(blocked, entry(1), "playing", 1))
            await storage.log.append(free, entry(1), "playing", 1)
            await storage.log.append(free, entry(2), "playing", 1)
            with pytest.raises(DBAPIError) as error:
                await attempt
            assert is_locked(error.value)
        await storage.log.append(blocked, entry(1), "playing", 1)
        await storage.database.check()

    in_database(url, work)


@ON_POSTGRES
def test_a_process_that_stands_still_loses_its_locks(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(database.SESSION, "lock_timeout", "0")
    monkeypatch.setitem(database.SESSION, "idle_in_transaction_session_timeout", "50ms")

    async def work(storage: Storage) -> None:
        table_id, _ = await two_tables(storage)
        paused = Database(url)

        async def pause() -> None:
            async with paused.transaction() as connection:
                await connection.execute(sa.select(tables.c.id).where(tables.c.id == table_id).with_for_update())
                await storage.log.append(table_id, entry(1), "playing", 1)

        with pytest.raises(DBAPIError):
            await pause()
        await paused.close()

    in_database(url, work)


def test_a_stalemate_of_marvel_has_places_and_no_winner() -> None:
    outcome = SimpleNamespace(places=(1, 2), points=(9, 7), winners=())
    timeline = cast(Timeline, SimpleNamespace(game=SimpleNamespace(outcome=outcome), left=frozenset()))
    assert results_of(timeline) == [Result(1, 9, False), Result(2, 7, False)]
