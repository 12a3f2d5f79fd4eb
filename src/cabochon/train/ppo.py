"""Proximal policy optimisation: learning from how the games went that the present policy plays.

Each seat has a value, the probability that it wins, and the values of all seats are followed through the
decisions of all: the advantage of a decision is that of the seat which took it. So nothing depends on who
decides next, or on how many decisions a turn has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from cabochon.core.state import ACTIONS
from cabochon.train.learner import ILLEGAL, Learner, Settings, advantages, sample
from cabochon.train.optimizer import EPSILON


@dataclass(frozen=True)
class PolicySettings(Settings):
    """What learning from the policy's own games is set by."""

    smoothing: float = 0.9  # lambda of the generalised advantage, for two players
    first_entropy: float = 0.016
    last_entropy: float = 0.001
    clip: float = 0.2


def losses(
    scores: Any, seat_scores: Any, masks: Any, actions: Any, gains: Any, before: Any, targets: Any, clip: float
) -> tuple[Any, ...]:
    """The parts of the loss of a minibatch, in the order of the METRICS."""
    chances = torch.log_softmax(torch.where(masks, scores, ILLEGAL), -1)
    own = chances.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
    ratio = torch.exp(own - before)
    policy_loss = -torch.minimum(ratio * gains, ratio.clamp(1 - clip, 1 + clip) * gains).mean()
    value_loss = -(targets * torch.log_softmax(seat_scores, -1)).sum(-1).mean()
    entropy = -(chances.exp() * chances).sum(-1).mean()
    divergence = (before - own).mean()
    clipped = ((ratio - 1).abs() > clip).float().mean()
    return policy_loss, value_loss, entropy, divergence.detach(), clipped.detach()


class PolicyLearner(Learner):
    """Learns from the games that the present policy plays. A rollout and an update are one CUDA graph each."""

    METRICS = ("policy_loss", "value_loss", "entropy", "divergence", "clipped")
    settings: PolicySettings

    def __init__(self, variant: str, players: int, settings: PolicySettings, device: str, seed: int) -> None:
        super().__init__(variant, players, settings, device, seed)
        self._smoothing = self._smoothed(settings.smoothing)
        steps, games = settings.steps, settings.games
        self.observations = torch.zeros((steps + 1, games, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((steps, games, ACTIONS), dtype=torch.bool, device=device)
        self.actions = torch.zeros((steps, games), dtype=torch.int64, device=device)
        self.chances = torch.zeros((steps, games), device=device)  # logarithms of the actions' probabilities
        self.gains = torch.zeros((steps, games), device=device)  # advantages of the seats that decided
        self.targets = torch.zeros((steps, games, players), device=device)  # of the values, the observer first
        self._entropy = torch.zeros((), device=device)
        self._roll, self._learn = self._as_graphs(self._roll_out, self._update)

    def _roll_out(self) -> None:
        """Play all games for some steps with the present policy, and keep what there is to learn from."""
        with torch.no_grad():
            prepared = self.model.prepared()
            for step in range(self.settings.steps + 1):
                self.batch.observe(self.observations[step])
                self.seats[step] = self._tables["seats"]
                scores, seat_scores = self.model.outputs(self.observations[step], prepared)
                self.values[step] = self._by_seat(torch.softmax(seat_scores, -1), self.seats[step])
                if step < self.settings.steps:
                    self._choose(step, scores)
            gains = advantages(self.values, self.ends, self.shares, self._smoothing)
            seats = self.seats[:-1]
            own = gains.gather(-1, seats.unsqueeze(-1)).squeeze(-1)
            self.gains.copy_((own - own.mean()) / (own.std() + EPSILON))
            what_came = self.values[:-1] + advantages(self.values, self.ends, self.shares, self._value_smoothing)
            self.targets.copy_(self._from_observer(what_came, seats))
            self.ended += self.ends.sum()

    def _choose(self, step: int, scores: Any) -> None:
        self.masks[step] = self._tables["masks"]
        chances = torch.log_softmax(torch.where(self.masks[step], scores, ILLEGAL), -1)
        actions = sample(chances.exp(), self._generator)
        self.actions[step] = actions
        self.chances[step] = chances.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        self._step(step, self.actions[step])

    def _update(self) -> None:
        """One step of the optimizer over the chosen decisions of the rollout."""
        chosen = self._chosen
        observations = self.observations[:-1].flatten(0, 1).index_select(0, chosen)
        masks = self.masks.flatten(0, 1).index_select(0, chosen)
        actions = self.actions.flatten().index_select(0, chosen)
        gains = self.gains.flatten().index_select(0, chosen)
        before = self.chances.flatten().index_select(0, chosen)
        targets = self.targets.flatten(0, 1).index_select(0, chosen)

        scores, seat_scores = self.model.outputs(observations, self.model.prepared())
        parts = losses(scores, seat_scores, masks, actions, gains, before, targets, self.settings.clip)
        policy_loss, value_loss, entropy = parts[:3]
        self._descend(policy_loss + self.settings.value_weight * value_loss - self._entropy * entropy, parts)

    def advance(self, progress: float) -> None:
        """One rollout and the updates from it, at a progress of 0 to 1 through the run."""
        settings = self.settings
        self._rate.fill_(self._at(progress, settings.first_rate, settings.last_rate))
        self._entropy.fill_(self._at(progress, settings.first_entropy, settings.last_entropy))
        with self._in_order():
            self._roll()
            self._learn_in_epochs()
        self.iteration += 1
