"""Limits for each client."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from cabochon.server.errors import RequestError
from cabochon.server.rate_limits import RateLimiter, TokenBucket
from tests.server.running import (
    GENEROUS,
    Client,
    error_of,
    refused,
    running,
    settings_for,
)


def test_a_bucket_fills_up_with_time() -> None:
    moment = 0.0
    bucket = TokenBucket(rate=2.0, burst=3, clock=lambda: moment)
    assert [bucket.take() for _ in range(5)] == [True, True, True, False, False]
    moment = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    moment = 100.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_a_bucket_knows_how_long_to_wait() -> None:
    moment = 0.0
    bucket = TokenBucket(rate=0.25, burst=2, clock=lambda: moment)
    assert bucket.seconds_until(2) == 0
    assert bucket.take(2)
    assert bucket.seconds_until() == 4
    moment = 3.0
    assert bucket.seconds_until() == 1
    assert not bucket.take()
    moment = 4.0
    assert bucket.seconds_until() == 0
    assert bucket.take()
    assert TokenBucket(rate=0.0, burst=0).seconds_until() == math.inf


def test_another_rate_holds_from_now_on() -> None:
    moment = 0.0
    limiter = RateLimiter(rate=1.0, burst=2, clock=lambda: moment)
    limiter.check("known", "tests", cost=2)
    moment = 1.0
    limiter.set_rate(0.0)
    limiter.check("known", "tests")  # earned before
    moment = 100.0
    with pytest.raises(RequestError):
        limiter.check("known", "tests")
    limiter.check("new", "tests", cost=2)
    limiter.set_rate(2.0)
    moment = 101.0
    for client in ("known", "new"):
        limiter.check(client, "tests", cost=2)


def test_very_many_clients_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RateLimiter, "CAPACITY", 10)
    limiter = RateLimiter(rate=0.0, burst=1)
    limiter.check("kept", "tests")
    for number in range(100):
        limiter.check(str(number), "tests")
        with pytest.raises(RequestError, match="expected fewer tests at a time"):
            limiter.check("kept", "tests")  # who keeps asking is not forgotten
    assert len(limiter._buckets) == 10


@pytest.mark.parametrize(
    ("seconds", "header"),
    [(0.0, "1"), (0.2, "1"), (1.0, "1"), (1.01, "2"), (59.5, "60"), (math.inf, None), (None, None)],
)
def test_retry_after_is_rounded_up_to_whole_seconds(seconds: float | None, header: str | None) -> None:
    error = RequestError("too_fast", "wait", retry_after=seconds)
    assert error.headers.get("Retry-After") == header


def test_too_many_requests_are_refused_until_the_time_that_the_answer_names(tmp_path: Path) -> None:
    moment = 0.0
    limits = replace(GENEROUS, request_rate=0.25, request_burst=5)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url) as client:
        server.app.state.server.request_limiter._clock = lambda: moment
        answers = [client.http.get("/api/me") for _ in range(7)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        assert error_of(answers[5]).code == "too_fast"
        assert [answer.headers["retry-after"] for answer in answers[5:]] == ["4", "4"]
        moment = 2.5
        assert client.http.get("/api/me").headers["retry-after"] == "2"
        moment = 4.0
        assert client.http.get("/api/me").status_code == 200
        assert client.http.get("/api/me").headers["retry-after"] == "4"


def test_one_address_opens_only_so_many_guests_and_tables(tmp_path: Path) -> None:
    limits = replace(GENEROUS, opening_rate=0.001, opening_burst=3)
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url, "Ada") as ada:
        table = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "open"}]}
        answers = [ada.http.post("/api/tables", json=table) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [201, 201, 429]
        assert int(answers[-1].headers["Retry-After"]) > 60
        with Client(server.url) as another:
            assert refused(another.http.put("/api/me", json={"nickname": "Bo"})) == (429, "too_fast")
        assert ada.http.put("/api/me", json={"nickname": "Countess"}).status_code == 200, "she is no new guest"
