"""What a client may leave unfinished."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from uvicorn.server import ServerState

from cabochon.cli.serve import uvicorn_config
from cabochon.server.http_protocol import is_trusted
from tests.server.running import (
    GENEROUS,
    Client,
    RunningServer,
    connection_to,
    exchange,
    read_all,
    running,
    settings_for,
)

START = b"PUT /api/me HTTP/1.1\r\nHost: localhost\r\n"
LIMITS = replace(GENEROUS, header_bytes=4_000, headers=20, unfinished_requests_per_address=8)


@pytest.fixture(scope="module")
def server(module_folder: Path) -> Iterator[RunningServer]:
    with running(settings_for(module_folder, limits=LIMITS)) as server:
        yield server


@pytest.mark.parametrize(
    "request_",
    [
        START + b"X: " + b"x" * 4_000 + b"\r\n\r\n",
        START + b"X: " + b"x" * 5_000,
        START + b"X: x\r\n" * 30 + b"\r\n",
        START + b"X: x\r\n" * 1_000,
        b"GET /" + b"x" * 5_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /" + b"x" * 5_000,
    ],
    ids=["large", "endless", "many", "endlessly many", "address", "endless address"],
)
def test_headers_are_limited_in_size_and_number(server: RunningServer, request_: bytes) -> None:
    answer = exchange(server.url, request_)
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert answer.endswith(b"expected at most 20 headers of 4000 bytes together")


def test_what_is_sent_around_a_body_is_limited_too(server: RunningServer) -> None:
    """A chunk of one byte needs five more; no client sends many of them."""
    headers = b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert exchange(server.url, START + headers + b"1\r\n \r\n" * 2_000).startswith(b"HTTP/1.1 431 ")


def test_a_body_does_not_count_as_headers(server: RunningServer) -> None:
    body = b'{"nickname": "Ada"' + b" " * 10_000 + b"}"
    headers = b"Connection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    assert exchange(server.url, START + headers + body).startswith(b"HTTP/1.1 200 ")


class Connection(asyncio.Transport):
    """A connection of uvicorn without a network, whose time passes when a test wants it."""

    def __init__(self, server: RunningServer) -> None:
        super().__init__()
        self.answer = b""
        self.is_closed = False
        self.loop = Mock()
        self.loop.create_task = self._create_task
        config = uvicorn_config(server.app, "")
        config.load()
        protocol: Any = config.http_protocol_class
        self.protocol = protocol(config, ServerState(), {}, self.loop)
        self.protocol.connection_made(self)

    def _create_task(self, request: Coroutine[Any, Any, None], **_: object) -> Mock:
        request.close()
        return Mock()

    @property
    def timer(self) -> Any:
        """The last timer that was set, as its delay and its callback."""
        return self.loop.call_later.call_args.args

    def time_out(self) -> None:
        self.timer[1]()

    def write(self, data: Any) -> None:
        self.answer += data

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed


@pytest.mark.parametrize("start", [START, START + b"Content-Length: 10\r\n\r\n{"], ids=["headers", "body"])
def test_a_request_must_come_in_time(server: RunningServer, start: bytes) -> None:
    connection = Connection(server)
    connection.protocol.data_received(start)
    assert connection.timer[0] == LIMITS.request_seconds
    connection.time_out()
    assert connection.answer.startswith(b"HTTP/1.1 408 ")
    assert connection.answer.endswith(b"expected the whole request within 30 seconds")
    assert connection.is_closed
    connection.protocol.connection_lost(None)


def test_a_connection_that_is_opened_in_advance_is_closed_without_an_answer(server: RunningServer) -> None:
    connection = Connection(server)
    connection.time_out()
    assert (connection.answer, connection.is_closed) == (b"", True)
    connection.protocol.connection_lost(None)


def test_a_request_that_came_whole_may_take_its_time(server: RunningServer) -> None:
    connection = Connection(server)
    waiting = connection.loop.call_later.return_value
    connection.protocol.data_received(START + b"Content-Length: 2\r\n\r\n{}")
    waiting.cancel.assert_called_once()
    connection.protocol.connection_lost(None)


def test_a_request_that_begins_behind_another_one_is_timed_too(server: RunningServer) -> None:
    connection = Connection(server)
    connection.protocol.data_received(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + START)
    assert connection.loop.call_later.call_count == 2
    connection.time_out()
    assert connection.is_closed
    connection.protocol.connection_lost(None)


def test_what_is_not_http_is_refused(server: RunningServer) -> None:
    assert exchange(server.url, b"hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_one_address_leaves_few_requests_unfinished_and_gets_its_place_back(server: RunningServer) -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(connection_to(server.url)) for _ in range(LIMITS.unfinished_requests_per_address)]
        for connection in opened:
            connection.sendall(START)
        assert is_refused(server)
        opened[0].sendall(b"Content-Length: 0\r\nConnection: close\r\n\r\n")
        assert read_all(opened[0]).startswith(b"HTTP/1.1 422 ")
        with Client(server.url, "Ada") as ada:
            line = ada.line(ada.open_table("me", "open").id)  # a socket is not an unfinished request
            opened.append(stack.enter_context(connection_to(server.url)))
            opened[-1].sendall(START)
            line.drain()


def is_refused(server: RunningServer) -> bool:
    """Whether a new connection is closed at once, without an answer."""
    with connection_to(server.url) as connection:
        try:
            connection.sendall(START)
            return connection.recv(1) == b""
        except (ConnectionResetError, BrokenPipeError):
            return True


def test_many_connections_leave_other_players_alone(server: RunningServer) -> None:
    """Each sends headers without an end, as fast as it can."""
    with Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        table = ada.open_table("me", "open").id
        bo.join(table)
        line = ada.line(table)
        line.receive()
        for _ in range(20):
            assert exchange(server.url, START + b"X: x\r\n" * 100_000)[:13] in (b"HTTP/1.1 431 ", b"")
        line.play(0, "take wbg")
        assert line.receive_moved(1).position.seq == 1


def test_proxies_are_named_as_addresses_networks_or_everybody() -> None:
    assert is_trusted("10.1.2.3", "127.0.0.1, 10.0.0.0/8")
    assert is_trusted("::1", "::1")
    assert is_trusted("10.1.2.3", "proxy, 10.0.0.0/8")
    assert is_trusted("anything", "*")
    assert not is_trusted("10.1.2.3", "127.0.0.1")
    assert not is_trusted("10.1.2.3", "")
