"""A server on a real PostgreSQL, which restarts, is gone for a while, and has another time than this machine."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed

from cabochon.server import clocks, database, protocol
from cabochon.server.database import ConflictError, Database, DatabaseUnavailableError
from cabochon.server.game_log import GameLog
from cabochon.server.schema import tables
from cabochon.server.settings import Settings
from cabochon.server.sockets import CloseCode
from tests.server.databases import ON_POSTGRES
from tests.server.postgres import PostgresServer, own_server
from tests.server.running import Client, Line, refused, running, settings_for
from tests.server.storage import Storage, entry, in_database, new_table
from tests.server.test_clocks import SetForward

pytestmark = ON_POSTGRES

TABLE_OF_TWO = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "open"}], "order": "given"}


@pytest.fixture(scope="module")
def own_postgres() -> Iterator[PostgresServer]:
    """A server that the tests may stop."""
    with own_server() as server:
        yield server


@pytest.fixture
def settings(own_postgres: PostgresServer, tmp_path: Path) -> Iterator[Settings]:
    with own_postgres.database() as url:
        yield replace(settings_for(tmp_path), database=url)


def seated(ada: Client, bo: Client) -> list[Line]:
    """Open a table for two, and return their lines."""
    table = ada.open_table("me", "open")
    bo.join(table.id)
    lines = [ada.line(table.id), bo.line(table.id)]
    for line in lines:
        line.receive()
    return lines


def receive_move(line: Line, seq: int) -> None:
    """Receive messages up to this move; none may be a refusal."""
    while True:
        message = line.receive()
        assert not isinstance(message, protocol.Refused), message
        if isinstance(message, protocol.Moved) and message.position.seq == seq:
            return


def test_a_restart_of_the_database_is_only_a_pause(own_postgres: PostgresServer, settings: Settings) -> None:
    with running(settings) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        lines = seated(ada, bo)
        for seq in range(3):
            lines[seq % 2].play(seq, "reserve 1")
            for line in lines:
                receive_move(line, seq + 1)
            own_postgres.stop()
            own_postgres.start()
        assert ada.http.post("/api/tables", json=TABLE_OF_TWO).status_code == 201
        own_postgres.stop()
        lines[1].play(3, "reserve 1")  # while there is no database
        own_postgres.start()
        for line in lines:
            receive_move(line, 4)


def test_without_its_database_a_server_says_so(
    own_postgres: PostgresServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "RESTART_SECONDS", 0.0)
    with running(settings) as server, Client(server.url, "Ada") as ada, Client(server.url) as stranger:
        own_postgres.stop()
        try:
            assert refused(stranger.http.put("/api/me", json={"nickname": "Bo"})) == (503, "unavailable")
            assert refused(ada.http.post("/api/tables", json=TABLE_OF_TWO)) == (503, "unavailable")
            assert refused(stranger.http.get("/readyz")) == (503, "unavailable")
            line = stranger.line("not-in-memory")
            with pytest.raises(ConnectionClosed):
                line.receive()
            assert line.socket.close_code == CloseCode.UNAVAILABLE
        finally:
            own_postgres.start()
        assert stranger.http.get("/readyz").status_code == 200
        assert ada.http.post("/api/tables", json=TABLE_OF_TWO).status_code == 201


def test_a_database_that_does_not_answer_is_given_up(
    own_postgres: PostgresServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        for name in ("RESTART_SECONDS", "SECONDS_TO_ANSWER", "SECONDS_TO_PING"):
            monkeypatch.setattr(database, name, 0.05)
        async with storage.database.connection() as connection:
            with own_postgres.frozen():
                with pytest.raises(DatabaseUnavailableError):
                    async with storage.database._in_time():
                        await connection.execute(sa.select(1))
                for is_idle in (False, True):  # a connection that was idle is checked first
                    monkeypatch.setattr(database, "SECONDS_IDLE", 0.0 if is_idle else math.inf)
                    with pytest.raises(DatabaseUnavailableError):
                        await storage.guests.find([ada.id])
                    with pytest.raises(DatabaseUnavailableError):
                        await storage.guests.add("Bo")
                with pytest.raises(DatabaseUnavailableError):
                    await storage.database.check()
        monkeypatch.undo()
        assert set(await storage.guests.find([ada.id])) == {ada.id}

    in_database(settings.database, work)


@pytest.mark.parametrize("is_committed", [False, True])
def test_an_entry_whose_commit_was_not_confirmed_is_stored_once(
    own_postgres: PostgresServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        table = new_table(ada)
        await storage.tables.add(table)
        dialect = storage.database._engine.sync_engine.dialect
        commit = dialect.do_commit
        losses = 0

        def lose_the_first(connection: Any) -> None:
            nonlocal losses
            if losses == 0 and not is_committed:
                connection.driver_connection.terminate()
            losses += 1
            commit(connection)
            if losses == 1:
                connection.driver_connection.terminate()
                raise dialect.loaded_dbapi.InterfaceError("connection is closed")

        monkeypatch.setattr(dialect, "do_commit", lose_the_first)
        first = entry(1, "take ypb")
        await storage.log.append(table.id, first, "playing", 1)
        assert losses == 1 + (not is_committed)
        assert await storage.log.read(table.id) == [first]
        await storage.log.append(table.id, entry(2, "take ypr"), "playing", 0)

    in_database(settings.database, work)


def test_processes_that_append_to_the_same_games_never_wait_for_each_other_in_a_circle(settings: Settings) -> None:
    """All of them lock tables in one order, whatever order the entries came in."""

    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        found = sorted((new_table(ada) for _ in range(2)), key=lambda table: table.id)
        for table in found:
            await storage.tables.add(table)
        first, second = (table.id for table in found)
        one, other = GameLog(storage.database), GameLog(Database(settings.database))
        async with storage.database.connection() as connection, connection.begin():
            await connection.execute(sa.select(tables).where(tables.c.id == first).with_for_update())
            both = [asyncio.ensure_future(one.append(table, entry(1), "playing", 1)) for table in (second, first)]
            is_waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            while await connection.scalar(is_waiting) == 0:
                await connection.execute(sa.text("SELECT pg_stat_clear_snapshot()"))
            await other.append(second, entry(1, "take ypr"), "playing", 1)
        results = await asyncio.gather(*both, return_exceptions=True)
        assert [type(result) for result in results] == [ConflictError, type(None)]
        await other._database.close()

    in_database(settings.database, work)


def test_servers_whose_clocks_differ_take_the_time_of_the_database(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clocks, "process_time", clocks.ProcessTime())
    monkeypatch.setattr(clocks, "datetime", SetForward)
    clocks.process_time.set(SetForward.now(UTC))
    with running(settings) as server, Client(server.url, "Ada") as ada:
        sync = ada.line(ada.open_table("me", "open").id).receive()
        assert isinstance(sync, protocol.Sync)
        assert abs(sync.now - datetime.now(UTC)) < timedelta(minutes=30)


def test_the_time_of_the_database_is_not_that_of_its_zone(own_postgres: PostgresServer, settings: Settings) -> None:
    async def work(storage: Storage) -> None:
        async with storage.database.transaction() as connection:
            name = await connection.scalar(sa.text("SELECT current_database()"))
            await connection.execute(sa.text(f"ALTER DATABASE {name} SET timezone TO 'Asia/Tokyo'"))
        await storage.database._engine.dispose()
        now = await storage.database.now()
        assert now is not None
        assert now.utcoffset() == timedelta()
        assert abs(now - datetime.now(UTC)) < timedelta(minutes=30)

    in_database(settings.database, work)
