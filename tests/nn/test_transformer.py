"""Networks with attention: the pieces on the table, and their compiled evaluation."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from cabochon import Game
from cabochon.core.cards import MARVEL, SPLENDOR, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.observation import Observation, observation_scales, observation_size, observe, parts_of
from cabochon.core.state import ACTIONS, BUY, BUY_HAND, RESERVE, Array
from cabochon.nn import gemm, transformer
from cabochon.nn import weights as networks
from cabochon.nn.encoding import pieces_of
from tests.bots.weights import Matrices, random_network

ARITHMETICS = dict.fromkeys((gemm.FLOATS, gemm.ARITHMETIC))  # what every processor can, and what this one does


def observations(variant: str, players: int, rows: int) -> Array:
    """What seats see in the course of a random game."""
    game = Game(variant, players=players, seed=rows)
    choice = np.random.default_rng(rows)
    found = np.zeros((rows, observation_size(players)), np.int8)
    for row in found:
        for _ in range(3):
            game.play(game.legal_moves[choice.integers(len(game.legal_moves))])
        observe(game.view(game.seat).state, COMPONENTS[VARIANTS.index(variant)], game.seat, Observation(row))
    return found


def plain_outputs(matrices: Matrices, features: Array, players: int) -> Array:
    """What the network means, by NumPy in float64; 0 for what is not there."""
    pieces = pieces_of(players)
    scaled = np.append(features * observation_scales(players).astype(np.float64), np.zeros((len(features), 1)), axis=1)
    found = np.zeros((len(features), ACTIONS + players))
    for into, row in zip(found, scaled, strict=True):
        table = row[pieces.features]
        there = np.flatnonzero(table.any(axis=1))
        (first, group_biases), *blocks, (last, last_biases) = matrices
        numbers = table[there] @ first + group_biases[pieces.groups[there]]
        width = first.shape[1]
        for start in range(0, len(blocks), transformer.LAYERS_OF_BLOCK):
            asking, mixing, thinking, keeping = blocks[start : start + transformer.LAYERS_OF_BLOCK]
            asked = normal(numbers) @ asking[0] + asking[1]
            questions, answers, held = asked.reshape(len(there), 3, transformer.HEADS, -1).transpose(1, 2, 0, 3)
            looks = np.exp(questions @ answers.transpose(0, 2, 1) / np.sqrt(width / transformer.HEADS))
            mixed = (looks / looks.sum(axis=2, keepdims=True)) @ held
            numbers = numbers + mixed.transpose(1, 0, 2).reshape(len(there), width) @ mixing[0] + mixing[1]
            thought = np.maximum(normal(numbers) @ thinking[0] + thinking[1], 0)
            numbers = numbers + thought @ keeping[0] + keeping[1]
        said = np.zeros((len(table), last.shape[1]))
        said[there] = normal(numbers) @ last + last_biases
        into[:] = said[pieces.output_pieces, pieces.output_columns]
    return found


def normal(rows: Array) -> Array:
    lengths: Array = np.sqrt((rows**2).mean(axis=1, keepdims=True) + transformer.MARGIN)
    return rows / lengths


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pieces_show_all_of_the_observation_but_payments(players: int) -> None:
    pieces = pieces_of(players)
    shown = set(pieces.features.ravel().tolist())
    missing = [part.name for part in parts_of(players) if part.start not in shown]
    assert missing == ["wilds_chosen"]
    assert len(shown - {observation_size(players)}) == observation_size(players) - 5
    assert len(pieces.groups) == 15 + 3 * (players - 1) + 5 + players + 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_card_is_spoken_of_at_its_own_piece(variant: str) -> None:
    pieces = pieces_of(2)
    row = observations(variant, 2, 3)[-1]
    for card in range(12):
        features = dict(zip(pieces.columns, np.append(row, 0)[pieces.features[card]], strict=True))
        assert features["card points 0"] == row[next(p.start for p in parts_of(2) if p.name == "card_points") + card]
        assert pieces.group_names[pieces.groups[card]] == f"level {card // 4}"
        for action in (BUY, RESERVE):
            assert pieces.output_pieces[action + card] == card
    assert [int(pieces.output_pieces[BUY_HAND + place]) for place in range(3)] == [12, 13, 14]
    assert len(set(pieces.output_columns[pieces.output_pieces == len(pieces.groups) - 1])) == pieces.said - 4


@pytest.mark.parametrize("rows", [1, 7, 8, 19])
@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3), ("splendor", 4)])
@pytest.mark.parametrize("arithmetic", ARITHMETICS, ids=lambda kind: np.dtype(kind.sums).name)
def test_a_batch_of_any_size_is_nearly_what_the_network_means(
    rows: int, variant: str, players: int, arithmetic: gemm.Arithmetic
) -> None:
    matrices = random_network(players)
    packed = transformer.pack(matrices, players, arithmetic)
    sight = transformer.new_sight(packed, observation_size(players), rows, arithmetic)
    sight.features[:rows] = observations(variant, players, rows)
    transformer.evaluate(packed, sight, rows)
    expected = plain_outputs(matrices, sight.features[:rows], players)
    np.testing.assert_array_equal(sight.outputs[:rows] == 0, expected == 0)
    assert (sight.outputs[:rows] - expected).std() < 0.03 * expected.std()


def test_a_head_may_be_wider_than_a_tile() -> None:
    matrices = random_network(2, width=256, blocks=1)
    packed = transformer.pack(matrices, 2)
    sight = transformer.new_sight(packed, observation_size(2), 2)
    sight.features[:] = observations("splendor", 2, 2)
    transformer.evaluate(packed, sight, 2)
    expected = plain_outputs(matrices, sight.features, 2)
    assert (sight.outputs - expected).std() < 0.03 * expected.std()


def test_a_position_is_the_same_alone_and_among_others() -> None:
    network = networks.from_matrices(MARVEL, 3, random_network(3), {})
    rows = observations("marvel", 3, 9)
    together, alone = network.new_sight(9), network.new_sight(1)
    together.features[:] = rows
    transformer.evaluate(network.attention, together, 9)
    for row, expected in zip(rows, together.outputs, strict=True):
        alone.features[0] = row
        transformer.evaluate(network.attention, alone, 1)
        np.testing.assert_array_equal(alone.outputs[0], expected)


def test_great_and_small_looks_are_powers_of_e() -> None:
    looks = np.linspace(-70, 70, 1001).astype(np.float32)
    powers = np.zeros_like(looks)
    found = looks.copy()
    transformer._raise(found, powers, powers.view(np.int32), np.float32(1))
    np.testing.assert_allclose(found, np.exp(np.clip(looks, -60, 60).astype(np.float64)), rtol=2e-5)


def thoughts(features: Array) -> str:
    """What a small network gives out for some positions of four players."""
    network = networks.from_matrices(SPLENDOR, 4, random_network(4, width=128, blocks=1), {})
    sight = network.new_sight(len(features))
    sight.features[:] = features
    transformer.evaluate(network.attention, sight, len(features))
    return hashlib.sha256(sight.outputs.tobytes()).hexdigest()
