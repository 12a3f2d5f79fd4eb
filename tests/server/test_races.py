"""What two processes do at the same moment on one PostgreSQL database: the database decides who was first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from cabochon.server.clocks import now
from cabochon.server.errors import RequestError
from cabochon.server.personal_data import PersonalData
from cabochon.server.schema import seats, tables
from cabochon.server.seats import OPEN_SEAT, Seat
from cabochon.server.stored_settings import StoredSettings
from cabochon.server.table_store import TableRecord
from tests.server.databases import ON_POSTGRES
from tests.server.running import SECONDS
from tests.server.storage import Storage, new_storage, new_table
from tests.server.table_world import ADA, BO, code_of, world

pytestmark = ON_POSTGRES

ROUNDS = 8  # each shows the fault in most cases
SEED = b"new" * 8

_Result = TypeVar("_Result")


def run(work: Awaitable[None]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(work, SECONDS)

    asyncio.run(limited())


def in_both(url: str, work: Callable[[Storage, Storage], Awaitable[None]]) -> None:
    """Do something with two connections to a database, as two processes have them."""

    async def both() -> None:
        one, other = new_storage(url), new_storage(url)
        await one.database.open()
        try:
            await work(one, other)
        finally:
            for storage in (one, other):
                await storage.log.close()
                await storage.database.close()

    run(both())


async def begun(storage: Storage, work: Awaitable[_Result]) -> asyncio.Future[_Result]:
    """Begin with something; return when it is done or waits for another transaction."""
    task = asyncio.ensure_future(work)
    is_waiting = sa.select(sa.func.count()).select_from(sa.text("pg_locks")).where(sa.text("NOT granted"))
    while not task.done() and (await storage.database.fetch(is_waiting))[0][0] == 0:
        await asyncio.sleep(0.002)
    return task


async def found(storage: Storage, table_id: str) -> TableRecord:
    table = await storage.tables.get(table_id)
    assert table is not None
    return table


def test_two_players_take_the_last_two_seats(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url) as one, world(tmp_path, is_new=False, database=url) as other:
            for wanted in [(0, 1), (None, None)] * (ROUNDS // 2):
                table_id = await one.add_table((OPEN_SEAT, OPEN_SEAT), status="waiting")
                async with one.registry.table(table_id) as first, other.registry.table(table_id) as second:
                    look_alike = replace(BO, nickname="Ada")
                    await asyncio.gather(first.join(ADA, wanted[0]), second.join(look_alike, wanted[1]))
                record = await one.tables.get(table_id)
                assert record is not None
                assert record.status == "playing"
                assert {seat.guest for seat in record.seats} == {"ada", "bo"}
                assert {seat.name for seat in record.seats} == {"Ada", "Ada 2"}

    run(work())


def test_a_guest_takes_one_seat(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url) as one, world(tmp_path, is_new=False, database=url) as other:
            for _ in range(ROUNDS):
                table_id = await one.add_table((OPEN_SEAT,) * 3, status="waiting")
                async with one.registry.table(table_id) as first, other.registry.table(table_id) as second:
                    await asyncio.gather(first.join(BO, 0), second.join(BO, 1))
                record = await one.tables.get(table_id)
                assert record is not None
                assert len(record.seats.of("bo")) == 1

    run(work())


def test_a_game_has_one_rematch(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        ada, _ = await one.guests.add("Ada")
        for _ in range(ROUNDS):
            over = await one.tables.add(new_table(ada))
            rematches = [each.tables.add(new_table(ada), over) for each in (one, other)]
            assert len(set(await asyncio.gather(*rematches))) == 1

    in_both(url, work)


def test_limits_of_a_guest_hold(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        for _ in range(ROUNDS):
            ada, _ = await one.guests.add("Ada")
            tables_added = [each.tables.add(new_table(ada), most_unfinished=1) for each in (one, other)]
            assert await refusals(tables_added) == ["limit_reached"]
            tokens_added = [each.bot_tokens.add(ada, "bot", most=1) for each in (one, other)]
            assert await refusals(tokens_added) == ["limit_reached"]

    in_both(url, work)


async def refusals(attempts: Sequence[Awaitable[object]]) -> list[str]:
    results = await asyncio.gather(*attempts, return_exceptions=True)
    refused = [result for result in results if isinstance(result, BaseException)]
    assert all(isinstance(error, RequestError) for error in refused), refused
    return [error.code for error in refused if isinstance(error, RequestError)]


def test_a_setting_is_set_by_two_operators(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        for number in range(ROUNDS):
            name = f"setting {number}"
            await asyncio.gather(*(StoredSettings(each.database).set(name, 1) for each in (one, other)))
            assert (await StoredSettings(one.database).all())[name] == 1

    in_both(url, work)


def test_a_guest_who_is_used_is_not_swept_away(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        ada, _ = await one.guests.add("Ada")
        async with one.database.transaction() as connection:
            row = {"host_id": ada.id, "variant": "marvel", "free_take": False, "payment": "choice", "seed": SEED}
            row |= {"id": "new", "status": "over", "seat_to_move": 0, "created_at": now()}
            await connection.execute(tables.insert().values(row))
            sweep = await begun(other, other.guests.remove_unused(now() + timedelta(days=1)))
        assert await sweep == 0
        assert await one.guests.find([ada.id])

    in_both(url, work)


def test_a_deleted_guest_can_use_nothing(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        ada, _ = await one.guests.add("Ada")
        bo, _ = await one.guests.add("Bo")
        table = new_table(ada, Seat("person", "Ada", ada.id), OPEN_SEAT, OPEN_SEAT)
        await one.tables.add(table)
        key, _ = await one.guests.add_device_link(bo, timedelta(minutes=1))
        await PersonalData(other.database).delete(bo.id)
        sitting = table.seats.with_seat(1, Seat("person", "Bo", bo.id))
        assert await code_of(one.tables.change_seats(table.id, table.seats, sitting, now(), SEED)) == "no_guest"
        assert await code_of(one.tables.add(new_table(bo))) == "no_guest"
        assert await code_of(one.bot_tokens.add(bo, "bot")) == "no_guest"
        assert await code_of(one.guests.add_device_link(bo, timedelta(minutes=1))) == "no_guest"
        assert await one.guests.claim_device_link(key) is None
        inviting = new_table(ada, Seat("person", "Ada", ada.id), Seat("open", "Bo", kept_for=bo.id))
        assert await code_of(one.tables.add(inviting)) == "not_found"
        assert (await found(one, table.id)).seats == table.seats

    in_both(url, work)


def test_a_guest_who_is_deleted_while_taking_a_seat(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        ada, _ = await one.guests.add("Ada")
        for _ in range(ROUNDS):
            bo, _ = await one.guests.add("Bo")
            table = new_table(ada, Seat("person", "Ada", ada.id), OPEN_SEAT, OPEN_SEAT)
            await one.tables.add(table)
            sitting = table.seats.with_seat(1, Seat("person", "Bo", bo.id))
            joining = one.tables.change_seats(table.id, table.seats, sitting, now(), SEED)
            await refusals([joining, one.tables.add(new_table(bo)), PersonalData(other.database).delete(bo.id)])
            assert "Bo" not in [seat.name for seat in (await found(one, table.id)).seats]
            assert not await one.guests.find([bo.id])

    in_both(url, work)


def test_a_guest_who_is_deleted_while_sent_away(url: str) -> None:
    async def work(one: Storage, other: Storage) -> None:
        ada, _ = await one.guests.add("Ada")
        bo, _ = await one.guests.add("Bo")
        table = new_table(ada, Seat("person", "Ada", ada.id), Seat("person", "Bo", bo.id), OPEN_SEAT)
        await one.tables.add(table)
        async with one.database.transaction() as connection:
            is_seat = sa.and_(seats.c.table_id == table.id, seats.c.seat == 1)
            await connection.execute(seats.update().where(is_seat).values(kind="open", guest_id=None, name=""))
            deletion = await begun(other, PersonalData(other.database).delete(bo.id))
        await deletion
        assert (await found(one, table.id)).seats == table.seats.with_seat(1, OPEN_SEAT)
        assert not await one.guests.find([bo.id])

    in_both(url, work)
