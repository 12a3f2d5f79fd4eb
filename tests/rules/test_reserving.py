"""Reserved cards and wilds: RSV."""

from __future__ import annotations

import pytest

from cabochon import Game, IllegalRevealError
from tests.rules.positions import position, refused_rule, take_something, texts, tokens_of, wild_name

BOTH = pytest.mark.parametrize("variant", ["splendor", "marvel"])


def hand(game: Game, holder: int, viewer: int | None = None) -> list[int | None]:
    """The numbers of the reserved cards, as far as the viewer may know them."""
    return [held.card.number if held.card else None for held in game.view(viewer).seats[holder].reserved]


@pytest.mark.proves("RSV-1")
@BOTH
def test_reserve_a_face_up_card(variant: str) -> None:
    game = position(variant, market={"2.3": 50})
    game.play("reserve 2.3")

    assert hand(game, 0) == [50]
    assert all(card and card.number != 50 for card in game.view().market[1])
    assert game.view().decks == (36, 25, 16)


@pytest.mark.proves("RSV-1")
@BOTH
def test_reserve_the_top_of_a_deck_unseen(variant: str) -> None:
    game = position(variant, seed=None)
    table = game.view().market
    game.play("reserve 3")

    assert (game.seat, game.phase) == (0, "reveal")
    assert {reveal.where for reveal in game.legal_reveals} == {"h"}
    assert refused_rule(game, "reserve 3") == "RSV-1"
    with pytest.raises(IllegalRevealError) as refused:
        game.reveal("h=50")
    assert refused.value.rule == "RSV-1"
    game.reveal("h=90")
    assert hand(game, 0, viewer=0) == [90]
    assert hand(game, 0, viewer=1) == [None]
    assert game.view().market == table
    assert game.view().decks == (36, 26, 15)


@pytest.mark.proves("RSV-2")
@pytest.mark.parametrize("move", ["reserve 2.3", "reserve 2"])
def test_a_wild_comes_to_ten_tokens_too(move: str) -> None:
    game = position(tokens={0: "wwwbbbgggr"})
    game.play(move)

    assert (game.seat, game.phase) == (0, "return")
    assert sum(tokens_of(game, 0).values()) == 11
    assert tokens_of(game, 0)["gold"] == 1
    other = game.copy()
    other.play("return *")
    game.play("return r")
    assert tokens_of(game, 0) == {"white": 3, "blue": 3, "green": 3, "gold": 1}
    assert tokens_of(other, 0) == {"white": 3, "blue": 3, "green": 3, "red": 1}
    assert other.view().supply["gold"] == 5


@pytest.mark.proves("RSV-2")
def test_the_wild_comes_after_the_card_is_drawn() -> None:
    game = position(tokens={0: "wwwbbbgggr"}, seed=None)
    game.play("reserve 2")
    assert sum(tokens_of(game, 0).values()) == 10

    game.reveal("h=60")
    assert game.phase == "return"
    assert hand(game, 0, viewer=0) == [60]


@pytest.mark.proves("RSV-3")
@BOTH
@pytest.mark.parametrize("move", ["reserve 2.3", "reserve 2"])
def test_reserve_without_a_wild_when_none_is_left(variant: str, move: str) -> None:
    letters = {"splendor": "wwwbbbgggr", "marvel": "yyypppbbbr"}[variant]
    game = position(variant, tokens={0: letters, 1: "*****"})
    before = tokens_of(game, 0)
    game.play(move)

    assert len(hand(game, 0)) == 1
    assert tokens_of(game, 0) == before
    assert (game.seat, game.phase) == (1, "act")


@pytest.mark.proves("RSV-4")
@BOTH
def test_at_most_three_reserved_cards(variant: str) -> None:
    game = position(variant, reserved={0: [8, 50]}, blind={0: [88]})
    assert texts(game, "reserve") == []
    for move in ("reserve 1.1", "reserve 3"):
        assert refused_rule(game, move) == "RSV-4"

    game = position(variant, reserved={0: [8, 50]})
    assert len(texts(game, "reserve")) == 15
    game.play("reserve 3")
    assert len(hand(game, 0)) == 3


@pytest.mark.proves("RSV-5")
def test_a_card_leaves_the_hand_only_when_bought() -> None:
    game = position(reserved={0: [8, 26]}, blind={0: [88]}, tokens={0: "wwwwbbbg**"})
    moves = texts(game)
    assert "buy h2" in moves

    for move in moves:
        turn = game.copy()
        turn.play(move)
        while turn.seat == 0:
            assert not {later.kind for later in turn.legal_moves} - {"return", "pay", "wild"}
            turn.play(turn.legal_moves[-1])
        assert hand(turn, 0, viewer=0) == ([8, 88] if move == "buy h2" else [8, 26, 88])
        take_something(turn)
        assert len(hand(turn, 0)) == (2 if move == "buy h2" else 3)


@pytest.mark.proves("RSV-6")
@BOTH
def test_only_reserving_brings_a_wild(variant: str) -> None:
    letters = {"splendor": "wwwbbbg", "marvel": "ooobbby"}[variant]
    game = position(variant, market={"1.1": 26}, reserved={0: [8]}, tokens={0: letters + "*"})
    kinds = set()
    for move in game.legal_moves:
        turn = game.copy()
        turn.play(move)
        gained = turn.view().seats[0].tokens[wild_name(game)] - 1
        assert gained == 1 if move.kind == "reserve" else gained <= 0
        kinds.add(move.kind)
    assert kinds == {"take", "buy", "reserve"}


@pytest.mark.proves("RSV-7")
def test_nobody_buys_from_another_hand() -> None:
    game = position(seat=1, reserved={0: [26]}, tokens={1: "www"})

    assert "buy h1" not in texts(game)
    assert refused_rule(game, "buy h1") == "TRN-8"


@pytest.mark.proves("RSV-7")
def test_one_buys_from_ones_own_hand() -> None:
    game = position(seat=1, reserved={0: [8], 1: [26]}, tokens={1: "www"})
    game.play("buy h1")

    assert [card.number for card in game.view().seats[1].cards] == [26]
    assert hand(game, 0) == [8]


@pytest.mark.proves("RSV-8")
def test_reserved_cards_cost_nothing_at_the_end() -> None:
    game = position(
        owned={0: [74, 78, 82], 1: [86, 90, 72]},  # 15 and 14 points
        reserved={0: [8, 50]},
        blind={0: [88]},
    )
    take_something(game)
    take_something(game)

    assert game.outcome is not None
    assert game.outcome.points == (15, 14)
    assert game.outcome.cards == (3, 3)
    assert game.outcome.winners == (0,)


@pytest.mark.proves("RSV-9")
@BOTH
def test_a_card_drawn_blind_is_known_to_its_holder_alone(variant: str) -> None:
    game = position(variant, 3, reserved={0: [8]}, blind={0: [88]})

    assert hand(game, 0, viewer=0) == [8, 88]
    for viewer in (None, 1, 2):
        assert hand(game, 0, viewer) == [8, None]
        held = game.view(viewer).seats[0].reserved
        assert [(card.level, card.is_blind) for card in held] == [(1, False), (3, True)]
        assert "88" not in str(game.view(viewer).to_dict())


@pytest.mark.proves("RSV-9")
def test_a_card_drawn_blind_is_shown_when_bought() -> None:
    game = position(blind={0: [26]}, tokens={0: "www"})
    assert hand(game, 0, viewer=1) == [None]

    game.play("buy h1")
    assert [card.number for card in game.view(1).seats[0].cards] == [26]


@pytest.mark.proves("RSV-9")
def test_a_card_drawn_blind_is_shown_at_the_end() -> None:
    game = position(owned={0: [74, 78, 82]}, blind={0: [88], 1: [50]})
    take_something(game)
    assert hand(game, 0, viewer=1) == [None]

    take_something(game)
    assert game.is_over
    assert hand(game, 0, viewer=1) == [88]
    assert hand(game, 1) == [50]
