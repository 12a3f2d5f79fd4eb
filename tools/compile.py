"""Compile in advance what several test processes need, so that each of them only has to load it.

python tools/compile.py
"""

from __future__ import annotations

import contextlib
import io
import sys

from cabochon.cli import main as cabochon
from cabochon.envs.batch import Batch
from cabochon.game import Options
from cabochon.server import precompilation

COMMANDS = (
    "arena greedy policy search:nodes=20 champion:nodes=20 --games 2 --workers 1",
    "simulate --check --games 1",
    "perft --depth 2 --after 10",
)


def compile_batches() -> None:
    """Compile the batches of games, with int8 and with float32 observations."""
    for dtype in ("int8", "float32"):
        batch = Batch(Options(), games=2, seed=1, dtype=dtype)
        batch.observe()
        batch.step(batch.sample())
        batch.check()


def main() -> int:
    """Run commands that call everything; return 0 if all of them succeed."""
    with contextlib.redirect_stdout(io.StringIO()):
        statuses = [cabochon(command.split()) for command in COMMANDS]
    compile_batches()
    precompilation.main()
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
