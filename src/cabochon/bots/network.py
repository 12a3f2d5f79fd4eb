"""Trained networks for play, evaluated by compiled code of our own: no framework is needed.

A network is a plain stack of layers over the observation of a seat (`core.observation`): hidden layers
with ReLU, and one last layer that gives a score for each action and then one for each seat, the observer's
first. The softmax of the scores of the legal actions is the policy, that of the seats' scores the probability
that each wins.

A file holds int8 weights with one float32 factor for each unit, the biases, and `about`: for which game,
number of players and versions it was made, and how.

A batch is evaluated in tiles of ROWS positions by COLUMNS units whose sums stay in vector registers. No
loop that numba vectorises by itself does that, so `_tile` writes the instructions of LLVM directly. Inputs that
are 0 in all positions of a tile are left out: of the features these are most, since positions that are
searched together are alike.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from cabochon.bots.evaluation import legal_actions_in_view
from cabochon.core.arrangement import action_elsewhere, arrange
from cabochon.core.box import BOXES
from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.observation import OBSERVATION_VERSION, observation_scales, observation_size, observe
from cabochon.core.state import ACTIONS, Array, State, copy_state
from cabochon.errors import CabochonError
from cabochon.version import RULES_VERSION

FORMAT = 1
FOLDER = "networks"
MOST_BYTES = 4_000_000  # of a file in the package
LEVELS_OF_INT8 = 127


def _tile_shape() -> tuple[int, int, int]:
    """How many positions, vectors and lanes a tile has, by the vector registers of this processor."""
    features = binding.get_host_cpu_features()
    if features.get("avx512f"):
        return 8, 3, 16  # 24 of 32 registers hold sums
    if features.get("avx"):
        return 6, 2, 8  # 12 of 16
    return 4, 4, 4


def _is_fused() -> bool:
    """Whether this processor adds a product in one instruction; asked here, lest the compiler choose case by case."""
    return bool(binding.get_host_cpu_features().get("fma")) or platform.machine() in ("arm64", "aarch64")


ROWS, VECTORS, LANES = _tile_shape()
IS_FUSED = _is_fused()
COLUMNS = VECTORS * LANES
FLOAT_BYTES = 4
INDEX_BYTES = 8


class NetworkError(CabochonError):
    """A file that is no network, or not one for what it is wanted for."""


class Layers(NamedTuple):
    """A network as compiled code reads it; each layer in tiles of COLUMNS units, padded with zeros."""

    weights: tuple[Array, ...]  # of each layer [tiles, inputs, COLUMNS]
    biases: tuple[Array, ...]  # [tiles * COLUMNS]


class Workspace(NamedTuple):
    """What a thread evaluates a batch of up to B positions with."""

    features: Array  # [B, features] int8: the observations
    inputs: Array  # [B, features] float32
    hidden: Array  # [2, B, widest layer]
    active: Array  # [B / ROWS, longest row]: the inputs of a layer that are not 0, by their numbers
    counts: Array  # [B / ROWS]: how many they are
    outputs: Array  # [B, last layer]: ACTIONS scores, then one for each seat


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _tile(
    typing_context: Any,
    inputs: Any,
    input_stride: Any,
    active: Any,
    count: Any,
    weights: Any,
    outputs: Any,
    output_stride: Any,
    biases: Any,
    has_relu: Any,
) -> Any:
    """Write one tile of a layer's outputs from its `count` active inputs; addresses and strides in bytes."""
    signature = types.void(*[types.intp] * 8, types.boolean)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        inputs, input_stride, active, count, weights, outputs, output_stride, biases, has_relu = arguments
        word = weights.type
        single = ir.FloatType()
        vector = ir.VectorType(single, LANES)
        lane = ir.IntType(32)
        lanes = ir.VectorType(lane, LANES)
        empty = ir.Constant(vector, ir.Undefined)
        zero = ir.Constant(vector, [0.0] * LANES)
        fused = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{LANES}f32"
        )

        def at(address: Any, offset: Any, kind: Any) -> Any:
            return builder.inttoptr(builder.add(address, offset), kind.as_pointer())

        def vector_at(address: Any, index: int) -> Any:
            return at(address, word(FLOAT_BYTES * LANES * index), vector)

        def add_product(total: Any, one: Any, other: Any) -> Any:
            if IS_FUSED:
                return builder.call(fused, [one, other, total])
            return builder.fadd(total, builder.fmul(one, other))

        first = [builder.load(vector_at(biases, index), align=FLOAT_BYTES) for index in range(VECTORS)]
        before = builder.block
        loop = builder.append_basic_block("tile.loop")
        after = builder.append_basic_block("tile.after")
        builder.cbranch(builder.icmp_signed(">", count, word(0)), loop, after)

        builder.position_at_end(loop)
        step = builder.phi(word)
        sums = [[builder.phi(vector) for _ in range(VECTORS)] for _ in range(ROWS)]
        number = builder.load(at(active, builder.mul(step, word(INDEX_BYTES)), word), align=INDEX_BYTES)
        weight_address = builder.add(weights, builder.mul(number, word(FLOAT_BYTES * COLUMNS)))
        columns = [builder.load(vector_at(weight_address, index), align=FLOAT_BYTES) for index in range(VECTORS)]
        row_address = builder.add(inputs, builder.mul(number, word(FLOAT_BYTES)))
        new_sums = []
        for row in range(ROWS):
            value = builder.load(builder.inttoptr(row_address, single.as_pointer()), align=FLOAT_BYTES)
            spread = builder.insert_element(empty, value, lane(0))
            spread = builder.shuffle_vector(spread, empty, ir.Constant(lanes, [0] * LANES))
            new_sums.append([add_product(old, spread, column) for old, column in zip(sums[row], columns, strict=True)])
            row_address = builder.add(row_address, input_stride)
        next_step = builder.add(step, word(1))
        step.add_incoming(word(0), before)
        step.add_incoming(next_step, loop)
        for row in range(ROWS):
            for index in range(VECTORS):
                sums[row][index].add_incoming(first[index], before)
                sums[row][index].add_incoming(new_sums[row][index], loop)
        builder.cbranch(builder.icmp_signed("<", next_step, count), loop, after)

        builder.position_at_end(after)
        totals = [[builder.phi(vector) for _ in range(VECTORS)] for _ in range(ROWS)]
        for row in range(ROWS):
            for index in range(VECTORS):
                totals[row][index].add_incoming(first[index], before)
                totals[row][index].add_incoming(new_sums[row][index], loop)
        row_address = outputs
        for row in range(ROWS):
            for index in range(VECTORS):
                total = totals[row][index]
                positive = builder.select(builder.fcmp_ordered(">", total, zero), total, zero)
                total = builder.select(has_relu, positive, total)
                builder.store(total, vector_at(row_address, index), align=FLOAT_BYTES)
            row_address = builder.add(row_address, output_stride)
        return context.get_dummy_value()

    return signature, generate


@jit
def _find_active(inputs: Array, depth: int, rows: int, active: Array, counts: Array) -> None:
    """List for each tile of rows the inputs that are not 0 in all of them; none is below 0."""
    for tile in range((rows + ROWS - 1) // ROWS):
        count = 0
        for index in range(depth):
            total = inputs[tile * ROWS, index]
            for row in range(1, ROWS):
                total += inputs[tile * ROWS + row, index]
            active[tile, count] = index
            count += int(total > 0)
        counts[tile] = count


@jit
def _compiled_layer(
    inputs: Array,
    weights: Array,
    biases: Array,
    outputs: Array,
    active: Array,
    counts: Array,
    rows: int,
    has_relu: bool,
) -> None:
    _find_active(inputs, weights.shape[1], rows, active, counts)
    for tile in range(weights.shape[0]):
        for row_tile in range((rows + ROWS - 1) // ROWS):
            _tile(
                inputs[row_tile * ROWS :].ctypes.data,
                inputs.strides[0],
                active[row_tile:].ctypes.data,
                counts[row_tile],
                weights[tile:].ctypes.data,
                outputs[row_tile * ROWS :, tile * COLUMNS :].ctypes.data,
                outputs.strides[0],
                biases[tile * COLUMNS :].ctypes.data,
                has_relu,
            )


def _interpreted_layer(
    inputs: Array,
    weights: Array,
    biases: Array,
    outputs: Array,
    active: Array,
    counts: Array,
    rows: int,
    has_relu: bool,
) -> None:
    matrix = weights.transpose(1, 0, 2).reshape(weights.shape[1], -1)
    sums = inputs[:rows, : weights.shape[1]] @ matrix + biases
    outputs[:rows, : matrix.shape[1]] = np.maximum(sums, 0) if has_relu else sums


_layer = _interpreted_layer if config.DISABLE_JIT else _compiled_layer


@jit
def evaluate(layers: Layers, workspace: Workspace, rows: int) -> None:
    """Turn the first `rows` of the features into outputs; the rows up to the next tile are garbage."""
    features, inputs, hidden, active, counts, outputs = workspace
    for row in range(rows):
        for index in range(features.shape[1]):
            inputs[row, index] = features[row, index]
    last = len(layers.weights) - 1
    _layer(inputs, layers.weights[0], layers.biases[0], hidden[0], active, counts, rows, True)
    for number in range(1, last):
        source, target = hidden[(number - 1) % 2], hidden[number % 2]
        _layer(source, layers.weights[number], layers.biases[number], target, active, counts, rows, True)
    source = hidden[(last - 1) % 2]
    _layer(source, layers.weights[last], layers.biases[last], outputs, active, counts, rows, False)


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
        rows = -(-batch // ROWS) * ROWS
        features = observation_size(self.players)
        widest = max(len(biases) for biases in self.layers.biases)
        return Workspace(
            features=np.zeros((rows, features), np.int8),
            inputs=np.zeros((rows, features), np.float32),
            hidden=np.zeros((2, rows, widest), np.float32),
            active=np.zeros((rows // ROWS, max(features, widest) + 1), np.int64),
            counts=np.zeros(rows // ROWS, np.int64),
            outputs=np.zeros((rows, len(self.layers.biases[-1])), np.float32),
        )

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


def _pack(matrix: Array, bias: Array) -> tuple[Array, Array]:
    """A layer's weights [inputs, units] in tiles, and its biases as long as the tiles."""
    inputs, units = matrix.shape
    tiles = -(-units // COLUMNS)
    padded = np.zeros((inputs, tiles * COLUMNS), np.float32)
    padded[:, :units] = matrix
    biases = np.zeros(tiles * COLUMNS, np.float32)
    biases[:units] = bias
    return np.ascontiguousarray(padded.reshape(inputs, tiles, COLUMNS).transpose(1, 0, 2)), biases


def from_matrices(
    variant: int, players: int, matrices: Sequence[tuple[Array, Array]], about: dict[str, Any]
) -> Network:
    """A network of layers given as weights [inputs, units] over scaled features, and biases [units]."""
    first, first_bias = matrices[0]
    scaled = [(first * observation_scales(players)[:, None], first_bias), *matrices[1:]]
    packed = [_pack(matrix, bias) for matrix, bias in scaled]
    layers = Layers(tuple(weights for weights, _ in packed), tuple(biases for _, biases in packed))
    return Network(variant, players, layers, about)


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
    file: Path | BinaryIO, variant: int, players: int, matrices: Sequence[tuple[Array, Array]], about: dict[str, Any]
) -> None:
    """Write a network's layers, rounded to int8, with what it is for and how it was made."""
    text = json.dumps({**_header(variant, players), **about})
    arrays: dict[str, Array] = {"about": np.frombuffer(text.encode(), np.uint8)}
    for number, (matrix, bias) in enumerate(matrices):
        factors = np.maximum(np.abs(matrix).max(axis=0), 1e-12) / LEVELS_OF_INT8
        arrays[f"weights{number}"] = np.rint(matrix / factors).astype(np.int8)
        arrays[f"factors{number}"] = factors.astype(np.float32)
        arrays[f"biases{number}"] = np.asarray(bias, np.float32)
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


def has_network(variant: int, players: int) -> bool:
    """Whether the package has a network for the game and number of players."""
    return bool(_resource(variant, players).is_file())


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
