"""What comes in the box: everything that differs between the two games, as one record of data.

The rules take this record as an argument instead of reading module constants. So they hardly need a branch
on the variant, and a CUDA kernel can keep it in shared memory: a GPU serves constants fast only while all
threads read the same one.

Cards and tiles are numbered from 0 in the order of the data files, whose `id` column counts from 1.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from cabochon.core.cards import CARD_LIST, CARDS, COLOUR_NAMES, COLOURS, MARVEL, TILE_LIST, TILES, VARIANTS
from cabochon.core.state import TAKE, TAKES, IntArray, record_dtype

PILE_SETS = 1 << COLOURS
UNPAYABLE = 0x7F


class Components(np.generic):
    """One game's cards, tiles and constants, as a record of COMPONENTS_DTYPE."""

    # The cost in one number, one byte per colour, the first colour lowest. It has one entry more, which
    # NOTHING finds at -1: a price that nobody can pay.
    price: Annotated[IntArray, np.int64, (CARDS + 1,)]
    tile_faces: Annotated[IntArray, np.int16, (TILES,)]  # the faces of the same tile, including itself, as bits
    cost: Annotated[IntArray, np.int8, (CARDS, COLOURS)]
    bonus: Annotated[IntArray, np.int8, (CARDS,)]
    points: Annotated[IntArray, np.int8, (CARDS,)]
    tags: Annotated[IntArray, np.int8, (CARDS,)]
    tile_needs: Annotated[IntArray, np.int8, (TILES, COLOURS)]
    tile_points: Annotated[IntArray, np.int8, (TILES,)]
    variant: Annotated[int, np.int8]
    tile_count: Annotated[int, np.int8]
    extra_tiles: Annotated[int, np.int8]  # tiles laid out beyond one per player (SET-3, SET-4)
    has_gauntlet: Annotated[int, np.int8]  # Time Stones, and END-M1 instead of END-B1
    points_to_win: Annotated[int, np.int8]  # END-B1, END-M1
    # For each house rule and each set of colours in supply: the legal TAKE actions, ascending, and
    # how many there are (TRN-2, TRN-4).
    takes: Annotated[IntArray, np.int8, (2, PILE_SETS, len(TAKES))]
    take_counts: Annotated[IntArray, np.int8, (2, PILE_SETS)]
    take_colours: Annotated[IntArray, np.int8, (len(TAKES),)]  # of each TAKE action, as bits


COMPONENTS_DTYPE = record_dtype(Components)
ComponentsArray = NDArray[Components]


def _legal_takes(piles: int, is_free: bool) -> list[int]:
    most = min(3, piles.bit_count())
    return [
        TAKE + index
        for index, colours in enumerate(TAKES)
        if all(piles >> colour & 1 for colour in colours)
        and (len(colours) == most or (is_free and len(colours) < most))
    ]


def _pack(variant: int) -> ComponentsArray:
    cards, tiles = CARD_LIST[variant], TILE_LIST[variant]
    array = np.recarray(1, dtype=COMPONENTS_DTYPE, buf=bytearray(COMPONENTS_DTYPE.itemsize))
    components: Components = array[0]
    components.price[:CARDS] = [sum(n << 8 * i for i, n in enumerate(card.cost)) for card in cards]
    components.price[CARDS] = UNPAYABLE
    components.cost[:] = [card.cost for card in cards]
    components.bonus[:] = [COLOUR_NAMES[variant].index(card.bonus) for card in cards]
    components.points[:] = [card.points for card in cards]
    components.tags[:] = [card.tags for card in cards]
    for index, tile in enumerate(tiles):
        components.tile_needs[index] = tile.needs
        components.tile_points[index] = tile.points
        components.tile_faces[index] = sum(1 << i for i, t in enumerate(tiles) if t.sheet == tile.sheet)
    components.variant = variant
    components.tile_count = len(tiles)
    components.extra_tiles = 0 if variant == MARVEL else 1
    components.has_gauntlet = int(variant == MARVEL)
    components.points_to_win = 16 if variant == MARVEL else 15
    components.take_colours[:] = [sum(1 << colour for colour in colours) for colours in TAKES]
    for is_free in (False, True):
        for piles in range(PILE_SETS):
            takes = _legal_takes(piles, is_free)
            components.takes[int(is_free), piles, : len(takes)] = takes
            components.take_counts[int(is_free), piles] = len(takes)
    array.setflags(write=False)
    return array.view(np.ndarray)  # numba takes a plain array faster than a recarray


# By variant. Calling compiled code with an array is ten times faster than with a record, so the functions that a batch
# calls take the components as an array of length 1.
COMPONENT_ARRAYS: tuple[ComponentsArray, ...] = tuple(_pack(variant) for variant in range(len(VARIANTS)))
COMPONENTS: tuple[Components, ...] = tuple(array[0] for array in COMPONENT_ARRAYS)

LEVEL_SIZES = tuple(sum(card.level == level for card in CARD_LIST[0]) for level in (1, 2, 3))
LEVEL_STARTS = tuple(sum(LEVEL_SIZES[:level]) for level in range(3))
FEWEST_CARDS_FOR_A_TILE = min(sum(tile.needs) for tiles in TILE_LIST for tile in tiles)
