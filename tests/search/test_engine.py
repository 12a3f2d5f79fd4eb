"""The engine: what it answers, that equal seeds repeat, and that limits are kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cabochon.core.cards import LEVELS, MARVEL, SPLENDOR, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.rules import has_won, legal_actions
from cabochon.core.state import ACTIONS, BUY, MARKET, NOTHING, PLACES, RESERVE, REVEAL, State, copy_state
from cabochon.nn.network import shipped_network
from cabochon.search import SearchEngine, SearchResult, SearchSettings
from tests.bots.positions import THREATS, WINS_IN_ONE, dealt, play_out, view_of, with_a_blind_reserve
from tests.search.evaluating import (
    LastActionEvaluator,
    UniformEvaluator,
    engine_with,
    greedy,
    heuristic_engine,
    network_engine,
    rooted,
)

EVERY_SETTING = [(variant, players) for variant in range(len(VARIANTS)) for players in (2, 3, 4)]


def assert_same(first: SearchResult, second: SearchResult) -> None:
    assert first.action == second.action
    assert first.line == second.line
    assert first.nodes == second.nodes
    assert np.array_equal(first.visits, second.visits)
    assert np.array_equal(first.values, second.values)


@pytest.mark.parametrize("new_engine", [heuristic_engine, network_engine])
@pytest.mark.parametrize("position", [*WINS_IN_ONE, *THREATS], ids=lambda position: position.__name__)
def test_finds_the_best_move(
    position: Callable[[], tuple[State, set[int]]], new_engine: Callable[[State], SearchEngine]
) -> None:
    state, best = position()
    result = new_engine(state).search(view_of(state, int(state.seat)), nodes=1500)
    assert result.action in best
    assert result.line[0] == result.action


@pytest.mark.parametrize("position", WINS_IN_ONE, ids=lambda position: position.__name__)
def test_a_win_in_hand_is_certain_whatever_the_evaluator(position: Callable[[], tuple[State, set[int]]]) -> None:
    state, best = position()
    evaluator = UniformEvaluator(batch_size=16)
    result = engine_with(evaluator, state).search(state, nodes=1500)
    assert result.action in best
    assert np.allclose(result.values[result.actions.tolist().index(result.action)], [0.0, 1.0])
    assert max(evaluator.sizes) == 16


def test_several_threads_search_their_first_view_under_a_time_limit() -> None:
    state = dealt(SPLENDOR, 2, seed=4)
    result = heuristic_engine(state, 2).search(state, seconds=0.001)
    assert result.visits.sum() == result.nodes > 0


@pytest.mark.parametrize("new_engine", [heuristic_engine, network_engine])
@pytest.mark.parametrize("threads", [1, 2])
def test_equal_by_seed_and_node_limit(threads: int, new_engine: Callable[[State, int], SearchEngine]) -> None:
    state = dealt(MARVEL, 3, seed=4)
    first, second = (new_engine(state, threads).search(state, nodes=400) for _ in range(2))
    assert_same(first, second)


def test_other_seeds_search_other_cards() -> None:
    state = dealt(SPLENDOR, 2, seed=4)
    first, second = (heuristic_engine(state, seed=seed).search(state, nodes=400) for seed in (1, 2))
    assert not np.array_equal(first.values, second.values)


def test_an_answer_does_not_depend_on_earlier_ones() -> None:
    state = dealt(SPLENDOR, 2, seed=4)
    engine = heuristic_engine(state)
    engine.search(dealt(SPLENDOR, 2, seed=6), nodes=300)
    assert_same(engine.search(state, nodes=500), heuristic_engine(state).search(state, nodes=500))


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_does_not_depend_on_hidden_cards(variant: int, players: int) -> None:
    states = with_a_blind_reserve(variant, players)
    first, second = (heuristic_engine(state).search(view_of(state, 0), nodes=200) for state in states)
    assert_same(first, second)


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_plays_legal_actions_to_the_end(variant: int, players: int) -> None:
    state = dealt(variant, players)
    engine = heuristic_engine(state)
    actions = np.zeros(ACTIONS, np.int64)

    def checked(view: State) -> int:
        result = engine.search(view, nodes=40)
        count = legal_actions(state, COMPONENTS[variant], actions)
        assert result.actions.tolist() == actions[:count].tolist()
        assert result.values.shape == (count, players)
        can_be_stale = variant == MARVEL and state.round_number > 10  # then nobody wins (STL-1)
        assert (-1e-3 if can_be_stale else 1 - 1e-3) < result.win_probabilities.sum() < 1 + 1e-3
        return result.action

    play_out(state, [checked] * players, seed=8)


@pytest.mark.parametrize("variant", [SPLENDOR, MARVEL])
def test_beats_greedy_play(variant: int) -> None:
    engine = heuristic_engine(dealt(variant, 2))

    def search(view: State) -> int:
        return engine.search(view, nodes=200).action

    won = 0
    for game in range(6):
        state = dealt(variant, 2, seed=game)
        play_out(state, [search, greedy] if game % 2 == 0 else [greedy, search], seed=2000 + game)
        won += bool(has_won(state, COMPONENTS[variant], game % 2))
    assert won >= 4


def reversed_rows(state: State) -> State:
    """The same table with the cards of each level the other way round."""
    twin = copy_state(state)
    twin.market = np.flip(state.market.reshape(LEVELS, PLACES), axis=1).ravel()
    return twin


def reversed_action(action: int) -> int:
    """The action about the same card on the table of `reversed_rows`."""
    for first in (BUY, RESERVE):
        if first <= action < first + MARKET:
            place = action - first
            return first + place - place % PLACES + PLACES - 1 - place % PLACES
    return action


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_the_order_of_the_cards_changes_nothing(variant: int, players: int) -> None:
    state = view_of(dealt(variant, players, seed=9), 0)
    network, engine = shipped_network(variant, players), network_engine(state)
    actions, policy, values = network.evaluate(state)
    twins_actions, twins_policy, twins_values = network.evaluate(reversed_rows(state))
    by_action = dict(zip(twins_actions.tolist(), twins_policy.tolist(), strict=True))
    assert [by_action[reversed_action(action)] for action in actions.tolist()] == policy.tolist()
    assert twins_values.tolist() == values.tolist()
    found, twin = (engine.search(position, nodes=60) for position in (state, reversed_rows(state)))
    assert twin.action == reversed_action(found.action)
    assert [reversed_action(action) for action in found.line] == list(twin.line)
    visits = dict(zip(twin.actions.tolist(), twin.visits.tolist(), strict=True))
    assert [visits[reversed_action(action)] for action in found.actions.tolist()] == found.visits.tolist()


def test_a_single_legal_action_needs_no_search() -> None:
    state = dealt(SPLENDOR, 2)
    state.supply[:5] = 0
    state.supply[2] = 1
    state.hand[0] = (0, 1, 2)
    state.market[:] = NOTHING
    result = heuristic_engine(state).search(state, nodes=10_000)
    assert len(result.actions) == 1
    assert result.nodes < 10_000


@pytest.mark.parametrize("nodes", [1, 10, 40])
def test_few_simulations_follow_the_prior(nodes: int) -> None:
    state = dealt(SPLENDOR, 2)
    result = engine_with(LastActionEvaluator(), state).search(state, nodes=nodes)
    assert result.action == result.actions[-1]
    assert result.visits[-1] > nodes / 2


def test_many_simulations_look_at_every_action() -> None:
    thread = rooted(dealt(SPLENDOR, 2), LastActionEvaluator())
    thread.simulate(2000)
    visits = thread.tree.edges["visits"][: int(thread.tree.nodes[0].edge_count)]
    assert visits.min() >= int(0.1 * 2000 / len(visits)) - 1


def test_a_full_tree_still_answers() -> None:
    state = dealt(SPLENDOR, 2)
    result = heuristic_engine(state, tree_nodes=64).search(state, nodes=1000)
    assert result.visits.sum() > 64
    assert result.win_probabilities.sum() == pytest.approx(1)


def test_a_limit_in_seconds_is_enough() -> None:
    state = dealt(SPLENDOR, 2)
    engine = heuristic_engine(state)
    for seconds in (0.02, 0.02, 1e-9):  # however little time is left, it searches before it answers
        result = engine.search(state, seconds=seconds)
        assert result.nodes > 0
        assert result.win_probabilities.sum() == pytest.approx(1)


def test_a_limit_in_seconds_keeps_the_tree_for_the_next_turn() -> None:
    state = dealt(SPLENDOR, 2, seed=2)
    engine = heuristic_engine(state)
    engine.search(state, nodes=2000)
    tree = engine._workers[0].tree
    node = 1 + int(tree.nodes["visits"][1 : int(tree.counters[0].nodes)].argmax())
    visits, view = int(tree.nodes[node].visits), copy_state(tree.states[node])
    result = engine.search(view, seconds=1e-9)
    assert result.visits.sum() == visits - 1 + result.nodes


def test_refuses_what_it_cannot_search() -> None:
    state = dealt(SPLENDOR, 2)
    engine = heuristic_engine(state)
    with pytest.raises(ValueError, match="expected a limit in seconds or nodes, got neither"):
        engine.search(state)
    state.phase = REVEAL
    with pytest.raises(ValueError, match="expected a view with a decision to make, got phase 2"):
        engine.search(state, nodes=10)


@pytest.mark.parametrize("weight", [0.0, 2.0, 20.0, 1e6])
def test_the_answer_weighs_value_against_doubt(weight: float) -> None:
    settings = SearchSettings(value_weight=weight, exploration=0.1)
    nodes = 1500
    results = []
    for seed in range(12):
        state = dealt(MARVEL, 2, seed)
        result = heuristic_engine(state, settings=settings).search(state, nodes=nodes)
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
