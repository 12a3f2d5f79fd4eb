"""Monte Carlo tree search for games of chance, hidden cards and two to four seats.

The tree has a node for each decision, with the state before it, and an edge for each legal action. An
edge where a card is revealed leads to several nodes, its futures, of which the search draws a few and
then takes them in turn: were every visit free to reveal another card, no node would ever be seen twice.
The seat's own view has no state; each future of a root edge starts from one of several states that the
view allows, so that unknown reserves are just one more chance.

Every simulation walks down by PUCT, each seat choosing what is best for itself, adds one node, values
its actions with `value_actions`, and hands the value for each seat back up the path. The values of the
actions serve three times: the best is part of the value of the node, all are the first guess at the edges'
values, and their softmax is the prior. The rest of the node's value comes from a short greedy playout.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cabochon.bots.evaluation import (
    Scratch,
    Weights,
    evaluate,
    network_weights,
    new_scratch,
    outcome_values,
    value_actions,
)
from cabochon.bots.greedy import choose
from cabochon.core.box import BOXES, Box
from cabochon.core.compilation import jit
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, seed_stream
from cabochon.core.rules import carry_out, deal, play_action, random_reveal, settle, turn_up
from cabochon.core.state import (
    ACTIONS,
    BUY,
    BUY_HAND,
    HAND,
    NOTHING,
    OVER,
    RESERVE,
    RESERVE_BLIND,
    REVEAL,
    SEATS,
    UNKNOWN,
    Array,
    State,
    new_states,
)
from cabochon.core.views import fill

DEPTH = 256  # decisions on one path; the turns of one round are at most 20
LINE_VISITS = 8  # of a node for its best action to be part of the expected line
STATES = 64  # states drawn for the futures of the root edges, where the view hides something


class Settings(NamedTuple):
    """What the search may be tuned by."""

    exploration: float = 0.6  # the constant of PUCT
    temperature: float = 0.08  # of the prior, in probability of winning
    futures: float = 3.0  # of an edge with a reveal, at its first visits
    growth: float = 0.0  # futures more for each square root of a visit
    root_futures: float = 12.0
    guess_visits: float = 1.0  # how many visits the first guess at an edge's value counts for
    root_share: float = 0.1  # of the visits, spread over all root edges whatever their value
    playout_turns: int = 8  # decisions of the greedy playout from a new node; 0 does without
    best_share: float = 0.3  # of a node's value beside a playout's: the value of its best action


# The counters of a tree.
NODES = 0
EDGES = 1
HIDES = 2  # 1: the view hides cards
COUNTERS = 3


class Tree(NamedTuple):
    """One search tree on preallocated arrays, for N nodes and E edges. Node 0 is the root."""

    states: Any  # [N] states before the decision
    state_bytes: Array  # [N, bytes] the same
    node_seat: Array  # [N] who decides; NOTHING where the game is over
    node_visits: Array  # [N]
    node_first: Array  # [N] its first edge; NOTHING until it is valued
    node_edges: Array  # [N] how many
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
    moved: Array  # [N] where a node goes when the root moves, or NOTHING
    root_states: Any  # [STATES] states that the view allows
    root_bytes: Array  # [STATES, bytes] the same
    path_nodes: Array  # [DEPTH]
    path_edges: Array  # [DEPTH]
    counters: Array  # [COUNTERS]
    stream: Array
    actions: Array  # [ACTIONS]
    values: Array  # [ACTIONS, SEATS]
    leaf: Array  # [SEATS] the value of a new node, which is handed up
    scratch: Scratch


def new_tree(nodes: int) -> Tree:
    """An empty tree for so many nodes; the pages of memory are used only as it grows."""
    edges = nodes * 32
    states = new_states(nodes)
    root_states = new_states(STATES)
    return Tree(
        states=states,
        state_bytes=states.view(np.uint8).reshape(nodes, -1),
        node_seat=np.zeros(nodes, np.int8),
        node_visits=np.zeros(nodes, np.int32),
        node_first=np.zeros(nodes, np.int32),
        node_edges=np.zeros(nodes, np.int16),
        node_sibling=np.zeros(nodes, np.int32),
        node_sums=np.zeros((nodes, SEATS), np.float32),
        moved=np.zeros(nodes, np.int32),
        edge_action=np.zeros(edges, np.int8),
        edge_prior=np.zeros(edges, np.float32),
        edge_guess=np.zeros(edges, np.float32),
        edge_sum=np.zeros(edges, np.float32),
        edge_visits=np.zeros(edges, np.int32),
        edge_child=np.zeros(edges, np.int32),
        edge_futures=np.zeros(edges, np.int16),
        edge_is_chance=np.zeros(edges, np.int8),
        root_states=root_states,
        root_bytes=root_states.view(np.uint8).reshape(STATES, -1),
        path_nodes=np.zeros(DEPTH, np.int32),
        path_edges=np.zeros(DEPTH, np.int32),
        counters=np.zeros(COUNTERS, np.int64),
        stream=np.zeros(STREAM_WORDS, STREAM_DTYPE),
        actions=np.zeros(ACTIONS, np.int64),
        values=np.zeros((ACTIONS, SEATS)),
        leaf=np.zeros(SEATS),
        scratch=new_scratch(),
    )


@jit
def _hides_cards(view: State) -> bool:
    for seat in range(SEATS):
        for place in range(HAND):
            if view.hand[seat, place] <= UNKNOWN:
                return True
    return False


@jit
def _value_node(tree: Tree, box: Box, weights: Weights, settings: Settings, node: int) -> None:
    """Give a new node its edges, and write its value for each seat into `leaf`."""
    state = tree.states[node]
    values = tree.values
    leaf = tree.leaf
    players = int(state.players)
    tree.node_visits[node] = 0
    tree.node_edges[node] = 0
    for each in range(SEATS):
        tree.node_sums[node, each] = 0.0
    if state.phase == OVER:
        tree.node_seat[node] = NOTHING
        outcome_values(state, box, leaf)
        return
    seat = int(state.seat)
    tree.node_seat[node] = seat
    count = value_actions(state, box, weights, tree.scratch, tree.actions, values)
    first = int(tree.counters[EDGES])
    tree.counters[EDGES] += count
    tree.node_first[node] = first
    tree.node_edges[node] = count
    best = 0
    for index in range(1, count):
        if values[index, seat] > values[best, seat]:
            best = index
    total = 0.0
    for index in range(count):
        edge = first + index
        odds = math.exp((values[index, seat] - values[best, seat]) / settings.temperature)
        total += odds
        tree.edge_action[edge] = tree.actions[index]
        tree.edge_prior[edge] = odds
        tree.edge_guess[edge] = values[index, seat]
        tree.edge_sum[edge] = 0.0
        tree.edge_visits[edge] = 0
        tree.edge_child[edge] = NOTHING
        tree.edge_futures[edge] = 0
        tree.edge_is_chance[edge] = 0
    for index in range(count):
        tree.edge_prior[first + index] /= total

    for each in range(players):
        leaf[each] = values[best, each]
    if settings.playout_turns > 0:
        _play_on(tree, box, weights, state, settings.playout_turns, int(tree.actions[best]))
        share = settings.best_share
        for each in range(players):
            leaf[each] = share * leaf[each] + (1.0 - share) * values[0, each]


@jit
def _play_on(tree: Tree, box: Box, weights: Weights, start: State, turns: int, action: int) -> None:
    """A greedy playout of so many decisions, begun with the action; its value goes to `values[0]`."""
    tree.scratch.states[1] = start
    state = tree.scratch.states[1]
    values = tree.values
    play_action(state, box, action, tree.stream)
    for _ in range(turns - 1):
        if state.phase == OVER:
            break
        play_action(state, box, choose(state, box, weights, tree.scratch, values), tree.stream)
    evaluate(state, box, weights, tree.scratch, values[0])


@jit
def plant(tree: Tree, view: State, box: Box, weights: Weights, settings: Settings, seed: int, index: int) -> None:
    """Begin the tree anew from a view, with the stream number `index` of the seed."""
    seed_stream(tree.stream, seed, index)
    tree.counters[NODES] = 1
    tree.counters[EDGES] = 0
    hides = _hides_cards(view)
    tree.counters[HIDES] = int(hides)
    for sample in range(STATES if hides else 1):
        tree.root_states[sample] = view
        # A wild kept is worth a coloured token kept, and more: below the root, payment is no choice.
        tree.root_states[sample].automatic_payment = 1
        fill(tree.root_states[sample], tree.stream)
    tree.states[0] = view
    tree.states[0].automatic_payment = 1
    tree.node_sibling[0] = 0
    _value_node(tree, box, weights, settings, 0)
    for edge in range(int(tree.node_edges[0])):
        tree.edge_is_chance[edge] = int(hides)


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
        floor = settings.root_share * visits / count
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
def _draw_future(tree: Tree, box: Box, node: int, edge: int) -> int:
    """A new node for what the edge's action may lead to; NOTHING where the tree is full."""
    child = int(tree.counters[NODES])
    if child >= len(tree.states) or tree.counters[EDGES] + ACTIONS > len(tree.edge_action):
        return NOTHING
    tree.counters[NODES] += 1
    state = tree.states[child]
    if node == 0:
        sample = int(tree.edge_futures[edge]) % STATES if tree.counters[HIDES] else 0
        tree.states[child] = tree.root_states[sample]
    else:
        tree.states[child] = tree.states[node]
    carry_out(state, box, int(tree.edge_action[edge]))
    if state.phase == REVEAL:
        tree.edge_is_chance[edge] = 1
        turn_up(state, box, random_reveal(state, box, tree.stream))
    settle(state, box)

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
def simulate(tree: Tree, box: Box, weights: Weights, settings: Settings, simulations: int) -> None:
    """Run so many simulations more."""
    for _ in range(simulations):
        node = 0
        depth = 0
        is_new = False
        while tree.node_seat[node] != NOTHING and depth < DEPTH:
            edge = _choose_edge(tree, settings, node)
            tree.path_nodes[depth] = node
            tree.path_edges[depth] = edge
            depth += 1
            futures = int(tree.edge_futures[edge])
            allowed = 1.0
            if tree.edge_is_chance[edge]:
                allowed = settings.root_futures if node == 0 else settings.futures
                allowed += settings.growth * math.sqrt(float(tree.edge_visits[edge]))
            if futures == 0 or futures + 1 <= allowed:
                child = _draw_future(tree, box, node, edge)
                if child != NOTHING:
                    _value_node(tree, box, weights, settings, child)
                    node = child
                    is_new = True
                    break
                if futures == 0:  # the tree is full: what was guessed has to do
                    depth -= 1
                    tree.edge_visits[edge] += 1
                    tree.edge_sum[edge] += tree.edge_guess[edge]
                    break
            tree.edge_child[edge] = tree.node_sibling[tree.edge_child[edge]]
            node = int(tree.edge_child[edge])

        if not is_new:
            for seat in range(SEATS):
                tree.leaf[seat] = tree.node_sums[node, seat] / max(1, tree.node_visits[node])
        _hand_up(tree, node, depth)


@jit
def _hand_up(tree: Tree, node: int, depth: int) -> None:
    """Add the value in `leaf` to the node and to the path of `depth` edges that led to it."""
    leaf = tree.leaf
    tree.node_visits[node] += 1
    for seat in range(SEATS):
        tree.node_sums[node, seat] += leaf[seat]
    for step in range(depth):
        parent = int(tree.path_nodes[step])
        edge = int(tree.path_edges[step])
        tree.node_visits[parent] += 1
        for seat in range(SEATS):
            tree.node_sums[parent, seat] += leaf[seat]
        tree.edge_visits[edge] += 1
        tree.edge_sum[edge] += leaf[tree.node_seat[parent]]


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


class SearchEngine:
    """The search for one game and number of players.

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
        weights: Weights | None = None,
        tree_nodes: int = 1 << 17,
    ) -> None:
        self.settings = settings or Settings()
        self._box = BOXES[variant]
        self._weights = network_weights(variant, players) if weights is None else weights
        self._players = players
        self._seed = seed
        self._trees = [new_tree(tree_nodes) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._rate = 20_000.0  # simulations a second and tree, as measured last
        self._rehearse()

    def _rehearse(self) -> None:
        """Have everything compiled before a clock runs."""
        tree = self._trees[0]
        table = new_states(1)[0]
        deal(table, self._box, self._players, 0, 0, tree.stream)
        plant(tree, table, self._box, self._weights, self.settings, self._seed, 0)
        simulate(tree, self._box, self._weights, self.settings, 1)
        find_node(tree, table)
        move_root(tree, 0)
        add_root_values(tree, np.zeros((ACTIONS, SEATS)), np.zeros(ACTIONS))

    def think(self, view: State, seconds: float | None = None, nodes: int | None = None) -> SearchResult:
        """Search from the view of the seat to move, until a limit or until the answer is settled."""
        if seconds is None and nodes is None:
            raise ValueError("expected a limit in seconds or nodes, got neither")
        started = time.perf_counter()
        for index, tree in enumerate(self._trees):
            kept = find_node(tree, view) if nodes is None else NOTHING
            if kept != NOTHING:
                move_root(tree, kept)
            else:
                plant(tree, view, self._box, self._weights, self.settings, self._seed, index)
        legal = int(self._trees[0].node_edges[0])
        if legal == 0:
            raise ValueError(f"expected a view with a decision to take, got phase {int(view.phase)}")

        done = 0
        while True:
            elapsed = time.perf_counter() - started
            left = math.inf if nodes is None else float(nodes - done)
            chunk = 128
            if seconds is not None:
                chunk = max(16, int(self._rate * min(0.003, seconds - elapsed)))
                left = min(left, self._rate * (seconds - elapsed) * len(self._trees))
            if left <= 0 or (done > 0 and self._is_settled(left)):
                break
            chunk = min(chunk, math.ceil(left / len(self._trees)))
            self._simulate(chunk)
            done += chunk * len(self._trees)
            if seconds is not None:
                spent = max(1e-6, time.perf_counter() - started - elapsed)
                self._rate = 0.8 * self._rate + 0.2 * chunk / spent
        return self._result(view, done, time.perf_counter() - started)

    def _simulate(self, simulations: int) -> None:
        if self._pool is None:
            simulate(self._trees[0], self._box, self._weights, self.settings, simulations)
            return
        jobs = [
            self._pool.submit(simulate, tree, self._box, self._weights, self.settings, simulations)
            for tree in self._trees
        ]
        for job in jobs:
            job.result()

    def _visits(self) -> Array:
        legal = int(self._trees[0].node_edges[0])
        visits: Array = np.sum([tree.edge_visits[:legal] for tree in self._trees], axis=0)
        return visits

    def _is_settled(self, left: float) -> bool:
        """Whether the visits left cannot change which action has most."""
        visits = self._visits()
        if len(visits) == 1:
            return True
        second, first = np.partition(visits, len(visits) - 2)[-2:]
        return bool(first - second > left)

    def _result(self, view: State, nodes: int, seconds: float) -> SearchResult:
        legal = int(self._trees[0].node_edges[0])
        visits = self._visits()
        sums = np.zeros((ACTIONS, SEATS))
        counts = np.zeros(ACTIONS)
        for tree in self._trees:
            add_root_values(tree, sums, counts)
        guesses = self._trees[0].edge_guess[:legal]
        best = max(range(legal), key=lambda edge: (visits[edge], guesses[edge]))
        actions = self._trees[0].edge_action[:legal].astype(np.int64)
        return SearchResult(
            action=int(actions[best]),
            actions=actions,
            visits=visits,
            values=(sums[:legal] / np.maximum(counts[:legal], 1)[:, None])[:, : self._players],
            win_probabilities=(sums.sum(axis=0) / max(1, counts.sum()))[: self._players],
            line=self._line(view, best),
            nodes=nodes,
            seconds=seconds,
        )

    def _line(self, view: State, edge: int) -> tuple[int, ...]:
        """The root edge's action and the most visited ones after it, while all their cards are known."""
        tree = self._trees[0]
        node = 0
        line: list[int] = []
        while _is_foreseen(view, tree.states[node], int(tree.edge_action[edge])):
            line.append(int(tree.edge_action[edge]))
            node = int(tree.edge_child[edge])
            if node == NOTHING or tree.node_edges[node] == 0 or tree.node_visits[node] < LINE_VISITS:
                break
            first = int(tree.node_first[node])
            edge = first + int(tree.edge_visits[first : first + int(tree.node_edges[node])].argmax())
        return tuple(line)


def _is_foreseen(view: State, state: State, action: int) -> bool:
    """Whether the action in a later state is about a card that the view shows already."""
    if BUY <= action < BUY_HAND:
        return bool(state.market[action - BUY] == view.market[action - BUY])
    if BUY_HAND <= action < RESERVE:
        card = state.hand[state.seat, action - BUY_HAND]
        return card in view.hand[state.seat] or card in view.market
    if RESERVE <= action < RESERVE_BLIND:
        return bool(state.market[action - RESERVE] == view.market[action - RESERVE])
    return True
