from __future__ import annotations

import numpy as np
import pytest

from cabochon.bots.evaluation import (
    CACHE_LINE,
    FEATURES,
    WEIGHTS_DTYPE,
    Weights,
    _compiled_hidden_score,
    _interpreted_hidden_score,
    greedy_weights,
    network_weights,
    new_scratch,
    new_weights,
    seat_features,
    seat_score,
)
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import legal_actions, play_action
from cabochon.core.state import ACTIONS, OVER, Array
from tests.bots.positions import dealt, new_stream


def score_in_order(features: Array, weights: Weights) -> float:
    """The score with every operation rounded to float32, in the one order that it is meant to have."""
    linear = np.float32(0)
    activity = weights.hidden_bias.copy()
    for index in range(FEATURES):
        linear += features[index] * weights.linear[index]
        activity += features[index] * weights.hidden[index]
    parts = np.maximum(activity, 0) * weights.output
    for half in (16, 8, 4, 2, 1):
        parts = parts[:half] + parts[half:]
    return float(linear) + float(parts[0]) * int(weights.has_hidden)


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_scores_are_summed_in_one_order(variant: int) -> None:
    """To the last bit: whatever a process compiles or loads, and wherever it runs, equal seeds give equal games."""
    components = COMPONENTS[variant]
    state, stream, scratch = dealt(variant, 2), new_stream(3), new_scratch()
    actions = np.zeros(ACTIONS, np.int64)
    positions = 0
    while state.phase != OVER:
        for seat in range(2):
            seat_features(state, components, seat, scratch.features)
            for weights in (greedy_weights(variant), network_weights(variant, 2)):
                expected = score_in_order(scratch.features, weights)
                assert seat_score(state, components, weights, scratch, seat) == expected
        legal_actions(state, components, actions)
        play_action(state, components, int(actions[0]), stream)
        positions += 1
    assert positions > 40


def test_the_hidden_layer_is_the_same_interpreted_and_compiled() -> None:
    generator = np.random.default_rng(5)
    for _ in range(100):
        features = generator.normal(0, 1, FEATURES).astype(np.float32)
        weights = network_weights(SPLENDOR, 2)
        assert _compiled_hidden_score(features, weights) == _interpreted_hidden_score(features, weights)


def test_weights_fill_cache_lines_of_their_own() -> None:
    assert WEIGHTS_DTYPE.itemsize % CACHE_LINE == 0
    assert all(new_weights(count).ctypes.data % CACHE_LINE == 0 for count in (1, 2, 3))
    assert network_weights(MARVEL, 3).hidden.ctypes.data % CACHE_LINE == 0
