from __future__ import annotations

from hypothesis import HealthCheck, settings

# The first example compiles the core, which takes seconds where nothing is cached yet.
settings.register_profile("cabochon", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("cabochon")
