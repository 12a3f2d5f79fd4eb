"""Jobs on a Ray cluster: the results are those of one machine, whatever happens to a node."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray

from cabochon import Options, View
from cabochon.arena.tournament import Plan, Played, run
from cabochon.bots.protocol import Limit
from cabochon.cli.simulation import Check, _check_setting, _write_games, random_game
from cabochon.errors import CabochonError, OptionsError
from cabochon.jobs import OOM_RETRIES, VERSION, Executor, LostJobError, RayCluster, Serial, _raise_lost
from cabochon.notation import Move
from tests.cli import command

OPEN = "open"


class Patient:
    """Says on which node it plays, then waits until the gate opens for its node."""

    def choose(self, view: View, limit: Limit) -> Move:
        folder = Path(os.environ["GATE"])
        if not (folder / OPEN).exists():
            node = ray.get_runtime_context().get_node_id()
            (folder / node).touch()
            while not (folder / OPEN).exists() or (folder / OPEN).read_text() != node:
                time.sleep(0.05)
        return view.legal_moves[0]


@contextlib.contextmanager
def two_nodes() -> Iterator[tuple[Any, Any]]:
    """A cluster, and the node of it that can be lost. It notices that within a second."""
    from ray.cluster_utils import Cluster

    folder = tempfile.mkdtemp(dir="/tmp", prefix="ray-")  # sockets need a short path
    (Path(folder) / "ray").mkdir()  # for the address of the cluster
    common = {
        "num_cpus": 1,
        "node_ip_address": "127.0.0.1",
        "object_store_memory": 80 << 20,
        "include_log_monitor": False,
    }
    checks = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 100}
    head = common | {"include_dashboard": False, "no_monitor": True, "temp_dir": folder, "_system_config": checks}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_TMPDIR", folder)
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            yield cluster, cluster.add_node(**common)
        finally:
            cluster.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


def lose(cluster: Any, node: Any, gate: Path) -> None:
    """Kill a node as soon as both are at work, and let the other go on."""
    while len(nodes := {file.name for file in gate.iterdir()}) < 2:
        time.sleep(0.05)
    try:
        cluster.remove_node(node, allow_graceful=False)
    finally:
        (other,) = nodes - {node.node_id}
        (gate / "opening").write_text(other)
        (gate / "opening").rename(gate / OPEN)


def without_times(played: list[Played]) -> list[tuple[object, ...]]:
    played.sort(key=lambda one: one.pairing.index)
    return [(one.pairing, one.contest.record, one.contest.places, one.contest.error) for one in played]


def end_process(_: int) -> int:
    os._exit(9)


def refuse(number: int) -> int:
    raise OptionsError(f"expected no job, got {number}")


def errors_come_back(executor: Executor) -> None:
    with pytest.raises(OptionsError, match="expected no job, got 5"):
        list(executor.in_order(refuse, [5]))
    with pytest.raises(LostJobError):
        list(executor.in_order(end_process, [1]))


def analysis(folder: Path, *more: str) -> str:
    games = folder / "games.txt"
    games.write_text(random_game(Options(), 1).record() + random_game(Options("marvel"), 2).record())
    result = command.run("analyse", str(games), "--all", "--bot", "greedy", "--json", *more)
    assert result.status == 0, result.errors
    return result.output


def simulations(executor: Executor) -> tuple[str, list[Check]]:
    records = io.StringIO()
    _write_games(records, Options(), 41, 5, executor)
    return records.getvalue(), list(_check_setting(executor, Options(), seed=1, games=600))


def test_a_cluster_gives_the_same_results_although_a_node_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = tmp_path / "gate"
    gate.mkdir()
    monkeypatch.setenv("GATE", str(gate))
    monkeypatch.setattr("cabochon.jobs.RETRIES", 1)
    monkeypatch.delenv(OOM_RETRIES, raising=False)
    plan = Plan(("random", "tests.test_ray:Patient"), Options(), games=8, seed=1)
    with two_nodes() as (cluster, node):
        assert analysis(tmp_path, "--ray", cluster.address) == analysis(tmp_path, "--workers", "1")
        with RayCluster(cluster.address) as executor:
            assert simulations(executor) == simulations(Serial())
            errors_come_back(executor)
            threading.Thread(target=lose, args=(cluster, node, gate), daemon=True).start()
            remote = list(run(plan, executor=executor))
            assert not cluster.worker_nodes
    assert os.environ[OOM_RETRIES] == "1", "or Ray repeats a job that takes too much memory forever"
    assert capsys.readouterr().out == ""
    assert without_times(remote) == without_times(list(run(plan)))


class OneAnswer(RayCluster):
    """A cluster where every job ends in the same way."""

    def __init__(self, error: Exception) -> None:
        def get(_: object) -> None:
            raise error

        self._ray = SimpleNamespace(get=get, exceptions=ray.exceptions)


def test_a_job_of_a_lost_node_or_without_memory_is_lost() -> None:
    for error in (
        ray.exceptions.WorkerCrashedError(),
        ray.exceptions.OutOfMemoryError("killed to free memory"),
        ray.exceptions.NodeDiedError("the node is gone"),
    ):
        assert OneAnswer(error)._result(None, "job", lost=lambda job: f"{job} was lost") == "job was lost"


def test_a_node_without_cabochon_is_refused() -> None:
    cause = RuntimeError("The remote function failed to import on the worker.\n\nTraceback\nImportError: no cabochon")
    error = ray.exceptions.RayTaskError("_do_on_node", "Traceback", cause)
    expected = f"expected a Ray cluster whose nodes stay up and have cabochon {VERSION}, got: ImportError: no cabochon"
    with pytest.raises(CabochonError, match=f"^{re.escape(expected)}$"):
        OneAnswer(error)._result(None, "job", _raise_lost)
    with pytest.raises(RuntimeError, match="by the job"):
        OneAnswer(ray.exceptions.RayTaskError("f", "Traceback", RuntimeError("by the job")))._result(
            None, 1, _raise_lost
        )


def test_an_address_without_a_cluster_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        address = f"127.0.0.1:{nobody.getsockname()[1]}"
    with pytest.raises(CabochonError, match=f"expected a Ray cluster at '{address}' with this machine as one of its"):
        RayCluster(address)


def test_a_server_that_is_no_cluster_is_refused() -> None:
    program = (
        "import sys; from cabochon import cli, jobs; jobs.CONNECT_SECONDS = 0.5; "
        "sys.exit(cli.main(['simulate', '--ray', sys.argv[1]]))"
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        done = subprocess.run([sys.executable, "-c", program, address], capture_output=True, text=True)
    assert done.returncode == 2
    assert "got no answer within 0.5 s" in done.stderr
