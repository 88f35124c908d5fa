"""A transcription by a service that takes whole files: the sound is collected, and asked about at its pauses.

At a pause the service is asked in advance; when nothing but quiet follows, its answer is the final one. There
are no guesses in between.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace

from core.sentences import sentence
from voice.input.speech_to_text import SpeechFailed, Transcript
from voice.providers.collected_sound import BYTES_A_SECOND, adds_nothing

_LONGEST_S = 600.0

Recognise = Callable[[bytes], Awaitable[Transcript]]
"""The final transcript of PCM (int16, 16 kHz, mono); raises `SpeechFailed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    size: int
    transcript: Transcript


class WholeUtterance:
    """See the module. A `Transcription`; the requests run in its consumer's task, one at a time."""

    def __init__(self, recognise: Recognise, *, longest_s: float = _LONGEST_S) -> None:
        self._recognise = recognise
        self._longest = int(longest_s * BYTES_A_SECOND)
        self._sound = bytearray()
        self._known: _Known | None = None
        self._asked = 0
        self._request: asyncio.Timeout | None = None
        self._paused_at: int | None = None
        self._is_finished = False
        self._is_closed = False
        self._overflowed = False
        self._changed = asyncio.Event()

    def write(self, pcm: bytes) -> None:
        if self._is_finished or self._is_closed:
            return
        if len(self._sound) + len(pcm) > self._longest:
            self._overflowed = True
            self._changed.set()
            return
        self._sound += pcm

    def tail(self) -> None:
        self._paused_at = len(self._sound)
        self._changed.set()

    def finish(self) -> None:
        self._is_finished = True
        self._changed.set()
        if not adds_nothing(self._sound, self._asked, len(self._sound)):
            self._abort()

    async def aclose(self) -> None:
        self._is_closed = True
        self._changed.set()
        self._abort()

    async def transcripts(self) -> AsyncGenerator[Transcript]:
        """See the port."""
        while not self._is_closed:
            self._changed.clear()
            if self._overflowed:
                raise SpeechFailed(
                    sentence("That was too long for me to follow: please say it in parts."),
                    reason="too much sound",
                )
            size = len(self._sound)
            if self._is_finished and (known := self._known_of(size)):
                yield known
                return
            if self._is_finished:
                await self._ask(size)
            elif self._paused_at is None:
                await self._changed.wait()
            elif known := self._known_of(self._paused_at):
                self._paused_at = None
                yield replace(known, final=False)
            else:
                await self._ask(self._paused_at)

    def _known_of(self, size: int) -> Transcript | None:
        known = self._known
        return known.transcript if known and adds_nothing(self._sound, known.size, size) else None

    async def _ask(self, size: int) -> None:
        """Nothing is known when the request was given up."""
        self._asked = size
        scope = asyncio.timeout(None)
        try:
            async with scope as self._request:
                transcript = await self._recognise(bytes(self._sound[:size]))
        except TimeoutError:
            if not scope.expired():
                raise
            return
        finally:
            self._request = None
        self._known = _Known(size=size, transcript=transcript)

    def _abort(self) -> None:
        if self._request is not None and not self._request.expired():
            self._request.reschedule(asyncio.get_running_loop().time())
