"""Compile everything a server needs in a separate process; the server itself only loads it from the cache.

Compilation takes hundreds of megabytes, which the process does not release, and blocks it from answering requests.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import numba
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name
from numba.core import config

from cabochon.core.compilation import CACHE_FOLDER
from cabochon.fair import seed_bytes
from cabochon.game import Options
from cabochon.server import clocks
from cabochon.server.bot_workers import BotWorkers
from cabochon.server.messages import GameMessages
from cabochon.server.timeline import Deal, Timeline

NICENESS = 10


def warm_up_rules() -> None:
    """Run everything that a move needs once, so that nobody waits for compilation."""
    for variant in ("splendor", "marvel"):
        timeline = Timeline(Deal(Options(variant), seed_bytes(0), ("", ""), "2026-01-01"))
        messages = GameMessages(timeline, may_move=True)
        timeline = timeline.decide(0, timeline.game.legal_moves[0], clocks.now())
        messages.follow(timeline, [0, 1], clocks.now())
        messages.follow(timeline.undo(0, clocks.now()), [0, 1], clocks.now())


def _marker() -> Path | None:
    """Return the file that marks the cache as complete; None if nothing is compiled or the cache is read-only.

    Its name contains everything that numba's cache depends on besides our sources.
    """
    if CACHE_FOLDER is None or config.DISABLE_JIT:
        return None
    parts = (get_host_cpu_name(), get_host_cpu_features().flatten(), numba.__version__, sys.version, __file__)
    return CACHE_FOLDER / f"server-{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"


class Precompilation:
    """The process that compiles, if the cache lacks something."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    async def run(self) -> bool:
        """Compile what is missing; return False if that failed, so that each function is compiled when it is needed."""
        marker = _marker()
        if marker is None or marker.exists():
            return True
        command = [sys.executable, "-m", "cabochon.server.precompilation"]
        try:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        except OSError:  # no memory for another process, for example
            return False
        return await asyncio.to_thread(self._process.wait) == 0

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()


def main() -> None:
    """Compile everything into the cache, and note that it is there."""
    warm_up_rules()
    with closing(BotWorkers(1)) as workers:
        asyncio.run(workers.warm_up())
    if (marker := _marker()) is not None:
        marker.touch()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    main()
