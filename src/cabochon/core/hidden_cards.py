"""What a seat may know: hide the rest of a state, and fill it in again at random.

The view of a seat is a state record too. A blind reserve of another seat is `UNKNOWN - level` there, and its card is
back among the unseen cards of its level. Two states that differ only in what the seat cannot know have equal views,
byte for byte.
"""

from __future__ import annotations

from cabochon.core.cards import LEVELS
from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_STARTS, Components
from cabochon.core.random import random_below
from cabochon.core.rules import bit_count, legal_actions, nth_one, qualifies
from cabochon.core.state import HAND, OVER, RESERVE_BLIND, SEATS, UNKNOWN, IntArray, State


@jit
def level_of(card: int) -> int:
    """Return the level of a card, from 0, even if the card is unknown."""
    if card <= UNKNOWN:
        return UNKNOWN - card
    return int(card >= LEVEL_STARTS[1]) + int(card >= LEVEL_STARTS[2])


@jit
def hide(state: State, viewer: int) -> None:
    """Turn a state into the view of a seat, or of a spectator if `viewer` is NOTHING (RSV-9)."""
    if state.phase == OVER:
        return
    for seat in range(SEATS):
        for place in range(HAND):
            card = int(state.hand[seat, place])
            if seat != viewer and state.blind[seat, place] == 1 and card >= 0:
                level = level_of(card)
                state.hand[seat, place] = UNKNOWN - level
                state.deck[level] = int(state.deck[level]) | (1 << (card - int(LEVEL_STARTS[level])))


@jit
def determinize(state: State, stream: IntArray) -> None:
    """Turn a view into one of its possible states: replace each unknown card by a random unseen one."""
    for seat in range(SEATS):
        for place in range(HAND):
            card = int(state.hand[seat, place])
            if card <= UNKNOWN:
                level = level_of(card)
                unseen = int(state.deck[level])
                index = nth_one(unseen, random_below(stream, bit_count(unseen)))
                state.hand[seat, place] = int(LEVEL_STARTS[level]) + index
                state.deck[level] = unseen & ~(1 << index)


@jit
def deck_size(state: State, level: int) -> int:
    """Return the number of cards in the deck; it is public, and also right in a view."""
    size = bit_count(int(state.deck[level]))
    for seat in range(SEATS):
        for place in range(HAND):
            if state.hand[seat, place] == UNKNOWN - level:
                size -= 1
    return size


@jit
def legal_actions_in_view(view: State, components: Components, actions: IntArray) -> int:
    """Do what `rules.legal_actions` does, for a view, whose decks also contain the unknown cards in hands."""
    count = legal_actions(view, components, actions)
    kept = 0
    for index in range(count):
        action = int(actions[index])
        if RESERVE_BLIND <= action < RESERVE_BLIND + LEVELS and deck_size(view, action - RESERVE_BLIND) == 0:
            continue
        actions[kept] = action
        kept += 1
    return kept


@jit
def write_public_facts(state: State, components: Components, sizes: IntArray, qualified: IntArray) -> None:
    """Write the sizes of the decks [LEVELS], and 1 for each seat that qualifies into `qualified` [players]."""
    for level in range(LEVELS):
        sizes[level] = deck_size(state, level)
    for seat in range(int(state.players)):
        qualified[seat] = int(qualifies(state, components, seat))
