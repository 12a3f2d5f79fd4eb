"""Expert iteration: learning from searches with the current network.

Every decision is searched from what its seat knows, with the search of `champion`. The policy learns to favour actions
that gained in the search. The values learn the search's estimate of the position under that better policy, smoothed by
the searches of later decisions. Decisions of several rollouts are kept and learned from.

The visits of a search are a poor target: with few simulations they are flatter than a well-trained policy, and a policy
that learns them becomes flatter still. Gains do not change the policy where the search finds no difference.
"""

from __future__ import annotations

from typing import Any

import torch

from cabochon.core.state import ACTIONS
from cabochon.search.mcts import SearchSettings
from cabochon.train.batched_search import BatchedSearch
from cabochon.train.distributed import ALONE, Ranks
from cabochon.train.options import TrainingOptions
from cabochon.train.self_play import ILLEGAL, Learner, generalized_advantages, sample


def with_gain(values: Any, seats: Any, gained: Any) -> Any:
    """The values [games, players] after `seats` [games, 1] gained so much [games, 1] at the expense of the others."""
    before = values.gather(-1, seats)
    after = (before + gained).clamp(0.0, 1.0)
    others = values * (1 - after) / (1 - before).clamp(min=1e-6)
    return others.scatter(-1, seats, after)


class ExpertLearner(Learner):
    """Learns from searches in games that it plays by them. A simulation is one CUDA graph, and an update two."""

    METRICS = ("policy_loss", "value_loss", "entropy", "found")

    def __init__(self, options: TrainingOptions, ranks: Ranks = ALONE) -> None:
        super().__init__(options, ranks)
        assert options.simulations is not None
        self._simulations = options.simulations
        games, players, device = options.games, self.players, self.device
        kept = options.window * options.decisions_per_rollout
        settings = SearchSettings(root_share=0.0)
        self.batched_search = BatchedSearch(self.batch, options.simulations, settings, self._seed)
        self._prepared = [torch.zeros_like(part) for part in self.model.prepare()]
        self._inputs = torch.zeros((games, self.batch.features), dtype=torch.int8, device=device)
        self._gains = torch.zeros((games, ACTIONS), device=device)
        self._found = torch.zeros((games, players), device=device)
        # Kept decisions, [window * steps * games, ...] each.
        self.observations = torch.zeros((kept, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((kept, ACTIONS), dtype=torch.bool, device=device)
        self.policies = torch.zeros((kept, ACTIONS), dtype=torch.float16, device=device)
        self.targets = torch.zeros((kept, players), device=device)  # of the values, observer first
        self._rollouts = 0  # of this rank
        self._roll = self._roll_out
        functions = (self._simulation, self._update, self._step_optimizer)
        self._simulate, self._differentiate, self._descend = self._capture(*functions)

    def _simulation(self) -> None:
        """One simulation in the tree of every game."""
        with torch.no_grad():
            self.batched_search.select()
            self.batched_search.observe(self._inputs)
            self.batched_search.expand(self.model.logits(self._inputs, self._prepared))

    def _search(self, logits: Any, masks: Any) -> Any:
        """Search every game from its present position with these logits; return the improved policies."""
        options = self.options
        self.batched_search.set_roots()
        self.batched_search.expand(logits)
        for _ in range(self._simulations):
            self._simulate()
        self.batched_search.read_roots(options.trust, self._gains, self._found)
        improved = logits[:, :ACTIONS] + self._gains / options.temperature
        policies = torch.softmax(torch.where(masks, improved, ILLEGAL), -1)
        gained = (policies * self._gains).sum(-1, keepdim=True)
        self._found.copy_(with_gain(self._found, self._tables["seats"].long().unsqueeze(-1), gained))
        return policies

    def _roll_out(self) -> None:
        """Play all games for some steps by the improved policies, and store what there is to learn from."""
        options = self.options
        start = self._rollouts % options.window * options.decisions_per_rollout
        with torch.no_grad():
            for kept, part in zip(self._prepared, self.model.prepare(), strict=True):
                kept.copy_(part)
            for step in range(options.steps + 1):
                self.batch.observe(self._inputs)
                self.seats[step] = self._tables["seats"]
                logits = self.model.logits(self._inputs, self._prepared)
                if step == options.steps:
                    self.values[step] = self._by_seat(torch.softmax(logits[:, ACTIONS:], -1), self.seats[step])
                    break
                rows = slice(start + step * options.games, start + (step + 1) * options.games)
                self.observations[rows] = self._inputs
                self.masks[rows] = self._tables["masks"]
                policies = self._search(logits, self.masks[rows])
                self.values[step] = self._found
                self.policies[rows] = policies
                self._step(step, sample(policies, self._generator))
            smoothing = self._value_smoothing
            later = generalized_advantages(self.values, self.dones, self.outcomes, smoothing)
            targets = self._from_observer(self.values[:-1] + smoothing * later, self.seats[:-1])
            self.targets[start : start + options.decisions_per_rollout] = targets.flatten(0, 1)
            self._games_ended += self.dones.sum()
        self._rollouts += 1

    def _update(self) -> None:
        stored = (self.observations, self.masks, self.policies, self.targets)
        policy_loss, value_loss, log_probs = self._imitate(*stored)
        policies = self.policies.index_select(0, self._minibatch).float()
        entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
        found = -(policies * torch.log(policies + 1e-9)).sum(-1).mean()
        self._backward(policy_loss + self.options.value_weight * value_loss, (policy_loss, value_loss, entropy, found))

    def _learn_rollout(self) -> None:
        """Make as many updates as after other rollouts, from all kept decisions."""
        for _ in range(self.options.updates_per_rollout):
            torch.randint(0, self._kept, self._minibatch.shape, generator=self._generator, out=self._minibatch)
            self._learn()

    @property
    def _kept(self) -> int:
        return min(self._rollouts, self.options.window) * self.options.decisions_per_rollout

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs to continue exactly from here; `own` is what differs between the ranks."""
        kept = ("observations", "masks", "policies", "targets")
        state = super().state()
        state["own"] |= {
            "rollouts": self._rollouts,
            "kept": {name: getattr(self, name)[: self._kept].cpu().clone() for name in kept},
            "searches": torch.from_numpy(self.batched_search.searches),
        }
        return state

    def _restore_own(self, own: dict[str, Any]) -> None:
        super()._restore_own(own)
        self._rollouts = own["rollouts"]
        for name, rows in own["kept"].items():
            getattr(self, name)[: len(rows)] = rows.to(self.device)
        self.batched_search.searches = own["searches"].numpy()
