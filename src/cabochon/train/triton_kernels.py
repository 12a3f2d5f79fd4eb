"""A block of the transformer for a GPU: three Triton kernels forward and three backward.

The matrix products of a block are small; one by one they spend most of their time writing rows to memory and reading
them again. Here a program takes some rows, or one head of a position, and does everything that needs no others. What is
cheap to compute again is not stored. `Model._plain_block` in `train.model` computes the same with the same names:

    qkv = linear(norm(x))                        _qkv
    attended = softmax(query @ key.T) @ value    _attention
    x = x + proj(attended)                       _feed_forward
    x = x + fc2(relu(fc1(norm(x))))              _feed_forward

B is the batch size, E the number of entities, W the width; rows are the B * E entities. The gradient of a tensor `t` is
called `t_gradient`, or `t_gradients` where it is a pointer.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from cabochon.nn.transformer import HEADS, NORM_EPSILON

WIDTHS = (64, 128)  # for which there are kernels: heads fit the tensor cores, rows the registers
ROWS = 64  # of a program
UNITS = 64  # outputs of a layer that a program computes at a time
WARPS = 4
STAGES = 2  # loads of weights that overlap with products: more leave no room for a second program
ATTENTION_WARPS = 1  # of a program for one position and head
OUTSIDE = -1e30  # the attention score of places beyond the entities


@triton.jit
def _own_rows(rows, width: tl.constexpr, tile: tl.constexpr):
    """The numbers of a program's rows, which of them exist, the columns, and the offsets of all of these."""
    row = tl.program_id(0).to(tl.int64) * tile + tl.arange(0, tile)
    column = tl.arange(0, width)
    return row, (row < rows)[:, None], column, row[:, None] * width + column


@triton.jit
def _rms_norm(rows, epsilon, width: tl.constexpr):
    """The RMS norm of rows, and the factor of each row."""
    factor = tl.rsqrt(tl.sum(rows * rows, 1) / width + epsilon)
    return rows * factor[:, None], factor


@triton.jit
def _rms_norm_backward(norm_gradient, norm, factor, width: tl.constexpr):
    """The gradient of rows from that of their norm."""
    return factor[:, None] * (norm_gradient - norm * (tl.sum(norm_gradient * norm, 1) / width)[:, None])


@triton.jit
def _qkv(x, weights, biases, qkv, rows, epsilon, width: tl.constexpr, tile: tl.constexpr, units: tl.constexpr):
    """`qkv [rows, 3 W] = linear(norm(x))`."""
    row, is_row, column, at = _own_rows(rows, width, tile)
    norm, _ = _rms_norm(tl.load(x + at, mask=is_row, other=0.0).to(tl.float32), epsilon, width)
    norm = norm.to(qkv.dtype.element_ty)
    for start in range(0, 3 * width, units):
        unit = start + tl.arange(0, units)
        part = tl.load(weights + unit[:, None] * width + column)
        sums = tl.dot(norm, tl.trans(part)) + tl.load(biases + unit).to(tl.float32)
        tl.store(qkv + row[:, None] * (3 * width) + unit, sums.to(norm.dtype), mask=is_row)


@triton.jit
def _qkv_backward(
    x,
    weights,
    qkv_gradients,
    residual_gradients,
    norms,
    x_gradients,
    bias_gradients,
    rows,
    epsilon,
    width: tl.constexpr,
    tile: tl.constexpr,
    units: tl.constexpr,
):
    """The gradient of x: what comes through the residual connection, and what comes through qkv."""
    program = tl.program_id(0)
    row, is_row, column, at = _own_rows(rows, width, tile)
    norm, factor = _rms_norm(tl.load(x + at, mask=is_row, other=0.0).to(tl.float32), epsilon, width)
    tl.store(norms + at, norm.to(norms.dtype.element_ty), mask=is_row)
    norm_gradient = tl.zeros((tile, width), tl.float32)
    for start in range(0, 3 * width, units):
        unit = start + tl.arange(0, units)
        qkv_gradient = tl.load(qkv_gradients + row[:, None] * (3 * width) + unit, mask=is_row, other=0.0)
        norm_gradient = tl.dot(qkv_gradient, tl.load(weights + unit[:, None] * width + column), norm_gradient)
        tl.store(bias_gradients + program * (3 * width) + unit, tl.sum(qkv_gradient.to(tl.float32), 0))
    residual_gradient = tl.load(residual_gradients + at, mask=is_row, other=0.0).to(tl.float32)
    result = residual_gradient + _rms_norm_backward(norm_gradient, norm, factor, width)
    tl.store(x_gradients + at, result.to(x_gradients.dtype.element_ty), mask=is_row)


@triton.jit
def _load_part(qkv, position, part, head, place, entities, width: tl.constexpr, head_width: tl.constexpr):
    """The query (part 0), key (1) or value (2) [places, head width] of one position and head."""
    start = position * entities * (3 * width) + part * width + head * head_width
    at = start + place[:, None] * (3 * width) + tl.arange(0, head_width)
    return tl.load(qkv + at, mask=(place < entities)[:, None], other=0.0)


@triton.jit
def _softmax_scores(query, key, absent, position, place, entities, scale, outside):
    """The softmax of the attention scores [places, places] of one position and head."""
    mask = tl.load(absent + position * entities + place, mask=place < entities, other=outside).to(tl.float32)
    scores = tl.dot(query, tl.trans(key)) * scale + mask
    odds = tl.exp(scores - tl.max(scores, 1)[:, None])
    return odds / tl.sum(odds, 1)[:, None]


@triton.jit
def _attention(
    qkv, absent, attended, entities, scale, outside, width: tl.constexpr, head_width: tl.constexpr, places: tl.constexpr
):
    """`attended [B, E, W] = softmax(query @ key.T) @ value`, for one position and head."""
    position = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, places)
    query = _load_part(qkv, position, 0, head, place, entities, width, head_width)
    key = _load_part(qkv, position, 1, head, place, entities, width, head_width)
    value = _load_part(qkv, position, 2, head, place, entities, width, head_width)
    probabilities = _softmax_scores(query, key, absent, position, place, entities, scale, outside)
    result = tl.dot(probabilities.to(value.dtype), value)
    at = position * entities * width + head * head_width + place[:, None] * width + tl.arange(0, head_width)
    tl.store(attended + at, result.to(value.dtype), mask=(place < entities)[:, None])


@triton.jit
def _attention_backward(
    qkv,
    absent,
    attended_gradients,
    qkv_gradients,
    entities,
    scale,
    outside,
    width: tl.constexpr,
    head_width: tl.constexpr,
    places: tl.constexpr,
):
    """The gradients of query, key and value from those of the attention's output, for one position and head."""
    position = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, places)
    is_entity = (place < entities)[:, None]
    query = _load_part(qkv, position, 0, head, place, entities, width, head_width)
    key = _load_part(qkv, position, 1, head, place, entities, width, head_width)
    value = _load_part(qkv, position, 2, head, place, entities, width, head_width)
    at = position * entities * width + head * head_width + place[:, None] * width + tl.arange(0, head_width)
    gradient = tl.load(attended_gradients + at, mask=is_entity, other=0.0)
    probabilities = _softmax_scores(query, key, absent, position, place, entities, scale, outside)
    probability_gradient = tl.dot(gradient, tl.trans(value))
    centred = probability_gradient - tl.sum(probabilities * probability_gradient, 1)[:, None]
    score_gradient = (probabilities * centred * scale).to(value.dtype)
    start = position * entities * (3 * width) + head * head_width
    to = qkv_gradients + start + place[:, None] * (3 * width) + tl.arange(0, head_width)
    tl.store(to, tl.dot(score_gradient, key).to(value.dtype), mask=is_entity)
    tl.store(to + width, tl.dot(tl.trans(score_gradient), query).to(value.dtype), mask=is_entity)
    value_gradient = tl.dot(tl.trans(probabilities.to(value.dtype)), gradient)
    tl.store(to + 2 * width, value_gradient.to(value.dtype), mask=is_entity)


@triton.jit
def _add_attention(x, attended, proj, proj_biases, at, is_row, column, width: tl.constexpr):
    """`x + proj(attended)` of a program's rows."""
    inputs = tl.load(attended + at, mask=is_row, other=0.0)
    weights = tl.load(proj + column[:, None] * width + column)
    before = tl.load(x + at, mask=is_row, other=0.0).to(tl.float32)
    rows = before + tl.dot(inputs, tl.trans(weights)) + tl.load(proj_biases + column).to(tl.float32)
    return rows.to(inputs.dtype).to(tl.float32)


@triton.jit
def _feed_forward(
    x,
    attended,
    proj,
    proj_biases,
    fc1,
    fc1_biases,
    fc2,
    fc2_biases,
    result,
    rows,
    epsilon,
    width: tl.constexpr,
    tile: tl.constexpr,
    units: tl.constexpr,
):
    """`result [rows, W] = y + fc2(relu(fc1(norm(y))))`, where y = x + proj(attended)."""
    _, is_row, column, at = _own_rows(rows, width, tile)
    residual = _add_attention(x, attended, proj, proj_biases, at, is_row, column, width)
    norm, _ = _rms_norm(residual, epsilon, width)
    norm = norm.to(result.dtype.element_ty)
    total = residual + tl.load(fc2_biases + column).to(tl.float32)
    for start in range(0, 2 * width, units):
        unit = start + tl.arange(0, units)
        part = tl.load(fc1 + unit[:, None] * width + column)
        hidden = tl.maximum(tl.dot(norm, tl.trans(part)) + tl.load(fc1_biases + unit).to(tl.float32), 0.0)
        part = tl.load(fc2 + column[:, None] * (2 * width) + unit)
        total = tl.dot(hidden.to(norm.dtype), tl.trans(part), total)
    tl.store(result + at, total.to(norm.dtype), mask=is_row)


@triton.jit
def _feed_forward_backward(
    x,
    attended,
    result_gradients,
    proj,
    proj_biases,
    fc1,
    fc1_biases,
    fc2,
    norms,
    hiddens,
    hidden_gradients,
    residual_gradients,
    attended_gradients,
    proj_bias_gradients,
    fc1_bias_gradients,
    fc2_bias_gradients,
    rows,
    epsilon,
    width: tl.constexpr,
    tile: tl.constexpr,
    units: tl.constexpr,
):
    """The gradients of x + proj(attended) and of what came before it, from those of the result."""
    program = tl.program_id(0)
    row, is_row, column, at = _own_rows(rows, width, tile)
    residual = _add_attention(x, attended, proj, proj_biases, at, is_row, column, width)
    full_norm, factor = _rms_norm(residual, epsilon, width)
    gradient = tl.load(result_gradients + at, mask=is_row, other=0.0)
    norm = full_norm.to(gradient.dtype)
    tl.store(norms + at, norm, mask=is_row)
    tl.store(fc2_bias_gradients + program * width + column, tl.sum(gradient.to(tl.float32), 0))
    norm_gradient = tl.zeros((tile, width), tl.float32)
    for start in range(0, 2 * width, units):
        unit = start + tl.arange(0, units)
        to = row[:, None] * (2 * width) + unit
        fc1_part = tl.load(fc1 + unit[:, None] * width + column)
        hidden = tl.dot(norm, tl.trans(fc1_part)) + tl.load(fc1_biases + unit).to(tl.float32)
        fc2_part = tl.load(fc2 + column[:, None] * (2 * width) + unit)
        hidden_gradient = tl.where(hidden > 0, tl.dot(gradient, fc2_part), 0.0)
        tl.store(fc1_bias_gradients + program * (2 * width) + unit, tl.sum(hidden_gradient, 0))
        tl.store(hiddens + to, tl.maximum(hidden, 0.0).to(gradient.dtype), mask=is_row)
        tl.store(hidden_gradients + to, hidden_gradient.to(gradient.dtype), mask=is_row)
        norm_gradient = tl.dot(hidden_gradient.to(gradient.dtype), fc1_part, norm_gradient)
    residual_gradient = gradient.to(tl.float32) + _rms_norm_backward(norm_gradient, full_norm, factor, width)
    tl.store(proj_bias_gradients + program * width + column, tl.sum(residual_gradient, 0))
    rounded = residual_gradient.to(gradient.dtype)
    tl.store(residual_gradients + at, rounded, mask=is_row)
    weights = tl.load(proj + column[:, None] * width + column)
    tl.store(attended_gradients + at, tl.dot(rounded, weights).to(gradient.dtype), mask=is_row)


class Block(torch.autograd.Function):
    """A block of the transformer: x [B, E, W] to [B, E, W]. `absent` [B, E] is added to the attention scores."""

    @staticmethod
    def forward(ctx: Any, x: Any, absent: Any, *parameters: Any) -> Any:
        qkv_weights, qkv_biases, *others = parameters
        positions, entities, width = x.shape
        rows = positions * entities
        programs = (triton.cdiv(rows, ROWS),)
        heads = (positions, HEADS)
        qkv = x.new_empty((positions, entities, 3 * width))
        attended, result = torch.empty_like(x), torch.empty_like(x)
        _qkv[programs](x, qkv_weights, qkv_biases, qkv, rows, NORM_EPSILON, **_row_shape(width))
        _attention[heads](qkv, absent, attended, entities, *_head_shape(width, entities), num_warps=ATTENTION_WARPS)
        _feed_forward[programs](x, attended, *others, result, rows, NORM_EPSILON, **_row_shape(width))
        ctx.save_for_backward(x, absent, qkv, attended, *parameters)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        x, absent, qkv, attended, qkv_weights, _, proj, proj_biases, fc1, fc1_biases, fc2, _ = ctx.saved_tensors
        positions, entities, width = x.shape
        rows = positions * entities
        programs = triton.cdiv(rows, ROWS)
        gradient = gradient.contiguous()

        def partial_sums(units: int) -> Any:
            return torch.empty((programs, units), device=x.device)

        norms, residual_gradient, attended_gradient, x_gradient = (torch.empty_like(x) for _ in range(4))
        hidden = x.new_empty((rows, 2 * width))
        hidden_gradient = torch.empty_like(hidden)
        proj_bias_sums, fc1_bias_sums, fc2_bias_sums = partial_sums(width), partial_sums(2 * width), partial_sums(width)
        inputs = (x, attended, gradient, proj, proj_biases, fc1, fc1_biases, fc2)
        outputs = (norms, hidden, hidden_gradient, residual_gradient, attended_gradient)
        sums = (proj_bias_sums, fc1_bias_sums, fc2_bias_sums)
        _feed_forward_backward[(programs,)](*inputs, *outputs, *sums, rows, NORM_EPSILON, **_row_shape(width))
        fc1_gradient = hidden_gradient.mT @ norms.view(rows, width)
        fc2_gradient = gradient.view(rows, width).mT @ hidden
        proj_gradient = residual_gradient.view(rows, width).mT @ attended.view(rows, width)

        qkv_gradient = torch.empty_like(qkv)
        qkv_bias_sums = partial_sums(3 * width)
        head_shape = _head_shape(width, entities)
        _attention_backward[(positions, HEADS)](
            qkv, absent, attended_gradient, qkv_gradient, entities, *head_shape, num_warps=ATTENTION_WARPS
        )
        gradients = (qkv_gradient, residual_gradient, norms, x_gradient, qkv_bias_sums)
        _qkv_backward[(programs,)](x, qkv_weights, *gradients, rows, NORM_EPSILON, **_row_shape(width))
        qkv_weights_gradient = qkv_gradient.view(rows, 3 * width).mT @ norms.view(rows, width)
        weights = (qkv_weights_gradient, proj_gradient, fc1_gradient, fc2_gradient)
        biases = (qkv_bias_sums, proj_bias_sums, fc1_bias_sums, fc2_bias_sums)
        parameter_gradients = [
            part
            for of_weights, of_biases in zip(weights, biases, strict=True)
            for part in (of_weights, of_biases.sum(0).to(x.dtype))
        ]
        return x_gradient, None, *parameter_gradients


def _row_shape(width: int) -> dict[str, int]:
    return {"width": width, "tile": ROWS, "units": UNITS, "num_warps": WARPS, "num_stages": STAGES}


def _head_shape(width: int, entities: int) -> tuple[float, float, int, int, int]:
    """The arguments `scale`, `outside`, `width`, `head_width` and `places` of the kernels of the attention."""
    head_width = width // HEADS
    return head_width**-0.5, OUTSIDE, width, head_width, triton.next_power_of_2(entities)
