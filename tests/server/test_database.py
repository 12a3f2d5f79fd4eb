"""What the database guarantees."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from cabochon.server.clocks import now
from cabochon.server.schema import sessions
from cabochon.server.seats import Seat
from tests.server.databases import ON_SQLITE
from tests.server.storage import Storage, in_database, new_table


def test_the_database_itself_refuses_what_cannot_be(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        with pytest.raises(IntegrityError):  # a person without a guest
            await storage.tables.add(new_table(ada, Seat("person", "Ada"), Seat("open", "")))
        with pytest.raises(IntegrityError):  # a guest who does not exist
            async with storage.database.transaction() as connection:
                await connection.execute(sessions.insert().values(digest="", guest_id="nobody", created_at=now()))
        assert await storage.tables.of_guest(ada.id, 10) == []

    in_database(tmp_path / "one.db", work)


@ON_SQLITE
def test_sqlite_keeps_what_is_committed_even_if_the_power_fails(tmp_path: Path) -> None:
    path = tmp_path / "folder that is not there yet" / "one.db"

    async def work(storage: Storage) -> None:
        async with storage.database._engine.connect() as connection:
            values = {
                name: await connection.scalar(sa.text(f"PRAGMA {name}"))
                for name in ("journal_mode", "synchronous", "foreign_keys")
            }
        assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}

    in_database(path, work)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
