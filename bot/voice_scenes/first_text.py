"""Tells when the first text of a reply came, on its way to the sinks (VOX-27)."""

from collections.abc import AsyncIterator, Callable

from core.orchestration.replies import Delivered, LastingSink, ReplyEvent, ReplySink, ReplyTextGrew
from core.orchestration.sends import ReplyPlace, Send


class FirstTextTold:
    """A `ReplyPlace` around another; `came` gets the reply's id once."""

    def __init__(self, place: ReplyPlace, came: Callable[[str], None]) -> None:
        self._place = place
        self._came = came

    def open_sink(self, send: Send) -> "FirstTextSink":
        """The sink of the other place, listened to."""
        return FirstTextSink(self._place.open_sink(send), lambda: self._came(send.reply_id))


class FirstTextSink:
    """The `LastingSink` around another."""

    def __init__(self, sink: ReplySink, came: Callable[[], None]) -> None:
        self._sink = sink
        self._came = came

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        """As the other sink does."""
        return await self._sink.deliver(self._told(events))

    def stop(self) -> bool:
        """Silences the other sink, where it lasts longer than the text."""
        return isinstance(self._sink, LastingSink) and self._sink.stop()

    async def _told(self, events: AsyncIterator[ReplyEvent]) -> AsyncIterator[ReplyEvent]:
        is_first = True
        async for event in events:
            if is_first and isinstance(event, ReplyTextGrew):
                is_first = False
                self._came()
            yield event
