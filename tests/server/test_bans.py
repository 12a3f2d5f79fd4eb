"""What an operator does beside a running server: bans, deleted guests, closed tables, changed settings."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from cabochon.server import protocol
from cabochon.server.administration import Administration
from cabochon.server.personal_data import PersonalData
from cabochon.server.stored_settings import StoredSettings
from tests.server.running import SECONDS, Client, Line, RunningServer, left_of, refused, running, settings_for
from tests.server.storage import Storage, in_database


@pytest.fixture(scope="module")
def server(module_folder: Path) -> Iterator[RunningServer]:
    """A server that soon notices what an operator has changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cabochon.server.follower.SECONDS_BETWEEN_CHECKS", 0.05)
        with running(settings_for(module_folder)) as server:
            yield server


def beside(server: RunningServer, work: Callable[[Storage], Awaitable[None]]) -> None:
    """Do something at the database of a server, as another process."""
    in_database(server.app.state.server.settings.database, work)


def guest_id(client: Client) -> str:
    return str(client.http.get("/api/me").json()["guest"]["id"])


def close_code(line: Line) -> int:
    """Return the code with which the server closes a socket."""
    with pytest.raises(ConnectionClosed) as closed:
        line.receive_moved(1_000_000)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


def ban(server: RunningServer, client: Client) -> str:
    """Ban a guest; return the id."""
    found = guest_id(client)
    beside(server, lambda storage: Administration(storage.database).ban(found))
    return found


def test_a_banned_guest_is_out(server: RunningServer, ada: Client, bo: Client, stranger: Client) -> None:
    """The guest loses the running games, and the tables that wait go on without them."""
    duel = ada.open_table("me", "open")
    bo.join(duel.id)
    own = bo.open_table("me", "open")
    waiting = ada.open_table("me", "open", "open")
    bo.join(waiting.id)
    watching, playing = ada.line(duel.id), bo.line(duel.id)
    token = bo.http.post("/api/me/tokens", json={"name": "robot"}).json()["token"]
    link = bo.http.post("/api/me/link").json()["path"].partition("#")[2]
    banned = ban(server, bo)
    assert close_code(playing) == 4410
    outcome = left_of(watching).position.outcome
    assert outcome is not None
    assert (outcome.termination, outcome.seat) == ("resignation", 1)
    assert refused(bo.http.get("/api/me")) == (403, "banned")
    assert refused(bo.http.post("/api/tables", json={})) == (403, "banned")
    by_token = stranger.http.get("/api/me", headers={"Authorization": f"Bearer {token}"})
    assert refused(by_token) == (403, "banned")
    assert refused(stranger.http.post("/api/claims", json={"key": link})) == (404, "not_found")
    assert close_code(bo.line(waiting.id)) == 4410
    wait_until(lambda: ada.http.get(f"/api/tables/{own.id}").json()["status"] == "closed")
    wait_until(lambda: ada.http.get(f"/api/tables/{waiting.id}").json()["seats"][1]["kind"] == "open")
    beside(server, lambda storage: Administration(storage.database).unban(banned))
    assert bo.http.get("/api/me").json()["guest"]["id"] == banned


def test_a_bot_plays_on_for_a_banned_guest(server: RunningServer, ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open", "novice")
    bo.join(table.id)
    line = ada.line(table.id)
    ban(server, bo)
    assert left_of(line).position.outcome is None
    seat = protocol.TableInfo.model_validate_json(ada.http.get(f"/api/tables/{table.id}").text).seats[1]
    assert (seat.has_left, seat.kind, seat.name) == (True, "bot", "Bo")


def test_a_deleted_guest_leaves_no_name(server: RunningServer, ada: Client, bo: Client) -> None:
    """Neither in a running game nor in one that is over, although the server has both in memory."""
    over, running_game = ada.open_table("me", "open"), ada.open_table("me", "open", "open")
    bo.join(over.id)
    bo.join(running_game.id)
    with Client(server.url, "Cy") as cy:
        cy.join(running_game.id)
    line, shown = bo.line(running_game.id), ada.line(over.id)
    bo.http.post(f"/api/tables/{over.id}/seats/1/leave").raise_for_status()
    left_of(shown)
    assert "Bo" in ada.http.get(f"/api/tables/{over.id}/record").text
    deleted = guest_id(bo)

    async def delete(storage: Storage) -> None:
        tables = await PersonalData(storage.database).delete(deleted)
        assert set(tables) == {over.id, running_game.id}

    beside(server, delete)
    assert close_code(line) == 4401
    wait_until(lambda: {names(ada, f"/api/tables/{table.id}")[1] for table in (over, running_game)} == {"Anonymous"})
    record = ada.http.get(f"/api/tables/{over.id}/record").text
    assert "Anonymous" in record
    assert "Bo" not in record
    wait_until(lambda: ada.http.get(f"/api/tables/{running_game.id}").json()["seats"][1]["has_left"])
    assert bo.http.get("/api/me").json() == {"guest": None}
    assert [score["name"] for score in ada.http.get("/api/me/statistics").json()["scores"]] == ["Anonymous"]


def test_the_players_of_a_game_that_is_closed_see_so(server: RunningServer, ada: Client, bo: Client) -> None:
    table = ada.open_table("me", "open")
    bo.join(table.id)
    line = bo.line(table.id)
    line.receive()

    async def close(storage: Storage) -> None:
        closed = await Administration(storage.database).close(table.id)
        assert closed is not None
        assert closed.status == "playing"

    beside(server, close)
    synced = line.receive()
    assert isinstance(synced, protocol.Sync)
    assert synced.table.status == "closed"
    line.play(0, synced.position.legal[0].move if synced.position.legal else "take wbg")
    assert line.receive().error.code == "closed"
    assert ada.http.get("/api/me/history").json()["games"] == []


def test_settings_change_while_the_server_runs(server: RunningServer, ada: Client) -> None:
    async def change(storage: Storage) -> None:
        await StoredSettings(storage.database).set("tables_per_guest", 0)
        await StoredSettings(storage.database).set("opening_rate", "not a number")

    def can_open() -> bool:
        plan = {"game": "splendor", "seats": [{"kind": "me"}, {"kind": "open"}]}
        return ada.http.post("/api/tables", json=plan).status_code == 201

    assert can_open()
    beside(server, change)
    wait_until(lambda: not can_open())
    assert server.app.state.server.settings.limits.opening_rate == 1e6

    async def take_back(storage: Storage) -> None:
        await StoredSettings(storage.database).unset("tables_per_guest")

    beside(server, take_back)
    wait_until(can_open)


def names(client: Client, path: str) -> list[str]:
    return [seat["name"] for seat in client.http.get(path).json()["seats"]]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait for what the server does soon."""

    async def poll() -> None:
        while not is_so():
            await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(poll(), SECONDS))
