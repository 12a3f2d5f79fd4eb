"""Positions with a known best move, built on the core's records, and a table to play at."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cabochon.core.cards import CARD_LIST, COLOURS, MARVEL, SPLENDOR, Card
from cabochon.core.components import COMPONENTS, LEVEL_STARTS
from cabochon.core.hidden_cards import hide, level_of
from cabochon.core.random import seed_stream
from cabochon.core.rules import deal, play_action
from cabochon.core.state import (
    BUY,
    HAND,
    MARKET,
    OVER,
    PLACES,
    RESERVE,
    SEATS,
    TIME,
    Array,
    State,
    new_states,
)


def new_stream(seed: int) -> Array:
    stream = np.zeros(2, np.int64)
    seed_stream(stream, seed, 0)
    return stream


def dealt(variant: int, players: int, seed: int = 0) -> State:
    state: State = new_states(1)[0]
    deal(state, COMPONENTS[variant], players, 0, 0, new_stream(seed))
    return state


def view_of(state: State, seat: int) -> State:
    views = new_states(1)
    views[0] = state
    hide(views[0], seat)
    view: State = views[0]
    return view


def play_out(state: State, bots: list[Callable[[State], int]], seed: int) -> None:
    """Play the game to its end, each bot from the view of its seat."""
    components = COMPONENTS[int(state.variant)]
    stream = new_stream(seed)
    while state.phase != OVER:
        seat = int(state.seat)
        play_action(state, components, bots[seat](view_of(state, seat)), stream)


def _lay(state: State, place: int, card: int) -> None:
    """Put an unseen card on a market place, and the one that lay there back among the unseen."""
    level = level_of(card)
    assert place // PLACES == level
    start = LEVEL_STARTS[level]
    if state.market[place] != card:
        assert int(state.deck[level]) >> (card - start) & 1, "the card is not unseen"
        deck = int(state.deck[level]) & ~(1 << (card - start))
        state.deck[level] = deck | 1 << (int(state.market[place]) - start)
        state.market[place] = card


def _find(variant: int, condition: Callable[[Card], bool], taken: set[int]) -> int:
    for index, card in enumerate(CARD_LIST[variant]):
        if index not in taken and condition(card):
            taken.add(index)
            return index
    raise AssertionError("no such card")


def _lay_market(state: State, variant: int, conditions: dict[int, Callable[[Card], bool]]) -> dict[int, int]:
    """Lay out dear cards without points or tags to speak of, but those asked for at their places."""
    taken: set[int] = set()
    cards = {place: _find(variant, condition, taken) for place, condition in conditions.items()}
    for place in range(MARKET):
        if place not in cards:
            level = place // PLACES + 1
            cards[place] = _find(
                variant,
                lambda card, level=level: card.level == level and card.tags == 0 and sum(card.cost) >= 3,  # type: ignore[misc]
                taken,
            )
    for level in range(3):
        everything = 0
        for index in range(LEVEL_STARTS[level], (*LEVEL_STARTS[1:], 90)[level]):
            everything |= 1 << (index - LEVEL_STARTS[level])
        state.deck[level] = everything
    for place, card in cards.items():
        state.market[place] = card
        level = level_of(card)
        state.deck[level] = int(state.deck[level]) & ~(1 << (card - LEVEL_STARTS[level]))
    return cards


def _hold_cost(state: State, seat: int, variant: int, card: int) -> None:
    """Give the seat just the tokens that the card costs it."""
    for colour, cost in enumerate(CARD_LIST[variant][card].cost):
        needed = max(0, cost - int(state.bonuses[seat, colour]))
        needed = min(needed, int(state.supply[colour]))
        state.tokens[seat, colour] += needed
        state.supply[colour] -= needed


def winning_now() -> tuple[State, set[int]]:
    """The last seat of the round has 12 points and the tokens for a card of 3."""
    state = dealt(SPLENDOR, 2)
    cards = _lay_market(
        state, SPLENDOR, {5: lambda card: card.level == 2 and card.points == 3, 0: lambda card: card.level == 1}
    )
    state.seat = 1
    state.round_number = 20
    state.points[0], state.points[1] = 14, 12
    state.cards[0], state.cards[1] = 10, 10
    for seat in range(2):
        state.bonuses[seat] = 2
    _hold_cost(state, 1, SPLENDOR, cards[5])
    return state, {BUY + 5}


def blocking_a_win() -> tuple[State, set[int]]:
    """The next seat has 14 points and the tokens for one card with points, and for nothing else with any."""
    state = dealt(SPLENDOR, 2)
    cards = _lay_market(state, SPLENDOR, {5: lambda card: card.level == 2 and card.points == 2 and max(card.cost) == 5})
    state.round_number = 20
    state.points[0], state.points[1] = 11, 14
    state.cards[0], state.cards[1] = 9, 9
    for place in range(MARKET):
        if place != 5 and CARD_LIST[SPLENDOR][state.market[place]].points > 0 and place < 2 * PLACES:
            replacement = next(
                index
                for index, card in enumerate(CARD_LIST[SPLENDOR])
                if card.level == place // PLACES + 1
                and int(state.deck[place // PLACES]) >> (index - LEVEL_STARTS[place // PLACES]) & 1
                and (card.points == 0 or max(card.cost) >= 6)
            )
            _lay(state, place, replacement)
    state.bonuses[0] = 1
    state.tokens[1] = 0
    state.bonuses[1] = 1
    _hold_cost(state, 1, SPLENDOR, cards[5])
    return state, {RESERVE + 5, BUY + 5}


def taking_the_noble() -> tuple[State, set[int]]:
    """With 12 points, a card without points completes a noble, and so the game, for the last seat."""
    state = dealt(SPLENDOR, 2)
    needs = COMPONENTS[SPLENDOR].tile_needs[state.tiles[0]]
    colour = int(needs.argmax())
    name = ("white", "blue", "green", "red", "black")[colour]
    cards = _lay_market(
        state,
        SPLENDOR,
        {
            0: lambda card: card.level == 1 and card.points == 0 and card.bonus == name,
            4: lambda card: card.level == 2 and card.points == 2,
        },
    )
    state.seat = 1
    state.round_number = 20
    state.points[0], state.points[1] = 13, 12
    state.bonuses[1] = needs
    state.bonuses[1, colour] -= 1
    state.cards[0], state.cards[1] = 10, int(state.bonuses[1].sum())
    for place in range(1, 5):
        if place < 3 and state.tiles[place] >= 0:
            state.tile_owner[place] = 0
    _hold_cost(state, 1, SPLENDOR, cards[0])
    _hold_cost(state, 1, SPLENDOR, cards[4])
    return state, {BUY + 0}


def gauntlet_race() -> tuple[State, set[int]]:
    """With 16 points and a Time Stone only the fifth colour is missing; a card of 5 points is no use."""
    state = dealt(MARVEL, 2)
    cards = _lay_market(
        state,
        MARVEL,
        {
            0: lambda card: card.level == 1 and card.points == 0 and card.bonus == "orange" and card.tags == 0,
            8: lambda card: card.level == 3 and card.points == 5,
        },
    )
    state.seat = 1
    state.round_number = 20
    state.points[0], state.points[1] = 13, 16
    state.bonuses[1] = 3
    state.bonuses[1, COLOURS - 1] = 0
    state.cards[0], state.cards[1] = 10, 12
    state.tokens[1, TIME] = 1
    state.supply[TIME] -= 1
    _hold_cost(state, 1, MARVEL, cards[0])
    _hold_cost(state, 1, MARVEL, cards[8])
    return state, {BUY + 0}


def keeping_the_avengers() -> tuple[State, set[int]]:
    """Qualified with the Avengers tile, which the next seat takes with the one card of a tag it can pay."""
    state = dealt(MARVEL, 2)
    cards = _lay_market(state, MARVEL, {4: lambda card: card.level == 2 and card.tags == 1})
    state.round_number = 20
    state.points[0], state.points[1] = 16, 12
    state.cards[0], state.cards[1] = 12, 10
    state.tags[0] = state.tags[1] = 3
    state.avengers = 0
    state.bonuses[0] = 2
    state.bonuses[1] = 1
    state.tokens[0, TIME] = 1
    state.supply[TIME] -= 1
    for colour in range(COLOURS):
        state.supply[colour] = 4
    _hold_cost(state, 1, MARVEL, cards[4])
    return state, {RESERVE + 4, BUY + 4}


WINS_IN_ONE = (winning_now, taking_the_noble, gauntlet_race)
THREATS = (blocking_a_win, keeping_the_avengers)


def with_a_blind_reserve(variant: int, players: int) -> tuple[State, State]:
    """Two states that differ only in a blind reserve of the last seat, with the first to move."""
    first = dealt(variant, players, seed=5)
    second = dealt(variant, players, seed=5)
    level = 1
    start = LEVEL_STARTS[level]
    unseen = [index for index in range(30) if int(first.deck[level]) >> index & 1]
    for state, index in ((first, unseen[0]), (second, unseen[7])):
        state.hand[players - 1, 0] = start + index
        state.blind[players - 1, 0] = 1
        state.deck[level] = int(state.deck[level]) & ~(1 << index)
    assert first.hand.shape == (SEATS, HAND)
    return first, second
