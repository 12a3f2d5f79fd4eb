"""Everything over HTTP: guests, devices, tables, records, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import booleans
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from cabochon.server import protocol
from cabochon.server.security import COOKIE
from cabochon.version import RULES_VERSION, __version__
from tests.server.running import GENEROUS, Client, RunningServer, error_of, running, settings_for
from tests.server.test_games import play_out

# Guests


def test_a_guest_has_a_nickname_and_a_cookie(server: RunningServer) -> None:
    with Client(server.url) as client:
        assert client.http.get("/api/me").json() == {"guest": None}
        answer = client.http.put("/api/me", json={"nickname": "  Ada Lovelace "})
        me = protocol.Me.model_validate_json(answer.text)
        assert me.guest is not None
        assert me.guest.nickname == "Ada Lovelace"
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"{COOKIE}=")
        assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
        assert client.http.get("/api/me").json() == me.model_dump()
        renamed = client.http.put("/api/me", json={"nickname": "Countess"})
        assert "set-cookie" not in renamed.headers
        assert renamed.json() == {"guest": {"id": me.guest.id, "nickname": "Countess"}}


@pytest.mark.parametrize(
    "nickname",
    ["", " ", "x" * 25, "a\nb", "a\u202eb", "\u200d", "a\u0000", "\ufeff", "a\u00a0b", 5, None, ["a"]],
)
def test_a_name_that_cannot_be_shown_is_refused(stranger: Client, nickname: object) -> None:
    answer = stranger.http.put("/api/me", json={"nickname": nickname})
    assert answer.status_code == 422
    assert error_of(answer).code == "malformed"
    assert stranger.http.get("/api/me").json() == {"guest": None}


@pytest.mark.parametrize("nickname", ["Ada", "Ядвига", "李", "👩\u200d🚀", "<b>&amp;</b>", "'); DROP TABLE guests;--"])
def test_a_name_comes_back_as_it_is(stranger: Client, nickname: str) -> None:
    stranger.http.put("/api/me", json={"nickname": nickname})
    assert stranger.http.get("/api/me").json()["guest"]["nickname"] == nickname
    table = stranger.open_table("me", "novice")
    assert stranger.line(table.id).receive().position.view.seats[0].name == nickname


def test_a_cookie_that_is_made_up_is_nobody(server: RunningServer) -> None:
    answer = httpx.get(f"{server.url}/api/me", headers={"Cookie": f"{COOKIE}=guess"})
    assert answer.json() == {"guest": None}


def test_another_device_takes_over_by_a_private_link(ada: Client, stranger: Client) -> None:
    table = ada.open_table("me", "novice")
    link = protocol.DeviceLink.model_validate_json(ada.http.post("/api/me/link").text)
    path, _, key = link.path.partition("#")
    assert path == "/claim"
    claimed = stranger.http.post("/api/claims", json={"key": key})
    assert claimed.json() == ada.http.get("/api/me").json()
    assert stranger.line(table.id).receive().table.you == 0
    used_up = stranger.http.post("/api/claims", json={"key": key})
    assert (used_up.status_code, error_of(used_up).code) == (404, "not_found")
    assert ada.http.get("/api/me").json()["guest"]["nickname"] == "Ada"


def test_without_a_nickname_one_can_only_look(stranger: Client, ada: Client) -> None:
    table = ada.open_table("me", "novice")
    for path in ("/api/tables", f"/api/tables/{table.id}/again", "/api/me/link", f"/api/tables/{table.id}/join"):
        plan = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "bot"}]}
        answer = stranger.http.post(path, json=plan if path == "/api/tables" else {})
        assert (answer.status_code, error_of(answer).code) == (401, "no_guest"), path
    assert stranger.http.get("/api/tables").json() == {"tables": []}
    looked = protocol.TableInfo.model_validate_json(stranger.http.get(f"/api/tables/{table.id}").text)
    assert (looked.you, looked.is_host) == (None, False)


# Tables


def test_the_order_of_the_seats_is_drawn_unless_it_is_given(ada: Client) -> None:
    given_order = ada.open_table("novice", "me", "expert", "novice")
    assert [seat.name for seat in given_order.seats] == ["Novice", "Ada", "Expert", "Novice 2"]
    assert (given_order.you, given_order.is_host, given_order.players) == (1, True, 4)
    drawn = {ada.open_table("me", "novice", "expert", order="random").you for _ in range(30)}
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


def test_one_has_only_so_many_tables_at_a_time(tmp_path: Path) -> None:
    limits = replace(GENEROUS, tables_per_guest=2)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url, "Ada") as ada:
        for _ in range(2):
            ada.open_table("me", "novice")
        answer = ada.http.post("/api/tables", json={"game": "splendor", "seats": [{"kind": "me"}, {"kind": "bot"}]})
        assert (answer.status_code, error_of(answer).code) == (429, "too_fast")


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


@pytest.mark.parametrize("path", ["", "/record", "/again", "/join"])
def test_a_table_that_is_not_there(ada: Client, path: str) -> None:
    method = "GET" if path in ("", "/record") else "POST"
    answer = ada.http.request(method, f"/api/tables/nowhere{path}", json={} if path == "/join" else None)
    assert (answer.status_code, error_of(answer).code) == (404, "not_found")


# What stands before everything


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


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"null", b'{"nickname": "Ada", "id": "x"}'])
def test_a_body_that_is_no_message_is_refused(stranger: Client, body: bytes) -> None:
    answer = stranger.http.put("/api/me", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, error_of(answer).code) == (422, "malformed")


def test_too_many_requests_are_refused_until_some_time_has_passed(tmp_path: Path) -> None:
    limits = replace(GENEROUS, request_rate=50.0, request_burst=5)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url) as client:
        answers = [client.http.get("/api/me") for _ in range(60)]
        refused = [answer for answer in answers if answer.status_code != 200]
        assert len(refused) < 60 - 5 + 1
        assert len(refused) > 0
        assert {(answer.status_code, error_of(answer).code) for answer in refused} == {(429, "too_fast")}
        assert refused[0].headers["retry-after"] == "1"


def test_what_does_not_exist(stranger: Client) -> None:
    for path in ("/api", "/api/", "/api/nowhere", "/nowhere.js", "/assets/../../app.py", "/..%2fapp.py"):
        answer = stranger.http.get(path)
        assert answer.status_code in (404, 200, 503), path
        assert "create_app" not in answer.text
    assert stranger.http.get("/api/nowhere").status_code == 404
    assert stranger.http.get("/nowhere.js").status_code == 404
    assert stranger.http.delete("/api/me").status_code == 405


# Those who run it


def test_health(stranger: Client) -> None:
    assert stranger.http.get("/healthz").json() == {
        "status": "ok",
        "version": __version__,
        "rules": RULES_VERSION,
        "protocol": protocol.PROTOCOL_VERSION,
    }


# What the description promises


POSITIVE, NEGATIVE = schemathesis.GenerationMode
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


# Hypothesis takes it for a strategy's doing where the server's thread draws from `random` while a case is made.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module:hypothesis.errors.HypothesisDeprecationWarning")
def test_the_server_does_what_its_description_says(server: RunningServer) -> None:
    """Requests made from the OpenAPI description, right ones and wrong ones, as a guest and as nobody."""
    described = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    operations = [result.ok() for result in described.get_all_operations() if isinstance(result, Ok)]
    assert len(operations) >= 12
    with Client(server.url, "Ada") as ada:
        table = ada.open_table("me", "novice")
        for operation in operations:
            takes_something = operation.body or operation.path_parameters or operation.query
            for mode in (POSITIVE, NEGATIVE) if takes_something else (POSITIVE,):

                @settings(max_examples=8, suppress_health_check=list(HealthCheck), database=None)
                @given(case=operation.as_strategy(generation_mode=mode), is_guest=booleans(), is_there=booleans())
                def check(case: schemathesis.Case[Any], is_guest: bool, is_there: bool) -> None:
                    if is_there and "table_id" in (case.path_parameters or {}):
                        case.path_parameters["table_id"] = table.id
                    case.call_and_validate(headers={"Cookie": ada.cookie} if is_guest else {}, checks=CHECKS)

                check()
