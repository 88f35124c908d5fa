"""A reply as people in a call hear it: the sink that speaks (VOX-37).

Reading never waits for playback, so a stop is heard at once. A tool that takes long is bridged by a few
words, which vanish when the answer comes first (VOX-20). A reply that failed is told, as nobody in a call
looks at the chat while they wait for an answer.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import assert_never

from core.clock import Clock
from core.orchestration.replies import (
    Delivered,
    EmotionChosen,
    Ending,
    PauseAsked,
    ReplyEnded,
    ReplyEvent,
    ReplyTextGrew,
    StickerChosen,
    ToolBegan,
    ToolSettled,
    WorkTold,
)
from core.orchestration.sends import Send
from voice.output.output_events import Cause, Heard, Purpose
from voice.output.phrases import phrases_in
from voice.output.say_and_show_rules import SayLimits
from voice.output.speech_stream import SpeechStream
from voice.output.voice_output import VoiceOutput
from voice.output.voice_response import VoiceResponse
from voice.speech_text.speech import NOWHERE, Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenReplySettings:
    """How replies are spoken.

    `say_limits` None: nothing is shown elsewhere, so everything is said. `acknowledge_after_s` of a tool's
    work; None: never.
    """

    say_limits: SayLimits | None = field(default_factory=SayLimits)
    acknowledge_after_s: float | None = 1.0


class SpokenReplies:
    """The `ReplyPlace` of one call.

    `language` gives the voice's language (BCP 47) for a send, `surroundings` what mentions mean in its room.
    `opened` learns of each response before its first sound. `interrupted` learns at once that nobody wants
    the rest of the reply to a send, to end what generates it; not of the end of a call.
    """

    def __init__(
        self,
        *,
        output: VoiceOutput,
        clock: Clock,
        language: Callable[[Send], str],
        settings: SpokenReplySettings,
        surroundings: Callable[[Send], Surroundings] = lambda _: NOWHERE,
        opened: Callable[[Send, VoiceResponse], None] = lambda _send, _response: None,
        interrupted: Callable[[Send, Cause], None] = lambda _send, _cause: None,
    ) -> None:
        self._output = output
        self._clock = clock
        self._language = language
        self._settings = settings
        self._surroundings = surroundings
        self._opened = opened
        self._interrupted = interrupted

    def open_sink(self, send: Send) -> "VoiceSink":
        """A sink that speaks the reply to `send`, as the response of that turn."""

        def ended_by(cause: Cause) -> None:
            if cause.ends_the_reply:
                self._interrupted(send, cause)

        def open_response() -> VoiceResponse:
            response = self._output.open_response(
                turn_id=send.reply_id,
                language=self._language(send),
                say_limits=self._settings.say_limits,
                surroundings=self._surroundings(send),
                on_interrupt=ended_by,
            )
            self._opened(send, response)
            return response

        return VoiceSink(
            open_response=open_response,
            clock=self._clock,
            acknowledgement=phrases_in(self._language(send)).acknowledgement,
            acknowledge_after_s=self._settings.acknowledge_after_s,
        )


class VoiceSink:
    """The `LastingSink` of one spoken reply."""

    def __init__(
        self,
        *,
        open_response: Callable[[], VoiceResponse],
        clock: Clock,
        acknowledgement: str,
        acknowledge_after_s: float | None,
    ) -> None:
        self._open_response = open_response
        self._clock = clock
        self._words = acknowledgement
        self._acknowledge_after_s = acknowledge_after_s
        self._written: list[str] = []
        self._tools_at_work = 0
        self._waiting: asyncio.Task[None] | None = None
        self._response: VoiceResponse | None = None

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        """Speaks the reply; returns when its last packet was sent, or as soon as it was interrupted."""
        heard = await self.speak(events)
        if heard.interrupted or heard.gave_up:
            return Delivered(text=heard.text, cut=True)
        return Delivered(text="".join(self._written))

    async def speak(self, events: AsyncIterator[ReplyEvent]) -> Heard:
        """Like `deliver`, and tells how it ended. What comes after an interruption is not read."""
        response = self._response = self._open_response()
        try:
            async with asyncio.TaskGroup() as tasks:
                reading = tasks.create_task(self._read(events, response, tasks))
                heard = await response.over()
                reading.cancel()
                self._stop_waiting()
        finally:
            response.interrupt(Cause.SHUT_DOWN)  # does nothing when it is over
        return heard

    def stop(self) -> bool:
        """Falls silent at once; False when it is silent already."""
        if self._response is None or self._response.is_over:
            return False
        self._response.interrupt(Cause.STOPPED)
        return True

    async def _read(
        self, events: AsyncIterator[ReplyEvent], response: VoiceResponse, tasks: asyncio.TaskGroup
    ) -> None:
        acknowledgement = response.open_speech(Purpose.ACKNOWLEDGEMENT)
        answer = response.open_speech(Purpose.ANSWER)
        async for event in events:
            match event:
                case ReplyTextGrew(text=text):
                    self._written.append(text)
                    self._stop_waiting()
                    acknowledgement.cancel()
                    answer.write(text)
                case PauseAsked(seconds=seconds):
                    answer.pause(seconds)
                case ToolBegan():
                    answer.flush()
                    self._tools_at_work += 1
                    if not self._written and self._waiting is None:
                        self._waiting = tasks.create_task(self._acknowledge(acknowledgement))
                case ToolSettled():
                    self._tools_at_work -= 1
                    if self._tools_at_work <= 0:
                        self._stop_waiting()
                case ReplyEnded():
                    self._stop_waiting()
                    acknowledgement.cancel()
                    _end(response, event)
                    return
                case EmotionChosen() | StickerChosen() | WorkTold():
                    pass  # no tone reaches a synthesiser yet; the others have no sound
                case _:
                    assert_never(event)

    async def _acknowledge(self, acknowledgement: SpeechStream) -> None:
        if self._acknowledge_after_s is None:
            return
        await self._clock.sleep(self._acknowledge_after_s)
        acknowledgement.write(self._words)
        acknowledgement.end()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def _end(response: VoiceResponse, ended: ReplyEnded) -> None:
    match ended.ending:
        case Ending.COMPLETED | Ending.SILENT:
            response.complete()
        case Ending.FAILED:
            if ended.advice:
                response.open_speech(Purpose.NOTICE).write(ended.advice)
            response.complete()
        case Ending.STOPPED:
            response.interrupt(Cause.STOPPED)
        case Ending.SUPERSEDED | Ending.WITHDRAWN:
            response.interrupt(Cause.SUPERSEDED)
        case _:
            assert_never(ended.ending)
