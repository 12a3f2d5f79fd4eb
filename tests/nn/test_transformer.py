"""The transformer: the entities that it sees, and its compiled forward pass."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from cabochon import Game
from cabochon.core.cards import MARVEL, SPLENDOR, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.observation import Observation, observation_scales, observation_size, observe, parts_of
from cabochon.core.state import ACTIONS, BUY, BUY_HAND, RESERVE, Array
from cabochon.nn import transformer
from cabochon.nn.encoding import encoding_for
from cabochon.nn.network import Network
from tests.bots.weights import Layers, random_network


def observations(variant: str, players: int, rows: int) -> Array:
    """Observations [rows, features] of a random game."""
    game = Game(variant, players=players, seed=rows)
    choice = np.random.default_rng(rows)
    found = np.zeros((rows, observation_size(players)), np.int8)
    for row in found:
        for _ in range(3):
            game.play(game.legal_moves[choice.integers(len(game.legal_moves))])
        observe(game.view(game.seat).state, COMPONENTS[VARIANTS.index(variant)], game.seat, Observation(row))
    return found


def exact_logits(layers: Layers, features: Array, players: int) -> Array:
    """The logits of the network, by NumPy in float64; 0 at absent entities."""
    encoding = encoding_for(players)
    scaled = np.append(features * observation_scales(players).astype(np.float64), np.zeros((len(features), 1)), axis=1)
    logits = np.zeros((len(features), ACTIONS + players))
    for into, row in zip(logits, scaled, strict=True):
        table = row[encoding.features]
        present = np.flatnonzero(table.any(axis=1))
        (embedding, type_embedding), *blocks, (head, head_biases) = layers
        x = table[present] @ embedding + type_embedding[encoding.types[present]]
        width = embedding.shape[1]
        for start in range(0, len(blocks), transformer.LINEARS_PER_BLOCK):
            qkv, proj, fc1, fc2 = blocks[start : start + transformer.LINEARS_PER_BLOCK]
            packed = rms_norm(x) @ qkv[0] + qkv[1]
            query, key, value = packed.reshape(len(present), 3, transformer.HEADS, -1).transpose(1, 2, 0, 3)
            weights = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(width / transformer.HEADS))
            attended = (weights / weights.sum(axis=2, keepdims=True)) @ value
            x = x + attended.transpose(1, 0, 2).reshape(len(present), width) @ proj[0] + proj[1]
            x = x + np.maximum(rms_norm(x) @ fc1[0] + fc1[1], 0) @ fc2[0] + fc2[1]
        outputs = np.zeros((len(table), head.shape[1]))
        outputs[present] = rms_norm(x) @ head + head_biases
        into[:] = outputs[encoding.output_entities, encoding.output_columns]
    return logits


def rms_norm(x: Array) -> Array:
    lengths: Array = np.sqrt((x**2).mean(axis=1, keepdims=True) + transformer.NORM_EPSILON)
    return x / lengths


def forward(network: Network, rows: Array) -> Array:
    """The logits of observations."""
    buffers = network.new_buffers(len(rows))
    buffers.observations[:] = rows
    transformer.forward(network.transformer, buffers, len(rows))
    return buffers.logits


@pytest.mark.parametrize("players", [2, 3, 4])
def test_entities_have_all_of_the_observation_but_payments(players: int) -> None:
    encoding = encoding_for(players)
    shown = set(encoding.features.ravel().tolist())
    missing = [part.name for part in parts_of(players) if part.start not in shown]
    assert missing == ["wilds_chosen"]
    assert len(shown - {observation_size(players)}) == observation_size(players) - 5
    assert len(encoding.types) == 15 + 3 * (players - 1) + 5 + players + 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_scores_of_a_card_are_read_at_its_entity(variant: str) -> None:
    encoding = encoding_for(2)
    row = observations(variant, 2, 3)[-1]
    for card in range(12):
        features = dict(zip(encoding.columns, np.append(row, 0)[encoding.features[card]], strict=True))
        assert features["card points 0"] == row[next(p.start for p in parts_of(2) if p.name == "card_points") + card]
        assert encoding.type_names[encoding.types[card]] == f"level {card // 4}"
        for action in (BUY, RESERVE):
            assert encoding.output_entities[action + card] == card
    assert [int(encoding.output_entities[BUY_HAND + place]) for place in range(3)] == [12, 13, 14]
    assert (
        len(set(encoding.output_columns[encoding.output_entities == len(encoding.types) - 1])) == encoding.outputs - 4
    )


# The arithmetic of other processors is proved equal to this one's in test_network.py.
@pytest.mark.parametrize("rows", [1, 7, 8, 19])
@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3), ("splendor", 4)])
def test_a_batch_of_any_size_is_close_to_the_exact_network(rows: int, variant: str, players: int) -> None:
    layers = random_network(players)
    features = observations(variant, players, rows)
    logits = forward(Network.from_layers(VARIANTS.index(variant), players, layers, {}), features)
    expected = exact_logits(layers, features, players)
    np.testing.assert_array_equal(logits == 0, expected == 0)
    assert (logits - expected).std() < 0.03 * expected.std()


def test_a_head_may_be_wider_than_a_tile() -> None:
    layers = random_network(2, width=256, blocks=1)
    features = observations("splendor", 2, 2)
    logits = forward(Network.from_layers(SPLENDOR, 2, layers, {}), features)
    expected = exact_logits(layers, features, 2)
    assert (logits - expected).std() < 0.03 * expected.std()


def test_a_position_is_the_same_alone_and_among_others() -> None:
    network = Network.from_layers(MARVEL, 3, random_network(3), {})
    rows = observations("marvel", 3, 9)
    for row, expected in zip(rows, forward(network, rows), strict=True):
        np.testing.assert_array_equal(forward(network, row[None])[0], expected)


def test_exp_is_right_for_large_and_small_scores() -> None:
    scores = np.linspace(-70, 70, 1001).astype(np.float32)
    found = scores.copy()
    transformer._exp(found, np.float32(1))
    np.testing.assert_allclose(found, np.exp(np.clip(scores, -60, 60).astype(np.float64)), rtol=2e-5)


def test_a_temperature_flattens_the_policy() -> None:
    logits = np.array([3.0, -1.0, 2.0, 9.0])
    actions = np.array([0, 1, 2])
    policy, flat = np.zeros(3), np.zeros(3)
    transformer.policy_softmax(logits, actions, 3, 1.0, policy)
    transformer.policy_softmax(logits, actions, 3, 2.0, flat)
    np.testing.assert_allclose(policy, np.exp([3, -1, 2]) / np.exp([3, -1, 2]).sum())
    np.testing.assert_allclose(flat, np.sqrt(policy) / np.sqrt(policy).sum())


def digest_of_logits(features: Array) -> str:
    """A hash of what a small network computes for positions of four players."""
    network = Network.from_layers(SPLENDOR, 4, random_network(4, width=128, blocks=1), {})
    return hashlib.sha256(forward(network, features).tobytes()).hexdigest()
