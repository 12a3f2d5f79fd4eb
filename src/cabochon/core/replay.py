"""Checked replay: events as integers, each applied only if it is legal.

An event is an action (0 or more) or a reveal, encoded as a negative number that holds both what was
pending and the card or tile that came.
"""

from __future__ import annotations

from cabochon.core.cards import CARDS
from cabochon.core.compilation import jit
from cabochon.core.components import Components
from cabochon.core.rules import (
    apply_action,
    card_bought,
    first_reveal,
    legal_actions,
    possible_reveals,
    reveal,
)
from cabochon.core.state import BUY, BUY_HAND, MARKET, NOTHING, PAY, RESERVE, REVEAL, IntArray, State


@jit
def reveal_event(pending: int, outcome: int) -> int:
    """The event of the core's `outcome` at the core's `pending`."""
    return -1 - (pending * CARDS + outcome)


@jit
def pending_of(event: int) -> int:
    """What was pending in a reveal event."""
    return (-1 - event) // CARDS


@jit
def outcome_of(event: int) -> int:
    """Which card or tile came in a reveal event."""
    return (-1 - event) % CARDS


@jit
def is_legal(state: State, components: Components, event: int, actions: IntArray) -> bool:
    """Whether the event may come next; `actions` is scratch of the length ACTIONS."""
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
def _bought_by(state: State, event: int) -> int:
    """The card that the action is about to buy, or goes on paying for."""
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

    `turns` [events, 2] receives the round and the seat of each, `owners` [CARDS] the seat that has bought a
    card; `actions` is scratch of the length ACTIONS.
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
            card = _bought_by(state, event)
            cards = int(state.cards[seat])
            apply_action(state, components, event)
            if state.cards[seat] > cards:
                owners[card] = seat
    return len(events)
