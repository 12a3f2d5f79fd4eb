from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cabochon.bots.evaluation import greedy_weights, network_weights, new_scratch
from cabochon.bots.greedy import choose
from cabochon.bots.search import (
    NODES,
    SearchEngine,
    SearchResult,
    Settings,
    find_node,
    move_root,
    new_tree,
    plant,
    simulate,
)
from cabochon.core.box import BOXES
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.rules import has_won, legal_actions
from cabochon.core.state import ACTIONS, BUY, NOTHING, REVEAL, SEATS, State
from tests.bots.positions import (
    THREATS,
    WINS_IN_ONE,
    dealt,
    play_out,
    view_of,
    with_a_blind_reserve,
)

SMALL_TREE = 1 << 12


def engine_for(state: State, threads: int = 1, seed: int = 0) -> SearchEngine:
    return SearchEngine(int(state.variant), int(state.players), threads, seed, tree_nodes=SMALL_TREE)


def assert_same(first: SearchResult, second: SearchResult) -> None:
    assert first.action == second.action
    assert first.line == second.line
    assert first.nodes == second.nodes
    assert np.array_equal(first.visits, second.visits)
    assert np.array_equal(first.values, second.values)


@pytest.mark.parametrize("position", [*WINS_IN_ONE, *THREATS], ids=lambda position: position.__name__)
def test_finds_the_best_move(position: Callable[[], tuple[State, set[int]]]) -> None:
    state, best = position()
    result = engine_for(state).think(view_of(state, int(state.seat)), nodes=1500)
    assert result.action in best
    assert result.line[0] == result.action


@pytest.mark.parametrize("position", WINS_IN_ONE, ids=lambda position: position.__name__)
def test_a_win_in_hand_is_certain(position: Callable[[], tuple[State, set[int]]]) -> None:
    state, _ = position()
    result = engine_for(state).think(state, nodes=400)
    won = result.values[result.actions.tolist().index(result.action)]
    assert np.allclose(won, [0.0, 1.0])


@pytest.mark.parametrize("threads", [1, 2])
def test_equal_by_seed_and_node_limit(threads: int) -> None:
    state = dealt(MARVEL, 3, seed=4)
    results = [engine_for(state, threads=threads, seed=9).think(state, nodes=500) for _ in range(2)]
    assert_same(*results)


def test_an_answer_does_not_depend_on_earlier_ones() -> None:
    state = dealt(SPLENDOR, 2, seed=4)
    engine = engine_for(state)
    engine.think(dealt(SPLENDOR, 2, seed=6), nodes=300)
    assert_same(engine.think(state, nodes=500), engine_for(state).think(state, nodes=500))


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_does_not_depend_on_hidden_cards(variant: int, players: int) -> None:
    first, second = with_a_blind_reserve(variant, players)
    results = [engine_for(state).think(view_of(state, 0), nodes=300) for state in (first, second)]
    assert_same(*results)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_plays_legal_actions_to_the_end(variant: int, players: int) -> None:
    state = dealt(variant, players)
    box = BOXES[variant]
    engine = engine_for(state)
    actions = np.zeros(ACTIONS, np.int64)

    def checked(view: State) -> int:
        result = engine.think(view, nodes=40)
        count = legal_actions(state, box, actions)
        assert result.actions.tolist() == actions[:count].tolist()
        assert result.values.shape == (count, players)
        assert result.win_probabilities.sum() == pytest.approx(1.0, abs=1e-3)
        return result.action

    play_out(state, [checked] * players, seed=8)


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_beats_greedy_play(variant: int) -> None:
    weights = greedy_weights(variant)
    scratch = new_scratch()
    values = np.zeros((ACTIONS, SEATS))
    engine = SearchEngine(variant, 2, tree_nodes=SMALL_TREE)

    def greedy(view: State) -> int:
        return int(choose(view, BOXES[variant], weights, scratch, values))

    def search(view: State) -> int:
        return engine.think(view, nodes=200).action

    won = 0
    for game in range(6):
        state = dealt(variant, 2, seed=game)
        play_out(state, [search, greedy] if game % 2 == 0 else [greedy, search], seed=2000 + game)
        won += bool(has_won(state, BOXES[variant], game % 2))
    assert won >= 4


def test_a_single_legal_action_needs_no_search() -> None:
    state = dealt(SPLENDOR, 2)
    state.supply[:5] = 0
    state.supply[2] = 1
    state.hand[0] = (0, 1, 2)
    state.market[:] = NOTHING
    result = engine_for(state).think(state, nodes=10_000)
    assert len(result.actions) == 1
    assert result.nodes < 10_000


def test_a_full_tree_still_answers() -> None:
    state = dealt(SPLENDOR, 2)
    engine = SearchEngine(SPLENDOR, 2, tree_nodes=64)
    result = engine.think(state, nodes=1000)
    assert result.visits.sum() > 64


def test_a_limit_in_seconds_is_enough() -> None:
    state = dealt(SPLENDOR, 2)
    engine = engine_for(state)
    first = engine.think(state, seconds=0.02)
    assert first.nodes > 0
    assert engine.think(state, seconds=0.02).nodes > 0


def test_refuses_what_it_cannot_search() -> None:
    state = dealt(SPLENDOR, 2)
    engine = engine_for(state)
    with pytest.raises(ValueError, match="expected a limit in seconds or nodes, got neither"):
        engine.think(state)
    state.phase = REVEAL
    with pytest.raises(ValueError, match="expected a view with a decision to take, got phase 2"):
        engine.think(state, nodes=10)


def test_the_tree_below_a_kept_node_stays_as_it_was() -> None:
    state = dealt(SPLENDOR, 2, seed=2)
    box = BOXES[SPLENDOR]
    weights = network_weights(SPLENDOR, 2)
    tree = new_tree(SMALL_TREE)
    plant(tree, state, box, weights, Settings(), 0, 0)
    simulate(tree, box, weights, Settings(), 2000)
    takes = [edge for edge in range(int(tree.node_edges[0])) if tree.edge_action[edge] < BUY]
    edge = max(takes, key=lambda each: int(tree.edge_visits[each]))
    child = int(tree.edge_child[edge])
    visits, sums = int(tree.node_visits[child]), tree.node_sums[child].copy()
    before = tree.states[child].copy()

    found = int(find_node(tree, before))
    assert tree.states[found].tobytes() == before.tobytes()
    move_root(tree, child)

    assert tree.states[0].tobytes() == before.tobytes()
    assert tree.node_visits[0] == visits
    assert np.array_equal(tree.node_sums[0], sums)
    nodes = int(tree.counters[NODES])
    assert 1 < nodes <= visits
    reached = np.zeros(nodes, bool)
    reached[0] = True
    for node in range(nodes):
        first, count = int(tree.node_first[node]), int(tree.node_edges[node])
        passed = int(tree.edge_visits[first : first + count].sum())
        assert passed == tree.node_visits[node] - 1 or count == 0
        for each in range(first, first + count):
            last = int(tree.edge_child[each])
            ring = []
            while last != NOTHING and last not in ring:
                ring.append(last)
                last = int(tree.node_sibling[last])
            assert len(ring) == tree.edge_futures[each]
            assert tree.edge_visits[each] == tree.node_visits[ring].sum()
            reached[ring] = True
    assert reached.all()
    simulate(tree, box, weights, Settings(), 500)
    assert tree.node_visits[0] == visits + 500
