"""Both games in OpenSpiel: chance nodes, information states, and its own tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest

import cabochon.envs.openspiel
from cabochon.core.components import COMPONENTS
from cabochon.core.observation import new_observation, observation_scales, observe
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS, random_below, seed_stream
from tests.playing import SETTINGS


def load(variant: str, players: int) -> Any:
    return pyspiel.load_game(f"cabochon_{variant}(players={players})")


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_it_conforms(variant: str, players: int, capfd: pytest.CaptureFixture[str]) -> None:
    game = load(variant, players)
    pyspiel.random_sim_test(game, num_sims=1, serialize=players == 2, verbose=False)
    assert game.num_players() == players
    assert game.utility_sum() == 0


class Chooser:
    """Chance and players at random, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
        seed_stream(self.stream, seed, 0)

    def step(self, state: Any) -> None:
        if state.is_chance_node():
            choices = [outcome for outcome, _ in state.chance_outcomes()]
        else:
            choices = state.legal_actions()
        state.apply_action(choices[random_below(self.stream, len(choices))])


def test_chance_deals_every_card() -> None:
    state = load("marvel", 2).new_initial_state()
    sizes = []
    chooser = Chooser(1)
    while state.is_chance_node():
        outcomes = state.chance_outcomes()
        assert sum(chance for _, chance in outcomes) == pytest.approx(1)
        sizes.append(len(outcomes))
        chooser.step(state)
    assert sizes == [40, 39, 38, 37, 30, 29, 28, 27, 20, 19, 18, 17, 8, 6]  # a drawn tile takes its other face away
    assert state.current_player() == 0


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 3)])
def test_information_states_tell_apart_what_a_player_can(variant: str, players: int) -> None:
    """A blind draw is another state for its owner, the same for the others, until the card is bought."""
    game = load(variant, players)
    blind_draws = 0
    hidden = 0
    shown_at_last = 0
    for seed in range(6):
        state, chooser = game.new_initial_state(), Chooser(seed)
        while not state.is_terminal():
            if state.is_chance_node() and state.table.state.pending in (12, 13, 14) and blind_draws < 12:
                blind_draws += 1
                owner = state.table.seat
                one, other = (state.child(outcome) for outcome, _ in state.chance_outcomes()[:2])
                for player in range(players):
                    is_same = one.information_state_string(player) == other.information_state_string(player)
                    assert is_same == (player != owner)
                    is_same = one.observation_string(player) == other.observation_string(player)
                    assert is_same == (player != owner)
                    is_same = one.observation_tensor(player) == other.observation_tensor(player)
                    assert is_same == (player != owner)
            chooser.step(state)
        hidden += state.information_state_string(0).count("h=?")
        shown_at_last += state.information_state_string(0).count(" =")
        assert sum(state.returns()) == pytest.approx(0)
        assert max(state.returns()) > 0
    assert blind_draws > 0
    assert hidden > 0
    assert shown_at_last > 0


def test_the_observation_is_that_of_all_environments() -> None:
    game = load("marvel", 3)
    state, chooser = game.new_initial_state(), Chooser(2)
    for _ in range(80):
        chooser.step(state)
    row = new_observation(3)
    for player in range(3):
        observe(state.table.state, COMPONENTS[1], player, row)
        assert state.observation_tensor(player) == pytest.approx((row * observation_scales(3)).tolist())
    observer = game.make_py_observer()
    observer.set_from(state, 1)
    observe(state.table.state, COMPONENTS[1], 1, row)
    assert observer.dict["supply"].tolist() == pytest.approx((row[13:20] / 4).tolist())
    with pytest.raises(ValueError, match="expected no parameters of the observation"):
        game.make_py_observer(params={"a": 1})
    with pytest.raises(ValueError, match="expected an observation of all public"):
        game.make_py_observer(
            pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
        )


def test_options_are_parameters() -> None:
    game = pyspiel.load_game("cabochon_splendor(players=3,free_take=True,payment=automatic)")
    options = game.new_initial_state().table.options
    assert (options.players, options.free_take, options.payment) == (3, True, "automatic")
    assert cabochon.envs.openspiel.SplendorGame().new_initial_state().table.players == 2
