"""The mouth of one call: responses one after another, at most one of them audible (VOX-10, VOX-17, VOX-32).

    async with VoiceOutput(mouth=call, service=tts, clock=clock, tell=listener) as output:
        response = output.open_response(turn_id="turn", language="en")
        answer = response.open_speech(Purpose.ANSWER)
        answer.write("Hello. How are you?")
        answer.end()
        heard = await response.finish()

A response is played when those opened before it are over; its sound may be made earlier. Whoever opens a
response finishes or interrupts it.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

import structlog

from core.clock import Clock
from voice.output.output_events import Cause, Heard, OutputEvent
from voice.output.output_settings import DEFAULT_OUTPUT, OutputSettings
from voice.output.say_and_show_rules import SayLimits
from voice.output.stream_player import Mouth
from voice.output.synthesis import Synthesis
from voice.output.text_to_speech import TextToSpeech
from voice.output.voice_response import VoiceResponse
from voice.speech_text.speech import NOWHERE, Surroundings

_log = structlog.stdlib.get_logger(__name__)


def _nobody(_: object) -> None:
    pass


class VoiceOutput:
    """Used as an async context manager, whose end interrupts what is still said.

    `tell` hears every event at once, on the loop, and must not raise.
    """

    def __init__(
        self,
        *,
        mouth: Mouth,
        service: TextToSpeech,
        clock: Clock,
        settings: OutputSettings = DEFAULT_OUTPUT,
        tell: Callable[[OutputEvent], None] = _nobody,
    ) -> None:
        self._mouth = mouth
        self._synthesis = Synthesis(service, settings=settings)
        self._clock = clock
        self._settings = settings
        self._tell = tell
        self._responses: deque[VoiceResponse] = deque()
        self._closed = False
        self._changed = asyncio.Event()
        self._tasks = asyncio.TaskGroup()
        self._player: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._player = self._tasks.create_task(self._play(), name="voice output")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(Cause.SHUT_DOWN)
        if self._player is not None:
            self._player.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def open_response(
        self,
        *,
        turn_id: str,
        language: str,
        say_limits: SayLimits | None = None,
        surroundings: Surroundings = NOWHERE,
        on_interrupt: Callable[[Cause], None] = _nobody,
    ) -> VoiceResponse:
        """The next response. Once the call is over it is interrupted from the start.

        `language` (BCP 47) is the voice's; words of another language are told to the synthesiser as such.
        `say_limits`: the chat shows the answer, so speech carries its short version (VOX-28).
        `on_interrupt` is the signal for whoever generates the answer.
        """
        response = VoiceResponse(
            turn_id=turn_id,
            language=language,
            say_limits=say_limits,
            surroundings=surroundings,
            mouth=self._mouth,
            synthesis=self._synthesis,
            settings=self._settings,
            clock=self._clock,
            tasks=self._tasks,
            tell=self._tell,
            on_interrupt=on_interrupt,
        )
        if self._closed:
            response.interrupt(Cause.CALL_OVER)
        else:
            self._responses.append(response)
            self._changed.set()
        return response

    @property
    def current(self) -> VoiceResponse | None:
        """The response that is said or is the next to be said."""
        return next((response for response in self._responses if not response.is_over), None)

    @property
    def is_speaking(self) -> bool:
        """Whether something is audible, also while it is ducked."""
        return any(response.is_audible for response in self._responses)

    def duck(self) -> bool:
        """The current response stands still, to be resumed or interrupted (VOX-17); False without one."""
        return self.current is not None and self.current.duck()

    def resume(self) -> None:
        """The current response goes on where it stood still."""
        if self.current is not None:
            self.current.resume()

    def interrupt(self, cause: Cause) -> Heard | None:
        """The current response ends; those behind it go on. None without one."""
        return None if self.current is None else self.current.interrupt(cause)

    def end(self, cause: Cause = Cause.CALL_OVER) -> None:
        """Falls silent for good: what is said or waits ends, what is opened later is interrupted at once."""
        self._closed = True
        for response in tuple(self._responses):
            response.interrupt(cause)

    async def quiet(self) -> None:
        """Waits until nothing is said or waits to be said."""
        while self._responses:
            self._changed.clear()
            await self._changed.wait()

    async def _play(self) -> None:
        while True:
            while not self._responses:
                self._changed.clear()
                await self._changed.wait()
            response = self._responses[0]
            try:
                await response.play()
            except Exception as error:  # noqa: BLE001 - a defect costs one response, not the call's voice
                _log.error("speaking broke", turn=response.turn_id, exc_info=error)
                response.interrupt(Cause.BROKEN)
            self._responses.popleft()
            self._changed.set()
