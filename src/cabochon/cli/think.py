"""`cabochon think`: let bots move and analyse games for servers that have no threads for them, until stopped."""

import asyncio
import signal
from contextlib import suppress

from cabochon.cli.databases import usable_database
from cabochon.cli.terminal import error_console
from cabochon.errors import CabochonError
from cabochon.server.database import is_shared
from cabochon.server.services import Server
from cabochon.server.settings import Settings
from cabochon.server.telemetry import set_up_logging


def think(settings: Settings, log_format: str, log_level: str) -> None:
    """Compute moves and analyses until stopped."""
    if not is_shared(settings.database):
        expected = "expected the URL of a PostgreSQL database (postgresql+asyncpg://...)"
        raise CabochonError(f"{expected}: only one process can use an SQLite database")
    set_up_logging(log_format, log_level)
    asyncio.run(_think(settings))


async def _think(settings: Settings) -> None:
    is_stopped = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, is_stopped.set)
    server = Server(settings, "thinker")
    with usable_database(settings.database):
        await server.start()
    try:
        await server.prepared()
        error_console().print("Cabochon is thinking (stop it with Ctrl+C)")
        await is_stopped.wait()
    finally:
        await server.stop()
