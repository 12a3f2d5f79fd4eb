"""What those who run a server see and set: logs, metrics, the page, the command."""

from __future__ import annotations

import asyncio
import gc
import gzip
import io
import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import uvicorn
from starlette.requests import Request

from cabochon import Game, Move, View
from cabochon.bots.protocol import Answer, Limit
from cabochon.cli import serve
from cabochon.server import telemetry
from cabochon.server.bot_workers import FALLBACK, Thinkers
from cabochon.server.page import Page
from cabochon.server.security import Bucket, Buckets, Whereabouts
from tests.cli.command import run
from tests.server.running import Client, RunningServer, settings_for

# Logs and metrics


@pytest.fixture
def _own_logging() -> Iterator[None]:
    """The loggers as they were, afterwards."""
    loggers = [logging.getLogger(name) for name in ("cabochon", "uvicorn", "alembic")]
    before = [(logger, logger.handlers, logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, handlers, level, propagate in before:
        logger.handlers, logger.level, logger.propagate = handlers, level, propagate


@pytest.mark.usefixtures("_own_logging")
def test_logs_are_one_json_object_a_line() -> None:
    stream = io.StringIO()
    telemetry.set_up_logging("json", "info", stream)
    telemetry.tell("started", version="1")
    telemetry.tell("request", logging.DEBUG, route="/")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        telemetry.logger.exception("request failed")
    started, failed = map(json.loads, stream.getvalue().splitlines())
    assert started["event"] == "started"
    assert started["level"] == "info"
    assert started["version"] == "1"
    assert started["time"].endswith("+00:00")
    assert "two\nlines" in failed["exception"]


@pytest.mark.usefixtures("_own_logging")
def test_logs_for_people() -> None:
    stream = io.StringIO()
    telemetry.set_up_logging("text", "warning", stream)
    telemetry.tell("started")
    telemetry.tell("flood", logging.WARNING, table="x")
    (line,) = stream.getvalue().splitlines()
    assert line.endswith("warning flood event=flood table=x")


def test_metrics_count_what_happens(ada: Client) -> None:
    table = ada.open_table("me", "novice")
    line = ada.line(table.id)
    position = line.receive().position
    line.play(0, "nonsense")
    line.play(0, position.legal[0].move)
    line.receive_moved(2)
    answer = ada.http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = {
        text.rpartition(" ")[0]: float(text.rpartition(" ")[2])
        for text in answer.text.splitlines()
        if not text.startswith("#")
    }
    assert values['cabochon_entries_total{by="person"}'] >= 1
    assert values['cabochon_entries_total{by="bot"}'] >= 1
    assert values['cabochon_refusals_total{code="malformed"}'] >= 1
    assert values['cabochon_bot_seconds_count{level="novice"}'] >= 1
    assert values["cabochon_move_seconds_count"] >= 1
    assert values["cabochon_commit_seconds_count"] >= 2
    assert values["cabochon_sockets"] >= 1
    assert values["cabochon_live_tables"] >= 1
    route = 'cabochon_http_request_seconds_count{method="POST",route="/api/tables",status="201"}'
    assert values[route] >= 1
    assert table.id not in answer.text


# Limits


def test_a_bucket_fills_up_with_time() -> None:
    moment = 0.0
    bucket = Bucket(rate=2.0, burst=3, clock=lambda: moment)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    moment = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    moment = 100.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_very_many_clients_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Buckets, "MOST", 10)
    buckets = Buckets(rate=0.0, burst=1)
    assert buckets.take("kept")
    for number in range(100):
        assert buckets.take(str(number))
        assert not buckets.take("kept"), "who keeps asking is not forgotten"
    assert len(buckets._buckets) == 10


@pytest.mark.usefixtures("_own_logging")
def test_what_was_loaded_for_good_is_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[uvicorn.Server] = []
    was_warm: list[bool] = []
    is_warm, is_frozen = threading.Event(), threading.Event()

    class Kept(serve._Announcing):
        def __init__(self, config: uvicorn.Config, address: str, opens_browser: bool) -> None:
            super().__init__(config, address, opens_browser)
            servers.append(self)

    async def warm_up(thinkers: Thinkers) -> None:
        await asyncio.sleep(0.05)
        is_warm.set()

    def freeze() -> None:
        was_warm.append(is_warm.is_set())
        is_frozen.set()

    monkeypatch.setattr(serve, "_Announcing", Kept)
    monkeypatch.setattr(Thinkers, "warm_up", warm_up)
    monkeypatch.setattr(gc, "freeze", freeze)
    listening = serve.Listening("127.0.0.1", 0, False, "text", "error", "")
    thread = threading.Thread(target=serve.serve, args=(settings_for(tmp_path), listening))
    thread.start()
    try:
        assert is_frozen.wait(20)
    finally:
        for server in servers:
            server.should_exit = True
        thread.join(20)
    assert was_warm == [True]


# Bots


class Broken:
    """A bot that fails."""

    def choose(self, view: View, limit: Limit) -> Answer:
        raise RuntimeError("no idea")


def test_where_a_bot_fails_another_moves(caplog: pytest.LogCaptureFixture) -> None:
    failed: list[str] = []
    thinkers = Thinkers(1, on_failure=failed.append)
    view = Game("splendor", seed=1).view(0)
    thinkers._give_back(("expert", "splendor", 2), Broken())
    with caplog.at_level(logging.ERROR, "cabochon.server.bot_workers"):
        assert thinkers._choose("expert", view) in view.legal_moves
    assert failed == ["expert"]
    assert "a bot failed" in caplog.text
    assert [kind for kind, _ in thinkers._idle] == [(FALLBACK, "splendor", 2)]
    thinkers.close()


class Gated(Thinkers):
    """Bots that think when they are let, and of whose thoughts the order is known: the level tells whose they are."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.may_think = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)
        self.thought: list[str] = []

    async def have_begun(self, number: int) -> None:
        """Wait until so many more are being thought."""
        for _ in range(number):
            assert await asyncio.to_thread(self.begun.acquire, timeout=20)

    def _choose(self, level: str, view: View) -> Move:
        self.begun.release()
        self.may_think.acquire()
        self.thought.append(level)
        return view.legal_moves[0]

    def close(self) -> None:
        self.may_think.release(100)
        super().close()


VIEW = Game("splendor", seed=1).view(0)


def test_who_has_many_tables_keeps_nobody_waiting() -> None:
    async def run() -> list[str]:
        with closing(Gated(1)) as thinkers:
            asked = [thinkers.choose(f"many {number}", VIEW, "192.0.2.1") for number in range(4)]
            asked += [thinkers.choose(f"{name} {number}", VIEW, name) for number in range(2) for name in ("ada", "bo")]
            waiting = asyncio.gather(*asked)
            await asyncio.sleep(0)
            thinkers.may_think.release(len(asked))
            await waiting
            return thinkers.thought

    told = ["many 0", "many 1", "ada 0", "bo 0", "many 2", "ada 1", "bo 1", "many 3"]
    assert asyncio.run(asyncio.wait_for(run(), 20)) == told


def test_no_more_bots_think_at_a_time_than_there_are_threads() -> None:
    async def run() -> list[str]:
        with closing(Gated(2)) as thinkers:
            dropped = [asyncio.create_task(thinkers.choose("dropped", VIEW, "ada")) for _ in range(4)]
            await thinkers.have_begun(2)
            for task in dropped:  # two are being thought, and two wait
                task.cancel()
            await asyncio.sleep(0)
            wanted = [asyncio.create_task(thinkers.choose("wanted", VIEW, "ada")) for _ in range(3)]
            await asyncio.sleep(0)
            assert thinkers._pool._work_queue.qsize() == 0, (
                "who waits does so in the order of turns, not of the threads"
            )
            thinkers.may_think.release(5)
            await asyncio.gather(*wanted)
        return thinkers.thought  # closed, all that was begun is thought

    assert sorted(asyncio.run(asyncio.wait_for(run(), 20))) == ["dropped"] * 2 + ["wanted"] * 3


def test_a_thought_that_nobody_waits_for_takes_no_turn() -> None:
    async def run() -> list[str]:
        with closing(Gated(1)) as thinkers:
            first = asyncio.create_task(thinkers.choose("first", VIEW, "somebody"))
            await thinkers.have_begun(1)
            dropped = asyncio.create_task(thinkers.choose("dropped", VIEW, "ada"))
            await asyncio.sleep(0)
            wanted = [asyncio.create_task(thinkers.choose(name, VIEW, name)) for name in ("ada", "bo")]
            await asyncio.sleep(0)
            dropped.cancel()
            await asyncio.sleep(0)
            thinkers.may_think.release(3)
            await asyncio.gather(first, *wanted)
            return thinkers.thought

    assert asyncio.run(asyncio.wait_for(run(), 20)) == ["first", "ada", "bo"]


def test_where_there_is_no_thread_those_who_wait_hear_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    async def run() -> Move:
        with closing(Gated(1)) as thinkers:
            thinkers.may_think.release()
            with monkeypatch.context() as patched:
                patched.setattr(thinkers._pool, "submit", refuse)
                for _ in range(2):
                    with pytest.raises(RuntimeError, match="new thread"):
                        await thinkers.choose("ada", VIEW, "ada")
            return await thinkers.choose("ada", VIEW, "ada")

    assert asyncio.run(asyncio.wait_for(run(), 20)) in VIEW.legal_moves


def test_where_guests_are_is_known_of_those_who_were_seen_last(
    server: RunningServer, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = ada.http.get("/api/me").json()["guest"]["id"]
    assert server.app.state.server.whereabouts.of(guest) == "127.0.0.1"
    monkeypatch.setattr(Whereabouts, "MOST", 2)
    whereabouts = Whereabouts()
    for name, address in (("ada", "1"), ("bo", "2"), ("ada", "3"), ("cy", "4")):
        whereabouts.note(name, address)
    assert [whereabouts.of(name) for name in ("ada", "bo", "cy")] == ["3", None, "4"]


def test_only_so_many_bots_are_kept_and_those_are_used_again() -> None:
    thinkers = Thinkers(1)
    kinds = [("novice", 2), ("novice", 3), ("apprentice", 2), ("novice", 3)]
    kept = []
    for level, players in kinds:
        view = Game("splendor", players, seed=1).view(0)
        assert thinkers._choose(level, view) in view.legal_moves
        kept.append(dict(thinkers._idle))
    assert list(kept[-1]) == [("apprentice", "splendor", 2), ("novice", "splendor", 3)]
    assert kept[-1]["novice", "splendor", 3] is kept[1]["novice", "splendor", 3]
    thinkers.close()


# The page


@pytest.fixture
def page(tmp_path: Path) -> Page:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html><title>Cabochon</title>" * 20)
    (tmp_path / "assets" / "app-1.js").write_text("let a = 1;" * 100)
    (tmp_path / "manifest.webmanifest").write_text("{}")
    return Page(tmp_path)


def request(**headers: str) -> Request:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw})


@pytest.mark.parametrize("path", ["", "t/abc", "claim", "index.html"])
def test_every_address_of_the_page_gives_the_page(page: Page, path: str) -> None:
    answer = page.answer(request(), path)
    assert answer is not None
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert bytes(answer.body).startswith(b"<!doctype html>")


def test_files_are_packed_and_kept(page: Page) -> None:
    plain = page.answer(request(), "assets/app-1.js")
    packed = page.answer(request(accept_encoding="gzip, br"), "assets/app-1.js")
    assert plain is not None
    assert packed is not None
    assert gzip.decompress(bytes(packed.body)) == plain.body
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert plain.headers["content-type"].startswith("text/javascript")
    unchanged = page.answer(request(if_none_match=plain.headers["etag"]), "assets/app-1.js")
    assert unchanged is not None
    assert (unchanged.status_code, unchanged.body) == (304, b"")
    manifest = page.answer(request(), "manifest.webmanifest")
    assert manifest is not None
    assert manifest.headers["content-type"] == "application/manifest+json"


@pytest.mark.parametrize("path", ["assets/app-2.js", "../secret.txt", "favicon.ico"])
def test_files_that_are_not_there(page: Page, path: str) -> None:
    assert page.answer(request(), path) is None


def test_a_page_that_is_not_built_says_so(tmp_path: Path) -> None:
    answer = Page(tmp_path).answer(request(), "")
    assert answer is not None
    assert answer.status_code == 503
    assert b"make page" in bytes(answer.body)


# The command


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
        (["--bot-threads", "-1"], "expected a number of threads of at least 1, got -1"),
        (["--bot-pause", "-1"], "expected a pause of at least 0, got -1.0"),
        (["--log-format", "xml"], "expected the log format to be text or json, got 'xml'"),
        (["--log-level", "loud"], "expected the log level to be debug or info or warning or error, got 'loud'"),
    ],
)
def test_settings_that_cannot_be_are_refused(flags: list[str], message: str) -> None:
    result = run("serve", *flags)
    assert (result.status, result.errors) == (2, f"cabochon: {message}\n")


@pytest.mark.usefixtures("_own_logging")
def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("serve", "--port", str(port), "--database", str(tmp_path / "x.db"))
    assert result.status == 2
    assert f"expected an address that is free, got 127.0.0.1 port {port}" in result.errors


@pytest.mark.usefixtures("_own_logging")
@pytest.mark.parametrize(
    ("database", "shown"),
    [
        ("/proc/no/such/folder/x.db", "'sqlite+aiosqlite:////proc/no/such/folder/x.db'"),
        ("postgresql+psycopg://me:secret@db/games", "'postgresql+psycopg://me:***@db/games'"),
        ("nosuchdatabase://x", "'nosuchdatabase://x'"),
        ("://", "one of another form"),
    ],
)
def test_a_database_that_cannot_be_used_is_refused(database: str, shown: str) -> None:
    for flags in (["--port", "0"], ["--migrate-only"]):
        result = run("serve", *flags, "--database", database)
        assert result.status == 2
        assert result.errors.splitlines()[-1].startswith(
            f"cabochon: expected a database that can be used, got {shown}: "
        )


def test_the_database_can_be_prepared_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CABOCHON_DATABASE", str(tmp_path / "deep" / "x.db"))
    result = run("serve", "--migrate-only")
    assert result.status == 0
    assert (tmp_path / "deep" / "x.db").exists()
