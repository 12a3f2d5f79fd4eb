"""The arena against bots that play online, on a server of its own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from itertools import count
from typing import Any

import httpx
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from cabochon import CabochonError, Forfeit, Game, Move, Options, Termination, View
from cabochon.arena import online
from cabochon.arena.online import OnlineBot, parse_online
from cabochon.arena.report import render
from cabochon.arena.standings import standings
from cabochon.arena.tournament import Plan, run
from cabochon.bots import referee
from cabochon.bots.protocol import Bot, Limit
from cabochon.bots.referee import Contest
from tests.cli.command import run as run_command
from tests.server.running import GENEROUS, Client, RunningServer, eager_move, running, settings_for
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


def forfeit_in(contest: Contest) -> Forfeit | None:
    """The forfeit that the record of a game has in its tags."""
    outcome = Game.from_record(contest.record).outcome
    assert outcome is not None
    return outcome.forfeit


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


class Exiting(Unable):
    """Ends the program, if it can."""

    def start(self, seed: int) -> None:
        raise SystemExit(1)


def test_a_bot_of_the_arena_that_fails_loses(robot: Client) -> None:
    for own, reason in (
        ("Failing", "crashed: RuntimeError: no idea"),
        ("Unable", "did not start: crashed: RuntimeError: no disk"),
        ("Exiting", "did not start: crashed: SystemExit: 1"),
    ):
        plan = Plan((f"tests.arena.test_online:{own}", name_of(robot)), Options(), games=2)
        with program_of(robot):
            played = list(run(plan))
        for one in played:
            seat = one.pairing.seats.index(0)
            assert one.contest.forfeit == Forfeit(seat, Termination.FAILURE, reason)
            assert (one.contest.places[seat], one.contest.shares[seat]) == (2, 0.0)
            assert one.contest.shares[1 - seat] == 1.0
            assert forfeit_in(one.contest) == one.contest.forfeit
        assert standings(plan, played)[0].forfeits == 2


def test_of_three_the_others_play_on(robot: Client) -> None:
    plan = Plan(("tests.arena.test_online:Failing", "random", name_of(robot)), Options("splendor", 3), games=1)
    with program_of(robot):
        one = next(run(plan))
    assert one.contest.places[0] == 3
    assert sorted(one.contest.places[1:]) in ([1, 1], [1, 2])
    assert sum(one.contest.shares) == pytest.approx(1.0)
    assert Game.from_record(one.contest.record).is_over


def test_the_first_to_lose_is_named(robot: Client) -> None:
    own = tuple(f"tests.arena.test_online:{name}" for name in ("Failing", "Unable"))
    with program_of(robot):
        one = next(run(Plan((*own, name_of(robot)), Options("splendor", 3), games=1)))
    assert one.contest.forfeit == Forfeit(1, Termination.FAILURE, "did not start: crashed: RuntimeError: no disk")
    assert one.contest.places == (3, 3, 1)


def test_a_bot_that_does_not_come_to_start_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "SECONDS_TO_START", 0.05)
    started = threading.Event()

    class Stuck(Unable):
        def start(self, seed: int) -> None:
            started.wait(20)

    game = game_at("http://127.0.0.1:9", own=Stuck())
    with pytest.raises(CabochonError, match="got no answer"):
        asyncio.run(game.play(0))
    started.set()
    assert game._faults == {0: Forfeit(0, Termination.FAILURE, "did not start: no answer within 0.05 s")}


# Limits of time


@contextmanager
def thread_of(client: Client, pause: float) -> Iterator[None]:
    """A program that sits down at the first invitation, waits so long, and plays from then on at once."""

    def play() -> None:
        while not (tables := client.http.get("/api/tables").json()["tables"]):
            time.sleep(0.01)
        line = client.line(client.join(tables[0]["id"]).id)
        with suppress(ConnectionClosed, TimeoutError):
            while True:
                position = getattr(line.receive(), "position", None)
                if position is not None and position.outcome is not None:
                    return
                if position is not None and position.legal:
                    is_over.wait(pause if position.view.round == 1 else 0)
                    line.play(position.seq, eager_move(position))

    is_over = threading.Event()
    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(20)


def test_an_online_bot_is_held_to_its_own_limit_and_not_to_that_of_the_slowest(robot: Client) -> None:
    slow = f"online:time=0.2:{name_of(robot).removeprefix('online:')}"
    with thread_of(robot, 20):
        one = next(run(Plan(("random", slow), Options(), games=2, grace=0.1)))
    assert one.contest.forfeit == Forfeit(1, Termination.TIMEOUT, "no answer within 0.3 s")
    assert (one.contest.places, one.contest.shares) == ((1, 2), (1.0, 0.0))
    assert forfeit_in(one.contest) == one.contest.forfeit


def test_of_three_the_game_of_one_who_was_late_is_played_on(robot: Client) -> None:
    slow = f"online:time=0.1:{name_of(robot).removeprefix('online:')}"
    with thread_of(robot, 0.4):
        one = next(run(Plan(("random", "greedy", slow), Options("splendor", 3), games=1, grace=0.0)))
    assert one.contest.forfeit == Forfeit(2, Termination.TIMEOUT, "no answer within 0.1 s")
    assert one.contest.places[2] == 3
    assert Game.from_record(one.contest.record).is_over


@pytest.mark.parametrize(
    ("online_seconds", "limit", "turn"),
    [
        (60.0, Limit(seconds=1), 61),
        (5.0, Limit(seconds=30), 151),
        (5.0, Limit(nodes=100), 301),  # the referee gives it 60 s a decision
        (1.0, Limit(seconds=0.1), 5),  # no clock of a server has less
    ],
)
def test_the_clock_of_the_table_is_that_of_the_slowest(online_seconds: float, limit: Limit, turn: int) -> None:
    game = game_at("http://host", seconds=online_seconds, limit=limit)
    assert game._table_options()["clock"]["move_seconds"] == turn


# A server that is away for a while


def game_at(
    server: str, seconds: float = 60.0, own: Bot | None = None, limit: Limit | None = None
) -> online._OnlineGame:
    local = {0: (own or Unable(), limit or Limit())}
    return online._OnlineGame(Options(), ["own", "other"], {1: OnlineBot(server, "guest", seconds)}, local, 1.0)


async def messages_of(
    serving: Callable[[ServerConnection], Awaitable[None]], most: int, monkeypatch: pytest.MonkeyPatch
) -> list[Any]:
    """What comes over lines that are held like this, at most so many messages."""
    async with serve(serving, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        monkeypatch.setitem(online._cookies, address, "a=b")
        got: list[Any] = []
        async with aclosing(game_at(address)._messages(0)) as messages:
            async for _, message in messages:
                got.append(message)
                if len(got) == most:
                    break
        return got


def test_a_line_that_breaks_after_a_long_silence_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "SECONDS_TO_ANSWER", 0.1)
    monkeypatch.setattr(online, "SECONDS_BETWEEN_ATTEMPTS", 0.01)
    lines = count(1)

    async def serving(line: ServerConnection) -> None:
        await line.send(str(next(lines)))
        await asyncio.sleep(0.3)
        await line.close(1012)

    assert asyncio.run(messages_of(serving, 2, monkeypatch)) == [1, 2]


def test_a_line_from_a_seat_that_is_no_longer_ours_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = count(1)

    async def serving(line: ServerConnection) -> None:
        number = next(lines)
        if number == 1:
            await line.send(str(number))
        await line.close(1012 if number == 1 else 4403)

    assert asyncio.run(messages_of(serving, 2, monkeypatch)) == [1]
    assert next(lines) == 3


def test_a_bot_that_has_left_looks_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    async def messages(game: online._OnlineGame, seat: int | None) -> AsyncGenerator[tuple[None, dict[str, Any]]]:
        view = Game("splendor", seed=1).view(0).to_dict()
        yield None, {"type": "sync", "position": {"seq": 0, "legal": ["something"], "view": view}}
        raise AssertionError("expected nobody to look")

    async def request(game: online._OnlineGame, method: str, path: str) -> None:
        asked.append(path)

    monkeypatch.setattr(online._OnlineGame, "_messages", messages)
    monkeypatch.setattr(online._OnlineGame, "_request", request)
    game = game_at("http://host")
    game._faults[0] = Forfeit(0, Termination.FAILURE, "did not start")
    asyncio.run(game._play_seat(0))
    assert asked == ["/api/tables//seats/0/leave"]


@pytest.mark.parametrize(
    ("is_known", "method", "path", "failures", "expected"),
    [
        (True, "GET", "/api/tables/x", [httpx.ConnectError("away"), httpx.ReadError("away"), 503, 429], 200),
        (True, "POST", "/api/tables", [httpx.ConnectError("away"), 429], 200),
        (True, "POST", "/api/tables", [httpx.ReadError("away")], None),  # it may have been opened
        (False, "PUT", "/api/me", [httpx.ConnectError("away")], None),  # the address may be wrong
        (True, "GET", "/api/tables/x", [httpx.ConnectError("away")] * 1000, None),
    ],
)
def test_a_server_that_answered_before_gets_time_to_come_back(
    is_known: bool,
    method: str,
    path: str,
    failures: list[httpx.HTTPError | int],
    expected: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(online, "SECONDS_TO_ANSWER", 1.0)
    monkeypatch.setattr(online, "SECONDS_BETWEEN_ATTEMPTS", 0.01)
    left = list(failures)

    def answer(request: httpx.Request) -> httpx.Response:
        problem = left.pop(0) if left else 200
        if isinstance(problem, int):
            return httpx.Response(problem)
        raise problem

    async def ask() -> int:
        game = game_at("http://host")
        if is_known:
            monkeypatch.setitem(online._cookies, "http://host", "a=b")
        game._http = httpx.AsyncClient(base_url="http://host", transport=httpx.MockTransport(answer))
        return (await game._request(method, path)).status_code

    if expected is None:
        with pytest.raises(CabochonError, match="got no answer: away"):
            asyncio.run(ask())
    else:
        assert asyncio.run(ask()) == expected
        assert left == []


def test_those_who_left_are_last_and_the_best_of_the_others_wins() -> None:
    game = Game("splendor", 3, seed=1)
    while not game.is_over:
        game.play(game.legal_moves[-1])
    assert game.outcome is not None
    first, second, third = game.outcome.ranking
    assert online._final_places(game, []) == game.outcome.places
    places = online._final_places(game, [first])
    assert (places[first], places[second], places[third]) == (3, 1, 2)
    assert online._final_places(Game("splendor", 2, seed=1), [1]) == (1, 2), "given up before its end"


def test_a_bot_that_does_not_come_is_named(robot: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(online, "SECONDS_TO_JOIN", 0.2)
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
    with pytest.raises(CabochonError, match="to come back, but it did not: no route"):
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
        (("random", "online:http://one/a", "online:http://two/a"), "expected online bots of the same server"),
        (("random", "online:http://one/a", "online:time=5:http://one/a"), "expected each online bot once"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(bots: tuple[str, ...], message: str) -> None:
    with pytest.raises(CabochonError, match=message):
        Plan(bots, Options("splendor", len(bots)), games=2)


def test_what_a_server_says_is_repeated_whatever_it_is() -> None:
    assert online._error_message(httpx.Response(500, text="<html>no</html>")) == "<html>no</html>"
    assert online._error_message(httpx.Response(409, json={"error": {"message": "all seats are taken"}})) == (
        "all seats are taken"
    )
