"""A network with attention over the pieces on the table, evaluated by compiled code of our own.

Every piece (`nn.encoding`) becomes a row of numbers by a first layer that all share. In each block the pieces look
at each other: every piece asks, and mixes what the others hold by how well they answer, in several heads. Then each
thinks about what it has seen, by two layers with a ReLU between them. Both times, what comes out is added to its row.
A last layer says at every piece what there is to say.

The products of all layers are on whole numbers, as in `nn.gemm`: what goes into a layer becomes one of 255 levels,
of which half are below 0, or of 256 behind a ReLU. Between them are floats, in loops whose every sum has one order, so
that the results are equal on every processor. Pieces that are not there take no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.observation import observation_highs, observation_scales
from cabochon.core.state import Array
from cabochon.nn.encoding import pieces_of
from cabochon.nn.gemm import (
    ARITHMETIC,
    COLUMNS,
    LEVELS_OF_FIRST_WEIGHTS,
    LEVELS_OF_UNITS,
    LEVELS_OF_WEIGHTS,
    ROWS,
    Arithmetic,
    add_up,
    multiply,
    pack_layer,
)

HEADS = 4
LAYERS_OF_BLOCK = 4  # asking, mixing, thinking, deciding what to keep
MARGIN = 1e-5  # added to the mean square of a row, which might be 0
MIDDLE = 128  # the level that stands for 0 where numbers may be below it
STEPS_BELOW = 127  # levels between the middle and the least
WITHOUT_SIGN = np.int32(0x7FFFFFFF)
FURTHEST = 60.0  # how far from 0 the logarithm of how much a piece is looked at may be; of our networks it is below 14

# Of a polynomial near 2 ** x for x from 0 to 1.
POWERS = tuple(
    np.float32(x) for x in (0.9999999251, 0.6931530726, 0.2401536203, 0.0558263110, 0.0089893466, 0.0018775746)
)
LOG2_OF_E = np.float32(1.4426950409)
EXPONENT_BIAS = 127
MANTISSA_BITS = 23


class Tier(NamedTuple):
    """One layer of every block, with the same shapes in all; the first and the last of a network are alone in theirs.

    So a network has one type, and is compiled once, whatever its number of blocks.
    """

    weights: Array  # [blocks, tiles, words, COLUMNS] int32
    factors: Array  # [blocks, tiles * COLUMNS] of the units' weights
    biases: Array  # [blocks, tiles * COLUMNS]
    middles: Array  # [blocks, tiles * COLUMNS] a unit's sum where all inputs have the level of 0; whole numbers


class Attention(NamedTuple):
    """A network as compiled code reads it."""

    features: Array  # [pieces, inputs] where each feature is in the observation, or its length
    groups: Array  # [pieces]
    group_biases: Array  # [groups, width]
    first: Tier
    asking: Tier
    mixing: Tier
    thinking: Tier
    keeping: Tier
    last: Tier
    output_pieces: Array  # [outputs]
    output_columns: Array  # [outputs]


class Sight(NamedTuple):
    """What a thread evaluates a batch of up to B positions with: R rows, one for each piece that is there."""

    features: Array  # [B, features] int8: the observations
    starts: Array  # [B + 1] the first row of each position
    row_pieces: Array  # [R] which piece a row is
    piece_rows: Array  # [B, pieces] the row of a piece, or -1
    first: Array  # [R, inputs] as the first layer reads them
    first_words: Array  # [R, words] the same
    units: Array  # [R, widest input] as the other layers read them
    unit_words: Array  # the same
    factors: Array  # [R] of the inputs of a layer
    sums: Array  # [R, widest layer] of products
    active: Array  # [R / ROWS, most words]: those of a layer's inputs that are not 0, by their numbers
    counts: Array  # [R / ROWS]
    rows: Array  # [R, width] the pieces
    asked: Array  # [R, 3 * width] what they ask, answer and hold
    thought: Array  # [R, 2 * width]
    row_bits: Array  # the three above as int32
    asked_bits: Array
    thought_bits: Array
    scratch: Array  # [1]
    scratch_bits: Array  # the same as int32
    keys: Array  # [tiles, width / HEADS, COLUMNS] of one head: what the pieces answer, each in a column
    held: Array  # [tiles, pieces, COLUMNS] of one head: what they hold, each in a row, and then a 1
    looks: Array  # [pieces, tiles * COLUMNS] of one head: how much each looks at the others
    all_looks: Array  # the same in one row
    mixed: Array  # [pieces, tiles * COLUMNS] of one head: what each makes of that, and then how much it looked in all
    order: Array  # 0, 1, ...
    powers: Array  # as many as looks: powers of 2
    power_bits: Array  # the same as int32
    outputs: Array  # [B, outputs]


def pack(matrices: Sequence[tuple[Array, Array]], players: int, arithmetic: Arithmetic = ARITHMETIC) -> Attention:
    """A network from weights [inputs, units] over scaled features, and biases; those of the first for each group."""
    pieces = pieces_of(players)
    scales = np.append(observation_scales(players), 0)[pieces.features].max(axis=0)
    highs = np.append(observation_highs(players), 0)[pieces.features].max(axis=0)
    (first, group_biases), *others = matrices
    width = first.shape[1]
    layer = pack_layer(first * scales[:, None], np.zeros(width), highs, LEVELS_OF_FIRST_WEIGHTS, arithmetic.features)
    packed: list[tuple[Array, ...]] = [(*layer, np.zeros(layer.factors.shape, np.float32))]
    for number, (weights, biases) in enumerate(others):
        layer = pack_layer(weights, biases, np.full(len(weights), LEVELS_OF_UNITS), LEVELS_OF_WEIGHTS, arithmetic.units)
        is_behind_relu = number % LAYERS_OF_BLOCK == LAYERS_OF_BLOCK - 1
        total = np.zeros(len(layer.biases))
        total[: weights.shape[1]] = np.rint(weights / layer.factors[: weights.shape[1]]).sum(axis=0)
        packed.append((*layer, ((0 if is_behind_relu else MIDDLE) * total).astype(np.float32)))
    of_blocks = [packed[start:-1:LAYERS_OF_BLOCK] for start in range(1, 1 + LAYERS_OF_BLOCK)]
    first_tier, asking, mixing, thinking, keeping, last = (
        Tier(*map(np.stack, zip(*layers, strict=True))) for layers in (packed[:1], *of_blocks, packed[-1:])
    )
    return Attention(
        features=pieces.features,
        groups=pieces.groups,
        group_biases=np.array(group_biases, np.float32),
        first=first_tier,
        asking=asking,
        mixing=mixing,
        thinking=thinking,
        keeping=keeping,
        last=last,
        output_pieces=pieces.output_pieces,
        output_columns=pieces.output_columns,
    )


def shapes_of(players: int, width: int, blocks: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The shapes of the weights and biases of all layers."""
    pieces = pieces_of(players)
    of_block = [(width, 3 * width), (width, width), (width, 2 * width), (2 * width, width)]
    sizes = [*of_block * blocks, (width, pieces.said)]
    first = (len(pieces.columns), width), (len(pieces.group_names), width)
    return [first, *((size, size[1:]) for size in sizes)]


def blocks_of(matrices: Sequence[tuple[Array, Array]]) -> int:
    """How many blocks there are between the first layer and the last."""
    return (len(matrices) - 2) // LAYERS_OF_BLOCK


def new_sight(network: Attention, features: int, batch: int, arithmetic: Arithmetic = ARITHMETIC) -> Sight:
    """Working memory for one thread and batches of up to so many positions."""
    pieces, inputs = network.features.shape
    width = network.group_biases.shape[1]
    rows = -(-batch * pieces // ROWS) * ROWS
    tiers = (network.first, network.asking, network.mixing, network.thinking, network.keeping, network.last)
    widest = max(tier.biases.shape[1] for tier in tiers)
    words = max(tier.weights.shape[2] for tier in tiers)
    first = np.zeros((rows, arithmetic.features.padded(inputs)), arithmetic.features.inputs)
    units = np.zeros((rows, arithmetic.units.padded(2 * width)), arithmetic.units.inputs)
    numbers = np.zeros((rows, width), np.float32)
    asked = np.zeros((rows + ROWS, 3 * width), np.float32)
    thought = np.zeros((rows, 2 * width), np.float32)
    scratch = np.zeros(1, np.float32)
    size, tiles = width // HEADS, -(-pieces // COLUMNS)
    looks = np.zeros((pieces + ROWS, tiles * COLUMNS), np.float32)
    powers = np.zeros(looks.size, np.float32)
    held = np.zeros((size // COLUMNS + 1, pieces, COLUMNS), np.float32)
    held[-1, :, size % COLUMNS] = 1
    return Sight(
        features=np.zeros((batch, features), np.int8),
        starts=np.zeros(batch + 1, np.int64),
        row_pieces=np.zeros(rows, np.int64),
        piece_rows=np.zeros((batch, pieces), np.int64),
        first=first,
        first_words=first.view(np.int32),
        units=units,
        unit_words=units.view(np.int32),
        factors=np.zeros(rows, np.float32),
        sums=np.zeros((rows, widest), arithmetic.sums),
        active=np.zeros((rows // ROWS, words), np.int64),
        counts=np.zeros(rows // ROWS, np.int64),
        rows=numbers,
        asked=asked,
        thought=thought,
        row_bits=numbers.view(np.int32),
        asked_bits=asked.view(np.int32),
        thought_bits=thought.view(np.int32),
        scratch=scratch,
        scratch_bits=scratch.view(np.int32),
        keys=np.zeros((tiles, size, COLUMNS), np.float32),
        held=held,
        looks=looks,
        all_looks=looks.ravel(),
        mixed=np.zeros((pieces + ROWS, len(held) * COLUMNS), np.float32),
        order=np.arange(max(size, pieces)),
        powers=powers,
        power_bits=powers.view(np.int32),
        outputs=np.zeros((batch, len(network.output_pieces)), np.float32),
    )


@jit
def _find_pieces(network: Attention, sight: Sight, count: int) -> int:
    """Give every piece that is there a row of features; the number of rows."""
    pieces, inputs = network.features.shape
    rows = 0
    for position in range(count):
        observation = sight.features[position]
        sight.starts[position] = rows
        for piece in range(pieces):
            row = sight.first[rows]
            places = network.features[piece]
            seen = 0
            for index in range(inputs):
                value = int(observation[places[index]]) if places[index] < len(observation) else 0
                row[index] = value
                seen |= value
            sight.piece_rows[position, piece] = rows if seen != 0 else -1
            if seen != 0:
                sight.row_pieces[rows] = piece
                rows += 1
    sight.starts[count] = rows
    return rows


@jit
def _read_first(network: Attention, sight: Sight, rows: int) -> None:
    factors = network.first.factors[0]
    for row in range(rows):
        biases = network.group_biases[network.groups[sight.row_pieces[row]]]
        into, sums = sight.rows[row], sight.sums[row]
        for unit in range(len(into)):
            into[unit] = np.float32(sums[unit]) * factors[unit] + biases[unit]


# Calls inside loops are handed the arrays that they need: to hand on all of a Sight takes longer than what they do.


@jit
def _greatest(bits: Array, count: int, scratch: Array, scratch_bits: Array) -> Any:
    """The greatest size of the first numbers of a row, given as bits: without the sign their order is that of sizes."""
    greatest = np.int32(0)
    for index in range(count):
        greatest = max(greatest, bits[index] & WITHOUT_SIGN)
    scratch_bits[0] = greatest
    return scratch[0]


@jit
def _give(numbers: Array, count: int, greatest: Any, units: Array) -> Any:
    """Make the inputs of a layer from the first numbers of a row; what a level stands for."""
    scale = np.float32(STEPS_BELOW) / greatest if greatest > 0 else np.float32(0)
    for index in range(count):
        units[index] = np.int32(numbers[index] * scale + np.float32(MIDDLE + 0.5))
    return greatest / np.float32(STEPS_BELOW)


@jit
def _square(units: Array, count: int) -> int:
    """The sum of the squares of the first inputs of a layer, in levels."""
    total = np.int32(0)
    for index in range(count):
        level = np.int32(units[index]) - np.int32(MIDDLE)
        total += level * level
    return int(total)


@jit
def _give_normal(sight: Sight, rows: int) -> None:
    """Make the inputs of a layer from the pieces, each taken as long as all others."""
    width = sight.rows.shape[1]
    for row in range(rows):
        units = sight.units[row]
        greatest = _greatest(sight.row_bits[row], width, sight.scratch, sight.scratch_bits)
        level = _give(sight.rows[row], width, greatest, units)
        mean_square = np.float32(_square(units, width)) * (level * level) / np.float32(width)
        sight.factors[row] = level / np.sqrt(mean_square + np.float32(MARGIN))


@jit
def _give_mixed(sight: Sight, rows: int) -> None:
    """Make the inputs of a layer from what the pieces have mixed, which lies where their questions were."""
    width = sight.rows.shape[1]
    for row in range(rows):
        greatest = _greatest(sight.asked_bits[row], width, sight.scratch, sight.scratch_bits)
        sight.factors[row] = _give(sight.asked[row], width, greatest, sight.units[row])


@jit
def _give_active(sight: Sight, rows: int) -> None:
    """Make the inputs of a layer from what was thought, of which nothing is below 0."""
    count = sight.thought.shape[1]
    for row in range(rows):
        greatest = _greatest(sight.thought_bits[row], count, sight.scratch, sight.scratch_bits)
        scale = np.float32(LEVELS_OF_UNITS) / greatest if greatest > 0 else np.float32(0)
        numbers, units = sight.thought[row], sight.units[row]
        for index in range(count):
            units[index] = np.int32(numbers[index] * scale + np.float32(0.5))
        sight.factors[row] = greatest / np.float32(LEVELS_OF_UNITS)


@jit
def _layer(tier: Tier, block: int, sight: Sight, rows: int) -> None:
    """The sums of a layer."""
    add_up(sight.units, sight.unit_words, tier.weights[block], sight.sums, sight.active, sight.counts, rows)


@jit
def _read(tier: Tier, block: int, sight: Sight, rows: int, into: Array) -> None:
    """Write what a layer gives out."""
    factors, biases, middles = tier.factors[block], tier.biases[block], tier.middles[block]
    for row in range(rows):
        factor, sums, numbers = sight.factors[row], sight.sums[row], into[row]
        for unit in range(len(numbers)):
            numbers[unit] = (np.float32(sums[unit]) - middles[unit]) * (factors[unit] * factor) + biases[unit]


@jit
def _read_active(tier: Tier, block: int, sight: Sight, rows: int) -> None:
    """Write what a layer with ReLU gives out."""
    factors, biases, middles = tier.factors[block], tier.biases[block], tier.middles[block]
    for row in range(rows):
        factor, sums, numbers = sight.factors[row], sight.sums[row], sight.thought[row]
        for unit in range(len(numbers)):
            value = (np.float32(sums[unit]) - middles[unit]) * (factors[unit] * factor) + biases[unit]
            numbers[unit] = value if value > 0 else np.float32(0)


@jit
def _add(tier: Tier, block: int, sight: Sight, rows: int) -> None:
    """Add what a layer gives out to the pieces."""
    factors, biases, middles = tier.factors[block], tier.biases[block], tier.middles[block]
    for row in range(rows):
        factor, sums, numbers = sight.factors[row], sight.sums[row], sight.rows[row]
        for unit in range(len(numbers)):
            numbers[unit] += (np.float32(sums[unit]) - middles[unit]) * (factors[unit] * factor) + biases[unit]


@jit
def _raise(looks: Array, powers: Array, power_bits: Array, scale: Any) -> None:
    """Turn the looks into powers of e."""
    for index in range(len(looks)):
        look = min(max(looks[index] * scale, np.float32(-FURTHEST)), np.float32(FURTHEST)) * LOG2_OF_E
        whole = np.int32(look + np.float32(EXPONENT_BIAS))
        part = look - (np.float32(whole) - np.float32(EXPONENT_BIAS))
        power_bits[index] = whole << np.int32(MANTISSA_BITS)
        power = POWERS[5]
        power = power * part + POWERS[4]
        power = power * part + POWERS[3]
        power = power * part + POWERS[2]
        power = power * part + POWERS[1]
        looks[index] = power * part + POWERS[0]
    for index in range(len(looks)):
        looks[index] *= powers[index]


@jit
def _spread(numbers: Array, tiles: Array, place: int) -> None:
    """Write a row into a row of the tiles."""
    for tile in range(len(tiles)):
        into = tiles[tile, place]
        part = numbers[tile * COLUMNS :]
        for column in range(min(COLUMNS, len(part))):
            into[column] = part[column]


@jit
def _stand(numbers: Array, tiles: Array, place: int) -> None:
    """Write a row into a column of the tiles."""
    into = tiles[place // COLUMNS]
    column = place % COLUMNS
    for index in range(len(numbers)):
        into[index, column] = numbers[index]


@jit
def _look(sight: Sight, first: int, end: int, width: int) -> None:
    """Let the pieces of a position look at each other; what each mixes goes where its questions were."""
    size = width // HEADS
    count = end - first
    room = sight.looks.shape[1]
    scale = np.float32(1 / np.sqrt(size))
    for head in range(HEADS):
        start = head * size
        for piece in range(count):
            asked = sight.asked[first + piece]
            _stand(asked[width + start : width + start + size], sight.keys, piece)
            _spread(asked[2 * width + start : 2 * width + start + size], sight.held, piece)
        multiply(sight.asked[first:, start:], sight.keys, sight.looks, sight.order, size, count)
        _raise(sight.all_looks[: count * room], sight.powers, sight.power_bits, scale)
        multiply(sight.looks, sight.held, sight.mixed, sight.order, count, count)
        for piece in range(count):
            mixed = sight.mixed[piece]
            part = np.float32(1) / mixed[size]
            into = sight.asked[first + piece, start : start + size]
            for index in range(size):
                into[index] = mixed[index] * part


@jit
def evaluate(network: Attention, sight: Sight, count: int) -> None:
    """Turn the first `count` observations into outputs; those about pieces that are not there are 0."""
    rows = _find_pieces(network, sight, count)
    width = network.group_biases.shape[1]
    first, last = network.first, network.last
    add_up(sight.first, sight.first_words, first.weights[0], sight.sums, sight.active, sight.counts, rows)
    _read_first(network, sight, rows)
    for block in range(len(network.asking.weights)):
        _give_normal(sight, rows)
        _layer(network.asking, block, sight, rows)
        _read(network.asking, block, sight, rows, sight.asked)
        for position in range(count):
            _look(sight, int(sight.starts[position]), int(sight.starts[position + 1]), width)
        _give_mixed(sight, rows)
        _layer(network.mixing, block, sight, rows)
        _add(network.mixing, block, sight, rows)
        _give_normal(sight, rows)
        _layer(network.thinking, block, sight, rows)
        _read_active(network.thinking, block, sight, rows)
        _give_active(sight, rows)
        _layer(network.keeping, block, sight, rows)
        _add(network.keeping, block, sight, rows)
    _give_normal(sight, rows)
    _layer(last, 0, sight, rows)
    factors, biases, middles = last.factors[0], last.biases[0], last.middles[0]
    for position in range(count):
        for output in range(len(network.output_pieces)):
            row = sight.piece_rows[position, network.output_pieces[output]]
            value = np.float32(0)
            if row >= 0:
                unit = network.output_columns[output]
                whole = np.float32(sight.sums[row, unit]) - middles[unit]
                value = whole * (factors[unit] * sight.factors[row]) + biases[unit]
            sight.outputs[position, output] = value
