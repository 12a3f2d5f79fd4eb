"""Monte Carlo tree search for games of chance, hidden cards and two to four seats.

The tree has a node for each decision, with the state before it, and an edge for each legal action. An
edge where a card is revealed leads to several nodes, its futures, of which the search draws a few and
then takes them in turn: were every visit free to reveal another card, no node would ever be seen twice.
The seat's own view has no state; each future of a root edge starts from one of several states that the
view allows, so that unknown reserves are just one more chance. All states of the tree are arranged
(`core.canonical`); what the search answers is about the table as the view has it.

Every simulation walks down by PUCT, each seat choosing what is best for itself, and adds one node. `collect`
lays such new nodes into a batch, an evaluation fills it (`cabochon.bots.leaves`), and `absorb` hands the values
up the paths. While a node waits for its value, its path counts as visited and lost, so that the next walk of the
same batch takes another.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from cabochon.bots.evaluation import network_weights, outcome_values, policy_parameters
from cabochon.bots.leaves import (
    DEPTH,
    Bench,
    Knowledge,
    Leaves,
    Settings,
    evaluate_leaves,
    make_leaves,
    new_bench,
)
from cabochon.core.canonical import canonicalize, translate_action
from cabochon.core.compilation import jit
from cabochon.core.components import COMPONENTS, Components
from cabochon.core.information_set import determinize, legal_actions_in_view
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, WORD, next_word, seed_stream
from cabochon.core.rules import carry_out, deal, reveal_at, settle, turn_up
from cabochon.core.state import (
    ACTIONS,
    BUY,
    BUY_HAND,
    CHOOSE_TILE,
    HAND,
    NOTHING,
    OVER,
    PASS,
    PAY_WILD,
    RESERVE,
    RESERVE_BLIND,
    REVEAL,
    SEATS,
    STATE_DTYPE,
    UNKNOWN,
    Array,
    State,
    copy_state,
    new_states,
)

LINE_VISITS = 8  # of a node for its best action to be part of the expected line
GOLDEN = 0x9E3779B9  # of 32 bits, what the golden ratio is of 1: its multiples are spread evenly over them
UNVISITED = 1e-9  # visits of an edge that has none, where they divide
STATES = 64  # states drawn for the futures of the root edges, where the view hides something


# The counters of a tree.
NODES = 0
EDGES = 1
HIDES = 2  # 1: the view hides cards
WALKS = 3  # of the last call of `collect`
COUNTERS = 4

# How a walk ends.
BLOCKED = 0  # at a node that waits for its value
KNOWN = 1  # where the value is known
NEW = 2


class Tree(NamedTuple):
    """One search tree on preallocated arrays, for N nodes and E edges. Node 0 is the root."""

    states: Any  # [N] states before the decision
    state_bytes: Array  # [N, bytes] the same
    node_seat: Array  # [N] who decides; NOTHING where the game is over
    node_visits: Array  # [N]
    node_first: Array  # [N] its first edge
    node_edges: Array  # [N] how many; 0 until it is valued
    node_sibling: Array  # [N] the next future of the same edge, in a ring
    node_sums: Array  # [N, SEATS] of the values that went through it
    edge_action: Array  # [E]
    edge_prior: Array  # [E]
    edge_guess: Array  # [E] the first guess at the value for the seat that decides
    edge_sum: Array  # [E] of the values for the seat that decides
    edge_visits: Array  # [E]
    edge_child: Array  # [E] the future visited last, or NOTHING
    edge_futures: Array  # [E] how many have been drawn
    edge_is_chance: Array  # [E] whether there can be more than one
    edge_luck: Array  # [E] 32 bits: where in the deck its first card lies
    moved: Array  # [N] where a node goes when the root moves, or NOTHING
    root_states: Any  # [samples] states that the view allows
    root_bytes: Array  # [samples, bytes] the same
    counters: Array  # [COUNTERS]
    stream: Array
    leaves: Leaves


def make_trees(
    make: Callable[[tuple[int, ...], Any], Any], nodes: int, batch: int, samples: int, trees: tuple[int, ...] = ()
) -> Tree:
    """Arrays for trees of so many nodes, so many new ones at a time and states of a root, as `make(shape, dtype)`.

    `trees` is the shape of the whole: () is one tree, and (n,) makes every array longer by one dimension.
    """
    edges = nodes * 32 + ACTIONS  # a node is added only while there is room for all actions

    def of(shape: tuple[int, ...], dtype: Any) -> Any:
        return make(trees + shape, dtype)

    states = of((nodes,), STATE_DTYPE)
    root_states = of((samples,), STATE_DTYPE)
    return Tree(
        states=states,
        state_bytes=states.view(np.uint8).reshape(*trees, nodes, -1),
        node_seat=of((nodes,), np.int8),
        node_visits=of((nodes,), np.int32),
        node_first=of((nodes,), np.int32),
        node_edges=of((nodes,), np.int16),
        node_sibling=of((nodes,), np.int32),
        node_sums=of((nodes, SEATS), np.float32),
        moved=of((nodes,), np.int32),
        edge_action=of((edges,), np.int8),
        edge_prior=of((edges,), np.float32),
        edge_guess=of((edges,), np.float32),
        edge_sum=of((edges,), np.float32),
        edge_visits=of((edges,), np.int32),
        edge_child=of((edges,), np.int32),
        edge_futures=of((edges,), np.int16),
        edge_is_chance=of((edges,), np.int8),
        edge_luck=of((edges,), STREAM_DTYPE),
        root_states=root_states,
        root_bytes=root_states.view(np.uint8).reshape(*trees, samples, -1),
        counters=of((COUNTERS,), np.int64),
        stream=of((STREAM_WORDS,), STREAM_DTYPE),
        leaves=make_leaves(of, batch),
    )


def _new_array(shape: tuple[int, ...], dtype: Any) -> Any:
    return new_states(shape[0]) if dtype is STATE_DTYPE else np.zeros(shape, dtype)


def new_tree(nodes: int, batch: int = 1) -> Tree:
    """An empty tree for so many nodes, and so many new ones at a time; the memory is used only as it grows."""
    return make_trees(_new_array, nodes, batch, STATES)


@jit
def _hides_cards(view: State) -> bool:
    for seat in range(SEATS):
        for place in range(HAND):
            if view.hand[seat, place] <= UNKNOWN:
                return True
    return False


@jit
def _await_value(tree: Tree, components: Components, node: int, row: int, depth: int) -> None:
    """Lay a node, which counts as visited from now on, into a row of the leaves."""
    leaves = tree.leaves
    state = tree.states[node]
    count = legal_actions_in_view(state, components, leaves.actions[row])
    leaves.nodes[row] = node
    leaves.depths[row] = depth
    leaves.counts[row] = count
    tree.node_seat[node] = state.seat
    tree.node_first[node] = tree.counters[EDGES]
    tree.node_edges[node] = 0
    tree.node_visits[node] = 1
    for seat in range(SEATS):
        tree.node_sums[node, seat] = 0.0
    tree.counters[EDGES] += count


@jit
def plant(tree: Tree, view: State, components: Components, seed: int, index: int) -> int:
    """Begin the tree anew from a view, with the stream number `index` of the seed; the root is the one leaf.

    Returns the number of leaves to evaluate and absorb: 1, or 0 where the view has no decision to take.
    """
    seed_stream(tree.stream, seed, index)
    tree.counters[NODES] = 1
    tree.counters[EDGES] = 0
    hides = _hides_cards(view)
    tree.counters[HIDES] = int(hides)
    for sample in range(len(tree.root_states) if hides else 1):
        tree.root_states[sample] = view
        # A wild kept is worth a coloured token kept, and more: below the root, payment is no choice.
        tree.root_states[sample].automatic_payment = 1
        determinize(tree.root_states[sample], tree.stream)
    tree.states[0] = view
    tree.states[0].automatic_payment = 1
    tree.node_sibling[0] = 0
    _await_value(tree, components, 0, 0, 0)
    return int(tree.leaves.counts[0] > 0)


@jit
def find_node(tree: Tree, view: State) -> int:
    """The most visited node below the root that the view is the whole state of, or NOTHING."""
    best = NOTHING
    if _hides_cards(view):
        return best
    tree.root_states[0] = view
    tree.root_states[0].automatic_payment = 1
    wanted = tree.root_bytes[0]
    for node in range(1, int(tree.counters[NODES])):
        if tree.node_seat[node] != view.seat or (best != NOTHING and tree.node_visits[node] <= tree.node_visits[best]):
            continue
        found = tree.state_bytes[node]
        at = 0
        while at < len(wanted) and found[at] == wanted[at]:
            at += 1
        if at == len(wanted):
            best = node
    return best


@jit
def move_root(tree: Tree, root: int) -> None:
    """Keep only what is below the node, which becomes the root. A child always comes after its parent."""
    nodes = int(tree.counters[NODES])
    moved = tree.moved
    for node in range(root, nodes):
        moved[node] = NOTHING
    moved[root] = 0
    kept_nodes = 0
    kept_edges = 0
    for node in range(root, nodes):
        if moved[node] == NOTHING:
            continue
        to = kept_nodes
        kept_nodes += 1
        moved[node] = to
        first = int(tree.node_first[node])
        count = int(tree.node_edges[node])
        tree.states[to] = tree.states[node]
        tree.node_seat[to] = tree.node_seat[node]
        tree.node_visits[to] = tree.node_visits[node]
        tree.node_first[to] = kept_edges
        tree.node_edges[to] = count
        tree.node_sibling[to] = tree.node_sibling[node]
        for seat in range(SEATS):
            tree.node_sums[to, seat] = tree.node_sums[node, seat]
        for edge in range(first, first + count):
            tree.edge_action[kept_edges] = tree.edge_action[edge]
            tree.edge_prior[kept_edges] = tree.edge_prior[edge]
            tree.edge_guess[kept_edges] = tree.edge_guess[edge]
            tree.edge_sum[kept_edges] = tree.edge_sum[edge]
            tree.edge_visits[kept_edges] = tree.edge_visits[edge]
            tree.edge_child[kept_edges] = tree.edge_child[edge]
            tree.edge_futures[kept_edges] = tree.edge_futures[edge]
            tree.edge_is_chance[kept_edges] = tree.edge_is_chance[edge]
            tree.edge_luck[kept_edges] = tree.edge_luck[edge]
            kept_edges += 1
            last = int(tree.edge_child[edge])
            if last != NOTHING:
                child = int(tree.node_sibling[last])
                moved[child] = 0
                while child != last:
                    child = int(tree.node_sibling[child])
                    moved[child] = 0
    tree.node_sibling[0] = root
    for node in range(kept_nodes):
        tree.node_sibling[node] = moved[tree.node_sibling[node]]
    for edge in range(kept_edges):
        if tree.edge_child[edge] != NOTHING:
            tree.edge_child[edge] = moved[tree.edge_child[edge]]
    tree.counters[NODES] = kept_nodes
    tree.counters[EDGES] = kept_edges
    tree.counters[HIDES] = 0
    tree.root_states[0] = tree.states[0]


@jit
def _choose_edge(tree: Tree, settings: Settings, node: int) -> int:
    first = int(tree.node_first[node])
    count = int(tree.node_edges[node])
    visits = int(tree.node_visits[node])
    if node == 0:
        floor = int(settings.root_share * visits / count)  # whole, or the first visits would go to all edges in turn
        for edge in range(count):
            if tree.edge_visits[edge] < floor:
                return edge
    scale = settings.exploration * math.sqrt(visits + 1.0)
    guess_visits = settings.guess_visits
    best = first
    best_bound = -1.0
    for edge in range(first, first + count):
        visited = float(tree.edge_visits[edge])
        value = (tree.edge_sum[edge] + guess_visits * tree.edge_guess[edge]) / (visited + guess_visits)
        bound = value + scale * tree.edge_prior[edge] / (1.0 + visited)
        if bound > best_bound:
            best = edge
            best_bound = bound
    return best


@jit
def _draw_future(tree: Tree, components: Components, node: int, edge: int) -> int:
    """A new node for what the edge's action may lead to; NOTHING where the tree is full.

    The cards that an edge turns up one after the other are spread evenly over the deck, from anywhere in it: so a few
    are nearer to the mean of all than if each were drawn by itself.
    """
    child = int(tree.counters[NODES])
    if child >= len(tree.states) or tree.counters[EDGES] + ACTIONS > len(tree.edge_action):
        return NOTHING
    tree.counters[NODES] += 1
    state = tree.states[child]
    if node == 0:
        sample = int(tree.edge_futures[edge]) % len(tree.root_states) if tree.counters[HIDES] else 0
        tree.states[child] = tree.root_states[sample]
    else:
        tree.states[child] = tree.states[node]
    carry_out(state, components, int(tree.edge_action[edge]))
    if state.phase == REVEAL:
        tree.edge_is_chance[edge] = 1
        if tree.edge_futures[edge] == 0:
            tree.edge_luck[edge] = next_word(tree.stream)
        luck = int(tree.edge_luck[edge]) + int(tree.edge_futures[edge]) * GOLDEN
        turn_up(state, components, reveal_at(state, components, luck & WORD))
    settle(state, components)
    canonicalize(state)

    last = int(tree.edge_child[edge])
    if last == NOTHING:
        tree.node_sibling[child] = child
    else:
        tree.node_sibling[child] = tree.node_sibling[last]
        tree.node_sibling[last] = child
    tree.edge_child[edge] = child
    tree.edge_futures[edge] += 1
    return child


@jit
def _walk(tree: Tree, components: Components, settings: Settings, row: int) -> int:
    """Go down from the root to a new node, laid into the row, or to one whose value is known; say how it ended."""
    leaves = tree.leaves
    path_nodes = leaves.path_nodes[row]
    path_edges = leaves.path_edges[row]
    values = leaves.values[row]
    node = 0
    depth = 0
    while tree.node_seat[node] != NOTHING and depth < DEPTH:
        if tree.node_edges[node] == 0:
            for step in range(depth):
                tree.node_visits[path_nodes[step]] -= 1
                tree.edge_visits[path_edges[step]] -= 1
            return BLOCKED
        edge = _choose_edge(tree, settings, node)
        futures = int(tree.edge_futures[edge])
        allowed = 1.0
        if tree.edge_is_chance[edge]:
            allowed = settings.root_futures if node == 0 else settings.futures
            allowed += settings.growth * float(tree.edge_visits[edge])
        child = NOTHING
        if futures == 0 or futures + 1 <= allowed:
            child = _draw_future(tree, components, node, edge)
            if child == NOTHING and futures == 0:  # the tree is full: what was guessed has to do
                tree.edge_visits[edge] += 1
                tree.edge_sum[edge] += tree.edge_guess[edge]
                break
        is_new = child != NOTHING
        if not is_new:
            child = int(tree.node_sibling[tree.edge_child[edge]])
            tree.edge_child[edge] = child
        path_nodes[depth] = node
        path_edges[depth] = edge
        tree.node_visits[node] += 1
        tree.edge_visits[edge] += 1
        depth += 1
        node = child
        if is_new:
            if tree.states[node].phase != OVER:
                _await_value(tree, components, node, row, depth)
                return NEW
            tree.node_seat[node] = NOTHING
            tree.node_edges[node] = 0
            tree.node_visits[node] = 0
            for seat in range(SEATS):
                tree.node_sums[node, seat] = 0.0
    if tree.node_visits[node] == 0:
        outcome_values(tree.states[node], components, values)
    else:
        for seat in range(SEATS):
            values[seat] = tree.node_sums[node, seat] / tree.node_visits[node]
    leaves.nodes[row] = node
    leaves.depths[row] = depth
    tree.node_visits[node] += 1
    _hand_up(tree, row)
    return KNOWN


@jit
def collect(tree: Tree, components: Components, settings: Settings, wanted: int) -> int:
    """Walk down so many times at most, and return how many new nodes wait in the leaves for their values.

    The batch is full at the leaves' length, or where a walk comes to a node that is itself waiting. How many
    simulations that were is left in `counters[WALKS]`.
    """
    count = 0
    walks = 0
    most = len(tree.leaves.nodes)
    while walks < wanted and count < most:
        end = _walk(tree, components, settings, count)
        if end == BLOCKED:
            break
        walks += 1
        count += int(end == NEW)
    tree.counters[WALKS] = walks
    return count


@jit
def absorb(tree: Tree, count: int) -> None:
    """Give the first `count` leaves, which have been evaluated, their edges, and hand their values up."""
    leaves = tree.leaves
    for row in range(count):
        node = int(leaves.nodes[row])
        first = int(tree.node_first[node])
        tree.node_edges[node] = leaves.counts[row]
        for index in range(int(leaves.counts[row])):
            edge = first + index
            tree.edge_action[edge] = leaves.actions[row, index]
            tree.edge_prior[edge] = leaves.priors[row, index]
            tree.edge_guess[edge] = leaves.guesses[row, index]
            tree.edge_sum[edge] = 0.0
            tree.edge_visits[edge] = 0
            tree.edge_child[edge] = NOTHING
            tree.edge_futures[edge] = 0
            tree.edge_is_chance[edge] = int(node == 0 and tree.counters[HIDES] != 0)
        _hand_up(tree, row)


@jit
def _hand_up(tree: Tree, row: int) -> None:
    """Add the value of a row to its node and to the path that led there; the visits are counted already."""
    leaves = tree.leaves
    values = leaves.values[row]
    node = int(leaves.nodes[row])
    for seat in range(SEATS):
        tree.node_sums[node, seat] += values[seat]
    for step in range(int(leaves.depths[row])):
        parent = int(leaves.path_nodes[row, step])
        for seat in range(SEATS):
            tree.node_sums[parent, seat] += values[seat]
        tree.edge_sum[leaves.path_edges[row, step]] += values[tree.node_seat[parent]]


@jit
def simulate(
    tree: Tree,
    components: Components,
    knowledge: Knowledge,
    settings: Settings,
    bench: Bench,
    simulations: int,
) -> None:
    """Run so many simulations more with the built-in evaluation, one new node at a time."""
    for _ in range(simulations):
        count = collect(tree, components, settings, 1)
        evaluate_leaves(
            tree.states,
            tree.leaves,
            count,
            components,
            knowledge,
            settings,
            bench,
            tree.stream,
        )
        absorb(tree, count)


@jit
def add_root_values(tree: Tree, sums: Array, visits: Array) -> None:
    """Add up the values [ACTIONS, SEATS] and visits [ACTIONS] of the futures of each root edge."""
    for edge in range(int(tree.node_edges[0])):
        last = int(tree.edge_child[edge])
        child = last
        for _ in range(int(tree.edge_futures[edge])):
            child = int(tree.node_sibling[child])
            visits[edge] += tree.node_visits[child]
            for seat in range(SEATS):
                sums[edge, seat] += tree.node_sums[child, seat]


@dataclass(frozen=True)
class SearchResult:
    """What the search found out about a view."""

    action: int
    actions: Array  # [A] the legal actions
    visits: Array  # [A]
    values: Array  # [A, players] each seat's probability of winning
    win_probabilities: Array  # [players] at the root
    line: tuple[int, ...]  # the expected actions, as far as they need no card still to be revealed
    nodes: int  # simulations run for this answer; the visits also count those kept from before
    seconds: float


class Evaluation(Protocol):
    """What gives new nodes their priors, guesses and values, for one tree and so for one thread."""

    @property
    def batch(self) -> int:
        """How many new nodes it likes to be given at a time."""

    def evaluate(self, tree: Tree, components: Components, settings: Settings, count: int) -> None:
        """Fill the first `count` rows of `tree.leaves`."""

    def simulate(self, tree: Tree, components: Components, settings: Settings, simulations: int) -> None:
        """Run so many simulations more; `simulate_in_batches` does, or compiled code that does the same."""


class BuiltInEvaluation:
    """Policy, network and playouts, compiled together with the walk down the tree."""

    batch = 1

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._bench = new_bench()

    def evaluate(self, tree: Tree, components: Components, settings: Settings, count: int) -> None:
        """Fill the first `count` rows of `tree.leaves`."""
        evaluate_leaves(
            tree.states,
            tree.leaves,
            count,
            components,
            self._knowledge,
            settings,
            self._bench,
            tree.stream,
        )

    def simulate(self, tree: Tree, components: Components, settings: Settings, simulations: int) -> None:
        """Run so many simulations more."""
        simulate(tree, components, self._knowledge, settings, self._bench, simulations)


def simulate_in_batches(
    evaluation: Evaluation, tree: Tree, components: Components, settings: Settings, simulations: int
) -> None:
    """Run so many simulations more, with as many new nodes at a time as the tree's leaves have room for."""
    while simulations > 0:
        count = collect(tree, components, settings, simulations)
        if count > 0:
            evaluation.evaluate(tree, components, settings, count)
            absorb(tree, count)
        simulations -= int(tree.counters[WALKS])


def built_in_knowledge(variant: int, players: int) -> Knowledge:
    """What the package has learned for a game and number of players."""
    return Knowledge(network_weights(variant, players), policy_parameters(variant))


class SearchEngine:
    """The search for one game and number of players, in one thread for each of its evaluations.

    Under a limit in seconds it keeps the part of its trees that still holds at the next view; under a
    limit in nodes it starts afresh, so that the answer depends on the view, the seed and the limit alone
    (in one thread or several).
    """

    def __init__(
        self,
        variant: int,
        players: int,
        threads: int = 1,
        seed: int = 0,
        settings: Settings | None = None,
        evaluations: Sequence[Evaluation] | None = None,
        tree_nodes: int = 1 << 17,
    ) -> None:
        self.settings = settings or Settings()
        self._components = COMPONENTS[variant]
        if evaluations is None:
            knowledge = built_in_knowledge(variant, players)
            evaluations = [BuiltInEvaluation(knowledge) for _ in range(threads)]
        self._evaluations = list(evaluations)
        self._players = players
        self._seed = seed
        self._trees = [new_tree(tree_nodes, evaluation.batch) for evaluation in self._evaluations]
        self._pool = ThreadPoolExecutor(len(self._trees)) if len(self._trees) > 1 else None
        self._rate = 20_000.0  # simulations a second and tree, as measured last
        self._rehearse()

    def _rehearse(self) -> None:
        """Have everything compiled before a clock runs."""
        tree = self._trees[0]
        table = new_states(1)[0]
        deal(table, self._components, self._players, 0, 0, tree.stream)
        self._plant(0, table)
        self._evaluations[0].simulate(tree, self._components, self.settings, 1)
        find_node(tree, table)
        move_root(tree, 0)
        canonicalize(table)
        translate_action(PASS, table, table)
        add_root_values(tree, np.zeros((ACTIONS, SEATS)), np.zeros(ACTIONS))

    def _plant(self, index: int, view: State) -> None:
        tree = self._trees[index]
        count = plant(tree, view, self._components, self._seed, index)
        if count == 0:
            raise ValueError(f"expected a view with a decision to take, got phase {int(view.phase)}")
        self._evaluations[index].evaluate(tree, self._components, self.settings, count)
        absorb(tree, count)

    def think(self, view: State, seconds: float | None = None, nodes: int | None = None) -> SearchResult:
        """Search from the view of the seat to move, until a limit or until it would hardly answer otherwise."""
        if seconds is None and nodes is None:
            raise ValueError("expected a limit in seconds or nodes, got neither")
        started = time.perf_counter()
        position = copy_state(view)
        canonicalize(position)
        for index, tree in enumerate(self._trees):
            kept = find_node(tree, position) if nodes is None else NOTHING
            if kept != NOTHING:
                move_root(tree, kept)
            else:
                self._plant(index, position)

        done = 0
        while True:
            elapsed = time.perf_counter() - started
            left = math.inf if nodes is None else float(nodes - done)
            chunk = 128
            if seconds is not None:
                chunk = max(16, int(self._rate * min(0.003, seconds - elapsed)))
                left = min(left, self._rate * (seconds - elapsed) * len(self._trees))
            if done > 0 and (left <= 0 or self._is_settled(left)):
                break
            chunk = max(1, min(chunk, math.ceil(left / len(self._trees))))  # late or not, an answer has some thought
            self._simulate(chunk)
            done += chunk * len(self._trees)
            if seconds is not None:
                spent = max(1e-6, time.perf_counter() - started - elapsed)
                self._rate = 0.8 * self._rate + 0.2 * chunk / spent
        return self._result(view, position, done, time.perf_counter() - started)

    def _simulate(self, simulations: int) -> None:
        if self._pool is None:
            self._evaluations[0].simulate(self._trees[0], self._components, self.settings, simulations)
            return
        jobs = [
            self._pool.submit(evaluation.simulate, tree, self._components, self.settings, simulations)
            for evaluation, tree in zip(self._evaluations, self._trees, strict=True)
        ]
        for job in jobs:
            job.result()

    def _visits(self) -> Array:
        legal = int(self._trees[0].node_edges[0])
        visits: Array = np.sum([tree.edge_visits[:legal] for tree in self._trees], axis=0)
        return visits

    def _best(self) -> int:
        """The root edge to answer with: of great value and little doubt, which falls with the root of its visits."""
        legal = int(self._trees[0].node_edges[0])
        visits = np.maximum(self._visits(), UNVISITED)
        values = np.sum([tree.edge_sum[:legal] for tree in self._trees], axis=0) / visits
        worth = self.settings.value_weight * values - 1 / np.sqrt(visits)
        priors = self._trees[0].edge_prior
        return max(range(legal), key=lambda edge: (worth[edge], priors[edge]))

    def _is_settled(self, left: float) -> bool:
        """Whether the visits left cannot change which action has most, and that one would be the answer as it is."""
        visits = self._visits()
        if len(visits) == 1:
            return True
        second, first = np.partition(visits, len(visits) - 2)[-2:]
        return bool(first - second > left) and int(np.argmax(visits)) == self._best()

    def _result(self, view: State, position: State, nodes: int, seconds: float) -> SearchResult:
        legal = int(self._trees[0].node_edges[0])
        visits = self._visits()
        sums = np.zeros((ACTIONS, SEATS))
        counts = np.zeros(ACTIONS)
        for tree in self._trees:
            add_root_values(tree, sums, counts)
        best = self._best()
        arranged = self._trees[0].edge_action[:legal]
        actions = np.array([translate_action(int(action), position, view) for action in arranged], np.int64)
        order = np.argsort(actions)
        return SearchResult(
            action=int(actions[best]),
            actions=actions[order],
            visits=visits[order],
            values=(sums[:legal] / np.maximum(counts[:legal], 1)[:, None])[order, : self._players],
            win_probabilities=(sums.sum(axis=0) / max(1, counts.sum()))[: self._players],
            line=self._line(view, best),
            nodes=nodes,
            seconds=seconds,
        )

    def _line(self, view: State, edge: int) -> tuple[int, ...]:
        """The root edge's action and the most visited ones after it, while all their cards are known."""
        tree = self._trees[0]
        node = 0
        line = _Line(view)
        while line.follow(tree.states[node], int(tree.edge_action[edge])):
            node = int(tree.edge_child[edge])
            if node == NOTHING or tree.node_edges[node] == 0 or tree.node_visits[node] < LINE_VISITS:
                break
            first = int(tree.node_first[node])
            edge = first + int(tree.edge_visits[first : first + int(tree.node_edges[node])].argmax())
        return tuple(line.actions)


class _Line:
    """Actions one after the other as they are called on the table of a view, which is not arranged as the search is."""

    def __init__(self, view: State) -> None:
        self.actions: list[int] = []
        self._market = view.market.tolist()
        self._tiles = view.tiles.tolist()
        self._hands = [[card for card in hand if card != NOTHING] for hand in view.hand.tolist()]

    def follow(self, state: State, action: int) -> bool:
        """Add the action of a state of the search; False if it is about a card that the view does not show."""
        hand = self._hands[state.seat]
        if CHOOSE_TILE <= action < PAY_WILD:
            action = CHOOSE_TILE + self._tiles.index(state.tiles[action - CHOOSE_TILE])
        elif BUY_HAND <= action < RESERVE:
            card = state.hand[state.seat, action - BUY_HAND]
            if card not in hand:
                return False
            action = BUY_HAND + hand.index(card)
            hand.remove(card)
        elif BUY <= action < RESERVE_BLIND:
            kind = BUY if action < BUY_HAND else RESERVE
            card = state.market[action - kind]
            if card not in self._market:
                return False
            action = kind + self._market.index(card)
            if kind == RESERVE:
                hand.append(card)
        elif RESERVE_BLIND <= action < PASS:
            hand.append(UNKNOWN)
        self.actions.append(action)
        return True
