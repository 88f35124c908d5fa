"""The loop that listens (VOX-15): what was heard, in order, then time as an event.

Silence never arrives as packets, so while somebody's input is open a clock ticks each 20 ms, and exactly at
each deadline of the rules. With nothing open and no deadline nothing runs. Where many speak at once, frames
wait a few milliseconds for each other, so that their voice activity is judged together.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from core.clock import Clock
from voice.audio.frames import FRAME_S, HeardEvent
from voice.input.heard_sound import HeardSound
from voice.policy.events import ClockTicked

_MOST_UNHEARD = 3_000
"""Events that wait while voice activity is judged; more means that this machine cannot follow."""
_CROWD = 5
_CROWD_WAIT_S = 0.005
_CLOCK_STEP_S = 1e-6
"""Less than any timer tells apart."""


class ListeningClock:
    """`deadline` is the rules'; `open_inputs` counts the inputs that capture."""

    def __init__(
        self,
        *,
        tasks: asyncio.TaskGroup,
        clock: Clock,
        sound: HeardSound,
        deadline: Callable[[], float | None],
        open_inputs: Callable[[], int],
        tick: Callable[[ClockTicked], None],
    ) -> None:
        self._tasks = tasks
        self._clock = clock
        self._sound = sound
        self._deadline = deadline
        self._open_inputs = open_inputs
        self._tell = tick
        self._unheard: list[HeardEvent] = []
        self._stir = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._source_ended = False
        self._ticked_at = 0.0
        self.dropped = 0
        """Heard events that were left out because voice activity could not follow."""

    def hear(self, heard: AsyncIterator[HeardEvent]) -> None:
        """Sound comes from here from now on."""
        self.close()
        self._unheard.clear()
        self._source_ended = False
        self._reading = self._tasks.create_task(self._read(heard), name="hearing")

    def close(self) -> None:
        """Nothing is read any more."""
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    async def run(self) -> None:
        """Until the sound ends and all of it was told."""
        while not (self._source_ended and not self._unheard):
            await self._next_stir()
            if self._unheard and not self._source_ended and self._open_inputs() >= _CROWD:
                await self._clock.sleep(_CROWD_WAIT_S)
            batch, self._unheard = self._unheard, []
            if batch:
                await self._sound.take(batch)
            self._tick()

    async def _read(self, heard: AsyncIterator[HeardEvent]) -> None:
        async for event in heard:
            if len(self._unheard) >= _MOST_UNHEARD:
                self.dropped += 1
                del self._unheard[0]
            self._unheard.append(event)
            self._stir.set()
        self._source_ended = True
        self._stir.set()

    async def _next_stir(self) -> None:
        """Until something was heard, a deadline comes, or the next 20 ms of somebody's input are over."""
        if self._unheard or self._source_ended:
            self._stir.clear()
            return
        due = self._next_tick()
        wait_s = None if due is None else max(0.0, due - self._clock.monotonic())
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._stir.wait()
        self._stir.clear()

    def _next_tick(self) -> float | None:
        due = self._deadline()
        if self._open_inputs():
            slot = self._ticked_at + FRAME_S
            due = slot if due is None else min(due, slot)
        return due

    def _tick(self) -> None:
        now, due = self._clock.monotonic(), self._next_tick()
        if due is not None and due <= now + _CLOCK_STEP_S:
            self._ticked_at = max(now, due)
            self._tell(ClockTicked(at=self._ticked_at))
