"""The analyses in the database: requested, under way or complete."""

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from cabochon.server import clocks
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.processes import is_unleased
from cabochon.server.schema import analyses

MOST_AT_A_TIME = 32  # games
MOST_KEPT = 1_000  # complete analyses; each takes a few kilobytes
ADDING_LOCK = 5_041_827  # an arbitrary number, which no other program on the database should use


@dataclass(frozen=True)
class StoredAnalysis:
    """An analysis so far; `message` is a `protocol.Analysis` as gzipped JSON."""

    message: bytes
    is_complete: bool


@dataclass(frozen=True)
class AnalysisJob:
    """An analysis that this process computes: who requested it, the record of the game, and the result so far.

    `message` is a `protocol.Analysis` as gzipped JSON.
    """

    key: str
    client: str
    record: str
    message: bytes


class AnalysisStore:
    """The table of analyses. A process has the lease of an analysis as long as it is alive and computes it."""

    def __init__(self, database: Database, process_id: str) -> None:
        self._database = database
        self._process_id = process_id

    async def get(self, key: str) -> StoredAnalysis | None:
        """Return an analysis so far; None if it was not requested, or if it failed."""
        query = sa.select(analyses.c.message, analyses.c.is_complete).where(analyses.c.key == key)
        rows = await self._database.fetch(query)
        return StoredAnalysis(*rows[0]) if rows else None

    async def add(self, key: str, client: str, record: str, message: bytes) -> None:
        """Add a requested analysis, unless it is there already; refuse it if too many are under way."""
        counted = sa.or_(~analyses.c.is_complete, analyses.c.key == key)
        async with self._database.transaction() as connection:
            if self._database.is_shared:  # or other processes could add more than the limit at the same moment
                await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADDING_LOCK)))
            rows = (await connection.execute(sa.select(analyses.c.key, analyses.c.client).where(counted))).all()
            if any(row.key == key for row in rows):
                return
            if any(row.client == client for row in rows):
                expected = "expected one analysis at a time; wait until the other one is complete"
                raise RequestError("limit_reached", expected)
            if len(rows) >= MOST_AT_A_TIME:
                raise RequestError("busy", f"expected at most {MOST_AT_A_TIME} analyses at a time; try again later")
            row = {
                "key": key,
                "client": client,
                "record": record,
                "message": message,
                "is_complete": False,
                "requested_at": clocks.now(),
            }
            await connection.execute(analyses.insert().values(row))

    async def claim(self, computing: Collection[str]) -> AnalysisJob | None:
        """Take the lease of the analysis that has waited longest, except those that this process computes already."""
        is_free = sa.or_(_is_waiting(), self._is_mine)
        is_meant = sa.and_(~analyses.c.is_complete, is_free, analyses.c.key.not_in(computing))
        first = sa.select(analyses.c.key).where(is_meant).order_by(analyses.c.requested_at).limit(1)
        if not await self._database.fetch(first):  # mostly so, and reading disturbs nobody
            return None
        job = first.add_columns(analyses.c.client, analyses.c.record, analyses.c.message)
        async with self._database.transaction() as connection:
            row = (await connection.execute(job.with_for_update(skip_locked=True))).first()
            if row is None:
                return None
            change = analyses.update().where(analyses.c.key == row.key)
            await connection.execute(change.values(leased_to=self._process_id))
        return AnalysisJob(*row)

    async def count_waiting(self) -> int:
        """Count the analyses that no process computes yet."""
        count = sa.select(sa.func.count()).select_from(analyses).where(~analyses.c.is_complete, _is_waiting())
        return int((await self._database.fetch(count))[0][0])

    async def save(self, key: str, message: bytes, is_complete: bool) -> bool:
        """Store an analysis so far; return False if another process has taken over the lease.

        When it is complete, its record is dropped, and so are the oldest of too many complete analyses.
        """
        values: dict[str, object] = {"message": message}
        if is_complete:
            values |= {"is_complete": True, "record": None, "leased_to": None}
        async with self._database.transaction() as connection:
            change = analyses.update().where(analyses.c.key == key, self._is_mine).values(values)
            if (await connection.execute(change)).rowcount == 0:
                return False
            if is_complete:
                newest = (
                    sa.select(analyses.c.key).where(analyses.c.is_complete).order_by(analyses.c.requested_at.desc())
                )
                # Locked by a query around it, because one with an offset also locks the rows that it skips.
                surplus = sa.select(analyses.c.key).where(analyses.c.key.in_(newest.offset(MOST_KEPT)))
                keys = await connection.scalars(surplus.with_for_update(skip_locked=True))
                await connection.execute(analyses.delete().where(analyses.c.key.in_(keys.all())))
        return True

    async def remove(self, key: str) -> None:
        """Forget an analysis that failed, unless another process has taken over the lease."""
        async with self._database.transaction() as connection:
            await connection.execute(analyses.delete().where(analyses.c.key == key, self._is_mine))

    async def release_all(self) -> None:
        """Give all leases back."""
        async with self._database.transaction() as connection:
            await connection.execute(analyses.update().where(self._is_mine).values(leased_to=None))

    @property
    def _is_mine(self) -> sa.ColumnElement[bool]:
        return analyses.c.leased_to == self._process_id


def _is_waiting() -> sa.ColumnElement[bool]:
    """Whether no process that is alive has the lease of an analysis."""
    return is_unleased(analyses.c.leased_to)
