"""PettingZoo environments of both games: every seat is an agent, in turn (AEC), with action masks.

    from cabochon.envs import pettingzoo

    env = pettingzoo.env("marvel", players=3)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))

The same agent may decide several times in a row, because a turn can have several decisions. A seed deals the same game
as in a row of a `Batch` with this seed; a reset without a seed deals the next game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from cabochon.core.state import ACTIONS
from cabochon.envs.batch import Batch
from cabochon.envs.spaces import mask_box, observation_box
from cabochon.errors import IllegalMoveError

VERSION = 1  # of the environments; increases when the same seed and actions give a different result


def env(variant: str = "splendor", players: int = 2, **options: Any) -> TableEnv:
    """Return the environment; the options are those of `TableEnv`."""
    return TableEnv(variant, players, **options)


class TableEnv(AECEnv, EzPickle):  # type: ignore[misc]  # PettingZoo has no types
    """A table whose seats are the agents `seat_0`, `seat_1`, ...

    `dtype` is the type of the observations, "float32" or "int8"; `free_take` and `payment` are those of
    `cabochon.Game`. An illegal action ends the game with -1 for its agent and 0 for the others. PettingZoo has wrappers
    for that, but they make the loop three times slower.
    """

    def __init__(
        self,
        variant: str = "splendor",
        players: int = 2,
        *,
        dtype: str = "float32",
        free_take: bool = False,
        payment: str = "choice",
    ) -> None:
        EzPickle.__init__(self, variant, players, dtype=dtype, free_take=free_take, payment=payment)
        self._batch = Batch(variant, players, games=1, dtype=dtype, restart=False, free_take=free_take, payment=payment)
        self._observers = [np.array([seat], dtype=np.int8) for seat in range(players)]
        self.metadata = {"name": f"cabochon_{variant}_v{VERSION}", "is_parallelizable": False, "render_modes": []}
        self.possible_agents = [f"seat_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        observation = spaces.Dict({"observation": observation_box(players, dtype), "action_mask": mask_box()})
        self.observation_spaces = dict.fromkeys(self.possible_agents, observation)
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of the agent's observations: the features and the mask of legal actions."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the first game of the seed, or by default the next game."""
        self._batch.reset(None if seed is None else np.array([seed]))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[int(self._batch.seats[0])]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the agent's observation and the mask of its legal actions, all 0 unless the agent is to decide."""
        batch = self._batch
        seat = self.possible_agents.index(agent)
        mask = batch.masks[0].view(np.int8).copy()
        if agent != self.agent_selection:
            mask[:] = 0
        rows = batch.observe(seats=None if seat == batch.seats[0] else self._observers[seat])
        return {"observation": rows[0].copy(), "action_mask": mask}

    def step(self, action: Any) -> None:
        """Take the action of the agent that decides, or None if its game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        if not self.action_spaces[agent].contains(action):
            raise IllegalMoveError(f"expected an action of {agent} from 0 to {ACTIONS - 1}, got {action!r}", "TRN-1")
        batch = self._batch
        if not batch.masks[0, action]:
            self._end({other: -1.0 if other == agent else 0.0 for other in self.agents})
            return
        batch.step(np.array([action]))
        self.agent_selection = self.agents[batch.seats[0]]
        if batch.dones[0]:
            for other, place in zip(self.agents, batch.places[0].tolist(), strict=True):
                self.infos[other]["place"] = place
            self._end(dict(zip(self.agents, batch.values[0].tolist(), strict=True)))

    def _end(self, rewards: dict[str, float]) -> None:
        self.rewards = rewards
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self._deads_step_first()
