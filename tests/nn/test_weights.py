"""The files of networks."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cabochon import Game
from cabochon.core.cards import SPLENDOR
from cabochon.nn.network import Network
from cabochon.nn.weights import NetworkError, read, save
from tests.bots.weights import Layers, random_network


def saved(layers: Layers, **about: Any) -> io.BytesIO:
    """A network for Splendor with 2 players as a file."""
    file = io.BytesIO()
    save(file, SPLENDOR, 2, layers, about)
    file.seek(0)
    return file


def test_a_file_gives_the_layers_back_up_to_rounding() -> None:
    layers = random_network(2)
    about, found = read(saved(layers, command="cabochon train"))
    assert (about["game"], about["players"], about["command"]) == ("splendor", 2, "cabochon train")
    for (weights, biases), (kept, kept_biases) in zip(layers, found, strict=True):
        assert (np.abs(weights - kept) <= np.abs(weights).max(axis=0) / 32767 / 2 * 1.02).all()
        np.testing.assert_array_equal(biases, kept_biases)


def test_a_file_plays_as_the_network_it_was_made_from() -> None:
    layers = random_network(2)
    state = Game("splendor", seed=1).view(0).state
    kept = Network.load(saved(layers), SPLENDOR, 2).evaluate(state)
    for exact, rounded in zip(Network.from_layers(SPLENDOR, 2, layers, {}).evaluate(state), kept, strict=True):
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
        Network.load(saved(random_network(2), **{key: value}), SPLENDOR, 2)


def test_a_network_of_other_shapes_is_refused() -> None:
    layers = random_network(2)
    for others in ([*layers[:3], *layers[4:]], [*layers[:-1], (layers[-1][0][:, :-1], layers[-1][1][:-1])]):
        with pytest.raises(NetworkError, match="blocks of 64 units, got other shapes"):
            Network.load(saved(others), SPLENDOR, 2)


def test_a_file_that_is_no_network_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    path.write_bytes(b"no network")
    with pytest.raises(NetworkError, match="expected a network file"):
        Network.load(path, SPLENDOR, 2)
    np.savez(path, about=np.frombuffer(json.dumps({}).encode(), np.uint8))
    with pytest.raises(NetworkError, match="expected a network with format 2, got format None"):
        Network.load(path, SPLENDOR, 2)
