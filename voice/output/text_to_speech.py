"""Text to speech as a port (VOX-22): one segment of speech text in, sound out as it is made."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenWord:
    """When a word of the segment begins, in seconds from the segment's first sample, and its place in it."""

    start_s: float
    end_offset: int
    """Characters of the segment up to and with the word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SynthesisChunk:
    """Some sound, int16 little-endian, 48 kHz, stereo; and word times where the service gives them."""

    pcm: bytes
    words: tuple[SpokenWord, ...] = ()


class UnknownVoice(Exception):
    """The service has no voice of that name."""


class TextToSpeech(Protocol):
    """A text-to-speech service; several segments may be spoken at the same time."""

    def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """The sound of `text`, chunk by chunk, the first as early as the service allows.

        Closing the iterator aborts the request.

        Raises:
            SpeechFailed: refused, unreachable, silent for too long, or not understood (VOX-25).
        """
        ...


class Voices(Protocol):
    """The voices of one service, by name."""

    @property
    def voice_names(self) -> tuple[str, ...]:
        """Those that are known of; a hosted service may have more."""
        ...

    def voice_of(self, name: str) -> TextToSpeech:
        """The service with that voice; the same one for the same name.

        Raises:
            UnknownVoice: there is certainly none of that name.
        """
        ...


class VoicedTextToSpeech(TextToSpeech, Voices, Protocol):
    """A service with its usual voice, and the others that it has."""
