"""Check the host, origin, size and rate of every request, and add security headers to every response."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cabochon.server.errors import HTTP_STATUSES, RequestError
from cabochon.server.protocol import Problem
from cabochon.server.rate_limits import RateLimiter, client_of
from cabochon.server.settings import Settings
from cabochon.server.telemetry import Metrics, logger

RECORD_PATHS = ("/api/replays", "/api/analyses")  # where a body may be a whole record
COST_OF_A_FILE = 0.1  # of a file of the page, compared with an API request
SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])

SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def error_response(error: RequestError) -> Response:
    """Return the response to an HTTP request that is refused."""
    return JSONResponse(Problem(error=error.info).model_dump(), HTTP_STATUSES[error.code], error.headers)


def is_own_origin(connection: HTTPConnection, allowed: tuple[str, ...]) -> bool:
    """Whether a request comes from a page of this server, or from no page at all.

    Browsers send the origin of the page. Other programs need not, because they have no cookies of somebody else.
    """
    origin = connection.headers.get("origin")
    if origin is None:
        return connection.headers.get("sec-fetch-site", "none") in ("same-origin", "none")
    try:
        parts = urlsplit(origin)
    except ValueError:  # for example "http://["
        return False
    is_same_host = parts.scheme in ("http", "https") and parts.netloc == connection.headers.get("host")
    return is_same_host or origin in allowed


def is_allowed_host(host: str, settings: Settings) -> bool:
    """Whether a request for this `Host` is meant for this server.

    A foreign page can point its own name at this server's address (DNS rebinding), and would then count as the server's
    own page. It cannot do that with an IP address or a name of this machine.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
        known = {urlsplit(origin).hostname for origin in settings.public_origins}
    except ValueError:
        return False
    if name == "localhost" or name in known or name in settings.allowed_hosts:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@dataclass
class SecurityMiddleware:
    """Refuses requests that are for other hosts, from foreign pages, too large or too fast; adds security headers."""

    app: ASGIApp
    limiter: RateLimiter
    settings: Settings
    metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        error = self._check(scope)
        if error is not None:
            self.metrics.refusals.labels(error.code).inc()
        if scope["type"] == "websocket":
            if error is None:
                await self.app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})  # before it is open: HTTP 403
            return

        is_answered = False

        async def secured_send(message: Message) -> None:
            nonlocal is_answered
            is_answered = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if error is not None:
            await error_response(error)(scope, receive, secured_send)
            return
        try:
            await self.app(scope, _limited(receive, self._body_limit(scope)), secured_send)
        except Exception:  # our own fault: the client gets a status, the log the details
            logger.exception("request failed", extra={"facts": {"event": "request_failed"}})
            if is_answered:
                raise
            answer = error_response(RequestError("unavailable", "the server failed; try again"))
            answer.status_code = 500
            await answer(scope, receive, secured_send)

    def _check(self, scope: Scope) -> RequestError | None:
        connection = HTTPConnection(scope)
        cost = 1.0 if scope["path"].startswith("/api/") else COST_OF_A_FILE
        try:
            self.limiter.check(client_of(connection), "requests", cost)
        except RequestError as error:
            return error
        if not is_allowed_host(connection.headers.get("host", "localhost"), self.settings):
            expected = "expected a Host of localhost, an IP address or an allowed host (cabochon serve --allowed-host)"
            return RequestError("origin", expected)
        is_change = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if is_change and not is_own_origin(connection, self.settings.public_origins):
            return RequestError("origin", "expected a request from this server's own page")
        length = connection.headers.get("content-length", "0")
        limit = self._body_limit(scope)
        if not re.fullmatch(r"[0-9]{1,18}", length) or int(length) > limit:
            return RequestError("too_large", f"expected at most {limit} bytes")
        return None

    def _body_limit(self, scope: Scope) -> int:
        limits = self.settings.limits
        return limits.record_bytes if scope["path"] in RECORD_PATHS else limits.body_bytes


def _limited(receive: Receive, limit: int) -> Receive:
    """Wrap `receive` so that it raises an error as soon as the body is too large."""
    received = 0

    async def limited_receive() -> Message:
        nonlocal received
        message = await receive()
        if message["type"] == "http.request":
            received += len(message.get("body", b""))
            if received > limit:
                raise HTTPException(413, f"expected at most {limit} bytes")
        return message

    return limited_receive
