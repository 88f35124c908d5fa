"""A second service that takes over when the first one fails (VOX-25).

Speech to text hands the whole utterance on, as long as its final text has not come; text to speech the
segment, as long as nothing of it was heard. A service that failed rests for a while: meanwhile the second one
is asked at once, so that nobody waits for the same failure again.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import structlog

from voice.input.speech_to_text import SpeechFailed, SpeechToText, Transcript, Transcription
from voice.output.text_to_speech import SynthesisChunk, TextToSpeech

_log = structlog.get_logger()
REST_S = 60.0


class _Rest:
    """Whether the first service rests."""

    def __init__(self, rest_s: float) -> None:
        self._rest_s = rest_s
        self._until = float("-inf")

    def is_on(self) -> bool:
        return asyncio.get_running_loop().time() < self._until

    def begin(self, failed: SpeechFailed) -> None:
        self._until = asyncio.get_running_loop().time() + self._rest_s
        _log.warning("speech service failed, the second one takes over", reason=failed.reason)


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

    def write(self, pcm: bytes) -> None:
        self._sound += pcm
        self._current.write(pcm)

    def tail(self) -> None:
        self._current.tail()

    def finish(self) -> None:
        self._is_finished = True
        self._current.finish()

    async def aclose(self) -> None:
        await self._current.aclose()

    async def transcripts(self) -> AsyncGenerator[Transcript]:
        """See the port; the failure of the second is the failure of both."""
        try:
            async for transcript in self._current.transcripts():
                yield transcript
        except SpeechFailed as failed:
            self._rest.begin(failed)
            await self._current.aclose()
        else:
            return
        self._current = self._again()
        self._current.write(bytes(self._sound))
        if self._is_finished:
            self._current.finish()
        async for transcript in self._current.transcripts():
            yield transcript


class FallbackTextToSpeech:
    """A `TextToSpeech` of two."""

    def __init__(self, first: TextToSpeech, second: TextToSpeech, *, rest_s: float = REST_S) -> None:
        self._first = first
        self._second = second
        self._rest = _Rest(rest_s)

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """See the port; what was begun by the first is not begun again by the second."""
        if not self._rest.is_on():
            was_heard = False
            try:
                async with aclosing(self._first.speak(text, language=language)) as chunks:
                    async for chunk in chunks:
                        was_heard = True
                        yield chunk
            except SpeechFailed as failed:
                self._rest.begin(failed)
                if was_heard:
                    raise
            else:
                return
        async with aclosing(self._second.speak(text, language=language)) as chunks:
            async for chunk in chunks:
                yield chunk
