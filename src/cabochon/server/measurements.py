"""What an operator sees of the parts of a server, besides what they count themselves."""

import asyncio
import time
from functools import partial
from typing import get_args

from prometheus_client import GCCollector, ProcessCollector

from cabochon.bots import LADDER
from cabochon.server.analyses import Analyses
from cabochon.server.bot_workers import FALLBACK, BotWorkers
from cabochon.server.database import Database
from cabochon.server.game_log import GameLog
from cabochon.server.leases import Leases
from cabochon.server.notifications import Notifications
from cabochon.server.processes import Processes
from cabochon.server.protocol import PROTOCOL_VERSION, ErrorCode
from cabochon.server.repeated import Repeated, cancel
from cabochon.server.telemetry import Metrics
from cabochon.version import RULES_VERSION, __version__

SECONDS_BETWEEN_BACKLOGS = 5.0
SECONDS_BETWEEN_LAGS = 0.25


class Measurements:
    """Reads the parts of a server when somebody asks for its metrics; some things it measures regularly."""

    def __init__(
        self,
        metrics: Metrics,
        database: Database,
        notifications: Notifications,
        processes: Processes,
        log: GameLog,
        leases: Leases,
        workers: BotWorkers,
        analyses: Analyses,
    ) -> None:
        self._metrics = metrics
        self._leases = leases
        self._analyses = analyses
        self._measuring = Repeated("measurement", self._measure_backlog, SECONDS_BETWEEN_BACKLOGS)
        self._lagging: asyncio.Task[None] | None = None
        ProcessCollector(registry=metrics.registry)
        GCCollector(registry=metrics.registry)
        facts = {"version": __version__, "rules": RULES_VERSION, "protocol": PROTOCOL_VERSION, "role": processes.role}
        metrics.build.info({name: str(fact) for name, fact in facts.items()})
        for level in (*LADDER, FALLBACK):  # Prometheus misses the first increase of a counter that was not there before
            metrics.bot_failures.labels(level)
        for code in get_args(ErrorCode):
            metrics.refusals.labels(code)
        leases.on_claim = lambda cause, seconds: metrics.claims.labels(cause).observe(seconds)
        count, watch = metrics.watch_counter, metrics.watch_gauge
        notices = {"sent": lambda: notifications.sent, "received": lambda: notifications.received}
        count("cabochon_notices", "Notices to and from other processes.", notices, "direction")
        gaps = "Times that notices may have been missed, because their connection was broken."
        count("cabochon_notice_gaps", gaps, lambda: notifications.gaps)
        conflicts = "Entries that were refused because another process had committed one first."
        count("cabochon_conflicts", conflicts, lambda: log.conflicts)
        taken_over = "Tables that were taken over from processes that had died or were paused."
        count("cabochon_leases_taken_over", taken_over, lambda: leases.taken_over)
        alive = "Processes on the database that are alive, as far as this one knows, including itself."
        watch("cabochon_processes", alive, lambda: 1 + len(processes.others))
        connections = {"in_use": lambda: database.connections[0], "idle": lambda: database.connections[1]}
        watch("cabochon_database_connections", "Connections to the database.", connections, "state")
        pools = workers.pools.items()
        threads = {name: partial(getattr, pool, "threads") for name, pool in pools}
        watch("cabochon_bot_threads", "Threads for bots and analyses.", threads, "pool")
        busy = {name: partial(getattr, pool, "busy") for name, pool in pools}
        watch("cabochon_bot_threads_busy", "Threads for bots and analyses that compute.", busy, "pool")
        waiting = {name: partial(getattr, pool, "waiting") for name, pool in pools}
        watch("cabochon_bot_queue", "Moves and judgements that wait for a thread.", waiting, "pool")
        watch("cabochon_analyses_under_way", "Analyses that this process computes.", lambda: analyses.under_way)

    def start(self) -> None:
        """Begin to measure."""
        self._measuring.start(at_once=True)
        self._lagging = asyncio.create_task(self._measure_lag())

    async def _measure_backlog(self) -> None:
        """Count what waits in the database for any process."""
        self._metrics.due_moves.set(await self._leases.count_due())
        self._metrics.analyses_waiting.set(await self._analyses.count_waiting())

    async def _measure_lag(self) -> None:
        """Measure how much too late the event loop does something."""
        while True:
            due = time.perf_counter() + SECONDS_BETWEEN_LAGS
            await asyncio.sleep(SECONDS_BETWEEN_LAGS)
            self._metrics.loop_lag.observe(max(0.0, time.perf_counter() - due))

    async def close(self) -> None:
        """Stop measuring."""
        await self._measuring.close()
        await cancel(self._lagging)
