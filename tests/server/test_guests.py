"""Guests: names, sessions, and other devices."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from cabochon.server import protocol
from cabochon.server.authentication import COOKIE
from cabochon.server.clocks import now
from cabochon.server.guests import Guest
from cabochon.server.schema import metadata
from cabochon.server.seats import Seat
from tests.server.running import (
    Client,
    RunningServer,
    error_of,
)
from tests.server.storage import Storage, in_database, new_table


def test_guests_have_sessions_whose_secrets_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    secrets: list[str] = []

    async def work(storage: Storage) -> None:
        ada, secret = await storage.guests.add("Ada")
        key, _ = await storage.guests.add_device_link(ada, timedelta(minutes=1))
        secrets.extend((secret, key))
        assert await storage.guests.of_session(secret) == ada
        assert await storage.guests.of_session("guess") is None
        assert await storage.guests.of_session("") is None
        renamed = await storage.guests.rename(ada, "Countess")
        assert await storage.guests.of_session(secret) == renamed == Guest(ada.id, "Countess")
        rows = [str(row) for table in metadata.sorted_tables for row in await storage.database.fetch(sa.select(table))]
        assert not any(secret in row for secret in secrets for row in rows)

    in_database(path, work)
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert all(secret.encode() not in content for secret in secrets)


def test_a_device_link_is_good_once_and_not_for_ever(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, secret = await storage.guests.add("Ada")
        key, expires_at = await storage.guests.add_device_link(ada, timedelta(minutes=1))
        assert timedelta(0) < expires_at - now() <= timedelta(minutes=1)
        claims = await asyncio.gather(*(storage.guests.claim_device_link(key) for _ in range(5)))
        granted = [claim for claim in claims if claim is not None]
        assert len(granted) == 1
        guest, other_secret = granted[0]
        assert guest == ada
        assert await storage.guests.of_session(other_secret) == await storage.guests.of_session(secret) == ada
        old, _ = await storage.guests.add_device_link(ada, timedelta(minutes=-1))
        assert await storage.guests.claim_device_link(old) is None
        assert await storage.guests.claim_device_link("no such key") is None

    in_database(tmp_path / "one.db", work)


def test_a_guest_has_a_nickname_and_a_cookie(server: RunningServer) -> None:
    with Client(server.url) as client:
        assert client.http.get("/api/me").json() == {"guest": None}
        answer = client.http.put("/api/me", json={"nickname": "  Ada Lovelace "})
        me = protocol.Me.model_validate_json(answer.text)
        assert me.guest is not None
        assert me.guest.nickname == "Ada Lovelace"
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"{COOKIE}=")
        assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
        assert "Secure" not in cookie
        assert client.http.get("/api/me").json() == me.model_dump()
        renamed = client.http.put("/api/me", json={"nickname": "Countess"})
        assert "set-cookie" not in renamed.headers
        assert renamed.json() == {"guest": {"id": me.guest.id, "nickname": "Countess"}}


@pytest.mark.parametrize(
    "nickname",
    ["", " ", "x" * 25, "a\nb", "a\u202eb", "\u200d", "a\u0000", "\ufeff", "a\u00a0b", 5, None, ["a"]],
)
def test_a_name_that_cannot_be_shown_is_refused(stranger: Client, nickname: object) -> None:
    answer = stranger.http.put("/api/me", json={"nickname": nickname})
    assert answer.status_code == 422
    assert error_of(answer).code == "malformed"
    assert stranger.http.get("/api/me").json() == {"guest": None}


@pytest.mark.parametrize("nickname", ["Ada", "Ядвига", "李", "👩\u200d🚀", "<b>&amp;</b>", "'); DROP TABLE guests;--"])
def test_a_name_comes_back_as_it_is(stranger: Client, nickname: str) -> None:
    stranger.http.put("/api/me", json={"nickname": nickname})
    assert stranger.http.get("/api/me").json()["guest"]["nickname"] == nickname
    table = stranger.open_table("me", "novice")
    assert stranger.line(table.id).receive().position.view.seats[0].name == nickname


def test_a_cookie_that_is_made_up_is_nobody(server: RunningServer) -> None:
    answer = httpx.get(f"{server.url}/api/me", headers={"Cookie": f"{COOKIE}=guess"})
    assert answer.json() == {"guest": None}


def test_another_device_takes_over_by_a_private_link(ada: Client, stranger: Client) -> None:
    table = ada.open_table("me", "novice")
    link = protocol.DeviceLink.model_validate_json(ada.http.post("/api/me/link").text)
    path, _, key = link.path.partition("#")
    assert path == "/claim"
    claimed = stranger.http.post("/api/claims", json={"key": key})
    assert claimed.json() == ada.http.get("/api/me").json()
    assert stranger.line(table.id).receive().table.you == 0
    used_up = stranger.http.post("/api/claims", json={"key": key})
    assert (used_up.status_code, error_of(used_up).code) == (404, "not_found")
    assert ada.http.get("/api/me").json()["guest"]["nickname"] == "Ada"


def test_without_a_nickname_one_can_only_look(stranger: Client, ada: Client) -> None:
    table = ada.open_table("me", "novice")
    for path in ("/api/tables", f"/api/tables/{table.id}/again", "/api/me/link", f"/api/tables/{table.id}/join"):
        plan = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "bot"}]}
        answer = stranger.http.post(path, json=plan if path == "/api/tables" else {})
        assert (answer.status_code, error_of(answer).code) == (401, "no_guest"), path
    assert stranger.http.get("/api/tables").json() == {"tables": []}
    looked = protocol.TableInfo.model_validate_json(stranger.http.get(f"/api/tables/{table.id}").text)
    assert (looked.you, looked.is_host) == (None, False)


def test_guests_who_never_used_the_server_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(storage: Storage) -> None:
        monkeypatch.setattr("cabochon.server.guests.REMOVED_AT_ONCE", 2)
        host, sits, is_invited, has_token, *unused = [await storage.guests.add(f"Guest {n}") for n in range(9)]
        kept = Seat("open", "Guest", kept_for=is_invited[0].id)
        await storage.tables.add(new_table(host[0], Seat("person", "Guest", sits[0].id), kept))
        await storage.bot_tokens.add(has_token[0], "bot")
        assert await storage.guests.remove_unused(now() - timedelta(days=1)) == 0
        assert await storage.guests.remove_unused(now() + timedelta(days=1)) == len(unused)
        for guest, secret in (host, sits, is_invited, has_token):
            assert await storage.guests.of_session(secret) == guest
        for _, secret in unused:
            assert await storage.guests.of_session(secret) is None

    in_database(tmp_path / "one.db", work)
