"""The commands `cabochon admin`: what an operator can do at the database of a server, also while it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from cabochon.cli.options import DatabaseOption, JsonOption
from cabochon.errors import needs_extra

if TYPE_CHECKING:
    from cabochon.cli.administration import OperatorCommands

_Result = TypeVar("_Result")

admin = typer.Typer(
    name="admin",
    help="Manage the tables, guests and settings of a server, even while it runs.",
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

# An id may begin with a hyphen.
_WITH_ID = {"ignore_unknown_options": True}

TableArgument = Annotated[str, typer.Argument(metavar="TABLE", help="Id of a table.")]
GuestArgument = Annotated[str, typer.Argument(metavar="GUEST", help="Id of a guest, as `guests` shows it.")]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of a setting.")]
LimitOption = Annotated[int, typer.Option(help="Show at most this many.", metavar="N", min=1, max=1_000_000)]


def _run(database: str | None, work: Callable[[OperatorCommands], Awaitable[_Result]]) -> _Result:
    with needs_extra("server", "the server"):
        from cabochon.cli.administration import run
    return run(database, work)


@admin.callback()
def _show_help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@admin.command("tables")
def _tables(
    status: Annotated[
        str | None, typer.Option(help="Only tables with this status: waiting, playing, over or closed.")
    ] = None,
    guest: Annotated[str | None, typer.Option(help="Only tables of the guest with this id.", metavar="GUEST")] = None,
    limit: LimitOption = 100,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """List tables: first those that are not over, then the newest."""
    _run(database, lambda commands: commands.show_tables(status, guest, limit, json))


@admin.command("table", context_settings=_WITH_ID)
def _table(table: TableArgument, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Show a table, without its cards."""
    _run(database, lambda commands: commands.show_table(table, json))


@admin.command("close", context_settings=_WITH_ID)
def _close(table: TableArgument, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Close a table that waits or plays. A closed game has no winner and appears in no history."""
    _run(database, lambda commands: commands.close(table, json))


@admin.command("connected")
def _connected(database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Show who is connected, to which table and through which process."""
    _run(database, lambda commands: commands.show_connected(json))


@admin.command("guests", context_settings=_WITH_ID)
def _guests(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of a nickname, or an id.")] = "",
    banned: Annotated[bool, typer.Option("--banned", help="Only banned guests.")] = False,
    limit: LimitOption = 100,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Search for guests by nickname, the newest first."""
    _run(database, lambda commands: commands.show_guests(text, banned, limit, json))


@admin.command("ban", context_settings=_WITH_ID)
def _ban(guest: GuestArgument, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Ban a guest: close their sockets, refuse their requests, and remove them from their tables."""
    _run(database, lambda commands: commands.ban(guest, json))


@admin.command("unban", context_settings=_WITH_ID)
def _unban(guest: GuestArgument, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Let a banned guest in again."""
    _run(database, lambda commands: commands.unban(guest, json))


@admin.command("export", context_settings=_WITH_ID)
def _export(guest: GuestArgument, database: DatabaseOption = None) -> None:
    """Print everything that is stored about a guest, as JSON."""
    _run(database, lambda commands: commands.export(guest))


@admin.command("delete", context_settings=_WITH_ID)
def _delete(
    guest: GuestArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Delete everything that is stored about a guest. Their games stay, with an anonymous name."""
    _run(database, lambda commands: commands.delete(guest, yes, json))


@admin.command("settings")
def _settings(database: DatabaseOption = None, json: JsonOption = False) -> None:
    """List the settings that can be changed while the servers run."""
    _run(database, lambda commands: commands.show_settings(json))


@admin.command("set")
def _set(
    name: NameArgument,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="New value, a number.")],
    database: DatabaseOption = None,
    json: JsonOption = False,
) -> None:
    """Change a setting on all servers of the database. It overrides their flags."""
    _run(database, lambda commands: commands.set(name, value, json))


@admin.command("unset")
def _unset(name: NameArgument, database: DatabaseOption = None, json: JsonOption = False) -> None:
    """Undo `set`: each server uses its flag or default again."""
    _run(database, lambda commands: commands.unset(name, json))
