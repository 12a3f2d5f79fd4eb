"""Checked replay of a game: apply its events, each only if it is legal.

An event is an action (0 or more), or a reveal as a negative number that encodes what was pending and which card or
tile came up.
"""

from __future__ import annotations

from cabochon.core.cards import CARDS
from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.rules import apply_action, card_bought, first_reveal, legal_actions, possible_reveals, reveal
from cabochon.core.state import BUY, BUY_HAND, MARKET, NOTHING, PAY, RESERVE, REVEAL, IntArray, State


@jit
def reveal_event(pending: int, outcome: int) -> int:
    """Encode the reveal of card or tile `outcome` where `pending` says."""
    return -1 - (pending * CARDS + outcome)


@jit
def pending_of(event: int) -> int:
    """Return what was pending in a reveal event."""
    return (-1 - event) // CARDS


@jit
def outcome_of(event: int) -> int:
    """Return the card or tile of a reveal event."""
    return (-1 - event) % CARDS


@jit
def is_legal(state: State, components: Components, event: int, actions: IntArray) -> bool:
    """Return whether the event may come next; `actions` [ACTIONS] is scratch."""
    if event < 0:
        if state.phase != REVEAL or pending_of(event) != state.pending:
            return False
        index = outcome_of(event) - first_reveal(state)
        return 0 <= index < 40 and (possible_reveals(state, components) >> index) & 1 != 0
    for index in range(legal_actions(state, components, actions)):
        if actions[index] == event:
            return True
    return False


@jit
def _card_to_buy(state: State, event: int) -> int:
    """Return the card that the action buys or continues to pay for, or NOTHING."""
    if BUY <= event < BUY_HAND:
        return int(state.market[event - BUY])
    if BUY_HAND <= event < RESERVE:
        return int(state.hand[state.seat, event - BUY - MARKET])
    if state.phase == PAY:
        return card_bought(state)
    return NOTHING


@jit
def replay(
    state: State, components: Components, events: IntArray, turns: IntArray, owners: IntArray, actions: IntArray
) -> int:
    """Apply `events` in order up to the first illegal one; return how many were applied.

    `turns` [events, 2] receives the round and seat of each event, `owners` [CARDS] the seat that bought each card;
    `actions` [ACTIONS] is scratch.
    """
    for index in range(len(events)):
        event = int(events[index])
        if not is_legal(state, components, event, actions):
            return index
        seat = int(state.seat)
        turns[index, 0] = state.round_number
        turns[index, 1] = seat
        if event < 0:
            reveal(state, components, outcome_of(event))
        else:
            card = _card_to_buy(state, event)
            cards = int(state.cards[seat])
            apply_action(state, components, event)
            if state.cards[seat] > cards:
                owners[card] = seat
    return len(events)
