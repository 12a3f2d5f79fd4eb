"""The turns of the bots at one table: compute a move, wait a moment, play it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from cabochon.notation import Move
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.broadcast import TableState
from cabochon.server.errors import RequestError
from cabochon.server.telemetry import log_event
from cabochon.server.timeline import Timeline

RETRY_SECONDS = 1.0


@dataclass
class BotTurns:
    """Lets the bot that is to move at a table compute and play its move.

    It can be stopped and restarted at any time: a move enters the log like a person's, so at worst it is computed
    twice.
    """

    state: TableState
    workers: BotWorkers
    pause: float
    play: Callable[[int, int, Move], Awaitable[object]]  # with a seat, the length of the log, and the move
    on_idle: Callable[[], None]
    _task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a bot computes a move."""
        return self._task is not None

    def start(self) -> None:
        """Start the bot that is to move, if any, and drop a move that was computed for an earlier position."""
        self.stop()
        record, timeline = self.state.record, self.state.timeline
        level = record.seats.bot_level(timeline.game.seat)
        if record.status == "playing" and level is not None:
            self._task = asyncio.create_task(self._take_turn(timeline, level))
            self._task.add_done_callback(self._finish)

    def stop(self) -> None:
        """Drop the move that is being computed."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _finish(self, task: asyncio.Task[None]) -> None:
        if self._task is task:
            self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            log_event("bot_stopped", logging.ERROR, table=self.state.record.id, error=error)
        self.on_idle()

    async def _take_turn(self, timeline: Timeline, level: str) -> None:
        """Compute a move while people look at the last one, and play it; retry while the database fails.

        The computing time counts for the address that the table was opened from, because new guests are easy to create
        and new addresses are not.
        """
        game = timeline.game
        pause = asyncio.create_task(asyncio.sleep(self.pause if game.phase == "act" else 0))
        try:
            client = self.state.record.opened_from
            move = await self.workers.choose(level, game.view(game.seat), client)
            await pause
        finally:
            pause.cancel()
        while self.state.timeline is timeline:
            try:
                await self.play(game.seat, timeline.seq, move)
            except RequestError as error:
                log_event("bot_move_refused", logging.WARNING, table=self.state.record.id, code=error.code)
                await asyncio.sleep(RETRY_SECONDS)
