"""The simulations of a Monte Carlo tree search: select, evaluate, expand, back up.

Every simulation descends from the root by PUCT, each seat choosing what is best for itself, and adds one node.
`select_batch` puts the new nodes into a batch, an evaluator fills in their priors and values (`search.evaluators`), and
`expand_batch` gives them their edges and backs their values up. Until then a visit on the path counts as a loss
(virtual loss), so that the next simulation of the same batch takes another path. `simulate` is the loop of all this.

An edge that reveals a card leads to a few sampled chance outcomes, which it visits in turn. If every visit were free to
reveal another card, no node would be visited twice. A view is not a state: each outcome of a root edge starts from one
of several determinizations of the view, so unknown reserved cards are just another source of chance.

Functions that Python calls take the components as an array [1], which numba accepts faster than a record.

These functions work on one tree. Training calls them for one tree per game (`train.batched_search`), on a CPU or a GPU.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from cabochon.core.canonical import canonicalize
from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.hidden_cards import determinize, legal_actions_in_view
from cabochon.core.random import WORD, next_word, seed_stream
from cabochon.core.rules import carry_out, outcome_values, reveal_at, settle, turn_up
from cabochon.core.state import ACTIONS, NOTHING, OVER, REVEAL, SEATS, Array, State
from cabochon.search.evaluators import EvaluationBatch, evaluate_rows
from cabochon.search.tree import MAX_DEPTH, Tree, hides_cards

GOLDEN = 0x9E3779B9  # the golden ratio of 32 bits: its multiples are spread evenly over them

# How a selection ends.
BLOCKED = 0  # at a node that waits for its evaluation
KNOWN = 1  # at a node whose value is known, which is backed up
NEW = 2  # at a new node, which is in the batch


class SearchSettings(NamedTuple):
    """The tuning parameters of the search. The defaults are those of `champion`."""

    exploration: float = 0.6  # the constant of PUCT
    outcomes: float = 2.0  # chance outcomes of an edge at its first visits: few, or the search would not get far
    root_outcomes: float = 8.0  # the same at the root
    outcomes_per_visit: float = 1 / 64  # more of them where the search comes often, or it would learn a few by heart
    first_play_visits: float = 1.0  # how many visits the first-play value of an edge counts for
    root_share: float = 0.1  # of the visits, spread evenly over all root edges
    value_weight: float = 2.0  # of a move's value in the choice of the answer; with 0 the most visited is chosen


@jit
def set_root(tree: Tree, view: State, components: Array, batch: EvaluationBatch, seed: int, index: int) -> int:
    """Empty the tree and make a view its root, with stream number `index` of the seed.

    The root is the one leaf, in the first row of the batch. Returns 1, or 0 if the view has no decision to make.
    """
    seed_stream(tree.stream, seed, index)
    counters = tree.counters[0]
    counters.nodes = 1
    counters.edges = 0
    counters.hides_cards = int(hides_cards(view))
    for sample in range(len(tree.root_states) if counters.hides_cards else 1):
        tree.root_states[sample] = view
        # A wild kept is worth at least a coloured token kept: the search does not choose payments.
        tree.root_states[sample].automatic_payment = 1
        determinize(tree.root_states[sample], tree.stream)
    tree.states[0] = view
    tree.states[0].automatic_payment = 1
    tree.nodes[0].sibling = 0
    tree.paths[0].depth = 0
    tree.paths[0].nodes[0] = 0
    _add_to_batch(tree, components[0], batch, 0, 0)
    return int(batch.counts[0] > 0)


@jit
def _add_to_batch(tree: Tree, components: Components, batch: EvaluationBatch, row: int, index: int) -> None:
    """Put a new node into a row of the batch; from now on, the node counts as visited."""
    batch.states[row] = tree.states[index]
    count = legal_actions_in_view(tree.states[index], components, batch.actions[row])
    batch.counts[row] = count
    counters = tree.counters[0]
    node = tree.nodes[index]
    node.seat = tree.states[index].seat
    node.first_edge = counters.edges
    node.edge_count = 0
    node.visits = 1
    for seat in range(SEATS):
        node.value_sums[seat] = 0.0
    counters.edges += count


@jit
def select_edge(tree: Tree, settings: SearchSettings, index: int) -> int:
    """Return the edge of a node with the highest upper bound by PUCT; at the root, each edge first gets its share."""
    node = tree.nodes[index]
    first = int(node.first_edge)
    count = int(node.edge_count)
    visits = int(node.visits)
    if index == 0:
        floor = int(settings.root_share * visits / count)  # whole, or the first visits would go to all edges in turn
        for edge in range(count):
            if tree.edges[edge].visits < floor:
                return edge
    scale = settings.exploration * math.sqrt(visits + 1.0)
    first_play_sum = settings.first_play_visits * node.first_play_value
    best = first
    best_bound = -1.0
    for edge in range(first, first + count):
        candidate = tree.edges[edge]
        visited = float(candidate.visits)
        value = (candidate.value_sum + first_play_sum) / (visited + settings.first_play_visits)
        bound = value + scale * candidate.prior / (1.0 + visited)
        if bound > best_bound:
            best = edge
            best_bound = bound
    return best


@jit
def sample_outcome(tree: Tree, components: Components, parent: int, edge_index: int) -> int:
    """Add a node for one more chance outcome of an edge, and return it; NOTHING if the tree is full.

    The cards that an edge reveals one after another are spread evenly over the deck, from a random place on. The mean
    of a few of them is closer to the mean of all cards than if each card were drawn independently.
    """
    counters = tree.counters[0]
    child = int(counters.nodes)
    if child >= len(tree.states) or counters.edges + ACTIONS > len(tree.edges):
        return NOTHING
    counters.nodes += 1
    edge = tree.edges[edge_index]
    outcomes = int(edge.outcomes)
    state = tree.states[child]
    if parent == 0:
        sample = outcomes % len(tree.root_states) if counters.hides_cards else 0
        tree.states[child] = tree.root_states[sample]
    else:
        tree.states[child] = tree.states[parent]
    carry_out(state, components, int(edge.action))
    if state.phase == REVEAL:
        edge.is_chance = 1
        if outcomes == 0:
            edge.first_draw = next_word(tree.stream)
        draw = int(edge.first_draw) + outcomes * GOLDEN
        turn_up(state, components, reveal_at(state, components, draw & WORD))
    settle(state, components)
    canonicalize(state)

    last = int(edge.child)
    if last == NOTHING:
        tree.nodes[child].sibling = child
    else:
        tree.nodes[child].sibling = tree.nodes[last].sibling
        tree.nodes[last].sibling = child
    edge.child = child
    edge.outcomes = outcomes + 1
    return child


@jit
def select(tree: Tree, components: Components, settings: SearchSettings, batch: EvaluationBatch, row: int) -> int:
    """Descend from the root to a node whose value is known, or to a new node, which is put into the row.

    Return BLOCKED, KNOWN or NEW.
    """
    path = tree.paths[row]
    node = 0
    depth = 0
    path.nodes[0] = 0
    while tree.nodes[node].seat != NOTHING and depth < MAX_DEPTH:
        if tree.nodes[node].edge_count == 0:
            for step in range(depth):
                tree.nodes[path.nodes[step]].visits -= 1
                tree.edges[path.edges[step]].visits -= 1
            return BLOCKED
        edge_index = select_edge(tree, settings, node)
        edge = tree.edges[edge_index]
        outcomes = int(edge.outcomes)
        allowed = 1.0
        if edge.is_chance:
            allowed = settings.root_outcomes if node == 0 else settings.outcomes
            allowed += settings.outcomes_per_visit * float(edge.visits)
        child = NOTHING
        if outcomes == 0 or outcomes + 1 <= allowed:
            child = sample_outcome(tree, components, node, edge_index)
            if child == NOTHING and outcomes == 0:  # the tree is full
                edge.visits += 1
                edge.value_sum += tree.nodes[node].first_play_value
                break
        is_new = child != NOTHING
        if not is_new:
            child = int(tree.nodes[edge.child].sibling)
            edge.child = child
        tree.nodes[node].visits += 1
        edge.visits += 1
        path.edges[depth] = edge_index
        depth += 1
        path.nodes[depth] = child
        path.depth = depth
        node = child
        if is_new:
            if tree.states[node].phase != OVER:
                _add_to_batch(tree, components, batch, row, node)
                return NEW
            tree.nodes[node].seat = NOTHING
            tree.nodes[node].edge_count = 0
            tree.nodes[node].visits = 0
            for seat in range(SEATS):
                tree.nodes[node].value_sums[seat] = 0.0
    path.depth = depth
    values = batch.values[row]
    if tree.nodes[node].visits == 0:
        outcome_values(tree.states[node], components, values)
    else:
        for seat in range(SEATS):
            values[seat] = tree.nodes[node].value_sums[seat] / tree.nodes[node].visits
    tree.nodes[node].visits += 1
    back_up(tree, row, values)
    return KNOWN


@jit
def select_batch(
    tree: Tree, components: Array, settings: SearchSettings, batch: EvaluationBatch, wanted: int
) -> tuple[int, int]:
    """Begin at most this many simulations. Return how many new nodes are in the batch, and how many simulations began.

    It stops early when the batch is full, or when a simulation comes to a node that is itself in the batch.
    """
    count = 0
    simulations = 0
    while simulations < wanted and count < len(batch.states):
        end = select(tree, components[0], settings, batch, count)
        if end == BLOCKED:
            break
        simulations += 1
        count += int(end == NEW)
    return count, simulations


@jit
def expand(tree: Tree, batch: EvaluationBatch, row: int) -> None:
    """Give the leaf of a row its edges, with the priors of the batch."""
    leaf = int(tree.paths[row].nodes[tree.paths[row].depth])
    node = tree.nodes[leaf]
    count = int(batch.counts[row])
    node.edge_count = count
    node.first_play_value = batch.values[row, node.seat]
    is_chance = int(leaf == 0 and tree.counters[0].hides_cards != 0)
    for index in range(count):
        edge = tree.edges[int(node.first_edge) + index]
        edge.action = batch.actions[row, index]
        edge.prior = batch.priors[row, index]
        edge.value_sum = 0.0
        edge.visits = 0
        edge.child = NOTHING
        edge.outcomes = 0
        edge.is_chance = is_chance


@jit
def back_up(tree: Tree, row: int, values: Array) -> None:
    """Add the seats' values to all nodes and edges of a path; its visits are already counted."""
    path = tree.paths[row]
    depth = int(path.depth)
    leaf = tree.nodes[path.nodes[depth]]
    for seat in range(SEATS):
        leaf.value_sums[seat] += values[seat]
    for step in range(depth):
        node = tree.nodes[path.nodes[step]]
        for seat in range(SEATS):
            node.value_sums[seat] += values[seat]
        tree.edges[path.edges[step]].value_sum += values[node.seat]


@jit
def expand_batch(tree: Tree, batch: EvaluationBatch, count: int) -> None:
    """Expand the leaves of the first `count` rows, which have been evaluated, and back their values up."""
    for row in range(count):
        expand(tree, batch, row)
        back_up(tree, row, batch.values[row])


@jit
def simulate(
    tree: Tree, components: Array, settings: SearchSettings, batch: EvaluationBatch, evaluator: Any, simulations: int
) -> None:
    """The loop of the search: run so many simulations, batch by batch."""
    left = simulations
    while left > 0:
        count, begun = select_batch(tree, components, settings, batch, left)
        if count > 0:
            evaluate_rows(evaluator, batch, count)
            expand_batch(tree, batch, count)
        left -= begun


@jit
def add_root_statistics(tree: Tree, value_sums: Array, visits: Array) -> None:
    """Add the values [ACTIONS, SEATS] and visits [ACTIONS] of the children of each root edge."""
    for index in range(int(tree.nodes[0].edge_count)):
        child = int(tree.edges[index].child)
        for _ in range(int(tree.edges[index].outcomes)):
            child = int(tree.nodes[child].sibling)
            visits[index] += tree.nodes[child].visits
            for seat in range(SEATS):
                value_sums[index, seat] += tree.nodes[child].value_sums[seat]
