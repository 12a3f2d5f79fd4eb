"""What a card costs, and how it is paid: BUY."""

from __future__ import annotations

import pytest

from tests.rules.positions import position, refused_rule, texts, tokens_of

# Level 1, for one white, one blue, one red and two black.
MIXED = 21


@pytest.mark.proves("BUY-1")
def test_a_card_is_not_reserved_and_bought_in_one_turn() -> None:
    game = position(market={"1.1": 26}, tokens={0: "wwwbbbgggr"})
    assert "buy 1.1" in texts(game)

    game.play("reserve 1.1")
    assert refused_rule(game, "buy h1") == "LIM-1"  # a token is to be returned, and then the turn is over
    game.play("return r")
    assert game.seat == 1
    assert refused_rule(game, "buy h1") == "TRN-8"
    game.play("take bgr")
    game.play("buy h1")
    game.play("pay")
    assert [card.number for card in game.view().seats[0].cards] == [26]


@pytest.mark.proves("BUY-1")
def test_buy_a_face_up_card() -> None:
    game = position(market={"1.1": 26}, tokens={0: "www"})
    game.play("buy 1.1")
    assert [card.number for card in game.view().seats[0].cards] == [26]


@pytest.mark.proves("BUY-2")
def test_the_cost_is_paid_less_the_bonuses() -> None:
    # One green, four red, two black; one green, one red and three black bonuses.
    game = position(owned={0: [17, 25, 33, 34, 35]}, market={"2.1": 44}, tokens={0: "wgrrrrkk"}, payment="choice")
    game.play("buy 2.1")

    assert tokens_of(game, 0) == {"white": 1, "green": 1, "red": 1, "black": 2}
    assert (game.seat, game.phase) == (1, "act")


@pytest.mark.proves("BUY-2")
def test_a_surplus_of_bonuses_gives_nothing_back() -> None:
    game = position(owned={0: [1, 2, 3, 4, 5]}, market={"1.1": 26}, tokens={0: "w"})
    game.play("buy 1.1")

    assert tokens_of(game, 0) == {"white": 1}
    assert game.view().supply["white"] == 3


@pytest.mark.proves("BUY-2")
@pytest.mark.parametrize("tokens", ["ww", "wwbbggrrkk", "bbb", ""])
def test_who_cannot_pay_cannot_buy(tokens: str) -> None:
    game = position(market={"1.1": 26}, tokens={0: tokens})

    assert "buy 1.1" not in texts(game)
    assert refused_rule(game, "buy 1.1") == "BUY-2"


@pytest.mark.proves("BUY-2", "BUY-3")
def test_a_bonus_is_not_replaced_by_a_wild() -> None:
    game = position(owned={0: [1, 2, 3]}, market={"1.1": 26}, tokens={0: "www**"})
    game.play("buy 1.1")

    assert game.seat == 1  # nothing is to be paid, so there is nothing to choose
    assert tokens_of(game, 0) == {"white": 3, "gold": 2}


@pytest.mark.proves("BUY-3")
def test_a_wild_stands_for_what_is_missing() -> None:
    game = position(market={"1.1": MIXED}, tokens={0: "wbk**"})
    game.play("buy 1.1")

    assert game.seat == 1
    assert tokens_of(game, 0) == {}


@pytest.mark.proves("BUY-3")
def test_one_wild_too_few() -> None:
    game = position(market={"1.1": MIXED}, tokens={0: "wk**"})
    assert refused_rule(game, "buy 1.1") == "BUY-2"


@pytest.mark.proves("BUY-3")
@pytest.mark.parametrize(
    ("choices", "left"),
    [
        (["pay"], {"gold": 2}),
        (["wild w", "pay"], {"white": 1, "gold": 1}),
        (["wild w", "wild w"], {"white": 2}),
    ],
)
def test_wilds_may_be_spent_where_the_colour_is_in_hand(choices: list[str], left: dict[str, int]) -> None:
    game = position(market={"1.1": 26}, tokens={0: "www**"})
    game.play("buy 1.1")
    assert (game.seat, game.phase) == (0, "pay")
    assert refused_rule(game, "take wbg") == "BUY-3"
    for choice in choices:
        assert texts(game) == ["wild w", "pay"]
        game.play(choice)

    assert (game.seat, game.phase) == (1, "act")
    assert tokens_of(game, 0) == left


@pytest.mark.proves("BUY-3")
def test_wilds_that_are_needed_are_not_chosen() -> None:
    game = position(market={"1.1": 26}, tokens={0: "ww**"})  # one wild is needed, one is free
    game.play("buy 1.1")
    assert texts(game) == ["wild w", "pay"]

    game.play("wild w")
    assert game.seat == 1
    assert tokens_of(game, 0) == {"white": 1}


@pytest.mark.proves("BUY-3")
def test_wilds_are_chosen_in_the_order_of_the_colours() -> None:
    game = position(market={"1.1": MIXED}, tokens={0: "wbrkk***"})
    game.play("buy 1.1")
    assert texts(game) == ["wild w", "wild b", "wild r", "wild k", "pay"]
    assert refused_rule(game, "wild g") == "BUY-3"

    game.play("wild b")
    assert texts(game) == ["wild r", "wild k", "pay"]
    assert refused_rule(game, "wild w") == "BUY-3"
    game.play("wild k")
    assert texts(game) == ["wild k", "pay"]
    game.play("pay")
    assert tokens_of(game, 0) == {"blue": 1, "black": 1, "gold": 1}


@pytest.mark.proves("BUY-3")
def test_every_payment_has_one_spelling() -> None:
    game = position(market={"1.1": MIXED}, tokens={0: "wbrkk**"})
    game.play("buy 1.1")
    payments = []
    unfinished = [game]
    while unfinished:
        choosing = unfinished.pop()
        for move in choosing.legal_moves:
            paid = choosing.copy()
            paid.play(move)
            if paid.phase == "pay":
                unfinished.append(paid)
            else:
                payments.append(tuple(sorted(tokens_of(paid, 0).items())))

    # No wild; one for any of four colours; two for two of the four, or both for black.
    assert len(payments) == 1 + 4 + 6 + 1
    assert len(set(payments)) == len(payments)


@pytest.mark.proves("BUY-3")
def test_automatic_payment_spends_the_fewest_wilds() -> None:
    game = position(market={"1.1": MIXED}, tokens={0: "wbrk***"}, payment="automatic")
    game.play("buy 1.1")

    assert (game.seat, game.phase) == (1, "act")
    assert tokens_of(game, 0) == {"gold": 2}


@pytest.mark.proves("BUY-3")
def test_shields_are_chosen_like_gold() -> None:
    game = position("marvel", reserved={0: ["Baron Zemo"]}, tokens={0: "rrr*"})
    game.play("buy h1")
    assert texts(game) == ["wild r", "pay"]

    game.play("wild r")
    assert tokens_of(game, 0) == {"red": 1}


@pytest.mark.proves("BUY-4")
def test_what_is_spent_goes_back_to_the_supply() -> None:
    game = position(market={"1.1": MIXED}, tokens={0: "wbk**"})
    assert game.view().supply == {"white": 3, "blue": 3, "green": 4, "red": 4, "black": 3, "gold": 3}

    game.play("buy 1.1")
    assert game.view().supply == {"white": 4, "blue": 4, "green": 4, "red": 4, "black": 4, "gold": 5}


@pytest.mark.proves("BUY-5")
def test_the_green_token_buys_nothing() -> None:
    game = position("marvel", owned={0: ["Drax"]}, market={"1.1": "Baron Zemo"}, tokens={0: "rr"})
    assert game.view().seats[0].tokens["time"] == 1
    assert refused_rule(game, "buy 1.1") == "BUY-2"


@pytest.mark.proves("BUY-5")
def test_the_green_token_is_kept_in_a_purchase() -> None:
    game = position("marvel", owned={0: ["Drax"]}, market={"1.1": "Baron Zemo"}, tokens={0: "rr*"})
    game.play("buy 1.1")

    assert tokens_of(game, 0) == {"time": 1}
    assert game.view().supply["time"] == 1
