"""The work of `cabochon admin`: open the database, tell the servers, and print the results."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
import typer
from pydantic import BaseModel
from pydantic_core import to_jsonable_python
from rich.table import Table
from rich.text import Text
from sqlalchemy.engine import make_url

from cabochon.cli.databases import chosen_database, shown, usable_database
from cabochon.cli.terminal import is_interactive, output_console, print_json
from cabochon.errors import CabochonError
from cabochon.server import clocks
from cabochon.server.administration import STATUSES, Administration, GuestOverview, TableOverview
from cabochon.server.database import Database, new_id
from cabochon.server.live_settings import CHANGEABLE, checked_name, parsed_value
from cabochon.server.notifications import Notifications, new_notifications
from cabochon.server.personal_data import PersonalData
from cabochon.server.stored_settings import StoredSettings
from cabochon.server.table_store import UNFINISHED

_Result = TypeVar("_Result")


def run(database: str | None, work: Callable[["OperatorCommands"], Awaitable[_Result]]) -> _Result:
    """Do something at a database, and tell the servers that use it."""

    async def with_commands() -> _Result:
        opened = Database(url)
        try:
            await _check_is_ours(opened, url)
            await opened.open()
            if (at := await opened.now()) is not None:
                clocks.process_time.set(at)
            notifications = new_notifications(opened, new_id())
            await notifications.open()
            try:
                return await work(OperatorCommands(opened, notifications))
            finally:
                await notifications.close()
        finally:
            await opened.close()

    url = chosen_database(database)
    with usable_database(url):
        _check_exists(url)
        return asyncio.run(with_commands())


def _check_exists(url: str) -> None:
    """Refuse an SQLite file that does not exist, instead of creating it."""
    parts = make_url(url)
    if parts.get_backend_name() == "sqlite" and not Path(parts.database or "").is_file():
        raise CabochonError(f"expected the database of a server, got {parts.database!r}: there is no such file")


async def _check_is_ours(database: Database, url: str) -> None:
    """Refuse a database that no server has used, instead of creating tables there."""
    async with database.connection() as connection:
        is_ours = await connection.run_sync(lambda bound: sa.inspect(bound).has_table("alembic_version"))
    if not is_ours:
        raise CabochonError(f"expected the database of a server, got {shown(url)}: it has none of its tables")


class OperatorCommands:
    """The commands of an operator at the database of a server, one per method."""

    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._administration = Administration(database)
        self._personal_data = PersonalData(database)
        self._settings = StoredSettings(database)
        self._notifications = notifications

    async def show_tables(self, status: str | None, guest: str | None, limit: int, is_json: bool) -> None:
        """List tables."""
        if status is not None and status not in STATUSES:
            raise CabochonError(f"expected the status to be {' or '.join(STATUSES)}, got {status!r}")
        if guest is not None:
            await self._guest(guest)
        found = await self._administration.tables(status, guest, limit)
        rows = [
            (table.id, table.status, table.game, _names(table), str(table.entries), _moment(_last_change(table)))
            for table in found
        ]
        _print(found, is_json, ("table", "status", "game", "seats", "entries", "last change"), rows)

    async def show_table(self, table_id: str, is_json: bool) -> None:
        """Show one table."""
        table = await self._table(table_id)
        facts = table.model_dump(exclude={"seats"})
        rows = [(name.replace("_", " "), _cell(value)) for name, value in facts.items()]
        for seat in table.seats:
            extras = [seat.level, seat.guest, seat.kept_for and f"kept for {seat.kept_for}", seat.has_left and "left"]
            who = ", ".join([seat.kind, *(extra for extra in extras if extra)])
            rows.append((f"seat {seat.seat}", f"{seat.name} ({who})".strip()))
        _print(table, is_json, ("", ""), rows)

    async def close(self, table_id: str, is_json: bool) -> None:
        """Close a table."""
        table = await self._administration.close(table_id) or await self._table(table_id)
        if table.status not in UNFINISHED:
            raise CabochonError(f"expected a table that is waiting or playing, got one that is {table.status}")
        self._tell_tables([table_id])
        _report(
            f"Closed table {table_id}, which was {table.status}.", {"closed": table_id, "was": table.status}, is_json
        )

    async def show_connected(self, is_json: bool) -> None:
        """List who is connected."""
        found = await self._administration.connected()
        rows = []
        for place in found:
            guests = ", ".join(f"{guest.nickname} ({guest.id})" for guest in place.guests)
            rows.append((place.table, guests, str(place.spectators), f"{place.process} on {place.host}"))
        _print(found, is_json, ("table", "guests", "spectators", "process"), rows)

    async def show_guests(self, text: str, is_banned: bool, limit: int, is_json: bool) -> None:
        """List guests."""
        found = await self._administration.guests(text, is_banned, limit)
        rows = [
            (guest.id, guest.nickname, _moment(guest.created_at), _moment(guest.banned_at), str(guest.tables))
            for guest in found
        ]
        _print(found, is_json, ("guest", "nickname", "created", "banned", "tables"), rows)

    async def ban(self, guest_id: str, is_json: bool) -> None:
        """Ban a guest."""
        guest = await self._guest(guest_id)
        await self._administration.ban(guest_id)
        self._notifications.tell_all("banned")
        _report(f"Banned {guest.nickname} ({guest_id}).", await self._guest(guest_id), is_json)

    async def unban(self, guest_id: str, is_json: bool) -> None:
        """Let a guest in again."""
        guest = await self._guest(guest_id)
        await self._administration.unban(guest_id)
        _report(f"{guest.nickname} ({guest_id}) is no longer banned.", await self._guest(guest_id), is_json)

    async def export(self, guest_id: str) -> None:
        """Print everything about a guest."""
        await self._guest(guest_id)
        print_json(to_jsonable_python(await self._personal_data.export(guest_id)))

    async def delete(self, guest_id: str, is_confirmed: bool, is_json: bool) -> None:
        """Delete everything about a guest."""
        guest = await self._guest(guest_id)
        if not is_confirmed:
            if not is_interactive():
                raise CabochonError("expected --yes: there is no terminal to ask for confirmation")
            typer.confirm(f"Delete {guest.nickname} ({guest_id}) for good?", abort=True)
        shown = await self._personal_data.delete(guest_id)
        self._notifications.tell_all("banned")
        self._tell_tables(shown)
        text = f"Deleted {guest.nickname} ({guest_id}). Changed {len(shown)} tables."
        _report(text, {"deleted": guest_id, "tables": shown}, is_json)

    async def show_settings(self, is_json: bool) -> None:
        """List the settings that can be changed."""
        stored = await self._settings.all()
        facts = [
            {"name": name, "value": stored.get(name), "expected": setting.expected, "meaning": setting.meaning}
            for name, setting in CHANGEABLE.items()
        ]
        rows = [
            (name, _number(stored[name]) if name in stored else "(unset)", setting.meaning)
            for name, setting in CHANGEABLE.items()
        ]
        _print(facts, is_json, ("setting", "value", "meaning"), rows)

    async def set(self, name: str, text: str, is_json: bool) -> None:
        """Change a setting."""
        value = parsed_value(name, text)
        await self._settings.set(name, value)
        self._notifications.tell_all("settings")
        _report(f"{name} is now {_number(value)}.", {"name": name, "value": value}, is_json)

    async def unset(self, name: str, is_json: bool) -> None:
        """Take a change of a setting back."""
        checked_name(name)
        await self._settings.unset(name)
        self._notifications.tell_all("settings")
        _report(f"{name} is unset: each server uses its flag or default.", {"name": name, "value": None}, is_json)

    def _tell_tables(self, table_ids: Iterable[str]) -> None:
        for table_id in table_ids:
            self._notifications.tell_table(table_id, "table")
        self._notifications.tell_all("lobby")

    async def _table(self, table_id: str) -> TableOverview:
        table = await self._administration.table(table_id)
        if table is None:
            raise CabochonError(f"expected the id of a table, as `cabochon admin tables` shows it, got {table_id!r}")
        return table

    async def _guest(self, guest_id: str) -> GuestOverview:
        guest = await self._administration.guest(guest_id)
        if guest is None:
            raise CabochonError(f"expected the id of a guest, as `cabochon admin guests` shows it, got {guest_id!r}")
        return guest


def _print(
    value: BaseModel | Sequence[object], is_json: bool, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]
) -> None:
    if is_json:
        print_json(to_jsonable_python(value))
        return
    table = Table(*columns, box=None, padding=(0, 1), pad_edge=False, show_header=any(columns))
    for row in rows:
        table.add_row(*map(Text, row))  # a name may look like markup
    output_console().print(table)


def _report(text: str, value: object, is_json: bool) -> None:
    if is_json:
        print_json(to_jsonable_python(value))
    else:
        output_console().print(Text(text), soft_wrap=True)


def _names(table: TableOverview) -> str:
    return ", ".join(seat.name or seat.kind for seat in table.seats)


def _last_change(table: TableOverview) -> datetime:
    return table.last_entry_at or table.started_at or table.created_at


def _number(value: float) -> str:
    return f"{value:,}".removesuffix(".0")


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _moment(value) if isinstance(value, datetime) else "" if value is None else str(value)


def _moment(at: datetime | None) -> str:
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"
