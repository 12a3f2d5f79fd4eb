"""Everything that one running server consists of, and its start and stop."""

import asyncio
import copy
import logging
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

from starlette.requests import HTTPConnection

from cabochon.server import clocks
from cabochon.server.analyses import Analyses
from cabochon.server.bans import Bans
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.clocks import Deadlines
from cabochon.server.database import Database
from cabochon.server.errors import RequestError
from cabochon.server.game_log import GameLog
from cabochon.server.guests import BotTokens, Guests
from cabochon.server.history import History
from cabochon.server.leases import Leases
from cabochon.server.live_settings import LiveSettings
from cabochon.server.live_table import TableServices
from cabochon.server.lobby import Lobby
from cabochon.server.measurements import Measurements
from cabochon.server.notifications import new_notifications
from cabochon.server.page import Page
from cabochon.server.peer import Peer
from cabochon.server.precompilation import Precompilation, warm_up_rules
from cabochon.server.presence import Presence
from cabochon.server.processes import Processes, Role
from cabochon.server.rate_limits import ConnectionCounter, RateLimiter, keyed_hash
from cabochon.server.repeated import Repeated
from cabochon.server.replays import Replays
from cabochon.server.running_games import RunningGames
from cabochon.server.settings import Settings
from cabochon.server.shared_limits import SharedLimits
from cabochon.server.sockets import CloseCode, OpenConnections
from cabochon.server.stored_settings import StoredSettings
from cabochon.server.table_registry import TableRegistry
from cabochon.server.table_store import TableStore
from cabochon.server.telemetry import Metrics, log_event, logger
from cabochon.version import RULES_VERSION, __version__

SWEEP_SECONDS = 3600.0
RETRY_SECONDS = 1.0
SECONDS_TO_STOP = 8.0  # from the signal to the end, whatever does not answer


class Server:
    """The parts of one server, connected with each other; or those of a thinker, which computes for servers.

    A stop has four steps: `begin_to_stop` as soon as the signal comes, then `hand_over` to other processes while
    `send_clients_away` closes the sockets, and `stop` when no request is left.
    """

    def __init__(self, settings: Settings, role: Role = "server") -> None:
        self.settings = settings = copy.deepcopy(settings)  # an operator may change it while the server runs
        self.is_ready = False
        self._stops_at: float | None = None  # when the stop has to be done, once it has begun
        self._handing_over: asyncio.Task[None] | None = None
        self._preparing: asyncio.Task[None] | None = None
        self._precompilation = Precompilation()
        self.metrics = Metrics()
        self.database = Database(settings.database)
        self.processes = Processes(self.database, role, thinks=settings.bot_threads > 0)
        self.notifications = new_notifications(self.database, self.processes.id)
        self.stored_settings = StoredSettings(self.database)
        self.guests = Guests(self.database)
        self.bot_tokens = BotTokens(self.database)
        self.tables = TableStore(self.database)
        self.log = GameLog(self.database, self.metrics.commits.observe)
        self.history = History(self.database, self.tables)
        self.lobby = Lobby(self.tables, self.guests, self.notifications)
        self.workers = BotWorkers(
            settings.bot_threads,
            settings.analysis_nodes,
            on_move=lambda level, seconds: self.metrics.thinking.labels(level).observe(seconds),
            on_failure=lambda level: self.metrics.bot_failures.labels(level).inc(),
        )
        services = self._table_services()
        self._leases = services.leases
        self.registry = TableRegistry(services)
        self._peer = Peer(self.processes, self.registry, services)
        self.socket_counter = ConnectionCounter(settings.limits.sockets_per_address)
        self.token_connections, self.guest_connections = OpenConnections(), OpenConnections()
        self.replays = Replays()
        self.unfinished_requests = ConnectionCounter(settings.limits.unfinished_requests_per_address)
        self.request_limiter = RateLimiter(settings.limits.request_rate, settings.limits.request_burst)
        self.replay_limiter = RateLimiter(settings.limits.replay_rate, settings.limits.replay_burst)
        self.running_games = RunningGames(self.tables, self.log)
        self.opening_limiter = RateLimiter(settings.limits.opening_rate, settings.limits.opening_burst)
        limiters = {
            "requests": self.request_limiter,
            "replays": self.replay_limiter,
            "openings": self.opening_limiter,
        }
        self._shared_limits = SharedLimits(limiters, self.socket_counter, self.processes, self.notifications)
        self.analyses = Analyses(self.database, self.processes, self.notifications, self.workers)
        self._measurements = Measurements(
            self.metrics,
            self.database,
            self.notifications,
            self.processes,
            self.log,
            self._leases,
            self.workers,
            self.analyses,
        )
        self.page = Page()
        self._sweeping = Repeated("sweep", self.sweep, SWEEP_SECONDS)  # not at the start: nobody is back yet
        self._live_settings = LiveSettings(settings, self.stored_settings, self._apply_limits)
        self._follow_others()

    def _table_services(self) -> TableServices:
        deadlines = Deadlines(are_enforced=self.processes.role == "server")
        return TableServices(
            tables=self.tables,
            log=self.log,
            workers=self.workers,
            metrics=self.metrics,
            settings=self.settings,
            lobby=self.lobby,
            deadlines=deadlines,
            leases=Leases(self.database, self.processes, deadlines),
            presence=Presence(self.database, self.processes, self.notifications),
            notifications=self.notifications,
        )

    def _follow_others(self) -> None:
        """Take over what other processes and operators do."""
        bans = Bans(self.guests, self.registry, self.guest_connections)
        self._peer.handlers |= {
            "renamed": self.registry.note_renamed,
            "revoked": lambda notice: self.close_token(notice["digest"]),
            "uses": self._shared_limits.note_uses,
            "sockets": self._shared_limits.note_sockets,
            "analysis": self.analyses.note_request,
            "analysed": self.analyses.note_end,
        }
        self._peer.handlers |= dict.fromkeys(("banned", "settings"), lambda _: self._peer.follower.check_soon())
        self._peer.follower.checks += [self._close_revoked, self._live_settings.refresh, bans.enforce]

    def _apply_limits(self) -> None:
        limits = self.settings.limits
        self.request_limiter.set_rate(limits.request_rate)
        self.replay_limiter.set_rate(limits.replay_rate)
        self.opening_limiter.set_rate(limits.opening_rate)
        self.socket_counter.limit = limits.sockets_per_address

    def hashed(self, client: str) -> str:
        """Return what a client can be recognised by, by every process on this database, without its address."""
        return keyed_hash(self._address_key, client)

    async def start(self) -> None:
        """Open the database, and prepare everything else in the background while the page is already served.

        If there are other servers, those answer until this one knows the rules.
        """
        await self.database.lock()
        await self.database.open()
        if (at := await self.database.now()) is not None:
            clocks.process_time.set(at)
        await self._live_settings.refresh()
        self._address_key = await self.stored_settings.secret("address")
        self.registry.rules_loaded.clear()
        await self._peer.join()
        self._preparing = asyncio.create_task(self._prepare())
        self._sweeping.start()
        self._shared_limits.start()
        self._measurements.start()
        log_event("started", version=__version__, rules=RULES_VERSION, process=self.processes.id)
        if await self.processes.has_other_server():
            await self.registry.rules_loaded.wait()

    async def _prepare(self) -> None:
        """Compile and load the rules, resume all games, and load the bots."""
        if not await self._precompilation.run():
            log_event("compilation_failed", logging.ERROR)
        await _until_it_works("load_rules", lambda: asyncio.to_thread(warm_up_rules))
        self.registry.rules_loaded.set()
        await _until_it_works("resume_games", self._peer.resume_games)
        try:
            await self.workers.warm_up()
        except Exception:  # it is compiled when a bot is to move
            logger.exception("bots failed to load", extra={"facts": {"event": "bots_failed_to_load"}})
        self.analyses.start()
        self.is_ready = True
        log_event("ready")

    async def _close_revoked(self) -> None:
        """Close the sockets of tokens that were revoked through another process."""
        digests = self.token_connections.keys
        for digest in digests - await self.bot_tokens.valid(digests) if digests else ():
            self.close_token(digest)

    def close_token(self, digest: str) -> None:
        """Close the sockets of a token that was revoked."""
        self.token_connections.close_all(digest, CloseCode.REVOKED, "the token was revoked")

    async def prepared(self) -> None:
        """Wait until everything is compiled, loaded and resumed."""
        if self._preparing is not None:
            await asyncio.shield(self._preparing)

    @property
    def is_stopping(self) -> bool:
        """Whether the stop has begun."""
        return self._stops_at is not None

    def require_ready(self) -> None:
        """Refuse a request while the server starts or stops."""
        if not self.is_ready or self.is_stopping:
            doing = "stopping" if self.is_stopping else "starting"
            raise RequestError("busy", f"the server is {doing}; try again in a moment", retry_after=1)

    def begin_to_stop(self) -> None:
        """Say at once that the server is not ready any more; a signal handler may call this."""
        if self._stops_at is None:
            self._stops_at = time.monotonic() + SECONDS_TO_STOP

    def hand_over(self) -> asyncio.Task[None]:
        """Let other processes take over at once; what is under way can finish meanwhile."""
        self.begin_to_stop()
        if self._handing_over is None:
            self._handing_over = asyncio.create_task(self._leave())
        return self._handing_over

    async def send_clients_away(self) -> None:
        """Send all clients to another process, and also those who come later."""
        await self.token_connections.close()

    async def _leave(self) -> None:
        self._precompilation.stop()
        if self._preparing is not None:
            self._preparing.cancel()
        done = await asyncio.gather(self._peer.leave(), self.analyses.leave(), return_exceptions=True)
        for error in done:
            if error is not None:
                log_event("stop_failed", logging.WARNING, step="hand_over", error=error)

    async def stop(self) -> None:
        """Hand over, finish the changes that are under way, and close the database."""
        await self._do_in_time("hand_over", self.hand_over())
        for part in (self._measurements, self._sweeping, self._shared_limits, self.registry, self.log, self._peer):
            await self._do_in_time(type(part).__name__, part.close())
        for pool in (self.workers, self.replays, self.analyses):
            await self._do_in_time(type(pool).__name__, asyncio.to_thread(pool.close))
        await self._do_in_time("database", self.database.close())
        log_event("stopped")

    async def _do_in_time(self, name: str, step: Awaitable[None]) -> None:
        """Do a step of the stop; go on without it if it takes longer than the whole stop may take."""
        task = asyncio.ensure_future(step)
        left = SECONDS_TO_STOP if self._stops_at is None else self._stops_at - time.monotonic()
        await asyncio.wait([task], timeout=max(0.0, left))
        if not task.done():  # and do not wait for what it does when it is cancelled
            task.cancel()
            log_event("stop_failed", logging.WARNING, step=name, error="not done in time")
        elif not task.cancelled() and (error := task.exception()) is not None:
            log_event("stop_failed", logging.WARNING, step=name, error=error)

    async def sweep(self) -> None:
        """Close abandoned tables, and delete unused guests."""
        await self._leases.mark_forgotten()
        await self.registry.sweep()
        forgotten = await self.guests.remove_unused(clocks.now() - timedelta(days=self.settings.unused_guest_days))
        if forgotten:
            log_event("guests_forgotten", guests=forgotten)


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
