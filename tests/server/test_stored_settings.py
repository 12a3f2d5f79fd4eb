"""Settings in the database."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cabochon.server.stored_settings import StoredSettings
from tests.server.storage import Storage, in_database


def test_a_secret_is_made_once_for_all_processes(tmp_path: Path) -> None:
    path, made = tmp_path / "one.db", set[bytes]()

    async def work(storage: Storage) -> None:
        async def other_process(others: Storage) -> None:
            made.add(await StoredSettings(others.database).secret("addresses"))

        stored = StoredSettings(storage.database)
        made.update(await asyncio.gather(*(stored.secret("addresses") for _ in range(5))))
        await asyncio.to_thread(in_database, path, other_process)
        assert await stored.secret("others") not in made
        assert await stored.all() == {}

    in_database(path, work)
    assert len(made) == 1
    assert len(made.pop()) >= 32


def test_what_is_set_stays_until_it_is_unset(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        stored = StoredSettings(storage.database)
        await stored.set("request_rate", 2.5)
        await stored.set("tables_per_guest", 3)
        await stored.set("request_rate", 4.0)
        assert await stored.all() == {"request_rate": 4.0, "tables_per_guest": 3}
        await stored.unset("request_rate")
        await stored.unset("request_rate")
        assert await stored.all() == {"tables_per_guest": 3}

    in_database(tmp_path / "one.db", work)
