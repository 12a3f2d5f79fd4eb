"""The conversation over real sockets: what is refused, what is caught up, and who is kept waiting."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from cabochon.server import protocol
from cabochon.server.settings import Limits
from cabochon.server.sockets import CloseCode
from tests.server.running import GENEROUS, SECONDS, Client, Line, RunningServer, running, settings_for


def refusal(line: Line, **message: Any) -> tuple[str, str | None, str]:
    """The code, the rule and the reference of the refusal of a message."""
    answer = line.ask(**message)
    assert isinstance(answer, protocol.Refused), answer
    assert answer.seq == line_seq(line)
    return answer.error.code, answer.error.rule, answer.id


def line_seq(line: Line) -> int:
    """How long the log was in the last position that came."""
    positions = [json.loads(frame).get("position") for frame in line.frames]
    return max(int(position["seq"]) for position in positions if position)


def test_messages_that_are_refused(ada: Client, bo: Client, stranger: Client) -> None:
    table = ada.open_table("me", "open")
    lines = [client.line(table.id) for client in (ada, stranger)]
    for line in lines:
        assert line.receive().table.status == "waiting"
    assert lines[0].receive().table.watching == 1
    assert refusal(lines[0], type="play", seq=0, move="take wbg", id="a") == ("not_playing", None, "a")
    bo.join(table.id)
    lines.append(bo.line(table.id))
    for line in lines:
        while not isinstance(message := line.receive(), protocol.Sync):
            pass
        assert message.table.status == "playing"
    for line in lines[:2]:
        assert isinstance(line.receive(), protocol.TableChanged)  # Bo is there
    first, spectator, second = lines
    assert refusal(first, type="play", seq=0, move="take wwb", id="b") == ("illegal", "TRN-2", "b")
    assert refusal(first, type="play", seq=0, move="pass", id="c") == ("illegal", "TRN-9", "c")
    assert refusal(first, type="play", seq=0, move="dance", id="d") == ("malformed", None, "d")
    assert refusal(first, type="play", seq=1, move="take wbg", id="e") == ("stale", None, "e")
    assert refusal(first, type="undo", seq=0, id="f") == ("cannot_undo", None, "f")
    assert refusal(second, type="play", seq=0, move="take wbg", id="g") == ("not_your_turn", "SET-10", "g")
    assert refusal(spectator, type="play", seq=0, move="take wbg", id="h") == ("not_yours", None, "h")
    first.play(0, "take wbg", "i")
    for line in lines:
        assert line.receive().event.move == "take wbg"
    assert refusal(first, type="play", seq=0, move="take bgr", id="j") == ("stale", None, "j")
    again = first.ask(type="play", seq=0, move="take wbg", id="k")
    assert isinstance(again, protocol.Sync)
    assert [event.seq for event in again.events] == [1]
    assert refusal(second, type="play", seq=0, move="take wbg", id="l") == ("stale", None, "l")


def test_of_two_sockets_that_race_one_wins(ada: Client, bo: Client) -> None:
    """Two screens of the same seat send different moves for the same moment, again and again."""
    table = ada.open_table("me", "open")
    bo.join(table.id)
    screens, other = [ada.line(table.id), ada.line(table.id)], bo.line(table.id)
    for line in (*screens, other):
        line.drain()
    for seq in range(0, 20, 2):
        barrier = threading.Barrier(2)

        def send(line: Line, move: str, barrier: threading.Barrier = barrier, seq: int = seq) -> None:
            barrier.wait()
            line.play(seq, move)

        threads = [threading.Thread(target=send, args=(screens[n], ("take wbg", "take bgr")[n])) for n in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        answers = [screen.drain() for screen in screens]
        answers = [messages + screen.drain() for messages, screen in zip(answers, screens, strict=True)]
        moved = [[m.event for m in messages if isinstance(m, protocol.Moved)] for messages in answers]
        refused = [m.error.code for messages in answers for m in messages if isinstance(m, protocol.Refused)]
        assert moved[0] == moved[1] == [other.receive_moved(seq + 1).event]
        assert refused == ["stale"]
        screens[0].send(type="undo", seq=seq + 1)
        for line in (*screens, other):
            assert isinstance(line.receive_moved(seq + 2).event, protocol.Undone)


def test_a_client_that_was_away_gets_what_it_missed(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    lines = [ada.line(table.id), bo.line(table.id)]
    for line in lines:
        line.drain()
    for seq, move in enumerate(["take wbg", "reserve 2", "take wbr", "take wbg"]):
        lines[seq % 2].play(seq, move)
        for line in lines:
            line.receive_moved(seq + 1)
    lines[1].close()
    lines[0].play(4, "reserve 1")
    missed = lines[0].receive_moved(5).event
    assert isinstance(missed, protocol.Step)
    assert missed.card is not None
    for since in (0, 3, 4, 5, 99):
        back = bo.line(table.id, since=since).receive()
        assert isinstance(back, protocol.Sync)
        assert back.since == min(since, 5)
        assert [event.seq for event in back.events] == list(range(back.since + 1, 6))
        assert back.position.view.viewer == 1
        assert back.position.seq == 5
        if back.events:
            assert back.events[-1] == missed.model_copy(update={"card": None})
    lines[0].drain()
    lines[0].send(type="catch_up", since=4)
    (asked,) = lines[0].drain()
    assert asked.events == [missed]


def malformed_messages(count: int) -> list[str | bytes]:
    """Text and bytes that are no messages of the protocol: made up, cut, and changed at random."""
    chance = random.Random(2026)
    good: list[dict[str, Any]] = [
        {"type": "play", "seq": 0, "move": "take wbg", "id": "x"},
        {"type": "undo", "seq": 0, "id": "x"},
        {"type": "catch_up", "since": 0},
        {"type": "ping"},
    ]
    odd: list[Any] = [None, True, -1, 10**30, 1.5, "", "x" * 1000, [], {}, [[]], {"a": 1}, "\u0000", "😀", "take wbg"]

    def make() -> str | bytes:
        kind = chance.randrange(7)
        message = dict(chance.choice(good))
        if kind == 0:  # a field of the wrong kind
            message[chance.choice(list(message))] = chance.choice(odd)
        elif kind == 1:  # a field too many
            message[chance.choice(["seat", "__proto__", "viewer", "type2", ""])] = chance.choice(odd)
        elif kind == 2:  # a field too few
            message.pop(chance.choice(list(message)))
        elif kind == 3:  # cut off
            text = json.dumps(message)
            return text[: chance.randrange(len(text))]
        elif kind == 4:  # a letter changed
            letters = list(json.dumps(message))
            letters[chance.randrange(len(letters))] = chr(chance.randrange(1, 0xD7FF))
            return "".join(letters)
        elif kind == 5:  # bytes
            return chance.randbytes(chance.randrange(200))
        else:  # anything else
            return json.dumps(chance.choice(odd))
        return json.dumps(message)

    return [make() for _ in range(count)]


def is_well_formed(message: str | bytes) -> bool:
    try:
        protocol.CLIENT_MESSAGES.validate_json(message if isinstance(message, str) else b"", strict=True)
    except ValueError:
        return False
    return True


def test_ten_thousand_malformed_messages(ada: Client) -> None:
    table = ada.open_table("me", "novice")
    line = ada.line(table.id)
    before = line.receive().position
    messages = [message for message in malformed_messages(11_000) if not is_well_formed(message)][:10_000]
    assert len(messages) == 10_000

    def send_all() -> None:
        for message in messages:
            line.socket.send(message)

    sender = threading.Thread(target=send_all)
    sender.start()
    codes: Counter[str] = Counter()
    for _ in messages:
        answer = protocol.SERVER_MESSAGES.validate_json(line.socket.recv(SECONDS))
        assert isinstance(answer, protocol.Refused)
        assert answer.seq == 0
        codes[answer.error.code] += 1
    sender.join()
    assert codes == {"malformed": 10_000}
    after = line.ask(type="catch_up", since=0)
    assert after.position == before
    assert after.events == []
    line.play(0, before.legal[0].move)
    assert line.receive().position.seq == 1


@pytest.fixture
def strict_server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server with the default limits, except that used-up messages do not come back."""
    with running(replace(settings_for(tmp_path), limits=replace(Limits(), message_rate=0.001))) as server:
        yield server


def test_a_flood_is_refused_and_then_cut_off(strict_server: RunningServer) -> None:
    with Client(strict_server.url, "Ada") as ada:
        table = ada.open_table("me", "novice")
        line = ada.line(table.id)
        line.receive()

        def send_all() -> None:
            with contextlib.suppress(ConnectionClosed):
                for _ in range(500):
                    line.send(type="ping")

        sender = threading.Thread(target=send_all)
        sender.start()
        answers: Counter[str] = Counter()

        def receive_all() -> None:
            while True:
                answer = line.receive()
                answers[answer.error.code if isinstance(answer, protocol.Refused) else answer.type] += 1

        with pytest.raises(ConnectionClosed) as closed:
            receive_all()
        sender.join()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CloseCode.TOO_FAST
        limits = Limits()
        assert answers == {"pong": limits.message_burst, "too_fast": limits.refused_in_a_row}
        assert ada.line(table.id).receive().position.seq == 0


def test_a_message_that_is_too_large_ends_the_conversation(ada: Client) -> None:
    table = ada.open_table("me", "novice")
    line = ada.line(table.id)
    line.receive()
    line.socket.send("x" * 5000)
    with pytest.raises(ConnectionClosed) as closed:
        line.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1009


def test_a_table_that_does_not_exist(ada: Client) -> None:
    line = ada.line("no-such-table")
    with pytest.raises(ConnectionClosed) as closed:
        line.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == CloseCode.NOT_FOUND


@pytest.mark.parametrize("path", ["a" * 33, "../me", "a b", "%00"])
def test_a_table_that_cannot_exist(ada: Client, path: str) -> None:
    with pytest.raises((InvalidStatus, ConnectionClosed)):
        ada.line(path).receive()


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null", "http://127.0.0.1:1"])
def test_a_page_from_elsewhere_gets_no_socket(ada: Client, origin: str) -> None:
    table = ada.open_table("me", "novice")
    with pytest.raises(InvalidStatus) as refused:
        ada.line(table.id, origin=origin)
    assert refused.value.response.status_code == 403
    assert ada.line(table.id, origin=ada.url).receive().table.you == 0


def test_one_address_has_only_so_many_sockets(tmp_path: Path) -> None:
    limits = replace(GENEROUS, sockets_per_address=3)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url, "Ada") as ada:
        table = ada.open_table("me", "novice")
        lines = [ada.line(table.id) for _ in range(3)]
        for line in lines:
            line.receive()
        with pytest.raises(ConnectionClosed) as closed:
            ada.line(table.id).receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CloseCode.TOO_MANY
        lines[0].close()
        until = time.monotonic() + SECONDS
        while True:
            try:
                ada.line(table.id).receive()
                break
            except ConnectionClosed:
                assert time.monotonic() < until


@pytest.mark.parametrize("has_seat", [True, False])
def test_a_seat_and_those_who_look_on_have_only_so_many_sockets_each(tmp_path: Path, has_seat: bool) -> None:
    limits = replace(GENEROUS, sockets_per_seat=2, spectators_per_table=2)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url, "Ada") as ada:
        table = ada.open_table("me", "novice")
        with Client(server.url) as stranger:
            many, other = (ada, stranger) if has_seat else (stranger, ada)
            for _ in range(2):
                many.line(table.id).receive()
            with pytest.raises(ConnectionClosed) as closed:
                many.line(table.id).receive()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == CloseCode.TOO_MANY
            other.line(table.id).receive()


def raw_socket(client: Client, table_id: str) -> socket.socket:
    """A line that shakes hands, and then is read or not as the test likes."""
    host, _, port = client.url.removeprefix("http://").partition(":")
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect((host, int(port)))
    line.sendall(
        f"GET /api/tables/{table_id}/socket HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
        f"Cookie: {client.cookie}\r\n\r\n".encode()
    )
    assert line.recv(12) == b"HTTP/1.1 101"
    return line


def test_one_who_does_not_read_keeps_nobody_waiting_and_is_let_go(tmp_path: Path) -> None:
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        table = ada.open_table("me", "open", free_take=True)
        bo.join(table.id)
        with raw_socket(ada, table.id) as lazy:
            lines = [ada.line(table.id), bo.line(table.id)]
            question = b'{"type":"catch_up","since":0}'
            lazy.setblocking(False)
            seq = 0
            until = time.monotonic() + SECONDS
            while metric(ada, "cabochon_slow_clients_total") == 0:
                with contextlib.suppress(BlockingIOError):  # asks and asks, and reads no answer
                    while True:
                        lazy.send(b"\x81" + bytes([0x80 | len(question)]) + bytes(4) + question)
                for move in ("take wbg", "undo"):
                    lines[0].send(type="undo", seq=seq) if move == "undo" else lines[0].play(seq, move)
                    seq += 1
                    for line in lines:
                        line.receive_moved(seq)
                assert time.monotonic() < until
        assert metric(ada, "cabochon_sockets") == 2


def metric(client: Client, name: str) -> float:
    for text in client.http.get("/metrics").text.splitlines():
        if text.startswith(f"{name} "):
            return float(text.split(" ")[1])
    raise AssertionError(f"expected the metric {name}")


def test_a_bot_that_thinks_keeps_nobody_waiting(ada: Client) -> None:
    """The strongest bot takes about a second; meanwhile everything else is answered."""
    table = ada.open_table("grandmaster", "me")
    line = ada.line(table.id)
    assert line.receive().position.seq == 0
    pongs = 0
    while not isinstance(message := line.ask(type="ping"), protocol.Moved):
        assert isinstance(message, protocol.Pong)
        pongs += 1
        time.sleep(0.01)
    assert pongs > 2, "if everything waited for the bot, one would come before it thinks and one after"
