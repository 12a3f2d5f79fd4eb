"""A run from start to finished network, on a few thousand games; stopping and going on; what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from cabochon.cli import main
from cabochon.core.cards import MARVEL, SPLENDOR
from cabochon.nn import weights
from cabochon.train.distillation import PupilSettings
from cabochon.train.evaluation import win_share
from cabochon.train.expert_iteration import ExpertSettings
from cabochon.train.origin import NETWORK
from cabochon.train.ppo import PolicySettings
from cabochon.train.run import CHECKPOINT, LOG, PICTURE, Plan, Run, TrainingError
from tests.bots.weights import random_network

SMALL = PolicySettings(games=64, steps=8, minibatch=256, width=16, blocks=1)
TINY = Plan("marvel", 2, SMALL, decisions=6 * 512, log_every=1, trial_every=3, trial_games=8)


SEARCHED = replace(
    TINY,
    settings=ExpertSettings(games=16, steps=2, minibatch=16, width=16, blocks=1, simulations=4, window=2),
    decisions=6 * 32,
)


PUPIL = PupilSettings(games=64, steps=8, minibatch=256, width=16, blocks=1)
TEACHER = Path("teacher.npz")
TAUGHT = replace(TINY, settings=PUPIL, teacher=TEACHER)


def silent(line: str) -> None:
    pass


def test_a_few_thousand_games_of_self_play_teach_to_beat_random(tmp_path: Path) -> None:
    settings = PolicySettings(games=256, steps=32, minibatch=512, epochs=1, width=16, blocks=1, first_rate=6e-3)
    plan = Plan("splendor", 2, settings, decisions=180_000, trial_every=1000, trial_games=50, command="a test")
    said: list[str] = []
    learnt = Run(plan, tmp_path, said.append).go()
    assert learnt.about["games"] > 2000
    assert (learnt.about["command"], learnt.about["game"], learnt.about["players"]) == ("a test", "splendor", 2)
    assert win_share(learnt, "random", 200, seed=7) > 0.9
    assert "against random" in said[-1]


def test_a_run_leaves_log_picture_and_network(tmp_path: Path) -> None:
    learnt = Run(TINY, tmp_path, silent).go()
    rows = [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()]
    assert [row["decisions"] for row in rows if "entropy" in row] == [512 * n for n in range(1, 7)]
    assert [row["iteration"] for row in rows if "greedy" in row] == [0, 3, 6]
    picture = (tmp_path / PICTURE).read_text()
    assert picture.startswith("<svg")
    assert "against greedy" in picture
    assert weights.read(tmp_path / NETWORK)[0] == learnt.about


@pytest.mark.parametrize("plan", [TINY, SEARCHED, TAUGHT], ids=["policy", "search", "teacher"])
def test_a_run_that_was_stopped_goes_on_exactly(tmp_path: Path, plan: Plan) -> None:
    if plan.teacher is not None:
        plan = replace(plan, teacher=tmp_path / plan.teacher)
        weights.save(tmp_path / TEACHER, MARVEL, 2, random_network(2), {"made": "by hand"})
    whole = Run(plan, tmp_path / "whole", silent)
    whole.go()
    stopped = Run(plan, tmp_path / "parts", silent)
    for step in range(4):
        stopped.learner.advance(step / 6)
    stopped.save()
    other = Run(plan, tmp_path / "parts", silent)
    other.resume()
    other.go()
    assert torch.equal(whole.learner.model.vector, other.learner.model.vector)


def test_a_run_by_time_fixes_its_length(tmp_path: Path) -> None:
    run = Run(replace(TINY, decisions=None, seconds=0.5), tmp_path, silent)
    run.go()
    assert run.iterations == run.learner.iteration
    kept = torch.load(tmp_path / CHECKPOINT, weights_only=True)
    assert kept["iterations"] == run.iterations


def test_a_network_for_fewer_players_is_a_start(tmp_path: Path) -> None:
    two = Run(TINY, tmp_path / "two", silent).go()
    plan = replace(TINY, players=3, start=tmp_path / "two" / NETWORK)
    three = Run(plan, tmp_path / "three", silent).go()
    assert three.players == 3
    assert (two.about["start"], three.about["start"]) == (None, two.about)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"decisions": None}, "expected a number of decisions or of seconds to learn for, got neither"),
        (
            {"settings": replace(SMALL, minibatch=300)},
            "expected minibatches that share out 512 decisions evenly, got 300",
        ),
        ({"settings": replace(SMALL, smoothing=1.5)}, "expected a smoothing from 0 to 1, got 1.5"),
        ({"settings": replace(SMALL, width=18)}, "expected a width that 4 divides, got 18"),
        ({"teacher": Path("network.npz")}, "expected a teacher for the settings of a pupil, and only for those"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(TrainingError, match=message):
        Run(replace(TINY, **change), tmp_path, silent)  # type: ignore[arg-type]


def test_a_start_or_checkpoint_of_something_else_is_refused(tmp_path: Path) -> None:
    run = Run(TINY, tmp_path, silent)
    run.save()
    with pytest.raises(TrainingError, match="expected a checkpoint of a run with"):
        Run(replace(TINY, seed=5), tmp_path, silent).resume()
    start = tmp_path / NETWORK
    with pytest.raises(TrainingError, match="expected a network for splendor with up to 2 players, got one for marvel"):
        Run(replace(TINY, variant="splendor", start=start), tmp_path, silent)
    with pytest.raises(TrainingError, match="expected up to 1 blocks of 32 units, got 1 of 16"):
        Run(replace(TINY, settings=replace(SMALL, width=32), start=start), tmp_path, silent)
    pupil = replace(TINY, players=3, settings=PUPIL, teacher=start)
    with pytest.raises(TrainingError, match="expected a network for marvel with 3 players, got one for marvel with 2"):
        Run(pupil, tmp_path, silent)
    with pytest.raises(TrainingError, match="expected a teacher for the settings of a pupil, and only for those"):
        Run(replace(pupil, teacher=None), tmp_path, silent)


def test_a_network_of_another_size_is_a_teacher(tmp_path: Path) -> None:
    teacher = tmp_path / TEACHER
    matrices = random_network(2, width=32)
    weights.save(teacher, MARVEL, 2, matrices, {"made": "yesterday"})
    plan = replace(TINY, settings=PUPIL, teacher=teacher)
    learnt = Run(plan, tmp_path, silent).go()
    assert learnt.about["teacher"]["made"] == "yesterday"
    assert learnt.about["decisions"] == 6 * 512
    weights.save(teacher, MARVEL, 2, matrices, {"made": "today"})
    with pytest.raises(TrainingError, match=r"'teacher': 'today'.* got one with .*'teacher': 'yesterday'"):
        Run(plan, tmp_path, silent).resume()


def test_the_command_trains_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "run")
    size = ["--games", "64", "--steps", "8", "--minibatch", "256", "--width", "16", "--decisions", "1024"]
    size += ["--blocks", "1"]
    assert main(["train", "--output", folder, "--device", "cpu", *size]) == 0
    assert "the network is in" in capsys.readouterr().out
    learnt = weights.load(tmp_path / "run" / NETWORK, SPLENDOR, 2)
    assert learnt.about["decisions"] == 1024
    assert learnt.about["settings"]["blocks"] == 1
    assert main(["train", "--output", folder, "--device", "cpu", *size]) == 2
    assert "expected no checkpoint" in capsys.readouterr().err
    assert main(["train", "--output", folder, "--device", "cpu", "--resume", *size]) == 0
    assert main(["train", "--output", folder, "--device", "abacus", *size]) == 2
    assert "expected the device cpu or cuda, got 'abacus'" in capsys.readouterr().err
    searched = ["--games", "16", "--steps", "2", "--minibatch", "16", "--width", "16", "--decisions", "64"]
    folder = str(tmp_path / "searched")
    assert main(["train", "--output", folder, "--device", "cpu", "--simulations", "3", *searched]) == 0
    settings = weights.load(tmp_path / "searched" / NETWORK, SPLENDOR, 2).about["settings"]
    assert (settings["simulations"], settings["games"]) == (3, 16)
    assert main(["train", "--output", folder, "--simulations", "3", "--entropy", "0.1", *searched]) == 2
    assert "expected no entropy and no smoothing with simulations" in capsys.readouterr().err
    taught = ["train", "--output", folder, "--teacher", str(tmp_path / "run" / NETWORK)]
    assert main([*taught, "--simulations", "3", *searched]) == 2
    assert "expected simulations or a teacher, got both" in capsys.readouterr().err
    assert main([*taught, "--entropy", "0.1", *searched]) == 2
    assert "expected no entropy and no smoothing with a teacher" in capsys.readouterr().err
