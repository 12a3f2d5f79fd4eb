"""Gymnasium environments of both games: one seat learns, bots play the others.

import gymnasium

import cabochon.envs.gymnasium  # registers the names

env = gymnasium.make("cabochon/Marvel-v1", players=3, opponents="greedy")
observation, info = env.reset(seed=1)
done = False
while not done:
    action = env.action_space.sample(info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
    done = terminated or truncated
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from cabochon.bots.protocol import answer_of, close, start
from cabochon.bots.specs import parse_spec
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.lockstep import outcome_value
from cabochon.core.observation import new_observation, observation_scales, observe
from cabochon.core.rules import legal_mask
from cabochon.core.state import ACTIONS, Array
from cabochon.envs.spaces import observation_box
from cabochon.errors import IllegalMoveError, OptionsError
from cabochon.game import Game, Options

ILLEGAL_REWARD = -1.0


class SeatEnv(gymnasium.Env[Array, Any]):
    """One seat of a table against bots.

    `opponents` is the name of a bot, such as "random" or "greedy" (docs/bots.md), or a name for each of the other seats
    in the order of play. `seat` is the learner's seat; None draws a random one for each game. `dtype` is the type of
    the observations, "float32" or "int8".

    An illegal action ends the game with the reward -1. `info["action_mask"]` and `action_masks()` have the legal
    actions. `env.unwrapped.game` is the `cabochon.Game`, for example to save its record.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  # Gymnasium reads it from the class

    def __init__(
        self,
        variant: str = "splendor",
        players: int = 2,
        *,
        opponents: str | Sequence[str] = "random",
        seat: int | None = None,
        dtype: str = "float32",
        free_take: bool = False,
        payment: str = "choice",
        render_mode: str | None = None,
    ) -> None:
        self.options = Options(variant, players, free_take, payment)
        names = [opponents] * (players - 1) if isinstance(opponents, str) else list(opponents)
        if len(names) != players - 1:
            raise OptionsError(f"expected {players - 1} opponents, got {len(names)}")
        if seat is not None and seat not in range(players):
            raise OptionsError(f"expected a seat from 0 to {players - 1}, or None, got {seat!r}")
        if dtype not in ("int8", "float32"):
            raise OptionsError(f"expected observations of dtype 'int8' or 'float32', got {dtype!r}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise OptionsError(f"expected the render mode 'ansi' or None, got {render_mode!r}")
        self.render_mode = render_mode
        self.game = Game(self.options)
        self.seat = 0 if seat is None else seat
        self._chosen_seat = seat
        self._specs = [parse_spec(name) for name in names]
        self._bots = [spec.make() for spec in self._specs]
        self._components = COMPONENTS[VARIANTS.index(variant)]
        self._scales = observation_scales(players)
        self._mask: Array = np.zeros(ACTIONS, dtype=np.int8)
        self._dtype = np.dtype(dtype)
        self.observation_space = observation_box(players, dtype)
        self.action_space = spaces.Discrete(ACTIONS)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Deal a game, and let the bots play up to the learner's first decision."""
        super().reset(seed=seed)
        if self._chosen_seat is None:
            self.seat = int(self.np_random.integers(self.options.players))
        self.game = Game(self.options, seed=int(self.np_random.integers(1 << 62)), date="?")
        for bot in self._bots:
            start(bot, int(self.np_random.integers(1 << 31)))
        return self._advance()

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Take the learner's action, and let the bots play up to its next decision or the end of the game."""
        if not self._mask.any():
            raise OptionsError("expected a reset: the game is over")
        if not self.action_space.contains(action):
            raise IllegalMoveError(f"expected an action from 0 to {ACTIONS - 1}, got {action!r}", "TRN-1")
        if not self._mask[action]:
            self._mask = np.zeros_like(self._mask)
            return self._observation.copy(), ILLEGAL_REWARD, True, False, self._info() | {"is_illegal": True}
        self.game.play(int(action))
        observation, info = self._advance()
        return observation, self._reward, self.game.is_over, False, info

    def _advance(self) -> tuple[Array, dict[str, Any]]:
        """Let the bots play up to the learner's next decision or the end; return the observation and `info`."""
        game = self.game
        while not game.is_over and game.seat != self.seat:
            number = (game.seat - self.seat) % game.players - 1
            view = game.view(game.seat)
            game.play(answer_of(self._bots[number].choose(view, self._specs[number].limit), view).move)
        state = game.state
        self._mask = np.zeros(ACTIONS, dtype=np.int8)
        legal_mask(state, self._components, self._mask, np.zeros(ACTIONS, dtype=np.int8))
        row = new_observation(game.players)
        observe(state, self._components, self.seat, row)
        self._observation: Array = row * self._scales if self._dtype == np.float32 else row
        self._reward = float(outcome_value(state, self._components, self.seat))
        return self._observation.copy(), self._info()

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._mask.copy(), "seat": self.seat}
        if self.game.outcome is not None:
            info["place"] = self.game.outcome.places[self.seat]
        return info

    def action_masks(self) -> Array:
        """Return a mask with 1 for each legal action, all 0 when the game is over."""
        return self._mask.copy()

    def render(self) -> str | None:
        """Return the table as the learner sees it, as text."""
        return str(self.game.view(self.seat)) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Close the bots."""
        for bot in self._bots:
            close(bot)


for _variant, _name in (("splendor", "cabochon/Splendor-v1"), ("marvel", "cabochon/Marvel-v1")):
    gymnasium.register(_name, "cabochon.envs.gymnasium:SeatEnv", kwargs={"variant": _variant})
