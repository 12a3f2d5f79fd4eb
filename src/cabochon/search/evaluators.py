"""What judges positions for the search: one interface, a batch of positions in, priors and values out.

`NetworkEvaluator` asks a trained network, `HeuristicEvaluator` the plain evaluation that `greedy` plays by.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.observation import observe
from cabochon.core.state import ACTIONS, SEATS, STATE_DTYPE, Array
from cabochon.nn.transformer import Attention, Sight, evaluate
from cabochon.nn.weights import Network, read_policy, read_values
from cabochon.search.heuristic import HeuristicBuffers, heuristic_weights, new_buffers, value_actions

BATCH_SIZE = 8  # nearly as fast as larger batches, and small enough to search almost as if one by one
PRIOR_TEMPERATURE = 2.5  # above 1: the network's policy is surer than a search should be of which moves to look at
HEURISTIC_TEMPERATURE = 0.08  # of the priors, in probability of winning


class EvaluationBatch(NamedTuple):
    """B positions to evaluate, one in each row, and what the evaluator finds out about them."""

    states: Any  # [B] of STATE_DTYPE: canonical states or views, with a decision to make
    counts: Array  # [B] how many legal actions
    actions: Array  # [B, ACTIONS] the legal actions, ascending
    # The evaluator fills these:
    priors: Array  # [B, ACTIONS] of the legal actions, in the same order; they add up to 1
    values: Array  # [B, SEATS] each seat's probability of winning

    def first(self, count: int) -> EvaluationBatch:
        """The first `count` rows."""
        return EvaluationBatch(*(rows[:count] for rows in self))


def new_batch(rows: int, make: Callable[[tuple[int, ...], Any], Any] = np.zeros) -> EvaluationBatch:
    """An empty batch of so many rows, in arrays made by `make(shape, dtype)`."""
    return EvaluationBatch(
        states=make((rows,), STATE_DTYPE),
        counts=make((rows,), np.int32),
        actions=make((rows, ACTIONS), np.int64),
        priors=make((rows, ACTIONS), np.float32),
        values=make((rows, SEATS), np.float64),
    )


class Evaluator(Protocol):
    """What gives positions their priors and values. Each thread has its own."""

    @property
    def batch_size(self) -> int:
        """How many positions it wants at a time, at most."""

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Fill in the priors and values of every row."""


@jit
def read_outputs(batch: EvaluationBatch, row: int, outputs: Array, prior_temperature: float) -> None:
    """Fill in a row from the network's outputs [ACTIONS + players] for its position."""
    state = batch.states[row]
    read_policy(outputs, batch.actions[row], int(batch.counts[row]), prior_temperature, batch.priors[row])
    read_values(outputs, int(state.players), int(state.seat), batch.values[row])


@jit
def _evaluate_by_network(
    batch: EvaluationBatch, components: Array, network: Attention, buffers: Sight, prior_temperature: float
) -> None:
    count = len(batch.states)
    for row in range(count):
        state = batch.states[row]
        observe(state, components[0], int(state.seat), buffers.features[row])
    evaluate(network, buffers, count)
    for row in range(count):
        read_outputs(batch, row, buffers.outputs[row], prior_temperature)


class NetworkEvaluator:
    """Priors and values from a trained network."""

    def __init__(
        self, network: Network, batch_size: int = BATCH_SIZE, prior_temperature: float = PRIOR_TEMPERATURE
    ) -> None:
        self.batch_size = batch_size
        self._components = COMPONENT_ARRAYS[network.variant]
        self._network = network.attention
        self._buffers = network.new_sight(batch_size)
        self._prior_temperature = prior_temperature

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Fill in the priors and values of every row."""
        _evaluate_by_network(batch, self._components, self._network, self._buffers, self._prior_temperature)


@jit
def _evaluate_by_heuristic(
    batch: EvaluationBatch, components: Array, weights: Array, buffers: HeuristicBuffers, temperature: float
) -> None:
    """The better an action, the higher its prior; a position is worth what its best action is."""
    values = buffers.values
    for row in range(len(batch.states)):
        state = batch.states[row]
        seat = int(state.seat)
        count = value_actions(state, components[0], weights, buffers, buffers.actions, values)
        best = 0
        for index in range(1, count):
            if values[index, seat] > values[best, seat]:
                best = index
        total = 0.0
        for index in range(count):
            total += math.exp((values[index, seat] - values[best, seat]) / temperature)
        for index in range(count):
            batch.priors[row, index] = math.exp((values[index, seat] - values[best, seat]) / temperature) / total
        for each in range(int(state.players)):
            batch.values[row, each] = values[best, each]


class HeuristicEvaluator:
    """Priors and values from the linear evaluation of each action's result."""

    batch_size = BATCH_SIZE

    def __init__(self, variant: int) -> None:
        self._components = COMPONENT_ARRAYS[variant]
        self._weights = heuristic_weights(variant)
        self._buffers = new_buffers()

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Fill in the priors and values of every row."""
        _evaluate_by_heuristic(batch, self._components, self._weights, self._buffers, HEURISTIC_TEMPERATURE)
