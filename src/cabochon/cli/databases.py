"""Which database a command uses, and what it says when that database cannot be used."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from cabochon.errors import CabochonError, needs_extra
from cabochon.server.settings import data_folder, database_url

SQLITE = "sqlite+aiosqlite"
POSTGRES = "postgresql+asyncpg"


def chosen_database(name: str | None) -> str:
    """Return the URL of the database of an option; by default, that of a file in the user's data folder."""
    url = database_url(name or str(data_folder() / "server.db"))
    try:
        driver, got = make_url(url).drivername, shown(url)
    except (ArgumentError, ValueError):  # the latter if the port is no number
        driver, got = "", "an invalid URL"
    if driver not in (SQLITE, POSTGRES):
        expected = f"expected an SQLite file or a URL such as {POSTGRES}://USER:PASSWORD@HOST/DATABASE"
        raise CabochonError(f"{expected}, got {got}")
    if driver == POSTGRES:
        with needs_extra("postgres", "PostgreSQL"):
            import_module("asyncpg")
    return url


@contextmanager
def usable_database(url: str) -> Iterator[None]:
    """Turn a failure of the database into an error that says which database it is, without its password."""
    try:
        yield
    except BrokenPipeError:  # of the output, as with `| head`: typer ends the command
        raise
    except (SQLAlchemyError, OSError) as error:
        reason = getattr(error, "orig", None) or error
        raise CabochonError(f"expected a usable database, got {shown(url)}: {reason}") from error


def shown(url: str) -> str:
    """Return a URL as it may be shown, without its password."""
    return repr(make_url(url).render_as_string(hide_password=True))
