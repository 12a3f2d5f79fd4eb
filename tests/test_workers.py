"""Processes beside this one: what they do, and when they heed an interruption."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial

import pytest

from cabochon.workers import Workers, _Worker


def divided(number: int, by: int = 1) -> int:
    return number // by


def signal_at_work() -> None:
    _Worker._interrupt(signal.SIGINT, None)


@pytest.fixture
def fresh_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_Worker, "is_interrupted", False)


def test_tasks_are_done_and_their_errors_come_back() -> None:
    with Workers(2) as workers:
        done = [workers.submit(divided, number, by=2) for number in range(6)]
        broken = workers.submit(divided, 1, 0)
        assert [one.result() for one in done] == [0, 0, 1, 1, 2, 2]
        with pytest.raises(ZeroDivisionError):
            broken.result()


@pytest.mark.usefixtures("fresh_worker")
def test_who_waits_for_a_task_notes_an_interruption_for_the_next() -> None:
    _Worker._interrupt()
    with pytest.raises(KeyboardInterrupt):
        _Worker.do(partial(divided, 1))


@pytest.mark.usefixtures("fresh_worker")
def test_who_works_is_interrupted_at_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        _Worker.do(signal_at_work)
    assert _Worker.is_interrupted
    assert not _Worker.is_working


def test_a_worker_ends_with_the_process_that_started_it() -> None:
    program = (
        "import os, time; from cabochon.workers import Workers\n"
        "if __name__ == '__main__': "
        "workers = Workers(1); workers.submit(int).result(); workers.submit(time.sleep, 1e6); os._exit(3)"
    )
    # The worker has the same output, which ends only when both have ended.
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120, check=False)
    assert done.returncode == 3
