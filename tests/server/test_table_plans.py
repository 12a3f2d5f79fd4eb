"""New tables and rematches."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cabochon.server import protocol
from cabochon.server.guests import Guest
from cabochon.server.table_plans import planned_table
from tests.server.running import (
    GENEROUS,
    Client,
    error_of,
    info,
    refused,
    running,
    settings_for,
)
from tests.server.test_games import play_out


def test_the_order_of_the_seats_is_drawn_unless_it_is_given(ada: Client) -> None:
    given_order = ada.open_table("novice", "me", "expert", "novice")
    assert [seat.name for seat in given_order.seats] == ["Novice", "Ada", "Expert", "Novice 2"]
    assert (given_order.you, given_order.is_host, given_order.players) == (1, True, 4)
    seats = [{"kind": "me"}, {"kind": "bot"}, {"kind": "bot"}]
    plan = protocol.NewTable.model_validate({"game": "splendor", "seats": seats, "order": "random"})
    host = Guest("ada", "Ada")
    drawn = {number for _ in range(100) for number in planned_table(plan, host, {}).seats.of(host.id)}
    assert drawn == {0, 1, 2}


@pytest.mark.parametrize(
    "plan",
    [
        {},
        {"game": "chess", "seats": [{"kind": "me"}, {"kind": "bot"}]},
        {"game": "marvel", "seats": [{"kind": "me"}]},
        {"game": "marvel", "seats": [{"kind": "me"}, {"kind": "me"}]},
        {"game": "marvel", "seats": [{"kind": "bot"}] * 5},
        {"game": "marvel", "seats": [{"kind": "me"}, {"kind": "bot", "level": "genius"}]},
        {"game": "marvel", "seats": [{"kind": "me"}, {"kind": "open", "level": "novice"}]},
        {"game": "marvel", "seats": [{"kind": "me"}, {"kind": "bot"}], "seed": 7},
    ],
)
def test_a_table_that_cannot_be_is_refused(ada: Client, plan: object) -> None:
    answer = ada.http.post("/api/tables", json=plan)
    assert (answer.status_code, error_of(answer).code) == (422, "malformed")
    assert ada.http.get("/api/tables").json() == {"tables": []}


@pytest.mark.parametrize("seat", [{"kind": "here"}, {"kind": "me", "name": "Eve"}, {"kind": "here", "name": " "}])
def test_people_at_one_device_have_names(ada: Client, seat: object) -> None:
    plan = {"game": "splendor", "seats": [{"kind": "bot"}, seat]}
    assert refused(ada.http.post("/api/tables", json=plan)) == (422, "malformed")


def test_ones_tables_are_listed_the_newest_first(ada: Client, bo: Client) -> None:
    first = ada.open_table("me", "open")
    second = ada.open_table("me", "novice", game="marvel")
    bo.join(first.id)
    listed = protocol.Tables.model_validate_json(ada.http.get("/api/tables").text).tables
    assert [table.id for table in listed] == [second.id, first.id]
    (joined,) = protocol.Tables.model_validate_json(bo.http.get("/api/tables").text).tables
    assert (joined.id, joined.you, joined.is_host, joined.status) == (first.id, 1, False, "playing")
    line = ada.line(first.id)
    line.receive()
    line.play(0, "take wbg")
    line.receive_moved(1)
    listed = protocol.Tables.model_validate_json(ada.http.get("/api/tables").text).tables
    assert [table.seq for table in listed if table.id == first.id] == [1]


def test_one_has_only_so_many_tables_at_a_time(tmp_path: Path) -> None:
    limits = replace(GENEROUS, tables_per_guest=2)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url, "Ada") as ada:
        for _ in range(2):
            ada.open_table("me", "novice")
        answer = ada.http.post("/api/tables", json={"game": "splendor", "seats": [{"kind": "me"}, {"kind": "bot"}]})
        assert (answer.status_code, error_of(answer).code) == (409, "limit_reached")


def test_a_rematch_rotates_the_seats_and_is_made_once(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "journeyman", "novice")
    early = ada.http.post(f"/api/tables/{table.id}/again")
    assert (early.status_code, error_of(early).code) == (409, "not_playing")
    early = ada.http.get(f"/api/tables/{table.id}/record")
    assert (early.status_code, error_of(early).code) == (409, "not_playing")
    play_out(ada, table.id)
    line = ada.line(table.id)
    line.drain()
    foreign = bo.http.post(f"/api/tables/{table.id}/again")
    assert (foreign.status_code, error_of(foreign).code) == (403, "not_yours")
    again = protocol.TableInfo.model_validate_json(ada.http.post(f"/api/tables/{table.id}/again").text)
    assert [seat.name for seat in again.seats] == ["Journeyman", "Novice", "Ada"]
    assert (again.status, again.you) == ("playing", 2)
    assert again.commitment != table.commitment
    assert ada.http.post(f"/api/tables/{table.id}/again").json()["id"] == again.id
    (changed,) = line.drain()
    assert changed.table.next == again.id


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
