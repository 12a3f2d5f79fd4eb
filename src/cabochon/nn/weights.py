"""Trained networks for play, evaluated by compiled code of our own: no framework is needed.

A network gives a score for each action and then one for each seat, the observer's first, to the observation of a seat
(`core.observation`). The softmax of the scores of the legal actions is the policy, that of the seats' scores the
probability that each wins.

It has attention over the things on the table (`nn.transformer`). A file holds weights as whole numbers (int16) with one
float32 factor for each unit, the biases, and `about`: for which game, number of players and versions it was made, and
how.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cabochon.core.canonical import canonicalize, translate_action
from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENTS
from cabochon.core.information_set import legal_actions_in_view
from cabochon.core.observation import OBSERVATION_VERSION, observation_size, observe
from cabochon.core.state import ACTIONS, Array, State, copy_state
from cabochon.errors import CabochonError
from cabochon.nn.encoding import PIECES_VERSION
from cabochon.nn.transformer import HEADS, Attention, Sight, blocks_of, evaluate, new_sight, pack, shapes_of
from cabochon.version import RULES_VERSION

FORMAT = 2
LEVELS = 2**15 - 1  # of a weight in a file, beside 0 and those below it
FOLDER = "networks"
MOST_BYTES = 4_000_000  # of a file in the package


class NetworkError(CabochonError):
    """A file that is no network, or not one for what it is wanted for."""


Matrices = Sequence[tuple[Array, Array]]  # of each layer weights [inputs, units] and biases


@jit
def read_values(outputs: Array, players: int, observer: int, values: Array) -> None:
    """Each seat's probability of winning, into `values` [SEATS], from one row of outputs."""
    greatest = outputs[ACTIONS]
    for index in range(1, players):
        greatest = max(greatest, outputs[ACTIONS + index])
    total = 0.0
    for index in range(players):
        odds = math.exp(outputs[ACTIONS + index] - greatest)
        values[(observer + index) % players] = odds
        total += odds
    for seat in range(players):
        values[seat] /= total


@jit
def read_policy(outputs: Array, actions: Array, count: int, temperature: float, policy: Array) -> None:
    """The probability of each of the first `count` actions, into `policy`, from one row of outputs.

    A temperature above 1 makes them more alike.
    """
    greatest = outputs[actions[0]]
    for index in range(1, count):
        greatest = max(greatest, outputs[actions[index]])
    total = 0.0
    for index in range(count):
        odds = math.exp((outputs[actions[index]] - greatest) / temperature)
        policy[index] = odds
        total += odds
    for index in range(count):
        policy[index] /= total


@jit
def best_action(outputs: Array, actions: Array, count: int) -> int:
    """The one of the first `count` actions that the policy likes most."""
    best = int(actions[0])
    for index in range(1, count):
        if outputs[actions[index]] > outputs[best]:
            best = int(actions[index])
    return best


@dataclass(frozen=True)
class Network:
    """A network for one game and number of players, ready to be evaluated."""

    variant: int
    players: int
    attention: Attention
    about: dict[str, Any]  # how it was made

    def new_sight(self, batch: int) -> Sight:
        """Working memory for one thread and batches of up to so many positions."""
        return new_sight(self.attention, observation_size(self.players), batch)

    def think(self, state: State) -> tuple[Array, Array, Array]:
        """Of a state or view: the legal actions, the policy over them, and each seat's probability of winning.

        It is asked about the arranged table (`core.canonical`), which is how it has learned to see one.
        """
        sight = self.new_sight(1)
        components = COMPONENTS[self.variant]
        arranged = copy_state(state)
        canonicalize(arranged)
        actions = np.zeros(ACTIONS, np.int64)
        count = legal_actions_in_view(arranged, components, actions)
        observe(arranged, components, int(state.seat), sight.features[0])
        evaluate(self.attention, sight, 1)
        policy = np.zeros(count)
        values = np.zeros(self.players)
        read_policy(sight.outputs[0], actions, count, 1.0, policy)
        read_values(sight.outputs[0], self.players, int(state.seat), values)
        here = np.array([translate_action(int(action), arranged, state) for action in actions[:count]])
        order = np.argsort(here)
        return here[order], policy[order], values


def from_matrices(variant: int, players: int, matrices: Matrices, about: dict[str, Any]) -> Network:
    """A network of layers given as weights [inputs, units] over scaled features, and biases."""
    return Network(variant, players, pack(matrices, players), about)


def _header(variant: int, players: int) -> dict[str, Any]:
    """What a network must have been made for to be of use here."""
    return {
        "format": FORMAT,
        "game": VARIANTS[variant],
        "players": players,
        "rules": RULES_VERSION,
        "observation": OBSERVATION_VERSION,
        "features": observation_size(players),
        "pieces": PIECES_VERSION,
    }


def save(file: Path | BinaryIO, variant: int, players: int, matrices: Matrices, about: dict[str, Any]) -> None:
    """Write a network's layers, rounded to whole numbers, with what it is for and how it was made."""
    text = json.dumps({**_header(variant, players), **about})
    arrays: dict[str, Array] = {"about": np.frombuffer(text.encode(), np.uint8)}
    for number, (weights, biases) in enumerate(matrices):
        factors = np.maximum(np.abs(weights).max(axis=0), 1e-12) / LEVELS
        arrays[f"weights{number}"] = np.rint(weights / factors).astype(np.int16)
        arrays[f"factors{number}"] = factors.astype(np.float32)
        arrays[f"biases{number}"] = np.asarray(biases, np.float32)
    # The stub takes every array for its flag `allow_pickle`.
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read(file: Path | BinaryIO) -> tuple[dict[str, Any], list[tuple[Array, Array]]]:
    """What a file says of itself, and its layers as float32 weights and biases."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            about = json.loads(arrays["about"].tobytes())
            matrices = [
                (arrays[f"weights{number}"].astype(np.float32) * arrays[f"factors{number}"], arrays[f"biases{number}"])
                for number in range(sum(name.startswith("weights") for name in arrays.files))
            ]
    except (KeyError, ValueError, OSError) as error:
        raise NetworkError(f"expected a file of a network, got {file}: {error}") from error
    return about, matrices


def check(about: dict[str, Any], matrices: Matrices, variant: int, players: int, file: Path | BinaryIO) -> None:
    """Refuse a network unless it was made for the game, the players, these rules, this observation and its pieces."""
    for key, expected in _header(variant, players).items():
        if about.get(key) != expected:
            raise NetworkError(f"expected a network with {key} {expected!r}, got {key} {about.get(key)!r} in {file}")
    width, blocks = (matrices[0][0].shape[1], blocks_of(matrices)) if matrices else (0, 0)
    shapes = [(weights.shape, biases.shape) for weights, biases in matrices]
    if shapes != shapes_of(players, width, blocks) or width % HEADS:
        raise NetworkError(f"expected layers of {blocks} blocks of {width} units, got other shapes in {file}")


def load(file: Path | BinaryIO, variant: int, players: int) -> Network:
    """Read a network, refused unless it is for all of this."""
    about, matrices = read(file)
    check(about, matrices, variant, players, file)
    return from_matrices(variant, players, matrices, about)


def resource(variant: int, players: int) -> Any:
    """The file in the package."""
    return resources.files("cabochon.nn").joinpath(FOLDER, f"{VARIANTS[variant]}-{players}.npz")


@cache
def shipped_network(variant: int, players: int) -> Network:
    """The network of the package for the game and number of players."""
    found = resource(variant, players)
    if not found.is_file():
        raise NetworkError(f"expected a network for {VARIANTS[variant]} with {players} players, and there is none")
    with resources.as_file(found) as path:
        return load(path, variant, players)
