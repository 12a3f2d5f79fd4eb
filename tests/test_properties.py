"""What holds in every game, over random games of both kinds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabochon import Game, IllegalMoveError, Move, Options, Reveal, View
from cabochon.core.cards import CARDS, LEVELS, VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.hidden_cards import determinize, hide, level_of
from cabochon.core.invariants import INVARIANTS, check_games, find_broken_invariant
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.rules import apply_action, bit_count, legal_actions, legal_mask, nth_one
from cabochon.core.state import (
    ACTIONS,
    HAND,
    NOTHING,
    OVER,
    SEATS,
    TILE_PLACES,
    State,
    copy_state,
    new_state,
)
from cabochon.notation import event_from_text, event_text
from tests.playing import SETTINGS, RandomMover, all_options, random_game, seeds

lengths = st.integers(0, 120)


@pytest.mark.parametrize(("variant", "players"), SETTINGS)
@pytest.mark.parametrize("free_take", [0, 1])
@pytest.mark.parametrize("automatic_payment", [0, 1])
def test_no_invariant_breaks_in_random_games(
    variant: str, players: int, free_take: int, automatic_payment: int
) -> None:
    tally = np.zeros(4, dtype=np.int64)
    broken = check_games(
        new_state(),
        COMPONENTS[VARIANTS.index(variant)],
        np.zeros(ACTIONS, dtype=np.int8),
        np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE),
        np.zeros(CARDS, dtype=np.int8),
        players,
        free_take,
        automatic_payment,
        2026,
        0,
        300,
        tally,
    )
    assert INVARIANTS[broken] == ""
    assert tally[1:].sum() == 300


@pytest.mark.parametrize(
    ("spoil", "invariant"),
    [
        (lambda state: state.supply.__setitem__(0, 9), "tokens are neither lost nor made"),
        (lambda state: state.market.__setitem__(0, state.market[1]), "every card is in exactly one place"),
        (lambda state: state.points.__setitem__(0, 3), "bonuses, points and tags"),
        (lambda state: setattr(state, "avengers", 0), "bonuses, points and tags"),
        (lambda state: state.tags.__setitem__(1, 2), "bonuses, points and tags"),
        (lambda state: state.tiles.__setitem__(1, state.tiles[0]), "tiles stay or have one owner"),
        (lambda state: setattr(state, "ending", 1), "a game that is over has an ending"),
        (lambda state: state.blind.__setitem__((0, 0), 1), "a hand has no gaps"),
    ],
)
def test_a_spoiled_state_breaks_its_invariant(spoil: object, invariant: str) -> None:
    state = Game("marvel", players=3, seed=1).state
    assert callable(spoil)
    spoil(state)
    owners = np.full(CARDS, NOTHING, dtype=np.int8)
    broken = find_broken_invariant(state, COMPONENTS[1], owners, np.zeros(ACTIONS, dtype=np.int8))
    assert INVARIANTS[broken].startswith(invariant)


@given(all_options, seeds, lengths)
def test_exactly_the_legal_moves_can_be_played(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    legal = set(game.legal_moves)
    mask, listed = np.ones(ACTIONS, dtype=np.int8), np.zeros(ACTIONS, dtype=np.int8)
    assert legal_mask(game.state, COMPONENTS[VARIANTS.index(options.variant)], mask, listed) == len(legal)
    assert np.flatnonzero(mask).tolist() == sorted(move.action for move in legal)
    for action in range(ACTIONS):
        move = Move(action, options.variant)
        trial = game.copy()
        if move in legal:
            trial.play(move)
            assert trial.moves == (*game.moves, move)
        else:
            before = trial.state.tobytes()
            with pytest.raises(IllegalMoveError) as refused:
                trial.play(move)
            assert refused.value.rule is not None
            assert trial.state.tobytes() == before
            assert trial.events == game.events


def shuffle_hidden(state: State, viewer: int | None, mover: RandomMover) -> State:
    """Another state that the viewer cannot tell from this one."""
    other = copy_state(state)
    hide(other, NOTHING if viewer is None else viewer)
    determinize(other, mover.stream)
    return other


@given(all_options, seeds, lengths)
def test_a_view_does_not_depend_on_what_the_seat_cannot_know(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    for viewer in (None, *range(options.players)):
        other = game.copy()
        other._state = shuffle_hidden(game.state, viewer, RandomMover(seed + 1))
        for level in range(LEVELS):
            assert bit_count(int(other.state.deck[level])) == bit_count(int(game.state.deck[level]))
        view = game.view(viewer)
        assert other.view(viewer).to_dict() == view.to_dict()
        assert other.view(viewer) == view
        assert other.view(viewer).state.tobytes() == view.state.tobytes()
        assert str(other.view(viewer)) == str(view)


@given(all_options, seeds, lengths)
def test_a_view_prints_and_parses_back(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    if seed % 2:  # in the phase "reveal", which a game with a seed never rests in
        game.seed = None
        for move in game.legal_moves[-1:]:
            game.play(move)
    for viewer in (None, *range(options.players)):
        view = game.view(viewer)
        again = View.from_dict(json.loads(json.dumps(view.to_dict())))
        assert again == view
        assert again.state.tobytes() == view.state.tobytes()


@given(all_options, seeds, lengths)
def test_a_view_hides_just_the_blind_reserves_of_others(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    state = game.state
    for viewer in (None, *range(options.players)):
        view = game.view(viewer)
        for seat in range(SEATS):
            cards = [int(card) for card in state.hand[seat, :HAND] if card != NOTHING]
            if seat >= options.players:
                assert cards == []
                continue
            assert len(view.seats[seat].reserved) == len(cards)
            for place, (card, reserved) in enumerate(zip(cards, view.seats[seat].reserved, strict=True)):
                is_hidden = seat != viewer and state.blind[seat, place] and not game.is_over
                assert reserved.level == level_of(card) + 1
                assert (reserved.card is None) == bool(is_hidden)
                if reserved.card is not None:
                    assert reserved.card.number == card + 1


def test_every_move_and_reveal_prints_and_parses_back() -> None:
    for variant in VARIANTS:
        texts = [str(Move(action, variant)) for action in range(ACTIONS)]
        assert len(set(texts)) == ACTIONS
        for action, text in enumerate(texts):
            assert Move.from_text(text, variant) == Move(action, variant)
            assert event_text(event_from_text(text, variant), variant) == text
    for where in [f"{level}.{place}" for level in (1, 2, 3) for place in (1, 2, 3, 4)] + ["h", "t1", "t5"]:
        for number in range(1, 11 if where.startswith("t") else CARDS + 1):
            reveal = Reveal(where, number)
            assert Reveal.from_text(str(reveal)) == reveal
            assert Reveal.from_event(reveal.event) == reveal
            assert event_text(event_from_text(str(reveal), "marvel"), "marvel") == str(reveal)


@given(all_options, seeds, lengths)
def test_undo_goes_back_exactly_one_move(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    before = game.copy()
    legal = game.legal_moves
    if not legal:
        return
    game.play(legal[seed % len(legal)])
    assert game.undo() == legal[seed % len(legal)]
    assert game.state.tobytes() == before.state.tobytes()
    assert game.events == before.events
    assert game.view(0).seats == before.view(0).seats


def rotate_seats(state: State) -> State:
    """The same table with everyone moved one seat on."""
    players = int(state.players)
    other = copy_state(state)
    for name in ("tokens", "bonuses", "points", "cards", "tags", "hand", "blind"):
        getattr(other, name)[:players] = np.roll(getattr(state, name)[:players], 1, axis=0)
    other.seat = (int(state.seat) + 1) % players
    for place in range(TILE_PLACES):
        if state.tile_owner[place] != NOTHING:
            other.tile_owner[place] = (int(state.tile_owner[place]) + 1) % players
    if state.avengers != NOTHING:
        other.avengers = (int(state.avengers) + 1) % players
    return other


@given(st.sampled_from(VARIANTS), st.integers(3, 4), seeds, lengths)
def test_seats_are_symmetric(variant: str, players: int, seed: int, length: int) -> None:
    """A seat that is not the last one of the round has the same moves, with the same effect, one seat on."""
    state = random_game(Options(variant, players), seed, length).state
    if state.seat >= players - 2 or state.phase == OVER:
        return
    components = COMPONENTS[VARIANTS.index(variant)]
    actions = np.zeros((2, ACTIONS), dtype=np.int8)
    count = legal_actions(state, components, actions[0])
    assert legal_actions(rotate_seats(state), components, actions[1]) == count
    assert actions[0, :count].tolist() == actions[1, :count].tolist()
    for action in actions[0, :count]:
        here, there = copy_state(state), rotate_seats(state)
        apply_action(here, components, int(action))
        apply_action(there, components, int(action))
        assert rotate_seats(here).tobytes() == there.tobytes()


@given(st.integers(1, 2**40 - 1), st.integers(0, 39))
def test_nth_one_finds_the_bits_in_order(bits: int, n: int) -> None:
    ones = [position for position in range(40) if bits >> position & 1]
    assert bit_count(bits) == len(ones)
    assert nth_one(bits, n % len(ones)) == ones[n % len(ones)]


@given(all_options, seeds, lengths)
def test_a_filled_view_is_a_possible_state(options: Options, seed: int, length: int) -> None:
    game = random_game(options, seed, length)
    state = shuffle_hidden(game.state, 0, RandomMover(seed))
    scratch = np.zeros(ACTIONS, dtype=np.int8)
    components = COMPONENTS[VARIANTS.index(options.variant)]
    assert INVARIANTS[find_broken_invariant(state, components, game._owners, scratch)] == ""
    for card, place in zip(state.hand[0], range(HAND), strict=True):
        assert card == game.state.hand[0, place]
