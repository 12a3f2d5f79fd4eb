"""A network for one game and number of players: a position in, its policy and values out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from cabochon.core.canonical import canonicalize, translate_action
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import legal_actions_in_view
from cabochon.core.observation import observation_size, observe
from cabochon.core.state import ACTIONS, Array, State, copy_state
from cabochon.nn.transformer import (
    Buffers,
    Layers,
    Transformer,
    forward,
    new_buffers,
    pack,
    policy_softmax,
    value_softmax,
)
from cabochon.nn.weights import NetworkError, check, read, shipped_file


@dataclass(frozen=True)
class Network:
    """A network for one game and number of players, ready to be evaluated."""

    variant: int
    players: int
    transformer: Transformer
    about: dict[str, Any]  # how it was made

    @staticmethod
    def from_layers(variant: int, players: int, layers: Layers, about: dict[str, Any]) -> Network:
        """Pack the layers for this processor."""
        return Network(variant, players, pack(layers, players), about)

    @staticmethod
    def load(file: Path | BinaryIO, variant: int, players: int) -> Network:
        """Read a network from a file. Raises `NetworkError` for another game, number of players or version."""
        about, layers = read(file)
        check(about, layers, variant, players, file)
        return Network.from_layers(variant, players, layers, about)

    def new_buffers(self, batch: int) -> Buffers:
        """Return buffers for one thread and batches of at most this many positions."""
        return new_buffers(self.transformer, observation_size(self.players), batch)

    def evaluate(self, state: State) -> tuple[Array, Array, Array]:
        """Return the legal actions of a state or view, their probabilities, and the win probability of each seat.

        The network sees the position in its canonical order (`core.canonical`), as in training.
        """
        buffers = self.new_buffers(1)
        components = COMPONENTS[self.variant]
        canonical = copy_state(state)
        canonicalize(canonical)
        actions = np.zeros(ACTIONS, np.int64)
        count = legal_actions_in_view(canonical, components, actions)
        observe(canonical, components, int(state.seat), buffers.observations[0])
        forward(self.transformer, buffers, 1)
        policy = np.zeros(count)
        values = np.zeros(self.players)
        policy_softmax(buffers.logits[0], actions, count, 1.0, policy)
        value_softmax(buffers.logits[0], self.players, int(state.seat), values)
        translated = np.array([translate_action(int(action), canonical, state) for action in actions[:count]])
        order = np.argsort(translated)
        return translated[order], policy[order], values


@cache
def shipped_network(variant: int, players: int) -> Network:
    """Return the network in the package for the game and number of players."""
    file = shipped_file(variant, players)
    if not file.is_file():
        raise NetworkError(f"expected a network for {VARIANTS[variant]} with {players} players, found none")
    with resources.as_file(file) as path:
        return Network.load(path, variant, players)
