"""The CPU backend of a batch: NumPy arrays whose rows are split among threads that release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cabochon.core import lockstep
from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.observation import observation_scales
from cabochon.core.playout import CACHE_LINES, processors
from cabochon.core.state import ACTIONS, Array
from cabochon.errors import IllegalMoveError, OptionsError

if TYPE_CHECKING:
    from cabochon.envs.batch import Batch, BatchArray

FEWEST_ROWS = 64  # per thread; with fewer, a thread costs more than it saves

_Result = TypeVar("_Result")
_Results = SimpleQueue[BaseException | None]


class _Threads:
    """Threads that wait for the next task. A `ThreadPoolExecutor` would slow down the short steps of a batch."""

    def __init__(self, size: int) -> None:
        self._tasks = [SimpleQueue[tuple[Callable[[int], None], _Results]]() for _ in range(size)]
        for number, tasks in enumerate(self._tasks, start=1):
            Thread(target=self._work, args=(number, tasks), daemon=True).start()

    @staticmethod
    def _work(number: int, tasks: SimpleQueue[tuple[Callable[[int], None], _Results]]) -> None:
        while True:
            task, results = tasks.get()
            try:
                task(number)
                results.put(None)
            except BaseException as error:  # raised in `run`; the thread continues
                results.put(error)

    def run(self, task: Callable[[int], None]) -> None:
        """Call the task with 0 in this thread and with 1, 2, ... in the others, and wait for all."""
        results = _Results()
        for tasks in self._tasks:
            tasks.put((task, results))
        task(0)
        for error in [results.get() for _ in self._tasks]:
            if error is not None:
                raise error


_shared_threads = cache(_Threads)  # all batches share them, because they wait forever

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_shared_threads.cache_clear)  # a child does not inherit threads


class Cores:
    """Runs a batch on CPU threads."""

    stream = 0  # a CPU has none

    def __init__(self, variant: int, players: int, games: int, threads: int | None) -> None:
        if threads is not None and (type(threads) is not int or threads < 1):
            raise OptionsError(f"expected 1 or more threads, got {threads!r}")
        self._components = COMPONENT_ARRAYS[variant]
        self._scales = observation_scales(players)
        parts = max(1, min(threads or processors(), games // FEWEST_ROWS))
        self._ranges = list(pairwise(games * part // parts for part in range(parts + 1)))
        # One row of scratch per thread, far enough apart that no two share a cache line.
        self._scratch = np.zeros((parts, CACHE_LINES), dtype=np.int8)

    def put(self, values: Array) -> Array:
        return values

    def get(self, array: Array) -> Array:
        return array.copy()

    def set(self, array: Array, values: Array) -> None:
        array[...] = values

    def _run_on_rows(self, function: Callable[..., _Result], *arguments: object, scratch: int = 0) -> list[_Result]:
        """Call the function for all rows, split among the threads; return the result of each thread."""
        if len(self._ranges) == 1:
            extra = (self._scratch[0, :scratch],) if scratch else ()
            return [function(*arguments, *extra, *self._ranges[0])]
        results: dict[int, _Result] = {}

        def run(part: int) -> None:
            extra = (self._scratch[part, :scratch],) if scratch else ()
            results[part] = function(*arguments, *extra, *self._ranges[part])

        _shared_threads(len(self._ranges) - 1).run(run)
        return [results[part] for part in range(len(self._ranges))]

    def start(self, batch: Batch) -> None:
        self._run_on_rows(lockstep.start_games, batch.arrays, batch.settings, self._components, scratch=ACTIONS)

    def step(self, batch: Batch, actions: BatchArray) -> None:
        actions = np.asarray(actions)
        if actions.shape != (batch.games,) or actions.dtype.kind not in "iu":
            raise OptionsError(f"expected {batch.games} whole numbers, got shape {actions.shape} of {actions.dtype}")
        found = self._run_on_rows(lockstep.find_illegal, batch.states, batch.masks, actions)
        for game, (_, last) in zip(found, self._ranges, strict=True):
            if game < last:
                raise IllegalMoveError(f"expected a legal action in game {game}, got {int(actions[game])}", "TRN-1")
        self._run_on_rows(lockstep.step_games, batch.arrays, batch.settings, self._components, actions, scratch=ACTIONS)

    def observe(self, batch: Batch, seats: BatchArray, out: BatchArray) -> None:
        rows, seats = np.asarray(out), np.asarray(seats)
        if seats is not batch.seats and (seats.min() < 0 or seats.max() >= batch.players):
            raise OptionsError(f"expected seats from 0 to {batch.players - 1}, got {seats.min()} to {seats.max()}")
        if rows.dtype == np.int8:
            self._run_on_rows(lockstep.observe_games, batch.states, self._components, seats, rows)
        else:
            scaled = (batch.states, self._components, seats, rows, self._scales)
            self._run_on_rows(lockstep.observe_games_scaled, *scaled, scratch=batch.features)

    def sample(self, batch: Batch, out: BatchArray) -> None:
        self._run_on_rows(lockstep.sample_games, batch.masks, batch.choices, np.asarray(out))

    def check(self) -> None:
        """Do nothing: `step` has already raised for illegal actions."""
