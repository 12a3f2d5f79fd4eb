"""What a viewer is told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabochon import Options, View
from cabochon.core.cards import CARD_LIST, VARIANTS
from cabochon.fair import commitment
from cabochon.server import messages, protocol
from cabochon.server.seats import Seat, Seats
from cabochon.server.table_store import TableRecord
from cabochon.server.timeline import Timeline
from tests.playing import all_options, seeds
from tests.server.test_timeline import AT, new_course, people_or_bots, random_course


def position_of(timeline: Timeline, viewer: int | None) -> protocol.Position:
    return protocol.Position.model_validate_json(position_json(timeline, viewer))


def position_json(timeline: Timeline, viewer: int | None) -> str:
    return messages.Perspective(timeline, timeline.game.view(viewer), may_move=True).position(AT)


@settings(max_examples=40)
@given(all_options, seeds, st.integers(0, 120), people_or_bots)
def test_a_position_is_the_view_and_what_follows_from_it(
    options: Options, seed: int, length: int, person: int | None
) -> None:
    timeline = random_course(options, seed, length, person)
    for viewer in (None, *range(options.players)):
        view = timeline.game.view(viewer)
        position = position_of(timeline, viewer)
        assert View.from_dict(json.loads(position.view.model_dump_json())) == view
        assert [move.move for move in position.legal] == [str(move) for move in view.legal_moves]
        assert position.can_undo == timeline.can_undo(viewer, AT)
        assert position.undo_makes_practice == timeline.undo_makes_practice(viewer, AT)
        assert (position.outcome is None) == (not timeline.game.is_over)
        check_prices(position, view)
        for progress, seat in zip(position.progress, view.seats, strict=True):
            check_progress(progress, seat.qualifies, options.variant)


def check_prices(position: protocol.Position, view: View) -> None:
    """Exactly what is affordable may be bought, and what is due, missing and covered adds up."""
    if view.viewer is None or view.phase == "over":
        assert position.prices == []
        return
    seat = view.seats[view.viewer]
    cards = CARD_LIST[VARIANTS.index(view.variant)]
    if view.viewer == view.seat and view.phase == "act":
        assert {price.place for price in position.prices if price.is_affordable} == {
            move.place for move in position.legal if move.kind == "buy"
        }
    for price in position.prices:
        cost = cards[price.card - 1].cost
        for name, amount in zip(seat.bonuses, cost, strict=True):
            assert price.due.get(name, 0) == max(0, amount - seat.bonuses[name])
            assert price.missing.get(name, 0) == max(0, price.due.get(name, 0) - seat.tokens[name])
        assert price.wilds == sum(price.missing.values())


def check_progress(progress: protocol.Progress, qualifies: bool, variant: str) -> None:
    is_met = progress.points >= progress.points_needed
    if variant == "marvel":
        is_met = is_met and progress.has_time and len(progress.colours) == 5
    assert progress.qualifies == qualifies == is_met
    assert progress.needs_time == progress.needs_colours == (variant == "marvel")


@settings(max_examples=15)
@given(all_options, seeds, st.integers(0, 30), st.sets(st.sampled_from([None, 0, 1])), people_or_bots)
def test_what_is_told_at_once_and_step_by_step_is_the_same(
    options: Options, seed: int, since: int, viewers: set[int | None], person: int | None
) -> None:
    timeline = random_course(options, seed, 30, person)
    moments = [Timeline(timeline.deal, timeline.entries[:seq]) for seq in range(timeline.seq + 1)]
    since = min(since, timeline.seq)
    table = info_of(timeline)
    early, late = messages.GameMessages(moments[since], may_move=True), messages.GameMessages(timeline, may_move=True)
    told = [early.follow(moment, viewers, AT) for moment in moments[since + 1 :]]
    for viewer in viewers:
        for asked in (since, 0, since):
            assert early.sync(viewer, table, asked, AT) == late.sync(viewer, table, asked, AT)
        sync = protocol.SERVER_MESSAGES.validate_json(late.sync(viewer, table, since, AT))
        moved = [protocol.SERVER_MESSAGES.validate_json(messages[viewer]) for messages in told]
        assert [message.event for message in moved] == sync.events
        assert all(
            message.position == position_of(moment, viewer)
            for message, moment in zip(moved, moments[since + 1 :], strict=True)
        )


@settings(max_examples=15)
@given(all_options, seeds, people_or_bots)
def test_who_goes_back_is_told_what_was_told_there(options: Options, seed: int, person: int | None) -> None:
    timeline = random_course(options, seed, 60, person)
    undos = [entry.seq for entry in timeline.entries if entry.is_undo]
    for seq in undos:
        moment = Timeline(timeline.deal, timeline.entries[:seq])
        there = len(moment.standing)  # the log without what was taken back, if nothing was taken back before
        for viewer in (None, *range(options.players)):
            back = position_of(moment, viewer)
            renumbered = [replace(entry, seq=place) for place, entry in enumerate(moment.standing, start=1)]
            first = position_of(Timeline(timeline.deal, renumbered), viewer)
            changes = {"seq": there, "undo_makes_practice": first.undo_makes_practice, "can_undo": first.can_undo}
            assert back.model_copy(update=changes) == first


def info_of(timeline: Timeline) -> protocol.TableInfo:
    seats = (Seat("person", 'A "B" \\ </script>', "a"), *[Seat("bot", "Expert", None, "expert")] * 3)
    options = timeline.deal.options
    stored = TableRecord("table", "a", options, timeline.deal.seed, Seats(seats[: options.players]), "playing", AT)
    return stored.info("a", timeline.seq, {0})


def test_a_sync_is_a_message_of_the_protocol() -> None:
    timeline = random_course(Options("marvel", 3), 5, 10)
    info = info_of(timeline)
    sync = protocol.SERVER_MESSAGES.validate_json(messages.GameMessages(timeline, may_move=True).sync(0, info, 8, AT))
    assert isinstance(sync, protocol.Sync)
    assert sync.table == info
    assert [event.seq for event in sync.events] == [9, 10]
    assert info.commitment == commitment(timeline.deal.seed)
    assert [seat.is_connected for seat in info.seats] == [True, False, False]


def test_nobody_moves_while_seats_are_open() -> None:
    timeline = new_course(Options(), 1)
    message: dict[str, Any] = json.loads(
        messages.GameMessages(timeline, may_move=False).sync(0, info_of(timeline), 0, AT)
    )
    assert message["position"]["legal"] == message["position"]["view"]["legal_moves"] == []


@pytest.mark.parametrize("viewer", [None, 0, 1])
def test_the_seed_is_told_when_the_game_is_over_and_not_before(viewer: int | None) -> None:
    timeline = random_course(Options(), 2, 10_000)
    secret = timeline.deal.seed.hex()
    assert timeline.game.is_over
    for length in range(0, timeline.seq, 7):
        part = Timeline(timeline.deal, timeline.entries[:length])
        assert secret not in position_json(part, viewer)
    assert secret in position_json(timeline, viewer)
