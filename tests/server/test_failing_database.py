"""A database that fails: nothing hidden gets into a log, and every answer says that it is the server's fault."""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cabochon.server.clocks import now
from cabochon.server.leases import NextStep
from cabochon.server.live_table import LiveTable
from cabochon.server.repeated import Repeated
from cabochon.server.schema import entries, tables
from cabochon.server.telemetry import set_up_logging
from cabochon.server.timeline import Entry
from tests.server.databases import ON_SQLITE
from tests.server.failing import FailingStatements, is_write
from tests.server.running import Client, refused, running, settings_for
from tests.server.storage import Storage, in_database
from tests.server.table_world import A_PERSON_AND_A_BOT, World, at_a_table, code_of

TABLE_OF_TWO = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "open"}], "order": "given"}


@pytest.mark.usefixtures("_own_logging")
def test_no_log_has_a_hidden_card_whichever_statement_fails(tmp_path: Path) -> None:
    """From an open table to a card that was drawn unseen, with each statement of that failing in turn."""
    stream = io.StringIO()
    set_up_logging("json", "debug", stream)
    failed = 0
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        statements = FailingStatements(server.app.state.server.database)
        for number in count(1):
            statements.texts.clear()
            statements.fails = only(number)
            table = until_done(partial(ada.http.post, "/api/tables", json=TABLE_OF_TWO)).json()["id"]
            until_done(partial(bo.http.post, f"/api/tables/{table}/join", json={}))
            reserve_unseen(ada, table)
            if len(statements.texts) < number:
                break
            failed += 1
    assert failed > 10
    texts, seeds = list[str](), list[bytes]()

    async def read(storage: Storage) -> None:
        texts.extend(row.text for row in await storage.database.fetch(sa.select(entries.c.text)))
        seeds.extend(row.seed for row in await storage.database.fetch(sa.select(tables.c.seed)))

    in_database(tmp_path / "server.db", read)
    assert min(len(texts), len(seeds)) > 0
    log = stream.getvalue()
    assert "disk is full" in log
    assert [text for text in texts if text.partition("; ")[2] in log] == []
    assert [seed for seed in seeds if seed.hex() in log or repr(seed)[2:-1] in log] == []


@pytest.mark.usefixtures("_own_logging")
@pytest.mark.parametrize("log_format", ["json", "text"])
def test_no_log_has_a_card_of_a_game_that_cannot_be_read(tmp_path: Path, log_format: str) -> None:
    stream = io.StringIO()
    set_up_logging(log_format, "debug", stream)
    impossible = Entry(1, 0, "reserve 1; h=57", now())  # a card of level 2

    async def work(server: World, table: LiveTable) -> None:
        assert await code_of(table.take_over_entry(1, impossible)) == "unavailable"
        broken = await server.add_table(A_PERSON_AND_A_BOT)
        await server.log.append(broken, impossible, "playing", 1, next_step=NextStep("bot", now()))
        await server.peer._scheduler.claim()
        server.services.deadlines.add(broken, now())
        checking = asyncio.create_task(server.peer._scheduler._check_clocks())
        failing = Repeated("failing", partial(server.registry.resume, broken), 0.0)
        failing.start(at_once=True)
        events = "resume failed", "clock failed", "failing failed", "change failed"
        while any(event not in stream.getvalue() for event in events):
            await asyncio.sleep(0.01)
        await failing.close()
        checking.cancel()

    at_a_table(tmp_path, work)
    log = stream.getvalue()
    assert log.count("IllegalRevealError") >= 4
    assert "RSV-1" in log, "the rule tells enough"
    assert "h=57" not in log
    assert "reserve 1" not in log


def only(number: int) -> Callable[[int, str], bool]:
    """Let one statement fail."""
    return lambda found, _: found == number


def until_done(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Ask again until the database works; what is said meanwhile names no cause."""
    while (answer := ask()).status_code >= 500:
        assert refused(answer) == (503, "unavailable")
    assert answer.is_success, answer.text
    return answer


def reserve_unseen(client: Client, table: str) -> None:
    """Draw a card unseen, again until it is stored; a socket that the database broke is opened anew."""
    while True:
        with contextlib.suppress(ConnectionClosed, InvalidStatus), contextlib.closing(client.line(table)) as line:
            if line.receive().position.seq == 1:
                return
            line.play(0, "reserve 1")
            line.drain()


def test_a_full_disk_is_said_by_every_answer_and_by_the_health(tmp_path: Path) -> None:
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada, Client(server.url) as stranger:
        statements = FailingStatements(server.app.state.server.database)
        assert ada.http.get("/readyz").status_code == 200
        statements.fails = is_write
        assert refused(stranger.http.put("/api/me", json={"nickname": "Bo"})) == (503, "unavailable")
        assert refused(ada.http.post("/api/tables", json=TABLE_OF_TWO)) == (503, "unavailable")
        assert refused(ada.http.get("/readyz")) == (503, "unavailable")
        statements.fails = lambda number, statement: False
        assert ada.http.get("/readyz").status_code == 200
        assert stranger.http.put("/api/me", json={"nickname": "Bo"}).status_code == 200


@ON_SQLITE
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")
def test_an_sqlite_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    (tmp_path / "server.db").touch(mode=0o644)  # as an older version left it
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada"):
        modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.glob("server.db*")}
    assert modes == dict.fromkeys(("server.db", "server.db-wal", "server.db-shm", "server.db-lock"), 0o600)
