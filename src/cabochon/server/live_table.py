"""One table in memory: one change at a time, committed before it is broadcast.

A change is checked, applied to a copy, committed to the database, and only then becomes current and is broadcast. It
runs in its own task, so a client that disconnects in the middle leaves nothing half done.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from cabochon.errors import CabochonError, GameOverError
from cabochon.fair import seed_bytes
from cabochon.notation import Move
from cabochon.server import clocks, protocol
from cabochon.server.bot_turns import BotTurns
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.broadcast import Broadcast, Subscriber, TableState
from cabochon.server.changes import Changes
from cabochon.server.clocks import Deadlines
from cabochon.server.database import ConflictError
from cabochon.server.drivers import Driver
from cabochon.server.errors import RequestError
from cabochon.server.game_log import GameLog, results_of
from cabochon.server.guests import Guest
from cabochon.server.leases import Leases, NextStep
from cabochon.server.lobby import Lobby
from cabochon.server.notifications import Notifications
from cabochon.server.presence import Presence, Viewers
from cabochon.server.rate_limits import TokenBucket
from cabochon.server.seats import OPEN_SEAT, Seats
from cabochon.server.settings import Settings
from cabochon.server.table_plans import rematch_of
from cabochon.server.table_store import TableRecord, TableStore
from cabochon.server.telemetry import Metrics, log_event
from cabochon.server.timeline import Entry, Timeline

READINGS_PER_SECOND, READINGS_IN_A_ROW = 1.0, 5  # of the database, because a client says that there is more

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
    leases: Leases
    presence: Presence
    notifications: Notifications


def _change(
    change: Callable[Concatenate[LiveTable, _Arguments], Coroutine[Any, Any, _Result]],
) -> Callable[Concatenate[LiveTable, _Arguments], Coroutine[Any, Any, _Result]]:
    """Make a method one of the table's changes."""

    @functools.wraps(change)
    async def run(table: LiveTable, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        return await table.changes.make(lambda: change(table, *args, **kwargs))

    return run


class LiveTable:
    """A table that somebody looks at or a bot plays at."""

    def __init__(
        self,
        record: TableRecord,
        timeline: Timeline,
        services: TableServices,
        on_idle: Callable[[], None],
        elsewhere: Mapping[str, Viewers],
    ) -> None:
        self._state = TableState(record, timeline)
        self._services = services
        self.changes = Changes(record.id, self._read, on_idle)
        self.broadcast = Broadcast(
            self._state, services.settings, elsewhere, lambda viewers: services.presence.set(record.id, viewers)
        )
        bots = BotTurns(self._state, services.workers, services.settings.bot_pause, self._decide, on_idle)
        self._readings = TokenBucket(READINGS_PER_SECOND, READINGS_IN_A_ROW)
        self._driver = Driver(self._state, services.leases, services.notifications, services.deadlines, bots)

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
        return self.changes.are_under_way or self._driver.is_busy

    def attach(self, subscriber: Subscriber, since: int) -> None:
        """Subscribe to everything that happens after the first `since` entries of the log."""
        self.broadcast.attach(subscriber, since)
        self.wake()

    def detach(self, subscriber: Subscriber) -> None:
        """Unsubscribe."""
        self.broadcast.detach(subscriber)
        if self.record.status == "waiting" and not self.broadcast.has_viewers:
            self.changes.start(self._mark_seen())

    async def catch_up(self, seq: int) -> None:
        """Read on in the log if it is shorter than a client says, who was told more through another process."""
        if seq > self.timeline.seq:
            await self.changes.make(lambda: self._read_up_to(seq))

    async def _read_up_to(self, seq: int) -> None:
        """Read on if the log is shorter than a client says; not each time, because anybody can say that."""
        if seq > self.timeline.seq and self._readings.take():
            await self.changes.reload()

    def wake(self) -> None:
        """Do what is next, if a bot or a clock is, and nobody does it yet."""
        if self._next_step(self.record, self.timeline).waits_for is not None and not self._driver.has_lease:
            self.changes.start(self.resume())

    def _next_step(self, record: TableRecord, timeline: Timeline) -> NextStep:
        return self._services.leases.next_step(record, timeline, self.broadcast.has_viewers)

    def say(self, seat: int | None, phrase: protocol.PhraseName) -> None:
        """Send everybody a phrase of a seat."""
        seat, at = self.broadcast.check_phrase(seat), clocks.now()
        self.broadcast.send_phrase(seat, phrase, at)
        facts = {"seat": seat, "phrase": phrase, "at": at.isoformat()}
        self._services.notifications.tell_table(self.record.id, "said", **facts)

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
        await self._read_up_to(seq)
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
    async def resume(self) -> None:
        """Take the seat from a player whose time is up, or do what is next, unless another process does it."""
        if not await self._end_if_time_is_up():
            await self._driver.resume(self._next_step(self.record, self.timeline))

    @_change
    async def take_over_entry(self, seq: int, entry: Entry | None) -> None:
        """Take over an entry that another process has committed; without it, read it.

        It may come before the notice that the game has begun, with a deal that is not known here.
        """
        if seq == self.timeline.seq + 1 and self.record.status == "playing":
            if entry is None:
                entry = (await self._services.log.read(self.record.id, self.timeline.seq))[0]
            after = self.timeline.followed_by(entry)
            self._accept(self.record.after(after), after, NextStep())
        elif seq > self.timeline.seq:
            await self.changes.reload()

    @_change
    async def join(self, guest: Guest, wanted: int | None) -> None:
        """Give the guest the wanted seat, or the first open one; a guest who has a seat keeps it."""
        while not self.record.seats.is_joined(guest, wanted):
            _check_not_closed(self.record)
            if await self._change_seats(self.record.seats.join(guest, wanted)):
                return

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
        before = seats[number]
        while True:
            seats = self.record.seats
            seat = OPEN_SEAT if wanted is None else seats.planned_seat(number, wanted)
            _check_waiting(self.record)
            if seats[number] != before:
                raise ConflictError(f"seat {number} of table {self.record.id}")
            if seat == before or await self._change_seats(seats.with_seat(number, seat)):
                return

    @_change
    async def close_by(self, guest: Guest) -> None:
        """Close the table while it waits, as its host."""
        if self.record.host != guest.id:
            raise RequestError("not_yours", "only the host may close the table")
        if self.record.status != "closed":
            _check_waiting(self.record)
            await self._close()

    @_change
    async def reload(self) -> None:
        """Take over what has changed in the database."""
        await self.changes.reload()

    @_change
    async def rematch(self, guest: Guest, opened_from: str | None = None) -> str:
        """Return the id of the table where the same players play again, each one seat further on."""
        record = self.record
        if record.next is not None and await self._services.tables.successor(record.id):
            return record.next
        plan = replace(rematch_of(record, guest), opened_from=opened_from)
        successor = await self._services.tables.add(plan, record.id)
        self._state.record = replace(self.record, next=successor)
        self.broadcast.send_info()
        self._tell_change()
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

    def drop_lease(self) -> None:
        """Stop driving the table: another process may do so."""
        self._driver.stop()

    async def stop(self) -> None:
        """Stop the bots, and finish the changes that are under way."""
        self.drop_lease()
        while self.changes.are_under_way:
            await self.changes.finish()
            self.drop_lease()  # taken by a change that has finished

    async def _read(self) -> None:
        """Take over what the database has, and broadcast it if it differs from what was known."""
        # The log first: a newer record does no harm.
        entries = await self._services.log.read_on(self.record.id, self.timeline.entries)
        record = await self._services.tables.get(self.record.id)
        known = self.timeline.seq
        if record is not None and (len(entries) != known or record != self.record):
            self._replace_all(record, Timeline(record.deal, entries), known)

    async def _commit(self, after: Timeline) -> None:
        """Append the last entry of a timeline to the log, make the timeline current, and tell everybody."""
        entry, record = after.entries[-1], self.record.after(after)
        step = self._next_step(record, after)
        results, is_practice, seat = results_of(after), after.is_practice, after.game.seat
        await self._services.log.append(record.id, entry, record.status, seat, results, is_practice, step)
        self._services.notifications.tell_table(record.id, "entry", **entry.to_notice())
        if entry.leaving is not None:
            log_event("left", table=record.id, seat=entry.seat, reason=entry.leaving)
        if after.is_over:
            log_event("game_over", table=record.id, entries=after.seq)
        self._accept(record, after, step)

    def _accept(self, record: TableRecord, after: Timeline, step: NextStep) -> None:
        """Make a timeline with one more entry, which is committed, current, and broadcast it."""
        is_news = after.entries[-1].leaving is not None or record.is_practice != self.record.is_practice
        self._state.record, self._state.timeline = record, after
        self.broadcast.send_move()
        if is_news:
            self.broadcast.send_info()
        self._driver.drive(step)

    async def _change_seats(self, seats: Seats) -> bool:
        """Commit and broadcast changed seats; the game begins when no seat is open any more.

        If another process changed the table first, take that over and return False.
        """
        at, seed = clocks.now(), seed_bytes(None)  # a new deal, so that nobody chose their seat by the cards
        before = self.record
        is_changed = await self._services.tables.change_seats(before.id, before.seats, seats, at, seed)
        if is_changed:
            self._tell_change()
            self._services.lobby.change()
        await self.changes.reload()  # the database alone knows whether the game has begun
        return is_changed

    def _tell_change(self) -> None:
        self._services.notifications.tell_table(self.record.id, "table")

    async def _close(self) -> None:
        if not await self._services.tables.close(self.record.id, self.record.status):
            raise ConflictError(f"status of table {self.record.id}")
        log_event("table_closed", table=self.record.id, was=self.record.status)
        self._tell_change()
        self._services.lobby.change()
        self._replace_all(replace(self.record, status="closed"), self.timeline, self.timeline.seq)

    def _replace_all(self, record: TableRecord, timeline: Timeline, since: int) -> None:
        self._state.record, self._state.timeline = record, timeline
        self.broadcast.send_sync(since)
        self._driver.drive(NextStep())
        self.wake()

    async def _end_if_time_is_up(self) -> bool:
        is_up = self.record.status == "playing" and self._services.deadlines.is_past(self.timeline.deadline)
        if is_up:
            await self._commit(self.timeline.leave(self.timeline.game.seat, "clock", clocks.now()))
        return is_up


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
