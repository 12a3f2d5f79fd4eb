"""The bots with a trained network: `policy`, which plays it bare, and `champion`, which searches with it."""

from __future__ import annotations

import math
import time

import numpy as np

from cabochon.bots.bot import Analysis, Answer, BotError, Candidate, Limit
from cabochon.bots.network import shipped_network
from cabochon.core.cards import VARIANTS
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, next_word, seed_stream
from cabochon.core.state import PAY, PAY_DONE, Array, State, copy_state
from cabochon.notation import Move
from cabochon.view import View


def _as_trained(view: State) -> State:
    """The view as the networks know it: payments by default, and no house rule."""
    state = copy_state(view)
    state.automatic_payment = 1
    state.free_take = 0
    return state


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
        actions, policy, values = network.think(_as_trained(view.state))
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
