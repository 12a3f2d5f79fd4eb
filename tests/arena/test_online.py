"""The arena against bots that play online, on a server of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import httpx
import pytest

from cabochon import CabochonError, Game, Move, Options, View
from cabochon.arena import online
from cabochon.arena.online import OnlineBot, parse_online
from cabochon.arena.report import render
from cabochon.arena.standings import standings
from cabochon.arena.tournament import Plan, run
from cabochon.bots.bot import Limit
from tests.cli.command import run as run_command
from tests.server.running import GENEROUS, Client, RunningServer, running, settings_for
from tests.server.test_online_bots import EXAMPLE, token_for


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server where one may not send as fast as bots play."""
    limits = replace(GENEROUS, message_rate=20.0, message_burst=20)
    with running(settings_for(tmp_path_factory.mktemp("server"), limits=limits)) as server:
        yield server


@pytest.fixture
def robot(server: RunningServer) -> Iterator[Client]:
    with Client(server.url, "Robot") as client:
        yield client


def name_of(client: Client) -> str:
    return f"online:{client.url}/{client.http.get('/api/me').json()['guest']['id']}"


@contextmanager
def program_of(client: Client) -> Iterator[None]:
    """The example, which waits for invitations."""
    command = [sys.executable, str(EXAMPLE), client.url, token_for(client).token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        try:
            assert program.stdout.readline().strip() == name_of(client)
            yield
        finally:
            program.kill()


def tables_of(client: Client) -> list[str]:
    return [table["status"] for table in client.http.get("/api/tables").json()["tables"]]


def test_the_arena_plays_against_an_online_bot(robot: Client) -> None:
    plan = Plan(("greedy", name_of(robot)), Options("marvel"), games=2)
    with program_of(robot):
        played = list(run(plan))
    assert [one.pairing.seats for one in played] == [(0, 1), (1, 0)]
    for one in played:
        contest = one.contest
        assert contest.forfeit is None
        game = Game.from_record(contest.record)
        assert game.outcome is not None
        assert (contest.places, contest.points, contest.rounds) == (
            game.outcome.places,
            game.outcome.points,
            game.round,
        )
        assert sum(contest.decisions) == len(game.moves)
        assert sum(contest.shares) == pytest.approx(1.0)
        assert all(seconds > 0 for seconds in contest.seconds)
        expected = ["greedy", "Robot"] if one.pairing.seats == (0, 1) else ["Robot", "greedy"]
        assert list(game.names) == expected
    rows = {row.name: row for row in standings(plan, played)}
    assert rows["greedy"].games == rows[name_of(robot)].games == 2
    assert "deals of a server" in render(plan, played)
    assert tables_of(robot) == ["over", "over"]


class Failing:
    """Raises at its second decision."""

    def start(self, seed: int) -> None:
        self.decisions = 0

    def choose(self, view: View, limit: Limit) -> Move:
        self.decisions += 1
        if self.decisions > 1:
            raise RuntimeError("no idea")
        return view.legal_moves[0]


class Unable:
    """Does not even start."""

    def start(self, seed: int) -> None:
        raise RuntimeError("no disk")

    def choose(self, view: View, limit: Limit) -> Move:
        raise AssertionError("expected not to be asked")


def test_a_bot_of_the_arena_that_fails_loses(robot: Client) -> None:
    for own, reason in (("Failing", "crashed: RuntimeError: no idea"), ("Unable", "did not start: no disk")):
        plan = Plan((f"tests.arena.test_online:{own}", name_of(robot)), Options(), games=2)
        with program_of(robot):
            played = list(run(plan))
        for one in played:
            seat = one.pairing.seats.index(0)
            assert one.contest.forfeit == f"seat {seat + 1}: {reason}"
            assert (one.contest.places[seat], one.contest.shares[seat]) == (2, 0.0)
            assert one.contest.shares[1 - seat] == 1.0
        assert standings(plan, played)[0].forfeits == 2


def test_of_three_the_others_play_on(robot: Client) -> None:
    plan = Plan(("tests.arena.test_online:Failing", "random", name_of(robot)), Options("splendor", 3), games=1)
    with program_of(robot):
        one = next(run(plan))
    assert one.contest.places[0] == 3
    assert sorted(one.contest.places[1:]) in ([1, 1], [1, 2])
    assert sum(one.contest.shares) == pytest.approx(1.0)
    assert Game.from_record(one.contest.record).is_over


def test_those_who_left_are_last_and_the_best_of_the_others_wins() -> None:
    game = Game("splendor", 3, seed=1)
    while not game.is_over:
        game.play(game.legal_moves[-1])
    assert game.outcome is not None
    first, second, third = game.outcome.ranking
    assert online._places(game, []) == game.outcome.places
    places = online._places(game, [first])
    assert (places[first], places[second], places[third]) == (3, 1, 2)
    assert online._places(Game("splendor", 2, seed=1), [1]) == (1, 2), "given up before its end"


def test_a_bot_that_does_not_come_is_named(robot: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "SECONDS_TO_COME", 0.2)
    with pytest.raises(CabochonError, match=f"expected {name_of(robot)} to sit down within 0.2 s"):
        list(run(Plan(("random", name_of(robot)), Options(), games=2)))
    assert tables_of(robot) == ["closed"]


def test_a_table_that_somebody_closes_ends_the_wait(robot: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(("random", name_of(robot)), Options(), games=2)

    async def close(game: online._OnlineGame) -> None:
        await game._request("DELETE", f"/api/tables/{game._table}")

    monkeypatch.setattr(online._OnlineGame, "_wait_for_all", close)
    with pytest.raises(CabochonError, match="the table was closed"):
        list(run(plan))


def test_a_server_that_is_away_is_named() -> None:
    done = run_command("arena", "random", "online:http://127.0.0.1:9/guest", "--game", "splendor", "--players", "2")
    assert done.status == 2
    assert "expected a server of Cabochon at http://127.0.0.1:9, got no answer" in done.errors


def test_a_guest_that_there_is_not_is_named(server: RunningServer) -> None:
    with pytest.raises(CabochonError, match="got 404: there is no guest nobody"):
        list(run(Plan(("random", f"online:{server.url}/nobody"), Options(), games=2)))


def test_a_server_that_goes_away_in_a_game_ends_it(robot: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "SECONDS_TO_ANSWER", 0.5)
    monkeypatch.setattr(online, "connect", lambda *_, **__: _Unreachable())
    with pytest.raises(CabochonError, match="to come back, and it did not: no route"):
        list(run(Plan(("random", name_of(robot)), Options(), games=2)))


class _Unreachable:
    async def __aenter__(self) -> None:
        raise OSError("no route")

    async def __aexit__(self, *_: object) -> None:
        raise AssertionError("expected not to be entered")


def test_the_name_of_an_online_bot() -> None:
    assert parse_online("online:http://127.0.0.1:8000/a_B-1") == OnlineBot("http://127.0.0.1:8000", "a_B-1")
    assert parse_online("online:time=2.5:https://host/path/a") == OnlineBot("https://host/path", "a", 2.5)


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        (("random", "online:robot"), "expected 'online:http"),
        (("random", "online:http://host"), "expected 'online:http"),
        (("random", "online:time=0:http://host/a"), "expected 'online:http"),
        (("random", "online:time=1.2.3:http://host/a"), "expected 'online:http"),
        (("random", "online:http://one/a", "online:http://two/a"), "expected online bots of one server"),
        (("random", "online:http://one/a", "online:time=5:http://one/a"), "expected each online bot once"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(bots: tuple[str, ...], message: str) -> None:
    with pytest.raises(CabochonError, match=message):
        Plan(bots, Options("splendor", len(bots)), games=2)


def test_what_a_server_says_is_repeated_whatever_it_is() -> None:
    assert online._reason(httpx.Response(500, text="<html>no</html>")) == "<html>no</html>"
    assert online._reason(httpx.Response(409, json={"error": {"message": "all seats are taken"}})) == (
        "all seats are taken"
    )
