"""Ten tokens at the end of a turn: LIM."""

from __future__ import annotations

import pytest

from cabochon import NotationError
from tests.rules.positions import position, refused_rule, texts, tokens_of

# Doctor Octopus costs seven blue, and these seven give blue.
SEVEN_BLUE = [17, 18, 19, 20, 21, 22, 23]


@pytest.mark.proves("LIM-1")
@pytest.mark.parametrize(("held", "excess"), [("wwbbggr", 0), ("wwbbggrr", 1), ("wwbbgg***", 2)])
def test_more_than_ten_tokens_are_returned(held: str, excess: int) -> None:
    game = position(tokens={0: held})
    game.play("take wbk")
    for _ in range(excess):
        assert (game.seat, game.phase) == (0, "return")
        assert refused_rule(game, "take wbg") == "LIM-1"
        game.play("return w")

    assert (game.seat, game.phase) == (1, "act")
    assert sum(tokens_of(game, 0).values()) == 10


@pytest.mark.proves("LIM-1", "LIM-4")
def test_the_green_token_counts_towards_ten() -> None:
    game = position("marvel", owned={0: ["Drax"]}, tokens={0: "yyppbbrr"})
    assert sum(tokens_of(game, 0).values()) == 9

    game.play("take ypb")
    assert texts(game) == ["return y", "return p", "return b", "return r"]
    game.play("return r")
    game.play("return r")
    assert game.seat == 1
    assert tokens_of(game, 0) == {"yellow": 3, "purple": 3, "blue": 3, "time": 1}


@pytest.mark.proves("LIM-1", "LIM-4", "TIM-2")
def test_a_free_card_may_bring_the_eleventh_token() -> None:
    game = position(
        "marvel",
        market={"3.1": "Doctor Octopus"},
        owned={0: SEVEN_BLUE},
        tokens={0: "yyyyppppbb"},
    )
    game.play("buy 3.1")

    assert (game.seat, game.phase) == (0, "return")
    assert texts(game) == ["return y", "return p", "return b"]
    game.play("return p")
    assert game.seat == 1
    assert tokens_of(game, 0) == {"yellow": 4, "purple": 3, "blue": 2, "time": 1}


@pytest.mark.proves("LIM-2")
def test_any_tokens_may_be_returned() -> None:
    game = position(tokens={0: "wwwbbbgg**"})
    game.play("take grk")

    assert texts(game) == ["return w", "return b", "return g", "return r", "return k", "return *"]
    for token in ("*", "r", "w"):
        game.play(f"return {token}")
    assert tokens_of(game, 0) == {"white": 2, "blue": 3, "green": 3, "black": 1, "gold": 1}
    assert game.view().supply == {"white": 2, "blue": 1, "green": 1, "red": 4, "black": 3, "gold": 4}


@pytest.mark.proves("LIM-2")
def test_exactly_the_excess_is_returned() -> None:
    game = position(tokens={0: "wwbbggrr"})
    game.play("take wbk")
    game.play("return k")

    assert (game.seat, game.phase) == (1, "act")
    assert refused_rule(game, "return w") == "TRN-1"


@pytest.mark.proves("LIM-2")
def test_only_tokens_in_hand_are_returned() -> None:
    game = position(tokens={0: "wwwbbbggg"})
    game.play("take wbg")

    assert refused_rule(game, "return r") == "LIM-2"
    assert refused_rule(game, "return *") == "LIM-2"


@pytest.mark.proves("LIM-3")
def test_thirteen_tokens_in_the_course_of_a_turn() -> None:
    game = position(tokens={0: "wwwbbbgg**"})
    game.play("take grk")

    assert sum(tokens_of(game, 0).values()) == 13


@pytest.mark.proves("LIM-4")
@pytest.mark.parametrize("text", ["return t", "return time", "return green"])
def test_the_green_token_is_never_returned(text: str) -> None:
    game = position("marvel", owned={0: ["Drax"]}, tokens={0: "yyppbbrr"})
    game.play("take ypb")
    with pytest.raises(NotationError) as refused:
        game.play(text)
    assert refused.value.rule == "LIM-4"


@pytest.mark.proves("LIM-5")
@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_all_see_all_tokens(variant: str) -> None:
    letters = {"splendor": "wbg", "marvel": "ypb"}[variant]
    game = position(variant, 3, owned={1: [72]}, tokens={0: letters * 3, 1: "**", 2: letters})
    game.play(f"take {letters}")  # even while seat 0 is still to return two

    expected = [tokens_of(game, seat) for seat in range(3)]
    assert [sum(tokens.values()) for tokens in expected] == [12, 3 if variant == "marvel" else 2, 3]
    for viewer in (0, 1, 2):
        seats = game.view(viewer).seats
        assert [{name: n for name, n in seat.tokens.items() if n} for seat in seats] == expected
