"""Integer matrix products (GEMM) for the processor at hand.

Weights are quantized to integers with one scale per output, and inputs to integers with one scale per row. No
accumulator can exceed 2 ** 24, so even float32 holds every one of them exactly: the results depend on neither the order
of the sums nor the processor.

A product is computed in tiles of ROWS rows by COLUMNS outputs, whose accumulators stay in vector registers. numba does
not vectorize a loop like that by itself, so `_tile` emits LLVM instructions directly. Inputs come in 32-bit words: two
or four integers if the processor has an instruction that accumulates their products (AVX-512 VNNI), or else one float.
Words that are 0 in all rows of a tile are skipped; among the features these are many.
"""

from __future__ import annotations

import platform
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding, ir
from numba import config, types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.extending import intrinsic

from cabochon.core.compilation import jit
from cabochon.core.state import Array

WORD_BYTES = 4
INDEX_BYTES = 8
WEIGHT_LEVELS = 127  # a quantized weight is from -127 to 127
EMBEDDING_WEIGHT_LEVELS = 2**15 - 1  # more, because the features have different scales
INPUT_LEVELS = 255  # a quantized input is from 0 to 255
MAX_ACCUMULATOR = 2**24  # up to which float32 holds all integers


class Operands(NamedTuple):
    """The number types of a linear layer's inputs and weights, several of which fit into one word."""

    inputs: Any
    weights: Any

    @property
    def per_word(self) -> int:
        """How many numbers one word holds."""
        return WORD_BYTES // int(np.dtype(self.inputs).itemsize)

    def padded(self, inputs: int) -> int:
        """The number of inputs, rounded up to whole words."""
        return -(-inputs // self.per_word) * self.per_word


class Arithmetic(NamedTuple):
    """The number types of the embedding, of the other layers, and of all accumulators."""

    embedding: Operands
    linear: Operands
    accumulators: Any


FLOATS = Arithmetic(Operands(np.float32, np.float32), Operands(np.float32, np.float32), np.float32)
INTEGERS = Arithmetic(Operands(np.int16, np.int16), Operands(np.uint8, np.int8), np.int32)
# The x86 instruction that accumulates the products of a word, by the type of the inputs; floats use LLVM's own.
INSTRUCTIONS = {types.int16: "vpdpwssd", types.uint8: "vpdpbusd"}


def _processor_features() -> frozenset[str]:
    """The features of the processor that numba compiles for: this one, unless its settings name another."""
    chosen = get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES
    return frozenset(name[1:] for name in chosen.split(",") if name.startswith("+"))


PROCESSOR = _processor_features()
ARITHMETIC = INTEGERS if "avx512vnni" in PROCESSOR and not config.DISABLE_JIT else FLOATS
# The shape of a tile by the number and length of the vector registers: 24 of 32 hold accumulators, 12 of 16, or 16.
ROWS, VECTORS, LANES = (8, 3, 16) if "avx512f" in PROCESSOR else (4, 3, 8) if "avx" in PROCESSOR else (4, 4, 4)
COLUMNS = VECTORS * LANES
IS_FUSED = "fma" in PROCESSOR or platform.machine() in ("arm64", "aarch64")
binding.initialize_native_asmparser()  # so that LLVM knows the names of instructions


def weight_scales(weights: Array, max_inputs: Array, levels: int) -> Array:
    """The scale of each output's weights [outputs]: the smallest that the levels and the accumulators allow."""
    sizes = np.abs(weights).astype(np.float64)
    for_levels = np.maximum(sizes.max(axis=0), 1e-12) / levels
    # Rounding may add half a level for each input.
    for_accumulators = max_inputs @ sizes / (MAX_ACCUMULATOR - max_inputs.sum() / 2)
    scales: Array = np.maximum(for_levels, for_accumulators).astype(np.float32)
    return scales


class PackedLinear(NamedTuple):
    """A quantized linear layer as compiled code reads it: tiles of COLUMNS outputs, padded with zeros."""

    weights: Array  # [tiles, words, COLUMNS] int32, whatever numbers a word holds
    scales: Array  # [tiles * COLUMNS] float32, of the weights
    biases: Array  # [tiles * COLUMNS] float32


def pack_linear(weights: Array, biases: Array, max_inputs: Array, levels: int, operands: Operands) -> PackedLinear:
    """Quantize and pack weights [inputs, outputs] and biases [outputs], for quantized inputs up to `max_inputs`."""
    inputs, outputs = weights.shape
    columns = -(-outputs // COLUMNS) * COLUMNS
    scales = weight_scales(weights, max_inputs, levels)
    padded = np.zeros((operands.padded(inputs), columns), operands.weights)
    padded[:inputs, :outputs] = np.rint(weights / scales)
    tiled = padded.reshape(-1, operands.per_word, columns // COLUMNS, COLUMNS).transpose(2, 0, 3, 1)
    return PackedLinear(
        np.ascontiguousarray(tiled).view(np.int32)[..., 0],
        np.pad(scales, (0, columns - outputs)),
        np.pad(np.asarray(biases, np.float32), (0, columns - outputs)),
    )


def _emit_tile(kind: Any, is_fused: bool) -> Any:
    """Emit the code of one tile: its accumulators over the `count` input words whose indices are in `active`.

    `kind` is an array of such inputs, for their type; the other arguments are addresses and strides in bytes. If fused,
    a product is not rounded before it is added, which makes no difference to integers.
    """
    signature = types.void(kind, types.UniTuple(types.intp, 7))
    instruction = INSTRUCTIONS.get(kind.dtype)
    lane = ir.FloatType() if instruction is None else ir.IntType(32)
    vector = ir.VectorType(lane, LANES)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        addresses = cgutils.unpack_tuple(builder, arguments[1])
        inputs, input_stride, active, count, weights, accumulators, accumulator_stride = addresses
        address = weights.type
        index = ir.IntType(32)
        all_lanes = ir.Constant(ir.VectorType(index, LANES), [0] * LANES)
        empty = ir.Constant(vector, ir.Undefined)
        zero = ir.Constant(vector, [0] * LANES)
        ternary = ir.FunctionType(vector, [vector] * 3)

        def at(base: Any, offset: Any, kind: Any) -> Any:
            return builder.inttoptr(builder.add(base, offset), kind.as_pointer())

        def vector_at(base: Any, number: int) -> Any:
            return at(base, address(WORD_BYTES * LANES * number), vector)

        def add_products(total: Any, words: Any, columns: Any) -> Any:
            if instruction is not None:
                code = ir.InlineAsm(ternary, f"{instruction} $3, $2, $0", "=v,0,v,v")
                return builder.call(code, [total, words, columns])
            if is_fused:
                fused = cgutils.get_or_insert_function(builder.module, ternary, f"llvm.fma.v{LANES}f32")
                return builder.call(fused, [words, columns, total])
            return builder.fadd(total, builder.fmul(words, columns))

        before = builder.block
        loop = builder.append_basic_block("tile.loop")
        after = builder.append_basic_block("tile.after")
        builder.cbranch(builder.icmp_signed(">", count, address(0)), loop, after)

        builder.position_at_end(loop)
        step = builder.phi(address)
        totals = [builder.phi(vector) for _ in range(ROWS * VECTORS)]
        number = builder.load(at(active, builder.mul(step, address(INDEX_BYTES)), address), align=INDEX_BYTES)
        weight_address = builder.add(weights, builder.mul(number, address(WORD_BYTES * COLUMNS)))
        columns = [builder.load(vector_at(weight_address, place), align=WORD_BYTES) for place in range(VECTORS)]
        row_address = builder.add(inputs, builder.mul(number, address(WORD_BYTES)))
        new_totals = []
        for row in range(ROWS):
            word = builder.load(builder.inttoptr(row_address, lane.as_pointer()), align=WORD_BYTES)
            broadcast = builder.insert_element(empty, word, index(0))
            broadcast = builder.shuffle_vector(broadcast, empty, all_lanes)
            for place, column in enumerate(columns):
                new_totals.append(add_products(totals[row * VECTORS + place], broadcast, column))
            row_address = builder.add(row_address, input_stride)
        next_step = builder.add(step, address(1))
        step.add_incoming(address(0), before)
        step.add_incoming(next_step, loop)
        builder.cbranch(builder.icmp_signed("<", next_step, count), loop, after)

        builder.position_at_end(after)
        results = [builder.phi(vector) for _ in totals]
        for phis in (totals, results):
            for phi, new_total in zip(phis, new_totals, strict=True):
                phi.add_incoming(zero, before)
                phi.add_incoming(new_total, loop)
        row_address = accumulators
        for row in range(ROWS):
            for place in range(VECTORS):
                builder.store(results[row * VECTORS + place], vector_at(row_address, place), align=WORD_BYTES)
            row_address = builder.add(row_address, accumulator_stride)
        return context.get_dummy_value()

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _tile(typing_context: Any, kind: Any, *addresses: Any) -> Any:
    """One tile of a product of integers."""
    return _emit_tile(kind, IS_FUSED)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _tile_of_floats(typing_context: Any, kind: Any, *addresses: Any) -> Any:
    """One tile of a product of any floats. Every product is rounded, so the sums are equal on all processors."""
    return _emit_tile(kind, False)


@jit
def _find_active_words(words: Array, depth: int, rows: int, active: Array, active_counts: Array) -> None:
    """List the words of each tile of rows that are not 0 in all of its rows."""
    for tile in range((rows + ROWS - 1) // ROWS):
        count = 0
        for index in range(depth):
            bits = words[tile * ROWS, index]
            for row in range(1, ROWS):
                bits |= words[tile * ROWS + row, index]
            active[tile, count] = index
            count += int(bits != 0)
        active_counts[tile] = count


@jit
def _compiled_quantized(
    inputs: Array, weights: Array, accumulators: Array, active: Array, active_counts: Array, rows: int
) -> None:
    words = inputs.view(np.int32)
    _find_active_words(words, weights.shape[1], rows, active, active_counts)
    for tile in range(weights.shape[0]):
        for row_tile in range((rows + ROWS - 1) // ROWS):
            _tile(
                inputs,
                words[row_tile * ROWS :].ctypes.data,
                words.strides[0],
                active[row_tile:].ctypes.data,
                active_counts[row_tile],
                weights[tile:].ctypes.data,
                accumulators[row_tile * ROWS :, tile * COLUMNS :].ctypes.data,
                accumulators.strides[0],
            )


@jit
def _compiled_float(inputs: Array, tiles: Array, product: Array, indices: Array, depth: int, rows: int) -> None:
    for tile in range(tiles.shape[0]):
        for row in range(0, rows, ROWS):
            _tile_of_floats(
                inputs,
                inputs[row:].ctypes.data,
                inputs.strides[0],
                indices.ctypes.data,
                depth,
                tiles[tile:].ctypes.data,
                product[row:, tile * COLUMNS :].ctypes.data,
                product.strides[0],
            )


def _interpreted_float(inputs: Array, tiles: Array, product: Array, indices: Array, depth: int, rows: int) -> None:
    """The same in NumPy, in the same order."""
    for tile in range(len(tiles)):
        part = product[:rows, tile * COLUMNS : (tile + 1) * COLUMNS]
        part[:] = 0
        for index in range(depth):
            part += inputs[:rows, index, None] * tiles[tile, index]


def _interpreted_quantized(
    inputs: Array, weights: Array, accumulators: Array, active: Array, active_counts: Array, rows: int
) -> None:
    """The same in NumPy, for the arithmetic FLOATS."""
    matrix = weights.view(np.float32).transpose(1, 0, 2).reshape(weights.shape[1], -1)
    accumulators[:rows, : matrix.shape[1]] = inputs[:rows, : len(matrix)] @ matrix


# `matmul_quantized(inputs, weights, accumulators, active, active_counts, rows)`: the accumulators [rows, tiles *
# COLUMNS] of quantized inputs [rows, inputs] with packed weights [tiles, words, COLUMNS]. `active` [rows / ROWS, words]
# and `active_counts` [rows / ROWS] are buffers.
matmul_quantized = _interpreted_quantized if config.DISABLE_JIT else _compiled_quantized
# `matmul_float(inputs, tiles, product, indices, depth, rows)`: the product [rows, tiles * COLUMNS] of float32 inputs
# [rows, depth] with packed [tiles, depth, COLUMNS]; `indices` counts 0, 1, ... up to the depth. The arrays must have
# room for whole tiles of rows.
matmul_float = _interpreted_float if config.DISABLE_JIT else _compiled_float
