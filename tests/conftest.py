from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from cabochon.core.playout import processors

# No deadlines: the first example may compile the core, and the machine may be busy.
settings.register_profile("cabochon", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("cabochon")


def pytest_configure(config: pytest.Config) -> None:
    """Give PyTorch one thread in each process: several processes with more threads mostly wait for each other."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Two for each processor by default: tests with a server or a browser wait nearly half of the time."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * processors()
