"""Distillation: a network, perhaps of another size, learns what a finished one, its teacher, plays.

The teacher plays all games. The policy learns the teacher's policy; the values learn the outcomes of the games,
smoothed by the teacher's later values, and can become better than the teacher's own.
"""

from __future__ import annotations

import torch

from cabochon.core.state import ACTIONS
from cabochon.train.distributed import ALONE, Ranks
from cabochon.train.model import Model
from cabochon.train.options import TrainingOptions
from cabochon.train.self_play import ILLEGAL, Learner, generalized_advantages, sample


class DistillationLearner(Learner):
    """Learns from the games of a teacher. A rollout is one CUDA graph, and an update two."""

    METRICS = ("taught_loss", "value_loss")

    def __init__(self, options: TrainingOptions, teacher: Model, ranks: Ranks = ALONE) -> None:
        super().__init__(options, ranks)
        self._teacher = teacher
        steps, games, device = options.steps, options.games, self.device
        self.observations = torch.zeros((steps + 1, games, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((steps, games, ACTIONS), dtype=torch.bool, device=device)
        self.policies = torch.zeros((steps, games, ACTIONS), dtype=torch.float16, device=device)
        self.targets = torch.zeros((steps, games, self.players), device=device)  # of the values, observer first
        functions = (self._roll_out, self._update, self._step_optimizer)
        self._roll, self._differentiate, self._descend = self._capture(*functions)

    def _roll_out(self) -> None:
        """Let the teacher play all games for some steps, and store what there is to learn from."""
        with torch.no_grad():
            prepared = self._teacher.prepare()
            for step in range(self.options.steps + 1):
                self.batch.observe(self.observations[step])
                self.seats[step] = self._tables["seats"]
                policy_logits, value_logits = self._teacher.forward(self.observations[step], prepared)
                self.values[step] = self._by_seat(torch.softmax(value_logits, -1), self.seats[step])
                if step < self.options.steps:
                    self.masks[step] = self._tables["masks"]
                    policies = torch.softmax(torch.where(self.masks[step], policy_logits, ILLEGAL), -1)
                    self.policies[step] = policies
                    self._step(step, sample(policies, self._generator))
            later = generalized_advantages(self.values, self.dones, self.outcomes, self._value_smoothing)
            self.targets.copy_(self._from_observer(self.values[:-1] + later, self.seats[:-1]))
            self._games_ended += self.dones.sum()

    def _update(self) -> None:
        stored = (self.observations[:-1], self.masks, self.policies, self.targets)
        policy_loss, value_loss, _ = self._imitate(*(rows.flatten(0, 1) for rows in stored))
        self._backward(policy_loss + self.options.value_weight * value_loss, (policy_loss, value_loss))
