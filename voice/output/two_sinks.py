"""One reply for two senses: the chat shows it, the voice says it, both from one stream (VOX-37).

Neither waits for the other: each has its own bounded backlog, whose text is joined. The voice has a head
start of 10 ms, as somebody waits for its first sound, and a post takes the loop for longer than that. An
interruption of the voice ends the chat's stream, too, or marks what it shows when it had ended; what is
posted stays. When the call ends, or nothing can be spoken, the chat goes on alone.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from enum import StrEnum
from typing import Final, Protocol

import structlog

from core.orchestration.replies import (
    Delivered,
    EmotionChosen,
    Ending,
    MarkingSink,
    PauseAsked,
    ReplyEnded,
    ReplyEvent,
    ReplySink,
    ReplyTextGrew,
    ToolBegan,
    ToolSettled,
)
from core.orchestration.sends import ReplyPlace, Send
from voice.output.output_events import Cause, Heard
from voice.output.voice_sink import SpokenReplies

_log = structlog.stdlib.get_logger(__name__)
_MOST_WAITING: Final = 256
_MARKS_WITHIN_S: Final = 1.0
_HEAD_START_S: Final = 0.010


class Counts(StrEnum):
    """What the history keeps of a reply whose voice was interrupted."""

    HEARD = "heard"
    SHOWN = "shown"


class SpokenSink(Protocol):
    """Speaks one reply."""

    async def speak(self, events: AsyncIterator[ReplyEvent]) -> Heard:
        """Up to the last packet or the interruption; the rest of the events is left then."""
        ...

    def stop(self) -> bool:
        """Falls silent at once; False when it is silent already."""
        ...


class ShownAndSpokenReplies:
    """The `ReplyPlace` of a scene with a chat and a call."""

    def __init__(self, *, chat: ReplyPlace, voice: SpokenReplies, counts: Counts = Counts.HEARD) -> None:
        self._chat = chat
        self._voice = voice
        self._counts = counts

    def open_sink(self, send: Send) -> "TwoSinks":
        """Both sinks of the reply to `send`."""
        return TwoSinks(
            chat=self._chat.open_sink(send), voice=self._voice.open_sink(send), counts=self._counts
        )


class TwoSinks:
    """The `LastingSink` of a reply that is shown and spoken."""

    def __init__(self, *, chat: ReplySink, voice: SpokenSink, counts: Counts = Counts.HEARD) -> None:
        self._chat = chat
        self._voice = voice
        self._counts = counts
        self._ended_whole = False

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        """Shows and speaks the reply. Raises what the chat raised, when nothing was heard either."""
        to_chat, to_voice = _Backlog(), _Backlog()
        async with asyncio.TaskGroup() as tasks:
            feeding = tasks.create_task(_feed(events, (to_chat, to_voice)))
            speaking = tasks.create_task(self._speak(to_voice, to_chat))
            shown = await self._show(to_chat)
            heard = await speaking
            feeding.cancel()
        if heard is not None and heard.cause is Cause.BARGE_IN and self._ended_whole:
            await self._mark()
        if heard is not None and _ended_by(heard) and self._counts is Counts.HEARD:
            return Delivered(text=heard.text, cut=True)
        if isinstance(shown, Delivered):
            return shown
        if heard is None or not heard.text:
            raise shown
        _log.warning("reply was heard, not shown", error=type(shown).__name__)
        return Delivered(text=heard.text, cut=True)

    def stop(self) -> bool:
        """Silences the voice, and so ends the reply; False when it is silent already."""
        return self._voice.stop()

    async def _mark(self) -> None:
        """The chat had ended before the voice was interrupted. The next reply does not wait long for it."""
        if isinstance(self._chat, MarkingSink):
            with suppress(TimeoutError):
                async with asyncio.timeout(_MARKS_WITHIN_S):
                    await self._chat.mark_stopped()

    async def _show(self, backlog: "_Backlog") -> Delivered | Exception:
        try:
            return await self._chat.deliver(_behind_the_voice(backlog.events()))
        except Exception as error:  # noqa: BLE001 - the voice goes on; the caller raises it if nobody heard
            return error

    async def _speak(self, backlog: "_Backlog", to_chat: "_Backlog") -> Heard | None:
        try:
            heard = await self._voice.speak(backlog.events())
        except Exception as error:  # noqa: BLE001 - the chat has the whole reply
            _log.error("reply was shown, not spoken", exc_info=error)
            return None
        if _ended_by(heard):
            self._ended_whole = to_chat.has_ended
            superseded = heard.cause is Cause.SUPERSEDED
            to_chat.put(ReplyEnded(ending=Ending.SUPERSEDED if superseded else Ending.STOPPED))
        return heard


class _Backlog:
    """What one sink has not taken yet. `put` never waits: text is joined, and signs beyond a bound vanish."""

    def __init__(self) -> None:
        self._waiting: deque[ReplyEvent] = deque()
        self._ended = False
        self._changed = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether the last event came."""
        return self._ended

    def put(self, event: ReplyEvent) -> None:
        """The next event; nothing after the first `ReplyEnded`."""
        if self._ended:
            return
        last = self._waiting[-1] if self._waiting else None
        match event:
            case ReplyTextGrew(text=text) if isinstance(last, ReplyTextGrew):
                self._waiting[-1] = ReplyTextGrew(text=last.text + text)
            case PauseAsked() | EmotionChosen() | ToolBegan() | ToolSettled() if (
                len(self._waiting) >= _MOST_WAITING
            ):
                pass
            case _:
                self._waiting.append(event)
        self._ended = isinstance(event, ReplyEnded)
        self._changed.set()

    async def events(self) -> AsyncIterator[ReplyEvent]:
        """Everything in order, up to and with the `ReplyEnded`."""
        while True:
            while self._waiting:
                event = self._waiting.popleft()
                yield event
                if isinstance(event, ReplyEnded):
                    return
            self._changed.clear()
            await self._changed.wait()


async def _behind_the_voice(events: AsyncIterator[ReplyEvent]) -> AsyncIterator[ReplyEvent]:
    """The same events, the first words after the head start; what comes meanwhile is joined to them."""
    waits = True
    async for event in events:
        if waits and isinstance(event, ReplyTextGrew):
            waits = False
            await asyncio.sleep(_HEAD_START_S)
        yield event


async def _feed(events: AsyncIterator[ReplyEvent], backlogs: tuple[_Backlog, ...]) -> None:
    async for event in events:
        for backlog in backlogs:
            backlog.put(event)
        if isinstance(event, ReplyEnded):
            return


def _ended_by(heard: Heard) -> bool:
    """Whether the voice's interruption ended the whole reply."""
    return heard.cause is not None and heard.cause.ends_the_reply
