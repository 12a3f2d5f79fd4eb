"""The schema, and the migrations that lead to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.dialects import postgresql

from cabochon.server.authentication import COOKIE
from cabochon.server.migrations import upgrade
from cabochon.server.schema import metadata
from cabochon.verification import verify
from tests.server.databases import ON_SQLITE
from tests.server.running import Client, running, settings_for
from tests.server.storage import Storage, in_database


def schema_differences(connection: sa.Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


def test_the_migrations_lead_to_the_schema_that_the_code_expects(tmp_path: Path) -> None:
    def check(connection: sa.Connection) -> None:
        assert schema_differences(connection) == []
        upgrade(connection, metadata)  # nothing is left to do
        inspector = sa.inspect(connection)
        for table in metadata.tables.values():
            names = {check["name"] for check in inspector.get_check_constraints(table.name)}
            assert names == {check.name for check in table.constraints if isinstance(check, sa.CheckConstraint)}

    async def work(storage: Storage) -> None:
        async with storage.database.connection() as connection:
            await connection.run_sync(check)

    in_database(tmp_path / "one.db", work)


@ON_SQLITE
def test_a_schema_that_lacks_something_is_noticed(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'one.db'}")
    with engine.begin() as connection:
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


OLD_DATABASE = Path(__file__).parent.parent / "data" / "server_version_3.sql"
ADA = "wpH36b1-hCFFzjQk39BYiooaS6UPnAv7mYtUIG8G_T0"
BO_ROBOT = "CBtIPS1KB38Xh9D0ghs2GGmQvKb7NBC_CTYtJdemI7w"
PLAYING, WAITING, OVER = "ou8EtWeUk1XkFC_Y", "YtpUaUWEE3XSU428", "SpXUa-45xGI6Alth"


@ON_SQLITE
def test_an_old_database_opens_and_its_games_go_on(tmp_path: Path) -> None:
    settings = settings_for(tmp_path)
    with closing(sqlite3.connect(tmp_path / "server.db")) as connection:
        connection.executescript(OLD_DATABASE.read_text(encoding="utf-8"))
    with running(settings) as server, Client(server.url) as ada, Client(server.url) as bo:
        ada.http.cookies.set(COOKIE, ADA)
        bo.http.headers["Authorization"] = f"Bearer {BO_ROBOT}"
        assert [client.http.get("/api/me").json()["guest"]["nickname"] for client in (ada, bo)] == ["Ada", "Bo"]
        listed = [table["id"] for table in ada.http.get("/api/tables").json()["tables"]]
        assert listed == [WAITING, PLAYING, OVER]
        line = ada.line(PLAYING)
        sync = line.receive()
        assert [event.type for event in sync.events] == ["step", "step", "step", "undone"]
        assert sync.events[-1].undoes == [3]
        assert not sync.table.is_practice
        assert sync.position.view.seats[1].reserved[0].card is None
        line.play(4, "take wrk")
        assert line.receive_moved(5).position.view.seat == 1
        assert bo.join(WAITING).status == "playing"
        (finished,) = bo.http.get("/api/me/history").json()["games"]
        assert (finished["table"], [seat["place"] for seat in finished["seats"]]) == (OVER, [1, 2])
        assert verify(ada.http.get(f"/api/tables/{OVER}/record").text).is_true
