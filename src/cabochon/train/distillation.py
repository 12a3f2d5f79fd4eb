"""Learning from a teacher: a network, perhaps of another size, learns what a finished one plays.

The teacher plays all games. The policy learns the teacher's; the values learn how the games went, smoothed by what
the teacher thought later in them, and may so become better than its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from cabochon.core.state import ACTIONS
from cabochon.train.learner import ILLEGAL, Learner, Settings, advantages, sample
from cabochon.train.model import Model


@dataclass(frozen=True)
class PupilSettings(Settings):
    """What learning from a teacher is set by."""

    epochs: int = 1
    first_rate: float = 1e-3


class PupilLearner(Learner):
    """Learns from the games of a teacher. A rollout and an update are one CUDA graph each."""

    METRICS = ("taught_loss", "value_loss")
    settings: PupilSettings

    def __init__(
        self, variant: str, players: int, settings: PupilSettings, device: str, seed: int, teacher: Model
    ) -> None:
        super().__init__(variant, players, settings, device, seed)
        self._teacher = teacher
        steps, games = settings.steps, settings.games
        self.observations = torch.zeros((steps + 1, games, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((steps, games, ACTIONS), dtype=torch.bool, device=device)
        self.policies = torch.zeros((steps, games, ACTIONS), dtype=torch.float16, device=device)
        self.targets = torch.zeros((steps, games, players), device=device)  # of the values, the observer first
        self._roll, self._learn = self._as_graphs(self._roll_out, self._update)

    def _roll_out(self) -> None:
        """Let the teacher play all games for some steps, and keep what there is to learn from."""
        with torch.no_grad():
            prepared = self._teacher.prepared()
            for step in range(self.settings.steps + 1):
                self.batch.observe(self.observations[step])
                self.seats[step] = self._tables["seats"]
                scores, seat_scores = self._teacher.outputs(self.observations[step], prepared)
                self.values[step] = self._by_seat(torch.softmax(seat_scores, -1), self.seats[step])
                if step < self.settings.steps:
                    self.masks[step] = self._tables["masks"]
                    policies = torch.softmax(torch.where(self.masks[step], scores, ILLEGAL), -1)
                    self.policies[step] = policies
                    self._step(step, sample(policies, self._generator))
            what_came = self.values[:-1] + advantages(self.values, self.ends, self.shares, self._value_smoothing)
            self.targets.copy_(self._from_observer(what_came, self.seats[:-1]))
            self.ended += self.ends.sum()

    def _update(self) -> None:
        """One step of the optimizer over the chosen decisions of the rollout."""
        chosen = self._chosen
        observations = self.observations[:-1].flatten(0, 1).index_select(0, chosen)
        masks = self.masks.flatten(0, 1).index_select(0, chosen)
        policies = self.policies.flatten(0, 1).index_select(0, chosen).float()
        targets = self.targets.flatten(0, 1).index_select(0, chosen)
        scores, seat_scores = self.model.outputs(observations, self.model.prepared())
        chances = torch.log_softmax(torch.where(masks, scores, ILLEGAL), -1)
        policy_loss = -(policies * chances).sum(-1).mean()
        value_loss = -(targets * torch.log_softmax(seat_scores, -1)).sum(-1).mean()
        self._descend(policy_loss + self.settings.value_weight * value_loss, (policy_loss, value_loss))

    def advance(self, progress: float) -> None:
        """One rollout and the updates from it, at a progress of 0 to 1 through the run."""
        self._rate.fill_(self._at(progress, self.settings.first_rate, self.settings.last_rate))
        with self._in_order():
            self._roll()
            self._learn_in_epochs()
        self.iteration += 1
