"""The products of a network's layers on whole numbers, by compiled code of our own.

Weights are whole numbers with one factor for each unit, and so is what goes into a layer, with one factor for each
row: the features are counts, and what comes out of a layer becomes one of few levels. No sum of products can exceed
2 ** 24, so that even floats hold them exactly: they depend on neither order nor processor.

Rows are multiplied in tiles of ROWS rows by COLUMNS units whose sums stay in vector registers. No loop that numba
vectorises by itself does that, so `_tile` writes the instructions of LLVM directly. Inputs come in words of 32 bits:
two or four whole numbers where the processor has an instruction that adds up their products, else one, as a float.
Words that are 0 in all rows of a tile are left out: of the features these are many.
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
LEVELS_OF_WEIGHTS = 127
LEVELS_OF_FIRST_WEIGHTS = 2**15 - 1  # more, since they stand for features of different scales
LEVELS_OF_UNITS = 255
GREATEST_SUM = 2**24  # up to which floats hold all whole numbers


class Numbers(NamedTuple):
    """Which numbers the inputs of a layer and their weights are, as many as fit into a word."""

    inputs: Any
    weights: Any

    @property
    def in_word(self) -> int:
        """How many are in one word."""
        return WORD_BYTES // int(np.dtype(self.inputs).itemsize)

    def padded(self, inputs: int) -> int:
        """As many as fill the words of so many."""
        return -(-inputs // self.in_word) * self.in_word


class Arithmetic(NamedTuple):
    """The numbers of the first layer and of the others, and those of the sums of all."""

    features: Numbers
    units: Numbers
    sums: Any


FLOATS = Arithmetic(Numbers(np.float32, np.float32), Numbers(np.float32, np.float32), np.float32)
INTEGERS = Arithmetic(Numbers(np.int16, np.int16), Numbers(np.uint8, np.int8), np.int32)
# By which instruction of x86 the products in a word of such inputs are added up; floats have one of LLVM.
INSTRUCTIONS = {types.int16: "vpdpwssd", types.uint8: "vpdpbusd"}


def _processor() -> frozenset[str]:
    """What the processor can do that numba compiles for: this one, unless its settings name another."""
    chosen = get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES
    return frozenset(name[1:] for name in chosen.split(",") if name.startswith("+"))


def _tile_shape() -> tuple[int, int, int]:
    """How many rows, vectors and lanes a tile has, by the number and length of the vector registers."""
    if "avx512f" in PROCESSOR:
        return 8, 3, 16  # 24 of 32 registers hold sums
    if "avx" in PROCESSOR:
        return 4, 3, 8  # 12 of 16
    return 4, 4, 4


PROCESSOR = _processor()
ARITHMETIC = INTEGERS if "avx512vnni" in PROCESSOR and not config.DISABLE_JIT else FLOATS
ROWS, VECTORS, LANES = _tile_shape()
COLUMNS = VECTORS * LANES
IS_FUSED = "fma" in PROCESSOR or platform.machine() in ("arm64", "aarch64")
binding.initialize_native_asmparser()  # or LLVM would not know the names of instructions


def unit_factors(matrix: Array, highs: Array, levels: int) -> Array:
    """What a whole weight of each unit stands for: as little as so many levels, and the greatest sum, allow."""
    weights = np.abs(matrix).astype(np.float64)
    for_levels = np.maximum(weights.max(axis=0), 1e-12) / levels
    for_sums = (
        highs @ weights / (GREATEST_SUM - highs.sum() / 2)
    )  # rounding may add half a level for each of the inputs
    factors: Array = np.maximum(for_levels, for_sums).astype(np.float32)
    return factors


class Layer(NamedTuple):
    """A layer as compiled code reads it: tiles of COLUMNS units, padded with zeros."""

    weights: Array  # [tiles, words, COLUMNS] int32, whatever the bits of a word mean
    factors: Array  # [tiles * COLUMNS] of the units' weights
    biases: Array  # [tiles * COLUMNS]


def pack_layer(matrix: Array, bias: Array, highs: Array, levels: int, numbers: Numbers) -> Layer:
    """A layer from weights [inputs, units] and biases [units], for inputs up to `highs`."""
    inputs, units = matrix.shape
    width = -(-units // COLUMNS) * COLUMNS
    factors = unit_factors(matrix, highs, levels)
    padded = np.zeros((numbers.padded(inputs), width), numbers.weights)
    padded[:inputs, :units] = np.rint(matrix / factors)
    tiled = padded.reshape(-1, numbers.in_word, width // COLUMNS, COLUMNS).transpose(2, 0, 3, 1)
    return Layer(
        np.ascontiguousarray(tiled).view(np.int32)[..., 0],
        np.pad(factors, (0, width - units)),
        np.pad(np.asarray(bias, np.float32), (0, width - units)),
    )


def _write_tile(kind: Any, is_fused: bool) -> Any:
    """How one tile is compiled: its sums from the words of the inputs whose `count` numbers are in `active`.

    `kind` is an array of such inputs, for their type; what follows are addresses and strides in bytes. Fused, a product
    is not rounded before it is added, which makes no difference to whole numbers.
    """
    signature = types.void(kind, *[types.intp] * 7)
    instruction = INSTRUCTIONS.get(kind.dtype)
    lane = ir.FloatType() if instruction is None else ir.IntType(32)
    vector = ir.VectorType(lane, LANES)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        inputs, input_stride, active, count, weights, sums, sum_stride = arguments[1:]
        address = weights.type
        index = ir.IntType(32)
        spreading = ir.Constant(ir.VectorType(index, LANES), [0] * LANES)
        empty = ir.Constant(vector, ir.Undefined)
        zero = ir.Constant(vector, [0] * LANES)
        adding = ir.FunctionType(vector, [vector] * 3)

        def at(base: Any, offset: Any, kind: Any) -> Any:
            return builder.inttoptr(builder.add(base, offset), kind.as_pointer())

        def vector_at(base: Any, number: int) -> Any:
            return at(base, address(WORD_BYTES * LANES * number), vector)

        def add_products(total: Any, words: Any, columns: Any) -> Any:
            if instruction is not None:
                code = ir.InlineAsm(adding, f"{instruction} $3, $2, $0", "=v,0,v,v")
                return builder.call(code, [total, words, columns])
            if is_fused:
                fused = cgutils.get_or_insert_function(builder.module, adding, f"llvm.fma.v{LANES}f32")
                return builder.call(fused, [words, columns, total])
            return builder.fadd(total, builder.fmul(words, columns))

        before = builder.block
        loop = builder.append_basic_block("tile.loop")
        after = builder.append_basic_block("tile.after")
        builder.cbranch(builder.icmp_signed(">", count, address(0)), loop, after)

        builder.position_at_end(loop)
        step = builder.phi(address)
        totals = [[builder.phi(vector) for _ in range(VECTORS)] for _ in range(ROWS)]
        number = builder.load(at(active, builder.mul(step, address(INDEX_BYTES)), address), align=INDEX_BYTES)
        weight_address = builder.add(weights, builder.mul(number, address(WORD_BYTES * COLUMNS)))
        columns = [builder.load(vector_at(weight_address, place), align=WORD_BYTES) for place in range(VECTORS)]
        row_address = builder.add(inputs, builder.mul(number, address(WORD_BYTES)))
        new_totals = []
        for row in range(ROWS):
            word = builder.load(builder.inttoptr(row_address, lane.as_pointer()), align=WORD_BYTES)
            spread = builder.insert_element(empty, word, index(0))
            spread = builder.shuffle_vector(spread, empty, spreading)
            new_totals.append(
                [add_products(total, spread, column) for total, column in zip(totals[row], columns, strict=True)]
            )
            row_address = builder.add(row_address, input_stride)
        next_step = builder.add(step, address(1))
        step.add_incoming(address(0), before)
        step.add_incoming(next_step, loop)
        for row in range(ROWS):
            for place in range(VECTORS):
                totals[row][place].add_incoming(zero, before)
                totals[row][place].add_incoming(new_totals[row][place], loop)
        builder.cbranch(builder.icmp_signed("<", next_step, count), loop, after)

        builder.position_at_end(after)
        row_address = sums
        results = [[builder.phi(vector) for _ in range(VECTORS)] for _ in range(ROWS)]
        for row in range(ROWS):
            for place in range(VECTORS):
                results[row][place].add_incoming(zero, before)
                results[row][place].add_incoming(new_totals[row][place], loop)
        for row in range(ROWS):
            for place in range(VECTORS):
                builder.store(results[row][place], vector_at(row_address, place), align=WORD_BYTES)
            row_address = builder.add(row_address, sum_stride)
        return context.get_dummy_value()

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _tile(
    typing_context: Any,
    kind: Any,
    inputs: Any,
    input_stride: Any,
    active: Any,
    count: Any,
    weights: Any,
    sums: Any,
    sum_stride: Any,
) -> Any:
    """One tile of whole numbers."""
    return _write_tile(kind, IS_FUSED)


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _tile_of_floats(
    typing_context: Any,
    kind: Any,
    inputs: Any,
    input_stride: Any,
    active: Any,
    count: Any,
    weights: Any,
    sums: Any,
    sum_stride: Any,
) -> Any:
    """One tile of any floats: every product is rounded, so that the sums are equal on all processors."""
    return _write_tile(kind, False)


@jit
def _find_active(words: Array, depth: int, rows: int, active: Array, counts: Array) -> None:
    """List for each tile of rows the words that are not 0 in all of them."""
    for tile in range((rows + ROWS - 1) // ROWS):
        count = 0
        for index in range(depth):
            bits = words[tile * ROWS, index]
            for row in range(1, ROWS):
                bits |= words[tile * ROWS + row, index]
            active[tile, count] = index
            count += int(bits != 0)
        counts[tile] = count


@jit
def _compiled_sums(
    inputs: Array, words: Array, weights: Array, sums: Array, active: Array, counts: Array, rows: int
) -> None:
    _find_active(words, weights.shape[1], rows, active, counts)
    for tile in range(weights.shape[0]):
        for row_tile in range((rows + ROWS - 1) // ROWS):
            _tile(
                inputs,
                words[row_tile * ROWS :].ctypes.data,
                words.strides[0],
                active[row_tile:].ctypes.data,
                counts[row_tile],
                weights[tile:].ctypes.data,
                sums[row_tile * ROWS :, tile * COLUMNS :].ctypes.data,
                sums.strides[0],
            )


@jit
def _compiled_product(inputs: Array, tiles: Array, sums: Array, order: Array, depth: int, rows: int) -> None:
    for tile in range(tiles.shape[0]):
        for row in range(0, rows, ROWS):
            _tile_of_floats(
                inputs,
                inputs[row:].ctypes.data,
                inputs.strides[0],
                order.ctypes.data,
                depth,
                tiles[tile:].ctypes.data,
                sums[row:, tile * COLUMNS :].ctypes.data,
                sums.strides[0],
            )


def _interpreted_product(inputs: Array, tiles: Array, sums: Array, order: Array, depth: int, rows: int) -> None:
    """The same by NumPy, in the same order."""
    for tile in range(len(tiles)):
        part = sums[:rows, tile * COLUMNS : (tile + 1) * COLUMNS]
        part[:] = 0
        for index in range(depth):
            part += inputs[:rows, index, None] * tiles[tile, index]


def _interpreted_sums(
    inputs: Array, words: Array, weights: Array, sums: Array, active: Array, counts: Array, rows: int
) -> None:
    """The same by NumPy, for floats."""
    matrix = weights.view(np.float32).transpose(1, 0, 2).reshape(weights.shape[1], -1)
    sums[:rows, : matrix.shape[1]] = inputs[:rows, : len(matrix)] @ matrix


add_up = _interpreted_sums if config.DISABLE_JIT else _compiled_sums
# The product of float32 rows [rows, depth] with [tiles, depth, COLUMNS]; `order` counts 0, 1, ... up to the depth.
# There must be room for whole tiles of rows.
multiply = _interpreted_product if config.DISABLE_JIT else _compiled_product
