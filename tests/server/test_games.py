"""Whole games over real sockets."""

from __future__ import annotations

import pytest

from cabochon import Game, verify
from cabochon.server import protocol
from tests.server.running import Client, eager_move


def play_out(client: Client, table_id: str, leave_at: int | None = None) -> list[protocol.GameEvent]:
    """Play a seat until the game is over, or leave it at a length of the log; return everything that happened."""
    line = client.line(table_id)
    message = line.receive()
    events = list(message.events)
    asked = -1
    while message.position.outcome is None:
        position = message.position
        if position.legal and position.seq > asked:
            asked = position.seq
            if leave_at is not None and position.seq >= leave_at:
                client.http.post(f"/api/tables/{table_id}/seats/{position.view.seat}/leave").raise_for_status()
            else:
                line.play(position.seq, eager_move(position))
        message = line.receive()
        assert isinstance(message, protocol.Moved), message
        events.append(message.event)
    return events


def test_a_game_that_was_taken_back_to_its_beginning_is_played_as_practice(ada: Client, stranger: Client) -> None:
    table = ada.open_table("novice", "me", "novice", game="marvel")
    line, watching = ada.line(table.id), stranger.line(table.id)
    decided = 0
    position = line.receive().position
    while decided < 4 or not position.legal:
        if position.legal:
            decided += 1
            line.play(position.seq, eager_move(position))
            position = line.receive_moved(position.seq + 1).position
        else:
            position = line.receive_moved(position.seq + 1).position
    undone: list[int] = []
    while position.can_undo:
        line.send(type="undo", seq=position.seq)
        moved = line.receive_moved(position.seq + 1)
        assert isinstance(moved.event, protocol.Undone)
        undone += moved.event.undoes
        position = moved.position
    assert sorted(undone) == list(range(position.seq - decided - len(undone) + 1, position.seq - decided + 1))
    assert (position.view.round, position.view.seat) == (1, 1), "it is the person's first decision"
    assert line.ask(type="undo", seq=position.seq).error.code == "cannot_undo"
    told = [message.event for message in watching.drain() if isinstance(message, protocol.Moved)]
    assert ada.http.get(f"/api/tables/{table.id}").json()["is_practice"]

    events = play_out(ada, table.id)
    assert events[told[0].seq - 1 : told[-1].seq] == told, "who connects later is told the same"
    record = ada.http.get(f"/api/tables/{table.id}/record").text
    assert verify(record).is_true
    gone = {seq for event in events if isinstance(event, protocol.Undone) for seq in event.undoes}
    stands = [step for step in events if isinstance(step, protocol.Step) and step.seq not in gone]
    assert [str(move) for move in Game.from_record(record).moves] == [step.move for step in stands]
    assert [game["is_practice"] for game in ada.http.get("/api/me/history").json()["games"]] == [True]
    assert ada.http.get("/api/me/statistics").json()["scores"] == []
    assert not ada.http.post(f"/api/tables/{table.id}/again").json()["is_practice"]


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("splendor", ("me", "novice")),
        ("marvel", ("journeyman", "me", "apprentice", "artisan")),
    ],
)
def test_a_whole_game_against_bots(ada: Client, game: str, seats: tuple[str, ...]) -> None:
    table = ada.open_table(*seats, game=game)
    assert table.status == "playing"
    events = play_out(ada, table.id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))

    answer = ada.http.get(f"/api/tables/{table.id}/record")
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="cabochon-{game}-')
    told = Game.from_record(answer.text)
    assert verify(answer.text).is_true
    assert told.commitment == table.commitment
    assert [str(move) for move in told.moves] == [step.move for step in events if isinstance(step, protocol.Step)]
    assert told.names == tuple(seat.name for seat in table.seats)

    line = ada.line(table.id)
    sync = line.receive()
    assert sync.events == events
    assert sync.table.status == "over"
    assert sync.position.outcome.seed == (told.seed or b"").hex()
    assert told.outcome is not None
    assert tuple(sync.position.outcome.places) == told.outcome.places
    refused = line.ask(type="play", seq=sync.position.seq, move="pass")
    assert (refused.error.code, refused.error.rule) == (
        "over",
        told.outcome.reason == "won" and "END-B1" if game == "splendor" else "END-M2",
    )
