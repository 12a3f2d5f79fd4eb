"""A batch on the cores of a CPU: NumPy arrays, the rows shared out to threads that release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from cabochon.core.components import COMPONENT_ARRAYS
from cabochon.core.lockstep import (
    first_illegal,
    observe_games,
    observe_games_scaled,
    sample_games,
    start_games,
    step_games,
)
from cabochon.core.observation import observation_scales
from cabochon.core.playout import CACHE_LINES, processors
from cabochon.core.state import ACTIONS, Array
from cabochon.errors import IllegalMoveError, OptionsError

if TYPE_CHECKING:
    from cabochon.envs.batch import Batch

FEWEST_ROWS = 64  # a thread for fewer costs more than it saves


_Results = SimpleQueue[BaseException | None]


class _Crew:
    """Threads that each wait for the next thing to do: lighter than a pool, which a step of a batch would feel."""

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
            except BaseException as error:  # for whoever waits; the thread goes on
                results.put(error)

    def run(self, task: Callable[[int], None]) -> None:
        """Call the task with 0 here and with 1, 2, ... in the threads, and wait for all."""
        results = _Results()
        for tasks in self._tasks:
            tasks.put((task, results))
        task(0)
        for error in [results.get() for _ in self._tasks]:
            if error is not None:
                raise error


@cache
def _crew(size: int) -> _Crew:
    """One for all batches: threads that wait forever should be few."""
    return _Crew(size)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_crew.cache_clear)  # a child has none of its parent's threads


class Cores:
    """Carries out what a batch asks for, on CPU threads."""

    stream = 0  # there is none

    def __init__(self, variant: int, players: int, games: int, threads: int | None) -> None:
        if threads is not None and (type(threads) is not int or threads < 1):
            raise OptionsError(f"expected 1 or more threads, got {threads!r}")
        self._component_arrays = COMPONENT_ARRAYS[variant].view(np.ndarray)
        self._scales = observation_scales(players)
        parts = max(1, min(threads or processors(), games // FEWEST_ROWS))
        bounds = [games * part // parts for part in range(parts + 1)]
        self._ranges = list(pairwise(bounds))
        # One row of scratch a thread, far enough apart that no two share a cache line.
        self._scratch = np.zeros((parts, CACHE_LINES), dtype=np.int8)

    def put(self, values: Array) -> Array:
        """An array of the batch with these values."""
        return values

    def get(self, array: Array) -> Array:
        """A copy of an array of the batch."""
        return array.copy()

    def set(self, array: Array, values: Array) -> None:
        """Overwrite an array of the batch."""
        array[...] = values

    def _share_out(self, function: Callable[..., Any], *arguments: Any, scratch: int = 0) -> list[Any]:
        """Call the function for all rows, in as many parts as there are threads; what each part returned."""
        if len(self._ranges) == 1:
            extra = (self._scratch[0, :scratch],) if scratch else ()
            return [function(*arguments, *extra, *self._ranges[0])]
        results = [None] * len(self._ranges)

        def run(part: int) -> None:
            extra = (self._scratch[part, :scratch],) if scratch else ()
            results[part] = function(*arguments, *extra, *self._ranges[part])

        _crew(len(self._ranges) - 1).run(run)
        return results

    def start(self, batch: Batch) -> None:
        """Deal every game of the batch."""
        self._share_out(
            start_games,
            batch.states,
            self._component_arrays,
            batch.streams,
            batch.choices,
            batch.seeds,
            batch.episodes,
            batch.seats,
            batch.masks,
            batch.dones,
            batch.players,
            int(batch.options.free_take),
            int(batch.options.payment == "automatic"),
            int(batch.arranged),
            scratch=ACTIONS,
        )

    def step(self, batch: Batch, actions: Any) -> None:
        """Take an action in every game; an illegal one is refused before any is taken."""
        actions = np.asarray(actions)
        if actions.shape != (batch.games,) or actions.dtype.kind not in "iu":
            raise OptionsError(
                f"expected {batch.games} whole numbers, got shape {actions.shape} of {actions.dtype.name}"
            )
        found = self._share_out(first_illegal, batch.states, batch.masks, actions)
        for game, (_, last) in zip(found, self._ranges, strict=True):
            if game < last:
                raise IllegalMoveError(f"expected a legal action in game {game}, got {int(actions[game])}", "TRN-1")
        self._share_out(
            step_games,
            batch.states,
            self._component_arrays,
            batch.streams,
            batch.seeds,
            batch.episodes,
            actions,
            batch.seats,
            batch.masks,
            batch.dones,
            batch.values,
            batch.places,
            int(batch.restart),
            int(batch.arranged),
            scratch=ACTIONS,
        )

    def observe(self, batch: Batch, seats: Any, out: Any) -> None:
        """Write the observations of these seats."""
        rows, seats = np.asarray(out), np.asarray(seats)
        if seats is not batch.seats and (seats.min() < 0 or seats.max() >= batch.players):
            raise OptionsError(f"expected seats from 0 to {batch.players - 1}, got {seats.min()} to {seats.max()}")
        if rows.dtype == np.int8:
            self._share_out(observe_games, batch.states, self._component_arrays, seats, rows)
        else:
            scaled = (batch.states, self._component_arrays, seats, rows, self._scales)
            self._share_out(observe_games_scaled, *scaled, scratch=batch.features)

    def sample(self, batch: Batch, out: Any) -> None:
        """Write a random legal action for every game."""
        self._share_out(sample_games, batch.masks, batch.choices, np.asarray(out))

    def check(self) -> None:
        """Nothing is left to check: `step` has refused illegal actions at once."""
