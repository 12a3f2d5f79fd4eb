"""The bots with a network."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cabochon import Game
from cabochon.bots.champion import BATCH, SETTINGS, ChampionBot, NetworkEvaluation, PolicyBot
from cabochon.bots.conformance import check_bot
from cabochon.bots.leaves import Settings
from cabochon.bots.protocol import BotError, Limit
from cabochon.bots.specs import parse_spec
from cabochon.core.cards import LEVELS, MARVEL, SPLENDOR, VARIANTS
from cabochon.core.state import BUY, MARKET, PAY_DONE, PLACES, RESERVE, State, copy_state
from cabochon.nn.network import shipped_network
from cabochon.nn.weights import MAX_BYTES, shipped_file
from cabochon.search.engine import SearchEngine, simulate_in_batches
from cabochon.train.evaluation import win_share
from tests.bots.positions import THREATS, WINS_IN_ONE, dealt, view_of, with_a_blind_reserve

EVERY_SETTING = [(variant, players) for variant in range(len(VARIANTS)) for players in (2, 3, 4)]


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_every_game_has_a_network_that_says_how_it_was_made(variant: int, players: int) -> None:
    assert len(shipped_file(variant, players).read_bytes()) < MAX_BYTES
    about = shipped_network(variant, players).about
    made: dict[str, Any] | None = about
    while made is not None:
        assert made["command"].startswith("cabochon train ")
        assert made["game"] == VARIANTS[variant]
        assert re.search(rf"--output runs/(taught-)?{made['game']}-{made['players']}( |$)", made["command"])
        assert ("--teacher" in made["command"]) == ("teacher" in made)
        made = made.get("start")
    assert len(about["commit"]) == 40
    assert about["seconds"] > 0


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_the_bare_network_beats_greedy_clearly(variant: int, players: int) -> None:
    assert win_share(shipped_network(variant, players), "greedy", 120, seed=3) > 0.9


COMPILED_ONCE = """
from cabochon.bots.champion import ChampionBot, simulate_with_advice
from cabochon import Game
from cabochon.bots.protocol import Limit
bot = ChampionBot()
bot.start(1)
print(len(simulate_with_advice.signatures), end=" ")
for variant in ("splendor", "marvel"):
    for players in (2, 3, 4):
        bot.choose(Game(variant, players=players, seed=1).view(0), Limit(nodes=2))
print(len(simulate_with_advice.signatures))
"""


def test_nothing_is_compiled_while_a_clock_runs() -> None:
    done = subprocess.run([sys.executable, "-c", COMPILED_ONCE], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before == after > 0


def test_policy_conforms() -> None:
    check_bot(PolicyBot, decisions=60)


def test_policy_with_a_temperature_conforms() -> None:
    check_bot(lambda: PolicyBot(temperature=1.0), decisions=30)


def test_policy_answers_with_the_networks_choice_and_its_values() -> None:
    view = Game("splendor", seed=4, payment="automatic").view(0)
    answer = PolicyBot().choose(view, Limit())
    actions, policy, values = shipped_network(0, 2).evaluate(view.state)
    assert answer.move.action == actions[policy.argmax()]
    assert answer.analysis is not None
    assert answer.analysis.win_probabilities == tuple(values)


def reversed_rows(state: State) -> State:
    """The same table with the cards of each level the other way round."""
    twin = copy_state(state)
    twin.market = np.flip(state.market.reshape(LEVELS, PLACES), axis=1).ravel()
    return twin


def elsewhere(action: int) -> int:
    """The action about the same card on the table of `reversed_rows`."""
    for first in (BUY, RESERVE):
        if first <= action < first + MARKET:
            place = action - first
            return first + place - place % PLACES + PLACES - 1 - place % PLACES
    return action


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_the_order_of_the_cards_changes_nothing(variant: int, players: int) -> None:
    state = view_of(dealt(variant, players, seed=9), 0)
    network = shipped_network(variant, players)
    actions, policy, values = network.evaluate(state)
    twins_actions, twins_policy, twins_values = network.evaluate(reversed_rows(state))
    by_action = dict(zip(twins_actions.tolist(), twins_policy.tolist(), strict=True))
    assert [by_action[elsewhere(action)] for action in actions.tolist()] == policy.tolist()
    assert twins_values.tolist() == values.tolist()
    engine = SearchEngine(variant, players, settings=SETTINGS, evaluations=[NetworkEvaluation(network)])
    found, twin = (engine.think(position, nodes=60) for position in (state, reversed_rows(state)))
    assert twin.action == elsewhere(found.action)
    assert [elsewhere(action) for action in found.line] == list(twin.line)
    visits = dict(zip(twin.actions.tolist(), twin.visits.tolist(), strict=True))
    assert [visits[elsewhere(action)] for action in found.actions.tolist()] == found.visits.tolist()


def test_a_higher_temperature_errs_more() -> None:
    view = Game("marvel", seed=4).view(0)
    best = PolicyBot().choose(view, Limit()).move
    strayed = []
    for temperature in (0.3, 5.0):
        bot = PolicyBot(temperature=temperature)
        bot.start(1)
        strayed.append(sum(bot.choose(view, Limit()).move != best for _ in range(60)))
    assert strayed[0] < strayed[1]


@pytest.mark.parametrize("text", ["policy:temperature=-1", "policy:temperature=hot"])
def test_a_temperature_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(BotError, match="expected a temperature of 0 or more"):
        parse_spec(text)


def engine_for(state: State, threads: int = 1, settings: Settings = SETTINGS) -> SearchEngine:
    network = shipped_network(int(state.variant), int(state.players))
    evaluations = [NetworkEvaluation(network) for _ in range(threads)]
    variant, players = int(state.variant), int(state.players)
    return SearchEngine(variant, players, settings=settings, evaluations=evaluations, tree_nodes=1 << 12)


@pytest.mark.parametrize("position", [*WINS_IN_ONE, *THREATS], ids=lambda position: position.__name__)
def test_champion_finds_the_best_move(position: Callable[[], tuple[State, set[int]]]) -> None:
    state, best = position()
    assert engine_for(state).think(view_of(state, int(state.seat)), nodes=1500).action in best


@pytest.mark.parametrize("threads", [1, 2])
def test_champion_answers_the_same_by_seed_and_node_limit(threads: int) -> None:
    state = dealt(MARVEL, 3, seed=4)
    first, second = (engine_for(state, threads).think(state, nodes=400) for _ in range(2))
    np.testing.assert_array_equal(first.visits, second.visits)
    np.testing.assert_array_equal(first.values, second.values)
    assert first.action == second.action
    values = first.values[:, int(state.seat)]
    worth = SETTINGS.value_weight * values - 1 / np.sqrt(np.maximum(first.visits, 1e-9))
    answer = first.actions.tolist().index(first.action)
    assert worth[answer] == pytest.approx(worth.max(), abs=1e-6)  # sums of another order


def test_leaves_get_what_the_network_thinks_of_them() -> None:
    full, _ = with_a_blind_reserve(SPLENDOR, 2)
    state = view_of(full, int(full.seat))
    state.automatic_payment = 1
    engine = engine_for(state, settings=SETTINGS._replace(prior_temperature=1.0))
    result = engine.think(state, nodes=1)
    actions, policy, values = shipped_network(int(state.variant), int(state.players)).evaluate(state)
    tree = engine._trees[0]
    assert result.actions.tolist() == actions.tolist()
    np.testing.assert_allclose(tree.edge_prior[: len(actions)], policy, atol=1e-6)
    np.testing.assert_allclose(tree.edge_guess[: len(actions)], values[int(state.seat)], atol=1e-6)


def test_compiled_simulations_are_those_in_batches() -> None:
    state = dealt(SPLENDOR, 2, seed=8)
    visits = []
    for is_compiled in (True, False):
        engine = engine_for(state)
        engine._plant(0, state)
        evaluation, tree = engine._evaluations[0], engine._trees[0]
        if is_compiled:
            evaluation.simulate(tree, engine._components, engine.settings, 20 * BATCH)
        else:
            simulate_in_batches(evaluation, tree, engine._components, engine.settings, 20 * BATCH)
        visits.append(tree.edge_visits[: int(tree.node_edges[0])].copy())
    assert visits[0].sum() == 20 * BATCH
    np.testing.assert_array_equal(visits[0], visits[1])


def test_champion_conforms() -> None:
    check_bot(ChampionBot, Limit(nodes=12), decisions=40)


def test_champion_thinks_of_every_game_as_one_it_was_trained_for() -> None:
    by_payment = [Game("marvel", 3, seed=6, payment=payment) for payment in ("choice", "automatic")]
    answers = [ChampionBot().choose(game.view(0), Limit(nodes=300)) for game in by_payment]
    searched, expected = (answer.analysis for answer in answers)
    assert searched is not None
    assert expected is not None
    assert (searched.candidates, searched.line) == (expected.candidates, expected.line)


def test_champion_pays_with_the_fewest_wilds() -> None:
    for seed in range(60):
        game = Game("splendor", seed=seed)
        while not game.is_over and game.phase != "pay":
            buying = [move for move in game.legal_moves if move.kind == "buy"]
            reserving = [move for move in game.legal_moves if move.kind == "reserve"]
            game.play((buying or reserving or list(game.legal_moves))[0])
        if not game.is_over:
            for bot in (ChampionBot(), PolicyBot()):
                assert bot.choose(game.view(game.seat), Limit(nodes=8)).move.action == PAY_DONE
            return
    raise AssertionError("expected a payment to choose in one of 60 games")
