"""The search tree: its arrays of nodes and edges, its root, and its reuse between turns.

A node is a decision and keeps the state before it. Its edges are the legal actions, next to each other in one array.
An edge that reveals a card has several children, one for each chance outcome sampled so far; they form a ring. A child
always comes after its parent. All states of the tree are canonical (`core.canonical`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cabochon.core.compilation import jit
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.state import ACTIONS, HAND, NOTHING, SEATS, STATE_DTYPE, UNKNOWN, Array, State, copy_state

MAX_DEPTH = 256  # edges on a path; the decisions of one round are at most 20
ROOT_SAMPLES = 64  # states sampled for a root that hides cards
EDGES_PER_NODE = 32  # for which there is room, on average


RecordArray = NDArray[np.record]


def _record(*fields: tuple[Any, ...]) -> np.dtype[Any]:
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


NODE_DTYPE = _record(
    ("value_sums", np.float32, (SEATS,)),  # of the values backed up through it, for each seat
    ("visits", np.int32),
    ("first_edge", np.int32),
    ("sibling", np.int32),  # the next chance outcome of the same edge, in a ring
    ("first_play_value", np.float32),  # first-play urgency: what its unvisited edges are taken to be worth
    ("edge_count", np.int16),  # 0 until it is expanded
    ("seat", np.int8),  # who decides; NOTHING where the game is over
)

EDGE_DTYPE = _record(
    ("first_draw", np.int64),  # 32 bits: where in the deck the card of its first outcome lies
    ("visits", np.int32),
    ("value_sum", np.float32),  # of the values backed up through it, for the seat that decides
    ("prior", np.float32),
    ("child", np.int32),  # the outcome visited last, or NOTHING
    ("outcomes", np.int16),  # chance outcomes sampled so far: its number of children
    ("action", np.int8),
    ("is_chance", np.int8),  # 1: it can have several outcomes
)

PATH_DTYPE = _record(
    ("depth", np.int32),  # edges between the root and the leaf
    ("nodes", np.int32, (MAX_DEPTH + 1,)),  # the first is the root, the one at `depth` the leaf
    ("edges", np.int32, (MAX_DEPTH,)),
)

# `hides_cards` is 1 if the root is a view with unknown cards.
COUNTERS_DTYPE = _record(("nodes", np.int32), ("edges", np.int32), ("hides_cards", np.int8))


class Tree(NamedTuple):
    """One tree in preallocated arrays: N nodes, E edges, B leaves evaluated at a time, S states of the root."""

    states: RecordArray  # [N] of STATE_DTYPE; node 0 is the root
    nodes: RecordArray  # [N] of NODE_DTYPE
    edges: RecordArray  # [E] of EDGE_DTYPE
    paths: RecordArray  # [B] of PATH_DTYPE, to the leaves that wait for their evaluation
    root_states: RecordArray  # [S] of STATE_DTYPE: states that the view at the root allows
    counters: RecordArray  # [1] of COUNTERS_DTYPE
    stream: Array  # [STREAM_WORDS] of the random generator


def new_tree(
    nodes: int,
    batch_size: int,
    root_samples: int = ROOT_SAMPLES,
    make: Callable[[tuple[int, ...], Any], Any] = np.zeros,
    trees: tuple[int, ...] = (),
) -> Tree:
    """Return an empty tree for at most `nodes` nodes, evaluated in batches of at most `batch_size`.

    `make(shape, dtype)` makes the arrays. With `trees=(n,)` each array has one more dimension in front, for n trees.
    """
    edges = nodes * EDGES_PER_NODE + ACTIONS  # a node is added only while there is room for all actions
    return Tree(
        states=make((*trees, nodes), STATE_DTYPE),
        nodes=make((*trees, nodes), NODE_DTYPE),
        edges=make((*trees, edges), EDGE_DTYPE),
        paths=make((*trees, batch_size), PATH_DTYPE),
        root_states=make((*trees, root_samples), STATE_DTYPE),
        counters=make((*trees, 1), COUNTERS_DTYPE),
        stream=make((*trees, STREAM_WORDS), STREAM_DTYPE),
    )


@jit
def hides_cards(view: State) -> bool:
    """Whether a view has cards that its seat does not know."""
    for seat in range(SEATS):
        for place in range(HAND):
            if view.hand[seat, place] <= UNKNOWN:
                return True
    return False


def find_node(tree: Tree, view: State) -> int:
    """The most visited node whose state equals the view, or NOTHING."""
    count = int(tree.counters[0].nodes)
    if count == 0 or hides_cards(view):
        return NOTHING
    wanted = copy_state(view)
    wanted.automatic_payment = 1
    words = tree.states[:count].view(np.int64).reshape(count, -1)
    found = np.arange(count)
    for column, word in enumerate(np.frombuffer(wanted.tobytes(), np.int64)):
        found = found[words[found, column] == word]
    if len(found) == 0:
        return NOTHING
    return int(found[tree.nodes["visits"][found].argmax()])


@jit
def move_root(tree: Tree, root: int) -> None:
    """Make a node the root, and keep only what is below it."""
    counters = tree.counters[0]
    all_nodes = int(counters.nodes)
    new_index = np.full(all_nodes, NOTHING, np.int32)
    new_index[root] = 0
    nodes = edges = 0
    for old in range(root, all_nodes):
        if new_index[old] == NOTHING:
            continue
        new_index[old] = nodes
        first = int(tree.nodes[old].first_edge)
        tree.states[nodes] = tree.states[old]
        tree.nodes[nodes] = tree.nodes[old]
        tree.nodes[nodes].first_edge = edges
        for edge in range(first, first + int(tree.nodes[nodes].edge_count)):
            tree.edges[edges] = tree.edges[edge]
            last = int(tree.edges[edges].child)
            edges += 1
            child = last
            while child != NOTHING:  # mark all outcomes as kept
                new_index[child] = 0
                child = int(tree.nodes[child].sibling)
                if child == last:
                    child = NOTHING
        nodes += 1
    tree.nodes[0].sibling = root
    for node in range(nodes):
        tree.nodes[node].sibling = new_index[tree.nodes[node].sibling]
    for edge in range(edges):
        if tree.edges[edge].child != NOTHING:
            tree.edges[edge].child = new_index[tree.edges[edge].child]
    counters.nodes = nodes
    counters.edges = edges
    counters.hides_cards = 0
    tree.root_states[0] = tree.states[0]
