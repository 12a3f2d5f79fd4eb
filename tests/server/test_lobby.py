"""The lobby: the public tables that wait for players."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cabochon.server import lobby, protocol
from cabochon.server.notifications import NoNotifications
from cabochon.server.seats import OPEN_SEAT, Seat
from tests.server.running import (
    Client,
    info,
    refused,
)
from tests.server.storage import Storage, in_database, new_table
from tests.server.test_seats import invite


def lobby_of(client: Client, **headers: str) -> list[protocol.OpenTable]:
    """The first page."""
    answer = client.http.get("/api/lobby", headers=headers)
    assert answer.status_code == 200, answer.text
    return protocol.Lobby.model_validate_json(answer.text).tables


def test_a_table_that_is_closed_is_closed_for_good(ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", visibility="public")
    line = bo.line(table.id)
    line.receive()
    assert info(ada.http.delete(f"/api/tables/{table.id}")).status == "closed"
    assert line.receive().table.status == "closed"
    assert info(ada.http.delete(f"/api/tables/{table.id}")).status == "closed"
    assert refused(bo.http.post(f"/api/tables/{table.id}/join", json={})) == (409, "closed")
    assert refused(ada.http.delete(f"/api/tables/{table.id}/seats/0")) == (409, "closed")
    assert table.id not in [waiting.id for waiting in lobby_of(bo)]
    assert ada.line(table.id).ask(type="play", seq=0, move="take wbg").position.legal == []


def test_the_lobby_has_public_tables_as_long_as_they_wait(ada: Client, bo: Client, stranger: Client) -> None:
    clock = {"kind": "live", "move_seconds": 30, "reserve_seconds": 300}
    private = ada.open_table("me", "open")
    first = ada.open_table("me", "open", "novice", visibility="public", game="marvel", free_take=True, clock=clock)
    second = ada.open_table("me", "open", "open", visibility="public")
    listed = lobby_of(stranger)
    assert [table.id for table in listed if table.id in (private.id, first.id, second.id)] == [second.id, first.id]
    shown = next(table for table in listed if table.id == first.id)
    assert (shown.host, shown.game, shown.players, shown.free, shown.free_take) == ("Ada", "marvel", 3, 1, True)
    assert shown.clock == protocol.LiveClock.model_validate(clock)
    assert [(seat.kind, seat.name) for seat in shown.seats] == [("person", "Ada"), ("open", ""), ("bot", "Novice")]
    assert bo.join(second.id).status == "waiting"
    assert next(table.free for table in lobby_of(stranger) if table.id == second.id) == 1
    assert bo.join(first.id).status == "playing"
    assert first.id not in [table.id for table in lobby_of(stranger)]


def test_nobody_hides_the_lobby_behind_tables_that_one_cannot_join(
    ada: Client, bo: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "TABLES_PER_PAGE", 2)
    real = ada.open_table("me", "open", visibility="public")
    for _ in range(2):
        invite(bo, bo, visibility="public")
    assert real.id in [table.id for table in lobby_of(ada)]


def test_the_lobby_is_sent_again_only_when_it_has_changed(ada: Client, stranger: Client) -> None:
    version = stranger.http.get("/api/lobby").headers["etag"]
    same = stranger.http.get("/api/lobby", headers={"If-None-Match": version})
    assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", version)
    table = ada.open_table("me", "open", visibility="public")
    assert table.id in [waiting.id for waiting in lobby_of(stranger, **{"If-None-Match": version})]


def test_no_host_hides_the_tables_of_the_others(ada: Client, bo: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "TABLES_PER_PAGE", 2)
    real = ada.open_table("me", "open", visibility="public")
    many = [bo.open_table("me", "open", visibility="public").id for _ in range(3)]
    assert [table.id for table in lobby_of(ada)] == [many[-1], real.id]


async def add_waiting(storage: Storage, number: int, address: str) -> str:
    """Add a public table of a new guest from this address."""
    guest, _ = await storage.guests.add(f"Guest {number}")
    table = new_table(guest, Seat("person", guest.nickname, guest.id), OPEN_SEAT)
    return await storage.tables.add(replace(table, visibility="public", opened_from=address))


def test_no_address_hides_the_tables_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "TABLES_PER_PAGE", 3)

    async def work(storage: Storage) -> None:
        found = lobby.Lobby(storage.tables, storage.guests, NoNotifications())
        for number, address in enumerate(["ada's", "bo's", *["eve's"] * 10]):
            await add_waiting(storage, number, address)
        text, _ = await found.read(1)
        hosts = [table.host for table in protocol.Lobby.model_validate_json(text).tables]
        assert hosts == ["Guest 11", "Guest 1", "Guest 0"]

    in_database(tmp_path / "one.db", work)


def test_every_waiting_table_is_on_one_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "TABLES_PER_PAGE", 3)

    async def work(storage: Storage) -> None:
        found = lobby.Lobby(storage.tables, storage.guests, NoNotifications())

        async def read(page: int) -> protocol.Lobby:
            return protocol.Lobby.model_validate_json((await found.read(page))[0])

        empty = await read(1)
        assert (empty.tables, empty.page, empty.pages) == ([], 1, 1)
        tables = [await add_waiting(storage, number, f"address {number % 4}") for number in range(7)]
        found.invalidate()
        pages = [await read(page) for page in (1, 2, 3)]
        assert [(page.page, page.pages, len(page.tables)) for page in pages] == [(1, 3, 3), (2, 3, 3), (3, 3, 1)]
        assert sorted(table.id for page in pages for table in page.tables) == sorted(tables)
        beyond = await read(4)
        assert (beyond.tables, beyond.page, beyond.pages) == ([], 4, 3)

    in_database(tmp_path / "one.db", work)


def test_pages_count_from_one(stranger: Client) -> None:
    assert stranger.http.get("/api/lobby", params={"page": 2}).json()["page"] == 2
    for page in ("0", "-1", "x", "1000000"):
        assert refused(stranger.http.get("/api/lobby", params={"page": page})) == (422, "malformed")
