"""Leaving a game: with two players one loses, with more a bot goes on."""

from __future__ import annotations

import pytest

from cabochon import CabochonError
from cabochon.server import protocol
from cabochon.server.timeline import Timeline
from cabochon.verification import verify
from tests.server.running import Client, Line, eager_move, error_of, left_of
from tests.server.test_clocks import at, timed_course


def test_of_two_players_who_leaves_loses() -> None:
    left = timed_course().decide(0, "take wbg", at(1)).leave(0, "left", at(2))
    assert left.is_over
    assert (left.clock, left.can_undo(0, at(0))) == (None, False)
    for again in (left, Timeline(left.deal, left.entries)):
        record = again.game.record(with_seed=True)
        assert '[Termination "resignation"]\n[Forfeit "seat 1: left the table"]' in record
        assert '[Result "2 1"]' in record
        assert '[End "forfeit"]' in record
        assert verify(record).is_true
        with pytest.raises(CabochonError):
            again.decide(1, "take wbg", at(3))
        with pytest.raises(CabochonError):
            again.leave(1, "left", at(3))


def test_of_three_players_the_game_goes_on() -> None:
    left = timed_course(3).decide(0, "take wbg", at(1)).leave(1, "clock", at(99))
    assert (left.is_over, left.left, left.deadline) == (False, frozenset([1]), None)
    assert not left.can_undo(0, at(0)), "what was before it stands"
    on = left.decide(1, "take wbg", at(100)).decide(2, "take rkw", at(101))
    assert Timeline(on.deal, on.entries).game.texts == on.game.texts
    steps = list(on.walk(1))
    assert [entry.leaving for entry, *_ in steps] == ["clock", None, None]
    with pytest.raises(CabochonError):
        on.leave(1, "left", at(102))


def leave(client: Client, table_id: str, seat: int) -> protocol.TableInfo:
    answer = client.http.post(f"/api/tables/{table_id}/seats/{seat}/leave")
    assert answer.status_code == 200, answer.text
    return protocol.TableInfo.model_validate_json(answer.text)


def test_who_leaves_a_game_of_two_has_lost_it(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    line = bo.line(table.id)
    line.receive()
    for client, seat in ((bo, 0), (ada, 1)):
        foreign = client.http.post(f"/api/tables/{table.id}/seats/{seat}/leave")
        assert (foreign.status_code, error_of(foreign).code) == (403, "not_yours")
    assert leave(ada, table.id, 0).status == "over"
    moved = left_of(line)
    assert (moved.event.seat, moved.position.legal) == (0, [])
    assert isinstance(moved.event, protocol.Left)
    assert (moved.event.reason, moved.event.level) == ("left", None)
    outcome = moved.position.outcome
    assert outcome is not None
    assert (outcome.places, outcome.winners, outcome.reason) == ([2, 1], [1], "forfeit")
    assert (outcome.termination, outcome.seat) == ("resignation", 0)
    assert outcome.seed is not None
    info = line.receive().table
    assert ([seat.has_left for seat in info.seats], info.status) == ([True, False], "over")
    line.play(1, "take wbg")
    assert line.receive().error.code == "over"
    again = ada.http.post(f"/api/tables/{table.id}/seats/0/leave")
    assert (again.status_code, error_of(again).code) == (409, "over")
    record = ada.http.get(f"/api/tables/{table.id}/record").text
    assert verify(record).is_true
    replay = protocol.Replay.model_validate_json(ada.http.get(f"/api/tables/{table.id}/replay").text)
    assert replay.positions[-1].outcome == outcome
    for client, has_won in ((ada, False), (bo, True)):
        (game,) = protocol.History.model_validate_json(client.http.get("/api/me/history").text).games
        assert [(seat.has_won, seat.has_left) for seat in game.seats if seat.is_you] == [(has_won, not has_won)]
        assert [seat.leaving for seat in game.seats] == ["left", None]


def test_a_bot_goes_on_for_who_leaves_a_game_of_three(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "novice")
    bo.join(table.id)
    line, other = ada.line(table.id), bo.line(table.id)
    line.receive()
    other.receive()
    line.play(0, "reserve 1")
    line.receive_moved(1)
    info = leave(ada, table.id, 0)
    assert (info.you, info.status) == (None, "playing")
    assert (info.seats[0].kind, info.seats[0].name, info.seats[0].level) == ("bot", "Ada", "journeyman")
    moved = left_of(line)
    assert moved.position.view.viewer is None, "who left looks on"
    assert moved.position.view.seats[0].reserved[0].card is None
    assert moved.event.model_dump()["level"] == "journeyman"
    assert left_of(other).position.view.viewer == 1
    position = moved.position
    while position.outcome is None:
        if position.view.seat == 1:
            view = other_position(other, position.seq)
            other.play(position.seq, eager_move(view))
        position = line.receive_moved(position.seq + 1).position
    (game,) = protocol.History.model_validate_json(ada.http.get("/api/me/history").text).games
    assert [(seat.place, seat.has_won, seat.has_left) for seat in game.seats if seat.is_you] == [(3, False, True)]


def own_tables(client: Client) -> list[str]:
    found = protocol.Tables.model_validate_json(client.http.get("/api/tables").text).tables
    return [table.id for table in found]


def test_a_game_that_one_has_left_is_not_ones_own(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "open")
    bo.join(table.id)
    with Client(ada.url, "Cy") as cy:
        cy.join(table.id)
        people = (ada, bo, cy)
        assert [own_tables(client) for client in people] == [[table.id]] * 3
        leave(bo, table.id, 1)
        assert [own_tables(client) for client in people] == [[table.id], [], [table.id]]
        leave(ada, table.id, 0)
        assert [own_tables(client) for client in people] == [[], [], [table.id]], "its host has left it too"


def test_who_leaves_for_one_of_two_at_a_device_still_has_the_game(ada: Client) -> None:
    table = ada.open_table("me", "Bo", "novice")
    leave(ada, table.id, 0)
    assert own_tables(ada) == [table.id]


def test_a_table_with_a_seat_that_is_kept_for_one_is_ones_own(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    leave(ada, table.id, 0)
    again = protocol.TableInfo.model_validate_json(ada.http.post(f"/api/tables/{table.id}/again").text)
    assert own_tables(bo)[0] == again.id
    bo_in_it = protocol.TableInfo.model_validate_json(bo.http.get(f"/api/tables/{again.id}").text)
    assert [(seat.is_kept, seat.is_yours) for seat in bo_in_it.seats] == [(True, True), (False, False)]
    ada.http.put(f"/api/tables/{again.id}/seats/0", json={"kind": "open"}).raise_for_status()
    assert again.id not in own_tables(bo), "it is open to anyone now"


def other_position(line: Line, seq: int) -> protocol.Position:
    answer = line.ask(type="catch_up", since=seq)
    while not isinstance(answer, protocol.Sync) or answer.position.seq < seq:
        answer = line.receive()
    return answer.position


def test_one_cannot_leave_what_has_not_begun(ada: Client) -> None:
    table = ada.open_table("me", "open")
    answer = ada.http.post(f"/api/tables/{table.id}/seats/0/leave")
    assert (answer.status_code, error_of(answer).code) == (409, "not_playing")
