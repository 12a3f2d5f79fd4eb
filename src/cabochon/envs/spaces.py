"""Observations and action masks as Gymnasium spaces, which PettingZoo uses too."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from cabochon.core.observation import observation_highs, observation_scales
from cabochon.core.state import ACTIONS


def observation_box(players: int, dtype: str) -> spaces.Box:
    """Return the space of observations; `dtype` is "int8" or "float32"."""
    scale = observation_scales(players) if dtype == "float32" else np.int8(1)
    highs = observation_highs(players) * scale
    return spaces.Box(np.zeros_like(highs), highs, dtype=np.dtype(dtype).type)


def mask_box() -> spaces.Box:
    """Return the space of action masks: a 1 for each legal action."""
    return spaces.Box(0, 1, (ACTIONS,), dtype=np.int8)
