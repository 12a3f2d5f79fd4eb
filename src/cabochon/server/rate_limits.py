"""Rate limits: which client a request counts for, how fast a client may send, and how many sockets it may open."""

import ipaddress
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from starlette.requests import HTTPConnection

from cabochon.server.errors import RequestError


def client_of(connection: HTTPConnection) -> str:
    """Return the client that limits count for, as `network_of` its address."""
    return network_of(connection.client.host if connection.client is not None else "?")


def network_of(host: str) -> str:
    """Return an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


class TokenBucket:
    """Holds up to `burst` tokens and refills at `rate` per second; every action takes tokens out."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._level, self._updated_at = float(burst), clock()

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(float(self._burst), self._level + (now - self._updated_at) * self._rate)
        self._updated_at = now

    def take(self, amount: float = 1.0) -> bool:
        """Take tokens out if there are enough."""
        self._refill()
        if self._level < amount:
            return False
        self._level -= amount
        return True

    def seconds_until(self, amount: float = 1.0) -> float:
        """Return the seconds until there are enough tokens."""
        self._refill()
        missing = amount - self._level
        if missing <= 0:
            return 0.0
        return missing / self._rate if self._rate > 0 else math.inf


class RateLimiter:
    """One bucket for every client; with very many clients, only for the most recent ones."""

    CAPACITY = 10_000

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def check(self, client: str, what: str, cost: float = 1.0) -> None:
        """Count an action of a client, or raise an error that names the action and the time to wait."""
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = TokenBucket(self._rate, self._burst, self._clock)
            if len(self._buckets) > self.CAPACITY:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        if not bucket.take(cost):
            message = f"expected fewer {what} at a time; try again later"
            raise RequestError("too_fast", message, retry_after=bucket.seconds_until(cost))


class ConnectionCounter:
    """Counts the open connections of one kind of every client."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._counts: Counter[str] = Counter()

    def open(self, client: str) -> bool:
        """Count one more, unless the client has reached the limit."""
        if self._counts[client] >= self._limit:
            return False
        self._counts[client] += 1
        return True

    def close(self, client: str) -> None:
        """Count one less."""
        self._counts[client] -= 1
        if self._counts[client] <= 0:
            del self._counts[client]


class GuestAddresses:
    """Remembers the last address of each guest; with very many guests, only of the most recent ones."""

    CAPACITY = 10_000

    def __init__(self) -> None:
        self._clients: OrderedDict[str, str] = OrderedDict()

    def note(self, guest_id: str, client: str) -> None:
        """Remember where the guest is now."""
        self._clients[guest_id] = client
        self._clients.move_to_end(guest_id)
        if len(self._clients) > self.CAPACITY:
            self._clients.popitem(last=False)

    def of(self, guest_id: str) -> str | None:
        """Return the last address as `client_of` gave it, or None for a guest not seen since the start."""
        return self._clients.get(guest_id)
