"""The network that learns: the layers of `bots.network` in PyTorch, their parameters side by side in one vector.

One vector makes the optimizer a handful of operations over it, and a checkpoint three vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from cabochon.core.observation import observation_scales, observation_size
from cabochon.core.state import ACTIONS, Array

ALIGNED = 8  # features: the matrix product units of a GPU are slow with rows that do not begin at 16 bytes
HEAD_SCALE = 0.01  # of the last layer at first: a policy that favours nothing


class Model:
    """Hidden layers with ReLU over the features of a view; scores for the actions, then for the seats."""

    def __init__(self, players: int, width: int, hidden_layers: int, device: str) -> None:
        self.players = players
        self.sizes = [observation_size(players), *[width] * hidden_layers, ACTIONS + players]
        # The matrix product units of a GPU take bf16; a CPU computes exactly.
        self.dtype = torch.bfloat16 if device == "cuda" else torch.float32
        shapes = [
            shape
            for inputs, units in zip(self.sizes, self.sizes[1:], strict=False)
            for shape in ((units, inputs), (units,))
        ]
        total = sum(int(np.prod(shape)) for shape in shapes)
        self.vector = torch.zeros(total, device=device)
        self.gradient = torch.zeros(total, device=device)
        self.parameters: list[Any] = []
        start = 0
        for shape in shapes:
            end = start + int(np.prod(shape))
            parameter = self.vector[start:end].view(shape).requires_grad_()
            parameter.grad = self.gradient[start:end].view(shape)
            self.parameters.append(parameter)
            start = end
        self._padding = (0, -self.sizes[0] % ALIGNED)
        self._scales = torch.tensor(np.array(observation_scales(players)), device=device)

    def begin(self, seed: int) -> None:
        """Random weights of the size that keeps the activities of all layers alike."""
        generator = np.random.default_rng(seed)
        last = len(self.sizes) - 2
        matrices = []
        for number, (inputs, units) in enumerate(zip(self.sizes, self.sizes[1:], strict=False)):
            scale = HEAD_SCALE if number == last else 1.0
            weights = generator.normal(0, scale * np.sqrt(2 / inputs), (inputs, units)).astype(np.float32)
            matrices.append((weights, np.zeros(units, np.float32)))
        self.put(matrices)

    def put(self, matrices: list[tuple[Array, Array]]) -> None:
        """Take over the layers of a network, perhaps one for fewer players or with fewer layers or units in them.

        Its row of features is the beginning of ours. Its units take nothing from what it does not know, so that they
        compute what they did; units of our own stay as they are, and are there to be learned from. Hidden layers that
        it lacks hand on what they get, which is never below 0.
        """
        *hidden, last = matrices
        units = len(last[0])
        handing_on = (np.eye(units, dtype=np.float32), np.zeros(units, np.float32))
        lacking = len(self.sizes) - 1 - len(matrices)
        with torch.no_grad():
            for number, (weights, biases) in enumerate([*hidden, *[handing_on] * lacking, last]):
                inputs, units = weights.shape
                ours, our_biases = self.parameters[2 * number : 2 * number + 2]
                ours[:units] = 0
                ours[:units, :inputs] = torch.from_numpy(np.ascontiguousarray(weights.T))
                our_biases[:units] = torch.from_numpy(np.ascontiguousarray(biases))

    def matrices(self) -> list[tuple[Array, Array]]:
        """The layers as NumPy arrays: weights [inputs, units] and biases [units]."""
        arrays = [parameter.detach().float().cpu().numpy() for parameter in self.parameters]
        return [(weights.T, biases) for weights, biases in zip(arrays[::2], arrays[1::2], strict=True)]

    def prepared(self) -> list[Any]:
        """The parameters in the form that `outputs` computes with: the scales of the features multiplied in."""
        first, *others = self.parameters
        padded = torch.nn.functional.pad(first * self._scales, self._padding)
        return [part.to(self.dtype) for part in (padded, *others)]

    def scores(self, observations: Any, prepared: list[Any]) -> Any:
        """Of int8 observations [B, features]: the scores of the actions, then of the seats [B, ACTIONS + players]."""
        activity = torch.nn.functional.pad(observations, self._padding).to(self.dtype)
        for weights, biases in zip(prepared[:-2:2], prepared[1:-2:2], strict=True):
            activity = torch.relu_(torch.nn.functional.linear(activity, weights, biases))
        return torch.nn.functional.linear(activity, prepared[-2], prepared[-1]).float()

    def outputs(self, observations: Any, prepared: list[Any]) -> tuple[Any, Any]:
        """The scores of the actions [B, ACTIONS] and of the seats [B, players]."""
        scores = self.scores(observations, prepared)
        return scores[:, :ACTIONS], scores[:, ACTIONS:]
