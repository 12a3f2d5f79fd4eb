"""How fast a network is evaluated on this machine, beside NumPy and beside what its arithmetic allows.

    OPENBLAS_NUM_THREADS=1 python tools/network_speed.py

Positions come from games that the network plays against itself: `alike` are successive positions of a game, as a search
has them, `mixed` those of different games. The best of many short runs counts, since machines are shared. Operations
are those of the products of the layers, two for each weight and piece on the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from cabochon.core.cards import SPLENDOR
from cabochon.core.observation import observation_scales
from cabochon.core.state import ACTIONS, Array
from cabochon.envs import Batch
from cabochon.nn.encoding import pieces_of
from cabochon.nn.transformer import HEADS, LAYERS_OF_BLOCK, MARGIN, evaluate
from cabochon.nn.weights import Matrices, Network, read, resource, shipped_network

PLAYERS = 2
GAMES = 64
STEPS = 40
ALIKE = 8  # successive positions of one game
REPEATS = 200


def positions(network: Network) -> Array:
    """Observations [STEPS, GAMES, features] of self-play."""
    batch = Batch("splendor", network.players, GAMES, seed=1, dtype="int8", payment="automatic", arranged=True)
    sight = network.new_sight(GAMES)
    found = []
    for _ in range(STEPS):
        sight.features[:] = batch.observe()
        found.append(sight.features.copy())
        evaluate(network.attention, sight, GAMES)
        batch.step(np.where(batch.masks, sight.outputs[:, :ACTIONS], -np.inf).argmax(axis=1))
    return np.array(found)


def _normal(rows: Array) -> Array:
    normal: Array = rows / np.sqrt((rows**2).mean(axis=-1, keepdims=True) + np.float32(MARGIN))
    return normal


def by_numpy(matrices: Matrices, observations: Array) -> Array:
    """What the network gives out, by NumPy in float32."""
    pieces = pieces_of(PLAYERS)
    scaled = np.pad(observations * observation_scales(PLAYERS), ((0, 0), (0, 1)))[:, pieces.features]
    absent = np.where((scaled != 0).any(axis=-1), np.float32(0), np.float32(-1e4))[:, None, None, :]
    (first, group_biases), *blocks, (last, last_biases) = matrices
    numbers = scaled @ first + group_biases[pieces.groups]
    for start in range(0, len(blocks), LAYERS_OF_BLOCK):
        asking, mixing, thinking, keeping = blocks[start : start + LAYERS_OF_BLOCK]
        asked = _normal(numbers) @ asking[0] + asking[1]
        questions, answers, held = asked.reshape(*numbers.shape[:2], 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
        looks = np.exp(questions @ answers.transpose(0, 1, 3, 2) / np.float32(np.sqrt(held.shape[-1])) + absent)
        mixed = (looks / looks.sum(axis=-1, keepdims=True)) @ held
        numbers = numbers + mixed.transpose(0, 2, 1, 3).reshape(numbers.shape) @ mixing[0] + mixing[1]
        thought = np.maximum(_normal(numbers) @ thinking[0] + thinking[1], 0)
        numbers = numbers + thought @ keeping[0] + keeping[1]
    said = _normal(numbers) @ last + last_biases
    outputs: Array = said[:, pieces.output_pieces, pieces.output_columns]
    return outputs


def best_seconds(function: Callable[[], object]) -> float:
    """The shortest of many runs."""
    best = np.inf
    for _ in range(REPEATS):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


def main() -> None:
    """Measure and print."""
    network = shipped_network(SPLENDOR, PLAYERS)
    with resource(SPLENDOR, PLAYERS).open("rb") as file:
        _, matrices = read(file)
    late = positions(network)[STEPS - ALIKE :]
    kinds = {"alike": late.transpose(1, 0, 2).reshape(-1, late.shape[2]), "mixed": late[0]}
    weights = sum(matrix.size for matrix, _ in matrices)
    for kind, rows in kinds.items():
        for size in (1, 8, 64):
            sight = network.new_sight(size)
            sight.features[:size] = rows[:size]
            ours = size / best_seconds(partial(evaluate, network.attention, sight, size))
            numpys = size / best_seconds(partial(by_numpy, matrices, rows[:size]))
            present = np.pad(rows[:size], ((0, 0), (0, 1)))[:, pieces_of(PLAYERS).features].any(axis=2).sum() / size
            work = 2 * weights * present
            print(
                f"{kind}, {size} at a time: {ours:,.0f} a second ({present:.1f} pieces, {work / 1e6:.1f} million "
                f"operations, {ours * work / 1e9:.0f} billion a second), NumPy {numpys:,.0f}"
            )
    sights = [network.new_sight(64) for _ in range(2)]
    for sight in sights:
        sight.features[:64] = kinds["alike"][:64]
    with ThreadPoolExecutor(2) as pool:
        both = best_seconds(lambda: list(pool.map(lambda w: evaluate(network.attention, w, 64), sights)))
    print(f"alike, 64 at a time on two threads: {128 / both:,.0f} a second")


if __name__ == "__main__":
    main()
