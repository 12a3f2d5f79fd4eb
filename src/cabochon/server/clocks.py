"""Clocks: how much time a turn may take, and what the times of a log's entries leave of it."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from cabochon.server import protocol


@dataclass(frozen=True, slots=True)
class Clock:
    """So much time for a turn, and beyond it so much for the whole game; `kind` is "live" or "days"."""

    kind: str
    turn: timedelta
    reserve: timedelta = timedelta()

    @classmethod
    def from_message(cls, clock: protocol.LiveClock | protocol.DaysClock | None) -> Clock | None:
        """As a host wants it."""
        match clock:
            case protocol.LiveClock():
                return cls("live", timedelta(seconds=clock.move_seconds), timedelta(seconds=clock.reserve_seconds))
            case protocol.DaysClock():
                return cls("days", timedelta(days=clock.days))
            case None:
                return None

    def to_message(self) -> dict[str, Any]:
        """As a client is told."""
        if self.kind == "days":
            return {"kind": "days", "days": self.turn.days}
        seconds = timedelta(seconds=1)
        return {"kind": "live", "move_seconds": self.turn // seconds, "reserve_seconds": self.reserve // seconds}

    @classmethod
    def from_text(cls, text: str | None) -> Clock | None:
        """As it is kept: `live 30 300`, `days 3`, or nothing."""
        if text is None:
            return None
        kind, *numbers = text.split()
        if kind == "days":
            return cls("days", timedelta(days=int(numbers[0])))
        return cls("live", timedelta(seconds=int(numbers[0])), timedelta(seconds=int(numbers[1])))

    def to_text(self) -> str:
        """The inverse of `from_text`."""
        return " ".join(str(value) for value in self.to_message().values())


@dataclass(frozen=True, slots=True)
class Running:
    """A clock in a turn of `seat`, which began at `since` with these reserves."""

    clock: Clock
    seat: int
    since: datetime
    reserves: tuple[timedelta, ...]

    @property
    def reserve_from(self) -> datetime:
        """When the allowance for the turn is used up."""
        return self.since + self.clock.turn

    @property
    def deadline(self) -> datetime:
        """When the time is up."""
        return self.reserve_from + self.reserves[self.seat]


def running_clock(
    clock: Clock, players: int, started_at: datetime, decisions: Sequence[tuple[int, datetime]], seat: int
) -> Running:
    """What is left to each seat, when those decisions stand and `seat` is to decide.

    A turn is all decisions of one seat in a row. It lasts from the last decision of the seat before to its own last.
    """
    reserves, since = [clock.reserve] * players, started_at
    turns = [(of, [at for _, at in group]) for of, group in groupby(decisions, key=lambda decision: decision[0])]
    if turns and turns[-1][0] == seat:
        turns.pop()  # it goes on
    for of, times in turns:
        overdraft = max(timedelta(), times[-1] - since - clock.turn)
        reserves[of] = max(timedelta(), reserves[of] - overdraft)
        since = times[-1]
    return Running(clock, seat, since, tuple(reserves))


class Deadlines:
    """When somebody must look at which table. To look too early or too often does no harm.

    No time is up before `grace_until`: after a start those who were cut off get the chance to come back.
    """

    def __init__(self) -> None:
        self.grace_until = datetime.min.replace(tzinfo=UTC)
        self._heap: list[tuple[datetime, str]] = []
        self._latest: dict[str, datetime] = {}  # a table has one deadline at a time; those before it are void
        self._has_new = asyncio.Event()

    def add(self, table_id: str, deadline: datetime) -> None:
        """Look at this table then."""
        deadline = max(deadline, self.grace_until)
        self._latest[table_id] = deadline
        heapq.heappush(self._heap, (deadline, table_id))
        self._has_new.set()

    async def next(self) -> str:
        """Wait for the next moment to look, and tell at which table."""
        while True:
            self._has_new.clear()
            wait: float | None = None
            if self._heap:
                wait = (self._heap[0][0] - datetime.now(UTC)).total_seconds()
                if wait <= 0:
                    deadline, table_id = heapq.heappop(self._heap)
                    if self._latest.get(table_id) != deadline:
                        continue
                    del self._latest[table_id]
                    return table_id
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._has_new.wait()
