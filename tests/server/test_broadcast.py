"""Who looks at a table, and what they are sent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from cabochon.server import protocol
from cabochon.server.broadcast import Broadcast
from cabochon.server.guests import Guest
from cabochon.server.live_table import LiveTable
from tests.server.running import (
    GENEROUS,
    Client,
    Line,
    RunningServer,
    running,
    settings_for,
)
from tests.server.table_world import ADA, BO, World, at_a_table, sit_down


def said(line: Line) -> list[tuple[int, str]]:
    return [(message.seat, message.phrase) for message in line.drain() if isinstance(message, protocol.Said)]


def refusals(line: Line) -> list[tuple[str, str]]:
    return [(message.id, message.error.code) for message in line.drain() if isinstance(message, protocol.Refused)]


def test_what_one_says_is_heard_by_all(ada: Client, bo: Client, stranger: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    lines = [client.line(table.id) for client in (ada, bo, stranger)]
    lines[1].send(type="say", phrase="good_luck")
    assert said(lines[1]) == [(1, "good_luck")]
    for line in lines[::2]:
        assert said(line) == [(1, "good_luck")]
    lines[2].send(type="say", phrase="hello", id="x")
    assert refusals(lines[2]) == [("x", "not_yours")]
    lines[0].send(type="say", phrase="<b>hello</b>", id="y")
    assert refusals(lines[0]) == [("", "malformed")], "there are no other words"


def test_one_does_not_say_too_much(tmp_path: Path) -> None:
    limits = replace(GENEROUS, phrase_rate=0.001)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url, "Ada") as ada:
        table = ada.open_table("me", "open")
        line, other_screen = ada.line(table.id), ada.line(table.id)
        for number in range(6):
            line.send(type="say", phrase="smile", id=str(number))
        assert refusals(line) == [(str(number), "too_fast") for number in (3, 4, 5)]
        other_screen.send(type="say", phrase="smile", id="x")
        assert refusals(other_screen) == [("x", "too_fast")], "a second socket gives no more words"
        line.send(type="ping")
        assert isinstance(line.receive(), protocol.Pong), "all else goes on"


def test_those_who_look_on_are_counted(ada: Client, bo: Client, stranger: Client) -> None:
    table = ada.open_table("me", "novice")
    line = ada.line(table.id)
    assert line.receive().table.watching == 0
    first, second = bo.line(table.id), stranger.line(table.id)
    assert second.receive().table.watching == 2
    assert [line.receive().table.watching for _ in range(2)] == [1, 2]
    first.close()
    assert line.receive().table.watching == 1


def test_many_who_come_to_look_are_told_of_at_once(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        sit_down(table, *[None] * 5)
        assert ada.take() == []
        (told,) = await ada.wait_for(1)
        assert told.table.watching == 5

    at_a_table(tmp_path, work, settings={"watching_pause": 0.01})


def test_several_people_play_at_one_device(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "Cy", "Di")
    assert (table.status, table.you) == ("playing", 0)
    assert [(seat.name, seat.is_you, seat.is_yours) for seat in table.seats] == [
        ("Ada", True, True),
        ("Cy", False, True),
        ("Di", False, True),
    ]
    line, spectator = ada.line(table.id, seat=0), bo.line(table.id)
    line.play(0, "reserve 1")
    own = line.receive_moved(1).position.view
    assert own.seats[0].reserved[0].card is not None
    handed_over = ada.line(table.id, seat=1)
    sync = handed_over.receive()
    assert (sync.table.you, sync.position.view.viewer) == (1, 1)
    assert sync.position.view.seats[0].reserved[0].card is None
    assert sync.position.legal
    assert [seat.is_connected for seat in sync.table.seats] == [True, True, True]
    handed_over.play(1, "take wbg")
    handed_over.receive_moved(2)
    handed_over.play(2, "take wbg", "x")
    assert refusals(handed_over) == [("x", "not_your_turn")], "a socket acts as the seat that it looks as"
    assert spectator.receive_moved(2).position.view.viewer is None


def test_nobody_looks_as_a_seat_of_somebody_else(server: RunningServer, ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "Cy", "novice")
    for client, seat in ((bo, 0), (bo, 1), (ada, 2)):
        with pytest.raises(ConnectionClosed) as closed:
            client.line(table.id, seat=seat).receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4403


def test_those_at_the_table_hear_who_comes_and_goes(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        (bo,) = sit_down(table, BO)
        (other_screen,) = sit_down(table, BO)
        sit_down(table, None)
        told, looked_at = ada.take()
        assert [seat.is_connected for seat in told.table.seats] == [True, True]
        assert (told.table.watching, looked_at.table.watching) == (0, 1)
        table.detach(bo)
        assert ada.take() == [], "the other screen is still there"
        table.detach(other_screen)
        (told,) = ada.take()
        assert [seat.is_connected for seat in told.table.seats] == [True, False]

    at_a_table(tmp_path, work)


def test_who_is_present_is_counted_once_for_everybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(_: World, table: LiveTable) -> None:
        sit_down(table, *(Guest(f"guest{n}", "Di") for n in range(20)))
        counted, count = list[Broadcast](), Broadcast._presence

        def note_and_count(broadcast: Broadcast) -> tuple[set[int], int]:
            counted.append(broadcast)
            return count(broadcast)

        monkeypatch.setattr(Broadcast, "_presence", note_and_count)
        table.broadcast.send_info()
        assert len(counted) == 1

    at_a_table(tmp_path, work)
