"""Cards, the table they lie on, and bonuses: CRD, BON."""

from __future__ import annotations

import pytest

from cabochon import Game, IllegalRevealError
from cabochon.core.cards import CARD_LIST, COLOUR_NAMES, VARIANTS
from tests.rules.positions import position, refused_rule, texts, tokens_of

BOTH = pytest.mark.parametrize("variant", ["splendor", "marvel"])


def face_up(game: Game) -> list[list[int | None]]:
    """The numbers of the cards on the table, by level."""
    return [[card.number if card else None for card in row] for row in game.view().market]


@pytest.mark.proves("CRD-1")
@BOTH
def test_what_a_card_shows(variant: str) -> None:
    index = VARIANTS.index(variant)
    for card in CARD_LIST[index]:
        assert len(card.cost) == 5
        assert sum(card.cost) >= 3
        assert card.bonus in COLOUR_NAMES[index]
        assert 0 <= card.points <= 5
        assert card.tags == 0 or variant == "marvel"


@pytest.mark.proves("CRD-1")
def test_a_bought_card_gives_what_it_shows() -> None:
    game = position("marvel", market={"2.1": "Okoye"}, tokens={0: "yyypppbb"})
    game.play("buy 2.1")
    owner = game.view().seats[0]

    assert [card.name for card in owner.cards] == ["Okoye"]
    assert owner.bonuses == {"yellow": 0, "purple": 1, "blue": 0, "red": 0, "orange": 0}
    assert (owner.points, owner.tags) == (1, 1)
    assert tokens_of(game, 0) == {}


@pytest.mark.proves("CRD-2")
def test_all_see_what_a_player_has_bought() -> None:
    game = position("marvel", 3, owned={0: ["Okoye", "Vulture", "Scorpion"]})
    for viewer in (None, 0, 1, 2):
        seat = game.view(viewer).seats[0]
        assert [card.name for card in seat.cards] == ["Vulture", "Scorpion", "Okoye"]
        assert (seat.bonuses["yellow"], seat.bonuses["purple"]) == (1, 2)
        assert (seat.points, seat.tags) == (3, 1)


@pytest.mark.proves("CRD-3")
@pytest.mark.parametrize("move", ["buy 1.2", "reserve 1.2"])
def test_a_taken_card_is_replaced_in_its_place(move: str) -> None:
    game = position(market={"1.2": 26}, tokens={0: "www"}, seed=None)
    before = face_up(game)
    game.play(move)

    assert (game.seat, game.phase) == (0, "reveal")
    assert {reveal.where for reveal in game.legal_reveals} == {"1.2"}
    assert {reveal.number for reveal in game.legal_reveals} == set(range(1, 41)) - {26} - set(before[0])
    assert refused_rule(game, "take wbg") == "CRD-3"
    for wrong in ("1.1=30", "1.2=41", "1.2=26", "h=30"):
        with pytest.raises(IllegalRevealError) as refused:
            game.reveal(wrong)
        assert refused.value.rule == "CRD-3"

    game.reveal("1.2=30")
    before[0][1] = 30
    assert face_up(game) == before
    assert game.seat == 1


@pytest.mark.proves("CRD-4")
@BOTH
def test_a_place_stays_empty_when_the_deck_has_run_out(variant: str) -> None:
    game = position(variant, empty_deck=1, avengers=1 if variant == "marvel" else None)
    before = face_up(game)
    assert game.view().decks == (0, 26, 16)

    game.play("reserve 1.3")
    before[0][2] = None
    assert face_up(game) == before
    assert refused_rule(game, "buy 1.3") == "CRD-4"
    assert refused_rule(game, "reserve 1.3") == "CRD-4"
    assert "reserve 1.4" in texts(game)
    assert refused_rule(game, "reserve 1") == "RSV-1"


@pytest.mark.proves("CRD-4")
def test_the_last_card_of_a_deck_still_fills_a_place() -> None:
    game = position(owned={1: range(5, 40)}, seed=None)  # face up lie 1 to 4, so the deck is card 40
    game.play("reserve 1.1")

    assert [str(reveal) for reveal in game.legal_reveals] == ["1.1=40"]
    game.reveal("1.1=40")
    assert game.view().decks[0] == 0


@pytest.mark.proves("BON-1")
def test_a_bonus_counts_in_every_purchase() -> None:
    game = position(owned={0: [1, 2]}, market={"1.1": 26, "1.2": 32}, tokens={0: "www"})
    game.play("buy 1.1")  # three white, two of them from bonuses
    assert tokens_of(game, 0) == {"white": 2}

    game.play("take bgr")
    game.play("buy 1.2")  # four white, the same two from bonuses
    assert tokens_of(game, 0) == {}


@pytest.mark.proves("BON-1")
def test_a_bonus_counts_for_its_own_colour_only() -> None:
    game = position(owned={0: [1, 2, 3]}, market={"1.1": 18}, tokens={0: "rr"})
    assert refused_rule(game, "buy 1.1") == "BUY-2"


@pytest.mark.proves("BON-2")
def test_a_card_does_not_pay_for_itself() -> None:
    five_white = [1, 2, 3, 4, 5]
    game = position(owned={0: five_white}, market={"2.1": 46}, seed=None)  # six white, gives white
    assert refused_rule(game, "buy 2.1") == "BUY-2"

    game = position(owned={0: five_white}, market={"2.1": 46}, tokens={0: "ww"})
    game.play("buy 2.1")
    assert tokens_of(game, 0) == {"white": 1}
    assert game.view().seats[0].bonuses["white"] == 6


@pytest.mark.proves("BON-3")
def test_a_card_may_cost_nothing() -> None:
    game = position(owned={0: [1, 2, 3, 4]}, market={"1.1": 26, "1.2": 32})
    assert texts(game, "buy") == ["buy 1.1", "buy 1.2"]

    game.play("buy 1.2")
    assert tokens_of(game, 0) == {}
    assert game.view().seats[0].points == 1


@pytest.mark.proves("BON-4")
def test_no_card_gives_a_green_bonus() -> None:
    assert {card.bonus for card in CARD_LIST[1]} == {"yellow", "purple", "blue", "red", "orange"}

    game = position("marvel", owned={0: [17, 18, 19, 20, 21, 22, 23]}, market={"3.1": "Doctor Octopus"})
    game.play("buy 3.1")
    owner = game.view().seats[0]
    assert owner.tokens["time"] == 1
    assert owner.bonuses == {"yellow": 1, "purple": 0, "blue": 7, "red": 0, "orange": 0}
