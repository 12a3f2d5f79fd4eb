"""Logs and metrics."""

from __future__ import annotations

import io
import json
import logging
from typing import get_args

import pytest

from cabochon.bots import LADDER
from cabochon.errors import CabochonError
from cabochon.server import telemetry
from cabochon.server.protocol import ErrorCode
from cabochon.version import __version__
from tests.server.databases import PostgresDatabases
from tests.server.running import (
    Client,
)


@pytest.mark.usefixtures("_own_logging")
def test_logs_are_one_json_object_a_line() -> None:
    stream = io.StringIO()
    telemetry.set_up_logging("json", "info", stream)
    telemetry.log_event("started", version="1")
    telemetry.log_event("request", logging.DEBUG, route="/")
    try:
        raise ValueError("two\nlines")
    except ValueError:
        telemetry.logger.exception("request failed")
    telemetry.log_event("start_failed", error=CabochonError("expected a usable database"))
    started, failed, not_started = map(json.loads, stream.getvalue().splitlines())
    assert started["event"] == "started"
    assert started["level"] == "info"
    assert started["version"] == "1"
    assert started["time"].endswith("+00:00")
    assert "two\nlines" in failed["exception"]
    assert "expected a usable database" in not_started["error"]


@pytest.mark.usefixtures("_own_logging")
def test_logs_for_people() -> None:
    stream = io.StringIO()
    telemetry.set_up_logging("text", "warning", stream)
    telemetry.log_event("started")
    telemetry.log_event("flood", logging.WARNING, table="x")
    (line,) = stream.getvalue().splitlines()
    assert line.endswith("warning flood event=flood table=x")


def test_metrics_count_what_happens(ada: Client, database: PostgresDatabases | None) -> None:
    table = ada.open_table("me", "novice")
    line = ada.line(table.id)
    position = line.receive().position
    line.play(0, "nonsense")
    line.play(0, position.legal[0].move)
    line.receive_moved(2)
    answer = ada.http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    values = {
        text.rpartition(" ")[0]: float(text.rpartition(" ")[2])
        for text in answer.text.splitlines()
        if not text.startswith("#")
    }
    assert values['cabochon_entries_total{by="person"}'] >= 1
    assert values['cabochon_entries_total{by="bot"}'] >= 1
    assert values['cabochon_refusals_total{code="malformed"}'] >= 1
    for code in get_args(ErrorCode):
        assert f'cabochon_refusals_total{{code="{code}"}}' in values, "or an alert would miss the first one"
    for level in (*LADDER, "greedy"):
        assert f'cabochon_bot_failures_total{{level="{level}"}}' in values
    assert values['cabochon_bot_seconds_count{level="novice"}'] >= 1
    assert values["cabochon_move_seconds_count"] >= 1
    assert values["cabochon_commit_seconds_count"] >= 2
    assert values["cabochon_sockets"] >= 1
    assert values["cabochon_live_tables"] >= 1
    assert values['cabochon_bot_threads{pool="search"}'] == 2
    assert values["cabochon_processes"] == 1
    assert (values['cabochon_notices_total{direction="sent"}'] > 0) == (database is not None)
    assert values["cabochon_due_bot_moves"] >= 0
    assert values["process_resident_memory_bytes"] > 0
    build = next(name for name in values if name.startswith("cabochon_build_info"))
    assert f'version="{__version__}"' in build
    route = 'cabochon_http_request_seconds_count{method="POST",route="/api/tables",status="201"}'
    assert values[route] >= 1
    assert table.id not in answer.text
