"""Observations for learning: what a seat may know, as a row of features, the same on every target.

The observer comes first and the other seats follow in the order of play. Every feature is an integer that fits an int8;
as float32 it is multiplied by its scale. `parts_of` lists which features are where. The parts about the other seats
come last, one block each, so the row of a game with fewer players is the beginning of the row of one with more. Both
games have the same parts; what only Marvel has is 0 in Splendor.

`observe` treats a blind reserve of another seat as unknown even if the record names it, so a state and its view give
the same row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NewType

import numpy as np
from numpy.typing import NDArray

from cabochon.core.cards import CARD_LIST, COLOUR_NAMES, COLOURS, LEVELS, TILE_LIST, TILES, VARIANTS
from cabochon.core.compilation import jit
from cabochon.core.components import LEVEL_STARTS, Components
from cabochon.core.hidden_cards import level_of
from cabochon.core.rules import (
    AVENGERS_POINTS,
    FIRST_TAGS,
    bit_count,
    missing_by_colour,
    missing_tokens,
    purchasing_power,
    qualifies,
    sum_colours,
)
from cabochon.core.state import (
    ACT,
    HAND,
    MARKET,
    NOTHING,
    PAY,
    RETURN,
    SEATS,
    TILE,
    TILE_PLACES,
    TIME,
    TOKENS,
    UNKNOWN,
    WILD,
    FloatArray,
    IntArray,
    State,
)

OBSERVATION_VERSION = 1  # increases when the row of a state changes
CARDS_SHOWN = MARKET + HAND
MOST_ROUNDS = 100  # later rounds are shown as this one
TILE_POINTS = 3  # NOB-2, LOC-1

Observation = NewType("Observation", NDArray[np.int8])  # one row: [features]
Observations = NewType("Observations", NDArray[np.int8])  # [games, features]


@dataclass(frozen=True)
class Part:
    """A named part of the row: where it begins, its shape, its largest value, and its scale as float32."""

    name: str
    start: int
    shape: tuple[int, ...]
    high: int
    scale: float
    meaning: str

    @property
    def size(self) -> int:
        """Return how many features it has."""
        return int(np.prod(self.shape))


_Row = tuple[str, tuple[int, ...], int, int, str]  # name, shape, largest value, divisor for float32, meaning
_TABLE: tuple[_Row, ...] = (
    ("phase", (4,), 1, 1, "one-hot: act, pay, return, tile; none at a reveal and when the game is over"),
    ("own_seat", (SEATS,), 1, 1, "one-hot: the observer's seat, which is its place in the order of the round"),
    ("round", (1,), MOST_ROUNDS, 32, f"the round, from 1; {MOST_ROUNDS} at most"),
    ("idle_turns", (1,), 123, 32, "turns in a row without a card bought or reserved (STL-1)"),
    ("passes", (1,), 7, 4, "passes in a row (STL-1)"),
    ("free_take", (1,), 1, 1, "whether the house rule of TRN-4 is on"),
    ("automatic_payment", (1,), 1, 1, "whether payments are automatic (BUY-3)"),
    ("supply", (TOKENS,), 7, 4, "tokens in the supply: five colours, wild, green"),
    ("full_piles", (COLOURS,), 1, 1, "whether the pile allows taking two alike (TRN-5)"),
    ("deck", (LEVELS,), 40, 36, "cards left in each deck"),
    ("unseen", (LEVELS, COLOURS), 8, 8, "cards of each level and bonus colour that the observer has not seen"),
    ("wilds_chosen", (COLOURS,), 5, 4, "phase pay: wilds chosen so far beyond those needed"),
    ("tiles", (TILE_PLACES,), 1, 1, "whether there is a noble or location in this place"),
    ("tile_needs", (TILE_PLACES, COLOURS), 4, 4, "the bonuses it needs"),
    ("tile_missing", (TILE_PLACES, COLOURS), 4, 4, "the bonuses the observer lacks"),
)
_SEAT: tuple[_Row, ...] = (
    ("tokens", (TOKENS,), 7, 4, "tokens: five colours, wild, green"),
    ("bonuses", (COLOURS,), 18, 4, "bonuses"),
    ("points", (1,), 127, 15, "points"),
    ("tags", (1,), 35, 4, "Avengers tags"),
    ("tags_missing", (1,), 36, 4, "tags still needed to take the Avengers tile; 0 for its owner"),
    ("avengers", (1,), 1, 1, "whether the seat has the Avengers tile"),
    ("colours_missing", (1,), 5, 5, "colours of which it has no bonus"),
    ("qualifies", (1,), 1, 1, "whether it meets the victory conditions (END-B1, END-M1)"),
    ("decides", (1,), 1, 1, "whether the next decision is its own"),
    ("turn_to_come", (1,), 1, 1, "whether its turn of this round is still to come or under way"),
)
_OWN_CARDS: tuple[_Row, ...] = (
    ("card_points", (CARDS_SHOWN,), 5, 5, "points"),
    ("card_tags", (CARDS_SHOWN,), 2, 2, "Avengers tags"),
    ("card_bonus", (CARDS_SHOWN, COLOURS), 1, 1, "one-hot: its bonus colour; none where there is no card"),
    ("card_cost", (CARDS_SHOWN, COLOURS), 7, 4, "the printed cost"),
    ("card_price", (CARDS_SHOWN, COLOURS), 7, 4, "what is left of it after the observer's bonuses"),
    ("card_missing", (CARDS_SHOWN, COLOURS), 7, 4, "what is left after the observer's tokens too"),
    ("card_short", (CARDS_SHOWN,), 14, 4, "the tokens still missing when all wilds are spent"),
    ("card_affordable", (CARDS_SHOWN,), 1, 1, "whether the observer can buy it"),
    ("card_gain", (CARDS_SHOWN,), 11, 5, "the points it would bring by the end of the turn, tiles included"),
    ("card_qualifies", (CARDS_SHOWN,), 1, 1, "whether the observer would qualify with it"),
    ("card_bought", (CARDS_SHOWN,), 1, 1, "phase pay: it is being paid for"),
)
_OWN_HAND: tuple[_Row, ...] = (
    ("hand_level", (HAND, LEVELS), 1, 1, "one-hot: the level of each card in the observer's hand"),
    ("hand_blind", (HAND,), 1, 1, "whether it was drawn unseen, so that the others do not know it"),
)
_OTHER: tuple[_Row, ...] = (
    ("tile_missing", (TILE_PLACES,), 9, 4, "bonuses it lacks for each tile on the table, in total"),
    ("card_price", (CARDS_SHOWN,), 14, 8, "of each market card and then its own hand: tokens after its bonuses"),
    ("card_short", (CARDS_SHOWN,), 14, 4, "the tokens still missing after spending all of its own"),
    ("card_affordable", (CARDS_SHOWN,), 1, 1, "whether it can buy the card"),
    ("card_gain", (CARDS_SHOWN,), 11, 5, "the points it would bring by the end of the turn, tiles included"),
    ("card_qualifies", (CARDS_SHOWN,), 1, 1, "whether it would qualify with the card"),
    ("hand_level", (HAND, LEVELS), 1, 1, "one-hot: the level of each reserved card, known or not"),
    ("hand_points", (HAND,), 5, 5, "points, where the card is known"),
    ("hand_tags", (HAND,), 2, 2, "Avengers tags, where it is known"),
    ("hand_bonus", (HAND, COLOURS), 1, 1, "one-hot: its bonus colour; none where it is not known"),
    ("hand_cost", (HAND, COLOURS), 7, 4, "the printed cost, where it is known"),
    ("hand_bought", (HAND,), 1, 1, "phase pay: it is being paid for"),
)


@cache
def parts_of(players: int) -> tuple[Part, ...]:
    """Return the parts of the row for so many players, in order; those of other seats are named `next1_...`."""
    listed = [*_TABLE, *(("own_" + row[0], *row[1:]) for row in _SEAT), *_OWN_CARDS, *_OWN_HAND]
    for seat in range(1, players):
        listed += [(f"next{seat}_" + row[0], *row[1:]) for row in (*_SEAT, *_OTHER)]
    parts = []
    start = 0
    for name, shape, high, divisor, meaning in listed:
        parts.append(Part(name, start, shape, high, 1 / divisor, meaning))
        start += parts[-1].size
    return tuple(parts)


def observation_size(players: int) -> int:
    """Return how many features a row has for so many players."""
    last = parts_of(players)[-1]
    return last.start + last.size


def new_observation(players: int) -> Observation:
    """Return a zeroed row for so many players."""
    return Observation(np.zeros(observation_size(players), dtype=np.int8))


@cache
def observation_scales(players: int) -> FloatArray:
    """Return the scale of each feature as float32 [features]."""
    scales = np.concatenate([np.full(part.size, part.scale, dtype=np.float32) for part in parts_of(players)])
    scales.setflags(write=False)
    return scales


@cache
def observation_highs(players: int) -> IntArray:
    """Return the largest value of each feature as int8 [features]; the smallest is 0."""
    highs = np.concatenate([np.full(part.size, part.high, dtype=np.int8) for part in parts_of(players)])
    highs.setflags(write=False)
    return highs


def _level_colour_bits() -> IntArray:
    """Return the cards of each game, level and bonus colour as bits, counted within the level."""
    bits = np.zeros((len(VARIANTS), LEVELS, COLOURS), dtype=np.int64)
    for variant, cards in enumerate(CARD_LIST):
        for index, card in enumerate(cards):
            level, colour = card.level - 1, COLOUR_NAMES[variant].index(card.bonus)
            bits[variant, level, colour] |= 1 << (index - LEVEL_STARTS[level])
    return bits


def _pack_tile_needs() -> IntArray:
    """Return the bonuses that each tile of each game asks for, one byte per colour as in Components.price."""
    needs = np.zeros((len(VARIANTS), TILES), dtype=np.int64)
    for variant, tiles in enumerate(TILE_LIST):
        for index, tile in enumerate(tiles):
            needs[variant, index] = sum(count << 8 * colour for colour, count in enumerate(tile.needs))
    return needs


LEVEL_COLOUR_BITS = _level_colour_bits()
PACKED_TILE_NEEDS = _pack_tile_needs()
ONE_OF_EACH = 0x0101010101


def _starts(names: str, block: str = "") -> list[int]:
    """Return where the named parts begin; if a block is named, the parts of that seat within its block."""
    starts = {part.name: part.start for part in parts_of(2)}
    if not block:
        return [starts[name] for name in names.split()]
    return [starts[f"{block}_{name}"] - starts[f"{block}_tokens"] for name in names.split()]


# Where each part begins, as constants, so that the compiler sees that no index is negative.
PHASE, OWN_SEAT, ROUND, IDLE_TURNS, PASSES = _starts("phase own_seat round idle_turns passes")
FREE_TAKE, AUTOMATIC_PAYMENT, SUPPLY, FULL_PILES = _starts("free_take automatic_payment supply full_piles")
DECK, UNSEEN, WILDS_CHOSEN = _starts("deck unseen wilds_chosen")
TILES_THERE, TILE_NEEDS, TILE_MISSING = _starts("tiles tile_needs tile_missing")
CARD_POINTS, CARD_TAGS, CARD_BONUS, CARD_COST = _starts("card_points card_tags card_bonus card_cost")
CARD_PRICE, CARD_MISSING, CARD_SHORT, CARD_AFFORDABLE = _starts("card_price card_missing card_short card_affordable")
CARD_GAIN, CARD_QUALIFIES, CARD_BOUGHT = _starts("card_gain card_qualifies card_bought")
HAND_LEVEL, HAND_BLIND = _starts("hand_level hand_blind")
OWN, OTHERS = _starts("own_tokens next1_tokens")
OTHER_SIZE = observation_size(2) - OTHERS
# Within the block of any seat, including the observer's:
SEAT_BONUSES, SEAT_POINTS, SEAT_TAGS, SEAT_TAGS_MISSING = _starts("bonuses points tags tags_missing", "own")
SEAT_AVENGERS, SEAT_COLOURS_MISSING, SEAT_QUALIFIES = _starts("avengers colours_missing qualifies", "own")
SEAT_DECIDES, SEAT_TURN_TO_COME = _starts("decides turn_to_come", "own")
# Within the block of another seat:
OTHER_TILE_MISSING, OTHER_PRICE, OTHER_SHORT = _starts("tile_missing card_price card_short", "next1")
OTHER_AFFORDABLE, OTHER_GAIN, OTHER_QUALIFIES = _starts("card_affordable card_gain card_qualifies", "next1")
OTHER_HAND_LEVEL, OTHER_HAND_POINTS, OTHER_HAND_TAGS = _starts("hand_level hand_points hand_tags", "next1")
OTHER_HAND_BONUS, OTHER_HAND_COST, OTHER_HAND_BOUGHT = _starts("hand_bonus hand_cost hand_bought", "next1")


# What a seat has of each colour is packed into one integer, one byte per colour as in Components.price. The compiler
# cannot know that writing a feature does not change the state, and would read its fields again and again. What does not
# exist is multiplied by 0 instead of skipped, so that neighbouring threads on a GPU do not diverge.


@jit
def _write_colours(features: IntArray, at: int, counts: int) -> None:
    for colour in range(COLOURS):
        features[at + colour] = (counts >> (8 * colour)) & 0xFF


@jit
def _pack_bonuses(state: State, seat: int) -> int:
    bonuses = 0
    for colour in range(COLOURS):
        bonuses |= int(state.bonuses[seat, colour]) << (8 * colour)
    return bonuses


@jit
def _tile_needs(state: State, place: int) -> int:
    """Return the packed bonuses that the tile in the place asks for; 0 if there is no tile."""
    tile = int(state.tiles[place])
    if tile == NOTHING or state.tile_owner[place] != NOTHING:
        return 0
    return int(PACKED_TILE_NEEDS[state.variant, tile])


@jit
def _completing_colours(needs: int, missing: int) -> int:
    """Return the colours of which one more bonus earns the tile at the end of the turn (NOB-1, LOC-1).

    All of them if the seat has the bonuses already, as with the second of two tiles (TIL-1).
    """
    if needs != 0 and missing == 0:
        return ONE_OF_EACH
    if missing & (missing - 1) == 0 and missing & ONE_OF_EACH == missing:
        return missing
    return 0


@jit
def _known_card(state: State, observer: int, seat: int, place: int) -> int:
    """Return the card in a hand, or UNKNOWN - level if the observer may not know it (RSV-9)."""
    card = int(state.hand[seat, place])
    if seat != observer and card >= 0 and state.blind[seat, place] == 1:
        return UNKNOWN - level_of(card)
    return card


@jit
def _write_table(state: State, observer: int, features: Observation) -> None:
    phase = int(state.phase)
    features[PHASE] = phase == ACT
    features[PHASE + 1] = phase == PAY
    features[PHASE + 2] = phase == RETURN
    features[PHASE + 3] = phase == TILE
    for seat in range(SEATS):
        features[OWN_SEAT + seat] = seat == observer
    features[ROUND] = min(int(state.round_number), MOST_ROUNDS)
    features[IDLE_TURNS] = state.idle_turns
    features[PASSES] = state.passes
    features[FREE_TAKE] = state.free_take
    features[AUTOMATIC_PAYMENT] = state.automatic_payment
    for token in range(TOKENS):
        features[SUPPLY + token] = state.supply[token]
    for colour in range(COLOURS):
        features[FULL_PILES + colour] = state.supply[colour] >= 4
        features[WILDS_CHOSEN + colour] = state.wilds_chosen[colour]


@jit
def _write_decks(state: State, observer: int, features: Observation) -> None:
    """Write the sizes of the decks, and the unseen cards: the decks and the blind reserves of the others."""
    players = int(state.players)
    hidden = 0  # how many cards of each level, one byte per level
    first, second, third = int(state.deck[0]), int(state.deck[1]), int(state.deck[2])
    for other in range(1, players):
        seat = (observer + other) % players
        for place in range(HAND):
            if state.blind[seat, place] == 1:
                card = int(state.hand[seat, place])
                level = level_of(card)
                hidden += 1 << (8 * level)
                if card >= 0:
                    bit = 1 << (card - int(LEVEL_STARTS[level]))
                    first |= bit * int(level == 0)
                    second |= bit * int(level == 1)
                    third |= bit * int(level == 2)
    for level in range(LEVELS):
        unseen = first if level == 0 else (second if level == 1 else third)
        features[DECK + level] = bit_count(unseen) - ((hidden >> (8 * level)) & 0xFF)
        for colour in range(COLOURS):
            of_colour = unseen & int(LEVEL_COLOUR_BITS[state.variant, level, colour])
            features[UNSEEN + level * COLOURS + colour] = bit_count(of_colour)


@jit
def _write_tiles(state: State, bonuses: int, features: Observation) -> int:
    """Write the tiles; return the colours of which one more bonus earns the observer a tile."""
    colours = 0
    for place in range(TILE_PLACES):
        needs = _tile_needs(state, place)
        missing = missing_by_colour(needs, bonuses)
        colours |= _completing_colours(needs, missing)
        features[TILES_THERE + place] = needs != 0
        _write_colours(features, TILE_NEEDS + place * COLOURS, needs)
        _write_colours(features, TILE_MISSING + place * COLOURS, missing)
    return colours


@jit
def _tags_missing(state: State, components: Components, seat: int) -> int:
    """Return how many more tags earn the Avengers tile; 0 for its owner and in Splendor (AVG-2, AVG-3)."""
    owner = int(state.avengers)
    if owner == seat or not components.has_gauntlet:
        return 0
    needed = FIRST_TAGS
    if owner != NOTHING:
        needed = int(state.tags[owner]) + 1
    return needed - int(state.tags[seat])


@jit
def _colours_missing(state: State, seat: int) -> int:
    """Return a packed 1 for each colour of which the seat has no bonus."""
    missing = 0
    for colour in range(COLOURS):
        missing |= int(state.bonuses[seat, colour] == 0) << (8 * colour)
    return missing


@jit
def _write_seat(state: State, components: Components, seat: int, block: IntArray) -> None:
    for token in range(TOKENS):
        block[token] = state.tokens[seat, token]
    for colour in range(COLOURS):
        block[SEAT_BONUSES + colour] = state.bonuses[seat, colour]
    block[SEAT_POINTS] = state.points[seat]
    block[SEAT_TAGS] = state.tags[seat]
    block[SEAT_TAGS_MISSING] = _tags_missing(state, components, seat)
    block[SEAT_AVENGERS] = state.avengers == seat
    block[SEAT_COLOURS_MISSING] = sum_colours(_colours_missing(state, seat))
    block[SEAT_QUALIFIES] = qualifies(state, components, seat)
    block[SEAT_DECIDES] = state.seat == seat
    block[SEAT_TURN_TO_COME] = state.seat <= seat


@jit
def _points_gained(components: Components, card: int, bonus: int, tile_colours: int, tags_missing: int) -> int:
    """Return the points that buying the card would bring by the end of the turn."""
    gain = int(components.points[card]) + TILE_POINTS * int(tile_colours & bonus != 0)
    return gain + AVENGERS_POINTS * int(0 < tags_missing <= components.tags[card])


@jit
def _unmet_conditions(
    components: Components, card: int, bonus: int, points: int, has_time: bool, colours_missing: int
) -> int:
    """Return how many victory conditions the seat would not meet with the card (END-B1, END-M1)."""
    lacking = int(points < components.points_to_win)
    if components.has_gauntlet:
        lacking += int(not has_time and card < LEVEL_STARTS[LEVELS - 1])
        lacking += int(colours_missing & ~bonus != 0)
    return lacking


@jit
def _write_own_cards(
    state: State, components: Components, observer: int, bonuses: int, tile_colours: int, features: Observation
) -> None:
    power = purchasing_power(state, observer)
    wilds = int(state.tokens[observer, WILD])
    points = int(state.points[observer])
    has_time = state.tokens[observer, TIME] > 0
    tags_missing = _tags_missing(state, components, observer)
    colours_missing = _colours_missing(state, observer)
    bought = int(state.buying)
    if bought >= MARKET and state.seat != observer:
        bought = NOTHING
    for source in range(CARDS_SHOWN):
        card = int(state.market[source]) if source < MARKET else int(state.hand[observer, source - MARKET])
        is_there = int(card >= 0)
        card = max(card, 0)
        bonus = 1 << (8 * int(components.bonus[card]))
        cost = int(components.price[card]) * is_there
        missing = missing_by_colour(cost, power)
        short = sum_colours(missing) - wilds
        gain = _points_gained(components, card, bonus, tile_colours, tags_missing)
        lacks = _unmet_conditions(components, card, bonus, points + gain, has_time, colours_missing)
        features[CARD_POINTS + source] = int(components.points[card]) * is_there
        features[CARD_TAGS + source] = int(components.tags[card]) * is_there
        _write_colours(features, CARD_BONUS + source * COLOURS, bonus * is_there)
        _write_colours(features, CARD_COST + source * COLOURS, cost)
        _write_colours(features, CARD_PRICE + source * COLOURS, missing_by_colour(cost, bonuses))
        _write_colours(features, CARD_MISSING + source * COLOURS, missing)
        features[CARD_SHORT + source] = max(0, short)
        features[CARD_AFFORDABLE + source] = int(short <= 0) * is_there
        features[CARD_GAIN + source] = gain * is_there
        features[CARD_QUALIFIES + source] = int(lacks == 0) * is_there
        features[CARD_BOUGHT + source] = source == bought


@jit
def _write_hand_levels(state: State, seat: int, block: IntArray, at: int) -> None:
    for place in range(HAND):
        card = int(state.hand[seat, place])
        for level in range(LEVELS):
            block[at + place * LEVELS + level] = card != NOTHING and level_of(card) == level


@jit
def _write_other_cards(state: State, components: Components, observer: int, seat: int, block: IntArray) -> None:
    bonuses = _pack_bonuses(state, seat)
    power = purchasing_power(state, seat)
    wilds = int(state.tokens[seat, WILD])
    points = int(state.points[seat])
    has_time = state.tokens[seat, TIME] > 0
    tags_missing = _tags_missing(state, components, seat)
    colours_missing = _colours_missing(state, seat)
    tile_colours = 0
    for place in range(TILE_PLACES):
        needs = _tile_needs(state, place)
        missing = missing_by_colour(needs, bonuses)
        tile_colours |= _completing_colours(needs, missing)
        block[OTHER_TILE_MISSING + place] = sum_colours(missing)
    for source in range(CARDS_SHOWN):
        card = int(state.market[source]) if source < MARKET else _known_card(state, observer, seat, source - MARKET)
        is_there = int(card >= 0)
        card = max(card, 0)
        bonus = 1 << (8 * int(components.bonus[card]))
        cost = int(components.price[card]) * is_there
        short = missing_tokens(cost, power) - wilds
        gain = _points_gained(components, card, bonus, tile_colours, tags_missing)
        lacks = _unmet_conditions(components, card, bonus, points + gain, has_time, colours_missing)
        block[OTHER_PRICE + source] = missing_tokens(cost, bonuses)
        block[OTHER_SHORT + source] = max(0, short)
        block[OTHER_AFFORDABLE + source] = int(short <= 0) * is_there
        block[OTHER_GAIN + source] = gain * is_there
        block[OTHER_QUALIFIES + source] = int(lacks == 0) * is_there


@jit
def _write_other_hand(state: State, components: Components, observer: int, seat: int, block: IntArray) -> None:
    _write_hand_levels(state, seat, block, OTHER_HAND_LEVEL)
    for place in range(HAND):
        card = _known_card(state, observer, seat, place)
        is_known = int(card >= 0)
        card = max(card, 0)
        block[OTHER_HAND_POINTS + place] = int(components.points[card]) * is_known
        block[OTHER_HAND_TAGS + place] = int(components.tags[card]) * is_known
        _write_colours(block, OTHER_HAND_BONUS + place * COLOURS, is_known << (8 * int(components.bonus[card])))
        _write_colours(block, OTHER_HAND_COST + place * COLOURS, int(components.price[card]) * is_known)
        block[OTHER_HAND_BOUGHT + place] = state.buying == MARKET + place and state.seat == seat


@jit
def observe_part(state: State, components: Components, observer: int, features: Observation, part: int) -> None:
    """Do one of the `players + 1` parts of `observe`: the table, the observer's cards, or one of the other seats."""
    if part == 0:
        _write_table(state, observer, features)
        _write_decks(state, observer, features)
        _write_seat(state, components, observer, features[OWN:])
        _write_hand_levels(state, observer, features, HAND_LEVEL)
        for place in range(HAND):
            features[HAND_BLIND + place] = state.blind[observer, place]
    elif part == 1:
        bonuses = _pack_bonuses(state, observer)
        tile_colours = _write_tiles(state, bonuses, features)
        _write_own_cards(state, components, observer, bonuses, tile_colours, features)
    else:
        seat = (observer + part - 1) % int(state.players)
        block = features[OTHERS + (part - 2) * OTHER_SIZE :]
        _write_seat(state, components, seat, block)
        _write_other_cards(state, components, observer, seat, block)
        _write_other_hand(state, components, observer, seat, block)


@jit
def observe(state: State, components: Components, observer: int, features: Observation) -> None:
    """Write what the seat knows into `features` [observation_size(players)]."""
    for part in range(int(state.players) + 1):
        observe_part(state, components, observer, features, part)
