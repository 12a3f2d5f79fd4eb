"""A guess at the action in less than a microsecond: a utility for each, linear in PARAMETERS numbers.

The search plays short playouts by it, and asks it which actions of a position are worth a closer look. The
utility of buying or reserving a card, or of a token towards it, is a sum over what the card is to the seat
(CARD_FEATURES); the parameters are fitted to what the search itself chose (`training.imitate`).

Only states are looked at, not views, and all payments are automatic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cabochon.bots.evaluation import (
    BONUS_DISCOUNT,
    TURN_DISCOUNT,
    byte_sum,
    lacking,
    turns_away,
)
from cabochon.core.cards import COLOURS, LEVELS
from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_STARTS, Components
from cabochon.core.rules import held_tokens, legal_actions, purchasing_power
from cabochon.core.state import (
    ACT,
    ACTIONS,
    BUY,
    HAND,
    MARKET,
    NOTHING,
    PASS,
    RESERVE,
    RESERVE_BLIND,
    RETURN,
    RETURN_TOKEN,
    TAKE,
    TAKE_TWO,
    TAKES,
    TILE_PLACES,
    TIME,
    TOKEN_LIMIT,
    WILD,
    Array,
    State,
)

CARD_FEATURES = (
    "card",
    "points",
    "tiles_by_bonus",
    "missing_colour",
    "tags",
    "time_stone",
    "points_a_rival_can_buy",
    "level",
)
ASPECTS = len(CARD_FEATURES)
USES = (
    "buy",
    "token_for_next_turn",
    "token_for_later",
    "reserve",
)  # what is done about a card
BUY_CARD = 0
TOKEN_NOW = ASPECTS
TOKEN_LATER = 2 * ASPECTS
RESERVE_CARD = 3 * ASPECTS
OTHER_NAMES = (
    "buy_from_hand",
    "buy_to_the_goal",
    "tokens_spent",
    "reserve_any",
    "reserve_with_wild",
    "reserve_with_cards_in_hand",
    "reserve_blind",
    "reserve_what_a_rival_can_buy",
    "reserve_beyond_limit",
    "take_two_alike",
    "tokens_taken",
    "tokens_beyond_limit",
)
(
    FROM_HAND,
    TO_THE_GOAL,
    SPENT,
    RESERVE_ANY,
    WITH_WILD,
    CARDS_IN_HAND,
    BLIND,
    RIVAL,
    RESERVE_BEYOND,
    TWO_ALIKE,
    TAKEN,
    BEYOND,
) = range(4 * ASPECTS, 4 * ASPECTS + len(OTHER_NAMES))
PARAMETER_NAMES = tuple(f"{use}_{feature}" for use in USES for feature in CARD_FEATURES) + OTHER_NAMES
PARAMETERS = len(PARAMETER_NAMES)

# The action that takes one token of each colour in a set of bits; NOTHING where there is none.
TAKE_OF = tuple(
    next(
        (TAKE + i for i, take in enumerate(TAKES) if sum(1 << colour for colour in take) == colours),
        NOTHING,
    )
    for colours in range(1 << COLOURS)
)


class Desk(NamedTuple):
    """Working memory of the policy, for one thread: the utilities of what an action consists of."""

    aspects: Array  # [ASPECTS] of one card
    tiles: Array  # [COLOURS] how much a bonus helps towards tiles
    buy: Array  # [MARKET + HAND] of buying each card, far below zero where that is not possible
    reserve: Array  # [MARKET] of reserving it
    first: Array  # [COLOURS] of a token
    second: Array  # [COLOURS] of another one of the same colour
    beyond: Array  # [4] of taking so many tokens, for those beyond the limit
    blind: Array  # [1] of reserving blind
    actions: Array  # [ACTIONS]


NEVER = -1e9


def new_desk() -> Desk:
    """Working memory for one thread."""
    return Desk(
        aspects=np.zeros(ASPECTS, np.float32),
        tiles=np.zeros(COLOURS, np.float32),
        buy=np.zeros(MARKET + HAND, np.float32),
        reserve=np.zeros(MARKET, np.float32),
        first=np.zeros(COLOURS, np.float32),
        second=np.zeros(COLOURS, np.float32),
        beyond=np.zeros(4, np.float32),
        blind=np.zeros(1, np.float32),
        actions=np.zeros(ACTIONS, np.int64),
    )


@jit
def _weigh_bonuses(state: State, components: Components, seat: int, tiles: Array) -> None:
    """How much one more bonus of each colour helps towards the tiles on the table."""
    for colour in range(COLOURS):
        tiles[colour] = 0.0
    for place in range(TILE_PLACES):
        tile = int(state.tiles[place])
        if tile == NOTHING or state.tile_owner[place] != NOTHING:
            continue
        lacks = 0
        for colour in range(COLOURS):
            lacks += max(0, int(components.tile_needs[tile, colour]) - int(state.bonuses[seat, colour]))
        worth = BONUS_DISCOUNT[max(0, lacks - 1)]
        for colour in range(COLOURS):
            if components.tile_needs[tile, colour] > state.bonuses[seat, colour]:
                tiles[colour] += worth


@jit
def _use_of_card(policy: Array, use: int, aspects: Array) -> float:
    utility = 0.0
    for aspect in range(ASPECTS):
        utility += policy[use + aspect] * aspects[aspect]
    return utility


@jit
def _weigh_parts(state: State, components: Components, policy: Array, desk: Desk) -> None:
    """Fill the desk for the seat whose turn it is."""
    seat = int(state.seat)
    following = (seat + 1) % int(state.players)
    power = purchasing_power(state, seat)
    wilds = int(state.tokens[seat, WILD])
    rival_power = purchasing_power(state, following)
    rival_wilds = int(state.tokens[following, WILD])
    wants_time = components.has_gauntlet and state.tokens[seat, TIME] == 0
    room = TOKEN_LIMIT - held_tokens(state, seat)
    to_goal = int(components.points_to_win) - int(state.points[seat])
    aspects = desk.aspects
    _weigh_bonuses(state, components, seat, desk.tiles)

    for colour in range(COLOURS):
        desk.first[colour] = policy[TAKEN]
        desk.second[colour] = policy[TAKEN]
    for taken in range(4):
        desk.beyond[taken] = policy[BEYOND] * max(0, taken - room)
    in_hand = int(state.hand[seat, 0] != NOTHING) + int(state.hand[seat, 1] != NOTHING)
    any_reserve = policy[RESERVE_ANY] + policy[CARDS_IN_HAND] * in_hand
    if state.supply[WILD] > 0:
        any_reserve += policy[WITH_WILD] + policy[RESERVE_BEYOND] * max(0, 1 - room)
    desk.blind[0] = any_reserve + policy[BLIND]

    for place in range(MARKET + HAND):
        desk.buy[place] = NEVER
        card = int(state.market[place]) if place < MARKET else int(state.hand[seat, place - MARKET])
        if card < 0:
            continue
        price = int(components.price[card])
        lacks = lacking(price, power)
        turns = turns_away(lacks, wilds)
        colour = int(components.bonus[card])
        points = float(components.points[card])
        is_top = card >= LEVEL_STARTS[2]
        can_rival_buy = place < MARKET and points > 0 and byte_sum(lacking(price, rival_power)) <= rival_wilds
        aspects[0] = 1.0
        aspects[1] = points
        aspects[2] = desk.tiles[colour]
        aspects[3] = 1.0 if state.bonuses[seat, colour] == 0 else 0.0
        aspects[4] = float(components.tags[card])
        aspects[5] = 1.0 if is_top and wants_time else 0.0
        aspects[6] = points if can_rival_buy else 0.0
        aspects[7] = 0.5 * (int(card >= LEVEL_STARTS[1]) + int(is_top))
        if turns == 0:
            spent = 0
            for each in range(COLOURS):
                spent += max(0, int(components.cost[card, each]) - int(state.bonuses[seat, each]))
            utility = _use_of_card(policy, BUY_CARD, aspects) + policy[SPENT] * 0.2 * spent
            if place >= MARKET:
                utility += policy[FROM_HAND]
            if points >= to_goal:
                utility += policy[TO_THE_GOAL]
            desk.buy[place] = utility
        else:
            if turns == 1:
                utility = _use_of_card(policy, TOKEN_NOW, aspects)
            else:
                utility = _use_of_card(policy, TOKEN_LATER, aspects) * TURN_DISCOUNT[turns]
            for each in range(COLOURS):
                short = (lacks >> (8 * each)) & 0xFF
                desk.first[each] += utility * int(short > 0)
                desk.second[each] += utility * int(short > 1)
        if place < MARKET:
            utility = _use_of_card(policy, RESERVE_CARD, aspects) * TURN_DISCOUNT[turns]
            desk.reserve[place] = utility + any_reserve + policy[RIVAL] * aspects[6]


@jit
def weigh_actions(
    state: State,
    components: Components,
    policy: Array,
    desk: Desk,
    actions: Array,
    count: int,
    utilities: Array,
) -> None:
    """Write the utility of each of the legal actions of a state in the phase ACT."""
    _weigh_parts(state, components, policy, desk)
    for index in range(count):
        action = int(actions[index])
        if action < TAKE_TWO:
            colours = int(components.take_colours[action])
            taken = 0
            utility = 0.0
            for colour in range(COLOURS):
                if (colours >> colour) & 1:
                    utility += desk.first[colour]
                    taken += 1
            utilities[index] = utility + desk.beyond[taken]
        elif action < BUY:
            utilities[index] = _two_alike(policy, desk, action - TAKE_TWO)
        elif action < RESERVE:
            utilities[index] = desk.buy[action - BUY]
        elif action < RESERVE_BLIND:
            utilities[index] = desk.reserve[action - RESERVE]
        else:
            utilities[index] = desk.blind[0]


@jit
def _two_alike(policy: Array, desk: Desk, colour: int) -> float:
    return float(desk.first[colour] + desk.second[colour] + policy[TWO_ALIKE] + desk.beyond[2])


@jit
def choose_quickly(state: State, components: Components, policy: Array, desk: Desk) -> int:
    """An action of the greatest utility; of the other phases the token of the least use, or the first tile."""
    seat = int(state.seat)
    if state.phase != ACT and state.phase != RETURN:
        legal_actions(state, components, desk.actions)
        return int(desk.actions[0])
    _weigh_parts(state, components, policy, desk)
    if state.phase == RETURN:
        least = WILD
        for colour in range(COLOURS):
            if state.tokens[seat, colour] > 0 and (least == WILD or desk.first[colour] < desk.first[least]):
                least = colour
        return RETURN_TOKEN + least

    best = NOTHING
    greatest = NEVER
    for place in range(MARKET + HAND):
        if desk.buy[place] > greatest:
            greatest = desk.buy[place]
            best = BUY + place
    if state.hand[seat, HAND - 1] == NOTHING:
        for place in range(MARKET):
            if state.market[place] >= 0 and desk.reserve[place] > greatest:
                greatest = desk.reserve[place]
                best = RESERVE + place
        for level in range(LEVELS):
            if state.deck[level] != 0 and desk.blind[0] > greatest:
                greatest = desk.blind[0]
                best = RESERVE_BLIND + level

    left = 0
    for colour in range(COLOURS):
        left |= int(state.supply[colour] > 0) << colour
    colours = 0
    taken = 0
    utility = 0.0
    while left != 0 and taken < 3:
        top = NOTHING
        for colour in range(COLOURS):
            if (left >> colour) & 1 and (top == NOTHING or desk.first[colour] > desk.first[top]):
                top = colour
        left &= ~(1 << top)
        colours |= 1 << top
        utility += desk.first[top]
        taken += 1
    if taken > 0 and utility + desk.beyond[taken] > greatest:
        greatest = utility + desk.beyond[taken]
        best = TAKE_OF[colours]
    for colour in range(COLOURS):
        if state.supply[colour] >= 4 and _two_alike(policy, desk, colour) > greatest:  # TRN-5
            greatest = _two_alike(policy, desk, colour)
            best = TAKE_TWO + colour
    return best if best != NOTHING else PASS
