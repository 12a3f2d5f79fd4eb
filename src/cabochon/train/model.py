"""The network as PyTorch computes it.

Its parameters lie side by side in one vector, which makes the optimizer a handful of operations over it, and a
checkpoint three vectors.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from cabochon.core.observation import observation_scales
from cabochon.core.state import ACTIONS, Array
from cabochon.nn.encoding import pieces_of
from cabochon.nn.transformer import HEADS, MARGIN, shapes_of

ALIGNED = 8  # features: the matrix product units of a GPU are slow with rows that do not begin at 16 bytes
HEAD_SCALE = 0.01  # of the last layer at first: a policy that favours nothing
FIRST_SCALE = 0.3  # of what a feature adds to a piece at first
ABSENT = -1e4  # what is added to how much a piece that is not there is looked at

Matrices = Sequence[tuple[Array, Array]]


def computing_dtype(device: str) -> Any:
    """The matrix product units of a GPU take bf16; a CPU computes exactly."""
    return torch.bfloat16 if device == "cuda" else torch.float32


def normal(rows: Any) -> Any:
    """Rows of length 1 for each of their numbers, on average."""
    return functional.rms_norm(rows, (rows.shape[-1],), eps=MARGIN)


class Model:
    """The network with attention over the pieces on the table (`nn.transformer`)."""

    def __init__(self, players: int, width: int, blocks: int, device: str) -> None:
        self.players, self.width, self.blocks = players, width, blocks
        self._pieces = pieces_of(players)
        inputs, groups, said = len(self._pieces.columns), len(self._pieces.group_names), self._pieces.said
        # Of each layer, its weights [units, inputs] and its biases; those of the first are one row for each group.
        layers = shapes_of(players, width, blocks)
        shapes = [shape for weights, biases in layers for shape in (weights[::-1], biases)]
        total = sum(int(np.prod(shape)) for shape in shapes)
        self.dtype = computing_dtype(device)
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
        self.hidden = range(0, len(shapes) - 2, 2)  # the numbers of the parameters that are weights of hidden layers
        scales = np.append(observation_scales(players), 0)[self._pieces.features].max(axis=0)
        self._scales = torch.tensor(scales.astype(np.float32), device=device)
        nowhere = len(observation_scales(players))  # a 0 beyond the observation
        self._padding = (0, -inputs % ALIGNED)
        padded = np.pad(self._pieces.features, ((0, 0), self._padding), constant_values=nowhere)
        self._features = torch.tensor(padded, device=device)
        # Multiplied and not picked, so that what the pieces of a group learn is added up in one order.
        is_of_group = self._pieces.groups[:, None] == np.arange(groups)
        self._groups = torch.tensor(is_of_group.astype(np.float32), device=device)
        places = self._pieces.output_pieces * said + self._pieces.output_columns
        self._places = torch.tensor(places, device=device)
        self._block = self._plain_block
        if device == "cuda":
            from cabochon.train import triton_kernels  # which need a GPU

            if width in triton_kernels.WIDTHS:
                self._block = triton_kernels.Block.apply

    def begin(self, seed: int) -> None:
        """Random weights, with which every block at first hands on what it gets."""
        generator = np.random.default_rng(seed)
        with torch.no_grad():
            self.vector.zero_()
            for number, parameter in enumerate(self.parameters):
                block_layer = (number // 2 - 1) % 4  # looking, seen, thinking, thought
                if parameter.dim() == 1 or (number < len(self.parameters) - 2 and number > 1 and block_layer in (1, 3)):
                    continue
                scale = 1 / np.sqrt(parameter.shape[1])
                if number < 2:
                    scale = FIRST_SCALE
                elif number == len(self.parameters) - 2:
                    scale = HEAD_SCALE
                weights = generator.normal(0, scale, tuple(parameter.shape)).astype(np.float32)
                parameter.copy_(torch.from_numpy(weights))

    def put(self, matrices: Matrices, players: int) -> None:
        """Take over a network of as many units and as many blocks or fewer, for as many players or fewer.

        Seats that it does not know are at first what the next seat is to it. Blocks that it lacks hand on what they
        get.
        """
        theirs = pieces_of(players)
        (first, first_biases), *blocks, last = [(weights.T, biases) for weights, biases in matrices]
        columns = [theirs.columns.index(_as_known(name, players)) for name in self._pieces.columns]
        groups = [theirs.group_names.index(_as_known(name, players)) for name in self._pieces.group_names]
        known = [(first[:, columns], first_biases[groups]), *blocks]
        with torch.no_grad():
            for number, (weights, biases) in enumerate(known):
                self._set(2 * number, weights, biases)
            self._set(len(self.parameters) - 2, *last)

    def _set(self, number: int, weights: Array, biases: Array) -> None:
        for parameter, array in zip(self.parameters[number : number + 2], (weights, biases), strict=True):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(array)))

    def matrices(self) -> list[tuple[Array, Array]]:
        """The layers as NumPy arrays: weights [inputs, units] and biases."""
        arrays = [parameter.detach().float().cpu().numpy().copy() for parameter in self.parameters]
        return [(weights.T, biases) for weights, biases in zip(arrays[::2], arrays[1::2], strict=True)]

    def prepared(self) -> list[Any]:
        """The parameters in the form that `outputs` computes with: the scales of the features multiplied in, and the
        first biases for every piece.
        """
        first, group_biases, *others = self.parameters
        padded = functional.pad(first * self._scales, self._padding)
        return [part.to(self.dtype) for part in (padded, self._groups @ group_biases, *others)]

    def scores(self, observations: Any, prepared: list[Any]) -> Any:
        """Of int8 observations [B, features]: the scores of the actions, then of the seats [B, ACTIONS + players]."""
        rows = functional.pad(observations, (0, 1))[:, self._features]
        absent = torch.where((rows != 0).any(-1), 0.0, ABSENT).to(self.dtype)
        pieces = functional.linear(rows.to(self.dtype), prepared[0]) + prepared[1]
        for block in range(self.blocks):
            pieces = self._block(pieces, absent, *prepared[2 + 8 * block : 10 + 8 * block])
        said = functional.linear(normal(pieces), prepared[-2], prepared[-1])
        return said.flatten(1).index_select(1, self._places).float()

    def _plain_block(self, pieces: Any, absent: Any, *parameters: Any) -> Any:
        looking, looking_biases, seen, seen_biases, thinking, thinking_biases, thought, thought_biases = parameters
        size = self.width // HEADS
        asked = functional.linear(normal(pieces), looking, looking_biases)
        queries, keys, values = asked.unflatten(-1, (3, HEADS, size)).permute(2, 0, 3, 1, 4)
        scores = queries @ keys.transpose(-1, -2) * size**-0.5 + absent[:, None, None, :]
        attention = torch.softmax(scores, -1)
        mixed = (attention @ values).transpose(1, 2).flatten(-2)
        pieces = pieces + functional.linear(mixed, seen, seen_biases)
        activity = torch.relu(functional.linear(normal(pieces), thinking, thinking_biases))
        return pieces + functional.linear(activity, thought, thought_biases)

    def outputs(self, observations: Any, prepared: list[Any]) -> tuple[Any, Any]:
        """The scores of the actions [B, ACTIONS] and of the seats [B, players]."""
        scores = self.scores(observations, prepared)
        return scores[:, :ACTIONS], scores[:, ACTIONS:]


def _as_known(name: str, players: int) -> str:
    """A column or group as a game with fewer players has it: other seats beyond them as the first of the others."""
    seat = re.search(r"next(\d)", name)
    return name if seat is None or int(seat[1]) < players else name.replace(seat[0], "next1")
