"""Evaluators of positions for the search, with one interface: a batch of positions in, priors and values out.

`NetworkEvaluator` uses a trained network, `HeuristicEvaluator` the heuristic evaluation that `greedy` uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numba.extending import overload

from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.observation import observe
from cabochon.core.state import ACTIONS, SEATS, STATE_DTYPE, Array
from cabochon.nn.network import Network
from cabochon.nn.transformer import Buffers, Transformer, best_action, forward, policy_softmax, value_softmax
from cabochon.search.heuristic import HeuristicBuffers, Weights, heuristic_weights, new_buffers, value_actions

BATCH_SIZE = 8  # nearly as fast as larger batches, and small enough to search almost as if one by one
PRIOR_TEMPERATURE = 2.5  # above 1: the network's policy is more certain than priors of a search should be
HEURISTIC_TEMPERATURE = 0.08  # of the priors, in win probability
ALL_INDICES = np.arange(ACTIONS)


class EvaluationBatch(NamedTuple):
    """B positions to evaluate, one in each row, and the evaluator's results."""

    states: Any  # [B] of STATE_DTYPE: canonical states or views, with a decision to make
    counts: Array  # [B] how many legal actions
    actions: Array  # [B, ACTIONS] the legal actions, ascending
    # The evaluator fills these:
    priors: Array  # [B, ACTIONS] of the legal actions, in the same order; they add up to 1
    values: Array  # [B, SEATS] each seat's probability of winning

    def first(self, count: int) -> EvaluationBatch:
        """Return the first `count` rows."""
        return EvaluationBatch(*(rows[:count] for rows in self))


def new_batch(rows: int, make: Callable[[tuple[int, ...], Any], Any] = np.zeros) -> EvaluationBatch:
    """Return an empty batch with this many rows, in arrays made by `make(shape, dtype)`."""
    return EvaluationBatch(
        states=make((rows,), STATE_DTYPE),
        counts=make((rows,), np.int32),
        actions=make((rows, ACTIONS), np.int64),
        priors=make((rows, ACTIONS), np.float32),
        values=make((rows, SEATS), np.float64),
    )


class Evaluator(Protocol):
    """Gives positions their priors and values. Each thread has its own evaluator."""

    @property
    def batch_size(self) -> int:
        """The maximum number of positions in a batch."""

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Fill in the priors and values of every row."""


class CompiledEvaluator:
    """An evaluator whose code becomes part of the compiled loop, where calls cost nothing.

    `data` is a NamedTuple of what that code needs; its class says which of the functions in `COMPILED` it is.
    """

    def __init__(self, batch_size: int, data: Any) -> None:
        self.batch_size = batch_size
        self.data = data

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Fill in the priors and values of every row."""
        COMPILED[type(self.data)](self.data, batch, len(batch.states))


def evaluate_rows(evaluator: Any, batch: EvaluationBatch, count: int) -> None:
    """Let the evaluator evaluate the first `count` rows. Compiled code passes the data of a compiled evaluator."""
    evaluator.evaluate(batch.first(count))


@overload(evaluate_rows)  # type: ignore[untyped-decorator]  # numba has no types
def _compile_evaluate_rows(evaluator: Any, batch: Any, count: Any) -> Any:
    function = COMPILED[evaluator.instance_class]

    def implementation(evaluator: Any, batch: Any, count: Any) -> None:
        function(evaluator, batch, count)

    return implementation


class NetworkData(NamedTuple):
    """What a network evaluator needs, for one thread."""

    components: Array  # [1]
    transformer: Transformer
    buffers: Buffers
    prior_temperature: float


@jit
def read_logits(batch: EvaluationBatch, row: int, logits: Array, prior_temperature: float) -> None:
    """Fill in a row from the network's logits [ACTIONS + players] for its position."""
    state = batch.states[row]
    policy_softmax(logits, batch.actions[row], int(batch.counts[row]), prior_temperature, batch.priors[row])
    value_softmax(logits, int(state.players), int(state.seat), batch.values[row])


@jit
def evaluate_by_network(data: NetworkData, batch: EvaluationBatch, count: int) -> None:
    """Fill in the first `count` rows from the network's policy and values."""
    for row in range(count):
        state = batch.states[row]
        observe(state, data.components[0], int(state.seat), data.buffers.observations[row])
    forward(data.transformer, data.buffers, count)
    for row in range(count):
        read_logits(batch, row, data.buffers.logits[row], data.prior_temperature)


class NetworkEvaluator(CompiledEvaluator):
    """Priors and values from a trained network."""

    def __init__(
        self, network: Network, batch_size: int = BATCH_SIZE, prior_temperature: float = PRIOR_TEMPERATURE
    ) -> None:
        components = COMPONENT_ARRAYS[network.variant]
        buffers = network.new_buffers(batch_size)
        super().__init__(batch_size, NetworkData(components, network.transformer, buffers, prior_temperature))


class HeuristicData(NamedTuple):
    """What a heuristic evaluator needs, for one thread."""

    components: Array  # [1]
    weights: Weights  # [FEATURES]
    buffers: HeuristicBuffers


@jit
def evaluate_by_heuristic(data: HeuristicData, batch: EvaluationBatch, count: int) -> None:
    """Fill in the first `count` rows: the better an action, the higher its prior; the best is the position's value."""
    buffers = data.buffers
    values = buffers.values
    for row in range(count):
        state = batch.states[row]
        seat = int(state.seat)
        legal = value_actions(state, data.components[0], data.weights, buffers, buffers.actions, values)
        policy_softmax(values[:, seat], ALL_INDICES, legal, HEURISTIC_TEMPERATURE, batch.priors[row])
        best = best_action(values[:, seat], ALL_INDICES, legal)
        for each in range(int(state.players)):
            batch.values[row, each] = values[best, each]


class HeuristicEvaluator(CompiledEvaluator):
    """Priors and values from the heuristic evaluation of where each action leads."""

    def __init__(self, variant: int, batch_size: int = BATCH_SIZE) -> None:
        data = HeuristicData(COMPONENT_ARRAYS[variant], heuristic_weights(variant), new_buffers())
        super().__init__(batch_size, data)


COMPILED: dict[type, Callable[[Any, EvaluationBatch, int], None]] = {
    NetworkData: evaluate_by_network,
    HeuristicData: evaluate_by_heuristic,
}
