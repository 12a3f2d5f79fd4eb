"""Networks: equal on every processor, and their policy and values of a position."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cabochon import Game
from cabochon.core.cards import MARVEL
from cabochon.core.components import COMPONENTS
from cabochon.core.observation import observe
from cabochon.core.state import ACTIONS
from cabochon.nn import gemm
from cabochon.nn.network import Network
from tests.bots.weights import random_network
from tests.nn.test_transformer import digest_of_logits, exact_logits, observations

HAS_AVX2 = "avx2" in gemm.PROCESSOR
OTHER_PROCESSORS = {
    "any": {"NUMBA_CPU_NAME": "generic"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1"},
    **({"avx2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma"}} if HAS_AVX2 else {}),
}


@pytest.mark.parametrize("processor", OTHER_PROCESSORS)
def test_a_network_is_the_same_on_every_processor(processor: str, tmp_path: Path) -> None:
    """To the last bit. numba compiles for another processor, which its cache keeps apart."""
    features = observations("splendor", 4, 2)
    np.save(tmp_path / "features.npy", features)  # so that the rules are not compiled for that processor, too
    name = digest_of_logits.__name__
    code = (
        f"import sys, numpy; from {digest_of_logits.__module__} import {name}; print({name}(numpy.load(sys.argv[1])))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "features.npy")],
        env={**os.environ, **OTHER_PROCESSORS[processor]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest_of_logits(features)


def test_a_network_evaluates_the_legal_actions_and_all_seats() -> None:
    game = Game("marvel", players=3, seed=5)
    game.play(game.legal_moves[0])
    view = game.view(1)
    network = Network.from_layers(MARVEL, 3, random_network(3), {})
    actions, policy, values = network.evaluate(view.state)
    assert actions.tolist() == [move.action for move in view.legal_moves]
    assert policy.sum() == pytest.approx(1)
    assert values.sum() == pytest.approx(1)
    observation = network.new_buffers(1).observations
    observe(view.state, COMPONENTS[MARVEL], 1, observation[0])
    logits = exact_logits(random_network(3), observation, 3)[0]
    assert actions[policy.argmax()] == max(actions, key=lambda action: logits[action])
    assert values.argmax() == (1 + logits[ACTIONS:].argmax()) % 3  # the observer comes first
