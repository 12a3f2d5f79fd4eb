"""Networks of random weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cabochon.bots.pieces import pieces_of
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
    pieces = pieces_of(players)
    of_block = [(width, 3 * width), (width, width), (width, 2 * width), (2 * width, width)]
    shapes = [(len(pieces.columns), width), *of_block * blocks, (width, pieces.said)]
    layers = [
        (
            generator.normal(0, 1 / np.sqrt(inputs), (inputs, units)).astype(np.float32),
            generator.normal(0, 0.1, units).astype(np.float32),
        )
        for inputs, units in shapes
    ]
    layers[0] = layers[0][0] * 3, generator.normal(0, 0.5, (len(pieces.group_names), width)).astype(np.float32)
    return layers
