"""The model in PyTorch: it computes what the compiled network does, and takes over other networks."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from cabochon.core.cards import SPLENDOR
from cabochon.core.observation import observation_size
from cabochon.core.state import ACTIONS
from cabochon.nn.encoding import encoding_for
from cabochon.nn.network import Network
from cabochon.train.model import Model
from tests.bots.weights import random_network
from tests.nn.test_transformer import forward, observations


def changed(model: Model, seed: int) -> Model:
    """The model with all weights changed: at first a block passes on its input."""
    model.initialize(seed)
    generator = torch.Generator().manual_seed(seed)
    model.vector += 0.2 * torch.randn(model.vector.shape, generator=generator)
    return model


@pytest.mark.parametrize("players", [2, 4])
def test_the_model_and_the_compiled_network_compute_the_same(players: int) -> None:
    rows = observations("splendor", players, 9)
    features = np.append(rows, np.zeros((9, 1), np.int8), axis=1)[:, encoding_for(players).features]
    is_present = (features != 0).sum(axis=2)[:, encoding_for(players).output_entities] > 0
    layers = random_network(players)
    model = Model(players, layers[0][0].shape[1], 2, "cpu")
    model.load_layers(layers, players)
    logits = forward(Network.from_layers(SPLENDOR, players, layers, {}), rows)
    with torch.no_grad():
        expected = torch.cat(model.forward(torch.from_numpy(rows), model.prepare()), 1).numpy()
    assert logits.shape == (9, ACTIONS + players)
    assert (logits - expected)[is_present].std() < 0.03 * expected.std()


def test_a_model_can_take_over_its_own_layers() -> None:
    model, other = changed(Model(3, 16, 2, "cpu"), 1), Model(3, 16, 2, "cpu")
    other.load_layers(model.layers(), 3)
    assert torch.equal(model.vector, other.vector)


def test_a_model_with_more_blocks_computes_what_it_took_over_and_can_learn_with_them() -> None:
    small, large = changed(Model(2, 16, 1, "cpu"), 1), Model(2, 16, 3, "cpu")
    large.initialize(2)
    large.load_layers(small.layers(), 2)
    rows = torch.from_numpy(observations("marvel", 2, 20))
    expected, found = (torch.cat(model.forward(rows, model.prepare()), 1) for model in (small, large))
    torch.testing.assert_close(expected, found)
    found.square().sum().backward()
    last_block = large.parameters[-10:-2]
    assert (last_block[2].grad != 0).any()
    assert (last_block[6].grad != 0).any()


def test_a_network_for_fewer_players_takes_all_others_for_the_next_one() -> None:
    small, large = changed(Model(2, 16, 2, "cpu"), 1), Model(4, 16, 2, "cpu")
    large.load_layers(small.layers(), 2)
    rows = torch.from_numpy(observations("splendor", 2, 6))
    longer = torch.zeros((6, observation_size(4)), dtype=torch.int8)
    longer[:, : rows.shape[1]] = rows
    # Seats that do not exist have no entities, and no features at others.
    expected, _ = small.forward(rows, small.prepare())
    found, seats = large.forward(longer, large.prepare())
    torch.testing.assert_close(expected, found)
    assert seats.shape == (6, 4)
    block = observation_size(3) - observation_size(2)
    start = observation_size(2) - block
    swapped = longer.clone()
    swapped[:, start + block : start + 2 * block] = longer[:, start : start + block]
    swapped[:, start : start + block] = 0
    torch.testing.assert_close(large.forward(swapped, large.prepare())[0], found)
