"""`cabochon serve`: bind a port, open a browser, run until stopped."""

import asyncio
import gc
import socket
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from cabochon.cli.databases import usable_database
from cabochon.cli.stopping import end_in_time
from cabochon.cli.terminal import error_console
from cabochon.errors import CabochonError
from cabochon.server.app import create_app
from cabochon.server.database import Database
from cabochon.server.http_protocol import limited_protocol
from cabochon.server.services import Server
from cabochon.server.settings import Settings, allow_many_sockets
from cabochon.server.telemetry import set_up_logging

BACKLOG = 2048
GARBAGE_THRESHOLDS = (2_000, 10, 1_000)  # Python's own are 700, 10, 10
SECONDS_UNREAD = 30
POLL_SECONDS = 0.02
# Of the stop, after the clients were told to go: until they have closed their sockets, and until requests are answered.
SECONDS_TO_GO = 1.0
GRACE_SECONDS = 2


@dataclass(frozen=True)
class Listening:
    """Where a server listens, and what it logs."""

    host: str
    port: int
    opens_browser: bool
    log_format: str
    log_level: str
    trusted_proxies: str


class GracefulServer(uvicorn.Server):
    """Hands its tables over and sends its clients away as soon as it is to stop, while requests under way finish."""

    @property
    def _parts(self) -> Server:
        server: Server = self.config.app.state.server  # type: ignore[union-attr]
        return server

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        self._parts.hand_over()
        await self._parts.send_clients_away()
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_GO):
                while self._open_sockets():
                    await asyncio.sleep(POLL_SECONDS)
        for connection in self._open_sockets():
            connection.transport.abort()  # this client reads nothing
        await super().shutdown(sockets)

    def _open_sockets(self) -> list[WebSocketsSansIOProtocol]:
        return [each for each in self.server_state.connections if isinstance(each, WebSocketsSansIOProtocol)]


class _AnnouncingServer(GracefulServer):
    """Prints its address as soon as it can be reached, and stops in time."""

    def __init__(self, config: uvicorn.Config, address: str, opens_browser: bool) -> None:
        super().__init__(config)
        self._address = address
        self._opens_browser = opens_browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and not self.should_exit:
            error_console().print(f"Cabochon is at {self._address} (stop it with Ctrl+C)", soft_wrap=True)
            if self._opens_browser:
                threading.Thread(target=webbrowser.open, args=(self._address,), daemon=True).start()
            self._freezing = asyncio.create_task(_freeze_when_warm(self.config.app))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        end_in_time()
        self._parts.begin_to_stop()
        super().handle_exit(sig, frame)


async def _freeze_when_warm(app: Any) -> None:
    """Exclude everything loaded so far from garbage collection, and seldom scan all tables and sockets.

    A scan pauses all clients, with thousands of sockets for most of a second. Nearly everything is freed without one.
    """
    with suppress(Exception):  # a bot that fails here is reported when it is to move
        await app.state.server.prepared()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket to listen on; port 0 means any free port.

    Until the server listens, connections are refused, so clients and proxies go on to another process at once.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # drop a client that reads nothing
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * SECONDS_UNREAD)
    try:
        bound.bind((host, port))  # fails if another server listens there
    except OSError as error:
        bound.close()
        raise CabochonError(f"expected a free address, got {host} port {port}: {error.strerror}") from error
    return bound


def url_of(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a server that listens there."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


def uvicorn_config(app: FastAPI, trusted_proxies: str) -> uvicorn.Config:
    """Return the configuration of uvicorn."""
    server: Server = app.state.server
    limits = server.settings.limits
    return uvicorn.Config(
        app,
        http=limited_protocol(limits, server.unfinished_requests, server.request_limiter, trusted_proxies),
        ws=WebSocketsSansIOProtocol,
        ws_max_size=limits.message_bytes,
        ws_per_message_deflate=False,  # it would cost more memory and time than it saves
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies or None,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def serve(settings: Settings, listening: Listening) -> None:
    """Run a server until it is stopped."""
    set_up_logging(listening.log_format, listening.log_level)
    allow_many_sockets()
    bound = bound_socket(listening.host, listening.port)
    try:
        migrate(settings)
        config = uvicorn_config(create_app(settings), listening.trusted_proxies)
        address = url_of(listening.host, bound.getsockname()[1])
        _AnnouncingServer(config, address, listening.opens_browser).run([bound])
    finally:
        bound.close()


def migrate(settings: Settings) -> None:
    """Migrate the database to the newest schema, unless a server uses it that allows no second process."""

    async def run() -> None:
        database = Database(settings.database)
        try:
            await database.lock()
            await database.open()
        finally:
            await database.close()

    with usable_database(settings.database):
        asyncio.run(run())
