"""The bots with a trained network: `policy`, which plays it bare, and `champion`, which searches with it.

The networks were trained with payments by default and without the house rule, and are asked about such games
alone: a wild kept is worth a coloured token kept, and more.
"""

from __future__ import annotations

import math
import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cabochon.bots.leaves import Leaves, Settings
from cabochon.bots.players import SearchBot
from cabochon.bots.protocol import Analysis, Answer, BotError, Candidate, Limit
from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.observation import observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, next_word, seed_stream
from cabochon.core.state import PAY, PAY_DONE, Array, State, copy_state
from cabochon.game import Game
from cabochon.nn.network import Network, shipped_network
from cabochon.nn.transformer import Buffers, Transformer, forward, policy_softmax, value_softmax
from cabochon.notation import Move
from cabochon.search.engine import WALKS, SearchEngine, Tree, absorb, collect
from cabochon.view import View

BATCH = 8  # new nodes at a time: nearly as fast as more of them, and few enough to search as if one by one
# The policy is surer than a search should be of which moves deserve a look. Futures become more, or a long search would
# learn a few of them by heart; but only where it comes by often, or it would not get far.
SETTINGS = Settings(
    exploration=0.6, futures=2.0, root_futures=8.0, growth=1 / 64, value_weight=2.0, prior_temperature=2.5
)


class PolicyBot:
    """The move that the network likes most, at once.

    A `temperature` above 0 draws the move by the network's probabilities, raised to the power 1 / temperature.
    """

    def __init__(self, temperature: float = 0.0) -> None:
        if not isinstance(temperature, int | float) or not 0 <= temperature < math.inf:
            raise BotError(f"expected a temperature of 0 or more, got {temperature!r}")
        self.temperature = temperature
        self._stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
        self.start(0)

    def start(self, seed: int) -> None:
        """Begin a game; the same seed makes the same choices."""
        seed_stream(self._stream, seed, 0)

    def choose(self, view: View, limit: Limit) -> Answer:
        """The network's choice; of several payments, the default one."""
        started = time.perf_counter()
        network = shipped_network(VARIANTS.index(view.variant), view.players)
        actions, policy, values = network.evaluate(_as_trained(view.state))
        action = PAY_DONE if view.state.phase == PAY else int(actions[self._index(policy)])
        move = Move(action, view.variant)
        win_probabilities = tuple(values.tolist())
        candidates = (Candidate(move, 1, win_probabilities),)
        return Answer(move, Analysis(win_probabilities, candidates, (move,), 1, time.perf_counter() - started))

    def _index(self, policy: Array) -> int:
        if self.temperature == 0:
            return int(np.argmax(policy))
        odds = np.exp(np.log(np.maximum(policy, 1e-30)) / self.temperature)
        point = next_word(self._stream) / 2**32 * float(odds.sum())
        return min(int(np.searchsorted(np.cumsum(odds), point, side="right")), len(odds) - 1)


def _as_trained(view: State) -> State:
    state = copy_state(view)
    state.automatic_payment = 1
    state.free_take = 0
    return state


class Advice(NamedTuple):
    """The network as the search asks it, for one thread."""

    transformer: Transformer
    buffers: Buffers


@jit
def fill_leaf(state: State, leaves: Leaves, row: int, outputs: Array, settings: Settings) -> None:
    """Fill a row of the leaves from what the network gave out for its state."""
    seat = int(state.seat)
    legal = int(leaves.counts[row])
    policy_softmax(outputs, leaves.actions[row], legal, settings.prior_temperature, leaves.priors[row])
    value_softmax(outputs, int(state.players), seat, leaves.values[row])
    for index in range(legal):
        leaves.guesses[row, index] = leaves.values[row, seat]


@jit
def advise(states: Any, leaves: Leaves, count: int, components: Components, settings: Settings, advice: Advice) -> None:
    """Fill the first `count` rows of the leaves from the network."""
    buffers = advice.buffers
    for row in range(count):
        state = states[leaves.nodes[row]]
        observe(state, components, int(state.seat), buffers.observations[row])
    forward(advice.transformer, buffers, count)
    for row in range(count):
        fill_leaf(states[leaves.nodes[row]], leaves, row, buffers.logits[row], settings)


@jit
def simulate_with_advice(
    tree: Tree, components: Components, settings: Settings, advice: Advice, simulations: int
) -> None:
    """Run so many simulations more, with as many new nodes at a time as the tree's leaves have room for."""
    left = simulations
    while left > 0:
        count = collect(tree, components, settings, left)
        if count > 0:
            advise(tree.states, tree.leaves, count, components, settings, advice)
            absorb(tree, count)
        left -= int(tree.counters[WALKS])


class NetworkEvaluation:
    """What the search knows of positions, from a network."""

    batch = BATCH

    def __init__(self, network: Network) -> None:
        self._advice = Advice(network.transformer, network.new_buffers(BATCH))

    def evaluate(self, tree: Tree, components: Components, settings: Settings, count: int) -> None:
        """Fill the first `count` rows of `tree.leaves`."""
        advise(tree.states, tree.leaves, count, components, settings, self._advice)

    def simulate(self, tree: Tree, components: Components, settings: Settings, simulations: int) -> None:
        """Run so many simulations more."""
        simulate_with_advice(tree, components, settings, self._advice, simulations)


@cache
def _compile_champion() -> None:
    """Think a little about a first position, so that nothing is compiled while a clock runs."""
    engine = ChampionBot()._new_engine(0, 2)
    for _ in range(2):  # the second time from the tree of the first
        engine.think(Game("splendor", seed=0).view(0).state, seconds=0.001)


class ChampionBot(SearchBot):
    """The tree search with policy and values from the network."""

    def _rehearse(self) -> None:
        _compile_champion()

    def _new_engine(self, variant: int, players: int) -> SearchEngine:
        network = shipped_network(variant, players)
        evaluations = [NetworkEvaluation(network) for _ in range(self.threads)]
        return SearchEngine(variant, players, seed=self._seed, settings=SETTINGS, evaluations=evaluations)

    def _position(self, view: View) -> State:
        return _as_trained(view.state)

    def choose(self, view: View, limit: Limit) -> Answer:
        """The move that the search answers with; of several payments, the default one."""
        if view.state.phase == PAY:
            return Answer(Move(PAY_DONE, view.variant))
        return super().choose(view, limit)
