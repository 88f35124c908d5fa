"""What one call hears, for one talk after another: a talk that ends early leaves the rest to the next."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Final

from voice import (
    HeardEvent,
)

_MOST_WAITING: Final = 3_000
"""While a talk gives way to the next; the oldest are dropped."""


class HeardLine:
    """`fill` runs beside the talks, to the end of the call."""

    def __init__(self, heard: AsyncIterator[HeardEvent]) -> None:
        self._heard = heard
        self._waiting: deque[HeardEvent] = deque(maxlen=_MOST_WAITING)
        self._changed = asyncio.Event()
        self._is_full = False

    @property
    def is_over(self) -> bool:
        """The call is over, and all of it was read."""
        return self._is_full and not self._waiting

    async def fill(self) -> None:
        """Reads what is heard."""
        try:
            async for event in self._heard:
                self._waiting.append(event)
                self._changed.set()
        finally:
            self._is_full = True
            self._changed.set()

    def stir(self) -> None:
        """What `goes_on` says may have changed."""
        self._changed.set()

    async def while_here(self, goes_on: Callable[[], bool]) -> AsyncIterator[HeardEvent]:
        """What is heard while `goes_on`, which is asked before each event and when stirred."""
        while goes_on():
            if self._waiting:
                yield self._waiting.popleft()
            elif self._is_full:
                return
            else:
                self._changed.clear()
                await self._changed.wait()
