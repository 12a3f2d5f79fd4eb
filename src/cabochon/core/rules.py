"""The rules. Every function works in place on one state record and allocates nothing.

`legal_actions` and `apply_action` are the decisions; `random_reveal` and `reveal` are the chance between them.
These functions do not check their input: an illegal action corrupts the state. `cabochon.Game` does check.
Fields are widened with `int(...)` when read, because an int8 overflows in interpreted code.
"""

from __future__ import annotations

from cabochon.core.cards import COLOURS, LEVELS
from cabochon.core.compilation import jit
from cabochon.core.components import FEWEST_CARDS_FOR_A_TILE, LEVEL_SIZES, LEVEL_STARTS, Components
from cabochon.core.random import next_word
from cabochon.core.state import (
    ACT,
    ACTIONS,
    ALL_PASSED,
    BUY,
    BUY_HAND,
    CHOOSE_TILE,
    HAND,
    MARKET,
    NO_PROGRESS,
    NO_PROGRESS_ROUNDS,
    NOT_OVER,
    NOTHING,
    OVER,
    PASS,
    PAY,
    PAY_DONE,
    PAY_WILD,
    PENDING_BLIND,
    PENDING_TILE,
    PLACES,
    RESERVE,
    RESERVE_BLIND,
    RETURN,
    RETURN_TOKEN,
    REVEAL,
    SEATS,
    SETTLE,
    TAKE_TWO,
    TILE,
    TILE_PLACES,
    TIME,
    TOKEN_LIMIT,
    TOKENS,
    TURN_DONE,
    WILD,
    WON,
    BoolArray,
    FloatArray,
    IntArray,
    State,
)

FIRST_TAGS = 3  # AVG-2
AVENGERS_POINTS = 3  # AVG-2


# The start


@jit
def begin(state: State, components: Components, players: int, free_take: int, automatic_payment: int) -> None:
    """Reset the state to before the deal: all cards unseen, the first market place waiting for its card."""
    for level in range(LEVELS):
        state.deck[level] = (1 << int(LEVEL_SIZES[level])) - 1
    state.round_number = state.idle_turns = state.passes = 0
    state.variant = components.variant
    state.players = players
    state.free_take = free_take
    state.automatic_payment = automatic_payment
    state.phase = REVEAL
    state.seat = state.pending = state.wild_due = 0
    state.buying = state.avengers = NOTHING
    state.ending = NOT_OVER
    pile = 7 if players == 4 else players + 2  # SET-6 to SET-9
    for colour in range(COLOURS):
        state.wilds_chosen[colour] = 0
        state.supply[colour] = pile
    state.supply[WILD] = 5
    state.supply[TIME] = players if components.has_gauntlet else 0  # TIM-3
    for place in range(MARKET):
        state.market[place] = NOTHING
    for place in range(TILE_PLACES):
        state.tiles[place] = state.tile_owner[place] = NOTHING
    for seat in range(SEATS):
        for token in range(TOKENS):
            state.tokens[seat, token] = 0
        for colour in range(COLOURS):
            state.bonuses[seat, colour] = 0
        for place in range(HAND):
            state.hand[seat, place] = NOTHING
            state.blind[seat, place] = 0
        state.points[seat] = state.cards[seat] = state.tags[seat] = 0


@jit
def tiles_in_play(state: State, components: Components) -> int:
    """Return how many nobles (SET-3) or locations (SET-4) are laid out."""
    return int(state.players) + int(components.extra_tiles)


# What is legal


@jit
def purchasing_power(state: State, seat: int) -> int:
    """Return the sum of bonuses and tokens of each colour, one byte per colour as in Components.price."""
    power = 0
    for colour in range(COLOURS):
        held = int(state.bonuses[seat, colour]) + int(state.tokens[seat, colour])
        power |= held << (8 * colour)
    return power


@jit
def missing_by_colour(price: int, power: int) -> int:
    """Return by how much the power falls short of the price in each colour, one byte per colour.

    All five colours at once: each byte of the price first gets its top bit set. The bit survives the subtraction
    where the price is not below the power, and there the other seven bits are what is missing.
    """
    differences = (price | 0x8080808080) - power
    short = differences & 0x8080808080
    return differences & (short - (short >> 7))


@jit
def sum_colours(counts: int) -> int:
    """Return the sum of five counts that are packed one byte per colour."""
    return ((counts * 0x0101010101000000) >> 56) & 0xFF


@jit
def missing_tokens(price: int, power: int) -> int:
    """Return how many tokens are missing over all colours: the wilds that a purchase needs (BUY-2)."""
    return sum_colours(missing_by_colour(price, power))


@jit
def _legal_acts(state: State, components: Components, actions: IntArray) -> int:
    """Write each candidate, and count it only if it is legal: a branch would be mispredicted too often."""
    free_take = int(state.free_take)
    seat = int(state.seat)

    piles = 0
    big_piles = 0
    for colour in range(COLOURS):
        piles |= int(state.supply[colour] > 0) << colour
        big_piles |= int(state.supply[colour] >= 4) << colour  # TRN-5
    count = int(components.take_counts[free_take, piles])
    for index in range(TAKE_TWO):  # TRN-2, TRN-4; the whole row, since a fixed length is fastest
        actions[index] = components.takes[free_take, piles, index]
    for colour in range(COLOURS):
        actions[count] = TAKE_TWO + colour
        count += (big_piles >> colour) & 1

    power = purchasing_power(state, seat)
    wilds = int(state.tokens[seat, WILD])
    for place in range(MARKET):
        card = int(state.market[place])
        actions[count] = BUY + place
        count += int(missing_tokens(int(components.price[card]), power) <= wilds)
    for place in range(HAND):
        card = int(state.hand[seat, place])
        actions[count] = BUY_HAND + place
        count += int(missing_tokens(int(components.price[card]), power) <= wilds)

    if state.hand[seat, HAND - 1] == NOTHING:  # RSV-4
        for place in range(MARKET):
            actions[count] = RESERVE + place
            count += int(state.market[place] != NOTHING)
        for level in range(LEVELS):
            actions[count] = RESERVE_BLIND + level
            count += int(state.deck[level] != 0)

    if count == 0:  # TRN-9
        actions[0] = PASS
        count = 1
    return count


@jit
def _legal_payments(state: State, components: Components, actions: IntArray) -> int:
    count = 0
    if _spare_wilds(state, components) > 0:
        for colour in range(_first_wild_colour(state), COLOURS):
            if _coloured_payment(state, components, colour) > 0:
                actions[count] = PAY_WILD + colour
                count += 1
    actions[count] = PAY_DONE
    return count + 1


@jit
def _legal_returns(state: State, actions: IntArray) -> int:
    count = 0
    for token in range(COLOURS + 1):  # LIM-2; LIM-4: not the green one
        if state.tokens[state.seat, token] > 0:
            actions[count] = RETURN_TOKEN + token
            count += 1
    return count


@jit
def _legal_tiles(state: State, components: Components, actions: IntArray) -> int:
    count = 0
    for place in range(TILE_PLACES):
        if _is_tile_due(state, components, place):
            actions[count] = CHOOSE_TILE + place
            count += 1
    return count


@jit
def legal_actions(state: State, components: Components, actions: IntArray) -> int:
    """Write the legal actions into `actions`, ascending, and return their number; 0 if no seat decides."""
    phase = int(state.phase)
    if phase == ACT:
        return _legal_acts(state, components, actions)
    if phase == RETURN:
        return _legal_returns(state, actions)
    if phase == PAY:
        return _legal_payments(state, components, actions)
    if phase == TILE:
        return _legal_tiles(state, components, actions)
    return 0


@jit
def legal_mask(state: State, components: Components, mask: BoolArray | IntArray, actions: IntArray) -> int:
    """Write a 1 into `mask` [ACTIONS] for each legal action and 0 elsewhere; also write the list as `legal_actions`."""
    for action in range(ACTIONS):
        mask[action] = 0
    count = legal_actions(state, components, actions)
    for index in range(count):
        mask[actions[index]] = 1
    return count


# Carrying out an action
#
# Every action goes through the same steps of a turn, and the phase says which of them apply. On a GPU, neighbouring
# threads that took different actions then run the same code again.


@jit
def card_bought(state: State) -> int:
    """Return the card that is being paid for."""
    source = int(state.buying)
    return int(state.market[source]) if source < MARKET else int(state.hand[state.seat, source - MARKET])


@jit
def _due_tokens(state: State, components: Components, card: int, colour: int) -> int:
    """Return what the card costs in the colour after the bonuses (BUY-2)."""
    return max(0, int(components.cost[card, colour]) - int(state.bonuses[state.seat, colour]))


@jit
def _coloured_tokens(state: State, due: int, colour: int) -> int:
    """Return how many of the due tokens are paid in the colour itself; wilds pay the rest."""
    return min(due, int(state.tokens[state.seat, colour])) - int(state.wilds_chosen[colour])


@jit
def _coloured_payment(state: State, components: Components, colour: int) -> int:
    """Return how many tokens of the colour the chosen payment spends."""
    return _coloured_tokens(state, _due_tokens(state, components, card_bought(state), colour), colour)


@jit
def _spare_wilds(state: State, components: Components) -> int:
    """Return how many wilds are left after those needed and those chosen."""
    seat = int(state.seat)
    price = int(components.price[card_bought(state)])
    spare = int(state.tokens[seat, WILD]) - missing_tokens(price, purchasing_power(state, seat))
    for colour in range(COLOURS):
        spare -= int(state.wilds_chosen[colour])
    return spare


@jit
def _first_wild_colour(state: State) -> int:
    """Return the first colour that may still be chosen: ascending colours give each payment one sequence of actions."""
    first = 0
    for colour in range(COLOURS):
        if state.wilds_chosen[colour] > 0:
            first = colour
    return first


@jit
def _has_payment_choice(state: State, components: Components) -> bool:
    """Return whether one more wild may replace a coloured token (BUY-3)."""
    choices = 0
    if state.automatic_payment == 0 and state.tokens[state.seat, WILD] > 0 and _spare_wilds(state, components) > 0:
        for colour in range(_first_wild_colour(state), COLOURS):
            choices += int(_coloured_payment(state, components, colour) > 0)
    return choices > 0


@jit
def _pay_and_own(state: State, components: Components, card: int) -> None:
    """Spend the tokens of the chosen payment and give the card to the seat."""
    seat = int(state.seat)
    wilds = 0
    for colour in range(COLOURS):  # BUY-2, BUY-4
        due = _due_tokens(state, components, card, colour)
        coloured = _coloured_tokens(state, due, colour)
        wilds += due - coloured
        state.tokens[seat, colour] -= coloured
        state.supply[colour] += coloured
        state.wilds_chosen[colour] = 0
    state.tokens[seat, WILD] -= wilds
    state.supply[WILD] += wilds

    state.bonuses[seat, components.bonus[card]] += 1
    state.points[seat] += components.points[card]
    state.cards[seat] += 1
    if card >= LEVEL_STARTS[LEVELS - 1] and state.tokens[seat, TIME] == 0 and state.supply[TIME] > 0:
        state.tokens[seat, TIME] = 1  # TIM-2, TIM-3
        state.supply[TIME] -= 1
    if components.tags[card] > 0:
        state.tags[seat] += components.tags[card]
        _check_avengers(state)


@jit
def _check_avengers(state: State) -> None:
    """Move the Avengers tile if the seat that has just bought deserves it (AVG-2, AVG-3)."""
    seat = int(state.seat)
    owner = int(state.avengers)
    tags = int(state.tags[seat])
    if owner == seat or tags < FIRST_TAGS:
        return
    if owner != NOTHING:
        if tags <= state.tags[owner]:
            return
        state.points[owner] -= AVENGERS_POINTS
    state.avengers = seat
    state.points[seat] += AVENGERS_POINTS


@jit
def _move_tokens(state: State, tokens: int, amount: int) -> None:
    """Move `amount` tokens of each kind in `tokens`, a set of bits, from the supply to the seat."""
    seat = int(state.seat)
    for token in range(COLOURS + 1):
        moved = ((tokens >> token) & 1) * amount
        state.tokens[seat, token] += moved
        state.supply[token] -= moved


@jit
def _put_in_hand(state: State, card: int, is_blind: int) -> None:
    seat = int(state.seat)
    place = int(state.hand[seat, 0] != NOTHING) + int(state.hand[seat, 1] != NOTHING)
    state.hand[seat, place] = card
    state.blind[seat, place] = is_blind


@jit
def _take_from_hand(state: State, gap: int) -> None:
    """Close the gap, so that the cards in hand are always the first ones."""
    seat = int(state.seat)
    for place in range(gap, HAND - 1):
        state.hand[seat, place] = state.hand[seat, place + 1]
        state.blind[seat, place] = state.blind[seat, place + 1]
    state.hand[seat, HAND - 1] = NOTHING
    state.blind[seat, HAND - 1] = 0


@jit
def carry_out(state: State, components: Components, action: int) -> None:
    """Do the action itself, up to the choice of payment, the reveal or the end-of-turn checks."""
    state.phase = SETTLE
    revealed = NOTHING
    if action < PASS:
        state.passes = 0

    if action < BUY:  # TRN-2, TRN-5
        state.idle_turns += 1
        if action < TAKE_TWO:
            _move_tokens(state, int(components.take_colours[action]), 1)
        else:
            _move_tokens(state, 1 << (action - TAKE_TWO), 2)
    elif action < RESERVE:  # BUY_HAND follows BUY, as the hand follows the market in `buying`
        state.buying = action - BUY
        state.idle_turns = 0
    elif action < PASS:  # RESERVE_BLIND follows RESERVE, as PENDING_BLIND follows the market
        state.idle_turns = 0
        state.wild_due = 1
        revealed = action - RESERVE
        if revealed < MARKET:
            _put_in_hand(state, int(state.market[revealed]), 0)
    elif action == PASS:
        state.passes += 1
        state.idle_turns += 1
    elif action < CHOOSE_TILE:
        _move_tokens(state, 1 << (action - RETURN_TOKEN), -1)
    elif action < PAY_WILD:
        _take_tile(state, components, action - CHOOSE_TILE)
    elif action < PAY_DONE:
        state.wilds_chosen[action - PAY_WILD] += 1

    if state.buying != NOTHING:
        if action != PAY_DONE and _has_payment_choice(state, components):
            state.phase = PAY
        else:
            source = int(state.buying)
            _pay_and_own(state, components, card_bought(state))
            state.buying = NOTHING
            if source < MARKET:
                revealed = source
            else:
                _take_from_hand(state, source - MARKET)

    if revealed != NOTHING:
        if revealed < MARKET:
            state.market[revealed] = NOTHING
        state.pending = revealed
        if state.deck[pending_level(state)] != 0:
            state.phase = REVEAL
        else:
            state.pending = NOTHING  # CRD-4


@jit
def apply_action(state: State, components: Components, action: int) -> None:
    """Carry out a legal action and everything that follows, up to the next decision or reveal."""
    carry_out(state, components, action)
    settle(state, components)


# Chance


@jit
def pending_level(state: State) -> int:
    """In the phase REVEAL: return the level of the deck, or NOTHING for a tile."""
    pending = int(state.pending)
    if pending < PENDING_BLIND:
        return pending // PLACES
    if pending < PENDING_TILE:
        return pending - PENDING_BLIND
    return NOTHING


@jit
def possible_reveals(state: State, components: Components) -> int:
    """In the phase REVEAL: return the possible outcomes as bits; bit 0 is `first_reveal` (SET-1, SET-4)."""
    level = pending_level(state)
    if level != NOTHING:
        return int(state.deck[level])
    faces = (1 << int(components.tile_count)) - 1
    for place in range(TILE_PLACES):
        tile = int(state.tiles[place])
        if tile != NOTHING:
            faces &= ~int(components.tile_faces[tile])
    return faces


@jit
def first_reveal(state: State) -> int:
    """Return the card or tile that bit 0 of `possible_reveals` stands for."""
    level = pending_level(state)
    return int(LEVEL_STARTS[level]) if level != NOTHING else 0


@jit
def turn_up(state: State, components: Components, outcome: int) -> None:
    """Put the revealed card or tile in its place and set the next phase; `settle` must follow."""
    pending = int(state.pending)
    level = pending_level(state)
    if level != NOTHING:
        state.deck[level] = int(state.deck[level]) & ~(1 << (outcome - int(LEVEL_STARTS[level])))
    if pending < PENDING_BLIND:
        state.market[pending] = outcome
    elif pending < PENDING_TILE:
        _put_in_hand(state, outcome, 1)
    else:
        state.tiles[pending - PENDING_TILE] = outcome

    state.pending = NOTHING
    if state.round_number > 0:
        state.phase = SETTLE
    elif pending + 1 < PENDING_TILE + tiles_in_play(state, components):  # SET-2 to SET-4
        state.pending = PENDING_TILE if pending + 1 == MARKET else pending + 1
    else:
        state.round_number = 1
        state.phase = ACT


@jit
def reveal(state: State, components: Components, outcome: int) -> None:
    """Turn up (or draw blind) this card or tile, up to the next decision or reveal."""
    turn_up(state, components, outcome)
    settle(state, components)


@jit
def bit_count(bits: int) -> int:
    """Return the number of ones among the lowest 40 bits."""
    pairs = bits - ((bits >> 1) & 0x5555555555)
    nibbles = (pairs & 0x3333333333) + ((pairs >> 2) & 0x3333333333)
    octets = (nibbles + (nibbles >> 4)) & 0x0F0F0F0F0F
    return ((octets * 0x0101010101) >> 32) & 0xFF


@jit
def nth_one(bits: int, n: int) -> int:
    """Return the position of the n-th one, counted from 0, among the lowest 40 bits.

    Count the ones in ever wider fields, as in `bit_count`, then search downwards: if the lower half of a field
    has at most n ones, the wanted one is in its upper half.
    """
    pairs = bits - ((bits >> 1) & 0x5555555555)
    nibbles = (pairs & 0x3333333333) + ((pairs >> 2) & 0x3333333333)
    octets = (nibbles + (nibbles >> 4)) & 0x0F0F0F0F0F
    sums = octets * 0x0101010101  # byte i: the ones in bytes 0..i
    position = 0
    for octet in range(4):
        position += 8 * int((sums >> (8 * octet)) & 0xFF <= n)
    n -= ((sums << 8) >> position) & 0xFF
    ones = (nibbles >> position) & 0xF
    if ones <= n:
        n -= ones
        position += 4
    ones = (pairs >> position) & 0x3
    if ones <= n:
        n -= ones
        position += 2
    if (bits >> position) & 1 <= n:
        position += 1
    return position


@jit
def reveal_at(state: State, components: Components, word: int) -> int:
    """In the phase REVEAL: return the outcome that 32 random bits select; all are equally likely."""
    possible = possible_reveals(state, components)
    return first_reveal(state) + nth_one(possible, (word * bit_count(possible)) >> 32)


@jit
def random_reveal(state: State, components: Components, stream: IntArray) -> int:
    """In the phase REVEAL: return a random outcome; all are equally likely."""
    return reveal_at(state, components, next_word(stream))


@jit
def deal(
    state: State, components: Components, players: int, free_take: int, automatic_payment: int, stream: IntArray
) -> None:
    """Deal a new game, up to the first decision (SET-1 to SET-9)."""
    begin(state, components, players, free_take, automatic_payment)
    while state.phase == REVEAL:
        turn_up(state, components, random_reveal(state, components, stream))


@jit
def play_action(state: State, components: Components, action: int, stream: IntArray) -> None:
    """Apply the action and, if a reveal is due, reveal a random outcome: up to the next decision."""
    carry_out(state, components, action)
    if state.phase == REVEAL:
        turn_up(state, components, random_reveal(state, components, stream))
    settle(state, components)


# The end of a turn


@jit
def held_tokens(state: State, seat: int) -> int:
    """Return the number of all tokens of the seat, including wilds and the green one (LIM-1)."""
    total = 0
    for token in range(TOKENS):
        total += int(state.tokens[seat, token])
    return total


@jit
def _is_tile_due(state: State, components: Components, place: int) -> bool:
    """Return whether the tile is on the table and the seat has the bonuses for it (NOB-1, LOC-1)."""
    tile = int(state.tiles[place])
    lacking = int(tile == NOTHING) + int(state.tile_owner[place] != NOTHING)
    for colour in range(COLOURS):
        lacking += int(state.bonuses[state.seat, colour] < components.tile_needs[tile, colour])
    return lacking == 0


@jit
def _take_tile(state: State, components: Components, place: int) -> None:
    seat = int(state.seat)
    state.tile_owner[place] = seat
    state.points[seat] += components.tile_points[state.tiles[place]]
    state.phase = TURN_DONE


@jit
def settle(state: State, components: Components) -> None:
    """After the action and its reveal: hand out the wild, check limit and tiles, go to the next seat or the end."""
    seat = int(state.seat)
    if state.phase == SETTLE:
        if state.wild_due != 0:  # RSV-2, RSV-3
            state.wild_due = 0
            if state.supply[WILD] > 0:
                _move_tokens(state, 1 << WILD, 1)
        if held_tokens(state, seat) > TOKEN_LIMIT:
            state.phase = RETURN
        else:
            state.phase = TURN_DONE
            if state.cards[seat] >= FEWEST_CARDS_FOR_A_TILE:
                _check_tiles(state, components)
    if state.phase == TURN_DONE:
        if seat + 1 < state.players:
            state.seat = seat + 1
            state.phase = ACT
        else:
            _end_round(state, components)


@jit
def _check_tiles(state: State, components: Components) -> None:
    """Take the tile that is due; if several are, let the player choose (NOB-3, LOC-2)."""
    due = 0
    due_place = 0
    for place in range(TILE_PLACES):
        if _is_tile_due(state, components, place):
            due += 1
            due_place = place
    if due == 1:
        _take_tile(state, components, due_place)
    elif due > 1:
        state.phase = TILE


@jit
def _end_round(state: State, components: Components) -> None:
    """End the game or begin a new round: all have had equally many turns (END-B1, END-M2, SPC-1, STL-1)."""
    players = int(state.players)
    qualified = 0
    for seat in range(players):
        qualified += int(qualifies(state, components, seat))
    if qualified > 0:
        state.ending = WON
    elif state.passes >= players:
        state.ending = ALL_PASSED
    elif state.idle_turns >= NO_PROGRESS_ROUNDS * players:
        state.ending = NO_PROGRESS
    if state.ending == NOT_OVER:
        state.seat = 0
        state.round_number += 1
        state.phase = ACT
    else:
        state.phase = OVER


@jit
def qualifies(state: State, components: Components, seat: int) -> bool:
    """Return whether the seat meets the conditions of victory (END-B1, END-M1)."""
    lacking = int(state.points[seat] < components.points_to_win)
    if components.has_gauntlet:
        lacking += int(state.tokens[seat, TIME] == 0)
        for colour in range(COLOURS):
            lacking += int(state.bonuses[seat, colour] == 0)
    return lacking == 0


@jit
def _standing(state: State, components: Components, seat: int) -> int:
    """Return one number to rank by: qualified, points, Avengers tile, fewer cards (RNK-1)."""
    standing = int(state.points[seat]) * 256 - int(state.cards[seat])
    if state.avengers == seat:
        standing += 128  # TIE-M1; more than any number of cards
    if qualifies(state, components, seat):
        standing += 1 << 20  # END-M3
    return standing


@jit
def place_of(state: State, components: Components, seat: int) -> int:
    """Return the seat's place in the ranking, from 1; tied seats share it (TIE-B1, TIE-M3)."""
    own = _standing(state, components, seat)
    place = 1
    for other in range(int(state.players)):
        if _standing(state, components, other) > own:
            place += 1
    return place


@jit
def has_won(state: State, components: Components, seat: int) -> bool:
    """Return whether the game is over and the seat won it, alone or with others."""
    if state.ending == NOT_OVER or (components.has_gauntlet and state.ending != WON):
        return False  # STL-1
    return place_of(state, components, seat) == 1


@jit
def outcome_values(state: State, components: Components, values: FloatArray) -> None:
    """Write each seat's share of the victory in a game that is over into `values` [SEATS]: 1 in all, or 0 (STL-1)."""
    winners = 0
    for seat in range(int(state.players)):
        winners += int(has_won(state, components, seat))
    for seat in range(int(state.players)):
        values[seat] = 1.0 / winners if has_won(state, components, seat) else 0.0
