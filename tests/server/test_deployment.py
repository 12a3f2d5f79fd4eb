"""The processes of `deploy/compose.yaml`, with its flags, behind nginx with `deploy/nginx.conf`."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from cabochon import verify
from cabochon.server import protocol
from tests.server.databases import ON_POSTGRES
from tests.server.deployment import DEPLOY, SITE, Service, replaced, services
from tests.server.postgres import PostgresServer
from tests.server.running import SECONDS, Client, Line, eager_move
from tools import nginx

NGINX = nginx.find() if shutil.which("openssl") else None
PROXY_ADDRESS = "172.28.57.2"
RESTARTED_AT = 12  # entries of the log
# The players do not wait: they have one address in common, and bots answer at once.
FOR_THE_TEST = {"CABOCHON_REQUEST_RATE": "10000", "CABOCHON_MESSAGE_RATE": "10000", "CABOCHON_BOT_PAUSE": "0"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 3 * SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


class Process:
    """A service of compose.yaml as a process of this machine, with another database, address and port."""

    def __init__(self, service: Service, database: str, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        assert service.variables["CABOCHON_DATABASE"] == "postgresql+asyncpg://cabochon:secret@postgres/cabochon"
        variables = service.variables | FOR_THE_TEST | {"CABOCHON_DATABASE": database}
        for name, old, new in (
            ("CABOCHON_HOST", "0.0.0.0", "127.0.0.1"),
            ("CABOCHON_METRICS_HOST", "0.0.0.0", "127.0.0.1"),
            ("CABOCHON_PORT", "8000", str(self.port)),
            ("CABOCHON_TRUSTED_PROXIES", PROXY_ADDRESS, "127.0.0.1"),
        ):
            if name in variables:
                assert variables[name] == old
                variables[name] = new
        del variables["PATH"], variables["CABOCHON_CACHE"]
        self._variables = os.environ | variables
        self._arguments = [str(self.port) if argument == "8000" else argument for argument in service.arguments]
        self._log = folder / f"{self.port}.log"
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            command = [sys.executable, "-m", "cabochon", *self._arguments]
            self._process = subprocess.Popen(command, env=self._variables, stderr=log)

    def wait_until_ready(self) -> None:
        def is_ready() -> bool:
            assert self._process.poll() is None, self._log.read_text()
            with contextlib.suppress(httpx.TransportError):
                return httpx.get(f"{self.url}/readyz", timeout=SECONDS).status_code == 200
            return False

        wait_until(is_ready)

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self._process.send_signal(how)
        return self._process.wait(SECONDS)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(SECONDS)

    @property
    def metrics(self) -> str:
        return httpx.get(f"{self.url}/metrics", timeout=SECONDS).text

    def metric(self, name: str) -> float:
        return sum(float(line.split()[-1]) for line in self.metrics.splitlines() if line.startswith(f"{name} "))

    def counts(self, processes: int) -> bool:
        """Whether the process counts so many processes as alive."""
        return self.metric("cabochon_processes") == processes

    def check_health(self) -> None:
        """Run the health check of the image."""
        found = re.search(r'CMD \["python", "-c", "(.*)"\]', (DEPLOY / "Dockerfile").read_text(encoding="utf-8"))
        assert found is not None
        check = replaced(found[1], {"127.0.0.1:8000": f"127.0.0.1:{self.port}"})
        subprocess.run([sys.executable, "-c", check], check=True)


class Nginx:
    """nginx with our configuration, in a folder of its own."""

    def __init__(self, path: str, folder: Path, ports: dict[str, int]) -> None:
        self._folder = folder
        self._make_certificate()
        self.port, self.plain_port = free_port(), free_port()
        text = replaced(
            (DEPLOY / "nginx.conf").read_text(encoding="utf-8"),
            {f"{name}:8000": f"127.0.0.1:{port}" for name, port in ports.items()}
            | {
                " /tmp/": f" {folder}/",
                "/etc/nginx/certificate/": f"{folder}/",
                "listen 8080 default_server": f"listen 127.0.0.1:{self.plain_port}",
                "listen 8443 ssl default_server": f"listen 127.0.0.1:{self.port} ssl",
            },
        )
        configuration = folder / "nginx.conf"
        configuration.write_text(text, encoding="utf-8")
        command = [path, "-p", str(folder), "-c", str(configuration)]
        checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr
        self.url = f"https://localhost:{self.port}"
        with (folder / "nginx.log").open("w") as log:
            self._process = subprocess.Popen([*command, "-g", "daemon off;"], stderr=log)
        wait_until(self._accepts)

    def _make_certificate(self) -> None:
        files = ("-keyout", str(self._folder / "privkey.pem"), "-out", str(self._folder / "fullchain.pem"))
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        name = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
        subprocess.run(["openssl", "req", "-x509", "-days", "2", *key, *name, *files], capture_output=True, check=True)

    @property
    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self._folder / "fullchain.pem"))

    def _accepts(self) -> bool:
        assert self._process.poll() is None, (self._folder / "nginx.log").read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
            return True
        return False

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(SECONDS)


class OwnProxy:
    """Where there is no nginx: passes every connection through to the first of the servers that accepts it."""

    tls = None

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        starting = asyncio.start_server(self._pass_through, "127.0.0.1", 0)
        self._server = asyncio.run_coroutine_threadsafe(starting, self._loop).result(SECONDS)
        self.url = f"http://localhost:{self._server.sockets[0].getsockname()[1]}"

    async def _pass_through(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for port in self._ports:
            with contextlib.suppress(OSError):
                reader_behind, writer_behind = await asyncio.open_connection("127.0.0.1", port)
                await asyncio.gather(_copy(reader, writer_behind), _copy(reader_behind, writer))
                return
        writer.close()

    def close(self) -> None:
        async def stop() -> None:
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), self._loop).result(SECONDS)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(SECONDS)
        self._loop.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
    finally:
        writer.close()


class Player:
    """A person at a table, who remembers all that was told, and can come back."""

    line: Line
    position: protocol.Position

    def __init__(self, client: Client, table_id: str) -> None:
        self.client = client
        self.events: list[protocol.GameEvent] = []
        self._table_id = table_id
        self.connect()

    def connect(self) -> None:
        """Open a line, as often as necessary."""
        until = time.monotonic() + SECONDS
        while True:
            try:
                self.line = self.client.line(self._table_id, since=len(self.events))
                self.follow(0)
                return
            except (ConnectionClosed, InvalidHandshake, OSError, EOFError):
                assert time.monotonic() < until
                time.sleep(0.02)

    def follow(self, seq: int) -> None:
        """Receive at least one position, and all up to this one."""
        while True:
            message = self.line.receive()
            if isinstance(message, protocol.Sync):
                assert message.since == len(self.events)
                self.events += message.events
            elif isinstance(message, protocol.Moved):
                self.events.append(message.event)
            else:
                assert not isinstance(message, protocol.Refused), message
                continue
            self.position = message.position
            assert self.position.seq == len(self.events)
            if self.position.seq >= seq:
                return

    def is_cut_off(self) -> bool:
        """Receive until the server closes the line."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                self.follow(0)
        return self.line.socket.protocol.close_code == 1012


def play(players: list[Player], until: float) -> None:
    """Let all play until the game is over, or the log is so long."""
    while True:
        seq = max(player.position.seq for player in players)
        for player in players:
            if player.position.seq < seq:
                player.follow(seq)
        if seq >= until or players[0].position.outcome is not None:
            return
        for player in players:
            if player.position.legal:
                player.line.play(seq, eager_move(player.position))
        for player in players:
            player.follow(seq + 1)


@pytest.fixture
def processes(postgres: PostgresServer, tmp_path: Path) -> Iterator[dict[str, Process]]:
    with postgres.database() as database, ExitStack() as stack:
        found = {}
        for name, service in services().items():
            found[name] = stack.enter_context(closing(Process(service, database, tmp_path)))
            if len(found) == 1:
                found[name].wait_until_ready()  # it migrates the database
        for process in found.values():
            process.wait_until_ready()
        yield found


@ON_POSTGRES
@pytest.mark.parametrize("proxy_name", ["nginx" if NGINX else "own proxy"])
def test_people_and_a_bot_play_through_the_proxy(
    processes: dict[str, Process], tmp_path: Path, proxy_name: str
) -> None:
    """They are at one server; it restarts; one of them comes back to the other server, and one to the same."""
    servers = {name: process for name, process in processes.items() if name.startswith("server")}
    ports = {name: process.port for name, process in servers.items()}
    with ExitStack() as stack:
        proxy: Nginx | OwnProxy
        proxy = Nginx(NGINX, tmp_path, ports) if NGINX else OwnProxy(list(ports.values()))
        stack.enter_context(closing(proxy))
        ada, bo = (stack.enter_context(Client(proxy.url, name, proxy.tls)) for name in ("Ada", "Bo"))
        if isinstance(proxy, Nginx):
            check_proxy(proxy, ada)
        table_id = ada.open_table("me", "open", "novice").id
        bo.join(table_id)
        players = [Player(ada, table_id), Player(bo, table_id)]
        home, other = sorted(servers.values(), key=lambda server: -server.metric("cabochon_sockets"))
        assert (home.metric("cabochon_sockets"), other.metric("cabochon_sockets")) == (2, 0)
        play(players, RESTARTED_AT)

        home.end()
        assert all(player.is_cut_off() for player in players)
        players[0].connect()
        for _ in range(10):
            assert ada.http.get("/api/lobby").status_code == 200
        ada.open_table("me", "novice")
        home.start()
        home.wait_until_ready()
        players[1].connect()
        while home.metric("cabochon_sockets") == 0:  # the proxy does not know yet that it is back
            players[1].line.close()
            players[1].connect()
        wait_until(lambda: other.metric("cabochon_sockets") == 1)
        play(players, float("inf"))

        assert players[0].position.outcome == players[1].position.outcome is not None
        assert [event.seq for event in players[0].events] == list(range(1, players[0].position.seq + 1))
        assert verify(ada.http.get(f"/api/tables/{table_id}/record").text).is_true
        wait_for_analysis(bo, table_id)
        for process in servers.values():
            assert process.metric('cabochon_notices_total{direction="sent"}') > 0
            wait_until(partial(process.counts, 3))
        assert processes["thinker"].metric('cabochon_bot_seconds_count{level="novice"}') > 0
    for process in processes.values():
        process.check_health()
        assert process.end() in (0, -signal.SIGTERM)


def check_proxy(proxy: Nginx, ada: Client) -> None:
    """The proxy speaks HTTPS, tells the servers so, and keeps the metrics to itself."""
    answer = httpx.get(f"http://127.0.0.1:{proxy.plain_port}/games", headers={"Host": SITE["HOST_NAME"]})
    assert (answer.status_code, answer.headers["location"]) == (301, "https://play.example/games")
    assert all(cookie.secure for cookie in ada.http.cookies.jar)
    assert ada.http.get("/healthz", headers={"Host": "play.example"}).status_code == 200
    assert ada.http.get("/healthz", headers={"Host": "other.example"}).status_code == 403
    for path in ("/metrics", "//metrics", "/%6detrics", "/x/../metrics", "/metrics/"):
        plain = socket.create_connection(("127.0.0.1", proxy.port), SECONDS)
        with proxy.tls.wrap_socket(plain, server_hostname="localhost") as connection:
            connection.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            assert connection.recv(65536).startswith(b"HTTP/1.1 403 ")


def wait_for_analysis(client: Client, table_id: str) -> None:
    """Request an analysis, which the thinker computes, until it has begun to come."""

    def has_judgements() -> bool:
        answer = client.http.get(f"/api/tables/{table_id}/analysis")
        assert answer.status_code == 200, answer.text
        return bool(protocol.Analysis.model_validate_json(answer.text).judgements)

    wait_until(has_judgements)
