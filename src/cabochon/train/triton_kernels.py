"""A block of the network with attention in three kernels forward and three backward, for a GPU.

Its products are small, and done one by one they spend most of their time on writing rows down and reading them again.
Here a program takes some rows or a position, and does with them all that can be done without the others; whatever is
cheap to compute again is not kept.

The norm of a row, what the pieces ask (`asked`), what they see of each other (`mixed`), and what they think about it
are as in `train.model`, whose `Model._plain_block` computes the same.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from cabochon.nn.transformer import HEADS, MARGIN

WIDTHS = (64, 128)  # of a row, for which there are kernels: heads fit the matrix product units, rows the registers
ROWS = 64  # of a program
UNITS = 64  # that it computes at a time
WARPS = 4
STAGES = 2  # of loading weights while others are multiplied: more take the room of a second program
LOOK_WARPS = 1  # of a program of one position and head
FAR = -1e30  # how much a place beyond the pieces is looked at


@triton.jit
def _own_rows(rows, width: tl.constexpr, tile: tl.constexpr):
    """The numbers of a program's rows, which of them there are, the columns, and where all of that is."""
    row = tl.program_id(0).to(tl.int64) * tile + tl.arange(0, tile)
    column = tl.arange(0, width)
    return row, (row < rows)[:, None], column, row[:, None] * width + column


@triton.jit
def _normal(rows, margin, width: tl.constexpr):
    """The rows with a mean square of 1, and by what they were multiplied."""
    factor = tl.rsqrt(tl.sum(rows * rows, 1) / width + margin)
    return rows * factor[:, None], factor


@triton.jit
def _before_normal(gradient, normal, factor, width: tl.constexpr):
    """The gradient of rows from that of their normal form."""
    return factor[:, None] * (gradient - normal * (tl.sum(gradient * normal, 1) / width)[:, None])


@triton.jit
def _ask(x, weights, biases, asked, rows, margin, width: tl.constexpr, tile: tl.constexpr, units: tl.constexpr):
    row, is_row, column, at = _own_rows(rows, width, tile)
    normal, _ = _normal(tl.load(x + at, mask=is_row, other=0.0).to(tl.float32), margin, width)
    normal = normal.to(asked.dtype.element_ty)
    for start in range(0, 3 * width, units):
        unit = start + tl.arange(0, units)
        part = tl.load(weights + unit[:, None] * width + column)
        sums = tl.dot(normal, tl.trans(part)) + tl.load(biases + unit).to(tl.float32)
        tl.store(asked + row[:, None] * (3 * width) + unit, sums.to(normal.dtype), mask=is_row)


@triton.jit
def _ask_back(
    x,
    weights,
    asked_gradient,
    kept_gradient,
    normals,
    x_gradient,
    bias_gradients,
    rows,
    margin,
    width: tl.constexpr,
    tile: tl.constexpr,
    units: tl.constexpr,
):
    program = tl.program_id(0)
    row, is_row, column, at = _own_rows(rows, width, tile)
    normal, factor = _normal(tl.load(x + at, mask=is_row, other=0.0).to(tl.float32), margin, width)
    tl.store(normals + at, normal.to(normals.dtype.element_ty), mask=is_row)
    gradient = tl.zeros((tile, width), tl.float32)
    for start in range(0, 3 * width, units):
        unit = start + tl.arange(0, units)
        above = tl.load(asked_gradient + row[:, None] * (3 * width) + unit, mask=is_row, other=0.0)
        gradient = tl.dot(above, tl.load(weights + unit[:, None] * width + column), gradient)
        tl.store(bias_gradients + program * (3 * width) + unit, tl.sum(above.to(tl.float32), 0))
    kept = tl.load(kept_gradient + at, mask=is_row, other=0.0).to(tl.float32)
    result = kept + _before_normal(gradient, normal, factor, width)
    tl.store(x_gradient + at, result.to(x_gradient.dtype.element_ty), mask=is_row)


@triton.jit
def _part(asked, position, part, head, place, pieces, width: tl.constexpr, size: tl.constexpr):
    """What the pieces of a position ask (0), answer (1) or hold (2) in a head."""
    start = position * pieces * (3 * width) + part * width + head * size
    at = start + place[:, None] * (3 * width) + tl.arange(0, size)
    return tl.load(asked + at, mask=(place < pieces)[:, None], other=0.0)


@triton.jit
def _looks(queries, keys, absent, position, place, pieces, scale, far):
    """How much each piece looks at each other; together 1."""
    is_missing = tl.load(absent + position * pieces + place, mask=place < pieces, other=far).to(tl.float32)
    scores = tl.dot(queries, tl.trans(keys)) * scale + is_missing
    odds = tl.exp(scores - tl.max(scores, 1)[:, None])
    return odds / tl.sum(odds, 1)[:, None]


@triton.jit
def _look(asked, absent, mixed, pieces, scale, far, width: tl.constexpr, size: tl.constexpr, places: tl.constexpr):
    position = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, places)
    queries = _part(asked, position, 0, head, place, pieces, width, size)
    keys = _part(asked, position, 1, head, place, pieces, width, size)
    held = _part(asked, position, 2, head, place, pieces, width, size)
    looks = _looks(queries, keys, absent, position, place, pieces, scale, far)
    result = tl.dot(looks.to(held.dtype), held)
    at = position * pieces * width + head * size + place[:, None] * width + tl.arange(0, size)
    tl.store(mixed + at, result.to(held.dtype), mask=(place < pieces)[:, None])


@triton.jit
def _look_back(
    asked,
    absent,
    mixed_gradient,
    asked_gradient,
    pieces,
    scale,
    far,
    width: tl.constexpr,
    size: tl.constexpr,
    places: tl.constexpr,
):
    position = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, places)
    is_piece = (place < pieces)[:, None]
    queries = _part(asked, position, 0, head, place, pieces, width, size)
    keys = _part(asked, position, 1, head, place, pieces, width, size)
    held = _part(asked, position, 2, head, place, pieces, width, size)
    at = position * pieces * width + head * size + place[:, None] * width + tl.arange(0, size)
    above = tl.load(mixed_gradient + at, mask=is_piece, other=0.0)
    looks = _looks(queries, keys, absent, position, place, pieces, scale, far)
    of_looks = tl.dot(above, tl.trans(held))
    of_scores = (looks * (of_looks - tl.sum(looks * of_looks, 1)[:, None]) * scale).to(held.dtype)
    start = position * pieces * (3 * width) + head * size
    to = asked_gradient + start + place[:, None] * (3 * width) + tl.arange(0, size)
    tl.store(to, tl.dot(of_scores, keys).to(held.dtype), mask=is_piece)
    tl.store(to + width, tl.dot(tl.trans(of_scores), queries).to(held.dtype), mask=is_piece)
    tl.store(to + 2 * width, tl.dot(tl.trans(looks.to(held.dtype)), above).to(held.dtype), mask=is_piece)


@triton.jit
def _see(x, mixed, weights, biases, at, is_row, column, width: tl.constexpr):
    """The rows after what they saw was added to them."""
    seen = tl.load(mixed + at, mask=is_row, other=0.0)
    square = tl.load(weights + column[:, None] * width + column)
    before = tl.load(x + at, mask=is_row, other=0.0).to(tl.float32)
    rows = before + tl.dot(seen, tl.trans(square)) + tl.load(biases + column).to(tl.float32)
    return rows.to(seen.dtype).to(tl.float32)


@triton.jit
def _think(
    x,
    mixed,
    seen_weights,
    seen_biases,
    thinking_weights,
    thinking_biases,
    thought_weights,
    thought_biases,
    result,
    rows,
    margin,
    width: tl.constexpr,
    tile: tl.constexpr,
    units: tl.constexpr,
):
    _, is_row, column, at = _own_rows(rows, width, tile)
    seen = _see(x, mixed, seen_weights, seen_biases, at, is_row, column, width)
    normal, _ = _normal(seen, margin, width)
    normal = normal.to(result.dtype.element_ty)
    total = seen + tl.load(thought_biases + column).to(tl.float32)
    for start in range(0, 2 * width, units):
        unit = start + tl.arange(0, units)
        part = tl.load(thinking_weights + unit[:, None] * width + column)
        activity = tl.maximum(tl.dot(normal, tl.trans(part)) + tl.load(thinking_biases + unit).to(tl.float32), 0.0)
        part = tl.load(thought_weights + column[:, None] * (2 * width) + unit)
        total = tl.dot(activity.to(normal.dtype), tl.trans(part), total)
    tl.store(result + at, total.to(normal.dtype), mask=is_row)


@triton.jit
def _think_back(
    x,
    mixed,
    gradient,
    seen_weights,
    seen_biases,
    thinking_weights,
    thinking_biases,
    thought_weights,
    normals,
    activities,
    activity_gradient,
    seen_gradient,
    mixed_gradient,
    seen_bias_gradients,
    thinking_bias_gradients,
    thought_bias_gradients,
    rows,
    margin,
    width: tl.constexpr,
    tile: tl.constexpr,
    units: tl.constexpr,
):
    program = tl.program_id(0)
    row, is_row, column, at = _own_rows(rows, width, tile)
    seen = _see(x, mixed, seen_weights, seen_biases, at, is_row, column, width)
    full_normal, factor = _normal(seen, margin, width)
    above = tl.load(gradient + at, mask=is_row, other=0.0)
    normal = full_normal.to(above.dtype)
    tl.store(normals + at, normal, mask=is_row)
    tl.store(thought_bias_gradients + program * width + column, tl.sum(above.to(tl.float32), 0))
    of_normal = tl.zeros((tile, width), tl.float32)
    for start in range(0, 2 * width, units):
        unit = start + tl.arange(0, units)
        to = row[:, None] * (2 * width) + unit
        thinking = tl.load(thinking_weights + unit[:, None] * width + column)
        activity = tl.dot(normal, tl.trans(thinking)) + tl.load(thinking_biases + unit).to(tl.float32)
        thought = tl.load(thought_weights + column[:, None] * (2 * width) + unit)
        below = tl.where(activity > 0, tl.dot(above, thought), 0.0)
        tl.store(thinking_bias_gradients + program * (2 * width) + unit, tl.sum(below, 0))
        tl.store(activities + to, tl.maximum(activity, 0.0).to(above.dtype), mask=is_row)
        tl.store(activity_gradient + to, below.to(above.dtype), mask=is_row)
        of_normal = tl.dot(below.to(above.dtype), thinking, of_normal)
    of_seen = above.to(tl.float32) + _before_normal(of_normal, full_normal, factor, width)
    tl.store(seen_bias_gradients + program * width + column, tl.sum(of_seen, 0))
    rounded = of_seen.to(above.dtype)
    tl.store(seen_gradient + at, rounded, mask=is_row)
    square = tl.load(seen_weights + column[:, None] * width + column)
    tl.store(mixed_gradient + at, tl.dot(rounded, square).to(above.dtype), mask=is_row)


class Block(torch.autograd.Function):
    """Of pieces [B, P, width], and of how much those that are not there are looked at [B, P], the pieces after it."""

    @staticmethod
    def forward(ctx: Any, x: Any, absent: Any, *parameters: Any) -> Any:
        looking, looking_biases, *others = parameters
        positions, pieces, width = x.shape
        rows = positions * pieces
        programs = (triton.cdiv(rows, ROWS),)
        asked = x.new_empty((positions, pieces, 3 * width))
        mixed, result = torch.empty_like(x), torch.empty_like(x)
        _ask[programs](x, looking, looking_biases, asked, rows, MARGIN, **_shape(width))
        _look[(positions, HEADS)](asked, absent, mixed, pieces, *_sizes(width, pieces), num_warps=LOOK_WARPS)
        _think[programs](x, mixed, *others, result, rows, MARGIN, **_shape(width))
        ctx.save_for_backward(x, absent, asked, mixed, *parameters)
        return result

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        x, absent, asked, mixed, looking, _, seen, seen_biases, thinking, thinking_biases, thought, _ = (
            ctx.saved_tensors
        )
        positions, pieces, width = x.shape
        rows = positions * pieces
        programs = triton.cdiv(rows, ROWS)
        gradient = gradient.contiguous()

        def sums(units: int) -> Any:
            return torch.empty((programs, units), device=x.device)

        normals, of_seen, of_mixed, of_x = (torch.empty_like(x) for _ in range(4))
        activities = x.new_empty((rows, 2 * width))
        of_activities = torch.empty_like(activities)
        of_seen_biases, of_thinking_biases, of_thought_biases = sums(width), sums(2 * width), sums(width)
        _think_back[(programs,)](
            x,
            mixed,
            gradient,
            seen,
            seen_biases,
            thinking,
            thinking_biases,
            thought,
            normals,
            activities,
            of_activities,
            of_seen,
            of_mixed,
            of_seen_biases,
            of_thinking_biases,
            of_thought_biases,
            rows,
            MARGIN,
            **_shape(width),
        )
        of_thinking = of_activities.mT @ normals.view(rows, width)
        of_thought = gradient.view(rows, width).mT @ activities
        of_seeing = of_seen.view(rows, width).mT @ mixed.view(rows, width)

        of_asked = torch.empty_like(asked)
        of_looking_biases = sums(3 * width)
        _look_back[(positions, HEADS)](
            asked, absent, of_mixed, of_asked, pieces, *_sizes(width, pieces), num_warps=LOOK_WARPS
        )
        _ask_back[(programs,)](
            x, looking, of_asked, of_seen, normals, of_x, of_looking_biases, rows, MARGIN, **_shape(width)
        )
        of_looking = of_asked.view(rows, 3 * width).mT @ normals.view(rows, width)
        weights = (of_looking, of_seeing, of_thinking, of_thought)
        biases = (of_looking_biases, of_seen_biases, of_thinking_biases, of_thought_biases)
        of_parameters = [
            part
            for of_weights, of_biases in zip(weights, biases, strict=True)
            for part in (of_weights, of_biases.sum(0).to(x.dtype))
        ]
        return of_x, None, *of_parameters


def _shape(width: int) -> dict[str, int]:
    """What the kernels of rows are told of their size."""
    return {"width": width, "tile": ROWS, "units": UNITS, "num_warps": WARPS, "num_stages": STAGES}


def _sizes(width: int, pieces: int) -> tuple[float, float, int, int, int]:
    """What the kernels of looking are told of heads and places."""
    size = width // HEADS
    return size**-0.5, FAR, width, size, triton.next_power_of_2(pieces)
