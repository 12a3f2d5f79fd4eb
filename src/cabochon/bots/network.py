"""Trained networks for play, evaluated by compiled code of our own: no framework is needed.

A network gives a score for each action and then one for each seat, the observer's first, to the observation of a seat
(`core.observation`). The softmax of the scores of the legal actions is the policy, that of the seats' scores the
probability that each wins.

There are two forms: a plain stack of layers over all features (`bots.layers`), and attention over the things on the
table (`bots.attention`), which is what `cabochon train` makes. A file holds weights as whole numbers (int16, in older
ones int8) with one float32 factor for each unit, the biases, and `about`: for which game, number of players and
versions it was made, and how.
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
from numba.extending import overload

from cabochon.bots import attention, layers
from cabochon.bots.attention import Attention, Sight
from cabochon.bots.evaluation import legal_actions_in_view
from cabochon.bots.layers import Layers, Workspace
from cabochon.bots.pieces import PIECES_VERSION
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

LAYERS_FORMAT = 1
ATTENTION_FORMAT = 2
LEVELS = 2**15 - 1  # of a weight in a file, beside 0 and those below it
FOLDER = "networks"
MOST_BYTES = 4_000_000  # of a file in the package


class NetworkError(CabochonError):
    """A file that is no network, or not one for what it is wanted for."""


Form = Layers | Attention
Matrices = Sequence[tuple[Array, Array]]  # of each layer weights [inputs, units] and biases


def evaluate(form: Form, workspace: Workspace | Sight, rows: int) -> None:
    """Turn the first `rows` of the workspace's features into its outputs."""
    module = attention if isinstance(form, Attention) else layers
    module.evaluate(form, workspace, rows)


@overload(evaluate)  # type: ignore[untyped-decorator]  # numba has no types
def _compiled_evaluate(form: Any, workspace: Any, rows: Any) -> Any:
    chosen = attention.evaluate if form.instance_class is Attention else layers.evaluate

    def evaluate_form(form: Any, workspace: Any, rows: Any) -> None:
        chosen(form, workspace, rows)

    return evaluate_form


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
    form: Form
    about: dict[str, Any]  # how it was made

    def new_workspace(self, batch: int) -> Workspace | Sight:
        """Working memory for one thread and batches of up to so many positions."""
        features = observation_size(self.players)
        if isinstance(self.form, Attention):
            return attention.new_sight(self.form, features, batch)
        return layers.new_workspace(self.form, features, batch)

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
        evaluate(self.form, workspace, 1)
        policy = np.zeros(count)
        values = np.zeros(self.players)
        read_policy(workspace.outputs[0], actions, count, 1.0, policy)
        read_values(workspace.outputs[0], self.players, int(state.seat), values)
        here = np.array([action_elsewhere(int(action), arranged, state) for action in actions[:count]])
        order = np.argsort(here)
        return here[order], policy[order], values


def has_attention(matrices: Matrices) -> bool:
    """Whether the layers are those of attention: their first has biases for each group of pieces."""
    return len(matrices) > 0 and matrices[0][1].ndim == 2


def from_matrices(variant: int, players: int, matrices: Matrices, about: dict[str, Any]) -> Network:
    """A network of layers given as weights [inputs, units] over scaled features, and biases [units]."""
    if has_attention(matrices):
        return Network(variant, players, attention.pack(matrices, players), about)
    first, first_bias = matrices[0]
    scaled = [(first * observation_scales(players)[:, None], first_bias), *matrices[1:]]
    return Network(variant, players, layers.pack(scaled, observation_highs(players)), about)


def _header(variant: int, players: int, form: int) -> dict[str, Any]:
    """What a network must have been made for to be of use here."""
    pieces = {"pieces": PIECES_VERSION} if form == ATTENTION_FORMAT else {}
    return {
        "format": form,
        "game": VARIANTS[variant],
        "players": players,
        "rules": RULES_VERSION,
        "observation": OBSERVATION_VERSION,
        "features": observation_size(players),
        **pieces,
    }


def save(file: Path | BinaryIO, variant: int, players: int, matrices: Matrices, about: dict[str, Any]) -> None:
    """Write a network's layers, rounded to whole numbers, with what it is for and how it was made."""
    form = ATTENTION_FORMAT if has_attention(matrices) else LAYERS_FORMAT
    text = json.dumps({**_header(variant, players, form), **about})
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
    """Refuse a network unless it was made for the game, the players, these rules and this observation."""
    form = ATTENTION_FORMAT if has_attention(matrices) else LAYERS_FORMAT
    for key, expected in _header(variant, players, form).items():
        if about.get(key) != expected:
            raise NetworkError(f"expected a network with {key} {expected!r}, got {key} {about.get(key)!r} in {file}")
    if form == ATTENTION_FORMAT:
        width, blocks = matrices[0][0].shape[1], attention.blocks_of(matrices)
        shapes = [(weights.shape, biases.shape) for weights, biases in matrices]
        if shapes != attention.shapes_of(players, width, blocks) or width % attention.HEADS:
            raise NetworkError(f"expected layers of {blocks} blocks of {width} units, got other shapes in {file}")


def load(file: Path | BinaryIO, variant: int, players: int) -> Network:
    """Read a network, refused unless it is for all of this."""
    about, matrices = read(file)
    check(about, matrices, variant, players, file)
    return from_matrices(variant, players, matrices, about)


def resource(variant: int, players: int) -> Any:
    """The file in the package."""
    return resources.files("cabochon.bots").joinpath(FOLDER, f"{VARIANTS[variant]}-{players}.npz")


@cache
def shipped_network(variant: int, players: int) -> Network:
    """The network of the package for the game and number of players."""
    found = resource(variant, players)
    if not found.is_file():
        raise NetworkError(f"expected a network for {VARIANTS[variant]} with {players} players, and there is none")
    with resources.as_file(found) as path:
        return load(path, variant, players)
