"""The HTTP protocol of uvicorn, with limits on what a client may leave unfinished.

uvicorn waits for the rest of a request without a timeout, and keeps every header that it receives. The request limits
in `security` count only complete requests.
"""

from __future__ import annotations

import asyncio
import ipaddress
from functools import lru_cache
from typing import Any

import httptools
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from cabochon.server.errors import RequestError
from cabochon.server.rate_limits import ConnectionCounter, RateLimiter, network_of
from cabochon.server.settings import Limits

_RESPONSE = (
    "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {length}\r\n"
    "connection: close\r\n\r\n{message}"
)


class LimitedHttpProtocol(HttpToolsProtocol):
    """One connection. The first request counts from the opening of the connection, later ones from their first byte."""

    limits: Limits
    unfinished: ConnectionCounter
    request_limiter: RateLimiter
    trusted_proxies: str

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._counted_for: str | None = None  # the network of the client, while its request is unfinished
        self._deadline: asyncio.TimerHandle | None = None  # while a request is unfinished
        self._head_bytes = 0  # of the unfinished request: all of it but its body
        self._refusal: tuple[str, str] | None = None  # the status and the message

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._begin_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the request that is unfinished."""
        self._end_request()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the received data, unless it exceeds the limits of a request."""
        if self.transport.is_closing():
            return
        if self._deadline is None:
            self._begin_request()
        if self.transport.is_closing():
            return
        self._head_bytes += len(data)
        super().data_received(data)
        if self._deadline is not None and self._head_bytes > self.limits.header_bytes:
            self._refuse(*self._too_large())

    def on_message_begin(self) -> None:
        """Note that a request begins; it may follow another one in the same data."""
        if self._deadline is None:
            self._begin_request()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Go on to the request, unless it has too many headers or too large ones."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > self.limits.header_bytes or len(self.headers) > self.limits.headers:
            self._refusal = self._too_large()
        if self._refusal is not None or self.transport.is_closing():
            raise httptools.HttpParserError
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body; its size is limited elsewhere."""
        self._head_bytes -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is complete."""
        self._end_request()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, or what goes beyond the limits."""
        self._refuse(*(self._refusal or ("400 Bad Request", msg)))

    @property
    def _host(self) -> str:
        return "?" if self.client is None else self.client[0]

    def _begin_request(self) -> None:
        self._head_bytes = 0
        self._deadline = self.loop.call_later(self.limits.request_seconds, self._expire)
        if is_trusted(self._host, self.trusted_proxies):
            return
        network = network_of(self._host)
        if self.unfinished.open(network):
            self._counted_for = network
        else:
            self.transport.abort()

    def _end_request(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        if self._counted_for is not None:
            self.unfinished.close(self._counted_for)
            self._counted_for = None

    def _expire(self) -> None:
        if self._head_bytes == 0:  # browsers open connections that they may need later
            self.transport.close()
            return
        seconds = f"{self.limits.request_seconds:g}"
        self._refuse("408 Request Timeout", f"expected the whole request within {seconds} seconds")

    def _too_large(self) -> tuple[str, str]:
        limits = self.limits
        expected = f"expected at most {limits.headers} headers of {limits.header_bytes} bytes together"
        return "431 Request Header Fields Too Large", expected

    def _refuse(self, status: str, message: str) -> None:
        """Answer and close; without an answer if one has begun, or if this address was refused too often."""
        if self.transport.is_closing():
            return
        is_answering = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        is_too_fast = False
        try:
            self.request_limiter.check(network_of(self._host), "requests")
        except RequestError:
            is_too_fast = True
        if is_answering or is_too_fast:
            self.transport.abort()
            return
        self.transport.write(_RESPONSE.format(status=status, length=len(message), message=message).encode())
        self.transport.close()


def limited_protocol(
    limits: Limits, unfinished: ConnectionCounter, request_limiter: RateLimiter, trusted_proxies: str
) -> type[LimitedHttpProtocol]:
    """Return the protocol of one server: uvicorn makes the connections itself, from a class."""
    parts = {"limits": limits, "unfinished": unfinished, "request_limiter": request_limiter}
    return type("ServerProtocol", (LimitedHttpProtocol,), parts | {"trusted_proxies": trusted_proxies})


@lru_cache(maxsize=1024)
def is_trusted(host: str, proxies: str) -> bool:
    """Whether a host is one of the proxies, which send the requests of many clients; `proxies` is as for uvicorn."""
    names = [name.strip() for name in proxies.split(",")]
    if "*" in names:
        return True
    return host in names or any(_is_in_network(host, name) for name in names)


def _is_in_network(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
