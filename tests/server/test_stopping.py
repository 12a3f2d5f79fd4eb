"""Processes that are told to stop: they hand over, send their clients away, and end, whatever hangs."""

from __future__ import annotations

import asyncio
import faulthandler
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed

from cabochon.cli import stopping
from cabochon.server import protocol, schema, services
from cabochon.server.app import create_app
from cabochon.server.clocks import now
from cabochon.server.database import Database
from cabochon.server.sockets import RESTARTING
from tests.server.databases import NO_DATABASE
from tests.server.postgres import PostgresServer, own_server
from tests.server.running import SECONDS, Client, Line, connection_to, read_all, settings_for
from tests.server.storage import locked
from tests.server.table_world import A_PERSON_AND_A_BOT, TWO_PEOPLE, sit_down, world
from tests.server.test_crash import ServerProcess, server_process, wait_until
from tests.server.test_peers import LIVE

ENDED = (0, -signal.SIGTERM)


@pytest.fixture
def url(postgres: PostgresServer) -> Iterator[str]:
    with postgres.database() as url:
        yield url


def farewell(line: Line) -> tuple[int, str]:
    """Receive what comes until the server closes the socket; return why it does."""
    with suppress(ConnectionClosed):
        while True:
            line.receive()
    assert line.socket.close_code is not None
    return line.socket.close_code, line.socket.close_reason or ""


def begun_request(server: ServerProcess) -> Any:
    """Send a request but for its last byte, and wait until the server is busy with it."""
    connection = connection_to(server.url)
    head = "PUT /api/me HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    connection.sendall(f"{head}Content-Length: 18\r\nExpect: 100-continue\r\n\r\n".encode())
    assert b"100 Continue" in connection.recv(1000)
    connection.sendall(b'{"nickname": "Cy"')
    return connection


def is_gone(server: ServerProcess) -> bool:
    with suppress(httpx.TransportError):
        httpx.get(f"{server.url}/healthz", timeout=SECONDS)
        return False
    return True


def rows(url: str, query: sa.Select[Any]) -> list[Any]:
    async def read() -> list[Any]:
        database = Database(url)
        try:
            return list(await database.fetch(query))
        finally:
            await database.close()

    return asyncio.run(read())


def test_a_server_that_stops_hands_over_and_sends_its_clients_to_another(url: str) -> None:
    """A bot goes on thinking elsewhere, a request that has begun is answered, and who reads nothing delays nobody."""
    with server_process(url) as one, server_process(url) as other, Client(one.url, "Ada") as ada:
        table = ada.open_table("me", "grandmaster")
        line, spectator = ada.line(table.id), ada.line(table.id)
        line.play(0, line.receive().position.legal[0].move)
        line.receive_moved(1)  # now the bot thinks
        with begun_request(one) as request:
            one.begin_to_stop()
            assert farewell(line) == farewell(spectator) == (1012, RESTARTING)
            request.sendall(b"}")
            assert b"200 OK" in read_all(request)
        wait_until(lambda: is_gone(one))
        with Client(other.url) as again:
            again.http.cookies.update(ada.http.cookies)
            back = again.line(table.id, since=1)
            sync = back.receive()
            if sync.position.seq < 2:
                back.receive_moved(2)
        assert one.wait() in ENDED
        assert len(rows(url, sa.select(schema.processes))) == 1, "it has left, and need not be missed"


@contextmanager
def thinker_process(url: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "cabochon", "think", "--database", url, "--bot-threads", "1"]
    thinker = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert thinker.stderr is not None
        assert any("Cabochon is thinking" in text for text in thinker.stderr)
        yield thinker
    finally:
        thinker.kill()
        thinker.communicate()


def test_a_process_ends_although_its_database_does_not_answer() -> None:
    with (
        own_server() as postgres,
        postgres.database() as url,
        server_process(url) as server,
        thinker_process(url) as thinker,
        Client(server.url, "Ada") as ada,
    ):
        line = ada.line(ada.open_table("me", "novice").id)
        line.receive()
        with postgres.frozen():
            server.begin_to_stop()
            thinker.terminate()
            assert farewell(line) == (1012, RESTARTING)
            assert server.wait() in ENDED
            assert thinker.wait(SECONDS) in ENDED


def test_a_server_that_stops_is_not_ready_but_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "warm_up_rules", lambda: None)
    app = create_app(settings_for(tmp_path, bot_threads=0))

    async def ask() -> None:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
        ):
            await app.state.server.prepared()
            assert (await client.get("/readyz")).status_code == 200
            app.state.server.begin_to_stop()
            answer = await client.get("/readyz")
            assert (answer.status_code, answer.json()["error"]["message"]) == (
                503,
                "the server is stopping; try again in a moment",
            )
            assert (await client.get("/healthz")).status_code == 200
            assert (await client.put("/api/me", json={"nickname": "Ada"})).status_code == 200

    asyncio.run(asyncio.wait_for(ask(), SECONDS))


@NO_DATABASE
def test_what_is_committed_after_the_handing_over_is_for_others(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url) as one, world(tmp_path, is_new=False, database=url) as other:
            other.workers.may_answer.set()
            await other.peer.resume_games()
            with_bot = await one.add_table(A_PERSON_AND_A_BOT)
            with_clock = await one.add_table(TWO_PEOPLE, clock=LIVE, started_at=now())
            async with one.registry.table(with_bot) as table, one.registry.table(with_clock) as clocked:
                await one.peer.leave()
                (ada,) = sit_down(table, None)
                assert await table.play(0, 0, str(table.timeline.game.legal_moves[0]))
                while not any(
                    isinstance(message, protocol.Moved) and message.position.seq == 2 for message in ada.messages
                ):
                    await asyncio.sleep(0.002)
                assert len(other.workers.asked) == 1
                assert one.workers.asked == []
                assert await clocked.play(0, 0, str(clocked.timeline.game.legal_moves[0]))
                step = sa.select(schema.tables.c.waits_for, schema.tables.c.leased_to)
                (row,) = await one.database.fetch(step.where(schema.tables.c.id == with_clock))
                assert tuple(row) == ("clock", None)

    asyncio.run(asyncio.wait_for(work(), SECONDS))


@NO_DATABASE
def test_what_is_being_committed_during_the_handing_over_is_for_others(url: str, tmp_path: Path) -> None:
    async def work() -> None:
        async with world(tmp_path, database=url) as one, world(tmp_path, is_new=False, database=url) as other:
            await other.peer.resume_games()
            table_id = await one.add_table(A_PERSON_AND_A_BOT)
            async with one.registry.table(table_id) as table:
                async with locked(url, table_id):
                    move = asyncio.create_task(table.play(0, 0, "take wbg"))
                    while not one.log._uncommitted:
                        await asyncio.sleep(0)
                    leaving = asyncio.create_task(one.peer.leave())
                    while not one.services.leases.are_closed:
                        await asyncio.sleep(0)
                await asyncio.gather(move, leaving)
                assert not table._driver.has_lease
                assert one.workers.asked == []
                while not other.workers.asked:
                    await asyncio.sleep(0.002)

    asyncio.run(asyncio.wait_for(work(), SECONDS))


@NO_DATABASE
def test_a_server_that_is_told_to_stop_while_it_starts_beside_others_leaves_at_once(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = threading.Event()
    monkeypatch.setattr(services, "warm_up_rules", never.wait)
    app = create_app(replace(settings_for(tmp_path, bot_threads=0), database=url))

    async def work() -> None:
        async with AsyncExitStack() as stack:
            other = await stack.enter_async_context(world(tmp_path, database=url))
            stack.callback(never.set)  # or the thread would stay

            async def serve() -> None:
                async with app.router.lifespan_context(app):
                    assert app.state.server.is_stopping

            serving = asyncio.create_task(serve())
            while not other.processes.others:
                await other.processes._renew()
            app.state.server.begin_to_stop()
            await serving
            await other.processes._renew()
            assert not other.processes.others

    asyncio.run(asyncio.wait_for(work(), SECONDS))


def test_a_second_signal_gives_no_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[float] = []
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda seconds, **_: timers.append(seconds))
    stopping.end_in_time.cache_clear()
    stopping.end_in_time()
    stopping.end_in_time()
    stopping.end_in_time.cache_clear()
    assert timers == [stopping.SECONDS_TO_LIVE]
