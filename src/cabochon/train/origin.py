"""What a network says of how it was made, and what it is called."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cabochon.core.compilation import sources_digest

NETWORK = "network.npz"  # in the folder of a run


def commit_of_the_rules() -> str | None:
    """The commit that the sources are at, where they lie in a checkout."""
    if "CABOCHON_COMMIT" in os.environ:  # of sources that were copied out of one
        return os.environ["CABOCHON_COMMIT"]
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def origin(command: str, seconds: float, machine: str, start: dict[str, Any] | None) -> dict[str, Any]:
    """By which command, when, how long, from which sources, where, and from which network."""
    return {
        "command": command,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "commit": commit_of_the_rules(),
        "sources": sources_digest(),
        "machine": machine,
        "start": start,
    }
