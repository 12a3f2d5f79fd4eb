"""Live tables: where the moves of people and bots meet, one at a time, and everybody is told.

A change is checked, applied to a copy, committed to the log, and only then made current and told. It runs in a
task of its own, so that a client that goes away in the middle leaves nothing half done.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain, count
from typing import Any, TypeVar

from cabochon.errors import CabochonError, GameOverError
from cabochon.fair import commitment, seat_order, seed_bytes
from cabochon.game import Options
from cabochon.notation import Move
from cabochon.server import protocol
from cabochon.server.bot_workers import Thinkers
from cabochon.server.clocks import Clock, Deadlines
from cabochon.server.connections import Connection
from cabochon.server.errors import Refusal
from cabochon.server.lobby import Lobby
from cabochon.server.messages import LEVEL_OF_STAND_IN, Audience
from cabochon.server.security import Bucket, Whereabouts
from cabochon.server.settings import Settings
from cabochon.server.store import ConflictError, Guest, Result, Seat, Store, StoredTable, new_id, now
from cabochon.server.telemetry import Metrics, logger, tell
from cabochon.server.timeline import Course

DEFAULT_LEVEL = "journeyman"
RETRY_SECONDS = 1.0
SWEEP_SECONDS = 3600.0
IDLE_TABLES = 100

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Services:
    """What all tables of a server share."""

    store: Store
    thinkers: Thinkers
    metrics: Metrics
    settings: Settings
    lobby: Lobby
    deadlines: Deadlines
    whereabouts: Whereabouts


class Table:
    """One table while somebody looks at it or a bot thinks at it."""

    def __init__(self, stored: StoredTable, course: Course, services: Services, on_idle: Callable[[], None]) -> None:
        self.stored = stored
        self._course = course
        self._services = services
        self._on_idle = on_idle
        self._lock = asyncio.Lock()
        self._connections: set[Connection] = set()
        self._work: set[asyncio.Task[Any]] = set()
        self._bot: asyncio.Task[None] | None = None
        self._phrases: dict[int, Bucket] = {}  # how much a seat may say
        self._telling_soon: asyncio.TimerHandle | None = None
        self._is_doubtful = False  # whether the database may know more than we do
        self._audience = self._new_audience()

    @property
    def is_busy(self) -> bool:
        """Whether something is being done that nobody may be waiting for any more."""
        return bool(self._work) or self._bot is not None

    @property
    def course(self) -> Course:
        """The game and its log, as far as they are committed."""
        return self._course

    # Looking

    def info(self, guest_id: str | None, seat: int | None = None) -> protocol.TableInfo:
        """The table without its game, for a guest who looks from this seat, or from its first one."""
        return table_info(self.stored, guest_id, self._course.seq, self._connected_seats(), self._watching(), seat)

    def _connected_seats(self) -> set[int]:
        """The seats whose people are there; people at one device all are, whoever of them looks."""
        present = {connection.guest_id for connection in self._connections}
        return {number for guest_id in present for number in self.stored.seats_of(guest_id)}

    def _watching(self) -> int:
        return sum(connection.seat is None for connection in self._connections)

    def _seat_for(self, connection: Connection) -> int | None:
        """As which seat a connection looks: the one that it asked for, if that is its guest's, or the first."""
        own = self.stored.seats_of(connection.guest_id)
        if connection.wanted_seat is not None:
            return connection.wanted_seat if connection.wanted_seat in own else None
        return next(iter(own), None)

    def _new_audience(self) -> Audience:
        return Audience(self._course, may_move=self.stored.status in ("playing", "over"))

    def sync(self, connection: Connection, since: int) -> str:
        """Everything after the first `since` entries, for one connection."""
        info = self.info(connection.guest_id, connection.seat)
        return self._audience.sync(connection.seat, info, since, now())

    def attach(self, connection: Connection, since: int) -> None:
        """Begin to tell a connection all that happens, from what it missed on."""
        connection.seat = self._seat_for(connection)
        if connection.wanted_seat is not None and connection.seat is None:
            raise Refusal("not_yours", "the seat belongs to somebody else")
        limits = self._services.settings.limits
        most = limits.spectators_per_table if connection.seat is None else limits.sockets_per_seat
        if sum(other.seat == connection.seat for other in self._connections) >= most:
            raise Refusal("too_fast", "expected fewer sockets that look at one table from there")
        before = self._company()
        self._connections.add(connection)
        connection.send(self.sync(connection, since))
        self._tell_company(before, but=connection)
        self.wake()

    def detach(self, connection: Connection) -> None:
        """Tell a connection nothing more."""
        before = self._company()
        self._connections.discard(connection)
        self._tell_company(before)
        if self.stored.status == "waiting" and not self._connections:
            self._begin(self._note_seen())

    async def _note_seen(self) -> None:
        async with self._changing():
            await self._services.store.note_seen(self.stored.id, now())

    def _company(self) -> tuple[set[int], int]:
        return self._connected_seats(), self._watching()

    def _tell_company(self, before: tuple[set[int], int], but: Connection | None = None) -> None:
        """Tell who came or went; those who only look on are told of after a while, all at once."""
        seats, watching = self._company()
        pause = self._services.settings.watching_pause
        if seats != before[0] or (watching != before[1] and pause == 0):
            self._tell_info(but)
        elif watching != before[1] and self._telling_soon is None:
            self._telling_soon = asyncio.get_running_loop().call_later(pause, self._tell_info)

    # Changing

    async def play(self, seat: int | None, seq: int, text: str) -> bool:
        """Play a move, meant for a log of the length `seq`; False if just that was done before."""
        try:
            move = Move.from_text(text, self.stored.options.variant)
        except CabochonError as error:
            raise Refusal("illegal" if error.rule else "malformed", error.message, error.rule) from error
        return await self._in_its_own_task(self._change(seat, seq, move))

    async def undo(self, seat: int | None, seq: int) -> bool:
        """Take back the seat's last move; False if just that was done before."""
        return await self._in_its_own_task(self._change(seat, seq, None))

    async def join(self, guest: Guest, wanted: int | None) -> None:
        """Sit down at the seat that is wanted, or at the first open one; whoever has a seat keeps it."""
        await self._in_its_own_task(self._join(guest, wanted))

    async def set_seat(self, guest: Guest, number: int, wanted: protocol.SeatChange | None) -> None:
        """While the table waits: give a seat to a bot or make it open, as its host.

        With None, stand up, or decline a seat that is kept for one.
        """
        await self._in_its_own_task(self._set_seat(guest, number, wanted))

    async def leave(self, guest: Guest, number: int) -> None:
        """Give a seat of one's own up, for good."""
        await self._in_its_own_task(self._leave(guest, number))

    async def look_at_clock(self) -> None:
        """Take the seat from one whose time is up; else come back when it will be."""
        await self._in_its_own_task(self._look_at_clock())

    async def close_if_dead(self, not_seen_since: datetime, still_since: datetime) -> None:
        """Close the table for good, unless somebody is there, or has been since these moments."""
        await self._in_its_own_task(self._close_if_dead(not_seen_since, still_since))

    async def shut(self, guest: Guest) -> None:
        """Close the table while it waits, as its host."""
        await self._in_its_own_task(self._shut(guest))

    async def rematch(self, guest: Guest) -> str:
        """The id of the table where the same players play again, each one seat further on."""
        return await self._in_its_own_task(self._rematch(guest))

    def rename(self, before: Guest, after: Guest) -> None:
        """Call the seats that are kept for a guest as it is called now, as the database does already."""
        seats = tuple(seat.renamed(before, after) for seat in self.stored.seats)
        if seats != self.stored.seats:
            self.stored = replace(self.stored, seats=seats)
            self._tell_info()

    def say(self, seat: int | None, phrase: protocol.PhraseName) -> None:
        """Tell everybody what a seat says; it is not kept."""
        limits = self._services.settings.limits
        if seat is None:
            raise Refusal("not_yours", "only those who have a seat speak")
        if not self._phrases.setdefault(seat, Bucket(limits.phrase_rate, limits.phrase_burst)).take():
            raise Refusal("too_fast", f"expected at most {limits.phrase_rate:g} phrases a second")
        message = protocol.Said(seat=seat, phrase=phrase, at=now()).model_dump_json()
        for connection in self._connections:
            connection.send(message)

    def _in_its_own_task(self, change: Coroutine[Any, Any, _Result]) -> Awaitable[_Result]:
        return asyncio.shield(self._begin(change))

    def _begin(self, change: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
        task = asyncio.create_task(change)
        self._work.add(task)
        task.add_done_callback(self._finish_work)
        return task

    def _finish_work(self, task: asyncio.Task[Any]) -> None:
        self._work.discard(task)
        if not task.cancelled():
            task.exception()  # a refusal; who asked may have gone away
        self._on_idle()

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[None]:
        """One change at a time. After a fault the table does not guess what was written, but reads it again."""
        async with self._lock:
            if self._is_doubtful:
                await self._read_again()
            try:
                yield
            except Refusal:
                raise
            except ConflictError as error:
                await self._read_again()
                raise Refusal("stale", "something else came first; look again") from error
            except Exception as error:
                logger.exception("change failed", extra={"facts": {"event": "change_failed", "table": self.stored.id}})
                await self._read_again()
                raise Refusal("unavailable", "it could not be kept; look again, and try again") from error

    async def _change(self, seat: int | None, seq: int, move: Move | None) -> bool:
        """A move, or with None the taking back of one, by a seat."""
        started = time.perf_counter()
        async with self._changing():
            if seat is None:
                raise Refusal("not_yours", "only those who have a seat play")
            before = self._course
            if seq != before.seq:
                if seq < before.seq and before.entries[seq].is_same_action(seat, move):
                    return False
                raise Refusal("stale", f"expected the length {before.seq} of the log, got {seq}")
            if self.stored.status == "waiting":
                raise Refusal("not_playing", "the game begins when all seats are taken")
            if self.stored.status == "closed":
                raise Refusal("closed", "the table was closed")
            if self._is_time_up():
                await self._commit(before.leave(before.game.seat, "clock", now()))
                raise Refusal("stale", "the time was up")
            after = _changed(before, seat, move)
            by = "bot" if self._level_of(seat) is not None else "person"
            await self._commit(after)
            self._services.metrics.entries.labels(by).inc()
            if by == "person":
                self._services.metrics.moves.observe(time.perf_counter() - started)
            return True

    async def _leave(self, guest: Guest, number: int) -> None:
        async with self._changing():
            if number not in self.stored.seats_of(guest.id):
                raise Refusal("not_yours", "expected a seat of one's own")
            if self.stored.status == "waiting":
                raise Refusal("not_playing", "the game has not begun; stand up instead")
            if self.stored.status == "closed":
                raise Refusal("closed", "the table was closed")
            if self.stored.status == "over":
                raise Refusal("over", "the game is over")
            await self._commit(self._course.leave(number, "left", now()))

    async def _look_at_clock(self) -> None:
        async with self._changing():
            if self._is_time_up():
                await self._commit(self._course.leave(self._course.game.seat, "clock", now()))
            else:
                self._watch_clock()

    def _is_time_up(self) -> bool:
        deadline = self._course.deadline
        if self.stored.status != "playing" or deadline is None:
            return False
        return max(deadline, self._services.deadlines.grace_until) <= now()

    def _watch_clock(self) -> None:
        """Have somebody look again when the time of the seat that is to decide is up."""
        deadline = self._course.deadline
        if self.stored.status == "playing" and deadline is not None:
            self._services.deadlines.add(self.stored.id, deadline)

    def _level_of(self, number: int) -> str | None:
        """The level of the bot that plays a seat, if one does."""
        return LEVEL_OF_STAND_IN if self.stored.has_stand_in(number) else self.stored.seats[number].level

    async def _commit(self, after: Course) -> None:
        """Write the last entry of a course to the log, make it the current one, and tell everybody."""
        entry, status = after.entries[-1], "over" if after.is_over else "playing"
        await self._services.store.append(self.stored.id, entry, status, after.game.seat, _results(after))
        self._course = after
        if entry.leaving is not None:
            seats = list(self.stored.seats)
            seats[entry.seat] = replace(seats[entry.seat], has_left=True)
            self.stored = replace(self.stored, seats=tuple(seats))
            for connection in self._connections:  # from now on a spectator, who sees no hand
                connection.seat = self._seat_for(connection)
            tell("left", table=self.stored.id, seat=entry.seat, reason=entry.leaving)
        if status != self.stored.status:
            self.stored = replace(self.stored, status=status)
        self._tell_moved()
        if entry.leaving is not None:
            self._tell_info()
        if after.is_over:
            tell("game_over", table=self.stored.id, entries=after.seq)
        self._watch_clock()
        self._see_to_bots()

    async def _read_again(self) -> None:
        """Take over what the database says, and tell everybody where that differs from what they know."""
        self._is_doubtful = True
        try:
            stored = await self._services.store.table(self.stored.id)
            entries = await self._services.store.entries(self.stored.id)
        except Exception as error:
            raise Refusal("unavailable", "the table cannot be read; try again") from error
        self._is_doubtful = False
        known = self._course.seq
        if stored is None or (len(entries) == known and stored == self.stored):
            return
        self.stored = stored
        self._course = Course(stored.deal, entries)
        self._watch_clock()
        self._tell_all(known)
        self._see_to_bots()

    async def _join(self, guest: Guest, wanted: int | None) -> None:
        async with self._changing():
            seats = self.stored.seats
            kept = [number for number, seat in enumerate(seats) if seat.kept_for == guest.id]
            if self.stored.seat_of(guest.id) is not None and (not kept or wanted not in (None, *kept)):
                return
            if self.stored.status == "closed":
                raise Refusal("closed", "the table was closed")
            free = [number for number, seat in enumerate(seats) if seat.is_open_to(guest.id)]
            if not free or wanted not in (None, *free):
                raise Refusal("not_yours", "the seat is taken" if free else "all seats are taken")
            if kept and wanted in (None, *kept):
                for number in kept:  # all of them: of several people at one device
                    await self._change_seat(number, Seat("person", seats[number].name, guest.id))
                return
            for number in kept:  # who takes another seat does not get these as well
                await self._change_seat(number, Seat("open", ""))
            await self._change_seat(free[0] if wanted is None else wanted, Seat("person", guest.nickname, guest.id))

    async def _set_seat(self, guest: Guest, number: int, wanted: protocol.SeatChange | None) -> None:
        async with self._changing():
            if number >= len(self.stored.seats):
                raise Refusal("not_found", f"expected a seat from 0 to {len(self.stored.seats) - 1}, got {number}")
            is_host = self.stored.host == guest.id
            is_own = number in self.stored.seats_of(guest.id) or self.stored.seats[number].kept_for == guest.id
            if not is_host and (wanted is not None or not is_own):
                raise Refusal("not_yours", "only the host changes the seats of others")
            if wanted is not None and wanted.level is not None and wanted.kind != "bot":
                raise Refusal("malformed", "expected a level for bots alone")
            self._check_waiting()
            if wanted is not None and wanted.kind == "bot":
                others = self.stored.seats[:number] + self.stored.seats[number + 1 :]
                seat = _bot_seat(wanted.level or DEFAULT_LEVEL, others)
            else:
                seat = Seat("open", "")
            if seat != self.stored.seats[number]:
                await self._change_seat(number, seat)

    async def _shut(self, guest: Guest) -> None:
        async with self._changing():
            if self.stored.host != guest.id:
                raise Refusal("not_yours", "only the host closes a table")
            if self.stored.status == "closed":
                return
            self._check_waiting()
            await self._close_for_good()

    async def _close_if_dead(self, not_seen_since: datetime, still_since: datetime) -> None:
        async with self._changing():
            dead = await self._services.store.dead_tables(not_seen_since, still_since)  # others may have come meanwhile
            if not self._connections and self.stored.id in dead:
                await self._close_for_good()

    def _check_waiting(self) -> None:
        if self.stored.status == "closed":
            raise Refusal("closed", "the table was closed")
        if self.stored.status != "waiting":
            raise Refusal("begun", "the game has begun")

    async def _change_seat(self, number: int, seat: Seat) -> None:
        """Give a seat to somebody else; the game begins when no seat is open any more."""
        at, seed = now(), seed_bytes(None)  # nobody shall have chosen a seat, or a table, by the cards that come
        before = self.stored.seats[number]
        if not await self._services.store.change_seat(self.stored.id, number, before, seat, at, seed):
            raise ConflictError(f"seat {number} of table {self.stored.id}")
        seats = list(self.stored.seats)
        seats[number] = seat
        self.stored = replace(self.stored, seats=tuple(seats))
        if all(seat.kind != "open" for seat in seats):
            self.stored = replace(self.stored, status="playing", started_at=at, seed=seed)
        self._course = Course(self.stored.deal)
        self._watch_clock()
        self._services.lobby.change()
        self._tell_all(self._course.seq)
        self._see_to_bots()

    async def _close_for_good(self) -> None:
        if not await self._services.store.close_table(self.stored.id, self.stored.status):
            raise ConflictError(f"status of table {self.stored.id}")
        tell("table_closed", table=self.stored.id, was=self.stored.status)
        self.stored = replace(self.stored, status="closed")
        self._services.lobby.change()
        self._tell_all(self._course.seq)
        self._see_to_bots()

    async def _rematch(self, guest: Guest) -> str:
        async with self._changing():
            if self.stored.next is not None and await self._services.store.successor(self.stored.id):
                return self.stored.next
            if guest.id not in (self.stored.host, *(seat.guest for seat in self.stored.seats)):
                raise Refusal("not_yours", "only those who played may ask for another game")
            own = [number for number, seat in enumerate(self.stored.seats) if seat.guest == guest.id]
            if own and all(self.stored.has_stand_in(number) for number in own):
                raise Refusal("not_yours", "only those who played to the end may ask for another game")
            if self.stored.status != "over":
                raise Refusal("not_playing", "another game can begin when this one is over")
            again = _rematch_of(self.stored, guest)
            self.stored = replace(self.stored, next=await self._services.store.add_table(again, self.stored.id))
            self._tell_info()
            return str(self.stored.next)

    # Telling

    def _tell_moved(self) -> None:
        """Tell each viewer what the last entry did and where the game stands."""
        messages = self._audience.follow(self._course, {connection.seat for connection in self._connections}, now())
        for connection in self._connections:
            connection.send(messages[connection.seat])

    def _tell_info(self, but: Connection | None = None) -> None:
        """Tell everybody who sits at the table."""
        if self._telling_soon is not None:
            self._telling_soon.cancel()
            self._telling_soon = None
        messages: dict[tuple[str | None, int | None], str] = {}
        for connection in self._connections - {but}:
            viewer = (connection.guest_id, connection.seat)
            if viewer not in messages:
                messages[viewer] = protocol.TableChanged(table=self.info(*viewer)).model_dump_json()
            connection.send(messages[viewer])

    def _tell_all(self, since: int) -> None:
        """Tell everybody everything anew."""
        self._audience = self._new_audience()
        for connection in self._connections:
            connection.seat = self._seat_for(connection)
            connection.send(self.sync(connection, since))

    # Bots

    def wake(self) -> None:
        """Let the bot that is to move begin to think, unless it does already."""
        if self._bot is None:
            self._see_to_bots()

    def _see_to_bots(self) -> None:
        """If a bot is to decide, let it think; a thought about an earlier moment is dropped.

        Where bots play among themselves they do so only while somebody looks.
        """
        if self._bot is not None:
            self._bot.cancel()
            self._bot = None
        game = self._course.game
        level = self._level_of(game.seat)
        has_company = bool(self._connections) or any(seat.kind == "person" for seat in self.stored.seats)
        if self.stored.status == "playing" and level is not None and has_company:
            self._bot = asyncio.create_task(self._let_bot_move(self._course, level))
            self._bot.add_done_callback(self._finish_bot)

    def _finish_bot(self, task: asyncio.Task[None]) -> None:
        if self._bot is task:
            self._bot = None
        if not task.cancelled() and (error := task.exception()) is not None:
            tell("bot_stopped", logging.ERROR, table=self.stored.id, error=repr(error))
        self._on_idle()

    async def _let_bot_move(self, course: Course, level: str) -> None:
        """Think, let people see the last move for a while, and play, as a person would.

        It thinks for the address of the table's host: a guest is soon made, an address is not.
        """
        is_new_turn = course.game.phase == "act"
        pause = asyncio.create_task(asyncio.sleep(self._services.settings.bot_pause if is_new_turn else 0))
        try:
            whom = self._services.whereabouts.of(self.stored.host)
            move = await self._services.thinkers.choose(level, course.game.view(course.game.seat), whom)
            await pause
        finally:
            pause.cancel()
        while self._course is course:
            try:
                await self._in_its_own_task(self._change(course.game.seat, course.seq, move))
            except Refusal as refusal:  # the database does not answer: the table must not be left standing
                tell("bot_move_refused", logging.WARNING, table=self.stored.id, code=refusal.code)
                await asyncio.sleep(RETRY_SECONDS)

    async def close(self) -> None:
        """Let bots stop, and finish what has begun."""
        if self._bot is not None:
            self._bot.cancel()
            self._bot = None
        if self._work:
            await asyncio.wait(self._work)


def _changed(before: Course, seat: int, move: Move | None) -> Course:
    """The course after a change by a seat, or a refusal that says why not."""
    if move is None:
        try:
            return before.undo(seat, now())
        except CabochonError as error:
            raise Refusal("cannot_undo", error.message) from error
    if seat != before.game.seat and not before.is_over:
        raise Refusal("not_your_turn", f"expected a move of seat {before.game.seat}, got one of seat {seat}", "SET-10")
    try:
        return before.decide(seat, move, now())
    except GameOverError as error:
        raise Refusal("over", error.message, error.rule) from error
    except CabochonError as error:
        raise Refusal("illegal", error.message, error.rule) from error


def _results(course: Course) -> list[Result]:
    """How the game ended for each seat; nothing while it goes on. Who left has lost, whatever became of the seat."""
    game = course.game
    outcome = game.outcome
    if outcome is None:
        return []
    return [
        Result(game.players if seat in course.left else place, points, place == 1 and seat not in course.left)
        for seat, (place, points) in enumerate(zip(outcome.places, outcome.points, strict=True))
    ]


def table_info(
    stored: StoredTable,
    guest_id: str | None,
    seq: int,
    connected: Collection[int] = (),
    watching: int = 0,
    seat_of_viewer: int | None = None,
) -> protocol.TableInfo:
    """A table without its game, as one guest is told of it, who looks from this seat or from its first one."""
    you = stored.seat_of(guest_id) if seat_of_viewer is None else seat_of_viewer
    return protocol.TableInfo.model_validate(
        {
            "id": stored.id,
            "game": stored.options.variant,
            "players": stored.options.players,
            "free_take": stored.options.free_take,
            "payment": stored.options.payment,
            "clock": stored.clock and stored.clock.to_message(),
            "visibility": stored.visibility,
            "status": stored.status,
            "seats": [
                {
                    "seat": number,
                    "kind": "bot" if stored.has_stand_in(number) else seat.kind,
                    "name": seat.name,
                    "level": LEVEL_OF_STAND_IN if stored.has_stand_in(number) else seat.level,
                    "is_you": number == you,
                    "is_yours": number in stored.seats_of(guest_id)
                    or (guest_id is not None and seat.kept_for == guest_id),
                    "is_kept": seat.kept_for is not None,
                    "has_left": seat.has_left,
                    "is_connected": number in connected,
                }
                for number, seat in enumerate(stored.seats)
            ],
            "you": you,
            "is_host": guest_id == stored.host,
            "created_at": stored.created_at,
            "commitment": commitment(stored.seed),
            "seq": seq,
            "watching": watching,
            "next": stored.next,
        }
    )


def planned_table(plan: protocol.NewTable, host: Guest, nicknames: Mapping[str, str]) -> StoredTable:
    """A new table as its host wants it; the seed of the deal also draws the order of the seats (SET-10).

    `nicknames` are those of the guests for whom seats are kept.
    """
    if sum(seat.kind == "me" for seat in plan.seats) > 1:
        raise Refusal("malformed", "expected at most one seat for oneself")
    if any(seat.level is not None and seat.kind != "bot" for seat in plan.seats):
        raise Refusal("malformed", "expected a level for bots alone")
    if any((seat.name is not None) != (seat.kind == "here") for seat in plan.seats):
        raise Refusal("malformed", "expected a name for each person at the same device, and for nobody else")
    for seat in plan.seats:
        if seat.kept_for is not None and seat.kind != "open":
            raise Refusal("malformed", "expected only open seats to be kept for somebody")
        if seat.kept_for is not None and seat.kept_for not in nicknames:
            raise Refusal("not_found", f"there is no guest {seat.kept_for}")
    seed = seed_bytes(None)
    order = range(len(plan.seats)) if plan.order == "given" else seat_order(seed, len(plan.seats))
    seats: list[Seat] = []
    for number in order:
        wanted = plan.seats[number]
        if wanted.kind == "me":
            seats.append(Seat("person", host.nickname, host.id))
        elif wanted.kind == "here":
            seats.append(Seat("person", wanted.name or "", host.id))
        elif wanted.kind == "bot":
            seats.append(_bot_seat(wanted.level or DEFAULT_LEVEL, seats))
        else:
            seats.append(Seat("open", nicknames.get(wanted.kept_for or "", ""), kept_for=wanted.kept_for))
    is_full = all(seat.kind != "open" for seat in seats)
    opened_at = now()
    return StoredTable(
        id=new_id(),
        host=host.id,
        options=Options(plan.game, len(seats), plan.free_take, plan.payment),
        seed=seed,
        seats=tuple(seats),
        status="playing" if is_full else "waiting",
        created_at=opened_at,
        visibility=plan.visibility,
        clock=Clock.from_message(plan.clock),
        started_at=opened_at if is_full else None,
    )


def _rematch_of(table: StoredTable, host: Guest) -> StoredTable:
    """The same game again, each one seat further on.

    The seats of other people are kept for them, and it begins when all have come, so that nobody's clock runs before.
    Who left is not waited for.
    """
    seats: list[Seat] = []
    for number in (*range(1, len(table.seats)), 0):
        seat = table.seats[number]
        if table.has_stand_in(number):
            seats.append(_bot_seat(LEVEL_OF_STAND_IN, [*seats, *table.seats]))
        elif seat.kind == "person" and seat.guest != host.id:
            seats.append(Seat("open", seat.name, kept_for=seat.guest))
        else:
            seats.append(replace(seat, has_left=False))
    is_full, opened_at = all(seat.kind != "open" for seat in seats), now()
    return replace(
        table,
        id=new_id(),
        host=host.id,
        seed=seed_bytes(None),
        seats=tuple(seats),
        status="playing" if is_full else "waiting",
        created_at=opened_at,
        started_at=opened_at if is_full else None,
    )


def _bot_seat(level: str, others: Sequence[Seat]) -> Seat:
    """A bot's seat, with a name that no other bot at the table has."""
    names = {seat.name for seat in others if seat.kind == "bot"}
    candidates = chain([level.capitalize()], (f"{level.capitalize()} {number}" for number in count(2)))
    return Seat("bot", next(name for name in candidates if name not in names), level=level)


@dataclass
class _Place:
    """Where a live table is, or will be when it is loaded."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    table: Table | None = None
    users: int = 0


class Tables:
    """All tables of the server. Those in use are in memory, once each, and so are some that were used last."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._places: dict[str, _Place] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()  # the ids of those that nobody uses
        self._chores: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def at(self, table_id: str) -> AsyncIterator[Table]:
        """A live table, for as long as it is needed."""
        place = self._places.setdefault(table_id, _Place())
        place.users += 1
        self._idle.pop(table_id, None)
        try:
            async with place.lock:
                if place.table is None:
                    place.table = await self._load(table_id)
            yield place.table
        finally:
            place.users -= 1
            self._let_go(table_id)

    async def _load(self, table_id: str) -> Table:
        stored = await self._services.store.table(table_id)
        if stored is None:
            raise Refusal("not_found", "there is no such table")
        entries = await self._services.store.entries(table_id)
        self._services.metrics.tables.inc()
        return Table(stored, Course(stored.deal, entries), self._services, lambda: self._let_go(table_id))

    def _let_go(self, table_id: str) -> None:
        """Forget tables that nobody uses, but for the last ones; what they were is in the database."""
        place = self._places.get(table_id)
        if place is None or place.users > 0 or (place.table is not None and place.table.is_busy):
            return
        self._idle[table_id] = None
        self._idle.move_to_end(table_id)
        forgotten = [table_id] if place.table is None else []
        if len(self._idle) > IDLE_TABLES:
            forgotten.append(next(iter(self._idle)))
        for name in forgotten:
            self._idle.pop(name, None)
            if self._places.pop(name).table is not None:
                self._services.metrics.tables.dec()

    async def open(self, plan: protocol.NewTable, host: Guest) -> StoredTable:
        """A new table."""
        if await self._services.store.count_open_tables(host.id) >= self._services.settings.limits.tables_per_guest:
            raise Refusal("too_fast", "expected fewer games at a time; finish one first")
        invited = [seat.kept_for for seat in plan.seats if seat.kept_for is not None]
        table = planned_table(plan, host, await self._services.store.nicknames(invited) if invited else {})
        await self._services.store.add_table(table)
        tell("table_opened", table=table.id, game=plan.game, players=len(plan.seats))
        self._services.lobby.change()
        await self.resume(table.id)
        return table

    async def rename(self, guest: Guest, nickname: str) -> Guest:
        """The guest under another nickname, also where a seat is kept for it."""
        renamed = await self._services.store.rename_guest(guest, nickname)
        for place in self._places.values():
            if place.table is not None:
                place.table.rename(guest, renamed)
        self._services.lobby.change()
        return renamed

    async def resume(self, table_id: str) -> None:
        """Let the bot go on that is to move, if one is, and the clock."""
        async with self.at(table_id) as table:
            table.wake()
            await table.look_at_clock()

    async def resume_all(self) -> None:
        """After a start: let bots go on wherever they are to move, and clocks wherever they run."""
        store, grace = self._services.store, timedelta(seconds=self._services.settings.clock_grace)
        self._services.deadlines.grace_until = now() + grace
        for table_id in dict.fromkeys([*await store.tables_where_a_bot_moves(), *await store.tables_with_clocks()]):
            try:
                await self.resume(table_id)
            except Exception:  # one table that cannot be read keeps no other from going on
                logger.exception("resume failed", extra={"facts": {"event": "resume_failed", "table": table_id}})
        self._chores = [asyncio.create_task(self._follow_clocks()), asyncio.create_task(self._keep_sweeping())]

    async def sweep(self) -> None:
        """Close the tables that wait and where nobody was for a while, and games that stood still for long."""
        settings, at = self._services.settings, now()
        not_seen_since = at - timedelta(minutes=settings.waiting_minutes)
        still_since = at - timedelta(days=settings.idle_days)
        for table_id in await self._services.store.dead_tables(not_seen_since, still_since):
            async with self.at(table_id) as table:
                await table.close_if_dead(not_seen_since, still_since)

    async def _keep_sweeping(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)  # first: after a start nobody is back yet
            try:
                await self.sweep()
            except Exception:  # whatever it is, it may be better in an hour
                logger.exception("sweep failed", extra={"facts": {"event": "sweep_failed"}})

    async def _follow_clocks(self) -> None:
        """Look at every table where somebody's time may be up, when it is."""
        while True:
            table_id = await self._services.deadlines.next()
            try:
                async with self.at(table_id) as table:
                    await table.look_at_clock()
            except Exception as error:  # such as a database that does not answer; clocks must not stop for it
                tell("clock_failed", logging.ERROR, table=table_id, error=repr(error))
                self._services.deadlines.add(table_id, now() + timedelta(seconds=RETRY_SECONDS))

    async def close(self) -> None:
        """Finish what has begun at every table."""
        for chore in self._chores:
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        for place in list(self._places.values()):
            if place.table is not None:
                await place.table.close()
