import math
from pathlib import Path

import numpy as np
import pytest

from cabochon.jobs import Serial
from tools.strength_curve import (
    Match,
    Point,
    add_up,
    curve,
    deals,
    draw_elo,
    elo_difference,
    play,
    play_deal,
    read,
    write,
)


def test_elo_differences() -> None:
    assert elo_difference(50, 100) == pytest.approx((0.0, 67.7), abs=0.1)
    difference, spread = elo_difference(10 * 100 / 11, 100)  # ten won for each lost
    assert difference == pytest.approx(400.0)
    assert elo_difference(100 / 11, 100) == pytest.approx((-difference, spread))


def test_an_interval_in_elo_is_that_of_the_win_rate() -> None:
    difference, spread = elo_difference(95, 100)
    bounds = [1 / (1 + 10 ** (-elo / 400)) for elo in (difference - spread, difference + spread)]
    assert bounds == pytest.approx([0.888, 0.978], abs=0.001)  # as Wilson has it


def test_who_wins_all_is_not_endlessly_stronger() -> None:
    assert elo_difference(100, 100) == elo_difference(99.5, 100)
    assert elo_difference(0, 100) == elo_difference(0.5, 100)


def test_the_curve_of_a_chain_sums_up_its_steps() -> None:
    steps = [Match("search", "marvel", 25, 0, 100, 40.0), Match("search", "marvel", 50, 25, 300, 200.0)]
    (first, first_spread), (second, second_spread) = (elo_difference(step.won, step.games) for step in steps)
    expected = [
        Point(0, 0.0, 0.0),
        Point(25, first, first_spread),
        Point(50, first + second, math.sqrt(first_spread**2 + second_spread**2)),
    ]
    assert np.allclose(curve(steps), expected)


def test_matches_across_a_chain_make_its_curve_surer() -> None:
    chain = [Match("search", "marvel", 25, 0, 100, 60.0), Match("search", "marvel", 50, 25, 100, 60.0)]
    across = Match("search", "marvel", 50, 0, 100, 60.0)
    alone, both, direct = curve(chain)[-1], curve([*chain, across])[-1], elo_difference(60.0, 100)
    assert both.spread < min(alone.spread, direct[1])
    assert direct[0] < both.elo < alone.elo
    assert both.elo == pytest.approx((alone.elo + 2 * direct[0]) / 3)  # the chain has twice the variance


def test_a_curve_with_a_gap_is_refused() -> None:
    with pytest.raises(ValueError, match="expected matches that lead from 0 to 25, 50, 100 simulations"):
        curve([Match("search", "marvel", 25, 0, 10, 4.0), Match("search", "marvel", 100, 50, 10, 5.0)])


def test_parts_add_up_and_are_kept(tmp_path: Path) -> None:
    parts = [
        Match("search", "marvel", 50, 25, 2, 1.5),
        Match("search", "splendor", 50, 25, 2, 1.0),
        Match("search", "marvel", 50, 25, 4, 2.0),
        Match("champion", "marvel", 50, 0, 4, 2.0),
    ]
    sums = add_up(parts)
    assert sums == [parts[3], parts[1], Match("search", "marvel", 50, 25, 6, 3.5)]
    write(tmp_path / "sums.json", sums)
    assert read(tmp_path / "sums.json") == sums


def test_every_deal_is_played_in_both_orders() -> None:
    first = deals(["search"], (1, 2), games=3, seed=1)[0]
    assert sorted(pairing.seats for pairing in first.pairings) == [(0, 1), (1, 0)]
    assert len({pairing.deal for pairing in first.pairings}) == 1
    played = play_deal(first)
    assert played[:5] == ("search", "splendor", 2, 1, 2)
    assert played.won in (0.0, 0.5, 1.0, 1.5, 2.0)
    assert list(play([first], Serial(), seconds=0.0)) == []


def test_long_games_come_less_often_and_all_come_in_the_end() -> None:
    games = [deal.match.nodes for deal in deals(["search"], (0, 100, 4000), games=20, seed=1)]
    assert games.count(100) == games.count(4000) == 2 * 10
    assert games.index(4000) == 8
    assert games[:12].count(4000) == 2


def test_only_the_champion_begins_at_policy_in_the_picture() -> None:
    steps = [Match(bot, "marvel", 25, 0, 100, 60.0) for bot in ("champion", "search")]
    assert draw_elo(steps[:1]).count("<circle") == 2
    assert draw_elo(steps).count("<circle") == 3
