"""Programs that play with a token."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from cabochon.server import protocol
from cabochon.server.guests import BotTokens, Guest
from tests.server.running import SECONDS, Client, Line, RunningServer, refused, running, settings_for

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "online_bot.py"


def token_for(client: Client, name: str = "robot") -> protocol.GivenBotToken:
    answer = client.http.post("/api/me/tokens", json={"name": name})
    assert answer.status_code == 201, answer.text
    return protocol.GivenBotToken.model_validate_json(answer.text)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_the_example_plays_a_whole_game(server: RunningServer, ada: Client, bo: Client) -> None:
    assert len(EXAMPLE.read_text(encoding="utf-8").splitlines()) < 60
    table = ada.open_table("novice", "open")
    command = [sys.executable, str(EXAMPLE), server.url, token_for(bo).token, table.id]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5 * SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    (game,) = protocol.History.model_validate_json(bo.http.get("/api/me/history").text).games
    assert done.stdout.splitlines()[1:] == [f"{table.id} places: {' '.join(str(seat.place) for seat in game.seats)}"]
    assert [seat.name for seat in game.seats] == ["Novice", "Bo"]


TABLE = {"id": "t", "status": "waiting", "seats": [{"is_kept": True, "is_yours": True}]}
ANSWERS: list[tuple[str, int, object]] = [  # what is asked for, and the status and the body; 0 is that the line breaks
    ("/api/me", 200, {"guest": {"id": "robot"}}),
    ("/api/tables", 429, {}),
    ("/api/tables", 503, {}),
    ("/api/tables", 0, {}),
    ("/api/tables", 200, {"tables": [TABLE]}),
    ("/api/tables/t/join", 0, {}),
    ("/api/tables/t/join", 200, {}),
    ("/api/tables/t/socket", 502, {}),
    ("/api/tables/t/join", 200, {}),
    ("/api/tables/t/socket", 0, {}),
    ("/api/tables/t/join", 409, {"error": "closed"}),
    ("/api/tables", 401, {}),
]


def test_the_example_outlives_a_server_that_is_away_or_busy() -> None:
    asked: list[str] = []

    class Scripted(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(self.path)
            _, status, body = ANSWERS[min(len(asked), len(ANSWERS)) - 1]
            self.close_connection = True
            if status > 0:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

        def do_POST(self) -> None:
            self.do_GET()

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Nothing: the test says what is wrong."""

    with HTTPServer(("127.0.0.1", 0), Scripted) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            command = [sys.executable, str(EXAMPLE), f"http://127.0.0.1:{server.server_port}", "token"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=5 * SECONDS, check=False)
        finally:
            server.shutdown()
            thread.join()
    assert asked == [path for path, _, _ in ANSWERS], done.stderr
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    assert "401 Unauthorized" in done.stderr
    assert done.stdout.splitlines()[1:] == ['t {"error": "closed"}']


def test_the_example_says_what_is_wrong(server: RunningServer, bo: Client) -> None:
    for url, token, reason in (
        (server.url, "nonsense", "401 Unauthorized"),
        ("http://127.0.0.1:9", "nonsense", "Connection refused"),
    ):
        command = [sys.executable, str(EXAMPLE), url, token]
        done = subprocess.run(command, capture_output=True, text=True, timeout=5 * SECONDS, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (1, False)
        assert reason in done.stderr


def test_a_token_stands_for_its_guest_until_it_is_revoked(server: RunningServer, bo: Client) -> None:
    given = token_for(bo)
    with httpx.Client(base_url=server.url, headers=bearer(given.token)) as program:
        assert program.get("/api/me").json()["guest"]["nickname"] == "Bo"
        listed = protocol.BotTokens.model_validate_json(bo.http.get("/api/me/tokens").text).tokens
        assert listed == [given.info]
        assert given.token not in bo.http.get("/api/me/tokens").text
        left = bo.http.delete(f"/api/me/tokens/{given.info.id}")
        assert (left.status_code, left.json()) == (200, {"tokens": []})
        assert refused(program.get("/api/me")) == (401, "no_guest")
        assert refused(program.get("/api/me", headers={"Cookie": bo.cookie})) == (401, "no_guest")
    assert refused(bo.http.delete(f"/api/me/tokens/{given.info.id}")) == (404, "not_found")


def test_the_sockets_of_a_revoked_token_are_closed(server: RunningServer, ada: Client, bo: Client) -> None:
    given, kept = token_for(bo), token_for(bo, "another")
    table = ada.open_table("me", "open")
    bo.join(table.id)
    address = f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket"
    with (
        connect(address, additional_headers=bearer(given.token)) as revoked,
        connect(address, additional_headers=bearer(kept.token)) as other,
    ):
        lines = [Line(revoked), Line(other), bo.line(table.id)]
        for line in lines:
            line.drain()
        bo.http.delete(f"/api/me/tokens/{given.info.id}").raise_for_status()
        with pytest.raises(ConnectionClosed) as closed:
            lines[0].receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4401
        for line in lines[1:]:
            assert line.ask(type="ping") == protocol.Pong(), "only those of the token itself"
    with pytest.raises(InvalidStatus):
        connect(address, additional_headers=bearer(given.token))
    sockets = server.app.state.server.token_connections
    until = time.monotonic() + SECONDS  # the server hears of those that were closed here in a moment
    while sockets.keys and time.monotonic() < until:
        time.sleep(0.01)
    assert not sockets.keys


def test_a_token_that_is_revoked_during_the_handshake_is_of_no_use(
    server: RunningServer, bo: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, table = token_for(bo), bo.open_table("me", "novice")
    find = BotTokens.owner

    async def revoked_meanwhile(tokens: BotTokens, secret: str) -> Guest | None:
        guest = await find(tokens, secret)
        assert guest is not None
        digest = await tokens.remove(guest, given.info.id)
        assert digest is not None
        server.app.state.server.close_token(digest)
        return guest

    monkeypatch.setattr(BotTokens, "owner", revoked_meanwhile)
    address = f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket"
    with connect(address, additional_headers=bearer(given.token)) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(SECONDS)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4401


def test_a_token_cannot_make_itself_last(server: RunningServer, ada: Client, bo: Client) -> None:
    given = token_for(bo)
    with httpx.Client(base_url=server.url, headers=bearer(given.token)) as program:
        for method, path in (("GET", "/api/me/tokens"), ("POST", "/api/me/tokens"), ("POST", "/api/me/link")):
            answer = program.request(method, path, json={"name": "another"} if path.endswith("tokens") else None)
            assert refused(answer) == (401, "no_guest"), path
    assert refused(ada.http.delete(f"/api/me/tokens/{given.info.id}")) == (404, "not_found"), "of somebody else"


def test_tokens_cannot_be_guessed(server: RunningServer, bo: Client) -> None:
    given, table = token_for(bo), bo.open_table("me", "novice")
    guesses = [given.token[:-1], f"{given.token}x", given.info.id, "*", "%", given.token.swapcase(), "' OR 1=1 --"]
    for guess in guesses:
        assert refused(httpx.get(f"{server.url}/api/tables", headers=bearer(guess))) == (401, "no_guest"), guess
        with pytest.raises(InvalidStatus) as closed:
            connect(
                f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket", additional_headers=bearer(guess)
            )
        assert closed.value.response.status_code == 403


def test_one_has_only_so_many_tokens(tmp_path: Path) -> None:
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada:
        for number in range(10):
            token_for(ada, f"robot {number}")
        assert refused(ada.http.post("/api/me/tokens", json={"name": "one more"})) == (409, "limit_reached")
