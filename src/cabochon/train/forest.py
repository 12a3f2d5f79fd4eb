"""A search tree for every game of a batch, grown side by side: the search of `search.engine` on a CPU or a GPU.

Every call does one thing in all trees. `plant` starts them from what the seats that decide know, `walk` goes down
each to a new node, `observe` writes the observations of these nodes, and `absorb` takes in what the network says of
them. The functions of the search are called as they are, in a loop over the trees or in a kernel with a thread each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cabochon.bots.champion import fill_leaf
from cabochon.bots.leaves import Leaves, Settings
from cabochon.core.cards import VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENT_ARRAYS, Components
from cabochon.core.information_set import hide
from cabochon.core.lockstep import observe_games
from cabochon.core.state import ACTIONS, STATE_DTYPE, Array, State
from cabochon.envs.batch import Batch
from cabochon.search.engine import Tree, absorb, collect, make_trees, plant

BLOCK = 64  # threads: few, so that the trees are spread over the whole GPU


@jit
def tree_of(trees: Tree, game: int) -> Tree:
    """The tree of one game."""
    leaves = trees.leaves
    return Tree(
        trees.states[game],
        trees.state_bytes[game],
        trees.node_seat[game],
        trees.node_visits[game],
        trees.node_first[game],
        trees.node_edges[game],
        trees.node_sibling[game],
        trees.node_sums[game],
        trees.edge_action[game],
        trees.edge_prior[game],
        trees.edge_guess[game],
        trees.edge_sum[game],
        trees.edge_visits[game],
        trees.edge_child[game],
        trees.edge_futures[game],
        trees.edge_is_chance[game],
        trees.edge_luck[game],
        trees.moved[game],
        trees.root_states[game],
        trees.root_bytes[game],
        trees.counters[game],
        trees.stream[game],
        Leaves(
            leaves.nodes[game],
            leaves.depths[game],
            leaves.path_nodes[game],
            leaves.path_edges[game],
            leaves.counts[game],
            leaves.actions[game],
            leaves.priors[game],
            leaves.guesses[game],
            leaves.values[game],
        ),
    )


@jit
def plant_tree(tree: Tree, state: State, components: Components, seed: int, index: int) -> int:
    """Begin a tree from what the seat that decides knows of the state."""
    tree.states[0] = state
    hide(tree.states[0], int(state.seat))
    return plant(tree, tree.states[0], components, seed, index)


@jit
def read_root(tree: Tree, trust: float, gains: Array, values: Array) -> None:
    """What each action gains over the mean [ACTIONS], and each seat's mean value [players].

    The mean of few visits is doubtful: `trust` visits more are counted that gained nothing.
    """
    for action in range(ACTIONS):
        gains[action] = 0.0
    for seat in range(len(values)):
        values[seat] = tree.node_sums[0, seat] / tree.node_visits[0]
    mean = values[tree.node_seat[0]]
    for edge in range(int(tree.node_edges[0])):
        action = int(tree.edge_action[edge])
        tried = float(tree.edge_visits[edge])
        gains[action] = (tree.edge_sum[edge] - tried * mean) / (tried + trust)


@jit
def plant_trees(
    first: int,
    last: int,
    trees: Tree,
    states: Array,
    component_arrays: Array,
    seed: int,
    planted: Array,
    waiting: Array,
) -> None:
    """Begin the trees first..last-1; tree number n is planted for the `planted[n]`th time."""
    for game in range(first, last):
        index = int(planted[game]) * len(planted) + game
        waiting[game] = plant_tree(tree_of(trees, game), states[game], component_arrays[0], seed, index)
        planted[game] += 1


@jit
def walk_trees(
    first: int,
    last: int,
    trees: Tree,
    component_arrays: Array,
    settings: Settings,
    leaf_states: Array,
    leaf_seats: Array,
    waiting: Array,
) -> None:
    """One simulation of each; `waiting` is 1 where there is a new node, whose state is copied."""
    for game in range(first, last):
        tree = tree_of(trees, game)
        waiting[game] = collect(tree, component_arrays[0], settings, 1)
        if waiting[game] != 0:
            leaf_states[game] = tree.states[tree.leaves.nodes[0]]
            leaf_seats[game] = leaf_states[game].seat


@jit
def absorb_outputs(first: int, last: int, trees: Tree, settings: Settings, waiting: Array, outputs: Array) -> None:
    """Take in the network's outputs [games, ACTIONS + players] where they are waited for."""
    for game in range(first, last):
        if waiting[game] != 0:
            tree = tree_of(trees, game)
            fill_leaf(tree.states[tree.leaves.nodes[0]], tree.leaves, 0, outputs[game], settings)
            absorb(tree, 1)


@jit
def read_roots(first: int, last: int, trees: Tree, trust: float, gains: Array, values: Array) -> None:
    """What the trees have found out."""
    for game in range(first, last):
        read_root(tree_of(trees, game), trust, gains[game], values[game])


@cache
def _kernel_of(function: Callable[..., None]) -> Any:
    """A CUDA kernel in which each thread calls the function for the tree of its number."""
    from cabochon.core.cuda_kernels import cuda

    def kernel(trees: int, arguments: tuple[Any, ...]) -> None:
        tree = cuda.grid(1)
        if tree < trees:
            function(tree, tree + 1, *arguments)

    return cuda.jit(kernel)


class Forest:
    """A tree for each game of the batch, with room for so many simulations, on the device of the batch."""

    def __init__(self, batch: Batch, simulations: int, settings: Settings, seed: int) -> None:
        self.batch = batch
        self._settings = settings
        self._seed = seed
        self._gpu: Any = None  # the module of kernels, where the batch is on a GPU
        if batch.device == "cuda":
            from cabochon.core import cuda_kernels

            self._gpu = cuda_kernels
        component_arrays = np.array(COMPONENT_ARRAYS[VARIANTS.index(batch.variant)])
        self._component_arrays = self._put(component_arrays)
        samples = int(settings.root_futures)
        self.trees = make_trees(self._make, simulations + 1, 1, samples, (batch.games,))
        self._leaf_states = self._put(np.zeros(batch.games, STATE_DTYPE))
        self._leaf_seats = self._put(np.zeros(batch.games, np.int8))
        self._waiting = self._put(np.zeros(batch.games, np.int8))
        self._planted = self._put(np.zeros(batch.games, np.int64))  # how often each tree was begun
        self.plant()  # or a first walk would follow whatever the memory of a GPU had in it

    def _make(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return np.zeros(shape, dtype) if self._gpu is None else self._gpu.cuda.device_array(shape, dtype)

    def _put(self, values: Array) -> Any:
        return values if self._gpu is None else self._gpu.cuda.to_device(values)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        games = self.batch.games
        if self._gpu is None:
            function(0, games, *arguments)
            return
        with self._gpu.without_advice():
            kernel = _kernel_of(function)[-(-games // BLOCK), BLOCK, self.batch.stream]
        kernel(games, arguments)

    def plant(self) -> None:
        """Begin every tree from what the seat that decides in its game knows; the roots wait for their values."""
        batch = self.batch
        self._call(
            plant_trees, self.trees, batch.states, self._component_arrays, self._seed, self._planted, self._waiting
        )

    def walk(self) -> None:
        """One simulation in every tree: most lead to a new node, which waits for its value."""
        self._call(
            walk_trees,
            self.trees,
            self._component_arrays,
            self._settings,
            self._leaf_states,
            self._leaf_seats,
            self._waiting,
        )

    def observe(self, out: Any) -> None:
        """Write the observations [games, features] of the nodes that wait; the rows of other trees are garbage."""
        kernels = self._gpu
        if kernels is None:
            observe_games(
                self._leaf_states, self._component_arrays, self._leaf_seats, np.asarray(out), 0, self.batch.games
            )
            return
        kernels.launch(
            kernels.observe_games_kernel,
            self.batch.games,
            self._component_arrays,
            self._leaf_states.view(np.int32),
            self._leaf_seats,
            self._array(out).view(np.int32),
            block=kernels.WARP * (self.batch.players + 1),
            games_in_block=kernels.WARP,
            stream=self.batch.stream,
            shared_bytes=kernels.observe_shared_bytes(self.batch.features),
        )

    def absorb(self, outputs: Any) -> None:
        """Give the nodes that wait what the network says of them: [games, ACTIONS + players]."""
        self._call(absorb_outputs, self.trees, self._settings, self._waiting, self._array(outputs))

    def read(self, trust: float, gains: Any, values: Any) -> None:
        """Write `gains` [games, ACTIONS] and the seats' `values` [games, players]; see `read_root`."""
        self._call(read_roots, self.trees, trust, self._array(gains), self._array(values))

    def _array(self, tensor: Any) -> Any:
        return np.asarray(tensor) if self._gpu is None else self._gpu.cuda.as_cuda_array(tensor)

    @property
    def planted(self) -> Array:
        """How often each tree was begun, which is all that a forest must know to go on exactly."""
        counts: Array = self._planted.copy() if self._gpu is None else self._planted.copy_to_host()
        return counts

    @planted.setter
    def planted(self, counts: Array) -> None:
        if self._gpu is None:
            self._planted[:] = counts
        else:
            self._planted.copy_to_device(counts)  # an assignment would launch a kernel, and warn that it is small
