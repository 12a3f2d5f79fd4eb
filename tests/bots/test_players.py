"""The built-in bots with a network."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from cabochon import Game
from cabochon.bots.conformance import check_bot
from cabochon.bots.players import ChampionBot, PolicyBot
from cabochon.bots.protocol import BotError, Limit
from cabochon.bots.specs import parse_spec
from cabochon.core.cards import VARIANTS
from cabochon.core.state import PAY_DONE
from cabochon.nn.network import shipped_network
from cabochon.nn.weights import MAX_BYTES, shipped_file
from cabochon.train.evaluation import win_share

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
    assert win_share(shipped_network(variant, players), "greedy", 48, seed=3) > 0.9


COMPILED_ONCE = """
from cabochon import Game
from cabochon.bots import Limit
from cabochon.bots.players import ChampionBot
from cabochon.search import engine, evaluators
def signatures():
    functions = (engine.set_root, engine.simulate, engine.expand_batch, engine.move_root,
                 engine.add_root_statistics, evaluators.evaluate_by_network)
    return sum(len(function.signatures) for function in functions)
bot = ChampionBot()
bot.start(1)
print(signatures(), end=" ")
for variant in ("splendor", "marvel"):
    for players in (2, 3, 4):
        bot.choose(Game(variant, players=players, seed=1).view(0), Limit(nodes=2))
print(signatures())
"""


def test_nothing_is_compiled_while_a_clock_runs() -> None:
    done = subprocess.run([sys.executable, "-c", COMPILED_ONCE], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before == after == 6


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
