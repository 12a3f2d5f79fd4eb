"""Proximal policy optimization (PPO): learning from the games that the present policy plays.

Each seat has a value, its probability of winning, and the values of all seats are followed through the decisions of
all: the advantage of a decision is that of the seat that took it. So it does not matter who decides next, or how many
decisions a turn has.
"""

from __future__ import annotations

from typing import Any

import torch

from cabochon.core.state import ACTIONS
from cabochon.train.distributed import ALONE, Ranks
from cabochon.train.optimizer import EPSILON
from cabochon.train.options import TrainingOptions
from cabochon.train.self_play import ILLEGAL, Learner, generalized_advantages, interpolate, sample


class PPOLearner(Learner):
    """Learns from the games that the present policy plays. A rollout is one CUDA graph, and an update two."""

    METRICS = ("policy_loss", "value_loss", "entropy", "divergence", "clipped")

    def __init__(self, options: TrainingOptions, ranks: Ranks = ALONE) -> None:
        super().__init__(options, ranks)
        self._smoothing = self._smoothing_for_players(options.smoothing)
        steps, games, device = options.steps, options.games, self.device
        self.observations = torch.zeros((steps + 1, games, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((steps, games, ACTIONS), dtype=torch.bool, device=device)
        self.actions = torch.zeros((steps, games), dtype=torch.int64, device=device)
        self.log_probs = torch.zeros((steps, games), device=device)  # of the actions
        self.advantages = torch.zeros((steps, games), device=device)  # of the seats that decided
        self.targets = torch.zeros((steps, games, self.players), device=device)  # of the values, observer first
        self._entropy = torch.zeros((), device=device)
        functions = (self._roll_out, self._update, self._step_optimizer)
        self._roll, self._differentiate, self._descend = self._capture(*functions)

    def _roll_out(self) -> None:
        """Play all games for some steps with the present policy, and store what there is to learn from."""
        with torch.no_grad():
            prepared = self.model.prepare()
            for step in range(self.options.steps + 1):
                self.batch.observe(self.observations[step])
                self.seats[step] = self._tables["seats"]
                policy_logits, value_logits = self.model.forward(self.observations[step], prepared)
                self.values[step] = self._by_seat(torch.softmax(value_logits, -1), self.seats[step])
                if step < self.options.steps:
                    self._choose(step, policy_logits)
            advantages = generalized_advantages(self.values, self.dones, self.outcomes, self._smoothing)
            seats = self.seats[:-1]
            own = advantages.gather(-1, seats.unsqueeze(-1)).squeeze(-1)
            self.advantages.copy_((own - own.mean()) / (own.std() + EPSILON))
            later = generalized_advantages(self.values, self.dones, self.outcomes, self._value_smoothing)
            self.targets.copy_(self._from_observer(self.values[:-1] + later, seats))
            self._games_ended += self.dones.sum()

    def _choose(self, step: int, policy_logits: Any) -> None:
        self.masks[step] = self._tables["masks"]
        log_probs = torch.log_softmax(torch.where(self.masks[step], policy_logits, ILLEGAL), -1)
        actions = sample(log_probs.exp(), self._generator)
        self.actions[step] = actions
        self.log_probs[step] = log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        self._step(step, self.actions[step])

    def _update(self) -> None:
        chosen = self._minibatch
        observations = self.observations[:-1].flatten(0, 1).index_select(0, chosen)
        masks = self.masks.flatten(0, 1).index_select(0, chosen)
        actions = self.actions.flatten().index_select(0, chosen)
        advantages = self.advantages.flatten().index_select(0, chosen)
        old_log_probs = self.log_probs.flatten().index_select(0, chosen)
        targets = self.targets.flatten(0, 1).index_select(0, chosen)

        policy_logits, value_logits = self.model.forward(observations, self.model.prepare())
        all_log_probs = torch.log_softmax(torch.where(masks, policy_logits, ILLEGAL), -1)
        log_probs = all_log_probs.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        ratio = torch.exp(log_probs - old_log_probs)
        clip = self.options.clip
        policy_loss = -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
        value_loss = -(targets * torch.log_softmax(value_logits, -1)).sum(-1).mean()
        entropy = -(all_log_probs.exp() * all_log_probs).sum(-1).mean()
        divergence = (old_log_probs - log_probs).mean().detach()
        clipped = ((ratio - 1).abs() > clip).float().mean().detach()
        loss = policy_loss + self.options.value_weight * value_loss - self._entropy * entropy
        self._backward(loss, (policy_loss, value_loss, entropy, divergence, clipped))

    def advance(self, progress: float) -> None:
        """Make one rollout and its updates, at a progress of 0 to 1 through the run."""
        self._entropy.fill_(interpolate(progress, self.options.first_entropy, self.options.last_entropy))
        super().advance(progress)
