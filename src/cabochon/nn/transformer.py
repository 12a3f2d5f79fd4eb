"""The transformer: its forward pass on integers, in compiled code.

The path of a position: the entities that are present (`nn.encoding`) are embedded into rows of `width` numbers, the
residual stream. Each block adds attention(norm(x)) and then feed_forward(norm(x)) to them:

    x = embed(observation)
    for each block:
        x = x + proj(attention(qkv(norm(x))))
        x = x + fc2(relu(fc1(norm(x))))
    logits = head(norm(x))

`norm` is the RMS norm without weights. The policy head and the value head are columns of one last linear layer, read at
the entity that an action or a seat is about. `train.model` computes the same in PyTorch and `train.triton_kernels` in
Triton, with the same names.

All linear layers multiply integers (`nn.gemm`): their inputs are quantized row by row, to 255 levels around a zero
point, or to 256 levels from 0 after a ReLU. Everything between the layers is float32, in loops that have one fixed
order of summation, so that the results are equal on every processor. Absent entities have no row and cost no time.

In the comments on shapes, B is the batch size, E the number of entities, F their features, W the width, O the number of
output columns, and R the number of rows: one for each present entity of each position.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cabochon.core.compilation import jit
from cabochon.core.observation import observation_highs, observation_scales
from cabochon.core.state import ACTIONS, Array
from cabochon.nn.encoding import encoding_for
from cabochon.nn.gemm import (
    ARITHMETIC,
    COLUMNS,
    EMBEDDING_WEIGHT_LEVELS,
    INPUT_LEVELS,
    ROWS,
    WEIGHT_LEVELS,
    Arithmetic,
    matmul_float,
    matmul_quantized,
    pack_linear,
)

HEADS = 4  # of the attention
LINEARS_PER_BLOCK = 4  # qkv, proj, fc1, fc2
NORM_EPSILON = 1e-5
ZERO_POINT = 128  # the level of 0 where inputs can be negative
LEVELS_BELOW = 127  # between the zero point and the lowest level
ABS_MASK = np.int32(0x7FFFFFFF)  # all bits of a float32 but the sign
MAX_SCORE = 60.0  # attention scores are clamped to this; those of our networks stay below 14

# A polynomial close to 2 ** x for x from 0 to 1.
EXP2_COEFFICIENTS = tuple(
    np.float32(x) for x in (0.9999999251, 0.6931530726, 0.2401536203, 0.0558263110, 0.0089893466, 0.0018775746)
)
LOG2_OF_E = np.float32(1.4426950409)
EXPONENT_BIAS = 127
MANTISSA_BITS = 23

# The layers of a network in the order embedding, (qkv, proj, fc1, fc2) of each block, head: float32 weights [inputs,
# outputs] and biases [outputs]. The biases of the embedding are [types, W], one row for each type of entity.
Layers = Sequence[tuple[Array, Array]]


class LinearStack(NamedTuple):
    """The same linear layer of every block, packed; the embedding and the head are stacks of one.

    Stacking gives all networks one type, so that the code is compiled once whatever the number of blocks.
    """

    weights: Array  # [blocks, tiles, words, COLUMNS] int32
    scales: Array  # [blocks, tiles * COLUMNS] float32, of the weights
    biases: Array  # [blocks, tiles * COLUMNS] float32
    zero_sums: Array  # [blocks, tiles * COLUMNS] float32, the accumulator where all inputs are at the zero point


class Transformer(NamedTuple):
    """A network as compiled code reads it."""

    features: Array  # [E, F] the index of each feature in the observation, or the observation's length for none
    types: Array  # [E] the type of each entity
    type_embedding: Array  # [types, W] float32, the bias of the embedding for each type
    embedding: LinearStack  # F to W
    qkv: LinearStack  # W to 3 W
    proj: LinearStack  # W to W
    fc1: LinearStack  # W to 2 W
    fc2: LinearStack  # 2 W to W
    head: LinearStack  # W to O
    output_entities: Array  # [ACTIONS + players] the entity that an action or a seat is about
    output_columns: Array  # [ACTIONS + players] its column in the head


class Buffers(NamedTuple):
    """The memory in which one thread evaluates a batch, with room for B positions."""

    observations: Array  # [B, features] int8
    starts: Array  # [B + 1] the first row of each position
    row_entities: Array  # [R] the entity of each row
    entity_rows: Array  # [B, E] the row of each entity, or -1 if it is absent
    embedding_inputs: Array  # [R, F] the features of each row
    inputs: Array  # [R, 2 W] the quantized inputs of a linear layer
    input_scales: Array  # [R] float32
    accumulators: Array  # [R, widest layer] of a linear layer
    active: Array  # [R / ROWS, words] the input words that are not 0 in a tile of rows
    active_counts: Array  # [R / ROWS]
    residual: Array  # [R, W] float32, the residual stream
    qkv: Array  # [R, 3 W] float32, query, key and value; the attention's output then overwrites the query
    hidden: Array  # [R, 2 W] float32, between fc1 and fc2
    keys: Array  # [tiles, W / HEADS, COLUMNS] float32, of one head and position: each key a column
    values: Array  # [tiles, E, COLUMNS] float32, of one head and position: each value a row, followed by a 1
    scores: Array  # [E, tiles * COLUMNS] float32, attention scores of one head and position
    attended: Array  # [E, tiles * COLUMNS] float32: sums of values weighted by exp(score), then the sum of the weights
    indices: Array  # 0, 1, ...
    logits: Array  # [B, ACTIONS + players] float32, of the policy head, then of the value head


def pack(layers: Layers, players: int, arithmetic: Arithmetic = ARITHMETIC) -> Transformer:
    """Quantize and pack the layers of a network, whose embedding takes scaled features."""
    encoding = encoding_for(players)
    feature_scales = np.append(observation_scales(players), 0)[encoding.features].max(axis=0)  # [F]
    max_features = np.append(observation_highs(players), 0)[encoding.features].max(axis=0)  # [F]
    (embedding, type_embedding), *others = layers
    width = embedding.shape[1]
    scaled = embedding * feature_scales[:, None]
    operands = arithmetic.embedding
    packed_embedding = pack_linear(scaled, np.zeros(width), max_features, EMBEDDING_WEIGHT_LEVELS, operands)
    packed: list[tuple[Array, ...]] = [(*packed_embedding, np.zeros(packed_embedding.scales.shape, np.float32))]
    for number, (weights, biases) in enumerate(others):
        max_inputs = np.full(len(weights), INPUT_LEVELS)
        linear = pack_linear(weights, biases, max_inputs, WEIGHT_LEVELS, arithmetic.linear)
        sums = np.zeros(len(linear.biases))
        sums[: len(biases)] = np.rint(weights / linear.scales[: len(biases)]).sum(axis=0)
        is_fc2 = number % LINEARS_PER_BLOCK == LINEARS_PER_BLOCK - 1  # which follows a ReLU
        packed.append((*linear, ((0 if is_fc2 else ZERO_POINT) * sums).astype(np.float32)))
    in_blocks = [packed[start:-1:LINEARS_PER_BLOCK] for start in range(1, 1 + LINEARS_PER_BLOCK)]
    embeddings, qkv, proj, fc1, fc2, head = (
        LinearStack(*map(np.stack, zip(*linears, strict=True))) for linears in (packed[:1], *in_blocks, packed[-1:])
    )
    entities = encoding.features, encoding.types, np.array(type_embedding, np.float32)
    outputs = encoding.output_entities, encoding.output_columns
    return Transformer(*entities, embeddings, qkv, proj, fc1, fc2, head, *outputs)


def layer_shapes(players: int, width: int, blocks: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The shapes of the weights and biases of all layers."""
    encoding = encoding_for(players)
    qkv, proj, fc1, fc2 = (width, 3 * width), (width, width), (width, 2 * width), (2 * width, width)
    linears = [*[qkv, proj, fc1, fc2] * blocks, (width, encoding.outputs)]
    embedding = (len(encoding.columns), width), (len(encoding.type_names), width)
    return [embedding, *((shape, shape[1:]) for shape in linears)]


def count_blocks(layers: Layers) -> int:
    """The number of blocks between the embedding and the head."""
    return (len(layers) - 2) // LINEARS_PER_BLOCK


def new_buffers(transformer: Transformer, features: int, batch: int, arithmetic: Arithmetic = ARITHMETIC) -> Buffers:
    """Buffers for one thread and batches of at most `batch` observations with so many features."""
    entities, entity_features = transformer.features.shape
    width = transformer.type_embedding.shape[1]
    rows = -(-batch * entities // ROWS) * ROWS
    stacks = [part for part in transformer if isinstance(part, LinearStack)]
    widest = max(stack.biases.shape[1] for stack in stacks)
    words = max(stack.weights.shape[2] for stack in stacks)
    head_width, tiles = width // HEADS, -(-entities // COLUMNS)
    values = np.zeros((head_width // COLUMNS + 1, entities, COLUMNS), np.float32)
    values[-1, :, head_width % COLUMNS] = 1
    embedding, linear = arithmetic.embedding, arithmetic.linear
    return Buffers(
        observations=np.zeros((batch, features), np.int8),
        starts=np.zeros(batch + 1, np.int64),
        row_entities=np.zeros(rows, np.int64),
        entity_rows=np.zeros((batch, entities), np.int64),
        embedding_inputs=np.zeros((rows, embedding.padded(entity_features)), embedding.inputs),
        inputs=np.zeros((rows, linear.padded(2 * width)), linear.inputs),
        input_scales=np.zeros(rows, np.float32),
        accumulators=np.zeros((rows, widest), arithmetic.accumulators),
        active=np.zeros((rows // ROWS, words), np.int64),
        active_counts=np.zeros(rows // ROWS, np.int64),
        residual=np.zeros((rows, width), np.float32),
        qkv=np.zeros((rows + ROWS, 3 * width), np.float32),
        hidden=np.zeros((rows, 2 * width), np.float32),
        keys=np.zeros((tiles, head_width, COLUMNS), np.float32),
        values=values,
        scores=np.zeros((entities + ROWS, tiles * COLUMNS), np.float32),
        attended=np.zeros((entities + ROWS, len(values) * COLUMNS), np.float32),
        indices=np.arange(max(head_width, entities)),
        logits=np.zeros((batch, len(transformer.output_entities)), np.float32),
    )


@jit
def _gather_entities(transformer: Transformer, buffers: Buffers, count: int) -> int:
    """Give every present entity a row of features; return the number of rows."""
    entities, features = transformer.features.shape
    rows = 0
    for position in range(count):
        observation = buffers.observations[position]
        buffers.starts[position] = rows
        for entity in range(entities):
            row = buffers.embedding_inputs[rows]
            indices = transformer.features[entity]
            any_bits = 0
            for feature in range(features):
                value = int(observation[indices[feature]]) if indices[feature] < len(observation) else 0
                row[feature] = value
                any_bits |= value
            buffers.entity_rows[position, entity] = rows if any_bits != 0 else -1
            if any_bits != 0:
                buffers.row_entities[rows] = entity
                rows += 1
    buffers.starts[count] = rows
    return rows


@jit
def _matmul(inputs: Array, weights: Array, buffers: Buffers, rows: int) -> None:
    """`accumulators = inputs @ weights`."""
    matmul_quantized(inputs, weights, buffers.accumulators, buffers.active, buffers.active_counts, rows)


@jit
def _embed(transformer: Transformer, buffers: Buffers, rows: int) -> None:
    """`residual = embedding(features) + type_embedding`."""
    _matmul(buffers.embedding_inputs, transformer.embedding.weights[0], buffers, rows)
    scales = transformer.embedding.scales[0]
    for row in range(rows):
        biases = transformer.type_embedding[transformer.types[buffers.row_entities[row]]]
        residual, accumulators = buffers.residual[row], buffers.accumulators[row]
        for index in range(len(residual)):
            residual[index] = np.float32(accumulators[index]) * scales[index] + biases[index]


# Functions called inside loops take only the arrays that they need: passing all buffers costs more than their work.


@jit
def _quantize_row(row: Array, inputs: Array, zero_point: int, levels: int) -> Any:
    """Quantize a row of floats to so many levels above the zero point, and perhaps below; return the scale."""
    bits = row.view(np.int32)
    greatest_bits = np.int32(0)
    for index in range(len(row)):  # without the sign bit, floats have the order of their bits as integers
        greatest_bits = max(greatest_bits, bits[index] & ABS_MASK)
    greatest = np.int32(greatest_bits).view(np.float32)
    inverse = np.float32(levels) / greatest if greatest > 0 else np.float32(0)
    for index in range(len(row)):
        inputs[index] = np.int32(row[index] * inverse + np.float32(zero_point + 0.5))
    return greatest / np.float32(levels)


@jit
def _quantize(numbers: Array, width: int, zero_point: int, levels: int, buffers: Buffers, rows: int) -> None:
    """`inputs = quantize(numbers)`, of which each row has so many."""
    for row in range(rows):
        scale = _quantize_row(numbers[row, :width], buffers.inputs[row], zero_point, levels)
        buffers.input_scales[row] = scale


@jit
def _rms_norm_quantize(buffers: Buffers, rows: int) -> None:
    """`inputs = quantize(norm(residual))`: the norm only changes the scale of a row."""
    width = buffers.residual.shape[1]
    _quantize(buffers.residual, width, ZERO_POINT, LEVELS_BELOW, buffers, rows)
    for row in range(rows):
        inputs, scale = buffers.inputs[row], buffers.input_scales[row]
        squares = np.int32(0)  # their sum, in levels
        for index in range(width):
            level = np.int32(inputs[index]) - np.int32(ZERO_POINT)
            squares += level * level
        mean_square = np.float32(squares) * (scale * scale) / np.float32(width)
        buffers.input_scales[row] = scale / np.sqrt(mean_square + np.float32(NORM_EPSILON))


@jit
def _linear(
    stack: LinearStack, block: int, buffers: Buffers, rows: int, into: Array, is_relu: bool, is_residual: bool
) -> None:
    """`into = linear(inputs)`, `into = relu(linear(inputs))` or `into += linear(inputs)`."""
    _matmul(buffers.inputs, stack.weights[block], buffers, rows)
    scales, biases, zero_sums = stack.scales[block], stack.biases[block], stack.zero_sums[block]
    for row in range(rows):
        input_scale, sums, output = buffers.input_scales[row], buffers.accumulators[row], into[row]
        for index in range(len(output)):
            value = (np.float32(sums[index]) - zero_sums[index]) * (scales[index] * input_scale) + biases[index]
            if is_relu:
                value = value if value > 0 else np.float32(0)
            output[index] = output[index] + value if is_residual else value


@jit
def _exp(scores: Array, scale: Any) -> None:
    """`scores = exp(scale * scores)`, as a power of 2 whose whole exponent goes straight into the bits of a float."""
    for index in range(len(scores)):
        exponent = min(max(scores[index] * scale, np.float32(-MAX_SCORE)), np.float32(MAX_SCORE)) * LOG2_OF_E
        whole = np.int32(exponent + np.float32(EXPONENT_BIAS))
        part = exponent - (np.float32(whole) - np.float32(EXPONENT_BIAS))
        power = EXP2_COEFFICIENTS[5]
        power = power * part + EXP2_COEFFICIENTS[4]
        power = power * part + EXP2_COEFFICIENTS[3]
        power = power * part + EXP2_COEFFICIENTS[2]
        power = power * part + EXP2_COEFFICIENTS[1]
        power = power * part + EXP2_COEFFICIENTS[0]
        scores[index] = power * np.int32(whole << np.int32(MANTISSA_BITS)).view(np.float32)


@jit
def _pack_row(numbers: Array, tiles: Array, row: int) -> None:
    """Copy numbers into a row of the tiles [tiles, rows, COLUMNS]."""
    for tile in range(len(tiles)):
        into = tiles[tile, row]
        part = numbers[tile * COLUMNS :]
        for column in range(min(COLUMNS, len(part))):
            into[column] = part[column]


@jit
def _pack_column(numbers: Array, tiles: Array, column: int) -> None:
    """Copy numbers into a column of the tiles [tiles, rows, COLUMNS]."""
    into = tiles[column // COLUMNS]
    tile_column = column % COLUMNS
    for index in range(len(numbers)):
        into[index, tile_column] = numbers[index]


@jit
def _attend(buffers: Buffers, first: int, end: int) -> None:
    """softmax(query @ key.T / sqrt(head width)) @ value of one position, in the place of its queries.

    The softmax is divided by its sum at the end: a column of ones behind the values collects that sum.
    """
    width = buffers.residual.shape[1]
    head_width = width // HEADS
    count = end - first
    scale = np.float32(1 / np.sqrt(head_width))
    for head in range(HEADS):
        start = head * head_width
        for entity in range(count):
            qkv = buffers.qkv[first + entity]
            _pack_column(qkv[width + start : width + start + head_width], buffers.keys, entity)
            _pack_row(qkv[2 * width + start : 2 * width + start + head_width], buffers.values, entity)
        queries = buffers.qkv[first:, start:]
        matmul_float(queries, buffers.keys, buffers.scores, buffers.indices, head_width, count)
        _exp(buffers.scores[:count].ravel(), scale)
        matmul_float(buffers.scores, buffers.values, buffers.attended, buffers.indices, count, count)
        for entity in range(count):
            attended = buffers.attended[entity]
            inverse_sum = np.float32(1) / attended[head_width]
            into = buffers.qkv[first + entity, start : start + head_width]
            for index in range(head_width):
                into[index] = attended[index] * inverse_sum


@jit
def _read_logits(transformer: Transformer, buffers: Buffers, count: int) -> None:
    """Turn the accumulators of the head into logits, each read at its entity and column."""
    scales, biases, zero_sums = transformer.head.scales[0], transformer.head.biases[0], transformer.head.zero_sums[0]
    for position in range(count):
        for output in range(len(transformer.output_entities)):
            row = buffers.entity_rows[position, transformer.output_entities[output]]
            logit = np.float32(0)
            if row >= 0:
                column = transformer.output_columns[output]
                whole = np.float32(buffers.accumulators[row, column]) - zero_sums[column]
                logit = whole * (scales[column] * buffers.input_scales[row]) + biases[column]
            buffers.logits[position, output] = logit


@jit
def forward(transformer: Transformer, buffers: Buffers, count: int) -> None:
    """Compute the logits of the first `count` observations; those about absent entities are 0."""
    qkv, proj, fc1, fc2 = transformer.qkv, transformer.proj, transformer.fc1, transformer.fc2
    residual, hidden = buffers.residual, buffers.hidden
    rows = _gather_entities(transformer, buffers, count)
    _embed(transformer, buffers, rows)
    for block in range(len(qkv.weights)):
        _rms_norm_quantize(buffers, rows)
        _linear(qkv, block, buffers, rows, buffers.qkv, False, False)
        for position in range(count):
            _attend(buffers, int(buffers.starts[position]), int(buffers.starts[position + 1]))
        _quantize(buffers.qkv, residual.shape[1], ZERO_POINT, LEVELS_BELOW, buffers, rows)
        _linear(proj, block, buffers, rows, residual, False, True)
        _rms_norm_quantize(buffers, rows)
        _linear(fc1, block, buffers, rows, hidden, True, False)
        _quantize(hidden, hidden.shape[1], 0, INPUT_LEVELS, buffers, rows)
        _linear(fc2, block, buffers, rows, residual, False, True)
    _rms_norm_quantize(buffers, rows)
    _matmul(buffers.inputs, transformer.head.weights[0], buffers, rows)
    _read_logits(transformer, buffers, count)


@jit
def value_softmax(logits: Array, players: int, observer: int, values: Array) -> None:
    """Write each seat's probability of winning to `values` [SEATS], from one row of logits.

    The value head puts the observer first; `values` starts with seat 0.
    """
    greatest = logits[ACTIONS]
    for index in range(1, players):
        greatest = max(greatest, logits[ACTIONS + index])
    total = 0.0
    for index in range(players):
        odds = math.exp(logits[ACTIONS + index] - greatest)
        values[(observer + index) % players] = odds
        total += odds
    for seat in range(players):
        values[seat] /= total


@jit
def policy_softmax(logits: Array, actions: Array, count: int, temperature: float, policy: Array) -> None:
    """Write the probabilities of the first `count` actions to `policy` [count], from one row of logits.

    A temperature above 1 makes them more alike.
    """
    greatest = logits[actions[0]]
    for index in range(1, count):
        greatest = max(greatest, logits[actions[index]])
    total = 0.0
    for index in range(count):
        odds = math.exp((logits[actions[index]] - greatest) / temperature)
        policy[index] = odds
        total += odds
    for index in range(count):
        policy[index] /= total


@jit
def best_action(logits: Array, actions: Array, count: int) -> int:
    """The action with the highest logit among the first `count`."""
    best = int(actions[0])
    for index in range(1, count):
        if logits[actions[index]] > logits[best]:
            best = int(actions[index])
    return best
