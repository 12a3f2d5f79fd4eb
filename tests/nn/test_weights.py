"""The networks' compiled evaluation, and their files."""

from __future__ import annotations

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
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.components import COMPONENTS
from cabochon.core.observation import observe
from cabochon.core.state import ACTIONS
from cabochon.nn import gemm
from cabochon.nn import weights as networks
from cabochon.nn.weights import NetworkError, from_matrices
from tests.bots.weights import Matrices, random_network
from tests.nn.test_transformer import observations, plain_outputs, thoughts

IS_GREATER = "avx2" in gemm.PROCESSOR
LESSER_PROCESSORS = {
    "any": {"NUMBA_CPU_NAME": "generic"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
    **({"avx2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma"}} if IS_GREATER else {}),
}


@pytest.mark.parametrize("processor", LESSER_PROCESSORS)
def test_a_network_thinks_the_same_with_every_processor(processor: str, tmp_path: Path) -> None:
    """To the last bit; numba is told that this one were another."""
    features = observations("splendor", 4, 2)
    np.save(tmp_path / "features.npy", features)  # or the rules would be compiled for that processor, too
    environment = {**os.environ, **LESSER_PROCESSORS[processor], "CABOCHON_CACHE": str(tmp_path)}
    code = f"import sys, numpy; from {thoughts.__module__} import thoughts; print(thoughts(numpy.load(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(tmp_path / "features.npy")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == thoughts(features)


def test_a_network_thinks_about_the_legal_actions_and_all_seats() -> None:
    game = Game("marvel", players=3, seed=5)
    game.play(game.legal_moves[0])
    view = game.view(1)
    network = from_matrices(MARVEL, 3, random_network(3), {})
    actions, policy, values = network.think(view.state)
    assert actions.tolist() == [move.action for move in view.legal_moves]
    assert policy.sum() == pytest.approx(1)
    assert values.sum() == pytest.approx(1)
    sight = network.new_sight(1)
    observe(view.state, COMPONENTS[MARVEL], 1, sight.features[0])
    scores = plain_outputs(random_network(3), sight.features[:1], 3)[0]
    assert actions[policy.argmax()] == max(actions, key=lambda action: scores[action])
    assert values.argmax() == (1 + scores[ACTIONS:].argmax()) % 3  # the observer's comes first


def saved(matrices: Matrices, **about: Any) -> io.BytesIO:
    """A network for Splendor with 2 players as a file."""
    file = io.BytesIO()
    networks.save(file, SPLENDOR, 2, matrices, about)
    file.seek(0)
    return file


def test_a_file_gives_the_layers_back_to_a_small_part_of_a_units_largest_weight() -> None:
    matrices = random_network(2)
    about, found = networks.read(saved(matrices, command="cabochon train"))
    assert (about["game"], about["players"], about["command"]) == ("splendor", 2, "cabochon train")
    for (weights, biases), (kept, kept_biases) in zip(matrices, found, strict=True):
        assert (np.abs(weights - kept) <= np.abs(weights).max(axis=0) / 32767 / 2 * 1.02).all()
        np.testing.assert_array_equal(biases, kept_biases)


def test_a_file_plays_as_the_network_it_was_made_from() -> None:
    matrices = random_network(2)
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
        ("format", 1, "expected a network with format 2, got format 1"),
        ("pieces", 0, "expected a network with pieces 1, got pieces 0"),
    ],
)
def test_a_network_for_something_else_is_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        networks.load(saved(random_network(2), **{key: value}), SPLENDOR, 2)


def test_a_network_of_other_shapes_is_refused() -> None:
    matrices = random_network(2)
    for others in ([*matrices[:3], *matrices[4:]], [*matrices[:-1], (matrices[-1][0][:, :-1], matrices[-1][1][:-1])]):
        with pytest.raises(NetworkError, match="blocks of 64 units, got other shapes"):
            networks.load(saved(others), SPLENDOR, 2)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    path.write_bytes(b"no network")
    with pytest.raises(NetworkError, match="expected a file of a network"):
        networks.load(path, SPLENDOR, 2)
    np.savez(path, about=np.frombuffer(json.dumps({}).encode(), np.uint8))
    with pytest.raises(NetworkError, match="expected a network with format 2, got format None"):
        networks.load(path, SPLENDOR, 2)


def test_a_temperature_flattens_the_policy() -> None:
    outputs = np.array([3.0, -1.0, 2.0, 9.0])
    actions = np.array([0, 1, 2])
    policy, flat = np.zeros(3), np.zeros(3)
    networks.read_policy(outputs, actions, 3, 1.0, policy)
    networks.read_policy(outputs, actions, 3, 2.0, flat)
    np.testing.assert_allclose(policy, np.exp([3, -1, 2]) / np.exp([3, -1, 2]).sum())
    np.testing.assert_allclose(flat, np.sqrt(policy) / np.sqrt(policy).sum())
