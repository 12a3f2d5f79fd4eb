"""The learner: advantages of several seats, exact resuming, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cabochon.core.cards import VARIANTS
from cabochon.nn.weights import from_matrices
from cabochon.train.learner import advantages
from cabochon.train.ppo import PolicyLearner, PolicySettings

SMALL = PolicySettings(games=64, steps=8, minibatch=256, width=16, blocks=1)


def test_advantages_follow_every_seat_to_the_end_of_its_game() -> None:
    values = torch.tensor([[0.5, 0.5], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]).unsqueeze(1)
    ends = torch.tensor([[False], [True], [False]])
    shares = torch.tensor([[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]]).unsqueeze(1)
    found = advantages(values, ends, shares, 0.5).squeeze(1)
    # At the end of the first game, then one step before it; then a step of the next game, which goes on.
    end = 1.0 - 0.6
    before = 0.6 - 0.5 + 0.5 * end
    later = 0.2 - 0.7
    assert found[:, 0].tolist() == pytest.approx([before, end, later])
    assert found[:, 1].tolist() == pytest.approx([-before, -end, -later])


def test_unsmoothed_advantages_are_the_outcome_less_the_value() -> None:
    generator = torch.Generator().manual_seed(1)
    values = torch.rand((6, 4, 3), generator=generator)
    ends = torch.zeros((5, 4), dtype=torch.bool)
    ends[4] = True
    shares = torch.zeros((5, 4, 3))
    shares[4, :, 1] = 1
    torch.testing.assert_close(advantages(values, ends, shares, 1.0), shares[4] - values[:5])


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3), ("splendor", 4)])
def test_a_rollout_keeps_what_was_played(variant: str, players: int) -> None:
    learner = PolicyLearner(variant, players, SMALL, "cpu", 1)
    learner.advance(0.0)
    assert learner.masks.gather(-1, learner.actions.unsqueeze(-1)).all()
    assert (learner.seats < players).all()
    torch.testing.assert_close(learner.values.sum(-1), torch.ones(SMALL.steps + 1, SMALL.games))
    torch.testing.assert_close(learner.targets.sum(-1), torch.ones(SMALL.steps, SMALL.games))
    assert learner.measured()["entropy"] > 0


@pytest.mark.parametrize("players", [2, 3])
def test_the_value_of_a_seat_comes_from_the_view_of_whoever_decides(players: int) -> None:
    learner = PolicyLearner("marvel", players, SMALL, "cpu", 2)
    last = learner.model.parameters[-2].data
    last.copy_(4 * torch.randn(last.shape, generator=torch.Generator().manual_seed(1)))
    with torch.no_grad():
        learner._roll_out()
    network = from_matrices(VARIANTS.index("marvel"), players, learner.model.matrices(), {})
    state = learner.batch.states[5]
    values = network.think(state)[2]
    assert np.ptp(values) > 0.1
    np.testing.assert_allclose(learner.values[SMALL.steps, 5].numpy(), values, atol=0.03)  # nearly, on whole numbers


def test_a_restored_learner_goes_on_exactly() -> None:
    learner = PolicyLearner("splendor", 2, SMALL, "cpu", 3)
    learner.advance(0.0)
    kept = learner.state()
    learner.advance(0.5)
    other = PolicyLearner("splendor", 2, SMALL, "cpu", 4)
    other.restore(kept)
    other.advance(0.5)
    expected, found = learner.state(), other.state()
    assert torch.equal(expected["vector"], found["vector"])
    assert torch.equal(expected["optimizer"]["squares"], found["optimizer"]["squares"])
    assert all(torch.equal(expected["games"][name], found["games"][name]) for name in expected["games"])
