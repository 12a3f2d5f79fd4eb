"""A heuristic evaluation: a few features of each seat, one weight for each feature.

The weighted sum of a seat's features is its score, and the softmax of the scores at the table is each seat's
probability of winning. `value_actions` values each legal action by the position it leads to, with the place of a card
still to be revealed left empty.

Nothing here reads the decks, so a view is evaluated without guessing what it hides.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from importlib import resources
from typing import Any, NamedTuple, NewType

import numpy as np
from numpy.typing import NDArray

from cabochon.core.cards import COLOURS, LEVELS, VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_STARTS, Components
from cabochon.core.hidden_cards import legal_actions_in_view
from cabochon.core.rules import (
    AVENGERS_POINTS,
    FIRST_TAGS,
    carry_out,
    legal_actions,
    missing_by_colour,
    outcome_values,
    purchasing_power,
    settle,
    sum_colours,
)
from cabochon.core.state import (
    ACT,
    ACTIONS,
    BUY,
    HAND,
    MARKET,
    NOTHING,
    OVER,
    PAY,
    PAY_DONE,
    PENDING_BLIND,
    RESERVE,
    RETURN,
    RETURN_TOKEN,
    REVEAL,
    SEATS,
    SETTLE,
    STATE_DTYPE,
    TILE,
    TILE_PLACES,
    TIME,
    UNKNOWN,
    WILD,
    Array,
    State,
)

Weights = NewType("Weights", NDArray[np.float32])  # [FEATURES]
WEIGHTS_FILE = "heuristic_weights.csv"  # a row for each feature, a column for each game
# Cards in reach are discounted by the turns they are away, cards by bonuses by the tokens that bonuses leave to pay,
# tiles in reach by the bonuses missing.
FEATURE_NAMES = (
    *("points", "points_beyond_8", "points_beyond_12", "cards"),
    *("colours_with_1_bonus", "colours_with_2_bonuses", "colours_with_3_bonuses", "colours_with_4_bonuses"),
    *("coloured_tokens", "wilds", "token_colours", "reserved_cards"),
    *("market_points_in_reach", "best_points_in_reach", "market_cards_in_reach"),
    *("points_affordable", "cards_affordable"),
    *("reserved_points_in_reach", "reserved_cards_in_reach", "reserved_points"),
    *("market_points_by_bonuses", "reserved_points_by_bonuses", "market_cards_by_bonuses"),
    *("tiles_in_reach", "closest_tile", "can_qualify_next"),
    *("turn_to_come_this_round", "is_next", "round_number"),
    # Splendor: Marvel alone
    *("time_stone", "time_stone_in_reach", "tags", "tag_lead", "avengers_tile"),
    *("missing_colours_in_reach", "missing_colours_late"),
)
FEATURES = len(FEATURE_NAMES)

DOUBT = 0.02  # the part of every estimate that is shared out evenly: only a game that is over is certain

# What is left of a card's worth when it is 0, 1, 2, ... turns of taking tokens away.
TURN_DISCOUNT = tuple(0.65**turns for turns in range(16))
# ... or when the bonuses leave so many tokens to pay, and of a tile's when so many bonuses are missing.
TOKEN_DISCOUNT = tuple(0.8**tokens for tokens in range(32))
BONUS_DISCOUNT = tuple(0.65**bonuses for bonuses in range(32))


class HeuristicBuffers(NamedTuple):
    """Working memory of `value_actions`, for one thread."""

    states: Any  # [1] of STATE_DTYPE: the position after an action
    features: Array  # [FEATURES]
    scores: Array  # [SEATS]
    other_scores: Array  # [SEATS] after actions that leave what the other seats see as it is
    actions: Array  # [ACTIONS]
    choices: Array  # [ACTIONS] the legal actions later in the same turn
    values: Array  # [ACTIONS, SEATS]


def new_buffers() -> HeuristicBuffers:
    """Working memory for one thread."""
    return HeuristicBuffers(
        states=np.zeros(1, STATE_DTYPE),
        features=np.zeros(FEATURES, np.float32),
        scores=np.zeros(SEATS),
        other_scores=np.zeros(SEATS),
        actions=np.zeros(ACTIONS, np.int64),
        choices=np.zeros(ACTIONS, np.int64),
        values=np.zeros((ACTIONS, SEATS)),
    )


@cache
def heuristic_weights(variant: int) -> Weights:
    """The weights [FEATURES] for a game."""
    with resources.files(__package__).joinpath(WEIGHTS_FILE).open(encoding="utf-8") as file:
        by_feature = {row["feature"]: row[VARIANTS[variant]] for row in csv.DictReader(file)}
    weights = Weights(np.array([by_feature[name] for name in FEATURE_NAMES], np.float32))
    weights.setflags(write=False)
    return weights


@jit
def turns_away(lacks: int, wilds: int) -> int:
    """Return about how many turns of taking tokens a purchase is away: three tokens per turn, but hardly two alike."""
    total = sum_colours(lacks) - wilds
    if total <= 0:
        return 0
    greatest = 0
    for colour in range(COLOURS):
        greatest = max(greatest, (lacks >> (8 * colour)) & 0xFF)
    greatest = min(greatest, total)
    return max((total + 2) // 3, (2 * greatest + 2) // 3)


@jit
def seat_features(state: State, components: Components, seat: int, features: Array) -> None:
    """Write the features [FEATURES] of a seat; unknown cards count only as reserved ones."""
    for index in range(FEATURES):
        features[index] = 0.0
    points = int(state.points[seat])
    goal = int(components.points_to_win)
    wilds = int(state.tokens[seat, WILD])

    bonuses = 0  # one byte a colour
    missing_colours = 0  # as bits
    missing_count = tokens = token_colours = with_2 = with_3 = with_4 = 0
    for colour in range(COLOURS):
        bonus = int(state.bonuses[seat, colour])
        held = int(state.tokens[seat, colour])
        bonuses |= bonus << (8 * colour)
        missing_colours |= int(bonus == 0) << colour
        missing_count += int(bonus == 0)
        tokens += held
        token_colours += int(held > 0)
        with_2 += int(bonus >= 2)
        with_3 += int(bonus >= 3)
        with_4 += int(bonus >= 4)

    tiles_in_reach = closest_tile = 0.0
    completing = 0  # the colours of which one more bonus earns a tile, as bits
    for place in range(TILE_PLACES):
        tile = int(state.tiles[place])
        if tile == NOTHING or state.tile_owner[place] != NOTHING:
            continue
        lacks = last = 0
        for colour in range(COLOURS):
            short = int(components.tile_needs[tile, colour]) - ((bonuses >> (8 * colour)) & 0xFF)
            if short > 0:
                lacks += short
                last = colour
        worth = BONUS_DISCOUNT[lacks]
        tiles_in_reach += worth
        closest_tile = max(closest_tile, worth)
        if lacks == 1:
            completing |= 1 << last
        elif lacks == 0:
            completing |= (1 << COLOURS) - 1

    rival_tags = 0
    for other in range(int(state.players)):
        if other != seat:
            rival_tags = max(rival_tags, int(state.tags[other]))
    tags = int(state.tags[seat])
    has_time = int(state.tokens[seat, TIME])

    power = purchasing_power(state, seat)
    market_points = market_cards = market_points_by_bonuses = market_cards_by_bonuses = 0.0
    reserved_points_in_reach = reserved_cards_in_reach = reserved_points_by_bonuses = 0.0
    reserved = reserved_points = affordable = points_affordable = can_qualify = 0
    best_points = time_in_reach = 0.0
    nearness = 0  # of each colour's closest card, one byte a colour: 0 if there is none
    for place in range(MARKET + HAND):
        if place < MARKET:
            card = int(state.market[place])
        else:
            card = int(state.hand[seat, place - MARKET])
            reserved += int(card != NOTHING)
        if card < 0:
            continue
        price = int(components.price[card])
        turns = turns_away(missing_by_colour(price, power), wilds)
        reach = TURN_DISCOUNT[turns]
        by_bonuses = TOKEN_DISCOUNT[sum_colours(missing_by_colour(price, bonuses))]
        card_points = int(components.points[card])
        colour = int(components.bonus[card])
        is_top = card >= LEVEL_STARTS[LEVELS - 1]
        if place < MARKET:
            market_points += card_points * reach
            market_cards += reach
            market_points_by_bonuses += card_points * by_bonuses
            market_cards_by_bonuses += by_bonuses
        else:
            reserved_points += card_points
            reserved_points_in_reach += card_points * reach
            reserved_cards_in_reach += reach
            reserved_points_by_bonuses += card_points * by_bonuses
        best_points = max(best_points, card_points * reach)
        if is_top:
            time_in_reach = max(time_in_reach, reach)
        near, shift = len(TURN_DISCOUNT) - turns, 8 * colour
        if components.has_gauntlet and near > (nearness >> shift) & 0xFF:
            nearness = (nearness & ~(0xFF << shift)) | (near << shift)
        if turns == 0:
            affordable += 1
            gained = card_points
            if (completing >> colour) & 1:
                gained += 3
            if components.has_gauntlet and state.avengers != seat:
                card_tags = tags + int(components.tags[card])
                if card_tags >= FIRST_TAGS and card_tags > rival_tags:
                    gained += AVENGERS_POINTS
            points_affordable = max(points_affordable, gained)
            is_gauntlet_full = (has_time or is_top) and missing_colours & ~(1 << colour) == 0
            if points + gained >= goal and (is_gauntlet_full or not components.has_gauntlet):
                can_qualify = 1

    mover = int(state.seat)
    players = int(state.players)
    features[0] = points / 10.0
    features[1] = max(0, points - 8) / 5.0
    features[2] = max(0, min(points, goal + 2) - 12) / 3.0
    features[3] = int(state.cards[seat]) / 10.0
    features[4] = (COLOURS - missing_count) / 5.0
    features[5] = with_2 / 5.0
    features[6] = with_3 / 5.0
    features[7] = with_4 / 5.0
    features[8] = tokens / 10.0
    features[9] = wilds / 5.0
    features[10] = token_colours / 5.0
    features[11] = reserved / 3.0
    features[12] = market_points / 10.0
    features[13] = best_points / 5.0
    features[14] = market_cards / 10.0
    features[15] = points_affordable / 5.0
    features[16] = affordable / 10.0
    features[17] = reserved_points_in_reach / 5.0
    features[18] = reserved_cards_in_reach / 3.0
    features[19] = reserved_points / 10.0
    features[20] = market_points_by_bonuses / 10.0
    features[21] = reserved_points_by_bonuses / 5.0
    features[22] = market_cards_by_bonuses / 10.0
    features[23] = tiles_in_reach
    features[24] = closest_tile
    features[25] = can_qualify
    features[26] = int(seat >= mover)
    features[27] = 1.0 - ((seat - mover + players) % players) / players
    features[28] = min(30, int(state.round_number)) / 20.0
    if components.has_gauntlet:
        colours_in_reach = 0.0
        for colour in range(COLOURS):
            near = (nearness >> (8 * colour)) & 0xFF
            if (missing_colours >> colour) & 1 and near > 0:
                colours_in_reach += TURN_DISCOUNT[len(TURN_DISCOUNT) - near]
        features[29] = has_time
        features[30] = 1.0 if has_time else time_in_reach
        features[31] = min(tags, 6) / 3.0
        features[32] = max(-3, min(3, tags - rival_tags)) / 3.0
        features[33] = int(state.avengers == seat)
        features[34] = (COLOURS - missing_count + colours_in_reach) / 5.0
        features[35] = missing_count * points / 30.0


@jit
def seat_score(state: State, components: Components, weights: Weights, features: Array, seat: int) -> float:
    """The score of a seat, to compare with the others at the table; `features` is working memory."""
    seat_features(state, components, seat, features)
    score = np.float32(0.0)
    for index in range(FEATURES):
        score += features[index] * weights[index]
    return np.float64(score)  # `float` would leave it as it is


@jit
def _softmax(scores: Array, players: int, values: Array) -> None:
    greatest = scores[0]
    for seat in range(1, players):
        greatest = max(greatest, scores[seat])
    total = 0.0
    for seat in range(players):
        values[seat] = math.exp(scores[seat] - greatest)
        total += values[seat]
    for seat in range(players):
        values[seat] = (1.0 - DOUBT) * values[seat] / total + DOUBT / players


@jit
def carry_out_unseen(state: State, components: Components, action: int) -> None:
    """Carry out an action on a view or state; the card that it would reveal stays unknown."""
    seat = int(state.seat)
    carry_out(state, components, action)
    if state.phase == REVEAL:
        pending = int(state.pending)
        if pending >= PENDING_BLIND:
            place = int(state.hand[seat, 0] != NOTHING) + int(state.hand[seat, 1] != NOTHING)
            state.hand[seat, place] = UNKNOWN - (pending - PENDING_BLIND)
            state.blind[seat, place] = 1
        state.pending = NOTHING
        state.phase = SETTLE
    settle(state, components)


@jit
def _finish_turn(state: State, components: Components, weights: Weights, buffers: HeuristicBuffers, seat: int) -> None:
    """Make the remaining decisions of the turn after an action, by default or greedily."""
    while int(state.seat) == seat and (state.phase == PAY or state.phase == RETURN or state.phase == TILE):
        if state.phase == PAY:
            carry_out_unseen(state, components, PAY_DONE)
        elif state.phase == TILE:
            legal_actions(state, components, buffers.choices)
            carry_out_unseen(state, components, int(buffers.choices[0]))
        else:
            best_token = NOTHING
            best_score = 0.0
            for token in range(COLOURS + 1):
                if state.tokens[seat, token] > 0:
                    state.tokens[seat, token] -= 1
                    score = seat_score(state, components, weights, buffers.features, seat)
                    state.tokens[seat, token] += 1
                    if best_token == NOTHING or score > best_score:
                        best_token = token
                        best_score = score
            carry_out_unseen(state, components, RETURN_TOKEN + best_token)


@jit
def value_actions(
    state: State, components: Components, weights: Weights, buffers: HeuristicBuffers, actions: Array, values: Array
) -> int:
    """Write the legal actions [ACTIONS] of a state or view and each seat's value of them [ACTIONS, SEATS].

    Returns how many there are. The scores of the other seats are computed only once for all the actions that do not
    change what these seats see of the table.
    """
    count = legal_actions_in_view(state, components, actions)
    seat = int(state.seat)
    players = int(state.players)
    after = buffers.states[0]
    are_others_known = False
    for index in range(count):
        action = int(actions[index])
        buffers.states[0] = state
        carry_out_unseen(after, components, action)
        _finish_turn(after, components, weights, buffers, seat)
        if after.phase == OVER:
            outcome_values(after, components, values[index])
            continue
        changes_table = BUY <= action < RESERVE + MARKET or state.phase != ACT
        scores = buffers.scores if changes_table else buffers.other_scores
        for each in range(players):
            if each == seat or changes_table or not are_others_known:
                scores[each] = seat_score(after, components, weights, buffers.features, each)
        are_others_known = are_others_known or not changes_table
        _softmax(scores, players, values[index])
    return count
