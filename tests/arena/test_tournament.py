"""Tournaments: who plays whom, luck that cancels, interruption, statistics, the report."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from rich.console import Console

from cabochon import CabochonError, Forfeit, Game, Move, Options, Termination, View
from cabochon.arena import tournament
from cabochon.arena.report import render
from cabochon.arena.standings import results, standings, wilson
from cabochon.arena.tournament import GAMES_FILE, Plan, Played, line_ups, read_played, run, schedule
from cabochon.bots.protocol import BotError, Limit
from cabochon.cli.arena import standings_table
from cabochon.jobs import Processes, new_executor

SMALL = Plan(("random", "greedy"), Options("splendor", 2), games=6, seed=3)


def test_every_deal_is_played_in_every_order_of_seats() -> None:
    pairings = schedule(Plan(("random", "greedy", "search:nodes=1"), Options("marvel", 3), games=12))
    assert Counter(pairing.deal for pairing in pairings) == {"0.0": 6, "0.1": 6}
    for deal in ("0.0", "0.1"):
        assert len({pairing.seats for pairing in pairings if pairing.deal == deal}) == 6


def test_equal_bots_are_not_exchanged() -> None:
    pairings = schedule(Plan(("search:nodes=1", "greedy", "greedy", "greedy"), Options("splendor", 4), games=4))
    assert len(pairings) == 4
    assert sorted(pairing.seats.index(0) for pairing in pairings) == [0, 1, 2, 3]


def test_line_ups() -> None:
    assert line_ups(("a", "b", "c"), 2) == [(0, 1), (0, 2), (1, 2)]
    assert line_ups(("a", "b", "b", "b"), 4) == [(0, 1, 2, 3)]
    assert line_ups(("a", "b", "b"), 2) == [(0, 1)]


@pytest.mark.parametrize(
    ("bots", "games", "message"),
    [
        (("random",), 4, "expected at least 2 bots for 2 players, got 1"),
        (("greedy", "greedy"), 4, "expected at least 2 different bots, got only 'greedy'"),
        (("random", "greedy"), 0, "expected at least 1 game, got 0"),
        (("random", "nobody"), 4, "expected a bot:"),
    ],
)
def test_a_wrong_plan_is_refused(bots: tuple[str, ...], games: int, message: str) -> None:
    with pytest.raises(CabochonError) as refused:
        Plan(bots, Options(), games)
    assert message in str(refused.value)


def without_times(plan: Plan, folder: Path | None = None, workers: int = 1) -> list[tuple[object, ...]]:
    """All that a tournament gives but for the clock."""
    with new_executor(plan.games, workers) as players:
        played = sorted(run(plan, folder, players), key=lambda one: one.pairing.index)
    return [(one.pairing, one.contest.record, one.contest.places, one.contest.decisions) for one in played]


@pytest.fixture(scope="module")
def small_games() -> list[Played]:
    """The games of SMALL."""
    return list(run(SMALL))


def test_the_same_seed_gives_the_same_games_on_any_number_of_cores() -> None:
    plan = Plan(("greedy:temperature=0.05", "random"), Options("marvel", 2), games=2, seed=9)
    games = without_times(plan)
    assert games == without_times(plan, workers=2)
    assert games != without_times(Plan(plan.bots, plan.options, plan.games, seed=10))


def test_an_interrupted_tournament_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = without_times(SMALL, tmp_path / "whole")
    interrupted = run(SMALL, tmp_path / "parts")
    first = [next(interrupted) for _ in range(2)]
    interrupted.close()
    log = tmp_path / "parts" / GAMES_FILE
    log.write_text(log.read_text() + '{"pairing": {"ind', encoding="utf-8")  # a line cut off by the power
    assert without_times(SMALL, tmp_path / "parts") == whole
    assert len(log.read_text().splitlines()) == 1 + len(whole)
    assert [one.pairing.index for one in first] == [0, 1]


def test_another_tournaments_folder_is_refused(tmp_path: Path) -> None:
    interrupted = run(SMALL, tmp_path)
    next(interrupted)
    interrupted.close()
    with pytest.raises(CabochonError, match="got another tournament"):
        list(run(Plan(SMALL.bots, SMALL.options, 6, seed=4), tmp_path))


def test_standings_add_up(small_games: list[Played]) -> None:
    played = small_games
    rows = {row.name: row for row in standings(SMALL, played)}
    assert rows["random"].games == rows["greedy"].games == len(played) == 6
    assert rows["random"].wins + rows["greedy"].wins == 6
    assert rows["greedy"].win_rate > rows["random"].win_rate
    assert rows["greedy"].rating is not None
    assert rows["random"].rating is not None
    assert rows["greedy"].rating > rows["random"].rating
    told = json.loads(json.dumps(results(SMALL, played)))
    for bot in told["bots"]:
        assert {"name", "games", "win_rate", "low", "high", "seconds_per_move"} <= bot.keys()
        assert bot["low"] <= bot["win_rate"] <= bot["high"]
    assert all(Game.from_record(one.contest.record).is_over for one in played)


def test_a_game_counts_once_for_a_bot_with_several_seats() -> None:
    plan = Plan(("greedy", "random", "random", "random"), Options("splendor", 4), games=4, seed=1)
    rows = {row.name: row for row in standings(plan, list(run(plan)))}
    assert rows["greedy"].games == rows["random"].games == 4
    assert rows["greedy"].wins + rows["random"].wins == 4


class Guesser:
    """Looks for anything in what it is given that tells the cards to come."""

    seen: ClassVar[list[tuple[str | None, int]]] = []

    def start(self, seed: int) -> None:
        self.seed = seed

    def choose(self, view: View, limit: Limit) -> Move:
        self.seen.append((view.commitment, self.seed))
        return view.legal_moves[0]


def test_a_bot_gets_nothing_that_the_deal_follows_from() -> None:
    plan = Plan(("tests.arena.test_tournament:Guesser", "random"), Options(), games=2, seed=5)
    played = list(run(plan))
    deals = [Game.from_record(one.contest.record).seed for one in played]
    guesser = importlib.import_module("tests.arena.test_tournament").Guesser
    assert {commitment for commitment, _ in guesser.seen} == {None}
    for deal in deals:
        assert deal is not None
        assert all(seed.to_bytes(8, "big").lstrip(b"\0") not in deal for _, seed in guesser.seen)


class Suicide:
    """Takes its whole process with it."""

    def choose(self, view: View, limit: Limit) -> Move:
        os._exit(9)


def test_a_process_that_dies_takes_one_game_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(("tests.arena.test_tournament:Suicide", "random", "greedy"), Options(), games=2, seed=2)
    pairings = [pairing for pairing in schedule(plan) if 0 not in pairing.seats or pairing.seats[0] == 0]
    fatal = {pairing.index for pairing in pairings if 0 in pairing.seats}
    assert (len(pairings), len(fatal)) == (4, 2)
    monkeypatch.setattr(tournament, "schedule", lambda _: pairings)
    with Processes(2) as players:
        played = list(run(plan, executor=players))
    assert len(played) == 4
    lost = {one.pairing.index for one in played if one.contest.error == "the process of the game has ended"}
    assert lost == fatal


def test_games_of_an_older_version_are_read(tmp_path: Path) -> None:
    plan = Plan(("random", "greedy"), Options(), games=2, seed=2)
    played = list(run(plan, tmp_path))
    path = tmp_path / GAMES_FILE
    first, *games = path.read_text(encoding="utf-8").splitlines()
    old = ["seat 2: no answer within 2 s", "the process of the game has ended"]
    lines = [json.loads(line) for line in games]
    for line, forfeit in zip(lines, old, strict=True):
        line["contest"]["forfeit"] = forfeit
        del line["contest"]["error"]
    path.write_text("\n".join([first, *map(json.dumps, lines)]), encoding="utf-8")
    one, other = read_played(tmp_path, plan)
    assert one.contest.forfeit == Forfeit(1, Termination.TIMEOUT, "no answer within 2 s")
    assert (other.contest.forfeit, other.contest.error) == (None, "the process of the game has ended")
    loser = standings(plan, [one, other])[one.pairing.seats[1]]
    assert (loser.forfeits, loser.timeouts) == (1, 1)
    assert [again.contest for again in run(plan, tmp_path)] == [one.contest, other.contest]
    assert len(played) == 2


class Sleeper:
    """Thinks for longer than anybody waits, and leaves a file for every game in which it does."""

    def choose(self, view: View, limit: Limit) -> Move:
        (Path(os.environ["SLEEPERS"]) / secrets.token_hex()).touch()
        time.sleep(1000)
        return view.legal_moves[0]


# What is started in the background may have been told to ignore interruptions. A file says that the arena has been
# interrupted and waits for its processes.
ARENA = """
import os, pathlib, signal, sys
from concurrent.futures import ProcessPoolExecutor
signal.signal(signal.SIGINT, signal.default_int_handler)
shutdown = ProcessPoolExecutor.shutdown
def announced_shutdown(*arguments, **options):
    pathlib.Path(os.environ["SLEEPERS"], "closing").touch()
    shutdown(*arguments, **options)
ProcessPoolExecutor.shutdown = announced_shutdown
from cabochon.cli import main
sys.exit(main(sys.argv[1:]))
"""


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until the condition holds, while the process runs."""
    while not condition():
        assert process.poll() is None
        time.sleep(0.05)


@contextlib.contextmanager
def sleeping_arena(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """An arena of two processes, both in the middle of a game that does not end."""
    bots = ("tests.arena.test_tournament:Sleeper", "tests.arena.test_tournament:Sleeper", "random")
    arena = subprocess.Popen(
        [sys.executable, "-c", ARENA, "arena", *bots, "--players", "3", "--games", "9", "--workers", "2"],
        env={**os.environ, "SLEEPERS": str(folder)},
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: len(list(folder.iterdir())) == 2, arena)
        yield arena
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(arena.pid, signal.SIGKILL)
        arena.communicate()
    assert len([file for file in folder.iterdir() if file.name != "closing"]) == 2  # nothing more was begun


def test_an_interruption_ends_what_is_played_and_begins_nothing_more(tmp_path: Path) -> None:
    """From the keyboard it comes to all processes at once, to those that wait for a game as well."""
    with sleeping_arena(tmp_path) as arena:
        os.killpg(arena.pid, signal.SIGINT)
        assert arena.wait(120) == 130


def test_a_second_interruption_waits_for_no_game(tmp_path: Path) -> None:
    """The first comes to one process alone, which lets the others end their games."""
    with sleeping_arena(tmp_path) as arena:
        os.kill(arena.pid, signal.SIGINT)
        wait_for((tmp_path / "closing").exists, arena)
        with pytest.raises(subprocess.TimeoutExpired):
            arena.wait(0.5)
        os.kill(arena.pid, signal.SIGINT)
        _, said = arena.communicate(timeout=120)  # until no process has its end of the pipe
        assert arena.returncode == 130
        assert "Traceback" not in said


def test_the_interval_is_wilsons() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(100, 100)[0] == pytest.approx(0.963, abs=1e-3)


def test_the_report_is_one_page_and_escapes_names(small_games: list[Played]) -> None:
    page = render(SMALL, small_games)
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 3
    assert "http" not in page
    named = Plan(SMALL.bots, SMALL.options, SMALL.games, SMALL.seed)
    object.__setattr__(named, "bots", ("<script>", "greedy"))
    assert "<script>" not in render(named, small_games)
    assert "&lt;script&gt;" in render(named, small_games)


def test_the_table_shows_names_with_brackets_as_they_are(
    small_games: list[Played], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = Plan(("program:./bot [/x] [b]", "greedy"), SMALL.options, SMALL.games)
    Console(width=160).print(standings_table(plan, small_games))
    assert "program:./bot [/x] [b]" in capsys.readouterr().out


def test_a_wrong_bot_is_refused_before_anything_is_played() -> None:
    with pytest.raises(BotError):
        Plan(("greedy", "search:threads=0"), Options(), 2)
