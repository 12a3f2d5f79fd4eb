"""What every way of learning has in common: games in lockstep, a network, its optimizer, and going on exactly.

All of it is on one device. On a GPU, what is done again and again is turned into CUDA graphs: launched one by one, its
many small kernels would leave the GPU waiting.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from cabochon.envs.batch import Batch
from cabochon.train.model import Model
from cabochon.train.optimizer import Optimizer

ILLEGAL = -1e9  # the score of an action that is not legal


@dataclass(frozen=True)
class Settings:
    """What all learning is set by; `first` to `last` are passed through evenly over the run."""

    games: int = 16_384  # in lockstep
    steps: int = 64  # decisions of each game in a rollout
    minibatch: int = 32_768  # decisions of an update
    epochs: int = 2  # how often a decision is learned from
    width: int = 128
    blocks: int = 3
    first_rate: float = 7e-4
    last_rate: float = 3e-5
    value_smoothing: float = 0.97  # lambda of what the values learn, for two players
    value_weight: float = 1.0
    most_gradient: float = 1.0  # its norm

    @property
    def decisions(self) -> int:
        """How many decisions a rollout has."""
        return self.games * self.steps

    @property
    def updates(self) -> int:
        """How many updates follow a rollout."""
        return self.epochs * self.decisions // self.minibatch


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


def sample(chances: Any, generator: Any) -> Any:
    """One action of each row of probabilities, or of any numbers in proportion to them."""
    # The first of several clocks, each ringing as often as its action is likely, is a sample.
    clocks = torch.empty_like(chances).exponential_(generator=generator)
    return torch.argmax(chances / clocks, -1)


class Learner(ABC):
    """Games, network and optimizer of one run, and the next rollout and updates of it."""

    METRICS: tuple[str, ...] = ()  # what `measured` tells

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
            variant, players, settings.games, seed=seed, device=device, dtype="int8", payment="automatic", arranged=True
        )
        self._stream: Any = None  # of all kernels, on a GPU
        if device == "cuda":
            self._stream = torch.cuda.Stream()
            self.batch.stream = self._stream.cuda_stream
        self.model = Model(players, settings.width, settings.blocks, device)
        self.model.begin(seed)
        self._optimizer = Optimizer(self.model)
        self._rate = torch.zeros((), device=device)
        self._chosen = torch.zeros(settings.minibatch, dtype=torch.int64, device=device)  # decisions of an update
        self._learn: Callable[[], None]  # one step of the optimizer over them
        self.iteration = 0
        self.metrics = torch.zeros(len(self.METRICS), device=device)
        self.ended = torch.zeros((), dtype=torch.int64, device=device)  # games, over the whole run
        self._value_smoothing = self._smoothed(settings.value_smoothing)
        steps, games = settings.steps, settings.games
        self.seats = torch.zeros((steps + 1, games), dtype=torch.int64, device=device)
        self.values = torch.zeros((steps + 1, games, players), device=device)
        self.ends = torch.zeros((steps, games), dtype=torch.bool, device=device)
        self.shares = torch.zeros((steps, games, players), device=device)
        self._tables = {
            name: self._as_tensor(getattr(self.batch, name)) for name in ("seats", "masks", "dones", "values")
        }

    def _smoothed(self, smoothing: float) -> float:
        """A lambda for two players as it is for this many: those with more rivals decide less often."""
        return float(smoothing ** (2 / self.players))

    def _as_tensor(self, array: Any) -> Any:
        if self.device == "cuda":
            return torch.as_tensor(array, device="cuda")
        return torch.from_numpy(array)

    def _by_seat(self, rotated: Any, seats: Any) -> Any:
        """Values [games, players] of the seats 0, 1, ..., from those that begin with the observer's."""
        order = torch.arange(self.players, device=self.device)
        return rotated.gather(-1, (order - seats.unsqueeze(-1)) % self.players)

    def _from_observer(self, by_seat: Any, seats: Any) -> Any:
        """Values [..., players] that begin with the observer's, from those of the seats 0, 1, ..."""
        order = torch.arange(self.players, device=self.device)
        return by_seat.gather(-1, (seats.unsqueeze(-1) + order) % self.players)

    def _step(self, step: int, actions: Any) -> None:
        """Take the actions, and keep which games ended and what each seat won."""
        self.batch.step(actions)
        self.ends[step] = self._tables["dones"]
        # From 1 for the only winner and a sum of 0 to shares of one victory.
        self.shares[step] = (self._tables["values"] * (self.players - 1) + 1) / self.players

    def _descend(self, loss: Any, parts: tuple[Any, ...]) -> None:
        """One step of the optimizer down the loss; `parts` are the METRICS."""
        self.model.gradient.zero_()
        loss.backward()
        self._optimizer.step(self._rate, self.settings.most_gradient)
        with torch.no_grad():
            self.metrics += torch.stack(parts)

    def _as_graphs(self, *functions: Callable[[], None]) -> list[Callable[[], None]]:
        """On a GPU the functions as CUDA graphs; what trying them out has changed is undone."""
        if self.device != "cuda":
            return list(functions)
        start = self.state()
        graphs = []
        stream = self._stream
        with torch.cuda.stream(stream):
            for function in functions:
                function()
                function()
                torch.cuda.synchronize()
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph, stream=stream):
                    function()
                graphs.append(graph.replay)
        self.restore(start)
        return graphs

    @contextlib.contextmanager
    def _in_order(self) -> Iterator[None]:
        """What is done inside comes, on the GPU too, after all before it and before all after it."""
        if self._stream is None:
            yield
            return
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            yield
        torch.cuda.current_stream().wait_stream(self._stream)

    @abstractmethod
    def advance(self, progress: float) -> None:
        """One rollout and the updates from it, at a progress of 0 to 1 through the run."""

    def _learn_in_epochs(self) -> None:
        """All decisions of a rollout in minibatches, as often as the settings say."""
        settings = self.settings
        self.metrics.zero_()
        for _ in range(settings.epochs):
            order = torch.randperm(settings.decisions, device=self.device, generator=self._generator)
            for part in order.view(-1, settings.minibatch):
                self._chosen.copy_(part)
                self._learn()

    def _at(self, progress: float, first: float, last: float) -> float:
        return first + progress * (last - first)

    def measured(self) -> dict[str, float]:
        """The means over the updates of the last iteration; waits for the GPU."""
        return dict(zip(self.METRICS, (self.metrics / self.settings.updates).tolist(), strict=True))

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to go on exactly from here."""
        if self.device == "cuda":
            torch.cuda.synchronize()
        generator = torch.cuda.get_rng_state() if self._generator is None else self._generator.get_state()
        return {
            "iteration": self.iteration,
            "vector": self.model.vector.detach().cpu().clone(),
            "optimizer": self._optimizer.state(),
            "ended": int(self.ended),
            "generator": generator.clone(),
            "games": {name: torch.from_numpy(rows.view("uint8")) for name, rows in self.batch.snapshot().items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state of a learner for the same game and players, with the same settings."""
        self.iteration = state["iteration"]
        with torch.no_grad():
            self.model.vector.copy_(state["vector"])
            self.ended.fill_(state["ended"])
        self._optimizer.restore(state["optimizer"])
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
