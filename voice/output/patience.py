"""How long a synthesiser is waited for (VOX-25).

A service that makes sound of one segment has not failed the others that wait for it: it may make one after
another. One that was told to stop and does not let go is left behind.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from voice.input.speech_to_text import SpeechFailed
from voice.output.text_to_speech import SynthesisChunk

SILENT_ADVICE = "I cannot speak at the moment; my answer is in the chat."


class Patience:
    """With one service, for all that is asked of it at the same time. Times in seconds."""

    def __init__(
        self, *, first_sound_within_s: float, next_sound_within_s: float, closes_within_s: float
    ) -> None:
        self._first_within_s = first_sound_within_s
        self._next_within_s = next_sound_within_s
        self._closes_within_s = closes_within_s
        self._waits: set[asyncio.Timeout] = set()

    async def sounds(self, chunks: AsyncGenerator[SynthesisChunk]) -> AsyncGenerator[SynthesisChunk]:
        """`chunks` as they come; closed when this is.

        Raises:
            SpeechFailed: nothing came in time; whatever else the service raises is passed on.
        """
        within_s = self._first_within_s
        try:
            while (chunk := await self._next(chunks, within_s)) is not None:
                self._is_at_work()
                yield chunk
                within_s = self._next_within_s
        finally:
            with suppress(Exception):
                async with asyncio.timeout(self._closes_within_s):
                    await chunks.aclose()

    async def _next(self, chunks: AsyncGenerator[SynthesisChunk], within_s: float) -> SynthesisChunk | None:
        wait = asyncio.timeout(within_s)
        try:
            async with wait:
                self._waits.add(wait)
                return await anext(chunks, None)
        except TimeoutError as error:
            if not wait.expired():
                raise
            raise SpeechFailed(SILENT_ADVICE, reason="no sound in time") from error
        finally:
            self._waits.discard(wait)

    def _is_at_work(self) -> None:
        until = asyncio.get_running_loop().time() + self._next_within_s
        for wait in self._waits:
            if not wait.expired():
                wait.reschedule(max(wait.when() or 0.0, until))
