"""Proximal policy optimisation over games in lockstep, all of it on one device.

Each seat has a value, the probability that it wins, and the values of all seats are followed through the
decisions of all: the advantage of a decision is that of the seat which took it. So nothing depends on who
decides next, or on how many decisions a turn has.

On a GPU, a rollout of all its steps and an update of one minibatch are each one CUDA graph: launched one by
one, their many small kernels would leave the GPU waiting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from cabochon.core.state import ACTIONS
from cabochon.envs.batch import Batch
from cabochon.train.model import Model

ILLEGAL = -1e9  # the score of an action that is not legal
MEAN_DECAY = 0.9  # of Adam
SQUARE_DECAY = 0.999
EPSILON = 1e-8
METRICS = ("policy_loss", "value_loss", "entropy", "divergence", "clipped")


@dataclass(frozen=True)
class Settings:
    """What the learning is set by; `first` to `last` are passed through evenly over the run."""

    games: int = 16_384  # in lockstep
    steps: int = 64  # decisions of each game in a rollout
    minibatch: int = 32_768  # decisions of an update
    epochs: int = 2
    width: int = 768
    hidden_layers: int = 3
    first_rate: float = 7e-4
    last_rate: float = 3e-5
    first_entropy: float = 0.016
    last_entropy: float = 0.001
    clip: float = 0.2
    smoothing: float = 0.9  # lambda of the generalised advantage, for two players
    value_weight: float = 1.0
    most_gradient: float = 1.0  # its norm

    @property
    def decisions(self) -> int:
        """How many decisions a rollout has."""
        return self.games * self.steps


def advantages(values: Any, ends: Any, shares: Any, smoothing: float) -> Any:
    """Generalised advantages [steps, games, players] of every seat.

    `values` [steps + 1, games, players], `ends` [steps, games] whether the game ended there, and `shares` [steps,
    games, players] what each seat then won.
    """
    goes_on = (~ends).to(values.dtype).unsqueeze(-1)
    result = torch.zeros_like(shares)
    later = torch.zeros_like(values[0])
    for step in reversed(range(len(shares))):
        gained = goes_on[step] * values[step + 1] + (1 - goes_on[step]) * shares[step] - values[step]
        later = gained + smoothing * goes_on[step] * later
        result[step] = later
    return result


def losses(
    scores: Any, seat_scores: Any, masks: Any, actions: Any, gains: Any, before: Any, targets: Any, clip: float
) -> tuple[Any, ...]:
    """The parts of the loss of a minibatch, in the order of METRICS."""
    chances = torch.log_softmax(torch.where(masks, scores, ILLEGAL), -1)
    own = chances.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
    ratio = torch.exp(own - before)
    policy_loss = -torch.minimum(ratio * gains, ratio.clamp(1 - clip, 1 + clip) * gains).mean()
    value_loss = -(targets * torch.log_softmax(seat_scores, -1)).sum(-1).mean()
    entropy = -(chances.exp() * chances).sum(-1).mean()
    divergence = (before - own).mean()
    clipped = ((ratio - 1).abs() > clip).float().mean()
    return policy_loss, value_loss, entropy, divergence.detach(), clipped.detach()


class Learner:
    """Games, network and optimizer of one run, and the next rollout and updates of it."""

    def __init__(self, variant: str, players: int, settings: Settings, device: str, seed: int) -> None:
        self.settings = settings
        self.players = players
        self.device = device
        self._generator = torch.Generator(device).manual_seed(seed) if device == "cpu" else None
        if device == "cuda":
            torch.cuda.manual_seed(seed)
            torch.backends.cuda.matmul.allow_tf32 = True
        # Payments are by default: a wild kept is worth a coloured token kept, and more.
        self.batch = Batch(
            variant, players, settings.games, seed=seed, device=device, dtype="int8", payment="automatic"
        )
        self.model = Model(players, settings.width, settings.hidden_layers, device)
        self.model.begin(seed)
        self._means = torch.zeros_like(self.model.vector)
        self._squares = torch.zeros_like(self.model.vector)
        self._updates = torch.zeros((), device=device)
        self._rate = torch.zeros((), device=device)
        self._entropy = torch.zeros((), device=device)
        self.iteration = 0
        # Decisions of players with more rivals between their own turns lie further apart.
        self._smoothing = settings.smoothing ** (2 / players)
        self._make_buffers()
        self._tables = {
            name: self._as_tensor(getattr(self.batch, name)) for name in ("seats", "masks", "dones", "values")
        }
        self._roll: Callable[[], None] = self._roll_out
        self._learn: Callable[[], None] = self._update
        if device == "cuda":
            self._capture()

    def _make_buffers(self) -> None:
        steps, games, players = self.settings.steps, self.settings.games, self.players
        device = self.device
        self.observations = torch.zeros((steps + 1, games, self.batch.features), dtype=torch.int8, device=device)
        self.masks = torch.zeros((steps, games, ACTIONS), dtype=torch.bool, device=device)
        self.seats = torch.zeros((steps + 1, games), dtype=torch.int64, device=device)
        self.actions = torch.zeros((steps, games), dtype=torch.int64, device=device)
        self.chances = torch.zeros((steps, games), device=device)  # logarithms of the actions' probabilities
        self.values = torch.zeros((steps + 1, games, players), device=device)
        self.ends = torch.zeros((steps, games), dtype=torch.bool, device=device)
        self.shares = torch.zeros((steps, games, players), device=device)
        self.gains = torch.zeros((steps, games), device=device)  # advantages of the seats that decided
        self.targets = torch.zeros((steps, games, players), device=device)  # of the values, the observer first
        self._chosen = torch.zeros(self.settings.minibatch, dtype=torch.int64, device=device)
        self.metrics = torch.zeros(len(METRICS), device=device)
        self.ended = torch.zeros((), dtype=torch.int64, device=device)  # games, over the whole run

    def _as_tensor(self, array: Any) -> Any:
        if self.device == "cuda":
            return torch.as_tensor(array, device="cuda")
        return torch.from_numpy(array)

    def _by_seat(self, rotated: Any, seats: Any) -> Any:
        """Values [games, players] of the seats 0, 1, ..., from those that begin with the observer's."""
        order = torch.arange(self.players, device=self.device)
        return rotated.gather(-1, (order - seats.unsqueeze(-1)) % self.players)

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
                    self._take_step(step, scores)
            gains = advantages(self.values, self.ends, self.shares, self._smoothing)
            seats = self.seats[:-1].unsqueeze(-1)
            own = gains.gather(-1, seats).squeeze(-1)
            self.gains.copy_((own - own.mean()) / (own.std() + EPSILON))
            order = torch.arange(self.players, device=self.device)
            self.targets.copy_((gains + self.values[:-1]).gather(-1, (seats + order) % self.players))
            self.ended += self.ends.sum()

    def _take_step(self, step: int, scores: Any) -> None:
        self.masks[step] = self._tables["masks"]
        scores = torch.where(self.masks[step], scores, ILLEGAL)
        chances = torch.log_softmax(scores, -1)
        # The first of several clocks, each ringing as often as its action is likely, is a sample of the policy.
        clocks = torch.empty_like(chances).exponential_(generator=self._generator)
        actions = torch.argmax(chances.exp() / clocks, -1)
        self.actions[step] = actions
        self.chances[step] = chances.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        self.batch.step(self.actions[step])
        self.ends[step] = self._tables["dones"]
        # From 1 for the only winner and a sum of 0 to shares of one victory.
        self.shares[step] = (self._tables["values"] * (self.players - 1) + 1) / self.players

    def _update(self) -> None:
        """One step of the optimizer over the chosen decisions of the rollout."""
        chosen = self._chosen
        observations = self.observations[:-1].flatten(0, 1).index_select(0, chosen)
        masks = self.masks.flatten(0, 1).index_select(0, chosen)
        actions = self.actions.flatten().index_select(0, chosen)
        gains = self.gains.flatten().index_select(0, chosen)
        before = self.chances.flatten().index_select(0, chosen)
        targets = self.targets.flatten(0, 1).index_select(0, chosen)

        self.model.gradient.zero_()
        scores, seat_scores = self.model.outputs(observations, self.model.prepared())
        parts = losses(scores, seat_scores, masks, actions, gains, before, targets, self.settings.clip)
        policy_loss, value_loss, entropy = parts[:3]
        loss = policy_loss + self.settings.value_weight * value_loss - self._entropy * entropy
        loss.backward()

        with torch.no_grad():
            self._step_optimizer()
            self.metrics += torch.stack(parts)

    def _step_optimizer(self) -> None:
        """Adam, with the norm of the gradient bounded."""
        gradient = self.model.gradient
        gradient *= (self.settings.most_gradient / (gradient.norm() + EPSILON)).clamp(max=1.0)
        self._updates += 1
        self._means.lerp_(gradient, 1 - MEAN_DECAY)
        self._squares.lerp_(gradient.square(), 1 - SQUARE_DECAY)
        mean = self._means / (1 - MEAN_DECAY**self._updates)
        square = self._squares / (1 - SQUARE_DECAY**self._updates)
        self.model.vector -= self._rate * mean / (square.sqrt() + EPSILON)

    def _capture(self) -> None:
        """Turn the rollout and the update into CUDA graphs, and undo what trying them out has changed."""
        start = self.state()
        stream = torch.cuda.Stream()
        self.batch.stream = stream.cuda_stream
        graphs = []
        with torch.cuda.stream(stream):
            for function in (self._roll_out, self._update):
                function()
                function()
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, stream=stream):
                    function()
                graphs.append(graph)
        self._roll, self._learn = (graph.replay for graph in graphs)
        self.restore(start)

    def advance(self, progress: float) -> None:
        """One rollout and the updates from it, at a progress of 0 to 1 through the run."""
        settings = self.settings
        self._rate.fill_(settings.first_rate + progress * (settings.last_rate - settings.first_rate))
        self._entropy.fill_(settings.first_entropy + progress * (settings.last_entropy - settings.first_entropy))
        self._roll()
        self.metrics.zero_()
        updates = settings.decisions // settings.minibatch
        for _ in range(settings.epochs):
            order = torch.randperm(settings.decisions, device=self.device, generator=self._generator)
            for part in order.view(updates, settings.minibatch):
                self._chosen.copy_(part)
                self._learn()
        self.iteration += 1

    def measured(self) -> dict[str, float]:
        """The means over the updates of the last iteration; waits for the GPU."""
        updates = self.settings.epochs * self.settings.decisions // self.settings.minibatch
        return dict(zip(METRICS, (self.metrics / updates).tolist(), strict=True))

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to go on exactly from here."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        generator = torch.cuda.get_rng_state() if self._generator is None else self._generator.get_state()
        return {
            "iteration": self.iteration,
            "vector": self.model.vector.detach().cpu().clone(),
            "means": self._means.cpu().clone(),
            "squares": self._squares.cpu().clone(),
            "updates": float(self._updates),
            "ended": int(self.ended),
            "generator": generator.clone(),
            "games": {name: torch.from_numpy(rows.view("uint8")) for name, rows in self.batch.snapshot().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state of a learner for the same game and players, with the same settings."""
        self.iteration = state["iteration"]
        with torch.no_grad():
            self.model.vector.copy_(state["vector"])
            self._means.copy_(state["means"])
            self._squares.copy_(state["squares"])
            self._updates.fill_(state["updates"])
            self.ended.fill_(state["ended"])
        if self._generator is None:
            torch.cuda.set_rng_state(state["generator"])
        else:
            self._generator.set_state(state["generator"])
        present = self.batch.snapshot()
        self.batch.restore(
            {
                name: rows.numpy().view(present[name].dtype).reshape(present[name].shape)
                for name, rows in state["games"].items()
            }
        )
        if self.device == "cuda":
            torch.cuda.synchronize()
