"""Structured logs and metrics for the operator of a server.

They never contain a secret, a card or a move, because the operator may play at the same table.
"""

import json
import logging
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cabochon.errors import CabochonError

QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
SLOW = (0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
UNMATCHED = "(none)"

Reading = Callable[[], float] | Mapping[str, Callable[[], float]]  # by the values of a label

logger = logging.getLogger("cabochon.server")


class Metrics:
    """The metrics for Prometheus."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=self.registry), partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        by = ["method", "route", "status"]
        requests = "HTTP requests, by route and status."
        self.requests = histogram("cabochon_http_request_seconds", requests, by, buckets=QUICK)
        self.sockets = gauge("cabochon_sockets", "Open sockets.")
        self.tables = gauge("cabochon_live_tables", "Tables in memory.")
        self.entries = counter("cabochon_entries", "Committed decisions and undos, by who made them.", ["by"])
        self.moves = histogram("cabochon_move_seconds", "Time from a person's move to its messages.", buckets=QUICK)
        self.commits = histogram("cabochon_commit_seconds", "Duration of commits to the log.", buckets=QUICK)
        self.refusals = counter("cabochon_refusals", "Refusals, by code.", ["code"])
        self.slow_clients = counter("cabochon_slow_clients", "Sockets closed because the client read too slowly.")
        self.thinking = histogram("cabochon_bot_seconds", "Time bots take per move, by level.", ["level"], buckets=SLOW)
        self.bot_failures = counter("cabochon_bot_failures", "Moves for which a bot failed, by level.", ["level"])
        claims = "Time that something was due at a table until this process claimed it, by what it was."
        self.claims = histogram("cabochon_claim_seconds", claims, ["waits_for"], buckets=SLOW)
        due_moves = "Moves of bots that are due and that no process computes, in the whole database."
        self.due_moves = gauge("cabochon_due_bot_moves", due_moves)
        analyses = "Analyses that no process computes yet, in the whole database."
        self.analyses_waiting = gauge("cabochon_analyses_waiting", analyses)
        self.loop_lag = histogram("cabochon_loop_lag_seconds", "How late the event loop does its work.", buckets=QUICK)
        self.build = Info("cabochon_build", "The version and the role of this process.", registry=self.registry)

    def watch_gauge(self, name: str, text: str, read: Reading, label: str = "") -> None:
        """Read a number when the metrics are asked for; or several, by the values of a label."""
        self.registry.register(_Watched(GaugeMetricFamily, name, text, read, label))

    def watch_counter(self, name: str, text: str, read: Reading, label: str = "") -> None:
        """Read a number that only grows, or several."""
        self.registry.register(_Watched(CounterMetricFamily, name, text, read, label))

    def page(self) -> tuple[bytes, str]:
        """Return all metrics in the text format of Prometheus, and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_PLAIN_0_0_4


@dataclass(frozen=True, eq=False)
class _Watched(Collector):
    """A metric whose numbers another part has."""

    family: type[GaugeMetricFamily] | type[CounterMetricFamily]
    name: str
    text: str
    read: Reading
    label: str

    def collect(self) -> Iterable[Metric]:
        if callable(self.read):
            yield self.family(self.name, self.text, value=self.read())
            return
        metric = self.family(self.name, self.text, labels=[self.label])
        for value, read in self.read.items():
            metric.add_metric([value], read())
        yield metric


class _Formatter(logging.Formatter):
    """Leaves out what an error of a game says, because it may name a card; its type and its rule stay."""

    def formatException(self, ei: Any) -> str:  # noqa: N802  (of the base class)
        text, error = super().formatException(ei), ei[1]
        while error is not None:
            if isinstance(error, CabochonError):
                text = text.replace(error.message, "...")
            error = error.__cause__ or error.__context__
        return text


class JsonFormatter(_Formatter):
    """One JSON object per line: time, level, logger, message, and the facts of the event."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class TextFormatter(_Formatter):
    """One line of text per event."""

    def format(self, record: logging.LogRecord) -> str:
        facts = " ".join(f"{key}={value}" for key, value in getattr(record, "facts", {}).items())
        when = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        line = f"{when} {record.levelname.lower():7} {record.getMessage()} {facts}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Whether to keep a record: uvicorn logs a traceback for every message of a client that is not UTF-8."""
    return not (record.exc_info and isinstance(record.exc_info[1], UnicodeDecodeError))


def set_up_logging(log_format: str, level: str, stream: TextIO | None = None) -> None:
    """Write the server's logs and uvicorn's warnings to standard error, as "json" or "text"."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    logging.getLogger("uvicorn.error").addFilter(_is_worth_logging)
    for name, least in (("cabochon", level.upper()), ("uvicorn", "WARNING"), ("alembic", "WARNING")):
        source = logging.getLogger(name)
        source.handlers = [handler]
        source.setLevel(least)
        source.propagate = False


def log_event(event: str, level: int = logging.INFO, **facts: Any) -> None:
    """Log an event with its facts. An error among them is described without what it says about a game."""
    described = {name: _described(fact) if isinstance(fact, BaseException) else fact for name, fact in facts.items()}
    logger.log(level, event.replace("_", " "), extra={"facts": {"event": event, **described}})


def _described(error: BaseException) -> str:
    return f"{type(error).__name__} [{error.rule}]" if isinstance(error, CabochonError) else repr(error)


def log_database_failure(error: Exception) -> None:
    """Log an error of the database with its traceback."""
    logger.error("database failed", exc_info=error, extra={"facts": {"event": "database_failed"}})


@dataclass
class TelemetryMiddleware:
    """Counts and logs every HTTP request."""

    app: ASGIApp
    metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        status = 500
        started = time.perf_counter()

        async def recording_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, recording_send)
        finally:
            seconds = time.perf_counter() - started
            route = getattr(scope.get("route"), "path", UNMATCHED)
            method = scope["method"] if scope["method"] in ("GET", "HEAD", "PUT", "POST", "DELETE") else "OTHER"
            self.metrics.requests.labels(method, route, status).observe(seconds)
            level, milliseconds = logging.DEBUG if status < 500 else logging.WARNING, round(1000 * seconds, 2)
            log_event("request", level, method=method, route=route, status=status, milliseconds=milliseconds)
