"""`cabochon serve`: bind a port, open a browser, run until stopped."""

import asyncio
import gc
import socket
import threading
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from fastapi import FastAPI

from cabochon.cli.databases import usable_database
from cabochon.cli.terminal import error_console
from cabochon.errors import CabochonError
from cabochon.server.app import create_app
from cabochon.server.database import Database
from cabochon.server.http_protocol import limited_protocol
from cabochon.server.settings import Settings, allow_many_sockets
from cabochon.server.telemetry import set_up_logging

BACKLOG = 2048
SECONDS_UNREAD = 30
GRACE_SECONDS = 5  # for requests that are under way when the server stops


@dataclass(frozen=True)
class Listening:
    """Where a server listens, and what it logs."""

    host: str
    port: int
    opens_browser: bool
    log_format: str
    log_level: str
    trusted_proxies: str


class _AnnouncingServer(uvicorn.Server):
    """Prints its address as soon as it can be reached."""

    def __init__(self, config: uvicorn.Config, address: str, opens_browser: bool) -> None:
        super().__init__(config)
        self._address = address
        self._opens_browser = opens_browser

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            error_console().print(f"Cabochon is at {self._address} (stop it with Ctrl+C)", soft_wrap=True)
            if self._opens_browser:
                threading.Thread(target=webbrowser.open, args=(self._address,), daemon=True).start()
            self._freezing = asyncio.create_task(_freeze_when_warm(self.config.app))


async def _freeze_when_warm(app: Any) -> None:
    """Exclude everything loaded so far from garbage collection: scanning it would pause all clients."""
    with suppress(Exception):  # a bot that fails here is reported when it is to move
        await app.state.server.prepared()
    gc.collect()
    gc.freeze()


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 means any free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # drop a client that reads nothing
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * SECONDS_UNREAD)
    try:
        bound.bind((host, port))
        bound.listen(BACKLOG)  # fails if another server listens there
    except OSError as error:
        bound.close()
        raise CabochonError(f"expected a free address, got {host} port {port}: {error.strerror}") from error
    return bound


def url_of(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a server that listens there."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{shown}:{port}/"


def uvicorn_config(app: FastAPI, settings: Settings, trusted_proxies: str) -> uvicorn.Config:
    """Return the configuration of uvicorn."""
    server = app.state.server
    return uvicorn.Config(
        app,
        http=limited_protocol(settings.limits, server.unfinished_requests, server.request_limiter, trusted_proxies),
        ws="websockets-sansio",
        ws_max_size=settings.limits.message_bytes,
        ws_per_message_deflate=False,  # it would cost more memory and time than it saves
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=trusted_proxies or None,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def serve(settings: Settings, listening: Listening) -> None:
    """Run a server until it is stopped."""
    set_up_logging(listening.log_format, listening.log_level)
    allow_many_sockets()
    bound = bound_socket(listening.host, listening.port)
    try:
        migrate(settings)
        config = uvicorn_config(create_app(settings), settings, listening.trusted_proxies)
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
