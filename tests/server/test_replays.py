"""Games from the deal to their end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from cabochon import Game, Options, Termination
from cabochon.server import protocol
from cabochon.server.errors import RequestError
from cabochon.server.replays import replay_of
from cabochon.view import View
from tests.playing import all_options, random_game, seeds
from tests.server.running import GENEROUS, Client, error_of, running, settings_for
from tests.server.test_games import play_out


def replay(game: Game, viewer: int | None) -> protocol.Replay:
    return protocol.Replay.model_validate_json(replay_of(game, viewer))


def view_in(position: protocol.Position) -> View:
    return View.from_dict(json.loads(position.view.model_dump_json()))


@settings(max_examples=10)
@given(all_options, seeds)
def test_a_seat_is_told_what_it_saw(options: Options, seed: int) -> None:
    game = random_game(options, seed, 60)
    viewer = seed % options.players
    told = replay(game, viewer)
    again = Game(options, seed=seed, date="2026-11-15")
    assert len(told.positions) == len(told.steps) + 1 == len(game.moves) + 1
    for number, (position, step) in enumerate(zip(told.positions, told.steps, strict=False)):
        seen = again.view(viewer)
        assert view_in(position).seats == seen.seats
        assert view_in(position).market == seen.market
        assert position.legal == []
        assert (position.seq, step.seq, step.seat) == (number, number + 1, again.seat)
        assert again.play(step.move) == game.moves[number]
    assert view_in(told.positions[-1]).seats == again.view(viewer).seats


@settings(max_examples=10)
@given(all_options, seeds)
def test_with_all_cards_open_nothing_is_hidden(options: Options, seed: int) -> None:
    game = random_game(options, seed)
    told = replay(game, None)
    drawn = [int(text.removeprefix("h=")) for text in game.texts if text.startswith("h=")]
    assert [step.card for step in told.steps if step.kind == "reserve" and "." not in str(step.place)] == drawn
    for position in told.positions:
        assert position.view.viewer is None
        assert all(held.card is not None for seat in position.view.seats for held in seat.reserved)
    outcome = told.positions[-1].outcome
    assert outcome is not None
    assert game.outcome is not None
    assert (tuple(outcome.places), outcome.seed) == (game.outcome.places, (game.seed or b"").hex())
    assert all(position.outcome is None for position in told.positions[:-1])


def test_a_game_that_was_given_up_has_its_result() -> None:
    game = random_game(Options("marvel", 3), 5, 12)
    places = game.forfeit(1, "left", Termination.RESIGNATION)
    outcome = replay(game, None).positions[-1].outcome
    assert outcome is not None
    assert (tuple(outcome.places), outcome.reason, outcome.rule) == (places, "forfeit", "RNK-1")
    assert (outcome.termination, outcome.seat, outcome.detail) == ("resignation", 1, "left")
    assert 1 not in outcome.winners
    assert replay(random_game(Options(), 5, 12), None).positions[-1].outcome is None


def test_a_game_by_hand_has_no_seed_to_tell() -> None:
    record = random_game(Options(), 3).record()
    game = Game.from_record("\n".join(line for line in record.splitlines() if not line.startswith("[Seed")))
    outcome = replay(game, 0).positions[-1].outcome
    assert outcome is not None
    assert outcome.seed is None


def test_only_seats_of_the_game_have_eyes() -> None:
    with pytest.raises(RequestError, match="from 0 to 1, got 2"):
        replay_of(random_game(Options(), 3, 5), 2)


def test_a_game_of_endless_decisions_is_not_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = random_game(Options(), 3, 5)
    monkeypatch.setattr("cabochon.server.replays.MOST_DECISIONS", 5)
    replay_of(game, None)
    monkeypatch.setattr("cabochon.server.replays.MOST_DECISIONS", 4)
    with pytest.raises(RequestError, match="at most 4 decisions, got 5"):
        replay_of(game, None)


def test_replays_have_a_rate_of_their_own(tmp_path: Path) -> None:
    limits = replace(GENEROUS, replay_rate=0.001, replay_burst=2)
    body = {"record": random_game(Options(), 3, 5).record()}
    with running(settings_for(tmp_path, limits=limits)) as server, Client(server.url) as client:
        answers = [client.http.post("/api/replays", json=body) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert client.http.get("/api/me").status_code == 200


def test_a_table_can_be_replayed_when_its_game_is_over(ada: Client, stranger: Client) -> None:
    table = ada.open_table("me", "novice")
    address = f"/api/tables/{table.id}/replay"
    early = error_of(ada.http.get(address))
    assert early.code == "not_playing"
    events = play_out(ada, table.id)
    answer = stranger.http.get(address, params={"viewer": 1})
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-store"
    told = protocol.Replay.model_validate_json(answer.text)
    assert told.viewer == 1
    assert [step.move for step in told.steps] == [h.move for h in events if isinstance(h, protocol.Step)]
    assert told.record == ada.http.get(f"/api/tables/{table.id}/record").text
    plain = stranger.http.get(address, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert protocol.Replay.model_validate_json(plain.text).viewer is None

    again = stranger.http.post("/api/replays", json={"record": told.record, "viewer": 1})
    assert again.text == answer.text


def test_a_bad_record_is_refused_with_its_line_and_rule(stranger: Client) -> None:
    lines = random_game(Options(), 3).record().splitlines()
    first_turn = next(number for number, line in enumerate(lines) if line.startswith("1.1 "))

    def refused(*changed: str) -> protocol.ErrorInfo:
        answer = stranger.http.post("/api/replays", json={"record": "\n".join(changed)})
        assert answer.status_code == 422
        error = error_of(answer)
        assert error.code == "bad_record"
        return error

    edited = refused(*lines[:first_turn], "1.1 buy 3.1", *lines[first_turn + 1 :])
    assert (edited.line, edited.rule) == (first_turn + 1, "BUY-2")
    cut = refused(*lines[:-1])
    assert cut.line == len(lines) - 1
    assert "the record is incomplete" in cut.message
    assert refused("hello").line == 1
    assert refused(*lines, *lines).message == "line 1: expected one game, got 2"


def test_a_record_may_be_larger_than_other_messages_but_not_huge(stranger: Client) -> None:
    record = random_game(Options("marvel", 4), 3).record()
    long = stranger.http.post("/api/replays", json={"record": record + "# so it was\n" * 3000})
    assert long.status_code == 200
    huge = stranger.http.post("/api/replays", json={"record": record + "# so it was\n" * 20_000})
    assert (huge.status_code, error_of(huge).code) == (413, "too_large")
