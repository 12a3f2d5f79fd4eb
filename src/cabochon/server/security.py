"""What stands between the network and the tables: origins, sizes, rates, headers, and the cookie."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cabochon.server.errors import Refusal
from cabochon.server.protocol import Problem
from cabochon.server.settings import Settings
from cabochon.server.telemetry import Metrics, logger

COOKIE = "cabochon_session"
COOKIE_SECONDS = 400 * 24 * 60 * 60  # the longest that browsers keep one
REPLAYS = "/api/replays"
ANALYSES = "/api/analyses"
COST_OF_A_FILE = 0.1  # of the page, against that of a request which is worked on
SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "media-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def problem(refusal: Refusal) -> Response:
    """A refusal as the answer to an HTTP request."""
    headers = {"Retry-After": "1"} if refusal.code == "too_fast" else None
    return JSONResponse(Problem(error=refusal.info).model_dump(), refusal.status, headers)


class Bucket:
    """Fills up at a rate; each thing that is done takes one out."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._level = float(burst)
        self._at = clock()

    def take(self, amount: float = 1.0) -> bool:
        """Whether there was so much to take."""
        now = self._clock()
        self._level = min(float(self._burst), self._level + (now - self._at) * self._rate)
        self._at = now
        if self._level < amount:
            return False
        self._level -= amount
        return True


class Buckets:
    """A bucket for every client; of very many, those that were used last."""

    MOST = 10_000

    def __init__(self, rate: float, burst: int) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, client: str, amount: float = 1.0) -> bool:
        """Whether the client may do one thing more."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = Bucket(self._rate, self._burst)
            if len(self._buckets) > self.MOST:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        return bucket.take(amount)


def client_of(connection: HTTPConnection) -> str:
    """Who limits count for: an address, or with IPv6 the network of one household."""
    host = connection.client.host if connection.client is not None else "?"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


class Whereabouts:
    """From which address each guest was last seen; of very many guests, those that were seen last."""

    MOST = 10_000

    def __init__(self) -> None:
        self._clients: OrderedDict[str, str] = OrderedDict()

    def note(self, guest_id: str, client: str) -> None:
        """The guest is there now."""
        self._clients[guest_id] = client
        self._clients.move_to_end(guest_id)
        if len(self._clients) > self.MOST:
            self._clients.popitem(last=False)

    def of(self, guest_id: str) -> str | None:
        """As `client_of` had it, or None for one who was not seen since the start."""
        return self._clients.get(guest_id)


def bearer_token(connection: HTTPConnection) -> str | None:
    """The token that a program sends in the place of a cookie."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def is_own_origin(connection: HTTPConnection, allowed: tuple[str, ...]) -> bool:
    """Whether a request comes from a page of ours, or from no page at all.

    Browsers say where a page that asks comes from; programs need not, and have no cookie of somebody's
    that they could misuse.
    """
    headers = connection.headers
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and "origin" not in headers:
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    if origin in allowed:
        return True
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc == headers.get("host")


def is_secure(connection: HTTPConnection, settings: Settings) -> bool:
    """Whether the cookie is for HTTPS alone."""
    if settings.is_cookie_secure is not None:
        return settings.is_cookie_secure
    return connection.url.scheme in ("https", "wss")


def set_cookie(response: Response, secret: str, connection: HTTPConnection, settings: Settings) -> None:
    """Give a client the secret of its session, out of reach of any script."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=is_secure(connection, settings),
        path="/",
    )


class Guarded:
    """Turns away what is foreign, too large or too fast, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        limits = settings.limits
        self._buckets = Buckets(limits.request_rate, limits.request_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request or a socket on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        refusal = self._refusal(scope, connection)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                self._metrics.refusals.labels(refusal.code).inc()
                await send({"type": "websocket.close", "code": 1008})  # before it is open: HTTP 403
            return

        is_answered = False

        async def sealed_send(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if refusal is not None:
            self._metrics.refusals.labels(refusal.code).inc()
            await problem(refusal)(scope, receive, sealed_send)
            return
        try:
            await self._app(scope, _limited(receive, self._most_bytes(scope)), sealed_send)
        except Exception:  # a fault of ours: the client hears of it, the log has all of it
            logger.exception("request failed", extra={"facts": {"event": "request_failed"}})
            if is_answered:
                raise
            answer = problem(Refusal("unavailable", "the server failed; try again"))
            answer.status_code = 500
            await answer(scope, receive, sealed_send)

    def _refusal(self, scope: Scope, connection: HTTPConnection) -> Refusal | None:
        cost = 1.0 if scope["path"].startswith("/api/") else COST_OF_A_FILE
        if not self._buckets.take(client_of(connection), cost):
            return Refusal("too_fast", "expected fewer requests at a time; wait a little")
        is_change = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if is_change and not is_own_origin(connection, self._settings.public_origins):
            return Refusal("origin", "expected a request from this server's own page")
        length = Headers(scope=scope).get("content-length", "0")
        most = self._most_bytes(scope)
        if not length.isascii() or not length.isdecimal() or int(length) > most:
            return Refusal("too_large", f"expected at most {most} bytes")
        return None

    def _most_bytes(self, scope: Scope) -> int:
        limits = self._settings.limits
        is_record = scope["path"] in (REPLAYS, ANALYSES)
        return limits.record_bytes if is_record else limits.body_bytes


def _limited(receive: Receive, most: int) -> Receive:
    """The same body, but for a refusal as soon as there is too much of it."""
    received = 0

    async def limited_receive() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > most:
                raise HTTPException(413, f"expected at most {most} bytes")
        return message

    return limited_receive
