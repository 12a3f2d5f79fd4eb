"""The bots with a network."""

from __future__ import annotations

import pytest

from cabochon import Game
from cabochon.bots import network as networks
from cabochon.bots.bot import BotError, Limit
from cabochon.bots.champion import PolicyBot
from cabochon.bots.conformance import check_bot
from cabochon.bots.specs import parse_spec
from cabochon.core.cards import VARIANTS
from cabochon.train.trial import win_share

EVERY_SETTING = [(variant, players) for variant in range(len(VARIANTS)) for players in (2, 3, 4)]


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_every_game_has_a_network_that_says_how_it_was_made(variant: int, players: int) -> None:
    assert networks.has_network(variant, players)
    assert networks._resource(variant, players).stat().st_size < networks.MOST_BYTES
    about = networks.shipped_network(variant, players).about
    assert about["command"].startswith(f"cabochon train --output runs/{VARIANTS[variant]}-{players}")
    assert len(about["commit"]) == 40
    assert about["seconds"] > 0


@pytest.mark.parametrize(("variant", "players"), EVERY_SETTING)
def test_the_bare_network_beats_greedy_clearly(variant: int, players: int) -> None:
    share = win_share(networks.shipped_network(variant, players), "greedy", 120, seed=3)
    assert share > 1.8 / players - 0.15  # measured: 0.93 and 0.95 for two players, 0.85 to 0.93 for more


def test_policy_conforms() -> None:
    check_bot(PolicyBot, decisions=60)


def test_policy_with_a_temperature_conforms() -> None:
    check_bot(lambda: PolicyBot(temperature=1.0), decisions=30)


def test_policy_answers_with_the_networks_choice_and_its_values() -> None:
    view = Game("splendor", seed=4, payment="automatic").view(0)
    answer = PolicyBot().choose(view, Limit())
    actions, policy, values = networks.shipped_network(0, 2).think(view.state)
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
