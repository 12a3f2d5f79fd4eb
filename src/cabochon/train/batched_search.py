"""The search in every game of a batch at once, on a CPU or a GPU: one tree per game, one simulation at a time.

`set_roots` begins the trees from what the seats that decide know, `select` goes down each tree to a new node, `observe`
writes the observations of these nodes, and `expand` takes what the network says about them. The functions are those
of `search.mcts`, called in a loop over the trees or in a kernel with one thread per tree.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.hidden_cards import hide
from cabochon.core.lockstep import observe_games
from cabochon.core.observation import Observations
from cabochon.core.state import ACTIONS, Array
from cabochon.envs.batch import Batch
from cabochon.search.evaluators import PRIOR_TEMPERATURE, EvaluationBatch, new_batch, read_logits
from cabochon.search.mcts import SearchSettings, expand_batch, select_batch, set_root
from cabochon.search.tree import Tree, new_tree

BLOCK = 64  # threads: few, so that the trees are spread over the whole GPU


@jit
def tree_of(trees: Tree, game: int) -> Tree:
    """The tree of one game."""
    states, nodes, edges, paths, root_states, counters, stream = trees
    return Tree(states[game], nodes[game], edges[game], paths[game], root_states[game], counters[game], stream[game])


@jit
def row_of(rows: EvaluationBatch, game: int) -> EvaluationBatch:
    """The row of one game as a batch of its own."""
    states, counts, actions, priors, values = rows
    row = slice(game, game + 1)
    return EvaluationBatch(states[row], counts[row], actions[row], priors[row], values[row])


@jit
def set_roots(
    first: int,
    last: int,
    trees: Tree,
    rows: EvaluationBatch,
    states: Array,
    components: Array,
    seed: int,
    searches: Array,
    is_new: Array,
) -> None:
    """Begin the trees first..last-1 from what the seat that decides knows; `searches` counts how often each began."""
    for game in range(first, last):
        index = int(searches[game]) * len(searches) + game
        searches[game] += 1
        tree = tree_of(trees, game)
        tree.states[0] = states[game]
        hide(tree.states[0], int(states[game].seat))
        is_new[game] = set_root(tree, tree.states[0], components, row_of(rows, game), seed, index)


@jit
def select_leaves(
    first: int,
    last: int,
    trees: Tree,
    rows: EvaluationBatch,
    components: Array,
    settings: SearchSettings,
    seats: Array,
    is_new: Array,
) -> None:
    """Begin one simulation in each tree; `is_new` is 1 where it leads to a new node, which is in the row."""
    for game in range(first, last):
        count, _ = select_batch(tree_of(trees, game), components, settings, row_of(rows, game), 1)
        is_new[game] = count
        if count != 0:
            seats[game] = rows.states[game].seat


@jit
def expand_leaves(
    first: int, last: int, trees: Tree, rows: EvaluationBatch, prior_temperature: float, is_new: Array, logits: Array
) -> None:
    """Expand the new nodes with the network's logits [games, ACTIONS + players], and back their values up."""
    for game in range(first, last):
        if is_new[game] != 0:
            row = row_of(rows, game)
            read_logits(row, 0, logits[game], prior_temperature)
            expand_batch(tree_of(trees, game), row, 1)


@jit
def read_root(tree: Tree, trust: float, gains: Array, values: Array) -> None:
    """Write what each action gains over the mean [ACTIONS], and each seat's mean value [players].

    The mean of a few visits is unreliable, so `trust` visits without any gain are added to those of each action.
    """
    root = tree.nodes[0]
    for action in range(ACTIONS):
        gains[action] = 0.0
    for seat in range(len(values)):
        values[seat] = root.value_sums[seat] / root.visits
    mean = values[root.seat]
    for index in range(int(root.edge_count)):
        edge = tree.edges[index]
        visits = float(edge.visits)
        gains[int(edge.action)] = (edge.value_sum - visits * mean) / (visits + trust)


@jit
def read_roots(first: int, last: int, trees: Tree, trust: float, gains: Array, values: Array) -> None:
    """Write the results of the searches; see `read_root`."""
    for game in range(first, last):
        read_root(tree_of(trees, game), trust, gains[game], values[game])


@cache
def _kernel_of(function: Callable[..., None]) -> Any:
    """A CUDA kernel in which each thread calls the function for one tree."""
    from cabochon.core.cuda_kernels import cuda

    def kernel(trees: int, arguments: tuple[Any, ...]) -> None:
        tree = cuda.grid(1)
        if tree < trees:
            function(tree, tree + 1, *arguments)

    return cuda.jit(kernel)


class BatchedSearch:
    """A tree for each game of a batch, with room for so many simulations, on the device of the batch."""

    def __init__(self, batch: Batch, simulations: int, settings: SearchSettings, seed: int) -> None:
        self.batch = batch
        self._settings = settings
        self._seed = seed
        self._gpu: Any = None  # the module of kernels, if the batch is on a GPU
        if batch.device == "cuda":
            from cabochon.core import cuda_kernels

            self._gpu = cuda_kernels
        self._components = self._put(np.array(COMPONENT_ARRAYS[VARIANTS.index(batch.variant)]))
        self.trees = new_tree(simulations + 1, 1, int(settings.root_outcomes), self._make, (batch.games,))
        self._rows = new_batch(batch.games, self._make)  # the row of each tree's leaf
        self._seats = self._put(np.zeros(batch.games, np.int8))  # who decides at the leaf
        self._is_new = self._put(np.zeros(batch.games, np.int8))  # 1 where the leaf waits for its evaluation
        self._searches = self._put(np.zeros(batch.games, np.int64))
        self.set_roots()  # a selection in the unset memory of a GPU would end anywhere

    def _make(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return np.zeros(shape, dtype) if self._gpu is None else self._gpu.cuda.device_array(shape, dtype)

    def _put(self, values: Array) -> Any:
        return values if self._gpu is None else self._gpu.cuda.to_device(values)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        games = self.batch.games
        if self._gpu is None:
            function(0, games, *arguments)
            return
        with self._gpu.without_occupancy_warnings():
            kernel = _kernel_of(function)[-(-games // BLOCK), BLOCK, self.batch.stream]
        kernel(games, arguments)

    def set_roots(self) -> None:
        """Begin every tree from what the seat that decides in its game knows; the roots wait for their evaluation."""
        game = (self.batch.states, self._components, self._seed)
        self._call(set_roots, self.trees, self._rows, *game, self._searches, self._is_new)

    def select(self) -> None:
        """Begin one simulation in every tree: most lead to a new node, which waits for its evaluation."""
        self._call(select_leaves, self.trees, self._rows, self._components, self._settings, self._seats, self._is_new)

    def observe(self, out: Any) -> None:
        """Write the observations [games, features] of the nodes that wait; other rows have no meaning."""
        kernels = self._gpu
        if kernels is None:
            rows = Observations(np.asarray(out))
            observe_games(self._rows.states, self._components, self._seats, rows, 0, self.batch.games)
            return
        kernels.launch(
            kernels.observe_games_kernel,
            self.batch.games,
            self._components,
            self._rows.states.view(np.int32),
            self._seats,
            self._array(out).view(np.int32),
            block=kernels.WARP * (self.batch.players + 1),
            games_in_block=kernels.WARP,
            stream=self.batch.stream,
            shared_bytes=kernels.observe_shared_bytes(self.batch.features),
        )

    def expand(self, logits: Any) -> None:
        """Expand the nodes that wait with the network's logits [games, ACTIONS + players]; back their values up."""
        self._call(expand_leaves, self.trees, self._rows, PRIOR_TEMPERATURE, self._is_new, self._array(logits))

    def read_roots(self, trust: float, gains: Any, values: Any) -> None:
        """Write `gains` [games, ACTIONS] and the seats' `values` [games, players]; see `read_root`."""
        self._call(read_roots, self.trees, trust, self._array(gains), self._array(values))

    def _array(self, tensor: Any) -> Any:
        return np.asarray(tensor) if self._gpu is None else self._gpu.cuda.as_cuda_array(tensor)

    @property
    def searches(self) -> Array:
        """How often each tree has begun: all that is needed to continue exactly."""
        counts: Array = self._searches.copy() if self._gpu is None else self._searches.copy_to_host()
        return counts

    @searches.setter
    def searches(self, counts: Array) -> None:
        if self._gpu is None:
            self._searches[:] = counts
        else:
            self._searches.copy_to_device(counts)
