"""Everything that one running server consists of, and its start and stop."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

from starlette.requests import HTTPConnection

from cabochon.server import clocks
from cabochon.server.analysis_jobs import Analyses
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.clocks import Deadlines
from cabochon.server.database import Database
from cabochon.server.game_log import GameLog
from cabochon.server.guests import BotTokens, Guests
from cabochon.server.history import History
from cabochon.server.live_table import TableServices
from cabochon.server.lobby import Lobby
from cabochon.server.page import Page
from cabochon.server.precompilation import Precompilation, warm_up_rules
from cabochon.server.rate_limits import ConnectionCounter, GuestAddresses, RateLimiter
from cabochon.server.replays import Replays
from cabochon.server.running_games import RunningGames
from cabochon.server.settings import Settings
from cabochon.server.sockets import TokenConnections
from cabochon.server.table_registry import TableRegistry
from cabochon.server.table_store import TableStore
from cabochon.server.telemetry import Metrics, log_event, logger
from cabochon.version import RULES_VERSION, __version__

SWEEP_SECONDS = 3600.0
RETRY_SECONDS = 1.0


class Server:
    """The parts of one server, connected with each other."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.is_ready = False
        self._precompilation = Precompilation()
        self.metrics = Metrics()
        self.database = Database(settings.database)
        self.guests = Guests(self.database)
        self.bot_tokens = BotTokens(self.database)
        self.tables = TableStore(self.database)
        self.log = GameLog(self.database, self.metrics.commits.observe)
        self.history = History(self.database, self.tables)
        self.addresses = GuestAddresses()
        self.lobby = Lobby(self.tables, self.guests, self.addresses)
        self.workers = BotWorkers(
            settings.bot_threads,
            settings.analysis_nodes,
            on_move=lambda level, seconds: self.metrics.thinking.labels(level).observe(seconds),
            on_failure=lambda level: self.metrics.bot_failures.labels(level).inc(),
        )
        self.registry = TableRegistry(
            TableServices(
                self.tables, self.log, self.workers, self.metrics, settings, self.lobby, Deadlines(), self.addresses
            )
        )
        self.socket_counter = ConnectionCounter(settings.limits.sockets_per_address)
        self.token_connections = TokenConnections()
        self.replays = Replays()
        self.unfinished_requests = ConnectionCounter(settings.limits.unfinished_requests_per_address)
        self.request_limiter = RateLimiter(settings.limits.request_rate, settings.limits.request_burst)
        self.replay_limiter = RateLimiter(settings.limits.replay_rate, settings.limits.replay_burst)
        self.running_games = RunningGames(self.tables, self.log)
        self.opening_limiter = RateLimiter(settings.limits.opening_rate, settings.limits.opening_burst)
        self.analyses = Analyses(self.workers)
        self.page = Page()

    async def start(self) -> None:
        """Open the database, and prepare everything else in the background while the page is already served."""
        await self.database.open()
        if (at := await self.database.now()) is not None:
            clocks.process_time.set(at)
        self.registry.rules_loaded.clear()
        self._preparing = asyncio.create_task(self._prepare())
        self._sweeping = asyncio.create_task(self._sweep_regularly())
        log_event("started", version=__version__, rules=RULES_VERSION)

    async def _prepare(self) -> None:
        """Compile and load the rules, resume all games, and load the bots."""
        if not await self._precompilation.run():
            log_event("compilation_failed", logging.ERROR)
        await _until_it_works("load_rules", lambda: asyncio.to_thread(warm_up_rules))
        self.registry.rules_loaded.set()
        await _until_it_works("resume_games", self.registry.resume_all)
        try:
            await self.workers.warm_up()
        except Exception:  # it is compiled when a bot is to move
            logger.exception("bots failed to load", extra={"facts": {"event": "bots_failed_to_load"}})
        self.is_ready = True
        log_event("ready")

    async def prepared(self) -> None:
        """Wait until everything is compiled, loaded and resumed."""
        await asyncio.shield(self._preparing)

    async def stop(self) -> None:
        """Finish the changes that are under way, and close the database."""
        self._precompilation.stop()
        self._preparing.cancel()
        self._sweeping.cancel()
        await self.registry.close()
        await self.analyses.close()
        await asyncio.to_thread(self.workers.close)
        await asyncio.to_thread(self.replays.close)
        await self.log.close()
        await self.database.close()
        log_event("stopped")

    async def sweep(self) -> None:
        """Close abandoned tables, and delete unused guests."""
        await self.registry.sweep()
        forgotten = await self.guests.remove_unused(clocks.now() - timedelta(days=self.settings.unused_guest_days))
        if forgotten:
            log_event("guests_forgotten", guests=forgotten)

    async def _sweep_regularly(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)  # first: after a start, nobody is back yet
            try:
                await self.sweep()
            except Exception:  # it may work in an hour
                logger.exception("sweep failed", extra={"facts": {"event": "sweep_failed"}})


async def _until_it_works(event: str, step: Callable[[], Awaitable[None]]) -> None:
    """Do a step of the start, and retry if it fails, because the database may be restarting too."""
    while True:
        try:
            await step()
            return
        except Exception:  # whatever it is, the server goes on answering that it is starting
            logger.exception("start delayed", extra={"facts": {"event": f"{event}_failed"}})
            await asyncio.sleep(RETRY_SECONDS)


def server_of(connection: HTTPConnection) -> Server:
    """Return the server that handles a request or a socket."""
    server: Server = connection.app.state.server
    return server
