"""How a game ends, who wins, and in which places the others are: END, TIE, SPC, STL, RNK."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cabochon import Game, GameOverError, Outcome
from tests.rules.positions import CardName, position, take_something, texts

# Splendor, by points. The cards 74, 78, 82, 86 and 90 have five each, 72, 76, 80, 84 and 88 four.
FOURTEEN = [74, 78, 72]
FIFTEEN = [74, 78, 72, 8]

# Marvel. Each of these has a bonus of every colour, and Time, unless it says otherwise; none has a tag.
SIXTEEN = ["Green Goblin", "Luke Cage", "Gamora", "Sandman", "Kingpin"]
SEVENTEEN = ["Green Goblin", "Luke Cage", "Gamora", "Sandman", "Yondu"]
OTHER_SIXTEEN = ["Loki", "Spider-Man", "Doctor Octopus", "Ronan", "Spider-Man 2099"]
THIRD_SIXTEEN = ["Spider-Man", "Drax", "Doctor Octopus", "Hela", "Spider-Man 2099"]
ONLY_FIFTEEN = ["Green Goblin", "Luke Cage", "Gamora", "Electro", "Kingpin"]
NO_ORANGE = ["Green Goblin", "Luke Cage", "Gamora", "Loki"]  # 20 points
NO_TIME = ["Red Skull", "Jessica Jones", "Nebula", "Hela", "Daredevil", "Vulture"]  # 16 points
# Three tags: 13 points, and 3 for the Avengers tile.
THIRTEEN_AND_AVENGERS = ["Loki", "Spider-Man", "Iron Man", "Winter Soldier", "Spider-Man 2099", "Moon Knight"]


def finish_round(game: Game) -> None:
    """Every seat that still has a turn in this round takes some tokens."""
    round_number = game.round
    while not game.is_over and game.round == round_number:
        take_something(game)


def outcome_of(game: Game) -> Outcome:
    """The outcome of a game that must be over."""
    assert game.outcome is not None
    return game.outcome


def outcome_after_round(variant: str, owned: Sequence[Sequence[CardName]], avengers: int | None = None) -> Outcome:
    """How it ends if each seat, with the cards given, takes some tokens once more."""
    game = position(variant, len(owned), owned=dict(enumerate(owned)), avengers=avengers)
    finish_round(game)
    return outcome_of(game)


# The end of Splendor


@pytest.mark.proves("END-B1")
def test_the_round_is_finished_at_fifteen_points() -> None:
    game = position("splendor", 3, owned={0: FOURTEEN}, market={"1.1": 8}, tokens={0: "gggg"})
    game.play("buy 1.1")
    assert game.view().seats[0].points == 15
    assert (game.seat, game.is_over) == (1, False)

    take_something(game)
    assert (game.seat, game.outcome) == (2, None)
    take_something(game)
    assert outcome_of(game).reason == "won"
    assert outcome_of(game).winners == (0,)
    with pytest.raises(GameOverError) as refused:
        game.play("take wbg")
    assert refused.value.rule == "END-B1"
    assert game.legal_moves == []


@pytest.mark.proves("END-B1")
def test_the_last_seat_ends_the_game_at_once() -> None:
    game = position("splendor", 3, seat=2, owned={2: FOURTEEN}, market={"1.1": 8}, tokens={2: "gggg"})
    game.play("buy 1.1")
    assert outcome_of(game).winners == (2,)


@pytest.mark.proves("END-B1")
def test_fourteen_points_do_not_end_the_game() -> None:
    game = position("splendor", owned={0: FOURTEEN})
    finish_round(game)
    assert (game.round, game.seat, game.is_over) == (2, 0, False)


@pytest.mark.proves("END-B2")
def test_a_later_seat_may_overtake_in_the_last_round() -> None:
    game = position("splendor", owned={0: FIFTEEN, 1: [82, 86, 88]}, market={"2.1": 49}, tokens={1: "bbbb*"})
    take_something(game)
    game.play("buy 2.1")  # two points more than fourteen

    outcome = outcome_of(game)
    assert (outcome.points, outcome.winners, outcome.rule) == ((15, 16), (1,), "END-B2")


@pytest.mark.proves("END-B2")
def test_points_of_nobles_count() -> None:
    game = position(
        "splendor",
        owned={0: [82, 86, 90], 1: [1, 2, 46, 74, 9, 10, 11, 78]},  # 15; 13, four white and four blue
        tiles=[1, 4, 5],
        tile_owners={1: 1},
    )
    finish_round(game)

    outcome = outcome_of(game)
    assert (outcome.points, outcome.winners) == ((15, 16), (1,))


@pytest.mark.proves("TIE-B1")
@pytest.mark.parametrize(
    ("owned", "winners"),
    [
        ([[82, 86, 90], [74, 78, 72, 8]], (0,)),
        ([[74, 78, 72, 8], [82, 86, 90]], (1,)),
        ([[74, 78, 72, 8], [82, 86, 80, 16]], (0, 1)),
        ([[74, 78, 72, 8], [1, 2], [82, 86, 80, 16]], (0, 2)),
    ],
)
def test_of_tied_players_the_one_with_fewest_cards_wins(owned: list[list[CardName]], winners: tuple[int, ...]) -> None:
    outcome = outcome_after_round("splendor", owned)
    assert (outcome.winners, outcome.rule) == (winners, "TIE-B1")


@pytest.mark.proves("TIE-B1")
def test_reserved_cards_do_not_count_as_bought() -> None:
    game = position("splendor", owned={0: [82, 86, 90], 1: FIFTEEN}, reserved={0: [1, 2, 3]})
    finish_round(game)
    assert outcome_of(game).winners == (0,)


# The end of Marvel


@pytest.mark.proves("END-M1", "TIM-3")
@pytest.mark.parametrize(
    ("owned", "is_enough"),
    [(SIXTEEN, True), (ONLY_FIFTEEN, False), (NO_ORANGE, False), (NO_TIME, False)],
    ids=["all three", "15 points", "four colours", "no Time"],
)
def test_the_gauntlet_needs_points_colours_and_time(owned: list[CardName], is_enough: bool) -> None:
    game = position("marvel", owned={0: owned})
    assert game.view().seats[0].qualifies == is_enough

    finish_round(game)
    assert game.is_over == is_enough


@pytest.mark.proves("END-M1")
@pytest.mark.parametrize("missing", range(5))
def test_each_colour_is_needed(missing: int) -> None:
    twenty = [74, 78, 82, 86, 90]  # five points of each colour
    game = position("marvel", owned={0: [card for card in twenty if card != twenty[missing]]})
    assert game.view().seats[0].points == 20
    assert not game.view().seats[0].qualifies


@pytest.mark.proves("END-M2")
def test_the_round_is_finished_in_marvel() -> None:
    game = position("marvel", 3, owned={0: ONLY_FIFTEEN}, market={"1.1": "Vulture"}, tokens={0: "rrr"})
    game.play("buy 1.1")  # the sixteenth point
    assert game.view().seats[0].qualifies
    assert (game.seat, game.is_over) == (1, False)

    take_something(game)
    assert (game.seat, game.is_over) == (2, False)
    take_something(game)
    assert outcome_of(game).winners == (0,)
    with pytest.raises(GameOverError) as refused:
        game.play("take ypb")
    assert refused.value.rule == "END-M2"


@pytest.mark.proves("END-M3")
def test_only_who_qualifies_can_win() -> None:
    outcome = outcome_after_round("marvel", [NO_ORANGE, THIRD_SIXTEEN, ["Vulture"]])

    assert outcome.points == (20, 16, 1)
    assert (outcome.winners, outcome.rule) == ((1,), "END-M3")


@pytest.mark.proves("END-M5")
@pytest.mark.parametrize(("owned", "winners"), [([SEVENTEEN, OTHER_SIXTEEN], (0,)), ([OTHER_SIXTEEN, SEVENTEEN], (1,))])
def test_of_several_the_one_with_most_points_wins(owned: list[list[CardName]], winners: tuple[int, ...]) -> None:
    outcome = outcome_after_round("marvel", owned)
    assert (outcome.winners, outcome.rule) == (winners, "END-M5")


@pytest.mark.proves("TIE-M1")
@pytest.mark.parametrize("seat", [0, 1])
def test_of_tied_players_the_owner_of_the_avengers_tile_wins(seat: int) -> None:
    # Six cards against five: without the tile it would be the other.
    owned: list[list[CardName]] = [[*SIXTEEN], [*SIXTEEN]]
    owned[seat] = [*THIRTEEN_AND_AVENGERS]
    outcome = outcome_after_round("marvel", owned, avengers=seat)

    assert outcome.points == (16, 16)
    assert (outcome.winners, outcome.rule) == ((seat,), "TIE-M1")


@pytest.mark.proves("TIE-M2")
@pytest.mark.parametrize("extra_seat", [0, 1])
def test_of_tied_players_without_the_tile_fewest_cards_win(extra_seat: int) -> None:
    owned: list[list[CardName]] = [[*SIXTEEN], [*OTHER_SIXTEEN]]
    owned[extra_seat].append("Moon Knight")
    outcome = outcome_after_round("marvel", owned)

    assert outcome.points == (16, 16)
    assert (outcome.winners, outcome.rule) == ((1 - extra_seat,), "TIE-M2")


@pytest.mark.proves("TIE-M2")
def test_the_avengers_tile_of_one_who_is_not_tied_does_not_count() -> None:
    tile_owner = ["Squirrel Girl", "Wasp", "Hawkeye"]
    outcome = outcome_after_round("marvel", [[*SIXTEEN, "Moon Knight"], OTHER_SIXTEEN, tile_owner], 2)

    assert (outcome.winners, outcome.rule) == ((1,), "TIE-M2")


@pytest.mark.proves("TIE-M3")
def test_still_tied_players_share_the_victory() -> None:
    outcome = outcome_after_round("marvel", [SIXTEEN, OTHER_SIXTEEN, ["Vulture"]])

    assert (outcome.winners, outcome.rule) == ((0, 1), "TIE-M3")
    assert outcome.places == (1, 1, 3)


# The Avengers tile lost again


def _about_to_lose_the_tile() -> Game:
    """Seat 0 lacks purple only, with 16 points by the Avengers tile; seat 1 is one tag from taking it."""
    return position(
        "marvel",
        owned={
            0: ["Loki", "Spider-Man", "Iron Man", "Valkyrie"],
            1: ["Wasp", "Ms. Marvel", "Hawkeye", "Green Goblin", "Gamora"],
        },
        market={"1.1": "Lizard", "1.2": "Squirrel Girl", "2.1": "Jessica Jones"},
        tokens={0: "pb", 1: "yyyyppr"},
        avengers=0,
    )


@pytest.mark.proves("SPC-1")
def test_who_loses_the_avengers_tile_in_the_round_does_not_win() -> None:
    game = _about_to_lose_the_tile()
    game.play("buy 1.1")
    assert game.view().seats[0].qualifies

    game.play("buy 1.2")
    seats = game.view().seats
    assert [seat.points for seat in seats] == [13, 13]
    assert not seats[0].qualifies
    assert (game.round, game.seat, game.is_over) == (2, 0, False)


@pytest.mark.proves("SPC-1")
def test_who_qualified_before_is_forgotten() -> None:
    game = _about_to_lose_the_tile()
    game.play("buy 1.1")
    game.play("buy 1.2")
    take_something(game)
    game.play("buy 2.1")  # purple, and three points

    outcome = outcome_of(game)
    assert (outcome.points, outcome.winners, outcome.rule) == ((13, 16), (1,), "END-M3")


@pytest.mark.proves("SPC-1")
def test_who_keeps_the_avengers_tile_wins() -> None:
    game = _about_to_lose_the_tile()
    game.play("buy 1.1")
    take_something(game)

    assert outcome_of(game).winners == (0,)


# Stalemate

TWO_OF_EACH = {"splendor": "wwbbggrrkk", "marvel": "yyppbbrroo"}


def _seat_0_cannot_move(variant: str, last_card: int) -> Game:
    """Seat 0 can buy, reserve or take nothing, and seat 1 at most buy the last card in its hand."""
    places = ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.3", "2.4"]
    dear_cards = [2, 10, 18, 26, 43, 49, 55, 61]  # three or five of one colour
    return position(
        variant,
        market=dict(zip(places, dear_cards, strict=True)),
        owned={0: [24 if variant == "splendor" else 16]},  # one point
        tokens={0: TWO_OF_EACH[variant], 1: TWO_OF_EACH[variant]},
        reserved={0: [70, 8, 32], 1: [46, 52, last_card]},
    )


@pytest.mark.proves("STL-1")
@pytest.mark.parametrize(("variant", "winners"), [("splendor", (0,)), ("marvel", ())])
def test_stalemate_when_all_pass(variant: str, winners: tuple[int, ...]) -> None:
    game = _seat_0_cannot_move(variant, last_card=58)
    game.play("pass")
    assert not game.is_over

    game.play("pass")
    outcome = outcome_of(game)
    assert (outcome.reason, outcome.rule) == ("all passed", "STL-1")
    assert (outcome.points, outcome.winners, outcome.places) == ((1, 0), winners, (1, 2))
    with pytest.raises(GameOverError) as refused:
        game.play("pass")
    assert refused.value.rule == "STL-1"


@pytest.mark.proves("STL-1")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_no_stalemate_while_one_can_move(variant: str) -> None:
    game = _seat_0_cannot_move(variant, last_card=3)
    game.play("pass")
    assert texts(game) == ["buy h3"]

    game.play("buy h3")
    assert (game.round, game.is_over) == (2, False)


@pytest.mark.proves("STL-1")
def test_passes_that_are_not_in_a_row_are_no_stalemate() -> None:
    game = position(
        market={"1.1": 2, "1.2": 10, "1.3": 18, "1.4": 24, "2.1": 43, "2.2": 49, "2.3": 55, "2.4": 61},
        owned={0: [4, 5, 6]},  # three white, so that seat 0 has card 26 for nothing
        tokens={0: TWO_OF_EACH["splendor"], 1: TWO_OF_EACH["splendor"]},
        reserved={0: [70, 8, 26], 1: [46, 52, 58]},
        seat=1,
    )
    game.play("pass")
    game.play("buy h3")
    assert texts(game) == ["pass"]

    game.play("pass")
    assert (game.seat, game.is_over) == (0, False)


def _nobody_needs_a_card(variant: str) -> Game:
    """Between them the seats hold few enough coloured tokens to take and return some for ever."""
    letters = TWO_OF_EACH[variant]
    return position(
        variant,
        owned={1: [8]},  # one point
        market={"1.1": 10},
        tokens={0: letters[:5] + "*****", 1: letters},
        payment="automatic",
    )


@pytest.mark.proves("STL-1")
@pytest.mark.parametrize(("variant", "winners"), [("splendor", (1,)), ("marvel", ())])
def test_stalemate_after_thirty_rounds_without_a_card(variant: str, winners: tuple[int, ...]) -> None:
    game = _nobody_needs_a_card(variant)
    for _ in range(29):
        finish_round(game)
    assert (game.round, game.is_over) == (30, False)

    take_something(game)
    assert not game.is_over
    take_something(game)
    outcome = outcome_of(game)
    assert (outcome.reason, outcome.rule) == ("no progress", "STL-1")
    assert (outcome.points, outcome.winners, outcome.places) == ((0, 1), winners, (2, 1))


@pytest.mark.proves("STL-1")
@pytest.mark.parametrize("move", ["buy 1.1", "reserve 3.1", "reserve 2"])
def test_a_card_bought_or_reserved_starts_the_count_again(move: str) -> None:
    game = _nobody_needs_a_card("splendor")
    for _ in range(14):
        finish_round(game)
    game.play(move)
    while game.phase == "return":
        game.play(game.legal_moves[0])
    finish_round(game)
    for _ in range(29):
        finish_round(game)
    assert (game.round, game.is_over) == (45, False)

    finish_round(game)
    assert (game.round, game.is_over) == (45, True)


# Places


@pytest.mark.proves("RNK-1")
def test_places_in_splendor() -> None:
    # Fifteen points; five with one card; five with two cards; five with one card.
    outcome = outcome_after_round("splendor", [FIFTEEN, [82], [80, 16], [86]])

    assert outcome.points == (15, 5, 5, 5)
    assert outcome.places == (1, 2, 4, 2)
    assert outcome.ranking == (0, 1, 3, 2)


@pytest.mark.proves("RNK-1")
def test_in_marvel_those_who_qualify_come_first() -> None:
    outcome = outcome_after_round("marvel", [["Iron Fist"], NO_ORANGE, ["Vision", "Nova"], THIRD_SIXTEEN])

    assert outcome.points == (4, 20, 8, 16)
    assert outcome.places == (4, 2, 3, 1)


@pytest.mark.proves("RNK-1")
@pytest.mark.parametrize(
    ("third", "fourth", "avengers", "places"),
    [
        # The Avengers tile comes before fewer cards, fewer cards before nothing.
        (["Squirrel Girl", "Wasp", "Hawkeye", "Punisher"], ["Iron Fist", "Taskmaster"], 2, (1, 2, 3, 4)),
        (["Iron Fist", "Taskmaster"], ["Black Bolt", "Yondu", "Spider-Ham"], None, (1, 2, 3, 4)),
        (["Black Bolt", "Yondu", "Spider-Ham"], ["Iron Fist", "Taskmaster"], None, (1, 2, 4, 3)),
        (["Iron Fist", "Taskmaster"], ["Black Bolt", "Yondu"], None, (1, 2, 3, 3)),
    ],
)
def test_places_in_marvel(
    third: list[CardName], fourth: list[CardName], avengers: int | None, places: tuple[int, ...]
) -> None:
    outcome = outcome_after_round("marvel", [SIXTEEN, ["Loki", "Drax"], third, fourth], avengers)

    assert outcome.points == (16, 9, 5, 5)
    assert outcome.places == places
