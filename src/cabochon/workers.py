"""A pool of worker processes that end immediately when they are interrupted, and with the process that uses them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from typing import ParamSpec, Self, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class _Worker:
    """Handles SIGINT in a worker process: it interrupts the current task.

    Between tasks the signal is only remembered, because a process that waits for a task holds locks that others need.
    """

    is_working = False
    is_interrupted = False

    @classmethod
    def begin(cls) -> None:
        threading.Thread(target=_end_with_parent, daemon=True).start()
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a process in the background ignores it
            signal.signal(signal.SIGINT, cls._interrupt)

    @classmethod
    def _interrupt(cls, *_: object) -> None:
        cls.is_interrupted = True
        if cls.is_working:
            raise KeyboardInterrupt

    @classmethod
    def do(cls, task: Callable[[], Result]) -> Result:
        cls.is_working = True
        try:
            if cls.is_interrupted:
                raise KeyboardInterrupt
            return task()
        finally:
            cls.is_working = False


def _end_with_parent() -> None:
    """End this process as soon as the one that started it has ended, even if that was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class Workers:
    """A pool of `count` processes; leaving its `with` block cancels the tasks that have not begun."""

    def __init__(self, count: int) -> None:
        self._pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _Worker.begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(
        self, task: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Future[Result]:
        """Run a task in one of the processes."""
        return self._pool.submit(_Worker.do, partial(task, *arguments, **named))

    def close(self) -> None:
        """Cancel the waiting tasks and wait for the running ones; on a further interrupt, kill them."""
        try:
            self._pool.shutdown(cancel_futures=True)
        except KeyboardInterrupt:
            for process in multiprocessing.active_children():
                process.kill()
            raise
