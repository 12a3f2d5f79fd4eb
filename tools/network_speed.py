"""How fast the networks are evaluated on this machine, beside NumPy and beside what its arithmetic allows.

    python tools/network_speed.py

Positions come from games that the network plays against itself. `alike` are successive positions of a game, as a
search has them, `mixed` those of different games; `dense` are made up, for a network without weights below 0, so that
no input of any layer is 0 and nothing can be left out. The best of many short runs counts, since machines are shared.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

import cabochon
from cabochon.bots.layers import pack
from cabochon.bots.network import Network, evaluate, read, shipped_network
from cabochon.core.cards import SPLENDOR
from cabochon.core.observation import observation_highs
from cabochon.core.state import ACTIONS, Array
from cabochon.envs import Batch

NETWORK = Path(cabochon.__file__).parent / "bots/networks/splendor-2.npz"
GAMES = 64
STEPS = 40
ALIKE = 8  # successive positions of one game
REPEATS = 200


def positions(network: Network) -> Array:
    """Observations [STEPS, GAMES, features] of self-play."""
    batch = Batch("splendor", network.players, GAMES, seed=1, dtype="int8", payment="automatic", arranged=True)
    workspace = network.new_workspace(GAMES)
    found = []
    for _ in range(STEPS):
        workspace.features[:] = batch.observe()
        found.append(workspace.features.copy())
        evaluate(network.form, workspace, GAMES)
        batch.step(np.where(batch.masks, workspace.outputs[:, :ACTIONS], -np.inf).argmax(axis=1))
    return np.array(found)


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
    network = shipped_network(SPLENDOR, 2)
    played = positions(network)
    _, matrices = read(NETWORK)
    work = 2 * sum(weights.size for weights, _ in matrices)
    late = played[STEPS - ALIKE :]
    positive = pack([(np.abs(weights), np.abs(biases)) for weights, biases in matrices], observation_highs(2))
    kinds = {
        "alike": (network.form, late.transpose(1, 0, 2).reshape(-1, late.shape[2])),
        "mixed": (network.form, late[0]),
        "dense": (positive, np.ones_like(late[0])),
    }

    def by_numpy(features: Array) -> Array:
        activity = features.astype(np.float32)
        for weights, biases in matrices[:-1]:
            activity = np.maximum(activity @ weights + biases, 0)
        weights, biases = matrices[-1]
        outputs: Array = activity @ weights + biases
        return outputs

    print(f"{work / 1e6:.2f} million operations an evaluation")
    for kind, (layers, rows) in kinds.items():
        for size in (1, 8, 64):
            workspace = network.new_workspace(size)
            workspace.features[:size] = rows[:size]
            ours = size / best_seconds(partial(evaluate, layers, workspace, size))
            numpys = size / best_seconds(partial(by_numpy, rows[:size]))
            print(
                f"{kind}, {size} at a time: {ours:,.0f} a second ({ours * work / 1e9:.0f} billion operations a second "
                f"if none were left out), NumPy {numpys:,.0f}"
            )
    workspaces = [network.new_workspace(64) for _ in range(2)]
    for workspace in workspaces:
        workspace.features[:64] = kinds["alike"][1][:64]
    with ThreadPoolExecutor(2) as pool:
        both = best_seconds(lambda: list(pool.map(lambda w: evaluate(network.form, w, 64), workspaces)))
    print(f"alike, 64 at a time on two threads: {128 / both:,.0f} a second")


if __name__ == "__main__":
    main()
