"""A server process that is killed in the middle of games, and started again."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
from websockets.exceptions import WebSocketException

from cabochon import Game, verify
from cabochon.server import protocol
from tests.server.databases import database_at
from tests.server.running import SECONDS, Client, Line, eager_move

KILLED_AT, PLAYED_UNTIL = 8, 30  # entries of the log


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ServerProcess:
    """`cabochon serve` as a process of its own, on one port and one database through all its lives."""

    def __init__(self, database: Path | str) -> None:
        self._port = free_port()
        self._database = database_at(database)
        self.url = f"http://127.0.0.1:{self._port}"
        self.start()

    def start(self) -> None:
        flags = ["--port", self._port, "--database", self._database, "--bot-pause", 0, "--bot-threads", 1]
        limits = ["--request-rate", 1000, "--message-rate", 1000, "--opening-rate", 1000, "--log-level", "warning"]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cabochon", "serve", *map(str, flags + limits)], stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + 6 * SECONDS
        while True:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"{self.url}/readyz", timeout=SECONDS).status_code == 200:
                    return
            assert self._process.poll() is None, "the server did not start"
            assert time.monotonic() < until
            time.sleep(0.02)

    def end(self, how: signal.Signals) -> int:
        self._process.send_signal(how)
        return self.wait()

    def begin_to_stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> int:
        return self._process.wait(SECONDS)


@contextlib.contextmanager
def server_process(database: Path | str) -> Iterator[ServerProcess]:
    server = ServerProcess(database)
    try:
        yield server
    finally:
        server.end(signal.SIGKILL)


class Person:
    """Plays a seat for a while, comes back when the line breaks, and remembers all that was told."""

    def __init__(self, client: Client, table_id: str) -> None:
        self._client = client
        self._table_id = table_id
        self.told: list[protocol.GameEvent] = []
        self.breaks = 0
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(6 * SECONDS)
        assert not self._thread.is_alive()
        if self.error is not None:
            raise self.error

    def _run(self) -> None:
        try:
            while not self._play():
                self.breaks += 1
                time.sleep(0.05)
        except BaseException as error:
            self.error = error
            raise

    def _play(self) -> bool:
        """Play on until the game is over, or False when the line breaks."""
        with contextlib.suppress(WebSocketException, OSError):
            line = self._client.line(self._table_id, since=len(self.told))
            return self._talk(line)
        return False

    def _talk(self, line: Line) -> bool:
        asked = -1
        while True:
            message = line.receive()
            if isinstance(message, protocol.Sync):
                assert message.since == len(self.told), "the log has all that was told"
                self.told += message.events
            elif isinstance(message, protocol.Moved):
                self.told.append(message.event)
            else:
                continue
            position = message.position
            assert len(self.told) == position.seq
            if position.outcome is not None:
                return True
            if position.legal and asked < position.seq < PLAYED_UNTIL:
                asked = position.seq
                line.play(position.seq, eager_move(position))


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 6 * SECONDS
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_killed_server_comes_back_with_everything_it_told(tmp_path: Path) -> None:
    """It is killed while people and a bot play at two tables, comes back, and is then told to stop."""
    with (
        server_process(tmp_path / "server.db") as server,
        Client(server.url, "Ada") as ada,
        Client(server.url, "Bo") as bo,
    ):
        tables = [ada.open_table("me", "open").id, ada.open_table("me", "novice", game="marvel").id]
        bo.join(tables[0])
        people = [Person(ada, tables[0]), Person(bo, tables[0]), Person(ada, tables[1])]
        wait_until(lambda: min(len(person.told) for person in people) >= KILLED_AT)
        server.end(signal.SIGKILL)
        server.start()
        wait_until(lambda: min(len(person.told) for person in people) >= PLAYED_UNTIL)
        for table_id in tables:
            ada.http.post(f"/api/tables/{table_id}/seats/0/leave").raise_for_status()
        for person in people:
            person.join()
            assert person.breaks >= 1
            assert [step.seq for step in person.told] == list(range(1, len(person.told) + 1))
        for table_id, told in zip(tables, (people[:2], people[2:]), strict=True):
            record = ada.http.get(f"/api/tables/{table_id}/record").text
            assert verify(record).is_true
            moves = [str(move) for move in Game.from_record(record).moves]
            for person in told:
                assert [step.move for step in person.told if isinstance(step, protocol.Step)] == moves
        stop_while_a_bot_thinks(server, ada)


def stop_while_a_bot_thinks(server: ServerProcess, ada: Client) -> None:
    """A server that is told to stop does so, and tells its clients to come back."""
    line = ada.line(ada.open_table("me", "master").id)
    line.play(0, line.receive().position.legal[0].move)
    line.receive_moved(1)
    assert server.end(signal.SIGTERM) in (0, -signal.SIGTERM)
    with contextlib.suppress(WebSocketException):
        while True:
            line.receive()
    assert line.socket.protocol.close_code == 1012
