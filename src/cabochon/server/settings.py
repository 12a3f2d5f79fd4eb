"""What a server can be told: where it listens, what it keeps, and how much it lets one client do."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

SQLITE = "sqlite+aiosqlite"


def data_folder() -> Path:
    """Where a user's games are kept."""
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "cabochon"


def database_url(database: str) -> str:
    """The address of a database: as it is, or that of an SQLite file of this name."""
    return database if "://" in database else f"{SQLITE}:///{Path(database).expanduser().absolute()}"


def allow_many_sockets() -> None:
    """Let this process, and those that it starts, have as many files open as it may; by itself it often has 1024.

    Windows has no such limit.
    """
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(ValueError, OSError):  # some systems name a limit that they do not grant
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@dataclass(frozen=True)
class Limits:
    """How much one client may do; a rate is a number a second, a burst how many may come at once."""

    body_bytes: int = 16_384
    record_bytes: int = 131_072  # of a record to replay
    message_bytes: int = 4_096
    request_rate: float = 10.0
    request_burst: int = 60
    replay_rate: float = 1.0
    replay_burst: int = 20
    message_rate: float = 10.0
    message_burst: int = 40
    phrase_rate: float = 1.0
    phrase_burst: int = 3
    refused_in_a_row: int = 100  # messages that came too fast, after which the line is closed
    sockets_per_address: int = 64
    spectators_per_table: int = 200
    sockets_per_seat: int = 20
    unsent_messages: int = 32  # waiting for a client that reads too slowly, after which the line is closed
    tables_per_guest: int = 100  # that are not over
    tokens_per_guest: int = 10


@dataclass(frozen=True)
class Settings:
    """How a server runs; `cabochon serve --help` says which of it, and of the limits, can be set."""

    database: str
    public_origins: tuple[str, ...] = ()  # besides the one under which a request comes
    is_cookie_secure: bool | None = None  # None: as the request came, by HTTPS or not
    bot_threads: int = 1
    analysis_nodes: int = 400  # simulations for a decision of a game that is looked at again
    bot_pause: float = 1.0  # seconds between a person's move and a bot's answer
    watching_pause: float = 0.5  # seconds until people hear how many look on: many may come at a time
    clock_grace: float = 60.0  # seconds after a start in which no clock runs out, so that people can come back
    waiting_minutes: float = 30.0  # how long a table waits for players while nobody is there
    idle_days: float = 30.0  # how long a game without a clock stands still
    link_minutes: float = 15.0  # how long a link for another device is good
    has_metrics: bool = True
    limits: Limits = field(default_factory=Limits)
