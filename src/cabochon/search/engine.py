"""The search engine: limits of time and nodes, threads, and the result.

Each thread grows its own tree with its own evaluator; the visits of all trees together decide. The trees contain
canonical states; the engine translates its answer back to the order of cards in the view.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from cabochon.core.canonical import canonicalize, translate_action
from cabochon.core.components import COMPONENT_ARRAYS, COMPONENTS
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.rules import deal
from cabochon.core.state import (
    ACTIONS,
    BUY,
    BUY_HAND,
    CHOOSE_TILE,
    NOTHING,
    PASS,
    PAY_WILD,
    RESERVE,
    RESERVE_BLIND,
    SEATS,
    UNKNOWN,
    Array,
    State,
    copy_state,
    new_state,
)
from cabochon.search.evaluators import CompiledEvaluator, Evaluator, new_batch
from cabochon.search.mcts import SearchSettings, add_root_statistics, expand_batch, set_root, simulate
from cabochon.search.tree import find_node, move_root, new_tree

TREE_NODES = 1 << 17
CHUNK = 128  # simulations of each thread between two checks of the limits
LINE_VISITS = 8  # of a node for its best action to be part of the expected line
UNVISITED = 1e-9  # visits of an edge that has none, where they divide


@dataclass(frozen=True)
class SearchResult:
    """The result of searching a view."""

    action: int
    actions: Array  # [A] the legal actions
    visits: Array  # [A]
    values: Array  # [A, players] each seat's probability of winning
    win_probabilities: Array  # [players] at the root
    line: tuple[int, ...]  # the principal variation, up to the next unknown card
    nodes: int  # simulations for this answer; the visits include those kept from earlier searches
    seconds: float


class SearchWorker:
    """One tree and the evaluator of its nodes."""

    def __init__(
        self, variant: int, evaluator: Evaluator, settings: SearchSettings, tree_nodes: int, seed: int, index: int
    ) -> None:
        self.tree = new_tree(tree_nodes, evaluator.batch_size)
        self._components = COMPONENT_ARRAYS[variant]
        self._evaluator, self._settings = evaluator, settings
        self._seed, self._index = seed, index
        self._batch = new_batch(evaluator.batch_size)
        # The same loop runs compiled, or as Python around an evaluator in Python.
        python_loop = getattr(simulate, "py_func", simulate)
        self._loop: Callable[..., None] = python_loop
        self._loop_evaluator: Any = evaluator
        if isinstance(evaluator, CompiledEvaluator) and simulate is not python_loop:
            self._loop, self._loop_evaluator = simulate, evaluator.data

    def set_root(self, view: State) -> None:
        """Begin a new tree from a canonical view."""
        if not set_root(self.tree, view, self._components, self._batch, self._seed, self._index):
            raise ValueError(f"expected a view with a decision to make, got phase {int(view.phase)}")
        self._evaluator.evaluate(self._batch.first(1))
        expand_batch(self.tree, self._batch, 1)

    def move_root(self, view: State) -> bool:
        """Keep the part of the tree below a canonical view; return False if the view is not in the tree."""
        node = find_node(self.tree, view)
        if node == NOTHING:
            return False
        move_root(self.tree, node)
        return True

    def simulate(self, simulations: int) -> None:
        """Run this many simulations."""
        self._loop(self.tree, self._components, self._settings, self._batch, self._loop_evaluator, simulations)


class SearchEngine:
    """The search for one game and number of players, in one thread for each evaluator.

    With a limit in seconds, it keeps the part of its trees that is still valid at the next view. With a limit in nodes,
    it starts anew, so that the answer depends only on the view, the seed, the limit and the number of threads.
    """

    def __init__(
        self,
        variant: int,
        players: int,
        evaluators: Sequence[Evaluator],
        settings: SearchSettings | None = None,
        seed: int = 0,
        tree_nodes: int = TREE_NODES,
    ) -> None:
        self.settings = settings or SearchSettings()
        self._players = players
        self._workers = [
            SearchWorker(variant, evaluator, self.settings, tree_nodes, seed, index)
            for index, evaluator in enumerate(evaluators)
        ]
        self._pool = ThreadPoolExecutor(len(self._workers)) if len(self._workers) > 1 else None
        self._rate = 20_000.0  # simulations per second and thread, as measured last
        self._warm_up(variant)

    def _warm_up(self, variant: int) -> None:
        """Call everything once, so that nothing is compiled while a clock runs."""
        thread = self._workers[0]
        state = new_state()
        deal(state, COMPONENTS[variant], self._players, 0, 0, np.zeros(STREAM_WORDS, STREAM_DTYPE))
        canonicalize(state)
        thread.set_root(state)
        thread.simulate(1)
        thread.move_root(state)
        move_root(thread.tree, 0)
        translate_action(PASS, state, state)
        add_root_statistics(thread.tree, np.zeros((ACTIONS, SEATS)), np.zeros(ACTIONS))

    def search(self, view: State, seconds: float | None = None, nodes: int | None = None) -> SearchResult:
        """Search from the view of the seat to move, until a limit, or until more would hardly change the answer."""
        if seconds is None and nodes is None:
            raise ValueError("expected a limit in seconds or nodes, got neither")
        started = time.perf_counter()
        position = copy_state(view)
        canonicalize(position)
        for thread in self._workers:
            if nodes is not None or not thread.move_root(position):
                thread.set_root(position)

        done = 0
        while True:
            elapsed = time.perf_counter() - started
            left = math.inf if nodes is None else float(nodes - done)
            chunk = CHUNK
            if seconds is not None:
                chunk = max(16, int(self._rate * min(0.003, seconds - elapsed)))
                left = min(left, self._rate * (seconds - elapsed) * len(self._workers))
            if done > 0 and (left <= 0 or self._is_settled(left)):
                break
            chunk = max(1, min(chunk, math.ceil(left / len(self._workers))))  # at least one, even when time is up
            if self._pool is None:
                self._workers[0].simulate(chunk)
            else:
                list(self._pool.map(SearchWorker.simulate, self._workers, repeat(chunk)))
            done += chunk * len(self._workers)
            if seconds is not None:
                spent = max(1e-6, time.perf_counter() - started - elapsed)
                self._rate = 0.8 * self._rate + 0.2 * chunk / spent
        return self._result(view, position, done, time.perf_counter() - started)

    def _root_edges(self, field: str) -> list[Array]:
        """Return a field of the root edges, for each tree."""
        legal = int(self._workers[0].tree.nodes[0].edge_count)
        return [thread.tree.edges[field][:legal] for thread in self._workers]

    def _visits(self) -> Array:
        visits: Array = np.sum(self._root_edges("visits"), axis=0)
        return visits

    def _best(self) -> int:
        """Return the root edge of the highest value minus doubt, which falls with the square root of the visits."""
        visits = np.maximum(self._visits(), UNVISITED)
        values = np.sum(self._root_edges("value_sum"), axis=0) / visits
        worth = self.settings.value_weight * values - 1 / np.sqrt(visits)
        priors = self._root_edges("prior")[0]
        return max(range(len(visits)), key=lambda edge: (worth[edge], priors[edge]))

    def _is_settled(self, left: float) -> bool:
        """Whether the action with the most visits is already the answer and the simulations left cannot change that."""
        visits = self._visits()
        if len(visits) == 1:
            return True
        second, first = np.partition(visits, len(visits) - 2)[-2:]
        return bool(first - second > left) and int(np.argmax(visits)) == self._best()

    def _result(self, view: State, position: State, nodes: int, seconds: float) -> SearchResult:
        visits, best = self._visits(), self._best()
        legal = len(visits)
        sums, counts = np.zeros((ACTIONS, SEATS)), np.zeros(ACTIONS)
        for thread in self._workers:
            add_root_statistics(thread.tree, sums, counts)
        edges = self._root_edges("action")[0]
        actions = np.array([translate_action(int(action), position, view) for action in edges], np.int64)
        order = np.argsort(actions)
        return SearchResult(
            action=int(actions[best]),
            actions=actions[order],
            visits=visits[order],
            values=(sums[:legal] / np.maximum(counts[:legal], 1)[:, None])[order, : self._players],
            win_probabilities=(sums.sum(axis=0) / max(1, counts.sum()))[: self._players],
            line=self._principal_variation(view, best),
            nodes=nodes,
            seconds=seconds,
        )

    def _principal_variation(self, view: State, index: int) -> tuple[int, ...]:
        """Return the action of the root edge and the most visited ones after it, while the view shows their cards."""
        tree = self._workers[0].tree
        node = 0
        line = _Line(view)
        while line.add(tree.states[node], int(tree.edges[index].action)):
            node = int(tree.edges[index].child)
            if node == NOTHING or tree.nodes[node].edge_count == 0 or tree.nodes[node].visits < LINE_VISITS:
                break
            first = int(tree.nodes[node].first_edge)
            index = first + int(tree.edges["visits"][first : first + int(tree.nodes[node].edge_count)].argmax())
        return tuple(line.actions)


class _Line:
    """A sequence of actions, as they are numbered on the table of a view."""

    def __init__(self, view: State) -> None:
        self.actions: list[int] = []
        self._market: list[int] = view.market.tolist()
        self._tiles: list[int] = view.tiles.tolist()
        self._hands = [[card for card in hand if card != NOTHING] for hand in view.hand.tolist()]

    def add(self, state: Any, action: int) -> bool:
        """Add the action of a canonical state; return False if it is about a card that the view does not show."""
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
