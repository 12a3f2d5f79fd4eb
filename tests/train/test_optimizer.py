"""The optimizer: what Muon and Adam do, and exact resuming."""

from __future__ import annotations

import pytest
import torch

from cabochon.train.model import Model
from cabochon.train.optimizer import MUON_SCALE, WARM_UP, Optimizer, orthogonalize


@pytest.mark.parametrize("shape", [(1, 12, 30), (2, 30, 12), (3, 20, 20)])
def test_all_directions_of_a_matrix_become_about_equally_long(shape: tuple[int, int, int]) -> None:
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    matrices[0] *= 1000  # each by itself
    lengths = torch.linalg.svdvals(orthogonalize(matrices, torch.float32))
    assert lengths.shape == (shape[0], min(shape[1:]))
    assert (lengths > 0.3).all()
    assert (lengths < 1.3).all()


def test_an_orthogonal_matrix_stays_so_with_padding() -> None:
    turned, _ = torch.linalg.qr(torch.randn((9, 9), generator=torch.Generator().manual_seed(2)))
    padded = torch.zeros((1, 11, 14))
    padded[0, :9, :9] = 5 * turned
    found = orthogonalize(padded, torch.float32)[0]
    assert not found[9:].any()
    assert not found[:, 9:].any()
    scale = (found[:9, :9] * turned).sum() / 9
    torch.testing.assert_close(found[:9, :9], scale * turned, atol=1e-3, rtol=0)


def with_gradient(seed: int) -> tuple[Model, Optimizer]:
    model = Model(2, 16, 1, "cpu")
    model.initialize(1)
    model.gradient.copy_(torch.randn(model.gradient.shape, generator=torch.Generator().manual_seed(seed)))
    return model, Optimizer(model)


def test_muon_changes_matrices_as_a_whole_and_adam_each_other_number() -> None:
    model, optimizer = with_gradient(3)
    optimizer.updates.fill_(WARM_UP)
    before = [parameter.detach().clone() for parameter in model.parameters]
    optimizer.step(torch.tensor(1.0), 1e9)
    for number, (parameter, then) in enumerate(zip(model.parameters, before, strict=True)):
        change = parameter.detach() - then
        if number in model.muon_parameters:
            lengths = torch.linalg.svdvals(change)
            assert lengths.max() < 1.3 * MUON_SCALE * max(change.shape) ** 0.5
            assert lengths.max() < 5 * lengths.min()
        else:
            assert (change.sign() == -parameter.grad.sign()).all()
            assert change.abs().max() < 1.01 * change.abs().min()  # Adam, from nothing but one gradient


def test_a_restored_optimizer_continues_exactly() -> None:
    model, optimizer = with_gradient(4)
    optimizer.step(torch.tensor(0.01), 1.0)
    kept, vector = optimizer.state(), model.vector.clone()
    optimizer.step(torch.tensor(0.01), 1.0)
    other, resumed = with_gradient(4)
    other.gradient.copy_(model.gradient)
    other.vector.copy_(vector)
    resumed.restore(kept)
    resumed.step(torch.tensor(0.01), 1.0)
    torch.testing.assert_close(other.vector, model.vector, atol=0, rtol=0)
