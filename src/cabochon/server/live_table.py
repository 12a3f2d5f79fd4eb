"""One table in memory: one change at a time, committed before it is broadcast.

A change is checked, applied to a copy, committed to the database, and only then becomes current and is broadcast. It
runs in its own task, so a client that disconnects in the middle leaves nothing half done.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar

from cabochon.errors import CabochonError, GameOverError
from cabochon.fair import seed_bytes
from cabochon.notation import Move
from cabochon.server import clocks, protocol
from cabochon.server.bot_turns import BotTurns
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.broadcast import Broadcast, Subscriber, TableState
from cabochon.server.clocks import Deadlines
from cabochon.server.database import ConflictError
from cabochon.server.errors import RequestError
from cabochon.server.game_log import GameLog, results_of
from cabochon.server.guests import Guest
from cabochon.server.lobby import Lobby
from cabochon.server.rate_limits import GuestAddresses
from cabochon.server.seats import OPEN_SEAT, Seat, Seats
from cabochon.server.settings import Settings
from cabochon.server.table_plans import rematch_of
from cabochon.server.table_store import TableRecord, TableStore
from cabochon.server.telemetry import Metrics, log_event, logger
from cabochon.server.timeline import Timeline

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class TableServices:
    """What all live tables of a server share."""

    tables: TableStore
    log: GameLog
    workers: BotWorkers
    metrics: Metrics
    settings: Settings
    lobby: Lobby
    deadlines: Deadlines
    addresses: GuestAddresses


def _change(
    change: Callable[Concatenate[LiveTable, _Arguments], Coroutine[Any, Any, _Result]],
) -> Callable[Concatenate[LiveTable, _Arguments], Coroutine[Any, Any, _Result]]:
    """Run a method under the table's lock, in its own task that outlives a caller who is cancelled.

    After a fault, read the table again instead of guessing what was written.
    """

    @functools.wraps(change)
    async def run(table: LiveTable, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        async def locked() -> _Result:
            async with table._lock:
                if table._is_outdated:
                    await table._reload()
                try:
                    return await change(table, *args, **kwargs)
                except RequestError:
                    raise
                except ConflictError as error:
                    await table._reload()
                    raise RequestError("stale", "the table changed in the meantime; reload and try again") from error
                except Exception as error:
                    facts = {"event": "change_failed", "table": table.record.id}
                    logger.exception("change failed", extra={"facts": facts})
                    await table._reload()
                    raise RequestError("unavailable", "the change was not stored; reload and try again") from error

        return await asyncio.shield(table._start(locked()))

    return run


class LiveTable:
    """A table that somebody looks at or a bot plays at."""

    def __init__(
        self, record: TableRecord, timeline: Timeline, services: TableServices, on_idle: Callable[[], None]
    ) -> None:
        self._state = TableState(record, timeline)
        self._services = services
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()  # the changes; they finish even if nobody waits for them any more
        self._on_idle = on_idle
        self._is_outdated = False  # whether the database may know more than this object
        self.broadcast = Broadcast(self._state, services.settings)
        pause = services.settings.bot_pause
        self._bots = BotTurns(self._state, services.workers, services.addresses, pause, self._decide, on_idle)

    @property
    def record(self) -> TableRecord:
        """The table without its game, as it is committed."""
        return self._state.record

    @property
    def timeline(self) -> Timeline:
        """The game and its log, as far as they are committed."""
        return self._state.timeline

    @property
    def is_busy(self) -> bool:
        """Whether a change is under way or a bot computes a move."""
        return bool(self._tasks) or self._bots.is_running

    def attach(self, subscriber: Subscriber, since: int) -> None:
        """Subscribe to everything that happens after the first `since` entries of the log."""
        self.broadcast.attach(subscriber, since)
        self.wake_bot()

    def detach(self, subscriber: Subscriber) -> None:
        """Unsubscribe."""
        self.broadcast.detach(subscriber)
        if self.record.status == "waiting" and not self.broadcast.has_subscribers:
            self._start(self._mark_seen())

    def wake_bot(self) -> None:
        """Let the bot that is to move begin, unless it has begun."""
        if not self._bots.is_running:
            self._bots.start(self.broadcast.has_subscribers)

    async def play(self, seat: int | None, seq: int, text: str) -> bool:
        """Play a move meant for a log of length `seq`; return False if exactly this move has been played already."""
        started = time.perf_counter()
        try:
            move = Move.from_text(text, self.record.options.variant)
        except CabochonError as error:
            raise RequestError("illegal" if error.rule else "malformed", error.message, error.rule) from error
        return await self._decide(seat, seq, move, started)

    async def undo(self, seat: int | None, seq: int) -> bool:
        """Take back the seat's last decision; return False if exactly this undo has been done already."""
        return await self._decide(seat, seq, None, time.perf_counter())

    @_change
    async def _decide(self, seat: int | None, seq: int, move: Move | None, started: float | None = None) -> bool:
        """Commit a move, or with None an undo; `started` is when a person's request came."""
        if seat is None:
            raise RequestError("not_yours", "only players may move")
        before = self.timeline
        if seq != before.seq:
            if seq < before.seq and before.entries[seq].is_same_action(seat, move):
                return False
            raise RequestError("stale", f"expected seq {before.seq}, the length of the log, got {seq}")
        if self.record.status == "waiting":
            raise RequestError("not_playing", "the game begins when all seats are taken")
        _check_not_closed(self.record)
        if await self._end_if_time_is_up():
            raise RequestError("stale", "the time is up")
        after = _decided(before, seat, move)
        by = "bot" if self.record.seats.bot_level(seat) is not None else "person"
        await self._commit(after)
        self._services.metrics.entries.labels(by).inc()
        if by == "person" and started is not None:
            self._services.metrics.moves.observe(time.perf_counter() - started)
        return True

    @_change
    async def leave(self, guest: Guest, number: int) -> None:
        """Give up a seat of the guest, for good."""
        if number not in self.record.seats.of(guest.id):
            raise RequestError("not_yours", "expected a seat of your own")
        if self.record.status == "waiting":
            raise RequestError("not_playing", "the game has not begun; stand up instead")
        _check_not_closed(self.record)
        if self.record.status == "over":
            raise RequestError("over", "the game is over")
        await self._commit(self.timeline.leave(number, "left", clocks.now()))

    @_change
    async def check_clock(self) -> None:
        """Take the seat from a player whose time is up, or set the deadline at which it will be."""
        if not await self._end_if_time_is_up():
            self._set_deadline()

    @_change
    async def join(self, guest: Guest, wanted: int | None) -> None:
        """Give the guest the wanted seat, or the first open one; a guest who has a seat keeps it."""
        if self.record.seats.is_joined(guest, wanted):
            return
        _check_not_closed(self.record)
        for number, seat in self.record.seats.join(guest, wanted):
            await self._change_seat(number, seat)

    @_change
    async def set_seat(self, guest: Guest, number: int, wanted: protocol.SeatChange | None) -> None:
        """While the table waits: as its host, give a seat to a bot or make it open.

        With None, stand up or decline a seat; the host may also send somebody away.
        """
        seats = self.record.seats
        if number >= len(seats):
            raise RequestError("not_found", f"expected a seat from 0 to {len(seats) - 1}, got {number}")
        if self.record.host != guest.id and (wanted is not None or not seats.is_own(number, guest.id)):
            raise RequestError("not_yours", "only the host may change the seats of others")
        seat = OPEN_SEAT if wanted is None else seats.planned_seat(number, wanted)
        _check_waiting(self.record)
        if seat != seats[number]:
            await self._change_seat(number, seat)

    @_change
    async def close_by(self, guest: Guest) -> None:
        """Close the table while it waits, as its host."""
        if self.record.host != guest.id:
            raise RequestError("not_yours", "only the host may close the table")
        if self.record.status != "closed":
            _check_waiting(self.record)
            await self._close()

    @_change
    async def close_if_abandoned(self, not_seen_since: datetime, no_move_since: datetime) -> None:
        """Close the table unless somebody looks at it, or has looked or moved since these times."""
        if self.broadcast.has_subscribers:
            return
        if await self._services.tables.is_abandoned(self.record.id, not_seen_since, no_move_since):
            await self._close()

    @_change
    async def reload(self) -> None:
        """Take over what another part of the server has changed in the database."""
        await self._reload()

    @_change
    async def rematch(self, guest: Guest) -> str:
        """Return the id of the table where the same players play again, each one seat further on."""
        record = self.record
        if record.next is not None and await self._services.tables.successor(record.id):
            return record.next
        successor = await self._services.tables.add(rematch_of(record, guest), record.id)
        self._state.record = replace(self.record, next=successor)
        self.broadcast.send_info()
        return successor

    @_change
    async def _mark_seen(self) -> None:
        await self._services.tables.mark_seen(self.record.id, clocks.now())

    def rename(self, before: Guest, after: Guest) -> None:
        """Show a guest's new nickname, already committed, on the seats that are kept for them."""
        seats = Seats(seat.renamed(before, after) for seat in self.record.seats)
        if seats != self.record.seats:
            self._state.record = replace(self.record, seats=seats)
            self.broadcast.send_info()

    async def stop(self) -> None:
        """Stop the bots, and finish the changes that are under way."""
        self._bots.stop()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _start(self, change: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
        task = asyncio.create_task(change)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        return task

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # the caller, who gets it too, may be gone
        self._on_idle()

    async def _reload(self) -> None:
        """Take over what the database has, and broadcast it if it differs from what was known."""
        self._is_outdated = True
        try:
            record = await self._services.tables.get(self.record.id)
            entries = await self._services.log.read(self.record.id)
        except Exception as error:
            raise RequestError("unavailable", "the table cannot be read; try again") from error
        self._is_outdated = False
        known = self.timeline.seq
        if record is not None and (len(entries) != known or record != self.record):
            self._replace_all(record, Timeline(record.deal, entries), known)

    async def _commit(self, after: Timeline) -> None:
        """Append the last entry of a timeline to the log, make the timeline current, and broadcast it."""
        entry, status = after.entries[-1], "over" if after.is_over else "playing"
        results, is_practice = results_of(after), after.is_practice
        await self._services.log.append(self.record.id, entry, status, after.game.seat, results, is_practice)
        is_news = entry.leaving is not None or is_practice != self.record.is_practice
        seats = self.record.seats
        if entry.leaving is not None:
            seats = seats.with_seat(entry.seat, replace(seats[entry.seat], has_left=True))
            log_event("left", table=self.record.id, seat=entry.seat, reason=entry.leaving)
        record = replace(self.record, seats=seats, status=status, is_practice=is_practice)
        self._state.record, self._state.timeline = record, after
        self.broadcast.send_move()
        if is_news:
            self.broadcast.send_info()
        if after.is_over:
            log_event("game_over", table=self.record.id, entries=after.seq)
        self._resume_play()

    async def _change_seat(self, number: int, seat: Seat) -> None:
        """Commit and broadcast a change of a seat; the game begins when no seat is open any more."""
        at, seed = clocks.now(), seed_bytes(None)  # a new deal, so that nobody chose their seat by the cards
        before = self.record
        if not await self._services.tables.change_seat(before.id, number, before.seats[number], seat, at, seed):
            raise ConflictError(f"seat {number} of table {before.id}")
        record = replace(self.record, seats=self.record.seats.with_seat(number, seat))  # a nickname may have changed
        if record.seats.is_full:
            record = replace(record, status="playing", started_at=at, seed=seed)
        self._services.lobby.invalidate()
        self._replace_all(record, Timeline(record.deal), 0)

    async def _close(self) -> None:
        if not await self._services.tables.close(self.record.id, self.record.status):
            raise ConflictError(f"status of table {self.record.id}")
        log_event("table_closed", table=self.record.id, was=self.record.status)
        self._services.lobby.invalidate()
        self._replace_all(replace(self.record, status="closed"), self.timeline, self.timeline.seq)

    def _replace_all(self, record: TableRecord, timeline: Timeline, since: int) -> None:
        self._state.record, self._state.timeline = record, timeline
        self.broadcast.send_sync(since)
        self._resume_play()

    def _resume_play(self) -> None:
        """Set the deadline of the player who is to move, or let the bot begin."""
        self._set_deadline()
        self._bots.start(self.broadcast.has_subscribers)

    async def _end_if_time_is_up(self) -> bool:
        is_up = self.record.status == "playing" and self._services.deadlines.is_past(self.timeline.deadline)
        if is_up:
            await self._commit(self.timeline.leave(self.timeline.game.seat, "clock", clocks.now()))
        return is_up

    def _set_deadline(self) -> None:
        deadline = self.timeline.deadline
        if self.record.status == "playing" and deadline is not None:
            self._services.deadlines.add(self.record.id, deadline)


def _check_not_closed(record: TableRecord) -> None:
    if record.status == "closed":
        raise RequestError("closed", "the table was closed")


def _check_waiting(record: TableRecord) -> None:
    _check_not_closed(record)
    if record.status != "waiting":
        raise RequestError("begun", "the game has begun")


def _decided(before: Timeline, seat: int, move: Move | None) -> Timeline:
    if move is None:
        try:
            return before.undo(seat, clocks.now())
        except CabochonError as error:
            raise RequestError("cannot_undo", error.message) from error
    if seat != before.game.seat and not before.is_over:
        message = f"expected a move of seat {before.game.seat}, got one of seat {seat}"
        raise RequestError("not_your_turn", message, "SET-10")
    try:
        return before.decide(seat, move, clocks.now())
    except GameOverError as error:
        raise RequestError("over", error.message, error.rule) from error
    except CabochonError as error:
        raise RequestError("illegal", error.message, error.rule) from error
