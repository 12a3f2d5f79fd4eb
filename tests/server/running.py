"""A server to talk to over real sockets, and clients that talk to it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import MethodType
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from cabochon.bots.levels import LADDER
from cabochon.cli.serve import GracefulServer, bound_socket, uvicorn_config
from cabochon.server import protocol
from cabochon.server.app import create_app
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.settings import Limits, Settings
from tests.server.databases import database_at

SECONDS = 120.0  # after which a test that waits for an event gives up; no test waits this long unless it fails
GENEROUS = Limits(
    request_rate=1e6,
    request_burst=10**6,
    replay_rate=1e6,
    replay_burst=10**6,
    opening_rate=1e6,
    opening_burst=10**6,
    message_rate=1e6,
    message_burst=10**6,
    sockets_per_address=10**6,
    tables_per_guest=10**6,
)


def settings_for(folder: Path, **changes: Any) -> Settings:
    """A database of its own, bots that answer at once, clocks that count at once, and no limits but those of size."""
    database = database_at(folder / "server.db")
    plain = Settings(database, bot_threads=2, bot_pause=0.0, clock_grace=0.0, watching_pause=0.0, limits=GENEROUS)
    return replace(plain, **changes)


@cache
def warm_up() -> None:
    """Compile and load the bots: once in this process, for all servers that run in it."""
    with closing(BotWorkers(1)) as workers:
        asyncio.run(workers.warm_up())


async def _is_warm(workers: BotWorkers) -> None:
    """Do nothing, instead of warming up once more."""


class RunningServer:
    """A server in a thread of this process."""

    def __init__(self, settings: Settings) -> None:
        warm_up()
        self.app = create_app(settings)
        self.app.state.server.workers.warm_up = MethodType(_is_warm, self.app.state.server.workers)
        listener = bound_socket("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._server = GracefulServer(uvicorn_config(self.app, ""))
        self._thread = threading.Thread(target=self._server.run, args=([listener],))
        self._thread.start()
        while not (self.app.state.server.is_ready and self._server.started):
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.005)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[RunningServer]:
    server = RunningServer(settings)
    try:
        yield server
    finally:
        server.stop()


class Line:
    """A socket at a table. Every message that comes is checked against the protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.frames: list[str] = []  # everything that came

    def receive(self) -> Any:
        """The next message."""
        frame = self.socket.recv(SECONDS)
        assert isinstance(frame, str)
        self.frames.append(frame)
        return protocol.SERVER_MESSAGES.validate_json(frame, strict=False)

    def receive_moved(self, seq: int) -> protocol.Moved:
        """The next move that brings the log to this length, or a greater one."""
        while True:
            message = self.receive()
            if isinstance(message, protocol.Moved) and message.position.seq >= seq:
                return message

    def drain(self) -> list[Any]:
        """Everything that has come, or is an answer to what was sent before."""
        self.send(type="ping")
        messages = []
        while not isinstance(message := self.receive(), protocol.Pong):
            messages.append(message)
        return messages

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def play(self, seq: int, move: str, reference: str = "") -> None:
        self.send(type="play", seq=seq, move=move, id=reference)

    def ask(self, **message: Any) -> Any:
        """Send a message, and receive what comes next."""
        self.send(**message)
        return self.receive()

    def close(self) -> None:
        self.socket.close()


def _plan(seat: str) -> dict[str, str]:
    if seat in ("me", "open"):
        return {"kind": seat}
    return {"kind": "bot", "level": seat} if seat in LADDER else {"kind": "here", "name": seat}


class Client:
    """A person with a browser: a cookie, requests, sockets."""

    def __init__(self, url: str, nickname: str | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.url = url
        self.http = httpx.Client(base_url=url, timeout=SECONDS, verify=tls or True)
        self._tls = tls
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(self.http)
        if nickname is not None:
            self.http.put("/api/me", json={"nickname": nickname}).raise_for_status()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    def open_table(self, *seats: str, game: str = "splendor", **options: Any) -> protocol.TableInfo:
        """Open a table: each seat is "me", "open", the level of a bot or the name of somebody here, in this order."""
        plans = [_plan(seat) for seat in seats]
        answer = self.http.post("/api/tables", json={"game": game, "seats": plans, "order": "given"} | options)
        assert answer.status_code == 201, answer.text
        return protocol.TableInfo.model_validate_json(answer.text)

    def join(self, table_id: str, seat: int | None = None) -> protocol.TableInfo:
        answer = self.http.post(f"/api/tables/{table_id}/join", json={"seat": seat})
        assert answer.status_code == 200, answer.text
        return protocol.TableInfo.model_validate_json(answer.text)

    def line(self, table_id: str, since: int = 0, origin: str | None = None, seat: int | None = None) -> Line:
        """A socket at a table, with the cookie; as one of several seats of one's own."""
        headers = {"Cookie": self.cookie} if self.cookie else {}
        query = f"since={since}" if seat is None else f"since={since}&seat={seat}"
        opening = connect(
            f"{self.url.replace('http', 'ws', 1)}/api/tables/{table_id}/socket?{query}",
            additional_headers=headers,
            origin=None if origin is None else Origin(origin),
            max_size=None,
            max_queue=None,  # whatever has come is read, so a line that nobody listens to closes at once
            compression=None,
            open_timeout=SECONDS,
            ssl=self._tls,
        )
        return Line(self._stack.enter_context(opening))


def exchange(url: str, request: bytes) -> bytes:
    """Send bytes over a connection of its own; return everything that comes back until the server closes it."""
    with connection_to(url) as connection:
        connection.sendall(request)
        return read_all(connection)


def connection_to(url: str) -> socket.socket:
    """Open a plain connection to a server."""
    address = httpx.URL(url)
    return socket.create_connection((address.host, address.port or 80), SECONDS)


def read_all(connection: socket.socket) -> bytes:
    """Return everything that comes until the server closes the connection."""
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        while data := connection.recv(65536):
            answer += data
    return answer


def error_of(answer: httpx.Response) -> protocol.ErrorInfo:
    """What an HTTP answer that is not a success says."""
    assert answer.status_code >= 400
    return protocol.Problem.model_validate_json(answer.text).error


def refused(answer: httpx.Response) -> tuple[int, str]:
    """Return the status and the code of an answer that is not a success."""
    return answer.status_code, error_of(answer).code


def info(answer: httpx.Response) -> protocol.TableInfo:
    assert answer.status_code == 200, answer.text
    return protocol.TableInfo.model_validate_json(answer.text)


def left_of(line: Line) -> protocol.Moved:
    """Return the next message that somebody left."""
    while True:
        message = line.receive()
        if isinstance(message, protocol.Moved) and isinstance(message.event, protocol.Left):
            return message


def eager_move(position: protocol.Position) -> str:
    """A move that brings the game on."""
    legal = position.legal
    buying = [move for move in legal if move.kind in ("buy", "pay")]
    return buying[-1].move if buying else legal[position.seq % len(legal)].move
