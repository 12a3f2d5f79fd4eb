"""Values that one database would take and the other would not: both are never asked, and the client hears why."""

from __future__ import annotations

import json
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from cabochon.server import protocol
from tests.server.running import Client, error_of

TEXTS = ("\0", "A\0da", "\ud800", "x" * 65, "\U0010ffff" * 25, "")
NUMBERS = (-1, 2**15, 2**31, 2**63, 10**40, 1e300, 0.5)
SEATS = [{"kind": "me"}, {"kind": "open"}]
LIVE = {"kind": "live", "move_seconds": 30, "reserve_seconds": 60}


def table(**options: Any) -> dict[str, Any]:
    return {"game": "splendor", "seats": SEATS} | options


BODIES: list[tuple[str, str, Any]] = [
    *(("PUT", "/api/me", {"nickname": text}) for text in TEXTS),
    *(("POST", "/api/me/tokens", {"name": text}) for text in TEXTS),
    *(("POST", "/api/claims", {"key": text * 16}) for text in TEXTS),
    *(("POST", "/api/tables", table(game=text)) for text in TEXTS),
    *(("POST", "/api/tables", table(payment=text)) for text in TEXTS),
    *(("POST", "/api/tables", table(visibility=text)) for text in TEXTS),
    *(("POST", "/api/tables", table(seats=[{"kind": "here", "name": text}, *SEATS])) for text in TEXTS),
    *(("POST", "/api/tables", table(seats=[{"kind": "bot", "level": text}, *SEATS])) for text in TEXTS),
    *(("POST", "/api/tables", table(seats=[{"kind": "open", "kept_for": text}, *SEATS])) for text in TEXTS),
    *(("POST", "/api/tables", table(clock=LIVE | {"reserve_seconds": number})) for number in NUMBERS[2:]),
    *(("POST", "/api/tables", table(clock={"kind": "days", "days": number})) for number in NUMBERS),
    *(("POST", "/api/tables/{}/join", {"seat": number}) for number in NUMBERS),
    *(("POST", path, {"record": text}) for path in ("/api/replays", "/api/analyses") for text in TEXTS),
    *(("PUT", "/api/tables/{}/seats/1", {"kind": "bot", "level": text}) for text in TEXTS),
]
ADDRESSES = [
    *(f"/api/me/history?cursor={cursor}" for cursor in ("0.%00", "%00.x", "0.x%00", f"{'9' * 17}.x", "-1.x", "1e9.x")),
    *(f"/api/tables/{table_id}" for table_id in ("%00", "x%00", "%F0%9F%98%80", "x" * 40, "%ED%A0%80")),
    *(f"/api/tables/%00/{what}" for what in ("replay", "analysis", "record")),
    *(f"/api/tables/{{}}/replay?viewer={number}" for number in NUMBERS),
    *(f"/api/lobby?page={number}" for number in NUMBERS),
]


def test_texts_and_numbers_in_a_body_are_refused(ada: Client) -> None:
    own = ada.open_table("me", "open").id
    for method, path, body in BODIES:
        answer = ada.http.request(
            method, path.format(own), content=json.dumps(body), headers={"Content-Type": "application/json"}
        )
        assert 400 <= answer.status_code < 500, (path, body, answer.text)
        assert error_of(answer).message != ""


def test_texts_and_numbers_in_an_address_are_refused(ada: Client) -> None:
    own = ada.open_table("me", "open").id
    for address in ADDRESSES:
        answer = ada.http.get(address.format(own))
        assert 400 <= answer.status_code < 500, (address, answer.text)
    for number in (str(number) for number in NUMBERS):
        assert ada.http.delete(f"/api/tables/{own}/seats/{number}").status_code == 422
    assert ada.http.delete("/api/me/tokens/%00").status_code == 422


@pytest.mark.parametrize("table_id", ["%00", "x%00y", "x" * 40, "%F0%9F%98%80"])
def test_a_socket_at_a_table_that_cannot_be(ada: Client, table_id: str) -> None:
    with pytest.raises(InvalidStatus):
        ada.line(table_id)


@pytest.mark.parametrize("asked", [{"since": -1}, {"since": 2**63}, {"since": 10**40}, {"seat": 2**31}])
def test_a_socket_that_asks_for_what_cannot_be(ada: Client, asked: dict[str, Any]) -> None:
    with pytest.raises(InvalidStatus):
        ada.line(ada.open_table("me", "open").id, **asked)


def test_texts_and_numbers_in_a_message_are_refused(ada: Client) -> None:
    line = ada.line(ada.open_table("me", "novice").id)
    line.receive()
    messages: list[dict[str, Any]] = [
        *({"type": "play", "seq": 0, "move": text} for text in TEXTS),
        *({"type": "play", "seq": number, "move": "take wbg"} for number in NUMBERS[2:]),
        *({"type": "undo", "seq": number} for number in NUMBERS),
        *({"type": "catch_up", "since": number} for number in NUMBERS if number not in (2**15,)),
        *({"type": "say", "phrase": text} for text in TEXTS),
    ]
    for message in messages:
        refusal = line.ask(**message)
        assert isinstance(refusal, protocol.Refused), message
        assert refusal.error.code in ("malformed", "stale", "illegal", "cannot_undo"), message
