"""How long is attacked: two minutes of processor time in `make test`, an hour in `make soak`.

The two minutes are a row that never changes: what the profile draws, then what seed 1, 2, ... do. A quicker
machine gets further along it; what it finds, any machine finds again by the seed that is named. The hour has
other examples each time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

SOAK_MINUTES = float(os.environ.get("PARLEY_HOSTILE_MINUTES", "60"))


@dataclass(frozen=True)
class Budget:
    """Decorates a test of Hypothesis; `seed` None: what its profile draws."""

    settings: settings
    seed: int | None = None

    def __call__(self, test: Any) -> Any:
        test = self.settings(test)
        return test if self.seed is None else seed(self.seed)(test)

    def run(self, machine: type[RuleBasedStateMachine]) -> None:
        """The same for a state machine, which runs at once."""
        if self.seed is not None:
            machine = seed(self.seed)(type(machine.__name__, (machine,), {}))
        run_state_machine_as_test(machine, settings=self.settings)


Attack = Callable[[Budget], None]


def examples(count: int, *, steps: int = 50) -> settings:
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=count, stateful_step_count=steps, suppress_health_check=checks)


def go_on(attack: Attack, first: settings, seconds: float) -> None:
    """The whole of `first`, then a tenth of it with each next seed until `seconds` of processor are spent."""
    end = time.process_time() + seconds
    attack(Budget(first))
    row = settings(first, max_examples=max(first.max_examples // 10, 5))
    number = 0
    while time.process_time() < end:
        number += 1
        try:
            attack(Budget(row, number))
        except BaseException as error:
            error.add_note(f"found with Budget(..., seed={number})")
            raise


def keep_on(attack: Attack, minutes: float) -> None:
    """Other examples each time, until the time is over."""
    fresh = Budget(settings(examples(100), derandomize=False, database=None, print_blob=True))
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        attack(fresh)
