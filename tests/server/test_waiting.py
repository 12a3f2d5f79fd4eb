"""Tables that wait for players: who sits down, stands up and is sent away; and the lobby where they are found."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from cabochon.server import app, lobby, protocol
from tests.server.running import Client, error_of


def seats_of(table: protocol.TableInfo) -> list[str]:
    return [seat.name or seat.kind for seat in table.seats]


def info(answer: httpx.Response) -> protocol.TableInfo:
    assert answer.status_code == 200, answer.text
    return protocol.TableInfo.model_validate_json(answer.text)


def lobby_of(client: Client, **headers: str) -> list[protocol.OpenTable]:
    answer = client.http.get("/api/lobby", headers=headers)
    assert answer.status_code == 200, answer.text
    return protocol.Lobby.model_validate_json(answer.text).tables


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, error_of(answer).code


def test_one_sits_down_and_stands_up_again(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "open")
    line = ada.line(table.id)
    line.receive()
    bo.join(table.id, 2)
    assert seats_of(line.receive().table) == ["Ada", "open", "Bo"]
    stood_up = info(bo.http.delete(f"/api/tables/{table.id}/seats/2"))
    assert (seats_of(stood_up), stood_up.you, stood_up.status) == (["Ada", "open", "open"], None, "waiting")
    assert seats_of(line.receive().table) == ["Ada", "open", "open"]
    assert bo.join(table.id, 1).you == 1


def test_the_host_gives_seats_away_and_the_game_begins_when_all_are_taken(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "open", "novice")
    bo.join(table.id, 1)
    path = f"/api/tables/{table.id}/seats"
    assert seats_of(info(ada.http.put(f"{path}/1", json={"kind": "open"}))) == ["Ada", "open", "open", "Novice"]
    changed = info(ada.http.put(f"{path}/1", json={"kind": "bot", "level": "novice"}))
    assert (seats_of(changed), changed.status) == (["Ada", "Novice 2", "open", "Novice"], "waiting")
    assert seats_of(info(ada.http.delete(f"{path}/3")))[3] == "open"
    assert info(ada.http.put(f"{path}/3", json={"kind": "bot"})).seats[3].level == "journeyman"
    assert bo.join(table.id).status == "playing"
    for answer in (ada.http.put(f"{path}/2", json={"kind": "open"}), bo.http.delete(f"{path}/2")):
        assert refused(answer) == (409, "begun")
    assert refused(ada.http.delete(f"/api/tables/{table.id}")) == (409, "begun")


def test_a_seat_is_kept_for_a_guest_who_is_invited(ada: Client, bo: Client, stranger: Client) -> None:
    guest = bo.http.get("/api/me").json()["guest"]["id"]
    plan = {"game": "marvel", "seats": [{"kind": "here", "name": "Cy"}, {"kind": "open", "kept_for": guest}]}
    answer = ada.http.post("/api/tables", json=plan | {"order": "given", "visibility": "public"})
    table = protocol.TableInfo.model_validate_json(answer.text)
    assert [(seat.kind, seat.name, seat.is_kept) for seat in table.seats] == [
        ("person", "Cy", False),
        ("open", "Bo", True),
    ]
    assert guest not in stranger.http.get(f"/api/tables/{table.id}").text
    with Client(ada.url, "Dot") as dot:
        assert refused(dot.http.post(f"/api/tables/{table.id}/join", json={})) == (403, "not_yours")
    (own,) = protocol.Tables.model_validate_json(bo.http.get("/api/tables").text).tables
    assert (own.id, own.seats[1].is_yours) == (table.id, True)
    assert bo.join(table.id).status == "playing"


def invite(host: Client, *seats: Client | None, **options: Any) -> protocol.TableInfo:
    """A table where the host sits first, and then there are open seats, kept for these guests or for nobody."""
    ids = [None if guest is None else guest.http.get("/api/me").json()["guest"]["id"] for guest in seats]
    plans = [{"kind": "me"}, *({"kind": "open", "kept_for": guest} for guest in ids)]
    answer = host.http.post("/api/tables", json={"game": "splendor", "seats": plans, "order": "given"} | options)
    assert answer.status_code == 201, answer.text
    return protocol.TableInfo.model_validate_json(answer.text)


def test_who_takes_another_seat_than_the_one_that_is_kept_gives_that_up(ada: Client, bo: Client) -> None:
    table = invite(ada, bo, None, None)
    joined = bo.join(table.id, 2)
    assert (seats_of(joined), joined.status) == (["Ada", "open", "Bo", "open"], "waiting")
    assert [seat.is_yours for seat in joined.seats] == [False, False, True, False]
    assert bo.join(table.id, 1).you == 2, "who has a seat keeps it"
    with Client(ada.url, "Dot") as dot:
        assert seats_of(dot.join(table.id, 1)) == ["Ada", "Dot", "Bo", "open"]


def test_who_sits_and_keeps_a_seat_for_themselves_gets_no_third_one(ada: Client) -> None:
    table = invite(ada, ada, None)
    assert seats_of(ada.join(table.id, 2)) == ["Ada", "Ada", "open"]
    assert [seat.kind for seat in ada.join(table.id).seats] == ["person", "person", "open"]


def test_who_is_invited_may_decline(ada: Client, bo: Client, stranger: Client) -> None:
    table = invite(ada, bo)
    path = f"/api/tables/{table.id}/seats/1"
    with Client(ada.url, "Dot") as dot:
        assert refused(dot.http.delete(path)) == (403, "not_yours")
        assert refused(bo.http.put(path, json={"kind": "bot"})) == (403, "not_yours")
        declined = info(bo.http.delete(path))
        assert [(seat.kind, seat.name, seat.is_kept) for seat in declined.seats][1] == ("open", "", False)
        assert bo.http.get("/api/tables").json()["tables"] == []
        assert dot.join(table.id).status == "playing"


def test_who_is_invited_sits_under_the_nickname_of_the_day(ada: Client, bo: Client) -> None:
    table, device = invite(ada, bo), ada.open_table("Cy", "open")
    line = ada.line(table.id)
    line.receive()
    bo.join(device.id)
    bo.http.post(f"/api/tables/{device.id}/seats/1/leave").raise_for_status()
    again = info(bo.http.post(f"/api/tables/{device.id}/again"))
    assert seats_of(again) == ["Bo", "Cy"]
    bo.http.put("/api/me", json={"nickname": "Countess"}).raise_for_status()
    ada.http.put("/api/me", json={"nickname": "Lady"}).raise_for_status()
    assert seats_of(line.receive().table) == ["Ada", "Countess"]
    assert seats_of(bo.join(table.id)) == ["Ada", "Countess"]
    assert seats_of(ada.join(again.id)) == ["Bo", "Cy"], "the people at a device have names of their own"


def test_nobody_hides_the_games_of_a_guest_by_inviting_it(
    ada: Client, bo: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "TABLES_SHOWN", 2)
    mine = [bo.open_table("me", "open").id, bo.open_table("me", "novice").id]
    over = bo.open_table("me", "open").id
    bo.http.delete(f"/api/tables/{over}").raise_for_status()
    invited = [invite(ada, bo).id for _ in range(3)]
    shown = [table["id"] for table in bo.http.get("/api/tables").json()["tables"]]
    assert shown == [*mine[::-1], *invited[:0:-1]]


def test_only_open_seats_are_kept_and_only_for_guests_that_there_are(ada: Client) -> None:
    guest = ada.http.get("/api/me").json()["guest"]["id"]
    for seat, expected in (
        ({"kind": "open", "kept_for": "nobody"}, (404, "not_found")),
        ({"kind": "bot", "kept_for": guest}, (422, "malformed")),
        ({"kind": "open", "kept_for": "no id"}, (422, "malformed")),
    ):
        answer = ada.http.post("/api/tables", json={"game": "splendor", "seats": [{"kind": "me"}, seat]})
        assert refused(answer) == expected


def test_only_the_host_changes_the_seats_of_others(ada: Client, bo: Client, stranger: Client) -> None:
    table = ada.open_table("me", "open", "open")
    bo.join(table.id, 1)
    path = f"/api/tables/{table.id}/seats"
    for answer in (
        bo.http.delete(f"{path}/0"),
        bo.http.delete(f"{path}/2"),
        bo.http.put(f"{path}/1", json={"kind": "bot"}),
        bo.http.put(f"{path}/2", json={"kind": "bot"}),
        bo.http.delete(f"/api/tables/{table.id}"),
    ):
        assert refused(answer) == (403, "not_yours")
    assert refused(stranger.http.delete(f"{path}/0")) == (401, "no_guest")
    assert refused(ada.http.delete(f"{path}/3")) == (404, "not_found")
    assert refused(ada.http.put(f"{path}/2", json={"kind": "open", "level": "novice"})) == (422, "malformed")
    assert seats_of(info(ada.http.get(f"/api/tables/{table.id}"))) == ["Ada", "Bo", "open"]


def test_a_table_that_is_closed_is_closed_for_good(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", visibility="public")
    line = bo.line(table.id)
    line.receive()
    assert info(ada.http.delete(f"/api/tables/{table.id}")).status == "closed"
    assert line.receive().table.status == "closed"
    assert info(ada.http.delete(f"/api/tables/{table.id}")).status == "closed"
    assert refused(bo.http.post(f"/api/tables/{table.id}/join", json={})) == (409, "closed")
    assert refused(ada.http.delete(f"/api/tables/{table.id}/seats/0")) == (409, "closed")
    assert table.id not in [waiting.id for waiting in lobby_of(bo)]
    assert ada.line(table.id).ask(type="play", seq=0, move="take wbg").position.legal == []


def test_the_lobby_has_public_tables_as_long_as_they_wait(ada: Client, bo: Client, stranger: Client) -> None:
    clock = {"kind": "live", "move_seconds": 30, "reserve_seconds": 300}
    private = ada.open_table("me", "open")
    first = ada.open_table("me", "open", "novice", visibility="public", game="marvel", free_take=True, clock=clock)
    second = ada.open_table("me", "open", "open", visibility="public")
    listed = lobby_of(stranger)
    assert [table.id for table in listed if table.id in (private.id, first.id, second.id)] == [second.id, first.id]
    shown = next(table for table in listed if table.id == first.id)
    assert (shown.host, shown.game, shown.players, shown.free, shown.free_take) == ("Ada", "marvel", 3, 1, True)
    assert shown.clock == protocol.LiveClock.model_validate(clock)
    assert [(seat.kind, seat.name) for seat in shown.seats] == [("person", "Ada"), ("open", ""), ("bot", "Novice")]
    assert bo.join(second.id).status == "waiting"
    assert next(table.free for table in lobby_of(stranger) if table.id == second.id) == 1
    assert bo.join(first.id).status == "playing"
    assert first.id not in [table.id for table in lobby_of(stranger)]


def test_nobody_hides_the_lobby_behind_tables_that_one_cannot_join(
    ada: Client, bo: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "MOST_TABLES", 2)
    real = ada.open_table("me", "open", visibility="public")
    for _ in range(2):
        invite(bo, bo, visibility="public")
    assert real.id in [table.id for table in lobby_of(ada)]


def test_the_lobby_is_sent_again_only_when_it_has_changed(ada: Client, stranger: Client) -> None:
    version = stranger.http.get("/api/lobby").headers["etag"]
    same = stranger.http.get("/api/lobby", headers={"If-None-Match": version})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", version)
    table = ada.open_table("me", "open", visibility="public")
    assert table.id in [waiting.id for waiting in lobby_of(stranger, **{"If-None-Match": version})]


@pytest.mark.parametrize(
    "clock", [{"kind": "live", "move_seconds": 1, "reserve_seconds": 0}, {"kind": "days", "days": 0}, {"kind": "live"}]
)
def test_a_clock_that_cannot_be_is_refused(ada: Client, clock: object) -> None:
    plan = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "bot"}], "clock": clock}
    assert refused(ada.http.post("/api/tables", json=plan)) == (422, "malformed")
