"""A small learner in plain NumPy for the other examples: a network with one hidden layer, trained by PPO.

The network maps what a seat knows to the logits of all actions and to the value of the position for that seat, from -1
to 1. Each example plays against itself or a bot, stores what happens in a `Rollout`, and calls `learn`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ACTIONS = 78
CLIP = 0.2  # how far the ratio of a probability may move from 1
LAMBDA = 0.95  # how far ahead an advantage looks
ENTROPY = 0.01
EPOCHS = 3
MINIBATCH = 2048


class Network:
    """Logits and value from one hidden layer of ReLUs."""

    def __init__(self, features: int, hidden: int = 128, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.weights: dict[str, Floats] = {
            "hidden": random.normal(0, np.sqrt(2 / features), (features, hidden)).astype(np.float32),
            "hidden_bias": np.zeros(hidden, dtype=np.float32),
            "policy": random.normal(0, 0.01, (hidden, ACTIONS)).astype(np.float32),
            "policy_bias": np.zeros(ACTIONS, dtype=np.float32),
            "value": random.normal(0, 0.01, (hidden, 1)).astype(np.float32),
            "value_bias": np.zeros(1, dtype=np.float32),
        }
        self.random = random

    def _forward(self, observations: Floats, masks: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats]:
        """Return the hidden layer, the log probabilities, and the values."""
        weights = self.weights
        hidden = np.maximum(observations @ weights["hidden"] + weights["hidden_bias"], 0)
        logits = hidden @ weights["policy"] + weights["policy_bias"]
        logits = np.where(masks, logits, np.float32(-1e9))
        logits -= logits.max(axis=1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
        return hidden, logits, np.tanh((hidden @ weights["value"])[:, 0] + weights["value_bias"])

    def act(self, observations: Floats, masks: NDArray[np.bool_]) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return actions sampled from the policy, their log probabilities, and the values."""
        _, logits, values = self._forward(observations, masks)
        noise = self.random.gumbel(size=logits.shape).astype(np.float32)
        actions = np.argmax(logits + noise, axis=1)
        return actions, np.take_along_axis(logits, actions[:, None], axis=1)[:, 0], values

    def best(self, observations: Floats, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the most probable actions."""
        return np.argmax(self._forward(observations, masks)[1], axis=1)

    def gradients(
        self,
        observations: Floats,
        masks: NDArray[np.bool_],
        actions: NDArray[np.int64],
        old_logs: Floats,
        advantages: Floats,
        returns: Floats,
    ) -> dict[str, Floats]:
        """Return the gradients of PPO's loss: clipped policy, squared error of the value, and a little entropy."""
        hidden, logits, values = self._forward(observations, masks)
        count = np.float32(len(actions))
        chosen = np.zeros_like(logits)
        chosen[np.arange(len(actions)), actions] = 1
        probabilities = np.exp(logits)
        ratio = np.exp((logits * chosen).sum(axis=1) - old_logs)
        is_free = np.where(advantages > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        by_log = (-advantages * ratio * is_free)[:, None]
        entropy = -(probabilities * logits).sum(axis=1, keepdims=True)
        by_logits = by_log * (chosen - probabilities) + ENTROPY * probabilities * (logits + entropy)
        by_logits = np.where(masks, by_logits, 0).astype(np.float32) / count
        by_value = ((values - returns) * (1 - values**2) / count)[:, None].astype(np.float32)
        by_hidden = by_logits @ self.weights["policy"].T + by_value @ self.weights["value"].T
        by_hidden[hidden == 0] = 0
        return {
            "hidden": observations.T @ by_hidden,
            "hidden_bias": by_hidden.sum(axis=0),
            "policy": hidden.T @ by_logits,
            "policy_bias": by_logits.sum(axis=0),
            "value": hidden.T @ by_value,
            "value_bias": by_value.sum(axis=0),
        }


class Adam:
    """The Adam optimiser."""

    def __init__(self, weights: dict[str, Floats], rate: float) -> None:
        self.rate = rate
        self._steps = 0
        self._means = {name: np.zeros_like(values) for name, values in weights.items()}
        self._squares = {name: np.zeros_like(values) for name, values in weights.items()}

    def step(self, weights: dict[str, Floats], gradients: dict[str, Floats]) -> None:
        """Move the weights against the gradients."""
        self._steps += 1
        for name, gradient in gradients.items():
            self._means[name] += 0.1 * (gradient - self._means[name])
            self._squares[name] += 0.001 * (gradient**2 - self._squares[name])
            mean = self._means[name] / (1 - 0.9**self._steps)
            square = self._squares[name] / (1 - 0.999**self._steps)
            weights[name] -= self.rate * mean / (np.sqrt(square) + 1e-8)


class Rollout:
    """What happened at several tables over several steps; each entry has one row per table."""

    def __init__(self) -> None:
        self.observations: list[Floats] = []
        self.masks: list[NDArray[np.bool_]] = []
        self.actions: list[NDArray[np.int64]] = []
        self.logs: list[Floats] = []
        self.values: list[Floats] = []
        self.seats: list[NDArray[np.int8]] = []
        self.dones: list[NDArray[np.bool_]] = []
        self.outcomes: list[Floats] = []  # for the seat that decided, if its game ended

    def note(
        self,
        observations: Floats,
        masks: NDArray[np.bool_],
        choices: tuple[NDArray[np.int64], Floats, Floats],
        seats: NDArray[np.int8],
        dones: NDArray[np.bool_],
        outcomes: Floats,
    ) -> None:
        """Add one step of all tables: the observations, the choices (as returned by `Network.act`), and the results."""
        self.observations.append(observations)
        self.masks.append(masks)
        for kept, chosen in zip((self.actions, self.logs, self.values), choices, strict=True):
            kept.append(chosen)
        self.seats.append(seats)
        self.dones.append(dones)
        self.outcomes.append(outcomes)

    def advantages(self, next_values: Floats, next_seats: NDArray[np.int8]) -> tuple[Floats, Floats]:
        """Return how much better each action was than expected, and what the value should have been.

        With two players, what is good for one is bad for the other: if the other player decides next, the value and
        the advantage change sign.
        """
        advantages = np.zeros((len(self.actions), len(next_values)), dtype=np.float32)
        following = np.zeros(len(next_values), dtype=np.float32)
        for step in reversed(range(len(self.actions))):
            sign = np.where(next_seats == self.seats[step], 1, -1).astype(np.float32)
            goes_on = ~self.dones[step]
            expected = np.where(goes_on, sign * next_values, self.outcomes[step])
            following = expected - self.values[step] + LAMBDA * goes_on * sign * following
            advantages[step] = following
            next_values, next_seats = self.values[step], self.seats[step]
        return advantages.ravel(), (advantages + np.stack(self.values)).ravel()


def learn(
    network: Network,
    optimiser: Adam,
    rollout: Rollout,
    next_observations: Floats,
    next_masks: NDArray[np.bool_],
    next_seats: NDArray[np.int8],
) -> None:
    """Train for a few epochs of PPO on the rollout; `next_...` is the current position of the tables."""
    _, _, next_values = network.act(next_observations, next_masks)
    advantages, returns = rollout.advantages(next_values, next_seats)
    advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
    observations, masks = np.concatenate(rollout.observations), np.concatenate(rollout.masks)
    actions, logs = np.concatenate(rollout.actions), np.concatenate(rollout.logs)
    for _ in range(EPOCHS):
        order = network.random.permutation(len(actions))
        for start in range(0, len(order), MINIBATCH):
            rows = order[start : start + MINIBATCH]
            columns = (array[rows] for array in (observations, masks, actions, logs, advantages, returns))
            optimiser.step(network.weights, network.gradients(*columns))
