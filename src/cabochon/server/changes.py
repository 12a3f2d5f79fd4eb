"""The changes of one table: one at a time, each in a task that finishes although a caller is cancelled."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from cabochon.server.database import ConflictError
from cabochon.server.errors import RequestError
from cabochon.server.telemetry import logger

_Result = TypeVar("_Result")


class Changes:
    """Makes changes. After a fault, the table is read again, instead of guessing what was written."""

    def __init__(self, table_id: str, reload: Callable[[], Awaitable[None]], on_idle: Callable[[], None]) -> None:
        self._table_id = table_id
        self._reload = reload
        self._on_idle = on_idle
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_outdated = False  # whether the database may know more than the memory

    @property
    def are_under_way(self) -> bool:
        """Whether any change is under way."""
        return bool(self._tasks)

    async def make(self, change: Callable[[], Awaitable[_Result]]) -> _Result:
        """Make a change when those before it are done."""
        return await asyncio.shield(self.start(self._make(change)))

    def start(self, change: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
        """Run something that makes a change in a task that nobody needs to wait for."""
        task = asyncio.create_task(change)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    async def reload(self) -> None:
        """Read the table; if that fails, do it again before the next change."""
        self._is_outdated = True
        try:
            await self._reload()
        except Exception as error:
            raise RequestError("unavailable", "the table cannot be read; try again") from error
        self._is_outdated = False

    async def finish(self) -> None:
        """Wait for the changes that are under way."""
        await asyncio.wait(self._tasks)

    async def _make(self, change: Callable[[], Awaitable[_Result]]) -> _Result:
        async with self._lock:
            if self._is_outdated:
                await self.reload()
            try:
                return await change()
            except RequestError:
                raise
            except ConflictError as error:
                await self.reload()
                raise RequestError("stale", "the table changed in the meantime; reload and try again") from error
            except Exception as error:
                logger.exception("change failed", extra={"facts": {"event": "change_failed", "table": self._table_id}})
                await self.reload()
                raise RequestError("unavailable", "the change was not stored; reload and try again") from error

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the caller, who gets it too, may be gone
        self._on_idle()
