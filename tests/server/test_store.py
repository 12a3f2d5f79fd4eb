"""What the server keeps, and how it survives."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import IntegrityError

from cabochon import Options
from cabochon.server.migrations import upgrade
from cabochon.server.settings import database_url
from cabochon.server.store import (
    ConflictError,
    Guest,
    Seat,
    Store,
    StoredTable,
    metadata,
    new_id,
    now,
)
from cabochon.server.timeline import Entry


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Store]:
    store = Store(database_url(str(path)))
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def in_store(path: Path, work: Callable[[Store], Awaitable[None]]) -> None:
    """Do something with a store, from opening it to closing it."""

    async def run() -> None:
        async with opened(path) as store:
            await work(store)

    asyncio.run(run())


def new_table(host: Guest, *seats: Seat) -> StoredTable:
    seats = seats or (Seat("person", host.nickname, host.id), Seat("bot", "Expert", level="expert"))
    status = "waiting" if any(seat.kind == "open" for seat in seats) else "playing"
    return StoredTable(new_id(), host.id, Options("marvel", len(seats)), b"\x07" * 32, tuple(seats), status, now())


def entry(seq: int, text: str = "take ypb") -> Entry:
    return Entry(seq, 0, text, now())


def schema_differences(connection: sa.Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_the_migrations_lead_to_the_schema_that_the_code_expects(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    with engine.connect() as connection:
        upgrade(connection, metadata)
        assert schema_differences(connection) == []
        upgrade(connection, metadata)  # nothing is left to do
    inspector = sa.inspect(engine)
    for table in metadata.tables.values():
        names = {check["name"] for check in inspector.get_check_constraints(table.name)}
        assert names == {check.name for check in table.constraints if isinstance(check, sa.CheckConstraint)}
    engine.dispose()


def test_a_schema_that_lacks_something_is_noticed(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    with engine.connect() as connection:
        upgrade(connection, metadata)
        connection.execute(sa.text("DROP INDEX ix_tables_host_id"))
        assert len(schema_differences(connection)) == 1
    engine.dispose()


def test_the_schema_can_be_written_for_postgresql() -> None:
    for table in metadata.sorted_tables:
        text = str(sa.schema.CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
        assert "SERIAL" not in text
        if table.name == "entries":
            assert "at TIMESTAMP WITH TIME ZONE NOT NULL" in text
            assert "PRIMARY KEY (table_id, seq)" in text


def test_guests_have_sessions_whose_secrets_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    secrets: list[str] = []

    async def work(store: Store) -> None:
        ada, secret = await store.add_guest("Ada")
        key, _ = await store.add_device_link(ada, timedelta(minutes=1))
        secrets.extend((secret, key))
        assert await store.guest_of(secret) == ada
        assert await store.guest_of("guess") is None
        assert await store.guest_of("") is None
        renamed = await store.rename_guest(ada, "Countess")
        assert await store.guest_of(secret) == renamed == Guest(ada.id, "Countess")

    in_store(path, work)
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert all(secret.encode() not in content for secret in secrets)


def test_a_device_link_is_good_once_and_not_for_ever(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, secret = await store.add_guest("Ada")
        key, expires_at = await store.add_device_link(ada, timedelta(minutes=1))
        assert timedelta(0) < expires_at - now() <= timedelta(minutes=1)
        claims = await asyncio.gather(*(store.claim_device_link(key) for _ in range(5)))
        granted = [claim for claim in claims if claim is not None]
        assert len(granted) == 1
        guest, other_secret = granted[0]
        assert guest == ada
        assert await store.guest_of(other_secret) == await store.guest_of(secret) == ada
        old, _ = await store.add_device_link(ada, timedelta(minutes=-1))
        assert await store.claim_device_link(old) is None
        assert await store.claim_device_link("no such key") is None

    in_store(tmp_path / "one.db", work)


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    kept: list[StoredTable] = []

    async def keep(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        kept.append(new_table(ada))
        await store.add_table(kept[0])
        await store.append(kept[0].id, entry(1), "playing", 1)
        await store.add_table(new_table(ada, *[Seat("bot", "Expert", level="expert")] * 2))  # waits for a spectator

    async def look(store: Store) -> None:
        assert await store.table(kept[0].id) == kept[0]
        assert await store.table("unknown") is None
        log = await store.entries(kept[0].id)
        assert [(e.seq, e.seat, e.text) for e in log] == [(1, 0, "take ypb")]
        assert log[0].at.tzinfo is not None
        assert await store.tables_where_a_bot_moves() == [kept[0].id]
        assert await store.lengths([kept[0].id, "unknown"]) == {kept[0].id: 1}
        await store.append(kept[0].id, entry(2), "over", 0)
        assert await store.tables_where_a_bot_moves() == []
        found = await store.table(kept[0].id)
        assert found is not None
        assert found.status == "over"

    in_store(path, keep)
    in_store(path, look)


def test_of_entries_for_one_place_a_single_one_is_kept(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        one, other = new_table(ada), new_table(ada)
        for table in (one, other):
            await store.add_table(table)
        attempts = [store.append(one.id, entry(1, f"take {c}{c}"), "playing", 1) for c in "ypbro"]
        results = await asyncio.gather(
            store.append(other.id, entry(1), "playing", 1), *attempts, return_exceptions=True
        )
        assert results[0] is None, "what is committed together with a conflict is kept all the same"
        assert sum(result is None for result in results[1:]) == 1
        assert sum(isinstance(result, ConflictError) for result in results) == 4
        assert len(await store.entries(one.id)) == 1
        assert len(await store.entries(other.id)) == 1
        with pytest.raises(ConflictError):
            await store.append("unknown", entry(1), "playing", 1)

    in_store(tmp_path / "one.db", work)


def test_an_append_goes_on_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        table = new_table(ada)
        await store.add_table(table)
        tasks = [asyncio.create_task(store.append(table.id, entry(seq), "playing", 1)) for seq in (1, 2)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await store.append(table.id, entry(3), "playing", 1)
        assert [e.seq for e in await store.entries(table.id)] == [1, 2, 3]

    in_store(tmp_path / "one.db", work)


def test_an_open_seat_is_given_once_and_the_last_one_begins_the_game(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        bo, _ = await store.add_guest("Bo")
        table = new_table(ada, Seat("person", "Ada", ada.id), Seat("open", ""), Seat("open", ""))
        await store.add_table(table)

        async def sit(number: int, guest: Guest) -> bool:
            after = Seat("person", guest.nickname, guest.id)
            return await store.change_seat(table.id, number, Seat("open", ""), after, now(), b"new" * 8)

        taken = await asyncio.gather(sit(1, ada), sit(1, bo))
        assert sorted(taken) == [False, True]
        found = await store.table(table.id)
        assert found is not None
        assert found.status == "waiting"
        assert found.seed == table.seed
        assert not await sit(0, bo)
        assert await sit(2, bo)
        found = await store.table(table.id)
        assert found is not None
        assert found.status == "playing"
        assert found.seed == b"new" * 8
        assert found.seats[2] == Seat("person", "Bo", bo.id)

    in_store(tmp_path / "one.db", work)


def test_a_table_has_one_successor(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        table = new_table(ada)
        await store.add_table(table)
        successors = await asyncio.gather(*(store.add_table(new_table(ada), table.id) for _ in range(4)))
        assert len(set(successors)) == 1
        found = await store.table(table.id)
        assert found is not None
        assert found.next == successors[0]
        assert len(await store.tables_of(ada.id, 10)) == 2
        assert await store.count_open_tables(ada.id) == 2

    in_store(tmp_path / "one.db", work)


def test_a_successor_that_was_closed_gives_way_to_another(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        table = new_table(ada)
        await store.add_table(table)
        closed = await store.add_table(new_table(ada), table.id)
        assert await store.successor(table.id) == closed
        found = await store.table(closed)
        assert found is not None
        assert await store.close_table(closed, found.status)
        assert await store.successor(table.id) is None
        another = await store.add_table(new_table(ada), table.id)
        assert another != closed
        assert await store.successor(table.id) == another

    in_store(tmp_path / "one.db", work)


def test_games_that_go_on_are_found_before_all_that_are_over(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        running = new_table(ada)
        await store.add_table(running)
        for _ in range(3):
            later = new_table(ada)
            await store.add_table(later)
            assert await store.close_table(later.id, later.status)
        assert [table.id for table in await store.tables_of(ada.id, 1)] == [running.id]

    in_store(tmp_path / "one.db", work)


def test_the_database_itself_refuses_what_cannot_be(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        ada, _ = await store.add_guest("Ada")
        with pytest.raises(IntegrityError):  # a person without a guest
            await store.add_table(new_table(ada, Seat("person", "Ada"), Seat("open", "")))
        with pytest.raises(IntegrityError):  # a host who does not exist
            await store.add_table(new_table(Guest("nobody", "Nobody")))
        assert await store.tables_of(ada.id, 10) == []

    in_store(tmp_path / "one.db", work)


def test_sqlite_keeps_what_is_committed_even_if_the_power_fails(tmp_path: Path) -> None:
    path = tmp_path / "folder that is not there yet" / "one.db"

    async def work(store: Store) -> None:
        async with store._engine.connect() as connection:
            values = {
                name: await connection.scalar(sa.text(f"PRAGMA {name}"))
                for name in ("journal_mode", "synchronous", "foreign_keys")
            }
        assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}

    in_store(path, work)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
