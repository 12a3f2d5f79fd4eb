"""Several ranks in one run: they learn as one, continue as more or fewer, and end together."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest
import torch
from torch import distributed

from cabochon.jobs import VERSION
from cabochon.train import distributed as ranks
from cabochon.train.checkpoints import CHECKPOINT
from cabochon.train.distributed import ALONE, Ranks
from cabochon.train.options import TrainingError, TrainingOptions
from cabochon.train.ppo import PPOLearner
from cabochon.train.run import Run
from tests.train.test_run import SEARCHED, TINY, instant_trials, silent

__all__ = ["instant_trials"]

Result = TypeVar("Result")

# As a command on which a run of one rank can be resumed.
SIZE = ["--games", "16", "--steps", "4", "--minibatch", "32", "--width", "16", "--blocks", "1"]
SMALL = TrainingOptions(
    Path(), device="cpu", games=16, steps=4, minibatch=32, width=16, blocks=1, decisions=64 + 2 * 2 * 64
)


class ThreadRanks(Ranks):
    """Ranks in the threads of this process."""

    def __init__(self, rank: int, meeting: threading.Barrier, values: list[Any]) -> None:
        self.rank, self.count = rank, meeting.parties
        self._meeting, self._values = meeting, values

    def _exchange(self, value: Any) -> list[Any]:
        self._values[self.rank] = value
        self._meeting.wait()
        values = list(self._values)
        self._meeting.wait()
        return values

    def average(self, tensor: Any) -> None:
        tensor.copy_(sum(self._exchange(tensor.clone())) / self.count)

    def copy_first(self, tensor: Any) -> None:
        tensor.copy_(self._exchange(tensor.clone())[0])

    def gather(self, value: Any) -> list[Any]:
        values = self._exchange(value)
        return values if self.is_first else []

    def scatter(self, values: list[Any]) -> Any:
        return self._exchange(values)[0][self.rank]


def together(count: int, task: Callable[[Ranks], Result]) -> list[Result]:
    """The results of a task on so many ranks."""
    meeting = threading.Barrier(count)
    values = [None] * count

    def work(rank: int) -> Result:
        try:
            return task(ThreadRanks(rank, meeting, values))
        except BaseException:
            meeting.abort()
            raise

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def train(options: TrainingOptions, count: int, until: int | None = None, *, resume: bool = False) -> list[Run]:
    """Train on so many ranks, up to an iteration at which the run is stopped, or to its end."""

    def work(own: Ranks) -> Run:
        run = Run(options, silent, own)
        if resume:
            run.resume()
        if until is None:
            run.train()
            return run
        assert run.goal is not None
        while run.learner.iteration < until:
            run.learner.advance(run.learner.decisions / run.goal)
        run.save()
        return run

    return together(count, work)


def vectors(runs: list[Run]) -> list[Any]:
    return [run.learner.model.vector for run in runs]


def checkpoint(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = torch.load(folder / CHECKPOINT, weights_only=True)
    return state


def test_ranks_play_different_games_and_make_the_same_updates() -> None:
    def work(own: Ranks) -> PPOLearner:
        learner = PPOLearner(SMALL, own)
        for _ in range(3):
            learner.advance(0.5)
        return learner

    first, second = together(2, work)
    assert torch.equal(first.model.vector, second.model.vector)
    assert not torch.equal(first.observations, second.observations)
    assert first.decisions == second.decisions == 3 * 2 * SMALL.decisions_per_rollout
    alone = PPOLearner(SMALL)
    assert (alone.batch.seeds == first.batch.seeds).all()
    assert (alone.batch.seeds != second.batch.seeds).all()


def test_an_update_follows_the_mean_gradient_of_all_ranks() -> None:
    def work(own: Ranks) -> tuple[Any, Any]:
        learner = PPOLearner(replace(SMALL, most_gradient=1e9), own)
        learner._roll_out()
        learner._minibatch.copy_(torch.arange(SMALL.minibatch))
        learner._differentiate()
        gradient = learner.model.gradient.clone()
        learner._learn()
        return gradient, learner.model.gradient

    (gradient, mean), (other_gradient, other_mean) = together(2, work)
    assert not torch.equal(gradient, other_gradient)
    assert torch.equal(mean, other_mean)
    torch.testing.assert_close(mean, (gradient + other_gradient) / 2)


@pytest.mark.usefixtures("instant_trials")
@pytest.mark.parametrize("options", [TINY, SEARCHED], ids=["policy", "search"])
def test_a_run_of_two_ranks_continues_exactly(tmp_path: Path, options: TrainingOptions) -> None:
    options = replace(options, decisions=2 * (options.decisions or 0))
    whole = train(replace(options, output=tmp_path / "whole"), 2)
    parts = replace(options, output=tmp_path / "parts")
    train(parts, 2, until=2)
    continued = train(parts, 2, resume=True)
    assert continued[0].learner.iteration == 3
    assert all(torch.equal(vectors(whole)[0], vector) for vector in vectors(whole + continued))


@pytest.mark.usefixtures("instant_trials")
@pytest.mark.parametrize("options", [TINY, SEARCHED], ids=["policy", "search"])
@pytest.mark.parametrize(("before", "after"), [(2, 1), (1, 2)])
def test_a_run_continues_with_more_or_fewer_ranks(
    tmp_path: Path, options: TrainingOptions, before: int, after: int
) -> None:
    options = replace(options, output=tmp_path, decisions=4 * options.decisions_per_rollout)
    stopped = train(options, before, until=2 // before)
    assert stopped[0].learner.decisions == 2 * options.decisions_per_rollout
    continued = train(options, after, until=0, resume=True)
    assert torch.equal(vectors(stopped)[0], vectors(continued)[0])
    games, others = (run.learner.state()["own"]["games"] for run in (stopped[0], continued[0]))
    assert all(torch.equal(games[name], others[name]) for name in games)
    ended = train(options, after, resume=True)
    assert ended[0].learner.iteration == 2 // before + 2 // after
    assert ended[0].learner.decisions == ended[0].goal == 4 * options.decisions_per_rollout
    assert all(torch.equal(vectors(ended)[0], vector) for vector in vectors(ended))
    state = checkpoint(tmp_path)
    assert len(state["ranks"]) == after
    assert state["learner"]["ended"] == sum(int(run.learner._games_ended) for run in ended)


@pytest.mark.usefixtures("instant_trials")
def test_torchrun_trains_as_one_process_with_the_mean_gradient(tmp_path: Path) -> None:
    options = replace(SMALL, output=tmp_path / "run")
    train(options, 1, until=1)
    shutil.copytree(options.output, tmp_path / "reference")
    train(replace(options, output=tmp_path / "reference"), 2, resume=True)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    cabochon = ["-m", "cabochon", "train", "--output", str(options.output), "--device", "cpu", "--resume", *SIZE]
    done = subprocess.run(
        [*command, *cabochon, "--decisions", str(SMALL.decisions)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the network is in") == 1
    expected, found = checkpoint(tmp_path / "reference"), checkpoint(options.output)
    assert found["learner"]["decisions"] == SMALL.decisions
    assert torch.equal(expected["learner"]["vector"], found["learner"]["vector"])
    for one, other in zip(expected["ranks"], found["ranks"], strict=True):
        assert all(torch.equal(one["games"][name], other["games"][name]) for name in one["games"])


FAILING = """
import sys
from cabochon.cli import main
from cabochon.train.options import TrainingError
from cabochon.train.ppo import PPOLearner

advance = PPOLearner.advance

def advance_once(learner, progress):
    if learner.iteration == 1 and learner._ranks.rank == 1:
        raise TrainingError("expected a rank that works")
    advance(learner, progress)

PPOLearner.advance = advance_once
sys.exit(main(sys.argv[1:]))
"""


def test_an_error_in_one_rank_ends_the_others(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {"WORLD_SIZE": "2", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    arguments = ["train", "--output", str(tmp_path), "--device", "cpu", *SIZE, "--decisions", "1e6"]
    processes = [  # without an agent of torchrun that would end one when the other ends, as on two hosts
        subprocess.Popen(
            [sys.executable, "-c", FAILING, *arguments],
            env=os.environ | environment | {"RANK": rank, "TORCHELASTIC_RUN_ID": "test"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode != 0
        assert "cabochon: rank 1 failed: expected a rank that works\n" in errors


def test_the_first_failure_is_reported_by_all_ranks() -> None:
    store = distributed.HashStore()
    with pytest.raises(TrainingError, match="rank 1 failed: expected more"), ranks._failing_together(store, 1):
        raise TrainingError("expected more")
    with pytest.raises(TrainingError, match="rank 1 failed: expected more"), ranks._failing_together(store, 0):
        raise RuntimeError("connection closed by peer")


def test_all_ranks_report_an_interruption() -> None:
    store = distributed.HashStore()
    with pytest.raises(KeyboardInterrupt), ranks._failing_together(store, 1):
        raise KeyboardInterrupt
    with pytest.raises(TrainingError, match="rank 1 was interrupted"), ranks._failing_together(store, 0):
        raise KeyboardInterrupt


def test_ranks_with_different_options_are_refused() -> None:
    store = distributed.HashStore()
    ranks._compare(store, 0, {"cabochon": "1.0", "games": 16, "device": "cpu"})
    ranks._compare(store, 1, {"cabochon": "1.0", "games": 16, "device": "cpu"})
    with pytest.raises(
        TrainingError, match=r"to have cabochon '1\.0', device 'cpu', got cabochon '1\.1', device 'cuda'$"
    ):
        ranks._compare(store, 2, {"cabochon": "1.1", "games": 16, "device": "cuda"})


def test_ranks_compare_all_that_must_be_equal(tmp_path: Path) -> None:
    own = ranks.facts_of(replace(SMALL, output=tmp_path, command="one"))
    assert own == ranks.facts_of(replace(SMALL, output=tmp_path / "elsewhere", command="other"))
    for change in ({"device": "cuda"}, {"minibatch": 64}, {"players": 3}, {"decisions": 1.0}, {"resume": True}):
        assert own != ranks.facts_of(replace(SMALL, **change))
    assert str(VERSION) in own.values()


def test_a_rank_that_waits_for_another_ends_when_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    class ExitError(Exception):
        pass

    def exit_with(failure: str) -> NoReturn:
        raise ExitError(failure)

    monkeypatch.setattr(ranks, "_exit", exit_with)
    monkeypatch.setattr(ranks, "SECONDS_BETWEEN_CHECKS", 0)
    monkeypatch.setattr(ranks, "SECONDS_TO_END", 0)
    store = distributed.HashStore()
    store.set(ranks.FAILURE, "rank 1 failed: no space left")
    with pytest.raises(ExitError, match="rank 1 failed: no space left"):
        ranks._watch(store, threading.Event())


def test_a_rank_without_a_gpu_is_refused() -> None:
    found = torch.cuda.device_count()
    with pytest.raises(TrainingError, match=f"expected a GPU for each rank on this host, got {found} for at least"):
        ranks._select_gpu(found)


def test_a_process_alone_is_the_first_rank_and_keeps_its_seed() -> None:
    with ranks.join_ranks(SMALL) as own:
        assert own is ALONE
    assert own.is_first
    assert own.seed(7) == 7
