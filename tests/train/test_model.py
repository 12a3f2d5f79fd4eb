"""The network in PyTorch: that it computes what play does, and takes over others."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cabochon.core.cards import SPLENDOR
from cabochon.core.observation import observation_size
from cabochon.core.state import ACTIONS
from cabochon.nn.encoding import pieces_of
from cabochon.nn.transformer import evaluate
from cabochon.nn.weights import from_matrices
from cabochon.train.model import Model
from tests.bots.weights import random_network
from tests.nn.test_transformer import observations


def changed(model: Model, seed: int) -> Model:
    """The model with no weight where it began: at first a block hands on what it gets."""
    model.begin(seed)
    generator = torch.Generator().manual_seed(seed)
    model.vector += 0.2 * torch.randn(model.vector.shape, generator=generator)
    return model


@pytest.mark.parametrize("players", [2, 4])
def test_learning_and_play_compute_the_same(players: int) -> None:
    rows = observations("splendor", players, 9)
    features = np.append(rows, np.zeros((9, 1), np.int8), axis=1)[:, pieces_of(players).features]
    is_said = (features != 0).sum(axis=2)[:, pieces_of(players).output_pieces] > 0
    matrices = random_network(players)
    model = Model(players, matrices[0][0].shape[1], 2, "cpu")
    model.put(matrices, players)
    network = from_matrices(SPLENDOR, players, matrices, {})
    sight = network.new_sight(9)
    sight.features[:] = rows
    evaluate(network.attention, sight, 9)
    with torch.no_grad():
        expected = torch.cat(model.outputs(torch.from_numpy(rows), model.prepared()), 1).numpy()
    assert sight.outputs.shape == (9, ACTIONS + players)
    assert (sight.outputs - expected)[is_said].std() < 0.03 * expected.std()


def test_what_a_model_gives_out_as_layers_it_can_take_over() -> None:
    model, other = changed(Model(3, 16, 2, "cpu"), 1), Model(3, 16, 2, "cpu")
    other.put(model.matrices(), 3)
    assert torch.equal(model.vector, other.vector)


def test_a_model_with_more_blocks_computes_what_it_took_over_and_can_learn_with_them() -> None:
    small, large = changed(Model(2, 16, 1, "cpu"), 1), Model(2, 16, 3, "cpu")
    large.begin(2)
    large.put(small.matrices(), 2)
    rows = torch.from_numpy(observations("marvel", 2, 20))
    expected, found = (torch.cat(model.outputs(rows, model.prepared()), 1) for model in (small, large))
    torch.testing.assert_close(expected, found)
    found.square().sum().backward()
    last_block = large.parameters[-10:-2]
    assert (last_block[2].grad != 0).any()
    assert (last_block[6].grad != 0).any()


def test_a_network_for_fewer_players_takes_all_others_for_the_next_one() -> None:
    small, large = changed(Model(2, 16, 2, "cpu"), 1), Model(4, 16, 2, "cpu")
    large.put(small.matrices(), 2)
    rows = torch.from_numpy(observations("splendor", 2, 6))
    longer = torch.zeros((6, observation_size(4)), dtype=torch.int8)
    longer[:, : rows.shape[1]] = rows
    # Seats that are not there have no pieces, and are nothing to anyone.
    expected, _ = small.outputs(rows, small.prepared())
    found, seats = large.outputs(longer, large.prepared())
    torch.testing.assert_close(expected, found)
    assert seats.shape == (6, 4)
    block = observation_size(3) - observation_size(2)
    start = observation_size(2) - block
    swapped = longer.clone()
    swapped[:, start + block : start + 2 * block] = longer[:, start : start + block]
    swapped[:, start : start + block] = 0
    torch.testing.assert_close(large.outputs(swapped, large.prepared())[0], found)
