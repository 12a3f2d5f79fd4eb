"""Many independent jobs, done in this process, in threads, in processes, or on a Ray cluster.

A job is the argument of a function. Its result depends only on the job, so it is the same wherever it is done, in
whatever order. For processes and clusters, the function, the jobs and the results must be picklable.

    with new_executor(len(deals)) as jobs:
        for result in jobs.as_completed(play, deals):
            ...
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from socket import create_connection
from typing import Any, Self, TypeVar

from cabochon.core.playout import processors
from cabochon.errors import CabochonError, needs_extra
from cabochon.version import RULES_VERSION, __version__
from cabochon.workers import Workers

Job = TypeVar("Job")
Result = TypeVar("Result")

CONNECT_SECONDS = 30.0  # to wait for a cluster
RETRIES = 3  # of a job whose process or node was lost
OOM_RETRIES = "RAY_task_oom_retries"  # Ray's variable for jobs that it ends to free memory; by default, forever
NOT_IMPORTED = "The remote function failed to import"  # the beginning of Ray's message from a node without this package
VERSION = f"{__version__}, rules {RULES_VERSION}"


class LostJobError(CabochonError):
    """The process of a job has ended, and would do so again."""


def _raise_lost(job: object) -> Any:
    raise LostJobError("expected the process of a job to finish it, but it ended: killed, or out of memory?")


def _numbered(function: Callable[[Job], Result], job: tuple[int, Job]) -> tuple[int, Result]:
    return job[0], function(job[1])


class Executor(ABC):
    """Does jobs, several at a time. It takes them from an iterator as it gets to them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def as_completed(
        self,
        function: Callable[[Job], Result],
        jobs: Iterable[Job],
        lost: Callable[[Job], Result] = _raise_lost,
    ) -> Generator[Result]:
        """Yield the result of each job when it is done.

        An error in a job is raised here. If a job repeatedly ends its process, `lost` returns its result; by default,
        it raises `LostJobError`.
        """

    def in_order(self, function: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield the results in the order of the jobs."""
        done: dict[int, Result] = {}
        following = 0
        for number, result in self.as_completed(partial(_numbered, function), enumerate(jobs)):
            done[number] = result
            while following in done:
                yield done.pop(following)
                following += 1

    def close(self) -> None:
        """Begin no more jobs and release everything."""
        return


class Serial(Executor):
    """Does one job after the other in this process."""

    def as_completed(
        self,
        function: Callable[[Job], Result],
        jobs: Iterable[Job],
        lost: Callable[[Job], Result] = _raise_lost,
    ) -> Generator[Result]:
        """Yield the results in the order of the jobs."""
        yield from map(function, jobs)


class Threads(Executor):
    """Does jobs in threads: for functions that release the GIL, as the compiled core does."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = ThreadPoolExecutor(count)

    def as_completed(
        self,
        function: Callable[[Job], Result],
        jobs: Iterable[Job],
        lost: Callable[[Job], Result] = _raise_lost,
    ) -> Generator[Result]:
        """Yield the result of each job when it is done."""
        yield from _as_completed(lambda job: self._pool.submit(function, job), 2 * self._count, enumerate(jobs), {})

    def close(self) -> None:
        """Cancel the jobs that have not begun and wait for the others."""
        self._pool.shutdown(cancel_futures=True)


class Processes(Executor):
    """Does jobs in processes of this machine. If one is lost, each job that it may have done is repeated alone."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool = Workers(count)

    def as_completed(
        self,
        function: Callable[[Job], Result],
        jobs: Iterable[Job],
        lost: Callable[[Job], Result] = _raise_lost,
    ) -> Generator[Result]:
        """Yield the result of each job when it is done."""
        waiting = enumerate(jobs)
        while True:
            begun: dict[int, Job] = {}
            try:
                yield from _as_completed(lambda job: self._pool.submit(function, job), 2 * self._count, waiting, begun)
                return
            except BrokenProcessPool:
                self._pool.close()
                self._pool = Workers(self._count)
            for job in begun.values():
                yield _do_alone(function, job, lost)

    def close(self) -> None:
        """Cancel the jobs that have not begun and wait for the others; on a further interrupt, kill them."""
        self._pool.close()


def _as_completed(
    submit: Callable[[Job], Future[Result]], most: int, waiting: Iterator[tuple[int, Job]], begun: dict[int, Job]
) -> Iterator[Result]:
    """Submit the numbered jobs, at most so many at a time; `begun` are those without a result yet."""
    running: dict[Future[Result], int] = {}
    try:
        while True:
            for number, job in islice(waiting, most - len(running)):
                begun[number] = job
                running[submit(job)] = number
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                result = future.result()
                del begun[running.pop(future)]
                yield result
    finally:
        for future in running:
            future.cancel()


def _do_alone(function: Callable[[Job], Result], job: Job, lost: Callable[[Job], Result]) -> Result:
    with Workers(1) as pool:
        try:
            return pool.submit(function, job).result()
        except BrokenProcessPool:
            return lost(job)


class RayCluster(Executor):
    """Does jobs on a Ray cluster, one for each CPU; those of a lost node are repeated on others.

    This machine must be a node of the cluster, and every node must have this version of the package. `most` limits the
    number of simultaneous jobs.
    """

    def __init__(self, address: str, most: int | None = None) -> None:
        host, _, port = address.rpartition(":")
        if address != "auto" and (not host or not port.isdecimal() or "/" in host):
            raise CabochonError(f"expected the address of a Ray cluster, as HOST:PORT or auto; got {address!r}")
        os.environ.setdefault(OOM_RETRIES, str(RETRIES))
        with needs_extra("ray", "--ray"):
            import ray
            import ray._private.worker
        ray._private.worker.print_to_stdstream = _print_ray_message  # else results and messages mix
        self._ray = ray
        self._most = most
        self._connect(address, None if address == "auto" else (host.strip("[]"), int(port)))

    def _connect(self, address: str, head: tuple[str, int] | None) -> None:
        connected: Future[None] = Future()

        def connect() -> None:
            try:
                if head is not None:
                    create_connection(head, CONNECT_SECONDS).close()
                self._ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL)
                connected.set_result(None)
            except Exception as error:
                connected.set_exception(error)

        # Ray itself retries for many minutes.
        threading.Thread(target=connect, name="ray-connect", daemon=True).start()
        expected = f"expected a Ray cluster at {address!r} with this machine as one of its nodes"
        try:
            connected.result(CONNECT_SECONDS)
        except TimeoutError as error:
            raise CabochonError(f"{expected}, got no answer within {CONNECT_SECONDS:g} s") from error
        except Exception as error:
            raise CabochonError(f"{expected}, got: {error}") from error

    def as_completed(
        self,
        function: Callable[[Job], Result],
        jobs: Iterable[Job],
        lost: Callable[[Job], Result] = _raise_lost,
    ) -> Generator[Result]:
        """Yield the result of each job when it is done."""
        ray, waiting = self._ray, iter(jobs)
        remote = ray.remote(max_retries=RETRIES)(_do_on_node)
        shared = ray.put(function)
        running: dict[Any, Job] = {}
        try:
            while True:
                for job in islice(waiting, max(0, self._places() - len(running))):
                    running[remote.remote(VERSION, shared, job)] = job
                if not running:
                    return
                ray.wait(list(running))
                done, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
                for reference in done:
                    yield self._result(reference, running.pop(reference), lost)
        finally:
            if ray.is_initialized():
                for reference in running:
                    ray.cancel(reference, force=True)

    def _places(self) -> int:
        """Return how many jobs to submit, with some in reserve: nodes come and go."""
        return self._most or max(1, 2 * int(self._ray.cluster_resources().get("CPU", 0)))

    def _result(self, reference: object, job: Job, lost: Callable[[Job], Result]) -> Result:
        errors = self._ray.exceptions
        try:
            result: Result = self._ray.get(reference)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError):
            return lost(job)
        except errors.RayError as error:
            cause = error.cause if isinstance(error, errors.RayTaskError) else error
            lines = (str(cause).strip() or type(cause).__name__).splitlines()
            if isinstance(cause, errors.RayError):
                got = lines[0]
            elif isinstance(cause, RuntimeError) and lines[0].startswith(NOT_IMPORTED):
                got = lines[-1]  # of the traceback
            else:
                raise cause from None  # by the job
            expected = f"expected a Ray cluster whose nodes stay up and have cabochon {VERSION}"
            raise CabochonError(f"{expected}, got: {got}") from error
        return result

    def close(self) -> None:
        """Disconnect: the cluster ends what it still does for this process."""
        self._ray.shutdown()


def _print_ray_message(data: dict[str, Any], **_: object) -> None:
    """Print the first sentence of what Ray has to say, such as that a node was lost, on standard error."""
    message = "\n".join(data["lines"]).partition("\n")[0].partition(". ")[0]
    print(f"ray: {message}", file=sys.stderr)


def _do_on_node(version: str, function: Callable[[Job], Result], job: Job) -> Result:
    if version != VERSION:
        raise CabochonError(f"expected every node of the cluster to have cabochon {version}, got {VERSION}")
    return function(job)


def new_executor(
    jobs: int,
    workers: int | None = None,
    ray: str | None = None,
    local: Callable[[int], Executor] = Processes,
) -> Executor:
    """Return an executor for so many jobs: on this machine, in processes or threads, or the Ray cluster at an address.

    `workers` is the number of simultaneous jobs, by default one per core or per CPU of the cluster.
    """
    if ray is not None:
        return RayCluster(ray, workers)
    count = min(jobs, workers or processors())
    return local(count) if count > 1 else Serial()
