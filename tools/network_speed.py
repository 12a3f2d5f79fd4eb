"""Measure how fast a network is evaluated on this machine, compared with NumPy and ONNX Runtime.

    OPENBLAS_NUM_THREADS=1 python tools/network_speed.py
    OPENBLAS_NUM_THREADS=1 python tools/network_speed.py --onnx

With `--onnx`, the same network also runs in ONNX Runtime on one thread, in float32 and with dynamic int8 quantization
(`pip install onnx onnxruntime`). All of them get the same int8 observations and return the same logits.

The positions come from games that the network plays against itself: `game` are successive positions of one game, as in
a search, and `mixed` are positions of different games. The methods take turns, and the best of many short runs counts,
because machines are shared. Operations are those of the linear layers, two for each weight and present entity.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from cabochon.core.cards import SPLENDOR
from cabochon.core.observation import observation_scales, observation_size
from cabochon.core.state import ACTIONS, Array
from cabochon.envs import Batch
from cabochon.nn.encoding import encoding_for
from cabochon.nn.network import Network, shipped_network
from cabochon.nn.transformer import HEADS, LINEARS_PER_BLOCK, NORM_EPSILON, Layers, forward
from cabochon.nn.weights import read, shipped_file

PLAYERS = 2
GAMES = 64
STEPS = 40
SUCCESSIVE = 16  # positions of one game
BATCHES = (1, 8, 16)  # 8 is the search's
ROUNDS = 20  # in which the methods take turns
REPEATS = 10  # in a round
ABSENT = -1e4  # added to the attention scores of absent entities
OPSET = 23  # of ONNX: the first with attention and RMS norm


def positions(network: Network) -> Array:
    """Return observations [STEPS, GAMES, features] of self-play."""
    batch = Batch("splendor", network.players, GAMES, seed=1, dtype="int8", payment="automatic", arranged=True)
    buffers = network.new_buffers(GAMES)
    found = []
    for _ in range(STEPS):
        buffers.observations[:] = batch.observe()
        found.append(buffers.observations.copy())
        forward(network.transformer, buffers, GAMES)
        batch.step(np.where(batch.masks, buffers.logits[:, :ACTIONS], -np.inf).argmax(axis=1))
    return np.array(found)


def _rms_norm(x: Array) -> Array:
    norm: Array = x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + np.float32(NORM_EPSILON))
    return norm


def by_numpy(layers: Layers, observations: Array) -> Array:
    """Return the logits [B, ACTIONS + players] of observations [B, features], by NumPy in float32."""
    encoding = encoding_for(PLAYERS)
    features = np.pad(observations * observation_scales(PLAYERS), ((0, 0), (0, 1)))[:, encoding.features]
    absent = np.where((features != 0).any(axis=-1), np.float32(0), np.float32(ABSENT))[:, None, None, :]
    (embedding, type_embedding), *blocks, (head, head_biases) = layers
    x = features @ embedding + type_embedding[encoding.types]
    for start in range(0, len(blocks), LINEARS_PER_BLOCK):
        qkv, proj, fc1, fc2 = blocks[start : start + LINEARS_PER_BLOCK]
        packed = _rms_norm(x) @ qkv[0] + qkv[1]
        query, key, value = packed.reshape(*x.shape[:2], 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
        weights = np.exp(query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(value.shape[-1])) + absent)
        attended = (weights / weights.sum(axis=-1, keepdims=True)) @ value
        x = x + attended.transpose(0, 2, 1, 3).reshape(x.shape) @ proj[0] + proj[1]
        x = x + np.maximum(_rms_norm(x) @ fc1[0] + fc1[1], 0) @ fc2[0] + fc2[1]
    outputs = _rms_norm(x) @ head + head_biases
    logits: Array = outputs[:, encoding.output_entities, encoding.output_columns]
    return logits


def onnx_model(layers: Layers) -> Any:
    """Return the network as an ONNX model from int8 `observations` [B, features] to `logits` [B, ACTIONS + players]."""
    from onnx import TensorProto, checker, helper, numpy_helper

    encoding = encoding_for(PLAYERS)
    entities, width = len(encoding.features), layers[0][0].shape[1]
    nodes: list[Any] = []
    initializers: list[Any] = []

    def constant(array: Any) -> str:
        name = f"constant{len(initializers)}"
        initializers.append(numpy_helper.from_array(np.array(array), name))
        return name

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"{kind}{len(nodes)}"
        nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def linear(x: str, weights: Array, biases: Array) -> str:
        return node("Add", node("MatMul", x, constant(weights)), constant(biases))

    def norm(x: str) -> str:
        return node("RMSNormalization", x, constant(np.ones(width, np.float32)), epsilon=NORM_EPSILON)

    (embedding, type_embedding), *blocks, head = layers
    scales = np.append(observation_scales(PLAYERS), 0)[encoding.features].max(axis=0)
    padded = node("Pad", "observations", constant(np.array([0, 0, 0, 1])))
    features = node("Cast", node("Gather", padded, constant(encoding.features), axis=1), to=TensorProto.FLOAT)
    size = node("ReduceMax", node("Abs", features), constant(np.array([2])), keepdims=0)
    is_absent = node("Equal", size, constant(np.float32(0)))
    mask = node("Where", is_absent, constant(np.float32(ABSENT)), constant(np.float32(0)))
    mask = node("Unsqueeze", mask, constant(np.array([1, 2])))
    mask = node("Expand", mask, constant(np.array([1, 1, entities, 1])))
    x = linear(features, (embedding * scales[:, None]).astype(np.float32), type_embedding[encoding.types])
    for start in range(0, len(blocks), LINEARS_PER_BLOCK):
        qkv, proj, fc1, fc2 = blocks[start : start + LINEARS_PER_BLOCK]
        packed = linear(norm(x), *qkv)
        parts = [f"{packed}{part}" for part in ("query", "key", "value")]
        nodes.append(helper.make_node("Split", [packed], parts, f"{packed}split", axis=2, num_outputs=3))
        attended = node("Attention", *parts, mask, q_num_heads=HEADS, kv_num_heads=HEADS)
        x = node("Add", x, linear(attended, *proj))
        x = node("Add", x, linear(node("Relu", linear(norm(x), *fc1)), *fc2))
    outputs = node("Reshape", linear(norm(x), *head), constant(np.array([0, -1])))
    used = encoding.output_entities * encoding.outputs + encoding.output_columns
    nodes.append(helper.make_node("Gather", [outputs, constant(used)], ["logits"], axis=1))
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("observations", TensorProto.INT8, ["batch", observation_size(PLAYERS)])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(used)])],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)
    checker.check_model(model)
    return model


def onnx_sessions(layers: Layers) -> dict[str, Callable[[Array], Array]]:
    """Return the network in ONNX Runtime on one thread, in float32 and with dynamic int8 quantization."""
    try:
        import onnx
        import onnxruntime
        from onnxruntime.quantization import QuantType, quantize_dynamic
    except ImportError as error:
        raise SystemExit(f"--onnx needs more packages: pip install onnx onnxruntime ({error})") from error

    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    settings.log_severity_level = 3

    def session(path: Path) -> Callable[[Array], Array]:
        runtime = onnxruntime.InferenceSession(str(path), settings, providers=["CPUExecutionProvider"])
        return lambda rows: runtime.run(None, {"observations": rows})[0]

    print(f"ONNX Runtime {onnxruntime.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        exact, quantized = Path(folder, "float32.onnx"), Path(folder, "int8.onnx")
        model = onnx_model(layers)
        onnx.save(model, str(exact))
        # The embedding stays in float32: one scale for a batch of features with different scales loses too much.
        embedding = next(node.name for node in model.graph.node if node.op_type == "MatMul")
        quantize_dynamic(
            exact,
            quantized,
            ["MatMul"],
            per_channel=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=[embedding],
        )
        return {"ONNX float32": session(exact), "ONNX int8": session(quantized)}


def best_seconds(functions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Return the time of the fastest of many runs of each function; the functions take turns."""
    best = dict.fromkeys(functions, np.inf)
    for _ in range(ROUNDS):
        for name, function in functions.items():
            function()  # fills the caches with what it needs instead of what the others left
            for _ in range(REPEATS):
                started = time.perf_counter()
                function()
                best[name] = min(best[name], time.perf_counter() - started)
    return best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure how fast a network is evaluated on this machine.")
    parser.add_argument("--onnx", action="store_true", help="compare with ONNX Runtime")
    arguments = parser.parse_args()
    network = shipped_network(SPLENDOR, PLAYERS)
    with resources.as_file(shipped_file(SPLENDOR, PLAYERS)) as path:
        _, layers = read(path)
    others: dict[str, Callable[[Array], Array]] = {"NumPy": partial(by_numpy, layers)}
    if arguments.onnx:
        others |= onnx_sessions(layers)
    late = positions(network)[STEPS - SUCCESSIVE :]
    kinds = {"game": late.transpose(1, 0, 2).reshape(-1, late.shape[2]), "mixed": late[0]}
    exact, buffers = by_numpy(layers, kinds["mixed"]), network.new_buffers(GAMES)
    buffers.observations[:] = kinds["mixed"]
    forward(network.transformer, buffers, GAMES)
    is_present = buffers.logits != 0  # the logits of absent entities are 0
    for name, logits in {"ours": buffers.logits, **{name: f(kinds["mixed"]) for name, f in others.items()}}.items():
        difference = (logits - exact)[is_present].std()
        print(
            f"{name}: logits differ from NumPy's by {difference:.2g}; their own standard deviation is "
            f"{exact[is_present].std():.2g}"
        )
    weights = sum(matrix.size for matrix, _ in layers)
    for kind, rows in kinds.items():
        for size in BATCHES:
            buffers = network.new_buffers(size)
            buffers.observations[:size] = rows[:size]
            functions: dict[str, Callable[[], object]] = {"ours": partial(forward, network.transformer, buffers, size)}
            functions |= {name: partial(method, rows[:size]) for name, method in others.items()}
            seconds = best_seconds(functions)
            features = np.pad(rows[:size], ((0, 0), (0, 1)))[:, encoding_for(PLAYERS).features]
            present = features.any(axis=2).sum() / size
            work = 2 * weights * present
            rates = ", ".join(
                f"{name} {size / best:,.0f} ({best / seconds['ours']:.2f}x)" for name, best in seconds.items()
            )
            print(
                f"{kind}, batch of {size}: positions a second: {rates}; {present:.1f} entities, "
                f"{work / 1e6:.1f} million operations, {size / seconds['ours'] * work / 1e9:.0f} billion a second"
            )
    both_buffers = [network.new_buffers(64) for _ in range(2)]
    for buffers in both_buffers:
        buffers.observations[:64] = kinds["game"][:64]
    with ThreadPoolExecutor(2) as pool:
        both = best_seconds(
            {"both": lambda: list(pool.map(lambda each: forward(network.transformer, each, 64), both_buffers))}
        )["both"]
    print(f"game, batch of 64 on two threads: {128 / both:,.0f} positions a second")


if __name__ == "__main__":
    main()
