"""What is said in voice messages and recordings, by the speech service that hears calls (TEXT-4, VOX-21).

A service takes an utterance; a long file is given to it piece by piece.
"""

import asyncio
from contextlib import aclosing
from typing import Final

import structlog

from voice import (
    HEARD_RATE_HZ,
    NoSound,
    SpeechFailed,
    SpeechToText,
    sound_of,
)

_log = structlog.get_logger()
_LONGEST_S: Final = 600.0
_PIECE_S: Final = 25.0
_PIECE_BYTES: Final = int(_PIECE_S * HEARD_RATE_HZ) * 2
_PATIENCE_S: Final = 60.0


class SpokenFiles:
    """Hears nothing until it is told by which service."""

    def __init__(self) -> None:
        self._service: SpeechToText | None = None
        self._language: str | None = None

    def hear_by(self, service: SpeechToText | None, *, language: str | None) -> None:
        """Use this service from now on; None: nobody hears."""
        self._service, self._language = service, language

    @property
    def can_hear(self) -> bool:
        """Whether there is a service."""
        return self._service is not None

    async def transcript(self, content: bytes) -> str | None:
        """The words of a file, its first ten minutes; None where there are none to be had."""
        service = self._service
        if service is None:
            return None
        try:
            async with asyncio.timeout(_PATIENCE_S):
                pcm = await asyncio.to_thread(sound_of, content, most_s=_LONGEST_S)
                pieces = [pcm[at : at + _PIECE_BYTES] for at in range(0, len(pcm), _PIECE_BYTES)]
                said = [await self._heard(service, piece) for piece in pieces]
        except (NoSound, SpeechFailed, TimeoutError) as error:
            _log.info("voice message not heard", reason=str(error) or type(error).__name__)
            return None
        return " ".join(words for words in said if words) or None

    async def _heard(self, service: SpeechToText, pcm: bytes) -> str:
        transcription = service.begin(language=self._language)
        async with aclosing(transcription):
            transcription.write(pcm)
            transcription.finish()
            text = ""
            async for transcript in transcription.transcripts():
                text = transcript.text
            return text.strip()
