"""Simulations over one tree: batches, chance outcomes, the root that moves, and a golden tree."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.state import BUY, NOTHING, copy_state
from cabochon.search.engine import SearchWorker
from cabochon.search.evaluators import HeuristicEvaluator, new_batch
from cabochon.search.mcts import SearchSettings, expand_batch, select_batch, set_root
from cabochon.search.tree import Tree, find_node, move_root, new_tree
from tests.bots.positions import dealt, view_of, with_a_blind_reserve
from tests.search.evaluating import UniformEvaluator, rooted

GOLDEN_TREE = Path(__file__).parent.parent / "data" / "golden" / "search_tree.txt"


def edges_of(tree: Tree, node: int) -> range:
    """The indices of a node's edges."""
    first = int(tree.nodes[node].first_edge)
    return range(first, first + int(tree.nodes[node].edge_count))


def children_of(tree: Tree, edge: int) -> list[int]:
    """The nodes that an edge leads to, the one visited last at the end."""
    last = int(tree.edges[edge].child)
    if last == NOTHING:
        return []
    ring = [int(tree.nodes[last].sibling)]
    while ring[-1] != last:
        ring.append(int(tree.nodes[ring[-1]].sibling))
    return ring


def first_draws(tree: Tree, node: int) -> Iterator[int]:
    """Where the draws of all chance edges below a node began."""
    for edge in edges_of(tree, node):
        if tree.edges[edge].is_chance:
            yield int(tree.edges[edge].first_draw)
        for child in children_of(tree, edge):
            yield from first_draws(tree, child)


def assert_whole(tree: Tree) -> None:
    """Every visit is counted once on its path, and every node is the child of an edge."""
    count = int(tree.counters[0].nodes)
    is_reached = np.zeros(count, bool)
    is_reached[0] = True
    visits = tree.nodes["visits"]
    for node in range(count):
        edges = edges_of(tree, node)
        assert len(edges) == 0 or tree.edges["visits"][edges].sum() == visits[node] - 1
        for edge in edges:
            children = children_of(tree, edge)
            assert len(children) == tree.edges[edge].outcomes
            assert tree.edges[edge].visits == visits[children].sum()
            is_reached[children] = True
    assert is_reached.all()


def test_the_tree_below_a_kept_node_stays_as_it_was() -> None:
    thread = rooted(dealt(SPLENDOR, 2, seed=2), HeuristicEvaluator(SPLENDOR))
    thread.simulate(2000)
    tree = thread.tree
    takes = [edge for edge in edges_of(tree, 0) if tree.edges[edge].action < BUY]
    child = int(tree.edges[max(takes, key=lambda edge: int(tree.edges["visits"][edge]))].child)
    before, state = tree.nodes[child].copy(), copy_state(tree.states[child])
    draws = list(first_draws(tree, child))
    assert len(set(draws)) > 10

    assert tree.states[find_node(tree, state)].tobytes() == state.tobytes()
    move_root(tree, child)

    assert tree.states[0].tobytes() == state.tobytes()
    assert tree.nodes[0].visits == before.visits
    assert tree.nodes[0].first_play_value == before.first_play_value
    assert np.array_equal(tree.nodes[0].value_sums, before.value_sums)
    assert list(first_draws(tree, 0)) == draws
    assert 1 < tree.counters[0].nodes <= before.visits
    assert_whole(tree)
    thread.simulate(500)
    assert tree.nodes[0].visits == before.visits + 500
    assert_whole(tree)


def test_no_node_is_found_for_another_position_or_a_view_that_hides_cards() -> None:
    thread = rooted(dealt(SPLENDOR, 2, seed=2), UniformEvaluator())
    thread.simulate(200)
    assert find_node(thread.tree, dealt(SPLENDOR, 2, seed=3)) == NOTHING
    assert find_node(thread.tree, view_of(with_a_blind_reserve(SPLENDOR, 2)[0], 0)) == NOTHING


@pytest.mark.parametrize("batch_size", [1, 7, 32])
def test_new_nodes_are_collected_in_batches(batch_size: int) -> None:
    state = dealt(MARVEL, 2, seed=5)
    tree, batch, evaluator = new_tree(1 << 11, batch_size), new_batch(batch_size), HeuristicEvaluator(MARVEL)
    components, settings = COMPONENT_ARRAYS[MARVEL], SearchSettings()
    assert set_root(tree, state, components, batch, 0, 0) == 1
    evaluator.evaluate(batch.first(1))
    expand_batch(tree, batch, 1)

    count, begun = select_batch(tree, components, settings, batch, 100)
    assert 1 <= count == begun <= batch_size
    leaves = [int(path.nodes[path.depth]) for path in tree.paths[:count]]
    assert len(set(leaves)) == count
    assert tree.nodes[0].visits == 1 + count
    for row, leaf in enumerate(leaves):
        assert batch.states[row] == tree.states[leaf]
    evaluator.evaluate(batch.first(count))
    expand_batch(tree, batch, count)
    assert_whole(tree)

    left = 1000
    while left > 0:
        count, begun = select_batch(tree, components, settings, batch, left)
        evaluator.evaluate(batch.first(count))
        expand_batch(tree, batch, count)
        left -= begun
    assert_whole(tree)
    assert tree.nodes[0].value_sums.sum() == pytest.approx(float(tree.nodes[0].visits), rel=1e-4)


def test_a_chance_edge_has_more_outcomes_the_more_often_it_is_visited() -> None:
    settings = SearchSettings(outcomes=2.0, root_outcomes=4.0, outcomes_per_visit=1 / 4)
    thread = rooted(dealt(SPLENDOR, 2, seed=5), UniformEvaluator(), settings)
    thread.simulate(3000)
    tree = thread.tree
    most = 0
    for node in range(int(tree.counters[0].nodes)):
        for edge in map(tree.edges.__getitem__, edges_of(tree, node)):
            if edge.is_chance and edge.visits > 0:
                # An edge may sample one with every visit, and is allowed as many as it had visits for before the last.
                allowed = (4 if node == 0 else 2) + (int(edge.visits) - 1) // 4
                assert edge.outcomes == min(int(edge.visits), allowed)
                most = max(most, allowed)
    assert most > 10


def test_the_cards_that_an_edge_reveals_are_spread_over_the_deck() -> None:
    settings = SearchSettings(root_outcomes=6.0, outcomes_per_visit=0.0)
    thread = rooted(dealt(SPLENDOR, 2, seed=5), UniformEvaluator(), settings)
    thread.simulate(3000)
    tree = thread.tree
    edges = [edge for edge in edges_of(tree, 0) if tree.edges[edge].outcomes == 6]
    assert len(edges) > 6
    decks = [int(deck) for deck in tree.states[0].deck]
    for edge in edges:
        places = []
        for child in children_of(tree, edge):
            drawn = [deck & ~int(after) for deck, after in zip(decks, tree.states[child].deck, strict=True)]
            level = next(level for level in range(3) if drawn[level])
            before_it = decks[level] & (drawn[level] - 1)
            places.append(before_it.bit_count() / decks[level].bit_count())
        gaps = np.diff(sorted([*places, min(places) + 1]))
        assert gaps.min() > 0  # another card each time
        assert gaps.max() < 0.24 + 1 / 16  # no more than the golden ratio leaves among six, and one card


def test_first_play_value_is_that_of_the_node() -> None:
    state = dealt(SPLENDOR, 2)
    tree, batch = new_tree(8, 1), new_batch(1)
    set_root(tree, state, COMPONENT_ARRAYS[SPLENDOR], batch, 0, 0)
    batch.priors[0, : batch.counts[0]] = 1 / batch.counts[0]
    batch.values[0, :2] = 0.75, 0.25
    expand_batch(tree, batch, 1)
    assert tree.nodes[0].first_play_value == 0.75
    assert tree.nodes[0].value_sums.tolist() == [0.75, 0.25, 0, 0]


def described(thread: SearchWorker) -> str:
    """The tree as text: of each visited edge its action, visits, mean value and chance outcomes."""
    tree = thread.tree
    lines = []

    def describe(node: int, depth: int) -> None:
        for edge in map(tree.edges.__getitem__, edges_of(tree, node)):
            if edge.visits > 0:
                mean = float(edge.value_sum) / int(edge.visits)
                lines.append(f"{'  ' * depth}{edge.action}: visits {edge.visits}, value {mean:.3f}")
        for index in edges_of(tree, node):
            for child in children_of(tree, index):
                if tree.nodes[child].visits > 1:
                    path = f"after {tree.edges[index].action}, deck {tree.states[child].deck.tolist()}"
                    lines.append(f"{'  ' * depth}{path}:")
                    describe(child, depth + 1)

    describe(0, 0)
    return "\n".join(lines) + "\n"


def golden_search() -> str:
    """A small search of a view with a few legal actions and a hidden card."""
    state, _ = with_a_blind_reserve(SPLENDOR, 2)
    state.supply[:4] = 0
    state.bonuses[:2] = 2
    settings = SearchSettings(exploration=0.1, root_outcomes=2.0, root_share=0.0)
    thread = rooted(view_of(state, 0), HeuristicEvaluator(SPLENDOR, batch_size=4), settings)
    thread.simulate(48)
    return described(thread)


def test_the_same_tree_as_recorded() -> None:
    """To record it anew: `python -m tests.search.test_mcts`."""
    assert golden_search() == GOLDEN_TREE.read_text(encoding="utf-8")


def test_the_same_tree_interpreted() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from tests.search.test_mcts import golden_search; print(golden_search(), end='')",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.stdout == GOLDEN_TREE.read_text(encoding="utf-8")


if __name__ == "__main__":
    GOLDEN_TREE.write_text(golden_search(), encoding="utf-8")
