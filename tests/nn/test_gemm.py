"""Integer matrix products: exact on every processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cabochon.core.state import Array
from cabochon.nn import gemm

ARITHMETICS = dict.fromkeys((gemm.FLOATS, gemm.ARITHMETIC))  # what every processor can do, and what this one does
INPUTS = 70


def random_linear(
    outputs: int, levels: int, max_inputs: Array, operands: gemm.Operands
) -> tuple[Array, gemm.PackedLinear]:
    """Quantized weights, and the packed layer that has them."""
    matrix = np.random.default_rng(outputs).normal(0, 1, (INPUTS, outputs)).astype(np.float32)
    whole = np.rint(matrix / gemm.weight_scales(matrix, max_inputs, levels)).astype(np.int64)
    return whole, gemm.pack_linear(matrix, np.zeros(outputs), max_inputs, levels, operands)


def multiply(linear: gemm.PackedLinear, inputs: Array, operands: gemm.Operands, dtype: Any) -> Array:
    """The accumulators of a layer for quantized inputs [rows, INPUTS]."""
    rows = -(-len(inputs) // gemm.ROWS) * gemm.ROWS
    padded = np.zeros((rows, operands.padded(INPUTS)), operands.inputs)
    padded[: len(inputs), :INPUTS] = inputs
    accumulators: Array = np.zeros((rows, len(linear.biases)), dtype)
    active, counts = np.zeros((rows, padded.shape[1] + 1), np.int64), np.zeros(rows, np.int64)
    gemm.matmul_quantized(padded, linear.weights, accumulators, active, counts, len(inputs))
    return accumulators[: len(inputs)]


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 33])
@pytest.mark.parametrize("arithmetic", ARITHMETICS, ids=lambda kind: np.dtype(kind.accumulators).name)
@pytest.mark.parametrize(("levels", "high"), [(2**15 - 1, 60), (127, 255)], ids=["embedding", "linear"])
def test_products_are_those_of_integers_for_any_number_of_rows(
    rows: int, arithmetic: gemm.Arithmetic, levels: int, high: int
) -> None:
    operands = arithmetic.embedding if levels > 127 else arithmetic.linear
    generator = np.random.default_rng(rows)
    inputs = generator.integers(0, high + 1, (rows, INPUTS)) * (generator.random((rows, INPUTS)) < 0.5)
    for outputs in (1, gemm.COLUMNS, 2 * gemm.COLUMNS + 5):
        whole, linear = random_linear(outputs, levels, np.full(INPUTS, high), operands)
        found = multiply(linear, inputs, operands, arithmetic.accumulators)
        np.testing.assert_array_equal(found[:, :outputs], inputs @ whole)


@pytest.mark.parametrize(("levels", "high"), [(2**15 - 1, 60), (127, 255)], ids=["embedding", "linear"])
def test_no_accumulator_is_too_large_for_floats(levels: int, high: int) -> None:
    """Not even if all weights of an output have the same sign and every input has its maximum."""
    matrix = np.random.default_rng(0).uniform(0.9, 1, (1500, 40)).astype(np.float32)
    max_inputs = np.full(1500, high)
    linear = gemm.pack_linear(matrix, np.zeros(40), max_inputs, levels, gemm.FLOATS.linear)
    sums = np.tensordot(linear.weights.view(np.float32).astype(np.float64), max_inputs, (1, 0))
    assert 0.9 * 2**24 < sums.max() <= 2**24


def test_a_product_is_the_same_interpreted_and_compiled() -> None:
    _, linear = random_linear(50, 127, np.full(INPUTS, 255), gemm.FLOATS.linear)
    inputs = np.random.default_rng(1).integers(0, 255, (gemm.ROWS, INPUTS)).astype(np.float32)
    inputs[:, ::3] = 0
    active, counts = np.zeros((1, INPUTS + 1), np.int64), np.zeros(1, np.int64)
    found = []
    for matmul in (gemm._compiled_quantized, gemm._interpreted_quantized):
        accumulators = np.zeros((gemm.ROWS, len(linear.biases)), np.float32)
        matmul(inputs, linear.weights, accumulators, active, counts, gemm.ROWS)
        found.append(accumulators)
    assert found[0].any()
    np.testing.assert_array_equal(found[0], found[1])
