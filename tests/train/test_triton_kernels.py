"""The Triton kernels of a block: forward and backward, they compute what PyTorch does with numbers as short."""

from __future__ import annotations

import pytest
import torch

from cabochon.nn.encoding import encoding_for
from cabochon.train.model import ABSENT, Model

POSITIONS = 37  # whose rows do not fill the last program


@pytest.mark.gpu
@pytest.mark.parametrize(("players", "width"), [(2, 128), (3, 64), (4, 128)])
def test_a_block_and_its_gradients_are_what_pytorch_computes(players: int, width: int) -> None:
    from cabochon.train.triton_kernels import Block

    generator = torch.Generator().manual_seed(players)
    model = Model(players, width, 1, "cpu")
    entities = len(encoding_for(players).features)
    parameters = [0.1 * torch.randn(part.shape, generator=generator) for part in model.parameters[2:10]]
    rows = torch.randn((POSITIONS, entities, width), generator=generator)
    absent = torch.where(torch.rand((POSITIONS, entities), generator=generator) < 0.3, ABSENT, 0.0)
    above = torch.randn(rows.shape, generator=generator)
    results = []
    for block, device, dtype in (
        (model._plain_block, "cpu", torch.float32),
        (model._plain_block, "cuda", torch.bfloat16),
        (Block.apply, "cuda", torch.bfloat16),
    ):
        learned = [part.to(device, dtype).requires_grad_() for part in (rows, *parameters)]
        after = block(learned[0], absent.to(device, dtype), *learned[1:])
        gradients = torch.autograd.grad(after, learned, above.to(device, dtype))
        results.append([part.detach().float().cpu() for part in (after, *gradients)])
    for exact, rounded, found in zip(*results, strict=True):
        assert (rounded - exact).std() < 0.1 * exact.std()
        assert (found - exact).std() < 1.5 * (rounded - exact).std()
