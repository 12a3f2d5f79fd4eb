"""Faults of all kinds, one after the other, while people and bots play."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cabochon.loadtest import players, processes
from tests.server.chaos.trial import Trial, run_trial
from tests.server.databases import NO_DATABASE
from tests.server.postgres import own_server
from tests.server.running import SECONDS


@NO_DATABASE  # it has a server of its own
def test_no_fault_loses_doubles_or_stops_a_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "SECONDS_TO_START", 5 * SECONDS)
    monkeypatch.setattr(players, "SECONDS_TO_RETURN", 5 * SECONDS)
    trial = Trial(seconds=60.0, faults=20)
    with own_server() as postgres, postgres.database() as database:
        result = asyncio.run(run_trial(trial, tmp_path, postgres, database))
    assert result.faults.total() == trial.faults
    assert result.told > 100
    assert result.forfeits > 0
