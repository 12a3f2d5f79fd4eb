"""Where guests are."""

from __future__ import annotations

import pytest

from cabochon.server.rate_limits import GuestAddresses
from tests.server.running import (
    Client,
    RunningServer,
)


def test_where_guests_are_is_known_of_those_who_were_seen_last(
    server: RunningServer, ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = ada.http.get("/api/me").json()["guest"]["id"]
    assert server.app.state.server.addresses.of(guest) == "127.0.0.1"
    monkeypatch.setattr(GuestAddresses, "CAPACITY", 2)
    addresses = GuestAddresses()
    for name, address in (("ada", "1"), ("bo", "2"), ("ada", "3"), ("cy", "4")):
        addresses.note(name, address)
    assert [addresses.of(name) for name in ("ada", "bo", "cy")] == ["3", None, "4"]
