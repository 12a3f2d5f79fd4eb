"""Leaving a game, and clocks that run out: of two players one loses, of more a bot goes on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from cabochon.errors import CabochonError
from cabochon.fair import seed_bytes
from cabochon.game import Options
from cabochon.server import protocol, tables
from cabochon.server.clocks import Clock, running_clock
from cabochon.server.store import now
from cabochon.server.tables import Table
from cabochon.server.timeline import Course, Deal
from cabochon.verification import verify
from tests.server.running import Client, Line, eager_move, error_of, running, settings_for
from tests.server.test_tables import ADA, BO, Listener, World, at_a_table, code_of, sit_down

START = datetime(2026, 11, 15, 12, tzinfo=UTC)
LIVE = Clock("live", timedelta(seconds=30), timedelta(seconds=60))


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


# What the log says


def timed_course(players: int = 2, clock: Clock = LIVE, bots: frozenset[int] = frozenset()) -> Course:
    names = tuple("ABCD"[:players])
    return Course(Deal(Options("splendor", players), seed_bytes(5), names, "2026-11-15", clock, START, bots))


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
    assert Course(back.deal, back.entries).deadline == at(90)


def test_bots_have_all_the_time() -> None:
    played = timed_course(bots=frozenset([1])).decide(0, "take wbg", at(20))
    assert played.clock is not None
    assert played.deadline is None
    assert played.decide(1, "take wbg", at(1000)).deadline == at(1000 + 90)


def test_of_two_players_who_leaves_loses() -> None:
    left = timed_course().decide(0, "take wbg", at(1)).leave(0, "left", at(2))
    assert left.is_over
    assert (left.clock, left.can_undo(0, at(0))) == (None, False)
    for again in (left, Course(left.deal, left.entries)):
        record = again.game.record(with_seed=True)
        assert '[Termination "resignation"]\n[Forfeit "seat 1: left the table"]' in record
        assert '[Result "2 1"]' in record
        assert '[End "forfeit"]' in record
        assert verify(record).is_true
        with pytest.raises(CabochonError):
            again.decide(1, "take wbg", at(3))
        with pytest.raises(CabochonError):
            again.leave(1, "left", at(3))


def test_of_three_players_the_game_goes_on() -> None:
    left = timed_course(3).decide(0, "take wbg", at(1)).leave(1, "clock", at(99))
    assert (left.is_over, left.left, left.deadline) == (False, frozenset([1]), None)
    assert not left.can_undo(0, at(0)), "what was before it stands"
    on = left.decide(1, "take wbg", at(100)).decide(2, "take rkw", at(101))
    assert Course(on.deal, on.entries).game.texts == on.game.texts
    steps = list(on.walk(1))
    assert [entry.leaving for entry, *_ in steps] == ["clock", None, None]
    with pytest.raises(CabochonError):
        on.leave(1, "left", at(102))


# At the table


def leave(client: Client, table_id: str, seat: int) -> protocol.TableInfo:
    answer = client.http.post(f"/api/tables/{table_id}/seats/{seat}/leave")
    assert answer.status_code == 200, answer.text
    return protocol.TableInfo.model_validate_json(answer.text)


def left_of(line: Line) -> protocol.Moved:
    while True:
        message = line.receive()
        if isinstance(message, protocol.Moved) and isinstance(message.happening, protocol.Left):
            return message


def test_who_leaves_a_game_of_two_has_lost_it(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    line = bo.line(table.id)
    line.receive()
    for client, seat in ((bo, 0), (ada, 1)):
        foreign = client.http.post(f"/api/tables/{table.id}/seats/{seat}/leave")
        assert (foreign.status_code, error_of(foreign).code) == (403, "not_yours")
    assert leave(ada, table.id, 0).status == "over"
    moved = left_of(line)
    assert (moved.happening.seat, moved.position.legal) == (0, [])
    assert isinstance(moved.happening, protocol.Left)
    assert (moved.happening.reason, moved.happening.level) == ("left", None)
    outcome = moved.position.outcome
    assert outcome is not None
    assert (outcome.places, outcome.winners, outcome.reason) == ([2, 1], [1], "forfeit")
    assert (outcome.termination, outcome.seat) == ("resignation", 0)
    assert outcome.seed is not None
    info = line.receive().table
    assert ([seat.has_left for seat in info.seats], info.status) == ([True, False], "over")
    line.play(1, "take wbg")
    assert line.receive().error.code == "over"
    again = ada.http.post(f"/api/tables/{table.id}/seats/0/leave")
    assert (again.status_code, error_of(again).code) == (409, "over")
    record = ada.http.get(f"/api/tables/{table.id}/record").text
    assert verify(record).is_true
    replay = protocol.Replay.model_validate_json(ada.http.get(f"/api/tables/{table.id}/replay").text)
    assert replay.positions[-1].outcome == outcome
    for client, has_won in ((ada, False), (bo, True)):
        (game,) = protocol.History.model_validate_json(client.http.get("/api/me/history").text).games
        assert [(seat.has_won, seat.has_left) for seat in game.seats if seat.is_you] == [(has_won, not has_won)]


def test_a_bot_goes_on_for_who_leaves_a_game_of_three(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "novice")
    bo.join(table.id)
    line, other = ada.line(table.id), bo.line(table.id)
    line.receive()
    other.receive()
    line.play(0, "reserve 1")
    line.receive_moved(1)
    info = leave(ada, table.id, 0)
    assert (info.you, info.status) == (None, "playing")
    assert (info.seats[0].kind, info.seats[0].name, info.seats[0].level) == ("bot", "Ada", "journeyman")
    moved = left_of(line)
    assert moved.position.view.viewer is None, "who left looks on"
    assert moved.position.view.seats[0].reserved[0].card is None
    assert moved.happening.model_dump()["level"] == "journeyman"
    assert left_of(other).position.view.viewer == 1
    position = moved.position
    while position.outcome is None:
        if position.view.seat == 1:
            view = other_position(other, position.seq)
            other.play(position.seq, eager_move(view))
        position = line.receive_moved(position.seq + 1).position
    (game,) = protocol.History.model_validate_json(ada.http.get("/api/me/history").text).games
    assert [(seat.place, seat.has_won, seat.has_left) for seat in game.seats if seat.is_you] == [(3, False, True)]


def own_tables(client: Client) -> list[str]:
    found = protocol.Tables.model_validate_json(client.http.get("/api/tables").text).tables
    return [table.id for table in found]


def test_a_game_that_one_has_left_is_not_ones_own(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "open")
    bo.join(table.id)
    with Client(ada.url, "Cy") as cy:
        cy.join(table.id)
        people = (ada, bo, cy)
        assert [own_tables(client) for client in people] == [[table.id]] * 3
        leave(bo, table.id, 1)
        assert [own_tables(client) for client in people] == [[table.id], [], [table.id]]
        leave(ada, table.id, 0)
        assert [own_tables(client) for client in people] == [[], [], [table.id]], "its host has left it too"


def test_who_leaves_for_one_of_two_at_a_device_still_has_the_game(ada: Client) -> None:
    table = ada.open_table("me", "Bo", "novice")
    leave(ada, table.id, 0)
    assert own_tables(ada) == [table.id]


def test_a_table_with_a_seat_that_is_kept_for_one_is_ones_own(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    leave(ada, table.id, 0)
    again = protocol.TableInfo.model_validate_json(ada.http.post(f"/api/tables/{table.id}/again").text)
    assert own_tables(bo)[0] == again.id
    bo_in_it = protocol.TableInfo.model_validate_json(bo.http.get(f"/api/tables/{again.id}").text)
    assert [(seat.is_kept, seat.is_yours) for seat in bo_in_it.seats] == [(True, True), (False, False)]
    ada.http.put(f"/api/tables/{again.id}/seats/0", json={"kind": "open"}).raise_for_status()
    assert again.id not in own_tables(bo), "it is open to anyone now"


def other_position(line: Line, seq: int) -> protocol.Position:
    answer = line.ask(type="catch_up", since=seq)
    while not isinstance(answer, protocol.Sync) or answer.position.seq < seq:
        answer = line.receive()
    return answer.position


def test_one_cannot_leave_what_has_not_begun(ada: Client) -> None:
    table = ada.open_table("me", "open")
    answer = ada.http.post(f"/api/tables/{table.id}/seats/0/leave")
    assert (answer.status_code, error_of(answer).code) == (409, "not_playing")


class Time:
    """A time that can be put forward."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def test_a_clock_runs_out_also_while_the_server_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time()
    monkeypatch.setattr(tables, "now", time.now)
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
        info = ada.http.get(f"/api/tables/{table.id}", headers={"Cookie": cookie}).json()
        assert (info["status"], [seat["has_left"] for seat in info["seats"]]) == ("over", [False, True])
        history = ada.http.get("/api/me/history", headers={"Cookie": cookie}).json()
        assert [seat["has_won"] for seat in history["games"][0]["seats"]] == [True, False]


def test_after_a_start_people_can_come_back_before_a_clock_runs_out(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        deadlines = server.tables._services.deadlines
        deadlines.grace_until = now() + timedelta(minutes=1)
        await table.look_at_clock()
        assert table.stored.status == "playing"
        assert await table.play(0, 0, "take wbg"), "as if there had been time"
        deadlines.grace_until = now()
        clock = table.course.clock
        assert clock is not None
        assert [reserve.seconds for reserve in clock.reserves] == [0, 60]
        assert await table.play(1, 1, "take wbg")

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(hours=1))


def test_a_leave_is_kept_before_it_is_told_whatever_fails(tmp_path: Path) -> None:
    async def work(server: World, table: Table) -> None:
        (bo,) = sit_down(table, BO)
        server.store.fault = "full"
        assert await code_of(table.leave(ADA, 0)) == "unavailable"
        assert (bo.take(), table.stored.status) == ([], "playing")
        server.store.fault = "lost"
        assert await code_of(table.leave(ADA, 0)) == "unavailable"
        (sync,) = bo.take()
        assert ([happening.type for happening in sync.happenings], sync.table.status) == (["left"], "over")
        assert sync.position.outcome.winners == [1]

    at_a_table(tmp_path, work)


def test_a_move_that_comes_too_late_is_none(tmp_path: Path) -> None:
    async def work(_: World, table: Table) -> None:
        (bo,) = sit_down(table, BO)
        assert await code_of(table.play(0, 0, "take wbg")) == "stale"
        moved, changed = bo.take()
        outcome = moved.position.outcome
        assert (moved.happening.reason, outcome.winners) == ("clock", [1])
        assert (outcome.termination, outcome.seat) == ("timeout", 0)
        assert changed.table.status == "over"

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(hours=1))


def test_taking_back_what_there_is_no_time_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(_: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        (moved,) = ada.take()
        assert moved.position.can_undo
        assert told_to(table, ada).can_undo
        monkeypatch.setattr(tables, "now", lambda: now() + timedelta(seconds=80))
        assert not told_to(table, ada).can_undo, "as it would be answered"
        assert await code_of(table.undo(0, 1)) == "cannot_undo", "its own turn would be over, the other's is not"

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(seconds=20))


def test_at_a_table_that_was_closed_nothing_is_taken_back(tmp_path: Path) -> None:
    async def work(_: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        assert await table.play(0, 0, "take wbg")
        assert told_to(table, ada).can_undo
        table.detach(ada)
        await table.close_if_dead(now(), now() + timedelta(days=1))
        assert table.stored.status == "closed"
        assert not told_to(table, ada).can_undo, "as it would be answered"
        assert await code_of(table.undo(0, 1)) == "closed"

    at_a_table(tmp_path, work)


def told_to(table: Table, listener: Listener) -> protocol.Position:
    """Where the game stands, as one is told who asks now."""
    return protocol.Sync.model_validate_json(table.sync(listener, 0)).position


def test_a_move_that_came_too_late_to_take_back_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(_: World, table: Table) -> None:
        (ada,) = sit_down(table, ADA)
        moments = iter([0.0, 80.0])  # the clock is looked at when the move comes, and has run out when it is kept
        monkeypatch.setattr(tables, "now", lambda: now() + timedelta(seconds=next(moments, 80.0)))
        assert await table.play(0, 0, "take wbg")
        (moved,) = ada.take()
        assert not moved.position.can_undo

    at_a_table(tmp_path, work, clock=LIVE, started_at=now() - timedelta(seconds=20))


def test_a_clock_runs_out_while_everybody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time = Time()
    monkeypatch.setattr(tables, "now", time.now)
    with running(settings_for(tmp_path)) as server, Client(server.url, "Ada") as ada, Client(server.url, "Bo") as bo:
        table = ada.open_table("me", "open", clock={"kind": "live", "move_seconds": 5, "reserve_seconds": 5})
        line = bo.line(table.id)
        time.ahead = timedelta(seconds=-9)  # the game begins so long ago
        bo.join(table.id)
        time.ahead = timedelta()
        moved = left_of(line)
        assert (moved.happening.seat, moved.position.clock) == (0, None)
        assert moved.happening.model_dump()["reason"] == "clock"
        assert bo.http.get(f"/api/tables/{table.id}").json()["status"] == "over"
        assert '[Forfeit "seat 1: ran out of time"]' in bo.http.get(f"/api/tables/{table.id}/record").text
