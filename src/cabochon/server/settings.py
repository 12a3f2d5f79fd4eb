"""The settings of a server: its database, its limits for each client, and its timing."""

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path


def data_folder() -> Path:
    """Return the folder for the user's games and database."""
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "cabochon"


def database_url(database: str) -> str:
    """Return the URL of a database: the text itself if it is one, or that of an SQLite file."""
    return database if "://" in database else f"sqlite+aiosqlite:///{Path(database).expanduser().absolute()}"


def allow_many_sockets() -> None:
    """Raise the limit of open files to the maximum; the default is often 1024. Windows has no such limit."""
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):  # some systems do not grant the limit that they report
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@dataclass
class Limits:
    """How much one client may do. A rate is per second; a burst is how many may come at once."""

    header_bytes: int = 16_384  # all headers of a request, and its address
    headers: int = 100
    request_seconds: float = 30.0  # from the first byte of a request to the last
    unfinished_requests_per_address: int = 128
    body_bytes: int = 16_384
    record_bytes: int = 131_072  # a record to replay or analyse
    message_bytes: int = 4_096
    request_rate: float = 10.0
    request_burst: int = 60
    replay_rate: float = 1.0
    replay_burst: int = 20
    opening_rate: float = 0.2  # new guests and tables from one address
    opening_burst: int = 100
    message_rate: float = 10.0
    message_burst: int = 40
    phrase_rate: float = 1.0
    phrase_burst: int = 3
    refused_in_a_row: int = 100  # messages that came too fast; one more closes the socket
    sockets_per_address: int = 64
    spectators_per_table: int = 200
    sockets_per_seat: int = 20
    unsent_messages: int = 32  # queued for a client that reads too slowly; one more closes the socket
    tables_per_guest: int = 100  # not over
    tokens_per_guest: int = 10


@dataclass
class Settings:
    """How a server runs; `cabochon serve --help` lists what can be set.

    An operator may change some of it while the server runs (`live_settings`), so read a setting when it is needed.
    """

    database: str
    public_origins: tuple[str, ...] = ()  # besides the host of the request itself
    allowed_hosts: tuple[str, ...] = ()  # names in the Host header, besides localhost and those of public_origins
    is_cookie_secure: bool | None = None  # None: if the request came over HTTPS
    bot_threads: int = 1
    analysis_nodes: int = 400  # simulations per decision of an analysis
    bot_pause: float = 1.0  # seconds between a person's move and a bot's answer
    watching_pause: float = 0.5  # seconds in which changes in the number of spectators are collected
    clock_grace: float = 60.0  # seconds after a start in which no clock runs out, so that people can reconnect
    waiting_minutes: float = 30.0  # how long a table waits for players while nobody looks at it
    idle_days: float = 30.0  # how long a game without a clock may stand still
    unused_guest_days: float = 30.0  # how long a guest is kept who has never sat at a table
    link_minutes: float = 15.0  # how long a link for another device is valid
    has_metrics: bool = True
    limits: Limits = field(default_factory=Limits)
