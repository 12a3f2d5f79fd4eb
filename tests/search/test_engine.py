from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cabochon.bots.evaluation import greedy_weights, new_scratch
from cabochon.bots.greedy import choose
from cabochon.bots.leaves import Settings
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.core.components import COMPONENTS, Components
from cabochon.core.rules import has_won, legal_actions
from cabochon.core.state import ACTIONS, BUY, NOTHING, REVEAL, SEATS, State
from cabochon.search.engine import (
    NODES,
    WALKS,
    BuiltInEvaluation,
    SearchEngine,
    SearchResult,
    Tree,
    absorb,
    built_in_knowledge,
    collect,
    find_node,
    move_root,
    new_tree,
    plant,
    simulate_in_batches,
)
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
    components = COMPONENTS[variant]
    engine = engine_for(state)
    actions = np.zeros(ACTIONS, np.int64)

    def checked(view: State) -> int:
        result = engine.think(view, nodes=40)
        count = legal_actions(state, components, actions)
        assert result.actions.tolist() == actions[:count].tolist()
        assert result.values.shape == (count, players)
        can_be_stale = variant == MARVEL and state.round_number > 10  # then nobody wins (STL-1)
        assert (-1e-3 if can_be_stale else 1 - 1e-3) < result.win_probabilities.sum() < 1 + 1e-3
        return result.action

    play_out(state, [checked] * players, seed=8)


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_beats_greedy_play(variant: int) -> None:
    weights = greedy_weights(variant)
    scratch = new_scratch()
    values = np.zeros((ACTIONS, SEATS))
    engine = SearchEngine(variant, 2, tree_nodes=SMALL_TREE)

    def greedy(view: State) -> int:
        return int(choose(view, COMPONENTS[variant], weights, scratch, values))

    def search(view: State) -> int:
        return engine.think(view, nodes=200).action

    won = 0
    for game in range(6):
        state = dealt(variant, 2, seed=game)
        play_out(state, [search, greedy] if game % 2 == 0 else [greedy, search], seed=2000 + game)
        won += bool(has_won(state, COMPONENTS[variant], game % 2))
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


class FirmOpinion:
    """An evaluation that all but knows the last action to be the best, and values all positions alike."""

    batch = 1

    def evaluate(self, tree: Tree, components: Components, settings: Settings, count: int) -> None:
        for row in range(count):
            legal = int(tree.leaves.counts[row])
            tree.leaves.priors[row, :legal] = 0.1 / legal
            tree.leaves.priors[row, legal - 1] = 0.9
            tree.leaves.guesses[row, :legal] = 0.5
            tree.leaves.values[row] = 0.5

    def simulate(self, tree: Tree, components: Components, settings: Settings, simulations: int) -> None:
        simulate_in_batches(self, tree, components, settings, simulations)


@pytest.mark.parametrize("nodes", [1, 10, 40])
def test_few_simulations_follow_the_prior(nodes: int) -> None:
    state = dealt(SPLENDOR, 2)
    result = SearchEngine(SPLENDOR, 2, evaluations=[FirmOpinion()], tree_nodes=SMALL_TREE).think(state, nodes=nodes)
    assert result.action == result.actions[-1]
    assert result.visits[-1] > nodes / 2


def test_many_simulations_look_at_every_action() -> None:
    state = dealt(SPLENDOR, 2)
    engine = SearchEngine(SPLENDOR, 2, evaluations=[FirmOpinion()], tree_nodes=SMALL_TREE)
    engine._plant(0, state)
    engine._simulate(2000)
    visits = engine._visits()
    assert visits.min() >= int(0.1 * 2000 / len(visits)) - 1


def test_a_full_tree_still_answers() -> None:
    state = dealt(SPLENDOR, 2)
    engine = SearchEngine(SPLENDOR, 2, tree_nodes=64)
    result = engine.think(state, nodes=1000)
    assert result.visits.sum() > 64
    assert result.win_probabilities.sum() == pytest.approx(1)


def test_a_limit_in_seconds_is_enough() -> None:
    state = dealt(SPLENDOR, 2)
    engine = engine_for(state)
    for seconds in (0.02, 0.02, 1e-9):  # however late it is when it begins, it has looked
        result = engine.think(state, seconds=seconds)
        assert result.nodes > 0
        assert result.win_probabilities.sum() == pytest.approx(1)


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
    components = COMPONENTS[SPLENDOR]
    tree, evaluation = planted(state)
    evaluation.simulate(tree, components, Settings(), 2000)
    takes = [edge for edge in range(int(tree.node_edges[0])) if tree.edge_action[edge] < BUY]
    edge = max(takes, key=lambda each: int(tree.edge_visits[each]))
    child = int(tree.edge_child[edge])
    visits, sums = int(tree.node_visits[child]), tree.node_sums[child].copy()
    before = tree.states[child].copy()
    luck = lucks(tree, child)
    assert len(set(luck)) > 10

    found = int(find_node(tree, before))
    assert tree.states[found].tobytes() == before.tobytes()
    move_root(tree, child)

    assert tree.states[0].tobytes() == before.tobytes()
    assert tree.node_visits[0] == visits
    assert np.array_equal(tree.node_sums[0], sums)
    assert lucks(tree, 0) == luck
    assert 1 < tree.counters[NODES] <= visits
    assert_whole(tree)
    evaluation.simulate(tree, components, Settings(), 500)
    assert tree.node_visits[0] == visits + 500


def futures_of(tree: Tree, edge: int) -> list[int]:
    """The nodes that an edge leads to."""
    node = int(tree.edge_child[edge])
    ring: list[int] = []
    while node != NOTHING and node not in ring:
        ring.append(node)
        node = int(tree.node_sibling[node])
    return ring


def lucks(tree: Tree, node: int) -> list[int]:
    """Where the draws of all edges below it began."""
    found = []
    waiting = [node]
    while waiting:
        at = waiting.pop()
        first = int(tree.node_first[at])
        for edge in range(first, first + int(tree.node_edges[at])):
            if tree.edge_is_chance[edge]:
                found.append(int(tree.edge_luck[edge]))
            waiting.extend(futures_of(tree, edge))
    return found


def planted(state: State, batch: int = 1) -> tuple[Tree, BuiltInEvaluation]:
    """A tree that knows its root, and what evaluates its further nodes."""
    evaluation = BuiltInEvaluation(built_in_knowledge(int(state.variant), int(state.players)))
    components = COMPONENTS[int(state.variant)]
    tree = new_tree(SMALL_TREE, batch)
    evaluation.evaluate(tree, components, Settings(), int(plant(tree, state, components, 0, 0)))
    absorb(tree, 1)
    return tree, evaluation


def assert_whole(tree: Tree) -> None:
    """Every visit is counted once on its way, and every node is somebody's future."""
    nodes = int(tree.counters[NODES])
    reached = np.zeros(nodes, bool)
    reached[0] = True
    for node in range(nodes):
        first, count = int(tree.node_first[node]), int(tree.node_edges[node])
        passed = int(tree.edge_visits[first : first + count].sum())
        assert passed == tree.node_visits[node] - 1 or count == 0
        for each in range(first, first + count):
            ring = futures_of(tree, each)
            assert len(ring) == tree.edge_futures[each]
            assert tree.edge_visits[each] == tree.node_visits[ring].sum()
            reached[ring] = True
    assert reached.all()


class Indifferent:
    """An evaluation that knows nothing: all actions are alike, and so are the seats."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.sizes: list[int] = []

    def evaluate(self, tree: Tree, components: Components, settings: Settings, count: int) -> None:
        leaves = tree.leaves
        self.sizes.append(count)
        for row in range(count):
            state = tree.states[leaves.nodes[row]]
            legal = int(leaves.counts[row])
            assert tree.node_seat[leaves.nodes[row]] == state.seat
            assert (np.diff(leaves.actions[row, :legal]) > 0).all()
            leaves.priors[row, :legal] = 1 / legal
            leaves.guesses[row, :legal] = 1 / int(state.players)
            leaves.values[row, : int(state.players)] = 1 / int(state.players)

    def simulate(self, tree: Tree, components: Components, settings: Settings, simulations: int) -> None:
        simulate_in_batches(self, tree, components, settings, simulations)


@pytest.mark.parametrize("position", WINS_IN_ONE, ids=lambda position: position.__name__)
def test_another_evaluation_may_take_the_place_of_the_built_in_one(
    position: Callable[[], tuple[State, set[int]]],
) -> None:
    state, best = position()
    evaluation = Indifferent(16)
    engine = SearchEngine(int(state.variant), 2, evaluations=[evaluation], tree_nodes=SMALL_TREE)
    assert engine.think(state, nodes=1500).action in best
    assert max(evaluation.sizes) == 16


@pytest.mark.parametrize("batch", [1, 7, 32])
def test_new_nodes_are_collected_in_batches(batch: int) -> None:
    state = dealt(MARVEL, 2, seed=5)
    tree, evaluation = planted(state, batch)
    components = COMPONENTS[MARVEL]
    count = int(collect(tree, components, Settings(), 100))
    assert 1 <= count <= batch
    assert tree.counters[WALKS] == count
    assert len(set(tree.leaves.nodes[:count].tolist())) == count
    assert tree.node_visits[0] == 1 + count
    evaluation.evaluate(tree, components, Settings(), count)
    absorb(tree, count)
    assert_whole(tree)
    simulate_in_batches(evaluation, tree, components, Settings(), 1000)
    assert tree.node_visits[0] == 1 + count + 1000
    assert_whole(tree)
    assert tree.node_sums[0].sum() == pytest.approx(float(tree.node_visits[0]), rel=1e-4)


def test_an_edge_with_a_reveal_has_more_futures_the_more_often_it_is_visited() -> None:
    tree, _ = planted(dealt(SPLENDOR, 2, seed=5))
    settings = Settings(futures=2.0, root_futures=4.0, growth=1 / 4)
    simulate_in_batches(Indifferent(1), tree, COMPONENTS[SPLENDOR], settings, 3000)
    most = 0
    for node in range(int(tree.counters[NODES])):
        first = int(tree.node_first[node])
        for edge in range(first, first + int(tree.node_edges[node])):
            visits = int(tree.edge_visits[edge])
            if tree.edge_is_chance[edge] and visits > 0:
                # An edge may draw one with every visit, and is allowed as many as it had visits for before the last.
                allowed = (4 if node == 0 else 2) + (visits - 1) // 4
                assert tree.edge_futures[edge] == min(visits, allowed)
                most = max(most, allowed)
    assert most > 10


def test_the_cards_that_an_edge_turns_up_are_spread_over_the_deck() -> None:
    tree, evaluation = planted(dealt(SPLENDOR, 2, seed=5))
    simulate_in_batches(evaluation, tree, COMPONENTS[SPLENDOR], Settings(root_futures=6.0), 3000)
    edges = [edge for edge in range(int(tree.node_edges[0])) if tree.edge_futures[edge] == 6]
    assert len(edges) > 6
    decks = [int(deck) for deck in tree.states[0].deck]
    for edge in edges:
        child = int(tree.edge_child[edge])
        places = []
        for _ in range(6):
            child = int(tree.node_sibling[child])
            drawn = [deck & ~int(after) for deck, after in zip(decks, tree.states[child].deck, strict=True)]
            level = next(level for level in range(3) if drawn[level])
            before_it = decks[level] & (drawn[level] - 1)
            places.append(before_it.bit_count() / decks[level].bit_count())
        gaps = np.diff(sorted([*places, min(places) + 1]))
        assert gaps.min() > 0  # another card each time
        assert gaps.max() < 0.24 + 1 / 16  # no more than the golden ratio leaves among six, and one card


@pytest.mark.parametrize("weight", [0.0, 2.0, 20.0, 1e6])
def test_the_answer_weighs_value_against_doubt(weight: float) -> None:
    settings = Settings(value_weight=weight)
    nodes = 1500
    results = []
    for seed in range(12):
        state = dealt(MARVEL, 2, seed)
        result = SearchEngine(MARVEL, 2, settings=settings, tree_nodes=SMALL_TREE).think(state, nodes=nodes)
        values = result.values[:, int(state.seat)]
        worth = weight * values - 1 / np.sqrt(np.maximum(result.visits, 1e-9))
        answer = result.actions.tolist().index(result.action)
        assert worth[answer] == pytest.approx(worth.max(), abs=1e-6 * max(weight, 1))  # sums of another order
        is_most_visited = result.visits[answer] == result.visits.max()
        is_best = values[answer] == values.max()
        results.append((is_most_visited, is_best, result.nodes < nodes))
    most_visited, best, early = zip(*results, strict=True)
    assert all(most_visited) or weight > 0
    assert not all(most_visited) or weight < 20
    assert all(best) or weight < 20
    assert not all(best) or weight > 2
    assert all(most_visited[index] for index in range(12) if early[index])  # else they might still come to agree
    assert any(early) or weight > 2
