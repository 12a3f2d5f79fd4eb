"""One source of rules on every target: interpreted, compiled, and in CUDA kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cabochon.core import compilation
from cabochon.core.cards import VARIANTS
from cabochon.core.components import COMPONENTS
from cabochon.core.playout import play_games
from cabochon.core.random import STREAM_DTYPE, STREAM_WORDS
from cabochon.core.state import ACTIONS, STATE_DTYPE, Array, new_state
from tests.digest import digests
from tests.playing import SETTINGS

ROOT = Path(__file__).parent.parent


def run_python(arguments: list[str], **environment: str) -> str:
    """Run a Python process with these variables, and return what it prints."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_interpreted_and_compiled_games_are_equal_byte_for_byte() -> None:
    interpreted = run_python(["-m", "tests.digest", "2"], NUMBA_DISABLE_JIT="1")
    assert json.loads(interpreted) == digests(2)


def final_states_on_cpu(variant: str, players: int, seed: int, threads: int, games: int) -> tuple[Array, Array]:
    """What `play_games_on_gpu` gives, by the compiled functions of the core."""
    final = np.zeros(threads, dtype=STATE_DTYPE)
    moves = np.zeros(threads, dtype=np.int64)
    actions = np.zeros(ACTIONS, dtype=np.int8)
    stream = np.zeros(STREAM_WORDS, dtype=STREAM_DTYPE)
    components = COMPONENTS[VARIANTS.index(variant)]
    for thread in range(threads):
        state = new_state()
        moves[thread] = play_games(state, components, actions, stream, players, 0, 0, seed, thread, threads, games)
        final[thread] = state
    return final, moves


SIMULATED = """
import sys
import numpy as np
from cabochon.core.cards import VARIANTS
from cabochon.core.cuda_kernels import play_games_on_gpu
variant, players = sys.argv[1], int(sys.argv[2])
final, moves = play_games_on_gpu(VARIANTS.index(variant), players, 0, 0, 5, 3, 2)
print(np.asarray(final).tobytes().hex(), *moves)
"""


@pytest.mark.parametrize(("variant", "players"), [("splendor", 2), ("marvel", 4)])
def test_the_simulated_kernel_plays_the_same_games(variant: str, players: int) -> None:
    printed = run_python(["-c", SIMULATED, variant, str(players)], NUMBA_ENABLE_CUDASIM="1", NUMBA_DISABLE_JIT="1")
    final, moves = final_states_on_cpu(variant, players, seed=5, threads=3, games=2)
    assert printed.split() == [final.tobytes().hex(), *map(str, moves)]


COMPILED = """
import numpy as np
for name in ("row_stack", "in1d", "trapz"):
    vars(np).pop(name, None)  # as in NumPy 2.5
before = set(vars(np))
from cabochon.core import cuda_kernels
for kernel in cuda_kernels.KERNELS:
    ptx = cuda_kernels.compile_to_ptx(kernel, (9, 0))
    assert ".target sm_90" in ptx
    assert kernel.__name__ in ptx
print([name for name in set(vars(np)) - before if "." not in getattr(np, name).__name__])
"""


def test_kernels_compile_for_compute_capability_9_without_changing_numpy() -> None:
    assert run_python(["-c", COMPILED]) == "[]\n"


@pytest.mark.gpu
@pytest.mark.parametrize(("variant", "players"), SETTINGS)
def test_the_gpu_plays_the_same_games(variant: str, players: int) -> None:
    from cabochon.core.cuda_kernels import play_games_on_gpu

    final, moves = play_games_on_gpu(VARIANTS.index(variant), players, 0, 0, 5, 1000, 3)
    expected_final, expected_moves = final_states_on_cpu(variant, players, seed=5, threads=1000, games=3)
    assert final.tobytes() == expected_final.tobytes()
    assert moves.tolist() == expected_moves.tolist()


def test_the_cache_folder_is_named_by_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CABOCHON_CACHE", str(tmp_path))
    folder = compilation.cache_folder()
    assert folder.parent == tmp_path
    assert folder.name == f"compiled-{compilation.sources_digest()}"


def test_code_of_sources_long_gone_is_removed(tmp_path: Path) -> None:
    old, young = tmp_path / "compiled-old", tmp_path / "compiled-young"
    for folder in (old, young):
        folder.mkdir()
    os.utime(old, (0, 0))
    run_python(["-c", "import cabochon.core.compilation"], CABOCHON_CACHE=str(tmp_path))
    assert not old.exists()
    assert young.exists()


def test_an_unwritable_cache_folder_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    program = "import cabochon; print(cabochon.Game('splendor', seed=1).play('take wbg'))"
    printed = run_python(["-c", program], CABOCHON_CACHE=str(tmp_path / "file"), NUMBA_DISABLE_JIT="1")
    assert printed == "take wbg\n"
