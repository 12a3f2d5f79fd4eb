"""The timeline of a game, as its log tells it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabochon import CabochonError, IllegalMoveError, Options
from cabochon.fair import seed_bytes
from cabochon.server.clocks import Clock
from cabochon.server.timeline import UNDOS_A_GAME, UNDOS_A_TURN, Deal, Entry, Timeline
from tests.playing import RandomMover, all_options, seeds

AT = datetime(2026, 11, 15, tzinfo=UTC)


def new_course(options: Options, seed: int, person: int | None = None) -> Timeline:
    """A game between people, or of one person against bots alone."""
    names = tuple(f"Player {n}" for n in range(options.players))
    bots = frozenset() if person is None else frozenset(range(options.players)) - {person}
    return Timeline(Deal(options, seed_bytes(seed), names, "2026-11-15", bots=bots))


def random_course(options: Options, seed: int, length: int, person: int | None = None) -> Timeline:
    """Random decisions, some of which are taken back; against bots, sometimes several turns in a row."""
    timeline = new_course(options, seed, person)
    mover = RandomMover(seed)
    while timeline.seq < length and not timeline.game.is_over:
        seat, legal = timeline.game.seat, timeline.game.legal_moves
        timeline = timeline.decide(seat, legal[mover.below(len(legal))], AT)
        undoer = seat if person is None else person
        while mover.below(4) == 0 and timeline.can_undo(undoer, AT):
            timeline = timeline.undo(undoer, AT)
    return timeline


def is_same(one: Timeline, other: Timeline) -> bool:
    return (
        one.game.state.tobytes() == other.game.state.tobytes()
        and one.game.texts == other.game.texts
        and one.entries == other.entries
        and one.standing == other.standing
        and one.is_practice == other.is_practice
        and one.game.view(0) == other.game.view(0)
    )


people_or_bots = st.sampled_from([None, 0, 1])  # the seat of the one person, or None if all are people


@settings(max_examples=40)
@given(all_options, seeds, st.integers(0, 120), people_or_bots)
def test_a_course_is_rebuilt_from_its_entries_at_any_moment(
    options: Options, seed: int, length: int, person: int | None
) -> None:
    timeline = random_course(options, seed, 120, person)
    part = Timeline(timeline.deal, timeline.entries[:length])
    again = new_course(options, seed, person)
    for entry in timeline.entries[:length]:
        again = again.undo(entry.seat, AT) if entry.is_undo else again.decide(entry.seat, entry.texts[0], AT)
    assert is_same(part, again)


@settings(max_examples=20)
@given(all_options, seeds, st.integers(0, 40), people_or_bots)
def test_walking_passes_every_moment(options: Options, seed: int, since: int, person: int | None) -> None:
    timeline = random_course(options, seed, 40, person)
    moments = [Timeline(timeline.deal, timeline.entries[:seq]).game for seq in range(timeline.seq + 1)]
    walked = list(timeline.walk(since))
    assert [entry for entry, _, _, _ in walked] == list(timeline.entries[since:])
    for entry, undone, before, after in walked:
        assert before.state.tobytes() == moments[entry.seq - 1].state.tobytes()
        assert after.state.tobytes() == moments[entry.seq].state.tobytes()
        assert [each.seq for each in undone] == expected_undone(timeline.entries[: entry.seq])


def expected_undone(entries: tuple[Entry, ...]) -> list[int]:
    """What the last entry takes back, found without the code under test: all since its seat's last own decision."""
    stands: dict[int, bool] = {}
    undone: list[int] = []
    for entry in entries:
        undone = []
        if entry.is_undo:
            first = max(
                seq for seq, is_standing in stands.items() if is_standing and entries[seq - 1].seat == entry.seat
            )
            undone = [seq for seq, is_standing in stands.items() if is_standing and seq >= first]
            stands |= dict.fromkeys(undone, False)
        else:
            stands[entry.seq] = True
    return undone


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


def against_bots(person: int = 0, players: int = 2, seed: int = 1, clock: Clock | None = None) -> Timeline:
    deal = new_course(Options("splendor", players), seed, person).deal
    started_at = None if clock is None else AT
    return Timeline(Deal(deal.options, deal.seed, deal.names, deal.date, clock, started_at, deal.bots))


def after_moves(timeline: Timeline, *moves: str) -> Timeline:
    for move in moves:
        timeline = timeline.decide(timeline.game.seat, move, AT)
    return timeline


def test_against_bots_alone_the_answers_of_the_bots_go_too() -> None:
    first = after_moves(against_bots(players=3), "take wbg", "take wbg", "take wbg")
    second = after_moves(first, "reserve 2", "reserve 1.1")
    undone = second.undo(0, AT)
    assert is_same_game(undone, first)
    assert [entry.seq for entry in undone.standing] == [1, 2, 3]
    assert undone.entries[-1].text == "undo"
    again = undone.undo(0, AT)
    assert again.game.moves == ()
    assert not again.can_undo(0, AT)
    with pytest.raises(CabochonError, match="you have made no move"):
        again.undo(0, AT)
    assert is_same(Timeline(again.deal, again.entries), again)


def test_the_same_cards_come_up_again() -> None:
    played = after_moves(against_bots(), "reserve 2.3", "take wbg")
    assert after_moves(played.undo(0, AT), "reserve 2.3").game.texts == played.game.texts[:-1]


def test_a_person_who_moves_second_goes_back_to_their_own_first_move() -> None:
    played = after_moves(against_bots(person=1), "take wbg", "take wbg", "reserve 1")
    assert not played.can_undo(0, AT), "bots take nothing back"
    assert played.undo(1, AT).game.moves == played.game.moves[:1]


def test_what_people_may_take_back_against_each_other_is_no_practice() -> None:
    taken = after_moves(against_bots(), "take wbg").undo(0, AT)
    assert not taken.is_practice
    seen = after_moves(taken, "reserve 2.3").undo(0, AT)
    assert seen.is_practice, "the card that came up is known now"
    answered = after_moves(taken, "take wbg", "take wbg")
    assert not answered.is_practice
    assert answered.undo(0, AT).is_practice, "what the bot does is known now"
    assert after_moves(answered.undo(0, AT), "take bgr").is_practice, "for good"


def test_the_next_undo_says_whether_it_makes_practice() -> None:
    taken = after_moves(against_bots(), "take wbg")
    assert not taken.undo_makes_practice(0, AT)
    answered = after_moves(taken, "take wbg")
    assert answered.undo_makes_practice(0, AT)
    assert not answered.undo_makes_practice(1, AT)
    again = after_moves(answered.undo(0, AT), "take wbg", "take wbg")
    assert not again.undo_makes_practice(0, AT), "it is practice already"


def test_against_bots_nothing_is_taken_back_after_the_end() -> None:
    timeline = random_course(Options(), 4, 10_000, person=0)
    assert timeline.game.is_over
    assert not timeline.can_undo(0, AT)
    with pytest.raises(CabochonError, match="the game is over"):
        timeline.undo(0, AT)


def test_who_left_takes_nothing_back() -> None:
    left = after_moves(against_bots(players=3), "take wbg", "take wbg").leave(0, "left", AT)
    assert not left.can_undo(0, AT)
    with pytest.raises(CabochonError, match="you have left"):
        left.undo(0, AT)


def test_with_a_clock_the_rule_for_people_holds_against_bots_too() -> None:
    clock = Clock("live", timedelta(seconds=30), timedelta(seconds=60))
    played = after_moves(against_bots(clock=clock), "take wbg")
    assert played.can_undo(0, AT)
    assert not after_moves(played, "take wbg").can_undo(0, AT)
    assert not after_moves(against_bots(clock=clock), "reserve 2.3").can_undo(0, AT)


def test_two_people_and_a_bot_are_not_against_bots_alone() -> None:
    deal = new_course(Options("splendor", 3), 1).deal
    played = after_moves(
        Timeline(Deal(deal.options, deal.seed, deal.names, deal.date, bots=frozenset([2]))), "take wbg", "take wbg"
    )
    assert not played.can_undo(0, AT)
    assert not after_moves(played, "take wbg").can_undo(1, AT)


def test_a_log_keeps_only_so_many_undos() -> None:
    timeline = against_bots()
    for number in range(UNDOS_A_GAME):
        timeline = after_moves(timeline, "take wbg", "take wbg")
        if number < UNDOS_A_GAME - 1:
            timeline = timeline.undo(0, AT)
    last = timeline.undo(0, AT)
    with pytest.raises(CabochonError, match=f"expected at most {UNDOS_A_GAME} undos"):
        after_moves(last, "take wbg").undo(0, AT)
    assert not after_moves(last, "take wbg").can_undo(0, AT)
