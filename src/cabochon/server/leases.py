"""Leases: which process drives the bots and the clock of a table.

The process that commits an entry of a game drives what follows from it. Its lease is valid as long as the process is
alive. After that, or when it gives the lease back, any other process may take over. A process that does not know yet
that it lost a lease does no harm: its entry comes too late for its place in the log.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

import sqlalchemy as sa

from cabochon.server import clocks
from cabochon.server.clocks import Deadlines
from cabochon.server.database import ConflictError, Database
from cabochon.server.processes import Processes, is_unleased
from cabochon.server.schema import entries, seats, tables
from cabochon.server.table_store import TableRecord
from cabochon.server.timeline import Timeline

Cause = Literal["bot", "clock"]

TABLES_PER_UPDATE = 1_000  # more would hold up other writers, or exceed the parameters of a statement
RETRY_AFTER = timedelta(seconds=15)  # until a table that failed is claimed again
OVERDUE = timedelta(seconds=10)  # what this process itself holds and should have done by then is claimed anew


@dataclass(frozen=True)
class NextStep:
    """What has to be done at a table next without any person: a bot's move, or a look at the clock."""

    waits_for: Cause | None = None
    due_at: datetime | None = None
    leased_to: str | None = None  # the process that does it; None: whoever is free


class Leases:
    """The leases of this process."""

    def __init__(self, database: Database, processes: Processes, deadlines: Deadlines) -> None:
        self._database = database
        self._deadlines = deadlines
        self.process_id = processes.id
        self.taken_over = 0  # leases of processes that were dead or stopped
        self.on_claim: Callable[[Cause, float], None] = lambda cause, seconds: None  # since when it was due
        self.are_closed = False
        self._thinks = processes.thinks

    def next_step(self, record: TableRecord, timeline: Timeline, has_viewers: bool) -> NextStep:
        """Return what is next at a table, with a lease for this process if it can do it.

        At a table without people, bots play only while somebody watches.
        """
        if record.status != "playing":
            return NextStep()
        if record.seats.bot_level(timeline.game.seat) is not None:
            if not record.seats.has_person and not has_viewers:
                return NextStep()
            return NextStep("bot", clocks.now(), self._lease_if(self._thinks))
        deadline = timeline.deadline
        if deadline is None:
            return NextStep()
        return NextStep("clock", self._deadlines.with_grace(deadline), self._lease_if(self._deadlines.are_enforced))

    def _lease_if(self, can_do_it: bool) -> str | None:
        return self.process_id if can_do_it and not self.are_closed else None

    async def take(self, table_id: str, seq: int, step: NextStep) -> bool:
        """Store what is next at a table after so many entries, and take the lease if this process can do it.

        A table that was claimed is stored once more: the claim knew only the row, and the log says what is next.
        Return False if another process that is alive has the lease, or if the step was left to the others before.
        Raise `ConflictError` if there are more entries.
        """
        is_meant = sa.and_(tables.c.id == table_id, tables.c.status == "playing", self._is_free())
        length = sa.select(sa.func.coalesce(sa.func.max(entries.c.seq), 0)).where(entries.c.table_id == table_id)
        async with self._database.transaction() as connection:
            # Locked first: no other process can append an entry between the next two statements.
            columns = (tables.c.waits_for, tables.c.due_at, tables.c.leased_to)
            found = sa.select(*columns).where(is_meant).with_for_update(key_share=True)
            row = (await connection.execute(found)).first()
            if row is None:
                return False
            if await connection.scalar(length) != seq:
                raise ConflictError(f"next step of table {table_id}")
            stored = NextStep(*row)
            if step.leased_to is None and step.waits_for == stored.waits_for:
                step = replace(step, due_at=stored.due_at)  # it keeps its place among those that wait
            if step == stored:
                return step.leased_to is not None
            await connection.execute(tables.update().where(tables.c.id == table_id).values(asdict(step)))
        return True

    async def claim_due(self, cause: Cause, until: datetime, most: int, driven: Collection[str] = ()) -> list[str]:
        """Take the leases of up to so many tables where something is due until then, the longest due first.

        A table that this process has leased already is claimed again if it is long overdue and not one of `driven`.
        """
        is_overdue = sa.and_(tables.c.due_at < clocks.now() - OVERDUE, tables.c.id.not_in(list(driven)))
        is_idle = sa.or_(tables.c.leased_to.is_(None), tables.c.leased_to != self.process_id, is_overdue)
        is_due = sa.and_(tables.c.status == "playing", tables.c.waits_for == cause, tables.c.due_at <= until)
        columns = (tables.c.id, tables.c.due_at, tables.c.leased_to)
        found = sa.select(*columns).where(is_due, is_idle, self._is_free()).order_by(tables.c.due_at).limit(most)
        if not await self._database.fetch(found):  # mostly so, and reading disturbs nobody
            return []
        claimed = await self._update_unlocked(found, leased_to=self.process_id)
        for row in claimed:
            self.taken_over += row.leased_to not in (None, self.process_id)
            self.on_claim(cause, max(0.0, (clocks.now() - row.due_at).total_seconds()))
        return [str(row.id) for row in claimed]

    async def count_due(self) -> int:
        """Count the bots' moves that are due and that no process computes."""
        is_due = sa.and_(tables.c.status == "playing", tables.c.waits_for == "bot", tables.c.due_at <= clocks.now())
        count = sa.select(sa.func.count()).select_from(tables).where(is_due, is_unleased(tables.c.leased_to))
        return int((await self._database.fetch(count))[0][0])

    def _is_free(self) -> sa.ColumnElement[bool]:
        """Whether no other process that is alive has the lease of a table."""
        return sa.or_(tables.c.leased_to == self.process_id, is_unleased(tables.c.leased_to))

    def close(self) -> None:
        """Take no more leases: what is committed from now on is for other processes to drive."""
        self.are_closed = True

    async def delay(self, table_id: str) -> None:
        """Give back the lease of a table that failed, and let nobody claim it again for a moment."""
        is_own = sa.and_(tables.c.id == table_id, tables.c.leased_to == self.process_id)
        found = sa.select(tables.c.id).where(is_own)
        await self._update_unlocked(found, leased_to=None, due_at=clocks.now() + RETRY_AFTER)

    async def release_all(self) -> None:
        """Give all leases back."""
        await self._update_all(sa.select(tables.c.id).where(tables.c.leased_to == self.process_id), leased_to=None)

    async def postpone(self) -> None:
        """Look at clocks that ran out while nobody could play only when they may do so."""
        until = self._deadlines.grace_until
        is_early = sa.and_(tables.c.status == "playing", tables.c.waits_for == "clock", tables.c.due_at < until)
        await self._update_all(sa.select(tables.c.id).where(is_early, self._is_free()), due_at=until)

    async def mark_forgotten(self) -> None:
        """Mark games as due that wait for a bot or a clock without saying so: an older version does not say it."""
        bot_moves = (
            sa.exists()
            .where(seats.c.table_id == tables.c.id, seats.c.seat == tables.c.seat_to_move)
            .where(sa.or_(seats.c.kind == "bot", seats.c.left_at.is_not(None)))
        )
        has_person = sa.exists().where(seats.c.table_id == tables.c.id, seats.c.kind == "person")
        is_forgotten = sa.and_(tables.c.status == "playing", tables.c.due_at.is_(None))
        marks: list[tuple[Cause, sa.ColumnElement[bool]]] = [
            ("clock", tables.c.clock.is_not(None)),
            ("bot", sa.and_(bot_moves, has_person)),
        ]
        for cause, condition in marks:
            found = sa.select(tables.c.id).where(is_forgotten, condition)
            await self._update_all(found, waits_for=cause, due_at=clocks.now())

    async def _update_all(self, found: sa.Select[*tuple[Any, ...]], **values: Any) -> None:
        """Change all tables that a query finds, and does not find any more once they are changed."""
        while len(await self._update_unlocked(found.limit(TABLES_PER_UPDATE), **values)) == TABLES_PER_UPDATE:
            pass

    async def _update_unlocked(self, found: sa.Select[*tuple[Any, ...]], **values: Any) -> Sequence[Any]:
        """Change the tables that a query finds, except those that are being changed; return the rows before that."""
        async with self._database.transaction() as connection:
            rows = (await connection.execute(found.with_for_update(skip_locked=True, key_share=True))).all()
            is_found = tables.c.id.in_([row.id for row in rows])
            await connection.execute(tables.update().where(is_found).values(values))
        return rows
