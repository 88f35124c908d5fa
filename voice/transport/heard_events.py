"""Heard events on their way from the receiver's thread into the event loop: bounded, woken once a batch.

The thread appends, the loop takes; both by single operations of a deque. When nobody fetches, the oldest are
dropped and counted, so the thread never waits (VOX-5).
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress

from voice.audio.frames import HeardEvent

CAPACITY = 3_000


class HeardEvents:
    """One call's events; one consumer. Outlives the voice sessions of the call."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._loop = asyncio.get_running_loop()
        self._events: deque[HeardEvent] = deque()
        self._capacity = capacity
        self._arrived = asyncio.Event()
        self._woken = False
        self._closed = False
        self.dropped = 0

    def put(self, event: HeardEvent) -> None:
        """From the thread: never waits, never raises."""
        if len(self._events) >= self._capacity:
            try:
                self._events.popleft()
                self.dropped += 1
            except IndexError:
                pass
        self._events.append(event)

    def wake(self) -> None:
        """From the thread, after a batch of `put`s: the consumer looks again."""
        if self._events and not self._woken:
            self._woken = True
            with suppress(RuntimeError):  # the loop may be closed already
                self._loop.call_soon_threadsafe(self._arrived.set)

    def close(self) -> None:
        """From the loop: the iteration ends when what is inside was fetched."""
        self._closed = True
        self._arrived.set()

    async def events(self) -> AsyncIterator[HeardEvent]:
        """Every event until `close`."""
        while True:
            self._woken = False
            self._arrived.clear()
            while self._events:
                yield self._events.popleft()
            if self._closed and not self._events:
                return
            await self._arrived.wait()
