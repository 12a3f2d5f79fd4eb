"""Networks of random weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cabochon.bots.attention import shapes_of
from cabochon.core.observation import observation_size
from cabochon.core.state import ACTIONS, Array

Matrices = list[tuple[Array, Array]]


def random_layers(players: int, widths: tuple[int, ...] = (70, 50, 33), seed: int = 0) -> Matrices:
    """A plain stack of layers."""
    generator = np.random.default_rng(seed)
    sizes = (observation_size(players), *widths, ACTIONS + players)
    return [
        (
            generator.normal(0, 1.4 / np.sqrt(inputs), (inputs, units)).astype(np.float32),
            generator.normal(0, 0.1, units).astype(np.float32),
        )
        for inputs, units in pairwise(sizes)
    ]


def random_attention(players: int, width: int = 64, blocks: int = 2, seed: int = 0) -> Matrices:
    """Attention over the pieces on the table."""
    generator = np.random.default_rng(seed)
    layers = [
        (
            generator.normal(0, 1 / np.sqrt(weights[0]), weights).astype(np.float32),
            generator.normal(0, 0.1, biases).astype(np.float32),
        )
        for weights, biases in shapes_of(players, width, blocks)
    ]
    layers[0] = layers[0][0] * 3, layers[0][1] * 5
    return layers
