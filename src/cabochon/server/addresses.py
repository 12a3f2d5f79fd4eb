"""Network addresses: which client a request counts for, and from where each guest was last seen."""

from __future__ import annotations

import ipaddress
from collections import OrderedDict

from starlette.requests import HTTPConnection


def client_of(connection: HTTPConnection) -> str:
    """Return the client that limits count for: an IPv4 address, or the /64 network of an IPv6 address."""
    host = connection.client.host if connection.client is not None else "?"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return host


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
