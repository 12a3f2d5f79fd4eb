"""The numbers of sequences of decisions, from the deal and from positions in the middle and near the end."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cabochon import Game, Options
from cabochon.cli.perft import deck_orders, perft, position

COUNTS = Path(__file__).parent / "data" / "perft.csv"


def rows() -> list[dict[str, str]]:
    with COUNTS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("row", rows(), ids=lambda row: "-".join(row.values()))
def test_counts(row: dict[str, str]) -> None:
    options = Options(row["game"], int(row["players"]), row["free_take"] == "yes", row["payment"])
    game = position(options, int(row["seed"]), int(row["after"]))
    split = perft(game, int(row["depth"]))
    by_move = "\n".join(f"{move}: {count}" for move, count in split.items())
    assert sum(split.values()) == int(row["count"]), f"by the first move:\n{by_move}\n\n{game}"


def count_by_playing(game: Game, depth: int) -> int:
    if depth == 0:
        return 1
    total = 0
    for move in game.legal_moves:
        after = game.copy()
        after.play(move)
        total += count_by_playing(after, depth - 1)
    return total


@pytest.mark.parametrize("variant", ["splendor", "marvel"])
@pytest.mark.parametrize("after", [0, 60])
def test_the_split_is_that_of_playing_the_moves(variant: str, after: int) -> None:
    game = position(Options(variant, 3), seed=7, after=after)
    for move, count in perft(game, 2).items():
        played = game.copy()
        played.play(move)
        assert count == count_by_playing(played, 1)


def test_decks_are_in_the_order_in_which_a_game_draws_them() -> None:
    game = Game("splendor", seed=9)
    assert game.seed is not None
    drawn = [int(card) + 1 for card in deck_orders(game.seed)[0, :4]]
    assert drawn == [card.number for card in game.view().market[0] if card]
