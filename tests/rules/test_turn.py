"""The four actions of a turn, and the pass: TRN."""

from __future__ import annotations

import pytest

from cabochon import Game, NotationError
from tests.rules.positions import position, refused_rule, texts, tokens_of, wild_name

BOTH = pytest.mark.parametrize("variant", ["splendor", "marvel"])

# All twenty gems of a game of two are held, and nothing on the table or in the hand of seat 0 can be bought.
STUCK_MARKET = {
    "1.1": 2,
    "1.2": 10,
    "1.3": 18,
    "1.4": 26,  # three of one colour each
    "2.1": 43,
    "2.2": 49,
    "2.3": 55,
    "2.4": 61,  # five of one colour each
}
TWO_OF_EACH = "wwbbggrrkk"


@pytest.mark.proves("TRN-1")
@BOTH
def test_one_action_ends_the_turn(variant: str) -> None:
    letters = {"splendor": "wbg", "marvel": "ypb"}[variant]
    game = position(variant, market={"1.1": 26}, tokens={0: letters[0] * 3 + "***"})
    for move in (f"take {letters}", f"take {letters[1] * 2}", "reserve 1.1", "reserve 3", "buy 1.1"):
        turn = game.copy()
        turn.play(move)
        if turn.phase == "pay":
            turn.play("pay")
        assert (turn.seat, turn.phase) == (1, "act")


@pytest.mark.proves("TRN-1")
@BOTH
def test_an_action_must_be_taken(variant: str) -> None:
    game = Game(variant, seed=1)
    first_colour = texts(game, "take")[0].split()[1][0]

    assert {move.kind for move in game.legal_moves} == {"take", "reserve"}
    assert refused_rule(game, "pass") == "TRN-9"
    for move in (f"return {first_colour}", "tile 1", "pay", f"wild {first_colour}"):
        assert refused_rule(game, move) == "TRN-1"


@pytest.mark.proves("TRN-2")
def test_take_three_different() -> None:
    game = Game("splendor", seed=1)
    triples = [move for move in texts(game, "take") if len(set(move.split()[1])) == 3]

    assert len(triples) == 10
    game.play("take wgk")
    assert tokens_of(game, 0) == {"white": 1, "green": 1, "black": 1}
    assert game.view().supply == {"white": 3, "blue": 4, "green": 3, "red": 4, "black": 3, "gold": 5}


@pytest.mark.proves("TRN-2")
def test_nothing_is_taken_from_an_empty_pile() -> None:
    game = position(tokens={1: "wwww"})

    assert refused_rule(game, "take wbg") == "TRN-2"
    assert len([move for move in texts(game, "take") if len(set(move.split()[1])) == 3]) == 4


@pytest.mark.proves("TRN-2")
@pytest.mark.parametrize("text", ["take wwb", "take wbgr", "take www", "take"])
def test_other_takes_do_not_exist(text: str) -> None:
    with pytest.raises(NotationError) as refused:
        Game("splendor", seed=1).play(text)
    assert refused.value.rule == "TRN-2"


@pytest.mark.proves("TRN-3", "TRN-6")
@BOTH
@pytest.mark.parametrize("piles_left", [0, 1, 2, 5])
def test_no_take_gives_wild_or_time(variant: str, piles_left: int) -> None:
    letters = {"splendor": "wbgrk", "marvel": "ypbro"}[variant]
    held = "".join(letter * 4 for letter in letters[piles_left:])
    game = position(variant, tokens={0: held[:10], 1: held[10:]})
    before = game.view().supply

    for move in texts(game, "take"):
        turn = game.copy()
        turn.play(move)
        changed = {name for name, count in turn.view().supply.items() if count != before[name]}
        assert not changed & {wild_name(game), "time"}
        assert turn.view().seats[0].tokens[wild_name(game)] == 0


@pytest.mark.proves("TRN-3")
@pytest.mark.parametrize(
    ("variant", "text"), [("splendor", "take *"), ("splendor", "take gold"), ("marvel", "take time")]
)
def test_a_wild_or_time_is_refused_by_name(variant: str, text: str) -> None:
    with pytest.raises(NotationError) as refused:
        Game(variant, seed=1).play(text)
    assert refused.value.rule == "TRN-3"


@pytest.mark.proves("TRN-4")
def test_take_from_two_piles() -> None:
    game = position(tokens={0: "wwwwbb", 1: "bbgggg"})

    assert texts(game, "take") == ["take rk", "take rr", "take kk"]
    assert refused_rule(game, "take r") == "TRN-4"
    game.play("take rk")
    assert tokens_of(game, 0) == {"white": 4, "blue": 2, "red": 1, "black": 1}


@pytest.mark.proves("TRN-4")
def test_take_from_one_pile() -> None:
    game = position(tokens={0: "wwwwbbbb", 1: "ggggrrrrk"})

    assert texts(game, "take") == ["take k"]
    game.play("take k")
    assert game.view().supply["black"] == 2


@pytest.mark.proves("TRN-4")
def test_take_from_no_pile() -> None:
    game = position(tokens={0: TWO_OF_EACH, 1: TWO_OF_EACH})

    assert texts(game, "take") == []
    assert refused_rule(game, "take w") == "TRN-2"


@pytest.mark.proves("TRN-4")
def test_piles_are_counted_and_not_tokens() -> None:
    game = position(tokens={0: "wwwbbb", 1: "gggrrrkkkk"})  # four piles of one token

    assert len(texts(game, "take")) == 4
    assert refused_rule(game, "take wb") == "TRN-4"
    assert refused_rule(game, "take w") == "TRN-4"


@pytest.mark.proves("TRN-4")
def test_free_take_lets_a_player_take_fewer() -> None:
    takes = texts(position(free_take=True), "take")
    assert sorted(len(move.split()[1]) for move in takes) == [1] * 5 + [2] * 10 + [2] * 5 + [3] * 10

    game = position(tokens={0: "wwwwbb", 1: "bbggggrk"}, free_take=True)
    assert texts(game, "take") == ["take rk", "take r", "take k"]
    game.play("take r")
    assert game.seat == 1


@pytest.mark.proves("TRN-5")
def test_two_alike_from_a_pile_of_four() -> None:
    game = Game("splendor", seed=1)
    game.play("take bb")

    assert tokens_of(game, 0) == {"blue": 2}
    assert game.view().supply["blue"] == 2
    assert refused_rule(game, "take bb") == "TRN-5"


@pytest.mark.proves("TRN-5")
@BOTH
def test_no_two_alike_from_a_pile_of_three(variant: str) -> None:
    letter = {"splendor": "w", "marvel": "y"}[variant]
    game = position(variant, tokens={1: letter})

    assert f"take {letter * 2}" not in texts(game)
    assert refused_rule(game, f"take {letter * 2}") == "TRN-5"


@pytest.mark.proves("TRN-5")
def test_two_alike_may_be_taken_twice_from_seven() -> None:
    game = Game("splendor", players=4, seed=1)
    game.play("take rr")
    game.play("take rr")

    assert refused_rule(game, "take rr") == "TRN-5"


@pytest.mark.proves("TRN-6")
@pytest.mark.parametrize(("variant", "text"), [("splendor", "take **"), ("marvel", "take tt")])
def test_two_wild_or_time_tokens_are_no_move(variant: str, text: str) -> None:
    with pytest.raises(NotationError):
        Game(variant, seed=1).play(text)


@pytest.mark.proves("TRN-7")
@BOTH
@pytest.mark.parametrize("place", ["2.3", "2"])
def test_reserve_a_card_and_take_a_wild(variant: str, place: str) -> None:
    game = Game(variant, seed=1)
    game.play(f"reserve {place}")

    assert [held.level for held in game.view().seats[0].reserved] == [2]
    assert tokens_of(game, 0) == {wild_name(game): 1}
    assert game.view().supply[wild_name(game)] == 4


@pytest.mark.proves("TRN-8")
def test_buy_from_the_table_or_from_the_hand() -> None:
    game = position(market={"1.2": 26}, reserved={0: [32]}, tokens={0: "wwww"})
    table = game.copy()
    table.play("buy 1.2")
    game.play("buy h1")

    assert [card.number for card in table.view().seats[0].cards] == [26]
    assert len(table.view().seats[0].reserved) == 1
    assert [card.number for card in game.view().seats[0].cards] == [32]
    assert game.view().seats[0].reserved == ()


@pytest.mark.proves("TRN-8")
def test_a_card_that_is_not_in_hand_cannot_be_bought() -> None:
    game = position(reserved={0: [32]}, tokens={0: "wwww"})
    assert refused_rule(game, "buy h2") == "TRN-8"


@pytest.mark.proves("TRN-9")
def test_pass_when_nothing_else_is_legal() -> None:
    game = position(
        market=STUCK_MARKET,
        tokens={0: TWO_OF_EACH, 1: TWO_OF_EACH},
        reserved={0: [8, 16, 24], 1: [32, 40, 3]},
    )
    assert texts(game) == ["pass"]

    game.play("pass")
    assert texts(game) == ["buy h3"]
    assert refused_rule(game, "pass") == "TRN-9"


@pytest.mark.proves("TRN-9")
@pytest.mark.parametrize(
    ("tokens", "reserved", "move"),
    [
        ({0: "wwbbggrrk", 1: TWO_OF_EACH}, [8, 16, 24], "take k"),
        ({0: TWO_OF_EACH, 1: TWO_OF_EACH}, [8, 16, 3], "buy h3"),
    ],
)
def test_no_pass_with_a_single_other_move(tokens: dict[int, str], reserved: list[int], move: str) -> None:
    game = position(market=STUCK_MARKET, tokens=tokens, reserved={0: reserved})

    assert texts(game) == [move]
    assert refused_rule(game, "pass") == "TRN-9"


@pytest.mark.proves("TRN-9")
def test_no_pass_while_a_card_may_be_reserved() -> None:
    game = position(market=STUCK_MARKET, tokens={0: TWO_OF_EACH, 1: TWO_OF_EACH}, reserved={0: [8, 16]})

    assert {move.kind for move in game.legal_moves} == {"reserve"}
    assert refused_rule(game, "pass") == "TRN-9"


@pytest.mark.proves("TRN-9")
def test_a_pass_in_marvel() -> None:
    game = position(
        "marvel",
        market={
            "1.1": "Baron Zemo",
            "1.2": "Kraven",
            "1.3": "Moon Knight",
            "1.4": "Mysterio",
            "2.1": "The Collector",
            "2.2": "Ronan",
            "2.3": "Miles Morales",
            "2.4": "Venom",
        },
        tokens={0: "yyppbbrroo", 1: "yyppbbrroo"},
        reserved={0: ["Vulture", "Scorpion", "Taskmaster"]},
    )
    assert texts(game) == ["pass"]
    game.play("pass")
    assert (game.seat, game.phase) == (1, "act")
