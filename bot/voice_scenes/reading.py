"""A text read aloud, as sound in a file: for "Read aloud" where the bot is in no call (CMD-1, SPEECH-9)."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from voice import (
    SpeechTextStream,
    Spoken,
    TextToSpeech,
    ogg_opus,
)

_LANGUAGE: Final = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """`language` is the voice's (ISO 639-1), where the settings pin one."""

    voice: TextToSpeech
    language: str | None

    async def sound_of(self, text: str) -> bytes | None:
        """The reading of the Markdown `text` as Ogg Opus; None where nothing of it has a sound.

        Raises:
            SpeechFailed: the voice failed; its advice is for the person.
        """
        pcm = bytearray()
        for words in self._readings(text):
            async with aclosing(self.voice.speak(words, language=self.language)) as chunks:
                async for chunk in chunks:
                    pcm += chunk.pcm
        return await asyncio.to_thread(ogg_opus, bytes(pcm)) if pcm else None

    def _readings(self, text: str) -> list[str]:
        stream = SpeechTextStream(language=self.language or _LANGUAGE)
        pieces = (*stream.feed(text), *stream.end())
        return [piece.text for piece in pieces if isinstance(piece, Spoken) and piece.text.strip()]
