"""The products of layers on whole numbers: exact, whatever the processor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cabochon.core.state import Array
from cabochon.nn import gemm

ARITHMETICS = dict.fromkeys((gemm.FLOATS, gemm.ARITHMETIC))  # what every processor can, and what this one does
INPUTS = 70


def any_layer(units: int, levels: int, highs: Array, numbers: gemm.Numbers) -> tuple[Array, gemm.Layer]:
    """Whole weights, and the layer that they are packed into."""
    matrix = np.random.default_rng(units).normal(0, 1, (INPUTS, units)).astype(np.float32)
    whole = np.rint(matrix / gemm.unit_factors(matrix, highs, levels)).astype(np.int64)
    return whole, gemm.pack_layer(matrix, np.zeros(units), highs, levels, numbers)


def sums_of(layer: gemm.Layer, inputs: Array, numbers: gemm.Numbers, dtype: Any) -> Array:
    """The sums of a layer for whole inputs [rows, INPUTS]."""
    rows = -(-len(inputs) // gemm.ROWS) * gemm.ROWS
    padded = np.zeros((rows, numbers.padded(INPUTS)), numbers.inputs)
    padded[: len(inputs), :INPUTS] = inputs
    words = padded.view(np.int32)
    sums: Array = np.zeros((rows, len(layer.biases)), dtype)
    active, counts = np.zeros((rows, words.shape[1] + 1), np.int64), np.zeros(rows, np.int64)
    gemm.add_up(padded, words, layer.weights, sums, active, counts, len(inputs))
    return sums[: len(inputs)]


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 33])
@pytest.mark.parametrize("arithmetic", ARITHMETICS, ids=lambda kind: np.dtype(kind.sums).name)
@pytest.mark.parametrize(("levels", "high"), [(2**15 - 1, 60), (127, 255)], ids=["features", "units"])
def test_sums_are_those_of_whole_numbers_for_any_number_of_rows(
    rows: int, arithmetic: gemm.Arithmetic, levels: int, high: int
) -> None:
    numbers = arithmetic.features if levels > 127 else arithmetic.units
    generator = np.random.default_rng(rows)
    inputs = generator.integers(0, high + 1, (rows, INPUTS)) * (generator.random((rows, INPUTS)) < 0.5)
    for units in (1, gemm.COLUMNS, 2 * gemm.COLUMNS + 5):
        whole, layer = any_layer(units, levels, np.full(INPUTS, high), numbers)
        found = sums_of(layer, inputs, numbers, arithmetic.sums)
        np.testing.assert_array_equal(found[:, :units], inputs @ whole)


@pytest.mark.parametrize(("levels", "high"), [(2**15 - 1, 60), (127, 255)], ids=["features", "units"])
def test_no_sum_can_be_too_great_for_floats(levels: int, high: int) -> None:
    """Not even where every weight of a unit has one sign and every input is as great as it may be."""
    matrix = np.random.default_rng(0).uniform(0.9, 1, (1500, 40)).astype(np.float32)
    highs = np.full(1500, high)
    layer = gemm.pack_layer(matrix, np.zeros(40), highs, levels, gemm.FLOATS.units)
    sums = np.tensordot(layer.weights.view(np.float32).astype(np.float64), highs, (1, 0))
    assert 0.9 * 2**24 < sums.max() <= 2**24


def test_a_layer_is_the_same_interpreted_and_compiled() -> None:
    _, layer = any_layer(50, 127, np.full(INPUTS, 255), gemm.FLOATS.units)
    inputs = np.random.default_rng(1).integers(0, 255, (gemm.ROWS, INPUTS)).astype(np.float32)
    inputs[:, ::3] = 0
    active, counts = np.zeros((1, INPUTS + 1), np.int64), np.zeros(1, np.int64)
    found = []
    for add_up in (gemm._compiled_sums, gemm._interpreted_sums):
        sums = np.zeros((gemm.ROWS, len(layer.biases)), np.float32)
        add_up(inputs, inputs.view(np.int32), layer.weights, sums, active, counts, gemm.ROWS)
        found.append(sums)
    assert found[0].any()
    np.testing.assert_array_equal(found[0], found[1])
