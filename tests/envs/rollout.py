"""A short rollout of random actions in a batch, as one hash over everything that it shows.

Run as a module in a process of its own, so that the same games can be played compiled, interpreted, and in
numba's simulator of a GPU.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cabochon.core.state import Array
from cabochon.envs import Batch

Snapshot = dict[str, Array]

SHOWN = ("states", "streams", "choices", "episodes", "seats", "masks", "dones", "values", "places")


def on_cpu(array: Any) -> Array:
    """An array of a batch as NumPy's."""
    return np.asarray(array.copy_to_host() if hasattr(array, "copy_to_host") else array)


def rollout(
    variant: str,
    players: int,
    games: int,
    steps: int,
    device: str,
    canonical: bool,
    restart: bool = True,
    snapshot: Snapshot | None = None,
) -> str:
    """A hash of all arrays after the deal, and of both kinds of observations and all arrays after every step.

    The steps continue from the snapshot, or from the deal if omitted.
    """
    batch = Batch(variant, players, games, seed=3, device=device, canonical=canonical, restart=restart)
    small = batch._backend.put(np.zeros((games, batch.features), dtype=np.int8))
    total = hashlib.sha256()
    total.update(b"".join(on_cpu(getattr(batch, name)).tobytes() for name in SHOWN))
    if snapshot is not None:
        batch.restore(snapshot)
    for _ in range(steps):
        actions = batch.sample()
        shown = [batch.observe(), batch.observe(small), actions]
        total.update(b"".join(on_cpu(array).tobytes() for array in shown))
        batch.step(actions)
        total.update(b"".join(on_cpu(getattr(batch, name)).tobytes() for name in SHOWN))
    batch.check()
    return total.hexdigest()


if __name__ == "__main__":
    variant, players, games, steps, device, canonical, path = sys.argv[1:]
    start = pickle.loads(Path(path).read_bytes())
    print(rollout(variant, int(players), int(games), int(steps), device, canonical == "canonical", snapshot=start))
