"""The levels for people: how the gentle ones err, and how they do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from cabochon import Game
from cabochon.bots.conformance import check_bot
from cabochon.bots.learner import (
    AFFORDABLE_RESERVE,
    BLIND_RESERVE,
    FULL_HAND,
    MISSED_WIN,
    RESERVE_WITHOUT_WILD,
    USELESS_CARD,
    USELESS_TOKENS,
    WORSE_CARD,
    LearnerBot,
    blunders,
    kind_of,
    turns_of_three,
)
from cabochon.bots.protocol import Bot, BotError, Limit, answer_of, start
from cabochon.bots.specs import parse_spec
from cabochon.core.cards import CARD_LIST, COLOURS, SPLENDOR, TILE_LIST, VARIANTS
from cabochon.core.state import (
    ACT,
    BUY,
    NOTHING,
    PAY_DONE,
    RESERVE,
    RESERVE_BLIND,
    TAKE_TWO,
    WILD,
    State,
)
from cabochon.game import Options
from cabochon.view import View
from tests.bots.positions import WINS_IN_ONE, dealt

GENTLE = ("novice", "apprentice")
FIRST_TURNS = 5


def decisions(
    level: str, options: Options, seed: int, opponent: str | None = None, rounds: int = 1000
) -> Iterator[tuple[View, int, Game]]:
    """The level's decisions from seat 0, against itself or another bot: what it sees, its action and the game."""
    bots: list[Bot] = [parse_spec(level).make() for _ in range(options.players)]
    if opponent is not None:
        bots[1:] = [parse_spec(opponent).make() for _ in bots[1:]]
    for seat, bot in enumerate(bots):
        start(bot, seed + seat)
    game = Game(options, seed=seed)
    while not game.is_over and game.round <= rounds:
        seat = game.seat
        view = game.view(seat)
        move = answer_of(bots[seat].choose(view, Limit()), view).move
        game.play(move)
        if seat == 0:
            yield view, move.action, game


def test_a_learner_conforms() -> None:
    check_bot(lambda: LearnerBot(oversight=0.7, reserves=0.5, temperature=4), decisions=60)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("level", GENTLE)
def test_the_gentle_levels_seldom_reserve_in_their_first_turns(level: str, variant: str) -> None:
    kinds = [
        kind_of(action)
        for seed in range(12)
        for view, action, _ in decisions(level, Options(variant, 2), seed, rounds=FIRST_TURNS)
        if view.phase == "act"
    ]
    assert len(kinds) == 12 * FIRST_TURNS
    assert kinds.count("reserve") <= 0.15 * len(kinds)
    assert kinds.count("buy") >= 0.1 * len(kinds)


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3)])
@pytest.mark.parametrize("level", ["novice", "apprentice", "journeyman", "artisan", "expert"])
def test_no_level_makes_a_move_to_laugh_at(level: str, variant: str, players: int) -> None:
    for view, action, _ in decisions(level, Options(variant, players), seed=1):
        silly = blunders(view.state)
        legal = {move.action for move in view.legal_moves}
        assert action not in silly or legal <= silly.keys()


@pytest.mark.parametrize("variant", VARIANTS)
def test_novice_beats_random(variant: str) -> None:
    won = 0
    for seed in range(8):
        *_, (_, _, game) = decisions("novice", Options(variant, 2), seed, opponent="random")
        assert game.outcome is not None
        won += 0 in game.outcome.winners
    assert won >= 7


def test_a_learner_that_overlooks_nothing_plays_as_the_network_does() -> None:
    learner, policy = LearnerBot(oversight=0, reserves=1, temperature=0), parse_spec("policy").make()
    compared = 0
    for view, _, _ in decisions("policy", Options("splendor", 2), seed=3):
        expected = answer_of(policy.choose(view, Limit()), view).move
        if expected.action not in blunders(view.state):
            assert learner.choose(view, Limit()).move == expected
            compared += 1
    assert compared > 15


def test_a_learner_does_not_act_on_what_it_overlooks() -> None:
    learner = LearnerBot(oversight=1, reserves=1, temperature=100)
    for seed in range(10):
        view = Game("splendor", seed=seed).view(0)  # nobody can buy yet, so no card is noticed and none is reserved
        assert kind_of(learner.choose(view, Limit()).move.action) == "take"


def test_a_learner_pays_by_default() -> None:
    game = Game("splendor", seed=0)
    for text in ("take wbg", "take wbg"):
        game.play(text)
    state = game._state
    state.tokens[0] = 2
    buy = next(move for move in game.view(0).legal_moves if BUY <= move.action < RESERVE)
    game.play(buy)
    assert game.phase == "pay"
    assert LearnerBot().choose(game.view(0), Limit()).move.action == PAY_DONE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learner:oversight=1.5", "expected oversight to be from 0 to 1, got 1.5"),
        ("learner:reserves=-1", "expected reserves to be from 0 to 1, got -1"),
        ("learner:temperature=inf", "expected a temperature of 0 or more, got inf"),
        ("learner:temperature=nan", "expected a temperature of 0 or more, got nan"),
        ("learner:oversight=much", "expected oversight to be from 0 to 1, got 'much'"),
    ],
)
def test_a_parameter_out_of_range_is_refused(text: str, message: str) -> None:
    with pytest.raises(BotError, match=message):
        parse_spec(text)


@pytest.mark.parametrize(
    ("missing", "wilds", "turns"),
    [
        ((0, 0, 0, 0, 0), 0, 0),
        ((1, 1, 1, 0, 0), 0, 1),
        ((1, 1, 1, 1, 0), 0, 2),
        ((1, 1, 1, 1, 0), 1, 1),
        ((2, 0, 0, 0, 0), 0, 2),
        ((7, 0, 0, 0, 0), 3, 4),
    ],
)
def test_turns_away(missing: tuple[int, ...], wilds: int, turns: int) -> None:
    assert turns_of_three(np.array([missing]), wilds).tolist() == [turns]


@pytest.mark.parametrize("position", WINS_IN_ONE)
def test_anything_but_a_win_on_offer_is_a_blunder(position: Callable[[], tuple[State, set[int]]]) -> None:
    state, best = position()
    silly = blunders(state)
    assert not best & silly.keys()
    assert set(silly.values()) == {MISSED_WIN}
    assert RESERVE in silly


def _cards(*costs: tuple[int, ...]) -> list[int]:
    """The cards of Splendor with these costs and a white bonus."""
    return [
        next(i for i, card in enumerate(CARD_LIST[SPLENDOR]) if card.bonus == "white" and tuple(card.cost) == cost)
        for cost in costs
    ]


def _table(cards: list[int]) -> State:
    """A table of Splendor with these cards in the market and no tile."""
    state = dealt(SPLENDOR, 2)
    state.market[:] = NOTHING
    state.market[: len(cards)] = cards
    state.tiles[:] = NOTHING
    return state


def test_blunders_with_cards() -> None:
    state = _table(_cards((0, 3, 0, 0, 0), (0, 2, 0, 0, 2), (0, 0, 0, 0, 7)))
    state.tokens[0, :COLOURS] = 2, 3, 0, 0, 2
    assert {BUY, BUY + 1} <= blunders(state).keys()
    assert blunders(state)[BUY] == USELESS_CARD  # no points, and nothing needs its bonus
    state.tiles[0] = next(i for i, tile in enumerate(TILE_LIST[SPLENDOR]) if tile.needs[0] > 0)
    assert not {BUY, BUY + 1} & blunders(state).keys()
    assert blunders(state)[RESERVE] == AFFORDABLE_RESERVE
    assert blunders(state)[RESERVE_BLIND] == BLIND_RESERVE
    assert RESERVE + 2 not in blunders(state)
    state.bonuses[0, 1] = 3  # the first is free now, and the second is not
    assert blunders(state)[BUY + 1] == WORSE_CARD
    assert BUY not in blunders(state)
    state.supply[WILD] = 0
    assert blunders(state)[RESERVE + 2] == RESERVE_WITHOUT_WILD


def test_blunders_with_tokens() -> None:
    state = _table(_cards((0, 3, 0, 0, 0), (0, 0, 0, 0, 7)))
    state.tiles[0] = next(i for i, tile in enumerate(TILE_LIST[SPLENDOR]) if tile.needs[0] > 0)
    state.tokens[0, 1] = 1
    silly = blunders(state)
    assert TAKE_TWO + 1 not in silly
    # Black tokens are for a card that is far away, while another is near; nothing costs white.
    assert silly[TAKE_TWO] == silly[TAKE_TWO + 4] == USELESS_TOKENS
    state.tokens[0, 1] = 3
    assert TAKE_TWO + 4 not in blunders(state)
    state.tokens[0, 2] = 7
    assert blunders(state)[TAKE_TWO + 4] == FULL_HAND


def test_only_a_turn_can_be_a_blunder() -> None:
    state = dealt(SPLENDOR, 2)
    assert state.phase == ACT
    state.phase = ACT + 1
    assert blunders(state) == {}
