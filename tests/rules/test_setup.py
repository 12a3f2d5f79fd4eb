"""How the table is laid: SET."""

from __future__ import annotations

import pytest

from cabochon import CabochonError, Game, IllegalRevealError, seat_order
from cabochon.core.cards import MARVEL, TILE_LIST
from tests.rules.positions import take_something

STONES = ("yellow", "purple", "blue", "red", "orange")
GEMS = ("white", "blue", "green", "red", "black")
SEEDS = range(60)


def _without_tiles(variant: str, players: int) -> Game:
    """A game by hand in which all cards, but no tile, have been laid out."""
    game = Game.by_hand(variant, players)
    while not game.legal_reveals[0].where.startswith("t"):
        game.reveal(game.legal_reveals[0])
    return game


@pytest.mark.proves("SET-1")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_each_level_is_a_deck_of_its_own(variant: str) -> None:
    game = Game.by_hand(variant)
    for cards in (range(1, 41), range(41, 71), range(71, 91)):
        unseen = list(cards)
        for _ in range(4):
            assert [reveal.number for reveal in game.legal_reveals] == unseen
            unseen.remove(game.reveal(game.legal_reveals[-1]).number)


@pytest.mark.proves("SET-1")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_decks_are_shuffled(variant: str) -> None:
    first_cards = [[row[0].number for row in Game(variant, seed=seed).view().market if row[0]] for seed in SEEDS]
    for level in range(3):
        assert len({numbers[level] for numbers in first_cards}) > 15


@pytest.mark.proves("SET-2")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_four_cards_of_each_level_lie_face_up(variant: str) -> None:
    view = Game(variant, seed=1).view()

    assert [[card.level for card in row if card] for row in view.market] == [[1] * 4, [2] * 4, [3] * 4]
    assert view.decks == (36, 26, 16)
    with pytest.raises(IllegalRevealError) as refused:
        Game.by_hand(variant).reveal("1.1=41")
    assert refused.value.rule == "SET-2"


@pytest.mark.proves("SET-3")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_noble_more_than_players(players: int) -> None:
    game = Game("splendor", players=players, seed=1)
    nobles = [tile.tile for tile in game.view().tiles]

    assert len({noble.number for noble in nobles}) == players + 1
    take_something(game)
    assert [tile.tile for tile in game.view().tiles] == nobles


@pytest.mark.proves("SET-3")
def test_a_noble_is_laid_out_once() -> None:
    game = _without_tiles("splendor", 2)
    game.reveal("t1=4")
    with pytest.raises(IllegalRevealError) as refused:
        game.reveal("t2=4")
    assert refused.value.rule == "SET-3"


@pytest.mark.proves("SET-4")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_as_many_locations_as_players(players: int) -> None:
    game = Game("marvel", players=players, seed=1)
    locations = [tile.tile for tile in game.view().tiles]

    assert len({location.sheet for location in locations}) == len(locations) == players
    take_something(game)
    assert [tile.tile for tile in game.view().tiles] == locations


@pytest.mark.proves("SET-4")
def test_one_side_of_a_location_is_up() -> None:
    game = _without_tiles("marvel", 2)
    game.reveal("t1=1")  # Avengers Tower, with Attilan on its back
    with pytest.raises(IllegalRevealError) as refused:
        game.reveal("t2=2")
    assert refused.value.rule == "SET-4"


@pytest.mark.proves("SET-4")
def test_the_side_of_a_location_is_random() -> None:
    seen = {tile.tile.number for seed in SEEDS for tile in Game("marvel", players=2, seed=seed).view().tiles}
    assert seen == {tile.number for tile in TILE_LIST[MARVEL]}


@pytest.mark.proves("SET-5")
def test_all_see_what_lies_in_the_middle() -> None:
    game = Game("marvel", players=3, seed=1)
    for view in (game.view(), game.view(0), game.view(1), game.view(2)):
        assert view.supply == dict.fromkeys(STONES, 5) | {"shield": 5, "time": 3}
        assert not any(seat.has_avengers_tile or seat.qualifies for seat in view.seats)
        assert not any(count for seat in view.seats for count in seat.tokens.values())


@pytest.mark.proves("SET-6", "SET-7", "SET-8")
@pytest.mark.parametrize(("players", "pile"), [(2, 4), (3, 5), (4, 7)])
def test_supply_of_marvel(players: int, pile: int) -> None:
    view = Game("marvel", players=players, seed=1).view()

    assert view.supply == dict.fromkeys(STONES, pile) | {"shield": 5, "time": players}
    assert len(view.tiles) == players


@pytest.mark.proves("SET-9")
@pytest.mark.parametrize(("players", "pile"), [(2, 4), (3, 5), (4, 7)])
def test_supply_of_splendor(players: int, pile: int) -> None:
    supply = Game("splendor", players=players, seed=1).view().supply
    assert supply == dict.fromkeys(GEMS, pile) | {"gold": 5}


@pytest.mark.proves("SET-10")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_turns_go_round_from_the_first_seat(variant: str) -> None:
    game = Game(variant, players=3, seed=1)
    for round_number in (1, 2):
        for seat in (0, 1, 2):
            assert (game.round, game.seat) == (round_number, seat)
            with pytest.raises(CabochonError) as refused:
                game.play(game.legal_moves[0], seat=(seat + 1) % 3)
            assert refused.value.rule == "SET-10"
            take_something(game)


@pytest.mark.proves("SET-10")
def test_seats_are_drawn_by_lot_or_set_by_the_host() -> None:
    orders = [seat_order(seed, players=3) for seed in SEEDS]

    assert all(sorted(order) == [0, 1, 2] for order in orders)
    assert len(set(orders)) == 6
    seated = Game("splendor", names=["Bo", "Ada"], seed=1).view().seats
    assert [seat.name for seat in seated] == ["Bo", "Ada"]
