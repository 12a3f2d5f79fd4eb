"""The options of a training run, with their help and defaults. This is the only place that lists them.

`cabochon train` takes its command line from here; fields without help are not on it. This must stay quick to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from cabochon.errors import CabochonError

# The ways to learn.
PPO = "ppo"
EXPERT_ITERATION = "expert iteration"
DISTILLATION = "distillation"
METHODS = (PPO, EXPERT_ITERATION, DISTILLATION)

# Defaults that differ from those of the dataclass, which are for PPO on a GPU.
METHOD_DEFAULTS: Mapping[str, dict[str, Any]] = {
    PPO: {},
    # A search is a better estimate than the next few decisions, which depend on luck: hence the value smoothing.
    EXPERT_ITERATION: {"games": 65_536, "steps": 8, "epochs": 8, "first_rate": 3e-4, "value_smoothing": 0.5},
    DISTILLATION: {"epochs": 1, "first_rate": 1e-3},
}
# On a CPU: a network and a batch that are small enough to learn something in minutes.
CPU_DEFAULTS: dict[str, Any] = {"games": 256, "steps": 32, "minibatch": 1024, "width": 32}
CPU_SEARCH_DEFAULTS: dict[str, Any] = {"steps": 4, "minibatch": 256, "window": 4}
START_HELP = "Network file to start from. It may be for fewer players or have fewer blocks."
TEACHER_HELP = "Network file of a teacher: learn from the games that it plays (distillation)."


class TrainingError(CabochonError):
    """The run cannot be made with these options."""


def _option(default: Any, help_text: str | None = None, **metadata: Any) -> Any:
    """Return a field whose metadata are its help, and optionally `metavar`, `flag`, `least` value and `methods`."""
    return field(default=default, metadata={"help": help_text, **metadata})


def _setting(default: Any, help_text: str | None = None, *, only: str | None = None, **metadata: Any) -> Any:
    """Return an option that affects what is learned; its default may depend on the method and the device."""
    return _option(default, help_text, methods=METHODS if only is None else (only,), **metadata)


@dataclass(frozen=True)
class TrainingOptions:
    """The options of a training run. Values from `first_` to `last_` change linearly over the run."""

    output: Path = field(metadata={"help": "Folder for the results of the run.", "metavar": "FOLDER"})
    game: str = _option("splendor", "The game: splendor or marvel.", metavar="GAME")
    players: int = _option(2, "Number of players: 2, 3 or 4.", metavar="N")
    resume: bool = _option(False, "Resume from the checkpoint in the output folder.")
    device: str | None = _option(None, "Device: cpu or cuda. By default, cuda if there is a GPU.")
    decisions: float | None = _option(None, "Number of decisions to learn from, such as 2e9; the total of all ranks.")
    seconds: float | None = _option(None, "Duration of the run in seconds, instead of --decisions.")

    games: int = _setting(16_384, "Number of games played in parallel by each rank.", least=1)
    steps: int = _setting(64, "Decisions per game in a rollout.", least=1)
    minibatch: int = _setting(32_768, "Decisions per update and rank.", least=1)
    epochs: int = _setting(2)  # how often each decision is learned from
    width: int = _setting(128, "Width of the transformer; divisible by 4.", least=1)
    blocks: int = _setting(3, "Number of blocks of the transformer.", least=1)
    first_rate: float = _setting(7e-4, "Initial learning rate.", flag="--rate")
    last_rate: float = _setting(3e-5)
    first_entropy: float = _setting(0.016, "Initial entropy coefficient (PPO).", flag="--entropy", only=PPO)
    last_entropy: float = _setting(0.001, only=PPO)
    clip: float = _setting(0.2, only=PPO)
    smoothing: float = _setting(0.9, "GAE lambda for two players, from 0 to 1 (PPO).", only=PPO)
    value_smoothing: float = _setting(0.97, "Lambda of the value targets for two players, from 0 to 1.")
    value_weight: float = _setting(1.0)  # of the value loss, relative to the policy loss
    most_gradient: float = _setting(1.0)  # the norm to which the gradient is clipped
    simulations: int | None = _setting(
        None, "Learn from searches with this many simulations (expert iteration).", least=1, only=EXPERT_ITERATION
    )
    window: int = _setting(8, only=EXPERT_ITERATION)  # rollouts that are kept to learn from
    # Visits without advantage that are added to those of each action.
    trust: float = _setting(4.0, only=EXPERT_ITERATION)
    # An action becomes more likely by the factor exp(advantage / temperature); advantages are in win probability.
    temperature: float = _setting(0.05, only=EXPERT_ITERATION)

    seed: int = _option(0, "Seed of the games, the initial weights and the samples.")
    start: Path | None = field(default=None, metadata={"metavar": "FILE", "help": START_HELP})
    teacher: Path | None = field(default=None, metadata={"metavar": "FILE", "help": TEACHER_HELP})
    trial_every: int = _option(100, "Number of rollouts between evaluations against fixed opponents.", least=1)
    checkpoint_every: int = _option(1000, "Number of rollouts between checkpoints.", least=1)
    log_every: int = 10  # rollouts
    trial_games: int = 400
    threads: int = 1  # of PyTorch on a CPU; more only help if nothing else runs
    command: str = ""  # how the run was started, for the records

    @staticmethod
    def choose(chosen: Mapping[str, Any]) -> TrainingOptions:
        """Return the chosen options; None means the default for the method and the device."""
        known = {name: value for name, value in chosen.items() if value is not None}
        method = _method(known.get("simulations"), known.get("teacher"))
        unused = [name for name in ("first_entropy", "smoothing") if name in known]
        if unused and method != PPO:
            source = "simulations" if method == EXPERT_ITERATION else "a teacher"
            raise TrainingError(f"expected no entropy and no smoothing with {source}: they are options of PPO")
        defaults = dict(METHOD_DEFAULTS[method])
        if known.get("device") == "cpu":
            defaults |= CPU_DEFAULTS | (CPU_SEARCH_DEFAULTS if method == EXPERT_ITERATION else {})
        return TrainingOptions(**{**defaults, **known})

    def __post_init__(self) -> None:
        """Refuse options that contradict each other or are out of range."""
        _method(self.simulations, self.teacher)
        for option in fields(self):
            least, value = option.metadata.get("least"), getattr(self, option.name)
            if least is not None and value is not None and value < least:
                raise TrainingError(f"expected {option.name.replace('_', ' ')} to be at least {least}, got {value}")
        for name in ("smoothing", "value_smoothing"):
            if not 0 <= getattr(self, name) <= 1:
                raise TrainingError(f"expected {name.replace('_', ' ')} to be from 0 to 1, got {getattr(self, name)}")
        if self.decisions_per_rollout % self.minibatch:
            raise TrainingError(
                f"expected minibatch to divide {self.decisions_per_rollout} decisions per rollout, got {self.minibatch}"
            )

    @property
    def method(self) -> str:
        """How the network learns: one of METHODS."""
        return _method(self.simulations, self.teacher)

    @property
    def decisions_per_rollout(self) -> int:
        """The number of decisions in a rollout."""
        return self.games * self.steps

    @property
    def updates_per_rollout(self) -> int:
        """The number of updates after a rollout."""
        return self.epochs * self.decisions_per_rollout // self.minibatch

    def settings(self) -> dict[str, Any]:
        """Return the settings that the method uses, by name."""
        return {
            option.name: getattr(self, option.name)
            for option in fields(self)
            if self.method in option.metadata.get("methods", ())
        }


def _method(simulations: int | None, teacher: Path | None) -> str:
    if simulations is not None and teacher is not None:
        raise TrainingError("expected simulations or a teacher, got both")
    if teacher is not None:
        return DISTILLATION
    return PPO if simulations is None else EXPERT_ITERATION
