"""How good a position is for each seat: features, weights, and the worth of every legal action.

A seat's position is summed up in FEATURES numbers. A record of weights turns them into a score: a linear
part, and a small network of one hidden layer beside it (the greedy bot goes without). The probability
that a seat wins is the softmax of the scores at the table. `value_actions` values each legal action by
the position it leads to, with the place of a card still to be revealed left empty; it is all that the
greedy bot and the search know of strategy, and so the place where another network would go.

Nothing here reads the decks, so a view is valued without guessing at what it hides.
"""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from cabochon.core.cards import COLOURS, LEVELS, VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_STARTS, Components
from cabochon.core.information_set import legal_actions_in_view
from cabochon.core.rules import (
    AVENGERS_POINTS,
    FIRST_TAGS,
    carry_out,
    has_won,
    legal_actions,
    purchasing_power,
    settle,
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
    TILE,
    TILE_PLACES,
    TIME,
    UNKNOWN,
    WILD,
    Array,
    State,
    new_states,
)

FEATURE_NAMES = (
    "points",
    "points_beyond_8",
    "points_beyond_12",
    "cards",
    "colours_with_1_bonus",
    "colours_with_2_bonuses",
    "colours_with_3_bonuses",
    "colours_with_4_bonuses",
    "coloured_tokens",
    "wilds",
    "token_colours",
    "reserved_cards",
    "market_points_in_reach",  # summed over the face-up cards, discounted by the turns they are away
    "best_points_in_reach",
    "market_cards_in_reach",
    "points_affordable",
    "cards_affordable",
    "reserved_points_in_reach",
    "reserved_cards_in_reach",
    "reserved_points",
    "market_points_by_bonuses",  # discounted by the tokens that the bonuses leave to pay
    "reserved_points_by_bonuses",
    "market_cards_by_bonuses",
    "tiles_in_reach",  # discounted by the bonuses missing
    "closest_tile",
    "can_qualify_next",
    "turn_to_come_this_round",
    "is_next",
    "round_number",
    # Splendor: Marvel alone
    "time_stone",
    "time_stone_in_reach",
    "tags",
    "tag_lead",
    "avengers_tile",
    "missing_colours_in_reach",
    "missing_colours_late",
)
FEATURES = len(FEATURE_NAMES)
HIDDEN = 32

FLOAT_BYTES = 4
CACHE_LINE = 64  # bytes; a vector that lies across two of them takes longer to load

WEIGHTS_DTYPE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hidden", np.float32, (FEATURES, HIDDEN)),
                ("hidden_bias", np.float32, (HIDDEN,)),
                ("output", np.float32, (HIDDEN,)),
                ("linear", np.float32, (FEATURES,)),
                ("has_hidden", np.int32),
                ("padding", np.uint8, (-FLOAT_BYTES * (FEATURES + 1) % CACHE_LINE,)),  # to whole cache lines
            ],
            align=True,
        ),
    )
)
Weights = np.record

DOUBT = 0.02  # the part of every estimate that is shared out evenly: only a game that is over is certain

# What is left of a card's worth when it is 0, 1, 2, ... turns of taking tokens away.
TURN_DISCOUNT = tuple(0.65**turns for turns in range(16))
# ... or when the bonuses leave so many tokens to pay, and of a tile's when so many bonuses are missing.
TOKEN_DISCOUNT = tuple(0.8**tokens for tokens in range(32))
BONUS_DISCOUNT = tuple(0.65**bonuses for bonuses in range(32))


class Scratch(NamedTuple):
    """Working memory of `value_actions`, for one thread."""

    states: Any  # [2] states
    features: Array  # [FEATURES]
    scores: Array  # [SEATS]
    others: Array  # [SEATS] the same, where an action leaves what the others see of the table as it is
    actions: Array  # [ACTIONS]
    returns: Array  # [ACTIONS]


def new_scratch() -> Scratch:
    """Working memory for one thread."""
    return Scratch(
        new_states(2),
        np.zeros(FEATURES, np.float32),
        np.zeros(SEATS, np.float64),
        np.zeros(SEATS, np.float64),
        np.zeros(ACTIONS, np.int64),
        np.zeros(ACTIONS, np.int64),
    )


def new_weights(count: int) -> Any:
    """A zeroed array of `count` records of weights."""
    room = np.zeros(count * WEIGHTS_DTYPE.itemsize + CACHE_LINE, np.uint8)
    return np.recarray(count, dtype=WEIGHTS_DTYPE, buf=room.data, offset=-room.ctypes.data % CACHE_LINE)


@jit
def lacking(price: int, power: int) -> int:
    """What the power falls short of the price, one byte a colour; see `rules.missing_tokens`."""
    differences = (price | 0x8080808080) - power
    short = differences & 0x8080808080
    return differences & (short - (short >> 7))


@jit
def byte_sum(packed: int) -> int:
    """The sum of the bytes."""
    return ((packed * 0x0101010101000000) >> 56) & 0xFF


@jit
def turns_away(lacks: int, wilds: int) -> int:
    """About how many turns of taking tokens a purchase is away: three a turn, but hardly two alike."""
    total = byte_sum(lacks) - wilds
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
    tokens = 0
    token_colours = 0
    missing_colours = 0  # as bits
    with_2 = 0
    with_3 = 0
    with_4 = 0
    for colour in range(COLOURS):
        bonus = int(state.bonuses[seat, colour])
        held = int(state.tokens[seat, colour])
        bonuses |= bonus << (8 * colour)
        tokens += held
        token_colours += int(held > 0)
        missing_colours |= int(bonus == 0) << colour
        with_2 += int(bonus >= 2)
        with_3 += int(bonus >= 3)
        with_4 += int(bonus >= 4)
    missing_count = 0
    for colour in range(COLOURS):
        missing_count += (missing_colours >> colour) & 1

    tiles_in_reach = 0.0
    closest_tile = 0.0
    completing = 0  # the colours of which one more bonus earns a tile, as bits
    for place in range(TILE_PLACES):
        tile = int(state.tiles[place])
        if tile == NOTHING or state.tile_owner[place] != NOTHING:
            continue
        lacks = 0
        last = 0
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
    market_points = 0.0
    market_cards = 0.0
    market_points_by_bonuses = 0.0
    market_cards_by_bonuses = 0.0
    reserved_points_by_bonuses = 0.0
    reserved_points_in_reach = 0.0
    reserved_cards_in_reach = 0.0
    reserved_points = 0
    reserved = 0
    best_points = 0.0
    points_affordable = 0
    affordable = 0
    can_qualify = 0
    time_in_reach = 0.0
    colours_in_reach = 0.0
    reach_0 = 0.0
    reach_1 = 0.0
    reach_2 = 0.0
    reach_3 = 0.0
    reach_4 = 0.0
    for place in range(MARKET + HAND):
        if place < MARKET:
            card = int(state.market[place])
        else:
            card = int(state.hand[seat, place - MARKET])
            reserved += int(card != NOTHING)
        if card < 0:
            continue
        price = int(components.price[card])
        turns = turns_away(lacking(price, power), wilds)
        reach = TURN_DISCOUNT[turns]
        by_bonuses = TOKEN_DISCOUNT[byte_sum(lacking(price, bonuses))]
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
        if colour == 0:
            reach_0 = max(reach_0, reach)
        elif colour == 1:
            reach_1 = max(reach_1, reach)
        elif colour == 2:
            reach_2 = max(reach_2, reach)
        elif colour == 3:
            reach_3 = max(reach_3, reach)
        else:
            reach_4 = max(reach_4, reach)
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
        if missing_colours & 1:
            colours_in_reach += reach_0
        if missing_colours & 2:
            colours_in_reach += reach_1
        if missing_colours & 4:
            colours_in_reach += reach_2
        if missing_colours & 8:
            colours_in_reach += reach_3
        if missing_colours & 16:
            colours_in_reach += reach_4
        features[29] = has_time
        features[30] = 1.0 if has_time else time_in_reach
        features[31] = min(tags, 6) / 3.0
        features[32] = max(-3, min(3, tags - rival_tags)) / 3.0
        features[33] = int(state.avengers == seat)
        features[34] = (COLOURS - missing_count + colours_in_reach) / 5.0
        features[35] = missing_count * points / 30.0


@jit
def _linear_score(features: Array, weights: Weights) -> float:
    score = np.float32(0.0)
    for index in range(FEATURES):
        score += features[index] * weights.linear[index]
    return np.float64(score)  # `float` would leave it as it is


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _hidden_sum(typing_context: Any, features: Any, hidden: Any, biases: Any, outputs: Any) -> Any:
    """The score of the hidden layer from the addresses of its features and weights, all float32.

    The units are the lanes of one vector, and the order of every sum is written out. Were it left to the compiler (its
    fast mathematics), equal seeds would part: the copies of one function that are compiled into its callers would
    differ, and which of them runs depends on what a process has compiled and what it has loaded from the disk.
    """
    signature = types.float32(*[types.intp] * 4)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        features, hidden, biases, outputs = arguments
        word = features.type
        single = ir.FloatType()
        lane = ir.IntType(32)
        units = ir.VectorType(single, HIDDEN)
        empty = ir.Constant(units, ir.Undefined)
        zero = ir.Constant(units, [0.0] * HIDDEN)

        def lanes(start: int, count: int, step: int) -> Any:
            return ir.Constant(ir.VectorType(lane, count), [start + step * index for index in range(count)])

        def load(address: Any, kind: Any) -> Any:
            return builder.load(builder.inttoptr(address, kind.as_pointer()), align=FLOAT_BYTES)

        first = load(biases, units)
        before = builder.block
        loop = builder.append_basic_block("hidden.loop")
        after = builder.append_basic_block("hidden.after")
        builder.branch(loop)

        builder.position_at_end(loop)
        index = builder.phi(word)
        activity = builder.phi(units)
        feature = load(builder.add(features, builder.mul(index, word(FLOAT_BYTES))), single)
        spread = builder.shuffle_vector(builder.insert_element(empty, feature, lane(0)), empty, lanes(0, HIDDEN, 0))
        row = load(builder.add(hidden, builder.mul(index, word(FLOAT_BYTES * HIDDEN))), units)
        new_activity = builder.fadd(activity, builder.fmul(spread, row))
        next_index = builder.add(index, word(1))
        index.add_incoming(word(0), before)
        index.add_incoming(next_index, loop)
        activity.add_incoming(first, before)
        activity.add_incoming(new_activity, loop)
        builder.cbranch(builder.icmp_signed("<", next_index, word(FEATURES)), loop, after)

        builder.position_at_end(after)
        positive = builder.select(builder.fcmp_ordered(">", new_activity, zero), new_activity, zero)
        parts = builder.fmul(positive, load(outputs, units))
        while parts.type.count > 1:  # each lane of the first half with its like in the second
            half = parts.type.count // 2
            empty = ir.Constant(parts.type, ir.Undefined)
            halves = [builder.shuffle_vector(parts, empty, lanes(start, half, 1)) for start in (0, half)]
            parts = builder.fadd(*halves)
        return builder.extract_element(parts, lane(0))

    return signature, generate


@jit
def _compiled_hidden_score(features: Array, weights: Weights) -> float:
    return np.float64(
        _hidden_sum(
            features.ctypes.data,
            weights.hidden.ctypes.data,
            weights.hidden_bias.ctypes.data,
            weights.output.ctypes.data,
        )
    )


def _interpreted_hidden_score(features: Array, weights: Weights) -> float:
    activity = weights.hidden_bias.copy()
    for index in range(FEATURES):
        activity += features[index] * weights.hidden[index]
    parts = np.where(activity > 0, activity, np.float32(0)) * weights.output
    while len(parts) > 1:
        parts = parts[: len(parts) // 2] + parts[len(parts) // 2 :]
    return float(parts[0])


_hidden_score = _interpreted_hidden_score if config.DISABLE_JIT else _compiled_hidden_score


@jit
def seat_score(state: State, components: Components, weights: Weights, scratch: Scratch, seat: int) -> float:
    """The score of a seat, to be compared with the others' at the table."""
    features = scratch.features
    seat_features(state, components, seat, features)
    score = _linear_score(features, weights)
    if weights.has_hidden:
        score += _hidden_score(features, weights)
    return score


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
def outcome_values(state: State, components: Components, values: Array) -> None:
    """Of a game that is over: 1 for the winner, shared where the victory is, 0 for the others."""
    winners = 0
    for seat in range(int(state.players)):
        winners += int(has_won(state, components, seat))
    for seat in range(int(state.players)):
        values[seat] = 1.0 / winners if has_won(state, components, seat) else 0.0


@jit
def evaluate(state: State, components: Components, weights: Weights, scratch: Scratch, values: Array) -> None:
    """Write each seat's probability of winning into `values` [SEATS]."""
    if state.phase == OVER:
        outcome_values(state, components, values)
        return
    players = int(state.players)
    for seat in range(players):
        scratch.scores[seat] = seat_score(state, components, weights, scratch, seat)
    _softmax(scratch.scores, players, values)


@jit
def carry_out_unseen(state: State, components: Components, action: int) -> None:
    """Carry out an action on a view or state, the card that it would reveal staying unknown."""
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
def _finish_turn(state: State, components: Components, weights: Weights, scratch: Scratch, seat: int) -> None:
    """Take the smaller decisions that an action leaves in the same turn, by default or greedily."""
    while int(state.seat) == seat and (state.phase == PAY or state.phase == RETURN or state.phase == TILE):
        if state.phase == PAY:
            carry_out_unseen(state, components, PAY_DONE)
        elif state.phase == TILE:
            legal_actions(state, components, scratch.returns)
            carry_out_unseen(state, components, int(scratch.returns[0]))
        else:
            best_token = NOTHING
            best_score = 0.0
            for token in range(COLOURS + 1):
                if state.tokens[seat, token] > 0:
                    state.tokens[seat, token] -= 1
                    score = seat_score(state, components, weights, scratch, seat)
                    state.tokens[seat, token] += 1
                    if best_token == NOTHING or score > best_score:
                        best_token = token
                        best_score = score
            carry_out_unseen(state, components, RETURN_TOKEN + best_token)


@jit
def value_actions(
    state: State,
    components: Components,
    weights: Weights,
    scratch: Scratch,
    actions: Array,
    values: Array,
) -> int:
    """Write the legal actions [ACTIONS] and their values for each seat [ACTIONS, SEATS]; return how many."""
    count = legal_actions_in_view(state, components, actions)
    value_some_actions(state, components, weights, scratch, actions, count, values)
    return count


@jit
def value_some_actions(
    state: State,
    components: Components,
    weights: Weights,
    scratch: Scratch,
    actions: Array,
    count: int,
    values: Array,
) -> None:
    """Write the values [ACTIONS, SEATS] of the first `count` of some legal actions, for each seat.

    The state may be a view. The others' scores are found once for all the actions that leave what they
    see of the table as it is.
    """
    seat = int(state.seat)
    players = int(state.players)
    after = scratch.states[0]
    are_others_known = False
    for index in range(count):
        action = int(actions[index])
        scratch.states[0] = state
        carry_out_unseen(after, components, action)
        _finish_turn(after, components, weights, scratch, seat)
        if after.phase == OVER:
            outcome_values(after, components, values[index])
            continue
        changes_table = BUY <= action < RESERVE + MARKET or state.phase != ACT
        for other in range(players):
            if other == seat:
                continue
            if changes_table:
                scratch.scores[other] = seat_score(after, components, weights, scratch, other)
            else:
                if not are_others_known:
                    scratch.others[other] = seat_score(after, components, weights, scratch, other)
                scratch.scores[other] = scratch.others[other]
        are_others_known = are_others_known or not changes_table
        scratch.scores[seat] = seat_score(after, components, weights, scratch, seat)
        _softmax(scratch.scores, players, values[index])


@cache
def _trained() -> tuple[Any, Any, Array]:
    """The weights in the package, by game: of the greedy bot, of the network by players, of the policy."""
    greedy = new_weights(len(VARIANTS))
    network = new_weights(len(VARIANTS) * (SEATS + 1)).reshape(len(VARIANTS), SEATS + 1)
    with (
        resources.files(__package__).joinpath("weights.npz").open("rb") as file,
        np.load(file) as arrays,
    ):
        greedy["linear"] = arrays["greedy"]
        for field in ("linear", "hidden", "hidden_bias", "output"):
            network[field] = arrays[field]
        policy = arrays["policy"]
    network["has_hidden"] = 1
    for table in (greedy, network, policy):
        table.setflags(write=False)
    return greedy, network, policy


def greedy_weights(variant: int) -> Weights:
    """The linear weights of the greedy bot, one for each of FEATURE_NAMES."""
    weights: Weights = _trained()[0][variant]
    return weights


def network_weights(variant: int, players: int) -> Weights:
    """The weights of the network that the search values positions with."""
    weights: Weights = _trained()[1][variant, players]
    return weights


def policy_parameters(variant: int) -> Array:
    """The parameters of the policy that the search plays on with, one for each of `policy.PARAMETER_NAMES`."""
    parameters: Array = _trained()[2][variant]
    return parameters
