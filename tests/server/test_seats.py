"""Who sits where while a table waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cabochon.server import protocol
from cabochon.server.guests import Guest
from cabochon.server.live_table import LiveTable
from cabochon.server.routes import tables as table_routes
from cabochon.server.seats import Seat
from tests.server.running import (
    Client,
    error_of,
    info,
    refused,
)
from tests.server.table_world import ADA, BO, World, at_a_table, code_of, sit_down


def seats_of(table: protocol.TableInfo) -> list[str]:
    return [seat.name or seat.kind for seat in table.seats]


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
    monkeypatch.setattr(table_routes, "TABLES_SHOWN", 2)
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


def test_joining(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "open")
    assert table.status == "waiting"
    assert bo.join(table.id, seat=2).you == 2
    assert bo.join(table.id, seat=1).you == 2, "who has a seat keeps it"
    with Client(ada.url, "Cy") as cy:
        taken = cy.http.post(f"/api/tables/{table.id}/join", json={"seat": 0})
        assert (taken.status_code, error_of(taken).code) == (403, "not_yours")
        assert cy.join(table.id).status == "playing"
    with Client(ada.url, "Di") as di:
        full = di.http.post(f"/api/tables/{table.id}/join", json={})
        assert (full.status_code, error_of(full).message) == (403, "all seats are taken")


def test_the_game_begins_when_the_last_seat_is_taken(tmp_path: Path) -> None:
    seats = (Seat("open", ""), Seat("person", "Ada", "ada"), Seat("bot", "Novice", level="novice"))

    async def work(server: World, table: LiveTable) -> None:
        ada, bo = sit_down(table, ADA, BO)
        assert await code_of(table.play(1, 0, "take wbg")) == "not_playing"
        await table.join(ADA, 0)  # has a seat, and keeps it
        assert ada.take() == bo.take() == []
        assert await code_of(table.join(BO, 2)) == "not_yours"
        await table.join(BO, None)
        for listener, you in ((ada, 1), (bo, 0)):
            (sync,) = listener.take()
            assert isinstance(sync, protocol.Sync)
            assert (sync.table.you, sync.table.status) == (you, "playing")
            assert sync.position.view.seats[0].name == "Bo"
            assert bool(sync.position.legal) == (you == 0)
        assert await code_of(table.join(Guest("cy", "Cy"), None)) == "not_yours"
        assert await table.play(0, 0, "take wbg")

    at_a_table(tmp_path, work, seats=seats, status="waiting")


def test_the_cards_are_drawn_when_the_last_seat_is_taken(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        before = table.broadcast.info(None).commitment
        await table.join(BO, 1)
        assert table.record.status == "playing"
        assert table.broadcast.info(None).commitment != before
        found = await server.tables.get(table.record.id)
        assert found is not None
        assert found.seed == table.record.seed

    at_a_table(tmp_path, work, seats=(Seat("person", "Ada", "ada"), Seat("open", "")), status="waiting")
