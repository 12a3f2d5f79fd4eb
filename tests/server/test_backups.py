"""A database that is backed up while people play, and restored as `docs/running.md` says."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from cabochon import verify
from cabochon.server import protocol
from cabochon.server.settings import Settings, database_url
from tests.server.postgres import PostgresServer
from tests.server.running import Client, Line, eager_move, running, settings_for


def play_a_round(line: Line, position: protocol.Position) -> protocol.Position:
    """Let the person and the bot move."""
    line.play(position.seq, eager_move(position))
    while True:
        position = line.receive_moved(position.seq + 1).position
        if position.legal:
            return position


class SqliteDatabase:
    """A database in a file."""

    def __init__(self, folder: Path) -> None:
        self._path, self._copy = folder / "server.db", folder / "copy.db"
        self.url = database_url(str(self._path))

    def back_up(self) -> None:
        with closing(sqlite3.connect(self._path)) as source, closing(sqlite3.connect(self._copy)) as copy:
            source.backup(copy)  # as the command .backup

    def restore(self) -> None:
        for end in ("-wal", "-shm"):
            self._path.with_name(self._path.name + end).unlink(missing_ok=True)
        shutil.copy(self._copy, self._path)


class PostgresDatabase:
    """A database of a PostgreSQL server."""

    def __init__(self, server: PostgresServer, url: str) -> None:
        self.url = url
        self._server = server
        self._name = url.rpartition("/")[2]

    def back_up(self) -> None:
        self._server.run_client("pg_dump", "--format=custom", f"--file={self._name}.dump", f"--dbname={self._name}")

    def restore(self) -> None:
        self._server.run_client("dropdb", self._name)
        self._server.run_client("createdb", self._name)
        self._server.run_client("pg_restore", f"--dbname={self._name}", "--exit-on-error", f"{self._name}.dump")


@contextmanager
def new_database(kind: str, folder: Path, postgres: PostgresServer) -> Iterator[SqliteDatabase | PostgresDatabase]:
    if kind == "sqlite":
        yield SqliteDatabase(folder)
        return
    with postgres.database() as url:
        yield PostgresDatabase(postgres, url)


@pytest.mark.parametrize(("kind", "database"), [("sqlite", "sqlite"), ("postgres", "postgres")], indirect=["database"])
def test_games_go_on_from_a_backup(kind: str, tmp_path: Path, postgres: PostgresServer) -> None:
    with new_database(kind, tmp_path, postgres) as database:
        settings: Settings = replace(settings_for(tmp_path), database=database.url)
        with running(settings) as server, Client(server.url, "Ada") as ada:
            table_id, cookies = ada.open_table("me", "novice").id, dict(ada.http.cookies)
            line = ada.line(table_id)
            kept = play_a_round(line, line.receive().position)
            database.back_up()
            play_a_round(line, kept)
        database.restore()
        with running(settings) as server, Client(server.url) as ada:
            ada.http.cookies.update(cookies)
            line = ada.line(table_id)
            position = line.receive().position
            assert position == kept
            while position.outcome is None:
                line.play(position.seq, eager_move(position))
                while not (position := line.receive_moved(position.seq + 1).position).legal and not position.outcome:
                    pass
            assert verify(ada.http.get(f"/api/tables/{table_id}/record").text).is_true
