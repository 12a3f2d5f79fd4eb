"""The games that a guest has finished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from cabochon import Options
from cabochon.server import protocol
from cabochon.server.database import new_id
from cabochon.server.errors import RequestError
from cabochon.server.game_log import Result
from cabochon.server.guests import Guest
from cabochon.server.history import moment_of
from cabochon.server.schema import seats
from cabochon.server.seats import Seat, Seats
from cabochon.server.table_store import TableRecord
from cabochon.server.timeline import Entry
from tests.server.databases import ON_SQLITE
from tests.server.running import Client
from tests.server.storage import Storage, in_database
from tests.server.test_games import play_out

START = datetime(2026, 11, 15, 12, tzinfo=UTC)


NOVICE, MASTER = Seat("bot", "Novice", level="novice"), Seat("bot", "Master", level="master")


def person(guest: Guest) -> Seat:
    return Seat("person", guest.nickname, guest.id)


async def finish(
    storage: Storage,
    host: Guest,
    sitting: Sequence[Seat],
    places: Sequence[int],
    minute: int,
    is_practice: bool = False,
) -> str:
    """A game that ended in this minute with these places."""
    options = Options("marvel" if minute % 2 else "splendor", len(sitting))
    table = TableRecord(new_id(), host.id, options, bytes(32), Seats(sitting), "playing", START)
    await storage.tables.add(table)
    results = [Result(place, 20 - place, place == 1) for place in places]
    at = START + timedelta(minutes=minute, microseconds=7)
    await storage.log.append(table.id, Entry(1, 0, "pass", at), "over", 0, results, is_practice)
    return table.id


def test_a_history_is_read_page_by_page(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        bo, _ = await storage.guests.add("Bo")
        running = TableRecord(new_id(), ada.id, Options(), bytes(32), Seats((person(ada), NOVICE)), "playing", START)
        await storage.tables.add(running)
        minutes = [0, 1, 1, 1, 2, 5]  # several that ended at the same moment
        finished = [await finish(storage, ada, (NOVICE, person(ada)), (2, 1), minute) for minute in minutes]
        await finish(storage, bo, (person(bo), NOVICE), (1, 2), 3)
        read: list[protocol.PlayedGame] = []
        cursor: str | None = None
        for expected in (2, 2, 2):
            page = await storage.history.page(ada.id, 2, cursor)
            assert len(page.games) == expected
            read += page.games
            cursor = page.next
        assert cursor is None
        assert sorted(game.table for game in read) == sorted(finished)
        assert [game.finished_at for game in read] == sorted((game.finished_at for game in read), reverse=True)
        newest = read[0]
        assert (newest.game, newest.players) == ("marvel", 2)
        assert [(s.name, s.is_you, s.place, s.points, s.has_won) for s in newest.seats] == [
            ("Novice", False, 2, 18, False),
            ("Ada", True, 1, 19, True),
        ]

    in_database(tmp_path / "one.db", work)


@ON_SQLITE  # PostgreSQL uses no index while the table is small
def test_a_history_is_found_by_an_index(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        query = sa.select(seats.c.table_id).where(seats.c.guest_id == "a", seats.c.finished_at < START)
        async with storage.database._engine.connect() as connection:
            text = str(query.compile(connection.sync_connection, compile_kwargs={"literal_binds": True}))
            plan = (await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}")).all()
        assert "USING INDEX ix_seats_guest_id_finished_at (guest_id=? AND finished_at<?)" in plan[0][-1]

    in_database(tmp_path / "one.db", work)


def test_statistics_are_by_game_players_and_opponents(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        bo, _ = await storage.guests.add("Bo")
        cy, _ = await storage.guests.add("Cy")
        me, other, third = person(ada), person(bo), person(cy)
        await finish(storage, ada, (me, NOVICE), (1, 2), 0)
        await finish(storage, ada, (NOVICE, me), (1, 2), 2)
        await finish(storage, ada, (NOVICE, me), (1, 1), 4)
        await finish(storage, ada, (me, MASTER), (2, 1), 6)
        await finish(storage, ada, (me, MASTER, NOVICE), (3, 1, 2), 8)
        await finish(storage, ada, (NOVICE, MASTER, me), (1, 2, 3), 10)
        await finish(storage, ada, (me, other), (1, 2), 1)
        await finish(storage, bo, (other, me), (1, 2), 11)
        await finish(storage, ada, (me, other, NOVICE), (2, 1, 3), 3)
        await finish(storage, ada, (me, me), (1, 2), 5)  # against oneself
        await finish(storage, ada, (me, me, other), (1, 2, 3), 7)
        here = replace(other, name="Somebody with Bo")
        await finish(storage, bo, (other, third, here, me), (4, 3, 2, 1), 9)
        bo = await storage.guests.rename(bo, "Countess")
        scores = await storage.history.scores(ada.id, 10)
        found = {
            (s.game, s.players, s.name, s.level): (
                s.played,
                s.won,
                round(s.mean_place, 2),
                round(s.mean_points, 2),
            )
            for s in scores
        }
        assert found == {
            ("splendor", 2, None, "novice"): (3, 2, 1.33, 18.67),
            ("splendor", 2, None, "master"): (1, 0, 2.0, 18.0),
            ("splendor", 3, None, None): (2, 0, 3.0, 17.0),
            ("marvel", 2, "Countess", None): (2, 1, 1.5, 18.5),
            ("marvel", 3, "Countess", None): (1, 0, 2.0, 18.0),
            ("marvel", 4, "Countess", None): (1, 1, 1.0, 19.0),
            ("marvel", 4, "Cy", None): (1, 1, 1.0, 19.0),
        }
        assert len(scores) == len(found)
        assert not {ada.id, bo.id, cy.id} & set(str(scores).split("'")), "ids are nobody else's"
        assert {score.name for score in await storage.history.scores(bo.id, 10)} == {"Ada"}
        often = await storage.history.scores(ada.id, 1)
        assert [(score.players, score.name) for score in often if score.name] == [(2, "Countess")]
        mine = await storage.history.page(ada.id, 20)
        assert len(mine.games) == 12, "a game with two seats of one's own is there once"

    in_database(tmp_path / "one.db", work)


def test_practice_is_listed_but_does_not_count(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        counted = await finish(storage, ada, (person(ada), NOVICE), (2, 1), 0)
        practice = await finish(storage, ada, (person(ada), NOVICE), (1, 2), 2, is_practice=True)
        listed = (await storage.history.page(ada.id, 10)).games
        assert [(game.table, game.is_practice) for game in listed] == [(practice, True), (counted, False)]
        (score,) = await storage.history.scores(ada.id, 10)
        assert (score.played, score.won) == (1, 0)

    in_database(tmp_path / "one.db", work)


def test_people_of_one_nickname_are_not_one(tmp_path: Path) -> None:
    async def work(storage: Storage) -> None:
        ada, _ = await storage.guests.add("Ada")
        for minute in (0, 2):
            bo, _ = await storage.guests.add("Bo")
            await finish(storage, ada, (person(ada), person(bo)), (1, 2), minute)
        assert [(score.name, score.played) for score in await storage.history.scores(ada.id, 10)] == [
            ("Bo", 1),
            ("Bo", 1),
        ]

    in_database(tmp_path / "one.db", work)


def test_a_cursor_comes_back_as_it_was_given_or_is_refused() -> None:
    with pytest.raises(RequestError, match="expected a cursor"):
        moment_of("yesterday")
    with pytest.raises(RequestError, match="expected a cursor"):
        moment_of("1" * 40 + ".x")
    assert moment_of(None) is None
    moment = moment_of("1794744000000007.table")
    assert moment == (START + timedelta(microseconds=7), "table")


def test_a_finished_game_is_in_the_history_of_those_who_played_it(ada: Client, stranger: Client) -> None:
    table = ada.open_table("me", "novice", game="marvel")
    assert protocol.History.model_validate_json(ada.http.get("/api/me/history").text).games == []
    play_out(ada, table.id)
    history = protocol.History.model_validate_json(ada.http.get("/api/me/history").text)
    assert [game.table for game in history.games] == [table.id]
    line = ada.line(table.id)
    outcome = line.receive().position.outcome
    assert [seat.place for seat in history.games[0].seats] == outcome.places
    assert [seat.points for seat in history.games[0].seats] == outcome.points
    scores = protocol.Statistics.model_validate_json(ada.http.get("/api/me/statistics").text).scores
    assert [(score.game, score.name, score.level, score.played) for score in scores] == [("marvel", None, "novice", 1)]
    assert ada.http.get("/api/me/history", params={"cursor": "?"}).status_code == 422
    assert stranger.http.get("/api/me/history").status_code == 401
    assert stranger.http.get("/api/me/statistics").status_code == 401
