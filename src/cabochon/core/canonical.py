"""The canonical form of a state: cards and tiles sorted by number, so that equal positions have equal states.

The rules do not distinguish the four places of a level, the places of a hand or those of the tiles. Of all states that
differ only in this order, one is canonical. A network that only sees canonical states does not have to learn the same
position in every order.

A blind reserve is sorted by its level alone, even for its owner, so that its place does not reveal the card.
"""

from __future__ import annotations

from cabochon.core.cards import LEVELS
from cabochon.core.compilation import jit
from cabochon.core.hidden_cards import level_of
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

LAST = 127  # the sort key of an empty place: after all others
BLIND = 120  # + level: after the cards that everyone knows


@jit
def _sort_key(number: int) -> int:
    return LAST if number == NOTHING else number


@jit
def _hand_sort_key(state: State, seat: int, place: int) -> int:
    card = int(state.hand[seat, place])
    if card == NOTHING:
        return LAST
    return BLIND + level_of(card) if state.blind[seat, place] == 1 else card


@jit
def _swap_buying(state: State, place: int) -> None:
    """Keep `buying` on its card after the contents of the place and of the one before it were swapped."""
    if state.buying == place:
        state.buying = place - 1
    elif state.buying == place - 1:
        state.buying = place


@jit
def _sort_level(state: State, first: int) -> None:
    for end in range(first + 1, first + PLACES):
        place = end
        while place > first and _sort_key(int(state.market[place])) < _sort_key(int(state.market[place - 1])):
            state.market[place], state.market[place - 1] = state.market[place - 1], state.market[place]
            _swap_buying(state, place)
            place -= 1


@jit
def _sort_hand(state: State, seat: int) -> None:
    hand, blind = state.hand[seat], state.blind[seat]
    for end in range(1, HAND):
        place = end
        while place > 0 and _hand_sort_key(state, seat, place) < _hand_sort_key(state, seat, place - 1):
            hand[place], hand[place - 1] = hand[place - 1], hand[place]
            blind[place], blind[place - 1] = blind[place - 1], blind[place]
            if seat == state.seat:
                _swap_buying(state, MARKET + place)
            place -= 1


@jit
def _sort_tiles(state: State) -> None:
    for end in range(1, TILE_PLACES):
        place = end
        while place > 0 and _sort_key(int(state.tiles[place])) < _sort_key(int(state.tiles[place - 1])):
            state.tiles[place], state.tiles[place - 1] = state.tiles[place - 1], state.tiles[place]
            state.tile_owner[place], state.tile_owner[place - 1] = state.tile_owner[place - 1], state.tile_owner[place]
            place -= 1


@jit
def _find_card(state: State, card: int) -> int:
    """Return the market place of the card, or MARKET + its place in the hand of the seat that decides, or NOTHING."""
    for place in range(MARKET):
        if state.market[place] == card:
            return place
    for place in range(HAND):
        if state.hand[state.seat, place] == card:
            return MARKET + place
    return NOTHING


@jit
def canonicalize(state: State) -> None:
    """Sort each level, each hand and the tiles of a state or view; not allowed in the phase REVEAL."""
    for level in range(LEVELS):
        _sort_level(state, level * PLACES)
    for seat in range(SEATS):
        _sort_hand(state, seat)
    _sort_tiles(state)


@jit
def translate_action(action: int, state: State, other: State) -> int:
    """Return the action that does in `other` what `action` does in `state`, the same position in another order.

    Return NOTHING if there is none.
    """
    if CHOOSE_TILE <= action < PAY_WILD:
        for place in range(TILE_PLACES):
            if other.tiles[place] == state.tiles[action - CHOOSE_TILE]:
                return CHOOSE_TILE + place
        return NOTHING
    if BUY_HAND <= action < RESERVE:
        place = _find_card(other, int(state.hand[state.seat, action - BUY_HAND]))
        return BUY + place if place >= MARKET else NOTHING
    if BUY <= action < RESERVE_BLIND:
        kind = BUY if action < BUY_HAND else RESERVE
        place = _find_card(other, int(state.market[action - kind]))
        return kind + place if 0 <= place < MARKET else NOTHING
    return action
