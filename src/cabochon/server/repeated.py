"""Work that a server repeats in the background."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from cabochon.server.telemetry import log_event

SECONDS_TO_FINISH = 1.5


async def cancel(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel tasks, and wait until they have ended; None stands for one that was never started."""
    started = [task for task in tasks if task is not None]
    for task in started:
        task.cancel()
    await asyncio.gather(*started, return_exceptions=True)


class Repeated:
    """Does a step again and again, after a pause or as soon as it is asked to. A step that fails is done again."""

    def __init__(self, name: str, step: Callable[[], Awaitable[None]], pause: float) -> None:
        self._name = name
        self._step = step
        self._pause = pause
        self._has_work = asyncio.Event()
        self._is_closing = False
        self._task: asyncio.Task[None] | None = None

    def start(self, at_once: bool = False) -> None:
        """Begin, after a pause or at once."""
        if at_once:
            self._has_work.set()
        self._task = asyncio.create_task(self._run())

    def soon(self) -> None:
        """Do the step once more, as soon as possible."""
        self._has_work.set()

    async def _run(self) -> None:
        while True:
            try:
                async with asyncio.timeout(self._pause):
                    await self._has_work.wait()
            except TimeoutError:
                pass
            if self._is_closing:
                return
            self._has_work.clear()
            try:
                await self._step()
            except Exception as error:  # whatever it is, it may work the next time
                log_event(f"{self._name}_failed", logging.WARNING, error=error)

    async def close(self) -> None:
        """Let the step that is under way finish, unless it takes long, and stop."""
        self._is_closing = True
        self._has_work.set()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=SECONDS_TO_FINISH)
            await cancel(self._task)
            self._task = None
