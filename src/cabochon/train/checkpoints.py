"""The files in the folder of a run: the checkpoint it continues from, and where a network comes from."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from cabochon.core.compilation import sources_digest
from cabochon.train.options import TrainingError

CHECKPOINT = "checkpoint.pt"
LOG = "log.jsonl"
PLOT = "learning.svg"
NETWORK = "network.npz"


def save_checkpoint(folder: Path, identity: dict[str, Any], state: dict[str, Any]) -> None:
    """Replace the checkpoint of a run; an interruption leaves the old one or the new one, never half of it."""
    unfinished = folder / (CHECKPOINT + ".new")
    torch.save({"identity": identity, **state}, unfinished)
    unfinished.replace(folder / CHECKPOINT)


def load_checkpoint(folder: Path, identity: dict[str, Any]) -> dict[str, Any]:
    """The state in the checkpoint of a run, which must have been made with the same options."""
    state: dict[str, Any] = torch.load(folder / CHECKPOINT, weights_only=True)
    if state["identity"] != identity:
        raise TrainingError(f"expected a checkpoint of a run with {identity}, got one with {state['identity']}")
    if "ranks" not in state:
        raise TrainingError(f"expected a checkpoint of this version of Cabochon in {folder}, got an older one")
    return state


def _commit() -> str | None:
    """The commit of the sources, if they are in a checkout."""
    if "CABOCHON_COMMIT" in os.environ:  # for sources that were copied out of one
        return os.environ["CABOCHON_COMMIT"]
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def provenance(command: str, seconds: float, machine: str, start: dict[str, Any] | None) -> dict[str, Any]:
    """How a network was made: by which command, when, in what time, from which sources and network, and where."""
    return {
        "command": command,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "commit": _commit(),
        "sources": sources_digest(),
        "machine": machine,
        "start": start,
    }
