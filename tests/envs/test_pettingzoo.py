"""Both games in PettingZoo's AEC interface."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from cabochon import IllegalMoveError
from cabochon.core.observation import observation_scales
from cabochon.envs import Batch, pettingzoo
from tests.playing import SETTINGS

# PettingZoo's test knows only its own environments to have observations with a mask, or no picture.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Environment has not defined a render"),
]


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_it_conforms(variant: str, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(pettingzoo.env(variant, players), num_cycles=60)
    assert "Passed API test" in capsys.readouterr().out


def test_a_seed_repeats_the_game() -> None:
    seed_test(lambda: pettingzoo.env("marvel", 3, dtype="int8"), num_cycles=20)


def play(env: Any, number: int) -> tuple[list[tuple[str, int]], dict[str, float]]:
    """Play a game out by a fixed rule: who took which action, and what each agent got at the end."""
    actions: list[tuple[str, int]] = []
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, is_over, is_cut, info = env.last()
        totals[agent] += reward
        assert not is_cut
        if is_over:
            assert info["place"] in (1, 2, 3, 4)
            env.step(None)
            continue
        legal = np.flatnonzero(observation["action_mask"])
        action = int(legal[(number + len(actions)) % len(legal)])
        actions.append((agent, action))
        env.step(action)
    return actions, totals


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 4)])
def test_it_plays_the_games_of_a_batch(variant: str, players: int) -> None:
    env = pettingzoo.env(variant, players, dtype="int8")
    batch = Batch(variant, players, games=1, seed=np.array([5]))
    env.reset(seed=5)
    for episode in range(2):
        observed = env.observe(env.agent_selection)
        assert (observed["observation"] * observation_scales(players) == batch.observe()[0]).all()
        assert (observed["action_mask"] == batch.masks[0]).all()
        actions, totals = play(env, episode)
        for number, (agent, action) in enumerate(actions):
            assert agent == f"seat_{batch.seats[0]}"
            batch.step(np.array([action]))
            assert bool(batch.dones[0]) == (number == len(actions) - 1)
        assert list(totals.values()) == pytest.approx(batch.values[0].tolist())
        env.reset()


def test_only_the_seat_that_decides_has_legal_actions() -> None:
    env = pettingzoo.env(players=3)
    env.reset(seed=1)
    assert env.observe("seat_0")["action_mask"].any()
    assert not env.observe("seat_1")["action_mask"].any()


def test_an_illegal_action_ends_the_game_against_its_agent() -> None:
    env = pettingzoo.env(players=3)
    env.reset(seed=1)
    env.step(60)  # a pass, while there are tokens to take
    assert env.rewards == {"seat_0": -1.0, "seat_1": 0.0, "seat_2": 0.0}
    assert all(env.terminations.values())
    for action in (78, -1, None, "take wbg"):
        env.reset(seed=1)
        with pytest.raises(IllegalMoveError, match="expected an action of seat_0 from 0 to 77, got"):
            env.step(action)


def test_it_can_be_pickled() -> None:
    env = pickle.loads(pickle.dumps(pettingzoo.env("marvel", 3, payment="automatic")))
    env.reset(seed=1)
    assert len(env.agents) == 3
