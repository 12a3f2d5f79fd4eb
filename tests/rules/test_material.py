"""What is in the components: MAT."""

from __future__ import annotations

from collections import Counter

import pytest

from cabochon import Game, Options, OptionsError
from cabochon.core.cards import CARD_LIST, MARVEL, SPLENDOR, TILE_LIST
from cabochon.core.components import COMPONENTS
from tests.rules.positions import position

STONES = ("yellow", "purple", "blue", "red", "orange")
GEMS = ("white", "blue", "green", "red", "black")


@pytest.mark.proves("MAT-1", "MAT-2", "MAT-3")
def test_all_tokens_of_marvel_are_in_a_game_of_four() -> None:
    supply = Game("marvel", players=4, seed=1).view().supply

    assert supply == dict.fromkeys(STONES, 7) | {"shield": 5, "time": 4}
    assert sum(supply.values()) - supply["shield"] == 39


@pytest.mark.proves("MAT-3")
def test_a_shield_stands_for_each_of_the_five_colours() -> None:
    for number in (2, 10, 18, 26, 35):  # three of red, blue, yellow, orange, purple
        game = position("marvel", market={"1.1": number}, tokens={0: "***"})
        game.play("buy 1.1")
        assert game.view().seats[0].tokens["shield"] == 0


@pytest.mark.proves("MAT-4", "MAT-5")
def test_character_cards_by_level() -> None:
    cards = CARD_LIST[MARVEL]

    assert len(cards) == 90
    assert Counter(card.level for card in cards) == {1: 40, 2: 30, 3: 20}
    assert len({card.name for card in cards}) == 90


@pytest.mark.proves("MAT-6")
def test_tiles_of_marvel() -> None:
    faces_by_tile = Counter(tile.sheet for tile in TILE_LIST[MARVEL])

    assert faces_by_tile == {1: 2, 2: 2, 3: 2, 4: 2}
    assert (COMPONENTS[MARVEL].has_gauntlet, COMPONENTS[SPLENDOR].has_gauntlet) == (1, 0)
    game = position("marvel", 3, owned={0: [6, 7, 14], 1: [15, 22, 23], 2: [30, 31, 38]}, avengers=1)
    assert [seat.has_avengers_tile for seat in game.view().seats] == [False, True, False]


@pytest.mark.proves("MAT-7")
def test_material_of_splendor() -> None:
    assert Counter(card.level for card in CARD_LIST[SPLENDOR]) == {1: 40, 2: 30, 3: 20}
    assert len(TILE_LIST[SPLENDOR]) == 10
    assert Game("splendor", players=4, seed=1).view().supply == dict.fromkeys(GEMS, 7) | {"gold": 5}


@pytest.mark.proves("MAT-8")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_two_to_four_players(variant: str) -> None:
    for players in (2, 3, 4):
        assert len(Game(variant, players=players, seed=1).view().seats) == players
    for players in (0, 1, 5):
        with pytest.raises(OptionsError) as refused:
            Options(variant, players=players)
        assert refused.value.rule == "MAT-8"
