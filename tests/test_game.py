"""The face of the library: options, moves, errors, copies, views, outcomes."""

from __future__ import annotations

import copy
import json
from itertools import pairwise
from typing import Any

import pytest

import cabochon
from cabochon import (
    CabochonError,
    Game,
    GameOverError,
    IllegalMoveError,
    IllegalRevealError,
    Move,
    NotationError,
    Options,
    OptionsError,
    Reveal,
    View,
)
from cabochon.steps import step_of
from tests.playing import random_game


@pytest.mark.parametrize(
    ("arguments", "message", "rule"),
    [
        ({"variant": "chess"}, "expected the game 'splendor' or 'marvel', got 'chess'", None),
        ({"players": 1}, "expected 2 to 4 players, got 1", "MAT-8"),
        ({"players": 5}, "expected 2 to 4 players, got 5", "MAT-8"),
        ({"players": True}, "expected 2 to 4 players, got True", "MAT-8"),
        ({"players": "3"}, "expected 2 to 4 players, got '3'", "MAT-8"),
        ({"payment": "later"}, "expected the payment 'choice' or 'automatic', got 'later'", "BUY-3"),
        ({"free_take": 1}, "expected free_take to be True or False, got 1", "TRN-4"),
        ({"names": ["Ada"]}, "expected 2 names, got 1", "MAT-8"),
    ],
)
def test_a_game_cannot_be_set_up_wrongly(arguments: dict[str, object], message: str, rule: str | None) -> None:
    with pytest.raises(OptionsError) as refused:
        Game(**arguments)  # type: ignore[arg-type]
    assert refused.value.message == message
    assert refused.value.rule == rule


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("take wbg", "take wbg"),
        ("TAKE  gbw", "take wbg"),
        ("take white, green, red", "take wgr"),
        ("take red red", "take rr"),
        (" reserve 2.3 ", "reserve 2.3"),
        ("return gold", "return *"),
        ("wild black", "wild k"),
    ],
)
def test_moves_may_be_typed_in_several_ways(text: str, spelled: str) -> None:
    assert str(Move.from_text(text, "splendor")) == spelled


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ",",
        "take",
        "take wwb",
        "take wbgr",
        "buy",
        "buy 4.1",
        "buy 1.5",
        "reserve 0",
        "tile 6",
        "buy h4",
        "gold",
    ],
)
def test_nonsense_is_no_move(text: str) -> None:
    with pytest.raises(NotationError, match="expected a move such as"):
        Move.from_text(text, "splendor")


def test_a_letter_of_the_other_game_is_no_colour() -> None:
    with pytest.raises(NotationError):
        Move.from_text("take wbg", "marvel")
    with pytest.raises(NotationError, match="expected a move of marvel"):
        Game("marvel").play(Move.from_text("take wbg", "splendor"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2.3",
        "2.3=",
        "=5",
        "4.1=5",
        "2.3=0",
        "2.3=057",
        "h=100",
        "t6=1",
        "2.3=5x",
        "1.1=91",
        "h=99",
        "t1=11",
        "1.1=٣",
    ],
)
def test_nonsense_is_no_reveal(text: str) -> None:
    with pytest.raises(NotationError, match="expected a reveal such as"):
        Reveal.from_text(text)


@pytest.mark.parametrize(("where", "number"), [("zz", 5), ("1.1", 10**30), ("1.1", 0), ("t1", 90)])
def test_a_reveal_cannot_be_made_wrongly(where: str, number: int) -> None:
    with pytest.raises(NotationError, match="expected a reveal such as"):
        Reveal(where, number)


@pytest.mark.parametrize("move", [3.7, True, None, b"take wbg", ["pass"]])
def test_only_a_move_can_be_played(move: object) -> None:
    game = Game(seed=1)
    with pytest.raises(NotationError, match="expected a Move, its text or an action number"):
        game.play(move)  # type: ignore[arg-type]
    assert game.moves == ()


@pytest.mark.parametrize(
    ("text", "variant", "rule"),
    [
        ("take t", "marvel", "TRN-3"),
        ("take yp*", "marvel", "TRN-3"),
        ("take gold gold", "splendor", "TRN-6"),
        ("take **", "splendor", "TRN-6"),
        ("take white purple", "splendor", "TRN-2"),
        ("return t", "marvel", "LIM-4"),
    ],
)
def test_an_impossible_move_names_its_rule(text: str, variant: str, rule: str) -> None:
    with pytest.raises(NotationError) as refused:
        Move.from_text(text, variant)
    assert refused.value.rule == rule


@pytest.mark.parametrize("action", [-1, 78, 1000])
def test_an_action_out_of_range_is_refused(action: int) -> None:
    game = Game(seed=1)
    with pytest.raises(NotationError, match="expected an action from 0 to 77"):
        game.play(action)
    assert game.moves == ()


def test_a_move_tells_what_it_is() -> None:
    assert Move.from_text("take ypb", "marvel").colours == ("yellow", "purple", "blue")
    assert Move.from_text("take oo", "marvel").colours == ("orange", "orange")
    assert Move.from_text("return *", "marvel").colours == ("shield",)
    assert Move.from_text("wild r", "marvel").colours == ("red",)
    assert Move.from_text("buy h2", "marvel").place == "h2"
    assert Move.from_text("reserve 3", "marvel").place == "3"
    assert Move.from_text("pass", "marvel").place is None
    assert [Move(action, "marvel").kind for action in (0, 29, 30, 44, 45, 59, 60, 61, 67, 72, 77)] == [
        "take", "take", "buy", "buy", "reserve", "reserve", "pass", "return", "tile", "wild", "pay",
    ]  # fmt: skip


def test_the_same_seed_gives_the_same_game() -> None:
    one, two = Game("marvel", players=3, seed=7), Game("marvel", players=3, seed=7)
    assert one.state.tobytes() == two.state.tobytes()
    assert one.state.tobytes() != Game("marvel", players=3, seed=8).state.tobytes()


def test_a_move_of_another_seat_is_refused() -> None:
    game = Game(seed=1)
    with pytest.raises(CabochonError, match="expected a move of seat 0, got one of seat 1") as refused:
        game.play("take wbg", seat=1)
    assert refused.value.rule == "SET-10"
    game.play("take wbg", seat=0)
    assert game.seat == 1


def test_playing_on_after_the_end_is_refused() -> None:
    game = random_game(Options("splendor", 2), 1)
    before = game.record()
    with pytest.raises(GameOverError, match="the game is over") as refused:
        game.play("take wbg")
    assert refused.value.rule == "END-B1"
    assert game.legal_moves == []
    assert game.record() == before


def test_a_copy_is_a_game_of_its_own() -> None:
    game = Game("splendor", seed=1)
    twin = game.copy()
    twin.play("take wbg")
    twin.tags["Event"] = "x"
    assert (game.seat, game.moves, game.tags) == (0, (), {})
    assert game.state.supply[0] == 4
    other = copy.copy(game)
    game.play("take wbg")
    assert game.state.tobytes() == twin.state.tobytes()
    assert other.moves == copy.deepcopy(other).moves == ()


def test_the_state_given_out_is_a_copy() -> None:
    game = Game("splendor", seed=1)
    game.state.supply[0] = 0
    assert game.state.supply[0] == 4


def test_nothing_can_be_taken_back_at_the_start() -> None:
    with pytest.raises(CabochonError, match="expected a move to take back"):
        Game(seed=1).undo()


def test_texts_are_played_all_or_none() -> None:
    told = random_game(Options("marvel", 3), 4)
    game = Game("marvel", players=3, seed=4)
    dealt = len(game.texts)
    assert game.texts == told.texts[:dealt]
    moves = told.texts[dealt:]
    for wrong, error in ((("pass",), IllegalMoveError), (("1.1=9",), IllegalRevealError), (("buy",), NotationError)):
        with pytest.raises(error):
            game.play_texts(moves[:5] + wrong)
        assert game.texts == told.texts[:dealt]
    game.play_texts(moves)
    assert game.texts == told.texts
    assert game.state.tobytes() == told.state.tobytes()


def test_a_game_by_hand_waits_for_its_cards() -> None:
    game = Game.by_hand("marvel", players=2)
    for where, number in [(f"{level}.{place}", 40 * (level > 1) + 30 * (level > 2) + place)
                          for level in (1, 2, 3) for place in (1, 2, 3, 4)]:  # fmt: skip
        with pytest.raises(IllegalMoveError, match="expected the reveal of a card at"):
            game.play("take ypb")
        game.reveal(f"{where}={number}")
    game.reveal("t1=1")
    with pytest.raises(IllegalRevealError, match="expected one of the numbers 3, 4, 5, 6, 7, 8 at t2") as refused:
        game.reveal("t2=2")
    assert refused.value.rule == "SET-4"
    game.reveal("t2=3")
    assert game.phase == "act"
    with pytest.raises(IllegalRevealError, match="no reveal is due"):
        game.reveal("1.1=9")
    game.play("reserve 2")
    with pytest.raises(IllegalRevealError, match="expected a reveal at h") as refused:
        game.reveal("1.1=9")
    assert refused.value.rule == "RSV-1"
    with pytest.raises(IllegalRevealError, match="expected one of the numbers 45, 46"):
        game.reveal("h=41")
    game.reveal("h=50")
    drawn = game.view(0).seats[0].reserved[0].card
    assert drawn is not None
    assert drawn.number == 50


@pytest.mark.parametrize("seat", [-1, 2, "0"])
def test_only_a_seat_has_a_view(seat: object) -> None:
    with pytest.raises(OptionsError, match="expected a seat from 0 to 1, or None"):
        Game(seed=1).view(seat)  # type: ignore[arg-type]


def test_a_view_is_ready_for_json_and_shows_ones_own_moves_alone() -> None:
    game = Game("marvel", players=3, seed=7)
    for viewer in (None, 0, 1, 2):
        view = game.view(viewer)
        told = json.loads(json.dumps(view.to_dict()))
        assert told == view.to_dict()
        assert bool(told["legal_moves"]) == (viewer == 0)
        assert told["supply"] == {
            "yellow": 5,
            "purple": 5,
            "blue": 5,
            "red": 5,
            "orange": 5,
            "shield": 5,
            "time": 3,
        }


@pytest.mark.parametrize("data", [{}, {"game": "chess"}, {"game": "marvel", "players": "x"}, [], None])
def test_nonsense_is_no_view(data: object) -> None:
    with pytest.raises(NotationError, match="expected a view as"):
        View.from_dict(data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seat",), 99),
        (("seat",), -1),
        (("players",), 10**12),
        (("viewer",), 99),
        (("viewer",), {}),
        (("supply",), []),
        (("decks",), [1, 2, 3]),
        (("round",), -(10**9)),
        (("market",), [[1, 1, 1, 1], [41, 42, 43, 44], [71, 72, 73, 74]]),
        (("market",), [[-5, 2, 3, 4], [41, 42, 43, 44], [71, 72, 73, 74]]),
        (("tiles", 0, "place"), -1),
        (("tiles", 0, "tile"), 99),
        (("seats", 0, "tokens", "white"), 999),
        (("seats", 0, "qualifies"), True),
        (("legal_moves",), 5),
    ],
)
def test_a_view_that_cannot_be_is_refused(path: tuple[str | int, ...], value: object) -> None:
    data: Any = Game("splendor", seed=1).view(0).to_dict()
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(NotationError, match="expected a view as"):
        View.from_dict(data)


def test_a_game_shows_what_the_seat_to_move_may_see() -> None:
    game = Game("splendor", players=2, seed=7)
    game.play("reserve 3")
    secret = game.view(0).seats[0].reserved[0].card
    assert secret is not None
    assert "h1 level 3  unknown" in str(game)
    game.play("take wbg")
    assert "h1 level 3  unknown" not in str(game)
    assert "> 1 Seat 1 (you)" in str(game)
    assert "moves: take wbg" in str(game)


def test_the_avengers_tile_lies_on_the_table_until_a_seat_has_it() -> None:
    tile = "Avengers tile  3pt: 3 tags"
    game = Game("marvel", players=2, seed=7)
    assert tile in str(game)
    assert tile not in str(Game("splendor", players=2, seed=7))
    while not any(seat.has_avengers_tile for seat in game.view().seats):
        assert tile in str(game)
        buying = [move for move in game.legal_moves if move.kind == "buy"]
        game.play(buying[-1] if buying else game.legal_moves[0])
    assert tile not in str(game)


def test_an_outcome_ranks_all_seats() -> None:
    game = random_game(Options("splendor", 4), 9)
    outcome = game.outcome
    assert outcome is not None
    assert outcome.reason == "won"
    assert [outcome.places[seat] for seat in outcome.ranking] == sorted(outcome.places)
    assert all(outcome.points[seat] == max(outcome.points) for seat in outcome.winners)
    assert Game("splendor").outcome is None


def test_the_package_lists_what_it_offers() -> None:
    assert set(cabochon.__all__) <= set(dir(cabochon))
    for name in cabochon.__all__:
        assert getattr(cabochon, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Gmae'"):
        getattr(cabochon, "Gma" + "e")


@pytest.mark.parametrize("since", [0, 1, 37])
def test_decisions_are_the_positions_of_the_game_one_by_one(since: int) -> None:
    game = random_game(Options("marvel", 3), 8, 60)
    again = Game("marvel", 3, seed=game.seed, names=game.names)
    for move in game.moves[:since]:
        again.play(move)
    decisions = list(game.decisions(since))
    assert [decision.move for decision in decisions] == list(game.moves[since:])
    for number, decision in enumerate(decisions, start=since + 1):
        assert (decision.number, decision.round, decision.seat) == (number, again.round, again.seat)
        assert decision.before.state.tobytes() == again.state.tobytes()
        assert decision.view == again.view(again.seat)
        before = again.view(None)
        again.play(decision.move)
        assert decision.after.state.tobytes() == again.state.tobytes()
        assert decision.step(None) == step_of(decision.move, before, again.view(None))
    assert all(one.after is other.before for one, other in pairwise(decisions))


def test_decisions_can_be_read_while_the_game_goes_on() -> None:
    game = random_game(Options(), 8, 10)
    decisions = game.decisions()
    first = next(decisions)
    game.undo()
    assert len(list(decisions)) == 9
    assert first.after.view(0) == next(game.decisions(since=1)).before.view(0)
    assert list(Game("splendor", seed=1).decisions()) == list(game.decisions(since=99)) == []


def test_a_decision_shows_no_hidden_cards() -> None:
    game = Game("splendor", players=3, seed=7)
    game.play("reserve 2")
    (decision,) = game.decisions()
    card = game.view(0).seats[0].reserved[0].card
    assert card is not None
    assert decision.step(0).card == card
    for viewer in (1, 2, None):
        assert decision.step(viewer).card is None
        assert decision.after.view(viewer).seats[0].reserved[0].card is None
    assert f"={card.number}" not in repr(decision)
    assert decision.after.open_view().seats[0].reserved[0].card == card


def test_a_position_is_not_changed_by_what_comes_after_it() -> None:
    game = Game("splendor", seed=7)
    position = game.position
    state = position.state.tobytes()
    after = position.after("reserve 2.3", position.after("reserve 2.3").legal_reveals[0])
    game.play("take wbg")
    assert (after.seat, after.phase) == (1, "act")
    assert position.state.tobytes() == state
    with pytest.raises(IllegalMoveError, match="no wild is in hand"):
        position.after("buy 3.1")
    with pytest.raises(IllegalRevealError, match="no reveal is due"):
        position.after("2.3=45")


@pytest.mark.parametrize("variant", ["splendor", "marvel"])
def test_a_price_agrees_with_the_legal_moves(variant: str) -> None:
    for decision in random_game(Options(variant, 3), 5).decisions():
        if decision.before.phase != "act":
            continue
        seat = decision.view.seats[decision.seat]
        places = {
            f"{level + 1}.{place + 1}": card
            for level in range(3)
            for place, card in enumerate(decision.view.market[level])
        }
        places |= {f"h{place}": held.card for place, held in enumerate(seat.reserved, start=1)}
        affordable = {place for place, card in places.items() if card and seat.price(card).is_affordable}
        assert affordable == {move.place for move in decision.view.legal_moves if move.kind == "buy"}
