"""Trained networks for play, evaluated by compiled code of our own: no framework is needed.

A network is a plain stack of layers over the observation of a seat (`core.observation`): hidden layers
with ReLU, and one last layer that gives a score for each action and then one for each seat, the observer's
first. The softmax of the scores of the legal actions is the policy, that of the seats' scores the probability
that each wins.

A file holds weights as whole numbers (int16 in the first layer, whose features have different scales, int8 in the
others) with one float32 factor for each unit, the biases, and `about`: for which game, number of players and versions
it was made, and how.
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

from cabochon.bots.evaluation import legal_actions_in_view
from cabochon.bots.layers import (
    LEVELS_OF_FIRST_WEIGHTS,
    LEVELS_OF_WEIGHTS,
    Layers,
    Workspace,
    evaluate,
    new_workspace,
    pack,
)
from cabochon.core.arrangement import action_elsewhere, arrange
from cabochon.core.box import BOXES
from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.observation import (
    OBSERVATION_VERSION,
    observation_highs,
    observation_scales,
    observation_size,
    observe,
)
from cabochon.core.state import ACTIONS, Array, State, copy_state
from cabochon.errors import CabochonError
from cabochon.version import RULES_VERSION

FORMAT = 1
FOLDER = "networks"
MOST_BYTES = 4_000_000  # of a file in the package


class NetworkError(CabochonError):
    """A file that is no network, or not one for what it is wanted for."""


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
    layers: Layers
    about: dict[str, Any]  # how it was made

    def new_workspace(self, batch: int) -> Workspace:
        """Working memory for one thread and batches of up to so many positions."""
        return new_workspace(self.layers, observation_size(self.players), batch)

    def think(self, state: State) -> tuple[Array, Array, Array]:
        """Of a state or view: the legal actions, the policy over them, and each seat's probability of winning.

        It is asked about the arranged table (`core.arrangement`), which is how it has learned to see one.
        """
        workspace = self.new_workspace(1)
        box = BOXES[self.variant]
        arranged = copy_state(state)
        arrange(arranged)
        actions = np.zeros(ACTIONS, np.int64)
        count = legal_actions_in_view(arranged, box, actions)
        observe(arranged, box, int(state.seat), workspace.features[0])
        evaluate(self.layers, workspace, 1)
        policy = np.zeros(count)
        values = np.zeros(self.players)
        read_policy(workspace.outputs[0], actions, count, 1.0, policy)
        read_values(workspace.outputs[0], self.players, int(state.seat), values)
        here = np.array([action_elsewhere(int(action), arranged, state) for action in actions[:count]])
        order = np.argsort(here)
        return here[order], policy[order], values


def from_matrices(
    variant: int, players: int, matrices: Sequence[tuple[Array, Array]], about: dict[str, Any]
) -> Network:
    """A network of layers given as weights [inputs, units] over scaled features, and biases [units]."""
    first, first_bias = matrices[0]
    scaled = [(first * observation_scales(players)[:, None], first_bias), *matrices[1:]]
    return Network(variant, players, pack(scaled, observation_highs(players)), about)


def _header(variant: int, players: int) -> dict[str, Any]:
    """What a network must have been made for to be of use here."""
    return {
        "format": FORMAT,
        "game": VARIANTS[variant],
        "players": players,
        "rules": RULES_VERSION,
        "observation": OBSERVATION_VERSION,
        "features": observation_size(players),
    }


def save(
    file: Path | BinaryIO,
    variant: int,
    players: int,
    matrices: Sequence[tuple[Array, Array]],
    about: dict[str, Any],
    sample: Array | None = None,
) -> None:
    """Write a network's layers, rounded to whole numbers, with what it is for and how it was made.

    A sample of observations [n, features] makes the file better. Over it, the biases make up for the rounding, so that
    every unit has the mean that it had: what all weights lose adds up to a bias of some percent of winning. And
    the units of a hidden layer lie in the order of how often they are active, so that more words of them are all 0.
    """
    text = json.dumps({**_header(variant, players), **about})
    arrays: dict[str, Array] = {"about": np.frombuffer(text.encode(), np.uint8)}
    rows = np.zeros((0, observation_size(players)), np.int8) if sample is None else sample
    exact = rounded = (rows * observation_scales(players)).astype(np.float32)
    inputs = np.arange(observation_size(players))  # in their order
    for number, (matrix, bias) in enumerate(matrices):
        weights = matrix[inputs]
        most, kind = (LEVELS_OF_WEIGHTS, np.int8) if number else (LEVELS_OF_FIRST_WEIGHTS, np.int16)
        factors = np.maximum(np.abs(weights).max(axis=0), 1e-12) / most
        levels = np.rint(weights / factors).astype(kind)
        exact, rounded = exact @ weights, rounded @ (levels * factors)
        made_up = bias + (exact - rounded).mean(axis=0) if len(rows) else bias
        exact, rounded = np.maximum(exact + bias, 0), np.maximum(rounded + made_up, 0)
        activity = (rounded > rounded.max(axis=1, keepdims=True) / 510).sum(axis=0)  # more than level 0 of 255
        inputs = np.arange(len(bias)) if number == len(matrices) - 1 else np.argsort(-activity, kind="stable")
        exact, rounded = exact[:, inputs], rounded[:, inputs]
        arrays[f"weights{number}"] = levels[:, inputs]
        arrays[f"factors{number}"] = factors[inputs].astype(np.float32)
        arrays[f"biases{number}"] = np.asarray(made_up, np.float32)[inputs]
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


def load(file: Path | BinaryIO, variant: int, players: int) -> Network:
    """Read a network, refused unless it was made for the game, the players, these rules and this observation."""
    about, matrices = read(file)
    for key, expected in _header(variant, players).items():
        if about.get(key) != expected:
            raise NetworkError(f"expected a network with {key} {expected!r}, got {key} {about.get(key)!r} in {file}")
    return from_matrices(variant, players, matrices, about)


def _resource(variant: int, players: int) -> Any:
    return resources.files("cabochon.bots").joinpath(FOLDER, f"{VARIANTS[variant]}-{players}.npz")


@cache
def shipped_network(variant: int, players: int) -> Network:
    """The network of the package for the game and number of players."""
    resource = _resource(variant, players)
    if not resource.is_file():
        raise NetworkError(f"expected a network for {VARIANTS[variant]} with {players} players, and there is none")
    with resources.as_file(resource) as path:
        return load(path, variant, players)
