"""Files of trained networks: their format, what they are for, and the ones in the package.

A file (.npz) has for each layer n, in the order of `nn.transformer.Layers`, `weights{n}` [inputs, outputs] as int16,
one float32 scale for each output in `factors{n}`, and the float32 `biases{n}`. Its `about` is JSON: the game, number of
players and versions that the network is for, and how it was made.
"""

from __future__ import annotations

import json
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cabochon.core.cards import VARIANTS
from cabochon.core.observation import OBSERVATION_VERSION, observation_size
from cabochon.core.state import Array
from cabochon.errors import CabochonError
from cabochon.nn.encoding import ENTITIES_VERSION
from cabochon.nn.transformer import HEADS, Layers, count_blocks, layer_shapes
from cabochon.version import RULES_VERSION

FORMAT = 2
WEIGHT_LEVELS = 2**15 - 1  # a weight in a file is from -32767 to 32767
FOLDER = "networks"
MAX_BYTES = 4_000_000  # of a file in the package


class NetworkError(CabochonError):
    """The file is not a network, or it is for another game, number of players or version."""


def _header(variant: int, players: int) -> dict[str, Any]:
    """Return what a network file must say about itself to be usable here."""
    return {
        "format": FORMAT,
        "game": VARIANTS[variant],
        "players": players,
        "rules": RULES_VERSION,
        "observation": OBSERVATION_VERSION,
        "features": observation_size(players),
        "pieces": ENTITIES_VERSION,  # the name of entities in the files
    }


def save(file: Path | BinaryIO, variant: int, players: int, layers: Layers, about: dict[str, Any]) -> None:
    """Quantize the layers of a network, and write them with what the network is for and how it was made."""
    text = json.dumps({**_header(variant, players), **about})
    arrays: dict[str, Array] = {"about": np.frombuffer(text.encode(), np.uint8)}
    for number, (weights, biases) in enumerate(layers):
        scales = np.maximum(np.abs(weights).max(axis=0), 1e-12) / WEIGHT_LEVELS
        arrays[f"weights{number}"] = np.rint(weights / scales).astype(np.int16)
        arrays[f"factors{number}"] = scales.astype(np.float32)
        arrays[f"biases{number}"] = np.asarray(biases, np.float32)
    # NumPy's stub takes every keyword for its flag `allow_pickle`.
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def read(file: Path | BinaryIO) -> tuple[dict[str, Any], list[tuple[Array, Array]]]:
    """Return the `about` of a file, and its layers dequantized to float32."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            about = json.loads(arrays["about"].tobytes())
            layers = [
                (arrays[f"weights{number}"].astype(np.float32) * arrays[f"factors{number}"], arrays[f"biases{number}"])
                for number in range(sum(name.startswith("weights") for name in arrays.files))
            ]
    except (KeyError, ValueError, OSError) as error:
        raise NetworkError(f"expected a network file, got {file}: {error}") from error
    return about, layers


def check(about: dict[str, Any], layers: Layers, variant: int, players: int, file: Path | BinaryIO) -> None:
    """Refuse a network for another game, number of players or version, or with layers of the wrong shapes."""
    for key, expected in _header(variant, players).items():
        if about.get(key) != expected:
            raise NetworkError(f"expected a network with {key} {expected!r}, got {key} {about.get(key)!r} in {file}")
    width, blocks = (layers[0][0].shape[1], count_blocks(layers)) if layers else (0, 0)
    shapes = [(weights.shape, biases.shape) for weights, biases in layers]
    if shapes != layer_shapes(players, width, blocks) or width % HEADS:
        raise NetworkError(f"expected layers of {blocks} blocks of {width} units, got other shapes in {file}")


def shipped_file(variant: int, players: int) -> Traversable:
    """Return the file in the package for the game and number of players."""
    return resources.files("cabochon.nn").joinpath(FOLDER, f"{VARIANTS[variant]}-{players}.npz")
