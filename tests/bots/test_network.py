"""The networks' compiled evaluation, and their files."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cabochon import Game
from cabochon.bots import layers
from cabochon.bots import network as networks
from cabochon.bots.network import NetworkError, from_matrices
from cabochon.core.box import BOXES
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.observation import observation_highs, observation_scales, observation_size, observe
from cabochon.core.state import ACTIONS, Array
from tests.bots.test_attention import thoughts as thoughts_of_attention
from tests.bots.weights import Matrices, random_attention, random_layers

IS_GREATER = "avx2" in layers.PROCESSOR
ARITHMETICS = dict.fromkeys((layers.FLOATS, layers.ARITHMETIC))  # what every processor can, and what this one does
LESSER_PROCESSORS = {
    "any": {"NUMBA_CPU_NAME": "generic"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
    **({"avx2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma"}} if IS_GREATER else {}),
}


def plain_outputs(matrices: Matrices, features: Array, players: int) -> Array:
    """What the network means, by NumPy in float64."""
    activity: Array = features * observation_scales(players).astype(np.float64)
    for weights, biases in matrices[:-1]:
        activity = np.maximum(activity @ weights + biases, 0)
    weights, biases = matrices[-1]
    outputs: Array = activity @ weights + biases
    return outputs


def whole_outputs(matrices: Matrices, features: Array, players: int) -> Array:
    """What the compiled code computes on whole numbers, to the last bit."""
    inputs = features.astype(np.int64)
    factors = np.ones((len(features), 1), np.float32)
    outputs: Array = np.zeros(0)
    for number, (weights, biases) in enumerate(matrices):
        if number == 0:
            weights = weights * observation_scales(players)[:, None]
            unit_factors = layers.unit_factors(weights, observation_highs(players), 2**15 - 1)
        else:
            unit_factors = layers.unit_factors(weights, np.full(len(weights), 255), 127)
        sums = inputs @ np.rint(weights / unit_factors).astype(np.int64)
        outputs = sums.astype(np.float32) * (unit_factors * factors) + biases
        activity = np.maximum(outputs, 0)
        greatest = activity.max(axis=1, keepdims=True)
        inputs = (activity * (np.float32(255) / greatest) + np.float32(0.5)).astype(np.int64)
        factors = greatest / np.float32(255)
    return outputs


def any_features(players: int, rows: int) -> Array:
    """Features as great as they may be, some of them 0."""
    generator = np.random.default_rng(rows)
    highs = observation_highs(players).astype(np.int64)
    return generator.integers(0, highs + 1, (rows, len(highs))) * (generator.random((rows, len(highs))) < 0.5)


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 33])
@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("arithmetic", ARITHMETICS, ids=lambda kind: np.dtype(kind.sums).name)
def test_a_batch_of_any_size_is_evaluated_as_by_numpy_to_the_last_bit(
    rows: int, players: int, arithmetic: layers.Arithmetic
) -> None:
    matrices = random_layers(players)
    scaled = [(matrices[0][0] * observation_scales(players)[:, None], matrices[0][1]), *matrices[1:]]
    packed = layers.pack(scaled, observation_highs(players), arithmetic)
    workspace = layers.new_workspace(packed, observation_size(players), rows, arithmetic)
    workspace.features[:rows] = any_features(players, rows)
    layers.evaluate(packed, workspace, rows)
    expected = whole_outputs(matrices, workspace.features[:rows], players)
    np.testing.assert_array_equal(workspace.outputs[:rows, : ACTIONS + players], expected)


def test_whole_numbers_are_nearly_what_the_network_means() -> None:
    features = any_features(3, 100)
    means, gets = (outputs(random_layers(3), features, 3) for outputs in (plain_outputs, whole_outputs))
    assert (gets - means).std() < 0.02 * means.std()


def test_no_sum_can_be_too_great_for_floats() -> None:
    """Not even where every weight of a unit has one sign and every input is as great as it may be."""
    generator = np.random.default_rng(0)
    highs = observation_highs(4)
    wide = generator.uniform(0.9, 1, (1500, 40)).astype(np.float32)
    matrices = [
        (generator.uniform(0.9, 1, (len(highs), 1500)).astype(np.float32), np.zeros(1500)),
        (wide, np.zeros(40)),
    ]
    packed = layers.pack(matrices, highs, layers.FLOATS)
    for weights, greatest in zip(packed.weights, (highs, np.full(1500, 255)), strict=True):
        sums = np.tensordot(weights.view(np.float32).astype(np.float64), greatest, (1, 0))
        assert 0.9 * 2**24 < sums.max() <= 2**24


def thoughts() -> str:
    """What networks of both forms give out for some features."""
    network = from_matrices(MARVEL, 3, random_layers(3), {})
    workspace = network.new_workspace(9)
    workspace.features[:9] = any_features(3, 9)
    networks.evaluate(network.form, workspace, 9)
    digest = hashlib.sha256(workspace.outputs[:9, : ACTIONS + 3].tobytes()).hexdigest()
    return f"{digest} {thoughts_of_attention()}"


@pytest.mark.parametrize("processor", LESSER_PROCESSORS)
def test_a_network_thinks_the_same_with_every_processor(processor: str, tmp_path: Path) -> None:
    """To the last bit; numba is told that this one were another."""
    environment = {**os.environ, **LESSER_PROCESSORS[processor], "CABOCHON_CACHE": str(tmp_path)}
    code = f"from {__name__} import thoughts; print(thoughts())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == thoughts()


def test_a_layer_is_the_same_interpreted_and_compiled() -> None:
    first = (np.eye(70, dtype=np.float32), np.zeros(70))
    packed = layers.pack([first, *random_layers(2)[1:]], np.ones(70), layers.FLOATS)
    weights = packed.weights[1]
    inputs = np.random.default_rng(1).integers(0, 255, (layers.ROWS, weights.shape[1])).astype(np.float32)
    inputs[:, ::3] = 0
    active, counts = np.zeros((1, weights.shape[1] + 1), np.int64), np.zeros(1, np.int64)
    found = []
    for sums_of in (layers._compiled_sums, layers._interpreted_sums):
        sums = np.zeros((layers.ROWS, len(packed.biases[1])), np.float32)
        sums_of(inputs, inputs.view(np.int32), weights, sums, active, counts, layers.ROWS)
        found.append(sums)
    assert found[0].any()
    np.testing.assert_array_equal(found[0], found[1])


def test_a_network_thinks_about_the_legal_actions_and_all_seats() -> None:
    game = Game("marvel", players=3, seed=5)
    game.play(game.legal_moves[0])
    view = game.view(1)
    network = from_matrices(MARVEL, 3, random_layers(3), {})
    actions, policy, values = network.think(view.state)
    assert actions.tolist() == [move.action for move in view.legal_moves]
    assert policy.sum() == pytest.approx(1)
    assert values.sum() == pytest.approx(1)
    workspace = network.new_workspace(1)
    observe(view.state, BOXES[MARVEL], 1, workspace.features[0])
    scores = plain_outputs(random_layers(3), workspace.features[:1], 3)[0]
    assert actions[policy.argmax()] == max(actions, key=lambda action: scores[action])
    assert values.argmax() == (1 + scores[ACTIONS:].argmax()) % 3  # the observer's comes first


def saved(matrices: Matrices, **about: Any) -> io.BytesIO:
    """A network for Splendor with 2 players as a file."""
    file = io.BytesIO()
    networks.save(file, SPLENDOR, 2, matrices, about)
    file.seek(0)
    return file


def test_a_file_gives_the_layers_back_to_a_small_part_of_a_units_largest_weight() -> None:
    for matrices in (random_layers(2), random_attention(2)):
        about, found = networks.read(saved(matrices, command="cabochon train"))
        assert (about["game"], about["players"], about["command"]) == ("splendor", 2, "cabochon train")
        for (weights, biases), (kept, kept_biases) in zip(matrices, found, strict=True):
            assert (np.abs(weights - kept) <= np.abs(weights).max(axis=0) / 32767 / 2 * 1.02).all()
            np.testing.assert_array_equal(biases, kept_biases)


@pytest.mark.parametrize("matrices", [random_layers(2), random_attention(2)], ids=["layers", "attention"])
def test_a_file_plays_as_the_network_it_was_made_from(matrices: Matrices) -> None:
    state = Game("splendor", seed=1).view(0).state
    kept = networks.load(saved(matrices), SPLENDOR, 2).think(state)
    for exact, rounded in zip(from_matrices(SPLENDOR, 2, matrices, {}).think(state), kept, strict=True):
        np.testing.assert_allclose(exact, rounded, atol=0.01)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("game", "marvel", "expected a network with game 'splendor', got game 'marvel'"),
        ("players", 3, "expected a network with players 2, got players 3"),
        ("rules", 0, "expected a network with rules 1, got rules 0"),
        ("observation", 0, "got observation 0"),
        ("format", 99, "expected a network with format 1, got format 99"),
    ],
)
def test_a_network_for_something_else_is_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        networks.load(saved(random_layers(2), **{key: value}), SPLENDOR, 2)


def test_attention_of_other_pieces_or_shapes_is_refused() -> None:
    with pytest.raises(NetworkError, match="expected a network with pieces 1, got pieces 0"):
        networks.load(saved(random_attention(2), pieces=0), SPLENDOR, 2)
    matrices = random_attention(2)
    for others in ([*matrices[:3], *matrices[4:]], [*matrices[:-1], (matrices[-1][0][:, :-1], matrices[-1][1][:-1])]):
        with pytest.raises(NetworkError, match="blocks of 64 units, got other shapes"):
            networks.load(saved(others), SPLENDOR, 2)


def test_the_format_tells_the_forms_apart() -> None:
    with pytest.raises(NetworkError, match="expected a network with format 2, got format 1"):
        networks.load(saved(random_attention(2), format=1), SPLENDOR, 2)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    path.write_bytes(b"no network")
    with pytest.raises(NetworkError, match="expected a file of a network"):
        networks.load(path, SPLENDOR, 2)
    np.savez(path, about=np.frombuffer(json.dumps({}).encode(), np.uint8))
    with pytest.raises(NetworkError, match="expected a network with format 1, got format None"):
        networks.load(path, SPLENDOR, 2)


def test_a_temperature_flattens_the_policy() -> None:
    outputs = np.array([3.0, -1.0, 2.0, 9.0])
    actions = np.array([0, 1, 2])
    policy, flat = np.zeros(3), np.zeros(3)
    networks.read_policy(outputs, actions, 3, 1.0, policy)
    networks.read_policy(outputs, actions, 3, 2.0, flat)
    np.testing.assert_allclose(policy, np.exp([3, -1, 2]) / np.exp([3, -1, 2]).sum())
    np.testing.assert_allclose(flat, np.sqrt(policy) / np.sqrt(policy).sum())
