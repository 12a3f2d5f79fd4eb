"""The green stone and the Avengers tile: TIM, AVG."""

from __future__ import annotations

import pytest

from cabochon import Game
from cabochon.core.cards import CARD_LIST, MARVEL
from tests.rules.positions import position, take_something, tokens_of

CHARACTERS = CARD_LIST[MARVEL]
SEVEN_BLUE = [17, 18, 19, 20, 21, 22, 23]  # two tags among them


def avengers_owner(game: Game) -> int | None:
    """The seat with the Avengers tile."""
    owners = [seat.seat for seat in game.view().seats if seat.has_avengers_tile]
    return owners[0] if owners else None


def points(game: Game) -> list[int]:
    return [seat.points for seat in game.view().seats]


@pytest.mark.proves("TIM-1", "TIM-2")
@pytest.mark.parametrize("number", range(1, 91))
def test_only_cards_of_level_3_bring_the_green_token(number: int) -> None:
    # Seven bonuses of each colour, so that any card is free.
    owned = [
        card
        for first in (1, 9, 17, 25, 33)
        for card in [card for card in range(first, first + 8) if card != number][:7]
    ]
    game = position("marvel", owned={0: owned}, reserved={0: [number]}, avengers=0)
    game.play("buy h1")

    card = CHARACTERS[number - 1]
    assert tokens_of(game, 0) == ({"time": 1} if card.level == 3 else {})


@pytest.mark.proves("TIM-2")
def test_the_green_token_comes_at_once() -> None:
    game = position("marvel", owned={0: SEVEN_BLUE}, market={"3.1": "Doctor Octopus"}, seed=None)
    game.play("buy 3.1")

    assert (game.seat, game.phase) == (0, "reveal")
    assert tokens_of(game, 0) == {"time": 1}
    assert game.view().supply["time"] == 1


@pytest.mark.proves("TIM-2", "TIM-3")
def test_a_second_card_of_level_3_brings_none() -> None:
    game = position("marvel", owned={0: [*SEVEN_BLUE, "Drax"]}, market={"3.1": "Doctor Octopus"})
    game.play("buy 3.1")

    assert tokens_of(game, 0) == {"time": 1}
    assert game.view().supply["time"] == 1


@pytest.mark.proves("TIM-2")
def test_reserving_a_card_of_level_3_brings_no_green_token() -> None:
    game = position("marvel", market={"3.1": "Doctor Octopus"})
    game.play("reserve 3.1")
    assert tokens_of(game, 0) == {"shield": 1}


@pytest.mark.proves("TIM-3")
def test_without_the_green_token_the_gauntlet_is_out_of_reach() -> None:
    # Sixteen points and all colours, from cards of levels 1 and 2.
    game = position("marvel", owned={0: [46, 52, 58, 64, 70, 8]})
    assert points(game) == [16, 0]
    take_something(game)
    take_something(game)

    assert not game.is_over


@pytest.mark.proves("TIM-2")
def test_splendor_has_no_time_stone() -> None:
    game = position(owned={0: [33, 34, 35, 36, 37, 38, 39]}, market={"3.1": 72})
    game.play("buy 3.1")
    assert tokens_of(game, 0) == {}
    assert "time" not in game.view().supply


@pytest.mark.proves("AVG-1")
def test_tags_on_cards() -> None:
    assert {card.tags for card in CHARACTERS} == {0, 1, 2}

    game = position(
        "marvel",
        reserved={0: ["Captain America"]},  # 5 yellow, 3 purple, 3 blue, 3 orange
        owned={0: [1, 2, 3, 4, 5, 9, 10]},  # 5 yellow, 2 purple
        tokens={0: "pbbbooo"},
    )
    game.play("buy h1")
    assert game.view().seats[0].tags == 2


@pytest.mark.proves("AVG-2")
def test_the_third_tag_brings_the_avengers_tile_at_once() -> None:
    game = position(
        "marvel",
        owned={0: ["Squirrel Girl"]},
        market={"1.1": "Wasp", "1.2": "Hawkeye"},  # 2 yellow 1 blue 2 orange; 1 yellow 2 purple 2 blue
        tokens={0: "yboo" + "ppb"},
        seed=None,
    )
    game.play("buy 1.1")
    assert (game.view().seats[0].tags, avengers_owner(game), points(game)) == (2, None, [0, 0])
    game.reveal("1.1=40")
    game.play("take ypr")

    game.play("buy 1.2")
    assert game.phase == "reveal"  # at once, before the turn is over
    assert (game.view().seats[0].tags, avengers_owner(game), points(game)) == (3, 0, [3, 0])
    game.reveal("1.2=36")
    assert (game.seat, points(game)) == (1, [3, 0])


@pytest.mark.proves("AVG-2")
def test_two_tags_at_once_bring_the_tile_too() -> None:
    game = position("marvel", owned={0: SEVEN_BLUE}, market={"3.1": "Iron Man"}, tokens={0: "yyyrrrooo"})
    game.play("buy 3.1")

    assert game.view().seats[0].tags == 4
    assert (avengers_owner(game), points(game)) == (0, [6, 0])


@pytest.mark.proves("AVG-2")
def test_tags_in_hand_do_not_count() -> None:
    game = position("marvel", owned={0: ["Squirrel Girl", "Wasp"]}, market={"1.1": "Hawkeye"})
    game.play("reserve 1.1")

    assert game.view().seats[0].tags == 2
    assert avengers_owner(game) is None


@pytest.mark.proves("AVG-3")
def test_a_tie_leaves_the_tile_where_it_is() -> None:
    game = position(
        "marvel",
        owned={0: ["Squirrel Girl", "Wasp"], 1: ["Ms. Marvel", "Quake", "Kate Bishop"]},
        market={"1.1": "Hawkeye"},
        tokens={0: "ppb"},
        avengers=1,
    )
    game.play("buy 1.1")

    assert [seat.tags for seat in game.view().seats] == [3, 3]
    assert (avengers_owner(game), points(game)) == (1, [0, 3])


@pytest.mark.proves("AVG-3", "AVG-4")
def test_the_tile_goes_to_and_fro_with_its_points() -> None:
    game = position(
        "marvel",
        3,
        owned={
            0: ["Squirrel Girl", "Spider-Woman", "Wasp"],
            1: ["Ms. Marvel", "Quake", "Kate Bishop"],
            2: ["Vulture"],
        },
        reserved={0: ["Hawkeye"], 1: ["Winter Soldier", "America Chavez"]},
        tokens={0: "ppb", 1: "ybbbb*"},
        avengers=1,
        payment="automatic",
    )
    assert points(game) == [0, 3, 1]

    game.play("buy h1")  # four tags against three
    assert (avengers_owner(game), points(game)) == (0, [3, 0, 1])
    game.play("buy h1")  # four against four
    assert (avengers_owner(game), points(game)) == (0, [3, 0, 1])
    take_something(game)
    take_something(game)
    game.play("buy h1")  # five against four
    assert (avengers_owner(game), points(game)) == (1, [0, 3, 1])
    assert [seat.tags for seat in game.view().seats] == [4, 5, 0]


@pytest.mark.proves("AVG-4")
def test_the_avengers_tile_is_not_needed_to_win() -> None:
    # Seat 0 has 16 points, five colours and Time, and no tag; seat 1 has the tile.
    game = position("marvel", owned={0: [74, 78, 82, 32, 33], 1: [6, 7, 14]}, avengers=1)
    take_something(game)
    take_something(game)

    assert game.outcome is not None
    assert game.outcome.winners == (0,)
