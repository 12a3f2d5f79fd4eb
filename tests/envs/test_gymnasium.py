"""One seat against bots, in Gymnasium's interface."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import cabochon.envs.gymnasium
from cabochon import Game, IllegalMoveError, OptionsError
from cabochon.core.observation import observation_scales
from tests.playing import SETTINGS

NAMES = {"splendor": "cabochon/Splendor-v1", "marvel": "cabochon/Marvel-v1"}


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_it_conforms(variant: str, players: int) -> None:
    env = gymnasium.make(NAMES[variant], players=players, dtype="int8" if players == 3 else "float32")
    check_env(env.unwrapped)
    assert env.unwrapped.options.variant == variant  # type: ignore[attr-defined]


def play(env: Any, seed: int) -> tuple[list[float], dict[str, Any], list[bytes]]:
    """Play a game out at random: all rewards, the last info, and all observations."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    rewards: list[float] = []
    observations = [observation.tobytes()]
    is_over = False
    while not is_over:
        assert (info["action_mask"] == env.unwrapped.action_masks()).all()
        action = env.action_space.sample(info["action_mask"])
        observation, reward, is_over, is_cut, info = env.step(action)
        assert not is_cut
        rewards.append(reward)
        observations.append(observation.tobytes())
    return rewards, info, observations


@pytest.mark.parametrize("opponents", ["random", ["greedy", "random"]])
def test_a_game_ends_with_its_outcome_and_a_seed_repeats_it(opponents: str | list[str]) -> None:
    env = gymnasium.make(NAMES["marvel"], players=3, opponents=opponents)
    rewards, info, observations = play(env, seed=4)
    game = env.unwrapped.game  # type: ignore[attr-defined]
    seat = env.unwrapped.seat  # type: ignore[attr-defined]
    assert game.is_over
    assert info["place"] == game.outcome.places[seat]
    assert rewards[:-1] == [0.0] * (len(rewards) - 1)
    assert rewards[-1] == (1.0 if seat in game.outcome.winners else -0.5)
    assert Game.from_record(game.record()).outcome == game.outcome
    assert play(env, seed=4)[2] == observations
    assert play(env, seed=5)[2] != observations


def test_it_shows_what_the_seat_knows() -> None:
    env = cabochon.envs.gymnasium.SeatEnv(seat=1, render_mode="ansi", dtype="int8")
    observation, info = env.reset(seed=1)
    assert info["seat"] == 1
    assert env.game.seat == 1
    floats = cabochon.envs.gymnasium.SeatEnv(seat=1)
    assert (floats.reset(seed=1)[0] == observation * observation_scales(2)).all()
    assert env.render() == str(env.game.view(1))
    assert floats.render() is None
    env.close()


def test_seats_are_drawn_unless_one_is_chosen() -> None:
    env = gymnasium.make(NAMES["splendor"], players=4)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2, 3}


def test_an_illegal_action_ends_the_game() -> None:
    env = cabochon.envs.gymnasium.SeatEnv(seat=0)
    env.reset(seed=1)
    for action in (-1, 78, 0.5, None):
        with pytest.raises(IllegalMoveError, match="expected an action from 0 to 77, got"):
            env.step(action)
    _, reward, is_over, is_cut, info = env.step(60)
    assert (reward, is_over, is_cut, info["is_illegal"]) == (-1.0, True, False, True)
    with pytest.raises(OptionsError, match="expected a reset: the game is over"):
        env.step(0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": ["random", "greedy"]}, "expected 1 opponents, got 2"),
        ({"seat": 2}, "expected a seat from 0 to 1, or None, got 2"),
        ({"dtype": "float64"}, "expected observations of dtype 'int8' or 'float32', got 'float64'"),
        ({"render_mode": "human"}, "expected the render mode 'ansi' or None, got 'human'"),
    ],
)
def test_what_cannot_be_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        cabochon.envs.gymnasium.SeatEnv(**arguments)


def test_it_can_be_vectorised() -> None:
    envs = gymnasium.make_vec(NAMES["splendor"], num_envs=2, vectorization_mode="sync")
    observations, infos = envs.reset(seed=3)
    assert observations.shape == (2, 688)
    actions = np.array([np.flatnonzero(mask)[0] for mask in infos["action_mask"]])
    assert envs.step(actions)[0].shape == (2, 688)
    envs.close()
