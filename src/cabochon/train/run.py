"""A whole run of learning: checkpoints, log, picture, trials against fixed opponents, and the finished network.

The folder of a run has `checkpoint.pt`, from which it goes on exactly, `log.jsonl`, `learning.svg` and
`network.npz`, which `nn.weights` plays with.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from cabochon.core.cards import VARIANTS
from cabochon.core.state import Array
from cabochon.errors import CabochonError
from cabochon.nn import transformer, weights
from cabochon.train.distillation import PupilLearner, PupilSettings
from cabochon.train.evaluation import try_out
from cabochon.train.expert_iteration import ExpertLearner, ExpertSettings
from cabochon.train.learner import Learner
from cabochon.train.model import Model
from cabochon.train.origin import NETWORK, origin
from cabochon.train.plot import draw
from cabochon.train.ppo import PolicyLearner, PolicySettings
from cabochon.workers import Workers

CHECKPOINT = "checkpoint.pt"
LOG = "log.jsonl"
PICTURE = "learning.svg"
TIMED = 8  # iterations that are timed, after as many to warm up, to plan a run of so many seconds


class TrainingError(CabochonError):
    """A run that cannot be made as it was asked for."""


@dataclass(frozen=True)
class Plan:
    """What to learn, for how long, and how often to look; `decisions` may be found from `seconds`."""

    variant: str
    players: int
    settings: PolicySettings | ExpertSettings | PupilSettings = field(default_factory=PolicySettings)
    decisions: int | None = None
    seconds: float | None = None
    seed: int = 0
    device: str = "cpu"
    threads: int = 1  # of PyTorch on a CPU; more only help where nothing else runs
    start: Path | None = None  # a network to start from, perhaps for fewer players or with fewer blocks
    teacher: Path | None = None  # a network to learn from, with the settings of a pupil
    log_every: int = 10  # iterations
    trial_every: int = 100
    trial_games: int = 400
    checkpoint_every: int = 1000
    command: str = ""


def _check(plan: Plan) -> None:
    if plan.decisions is None and plan.seconds is None:
        raise TrainingError("expected a number of decisions or of seconds to learn for, got neither")
    if plan.device == "cuda" and not torch.cuda.is_available():
        raise TrainingError("expected a GPU that PyTorch sees, and there is none")
    settings = plan.settings
    if settings.decisions % settings.minibatch:
        raise TrainingError(
            f"expected minibatches that share out {settings.decisions} decisions evenly, got {settings.minibatch}"
        )
    if (plan.teacher is None) == isinstance(settings, PupilSettings):
        raise TrainingError("expected a teacher for the settings of a pupil, and only for those")
    if settings.width % transformer.HEADS:
        raise TrainingError(f"expected a width that {transformer.HEADS} divides, got {settings.width}")
    for name in ("smoothing", "value_smoothing"):
        smoothing = getattr(settings, name, 0.0)  # searches have no use for the first
        if not 0 <= smoothing <= 1:
            raise TrainingError(f"expected a {name.replace('_', ' ')} from 0 to 1, got {smoothing}")


def _read(plan: Plan, file: Path) -> tuple[dict[str, Any], list[tuple[Array, Array]]]:
    """A network to start or learn from."""
    about, matrices = weights.read(file)
    most = plan.players
    is_teacher = file == plan.teacher
    if about["game"] != plan.variant or about["players"] > most or (is_teacher and about["players"] < most):
        raise TrainingError(
            f"expected a network for {plan.variant} with {'' if is_teacher else 'up to '}{most} players, "
            f"got one for {about['game']} with {about['players']} in {file}"
        )
    weights.check(about, matrices, VARIANTS.index(plan.variant), about["players"], file)
    return about, matrices


def _teacher_of(plan: Plan, file: Path) -> tuple[dict[str, Any], Model]:
    about, matrices = _read(plan, file)
    model = Model(plan.players, matrices[0][0].shape[1], transformer.blocks_of(matrices), plan.device)
    model.put(matrices, plan.players)
    return about, model


class Run:
    """One run in its folder, begun or gone on with."""

    def __init__(self, plan: Plan, folder: Path, say: Callable[[str], None]) -> None:
        _check(plan)
        self.plan = plan
        self.folder = folder
        self._say = say
        self._log: list[dict[str, Any]] = []
        # What is said of the networks that the run started from and that it learns from.
        self._begun_from: dict[str, Any] | None = None
        self._taught_by: dict[str, Any] | None = None
        self._seconds_before = 0.0
        self._started = time.perf_counter()
        self._variant = VARIANTS.index(plan.variant)
        if plan.device == "cpu":
            torch.set_num_threads(plan.threads)
        self.learner = self._new_learner()
        self.iterations = None if plan.decisions is None else max(1, round(plan.decisions / plan.settings.decisions))
        if plan.start is not None:
            self._start_from(plan.start)
        folder.mkdir(parents=True, exist_ok=True)
        self._pool = Workers(1)
        self._trials: list[tuple[int, Future[dict[str, float]]]] = []

    def _new_learner(self) -> Learner:
        plan, settings = self.plan, self.plan.settings
        if isinstance(settings, ExpertSettings):
            return ExpertLearner(plan.variant, plan.players, settings, plan.device, plan.seed)
        if isinstance(settings, PolicySettings):
            return PolicyLearner(plan.variant, plan.players, settings, plan.device, plan.seed)
        assert plan.teacher is not None
        self._taught_by, teacher = _teacher_of(plan, plan.teacher)
        return PupilLearner(plan.variant, plan.players, settings, plan.device, plan.seed, teacher)

    def _start_from(self, file: Path) -> None:
        about, matrices = _read(self.plan, file)
        model = self.learner.model
        width, blocks = matrices[0][0].shape[1], transformer.blocks_of(matrices)
        if width != model.width or blocks > model.blocks:
            raise TrainingError(
                f"expected up to {model.blocks} blocks of {model.width} units, got {blocks} of {width} in {file}"
            )
        model.put(matrices, about["players"])
        self._begun_from = about

    def resume(self) -> None:
        """Go on from the checkpoint in the folder."""
        kept = torch.load(self.folder / CHECKPOINT, weights_only=True)
        ours = self._identity()
        if kept["identity"] != ours:
            raise TrainingError(f"expected a checkpoint of a run with {ours}, got one with {kept['identity']}")
        self.learner.restore(kept["learner"])
        self.iterations = kept["iterations"]
        self._log = kept["log"]
        self._begun_from = kept["start"]
        self._seconds_before = kept["seconds"]
        self._started = time.perf_counter()

    def _identity(self) -> dict[str, Any]:
        """What a run must have in common with one that it goes on with."""
        plan = self.plan
        teacher = None if self._taught_by is None else self._taught_by.get("made")
        return {
            "game": plan.variant,
            "players": plan.players,
            "seed": plan.seed,
            "teacher": teacher,
            **asdict(plan.settings),
        }

    @property
    def seconds(self) -> float:
        """How long the run has taken so far, earlier parts included."""
        return self._seconds_before + time.perf_counter() - self._started

    def save(self) -> None:
        """Write the checkpoint, the log, the picture and the network as it is now."""
        state = {
            "identity": self._identity(),
            "learner": self.learner.state(),
            "iterations": self.iterations,
            "log": self._log,
            "start": self._begun_from,
            "seconds": self.seconds,
        }
        unfinished = self.folder / (CHECKPOINT + ".new")
        torch.save(state, unfinished)
        unfinished.replace(self.folder / CHECKPOINT)
        rows = "".join(json.dumps(row) + "\n" for row in self._log)
        (self.folder / LOG).write_text(rows, encoding="utf-8")
        title = f"{self.plan.variant}, {self.plan.players} players"
        (self.folder / PICTURE).write_text(draw(self._log, title), encoding="utf-8")
        weights.save(self.folder / NETWORK, self._variant, self.plan.players, self._matrices(), self._about())

    def _matrices(self) -> list[tuple[Array, Array]]:
        return self.learner.model.matrices()

    def _about(self) -> dict[str, Any]:
        trials = [row for row in self._log if "greedy" in row]
        machine = torch.cuda.get_device_name() if self.plan.device == "cuda" else platform.machine()
        return {
            **origin(self.plan.command, self.seconds, machine, self._begun_from),
            "decisions": self.learner.iteration * self.plan.settings.decisions,
            "games": int(self.learner.ended),
            "settings": asdict(self.plan.settings),
            "trial": trials[-1] if trials else None,
            **({} if self._taught_by is None else {"teacher": self._taught_by}),
        }

    def _try_out(self) -> None:
        """Have the present policy tried out by the other process."""
        plan = self.plan
        job = self._pool.submit(try_out, self._variant, plan.players, self._matrices(), plan.trial_games, 1)
        self._trials.append((self.learner.iteration, job))

    def _collect_trials(self, wait: bool = False) -> None:
        while self._trials and (wait or self._trials[0][1].done()):
            iteration, job = self._trials.pop(0)
            shares = job.result()
            self._log.append({"iteration": iteration, "decisions": iteration * self.plan.settings.decisions, **shares})
            said = ", ".join(f"{100 * share:.1f}% against {opponent}" for opponent, share in shares.items())
            self._say(f"after {iteration * self.plan.settings.decisions / 1e6:.0f} million decisions: {said}")

    def _note(self) -> None:
        """Add a row to the log."""
        learner, settings = self.learner, self.plan.settings
        row = {
            "iteration": learner.iteration,
            "decisions": learner.iteration * settings.decisions,
            "games": int(learner.ended),
            "seconds": round(self.seconds, 2),
            **{name: round(value, 5) for name, value in learner.measured().items()},
        }
        self._log.append(row)
        self._say(" ".join(f"{name} {value}" for name, value in row.items()))

    def _plan_by_time(self) -> None:
        """Time some iterations, and fix how many the run has, so that it ends in time and its schedule is known."""
        for timed in (False, True):
            began = time.perf_counter()
            for _ in range(TIMED):
                self.learner.advance(0.0)
            if timed and self.plan.seconds is not None:
                self.learner.measured()
                pace = (time.perf_counter() - began) / TIMED
                left = self.plan.seconds - self.seconds
                self.iterations = max(self.learner.iteration + 1, self.learner.iteration + int(left / pace))
            self.learner.measured()

    def go(self) -> weights.Network:
        """Learn to the end of the plan; the finished network."""
        plan, learner = self.plan, self.learner
        try:
            if learner.iteration == 0:
                self._try_out()  # which also has the trial compiled before there is much to try
            if self.iterations is None:
                self._plan_by_time()
            assert self.iterations is not None
            while learner.iteration < self.iterations:
                learner.advance(learner.iteration / self.iterations)
                if learner.iteration % plan.log_every == 0 or learner.iteration == self.iterations:
                    self._note()
                self._collect_trials()
                if learner.iteration % plan.trial_every == 0 or learner.iteration == self.iterations:
                    self._try_out()
                if learner.iteration % plan.checkpoint_every == 0:
                    self._collect_trials(wait=True)
                    self.save()
            self._collect_trials(wait=True)
            self.save()
        finally:
            self._pool.close()
        return weights.load(self.folder / NETWORK, self._variant, plan.players)
