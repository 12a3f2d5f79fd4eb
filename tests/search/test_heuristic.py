from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import legal_actions_in_view
from cabochon.core.random import random_below
from cabochon.core.rules import has_won, legal_actions, play_action
from cabochon.core.state import ACTIONS, NOTHING, OVER, RESERVE_BLIND, UNKNOWN, State
from cabochon.search.heuristic import FEATURE_NAMES, FEATURES, heuristic_weights, seat_features, seat_score
from tests.bots.positions import (
    THREATS,
    WINS_IN_ONE,
    dealt,
    new_stream,
    play_out,
    view_of,
    with_a_blind_reserve,
)
from tests.search.evaluating import BUFFERS, greedy


def random_bot(seed: int) -> Callable[[State], int]:
    stream = new_stream(seed)
    actions = np.zeros(ACTIONS, np.int64)

    def answer(view: State) -> int:
        count = legal_actions_in_view(view, COMPONENTS[int(view.variant)], actions)
        return int(actions[random_below(stream, count)])

    return answer


@pytest.mark.parametrize("position", WINS_IN_ONE, ids=lambda position: position.__name__)
def test_takes_the_win_when_it_is_there(position: Callable[[], tuple[State, set[int]]]) -> None:
    state, best = position()
    assert greedy(view_of(state, int(state.seat))) in best


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_beats_random_play(variant: int) -> None:
    won = 0
    for game in range(20):
        state = dealt(variant, 2, seed=game)
        seat = game % 2
        bots = [greedy, random_bot(game)] if seat == 0 else [random_bot(game), greedy]
        play_out(state, bots, seed=1000 + game)
        won += bool(has_won(state, COMPONENTS[variant], seat))
    assert won >= 19


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_plays_legal_actions_to_the_end(variant: int, players: int) -> None:
    state = dealt(variant, players)
    actions = np.zeros(ACTIONS, np.int64)
    components = COMPONENTS[variant]

    def checked(view: State) -> int:
        action = greedy(view)
        assert action in actions[: legal_actions(state, components, actions)]
        return action

    play_out(state, [checked] * players, seed=3)


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_values_are_chances_that_add_up_to_one(variant: int) -> None:
    state = dealt(variant, 3)
    greedy(state)
    count = legal_actions(state, COMPONENTS[variant], np.zeros(ACTIONS, np.int64))
    assert np.allclose(BUFFERS.values[:count, :3].sum(axis=1), 1.0)


def test_does_not_change_the_view() -> None:
    for position in (*WINS_IN_ONE, *THREATS):
        state, _ = position()
        before = state.tobytes()
        greedy(state)
        assert state.tobytes() == before


@pytest.mark.parametrize("players", [2, 3, 4])
def test_does_not_depend_on_hidden_cards(players: int) -> None:
    first, second = with_a_blind_reserve(SPLENDOR, players)
    assert greedy(view_of(first, 0)) == greedy(view_of(second, 0))


def test_a_deck_that_holds_only_unknown_reserves_is_empty() -> None:
    state, _ = with_a_blind_reserve(SPLENDOR, 2)
    state.deck[1] = 0
    view = view_of(state, 0)
    assert int(view.deck[1]) != 0
    assert view.hand[1, 0] == UNKNOWN - 1
    actions = np.full(ACTIONS, NOTHING, np.int64)
    count = legal_actions_in_view(view, COMPONENTS[SPLENDOR], actions)
    legal = set(actions[:count].tolist())
    assert RESERVE_BLIND + 1 not in legal
    assert {RESERVE_BLIND, RESERVE_BLIND + 2} <= legal


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_scores_are_summed_in_one_order(variant: int) -> None:
    """To the last bit: wherever and however it is compiled, equal seeds give equal games."""
    components, weights = COMPONENTS[variant], heuristic_weights(variant)
    state, stream = dealt(variant, 2), new_stream(3)
    actions, features = np.zeros(ACTIONS, np.int64), np.zeros(FEATURES, np.float32)
    positions = 0
    while state.phase != OVER:
        for seat in range(2):
            seat_features(state, components, seat, features)
            expected = np.float32(0)
            for feature, weight in zip(features, weights, strict=True):
                expected += feature * weight
            assert seat_score(state, components, weights, features, seat) == expected
        legal_actions(state, components, actions)
        play_action(state, components, int(actions[0]), stream)
        positions += 1
    assert positions > 40


def test_every_feature_has_its_own_name_and_a_weight() -> None:
    assert len(set(FEATURE_NAMES)) == FEATURES
    for variant in (SPLENDOR, MARVEL):
        assert heuristic_weights(variant).shape == (FEATURES,)
