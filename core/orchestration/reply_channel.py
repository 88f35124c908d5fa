"""Between the generation and a sink: what the sink has not taken yet, joined and bounded.

The generation writes, one sink reads. Text that waits is joined to one piece, so a slow sink (edits are
paced) costs memory for the text alone. `end` is always taken, so a stopped generation can still tell how it
ended.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from core.orchestration.replies import ReplyEnded, ReplyEvent, ReplyTextGrew

_MOST_WAITING = 256


class ReplyChannel:
    """One writer, one reader, one loop."""

    def __init__(self) -> None:
        self._waiting: deque[ReplyEvent] = deque()
        self._ended = False
        self._changed = asyncio.Event()
        self._space = asyncio.Event()

    async def put(self, event: ReplyEvent) -> None:
        """Add `event` behind what waits; waits itself while 256 events do."""
        last = self._waiting[-1] if self._waiting else None
        if isinstance(event, ReplyTextGrew) and isinstance(last, ReplyTextGrew):
            self._waiting[-1] = ReplyTextGrew(text=last.text + event.text)
            return
        while len(self._waiting) >= _MOST_WAITING:
            self._space.clear()
            await self._space.wait()
        self._waiting.append(event)
        self._changed.set()

    def end(self, event: ReplyEnded) -> None:
        """Add the last event; whatever comes after it is a defect."""
        if self._ended:
            message = "a reply ends once"
            raise RuntimeError(message)
        self._ended = True
        self._waiting.append(event)
        self._changed.set()

    async def events(self) -> AsyncIterator[ReplyEvent]:
        """Everything in order, up to and with the `ReplyEnded`."""
        while True:
            while self._waiting:
                event = self._waiting.popleft()
                self._space.set()
                yield event
                if isinstance(event, ReplyEnded):
                    return
            self._changed.clear()
            await self._changed.wait()
