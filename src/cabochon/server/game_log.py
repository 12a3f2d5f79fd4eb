"""The log of every game in the database: append and read.

A log only grows. The number of an entry is part of its primary key, so the database itself refuses the second of two
entries for the same place.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from cabochon.server.database import ConflictError, Database, is_locked
from cabochon.server.leases import NextStep
from cabochon.server.schema import entries, seats, tables
from cabochon.server.table_store import LOG_LENGTH
from cabochon.server.timeline import Entry, Timeline

NO_STEP = NextStep()


@dataclass(frozen=True)
class Result:
    """How a game ended for one seat."""

    place: int
    points: int
    has_won: bool


def results_of(timeline: Timeline) -> list[Result]:
    """Return the result of each seat, or nothing while the game goes on. A person who left has lost."""
    outcome = timeline.game.outcome
    if outcome is None:
        return []
    return [
        Result(len(outcome.places), points, False)
        if seat in timeline.left
        else Result(place, points, seat in outcome.winners)
        for seat, (place, points) in enumerate(zip(outcome.places, outcome.points, strict=True))
    ]


@dataclass(frozen=True)
class _Append:
    table_id: str
    entry: Entry
    status: str
    seat_to_move: int
    results: Sequence[Result]
    is_practice: bool
    next_step: NextStep
    is_committed: asyncio.Future[None]


class GameLog:
    """The logs of all games. Appends that arrive during a commit share the next one."""

    def __init__(self, database: Database, on_commit: Callable[[float], None] = lambda seconds: None) -> None:
        self.conflicts = 0  # entries for a place that another process has taken
        self._database = database
        self._on_commit = on_commit
        self._pending: list[_Append] = []
        self._uncommitted: set[asyncio.Future[None]] = set()  # of all entries that wait or are being written
        self._writers: set[asyncio.Task[None]] = set()
        self._is_writing = False

    async def read(self, table_id: str, since: int = 0) -> list[Entry]:
        """Return the log of a game, without the first `since` entries."""
        columns = (entries.c.seq, entries.c.seat, entries.c.text, entries.c.at)
        is_meant = sa.and_(entries.c.table_id == table_id, entries.c.seq > since)
        query = sa.select(*columns).where(is_meant).order_by(entries.c.seq)
        return [Entry(*row) for row in await self._database.fetch(query)]

    async def read_on(self, table_id: str, known: Sequence[Entry]) -> list[Entry]:
        """Return the log of a game. If the last of its known entries is still there, only those from it on are read."""
        before, last = known[:-1], known[-1:]
        following = await self.read(table_id, len(before))
        if following[: len(last)] == list(last):
            return [*before, *following]
        return await self.read(table_id)

    async def lengths(self, table_ids: Sequence[str]) -> dict[str, int]:
        """Return the lengths of the logs of these tables, by table."""
        return dict(await self._database.fetch(sa.select(tables.c.id, LOG_LENGTH).where(tables.c.id.in_(table_ids))))

    async def append(
        self,
        table_id: str,
        entry: Entry,
        status: str,
        seat_to_move: int,
        results: Sequence[Result] = (),
        is_practice: bool = False,
        next_step: NextStep = NO_STEP,
    ) -> None:
        """Commit an entry with what it makes of the table, and with the last one the result of every seat.

        Raise `ConflictError` if the place in the log is taken. A caller that is cancelled does not stop the commit.
        """
        is_committed = asyncio.get_running_loop().create_future()
        self._uncommitted.add(is_committed)
        is_committed.add_done_callback(self._forget)
        append = _Append(table_id, entry, status, seat_to_move, results, is_practice, next_step, is_committed)
        self._pending.append(append)
        if not self._is_writing:
            self._is_writing = True
            self._start(self._write_pending())
        await asyncio.shield(is_committed)

    def _forget(self, is_committed: asyncio.Future[None]) -> None:
        self._uncommitted.discard(is_committed)
        is_committed.exception()  # the caller, who gets it too, may be gone

    def _start(self, writing: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(writing)
        self._writers.add(task)
        task.add_done_callback(self._writers.discard)

    async def flush(self) -> None:
        """Wait until everything that was appended so far is committed or refused."""
        if self._uncommitted:
            await asyncio.wait(list(self._uncommitted))

    async def close(self) -> None:
        """Wait for the commits that are under way."""
        await self.flush()

    async def _write_pending(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, []
            # In one order, so that two processes never wait for each other's rows in a circle.
            await self._write(sorted(batch, key=lambda append: append.table_id))
        self._is_writing = False

    async def _write(self, batch: list[_Append], is_repeated: bool = False, is_alone: bool = False) -> None:
        """Write all in one transaction; if the database refuses it, write each by itself.

        If another transaction locks one of the tables for long, nobody waits for that entry: it `is_alone`, in a task
        of its own. If the connection is lost, write again: whether the first attempt was committed is not known then.
        """
        started = asyncio.get_running_loop().time()
        try:
            async with self._database.transaction() as connection:
                rows = [{"table_id": append.table_id, **asdict(append.entry)} for append in batch]
                await connection.execute(entries.insert(), rows)
                await connection.execute(_UPDATE_TABLE, [_table_row(append) for append in batch])
                for append in batch:
                    if append.entry.leaving is not None:
                        is_seat = sa.and_(seats.c.table_id == append.table_id, seats.c.seat == append.entry.seat)
                        await connection.execute(seats.update().where(is_seat).values(left_at=append.entry.at))
                results = [row for append in batch for row in _result_rows(append)]
                if results:
                    await connection.execute(_UPDATE_RESULT, results)
        except IntegrityError:
            if len(batch) > 1:
                for append in batch:
                    await self._write([append], is_repeated)
                return
            await self._settle_taken(batch[0], is_repeated)
        except DBAPIError as error:
            if is_locked(error) and not is_alone:
                for append in batch:
                    self._start(self._write([append], is_repeated, is_alone=True))
            elif error.connection_invalidated and not is_repeated:
                await self._write(batch, is_repeated=True, is_alone=is_alone)
            else:
                _settle(batch, error)
        except Exception as error:  # the callers handle it, whatever it is
            _settle(batch, error)
        else:
            _settle(batch, None)
            self._on_commit(asyncio.get_running_loop().time() - started)

    async def _settle_taken(self, append: _Append, is_repeated: bool) -> None:
        """Settle an entry whose place is taken, perhaps by the entry itself in an attempt that was not confirmed."""
        conflict: Exception | None = ConflictError(f"entry {append.entry.seq} of table {append.table_id}")
        if is_repeated:
            try:
                if append.entry in await self.read(append.table_id):
                    conflict = None
            except Exception as error:
                conflict = error
        self.conflicts += isinstance(conflict, ConflictError)
        _settle([append], conflict)


_UPDATE_TABLE = (
    tables.update()
    .where(tables.c.id == sa.bindparam("of_table"), tables.c.status != "closed")  # an operator may have closed it
    .values(
        status=sa.bindparam("to_status"),
        seat_to_move=sa.bindparam("to_seat"),
        is_practice=sa.bindparam("to_practice"),
        waits_for=sa.bindparam("to_wait_for"),
        due_at=sa.bindparam("to_due_at"),
        leased_to=sa.bindparam("to_process"),
    )
)
_UPDATE_RESULT = (
    seats.update()
    .where(seats.c.table_id == sa.bindparam("of_table"), seats.c.seat == sa.bindparam("of_seat"))
    .where(sa.exists().where(tables.c.id == seats.c.table_id, tables.c.status != "closed"))
    .values({name: sa.bindparam(f"new_{name}") for name in ("place", "points", "has_won", "finished_at")})
)


def _table_row(append: _Append) -> dict[str, Any]:
    return {
        "of_table": append.table_id,
        "to_status": append.status,
        "to_seat": append.seat_to_move,
        "to_practice": append.is_practice,
        "to_wait_for": append.next_step.waits_for,
        "to_due_at": append.next_step.due_at,
        "to_process": append.next_step.leased_to,
    }


def _result_rows(append: _Append) -> list[dict[str, Any]]:
    return [
        {"of_table": append.table_id, "of_seat": seat, "new_finished_at": append.entry.at}
        | {f"new_{name}": value for name, value in asdict(result).items()}
        for seat, result in enumerate(append.results)
    ]


def _settle(batch: list[_Append], error: Exception | None) -> None:
    for append in batch:
        if error is None:
            append.is_committed.set_result(None)
        else:
            append.is_committed.set_exception(error)
