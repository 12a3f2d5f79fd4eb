"""Evaluation of a network: the share of games that its policy, without search, wins against a fixed opponent.

Many games are played in lockstep on one core. This module needs no PyTorch, so that another process can play while a
GPU learns. It calls the compiled functions one by one, as the bots do: a compiled loop around them would take longer to
compile than the games take.
"""

from __future__ import annotations

import numpy as np

from cabochon.core.canonical import canonicalize
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import hide, legal_actions_in_view
from cabochon.core.observation import observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from cabochon.core.rules import deal, outcome_values, play_action
from cabochon.core.state import ACTIONS, OVER, SEATS, Array, State, new_states
from cabochon.nn.network import Network
from cabochon.nn.transformer import Layers, best_action, forward
from cabochon.search.heuristic import heuristic_weights, new_buffers, value_actions

OPPONENTS = ("random", "greedy")
LOCKSTEP = 64  # games that share a batch of the network


class Trial:
    """Games of a network against opponents of one kind. Each deal is played once from every seat."""

    def __init__(self, network: Network, opponent: str, seed: int) -> None:
        if opponent not in OPPONENTS:
            raise ValueError(f"expected an opponent of {', '.join(OPPONENTS)}, got {opponent!r}")
        self._network = network
        self._is_greedy = opponent == "greedy"
        self._seed = seed
        self._components = COMPONENTS[network.variant]
        self._weights = heuristic_weights(network.variant)
        self._buffers = network.new_buffers(LOCKSTEP)
        self._heuristic_buffers = new_buffers()
        self._actions = np.zeros(ACTIONS, np.int64)
        self._values = np.zeros((ACTIONS, SEATS))
        self._views = new_states(1)

    def play(self, first: int, count: int) -> float:
        """How many of `count` games, starting with number `first`, the network wins; shared victories count in part."""
        network, components = self._network, self._components
        states = new_states(count)
        streams = np.zeros((count, STREAM_WORDS), STREAM_DTYPE)
        seats = [number % network.players for number in range(first, first + count)]
        for game in range(count):
            seed_stream(streams[game], self._seed, (first + game) // network.players)
            deal(states[game], components, network.players, 0, 1, streams[game])
            canonicalize(states[game])
        going = list(range(count))
        while going:
            for game in going:  # until the network's next decision
                while states[game].phase != OVER and int(states[game].seat) != seats[game]:
                    self._play(states[game], self._opponents_choice(states[game], streams[game]), streams[game])
            going = [game for game in going if states[game].phase != OVER]
            for row, game in enumerate(going):
                observe(states[game], components, seats[game], self._buffers.observations[row])
            if going:
                forward(network.transformer, self._buffers, len(going))
            for row, game in enumerate(going):
                legal = legal_actions_in_view(states[game], components, self._actions)
                action = best_action(self._buffers.logits[row], self._actions, legal)
                self._play(states[game], action, streams[game])
        won = 0.0
        for game in range(count):
            outcome_values(states[game], components, self._values[0])
            won += float(self._values[0, seats[game]])
        return won

    def _play(self, state: State, action: int, stream: Array) -> None:
        """Take an action, and keep the position in its canonical order, as in training."""
        play_action(state, self._components, action, stream)
        canonicalize(state)

    def _opponents_choice(self, state: State, stream: Array) -> int:
        seat = int(state.seat)
        if not self._is_greedy:
            legal = legal_actions_in_view(state, self._components, self._actions)
            return int(self._actions[random_below(stream, legal)])
        self._views[0] = state
        view = self._views[0]
        hide(view, seat)
        legal = value_actions(
            view, self._components, self._weights, self._heuristic_buffers, self._actions, self._values
        )
        return int(self._actions[int(np.argmax(self._values[:legal, seat]))])


def win_share(network: Network, opponent: str, games: int, seed: int) -> float:
    """The share of games that the policy wins against opponents of one kind, from all seats equally often."""
    trial = Trial(network, opponent, seed)
    return sum(trial.play(first, min(LOCKSTEP, games - first)) for first in range(0, games, LOCKSTEP)) / games


def win_shares(variant: int, players: int, layers: Layers, games: int, seed: int) -> dict[str, float]:
    """The win shares of a network with these layers against each opponent."""
    network = Network.from_layers(variant, players, layers, {})
    return {opponent: win_share(network, opponent, games, seed) for opponent in OPPONENTS}
