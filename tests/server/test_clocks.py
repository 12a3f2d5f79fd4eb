"""Clocks: what a log leaves of the time, and what happens when it is up."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from cabochon.fair import seed_bytes
from cabochon.game import Options
from cabochon.server import clocks, protocol
from cabochon.server.clocks import Clock, Deadlines, now, running_clock
from cabochon.server.live_table import LiveTable
from cabochon.server.timeline import Deal, Timeline
from tests.server.running import Client, left_of, refused, running, settings_for
from tests.server.table_world import ADA, BO, Listener, World, at_a_table, code_of, sit_down

START = datetime(2026, 11, 15, 12, tzinfo=UTC)


LIVE = Clock("live", timedelta(seconds=30), timedelta(seconds=60))


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def timed_course(players: int = 2, clock: Clock = LIVE, bots: frozenset[int] = frozenset()) -> Timeline:
    names = tuple("ABCD"[:players])
    return Timeline(Deal(Options("splendor", players), seed_bytes(5), names, "2026-11-15", clock, START, bots))


class SetForward(datetime):
    """A system clock that was set forward by an hour."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> SetForward:
        return cls.fromtimestamp((datetime.now(UTC) + timedelta(hours=1)).timestamp(), tz)


def test_nobody_loses_time_when_the_system_clock_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    before = now()
    monkeypatch.setattr(clocks, "datetime", SetForward)
    assert before <= now() < before + timedelta(minutes=30)
    passed = time.monotonic() + 3600
    monkeypatch.setattr(time, "monotonic", lambda: passed)
    assert now() >= before + timedelta(hours=1), "time that has passed counts"


def test_deadlines_that_are_void_are_forgotten() -> None:
    """A clock of some days has a new deadline after each move."""
    deadlines, start = Deadlines(), now()
    for days in range(1_000):
        deadlines.add(f"table {days % 10}", start + timedelta(days=days))
    assert len(deadlines._heap) < 30
    assert deadlines._heap[0] == (start + timedelta(days=990), "table 0")


def test_a_server_starts_on_the_29th_of_february(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clocks, "now", lambda: datetime(2028, 2, 29, 12, tzinfo=UTC))

    async def work(server: World, _: LiveTable) -> None:
        assert await server.processes.has_other_server() is False

    at_a_table(tmp_path, work)


def test_a_log_never_goes_back_in_time() -> None:
    course = timed_course().decide(0, "take wbg", at(20)).decide(1, "take wbg", at(5)).leave(0, "left", at(1))
    assert [entry.at for entry in course.entries] == [at(20)] * 3


def test_a_clock_is_told_as_it_was_wanted_and_kept_as_text() -> None:
    for message in (
        protocol.LiveClock(kind="live", move_seconds=30, reserve_seconds=60),
        protocol.DaysClock(kind="days", days=3),
    ):
        clock = Clock.from_message(message)
        assert clock is not None
        assert type(message).model_validate(clock.to_message()) == message
        assert Clock.from_text(clock.to_text()) == clock
    assert Clock.from_message(None) is Clock.from_text(None) is None


def test_the_allowance_is_for_a_turn_and_then_the_reserve_runs() -> None:
    first = running_clock(LIVE, 2, START, [], 0)
    assert (first.reserve_from, first.deadline) == (at(30), at(90))
    second = running_clock(LIVE, 2, START, [(0, at(50))], 1)
    assert [reserve.seconds for reserve in second.reserves] == [40, 60]
    assert (second.reserve_from, second.deadline) == (at(80), at(140))
    third = running_clock(LIVE, 2, START, [(0, at(50)), (1, at(60))], 0)
    assert (third.reserve_from, third.deadline) == (at(90), at(130))
    within = running_clock(LIVE, 2, START, [(0, at(50)), (1, at(60)), (0, at(80))], 0)
    assert (within.since, within.deadline) == (at(60), at(130)), "the turn goes on"


def test_days_have_no_reserve() -> None:
    days = Clock("days", timedelta(days=2))
    assert running_clock(days, 3, START, [(0, at(9)), (1, at(10))], 2).deadline == at(10) + timedelta(days=2)


def test_taking_back_gives_no_time() -> None:
    played = timed_course().decide(0, "take wbg", at(20))
    assert played.deadline == at(20 + 90)
    back = played.undo(0, at(70))
    assert back.deadline == at(90), "as if the turn had never passed on"
    assert Timeline(back.deal, back.entries).deadline == at(90)


def test_bots_have_all_the_time() -> None:
    played = timed_course(bots=frozenset([1])).decide(0, "take wbg", at(20))
    assert played.clock is not None
    assert played.deadline is None
    assert played.decide(1, "take wbg", at(1000)).deadline == at(1000 + 90)


class Time:
    """A time that can be put forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def test_a_clock_runs_out_also_while_the_server_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time()
    monkeypatch.setattr(clocks, "now", time.now)
    settings = settings_for(tmp_path)
    with running(settings) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        table = ada.open_table("me", "open", clock={"kind": "days", "days": 2})
        bo.join(table.id)
        line = ada.line(table.id)
        sync = line.receive()
        clock = sync.position.clock
        assert (clock.seat, clock.reserves, clock.deadline - sync.now > timedelta(days=1.9)) == (0, [0, 0], True)
        line.play(0, "take wbg")
        clock = line.receive_moved(1).position.clock
        assert clock is not None
        assert clock.seat == 1
        cookie = ada.cookie
    time.ahead = timedelta(days=3)
    with running(settings) as server, Client(server.url) as ada:
        path = f"/api/tables/{table.id}"
        while (info := ada.http.get(path, headers={"Cookie": cookie}).json())["status"] == "playing":
            pass
        assert (info["status"], [seat["has_left"] for seat in info["seats"]]) == ("over", [False, True])
        history = ada.http.get("/api/me/history", headers={"Cookie": cookie}).json()
        seats = history["games"][0]["seats"]
        assert [(seat["has_won"], seat["leaving"]) for seat in seats] == [(True, None), (False, "clock")]


def test_after_a_start_people_can_come_back_before_a_clock_runs_out(tmp_path: Path) -> None:
    async def work(server: World, table: LiveTable) -> None:
        deadlines = server.registry._services.deadlines
        deadlines.grace_until = now() + timedelta(minutes=1)
        await table.resume()
        assert table.record.status == "playing"
        assert await table.play(0, 0, "take wbg"), "as if there had been time"
        deadlines.grace_until = now()
        clock = table.timeline.clock
        assert clock is not None
        assert [reserve.seconds for reserve in clock.reserves] == [0, 60]
        assert await table.play(1, 1, "take wbg")

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(hours=1))


def test_a_move_that_comes_too_late_is_none(tmp_path: Path) -> None:
    async def work(_: World, table: LiveTable) -> None:
        (bo,) = sit_down(table, BO)
        assert await code_of(table.play(0, 0, "take wbg")) == "stale"
        moved, changed = bo.take()
        outcome = moved.position.outcome
        assert (moved.event.reason, outcome.winners) == ("clock", [1])
        assert (outcome.termination, outcome.seat) == ("timeout", 0)
        assert changed.table.status == "over"

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(hours=1))


def test_taking_back_what_there_is_no_time_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(_: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        (moved,) = ada.take()
        assert moved.position.can_undo
        assert told_to(table, ada).can_undo
        monkeypatch.setattr(clocks, "now", lambda: now() + timedelta(seconds=80))
        assert not told_to(table, ada).can_undo, "as it would be answered"
        assert await code_of(table.undo(0, 1)) == "cannot_undo", "its own turn would be over, the other's is not"

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(seconds=20))


def told_to(table: LiveTable, listener: Listener) -> protocol.Position:
    """Where the game stands, as one is told who asks now."""
    return protocol.Sync.model_validate_json(table.broadcast.sync(listener, 0)).position


def test_a_move_that_came_too_late_to_take_back_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(_: World, table: LiveTable) -> None:
        (ada,) = sit_down(table, ADA)
        moments = iter([0.0, 80.0])  # the clock is looked at when the move comes, and has run out when it is kept
        monkeypatch.setattr(clocks, "now", lambda: now() + timedelta(seconds=next(moments, 80.0)))
        assert await table.play(0, 0, "take wbg")
        (moved,) = ada.take()
        assert not moved.position.can_undo

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(seconds=20))


def test_a_clock_runs_out_while_everybody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time()
    monkeypatch.setattr(clocks, "now", time.now)
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        table = ada.open_table("me", "open", clock={"kind": "live", "move_seconds": 5, "reserve_seconds": 5})
        line = bo.line(table.id)
        time.ahead = timedelta(seconds=-11)  # the game began so long ago: its time is up
        bo.join(table.id)
        time.ahead = timedelta()
        moved = left_of(line)
        assert (moved.event.seat, moved.position.clock) == (0, None)
        assert moved.event.model_dump()["reason"] == "clock"
        assert bo.http.get(f"/api/tables/{table.id}").json()["status"] == "over"
        assert '[Forfeit "seat 1: ran out of time"]' in bo.http.get(f"/api/tables/{table.id}/record").text


@pytest.mark.parametrize(
    "clock", [{"kind": "live", "move_seconds": 1, "reserve_seconds": 0}, {"kind": "days", "days": 0}, {"kind": "live"}]
)
def test_a_clock_that_cannot_be_is_refused(ada: Client, clock: object) -> None:
    plan = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "bot"}], "clock": clock}
    assert refused(ada.http.post("/api/tables", json=plan)) == (422, "malformed")
