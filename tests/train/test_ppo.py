"""PPO: advantages of several seats, what a rollout stores, and exact resuming."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cabochon.core.cards import VARIANTS
from cabochon.nn.network import Network
from cabochon.train.options import TrainingOptions
from cabochon.train.ppo import PPOLearner
from cabochon.train.self_play import generalized_advantages

SMALL = TrainingOptions(Path(), games=64, steps=8, minibatch=256, width=16, blocks=1)


def test_advantages_follow_every_seat_to_the_end_of_its_game() -> None:
    values = torch.tensor([[0.5, 0.5], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]).unsqueeze(1)
    dones = torch.tensor([[False], [True], [False]])
    outcomes = torch.tensor([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]).unsqueeze(1)
    found = generalized_advantages(values, dones, outcomes, 0.5).squeeze(1)
    # At the end of the first game, then one step before it; then a step of the next game, which goes on.
    end = 1.0 - 0.6
    before = 0.6 - 0.5 + 0.5 * end
    later = 0.2 - 0.7
    assert found[:, 0].tolist() == pytest.approx([before, end, later])
    assert found[:, 1].tolist() == pytest.approx([-before, -end, -later])


def test_unsmoothed_advantages_are_the_outcome_less_the_value() -> None:
    generator = torch.Generator().manual_seed(1)
    values = torch.rand((6, 4, 3), generator=generator)
    dones = torch.zeros((5, 4), dtype=torch.bool)
    dones[4] = True
    outcomes = torch.zeros((5, 4, 3))
    outcomes[4, :, 1] = 1
    torch.testing.assert_close(generalized_advantages(values, dones, outcomes, 1.0), outcomes[4] - values[:5])


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3), ("splendor", 4)])
def test_a_rollout_stores_what_was_played(variant: str, players: int) -> None:
    learner = PPOLearner(replace(SMALL, game=variant, players=players, seed=1))
    learner.advance(0.0)
    assert learner.masks.gather(-1, learner.actions.unsqueeze(-1)).all()
    assert (learner.seats < players).all()
    torch.testing.assert_close(learner.values.sum(-1), torch.ones(SMALL.steps + 1, SMALL.games))
    torch.testing.assert_close(learner.targets.sum(-1), torch.ones(SMALL.steps, SMALL.games))
    assert learner.mean_metrics()["entropy"] > 0


@pytest.mark.parametrize("players", [2, 3])
def test_the_value_of_a_seat_comes_from_the_view_of_whoever_decides(players: int) -> None:
    learner = PPOLearner(replace(SMALL, game="marvel", players=players, seed=2))
    last = learner.model.parameters[-2].data
    last.copy_(4 * torch.randn(last.shape, generator=torch.Generator().manual_seed(1)))
    with torch.no_grad():
        learner._roll_out()
    network = Network.from_layers(VARIANTS.index("marvel"), players, learner.model.layers(), {})
    state = learner.batch.states[5]
    values = network.evaluate(state)[2]
    assert np.ptp(values) > 0.1
    np.testing.assert_allclose(learner.values[SMALL.steps, 5].numpy(), values, atol=0.03)  # up to quantization


def test_a_restored_learner_continues_exactly() -> None:
    learner = PPOLearner(replace(SMALL, seed=3))
    learner.advance(0.0)
    kept = learner.state()
    learner.advance(0.5)
    other = PPOLearner(replace(SMALL, seed=4))
    other.restore(kept)
    other.advance(0.5)
    expected, found = learner.state(), other.state()
    assert torch.equal(expected["vector"], found["vector"])
    assert torch.equal(expected["optimizer"]["squares"], found["optimizer"]["squares"])
    games, others = expected["own"]["games"], found["own"]["games"]
    assert all(torch.equal(games[name], others[name]) for name in games)
