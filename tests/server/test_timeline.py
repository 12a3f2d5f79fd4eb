"""The timeline of a game, as its log tells it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabochon import CabochonError, IllegalMoveError, Options
from cabochon.fair import seed_bytes
from cabochon.server.timeline import UNDOS_A_TURN, Deal, Timeline
from tests.playing import RandomMover, all_options, seeds

AT = datetime(2026, 11, 15, tzinfo=UTC)


def new_course(options: Options, seed: int) -> Timeline:
    names = tuple(f"Player {n}" for n in range(options.players))
    return Timeline(Deal(options, seed_bytes(seed), names, "2026-11-15"))


def random_course(options: Options, seed: int, length: int) -> Timeline:
    """Random decisions, some of which are taken back."""
    timeline = new_course(options, seed)
    mover = RandomMover(seed)
    while timeline.seq < length and not timeline.game.is_over:
        seat, legal = timeline.game.seat, timeline.game.legal_moves
        timeline = timeline.decide(seat, legal[mover.below(len(legal))], AT)
        if mover.below(4) == 0 and timeline.can_undo(seat, AT):
            timeline = timeline.undo(seat, AT)
    return timeline


def is_same(one: Timeline, other: Timeline) -> bool:
    return (
        one.game.state.tobytes() == other.game.state.tobytes()
        and one.game.texts == other.game.texts
        and one.entries == other.entries
        and one.standing == other.standing
        and one.game.view(0) == other.game.view(0)
    )


@settings(max_examples=30)
@given(all_options, seeds, st.integers(0, 120))
def test_a_course_is_rebuilt_from_its_entries_at_any_moment(options: Options, seed: int, length: int) -> None:
    timeline = random_course(options, seed, 120)
    part = Timeline(timeline.deal, timeline.entries[:length])
    again = new_course(options, seed)
    for entry in timeline.entries[:length]:
        again = again.undo(entry.seat, AT) if entry.is_undo else again.decide(entry.seat, entry.texts[0], AT)
    assert is_same(part, again)


@settings(max_examples=15)
@given(all_options, seeds, st.integers(0, 40))
def test_walking_passes_every_moment(options: Options, seed: int, since: int) -> None:
    timeline = random_course(options, seed, 40)
    moments = [Timeline(timeline.deal, timeline.entries[:seq]).game for seq in range(timeline.seq + 1)]
    walked = list(timeline.walk(since))
    assert [entry for entry, _, _, _ in walked] == list(timeline.entries[since:])
    for entry, undone, before, after in walked:
        assert before.state.tobytes() == moments[entry.seq - 1].state.tobytes()
        assert after.state.tobytes() == moments[entry.seq].state.tobytes()
        assert (undone is not None) == entry.is_undo


def test_a_decision_makes_a_new_course_and_leaves_the_old_one() -> None:
    timeline = new_course(Options(), 1)
    timeline.decide(0, "take wbg", AT)
    assert (timeline.seq, timeline.game.moves) == (0, ())
    with pytest.raises(IllegalMoveError):
        timeline.decide(0, "pass", AT)
    with pytest.raises(CabochonError, match="expected a move of seat 0"):
        timeline.decide(1, "take wbg", AT)


def test_one_may_take_back_until_another_seat_has_decided() -> None:
    timeline = new_course(Options(), 1).decide(0, "take wbg", AT)
    assert timeline.game.seat == 1
    assert timeline.can_undo(0, AT)
    assert not timeline.can_undo(1, AT)
    assert not timeline.can_undo(None, AT)
    answered = timeline.decide(1, "take wbg", AT)
    assert not answered.can_undo(0, AT)
    assert answered.can_undo(1, AT)
    undone = answered.undo(1, AT).undo(0, AT)
    assert undone.seq == 4
    assert undone.game.moves == ()
    with pytest.raises(CabochonError, match="only your own last move"):
        undone.undo(0, AT)


@pytest.mark.parametrize("move", ["reserve 2.3", "reserve 2"])
def test_nothing_is_taken_back_once_a_card_was_turned_up(move: str) -> None:
    timeline = new_course(Options(), 1).decide(0, move, AT)
    assert timeline.entries[-1].text.startswith(f"{move}; ")
    assert not timeline.can_undo(0, AT)
    with pytest.raises(CabochonError, match="only your own last move"):
        timeline.undo(0, AT)


def test_several_decisions_of_a_turn_are_taken_back_one_by_one() -> None:
    timeline = new_course(Options(), 3)
    mover = RandomMover(3)
    while timeline.game.phase != "return":
        legal = [move for move in timeline.game.legal_moves if move.kind == "take"] or timeline.game.legal_moves
        timeline = timeline.decide(timeline.game.seat, legal[mover.below(len(legal))], AT)
    seat = timeline.game.seat
    returned = timeline.decide(seat, timeline.game.legal_moves[0], AT)
    assert is_same_game(returned.undo(seat, AT), timeline)
    assert returned.undo(seat, AT).undo(seat, AT).game.phase == "act"


def is_same_game(one: Timeline, other: Timeline) -> bool:
    return one.game.texts == other.game.texts and one.game.phase == other.game.phase


def test_the_end_is_not_taken_back() -> None:
    for seed in range(50):
        timeline = random_course(Options(), seed, 10_000)
        assert timeline.game.is_over
        last = timeline.standing[-1]
        assert not timeline.can_undo(last.seat, AT)
        if not last.has_reveal:
            return
    raise AssertionError("expected a game that ends with a move that turns up no card")


def test_a_seat_cannot_take_back_without_end() -> None:
    timeline = new_course(Options("splendor", 2), 7)
    for _ in range(UNDOS_A_TURN):
        timeline = timeline.decide(0, "take wbg", AT).undo(0, AT)
    timeline = timeline.decide(0, "take wbg", AT)
    assert not timeline.can_undo(0, AT)
    with pytest.raises(CabochonError, match="take back"):
        timeline.undo(0, AT)
    assert timeline.decide(1, "take wbg", AT).can_undo(1, AT)
