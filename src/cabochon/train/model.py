"""The transformer of `nn.transformer` in PyTorch, for training.

The parameters lie side by side in one vector. So the optimizer is a handful of operations on that vector, and a
checkpoint has three of them. In the comments on shapes, B is the batch size, E the number of entities, F their features
and W the width.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from cabochon.core.observation import observation_scales
from cabochon.core.state import ACTIONS, Array
from cabochon.nn.encoding import encoding_for
from cabochon.nn.transformer import HEADS, LINEARS_PER_BLOCK, NORM_EPSILON, Layers, layer_shapes

ALIGNMENT = 8  # features: the tensor cores of a GPU are slow with rows that do not start at multiples of 16 bytes
HEAD_SCALE = 0.01  # of the head's first weights: the first policy prefers nothing
EMBEDDING_SCALE = 0.3  # of the embedding's first weights
ABSENT = -1e4  # added to the attention scores of absent entities
BLOCK_PARAMETERS = 2 * LINEARS_PER_BLOCK  # weights and biases


def rms_norm(x: Any) -> Any:
    """The RMS norm of rows [..., W], without weights."""
    return functional.rms_norm(x, (x.shape[-1],), eps=NORM_EPSILON)


class Model:
    """The transformer with its parameters and their gradients.

    `parameters` are the weights [outputs, inputs] and the biases of each layer, in the order of
    `nn.transformer.Layers`; the biases of the embedding are [types, W].
    """

    def __init__(self, players: int, width: int, blocks: int, device: str) -> None:
        self.players, self.width, self.blocks = players, width, blocks
        self._encoding = encoding_for(players)
        layers = layer_shapes(players, width, blocks)
        shapes = [shape for weights, biases in layers for shape in (weights[::-1], biases)]
        total = sum(int(np.prod(shape)) for shape in shapes)
        self.dtype = torch.bfloat16 if device == "cuda" else torch.float32  # bfloat16 for the tensor cores
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
        self.muon_parameters = range(0, len(shapes) - 2, 2)  # the weights of all layers but the head
        scales = observation_scales(players)
        feature_scales = np.append(scales, 0)[self._encoding.features].max(axis=0)  # [F]
        self._feature_scales = torch.tensor(feature_scales.astype(np.float32), device=device)
        self._padding = (0, -len(self._encoding.columns) % ALIGNMENT)
        # The index after the observation's last is that of a 0.
        features = np.pad(self._encoding.features, ((0, 0), self._padding), constant_values=len(scales))
        self._features = torch.tensor(features, device=device)  # [E, padded F]
        # Multiplied by the type embedding; an index would sum the gradients of a type's entities in any order.
        is_of_type = self._encoding.types[:, None] == np.arange(len(self._encoding.type_names))
        self._types = torch.tensor(is_of_type.astype(np.float32), device=device)  # [E, types]
        outputs = self._encoding.output_entities * self._encoding.outputs + self._encoding.output_columns
        self._outputs = torch.tensor(outputs, device=device)  # [ACTIONS + players]
        self._block = self._plain_block
        if device == "cuda":
            from cabochon.train import triton_kernels  # which need a GPU

            if width in triton_kernels.WIDTHS:
                self._block = triton_kernels.Block.apply

    def initialize(self, seed: int) -> None:
        """Set random weights. Those of proj and fc2 are 0, so that every block at first passes on its input."""
        generator = np.random.default_rng(seed)
        head = len(self.parameters) - 2
        with torch.no_grad():
            self.vector.zero_()
            for number, parameter in enumerate(self.parameters):
                linear = (number // 2 - 1) % LINEARS_PER_BLOCK  # qkv, proj, fc1, fc2
                if parameter.dim() == 1 or (1 < number < head and linear in (1, 3)):
                    continue
                scales = {0: EMBEDDING_SCALE, 1: EMBEDDING_SCALE, head: HEAD_SCALE}
                scale = scales.get(number, 1 / np.sqrt(parameter.shape[1]))
                weights = generator.normal(0, scale, tuple(parameter.shape)).astype(np.float32)
                parameter.copy_(torch.from_numpy(weights))

    def load_layers(self, layers: Layers, players: int) -> None:
        """Take over a network of the same width, with at most as many blocks, for at most as many players.

        The weights of a seat that it does not know are copied from the next seat. Blocks that it lacks stay as they
        are, and pass on their input if they were just initialized.
        """
        theirs = encoding_for(players)
        (embedding, type_embedding), *blocks, head = [(weights.T, biases) for weights, biases in layers]
        columns = [theirs.columns.index(_known_name(name, players)) for name in self._encoding.columns]
        types = [theirs.type_names.index(_known_name(name, players)) for name in self._encoding.type_names]
        with torch.no_grad():
            for number, (weights, biases) in enumerate([(embedding[:, columns], type_embedding[types]), *blocks]):
                self._set(2 * number, weights, biases)
            self._set(len(self.parameters) - 2, *head)

    def _set(self, number: int, weights: Array, biases: Array) -> None:
        for parameter, array in zip(self.parameters[number : number + 2], (weights, biases), strict=True):
            parameter.copy_(torch.from_numpy(np.ascontiguousarray(array)))

    def layers(self) -> list[tuple[Array, Array]]:
        """The layers as NumPy arrays, as `nn.transformer` takes them."""
        arrays = [parameter.detach().float().cpu().numpy().copy() for parameter in self.parameters]
        return [(weights.T, biases) for weights, biases in zip(arrays[::2], arrays[1::2], strict=True)]

    def prepare(self) -> list[Any]:
        """The parameters as `forward` uses them: features scaled by the embedding, one bias per entity, the dtype."""
        embedding, type_embedding, *others = self.parameters
        padded = functional.pad(embedding * self._feature_scales, self._padding)
        return [part.to(self.dtype) for part in (padded, self._types @ type_embedding, *others)]

    def logits(self, observations: Any, prepared: list[Any]) -> Any:
        """The logits [B, ACTIONS + players] of the policy head and the value head, of int8 observations [B, features].

        The value head puts the observer first.
        """
        features = functional.pad(observations, (0, 1))[:, self._features]  # [B, E, padded F]
        absent = torch.where((features != 0).any(-1), 0.0, ABSENT).to(self.dtype)  # [B, E]
        x = functional.linear(features.to(self.dtype), prepared[0]) + prepared[1]  # [B, E, W]
        for block in range(self.blocks):
            x = self._block(x, absent, *prepared[2 + BLOCK_PARAMETERS * block : 2 + BLOCK_PARAMETERS * (block + 1)])
        head = functional.linear(rms_norm(x), prepared[-2], prepared[-1])  # [B, E, output columns]
        return head.flatten(1).index_select(1, self._outputs).float()

    def forward(self, observations: Any, prepared: list[Any]) -> tuple[Any, Any]:
        """The logits of the policy head [B, ACTIONS] and of the value head [B, players]."""
        logits = self.logits(observations, prepared)
        return logits[:, :ACTIONS], logits[:, ACTIONS:]

    def _plain_block(self, x: Any, absent: Any, *parameters: Any) -> Any:
        """A block [B, E, W] to [B, E, W], as `triton_kernels.Block` computes it on a GPU."""
        qkv, qkv_biases, proj, proj_biases, fc1, fc1_biases, fc2, fc2_biases = parameters
        head_width = self.width // HEADS
        packed = functional.linear(rms_norm(x), qkv, qkv_biases)  # [B, E, 3 W]
        query, key, value = packed.unflatten(-1, (3, HEADS, head_width)).permute(2, 0, 3, 1, 4)  # [B, HEADS, E, .]
        scores = query @ key.transpose(-1, -2) * head_width**-0.5 + absent[:, None, None, :]  # [B, HEADS, E, E]
        attended = (torch.softmax(scores, -1) @ value).transpose(1, 2).flatten(-2)  # [B, E, W]
        x = x + functional.linear(attended, proj, proj_biases)
        hidden = torch.relu(functional.linear(rms_norm(x), fc1, fc1_biases))  # [B, E, 2 W]
        return x + functional.linear(hidden, fc2, fc2_biases)


def _known_name(name: str, players: int) -> str:
    """The name of a column or type in a game with fewer players, where all further seats are the next seat."""
    seat = re.search(r"next(\d)", name)
    return name if seat is None or int(seat[1]) < players else name.replace(seat[0], "next1")
