"""The bot's own voice in one talk: its replies, what somebody has it say, and what it tells unasked.

There is one `VoiceOutput` for all of it, so that one thing is said after the other. Interruptions by people
are decided where they are heard; without hearing nobody interrupts.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Final

from bot.voice_scenes.advice import Advice
from bot.voice_scenes.chosen_voice import ChosenVoice
from bot.voice_scenes.first_text import FirstTextTold
from bot.voice_scenes.talk_floor import TalkFloor
from bot.voice_scenes.talk_parts import ChatOfTalk, TalkParts
from core.orchestration.sends import ReplyPlace, Send
from voice import (
    Call,
    Cause,
    OutputEvent,
    Purpose,
    ShownAndSpokenReplies,
    SpeechGaveUp,
    SpokenReplies,
    TurnRef,
    VoiceController,
    VoiceOutput,
    VoiceResponse,
)

_READY_WITHIN_S: Final = 1.5
"""An answer to a command has three seconds."""
_LANGUAGE: Final = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Something that is said beside the replies; `asked_by` None: nobody asked for it just now."""

    asked_by: int | None
    response: VoiceResponse

    def stop(self) -> None:
        """Falls silent at once."""
        self.response.interrupt(Cause.STOPPED)


class TalkVoice:
    """Speaks while it is `opened`, where the services can.

    `language` is the last one that was spoken; None where nothing was recognised.
    """

    def __init__(
        self,
        parts: TalkParts,
        call: Call,
        *,
        session_id: str,
        language: Callable[[], str | None],
        advice: Advice,
        floor: TalkFloor,
    ) -> None:
        self._parts = parts
        self._call = call
        self._session_id = session_id
        self._language = language
        self._advice = advice
        self._floor = floor
        usual = parts.services.text_to_speech
        self._chosen = None if usual is None else ChosenVoice(usual, parts.services.voices)
        self._output: VoiceOutput | None = None
        self._heard_by: VoiceController | None = None
        self._asides: list[Aside] = []
        self._ready = asyncio.Event()

    @asynccontextmanager
    async def opened(self, heard_by: VoiceController | None) -> AsyncGenerator[None]:
        """Can speak until the block ends; `heard_by` decides who interrupts, where anybody is heard."""
        if self._chosen is None:
            self._ready.set()
            yield
            return
        clock = self._parts.clock
        output = VoiceOutput(mouth=self._call, service=self._chosen, clock=clock, tell=self._told)
        async with output:
            self._output, self._heard_by = output, heard_by
            if heard_by is not None:
                heard_by.speak_through(output)
            self._ready.set()
            try:
                yield
            finally:
                self._output = self._heard_by = None

    @property
    def can_speak(self) -> bool:
        """Whether there is a voice now."""
        return self._output is not None

    @property
    def asides(self) -> tuple[Aside, ...]:
        """What is said beside the replies, or waits to be."""
        self._asides = [aside for aside in self._asides if not aside.response.is_over]
        return tuple(self._asides)

    async def choose(self, name: str | None) -> None:
        """Speak in that voice from the next segment on; None: in the usual one."""
        if self._chosen is not None:
            await self._chosen.choose(name)

    def end(self) -> None:
        """Falls silent for good: nothing of it is for those who are elsewhere; the chat goes on."""
        if self._output is not None:
            self._output.end()

    async def say(self, text: str, *, asked_by: int) -> bool:
        """Speak `text` behind what is being said; False when nothing can be spoken.

        A talk that just begins is waited for. It is interrupted like a reply to the person who asked for it.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_READY_WITHIN_S):
                await self._ready.wait()
        if self._output is None:
            return False
        self._begin(self._output, "say", text, asked_by=asked_by, shortened=False).complete()
        return True

    async def tell(self, *said: str) -> bool:
        """Speak what nobody asked for just now, its short version; True when it was heard to its end.

        Sentences of ours come in the language that is spoken.
        """
        if self._output is None:
            return False
        language = self._spoken_language()
        text = " ".join(self._parts.said_in(language, one) for one in said)
        response = self._begin(self._output, "told", text, asked_by=None, shortened=True)
        self._floor.reply_began()
        try:
            heard = await response.finish()
        finally:
            self._floor.reply_ended()
        return not heard.interrupted and not heard.gave_up

    def replies(self, *, answering: Callable[[Send], frozenset[int]]) -> ReplyPlace:
        """Into the call and, by the setting, into the chat. `answering` is asked for each reply."""
        output, heard_by = self._output, self._heard_by
        if output is None:
            return self._parts.chat
        settings = self._parts.settings
        shows = settings.chat is not ChatOfTalk.OFF

        def opened(send: Send, response: VoiceResponse) -> None:
            if heard_by is not None:
                turn = TurnRef(session_id=send.session_id, turn_id=send.reply_id)
                heard_by.response_opened(turn, response, answering=answering(send))

        def interrupted(send: Send, _cause: Cause) -> None:
            self._parts.orchestrator.stop(send.session_id)

        spoken = SpokenReplies(
            output=output,
            clock=self._parts.clock,
            language=lambda _send: self._spoken_language(),
            settings=settings.spoken if shows else replace(settings.spoken, say_limits=None),
            opened=opened,
            interrupted=interrupted,
        )
        place: ReplyPlace = spoken
        if shows:
            place = ShownAndSpokenReplies(chat=self._parts.chat, voice=spoken, counts=settings.counts)
        return place if heard_by is None else FirstTextTold(place, heard_by.first_token)

    def _begin(
        self, output: VoiceOutput, kind: str, text: str, *, asked_by: int | None, shortened: bool
    ) -> VoiceResponse:
        turn_id = self._parts.new_id(kind, self._parts.clock.now())
        response = output.open_response(
            turn_id=turn_id,
            language=self._spoken_language(),
            say_limits=self._parts.settings.spoken.say_limits if shortened else None,
        )
        if self._heard_by is not None:
            turn = TurnRef(session_id=self._session_id, turn_id=turn_id)
            self._heard_by.response_opened(turn, response, answering=() if asked_by is None else (asked_by,))
        self._asides = [*self.asides, Aside(asked_by=asked_by, response=response)]
        response.open_speech(Purpose.ANSWER).write(text)
        return response

    def _spoken_language(self) -> str:
        return self._language() or _LANGUAGE

    def _told(self, event: OutputEvent) -> None:
        if self._heard_by is not None:
            self._heard_by.output_told(event)
        if isinstance(event, SpeechGaveUp):
            self._advice.give(event.advice)
