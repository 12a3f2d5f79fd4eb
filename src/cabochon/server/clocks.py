"""Clocks: the current time, the time limits of a game, and how much time each seat has left according to the log."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from cabochon.server import protocol


class ProcessTime:
    """The time in UTC: read once, and from then on counted by a monotonic clock.

    If the system clock jumps, no player loses time.
    """

    def __init__(self) -> None:
        self.set(datetime.now(UTC))

    def set(self, now: datetime) -> None:
        """Count from this time on."""
        self._start, self._started_at = now, time.monotonic()

    def now(self) -> datetime:
        """Return the time."""
        return self._start + timedelta(seconds=time.monotonic() - self._started_at)


process_time = ProcessTime()


def now() -> datetime:
    """Return the time in UTC. Other modules call `clocks.now()`, so that a test can replace it for all of them."""
    return process_time.now()


@dataclass(frozen=True, slots=True)
class Clock:
    """The time for each turn, and a reserve for the whole game; `kind` is "live" or "days"."""

    kind: str
    turn: timedelta
    reserve: timedelta = timedelta()

    @classmethod
    def from_message(cls, clock: protocol.LiveClock | protocol.DaysClock | None) -> Clock | None:
        """Convert the host's choice."""
        return None if clock is None else cls.from_text(" ".join(map(str, clock.model_dump().values())))

    def to_message(self) -> dict[str, Any]:
        """Convert to the fields of the message."""
        if self.kind == "days":
            return {"kind": "days", "days": self.turn.days}
        seconds = timedelta(seconds=1)
        return {"kind": "live", "move_seconds": self.turn // seconds, "reserve_seconds": self.reserve // seconds}

    @classmethod
    def from_text(cls, text: str | None) -> Clock | None:
        """Parse the text of the database: `live 30 300`, `days 3`, or None."""
        if text is None:
            return None
        kind, *numbers = text.split()
        if kind == "days":
            return cls("days", timedelta(days=int(numbers[0])))
        return cls("live", timedelta(seconds=int(numbers[0])), timedelta(seconds=int(numbers[1])))

    def to_text(self) -> str:
        """Format for the database; the inverse of `from_text`."""
        return " ".join(map(str, self.to_message().values()))


@dataclass(frozen=True, slots=True)
class Running:
    """A clock during a turn of `seat`, which began at `since` with these reserves."""

    clock: Clock
    seat: int
    since: datetime
    reserves: tuple[timedelta, ...]

    @property
    def reserve_from(self) -> datetime:
        """When the time for the turn is used up and the reserve begins to run."""
        return self.since + self.clock.turn

    @property
    def deadline(self) -> datetime:
        """When the reserve is used up too."""
        return self.reserve_from + self.reserves[self.seat]


def running_clock(
    clock: Clock, players: int, started_at: datetime, decisions: Sequence[tuple[int, datetime]], seat: int
) -> Running:
    """Return the clock when `seat` is to decide after these decisions, each given as a seat and a time.

    A turn consists of consecutive decisions of one seat. It lasts from the last decision of the previous seat to the
    last decision of its own.
    """
    reserves, since = [clock.reserve] * players, started_at
    turns = [(of, [at for _, at in group]) for of, group in groupby(decisions, key=lambda decision: decision[0])]
    if turns and turns[-1][0] == seat:
        turns.pop()  # this turn has not ended
    for of, times in turns:
        overdraft = max(timedelta(), times[-1] - since - clock.turn)
        reserves[of] = max(timedelta(), reserves[of] - overdraft)
        since = times[-1]
    return Running(clock, seat, since, tuple(reserves))


class Deadlines:
    """When to check the clock of which table. Checking too early or too often does no harm.

    No deadline is before `grace_until`: after a start, players get the chance to reconnect. A process that serves no
    players lets nobody time out.
    """

    def __init__(self, are_enforced: bool = True) -> None:
        self.are_enforced = are_enforced
        self.grace_until = datetime.min.replace(tzinfo=UTC)
        self._heap: list[tuple[datetime, str]] = []
        self._latest: dict[str, datetime] = {}  # the current deadline of each table; earlier ones in the heap are void
        self._has_new = asyncio.Event()

    def add(self, table_id: str, deadline: datetime) -> None:
        """Set the deadline of a table."""
        deadline = self.with_grace(deadline)
        self._latest[table_id] = deadline
        heapq.heappush(self._heap, (deadline, table_id))
        if len(self._heap) > 2 * len(self._latest):  # most are void
            self._heap = [(at, name) for name, at in self._latest.items()]
            heapq.heapify(self._heap)
        self._has_new.set()

    def remove(self, table_id: str) -> None:
        """Forget the deadline of a table."""
        self._latest.pop(table_id, None)

    def with_grace(self, deadline: datetime) -> datetime:
        """Return a deadline, or the end of the time in which none passes."""
        return max(deadline, self.grace_until)

    def begin_grace(self, seconds: float) -> None:
        """Let nobody time out for a while."""
        if self.are_enforced:
            self.grace_until = now() + timedelta(seconds=seconds)

    def is_past(self, deadline: datetime | None) -> bool:
        """Whether the time is up."""
        return self.are_enforced and deadline is not None and self.with_grace(deadline) <= now()

    async def next(self) -> str:
        """Wait for the next deadline, and return its table."""
        while True:
            self._has_new.clear()
            wait: float | None = None
            if self._heap:
                wait = (self._heap[0][0] - now()).total_seconds()
                if wait <= 0:
                    deadline, table_id = heapq.heappop(self._heap)
                    if self._latest.get(table_id) != deadline:
                        continue
                    del self._latest[table_id]
                    return table_id
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._has_new.wait()
