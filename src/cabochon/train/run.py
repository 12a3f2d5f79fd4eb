"""A training run from its options to the finished network.

The folder of a run has `checkpoint.pt`, from which it continues exactly, `log.jsonl`, `learning.svg` and `network.npz`,
which `nn.network` loads.
"""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import torch

from cabochon.core.cards import VARIANTS
from cabochon.core.state import Array
from cabochon.game import Options
from cabochon.nn import weights
from cabochon.nn.transformer import HEADS, count_blocks
from cabochon.train.checkpoints import LOG, NETWORK, PLOT, load_checkpoint, provenance, save_checkpoint
from cabochon.train.distillation import DistillationLearner
from cabochon.train.distributed import ALONE, Ranks
from cabochon.train.evaluation import win_shares
from cabochon.train.expert_iteration import ExpertLearner
from cabochon.train.model import Model
from cabochon.train.options import EXPERT_ITERATION, TrainingError, TrainingOptions
from cabochon.train.plot import draw
from cabochon.train.ppo import PPOLearner
from cabochon.train.self_play import Learner
from cabochon.workers import Workers

TIMED = 8  # iterations that are timed, after as many to warm up, to plan a run by its seconds


def _check(options: TrainingOptions) -> None:
    """Refuse options that `TrainingOptions` itself cannot check."""
    Options(options.game, options.players)
    if options.decisions is None and options.seconds is None:
        raise TrainingError("expected a number of decisions or seconds, got neither")
    if options.device == "cuda" and not torch.cuda.is_available():
        raise TrainingError("expected a GPU that PyTorch can use, found none")
    if options.width % HEADS:
        raise TrainingError(f"expected width to be divisible by {HEADS}, got {options.width}")


def _read(options: TrainingOptions, file: Path) -> tuple[dict[str, Any], list[tuple[Array, Array]]]:
    """Return the `about` and the layers of a network to start from or to learn from."""
    about, layers = weights.read(file)
    players = options.players
    is_teacher = file == options.teacher
    if about["game"] != options.game or about["players"] > players or (is_teacher and about["players"] < players):
        raise TrainingError(
            f"expected a network for {options.game} with {'' if is_teacher else 'up to '}{players} players, "
            f"got one for {about['game']} with {about['players']} in {file}"
        )
    weights.check(about, layers, VARIANTS.index(options.game), about["players"], file)
    return about, layers


class Run:
    """One run in its folder, new or resumed."""

    def __init__(self, options: TrainingOptions, report: Callable[[str], None], ranks: Ranks = ALONE) -> None:
        _check(options)
        self.options = options
        self.folder = options.output
        self._ranks = ranks
        self._report = report
        self._log: list[dict[str, Any]] = []
        self._start: dict[str, Any] | None = None  # the `about` of the network that the run started from
        self._teacher: dict[str, Any] | None = None  # the `about` of the teacher
        self._seconds_before = 0.0
        self._started = time.perf_counter()
        self._variant = VARIANTS.index(options.game)
        if options.device != "cuda":
            torch.set_num_threads(options.threads)
        self.learner = self._new_learner()
        self.goal: int | None = None  # the decisions of the whole run
        if options.decisions is not None:
            iterations = max(1, round(options.decisions / self.learner.decisions_per_iteration))
            self.goal = iterations * self.learner.decisions_per_iteration
        if options.start is not None:
            self._start_from(options.start)
        if ranks.is_first:
            self.folder.mkdir(parents=True, exist_ok=True)
        self._pool = Workers(1)  # which plays the trials
        self._trials: list[tuple[dict[str, int], Future[dict[str, float]]]] = []  # and after how much learning

    def _new_learner(self) -> Learner:
        options = self.options
        if options.teacher is not None:
            self._teacher, layers = _read(options, options.teacher)
            width, blocks = layers[0][0].shape[1], count_blocks(layers)
            teacher = Model(options.players, width, blocks, options.device or "cpu")
            teacher.load_layers(layers, options.players)
            return DistillationLearner(options, teacher, self._ranks)
        method = ExpertLearner if options.method == EXPERT_ITERATION else PPOLearner
        return method(options, self._ranks)

    def _start_from(self, file: Path) -> None:
        about, layers = _read(self.options, file)
        model = self.learner.model
        width, blocks = layers[0][0].shape[1], count_blocks(layers)
        if width != model.width or blocks > model.blocks:
            raise TrainingError(
                f"expected at most {model.blocks} blocks of {model.width} units, got {blocks} of {width} in {file}"
            )
        model.load_layers(layers, about["players"])
        self._start = about

    def resume(self) -> None:
        """Continue from the checkpoint in the folder of the first rank, which may be of more ranks or fewer."""
        states: list[dict[str, Any]] = []
        if self._ranks.is_first:
            state = load_checkpoint(self.folder, self._identity())
            own = dict(enumerate(state.pop("ranks")))
            states = [{**state, "own": own.get(rank)} for rank in range(self._ranks.count)]
        state = self._ranks.scatter(states)
        self.learner.restore({**state["learner"], "own": state["own"]})
        self.goal = state["goal"]
        self._log = state["log"]
        self._start = state["start"]
        self._seconds_before = state["seconds"]
        self._started = time.perf_counter()

    def _identity(self) -> dict[str, Any]:
        """Return what a run must have in common with the run that it continues."""
        return {
            "game": self.options.game,
            "players": self.options.players,
            "seed": self.options.seed,
            "teacher": None if self._teacher is None else self._teacher.get("made"),
            **self.options.settings(),
        }

    @property
    def seconds(self) -> float:
        """How long the run has taken so far, including the time before it was resumed."""
        return self._seconds_before + time.perf_counter() - self._started

    def save(self) -> None:
        """Write the checkpoint, the log, the plot and the present network, on the first rank."""
        learner = self.learner.state()
        ranks = self._ranks.gather(learner.pop("own"))
        games = self.learner.count_games()
        if not self._ranks.is_first:
            return
        state = {
            "learner": {**learner, "ended": games},
            "ranks": ranks,
            "goal": self.goal,
            "log": self._log,
            "start": self._start,
            "seconds": self.seconds,
        }
        save_checkpoint(self.folder, self._identity(), state)
        rows = "".join(json.dumps(row) + "\n" for row in self._log)
        (self.folder / LOG).write_text(rows, encoding="utf-8")
        title = f"{self.options.game}, {self.options.players} players"
        (self.folder / PLOT).write_text(draw(self._log, title), encoding="utf-8")
        layers = self.learner.model.layers()
        weights.save(self.folder / NETWORK, self._variant, self.options.players, layers, self._about(games))

    def _about(self, games: int) -> dict[str, Any]:
        trials = [row for row in self._log if "greedy" in row]
        machine = torch.cuda.get_device_name() if self.options.device == "cuda" else platform.machine()
        return {
            **provenance(self.options.command, self.seconds, machine, self._start),
            "decisions": self.learner.decisions,
            "games": games,
            "ranks": self._ranks.count,
            "settings": self.options.settings(),
            "trial": trials[-1] if trials else None,
            **({} if self._teacher is None else {"teacher": self._teacher}),
        }

    def _start_trial(self) -> None:
        if not self._ranks.is_first:
            return
        options = self.options
        layers = self.learner.model.layers()
        trial = self._pool.submit(win_shares, self._variant, options.players, layers, options.trial_games, 1)
        moment = {"iteration": self.learner.iteration, "decisions": self.learner.decisions}
        self._trials.append((moment, trial))

    def _collect_trials(self, wait: bool = False) -> None:
        while self._trials and (wait or self._trials[0][1].done()):
            moment, trial = self._trials.pop(0)
            shares = trial.result()
            self._log.append({**moment, **shares})
            results = ", ".join(f"{100 * share:.1f}% against {opponent}" for opponent, share in shares.items())
            self._report(f"after {moment['decisions'] / 1e6:.0f} million decisions: {results}")

    def _log_metrics(self) -> None:
        learner = self.learner
        row = {
            "iteration": learner.iteration,
            "decisions": learner.decisions,
            "games": learner.count_games(),
            "seconds": round(self.seconds, 2),
            **{name: round(value, 5) for name, value in learner.mean_metrics().items()},
        }
        self._log.append(row)
        self._report(" ".join(f"{name} {value}" for name, value in row.items()))

    def _plan_by_seconds(self, seconds: float) -> int:
        """Time some iterations; return how many decisions fit into the time, so that the schedule is known."""
        started = 0.0
        for _ in range(2):  # the first time to warm up
            started = time.perf_counter()
            for _ in range(TIMED):
                self.learner.advance(0.0)
            self.learner.mean_metrics()
        pace = (time.perf_counter() - started) / TIMED
        iterations = self.learner.iteration + max(1, int((seconds - self.seconds) / pace))
        goal: int = self._ranks.scatter([iterations * self.learner.decisions_per_iteration] * self._ranks.count)
        return goal

    def train(self) -> None:
        """Learn until the run is over, and write the finished network."""
        options, learner = self.options, self.learner
        try:
            if learner.iteration == 0:
                self._start_trial()  # which also compiles the evaluation before there is much to evaluate
            if self.goal is None:
                assert options.seconds is not None
                self.goal = self._plan_by_seconds(options.seconds)
            while learner.decisions < self.goal:
                learner.advance(learner.decisions / self.goal)
                is_last = learner.decisions >= self.goal
                if learner.iteration % options.log_every == 0 or is_last:
                    self._log_metrics()
                self._collect_trials()
                if learner.iteration % options.trial_every == 0 or is_last:
                    self._start_trial()
                if learner.iteration % options.checkpoint_every == 0:
                    self._collect_trials(wait=True)
                    self.save()
            self._collect_trials(wait=True)
            self.save()
        finally:
            self._pool.close()
