"""Work on the newest text alone, while a person still speaks (VOX-12)."""

import asyncio
from collections.abc import Awaitable, Callable

from core.clock import Clock
from voice.input.transcript_document import TranscriptDocument

_NOTHING = object()


class Watch:
    """A newer key cancels the run and begins anew after `debounce_ms` of quiet; an equal key keeps it."""

    def __init__(
        self,
        work: Callable[[TranscriptDocument], Awaitable[None]],
        *,
        key: Callable[[TranscriptDocument], object],
        debounce_ms: int,
        tasks: asyncio.TaskGroup,
        clock: Clock,
        failed: Callable[[Exception], None],
    ) -> None:
        self._work = work
        self._key_of = key
        self._debounce_s = debounce_ms / 1000
        self._tasks = tasks
        self._clock = clock
        self._failed = failed
        self._key: object = _NOTHING
        self._running: asyncio.Task[None] | None = None

    def changed(self, document: TranscriptDocument) -> None:
        """The document is another, or has a new revision."""
        key = self._key_of(document)
        if key == self._key:
            return
        self.stop()
        self._key = key
        self._running = self._tasks.create_task(self._run(document), name="watcher of an input")

    def stop(self) -> None:
        """The input is settled, or the run is out of date."""
        if self._running is not None:
            self._running.cancel()
            self._running = None

    async def _run(self, document: TranscriptDocument) -> None:
        try:
            if self._debounce_s:
                await self._clock.sleep(self._debounce_s)
            await self._work(document)
        except Exception as error:  # noqa: BLE001 - a watcher that fails costs its own work alone
            self._failed(error)
