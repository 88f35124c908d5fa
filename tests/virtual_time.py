"""A loop whose time passes only while everything waits: minutes of timers in milliseconds, the same each run.

For code without sockets and threads. A wait that nothing can end fails at once.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

Result = TypeVar("Result")


class _SkippingSelector(selectors.DefaultSelector):
    """Instead of waiting for the next timer it moves the time there."""

    passed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise AssertionError("everything waits, and nothing will happen")
        if not ready and timeout is not None and timeout > 0:
            self.passed_s += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """`time` begins at 0."""

    def __init__(self) -> None:
        self._skipping = _SkippingSelector()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.passed_s


class LoopClock:
    """The `Clock` of the loop that runs."""

    def now(self) -> datetime:
        return datetime(2026, 11, 30, 18, 47, tzinfo=UTC) + timedelta(seconds=self.monotonic())

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_virtually(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs `work` to its end in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)
