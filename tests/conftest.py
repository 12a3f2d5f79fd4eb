from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from cabochon.core.playout import processors

# The first example compiles the core, which takes seconds where nothing is cached yet.
settings.register_profile("cabochon", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("cabochon")


def pytest_configure(config: pytest.Config) -> None:
    """One thread for PyTorch in each process: with tests side by side, more of them mostly wait for each other."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two for each processor, if not said: servers and browsers let their tests wait nearly half of the time."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * processors()
