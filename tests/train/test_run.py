"""Runs from their options to the finished network: what they learn and leave, resuming, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cabochon.cli import main
from cabochon.core.cards import MARVEL, SPLENDOR, VARIANTS
from cabochon.errors import OptionsError
from cabochon.nn import weights
from cabochon.nn.network import Network
from cabochon.train import run as runs
from cabochon.train.checkpoints import CHECKPOINT, LOG, NETWORK, PLOT
from cabochon.train.evaluation import win_share
from cabochon.train.options import TrainingError, TrainingOptions
from cabochon.train.run import Run
from tests.bots.weights import random_network

TINY = TrainingOptions(
    Path(),
    "marvel",
    decisions=3 * 256,
    games=32,
    steps=8,
    minibatch=128,
    width=16,
    blocks=1,
    log_every=1,
    trial_every=2,
    trial_games=8,
)
SEARCHED = replace(TINY, games=16, steps=2, minibatch=16, simulations=4, window=2, decisions=3 * 32)


class InstantTrials:
    """In the place of the process that plays trials: a fixed result at once."""

    def __init__(self, processes: int) -> None:
        assert processes == 1

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[dict[str, float]]:
        """The result of every trial."""
        future: Future[dict[str, float]] = Future()
        future.set_result({"random": 0.5, "greedy": 0.25})
        return future

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def instant_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare a test the start of a process and the games of trials that it does not look at."""
    monkeypatch.setattr(runs, "Workers", InstantTrials)


def silent(line: str) -> None:
    pass


def trained(options: TrainingOptions, report: Callable[[str], None] = silent) -> Network:
    """The network of a new run."""
    Run(options, report).train()
    return Network.load(options.output / NETWORK, VARIANTS.index(options.game), options.players)


def save_network(path: Path, made: str, width: int = 16) -> Path:
    """A file of a network for Marvel with 2 players."""
    weights.save(path, MARVEL, 2, random_network(2, width=width, blocks=1), {"made": made})
    return path


@pytest.mark.usefixtures("instant_trials")
def test_a_thousand_games_of_self_play_teach_to_beat_random(tmp_path: Path) -> None:
    options = TrainingOptions(
        tmp_path,
        games=128,
        steps=32,
        minibatch=256,
        epochs=1,
        width=16,
        blocks=1,
        first_rate=8e-3,
        decisions=90_000,
        command="a test",
    )
    learned = trained(options)
    assert learned.about["games"] > 1000
    assert (learned.about["command"], learned.about["game"], learned.about["players"]) == ("a test", "splendor", 2)
    assert win_share(learned, "random", 200, seed=7) > 0.9


def test_a_run_leaves_log_plot_and_network(tmp_path: Path) -> None:
    lines: list[str] = []
    learned = trained(replace(TINY, output=tmp_path), lines.append)
    rows = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert [row["decisions"] for row in rows if "entropy" in row] == [256, 512, 768]
    assert [row["iteration"] for row in rows if "greedy" in row] == [0, 2, 3]
    assert "against random" in lines[-1]
    plot = (tmp_path / PLOT).read_text()
    assert plot.startswith("<svg")
    assert "against greedy" in plot
    assert weights.read(tmp_path / NETWORK)[0] == learned.about


@pytest.mark.usefixtures("instant_trials")
@pytest.mark.parametrize("method", ["policy", "search", "teacher"])
def test_a_run_that_was_stopped_continues_exactly(tmp_path: Path, method: str) -> None:
    options = SEARCHED if method == "search" else TINY
    if method == "teacher":
        options = replace(options, teacher=save_network(tmp_path / "teacher.npz", "by hand"))
    whole = Run(replace(options, output=tmp_path / "whole"), silent)
    whole.train()
    options = replace(options, output=tmp_path / "parts")
    stopped = Run(options, silent)
    for step in range(2):
        stopped.learner.advance(step / 3)
    stopped.save()
    other = Run(options, silent)
    other.resume()
    other.train()
    assert torch.equal(whole.learner.model.vector, other.learner.model.vector)


@pytest.mark.usefixtures("instant_trials")
def test_a_run_by_seconds_fixes_its_length(tmp_path: Path) -> None:
    run = Run(replace(TINY, output=tmp_path, decisions=None, seconds=0.1), silent)
    run.train()
    assert run.goal == run.learner.decisions
    assert torch.load(tmp_path / CHECKPOINT, weights_only=True)["goal"] == run.goal


@pytest.mark.usefixtures("instant_trials")
def test_a_run_can_start_from_a_network_for_fewer_players(tmp_path: Path) -> None:
    start = save_network(tmp_path / "two.npz", "by hand")
    learned = trained(replace(TINY, output=tmp_path, players=3, decisions=256, start=start))
    assert learned.players == 3
    assert learned.about["start"] == weights.read(start)[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decisions": None}, "expected a number of decisions or seconds, got neither"),
        ({"minibatch": 300}, "expected minibatch to divide 256 decisions per rollout, got 300"),
        ({"smoothing": 1.5}, "expected smoothing to be from 0 to 1, got 1.5"),
        ({"width": 18}, "expected width to be divisible by 4, got 18"),
        ({"games": 0}, "expected games to be at least 1, got 0"),
        ({"simulations": 2, "teacher": Path("network.npz")}, "expected simulations or a teacher, got both"),
    ],
)
def test_impossible_options_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        Run(replace(TINY, **change), silent)


def test_a_game_that_does_not_exist_is_refused() -> None:
    with pytest.raises(OptionsError, match="chess"):
        Run(replace(TINY, game="chess"), silent)


def test_a_start_or_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    tiny = replace(TINY, output=tmp_path)
    Run(tiny, silent).save()
    with pytest.raises(TrainingError, match="expected a checkpoint of a run with"):
        Run(replace(tiny, seed=5), silent).resume()
    state = torch.load(tmp_path / CHECKPOINT, weights_only=True)
    del state["ranks"]
    torch.save(state, tmp_path / CHECKPOINT)
    with pytest.raises(TrainingError, match="expected a checkpoint of this version of Cabochon"):
        Run(tiny, silent).resume()
    start = tmp_path / NETWORK
    with pytest.raises(TrainingError, match="expected a network for splendor with up to 2 players, got one for marvel"):
        Run(replace(tiny, game="splendor", start=start), silent)
    with pytest.raises(TrainingError, match="expected at most 1 blocks of 32 units, got 1 of 16"):
        Run(replace(tiny, width=32, start=start), silent)
    with pytest.raises(TrainingError, match="expected a network for marvel with 3 players, got one for marvel with 2"):
        Run(replace(tiny, players=3, teacher=start), silent)


@pytest.mark.usefixtures("instant_trials")
def test_a_network_of_another_size_can_be_the_teacher(tmp_path: Path) -> None:
    teacher = save_network(tmp_path / "teacher.npz", "yesterday", width=32)
    options = replace(TINY, output=tmp_path, teacher=teacher)
    learned = trained(options)
    assert learned.about["teacher"]["made"] == "yesterday"
    assert learned.about["decisions"] == 3 * 256
    save_network(teacher, "today", width=32)
    with pytest.raises(TrainingError, match=r"'teacher': 'today'.* got one with .*'teacher': 'yesterday'"):
        Run(options, silent).resume()


def test_defaults_depend_on_the_method_and_the_device() -> None:
    chosen: dict[str, Any] = {"output": Path(), "width": None}
    assert TrainingOptions.choose(chosen).games == 16_384
    assert TrainingOptions.choose({**chosen, "simulations": 128}).settings()["epochs"] == 8
    on_cpu = TrainingOptions.choose({**chosen, "device": "cpu", "simulations": 16, "games": 64}).settings()
    assert (on_cpu["width"], on_cpu["steps"], on_cpu["games"]) == (32, 4, 64)
    assert "clip" not in on_cpu


@pytest.mark.usefixtures("instant_trials")
def test_the_command_trains_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "run")
    size = ["--games", "32", "--steps", "4", "--minibatch", "64", "--width", "16", "--blocks", "1"]
    train = ["train", "--output", folder, "--device", "cpu", "--decisions", "256", *size]
    assert main(train) == 0
    assert "the network is in" in capsys.readouterr().out
    learned = Network.load(tmp_path / "run" / NETWORK, SPLENDOR, 2)
    assert learned.about["decisions"] == 256
    assert learned.about["settings"]["blocks"] == 1
    assert main(train) == 2
    assert "expected no checkpoint" in capsys.readouterr().err
    assert main([*train, "--resume"]) == 0
    assert main([*train, "--device", "abacus"]) == 2
    assert "expected the device cpu or cuda, got 'abacus'" in capsys.readouterr().err


@pytest.mark.usefixtures("instant_trials")
def test_the_command_learns_from_searches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    size = ["--games", "16", "--steps", "2", "--minibatch", "16", "--width", "16", "--blocks", "1"]
    train = ["train", "--output", str(tmp_path), "--device", "cpu", "--simulations", "3", "--decisions", "32", *size]
    assert main(train) == 0
    settings = Network.load(tmp_path / NETWORK, SPLENDOR, 2).about["settings"]
    assert (settings["simulations"], settings["games"]) == (3, 16)
    assert main([*train, "--entropy", "0.1"]) == 2
    assert "expected no entropy and no smoothing with simulations" in capsys.readouterr().err
    teacher = ["--teacher", str(tmp_path / NETWORK)]
    assert main([*train, *teacher]) == 2
    assert "expected simulations or a teacher, got both" in capsys.readouterr().err
    assert main(["train", "--output", str(tmp_path), *teacher, "--entropy", "0.1"]) == 2
    assert "expected no entropy and no smoothing with a teacher" in capsys.readouterr().err
