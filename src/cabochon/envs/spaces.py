"""Actions and observations as Gymnasium's spaces, which PettingZoo shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from cabochon.core.observation import observation_highs, observation_scales
from cabochon.core.state import ACTIONS


def observation_box(players: int, dtype: str) -> spaces.Box:
    """The rows that a seat can observe; of the dtype "int8" or "float32"."""
    highs: Any = observation_highs(players)
    if dtype == "float32":
        highs = highs * observation_scales(players)
    return spaces.Box(np.zeros_like(highs), highs, dtype=np.dtype(dtype).type)


def mask_box() -> spaces.Box:
    """A one for each legal action."""
    return spaces.Box(0, 1, (ACTIONS,), dtype=np.int8)
