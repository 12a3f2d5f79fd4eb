"""The evaluators: what they fill in, and that the rows of a batch do not affect each other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cabochon.core.canonical import canonicalize
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import legal_actions_in_view
from cabochon.core.rules import legal_actions, play_action
from cabochon.core.state import ACTIONS
from cabochon.nn.network import shipped_network
from cabochon.search.evaluators import (
    EvaluationBatch,
    Evaluator,
    HeuristicEvaluator,
    NetworkEvaluator,
    new_batch,
)
from tests.bots.positions import dealt, new_stream, view_of

EVERY_SETTING = [(variant, players) for variant in range(len(VARIANTS)) for players in (2, 3, 4)]
ROWS = 6

NEW_EVALUATORS: list[Callable[[int, int], Evaluator]] = [
    lambda variant, players: HeuristicEvaluator(variant),
    lambda variant, players: NetworkEvaluator(shipped_network(variant, players), ROWS),
]


def batch_of_positions(variant: int, players: int) -> EvaluationBatch:
    """Views of a random game, one every few decisions."""
    batch = new_batch(ROWS)
    state, stream, generator = dealt(variant, players, seed=7), new_stream(3), np.random.default_rng(1)
    actions = np.zeros(ACTIONS, np.int64)
    for row in range(ROWS):
        for _ in range(5 * row):
            count = legal_actions(state, COMPONENTS[variant], actions)
            play_action(state, COMPONENTS[variant], int(actions[generator.integers(count)]), stream)
        batch.states[row] = view_of(state, int(state.seat))
        canonicalize(batch.states[row])
        batch.counts[row] = legal_actions_in_view(batch.states[row], COMPONENTS[variant], batch.actions[row])
    return batch


@pytest.mark.parametrize("new_evaluator", NEW_EVALUATORS, ids=["heuristic", "network"])
@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_priors_and_values_add_up_to_one_and_rows_are_independent(
    variant: int, players: int, new_evaluator: Callable[[int, int], Evaluator]
) -> None:
    evaluator, batch = new_evaluator(variant, players), batch_of_positions(variant, players)
    inputs = [rows.copy() for rows in batch[:3]]
    evaluator.evaluate(batch)
    assert all((rows == before).all() for rows, before in zip(batch[:3], inputs, strict=True))
    for row in range(ROWS):
        assert batch.priors[row, : batch.counts[row]].sum() == pytest.approx(1, abs=1e-5)
        assert batch.values[row, :players].sum() == pytest.approx(1)
        assert not batch.values[row, players:].any()
        alone = new_batch(1)
        for name, rows in zip(("states", "counts", "actions"), batch, strict=False):
            getattr(alone, name)[0] = rows[row]
        evaluator.evaluate(alone)
        assert np.array_equal(alone.priors[0, : batch.counts[row]], batch.priors[row, : batch.counts[row]])
        assert np.array_equal(alone.values[0], batch.values[row])


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_the_network_evaluator_gives_what_the_network_gives(variant: int, players: int) -> None:
    batch, network = batch_of_positions(variant, players), shipped_network(variant, players)
    NetworkEvaluator(network, ROWS, prior_temperature=1.0).evaluate(batch)
    for row in range(ROWS):
        actions, policy, values = network.evaluate(batch.states[row])
        assert batch.actions[row, : batch.counts[row]].tolist() == actions.tolist()
        np.testing.assert_allclose(batch.priors[row, : len(actions)], policy, atol=1e-6)
        np.testing.assert_allclose(batch.values[row, :players], values, atol=1e-6)


def test_a_higher_temperature_makes_priors_flatter() -> None:
    batch, network = batch_of_positions(0, 2), shipped_network(0, 2)
    NetworkEvaluator(network, ROWS, prior_temperature=1.0).evaluate(batch)
    sharp = batch.priors.copy()
    NetworkEvaluator(network, ROWS, prior_temperature=2.5).evaluate(batch)
    assert (batch.priors.max(axis=1) < sharp.max(axis=1)).all()
