"""A database whose statements fail when a test wants it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from cabochon.server.database import Database


class FailingStatements:
    """Decides before every statement of a database whether it fails, as it would on a full disk."""

    def __init__(self, database: Database) -> None:
        self.texts: list[str] = []
        self.fails: Callable[[int, str], bool] = lambda number, statement: False
        for event in ("do_execute", "do_executemany"):
            sa.event.listen(database._engine.sync_engine, event, self._check)

    def _check(self, _: Any, statement: str, __: Any, context: Any) -> None:
        self.texts.append(statement)
        if self.fails(len(self.texts), statement):
            raise context.dialect.dbapi.OperationalError("database or disk is full")


def is_write(_: int, statement: str) -> bool:
    """Whether a full disk refuses the statement."""
    return statement.startswith(("INSERT", "UPDATE", "DELETE"))
