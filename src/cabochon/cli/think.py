"""`cabochon think`: let bots move and analyse games for servers that have no threads for them, until stopped."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

import uvicorn

from cabochon.cli.databases import usable_database
from cabochon.cli.serve import bound_socket, url_of
from cabochon.cli.stopping import end_by, stop_signal
from cabochon.cli.terminal import error_console
from cabochon.errors import CabochonError
from cabochon.server.app import create_monitoring_app
from cabochon.server.database import is_shared
from cabochon.server.services import Server
from cabochon.server.settings import Settings
from cabochon.server.telemetry import set_up_logging


def think(settings: Settings, monitoring: tuple[str, int] | None, log_format: str, log_level: str) -> None:
    """Compute moves and analyses until stopped; offer metrics at this host and port."""
    if not is_shared(settings.database):
        expected = "expected the URL of a PostgreSQL database (postgresql+asyncpg://...)"
        raise CabochonError(f"{expected}: only one process can use an SQLite database")
    set_up_logging(log_format, log_level)
    asyncio.run(_think(settings, monitoring))


async def _think(settings: Settings, monitoring: tuple[str, int] | None) -> None:
    server = Server(settings, "thinker")
    stopping = asyncio.create_task(stop_signal())
    async with AsyncExitStack() as stack:
        if monitoring is not None:
            await stack.enter_async_context(_monitored(server, *monitoring))
        starting = asyncio.create_task(_start(server))
        await asyncio.wait([starting, stopping], return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            starting.result()  # or the error that it ended with
        number = await stopping
        starting.cancel()
        await server.stop()
    end_by(number)


async def _start(server: Server) -> None:
    with usable_database(server.settings.database):
        await server.start()
    await server.prepared()
    error_console().print("Cabochon is thinking (stop it with Ctrl+C)")


class _SilentServer(uvicorn.Server):
    """Leaves signals to the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def _monitored(server: Server, host: str, port: int) -> AsyncIterator[None]:
    """Offer the metrics and the state of a thinker over HTTP."""
    bound = bound_socket(host, port)
    app = create_monitoring_app(server)
    web = _SilentServer(
        uvicorn.Config(
            app, lifespan="off", log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=1
        )
    )
    serving = asyncio.create_task(web.serve([bound]))
    error_console().print(f"Metrics are at {url_of(host, bound.getsockname()[1])}metrics", soft_wrap=True)
    try:
        yield
    finally:
        web.should_exit = True
        await serving
        bound.close()
