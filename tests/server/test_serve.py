"""The command `cabochon serve`."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from unittest.mock import AsyncMock

import httpx
import pytest
import uvicorn

from cabochon.cli import serve
from cabochon.server import database, precompilation, services
from cabochon.server.app import create_app
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.peer import Peer
from tests.cli.command import run
from tests.server.databases import NO_DATABASE, ON_SQLITE
from tests.server.running import (
    SECONDS,
    Client,
    running,
    settings_for,
)


@pytest.mark.usefixtures("_own_logging")
def test_what_was_loaded_for_good_is_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[uvicorn.Server] = []
    was_warm: list[bool] = []
    is_warm, is_frozen = threading.Event(), threading.Event()

    class Kept(serve._AnnouncingServer):
        def __init__(self, config: uvicorn.Config, address: str, opens_browser: bool) -> None:
            super().__init__(config, address, opens_browser)
            servers.append(self)

    async def warm_up(workers: BotWorkers) -> None:
        await asyncio.sleep(0.05)
        is_warm.set()

    def freeze() -> None:
        was_warm.append(is_warm.is_set())
        is_frozen.set()

    monkeypatch.setattr(serve, "_AnnouncingServer", Kept)
    monkeypatch.setattr(BotWorkers, "warm_up", warm_up)
    monkeypatch.setattr(gc, "freeze", freeze)
    thresholds: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "set_threshold", lambda *values: thresholds.append(values))
    listening = serve.Listening("127.0.0.1", 0, False, "text", "error", "")
    thread = threading.Thread(target=serve.serve, args=(settings_for(tmp_path), listening))
    thread.start()
    try:
        assert is_frozen.wait(SECONDS)
    finally:
        for server in servers:
            server.should_exit = True
        thread.join(SECONDS)
    assert was_warm == [True]
    assert thresholds == [serve.GARBAGE_THRESHOLDS], "and new tables and sockets seldom"


def test_all_settings_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    shown = run("serve", "--help").output
    for flag in ("host", "port", "database", "origin", "bot-threads", "bot-pause", "log-format", "migrate-only"):
        assert f"--{flag}" in shown
    for name in ("CABOCHON_HOST", "CABOCHON_PORT", "CABOCHON_DATABASE", "CABOCHON_ORIGINS", "CABOCHON_BOT_PAUSE"):
        assert name in shown


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--bot-threads", "-1"], "expected the number of threads to be at least 0, got -1"),
        (["--bot-pause", "-1"], "expected the bot pause to be at least 0, got -1.0"),
        (["--bot-pause", "nan"], "expected the bot pause to be at least 0, got nan"),
        (["--request-rate", "0"], "expected --request-rate to be a number from 0.1 to 1,000,000,000, got 0.0"),
        (["--idle-days", "1e6"], "expected --idle-days to be a number from 1 to 10,000, got 1000000.0"),
        (["--waiting-minutes", "0.5"], "expected --waiting-minutes to be a number from 1 to 10,000,000, got 0.5"),
        (
            ["--tables-per-guest", "-1"],
            "expected --tables-per-guest to be a whole number from 0 to 1,000,000,000, got -1",
        ),
        (["--log-format", "xml"], "expected --log-format to be one of text, json, got 'xml'"),
        (["--log-level", "loud"], "expected --log-level to be one of debug, info, warning, error, got 'loud'"),
    ],
)
def test_settings_that_cannot_be_are_refused(flags: list[str], message: str) -> None:
    result = run("serve", *flags)
    assert (result.status, result.errors) == (2, f"cabochon: {message}\n")


@ON_SQLITE
@pytest.mark.usefixtures("_own_logging")
def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port), "--database", str(tmp_path / "x.db"))
    assert result.status == 2
    assert f"expected a free address, got 127.0.0.1 port {port}" in result.errors


@pytest.mark.usefixtures("_own_logging")
def test_a_thinker_whose_port_for_metrics_is_taken_does_not_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("think", "--database", "postgresql+asyncpg://me@localhost/games", "--metrics-port", str(port))
    assert result.status == 2
    assert f"expected a free address, got 127.0.0.1 port {port}" in result.errors


@pytest.mark.usefixtures("_own_logging")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("/proc/no/such/folder/x.db", "'sqlite+aiosqlite:////proc/no/such/folder/x.db'"),
        ("postgresql+asyncpg://me@localhost:1/games", "'postgresql+asyncpg://me@localhost:1/games'"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(name: str, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "RESTART_SECONDS", 0)
    for flags in (["--port", "0"], ["--migrate-only"]):
        result = run("serve", *flags, "--database", name)
        assert result.status == 2
        assert result.errors.splitlines()[-1].startswith(f"cabochon: expected a usable database, got {shown}: ")


@pytest.mark.parametrize("command", [("serve", "--bot-threads", "0"), ("think",), ("admin", "tables")])
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("postgresql://me:secret@db/games", "'postgresql://me:***@db/games'"),
        ("postgresql+psycopg://me:secret@db/games", "'postgresql+psycopg://me:***@db/games'"),
        ("postgres://me:secret@db/games", "'postgres://me:***@db/games'"),
        ("sqlite:///games.db", "'sqlite:///games.db'"),
        ("postgresql+asyncpg://me:secret@db:port/games", "an invalid URL"),
        ("://", "an invalid URL"),
    ],
)
def test_a_url_for_another_driver_is_refused(command: tuple[str, ...], name: str, shown: str) -> None:
    result = run(*command, "--database", name)
    expected = "expected an SQLite file or a URL such as postgresql+asyncpg://USER:PASSWORD@HOST/DATABASE"
    assert (result.status, result.errors) == (2, f"cabochon: {expected}, got {shown}\n")


@pytest.mark.parametrize("command", ["serve", "think"])
def test_a_driver_that_is_not_installed_is_named(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    result = run(command, "--database", "postgresql+asyncpg://me@db/games")
    assert result.status == 2
    assert "PostgreSQL needs more packages: pip install 'cabochon[postgres]'" in result.errors


def test_a_thinker_needs_a_database_that_others_can_use(tmp_path: Path) -> None:
    result = run("think", "--database", str(tmp_path / "server.db"))
    assert result.status == 2
    assert "only one process can use an SQLite database" in result.errors


@ON_SQLITE
def test_the_database_can_be_prepared_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CABOCHON_DATABASE", str(tmp_path / "deep" / "x.db"))
    result = run("serve", "--migrate-only")
    assert result.status == 0
    assert (tmp_path / "deep" / "x.db").exists()


@ON_SQLITE
@pytest.mark.usefixtures("_own_logging")
def test_an_sqlite_file_is_for_one_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "data" / "server.db")
    monkeypatch.chdir(tmp_path / "data")
    with running(settings_for(tmp_path / "data")) as server, Client(server.url, "Ada") as ada:
        for name in ("server.db", str(tmp_path / "link.db"), str(tmp_path / "data" / "server.db")):
            for flags in (["--port", "0"], ["--migrate-only"]):
                result = run("serve", *flags, "--database", name)
                assert result.status == 2
                got = f"got {str(tmp_path / 'data' / 'server.db')!r}, which process {os.getpid()} on "
                assert f"expected a database that no other server uses, {got}" in result.errors
                assert "stop it, choose another --database, or use PostgreSQL" in result.errors
        assert run("admin", "guests", "--database", "server.db").output.count("Ada") == 1
        with (
            closing(sqlite3.connect("server.db")) as source,
            closing(sqlite3.connect("copy.db")) as copy,
        ):
            source.backup(copy)
            assert copy.execute("SELECT nickname FROM guests").fetchall() == [("Ada",)]
        assert ada.open_table("me", "novice").status == "playing"
    assert (tmp_path / "data" / "server.db-lock").exists(), "the file says nothing"
    assert run("serve", "--migrate-only", "--database", "server.db").status == 0


@ON_SQLITE
@pytest.mark.usefixtures("_own_logging")
def test_nobody_migrates_an_sqlite_file_while_a_server_uses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(settings_for(tmp_path)):
        monkeypatch.setattr(database, "needs_upgrade", lambda connection: True)
        result = run("admin", "guests", "--database", str(tmp_path / "server.db"))
        assert result.status == 2
        assert "expected a database that no other server uses" in result.errors


def test_a_start_that_the_database_delays_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = iter([OSError("no database"), OSError("no database")])
    resume_games = Peer.resume_games

    async def resume(peer: Peer) -> None:
        for error in failures:
            raise error
        await resume_games(peer)

    monkeypatch.setattr(Peer, "resume_games", resume)
    monkeypatch.setattr(services, "RETRY_SECONDS", 0.0)
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada:
        assert ada.http.get("/readyz").status_code == 200
        assert ada.open_table("me", "novice").status == "playing"


def test_a_server_that_starts_answers_and_lets_tables_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_load = threading.Event()
    monkeypatch.setattr(services, "warm_up_rules", lambda: may_load.wait(SECONDS))
    app = create_app(settings_for(tmp_path))
    app.state.server.workers.warm_up = AsyncMock()

    async def ask() -> None:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
        ):
            early = await client.get("/readyz")
            assert (early.status_code, early.json()["error"]["code"], early.headers["Retry-After"]) == (
                503,
                "busy",
                "1",
            )
            assert (await client.put("/api/me", json={"nickname": "Ada"})).status_code == 200
            table = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "open"}]}
            opening = asyncio.create_task(client.post("/api/tables", json=table))
            assert (await client.get("/api/lobby")).json() == {"tables": [], "page": 1, "pages": 1}
            assert not opening.done()
            may_load.set()
            assert (await opening).status_code == 201

    asyncio.run(asyncio.wait_for(ask(), SECONDS))


@NO_DATABASE
def test_a_process_that_cannot_compile_is_no_reason_not_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precompilation, "_marker", lambda: tmp_path / "nothing is compiled")
    for command in ("false", "there is no such program"):
        monkeypatch.setattr(sys, "executable", command)
        assert not asyncio.run(precompilation.Precompilation().run())
    monkeypatch.setattr(precompilation, "_marker", lambda: tmp_path)
    assert asyncio.run(precompilation.Precompilation().run()), "there is nothing to do"
