"""The voice that was chosen for a room (`/voice voice`); a choice acts on the next segment (SET-8)."""

import asyncio
from collections.abc import AsyncGenerator

import structlog

from voice import (
    SynthesisChunk,
    TextToSpeech,
    UnknownVoice,
    Voices,
)

_log = structlog.get_logger()


class ChosenVoice:
    """A `TextToSpeech` that speaks in the chosen voice, in its usual one where none is or it is not there."""

    def __init__(self, usual: TextToSpeech, voices: Voices | None) -> None:
        self._usual = usual
        self._voices = voices
        self._name: str | None = None
        self._current = usual

    async def choose(self, name: str | None) -> None:
        """Speak so from now on; None: as usual."""
        if name == self._name:
            return
        self._name, self._current = name, self._usual
        if name is not None and self._voices is not None:
            try:
                self._current = await asyncio.to_thread(self._voices.voice_of, name)
            except UnknownVoice:
                _log.warning("a chosen voice is not there any more")

    def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """See the port."""
        return self._current.speak(text, language=language)
