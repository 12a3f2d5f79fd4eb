"""The optimizer: Muon for the weights of all layers but the head, Adam for everything else.

Adam treats every number by itself. Muon orthogonalizes the mean gradient of a whole matrix, so that a layer also learns
from directions in which few inputs are active. Both work on one vector of all parameters.
"""

from __future__ import annotations

from typing import Any

import torch

from cabochon.train.model import Model

BETA1 = 0.95  # the decay of the mean gradient
BETA2 = 0.999  # the decay of the mean squared gradient
EPSILON = 1e-8
WARM_UP = 200  # updates until the learning rate reaches its full value
MUON_SCALE = 0.2  # Adam's usual change of a number, relative to the learning rate; Muon's changes are as large
NEWTON_SCHULZ_STEPS = 5
# The coefficients of x, x**3 and x**5; these steps take all singular values between 0.01 and 1 close to 1.
FIRST, THIRD, FIFTH = 3.4445, -4.7750, 2.0315


def orthogonalize(matrices: Any, dtype: Any) -> Any:
    """Nearly the closest orthogonal matrix to each of the matrices [n, rows, columns], by Newton-Schulz steps."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    result = (matrices.mT if is_tall else matrices).to(dtype)
    result = result / (result.norm(dim=(1, 2), keepdim=True) + EPSILON)
    for _ in range(NEWTON_SCHULZ_STEPS):
        square = result @ result.mT
        result = FIRST * result + (THIRD * square + FIFTH * (square @ square)) @ result
    return (result.mT if is_tall else result).float()


class Optimizer:
    """Changes a model's parameters by its gradient."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.means = torch.zeros_like(model.vector)
        self.squares = torch.zeros_like(model.vector)
        self.updates = torch.zeros((), device=model.vector.device)
        self._muon: list[tuple[int, Any]] = []  # where each matrix for Muon begins in the vector, and its shape
        start = 0
        for number, parameter in enumerate(model.parameters):
            if number in model.muon_parameters:
                self._muon.append((start, parameter.shape))
            start += parameter.numel()
        most = [max(sizes) for sizes in zip(*(shape for _, shape in self._muon), strict=True)]
        self._gradients = torch.zeros((len(self._muon), *most), device=model.vector.device)  # padded with zeros

    def step(self, rate: Any, most_gradient: float) -> None:
        """One step down the gradient, whose norm is clipped."""
        gradient = self._model.gradient
        with torch.no_grad():
            gradient *= (most_gradient / (gradient.norm() + EPSILON)).clamp(max=1.0)
            self.updates += 1
            self.means.lerp_(gradient, 1 - BETA1)
            self.squares.lerp_(gradient.square(), 1 - BETA2)
            mean = self.means / (1 - BETA1**self.updates)
            square = self.squares / (1 - BETA2**self.updates)
            change = mean / (square.sqrt() + EPSILON)
            ahead = gradient.lerp(self.means, BETA1)
            for gradients, (start, shape) in zip(self._gradients, self._muon, strict=True):
                gradients[: shape[0], : shape[1]] = ahead[start : start + shape.numel()].view(shape)
            orthogonal = orthogonalize(self._gradients, self._model.dtype)
            for changes, (start, shape) in zip(orthogonal, self._muon, strict=True):
                scale = MUON_SCALE * max(shape) ** 0.5
                change[start : start + shape.numel()] = scale * changes[: shape[0], : shape[1]].flatten()
            self._model.vector -= rate * (self.updates / WARM_UP).clamp(max=1.0) * change

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs to continue exactly from here."""
        means, squares = self.means.cpu().clone(), self.squares.cpu().clone()
        return {"means": means, "squares": squares, "updates": float(self.updates)}

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from the state of an optimizer of the same model."""
        self.means.copy_(state["means"])
        self.squares.copy_(state["squares"])
        self.updates.fill_(state["updates"])
