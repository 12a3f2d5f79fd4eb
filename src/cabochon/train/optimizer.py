"""How a network learns from gradients: Muon for the weights of the hidden layers, Adam for everything else.

Adam takes every number by itself. Muon takes the mean gradient of a matrix as a whole and makes all its
directions equally long, so that a layer also learns what few of its inputs speak of. Both work on the one vector of
all parameters.
"""

from __future__ import annotations

from typing import Any

import torch

from cabochon.train.model import Model

MEAN_DECAY = 0.95
SQUARE_DECAY = 0.999
EPSILON = 1e-8
WARM_UP = 200  # updates until the rate is the whole one: the first know no gradient but their own
USUAL_CHANGE = 0.2  # of a number by Adam in one update, as a part of the rate: Muon's are as large
ROUNDS = 5
# Of a polynomial that, applied in these rounds, takes all singular values between 0.01 and 1 near 1.
FIRST, THIRD, FIFTH = 3.4445, -4.7750, 2.0315


def orthogonal(matrices: Any, dtype: Any) -> Any:
    """Of each of the matrices [n, rows, columns] nearly the closest orthogonal one: its directions, all of length 1."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    result = (matrices.mT if is_tall else matrices).to(dtype)
    result = result / (result.norm(dim=(1, 2), keepdim=True) + EPSILON)
    for _ in range(ROUNDS):
        square = result @ result.mT
        result = FIRST * result + (THIRD * square + FIFTH * (square @ square)) @ result
    return (result.mT if is_tall else result).float()


class Optimizer:
    """Changes a model's vector by its gradient."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.means = torch.zeros_like(model.vector)
        self.squares = torch.zeros_like(model.vector)
        self.updates = torch.zeros((), device=model.vector.device)
        self._hidden: list[tuple[int, Any]] = []  # where the hidden layers' weights begin in the vector, their shapes
        start = 0
        for number, parameter in enumerate(model.parameters):
            if number in model.hidden:
                self._hidden.append((start, parameter.shape))
            start += parameter.numel()
        most = [max(sizes) for sizes in zip(*(shape for _, shape in self._hidden), strict=True)]
        self._gradients = torch.zeros((len(self._hidden), *most), device=model.vector.device)  # with rims of zeros

    def step(self, rate: Any, most_gradient: float) -> None:
        """One step down the gradient, whose norm is bounded."""
        gradient = self._model.gradient
        with torch.no_grad():
            gradient *= (most_gradient / (gradient.norm() + EPSILON)).clamp(max=1.0)
            self.updates += 1
            self.means.lerp_(gradient, 1 - MEAN_DECAY)
            self.squares.lerp_(gradient.square(), 1 - SQUARE_DECAY)
            mean = self.means / (1 - MEAN_DECAY**self.updates)
            square = self.squares / (1 - SQUARE_DECAY**self.updates)
            change = mean / (square.sqrt() + EPSILON)
            ahead = gradient.lerp(self.means, MEAN_DECAY)
            for gradients, (start, shape) in zip(self._gradients, self._hidden, strict=True):
                gradients[: shape[0], : shape[1]] = ahead[start : start + shape.numel()].view(shape)
            turned = orthogonal(self._gradients, self._model.dtype)
            for changes, (start, shape) in zip(turned, self._hidden, strict=True):
                scale = USUAL_CHANGE * max(shape) ** 0.5
                change[start : start + shape.numel()] = scale * changes[: shape[0], : shape[1]].flatten()
            self._model.vector -= rate * (self.updates / WARM_UP).clamp(max=1.0) * change

    def state(self) -> dict[str, Any]:
        """All that `restore` needs to go on exactly from here."""
        return {
            "means": self.means.cpu().clone(),
            "squares": self.squares.cpu().clone(),
            "updates": float(self.updates),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a state of an optimizer of the same model."""
        self.means.copy_(state["means"])
        self.squares.copy_(state["squares"])
        self.updates.fill_(state["updates"])
