"""A clock that stands still until a test or a sleep moves it."""

import asyncio
from datetime import UTC, datetime, timedelta


class ManualClock:
    """`sleep` moves the time at once and remembers the wait; with `blocks` it waits for ever instead."""

    def __init__(self, start: datetime = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)) -> None:
        self._start = start
        self._passed_s = 0.0
        self.sleeps: list[float] = []
        self.blocks = False
        self.is_sleeping = asyncio.Event()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed_s)

    def monotonic(self) -> float:
        return self._passed_s

    def pass_time(self, seconds: float) -> None:
        """Move the time."""
        self._passed_s += seconds

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.is_sleeping.set()
        if self.blocks:
            await asyncio.Event().wait()
        self._passed_s += seconds
