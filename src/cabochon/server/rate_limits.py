"""Rate limits: which client a request counts for, how fast a client may send, and how many sockets it may open."""

import hmac
import ipaddress
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable

from starlette.requests import HTTPConnection

from cabochon.server.errors import RequestError

HASH_CHARACTERS = 32


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


def keyed_hash(key: bytes, client: str) -> str:
    """Return what a client can be recognised by, without revealing its address."""
    return hmac.new(key, client.encode(), "sha256").hexdigest()[:HASH_CHARACTERS]


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

    def spend(self, amount: float) -> None:
        """Take tokens out that were used already, even if there are not enough; at worst, `burst` are missing."""
        self._refill()
        self._level = max(-float(self._burst), self._level - amount)

    def seconds_until(self, amount: float = 1.0) -> float:
        """Return the seconds until there are enough tokens."""
        self._refill()
        missing = amount - self._level
        if missing <= 0:
            return 0.0
        return missing / self._rate if self._rate > 0 else math.inf

    def set_rate(self, rate: float) -> None:
        """Refill at another rate from now on."""
        self._refill()
        self._rate = rate


class RateLimiter:
    """One bucket for every client; with very many clients, only for the most recent ones."""

    CAPACITY = 10_000

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()
        self._uses: dict[str, float] = {}
        self._uses_since = clock()

    def check(self, client: str, what: str, cost: float = 1.0) -> None:
        """Count an action of a client, or raise an error that names the action and the time to wait."""
        bucket = self._bucket(client)
        if not bucket.take(cost):
            message = f"expected fewer {what} at a time; try again later"
            raise RequestError("too_fast", message, retry_after=bucket.seconds_until(cost))
        self._uses[client] = self._uses.get(client, 0.0) + cost

    def spend(self, client: str, cost: float) -> None:
        """Count what a client has done through another process."""
        self._bucket(client).spend(cost)

    def take_uses(self, share: float) -> dict[str, float]:
        """Return what clients have used since the last call, if it was more than this share of the rate."""
        uses, since = self._uses, self._uses_since
        self._uses, self._uses_since = {}, self._clock()
        least = share * self._rate * (self._uses_since - since)
        return {client: used for client, used in uses.items() if used > least}

    def _bucket(self, client: str) -> TokenBucket:
        bucket = self._buckets.get(client)
        if bucket is None:
            bucket = self._buckets[client] = TokenBucket(self._rate, self._burst, self._clock)
            if len(self._buckets) > self.CAPACITY:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(client)
        return bucket

    def set_rate(self, rate: float) -> None:
        """Allow every client another rate from now on."""
        self._rate = rate
        for bucket in self._buckets.values():
            bucket.set_rate(rate)


class ConnectionCounter:
    """Counts the open connections of one kind of every client, up to `limit`."""

    SECONDS_REMEMBERED = 5.0  # how long a count of another process is valid

    def __init__(self, limit: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.limit, self._clock = limit, clock
        self._counts: Counter[str] = Counter()
        self._elsewhere: dict[str, dict[str, tuple[int, float]]] = {}  # by client and process: until when it is valid

    def open(self, client: str) -> bool:
        """Count one more, unless the client has reached the limit."""
        if self._counts[client] + self._count_elsewhere(client) >= self.limit:
            return False
        self._counts[client] += 1
        return True

    def close(self, client: str) -> None:
        """Count one less."""
        self._counts[client] -= 1
        if self._counts[client] <= 0:
            del self._counts[client]

    def counts(self, share: float) -> dict[str, int]:
        """Return how many connections clients have, if it is more than this share of the limit."""
        return {client: count for client, count in self._counts.items() if count > share * self.limit}

    def note_elsewhere(self, process_id: str, client: str, count: int) -> None:
        """Note how many connections a client has to another process."""
        self._elsewhere.setdefault(client, {})[process_id] = count, self._clock() + self.SECONDS_REMEMBERED

    def _count_elsewhere(self, client: str) -> int:
        now = self._clock()
        valid = {process: known for process, known in self._elsewhere.pop(client, {}).items() if known[1] > now}
        if valid:
            self._elsewhere[client] = valid
        return sum(count for count, _ in valid.values())
