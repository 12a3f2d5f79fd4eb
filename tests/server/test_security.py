"""What an attacker may try over the network, and that it fails."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from cabochon import Game
from cabochon.core.cards import VARIANTS
from cabochon.server import protocol
from cabochon.server.authentication import COOKIE
from cabochon.server.telemetry import set_up_logging
from tests.server.running import (
    GENEROUS,
    Client,
    Line,
    RunningServer,
    eager_move,
    error_of,
    exchange,
    info,
    refused,
    running,
    settings_for,
)

MARKUP = "<img src=x onerror=a()>"


QUOTES = "\"}]' OR 1=1;--</script>"


@pytest.fixture(scope="module")
def hosted(module_folder: Path) -> Iterator[RunningServer]:
    """A server that is known by two names."""
    names = {"allowed_hosts": ("play.example",), "public_origins": ("https://games.example",)}
    with running(settings_for(module_folder, **names)) as server:
        yield server


def table_of_two(ada: Client, bo: Client) -> protocol.TableInfo:
    table = ada.open_table("me", "open")
    return bo.join(table.id)


def codes(line: Line) -> list[str]:
    return [message.error.code for message in line.drain() if isinstance(message, protocol.Refused)]


def test_nobody_acts_for_a_seat_that_is_not_theirs(ada: Client, bo: Client, stranger: Client) -> None:
    table = table_of_two(ada, bo)
    for client, wanted in ((bo, "not_your_turn"), (stranger, "not_yours")):
        line = client.line(table.id)
        line.drain()
        for message in ({"type": "play", "seq": 0, "move": "take wbg"}, {"type": "play", "seq": 0, "move": "buy 1.1"}):
            line.send(**message)
        assert codes(line) == [wanted, wanted]
        for extra in ({"seat": 0}, {"guest": "x"}, {"as": 0}):
            line.send(type="play", seq=0, move="take wbg", **extra)
        assert codes(line) == ["malformed"] * 3
    assert info(ada.http.get(f"/api/tables/{table.id}")).seq == 0


@pytest.mark.parametrize("game", VARIANTS)
def test_no_action_of_a_whole_game_is_taken_from_another_seat(
    ada: Client, bo: Client, stranger: Client, game: str
) -> None:
    """At every decision, the other player and a spectator try every legal move, and to undo the last one."""
    table = ada.open_table("me", "open", game=game).id
    bo.join(table)
    lines = [ada.line(table), bo.line(table)]
    watching = stranger.line(table)
    positions = [line.receive().position for line in lines]
    while positions[0].outcome is None:
        seat, seq = positions[0].view.seat, positions[0].seq
        legal = [move.move for move in positions[seat].legal]
        for line, code in ((lines[1 - seat], "not_your_turn"), (watching, "not_yours")):
            line.drain()
            for move in legal:
                line.play(seq, move)
            assert codes(line) == [code] * len(legal)
        watching.send(type="undo", seq=seq)
        assert codes(watching) == ["not_yours"]
        lines[seat].play(seq, eager_move(positions[seat]))
        positions = [line.receive_moved(seq + 1).position for line in lines]
        assert positions[0].seq == seq + 1


MESSAGES: tuple[dict[str, Any], ...] = (
    {"type": "play", "seq": 0, "move": "take wbg", "id": "1"},
    {"type": "undo", "seq": 0},
    {"type": "say", "phrase": "hello"},
    {"type": "catch_up", "since": 0},
    {"type": "ping"},
)
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 10**30, 1.5, "", "x" * 100, "\0", [], [[]], {}, {"type": "play"}),
    *("take wbg; 1.1=7", "leave left"),
)


def test_malformed_messages_by_the_hundred_change_nothing(ada: Client, bo: Client) -> None:
    table = table_of_two(ada, bo)
    line = ada.line(table.id)
    line.receive()
    frames = ["", "{", "null", "[]", "0", '"play"', "{}", "\ufeff{}", "[" * 500, '{"type":"play","type":"undo"}']
    for message in MESSAGES:
        for name, value in product((*message, "seat", "guest", "__class__"), VALUES):
            if name != "id" or not isinstance(value, str):
                frames.append(json.dumps(message | {name: value}))
        needed = [name for name in message if name != "id"]
        frames += [json.dumps({key: message[key] for key in message if key != name}) for name in needed]
    assert len(frames) > 300
    for frame in frames:
        line.socket.send(frame)
    refusals = codes(line)
    assert len(refusals) == len(frames)
    assert set(refusals) == {"malformed", "illegal"}, "a move with its reveals is no move"
    assert info(ada.http.get(f"/api/tables/{table.id}")).seq == 0


def test_nobody_leaves_sits_or_closes_for_another(ada: Client, bo: Client) -> None:
    table = table_of_two(ada, bo)
    waiting = ada.open_table("me", "open", "open")
    with Client(ada.url, "Eve") as eve:
        attempts = [eve.http.post(f"/api/tables/{table.id}/seats/{seat}/leave") for seat in (0, 1)] + [
            eve.http.delete(f"/api/tables/{waiting.id}/seats/0"),
            eve.http.put(f"/api/tables/{waiting.id}/seats/0", json={"kind": "bot"}),
            eve.http.delete(f"/api/tables/{waiting.id}"),
            eve.http.post(f"/api/tables/{waiting.id}/join", json={"seat": 0}),
            eve.http.post(f"/api/tables/{table.id}/join", json={}),
        ]
        assert {refused(answer) for answer in attempts} == {(403, "not_yours")}
    assert info(ada.http.get(f"/api/tables/{table.id}")).status == "playing"
    assert [seat.kind for seat in info(ada.http.get(f"/api/tables/{waiting.id}")).seats] == ["person", "open", "open"]


def test_a_guest_is_not_found_by_guessing(server: RunningServer, ada: Client) -> None:
    secret = ada.http.cookies[COOKIE]
    me = ada.http.get("/api/me").json()["guest"]
    for guess in (secret[:-1], secret.swapcase(), secret + "A", me["id"], me["nickname"], "%", "null", "0"):
        answer = httpx.get(f"{server.url}/api/me", headers={"Cookie": f"{COOKIE}={guess}"})
        assert answer.json() == {"guest": None}, guess
    for guess in ("x", "A" * 43, secret, me["id"]):
        claim = httpx.post(f"{server.url}/api/claims", json={"key": guess.ljust(16, "x")})
        assert refused(claim) == (404, "not_found"), guess


def hidden_cards(position: protocol.Position, seat: int) -> list[int | None]:
    return [held.card for held in position.view.seats[seat].reserved if held.blind]


def test_blind_cards_stay_hidden_whatever_is_asked(ada: Client, bo: Client, stranger: Client) -> None:
    table = table_of_two(ada, bo)
    line = ada.line(table.id)
    line.play(0, "reserve 1")
    (card,) = hidden_cards(line.receive_moved(1).position, 0)
    mention = rf'"card":{card}\b'
    assert re.search(mention, line.frames[-1]), "who drew it knows it"
    for client in (bo, stranger):
        for since in (0, 1, 5):
            other = client.line(table.id, since)
            for answer in (other.receive(), other.ask(type="catch_up", since=0)):
                assert not isinstance(answer, protocol.Sync) or hidden_cards(answer.position, 0) == [None]
            assert not re.search(mention, "".join(other.frames))
            other.close()
        for path in ("record", "replay", "replay?viewer=0", "replay?viewer=1"):
            assert refused(client.http.get(f"/api/tables/{table.id}/{path}")) == (409, "not_playing")
        with pytest.raises(ConnectionClosed):
            client.line(table.id, seat=0).receive()


def test_who_has_left_sees_no_card_that_the_bot_draws(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "novice")
    bo.join(table.id)
    line = ada.line(table.id, seat=0)
    line.play(0, "reserve 1")
    line.receive_moved(1)
    assert ada.http.post(f"/api/tables/{table.id}/seats/0/leave").status_code == 200
    line.drain()
    for look in (line.ask(type="catch_up", since=0), ada.line(table.id).receive()):
        assert look.position.view.viewer is None
        assert hidden_cards(look.position, 0) == [None]
    with pytest.raises(ConnectionClosed):
        ada.line(table.id, seat=0).receive()
    line.play(1, "take wbg")
    assert codes(line) == ["not_yours"]


def test_old_messages_do_nothing_again(ada: Client, bo: Client) -> None:
    table = table_of_two(ada, bo)
    first, second = ada.line(table.id), bo.line(table.id)
    sent = []
    for seq, line, move in (
        (0, first, "take wbg"),
        (1, second, "take wbg"),
        (2, first, "take wrk"),
        (3, second, "take brk"),
    ):
        line.play(seq, move)
        line.receive_moved(seq + 1)
        sent.append((line, json.dumps({"type": "play", "seq": seq, "move": move})))
    for line in (first, second):
        line.drain()
    for line, (_, frame) in product((first, second), sent):
        line.socket.send(frame)
    for line in (first, second):
        for message in line.drain():
            assert isinstance(message, protocol.Sync | protocol.Refused), "one's own, or stale"
    now = info(ada.http.get(f"/api/tables/{table.id}"))
    assert (now.seq, now.status) == (4, "playing")


def test_a_flood_ends_the_line_of_who_sends_it_alone(tmp_path: Path) -> None:
    limits = replace(GENEROUS, message_rate=0.001, message_burst=20, refused_in_a_row=30, phrase_rate=0.001)
    with (
        running(settings_for(tmp_path, limits=limits)) as server,
        Client(server.url, "Ada") as ada,
        Client(server.url, "Eve") as eve,
    ):
        table = table_of_two(ada, eve)
        line = ada.line(table.id)
        assert code_of_flood(eve.line(table.id)) == 4429
        heard = [message for message in line.drain() if isinstance(message, protocol.Said)]
        assert len(heard) == limits.phrase_burst
        line.play(0, "take wbg")
        assert line.receive_moved(1).position.seq == 1


def code_of_flood(line: Line) -> int | None:
    """Say more than anybody wants to hear; how the socket was closed."""
    try:
        for number in range(200):
            line.send(type="say", phrase="hello", id=str(number))
        while True:
            line.receive()
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd is not None else None


@pytest.mark.parametrize("nickname", [MARKUP, QUOTES, "{{7*7}}", "\\u003cb\\u003e"])
def test_a_nickname_is_data_wherever_it_goes(ada: Client, server: RunningServer, nickname: str) -> None:
    with Client(server.url, nickname) as eve:
        table = eve.open_table("me", "open", visibility="public")
        lobby = ada.http.get("/api/lobby")
        assert lobby.headers["content-type"] == "application/json"
        assert lobby.headers["x-content-type-options"] == "nosniff"
        assert nickname in [waiting["host"] for waiting in lobby.json()["tables"]]
        ada.join(table.id)
        line = ada.line(table.id)
        sync = line.receive()
        assert sync.table.seats[0].name == nickname
        assert sync.position.view.seats[0].name == nickname
        assert eve.http.post(f"/api/tables/{table.id}/seats/0/leave").status_code == 200
        record = ada.http.get(f"/api/tables/{table.id}/record")
        assert record.headers["content-type"].startswith("text/plain")
        assert record.headers["content-disposition"].startswith("attachment")
        assert Game.from_record(record.text).names[0] == nickname


def test_nobody_at_a_table_looks_like_somebody_else(ada: Client, server: RunningServer) -> None:
    alike = "Ad\N{CYRILLIC SMALL LETTER A}"
    with Client(server.url, alike) as eve:
        table = ada.open_table("me", "Ada", "open")
        assert [seat.name for seat in eve.join(table.id).seats] == ["Ada", "Ada 2", f"{alike} 3"]
        me = eve.http.get("/api/me").json()["guest"]["id"]
        seats = [{"kind": "me"}, {"kind": "open", "kept_for": me}]
        kept = ada.http.post("/api/tables", json={"game": "splendor", "seats": seats, "order": "given"}).json()["id"]
        assert [seat.name for seat in eve.join(kept).seats] == ["Ada", f"{alike} 2"]


def test_every_answer_has_the_security_headers(ada: Client) -> None:
    for path in ("/", "/api/me", "/healthz", "/nowhere.js", "/api/nowhere"):
        headers = ada.http.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "server" not in headers
    assert ada.http.get("/api/me").headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_page_from_elsewhere_changes_nothing(stranger: Client, headers: dict[str, str]) -> None:
    answer = stranger.http.put("/api/me", json={"nickname": "Eve"}, headers=headers)
    assert (answer.status_code, error_of(answer).code) == (403, "origin")
    assert "set-cookie" not in answer.headers
    assert stranger.http.get("/api/me", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("192.168.1.5:8000", 200),
        ("play.example", 200),
        ("Games.Example:8000", 200),
        ("rebound.example", 403),
        ("127.0.0.1.rebound.example:8000", 403),
        ("localhost.rebound.example", 403),
        ("[", 403),
    ],
)
def test_only_hosts_of_the_settings_are_answered(hosted: RunningServer, host: str, status: int) -> None:
    """Otherwise a name that is pointed at a server on loopback would make a foreign page the server's own."""
    assert httpx.get(f"{hosted.url}/api/me", headers={"Host": host}).status_code == status


def test_a_socket_for_another_host_is_refused(server: RunningServer) -> None:
    start = (
        b"GET /api/tables/x/socket HTTP/1.1\r\nHost: rebound.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    )
    key = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    assert exchange(server.url, start + key).startswith(b"HTTP/1.1 403 ")


@pytest.mark.parametrize(
    ("header", "status"),
    [(b"Content-Length: " + b"0" * 5_000 + b"2", 413), (b"Content-Length: 2\r\nOrigin: http://[", 403)],
    ids=["length", "origin"],
)
def test_a_header_that_cannot_be_parsed_is_refused_like_any_other(
    server: RunningServer, header: bytes, status: int
) -> None:
    start = b"PUT /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    answer = exchange(server.url, start + header + b"\r\n\r\n{}")
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"content-security-policy: default-src 'none'" in answer.lower()


@pytest.mark.usefixtures("_own_logging")
def test_a_message_that_is_not_utf_8_ends_its_line_without_a_traceback(ada: Client) -> None:
    stream = io.StringIO()
    set_up_logging("text", "warning", stream)
    line = ada.line(ada.open_table("me", "open").id)
    line.receive()
    line.socket.send(b"\xff\xfe", text=True)
    with pytest.raises(ConnectionClosed) as closed:
        line.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1007
    assert stream.getvalue() == ""


def test_our_own_page_may_ask_and_so_may_one_that_was_named(tmp_path: Path) -> None:
    plain = settings_for(tmp_path, public_origins=("https://play.example",))
    with running(plain) as server, Client(server.url) as client:
        for origin, status in ((server.url, 200), ("https://play.example", 200), ("https://other.example", 403)):
            answer = client.http.put("/api/me", json={"nickname": "Ada"}, headers={"Origin": origin})
            assert answer.status_code == status


def test_the_cookie_is_for_https_alone_where_that_is_wanted(tmp_path: Path) -> None:
    with running(settings_for(tmp_path, is_cookie_secure=True)) as server:
        answer = httpx.put(f"{server.url}/api/me", json={"nickname": "Ada"})
        assert "Secure" in answer.headers["set-cookie"].split("; ")


def chunks(size: int) -> Iterator[bytes]:
    for _ in range(size // 1000):
        yield b"x" * 1000


def test_a_body_that_is_too_large_is_refused(stranger: Client) -> None:
    declared = stranger.http.put("/api/me", content=b"x" * 20_000)
    assert (declared.status_code, error_of(declared).code) == (413, "too_large")
    undeclared = stranger.http.put("/api/me", content=chunks(20_000), headers={"Content-Type": "application/json"})
    assert (undeclared.status_code, error_of(undeclared).code) == (413, "too_large")
