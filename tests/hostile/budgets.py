"""How long is attacked: two minutes in sum and always the same in `make test`; an hour in `make soak`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from hypothesis import HealthCheck, settings

SOAK_MINUTES = float(os.environ.get("PARLEY_HOSTILE_MINUTES", "60"))


def examples(count: int, *, steps: int = 50) -> settings:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=count, stateful_step_count=steps, suppress_health_check=checks)


def keep_on(attack: Callable[[settings], None], minutes: float) -> None:
    """Other examples each time, until the time is over."""
    fresh = settings(examples(100), derandomize=False, database=None, print_blob=True)
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        attack(fresh)
