"""Segments become sound, whatever the synthesiser does (VOX-25): two attempts, each bounded in time.

Where there is a second service it makes the second attempt, and speaks for a while before the first is asked
again, so that a service that hangs costs one wait and not one for each sentence. What broke off after some of
it was played is not said again.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from typing import Final

import structlog

from core.clock import Clock
from voice.input.speech_to_text import SpeechFailed
from voice.output.output_settings import OutputSettings
from voice.output.segment_sound import SegmentSound, SoundState
from voice.output.speech_length_rules import expected_s
from voice.output.text_to_speech import SynthesisChunk, TextToSpeech

_log = structlog.stdlib.get_logger(__name__)
_ADVICE: Final = "I cannot speak at the moment; my answer is in the chat."
_ATTEMPTS: Final = 2
_LONGEST_FACTOR: Final = 4
_LONGEST_EXTRA_S: Final = 10.0


class Synthesis:
    """The synthesisers of a call, `services` in the order that they are asked."""

    def __init__(self, services: Sequence[TextToSpeech], *, settings: OutputSettings, clock: Clock) -> None:
        self._services = services
        self._settings = settings
        self._clock = clock
        self._preferred = 0
        self._first_again_at = 0.0
        self._waits: set[asyncio.Timeout] = set()

    async def fill(self, sound: SegmentSound, *, replaced: Callable[[str], None]) -> None:
        """Makes all of the sound, or ends it with what went wrong; raises nothing.

        `replaced` is told why the next service took over.
        """
        failure: SpeechFailed | None = None
        for _ in range(_ATTEMPTS):
            service = self._service()
            try:
                await self._attempt(self._services[service], sound)
            except SpeechFailed as error:
                failure = error
            except Exception as error:  # noqa: BLE001 - whatever a service raises costs its segment only
                _log.warning("speech service broke", error=type(error).__name__)
                failure = SpeechFailed(_ADVICE, reason=type(error).__name__)
            else:
                sound.end(SoundState.WHOLE)
                return
            if sound.state is not SoundState.COMING:
                return  # abandoned, and the service answered its end with a failure
            if self._goes_on_after(service):
                replaced(failure.reason)
            if sound.is_playing:
                sound.end(SoundState.CUT, failure=failure)
                return
            sound.begin_anew()
        sound.end(SoundState.LEFT_OUT, failure=failure)

    def _service(self) -> int:
        if self._preferred and self._clock.monotonic() >= self._first_again_at:
            self._preferred = 0
        return self._preferred

    def _goes_on_after(self, failed: int) -> bool:
        """Whether the service behind the one that failed takes over now."""
        if failed != self._preferred or failed + 1 >= len(self._services):
            return False
        self._preferred = failed + 1
        self._first_again_at = self._clock.monotonic() + self._settings.first_again_after_s
        return True

    async def _attempt(self, service: TextToSpeech, sound: SegmentSound) -> None:
        chunks = service.speak(sound.segment.text, language=sound.segment.language)
        longest_s = expected_s(sound.segment.text) * _LONGEST_FACTOR + _LONGEST_EXTRA_S
        within_s = self._settings.first_sound_within_s
        try:
            while (chunk := await self._next(chunks, within_s)) is not None:
                self._is_at_work()
                await sound.put(chunk)
                within_s = self._settings.next_sound_within_s
                if sound.duration_s > longest_s:
                    raise SpeechFailed(_ADVICE, reason="endless sound")
        finally:
            with suppress(Exception):  # also a service that does not let go is left behind
                async with asyncio.timeout(self._settings.closes_within_s):
                    await chunks.aclose()
        if not sound.duration_s:
            raise SpeechFailed(_ADVICE, reason="no sound")

    async def _next(self, chunks: AsyncGenerator[SynthesisChunk], within_s: float) -> SynthesisChunk | None:
        """The next chunk; None after the last. Raises `SpeechFailed` when it does not come in time."""
        patience = asyncio.timeout(within_s)
        try:
            async with patience:
                self._waits.add(patience)
                return await anext(chunks, None)
        except TimeoutError as error:
            if not patience.expired():
                raise
            raise SpeechFailed(_ADVICE, reason="no sound in time") from error
        finally:
            self._waits.discard(patience)

    def _is_at_work(self) -> None:
        """Sound came: a service that makes one segment after another has not failed those that wait."""
        now = asyncio.get_running_loop().time()
        until = now + self._settings.next_sound_within_s
        for patience in self._waits:
            if not patience.expired():
                patience.reschedule(max(patience.when() or 0.0, until))
