"""Nobles and locations: NOB, LOC, TIL."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cabochon import Game
from tests.rules.positions import position, refused_rule, take_something, texts, tokens_of

# Noble 1 asks for four white and four blue, noble 3 for four blue and four green.
FOUR_WHITE = [1, 2, 3, 4]
THREE_BLUE = [9, 10, 11]
FOUR_GREEN = [17, 18, 19, 20]
FOURTH_BLUE = 12  # two green and two black

# Avengers Tower asks for four yellow and four blue, Hell's Kitchen for four yellow and four orange.
THREE_YELLOW = ["Rocket", "Baron Zemo", "Grandmaster"]
FOUR_BLUE = ["Spider-Man 2099", "Moon Knight", "Lockjaw", "Elektra"]
FOUR_ORANGE = ["Kingpin", "Spider-Ham", "Silver Sable", "Spider-Girl"]
FOURTH_YELLOW = "M.O.D.O.K."  # two red and two orange


def tile_numbers(game: Game, owner: int | None) -> list[int]:
    """The tiles of a seat, or those that lie on the table."""
    return [tile.tile.number for tile in game.view().tiles if tile.owner == owner]


def two_nobles_due() -> Game:
    """Seat 0 has just bought the card with which nobles 1 and 3 are both due."""
    game = position(
        owned={0: FOUR_WHITE + THREE_BLUE + FOUR_GREEN},
        market={"1.1": FOURTH_BLUE},
        tokens={0: "kk"},
        tiles=[1, 5, 3],
    )
    game.play("buy 1.1")
    return game


def two_locations_due() -> Game:
    """Seat 0 has just recruited the card with which both locations are due."""
    game = position(
        "marvel",
        owned={0: THREE_YELLOW + FOUR_BLUE + FOUR_ORANGE},
        market={"1.1": FOURTH_YELLOW},
        tokens={0: "rr"},
        tiles=["Hell's Kitchen, NYC", "Avengers Tower, NYC"],
    )
    game.play("buy 1.1")
    return game


@pytest.mark.proves("NOB-1", "NOB-2")
def test_a_noble_visits_at_the_end_of_the_turn() -> None:
    game = position(
        owned={0: FOUR_WHITE + THREE_BLUE},
        market={"1.1": FOURTH_BLUE},
        tokens={0: "ggkk"},
        tiles=[5, 1, 4],
        seed=None,
    )
    game.play("buy 1.1")
    assert (game.phase, tile_numbers(game, 0)) == ("reveal", [])  # first the table is filled up

    game.reveal("1.1=40")
    assert (game.seat, game.phase) == (1, "act")
    assert tile_numbers(game, 0) == [1]
    assert tile_numbers(game, None) == [5, 4]
    assert game.view().seats[0].points == 3


@pytest.mark.proves("NOB-1")
@pytest.mark.parametrize("tokens", ["bbbb", "****", ""])
def test_tokens_do_not_bring_a_noble(tokens: str) -> None:
    game = position(owned={0: FOUR_WHITE + THREE_BLUE + [17]}, tokens={0: tokens}, tiles=[1, 4, 5])
    game.play("take wgr")

    assert tile_numbers(game, 0) == []
    assert game.view().seats[0].points == 0


@pytest.mark.proves("NOB-1")
def test_a_noble_visits_only_whose_turn_it_is() -> None:
    game = position(owned={1: FOUR_WHITE + THREE_BLUE + [FOURTH_BLUE]}, tiles=[1, 4, 5])
    take_something(game)
    assert tile_numbers(game, 1) == []

    take_something(game)
    assert tile_numbers(game, 1) == [1]


@pytest.mark.proves("NOB-2")
def test_a_visit_cannot_be_refused() -> None:
    game = two_nobles_due()

    assert {move.kind for move in game.legal_moves} == {"tile"}
    assert refused_rule(game, "pass") == "NOB-3"
    assert refused_rule(game, "take wbg") == "NOB-3"


@pytest.mark.proves("NOB-3")
@pytest.mark.parametrize(("move", "taken", "left"), [("tile 1", 1, [5, 3]), ("tile 3", 3, [1, 5])])
def test_of_several_nobles_one_is_chosen(move: str, taken: int, left: list[int]) -> None:
    game = two_nobles_due()
    assert (game.seat, game.phase) == (0, "tile")
    assert texts(game) == ["tile 1", "tile 3"]
    assert refused_rule(game, "tile 2") == "NOB-1"

    game.play(move)
    assert (game.seat, game.phase) == (1, "act")
    assert tile_numbers(game, 0) == [taken]
    assert tile_numbers(game, None) == left
    assert game.view().seats[0].points == 3


@pytest.mark.proves("NOB-3")
def test_a_noble_visits_once() -> None:
    game = position(
        players=3,
        owned={
            0: [*FOUR_WHITE, *THREE_BLUE, FOURTH_BLUE],
            1: [5, 6, 7, 8, 13, 14, 15, 16],  # four white and four blue, too
        },
        tiles=[1, 4, 5, 10],
    )
    take_something(game)
    take_something(game)

    assert tile_numbers(game, 0) == [1]
    assert tile_numbers(game, 1) == []
    assert [seat.points for seat in game.view().seats] == [3, 2, 0]


@pytest.mark.proves("LOC-1")
def test_a_location_is_taken_at_the_end_of_the_turn() -> None:
    game = position(
        "marvel",
        owned={0: THREE_YELLOW + FOUR_BLUE},
        market={"1.1": FOURTH_YELLOW},
        tokens={0: "rroo"},
        tiles=["Hell's Kitchen, NYC", "Avengers Tower, NYC"],
        seed=None,
    )
    game.play("buy 1.1")
    assert (game.phase, tile_numbers(game, 0)) == ("reveal", [])

    game.reveal("1.1=40")
    assert (game.seat, game.phase) == (1, "act")
    assert tile_numbers(game, 0) == [1]
    assert game.view().seats[0].points == 3


@pytest.mark.proves("LOC-1")
@pytest.mark.parametrize("tokens", ["yyyy", "****", ""])
def test_tokens_do_not_bring_a_location(tokens: str) -> None:
    game = position(
        "marvel",
        owned={0: [*THREE_YELLOW, *FOUR_BLUE, "Kingpin"]},
        tokens={0: tokens},
        tiles=["Avengers Tower, NYC", "Hell's Kitchen, NYC"],
    )
    game.play("take pbr")
    assert tile_numbers(game, 0) == []


@pytest.mark.proves("LOC-2")
@pytest.mark.parametrize(("move", "taken", "left"), [("tile 1", 3, 1), ("tile 2", 1, 3)])
def test_of_several_locations_one_is_chosen(move: str, taken: int, left: int) -> None:
    game = two_locations_due()
    assert (game.seat, game.phase) == (0, "tile")
    assert texts(game) == ["tile 1", "tile 2"]
    assert refused_rule(game, "take ypb") == "LOC-2"

    game.play(move)
    assert (game.seat, game.phase) == (1, "act")
    assert (tile_numbers(game, 0), tile_numbers(game, None)) == ([taken], [left])
    assert game.view().seats[0].points == 3


@pytest.mark.proves("LOC-1", "LOC-2")
def test_only_a_location_that_is_due_is_chosen() -> None:
    game = position(
        "marvel",
        3,
        owned={0: [*THREE_YELLOW, FOURTH_YELLOW, *FOUR_BLUE, *FOUR_ORANGE]},
        tiles=["Avengers Tower, NYC", "Wakanda", "Hell's Kitchen, NYC"],
    )
    game.play("take ypb")

    assert texts(game) == ["tile 1", "tile 3"]
    assert refused_rule(game, "tile 2") == "LOC-1"


@pytest.mark.proves("LOC-2")
def test_no_location_is_needed_to_win() -> None:
    # Green Goblin, Luke Cage, Gamora, Sandman and Kingpin: 16 points, five colours, Time.
    game = position("marvel", owned={0: [74, 78, 82, 32, 33]})
    take_something(game)
    take_something(game)

    assert game.outcome is not None
    assert game.outcome.winners == (0,)
    assert tile_numbers(game, 0) == []


@pytest.mark.proves("TIL-1")
@pytest.mark.parametrize("due", [two_nobles_due, two_locations_due])
def test_a_second_tile_comes_next_turn(due: Callable[[], Game]) -> None:
    game = due()
    game.play("tile 1")
    take_something(game)
    assert len(tile_numbers(game, 0)) == 1

    take_something(game)
    assert game.seat == 1
    assert len(tile_numbers(game, 0)) == 2
    assert game.view().seats[0].points == 6


@pytest.mark.proves("TIL-1")
def test_a_tile_comes_after_tokens_are_returned() -> None:
    game = position(owned={0: [*FOUR_WHITE, *THREE_BLUE, 12]}, tokens={0: "wwwbbbgggr"}, tiles=[1, 4, 5])
    game.play("take rkg")
    for token in "rkg":
        assert (game.phase, tile_numbers(game, 0)) == ("return", [])
        game.play(f"return {token}")

    assert game.seat == 1
    assert tile_numbers(game, 0) == [1]


@pytest.mark.proves("TIL-1", "TRN-9")
def test_a_tile_comes_on_a_pass() -> None:
    game = position(
        owned={0: [1, 2, 3, 4, 9, 11, 12, 13]},  # four white and four blue
        market={
            "1.1": 10,
            "1.2": 18,
            "1.3": 34,
            "1.4": 24,
            "2.1": 43,
            "2.2": 55,
            "2.3": 61,
            "2.4": 64,
            "3.1": 72,
            "3.2": 84,
            "3.3": 88,
            "3.4": 74,  # all ask for more green, red or black than seat 0 has
        },
        reserved={0: [8, 16, 33]},
        tokens={0: "wwwwbbbbgr", 1: "gggrrrkkkk"},
        tiles=[1, 4, 5],
    )
    assert texts(game) == ["pass"]

    game.play("pass")
    assert tile_numbers(game, 0) == [1]
    assert game.view().seats[0].points == 3
    assert tokens_of(game, 0) == {"white": 4, "blue": 4, "green": 1, "red": 1}
