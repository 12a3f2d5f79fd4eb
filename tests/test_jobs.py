"""Jobs in this process, in threads and in processes: order, errors, lost processes."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from pathlib import Path

import pytest

from cabochon.errors import CabochonError
from cabochon.jobs import LostJobError, Processes, RayCluster, Serial, Threads, _do_on_node, new_executor
from tests.cli.command import run


def inverse(number: int) -> float:
    return 1 / number


def end_process_at_3(number: int) -> int:
    if number == 3:
        os._exit(9)
    return number


def end_process_once(marker: Path) -> str:
    if not marker.exists():
        marker.touch()
        os._exit(9)
    return marker.name


def test_processes_do_jobs_and_lose_none_but_those_that_end_them(tmp_path: Path) -> None:
    """In one test, because processes take long to start."""
    with Processes(2) as executor:
        assert list(executor.in_order(inverse, range(1, 9))) == [1 / number for number in range(1, 9)]
        assert sorted(executor.as_completed(inverse, range(1, 9))) == sorted(map(inverse, range(1, 9)))
        with pytest.raises(ZeroDivisionError):
            list(executor.in_order(inverse, (1, 0, 2)))
        assert next(executor.in_order(inverse, itertools.count(1))) == 1  # takes no more jobs than it needs
        assert sorted(executor.as_completed(end_process_at_3, range(6), lost=lambda job: -job)) == [-3, 0, 1, 2, 4, 5]
        assert list(executor.as_completed(end_process_once, [tmp_path / "marker"])) == ["marker"]
        with pytest.raises(LostJobError, match="expected the process of a job to finish it, but it ended"):
            list(executor.in_order(end_process_at_3, [3]))


def test_results_come_in_order_and_as_completed() -> None:
    second_is_done = threading.Event()

    def first_after_second(number: int) -> int:
        if number == 0:
            second_is_done.wait()
        return number

    def announced(number: int) -> int:
        second_is_done.set()
        return first_after_second(number)

    with Threads(2) as executor:
        results = executor.as_completed(first_after_second, range(2))
        assert next(results) == 1
        second_is_done.set()
        assert list(results) == [0]
        second_is_done.clear()
        assert list(executor.in_order(lambda number: (announced if number else first_after_second)(number), range(2)))


def test_no_more_processes_than_jobs() -> None:
    assert isinstance(new_executor(1), Serial)
    assert isinstance(new_executor(5, workers=1), Serial)
    with new_executor(5, workers=2) as executor:
        assert isinstance(executor, Processes)


@pytest.mark.parametrize("address", ["host", "host:", ":6379", "host:port", "ray://host:10001"])
def test_an_address_has_a_host_and_a_port(address: str) -> None:
    with pytest.raises(
        CabochonError, match=f"expected the address of a Ray cluster, as HOST:PORT or auto; got '{address}'"
    ):
        RayCluster(address)


def test_a_node_with_another_version_is_refused() -> None:
    with pytest.raises(CabochonError, match="expected every node of the cluster to have cabochon other, got "):
        _do_on_node("other", inverse, 1)


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    result = run("simulate", "--ray", "auto")
    assert (result.status, result.output) == (2, "")
    assert "--ray needs more packages: pip install 'cabochon[ray]'" in result.errors
