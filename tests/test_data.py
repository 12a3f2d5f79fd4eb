"""The cards and tiles: the structure of the printed decks, and the frozen arrays made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from cabochon.core.cards import (
    CARD_LIST,
    CARDS,
    COLOUR_NAMES,
    COLOURS,
    MARVEL,
    SPLENDOR,
    TILE_LIST,
    TILES,
    Card,
    Tile,
)
from cabochon.core.components import COMPONENT_ARRAYS, COMPONENTS, LEVEL_SIZES, LEVEL_STARTS, UNPAYABLE, Components

VARIANTS = pytest.mark.parametrize("variant", [SPLENDOR, MARVEL], ids=["splendor", "marvel"])

Pattern = tuple[int, ...]

# By level: points, and the amounts of the cost from the largest to the smallest.
PATTERNS: dict[int, list[tuple[int, Pattern]]] = {
    1: [
        (0, (1, 1, 1, 1)),
        (0, (2, 1)),
        (0, (2, 1, 1, 1)),
        (0, (2, 2)),
        (0, (2, 2, 1)),
        (0, (3,)),
        (0, (3, 1, 1)),
        (1, (4,)),
    ],
    2: [(1, (3, 2, 2)), (1, (3, 3, 2)), (2, (4, 2, 1)), (2, (5,)), (2, (5, 3)), (3, (6,))],
    3: [(3, (5, 3, 3, 3)), (4, (6, 3, 3)), (4, (7,)), (5, (7, 3))],
}


def pattern(amounts: tuple[int, ...]) -> Pattern:
    """The amounts that are asked for, from the largest to the smallest."""
    return tuple(sorted((amount for amount in amounts if amount), reverse=True))


def largest_colour(card: Card) -> str:
    """The colour that the card asks for most; of Marvel."""
    return COLOUR_NAMES[MARVEL][card.cost.index(max(card.cost))]


def asked_for(items: list[tuple[int, ...]]) -> list[int]:
    """How often each colour is asked for."""
    return [sum(amounts) for amounts in zip(*items, strict=True)]


# Both decks


@VARIANTS
def test_cards_by_level_and_colour(variant: int) -> None:
    cards = CARD_LIST[variant]

    assert [card.number for card in cards] == list(range(1, 91))
    assert [card.level for card in cards] == [1] * 40 + [2] * 30 + [3] * 20
    assert Counter((card.level, card.bonus) for card in cards) == {
        (level, colour): count for level, count in ((1, 8), (2, 6), (3, 4)) for colour in COLOUR_NAMES[variant]
    }


@VARIANTS
def test_points_by_level_and_colour(variant: int) -> None:
    cards = CARD_LIST[variant]
    by_level = [sum(card.points for card in cards if card.level == level) for level in (1, 2, 3)]

    assert by_level == [5, 55, 80]
    for colour in COLOUR_NAMES[variant]:
        assert sum(card.points for card in cards if card.bonus == colour) == 28


@VARIANTS
@pytest.mark.parametrize("level", [1, 2, 3])
def test_cost_patterns(variant: int, level: int) -> None:
    for colour in COLOUR_NAMES[variant]:
        expected = list(PATTERNS[level])
        if (variant, level, colour) == (MARVEL, 1, "orange"):  # Kingpin and Spider-Ham
            expected.remove((0, (2, 2)))
            expected.append((0, (2, 1)))
        found = [
            (card.points, pattern(card.cost))
            for card in CARD_LIST[variant]
            if (card.level, card.bonus) == (level, colour)
        ]
        assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("variant", "level", "amounts"),
    [
        (SPLENDOR, 1, [33] * 5),
        (SPLENDOR, 2, [41] * 5),
        (SPLENDOR, 3, [43] * 5),
        (MARVEL, 1, [32, 34, 33, 32, 33]),
        (MARVEL, 2, [41] * 5),
        (MARVEL, 3, [43] * 5),
    ],
)
def test_how_often_each_colour_is_asked_for(variant: int, level: int, amounts: list[int]) -> None:
    assert asked_for([card.cost for card in CARD_LIST[variant] if card.level == level]) == amounts


# Splendor


def test_all_cards_of_splendor_are_different() -> None:
    faces = {(card.level, card.bonus, card.points, card.cost) for card in CARD_LIST[SPLENDOR]}
    assert len(faces) == 90
    assert all(card.name is None and card.tags == 0 for card in CARD_LIST[SPLENDOR])


def test_nobles() -> None:
    nobles = TILE_LIST[SPLENDOR]

    assert [noble.number for noble in nobles] == list(range(1, 11))
    assert len({noble.needs for noble in nobles}) == 10
    assert all(noble.points == 3 for noble in nobles)
    assert Counter(pattern(noble.needs) for noble in nobles) == {(4, 4): 5, (3, 3, 3): 5}
    assert asked_for([noble.needs for noble in nobles]) == [17] * 5
    assert [sum(noble.needs[colour] > 0 for noble in nobles) for colour in range(COLOURS)] == [5] * 5
    assert len({noble.sheet for noble in nobles}) == 10


# Marvel


def _character(name: str) -> Card:
    return next(card for card in CARD_LIST[MARVEL] if card.name == name)


def test_all_characters_have_a_name_of_their_own() -> None:
    assert len({card.name for card in CARD_LIST[MARVEL]}) == 90


def test_two_characters_of_one_cost() -> None:
    faces = Counter((card.level, card.bonus, card.points, card.cost) for card in CARD_LIST[MARVEL])
    assert len(faces) == 89
    assert _character("Kingpin").cost == _character("Spider-Ham").cost == (1, 2, 0, 0, 0)


def test_characters_that_the_rulebooks_show() -> None:
    assert _character("Rocket").cost == (1, 0, 0, 2, 0)
    assert (_character("Ghost Rider").cost, _character("Ghost Rider").points) == ((2, 1, 4, 0, 0), 2)
    assert _character("Ghost Rider").bonus == "red"
    assert (_character("Wasp").tags, _character("Captain America").tags) == (1, 2)
    assert (_character("Doctor Strange").tags, _character("Nova").tags) == (1, 0)
    assert (_character("Gamora").cost, _character("Valkyrie").cost) == ((0, 0, 0, 7, 3), (3, 1, 0, 0, 1))
    assert (_character("Thor").bonus, _character("Thor").tags) == ("red", 2)


def test_number_of_avengers_tags() -> None:
    cards = CARD_LIST[MARVEL]

    assert [sum(card.tags for card in cards if card.level == level) for level in (1, 2, 3)] == [10, 10, 15]
    for colour in COLOUR_NAMES[MARVEL]:
        assert sum(card.tags for card in cards if card.bonus == colour) == 7
    assert Counter(card.tags for card in cards) == {0: 60, 1: 25, 2: 5}


def test_which_cards_carry_avengers_tags() -> None:
    tags_of: dict[Pattern, int] = {
        (2, 2, 1): 1,
        (3, 1, 1): 1,
        (3, 2, 2): 1,
        (3, 3, 2): 1,
        (5, 3, 3, 3): 2,
        (6, 3, 3): 1,
    }
    red_exception: dict[str | None, int] = {"Doctor Strange": 1, "Nova": 0}
    for card in CARD_LIST[MARVEL]:
        expected = red_exception.get(card.name, tags_of.get(pattern(card.cost), 0))
        assert card.tags == expected, card


@pytest.mark.parametrize(
    ("patterns", "colours"),
    [
        ([(3,), (4,)], ["red", "blue", "yellow", "orange", "purple"]),
        ([(5,), (6,)], ["orange", "yellow", "purple", "blue", "red"]),
        ([(5, 3, 3, 3), (6, 3, 3), (7,), (7, 3)], ["blue", "orange", "red", "purple", "yellow"]),
    ],
    ids=["level 1", "level 2", "level 3"],
)
def test_which_colour_a_bonus_asks_for_most(patterns: list[Pattern], colours: list[str]) -> None:
    colour_of = dict(zip(COLOUR_NAMES[MARVEL], colours, strict=True))
    cards = [card for card in CARD_LIST[MARVEL] if pattern(card.cost) in patterns]

    assert len(cards) == 5 * len(patterns)
    assert all(largest_colour(card) == colour_of[card.bonus] for card in cards)


def test_locations() -> None:
    faces = TILE_LIST[MARVEL]

    assert [face.number for face in faces] == list(range(1, 9))
    assert all(face.points == 3 for face in faces)
    assert asked_for([face.needs for face in faces]) == [14, 14, 14, 14, 11]
    assert [sum(face.needs[colour] > 0 for face in faces) for colour in range(COLOURS)] == [4, 4, 4, 4, 3]
    three_colours = {face.name for face in faces if pattern(face.needs) == (3, 3, 3)}
    two_colours = {face.name for face in faces if pattern(face.needs) == (4, 4)}
    assert three_colours == {"Asgard", "Knowhere", "Atlantis"}
    assert len(two_colours) == 5
    assert next(face.needs for face in faces if face.name == "Knowhere") == (3, 0, 3, 3, 0)


def test_which_face_backs_which() -> None:
    sheets: dict[int, set[str | None]] = {}
    for face in TILE_LIST[MARVEL]:
        sheets.setdefault(face.sheet, set()).add(face.name)

    assert sheets == {
        1: {"Avengers Tower, NYC", "Attilan"},
        2: {"Hell's Kitchen, NYC", "Triskelion"},
        3: {"Asgard", "Wakanda"},
        4: {"Knowhere", "Atlantis"},
    }


# The arrays


@VARIANTS
def test_the_box_has_the_cards_of_the_data_files(variant: int) -> None:
    components: Components = COMPONENTS[variant]
    cards = CARD_LIST[variant]

    assert components.cost.tolist() == [list(card.cost) for card in cards]
    assert [COLOUR_NAMES[variant][colour] for colour in components.bonus] == [card.bonus for card in cards]
    assert components.points.tolist() == [card.points for card in cards]
    assert components.tags.tolist() == [card.tags for card in cards]
    for card in cards:
        price = int(components.price[card.number - 1])
        assert tuple(price.to_bytes(COLOURS, "little")) == card.cost
    assert components.price[CARDS] == UNPAYABLE
    for level in (1, 2, 3):
        numbers = [card.number - 1 for card in cards if card.level == level]
        start = LEVEL_STARTS[level - 1]
        assert numbers == list(range(start, start + LEVEL_SIZES[level - 1]))


@VARIANTS
def test_the_box_has_the_tiles_of_the_data_files(variant: int) -> None:
    components: Components = COMPONENTS[variant]
    tiles: tuple[Tile, ...] = TILE_LIST[variant]

    assert components.tile_count == len(tiles) <= TILES
    assert components.tile_needs[: len(tiles)].tolist() == [list(tile.needs) for tile in tiles]
    assert components.tile_points[: len(tiles)].tolist() == [tile.points for tile in tiles]
    for index, tile in enumerate(tiles):
        same_sheet = {other.number - 1 for other in tiles if other.sheet == tile.sheet}
        assert {bit for bit in range(16) if int(components.tile_faces[index]) >> bit & 1} == same_sheet


@VARIANTS
def test_the_components_are_frozen(variant: int) -> None:
    with pytest.raises(ValueError, match="read-only"):
        COMPONENT_ARRAYS[variant][0] = COMPONENTS[variant]
    for name in COMPONENT_ARRAYS[variant].dtype.names or ():
        field = getattr(COMPONENTS[variant], name)
        if isinstance(field, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                field[...] = 1


def test_cards_and_tiles_are_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        CARD_LIST[SPLENDOR][0].points = 9  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        TILE_LIST[MARVEL][0].points = 9  # type: ignore[misc]
