"""What all ways of learning share: games played in lockstep, the network, its optimizer, and exact resuming.

Everything is on one device. On a GPU, repeated work is captured in CUDA graphs: its many small kernels would otherwise
leave the GPU waiting between launches.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from cabochon.envs.batch import Batch
from cabochon.options import Options
from cabochon.train.distributed import ALONE, Ranks
from cabochon.train.model import Model
from cabochon.train.optimizer import Optimizer
from cabochon.train.options import TrainingOptions

ILLEGAL = -1e9  # the logit of an illegal action


def generalized_advantages(values: Any, dones: Any, outcomes: Any, smoothing: float) -> Any:
    """Generalized advantages [steps, games, players] of every seat, with lambda = `smoothing`.

    `values` are [steps + 1, games, players]; `dones` [steps, games] says whether the game ended there, and `outcomes`
    [steps, games, players] what each seat then won.
    """
    continues = (~dones).to(values.dtype).unsqueeze(-1)
    result = torch.zeros_like(outcomes)
    later = torch.zeros_like(values[0])
    for step in reversed(range(len(outcomes))):
        difference = continues[step] * values[step + 1] + (1 - continues[step]) * outcomes[step] - values[step]
        later = difference + smoothing * continues[step] * later
        result[step] = later
    return result


def sample(probabilities: Any, generator: Any) -> Any:
    """One action per row of probabilities [rows, actions], which need not sum to 1."""
    # The smallest of exponential variables with these rates is a sample.
    times = torch.empty_like(probabilities).exponential_(generator=generator)
    return torch.argmax(probabilities / times, -1)


class Learner:
    """The games, the network and the optimizer of a run; `advance` makes the next rollout and its updates."""

    METRICS: tuple[str, ...] = ()  # what `mean_metrics` returns

    def __init__(self, options: TrainingOptions, ranks: Ranks = ALONE) -> None:
        device = options.device or "cpu"
        self.options = options
        self._ranks = ranks
        self._seed = ranks.seed(options.seed)
        self.players = options.players
        self.device = device
        self._generator = torch.Generator(device).manual_seed(self._seed) if device == "cpu" else None
        if device == "cuda":
            torch.cuda.manual_seed(self._seed)
            torch.backends.cuda.matmul.allow_tf32 = True
        # Payments are automatic: keeping a wild is never worse than keeping a coloured token.
        kind = Options(options.game, options.players, payment="automatic")
        self.batch = Batch(kind, games=options.games, seed=self._seed, device=device, dtype="int8", canonical=True)
        self._stream: Any = None  # of all kernels, on a GPU
        if device == "cuda":
            self._stream = torch.cuda.Stream()
            self.batch.stream = self._stream.cuda_stream
            torch.cuda.synchronize()  # the deal ran on another stream
        self.model = Model(options.players, options.width, options.blocks, device)
        self.model.initialize(options.seed)
        self._optimizer = Optimizer(self.model)
        self._rate = torch.zeros((), device=device)
        self._minibatch = torch.zeros(options.minibatch, dtype=torch.int64, device=device)  # decisions of an update
        self._roll: Callable[[], None]  # a rollout
        self._differentiate: Callable[[], None]  # the gradient over the minibatch
        self._descend: Callable[[], None]  # one step of the optimizer down the gradient
        self.iteration = 0
        self.decisions = 0  # of all ranks
        self.metrics = torch.zeros(len(self.METRICS), device=device)
        self._games_ended = torch.zeros((), dtype=torch.int64, device=device)  # of this rank, over the whole run
        self._value_smoothing = self._smoothing_for_players(options.value_smoothing)
        steps, games = options.steps, options.games
        self.seats = torch.zeros((steps + 1, games), dtype=torch.int64, device=device)
        self.values = torch.zeros((steps + 1, games, options.players), device=device)
        self.dones = torch.zeros((steps, games), dtype=torch.bool, device=device)
        self.outcomes = torch.zeros((steps, games, options.players), device=device)
        tables = ("seats", "masks", "dones", "values")
        self._tables = {name: torch.as_tensor(getattr(self.batch, name), device=device) for name in tables}

    def _smoothing_for_players(self, smoothing: float) -> float:
        """A lambda for two players adapted to this number of players, each of whom decides less often."""
        return float(smoothing ** (2 / self.players))

    def _by_seat(self, rotated: Any, seats: Any) -> Any:
        """Values [games, players] that start with seat 0, from values that start with the observer."""
        order = torch.arange(self.players, device=self.device)
        return rotated.gather(-1, (order - seats.unsqueeze(-1)) % self.players)

    def _from_observer(self, by_seat: Any, seats: Any) -> Any:
        """Values [..., players] that start with the observer, from values that start with seat 0."""
        order = torch.arange(self.players, device=self.device)
        return by_seat.gather(-1, (seats.unsqueeze(-1) + order) % self.players)

    def _step(self, step: int, actions: Any) -> None:
        """Take the actions, and store which games ended and what each seat won."""
        self.batch.step(actions)
        self.dones[step] = self._tables["dones"]
        # The batch gives a single winner 1, and all seats together 0; here all seats together get 1.
        self.outcomes[step] = (self._tables["values"] * (self.players - 1) + 1) / self.players

    def _backward(self, loss: Any, metrics: tuple[Any, ...]) -> None:
        """Set the gradient to that of the loss."""
        self.model.gradient.zero_()
        loss.backward()
        with torch.no_grad():
            self.metrics += torch.stack(metrics)

    def _step_optimizer(self) -> None:
        self._optimizer.step(self._rate, self.options.most_gradient)

    def _capture(self, *functions: Callable[[], None]) -> list[Callable[[], None]]:
        """On a GPU, capture the functions as CUDA graphs, and undo what running them for that has changed."""
        if self.device != "cuda":
            return list(functions)
        start = self.state()
        graphs = []
        with torch.cuda.stream(self._stream):
            for function in functions:
                function()
                function()
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, stream=self._stream):
                    function()
                graphs.append(graph.replay)
        self.restore(start)
        return graphs

    @contextlib.contextmanager
    def _on_own_stream(self) -> Iterator[None]:
        """On a GPU, run the body on the learner's stream: after all work before it, and before all work after it."""
        if self._stream is None:
            yield
            return
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            yield
        torch.cuda.current_stream().wait_stream(self._stream)

    def advance(self, progress: float) -> None:
        """Make one rollout and its updates, at a progress of 0 to 1 through the run."""
        self._rate.fill_(interpolate(progress, self.options.first_rate, self.options.last_rate))
        with self._on_own_stream():
            self._ranks.copy_first(self.model.vector)  # rounding may differ between GPUs
            self._roll()
            self.iteration += 1
            self.decisions += self.decisions_per_iteration
            self.metrics.zero_()
            self._learn_rollout()

    @property
    def decisions_per_iteration(self) -> int:
        """The decisions that all ranks together learn from in one iteration."""
        return self.options.decisions_per_rollout * self._ranks.count

    def _learn_rollout(self) -> None:
        """Make the updates of a rollout: all its decisions in minibatches, once per epoch."""
        options = self.options
        for _ in range(options.epochs):
            order = torch.randperm(options.decisions_per_rollout, device=self.device, generator=self._generator)
            for part in order.view(-1, options.minibatch):
                self._minibatch.copy_(part)
                self._learn()

    def _learn(self) -> None:
        """Make one update with the minibatches of all ranks."""
        self._differentiate()
        self._ranks.average(self.model.gradient)
        self._descend()

    def _imitate(self, observations: Any, masks: Any, policies: Any, targets: Any) -> tuple[Any, Any, Any]:
        """The losses of the policy and the values over the minibatch, and the log probabilities of its actions."""
        chosen = self._minibatch
        logits, value_logits = self.model.forward(observations.index_select(0, chosen), self.model.prepare())
        log_probs = torch.log_softmax(torch.where(masks.index_select(0, chosen), logits, ILLEGAL), -1)
        policy_loss = -(policies.index_select(0, chosen).float() * log_probs).sum(-1).mean()
        value_loss = -(targets.index_select(0, chosen) * torch.log_softmax(value_logits, -1)).sum(-1).mean()
        return policy_loss, value_loss, log_probs

    def mean_metrics(self) -> dict[str, float]:
        """The METRICS, averaged over the updates of the last iteration and over all ranks; waits for the GPU."""
        means = self.metrics / self.options.updates_per_rollout
        self._ranks.average(means)
        return dict(zip(self.METRICS, means.tolist(), strict=True))

    def count_games(self) -> int:
        """How many games have ended, on all ranks; the first rank knows, and waits for the GPU."""
        return sum(self._ranks.gather(int(self._games_ended)))

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs to continue exactly from here; `own` is what differs between the ranks."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        generator = torch.cuda.get_rng_state() if self._generator is None else self._generator.get_state()
        return {
            "iteration": self.iteration,
            "decisions": self.decisions,
            "vector": self.model.vector.detach().cpu().clone(),
            "optimizer": self._optimizer.state(),
            "ended": int(self._games_ended),
            "own": {
                "generator": generator.clone(),
                "games": {name: torch.from_numpy(rows.view("uint8")) for name, rows in self.batch.snapshot().items()},
            },
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of a learner with the same options; without `own`, with this rank's new games."""
        self.iteration = state["iteration"]
        self.decisions = state["decisions"]
        with torch.no_grad():
            self.model.vector.copy_(state["vector"])
            self._games_ended.fill_(state["ended"] if self._ranks.is_first else 0)  # those of all ranks
        self._optimizer.restore(state["optimizer"])
        if state["own"] is not None:
            self._restore_own(state["own"])
        if self.device == "cuda":
            torch.cuda.synchronize()

    def _restore_own(self, own: dict[str, Any]) -> None:
        if self._generator is None:
            torch.cuda.set_rng_state(own["generator"])
        else:
            self._generator.set_state(own["generator"])
        present = self.batch.snapshot()
        self.batch.restore(
            {
                name: rows.numpy().view(present[name].dtype).reshape(present[name].shape)
                for name, rows in own["games"].items()
            }
        )


def interpolate(progress: float, first: float, last: float) -> float:
    return first + progress * (last - first)
