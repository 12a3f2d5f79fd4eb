"""`cabochon admin`: every command, at a database that no server uses at the moment."""

from __future__ import annotations

import errno
import io
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from cabochon.cli import main
from cabochon.server import schema
from cabochon.server.administration import Administration
from cabochon.server.clocks import now
from cabochon.server.guests import Guest
from cabochon.server.personal_data import PersonalData
from cabochon.server.seats import Seat
from cabochon.server.settings import database_url
from cabochon.server.table_store import TableStore
from cabochon.server.timeline import Entry
from tests.cli.command import Result, run
from tests.server.databases import PostgresDatabases, database_at, databases_in
from tests.server.postgres import PostgresServer
from tests.server.storage import Storage, in_database, new_table

ADA, BO = Guest("ada", "Ada"), Guest("-bo", "Bo [red]")
AT = datetime(2026, 11, 15, tzinfo=UTC)
PEOPLE = (Seat("person", "Ada", ADA.id), Seat("person", "Bo", BO.id))


@pytest.fixture
def path(tmp_path: Path, database: PostgresDatabases | None) -> Iterator[Path]:
    """A database with two guests, a running game, one that is over, and a table that waits."""
    with databases_in(tmp_path, database):
        yield new_database(tmp_path / "server.db", seed=b"\x07" * 32, hidden="57")


def new_database(path: Path, seed: bytes, hidden: str) -> Path:
    async def work(storage: Storage) -> None:
        async with storage.database.transaction() as connection:
            rows = [{"id": guest.id, "nickname": guest.nickname, "created_at": AT} for guest in (ADA, BO)]
            await connection.execute(schema.guests.insert(), rows)
        await storage.bot_tokens.add(BO, "robot")
        for number, (name, status) in enumerate((("running", "playing"), ("finished", "over"), ("lounge", "waiting"))):
            sitting = (*PEOPLE, Seat("open", "Bo [red]", kept_for=BO.id)) if status == "waiting" else PEOPLE
            table = new_table(ADA, *sitting, created_at=AT + timedelta(days=number))
            await storage.tables.add(replace(table, id=name, seed=seed, status=status))
        for name, status in (("running", "playing"), ("finished", "over")):
            for seq, seat in ((1, 0), (2, 1)):
                await storage.log.append(name, Entry(seq, seat, f"reserve 2; h1={hidden}", AT), status, 0)

    in_database(path, work)
    return path


def admin(path: Path, *arguments: str) -> Result:
    return run("admin", *arguments, "--database", database_at(path))


def answer(path: Path, *arguments: str) -> Any:
    """Return what a command prints as JSON."""
    found = admin(path, *arguments, *([] if arguments[0] == "export" else ["--json"]))
    assert (found.status, found.errors) == (0, "")
    return json.loads(found.output)


def test_tables_are_found_by_status_and_guest(path: Path) -> None:
    assert [table["id"] for table in answer(path, "tables")] == ["lounge", "running", "finished"]
    assert [table["id"] for table in answer(path, "tables", "--status", "over", "--guest", "-bo")] == ["finished"]
    assert [table["id"] for table in answer(path, "tables", "--limit", "1")] == ["lounge"]
    shown = answer(path, "table", "running")
    assert (shown["status"], shown["entries"], shown["host"]) == ("playing", 2, "ada")
    assert [seat["name"] for seat in shown["seats"]] == ["Ada", "Bo"]
    assert "Ada (person, ada)" in admin(path, "table", "running").output
    assert "2026-11-15" in admin(path, "tables").output


def test_a_table_is_closed_once(path: Path) -> None:
    assert answer(path, "close", "running") == {"closed": "running", "was": "playing"}
    assert answer(path, "table", "running")["status"] == "closed"
    again = admin(path, "close", "running")
    assert again.status == 2
    assert "expected a table that is waiting or playing, got one that is closed" in again.errors


def test_a_move_that_comes_too_late_does_not_open_a_closed_table(path: Path) -> None:
    assert admin(path, "close", "running").output == "Closed table running, which was playing.\n"

    async def work(storage: Storage) -> None:
        await storage.log.append("running", Entry(3, 0, "take wbg", AT), "playing", 1)

    in_database(path, work)
    assert answer(path, "table", "running")["status"] == "closed"


def test_who_is_connected(path: Path) -> None:
    assert answer(path, "connected") == []

    async def work(storage: Storage) -> None:
        process = {"id": "one", "role": "server", "thinks": True, "host": "here", "started_at": AT}
        place = {"guests": "-bo ada", "spectators": 2}
        async with storage.database.transaction() as connection:
            alive = [process | {"alive_until": now() + timedelta(days=1)}, process | {"id": "dead", "alive_until": AT}]
            await connection.execute(schema.processes.insert(), alive)
            there = [place | {"table_id": "running", "process_id": name} for name in ("one", "dead")]
            await connection.execute(schema.presence.insert(), there)

    in_database(path, work)
    guests = [{"id": "-bo", "nickname": "Bo [red]"}, {"id": "ada", "nickname": "Ada"}]
    facts = {"table": "running", "process": "one", "host": "here", "guests": guests, "spectators": 2}
    assert answer(path, "connected") == [facts]
    assert "one on here" in admin(path, "connected").output


def test_more_tables_and_guests_than_one_query_can_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"name{number}" for number in range(33_000)]

    async def work(storage: Storage) -> None:
        (table,) = await storage.tables.find(schema.tables.c.id == "running")
        monkeypatch.setattr(TableStore, "find", AsyncMock(return_value=[replace(table, id=name) for name in names]))
        administration = Administration(storage.database)
        assert [table.id for table in await administration.tables(None, None, 100_000)] == names
        process = {"id": "one", "role": "server", "thinks": True, "host": "here", "started_at": AT}
        place = {"table_id": "running", "process_id": "one", "guests": " ".join(names), "spectators": 0}
        async with storage.database.transaction() as connection:
            await connection.execute(schema.processes.insert(), process | {"alive_until": now() + timedelta(days=1)})
            await connection.execute(schema.presence.insert(), place)
        (connected,) = await administration.connected()
        assert len(connected.guests) == len(names)

    in_database(path, work)


def test_guests_are_found_and_banned(path: Path) -> None:
    assert [guest["id"] for guest in answer(path, "guests")] == ["-bo", "ada"]
    assert [guest["id"] for guest in answer(path, "guests", "AD")] == ["ada"]
    assert [guest["id"] for guest in answer(path, "guests", "-bo")] == ["-bo"]
    assert answer(path, "guests", "%") == []
    assert "Bo [red]" in admin(path, "guests").output
    assert answer(path, "guests", "--banned") == []
    assert answer(path, "ban", "-bo")["banned_at"] is not None
    assert [(guest["id"], guest["tables"]) for guest in answer(path, "guests", "--banned")] == [("-bo", 3)]
    assert answer(path, "unban", "-bo")["banned_at"] is None


def test_the_data_of_one_person(path: Path) -> None:
    exported = answer(path, "export", "-bo")
    assert exported["format"] == "cabochon guest 1"
    assert exported["guest"] == {"id": "-bo", "nickname": "Bo [red]", "created_at": f"{AT:%FT%TZ}", "banned_at": None}
    assert [token["name"] for token in exported["tokens"]] == ["robot"]
    running, finished, lounge = exported["tables"]
    assert [move["text"] for move in running["moves"]] == ["reserve 2"], "no card while the game goes on"
    assert [move["text"] for move in finished["moves"]] == ["reserve 2; h1=57"]
    assert [seat["name"] for seat in finished["seats"]] == ["Bo"]
    assert (lounge["is_host"], lounge["kept_seats"]) == (False, [{"seat": 2, "name": "Bo [red]"}])
    assert '"Ada"' not in json.dumps(exported)


def test_an_export_shows_one_moment(path: Path) -> None:
    """The guest sits down at a new table while the export is read."""

    async def join(storage: Storage) -> None:
        await storage.tables.add(replace(new_table(BO, *PEOPLE, created_at=AT), id="new"))

    def join_meanwhile(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if "FROM seats" in statement and "FROM tables" not in statement and not has_joined:
            has_joined.append(True)
            with ThreadPoolExecutor(1) as thread:
                thread.submit(in_database, path, join).result()

    async def work(storage: Storage) -> None:
        sa.event.listen(storage.database._engine.sync_engine, "before_cursor_execute", join_meanwhile)
        exported = await PersonalData(storage.database).export(BO.id)
        assert [table["id"] for table in exported["tables"]] == ["running", "finished", "lounge"]

    has_joined: list[bool] = []
    in_database(path, work)
    assert has_joined
    assert "new" in [table["id"] for table in answer(path, "tables")]


def test_deleting_a_person_leaves_the_games_of_others(path: Path, tmp_path: Path) -> None:
    unconfirmed = admin(path, "delete", "ada")
    assert unconfirmed.status == 2
    assert "expected --yes" in unconfirmed.errors
    for name in ("ada", "-bo"):
        deleted = answer(path, "delete", name, "--yes")
        assert deleted == {"deleted": name, "tables": ["finished", "lounge", "running"]}
    assert admin(path, "export", "ada").status == 2
    assert [seat["name"] for seat in answer(path, "table", "finished")["seats"]] == ["Anonymous", "Anonymous 2"]
    assert answer(path, "table", "lounge")["seats"][2]["name"] == ""
    assert {guest["nickname"] for guest in answer(path, "guests")} == {"Anonymous"}

    async def work(storage: Storage) -> None:
        assert len(await storage.log.read("finished")) == 2

    in_database(path, work)
    for file in tmp_path.iterdir():
        assert not any(name in file.read_bytes() for name in (b"Bo [red]", b"robot", b"ada")), file


def test_settings_are_numbers_within_limits(path: Path) -> None:
    assert answer(path, "set", "tables_per_guest", "3") == {"name": "tables_per_guest", "value": 3}
    assert answer(path, "set", "request_rate", "2.5")["value"] == 2.5
    values = {setting["name"]: setting["value"] for setting in answer(path, "settings")}
    assert {name: value for name, value in values.items() if value is not None} == {
        "tables_per_guest": 3,
        "request_rate": 2.5,
    }
    assert answer(path, "unset", "request_rate")["value"] is None
    assert "(unset)" in admin(path, "settings").output
    assert admin(path, "set", "tables_per_guest", "1234567").output == "tables_per_guest is now 1,234,567.\n"
    assert admin(path, "set", "idle_days", "30").output == "idle_days is now 30.\n"
    assert "1,234,567" in admin(path, "settings").output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("table", "nowhere"), "expected the id of a table, as `cabochon admin tables` shows it, got 'nowhere'"),
        (("ban", "Ada"), "expected the id of a guest, as `cabochon admin guests` shows it, got 'Ada'"),
        (("tables", "--status", "lost"), "expected the status to be waiting or playing or over or closed, got 'lost'"),
        (
            ("set", "tables_per_guest", "2.5"),
            "expected tables_per_guest to be a whole number from 0 to 1,000,000,000, got '2.5'",
        ),
        (("set", "request_rate", "nan"), "expected request_rate to be a number from 0.1 to 1,000,000,000, got 'nan'"),
        (
            ("set", "tables_per_guest", "9" * 70),
            "expected tables_per_guest to be a whole number from 0 to 1,000,000,000",
        ),
        (("set", "idle_days", "1e6"), "expected idle_days to be a number from 1 to 10,000, got '1e6'"),
        (("tables", "--limit", str(10**30)), "--limit"),
        (("set", "database", "x"), "expected one of the settings request_rate, "),
        (("unset", "database"), "expected one of the settings request_rate, "),
    ],
)
def test_a_mistake_is_refused_with_what_was_expected(path: Path, arguments: tuple[str, ...], expected: str) -> None:
    refused = admin(path, *arguments)
    assert refused.status == 2
    assert refused.output == ""
    assert expected in refused.errors


def test_a_reader_that_wants_no_more_ends_the_command_silently(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class ClosedPipe(io.StringIO):
        def write(self, _: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    errors = io.StringIO()
    monkeypatch.setattr(sys, "stdout", ClosedPipe())
    monkeypatch.setattr(sys, "stderr", errors)
    with pytest.raises(SystemExit):
        main(["admin", "tables", "--json", "--database", database_at(path)])
    assert errors.getvalue() == ""


def test_a_database_that_is_not_there_is_not_created(tmp_path: Path) -> None:
    refused = run("admin", "tables", "--database", str(tmp_path / "missing.db"))
    assert refused.status == 2
    assert "there is no such file" in refused.errors
    assert not (tmp_path / "missing.db").exists()


def test_a_database_without_tables_of_ours_stays_empty(tmp_path: Path, postgres: PostgresServer) -> None:
    (tmp_path / "empty.db").touch()
    for url in (database_url(str(tmp_path / "empty.db")), postgres.new_database()):
        refused = run("admin", "tables", "--database", url)
        assert refused.status == 2
        assert "expected the database of a server" in refused.errors
        assert "it has none of its tables" in refused.errors
        assert run("admin", "tables", "--database", url) == refused


def test_nothing_that_is_printed_depends_on_hidden_cards(path: Path, tmp_path: Path) -> None:
    """Two databases differ only in the deals and in the cards that were reserved blind."""
    other = new_database(tmp_path / "other.db", seed=b"\x08" * 32, hidden="61")
    commands = (("tables", "--status", "playing"), ("table", "running"), ("export", "ada"), ("export", "-bo"))
    for command in commands:
        first, second = answer(path, *command), answer(other, *command)
        for printed in (first, second):
            if command[0] == "export":
                printed["tables"] = [table for table in printed["tables"] if table["id"] == "running"]
                printed["tokens"] = printed["exported_at"] = None
        assert first == second
        assert "seed" not in json.dumps(first)
