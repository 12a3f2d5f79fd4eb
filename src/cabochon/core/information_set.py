"""What a seat may know, as a state record in which everything else is blotted out.

The view of a seat is itself a record of the same type: another seat's blind reserve stands as
`UNKNOWN - level`, and its card is back among the unseen ones of its level. Two states that differ only
in what the seat cannot know have the same view, byte for byte.
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
    """The level of a card, from 0; also of an unknown one."""
    if card <= UNKNOWN:
        return UNKNOWN - card
    return int(card >= LEVEL_STARTS[1]) + int(card >= LEVEL_STARTS[2])


@jit
def hide(state: State, viewer: int) -> None:
    """Blot out in place what the viewer may not know; NOTHING stands for a spectator (RSV-9)."""
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
    """Put a random possible card in the place of each unknown one: a state the viewer may be in."""
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
    """How many cards lie face down in the deck; in a view too, since their number is public."""
    size = bit_count(int(state.deck[level]))
    for seat in range(SEATS):
        for place in range(HAND):
            if state.hand[seat, place] == UNKNOWN - level:
                size -= 1
    return size


@jit
def legal_actions_in_view(view: State, components: Components, actions: IntArray) -> int:
    """`rules.legal_actions`, also right for a view, whose deck holds the others' unknown cards too."""
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
def survey(state: State, components: Components, sizes: IntArray, qualified: IntArray) -> None:
    """Write what a view tells besides the record: the sizes of the decks, and 1 for each seat that qualifies."""
    for level in range(LEVELS):
        sizes[level] = deck_size(state, level)
    for seat in range(int(state.players)):
        qualified[seat] = int(qualifies(state, components, seat))
