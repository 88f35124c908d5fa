"""A second service that takes over when the first one fails, or is silent for too long (VOX-25).

Speech to text hands the whole utterance on, as long as its final text has not come; text to speech the
segment, as long as nothing of it was heard. A service that failed rests for a while: meanwhile the second one
is asked at once, so that nobody waits for the same failure again.

The first one gets less time than those who wait give both together (`OutputSettings`, `transcript_wait_ms`).
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass

import structlog

from voice.input.speech_to_text import SpeechFailed, SpeechToText, Transcript, Transcription
from voice.output.patience import Patience
from voice.output.text_to_speech import SynthesisChunk, TextToSpeech, Voices

_log = structlog.get_logger()
REST_S = 60.0
_TEXT_WITHIN_S = 4.0
"""From the end of an utterance to its final text."""
_NO_TEXT = "I could not make out what was said: please say it again, or write it."


class _Rest:
    """Whether the first service rests."""

    def __init__(self, rest_s: float) -> None:
        self._rest_s = rest_s
        self._until = float("-inf")

    def is_on(self) -> bool:
        return asyncio.get_running_loop().time() < self._until

    def begin(self, failed: Exception) -> None:
        self._until = asyncio.get_running_loop().time() + self._rest_s
        reason = failed.reason if isinstance(failed, SpeechFailed) else type(failed).__name__
        _log.warning("speech service failed, the second one takes over", reason=reason)


class FallbackSpeechToText:
    """A `SpeechToText` of two."""

    def __init__(self, first: SpeechToText, second: SpeechToText, *, rest_s: float = REST_S) -> None:
        self._first = first
        self._second = second
        self._rest = _Rest(rest_s)

    def begin(self, *, language: str | None) -> Transcription:
        """A new transcription, by the second while the first rests."""
        if self._rest.is_on():
            return self._second.begin(language=language)
        return _Handed(
            self._first.begin(language=language), lambda: self._second.begin(language=language), self._rest
        )


class _Handed:
    """A transcription that can be begun anew elsewhere: it keeps the sound until its final text."""

    def __init__(self, first: Transcription, again: Callable[[], Transcription], rest: _Rest) -> None:
        self._current = first
        self._again = again
        self._rest = rest
        self._sound = bytearray()
        self._is_finished = False
        self._is_handed_on = False
        self._wait: asyncio.Timeout | None = None
        self._broken: Exception | None = None

    def write(self, pcm: bytes) -> None:
        self._sound += pcm
        self._tell(lambda current: current.write(pcm))

    def tail(self) -> None:
        self._tell(lambda current: current.tail())

    def finish(self) -> None:
        self._is_finished = True
        self._wait_at_most(_TEXT_WITHIN_S)
        self._tell(lambda current: current.finish())

    async def aclose(self) -> None:
        await self._current.aclose()

    async def transcripts(self) -> AsyncGenerator[Transcript]:
        """See the port; the failure of the second is the failure of both."""
        try:
            async with aclosing(self._of_the_first()) as first:
                async for transcript in first:
                    yield transcript
        except Exception as failed:  # noqa: BLE001 - whatever it raises, the second one is there for it
            self._rest.begin(failed)
            with suppress(Exception):
                await self._current.aclose()
        else:
            return
        self._current, self._is_handed_on = self._again(), True
        self._current.write(bytes(self._sound))
        if self._is_finished:
            self._current.finish()
        async for transcript in self._current.transcripts():
            yield transcript

    async def _of_the_first(self) -> AsyncGenerator[Transcript]:
        """Raises `SpeechFailed` when the utterance is over and the final text does not come."""
        told = self._current.transcripts()
        while True:
            wait = asyncio.timeout(_TEXT_WITHIN_S if self._is_finished else None)
            try:
                async with wait:
                    self._wait = wait
                    transcript = await anext(told, None)
            except TimeoutError as error:
                if not wait.expired():
                    raise
                silent = SpeechFailed(_NO_TEXT, reason="no text in time")
                raise self._broken or silent from error
            finally:
                self._wait = None
            if self._broken is not None:
                raise self._broken
            if transcript is None:
                return
            yield transcript

    def _tell(self, tell: Callable[[Transcription], None]) -> None:
        """A defect of the first is met where its texts are read; one of the second is the caller's."""
        try:
            tell(self._current)
        except Exception as error:
            if self._is_handed_on:
                raise
            self._broken = error
            self._wait_at_most(0.0)

    def _wait_at_most(self, seconds: float) -> None:
        if self._wait is not None:
            self._wait.reschedule(asyncio.get_running_loop().time() + seconds)


class FallbackTextToSpeech:
    """A `TextToSpeech` of two."""

    def __init__(self, first: TextToSpeech, second: TextToSpeech, *, rest_s: float = REST_S) -> None:
        self._first = first
        self._second = second
        self._rest = _Rest(rest_s)
        self._patience = Patience(first_sound_within_s=4.0, next_sound_within_s=2.0, closes_within_s=0.5)

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """See the port; what was begun by the first is not begun again by the second."""
        if not self._rest.is_on():
            was_heard = False
            try:
                first = self._patience.sounds(self._first.speak(text, language=language))
                async with aclosing(first) as chunks:
                    async for chunk in chunks:
                        was_heard = True
                        yield chunk
            except Exception as failed:
                self._rest.begin(failed)
                if was_heard:
                    raise
            else:
                return
        async with aclosing(self._second.speak(text, language=language)) as chunks:
            async for chunk in chunks:
                yield chunk


@dataclass(frozen=True, slots=True)
class VoicesWithSpare:
    """The `Voices` of the first service; the second one speaks for each in its own voice."""

    voices: Voices
    spare: TextToSpeech

    @property
    def voice_names(self) -> tuple[str, ...]:
        """See `Voices`."""
        return self.voices.voice_names

    def voice_of(self, name: str) -> TextToSpeech:
        """See `Voices`."""
        return FallbackTextToSpeech(self.voices.voice_of(name), self.spare)
