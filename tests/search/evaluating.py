"""Simple evaluators and engines for tests."""

from __future__ import annotations

import numpy as np

from cabochon.core.components import COMPONENTS
from cabochon.core.state import State
from cabochon.nn.network import shipped_network
from cabochon.search import EvaluationBatch, Evaluator, HeuristicEvaluator, NetworkEvaluator, SearchEngine
from cabochon.search.engine import SearchWorker
from cabochon.search.heuristic import heuristic_weights, new_buffers, value_actions
from cabochon.search.mcts import SearchSettings

SMALL_TREE = 1 << 12
BUFFERS = new_buffers()  # after `greedy`: the values of the legal actions


def greedy(view: State) -> int:
    """The action with the best value by the plain evaluation."""
    variant = int(view.variant)
    count = value_actions(
        view, COMPONENTS[variant], heuristic_weights(variant), BUFFERS, BUFFERS.actions, BUFFERS.values
    )
    return int(BUFFERS.actions[BUFFERS.values[:count, view.seat].argmax()])


class UniformEvaluator:
    """Knows nothing: all actions are alike, and so are the seats."""

    def __init__(self, batch_size: int = 1) -> None:
        self.batch_size = batch_size
        self.sizes: list[int] = []

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Check the batch and fill it in."""
        self.sizes.append(len(batch.states))
        for state, count, actions, priors, values in zip(*batch, strict=True):
            assert (np.diff(actions[:count]) > 0).all()
            priors[:count] = 1 / count
            values[: state.players] = 1 / state.players


class LastActionEvaluator:
    """All but knows that the last action is the best, and values all positions alike."""

    batch_size = 1

    def evaluate(self, batch: EvaluationBatch) -> None:
        """Fill in the batch."""
        for row, count in enumerate(batch.counts):
            batch.priors[row, :count] = 0.1 / count
            batch.priors[row, count - 1] = 0.9
            batch.values[row] = 0.5


def heuristic_engine(
    state: State, threads: int = 1, seed: int = 0, settings: SearchSettings | None = None, tree_nodes: int = SMALL_TREE
) -> SearchEngine:
    """An engine for the game of a state, with the plain evaluation."""
    evaluators = [HeuristicEvaluator(int(state.variant)) for _ in range(threads)]
    return SearchEngine(int(state.variant), int(state.players), evaluators, settings, seed, tree_nodes)


def network_engine(state: State, threads: int = 1) -> SearchEngine:
    """An engine for the game of a state, with its network."""
    network = shipped_network(int(state.variant), int(state.players))
    evaluators = [NetworkEvaluator(network) for _ in range(threads)]
    return SearchEngine(int(state.variant), int(state.players), evaluators, tree_nodes=SMALL_TREE)


def engine_with(evaluator: Evaluator, state: State) -> SearchEngine:
    """An engine for the game of a state, in one thread."""
    return SearchEngine(int(state.variant), int(state.players), [evaluator], tree_nodes=SMALL_TREE)


def rooted(state: State, evaluator: Evaluator, settings: SearchSettings | None = None) -> SearchWorker:
    """One tree with a state as its root."""
    thread = SearchWorker(int(state.variant), evaluator, settings or SearchSettings(), SMALL_TREE, seed=0, index=0)
    thread.set_root(state)
    return thread
