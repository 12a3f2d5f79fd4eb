"""The HTTP interface as a whole: its description, and requests that are refused."""

from __future__ import annotations

from typing import Any

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
from cabochon.version import RULES_VERSION, __version__
from tests.server.running import (
    Client,
    RunningServer,
    error_of,
)


@pytest.mark.parametrize("path", ["", "/record", "/again", "/join"])
def test_a_table_that_is_not_there(ada: Client, path: str) -> None:
    method = "GET" if path in ("", "/record") else "POST"
    answer = ada.http.request(method, f"/api/tables/nowhere{path}", json={} if path == "/join" else None)
    assert (answer.status_code, error_of(answer).code) == (404, "not_found")


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[]", b"null", b'{"nickname": "Ada", "id": "x"}'])
def test_a_body_that_is_no_message_is_refused(stranger: Client, body: bytes) -> None:
    answer = stranger.http.put("/api/me", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, error_of(answer).code) == (422, "malformed")


def test_what_does_not_exist(stranger: Client) -> None:
    for path in ("/api", "/api/", "/api/nowhere", "/nowhere.js", "/assets/../../app.py", "/..%2fapp.py"):
        answer = stranger.http.get(path)
        assert answer.status_code in (404, 200, 503), path
        assert "create_app" not in answer.text
    assert stranger.http.get("/api/nowhere").status_code == 404
    assert stranger.http.get("/nowhere.js").status_code == 404
    assert stranger.http.delete("/api/me").status_code == 405


def test_health(stranger: Client) -> None:
    assert stranger.http.get("/healthz").json() == {
        "status": "ok",
        "version": __version__,
        "rules": RULES_VERSION,
        "protocol": protocol.PROTOCOL_VERSION,
    }


POSITIVE, NEGATIVE = schemathesis.GenerationMode


CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


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

                @settings(max_examples=4, suppress_health_check=list(HealthCheck), database=None)
                @given(case=operation.as_strategy(generation_mode=mode), is_guest=booleans(), is_there=booleans())
                def check(case: schemathesis.Case[Any], is_guest: bool, is_there: bool) -> None:
                    if is_there and "table_id" in (case.path_parameters or {}):
                        case.path_parameters["table_id"] = table.id
                    case.call_and_validate(headers={"Cookie": ada.cookie} if is_guest else {}, checks=CHECKS)

                check()
