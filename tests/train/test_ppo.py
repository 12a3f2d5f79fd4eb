"""The learner: advantages of several seats, exact resuming, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cabochon.bots.network import from_matrices
from cabochon.core.cards import VARIANTS
from cabochon.train.learner import advantages
from cabochon.train.model import Model
from cabochon.train.ppo import PolicyLearner, PolicySettings

SMALL = PolicySettings(games=64, steps=8, minibatch=256, width=16, hidden_layers=2)


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
    biases = learner.model.parameters[-1].data
    biases.copy_(torch.randn(len(biases), generator=torch.Generator().manual_seed(1)))
    with torch.no_grad():
        learner._roll_out()
    network = from_matrices(VARIANTS.index("marvel"), players, learner.model.matrices(), {})
    state = learner.batch.states[5]
    values = network.think(state)[2]
    assert np.ptp(values) > 0.1
    np.testing.assert_allclose(learner.values[SMALL.steps, 5].numpy(), values, atol=0.003)  # nearly, on whole numbers


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


def test_a_model_takes_over_a_network_for_fewer_players() -> None:
    small, large = Model(2, 16, 2, "cpu"), Model(4, 16, 2, "cpu")
    small.begin(1)
    large.put(small.matrices())
    row = torch.randint(0, 3, (5, small.sizes[0]), dtype=torch.int8)
    longer = torch.zeros((5, large.sizes[0]), dtype=torch.int8)
    longer[:, : small.sizes[0]] = row
    expected, _ = small.outputs(row, small.prepared())
    found, seats = large.outputs(longer, large.prepared())
    torch.testing.assert_close(expected, found)
    assert seats.shape == (5, 4)


@pytest.mark.parametrize("layers", [3, 5])
def test_a_larger_model_computes_what_a_small_one_did_and_learns_with_its_new_units(layers: int) -> None:
    narrow, wide = Model(2, 16, 3, "cpu"), Model(2, 24, layers, "cpu")
    narrow.begin(1)
    wide.begin(2)
    wide.put(narrow.matrices())
    rows = torch.randint(0, 3, (50, narrow.sizes[0]), dtype=torch.int8)
    for expected, found in zip(
        narrow.outputs(rows, narrow.prepared()), wide.outputs(rows, wide.prepared()), strict=True
    ):
        torch.testing.assert_close(expected, found)
    wide.outputs(rows, wide.prepared())[0].square().sum().backward()
    assert (wide.parameters[-2].grad[:, 16:] != 0).any(0).sum() > 4  # of 8; some may be silent for all of the rows
