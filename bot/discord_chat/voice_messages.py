"""A text as a voice message of Discord: its sound, how long it is, and the picture of it (TEXT-5)."""

import asyncio
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from voice import (
    HEARD_RATE_HZ,
    NoSound,
    sound_of,
)

_LONGEST_S: Final = 600.0
_MOST_BARS: Final = 256  # Discord's clients draw no more
_BARS_PER_S: Final = 10


class Reads(Protocol):
    """Makes the sound of a text."""

    async def sound_of(self, text: str) -> bytes | None:
        """Ogg Opus; None where nothing has a sound. Raises `SpeechFailed`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceMessage:
    """`content` is Ogg Opus; `waveform` is a byte for each bar, in Base64."""

    content: bytes = field(repr=False)
    duration_s: float
    waveform: str


class VoiceMessages:
    """Says nothing until it is told by which voice."""

    def __init__(self) -> None:
        self._reads: Reads | None = None

    def speak_by(self, reads: Reads | None) -> None:
        """Use this voice from now on; None: nobody speaks."""
        self._reads = reads

    @property
    def can_speak(self) -> bool:
        """Whether there is a voice."""
        return self._reads is not None

    async def of(self, text: str) -> VoiceMessage | None:
        """The text, said; None where nothing of it has a sound. Raises `SpeechFailed`."""
        content = None if self._reads is None else await self._reads.sound_of(text)
        if content is None:
            return None
        try:
            pcm = await asyncio.to_thread(sound_of, content, most_s=_LONGEST_S)
        except NoSound:
            return None
        return VoiceMessage(
            content=content, duration_s=len(pcm) / 2 / HEARD_RATE_HZ, waveform=waveform_of(pcm)
        )


def waveform_of(pcm: bytes) -> str:
    """How loud each stretch is, the loudest at the top; `pcm` is int16, 16 kHz, mono."""
    samples = np.abs(np.frombuffer(pcm, "<i2").astype(np.int32))
    bars = min(_MOST_BARS, max(1, _BARS_PER_S * len(samples) // HEARD_RATE_HZ))
    loud = np.array([part.max(initial=0) for part in np.array_split(samples, bars)])
    return b64encode((loud * 255 // max(1, int(loud.max()))).astype(np.uint8).tobytes()).decode()
