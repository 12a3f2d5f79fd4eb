"""Expert iteration: learning from what a search with the current network finds out in its games.

Every decision is searched from what its seat knows, with the search of `champion`. The policy learns to favour what
gained in the search. The values learn what the search takes the position to be worth to that better policy, smoothed
by the searches of later decisions. Decisions of several rollouts are kept and learned from.

The visits of a search are a poor target: with few simulations they are flatter than a well-trained policy, and a policy
that learns them becomes flatter still. Gains leave the policy as it is where the search finds no difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from cabochon.core.state import ACTIONS
from cabochon.search.simulation import SearchSettings
from cabochon.train.batched_search import BatchedSearch
from cabochon.train.learner import ILLEGAL, Learner, Settings, advantages, sample


@dataclass(frozen=True)
class ExpertSettings(Settings):
    """The settings of expert iteration."""

    games: int = 65_536
    steps: int = 8
    epochs: int = 8
    first_rate: float = 3e-4
    value_smoothing: float = 0.5  # low: a search knows more than the next few decisions show
    simulations: int = 128  # of every decision
    window: int = 8  # rollouts that are kept to learn from
    trust: float = 4.0  # visits without a gain that are added to those of each action
    temperature: float = (
        0.05  # an action becomes likelier by exp(gain / temperature), with gains in probability of winning
    )


def with_gain(values: Any, seats: Any, gained: Any) -> Any:
    """The seats' values [games, players] after those `seats` [games, 1] gained so much at the cost of the others."""
    before = values.gather(-1, seats)
    after = (before + gained).clamp(0.0, 1.0)
    others = values * (1 - after) / (1 - before).clamp(min=1e-6)
    return others.scatter(-1, seats, after)


class ExpertLearner(Learner):
    """Learns from the searches of its own games. On a GPU, a simulation and an update are one CUDA graph each."""

    METRICS = ("policy_loss", "value_loss", "entropy", "found")
    settings: ExpertSettings

    def __init__(self, variant: str, players: int, settings: ExpertSettings, device: str, seed: int) -> None:
        super().__init__(variant, players, settings, device, seed)
        games, kept = settings.games, settings.window * settings.decisions
        self.batched_search = BatchedSearch(self.batch, settings.simulations, SearchSettings(root_share=0.0), seed)
        self._prepared = [torch.zeros_like(part) for part in self.model.prepared()]
        self._inputs = torch.zeros((games, self.batch.features), dtype=torch.int8, device=device)
        self._gains = torch.zeros((games, ACTIONS), device=device)
        self._found = torch.zeros((games, players), device=device)
        # Kept decisions, [window * steps * games, ...] each.
        self.observations = torch.zeros((kept, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((kept, ACTIONS), dtype=torch.bool, device=device)
        self.policies = torch.zeros((kept, ACTIONS), dtype=torch.float16, device=device)
        self.targets = torch.zeros((kept, players), device=device)  # of the values, the observer first
        self._simulate, self._learn = self._as_graphs(self._simulation, self._update)

    def _simulation(self) -> None:
        """One simulation in the tree of every game."""
        with torch.no_grad():
            self.batched_search.select()
            self.batched_search.observe(self._inputs)
            self.batched_search.expand(self.model.scores(self._inputs, self._prepared))

    def _search(self, scores: Any, masks: Any) -> Any:
        """Search every game, given the network's outputs for its current position, and return the improved policies."""
        settings = self.settings
        self.batched_search.set_roots()
        self.batched_search.expand(scores)
        for _ in range(settings.simulations):
            self._simulate()
        self.batched_search.read_roots(settings.trust, self._gains, self._found)
        improved = scores[:, :ACTIONS] + self._gains / settings.temperature
        policies = torch.softmax(torch.where(masks, improved, ILLEGAL), -1)
        gained = (policies * self._gains).sum(-1, keepdim=True)
        self._found.copy_(with_gain(self._found, self._tables["seats"].long().unsqueeze(-1), gained))
        return policies

    def _roll_out(self) -> None:
        """Play all games for some steps by the improved policies, and keep the decisions to learn from."""
        settings = self.settings
        start = self.iteration % settings.window * settings.decisions
        with torch.no_grad():
            for kept, part in zip(self._prepared, self.model.prepared(), strict=True):
                kept.copy_(part)
            for step in range(settings.steps + 1):
                self.batch.observe(self._inputs)
                self.seats[step] = self._tables["seats"]
                scores = self.model.scores(self._inputs, self._prepared)
                if step == settings.steps:
                    self.values[step] = self._by_seat(torch.softmax(scores[:, ACTIONS:], -1), self.seats[step])
                    break
                rows = slice(start + step * settings.games, start + (step + 1) * settings.games)
                self.observations[rows] = self._inputs
                self.masks[rows] = self._tables["masks"]
                policies = self._search(scores, self.masks[rows])
                self.values[step] = self._found
                self.policies[rows] = policies
                self._step(step, sample(policies, self._generator))
            smoothing = self._value_smoothing
            later = advantages(self.values, self.ends, self.shares, smoothing)
            targets = self._from_observer(self.values[:-1] + smoothing * later, self.seats[:-1])
            self.targets[start : start + settings.decisions] = targets.flatten(0, 1)
            self.ended += self.ends.sum()

    def _update(self) -> None:
        """One step of the optimizer over the chosen decisions."""
        chosen = self._chosen
        observations = self.observations.index_select(0, chosen)
        masks = self.masks.index_select(0, chosen)
        policies = self.policies.index_select(0, chosen).float()
        targets = self.targets.index_select(0, chosen)
        scores, seat_scores = self.model.outputs(observations, self.model.prepared())
        chances = torch.log_softmax(torch.where(masks, scores, ILLEGAL), -1)
        policy_loss = -(policies * chances).sum(-1).mean()
        value_loss = -(targets * torch.log_softmax(seat_scores, -1)).sum(-1).mean()
        entropy = -(chances.exp() * chances).sum(-1).mean()
        found = -(policies * torch.log(policies + 1e-9)).sum(-1).mean()
        self._descend(policy_loss + self.settings.value_weight * value_loss, (policy_loss, value_loss, entropy, found))

    def advance(self, progress: float) -> None:
        """One rollout and the updates from it, at a progress of 0 to 1 through the run."""
        settings = self.settings
        self._rate.fill_(self._at(progress, settings.first_rate, settings.last_rate))
        with self._in_order():
            self._roll_out()
            self.iteration += 1
            self.metrics.zero_()
            kept = min(self.iteration, settings.window) * settings.decisions
            for _ in range(settings.updates):
                torch.randint(0, kept, self._chosen.shape, generator=self._generator, out=self._chosen)
                self._learn()

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to continue exactly from here."""
        kept = min(self.iteration, self.settings.window) * self.settings.decisions
        buffers = {name: getattr(self, name)[:kept].cpu().clone() for name in _KEPT}
        return {**super().state(), "kept": buffers, "planted": torch.from_numpy(self.batched_search.searches)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of a learner for the same game, players and settings."""
        super().restore(state)
        for name, rows in state["kept"].items():
            getattr(self, name)[: len(rows)] = rows.to(self.device)
        self.batched_search.searches = state["planted"].numpy()


_KEPT = ("observations", "masks", "policies", "targets")
