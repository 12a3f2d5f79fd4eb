"""The company at a table: what people say to each other, who looks on, several at one device, and another game."""

from __future__ import annotations

from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from cabochon.server import protocol
from tests.server.running import Client, Line, RunningServer, running, settings_for
from tests.server.test_waiting import info, refused


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


def test_one_does_not_say_too_much(ada: Client) -> None:
    table = ada.open_table("me", "open")
    line, other_screen = ada.line(table.id), ada.line(table.id)
    for number in range(6):
        line.send(type="say", phrase="smile", id=str(number))
    assert refusals(line)[:3] == [(str(number), "too_fast") for number in (3, 4, 5)]
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
    with running(settings_for(tmp_path, watching_pause=0.3)) as server, Client(server.url, "Ada") as ada:
        table = ada.open_table("me", "novice")
        line = ada.line(table.id)
        line.receive()
        with Client(server.url) as crowd:
            for _ in range(5):
                crowd.line(table.id).receive()
            told = [line.receive().table.watching]
            while told[-1] < 5:
                told.append(line.receive().table.watching)
            assert len(told) < 5


def finished(ada: Client, bo: Client, *seats: str) -> protocol.TableInfo:
    """A game that is over, because Bo left it."""
    table = ada.open_table(*seats)
    number = bo.join(table.id).you
    assert bo.http.post(f"/api/tables/{table.id}/seats/{number}/leave").status_code == 200
    return info(ada.http.get(f"/api/tables/{table.id}"))


def test_in_a_rematch_the_seats_of_the_others_are_kept(ada: Client, bo: Client) -> None:
    table = finished(ada, bo, "me", "open")
    line = bo.line(table.id)
    line.receive()
    again = info(ada.http.post(f"/api/tables/{table.id}/again"))
    assert (again.status, again.is_host, again.you) == ("waiting", True, 1)
    assert [(seat.kind, seat.name, seat.is_kept) for seat in again.seats] == [
        ("open", "Bo", True),
        ("person", "Ada", False),
    ]
    (changed,) = line.drain()
    assert changed.table.next == again.id
    with Client(ada.url, "Cy") as cy:
        answer = cy.http.post(f"/api/tables/{again.id}/join", json={})
        assert refused(answer) == (403, "not_yours")
        assert not info(cy.http.get(f"/api/tables/{again.id}")).seats[0].is_yours
    assert info(bo.http.get(f"/api/tables/{again.id}")).seats[0].is_yours
    joined = bo.join(again.id)
    assert (joined.you, joined.status) == (0, "playing")
    assert [(seat.kind, seat.has_left) for seat in joined.seats] == [("person", False)] * 2


def test_the_host_may_give_a_kept_seat_to_another(ada: Client, bo: Client) -> None:
    table = finished(ada, bo, "me", "open")
    again = info(ada.http.post(f"/api/tables/{table.id}/again"))
    assert info(ada.http.delete(f"/api/tables/{again.id}/seats/0")).seats[0].is_kept is False
    with Client(ada.url, "Cy") as cy:
        assert cy.join(again.id).status == "playing"


def test_a_rematch_that_was_closed_does_not_stand_in_the_way(ada: Client, bo: Client) -> None:
    table = finished(ada, bo, "me", "open")
    first = info(ada.http.post(f"/api/tables/{table.id}/again"))
    assert ada.http.delete(f"/api/tables/{first.id}").is_success
    second = info(bo.http.post(f"/api/tables/{table.id}/again"))
    assert (second.id != first.id, second.status) == (True, "waiting")
    assert info(ada.http.post(f"/api/tables/{table.id}/again")).id == second.id


def test_who_left_others_to_play_on_does_not_ask_for_another_game(ada: Client, bo: Client) -> None:
    with Client(ada.url, "Cy") as cy:
        table = ada.open_table("me", "Di", "open", "open")
        bo.join(table.id, 2)
        cy.join(table.id, 3)
        assert cy.http.post(f"/api/tables/{table.id}/seats/3/leave").status_code == 200
        play_to_the_end(table.id, ada, bo)
        assert refused(cy.http.post(f"/api/tables/{table.id}/again")) == (403, "not_yours")
        assert info(bo.http.post(f"/api/tables/{table.id}/again")).status == "waiting"


def test_all_seats_of_one_device_are_kept_and_taken_together(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "Cy", "open")
    bo.join(table.id)
    play_to_the_end(table.id, ada, bo)
    again = info(bo.http.post(f"/api/tables/{table.id}/again"))
    assert [seat.is_kept for seat in again.seats].count(True) == 2
    joined = ada.join(again.id)
    assert joined.status == "playing"
    assert sorted(seat.name for seat in joined.seats) == ["Ada", "Bo", "Cy"]


def play_to_the_end(table_id: str, ada: Client, bo: Client) -> None:
    """A whole game of seats 0 and 1 by Ada and seat 2 by Bo; a bot may have the last."""
    lines = [ada.line(table_id, seat=0), ada.line(table_id, seat=1), bo.line(table_id)]
    heard = [line.receive() for line in lines]
    while not all(message.position.outcome for message in heard):
        newest = max(heard, key=lambda message: message.position.seq)
        seat = newest.position.view.seat
        if seat < len(lines) and heard[seat].position.legal and heard[seat].position.seq == newest.position.seq:
            lines[seat].play(newest.position.seq, heard[seat].position.legal[-1].move)
        heard = [line.receive_moved(newest.position.seq + 1) for line in lines]


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


@pytest.mark.parametrize("seat", [{"kind": "here"}, {"kind": "me", "name": "Eve"}, {"kind": "here", "name": " "}])
def test_people_at_one_device_have_names(ada: Client, seat: object) -> None:
    plan = {"game": "splendor", "seats": [{"kind": "bot"}, seat]}
    assert refused(ada.http.post("/api/tables", json=plan)) == (422, "malformed")
