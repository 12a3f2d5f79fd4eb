"""A small load on a server of its own, which is killed in the middle."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from cabochon.errors import CabochonError
from cabochon.loadtest import Load, players, processes, run_load
from tests.server.postgres import PostgresServer
from tests.server.running import SECONDS


def test_no_acknowledged_move_is_lost_when_the_server_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "SECONDS_TO_START", 5 * SECONDS)
    monkeypatch.setattr(players, "SECONDS_TO_RETURN", 5 * SECONDS)
    report = run_load(Load(games=3, players=3, seconds=0.5, think=0.1, is_killed=True))
    assert report.sockets == 9
    assert report.lost == 0
    assert report.back is not None
    assert report.played_on > 0
    assert report.acknowledged >= report.moves + report.played_on


def test_a_rolling_restart_loses_no_move_and_every_player_comes_back(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "SECONDS_TO_START", 5 * SECONDS)
    monkeypatch.setattr(processes, "SECONDS_TO_STOP", SECONDS)
    monkeypatch.setattr(players, "SECONDS_TO_RETURN", 5 * SECONDS)
    with postgres.database() as url:
        plan = Load(games=3, players=2, seconds=0.5, think=0.1, processes=2, database=url, is_rolling=True)
        report = run_load(plan)
    assert report.lost == 0
    assert report.away is not None
    assert report.away > 0
    assert report.stopping is not None
    assert report.played_on > 0


def test_a_process_may_have_more_sockets_open_than_a_system_gives_by_itself() -> None:
    program = (
        "import resource as r; from cabochon.server.settings import allow_many_sockets; "
        "_, most = r.getrlimit(r.RLIMIT_NOFILE); r.setrlimit(r.RLIMIT_NOFILE, (64, most)); allow_many_sockets(); "
        "print(r.getrlimit(r.RLIMIT_NOFILE) == (most, most))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Load(games=0),
        lambda: Load(players=5),
        lambda: Load(seconds=0.0),
        lambda: Load(think=-1.0),
    ],
)
def test_impossible_loads_are_refused(wrong: Callable[[], Load]) -> None:
    with pytest.raises(CabochonError, match="expected"):
        wrong()
