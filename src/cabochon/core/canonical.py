"""Tables on which everything lies in the order of its number, so that equal positions look equal.

The rules treat the four places of a level alike, the places of a hand, and those of the tiles. Of all the states that
differ only in what lies where, one is arranged: whoever learns from arranged tables need not learn the same thing for
every order.

A blind reserve counts by its level alone, for its owner too, so that where it lies tells nobody which card it is.
"""

from __future__ import annotations

from cabochon.core.cards import LEVELS
from cabochon.core.compilation import jit
from cabochon.core.information_set import level_of
from cabochon.core.state import (
    BUY,
    BUY_HAND,
    CHOOSE_TILE,
    HAND,
    MARKET,
    NOTHING,
    PAY_WILD,
    PLACES,
    RESERVE,
    RESERVE_BLIND,
    SEATS,
    TILE_PLACES,
    State,
)

LAST = 127  # the key of an empty place: behind all others
BLIND = 120  # + level: behind the cards that all know


@jit
def _key(number: int) -> int:
    return LAST if number == NOTHING else number


@jit
def _hand_key(state: State, seat: int, place: int) -> int:
    card = int(state.hand[seat, place])
    if card == NOTHING:
        return LAST
    return BLIND + level_of(card) if state.blind[seat, place] == 1 else card


@jit
def _follow(state: State, place: int) -> None:
    """What lay in the place has changed with what lay before it: the card that is being bought may be one of them."""
    if state.buying == place:
        state.buying = place - 1
    elif state.buying == place - 1:
        state.buying = place


@jit
def _sort_level(state: State, first: int) -> None:
    for end in range(first + 1, first + PLACES):
        place = end
        while place > first and _key(int(state.market[place])) < _key(int(state.market[place - 1])):
            state.market[place], state.market[place - 1] = state.market[place - 1], state.market[place]
            _follow(state, place)
            place -= 1


@jit
def _sort_hand(state: State, seat: int) -> None:
    hand, blind = state.hand[seat], state.blind[seat]
    for end in range(1, HAND):
        place = end
        while place > 0 and _hand_key(state, seat, place) < _hand_key(state, seat, place - 1):
            hand[place], hand[place - 1] = hand[place - 1], hand[place]
            blind[place], blind[place - 1] = blind[place - 1], blind[place]
            if seat == state.seat:
                _follow(state, MARKET + place)
            place -= 1


@jit
def _sort_tiles(state: State) -> None:
    for end in range(1, TILE_PLACES):
        place = end
        while place > 0 and _key(int(state.tiles[place])) < _key(int(state.tiles[place - 1])):
            state.tiles[place], state.tiles[place - 1] = state.tiles[place - 1], state.tiles[place]
            state.tile_owner[place], state.tile_owner[place - 1] = state.tile_owner[place - 1], state.tile_owner[place]
            place -= 1


@jit
def _place_of(state: State, card: int) -> int:
    """Where the card lies: a market place, or MARKET + its place in the hand of the seat that decides."""
    for place in range(MARKET):
        if state.market[place] == card:
            return place
    for place in range(HAND):
        if state.hand[state.seat, place] == card:
            return MARKET + place
    return NOTHING


@jit
def canonicalize(state: State) -> None:
    """Put each level, each hand and the tiles of a state or view in order; not while something is to be revealed."""
    for level in range(LEVELS):
        _sort_level(state, level * PLACES)
    for seat in range(SEATS):
        _sort_hand(state, seat)
    _sort_tiles(state)


@jit
def translate_action(action: int, state: State, other: State) -> int:
    """The action that does in `other`, the same in another order, what `action` does in `state`; or NOTHING."""
    if CHOOSE_TILE <= action < PAY_WILD:
        for place in range(TILE_PLACES):
            if other.tiles[place] == state.tiles[action - CHOOSE_TILE]:
                return CHOOSE_TILE + place
        return NOTHING
    if BUY_HAND <= action < RESERVE:
        place = _place_of(other, int(state.hand[state.seat, action - BUY_HAND]))
        return BUY + place if place >= MARKET else NOTHING
    if BUY <= action < RESERVE_BLIND:
        kind = BUY if action < BUY_HAND else RESERVE
        place = _place_of(other, int(state.market[action - kind]))
        return kind + place if 0 <= place < MARKET else NOTHING
    return action
