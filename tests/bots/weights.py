"""Networks of random weights."""

from __future__ import annotations

import numpy as np

from cabochon.core.state import Array
from cabochon.nn.transformer import layer_shapes

Layers = list[tuple[Array, Array]]


def random_network(players: int, width: int = 64, blocks: int = 2, seed: int = 0) -> Layers:
    """The layers of a network with random weights."""
    generator = np.random.default_rng(seed)
    layers = [
        (
            generator.normal(0, 1 / np.sqrt(weights[0]), weights).astype(np.float32),
            generator.normal(0, 0.1, biases).astype(np.float32),
        )
        for weights, biases in layer_shapes(players, width, blocks)
    ]
    layers[0] = layers[0][0] * 3, layers[0][1] * 5
    return layers
