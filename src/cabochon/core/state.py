"""The state of a game: one record for both games, the phases, and the fixed list of actions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import numpy as np
from numpy.typing import NDArray

from cabochon.core.cards import COLOURS, LEVELS

Array = NDArray[Any]
IntArray = NDArray[np.integer[Any]]
FloatArray = NDArray[np.floating[Any]]
BoolArray = NDArray[np.bool_]

SEATS = 4
PLACES = 4  # face-up places per level
MARKET = LEVELS * PLACES
HAND = 3  # RSV-4
TILE_PLACES = 5  # at most players + 1 nobles (SET-3)
TOKEN_LIMIT = 10  # LIM-1

# Tokens: the five colours first, in the order of `COLOUR_NAMES`, then these two.
WILD = 5  # gold, or S.H.I.E.L.D.
TIME = 6  # the green Infinity Stone
TOKENS = 7

# Special card and tile numbers.
NOTHING = -1
UNKNOWN = -2  # a blind reserve in another seat's view: UNKNOWN - level, so -2, -3 or -4

# The phase: what happens next.
ACT = 0  # a player takes one of the four actions, or passes
PAY = 1  # the buyer chooses which coloured tokens to replace with wilds
REVEAL = 2  # chance turns up a card or tile, or a card is drawn blind
RETURN = 3  # the player returns tokens down to ten, one at a time
TILE = 4  # the player chooses one of several nobles or locations
OVER = 5
# Only within a turn, never visible outside: the end-of-turn checks are due, or done.
SETTLE = 6
TURN_DONE = 7
PHASES = ("act", "pay", "reveal", "return", "tile", "over")

# `pending`, in the phase REVEAL: a market place 0..11, a blind draw, or a tile place.
PENDING_BLIND = MARKET  # + level
PENDING_TILE = PENDING_BLIND + LEVELS  # + place

# Why a game is over.
NOT_OVER = 0
WON = 1  # END-B1, END-M1
ALL_PASSED = 2  # STL-1
NO_PROGRESS = 3  # STL-1
NO_PROGRESS_ROUNDS = 30

RecordT = TypeVar("RecordT", bound=np.generic)


def record_dtype(fields: Callable[..., RecordT]) -> np.dtype[RecordT]:
    """Return the dtype of records with these fields, which are annotated with a NumPy type and the shape of an array.

    The records themselves are of `np.record`, NumPy's one class for all. To mypy they are of the class of the fields.
    """
    hints = get_type_hints(fields, include_extras=True)
    dtype = np.dtype([(name, *hint.__metadata__) for name, hint in hints.items()], align=True)
    return cast("np.dtype[RecordT]", np.dtype((np.record, dtype)))


class State(np.generic):
    """One game, as a record of STATE_DTYPE."""

    deck: Annotated[IntArray, np.int64, (LEVELS,)]  # bit i: card i of the level is unseen
    round_number: Annotated[int, np.int32]  # from 1; 0 during the deal
    idle_turns: Annotated[int, np.int16]  # in a row without a card bought or reserved
    passes: Annotated[int, np.int8]  # in a row
    variant: Annotated[int, np.int8]
    players: Annotated[int, np.int8]
    free_take: Annotated[int, np.int8]  # house rule, see TRN-4
    automatic_payment: Annotated[int, np.int8]  # always the default payment, see BUY-3
    phase: Annotated[int, np.int8]
    seat: Annotated[int, np.int8]  # whose turn it is
    pending: Annotated[int, np.int8]  # what the phase REVEAL turns up, else NOTHING
    wild_due: Annotated[int, np.int8]  # a reserve whose wild comes after the reveal
    buying: Annotated[int, np.int8]  # in the phase PAY: market place 0..11, or 12 + place in hand
    wilds_chosen: Annotated[IntArray, np.int8, (COLOURS,)]  # in the phase PAY, beyond those needed
    avengers: Annotated[int, np.int8]  # the seat that has the tile, or NOTHING
    ending: Annotated[int, np.int8]
    supply: Annotated[IntArray, np.int8, (TOKENS,)]
    market: Annotated[IntArray, np.int8, (MARKET,)]  # card or NOTHING; level * PLACES + place
    tiles: Annotated[IntArray, np.int8, (TILE_PLACES,)]  # tile or NOTHING
    tile_owner: Annotated[IntArray, np.int8, (TILE_PLACES,)]  # seat, or NOTHING while on the table
    tokens: Annotated[IntArray, np.int8, (SEATS, TOKENS)]
    bonuses: Annotated[IntArray, np.int8, (SEATS, COLOURS)]
    points: Annotated[IntArray, np.int8, (SEATS,)]
    cards: Annotated[IntArray, np.int8, (SEATS,)]  # bought
    tags: Annotated[IntArray, np.int8, (SEATS,)]
    hand: Annotated[IntArray, np.int8, (SEATS, HAND)]  # reserved card, NOTHING, or UNKNOWN - level
    blind: Annotated[IntArray, np.int8, (SEATS, HAND)]  # 1: drawn unseen (RSV-9)


STATE_DTYPE = record_dtype(State)
StateArray = NDArray[State]


def new_states(count: int) -> StateArray:
    """Return `count` zeroed states; index the array to get the record that the rules work on."""
    return np.recarray(count, dtype=STATE_DTYPE, buf=bytearray(count * STATE_DTYPE.itemsize))


def new_state() -> State:
    """Return a zeroed state."""
    return cast("State", new_states(1)[0])


def copy_state(state: State) -> State:
    """Return an independent state with the same content."""
    states = new_states(1)
    states[0] = state
    return cast("State", states[0])


# The fixed list of actions of both games. The actions of the phase ACT come first.
# The colours of each action that takes different ones: first three, then two, then one.
TAKES = tuple(colours for count in (3, 2, 1) for colours in combinations(range(COLOURS), count))

TAKE = 0  # + index into TAKES
TAKE_TWO = TAKE + len(TAKES)  # + colour
BUY = TAKE_TWO + COLOURS  # + market place
BUY_HAND = BUY + MARKET  # + place in hand
RESERVE = BUY_HAND + HAND  # + market place
RESERVE_BLIND = RESERVE + MARKET  # + level
PASS = RESERVE_BLIND + LEVELS
RETURN_TOKEN = PASS + 1  # + colour, or WILD
CHOOSE_TILE = RETURN_TOKEN + COLOURS + 1  # + tile place
PAY_WILD = CHOOSE_TILE + TILE_PLACES  # + colour: one more wild in place of that colour
PAY_DONE = PAY_WILD + COLOURS
ACTIONS = PAY_DONE + 1
